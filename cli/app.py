"""The command line. Each command loads what it needs when it runs, so ``--help`` stays quick."""

from __future__ import annotations

import os
import sys
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from .. import __version__
from ..scheduling.errors import ConsortiumError
from . import importing, library, verbs
from .output import BAD_INPUT, DONE, STOPPED, fail

INTERRUPTED = 130  # what the argument parser makes of Ctrl-C


class Commands(TyperGroup):
    """Commands by name; those of verbs and ``import`` are put together when they are called."""

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        """Find the command that the arguments name."""
        name = args[0] if args else ""
        if name == "import":
            return name, importing.command(), args[1:]
        if name in verbs.HELP or (name not in self.commands and _foreign(name)):
            return name, verbs.command(name), args[1:]
        found: tuple[str | None, Any, list[str]] = super().resolve_command(ctx, args)
        return found


def _foreign(name: str) -> bool:
    """Whether a kind of another distribution has a verb of that name."""
    from ..mechanisms.kinds import verb_names

    return name in verb_names()


app = typer.Typer(
    name="consortium",
    cls=Commands,
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    help="Mechanism design over shared clusters: run scenarios, search equilibria, verify truth, compare rules.\n\n"
    "Exit codes: 0 done, or it holds; 1 refuted; 2 bad input; 3 stopped by a limit or Ctrl-C, what is known is printed."
    "\n\nExample: consortium run agmon2003/5.2.1",
)


def _listed(name: str, about: str) -> None:
    """Let a command stand in the list of commands."""

    def placeholder() -> None:
        raise AssertionError("resolved before it is called")

    app.command(name, help=about)(placeholder)


for _name, _about in (*verbs.HELP.items(), ("import", importing.HELP)):
    _listed(_name, _about)
library.register(app)


def _version(value: bool) -> None:
    if value:
        print(__version__)
        raise typer.Exit(DONE)


@app.callback()
def _main(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    pass


def entry() -> None:
    """Run the command line; errors for people, exit codes as documented, never a traceback for bad input."""
    try:
        code = app(standalone_mode=False)
    except ConsortiumError as error:
        fail(f"error: {error}")
        code = BAD_INPUT
    except (KeyboardInterrupt, typer.Abort):
        code = INTERRUPTED
    except BrokenPipeError:  # the reader of a pipe left: nobody is there to be told
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = DONE
    except Exception as error:
        if not hasattr(error, "show"):  # usage errors of the argument parser know how to show themselves
            raise
        error.show()
        code = BAD_INPUT
    if code == INTERRUPTED:
        fail("Stopped by Ctrl-C before there was an answer.")
        code = STOPPED
    sys.exit(code or DONE)
