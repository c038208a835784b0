"""The command line. Each command loads what it needs when it runs, so ``--help`` stays quick."""

from __future__ import annotations

import sys
import traceback
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cache
from typing import Annotated, Any, Final

import typer

from .. import __version__
from ..mechanisms.kinds import foreign_verbs, typed
from ..support.errors import ExtensionWarning
from . import check, lists, making, pages, studies, verbs
from .exits import BAD_INPUT, DONE, EPILOG, foreign, judged
from .help import Group
from .output import fail
from .stopping import STOPS
from .streams import StreamError, guarded_streams

DEBUG: Final = "--debug"
INTERRUPTED: Final = 130
"""What the argument parser makes of Ctrl-C."""

LISTED: Final = {
    **{typed(name): about for name, about in verbs.HELP.items()},
    "import": making.IMPORT,
    "check": check.HELP,
    "hunt": making.HUNT,
}
"""Commands that are put together when they are called, and what is said of them."""
BUILDERS: Final[Mapping[str, Callable[[], Any]]] = {
    "import": making.import_log,
    "check": check.command,
    "hunt": making.hunt,
}


class Commands(Group):
    """Commands by name; those of verbs and of :data:`BUILDERS` are put together when they are called.

    Verbs that only other distributions have are looked up when a name is not one of ours, or when all are listed.
    """

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        """Find the command that the arguments name."""
        name = args[0] if args else ""
        if " " in name:
            return self.resolve_command(ctx, [*name.split(" "), *args[1:]])
        if f"{name}_{''.join(args[1:2])}" in verbs.HELP:
            return typed(f"{name}_{args[1]}"), verbs.command(f"{name}_{args[1]}"), args[2:]
        if name in BUILDERS:
            return name, BUILDERS[name](), args[1:]
        if name in verbs.HELP or (name not in self.commands and name in foreign_verbs()):
            return name, verbs.command(name, args[1:]), args[1:]
        resolved: tuple[str | None, Any, list[str]] = super().resolve_command(ctx, args)
        return resolved

    def list_commands(self, ctx: Any) -> list[str]:
        """Names of all commands, those of verbs of other distributions last."""
        return list(dict.fromkeys([*LISTED, *super().list_commands(ctx), *foreign_verbs()]))

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """A command as the list of commands shows it."""
        if cmd_name in LISTED:
            return _placeholder(cmd_name, LISTED[cmd_name])
        own = super().get_command(ctx, cmd_name)
        if own is None and cmd_name in foreign_verbs():
            return _placeholder(cmd_name, foreign_verbs()[cmd_name].summary)
        return own


def _placeholder(name: str, about: str) -> Any:
    """A command that only stands in the list of commands."""

    def placeholder() -> None:
        raise AssertionError("resolved before it is called")

    alone = typer.Typer(add_completion=False)
    alone.command(name, help=about)(placeholder)
    return typer.main.get_command(alone)


app = typer.Typer(
    name="consortium",
    cls=Commands,
    no_args_is_help=True,
    add_completion=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    help="Mechanism design over shared clusters: run scenarios, search equilibria, verify truth, compare rules.\n\n"
    f"{EPILOG}\n\nExample: consortium run agmon2003/5.2.1",
)


for _function in (lists.scenarios, lists.rules, lists.families, lists.schema, pages.report, pages.explore):
    app.command()(_function)
app.add_typer(studies.study)


def _version(value: bool) -> None:
    if value:
        print(__version__)
        raise typer.Exit(DONE)


@app.callback()
def _main(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
    debug: Annotated[
        bool, typer.Option(DEBUG, help="Show where an error comes from, with a traceback (anywhere on the line).")
    ] = False,
) -> None:
    pass


@cache
def _commands() -> Any:
    """All commands as the argument parser wants them, put together once."""
    return typer.main.get_command(app)


def ended(arguments: Sequence[str]) -> int:
    """Run the command line; errors for people, exit codes as documented, a traceback only with ``--debug``."""
    try:
        with guarded_streams(), warnings.catch_warnings():
            warnings.showwarning = _warned
            code = _answered([word for word in arguments if word != DEBUG], debug=DEBUG in arguments)
            sys.stdout.flush()
            sys.stderr.flush()
    except StreamError as error:
        if sys.stderr is not None:
            with suppress(OSError):
                fail(f"error: {error}")
        code = BAD_INPUT
    return code


def _warned(
    message: Warning | str, category: type[Warning], filename: str, lineno: int, file: Any = None, line: Any = None
) -> None:
    """Show a warning as a sentence, where it is ours."""
    where = "" if issubclass(category, ExtensionWarning) else f"{filename}:{lineno}: {category.__name__}: "
    fail(f"warning: {where}{message}")


def _answered(words: list[str], debug: bool) -> int:
    try:
        code = _commands()(words, prog_name="consortium", standalone_mode=False) or DONE
        sys.stdout.flush()
        if code == INTERRUPTED:
            raise KeyboardInterrupt
    except BaseException as error:
        STOPS.answered()
        if isinstance(error, SystemExit) and not foreign(error):  # the argument parser, for the shell's completion
            return error.code if isinstance(error.code, int) else DONE
        if type(error).__name__ == "NoArgsIsHelpError":  # of the argument parser: it shows the help
            error.show()  # type: ignore[attr-defined]
            return BAD_INPUT
        code, sentence = judged(error)
        if debug:
            traceback.print_exception(error)
        fail(sentence)
    return int(code)
