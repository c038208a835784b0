"""The command about certificates of proofs: ``check-proof``. It needs one module, and that the standard library."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from .exits import DONE, REFUTED


def check_proof(
    file: Annotated[
        str | None, typer.Argument(metavar="FILE", help="A certificate, gzipped or not.", show_default=False)
    ] = None,
    against: Annotated[
        str | None,
        typer.Option(
            metavar="SCENARIO", help="Run this scenario's mechanism along every path of the tree too: is it the tree?"
        ),
    ] = None,
    print_checker: Annotated[
        bool, typer.Option("--print-checker", help="Print the checker, one file that needs nothing but Python.")
    ] = False,
) -> None:
    """Check the certificate of a proof for all lengths.

    Exit code 0: it proves what is printed; 1: it does not; 2: it is no certificate.

    Example: consortium check-proof --print-checker > check_proof.py
    """
    from ..games.proofs import check_proof as checker
    from ..support.errors import InputError

    if print_checker:
        print(Path(checker.__file__).read_text(encoding="utf-8"), end="")
        return
    if file is None:
        raise InputError("check-proof: found no FILE; expected a certificate, or --print-checker")
    try:
        certificate = checker.load(file)
        print(checker.proved(certificate))
    except checker.Refused as reason:
        print(f"Refused: {reason}.")
        raise typer.Exit(REFUTED) from None
    except checker.Unreadable as reason:
        raise InputError(f"{file}: {reason}") from None
    raise typer.Exit(DONE if against is None else _replayed(certificate, against))


def _replayed(certificate: Any, against: str) -> int:
    """The second replay, told in a sentence; its exit code."""
    from ..verbs.declaration.prove import replay_against

    found = replay_against(certificate, against)
    if found.difference is not None:
        print(f"Refused: the tree is not the mechanism of {against}: {found.difference}.")
        return REFUTED
    print(f"On all {found.paths:,} paths of the tree the mechanism of {against} asks the same and gives the same.")
    return DONE


def register(app: typer.Typer) -> None:
    """Add the command of this module to the command line."""
    app.command("check-proof")(check_proof)
