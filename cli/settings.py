"""``--set PATH=VALUE``: changes of a scenario from the command line."""

from __future__ import annotations

import tomllib
from decimal import Decimal
from typing import Any

import typer


def overrides(settings: list[str] | None) -> dict[str, Any]:
    """Parse ``--set PATH=VALUE``; the value is TOML where it can be, else a text."""
    from ..scenarios.reader import setting  # which brings the reader of files along

    result: dict[str, Any] = {}
    for given in settings or []:
        parted = setting(given)
        if parted is None:
            raise typer.BadParameter(f"{given!r}: expected PATH=VALUE, e.g. mechanism.rule=vcg-renice")
        path, text = parted
        try:
            value = tomllib.loads(f"x = {text}", parse_float=Decimal)["x"]
        except (ValueError, ArithmeticError, RecursionError):
            value = text
        result[path] = value if isinstance(value, bool | int | str | list | dict | Decimal) else text
    return result
