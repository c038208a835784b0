r"""OpenMetrics text: numbers for a monitoring system, which reads them from a file.

Model: a :class:`Family` is one gauge with its meaning, its unit, and a sample per set of labels. The text follows the
OpenMetrics specification, version 1.0: the metadata before the samples, a family in one piece, the name of a family
with a unit ends in it, backslashes, line feeds and double quotes are escaped, and the last line is ``# EOF``. Only
gauges are written, so that collectors of the older Prometheus text format read the same files.

>>> delay = Family("delay_seconds", "Later than fair.", "seconds", (({"name": 'a "b"'}, 1.5), ({"name": "c"}, None)))
>>> print(text([delay]), end="")
# TYPE delay_seconds gauge
# UNIT delay_seconds seconds
# HELP delay_seconds Later than fair.
delay_seconds{name="a \"b\""} 1.5
# EOF
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from ...support.errors import InputError


@dataclass(frozen=True)
class Family:
    """A gauge.

    Attributes
    ----------
    name, about
        What it is called, and what it says in one sentence.
    unit
        In which the name ends; empty for a number without unit.
    samples
        Labels and value, no labels twice; what is not known (``None``) is left out.
    """

    name: str
    about: str
    unit: str
    samples: Iterable[tuple[Mapping[str, str], float | None]]


def text(families: Iterable[Family]) -> str:
    """The families as one document; those of which nothing is known are left out."""
    return "".join(f"{line}\n" for family in families for line in _lines(family)) + "# EOF\n"


def _lines(family: Family) -> Iterator[str]:
    samples = [(labels, value) for labels, value in family.samples if value is not None]
    if not samples:
        return
    yield f"# TYPE {family.name} gauge"
    if family.unit:
        yield f"# UNIT {family.name} {family.unit}"
    yield f"# HELP {family.name} {_escaped(family.about)}"
    for labels, value in samples:
        listed = ",".join(f'{name}="{_escaped(label)}"' for name, label in labels.items())
        yield f"{family.name}{{{listed}}} {_number(value)}" if listed else f"{family.name} {_number(value)}"


def _escaped(words: str) -> str:
    return words.replace("\\", r"\\").replace("\n", r"\n").replace('"', r"\"")


def _number(value: float) -> str:
    if math.isinf(value):
        return "+Inf" if value > 0 else "-Inf"
    return "NaN" if math.isnan(value) else repr(value)


def save(families: Iterable[Family], path: str) -> None:
    """Write the document in one step, so that nobody reads half of it. Raises InputError where that cannot be."""
    document = text(families).encode(errors="backslashreplace")
    place = Path(os.path.realpath(path))
    special = place.exists() and not place.is_file()  # a pipe or a device: nothing can take its place
    fresh = place if special else place.with_name(f"{place.name}.{os.getpid()}.new")
    try:
        fresh.write_bytes(document)
        if fresh != place:
            fresh.replace(place)
    except OSError as error:
        if fresh != place:
            fresh.unlink(missing_ok=True)
        raise InputError(f"openmetrics {path}: cannot be written ({error.strerror or error})") from None
