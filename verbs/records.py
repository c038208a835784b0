"""The records that verbs return: frozen to the bottom, with ``to_dict()``, exact quantities kept exact.

A verb of a kind has its own subclass of :class:`Record`, whose fields are those of the format, in its order; rows of
it are subclasses of :class:`Row`. What a record holds is frozen when it is made: lists become tuples, mappings
:class:`Frozen`. A field whose name is a keyword of Python ends in an underscore, which the format does not write.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from copy import copy
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, Final, Self

from .. import __version__
from ..support.errors import printable
from ..support.fields import col, columns, row
from ..support.status import Status
from .display import Displayed
from .rows import Frozen as Frozen
from .rows import Row as Row
from .rows import Rows as Rows
from .rows import Statistic as Statistic
from .rows import frozen as frozen
from .rows import jsonable as jsonable
from .rows import nothing_collected

if TYPE_CHECKING:
    from .request import Request

SHORT: Final = 160
"""Characters of a record in short."""


@row
class Record(Displayed, Row):
    """What a verb found. ``to_dict()`` is exactly what the command line's ``--json`` prints.

    There rationals are ints or ``"p/q"``, ``"inf"`` is what never ends, and floats are statistics. ``print`` shows the
    tables of the command line, a notebook these and the figure. ``plot("file.svg")`` draws it, ``to_frame()`` gives a
    pandas frame, ``tables()`` and ``to_latex()`` the tables; see :class:`consortium.verbs.display.Displayed`.
    """

    verb: ClassVar[str]
    kind: str = col("kind of the scenario")
    scenario: str | None = col("title or name of the scenario")
    method: str = col("how it was found")
    exact: bool = col("whether every quantity is exact", default=True)
    complete: bool = col("whether the answer covers the whole space asked for", default=True)
    seed: int | None = col("seed of the random choices, where some were made", optional=True, default=None)
    version: str = col("version of the package", default=__version__)
    request: Request | None = col(
        "what it answers, so that it can be asked again", hidden=True, compare=False, default=None
    )
    verdict: bool | None = col(
        "whether what was asked holds; none: not known; decides the exit code", hidden=True, default=True
    )
    open: bool = col(
        "whether the method came to its end without an answer, though not everything was tried",
        hidden=True,
        default=False,
    )

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        cls.__repr__ = in_short  # type: ignore[method-assign,assignment]  # or dataclass() would write a long one

    @property
    def status(self) -> Status:
        """Proved, refuted, open, stopped or sampled; see :class:`~consortium.support.status.Status`."""
        return Status.of(self.verdict, self.complete or self.open, self.sampled)

    @property
    def unfinished(self) -> bool:
        """Whether there is more to know, because a limit or somebody stopped the work."""
        return not self.complete and self.status is not Status.OPEN

    @property
    def sampled(self) -> bool:
        """Whether random cases stand for all: then the record is never complete."""
        return self.seed is not None

    def answering(self, request: Request) -> Self:
        """The same record, with what it answers."""
        answered = copy(self)  # not replace(), which would freeze everything in it once more
        object.__setattr__(answered, "request", request)
        return answered

    def keys(self) -> list[str]:
        """Written names of the fields; the request, which can be long, comes last."""
        return super().keys() if self.request is None else [*super().keys(), "request"]

    def __getitem__(self, key: str) -> Any:
        if key == "request" and self.request is not None:
            return frozen(self.request.data)
        return super().__getitem__(key)

    if TYPE_CHECKING:
        # fields of a verb and kind that the caller knows and the type checker does not; isinstance() tells both
        def __getattr__(self, name: str) -> Any: ...
    else:

        def __getattr__(self, name):
            """Name the fields there are; called only for those there are not."""
            if name.startswith("__"):
                raise AttributeError(name)
            raise AttributeError(f"this {self.verb} record has no field {name!r}; it has {', '.join(self.keys())}")

    def to_dict(self) -> dict[str, Any]:
        """The record as plain JSON-able data."""
        with nothing_collected():
            return {"verb": self.verb, **jsonable(self)}


def in_short(record: Record) -> str:
    """A record on one line: verb, kind and scenario, how far it is settled, numbers and verdicts in its order."""
    about = f" of {printable(record.scenario)!r:.80}" if record.scenario else ""
    status = "" if record.status is Status.PROVED else f", {record.status}"
    line = f"<{record.kind} {record.verb}{about}{status}"
    mark = ": "
    for part in _parts_in_short(record):
        if len(line) + len(part) > SHORT:
            return f"{line}{mark}...>"
        line, mark = f"{line}{mark}{part}", ", "
    return f"{line}>"


def _parts_in_short(record: Record) -> Iterator[str]:
    """What the fields of its own say: numbers and verdicts; of a part the first; of a listing, how long it is."""
    for key, column in columns(type(record)).items():
        if key in columns(Record) or column.evidence:
            continue
        value: Any = getattr(record, column.name)
        if dataclasses.is_dataclass(value):
            row: Any = value
            first = row.keys()[0]
            key, value = f"{key}.{first}", row[first]
        if isinstance(value, bool | int | float | Fraction):
            yield f"{key}: {value}"
        elif isinstance(value, tuple | Rows):
            yield f"{key}: {_things(value)}"


def _things(listed: tuple[Any, ...] | Rows[Any]) -> int:
    """How many things a listing is of: what has a row under each of several rules counts once."""
    if isinstance(listed, Rows):
        return len(listed)
    names = {getattr(item, "name", None) for item in listed}
    return len(listed) if None in names else len(names)


@dataclass(frozen=True)
class Estimate:
    """What ``--dry-run`` prints: the size of the space and the estimated cost, nothing else."""

    verb: str
    kind: str
    scenario: str | None
    size: int
    unit: str
    seconds: float | None = None
    memory_bytes: int | None = None
    note: str = ""

    def to_dict(self) -> dict[str, Any]:
        """The estimate as plain data."""
        return dataclasses.asdict(self)


@row
class ComparisonRow(Row):
    """One rule on one scenario."""

    rule: str = col("name of the rule, or of a custom one")
    scenario: str = col("title or name of the scenario")
    values: Mapping[str, Any] = col("what was measured, by column")
    complete: bool = col("whether all of it is final")


@row
class CompareRecord(Record):
    """Rules side by side: what every kind's ``compare`` answers; a kind may add fields."""

    verb: ClassVar[str] = "compare"
    main: ClassVar[str] = "rows"
    columns: tuple[str, ...] = col("names of the columns")
    rows: tuple[ComparisonRow, ...] = col("one for each rule and scenario")
