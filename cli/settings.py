"""``--set PATH=VALUE``: changes of a scenario from the command line."""

from __future__ import annotations

import tomllib
from decimal import Decimal
from typing import Any

import typer


def overrides(settings: list[str] | None) -> dict[str, Any]:
    """Parse ``--set PATH=VALUE``; the value is TOML where it can be, else a text."""
    result: dict[str, Any] = {}
    for setting in settings or []:
        path, equals, text = setting.partition("=")
        if not equals or not path:
            raise typer.BadParameter(f"{setting!r}: expected PATH=VALUE, e.g. mechanism.rule=vcg-renice")
        try:
            value = tomllib.loads(f"x = {text}", parse_float=Decimal)["x"]
        except (ValueError, ArithmeticError, RecursionError):
            value = text
        result[path] = value if isinstance(value, bool | int | str | list | dict | Decimal) else text
    return result
