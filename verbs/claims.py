"""Values that scenarios expect and claims that records make, each beside what is found now.

**Expected values.** A key addresses a field of a record's dict: ``rent``, ``agents.ann.output`` (a record in a list by
its name), ``rows.fifo.values`` (or, without one, by its rule), ``jobs.3.start`` (or by its number from 1). An expected
decimal is exact; a statistic is ``{ value, within }``.

>>> record = {"rent": "3/2", "agents": [{"name": "ann", "output": 2}]}
>>> [(row.key, row.holds) for row in compare(record, {"rent": Fraction(3, 2), "agents.ann.output": 3})]
[('rent', True), ('agents.ann.output', False)]

**Proofs.** One of a verb (:attr:`consortium.mechanisms.kinds.Verb.proofs`) is ``(record, question, clock) ->
Comparisons``. It reads the little that a claim rests on (a profile, declarations, jobs), plays it by the question's own
scenario, writes the outcome as the verb writes it, and compares. What follows from the question and the evidence alone
is proved (``holds`` true or false). What only agrees with other claims of the record is not: its row has ``holds =
None`` and a note that says so, because another equilibrium may still be worse than the one that the record calls the
worst. Whatever stands in a record, a proof ends in rows: values that make no sense are refused by the readers of
:class:`Claim`, and :func:`attempt` turns each refusal into a row that does not hold.

>>> record = Claim.of({"rent": 3, "agents": [{"name": "ann", "payment": "3/2"}]})
>>> record["agents"].rows()[0]["payment"].number()
Fraction(3, 2)
>>> [(row.key, row.expected, row.actual, row.holds) for row in record["rent"].proves(Fraction(4))]
[('rent', 3, 4, False)]
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final, Self, TypeAlias, TypeVar

from ..mechanisms.kinds import kind
from ..support.errors import ConsortiumError, InputError, MechanismError, TooLargeError, join_names, nearest
from ..support.exact import Extended, rational
from .dispatch import options_of
from .records import jsonable
from .request import Request

V = TypeVar("V")

PLAYED: Final = "agrees with the profiles of the record, which do not prove that no other is beyond it"
PARTS: Final = "agrees with its parts, which are not all proved"
LISTED: Final = "agrees with the record; that none is missing is proved by asking again"
SOCIAL: Final = ("social_cost", "social_welfare")
"""Where records of games have social costs."""

_NEAR = 1e-9  # of two floats of the same computation on different machines
_INFINITE: Final = {"inf": math.inf, "-inf": -math.inf}
ABSENT: Final = "(no such field)"


@dataclass(frozen=True)
class Comparison:
    """One expected value beside the one found; ``holds`` is ``None`` where it was not checked.

    ``note`` says why it was not, or what the record has in the place of a field that it has not.
    """

    key: str
    expected: Any
    actual: Any
    holds: bool | None
    note: str = ""


Comparisons: TypeAlias = Iterator[Comparison]


def compare(record: Mapping[str, Any], expected: Mapping[str, Any]) -> Iterator[Comparison]:
    """Compare every expected value with the record's dict, ``options`` left out."""
    for key, value in expected.items():
        if key != "options":
            yield from _compare(record, key.split("."), value, key)


def _compare(here: Any, steps: list[str], value: Any, key: str) -> Iterator[Comparison]:
    actual = _follow(here, steps)
    if isinstance(value, Mapping) and set(value) != {"value", "within"}:
        for name, item in value.items():
            yield from _compare(here, [*steps, *name.split(".")], item, f"{key}.{name}")
        return
    if isinstance(value, Mapping):
        yield _statistic(key, value, actual)
        return
    want = canonical(value)
    if actual is ABSENT:
        yield Comparison(key, want, actual, False, _advice(here, steps))
    else:
        yield Comparison(key, want, actual, canonical(actual) == want and type(actual) is not float)


def _statistic(key: str, value: Mapping[str, Any], actual: Any) -> Comparison:
    want, within = rational(value["value"], key), rational(value["within"], key)
    number = Fraction(actual) if isinstance(actual, float | int) and not isinstance(actual, bool) else _number(actual)
    holds = number is not None and abs(number - want) <= within
    return Comparison(key, f"{jsonable(want)} within {jsonable(within)}", actual, holds)


def _number(value: Any) -> Fraction | None:
    try:
        return rational(value)
    except InputError:
        return None


def at(record: Any, path: str) -> Any:
    """The field of a record's dict that a key addresses, or :data:`ABSENT`.

    >>> at({"agents": [{"name": "ann", "output": 2}]}, "agents.ann.output")
    2
    """
    return _follow(record, path.split("."))


def _follow(here: Any, steps: list[str]) -> Any:
    """Follow the steps; names that contain dots are found by trying longer joins."""
    if not steps:
        return here
    for size in range(1, len(steps) + 1):
        name, others = ".".join(steps[:size]), steps[size:]
        if isinstance(here, Mapping) and name in here:
            return _follow(here[name], others)
        if isinstance(here, list):
            if name in (labelled := _labelled(here)):  # of several, such as a rule of two scenarios, it tells none
                return _follow(labelled[name], others)
            if size == 1 and name.isdigit() and 1 <= int(name) <= len(here):
                return _follow(here[int(name) - 1], others)
    return ABSENT


def _label(item: Any) -> str | None:
    """What addresses a record in a list besides its number: its name, or the rule that a row of a comparison is of."""
    label = item.get("name", item.get("rule")) if isinstance(item, Mapping) else None
    return label if isinstance(label, str) else None


def _labelled(items: list[Any]) -> dict[str, Any]:
    """The items by their labels, those that share one left out."""
    times = Counter(map(_label, items))
    return {label: item for item in items if (label := _label(item)) is not None and times[label] == 1}


def _advice(here: Any, steps: list[str]) -> str:
    """What the record has where the steps leave it, and the nearest name."""
    reached = next(size for size in range(len(steps) - 1, -1, -1) if _follow(here, steps[:size]) is not ABSENT)
    place, wrong = _follow(here, steps[:reached]), steps[reached]
    if not isinstance(place, Mapping | list) or not place:
        return f"{'.'.join(steps[:reached]) or 'it'} is {jsonable(place)!r:.60}, with nothing in it"
    if isinstance(place, Mapping):
        names = [str(name) for name in place]
    else:
        names = list(_labelled(place))
        names += [] if len(names) == len(place) else [f"a number from 1 to {len(place)}"]
    near = nearest(wrong, names)
    inside = f"of {'.'.join(steps[:reached])}: " if reached else ""
    return f"{inside}{wrong!r} is none of {join_names(names)}" + (f"; did you mean {near!r}?" if near else "")


def canonical(value: Any) -> Any:
    """One form for equal values: ``"6/4"``, ``1.5`` read from a file and ``Fraction(3, 2)`` are the same."""
    if isinstance(value, str):
        number = _number(value) if value[:1].isdigit() or value[:1] == "-" else None
        return value if number is None else jsonable(number)
    if isinstance(value, Mapping):
        return {str(key): canonical(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [canonical(item) for item in value]
    return jsonable(value)


# --- claims of records ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Claim:
    """A place in a record and what the record says there; ``ABSENT`` where it has no such place."""

    key: str
    value: Any

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> Self:
        """The whole record."""
        return cls("", record)

    def __getitem__(self, name: str) -> Claim:
        here = self.value.get(name, ABSENT) if isinstance(self.value, Mapping) else ABSENT
        return Claim(f"{self.key}.{name}" if self.key else name, here)

    @property
    def present(self) -> bool:
        """Whether the record says something here: neither null nor nothing at all."""
        return self.value is not None and self.value is not ABSENT

    def rows(self) -> list[Claim]:
        """The parts of a list, none where there is no list; keys count from 1."""
        listed = self.value if isinstance(self.value, list) else []
        return [Claim(f"{self.key}[{i}]", value) for i, value in enumerate(listed, 1)]

    def items(self) -> list[Claim]:
        """The parts of a table. Raises InputError for anything else."""
        if not isinstance(self.value, Mapping):
            raise self.refused("a table")
        return [self[str(name)] for name in self.value]

    def number(self) -> Fraction:
        """An exact number. Raises InputError for anything else."""
        return rational(self.value, self.key)

    def extended(self) -> Extended:
        """An exact number or an infinity. Raises InputError for anything else."""
        return _INFINITE[self.value] if isinstance(self.value, str) and self.value in _INFINITE else self.number()

    def whole(self) -> int:
        """An integer. Raises InputError for anything else."""
        exact = self.number()
        if exact.denominator != 1:
            raise self.refused("an integer")
        return exact.numerator

    def text(self) -> str:
        """A text. Raises InputError for anything else."""
        if not isinstance(self.value, str) or self.value is ABSENT:
            raise self.refused("a text")
        return self.value

    def one_of(self, candidates: Iterable[V]) -> V:
        """The one of the known values that is written here. Raises InputError where none is."""
        claim = canonical(self.value)
        for value in candidates:
            if same(claim, canonical(value)):
                return value
        raise self.refused("a value that the scenario has")

    def by_name(self, names: Sequence[str]) -> list[Claim]:
        """The parts of a table with exactly these names, in their order. Raises InputError for other names."""
        if not isinstance(self.value, Mapping) or set(self.value) != set(names):
            raise self.refused(f"a table of {', '.join(names)}")
        return [self[name] for name in names]

    def refused(self, expected: str) -> InputError:
        """The error for a value that makes no sense."""
        return InputError(f"{self.key}: found {self.value!r:.60}; expected {expected}")

    def proves(self, actual: Any, without: Iterable[str] = ()) -> Comparisons:
        """A row for each part that differs from what was found; where none does, one for each part, all proved.

        Parts named in ``without`` are left to others.
        """
        skipped = tuple(without)
        yield from compared(_less(self.value, skipped), _less(jsonable(actual), skipped), self.key)

    def agrees(self, actual: Any, note: str) -> Comparisons:
        """As :meth:`proves`, but where nothing differs the parts only agree with the record's other claims."""
        for row in self.proves(actual):
            yield row if row.holds is False else Comparison(row.key, row.expected, row.actual, None, note)

    def requires(self, true: bool, expected: str, note: str) -> Comparisons:
        """A row that does not hold unless something is true; else that it agrees with the record's other claims."""
        yield Comparison(self.key, self.value, None, None, note) if true else self.wrong(expected)

    def wrong(self, actual: Any) -> Comparison:
        """A row that does not hold."""
        return Comparison(self.key, self.value, actual, False)


def leaves(value: Any, key: str = "") -> Iterator[tuple[str, Any]]:
    """Every value of a record's dict that has no parts, with its place; scenarios that replay are one value.

    >>> [(key, value) for key, value in leaves({"agents": [{"name": "ann", "output": 2}], "sinks": []})]
    [('agents[1].name', 'ann'), ('agents[1].output', 2), ('sinks', [])]
    """
    if isinstance(value, Mapping) and value:
        for name, item in value.items():
            place = f"{key}.{name}" if key else str(name)
            if name == "replay":
                yield place, item
            elif place != "request":
                yield from leaves(item, place)
    elif isinstance(value, list) and value:
        for i, item in enumerate(value):
            yield from leaves(item, f"{key}[{i + 1}]")
    else:
        yield key, value


def same(claimed: Any, actual: Any) -> bool:
    """Whether two leaves say the same: exact values by value, truth values and floats only with their like.

    >>> same("6/4", "3/2"), same(1, True), same(3, 3.0), same(0.1 + 0.2, 0.3)
    (True, False, False, True)
    """
    if isinstance(claimed, float) or isinstance(actual, float):
        return isinstance(claimed, float) and isinstance(actual, float) and math.isclose(claimed, actual, rel_tol=_NEAR)
    if isinstance(claimed, bool) or isinstance(actual, bool):
        return claimed is actual
    return bool(canonical(claimed) == canonical(actual))


def compared(claimed: Any, actual: Any, key: str) -> Comparisons:
    """Leaf by leaf: those that differ, or all of them where none does."""
    claims, seen = dict(leaves(claimed, key)), dict(leaves(actual, key))
    rows = [Comparison(place, claims.get(place, ABSENT), seen.get(place, ABSENT), True) for place in {**claims, **seen}]
    wrong = [Comparison(r.key, r.expected, r.actual, False) for r in rows if not same(r.expected, r.actual)]
    yield from wrong or rows


def _less(value: Any, names: tuple[str, ...]) -> Any:
    return {k: v for k, v in value.items() if k not in names} if names and isinstance(value, Mapping) else value


def attempt(claim: Claim, proof: Callable[..., Comparisons], *about: Any) -> Comparisons:
    """The rows of ``proof(*about)`` at one place; a refusal of what stands there is a row that does not hold.

    ``about`` is the place itself unless something is given.
    What is out of reach at this size, and what a rule of another distribution fails at, is left unproved.
    """
    try:
        yield from list(proof(*(about or (claim,))))
    except (MechanismError, TooLargeError, TimeoutError):
        return
    except ConsortiumError as error:
        yield claim.wrong(f"refused: {error}")


def chosen(question: Request, owner: str) -> Any:
    """The options that the question was asked with, checked. Raises InputError or UnknownNameError."""
    owned = kind(owner)
    return options_of(owned, owned.verb(question.verb), question.options, "file")
