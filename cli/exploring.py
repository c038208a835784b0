"""The command ``explore``: the explorer in the browser."""

from __future__ import annotations

from contextlib import suppress
from typing import Annotated

import typer


def explore(
    scenario: Annotated[
        str | None,
        typer.Argument(
            help="Path of a scenario file, or the name of a shipped scenario. [minimal/declaration]",
            show_default=False,
        ),
    ] = None,
    port: Annotated[int, typer.Option("--port", help="Listen on this port; 0 takes a free one.", min=0, max=65535)] = 0,
    no_open: Annotated[bool, typer.Option("--no-open", help="Print the address, do not open the browser.")] = False,
) -> None:
    """Explore scenarios in the browser.

    Move sliders, drag jobs, choose points. The page is served to this machine alone, at an address that only you know,
    until Ctrl-C.

    Example: consortium explore agmon2003/5.2.1
    """
    from ..explorer.server import serve

    with suppress(KeyboardInterrupt):  # it is how one leaves
        serve(scenario, port, show=not no_open, say=lambda address: print(f"{address}\nCtrl-C ends it.", flush=True))


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(explore)
