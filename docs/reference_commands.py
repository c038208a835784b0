"""Write the page of commands from the commands themselves: arguments, options, defaults, examples, exit codes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import typer
from pieces import table

from consortium.cli.app import app
from consortium.cli.exits import EPILOG


def commands() -> Iterator[tuple[str, Any]]:
    """Every command by what is typed, those of groups after their group."""
    yield from _commands("consortium", typer.main.get_command(app))


def _commands(typed: str, command: Any) -> Iterator[tuple[str, Any]]:
    yield typed, command
    if hasattr(command, "list_commands"):
        context = typer.Context(command)
        for name in command.list_commands(context):
            found = command.resolve_command(context, [name])[1]
            yield from _commands(f"{typed} {name}", found)


def parameters(command: Any) -> list[Any]:
    """Arguments, then options, without ``--help``."""
    return [p for p in command.params if p.name != "help"]


def about(parameter: Any) -> str:
    """What the command says of one of its parameters."""
    return str(getattr(parameter, "help", None) or "")


def page() -> str:
    """Markdown of the page of commands."""
    return "\n".join(_lines())


def _lines() -> Iterator[str]:
    yield from ("# Commands", "")
    yield "Every command with `--help` prints what stands here. A scenario is the path of a file, or the name of a"
    yield from ("shipped one. Answers are printed as tables, or as JSON with `--json`.", "")
    ends = [part.strip().partition(" ") for part in EPILOG.removeprefix("Exit codes: ").rstrip(".").split(";")]
    yield from ("## Exit codes", "", *table(("code", "meaning"), [(f"`{code}`", text) for code, _, text in ends]), "")
    for typed, command in commands():
        yield from section(typed, command)


def section(typed: str, command: Any) -> Iterator[str]:
    """One command."""
    yield from (f"## {typed}", "")
    for paragraph in re.split(r"\n\s*\n", (command.help or "").strip()):
        text = " ".join(paragraph.split())
        if text.startswith(("Example", "By proof")):
            label, _, example = text.partition(": ")
            yield from (f"{label}: `{example}`", "")
        elif not text.startswith("Exit codes"):
            yield from (text, "")
    rows = [(written(p), *told(p)) for p in parameters(command)]
    if rows:
        yield from (*table(("parameter", "default", "meaning"), rows), "")


def written(parameter: Any) -> str:
    """How a parameter is typed."""
    many = " ..." if parameter.nargs == -1 or parameter.multiple else ""
    if parameter.param_type_name == "argument":
        return f"`{parameter.metavar or (parameter.name or '').upper()}{many}`"
    value = "" if getattr(parameter, "is_flag", False) else f" {parameter.metavar or 'TEXT'}"
    return f"`{', '.join(parameter.opts)}{value}`{many}"


def told(parameter: Any) -> tuple[str, str]:
    """What holds without it, and what it means; where kinds differ, the meaning says what holds for which."""
    meaning, bracket, default = about(parameter).rpartition(" [")
    if parameter.required:
        return "must be given", about(parameter)
    if bracket and default.endswith("]") and "[" not in meaning:
        return default.removesuffix("]"), meaning
    plain = parameter.default
    return "" if plain in (None, False, ()) else f"`{plain}`", about(parameter)
