r"""Incentive compatibility for every allocation rule at once, by inequalities on the smallest sum of output times.

Under VCG or EVCG payments the utility is ``V - S(b) - delay``, ``delay`` the output time minus the planned one. So:

1. *Invariants of a run*, on every list of jobs of one machine (no goal enters, powers only change the unit of time),
   as long as trying is affordable; the note says how long, and longer lists meet no other event. Postpone: a truthful
   agent's delay is at most 0, that of one who declared too much is 0, that of one who declared ``y`` for a length
   ``z > y`` is at least ``s + (z - y)/c``. Renice, the others truthful: 0, 0, and ``(z - y)/(s c)``.
2. *Inequalities*, for every multiset ``x`` of the others' declarations: ``S(z, x) <= S(y, x)`` for ``y > z``, and
   ``S(z, x) - S(y, x) <= delay`` for ``y < z``, with the smallest delay that any allocation rule can give her: on
   whichever machine she is. When the goal is the sum, only places that a schedule with the smallest sum can have.

Together they prove that no lie pays: in dominant strategies for postpone, ex-post for renice, whatever allocation the
mechanism chooses (Agmon 2003, lemmas 5.2, 6.4, 6.5 and 6.7, as repaired). No plan is made and the work grows with the
number of multisets, ``binom(|B| + N - 2, N - 1) |B|^2 / 2 * M`` inequalities.

A failing inequality refutes the rule only if the mechanism's own allocation leads there, so the mechanism is run on
the failing profiles; a lie that pays is the witness. If none pays, the answer is open: ``holds`` is ``None`` and the
note says which inequality failed. Covered: ``vcg-*`` and ``evcg-*`` in one round with any penalty but ``static-end``
and lists.

>>> from consortium.mechanisms.declaration import build
>>> from consortium.scheduling.clusters import Cluster
>>> from consortium.scheduling.goals import WeightedSum
>>> printed = build("evcg-renice", Cluster.of([1]), WeightedSum((1, 9)), penalty="printed")
>>> answer = check_by_reduction(printed, Domain.of([1, 2, 3], agents=2), "ex-post")
>>> answer.holds, answer.witness.length, answer.witness.lie, answer.witness.gain
(False, Fraction(3, 1), Fraction(1, 1), Fraction(2, 1))
>>> repaired = build("evcg-renice", Cluster.of([1, "3/2"]), WeightedSum((1, 9, 2)))
>>> check_by_reduction(repaired, Domain.of([1, 2, 3], agents=3), "ex-post").holds
True
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....mechanisms.declaration.one_round import OneRound
from ....mechanisms.declaration.protocol import DeclarationMechanism
from ....support.errors import InputError, TooLargeError
from ....support.exact import fits_int64
from ....support.progress import Clock, Progress
from ..domain import Concept, Domain, Profile, insert
from ..general import Runs
from ..kernel.planning import check_agents
from ..kernel.plans import BILLED
from ..results import IncentiveCheck, Witness
from .invariants import check_invariants

MAX_ROWS = 2_000_000
"""Most multisets of the others' declarations."""
MAX_TRIES = 2_000
"""Most runs spent on turning a failing inequality into a lie that pays."""


def covers(mechanism: object) -> bool:
    """Whether the reduction has something to say about this mechanism."""
    return (
        type(mechanism) is OneRound
        and mechanism.payment in BILLED
        and mechanism.tools.alive in ("renice", "postpone")
        and mechanism.penalty != "static-end"
        and not isinstance(mechanism.penalty, tuple)
    )


def check_by_reduction(
    mechanism: DeclarationMechanism,
    domain: Domain,
    concept: Concept,
    *,
    progress: Progress | None = None,
    clock: Clock | None = None,
) -> IncentiveCheck:
    """Prove or refute incentive compatibility through invariants and inequalities; see the module.

    ``cases`` are the comparisons that the answer covers, ``note`` tells how many inequalities stand for them.
    ``max_gain`` is not computed. Raises InputError for a mechanism that is not covered.
    """
    if not isinstance(mechanism, OneRound) or not covers(mechanism):
        rule = getattr(mechanism, "rule", type(mechanism).__name__)
        raise InputError(
            f"method 'reduction': found {rule!r}; expected vcg-renice, vcg-postpone, evcg-renice or evcg-postpone in "
            "one round, with a named penalty other than 'static-end' or one number"
        )
    check_agents(mechanism, domain)
    if mechanism.cutoff is not None:
        mechanism.cutoff.check([own[-1] for own in domain.universe])
    total = domain.cases(concept)
    if mechanism.tools.alive == "renice" and concept == "dominant":
        note = "the reduction proves renice rules ex-post only; dominance needs another method"
        return IncentiveCheck.of_nothing(concept, total, "reduction", note, open=True)
    try:
        jobs = check_invariants(mechanism, domain, concept, progress, clock)
        failing, count = _failing(mechanism, domain, concept, progress, clock)
        witness = _confirmed(mechanism, domain, concept, failing, clock)
    except (KeyboardInterrupt, TimeoutError):
        return IncentiveCheck.of_nothing(concept, total, "reduction", "stopped early")
    note = f"{count} inequalities; invariants of a run on all lists of up to {jobs} jobs"
    if failing and witness is None:
        worst = failing[0]
        note += (
            f"; not for every allocation rule: declaring {worst.lie} instead of {worst.length} among "
            f"{', '.join(map(str, worst.others))} gains {worst.excess} on machine {worst.machine + 1}"
        )
    holds = False if witness else (None if failing else True)
    covered = total if holds is not None else 0
    return IncentiveCheck(
        concept, holds, covered, total, None, witness, "reduction", holds is not None, note=note, open=holds is None
    )


@dataclass(frozen=True)
class _Failure:
    """An inequality that does not hold."""

    agent: int
    length: Fraction
    lie: Fraction
    others: Profile
    machine: int
    excess: Fraction


class _Sums:
    """``S`` for one agent's declaration against every multiset of the others', in integers."""

    def __init__(self, mechanism: OneRound, domain: Domain, agent: int, concept: Concept) -> None:
        self.n_agents = domain.n_agents
        self.others = _multisets(domain, agent, concept)
        rates = [1 / power for power in mechanism.cluster.powers]
        numbers = {b for own in (*domain.universe, *domain.lengths) for b in own}
        if mechanism.cutoff is not None:
            numbers |= {mechanism.cutoff.limit(b) for b in numbers}
        self.length_unit = lcm(*(b.denominator for b in numbers))
        share, wait = _given(mechanism)
        fine = lcm(*(rate.denominator for rate in rates)) * share.numerator * wait.denominator
        self.seconds = [int(rate * fine) for rate in rates]
        self.time_unit = fine * self.length_unit
        self.wait = int(wait * self.time_unit)
        # two sums and a delay, which is at most a sum or a given number; a job that runs on waits for its share
        longest = int(max(numbers) * self.length_unit)
        bound = 4 * (self.n_agents + 1) ** 2 * longest * max(self.seconds) * share.denominator + self.wait
        self.dtype: Any = np.int64 if fits_int64(bound) else object
        ranks = range(1, self.n_agents + 1)
        self.multipliers = sorted(i * u for u in self.seconds for i in ranks)[: self.n_agents]
        rows = [[self.units(b) for b in others] for others in self.others]
        self.rows = np.array(rows, dtype=self.dtype).reshape(len(rows), self.n_agents - 1)

    def units(self, length: Fraction) -> int:
        """Length in integer units."""
        return int(length * self.length_unit)

    def sum(self, own: Any) -> Any:
        """``S`` when she declares ``own`` (a number, or one per multiset)."""
        column = np.broadcast_to(np.array(own, dtype=self.dtype), (len(self.rows),))[:, None]
        ordered = np.sort(np.concatenate([self.rows, column], axis=1), axis=1)[:, ::-1]
        return (ordered * np.array(self.multipliers, dtype=self.dtype)).sum(axis=1)

    def ranks(self, own: int) -> tuple[Any, Any]:
        """First and last rank that a job of this size can have, equal jobs in any order."""
        above = (self.rows > own).sum(axis=1)
        return above, above + (self.rows == own).sum(axis=1)


def _given(mechanism: OneRound) -> tuple[Fraction, Fraction]:
    """Share of a reniced job and wait of a postponed one, where the penalty is a number; else 1 and 0."""
    given = mechanism.penalty if isinstance(mechanism.penalty, Fraction) else None
    postpones = mechanism.tools.alive == "postpone"
    return (
        Fraction(1) if given is None or postpones else given,
        Fraction(0) if given is None or not postpones else given,
    )


def _multisets(domain: Domain, agent: int, concept: Concept) -> list[Profile]:
    """The others' declarations, each multiset once, sorted."""
    lists = [domain.spoken(k, concept) for k in range(domain.n_agents) if k != agent]
    if len(set(lists)) <= 1:
        source: Iterator[Profile] = itertools.combinations_with_replacement(lists[0] if lists else (), len(lists))
    else:
        source = (tuple(sorted(x)) for x in itertools.product(*lists))
    found = dict.fromkeys(itertools.islice(source, MAX_ROWS + 1))
    if len(found) > MAX_ROWS:
        raise TooLargeError(f"the others have more than {MAX_ROWS} multisets of declarations; take fewer")
    return sorted(found)


def _failing(
    mechanism: OneRound, domain: Domain, concept: Concept, progress: Progress | None, clock: Clock | None
) -> tuple[list[_Failure], int]:
    """Inequalities that fail, the largest excess first, and how many were tried."""
    failing: list[_Failure] = []
    count = 0
    seen: set[tuple[Any, ...]] = set()
    for agent in range(domain.n_agents):
        kind = (
            domain.lengths[agent],
            domain.declarations[agent],
            tuple(sorted(domain.spoken(k, concept) for k in range(domain.n_agents) if k != agent)),
        )
        if kind in seen:
            continue
        seen.add(kind)
        if progress is not None:
            progress(agent, domain.n_agents, "inequalities")
        sums = _Sums(mechanism, domain, agent, concept)
        for length in domain.lengths[agent]:
            truth = sums.sum(sums.units(length))
            for lie in domain.lies(agent, length):
                if clock is not None and clock.expired():
                    raise TimeoutError
                for machine, delay, where in _delays(mechanism, sums, lie, length):
                    count += int(where.sum())
                    excess = np.where(where, truth - sums.sum(sums.units(lie)) - delay, 0)
                    for row in np.flatnonzero(excess > 0).tolist():
                        gain = Fraction(int(excess[row]), sums.time_unit)
                        failing.append(_Failure(agent, length, lie, sums.others[row], machine, gain))
    return sorted(failing, key=lambda f: -f.excess), count


def _delays(
    mechanism: OneRound, sums: _Sums, lie: Fraction, length: Fraction
) -> Iterator[tuple[int, Any, NDArray[np.bool_]]]:
    """(machine, smallest delay of the lie there, rows for which she can be there at that rank of A_Sigma)."""
    everywhere = np.ones(len(sums.rows), dtype=bool)
    if lie > length:
        yield 0, 0, everywhere
        return
    if mechanism.cutoff is not None and length > mechanism.cutoff.limit(lie):
        return  # the job is killed, nothing is worse
    first, last = sums.ranks(sums.units(lie))
    by_sum = mechanism.goal.by_sum and mechanism.allocate is None
    late = sums.units(length) - sums.units(lie)
    for rank, slope in enumerate(sums.multipliers):
        for machine, seconds in enumerate(sums.seconds):
            there = (first <= rank) & (rank <= last) & (slope % seconds == 0)
            where = there if by_sum else first == rank
            if where.any():
                yield machine, _delay(mechanism, sums, lie, late, slope, seconds, by_sum), where


def _delay(mechanism: OneRound, sums: _Sums, lie: Fraction, late: int, slope: int, seconds: int, by_sum: bool) -> Any:
    """Smallest delay of a job ``late`` units longer than declared; ``slope`` is ``f/c'`` of A_Sigma."""
    rule = mechanism.penalty
    if mechanism.tools.alive == "postpone":
        return _wait(mechanism, sums, lie, slope, seconds) + late * seconds
    if isinstance(rule, Fraction):
        return late * seconds * rule.denominator // rule.numerator
    if rule == "safe":
        return late * seconds * sums.n_agents
    if rule == "printed" and not by_sum:
        return late * seconds  # last on her machine in the allocation that the goal chose
    if rule == "printed-common" and not by_sum:
        return late * seconds * -(-sums.n_agents // len(sums.seconds))  # the longest list has at least that many
    return late * max(slope, seconds)  # repaired; common shares only add to it; for the sum the printed ones equal it


def _wait(mechanism: OneRound, sums: _Sums, lie: Fraction, slope: int, seconds: int) -> Any:
    """Duration before a remainder starts, on a machine with ``seconds`` per unit; common durations only add to it."""
    rule, cutoff = mechanism.penalty, mechanism.cutoff
    if isinstance(rule, Fraction):
        return sums.wait
    own = sums.units(lie)
    room = None if cutoff is None else sums.units(cutoff.limit(lie)) - own
    if rule == "exact":
        best = np.zeros(len(sums.rows), dtype=sums.dtype)
        here = sums.sum(own)
        steps = [np.maximum(column - own, 0) for column in sums.rows.T]
        if room is not None:
            steps = [np.where(step <= room, step, 0) for step in steps]
            steps.append(np.full(len(sums.rows), room, dtype=sums.dtype))
        for step in steps:
            best = np.maximum(best, sums.sum(own + step) - here - step * seconds)
        return best
    assert room is not None  # the other named durations need a cut-off
    if rule == "tight":
        return room * max(0, slope - seconds)
    return room * (sums.n_agents * max(sums.seconds) - seconds)


def _confirmed(
    mechanism: OneRound, domain: Domain, concept: Concept, failing: list[_Failure], clock: Clock | None
) -> Witness | None:
    """A lie that pays under the mechanism's own allocation, among the profiles of failing inequalities."""
    runs = Runs(mechanism)
    tries = 0
    alike = domain.alike
    for failure in failing:
        agents = range(domain.n_agents) if alike else (failure.agent,)
        for agent in agents:
            others = [k for k in range(domain.n_agents) if k != agent]
            for said in dict.fromkeys(itertools.permutations(failure.others)):
                if any(b not in domain.spoken(k, concept) for k, b in zip(others, said, strict=True)):
                    continue
                meant = [_closest(domain.meant(k, b, concept), b) for k, b in zip(others, said, strict=True)]
                found = runs.gain(agent, failure.length, failure.lie, insert(said, agent), insert(tuple(meant), agent))
                if found.gain > 0:
                    return found
                tries += 1
                if tries >= MAX_TRIES or (clock is not None and clock.expired()):
                    return None
    return None


def _closest(lengths: Profile, declared: Fraction) -> Fraction:
    """The truthful length if it is possible, else the first one."""
    return declared if declared in lengths else lengths[0]
