"""What is known of a finished task, and what a population of tasks varies and measures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from ..support.errors import InputError, quote

JSON: TypeAlias = "bool | int | float | str | list[JSON] | dict[str, JSON] | None"
Status: TypeAlias = Literal["done", "failed", "stopped"]

OF_EVERY_TASK: Final = ("task", "replicate", "seed", "status", "seconds", "digest", "error")
"""Columns of a table of results that are there whatever is varied and measured."""
MOST: Final = 1_900
"""Columns; SQLite has room for 2,000."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a task.

    Attributes
    ----------
    task
        Its number, at least 0.
    status
        ``"stopped"``: ended by a limit of its own.
    seconds
        Of wall clock time.
    seed, replicate
        Where its instance comes from.
    digest
        Of its instance.
    varied, measures
        By name; a measure that is not known is missing, which is not the same as ``None``.
    error
        Why it has failed, in a sentence.
    record
        All that was found, as JSON text.
    """

    task: int
    status: Status
    seconds: float
    seed: int
    replicate: int
    digest: str
    varied: Mapping[str, JSON]
    measures: Mapping[str, JSON]
    error: str | None = None
    record: str | None = None


@dataclass(frozen=True)
class Columns:
    """Names of what is varied and of what is measured, in the order in which they are shown.

    Raises
    ------
    InputError
        Names that do not differ in more than the case of their letters, which SQL does not see; too many; an empty one.
    """

    varied: tuple[str, ...]
    measures: tuple[str, ...]

    def __post_init__(self) -> None:
        names = self.varied + self.measures
        if len(names) > MOST:
            raise InputError(f"columns: found {len(names):,} varied keys and measures; expected at most {MOST:,}")
        seen = dict.fromkeys(OF_EVERY_TASK, "a column of every table")
        for name in names:
            if not name or not name.isprintable():
                raise InputError(f"columns: found the name {quote(name)}; expected letters that can be printed")
            if (folded := name.casefold()) in seen:
                raise InputError(
                    f"columns: found the name {quote(name)} beside {seen[folded]}; expected varied keys and measures "
                    f"whose names differ in more than upper and lower case"
                )
            seen[folded] = quote(name)
