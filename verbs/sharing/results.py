"""What REF and the rules did in a window of a log, how long its jobs waited, and what one lost to others.

A store keeps a :class:`WindowResult` as JSON (:mod:`.store`).
"""

from __future__ import annotations

import base64
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from typing import Annotated, Any, Final, NamedTuple, TypeAlias, TypeVar

import numpy as np
from pydantic import PlainSerializer, PlainValidator

from ...mechanisms.sharing.instance import AnyIntArray, IntArray
from ...mechanisms.sharing.outcome import SharingOutcome, throughput
from ...support.exact import rational
from ...workloads.windows import SharedWork
from ..records import jsonable
from .model import Rule

T = TypeVar("T", bound=object)
Exact: TypeAlias = Annotated[Fraction, PlainValidator(rational), PlainSerializer(jsonable)]
"""In JSON an integer or ``"p/q"``."""
SECONDS: Final = np.dtype("<i8")
Times: TypeAlias = Annotated[
    bytes,
    PlainValidator(lambda value: value if isinstance(value, bytes) else zlib.decompress(base64.b64decode(value))),
    PlainSerializer(lambda times: base64.b64encode(zlib.compress(times)).decode(), when_used="json"),
]
"""Seconds of many jobs: the bytes of an array of :data:`SECONDS`."""


@dataclass(frozen=True)
class Waits:
    """How long the jobs waited that were submitted in a window or waited when it opened, up to its end.

    A parallel job waits until the last of its copies starts, from its submission on, which may lie before the window.

    Attributes
    ----------
    seconds
        Of each organization the times of its jobs, in one order for all rules.
    still
        Of each organization how many jobs wait at the end.
    """

    seconds: tuple[Times, ...]
    still: tuple[int, ...]


@dataclass(frozen=True)
class Fair:
    """What REF does with the jobs of a window: its Shapley values, utilities, parts and waits.

    ``n_jobs`` are the sequential jobs submitted in it.
    """

    n_jobs: int
    shapley: tuple[Exact, ...]
    utility: tuple[int, ...]
    parts: tuple[int, ...]
    waits: Waits | None = None

    @property
    def p_tot(self) -> int:
        """All parts that REF completes."""
        return sum(self.parts)

    @classmethod
    def of(cls, reference: SharingOutcome, work: SharedWork) -> Fair:
        """What a schedule of REF says."""
        assert reference.contribution is not None  # REF always knows its Shapley values
        waits, jobs = waits_of(work, reference.start), int(work.submitted.sum())
        return cls(jobs, reference.contribution, throughput(reference), reference.parts, waits)


@dataclass(frozen=True)
class RuleResult:
    """One rule on one window. Utilities are psi_sp in integers.

    ``losses`` is what each loses to the others (:func:`losses_of`), ``to_others`` the sum of their sizes for each
    second of work. ``decayed`` is the machine time used with ``half_life``, where one is set; ``used`` is by half-life
    what had been used before the window, where something depends on it.
    """

    label: str
    utility: tuple[int, ...]
    parts: tuple[int, ...]
    unfairness: Exact
    utilization: Exact | None
    seconds: float
    decayed: tuple[float, ...] | None = None
    half_life: int | None = None
    losses: tuple[Exact, ...] = ()
    to_others: Exact = Fraction(0)
    waits: Waits | None = None
    used: tuple[tuple[int, tuple[int, ...]], ...] = ()


class Ended(NamedTuple):
    """What every organization has when all jobs of a window have ended: see :func:`lateness`, and all its work."""

    late: tuple[int, ...]
    work: tuple[int, ...]


@dataclass(frozen=True)
class Accuracy:
    """How exact sampled contributions are, see :class:`consortium.mechanisms.sharing.sampled.SampledReference`.

    ``halves`` is the unfairness of one half's schedule against the other's.
    """

    orderings: int
    schedules: int
    sampling: float
    order: float
    halves: Exact


@dataclass(frozen=True)
class WindowResult:
    """Rules on one window, and REF; where REF was sampled, ``accuracy`` says how well.

    ``running`` and ``waiting`` are the sequential jobs that ran and waited when it opened, ``lengths`` the run times of
    the jobs that :class:`Waits` counts, ``before`` how many of each organization were submitted before it opened, which
    come first, ``waited`` how long these had waited by then (s), ``room`` what the machines can do in it.
    """

    index: int
    start: int
    load: float
    names: tuple[str, ...]
    machines: tuple[int, ...]
    fair: Fair
    rules: tuple[RuleResult, ...]
    accuracy: Accuracy | None = None
    running: int = 0
    waiting: int = 0
    room: int = 0
    lengths: tuple[Times, ...] = ()
    before: tuple[int, ...] = ()
    waited: tuple[int, ...] = ()

    @property
    def span(self) -> int:
        """How long it lasts (s), without the second before it opens."""
        return max(0, self.room // sum(self.machines) - 1)

    @classmethod
    def opened(cls, index: int, work: SharedWork, fair: Fair, accuracy: Accuracy | None) -> WindowResult:
        """A window before any rule has run in it."""
        ran = int((work.release < work.opening).sum())
        first, owner = waiting_jobs(work)
        k, early = len(work.names), ~work.submitted[work.order][first]
        since = work.release if work.since is None else work.since
        waited = np.bincount(owner[early], work.opening - since[work.order][first[early]], k)
        return cls(
            index=index,
            start=work.start,
            load=work.load,
            names=work.names,
            machines=work.machines,
            fair=fair,
            rules=(),
            accuracy=accuracy,
            running=ran,
            waiting=len(work) - fair.n_jobs - ran,
            room=sum(work.machines) * work.until,
            lengths=_by_owner(work.length[work.order][first], owner, k),
            before=tuple(np.bincount(owner[early], minlength=k).tolist()),
            waited=tuple(int(seconds) for seconds in waited.tolist()),
        )

    def of(self, label: str) -> RuleResult:
        """The result of one rule by its label."""
        return next(result for result in self.rules if result.label == label)

    def lacking(self, rules: Sequence[Rule]) -> tuple[Rule, ...]:
        """Those of some rules that were not measured."""
        labels = {result.label for result in self.rules}
        return tuple(rule for rule in rules if rule.label not in labels)

    def adding(self, results: Sequence[RuleResult]) -> WindowResult:
        """With the results of more rules, which take the place of those of the same label."""
        return replace(self, rules=tuple({each.label: each for each in (*self.rules, *results)}.values()))

    def ordered(self, names: Sequence[str] | None) -> WindowResult:
        """With the organizations in another order; ``None``: in this one."""
        order = [self.names.index(name) for name in names or self.names]

        def put(row: T, *fields: str, **others: Any) -> T:
            values = {name: getattr(row, name) for name in fields}
            changed = {name: value and tuple(value[u] for u in order) for name, value in values.items()} | others
            return replace(row, **changed)  # type: ignore[type-var]  # they are dataclasses

        def put_waits(waits: Waits | None) -> Waits | None:
            return None if waits is None else put(waits, "seconds", "still")

        rules = tuple(
            put(
                rule,
                *("utility", "parts", "decayed", "losses"),
                waits=put_waits(rule.waits),
                used=tuple((each, tuple(before[u] for u in order)) for each, before in rule.used),
            )
            for rule in self.rules
        )
        fair = put(self.fair, "shapley", "utility", "parts", waits=put_waits(self.fair.waits))
        return put(self, "names", "machines", "lengths", "before", "waited", fair=fair, rules=rules)


def losses_of(utility: Sequence[int], fair: Fair) -> tuple[Fraction, ...]:
    r"""What each organization loses to the others, in units of psi; together they lose nothing to each other.

    With :math:`\delta_u = \psi^*_u - \psi_u`, all together lose :math:`D = \sum \delta_u / p_{tot}` for each second of
    work: by parallel jobs kept whole, gaps, reservations. What is more than its part of that, one may lose to others,
    but no more than its work is late, and all together no more than others gain: less than their part of :math:`D`, and
    no more than their work is early. Who waits while nobody is early for it, held by a limit, loses nothing to others.
    """
    late = [theirs - mine for mine, theirs in zip(utility, fair.utility, strict=True)]
    common = Fraction(sum(late), fair.p_tot or 1)
    beyond = [lost - common * parts for lost, parts in zip(late, fair.parts, strict=True)]
    lost = [max(Fraction(0), min(Fraction(x), y)) for x, y in zip(late, beyond, strict=True)]
    gained = [max(Fraction(0), min(Fraction(-x), -y)) for x, y in zip(late, beyond, strict=True)]
    moved, losers, gainers = min(sum(lost), sum(gained)), sum(lost) or 1, sum(gained) or 1
    return tuple(x * moved / losers - y * moved / gainers for x, y in zip(lost, gained, strict=True))


def waiting_jobs(work: SharedWork) -> tuple[IntArray, IntArray]:
    """The first copies of the jobs that did not run when a window opened, in the instance's order, and their owners."""
    part = np.arange(len(work)) if work.part_of is None else work.part_of[work.order]
    first = np.flatnonzero(np.diff(part, prepend=-1))
    first = first[work.release[work.order][first] >= work.opening]
    return first, work.owner[work.order][first]


def waits_of(work: SharedWork, start: AnyIntArray) -> Waits:
    """How long the jobs of a window wait, by the starts of its sequential jobs in the instance's order (-1: none)."""
    first, owner = waiting_jobs(work)
    k, since = len(work.names), (work.release if work.since is None else work.since)[work.order]
    if not first.size:
        return Waits(_by_owner(first, owner, k), (0,) * k)
    begun = np.where(start < 0, work.until, start).astype(np.int64)
    begun[work.release[work.order] < work.opening] = -1  # they stand behind the last job of another organization
    last = np.maximum.reduceat(begun, first)
    still = np.bincount(owner[last >= work.until], minlength=k)
    return Waits(_by_owner(last - since[first], owner, k), tuple(still.tolist()))


def _by_owner(seconds: AnyIntArray, owner: IntArray, k: int) -> tuple[bytes, ...]:
    bounds = np.searchsorted(owner, np.arange(k + 1))
    return tuple(seconds[a:b].astype(SECONDS).tobytes() for a, b in pairwise(bounds))
