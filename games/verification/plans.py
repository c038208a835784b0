"""Plans of a whole domain in arrays, and the bills and penalties of many schedules at once.

A one-round mechanism plans from the declarations alone. :class:`Plans` keeps, once per declaration profile, what a run
depends on: who runs where, the penalties, and the *bills*: what is paid in advance is the agent's bill minus her
planned time; under VCG and EVCG payments all have the same. Distinct rationals are stored once. Profiles are numbered
like the cells of an array with one axis per agent: the last agent's declaration changes fastest.

:class:`Schedules` are classes of profiles (:mod:`.orbits`): which job of the sorted declarations runs on which machine.
A named penalty depends on who runs where, so it is computed once for each way in which machines are given to jobs; only
the smallest safe waits (``exact``) are as many as the schedules, and come from integers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from operator import add
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ...mechanisms.declaration.claims import AFTER_THE_RUN
from ...mechanisms.declaration.one_round import OneRound
from ...mechanisms.declaration.penalties import Situation
from ...mechanisms.declaration.prices import Formula, Quantities
from ...mechanisms.declaration.protocol import Plan
from ...scheduling.allocations import Allocation
from ...scheduling.clusters import Cluster
from .domain import Concept, Domain, Profile

Ints: TypeAlias = NDArray[np.int64]
BILLED = ("vcg", "evcg")
"""Payments that are a common bill minus the agent's planned time, of which many come from one formula in integers."""
NONE = -1
"""Stands for "no such rational" among the identity numbers of rationals."""


@dataclass
class Rationals:
    """Distinct rationals by number.

    >>> numbers = Rationals()
    >>> numbers.id(Fraction(1, 2)), numbers.id(None), numbers.id(Fraction(1, 2)), numbers.values
    (0, -1, 0, [Fraction(1, 2)])
    """

    values: list[Fraction] = field(default_factory=list)
    _numbers: dict[Fraction, int] = field(default_factory=dict)

    def id(self, value: Fraction | None) -> int:
        """Number of a rational, -1 for ``None``."""
        if value is None:
            return NONE
        if value not in self._numbers:
            self._numbers[value] = len(self.values)
            self.values.append(value)
        return self._numbers[value]


@dataclass
class Plans:
    """Plans of all profiles of a domain; rows that are not ``ready`` hold nothing.

    ``digit[p, n]`` is the number of agent ``n``'s declaration in ``domain.universe[n]``; ``place`` and ``position`` say
    where she runs; ``penalty[p, n]`` and ``bill[p, n]`` are numbers in ``rationals``.
    """

    domain: Domain
    digit: Ints
    place: Ints
    position: Ints
    penalty: Ints
    bill: Ints
    ready: NDArray[np.bool_]
    rationals: Rationals

    @classmethod
    def empty(cls, domain: Domain) -> Plans:
        """No plan yet."""
        shape = tuple(len(own) for own in domain.universe)
        digit = np.indices(shape, dtype=np.int64).reshape(len(shape), -1).T.copy()
        blank = np.full(digit.shape, NONE, dtype=np.int64)
        ready = np.zeros(len(digit), dtype=bool)
        return cls(domain, digit, blank, blank.copy(), blank.copy(), blank.copy(), ready, Rationals())

    def declared(self, row: int) -> Profile:
        """Declarations of a profile."""
        return tuple(own[d] for own, d in zip(self.domain.universe, self.digit[row].tolist(), strict=True))

    def put(self, row: int, plan: Plan, billed: bool) -> None:
        """Keep a plan; ``billed`` where something is paid in advance."""
        for n, place in enumerate(plan.places):
            assert place is not None  # one round: everybody stays
            self.place[row, n], self.position[row, n] = place
            self.penalty[row, n] = self.rationals.id(plan.penalties[n])
        self.bill[row] = [self.rationals.id(bill) for bill in bills_of(plan, billed)]
        self.ready[row] = True


def billed(mechanism: OneRound) -> bool:
    """Whether something is paid in advance."""
    return mechanism.payment != "none" and mechanism.payment not in AFTER_THE_RUN


def bills_of(plan: Plan, billed: bool) -> list[Fraction | None]:
    """Everybody's payment plus planned time; ``None`` where nothing is paid in advance."""
    if not billed:
        return [None] * len(plan.planned)
    return [paid + end for paid, end in zip(plan.payments or (), plan.planned, strict=True) if end is not None]


def needed(domain: Domain, concept: Concept, digit: Ints) -> NDArray[np.bool_]:
    """Profiles that a check looks at: all of them, or for ex-post those where at most one agent cannot be truthful."""
    if concept == "dominant":
        return np.ones(len(digit), dtype=bool)
    off = np.zeros(len(digit), dtype=np.int64)
    for n, own in enumerate(domain.universe):
        possible = np.array([b in domain.lengths[n] for b in own])
        off += ~possible[digit[:, n]]
    return off <= 1


@dataclass(frozen=True)
class Schedules:
    """Schedules of sorted jobs, one a row."""

    cluster: Cluster
    sizes: Ints  # declared lengths in units of 1/unit, smallest first
    unit: int  # cut-offs are whole in it too
    place: Ints  # machine of every job

    @cached_property
    def position(self) -> Ints:
        """Jobs ahead of each on its machine."""
        return self._counted(lambda job: range(job))

    @cached_property
    def behind(self) -> Ints:
        """Jobs of the same machine from each job's on."""
        return self._counted(lambda job: range(job, self.place.shape[1]))

    def _counted(self, near: Callable[[int], range]) -> Ints:
        """How many of the jobs ``near`` each one run on its machine."""
        count = np.zeros_like(self.place)
        for job in range(self.place.shape[1]):
            for other in near(job):
                count[:, job] += self.place[:, job] == self.place[:, other]
        return count


def time_rates(cluster: Cluster) -> tuple[int, Ints]:
    """Time units per unit of time in which the time of a unit of work is whole everywhere, and that time by machine."""
    rates = [1 / power for power in cluster.powers]
    fine = int(np.lcm.reduce([rate.denominator for rate in rates], dtype=object))
    return fine, np.array([int(rate * fine) for rate in rates], dtype=np.int64)


def bills(mechanism: OneRound, chosen: Schedules, sigma: Schedules, rationals: Rationals) -> Ints:
    """Numbers of everybody's bills; ``sigma`` are the schedules of least sum."""
    if not billed(mechanism):
        return np.full_like(chosen.place, NONE)
    if mechanism.payment in BILLED:
        schedules = sigma if mechanism.payment == "evcg" else chosen
        fine, rates = time_rates(schedules.cluster)  # a job delays itself and everybody behind it
        whole = (schedules.sizes * rates[schedules.place] * schedules.behind).sum(axis=1)
        common = _numbered(whole, rationals, lambda v: Fraction(v, schedules.unit * fine))
        return np.repeat(common[:, None], chosen.place.shape[1], axis=1)
    return _by_row(chosen, rationals, lambda of: map(add, mechanism.payments(of), of.planned))


def _by_row(chosen: Schedules, rationals: Rationals, each: Callable[[Quantities], Iterable[Fraction | None]]) -> Ints:
    """Everybody's number of what is made of each plan."""
    cluster, rows = chosen.cluster, []
    for jobs in np.stack([chosen.sizes, chosen.place, chosen.position], axis=2).tolist():
        declared = tuple(Fraction(size, chosen.unit) for size, _, _ in jobs)
        allocation = Allocation.from_places([(place, position) for _, place, position in jobs], cluster.n_machines)
        rows.append([rationals.id(x) for x in each(Quantities.of(cluster, declared, allocation))])
    return np.array(rows, dtype=np.int64).reshape(chosen.place.shape)


def penalties(mechanism: OneRound, chosen: Schedules, sigma: Schedules, rationals: Rationals) -> Ints:
    """Numbers of everybody's penalties, none where they are given agent by agent; ``sigma`` as in :func:`bills`.

    But for formulas and the smallest safe waits they depend on who runs where, and with an absolute cut-off on sizes.
    """
    rule, cutoff, cluster = mechanism.penalty, mechanism.cutoff, chosen.cluster
    if rule is None or isinstance(rule, tuple):
        return np.full_like(chosen.place, NONE)
    if isinstance(rule, Formula):
        return _by_row(chosen, rationals, mechanism.penalties)
    if rule == "exact":
        fine, _ = time_rates(cluster)
        return _numbered(_least_waits(chosen, mechanism), rationals, lambda v: Fraction(v, chosen.unit * fine))
    absolute = cutoff is not None and cutoff.kind == "absolute"
    first, number = row_ids([*chosen.place.T, *sigma.place.T, *(chosen.sizes.T if absolute else ())])
    parts = (own[first].tolist() for own in (chosen.sizes, chosen.place, chosen.behind, sigma.place, sigma.behind))
    rows = []
    for sizes, machines, behind, others, slopes in zip(*parts, strict=True):
        declared = tuple(Fraction(size, chosen.unit) for size in sizes)
        tied = tuple(f / cluster.powers[m] for f, m in zip(slopes, others, strict=True))
        situation = Situation(cluster, declared, tuple(machines), tuple(behind), tied)
        renices = mechanism.tools.alive == "renice"
        each = situation.shares(rule) if renices else situation.durations(rule, cutoff)
        rows.append([rationals.id(x) for x in each])
    return np.array(rows, dtype=np.int64)[number]


FACTOR: Final = np.uint64(0x9E3779B97F4A7C15)
"""Of a hash by multiplication, an odd number without a pattern."""


def row_ids(columns: Sequence[Any]) -> tuple[Ints, Ints]:
    """Equal rows get equal numbers, in order of appearance: the first row with each number, the number of every row.

    Rows are told apart by a hash of 64 bits; should two of them share one, all are sorted instead.

    >>> row_ids([np.array([3, 1, 3]), np.array([7, 7, 7])])
    (array([0, 1]), array([0, 1, 0]))
    """
    whole = [own if own.dtype == np.int64 else np.unique(own, return_inverse=True)[1].reshape(-1) for own in columns]
    mixed = np.zeros(len(whole[0]), dtype=np.uint64)
    for own in whole:
        mixed = (mixed ^ (mixed >> np.uint64(29)) ^ own.astype(np.uint64)) * FACTOR
    _, first, number = np.unique(mixed, return_index=True, return_inverse=True)
    if any((own != own[first][number]).any() for own in whole):
        _, first, number = np.unique(np.stack(whole, axis=1), axis=0, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return first[order], rank[number.reshape(-1)]


def _numbered(whole: Ints, rationals: Rationals, value: Callable[[int], Fraction]) -> Ints:
    values, number = np.unique(whole, return_inverse=True)
    ids = np.array([rationals.id(value(v)) for v in values.tolist()], dtype=np.int64)
    return ids[number].reshape(whole.shape)


def _least_waits(chosen: Schedules, mechanism: OneRound) -> Ints:
    """Largest gain of S over her own run when a job's size is ``z``, for the ``z`` that the cut-off lets complete.

    As ``z`` grows the gain is concave, and linear between two neighbouring sizes, so the best ``z`` is a size or the
    cut-off. A job that passes another takes its multiplier and gives it the one before. Beyond the largest size S grows
    no faster than anybody's own run.
    """
    _, rates = time_rates(chosen.cluster)
    own, sizes, n_agents = rates[chosen.place], chosen.sizes, chosen.sizes.shape[1]
    multipliers = np.sort(np.outer(np.arange(1, n_agents + 1), rates).reshape(-1))[:n_agents][::-1]
    waits = np.zeros_like(sizes)
    for job in range(n_agents):
        limit = _limits(sizes[:, job], chosen.unit, mechanism)
        passed = np.zeros_like(sizes[:, job])
        for place in range(job, n_agents - 1):
            if place > job:
                passed += sizes[:, place] * (multipliers[place - 1] - multipliers[place])
            z = sizes[:, place + 1] if limit is None else np.minimum(sizes[:, place + 1], limit)
            gain = passed + z * multipliers[place] - sizes[:, job] * multipliers[job]
            gain -= (z - sizes[:, job]) * own[:, job]
            waits[:, job] = np.where(z < sizes[:, place], waits[:, job], np.maximum(waits[:, job], gain))
    return waits


def _limits(sizes: Ints, unit: int, mechanism: OneRound) -> Any:
    """The cut-off of each job in units; ``None`` without one."""
    cutoff = mechanism.cutoff
    if cutoff is None:
        return None
    bound = int(cutoff.bound * unit)
    return sizes + bound if cutoff.kind == "difference" else np.full_like(sizes, bound)
