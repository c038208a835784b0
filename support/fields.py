"""Fields of records, each declared once: what it means, how it is called, its unit, and how its values are displayed.

A class of rows is a frozen dataclass whose fields say all of that with :func:`col`; :func:`columns` reads it back.
Heads and cells of tables, frames, gauges for monitoring, the JSON Schema of records, their reference page and
``help()`` come from these declarations and hold nothing of their own.

>>> @row
... class Part:
...     '''One organization's part.'''
...     name: str = col("its name")
...     delay: float | None = col("mean delay against a fair scheduler", label="later than fair", unit="s")
>>> columns(Part)["delay"].label, columns(Part)["delay"].unit
('later than fair', 's')
>>> Part(name="a", delay=None)
Part(name='a', delay=None)
>>> print(Part.__doc__.splitlines()[-1].strip())
mean delay against a fair scheduler, in seconds
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import MISSING, dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Final, TypeVar, dataclass_transform

T = TypeVar("T", bound=type)

UNITS: Final[Mapping[str, str]] = MappingProxyType(
    {"s": "seconds", "1": "a ratio", "time": "units of time", "B": "bytes", "bool": "", "": ""}
)
"""Units of fields, and what they are called in a sentence; ``"time"`` is whatever the scenario counts time in."""


@dataclass(frozen=True)
class Column:
    """What is known of one field.

    Attributes
    ----------
    key, name
        As records are written, and as Python calls it (``from`` and ``from_``).
    meaning
        A phrase that says what the value is.
    label
        Head of its column in tables, and its name in a list of facts.
    unit
        One of :data:`UNITS`; empty for what has none.
    format
        Format specification of Python, or a name of :data:`consortium.reports.tables.FORMATS`; empty: as it is.
    optional
        Whether the format leaves it out where it is ``None``.
    evidence
        Whether it shows or proves something else of the record, so that frames and summaries leave it out.
    """

    key: str
    name: str
    meaning: str
    label: str
    unit: str = ""
    format: str = ""
    optional: bool = False
    evidence: bool = False

    @property
    def text(self) -> str:
        """The meaning with its unit."""
        unit = UNITS[self.unit]
        return f"{self.meaning}, in {unit}" if unit and self.unit != "1" else self.meaning


def col(
    meaning: str,
    *,
    label: str = "",
    unit: str = "",
    format: str = "",  # the word of f-strings
    optional: bool = False,
    evidence: bool = False,
    hidden: bool = False,
    default: Any = MISSING,
    repr: bool = True,  # as of dataclasses.field
    compare: bool = True,
) -> Any:
    """Declare a field of a record.

    Parameters
    ----------
    meaning, label, unit, format, optional, evidence
        See :class:`Column`; the label is the key with spaces unless it is given.
    hidden
        For Python only: an object behind the record, or what follows from other fields.
    default, repr, compare
        As of :func:`dataclasses.field`.
    """
    about = {"meaning": meaning, "label": label, "unit": unit, "format": format}
    flags = {"optional": optional, "evidence": evidence, "hidden": hidden}
    metadata = about | {name: True for name, on in flags.items() if on}
    return dataclasses.field(default=default, repr=repr and not hidden, compare=compare, metadata=metadata)


@dataclass_transform(kw_only_default=True, frozen_default=True, field_specifiers=(col, dataclasses.field))
def row(cls: T) -> T:
    """Make a class of rows: a frozen dataclass whose docstring ends with what its fields mean."""
    made: Any = dataclass(frozen=True, kw_only=True)(cls)
    if made.__doc__:
        made.__doc__ = _with_attributes(made.__doc__, columns(made))
    return made  # type: ignore[no-any-return]


def _with_attributes(text: str, fields: Mapping[str, Column]) -> str:
    if not fields or "Attributes\n" in text:
        return text
    entries = "".join(f"    {column.name}\n        {column.text}\n" for column in fields.values())
    return f"{text.rstrip()}\n\n    Attributes\n    ----------\n{entries.rstrip()}"


def columns(cls: Any) -> Mapping[str, Column]:
    """The declared fields of a class of rows by written name, in order; those for Python only are left out."""
    return _columns(cls)


@lru_cache(maxsize=1024)
def _columns(cls: Any) -> Mapping[str, Column]:
    return MappingProxyType({column.key: column for f in dataclasses.fields(cls) if (column := _column(f))})


def _column(f: dataclasses.Field[Any]) -> Column | None:
    about, key = f.metadata, f.name.removesuffix("_")
    if about.get("hidden"):
        return None
    return Column(
        key=key,
        name=f.name,
        meaning=about.get("meaning", ""),
        label=about.get("label") or key.replace("_", " "),
        unit=about.get("unit", ""),
        format=about.get("format", ""),
        optional=bool(about.get("optional")),
        evidence=bool(about.get("evidence")),
    )
