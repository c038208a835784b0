"""The records that verbs return: frozen to the bottom, with ``to_dict()``, exact quantities kept exact.

A verb of a kind has its own subclass of :class:`Record`, whose fields are those of the format, in its order; rows of
it are subclasses of :class:`Row`. What a record holds is frozen when it is made: lists become tuples, mappings
:class:`Frozen`. A field whose name is a keyword of Python ends in an underscore, which the format does not write.
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Iterator, Mapping
from copy import copy
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal, Self, cast

from .. import __version__
from ..mechanisms.kinds import DISPLAYS
from ..support.errors import nearest, printable
from ..support.fields import col, columns, row
from ..support.loading import load
from ..support.status import Status
from .request import Request
from .rows import Frozen as Frozen
from .rows import Row as Row
from .rows import Statistic as Statistic
from .rows import frozen as frozen
from .rows import jsonable as jsonable

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from ..reports.markup import Table

SHORT: Final = 160
"""Characters of a record in short."""


@row
class Record(Row):
    """What a verb found. ``to_dict()`` is exactly what the command line's ``--json`` prints.

    There rationals are ints or ``"p/q"``, ``"inf"`` is what never ends, and floats are statistics. ``print`` shows the
    tables of the command line, a notebook these and the figure. ``plot("file.svg")`` draws it, ``to_frame()`` gives a
    pandas frame, ``tables()`` and ``to_latex()`` the tables.
    How that is done stands on a floor above, and is found by references.
    """

    verb: ClassVar[str]
    main: ClassVar[str] = "record"
    """The listing that :meth:`to_frame` gives unless another is named, or ``"verdicts"``."""
    kind: str = col("kind of the scenario")
    scenario: str | None = col("title or name of the scenario")
    method: str = col("how it was found")
    exact: bool = col("whether every quantity is exact", default=True)
    complete: bool = col("whether the answer covers the whole space asked for", default=True)
    seed: int | None = col("seed of the random choices, where some were made", optional=True, default=None)
    version: str = col("version of the package", default=__version__)
    custom_rules: Mapping[str, Mapping[str, str]] | None = col(
        "custom rules that were given, by label or as 'mechanism': rule, and digits of the sha256 of its source file",
        optional=True,
        default=None,
    )
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
    def sampled(self) -> bool:
        """Whether random cases stand for all: then the record is never complete."""
        return self.seed is not None

    def answering(self, request: Request) -> Self:
        """The same record, with what it answers."""
        answered = copy(self)  # not replace(), which would freeze everything in it once more
        object.__setattr__(answered, "request", request)
        object.__setattr__(answered, "custom_rules", frozen(request.custom_rules) or None)
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
            near, fields = nearest(name, dir(self)), ", ".join(self.keys())
            hint = f". Did you mean {near!r}?" if near else ""
            raise AttributeError(f"this {self.verb} record has no field {name!r}; it has {fields}{hint}")

    def to_dict(self) -> dict[str, Any]:
        """The record as plain JSON-able data."""
        return {"verb": self.verb, **jsonable(self)}

    def __str__(self) -> str:
        """The tables, as the command line prints them."""
        return cast("str", _by("text")(self))

    def _repr_html_(self) -> str:
        """The tables and the figure, for notebooks."""
        return cast("str", _by("html")(self))

    def tables(self) -> tuple[Table, ...]:
        """The tables that ``print`` shows, as objects with ``to_html()``, ``to_latex()``, ``to_csv()``, ``to_frame()``.

        Their cells are texts: long fractions are rounded and marked ``~``, long listings are cut and say so.

        Examples
        --------
        >>> import consortium
        >>> [table.title for table in consortium.run("agmon2003/5.2.1").tables()][-1]
        'institution'
        """
        return cast("tuple[Table, ...]", _by("tables")(self))

    def plot(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        width: float | None = None,
        grey: bool = False,
        ax: Axes | None = None,
    ) -> Figure:
        """Draw it.

        Parameters
        ----------
        path
            Also save the figure here: ``.svg``, ``.png`` or ``.pdf``.
        width
            How wide it is to be, in inches: a column of a paper is 3.3 or so. Default: as wide as a page.
        grey
            Without colours.
        ax
            Axes of a figure of your own to draw into; a drawing of several panels takes their place in its grid.

        Returns
        -------
        matplotlib.figure.Figure
            To change and to save; one that belongs to no window and needs no closing, or the one around ``ax``.

        Raises
        ------
        InputError
            When nothing is drawn of records of this verb and kind (it says of what something is), or the file cannot
            be written.

        Examples
        --------
        >>> import consortium
        >>> figure = consortium.run("agmon2003/5.2.1").plot()
        >>> len(figure.axes) > 0
        True
        """
        return cast("Figure", _by("plot")(self, path, width=width, grey=grey, ax=ax))

    def to_frame(self, table: str | None = None, *, numbers: Literal["exact", "float"] = "exact") -> pandas.DataFrame:
        """One of its tables as a pandas frame, with all rows of the record (option ``list``: how many).

        Parameters
        ----------
        table
            Path of a field that holds several things (``"agents"``, ``"equilibria.listed"``), or ``"record"``: one row
            with everything that is no such field; ``"verdicts"``: a row for each claim that was checked, and
            whether it holds. Default: what the verb is about (:attr:`main`), of ``verify`` the verdicts.
        numbers
            ``"exact"``: the objects of the record (:class:`fractions.Fraction`, ``int``, ``inf``), in columns of
            objects; ``"float"``: columns of numbers as floats, ``nan`` where there is none.

        Returns
        -------
        pandas.DataFrame
            Parts of a row have columns of their own (``costs.ann``); what is a list stays one, in a cell.
            ``frame.attrs["left_out"]`` is how many rows the record has not: ask with a larger ``list`` for these.

        Raises
        ------
        InputError
            Without pandas (extra ``tables``), or for other ``numbers``; UnknownNameError, with all names there are,
            for a table that the record has not.

        Examples
        --------
        >>> import consortium
        >>> frame = consortium.run("agmon2003/5.2.1").to_frame()
        >>> frame["payment"].sum()
        Fraction(2, 5)
        >>> checked = consortium.verify("agmon2003/5.2.1").to_frame()
        >>> list(checked["claim"])[:3], list(checked["holds"])[:3]
        (['dominant', 'ex_post', 'properties.rent_nonnegative'], [False, False, True])
        """
        return cast("pandas.DataFrame", _by("frame")(self, table, numbers))

    def to_latex(self) -> str:
        r"""The tables for a paper: a ``table`` each, with the rules of the LaTeX package ``booktabs``, escaped.

        Examples
        --------
        >>> import consortium
        >>> consortium.run("agmon2003/5.2.1").to_latex().splitlines()[0]
        '\\begin{table}'
        """
        return cast("str", _by("latex")(self))


def _by(name: str) -> Callable[..., Any]:
    function: Callable[..., Any] = load(DISPLAYS[name])
    return function


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
        elif isinstance(value, tuple):
            yield f"{key}: {_things(value)}"


def _things(listed: tuple[Any, ...]) -> int:
    """How many things a listing is of: what has a row under each of several rules counts once."""
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
