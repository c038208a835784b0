"""What the proofs of every verb share: reading a record's claims, and putting what is found now beside them.

A proof of a verb (:attr:`consortium.mechanisms.kinds.Verb.proofs`) is ``(record, question, clock) -> Comparisons``. It
reads the little that a claim rests on (a profile, declarations, jobs), plays it by the question's own scenario, writes
the outcome as the verb writes it, and compares. What follows from the question and the evidence alone is proved
(``holds`` true or false). What only agrees with other claims of the record is not: its row has ``holds = None`` and a
note that says so, because another equilibrium may still be worse than the one that the record calls the worst.

Whatever stands in a record, a proof ends in rows: values that make no sense are refused by the readers of
:class:`Claim`, and :func:`attempt` turns each refusal into a row that does not hold.

>>> record = Claim.of({"rent": 3, "agents": [{"name": "ann", "payment": "3/2"}]})
>>> record["agents"].rows()[0]["payment"].number()
Fraction(3, 2)
>>> [(row.key, row.expected, row.actual, row.holds) for row in record["rent"].proves(Fraction(4))]
[('rent', 3, 4, False)]
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final, Self, TypeAlias, TypeVar

from ..mechanisms.kinds import kind
from ..support.errors import ConsortiumError, InputError, MechanismError, TooLargeError
from ..support.exact import Extended, rational
from .dispatch import options_of
from .expect import ABSENT, Comparison, canonical
from .records import jsonable
from .request import Request

Comparisons: TypeAlias = Iterator[Comparison]
V = TypeVar("V")

PLAYED: Final = "agrees with the profiles of the record, which do not prove that no other is beyond it"
PARTS: Final = "agrees with its parts, which are not all proved"
SOCIAL: Final = ("social_cost", "social_welfare")
"""Where records of games have social costs."""

_NEAR = 1e-9  # of two floats of the same computation on different machines
_INFINITE: Final = {"inf": math.inf, "-inf": -math.inf}


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
