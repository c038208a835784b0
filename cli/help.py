"""Help of commands: options in named groups, the rarer ones only with ``--help-all``.

An option says its group and whether it is rare where it is declared: one of a model in
:func:`consortium.verbs.options.Field`, one of a command in ``typer.Option`` (``rich_help_panel``, ``hidden``).
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from copy import copy
from typing import Annotated, Any, Final

import typer
from typer.core import TyperCommand, TyperGroup

from ..support.errors import unknown_name

EVERYTHING: Final = "consortium.help_all"
"""Key of the context that says that rare options are wanted too."""
OTHERS: Final = "Options"
"""The group of options that name none; the last."""
OUTPUT: Final = "Output"
HELP_FLAGS: Final = frozenset({"--help", "--help-all"})


class Command(TyperCommand):
    """A command whose help lists arguments, then options group by group in the order of their declaration."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the sections of the help."""
        sections: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            record = _listed(parameter, bool(ctx.meta.get(EVERYTHING))).get_help_record(ctx)
            if record is not None:
                sections.setdefault(_section(parameter), []).append(record)
        for name in sorted(sections, key=lambda name: name == OTHERS):
            with formatter.section(name):
                formatter.write_dl(sections[name])


class Group(TyperGroup):
    """Commands by name; another name is refused as unknown names are everywhere."""

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        """Find the command that the arguments name. Raises UnknownNameError."""
        if args and not args[0].startswith("-") and self.get_command(ctx, args[0]) is None:
            raise unknown_name(f"command of {ctx.command_path}", args[0], self.list_commands(ctx))
        resolved: tuple[str | None, Any, list[str]] = super().resolve_command(ctx, args)
        return resolved


def _listed(parameter: Any, everything: bool) -> Any:
    """The parameter, not hidden where everything is shown."""
    if not everything or not getattr(parameter, "hidden", False):
        return parameter
    listed = copy(parameter)
    listed.hidden = False
    return listed


def _section(parameter: Any) -> str:
    if parameter.param_type_name == "argument":
        return "Arguments"
    return getattr(parameter, "rich_help_panel", None) or OTHERS


def _show_everything(ctx: typer.Context, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        ctx.meta[EVERYTHING] = True
        print(ctx.get_help())
        raise typer.Exit()


HelpAll = Annotated[
    bool,
    typer.Option(
        "--help-all", is_eager=True, callback=_show_everything, help="Show the rarer options as well and exit."
    ),
]


def build_command(call: Callable[..., None], parameters: list[inspect.Parameter], name: str, about: str) -> Any:
    """A command of the argument parser from a function and the parameters it shall have.

    One with rare options also has ``--help-all``.
    """
    arguments = [p for p in parameters if p.default is inspect.Parameter.empty]
    ordered = [*arguments, *(p for p in parameters if p not in arguments)]
    if any(getattr(item, "hidden", False) for p in ordered for item in getattr(p.annotation, "__metadata__", ())):
        ordered.append(parameter("help_all", HelpAll, False))

    def run(help_all: bool = False, **arguments: Any) -> None:
        call(**arguments)

    run.__signature__ = inspect.Signature(ordered)  # type: ignore[attr-defined]  # read by the argument parser
    run.__annotations__ = {p.name: p.annotation for p in ordered}
    app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
    app.command(name, cls=Command, help=about)(run)
    return typer.main.get_command(app)


def parameter(name: str, annotation: Any, default: Any = inspect.Parameter.empty) -> inspect.Parameter:
    """A parameter of a command, always by name."""
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=annotation, default=default)
