"""Work functions: which share of its machine a job has at each moment, piecewise constant and exact.

Model (Agmon 2003, section 3.1.1): job ``n`` stays on one machine ``m`` and has the share ``X_n(t)`` in [0, 1] of it at
time ``t``; the shares on one machine add up to at most 1. ``X_n`` is continuous from the right, and here piecewise
constant. It does ``c_m`` times its integral of work. ``B_n`` and ``E_n`` are the first and the last moment of work.

An allocation *fulfils* lengths when every job does exactly its length of work (definition 3.2). It is *efficient* when
every machine works at full share without a gap from time 0 and every job runs at full share in one piece (3.6), that
is, when it is a schedule in the sense of :mod:`consortium.scheduling.allocations`. It is
*work-function-Pareto-efficient* when no job could end earlier by changing its own work function alone, on its own
machine or by moving to another one (3.7). Neither of the two implies the other (examples 3.1.1 and 3.1.2).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import TypeAlias

from consortium.scheduling.allocations import Allocation
from consortium.scheduling.clusters import Cluster
from consortium.support.errors import InputError
from consortium.support.exact import INF, Extended, Rational

Piece: TypeAlias = tuple[Fraction, Extended, Fraction]
"""(from, to, share): the share on ``[from, to)``; ``to`` may be ``math.inf``."""


@dataclass(frozen=True)
class WorkFunction:
    """A piecewise-constant share of a machine over time, in its one normal form.

    Parameters
    ----------
    pieces
        ``(from, to, share)`` in the order of time, disjoint, shares in (0, 1], touching pieces of one share joined;
        build with :meth:`of` to have this done. Outside the pieces the share is 0.
    """

    pieces: tuple[Piece, ...] = ()

    @classmethod
    def of(cls, pieces: Iterable[tuple[Rational | str, Extended | int | str, Rational | str]]) -> WorkFunction:
        """Normal form of disjoint pieces in any order; empty pieces and shares of 0 are dropped."""
        exact = sorted((Fraction(a), b if isinstance(b, float) else Fraction(b), Fraction(s)) for a, b, s in pieces)
        joined: list[Piece] = []
        for start, end, share in exact:
            if share == 0 or end <= start:
                continue
            if joined and joined[-1][1] == start and joined[-1][2] == share:
                joined[-1] = (joined[-1][0], end, share)
            else:
                joined.append((start, end, share))
        return cls(tuple(joined))

    @property
    def begin(self) -> Extended:
        """First moment of work ``B``; ``inf`` when there is none."""
        return self.pieces[0][0] if self.pieces else INF

    @property
    def end(self) -> Extended:
        """Last moment of work ``E``; 0 when there is none, ``inf`` when it goes on for ever."""
        return self.pieces[-1][1] if self.pieces else Fraction(0)

    def at(self, time: Rational) -> Fraction:
        """Share at ``time`` (from the right)."""
        return next((share for start, end, share in self.pieces if start <= time < end), Fraction(0))

    def amount(self, until: Extended | int = INF) -> Extended:
        """Integral of the share from 0 to ``until``, in units of time."""
        total: Extended = Fraction(0)
        for start, end, share in self.pieces:
            stop = min(end, until)
            if stop > start:
                total = INF if stop == INF else total + share * (Fraction(stop) - start)
        return total

    def reaches(self, amount: Rational) -> Extended:
        """Earliest time by which the integral is ``amount``; ``inf`` when it never gets there."""
        left = Fraction(amount)
        if left <= 0:
            return Fraction(0)
        for start, end, share in self.pieces:
            here = INF if end == INF else share * (Fraction(end) - start)
            if here >= left:
                return start + left / share
            left -= Fraction(here)
        return INF

    def between(self, start: Rational, stop: Extended | int) -> WorkFunction:
        """The same on ``[start, stop)`` and 0 elsewhere."""
        return WorkFunction.of((max(a, Fraction(start)), min(b, stop), s) for a, b, s in self.pieces)

    def moved(self, later: Rational) -> WorkFunction:
        """The same, ``later`` units of time later (negative: earlier)."""
        return WorkFunction.of((a + later, b + later, s) for a, b, s in self.pieces)

    def times(self, factor: Rational) -> WorkFunction:
        """Every share multiplied by ``factor``."""
        return WorkFunction.of((a, b, s * factor) for a, b, s in self.pieces)

    def then(self, *others: WorkFunction) -> WorkFunction:
        """Work function of its own pieces and those of others that do not overlap it."""
        return WorkFunction.of(piece for f in (self, *others) for piece in f.pieces)


def usage(functions: Iterable[WorkFunction]) -> tuple[Piece, ...]:
    """Sum of work functions as pieces in the order of time, without those of share 0; a share may exceed 1."""
    change: dict[Extended, Fraction] = {}
    for function in functions:
        for start, end, share in function.pieces:
            change[start] = change.get(start, Fraction(0)) + share
            change[end] = change.get(end, Fraction(0)) - share
    times = sorted(t for t, d in change.items() if d)
    pieces, level = [], Fraction(0)
    for here, after in pairwise([*times, INF]):
        level += change[here]
        if level and here != INF:
            pieces.append((Fraction(here), after, level))
    return tuple(pieces)


@dataclass(frozen=True)
class WorkAllocation:
    """An allocation in the sense of definition 3.1: a machine and a work function per job."""

    cluster: Cluster
    machine_of: tuple[int, ...]
    functions: tuple[WorkFunction, ...]

    def __post_init__(self) -> None:
        for m in range(self.cluster.n_machines):
            for start, _, share in self.usage(m):
                if share > 1:
                    raise InputError(f"functions: machine {m + 1} is used by {share} from {start} on; at most 1")

    @classmethod
    def run(cls, allocation: Allocation, cluster: Cluster, lengths: Sequence[Rational]) -> WorkAllocation:
        """The efficient schedule as work functions."""
        ends = allocation.end_times(cluster, lengths)
        machine_of = tuple(m for m, _ in allocation.places)
        functions = tuple(
            WorkFunction.of([(end - Fraction(length) / cluster.powers[m], end, 1)])
            for end, length, m in zip(ends, lengths, machine_of, strict=True)
        )
        return cls(cluster, machine_of, functions)

    def jobs_on(self, machine: int) -> tuple[int, ...]:
        """Jobs of a machine, by number."""
        return tuple(n for n, m in enumerate(self.machine_of) if m == machine)

    def usage(self, machine: int) -> tuple[Piece, ...]:
        """Usage of a machine as pieces in the order of time."""
        return usage(self.functions[n] for n in self.jobs_on(machine))

    @cached_property
    def ends(self) -> tuple[Extended, ...]:
        """Ending time ``E_n`` of every job."""
        return tuple(f.end for f in self.functions)

    def work(self, job: int, until: Extended | int = INF) -> Extended:
        """Work that a job has done at a moment (default: in the end)."""
        return self.cluster.powers[self.machine_of[job]] * self.functions[job].amount(until)

    def fulfils(self, lengths: Sequence[Rational]) -> bool:
        """Whether every job does exactly its length of work (definition 3.2)."""
        return all(self.work(n) == length for n, length in enumerate(lengths))

    def is_efficient(self) -> bool:
        """Whether machines and jobs run at full share without gaps, machines from time 0 on (definition 3.6)."""
        full = Fraction(1)
        machines = (self.usage(m) for m in range(self.cluster.n_machines))
        return all(u == () or (len(u) == 1 and u[0][0] == 0 and u[0][2] == full) for u in machines) and all(
            len(f.pieces) <= 1 and all(s == full for _, _, s in f.pieces) for f in self.functions
        )

    def earliest_end(self, job: int) -> Extended:
        """Earliest moment at which ``job`` could have done its work, the others' work functions being fixed.

        The job takes whatever share the others leave on the machine where that ends first.
        """
        work = self.work(job)
        if work == INF:
            return INF
        ends = []
        for m, power in enumerate(self.cluster.powers):
            others = usage(self.functions[k] for k in self.jobs_on(m) if k != job)
            ends.append(_left_over(others).reaches(Fraction(work) / power))
        return min(ends)

    def is_pareto_efficient(self, lengths: Sequence[Rational]) -> bool:
        """Whether it fulfils ``lengths`` and no job could end earlier by its own work function alone (3.7)."""
        return self.fulfils(lengths) and all(self.earliest_end(n) >= end for n, end in enumerate(self.ends))


def _left_over(used: tuple[Piece, ...]) -> WorkFunction:
    pieces: list[Piece] = []
    now: Extended = Fraction(0)
    for start, end, share in used:
        pieces += [(Fraction(now), start, Fraction(1)), (start, end, 1 - share)]
        now = end
    if now != INF:
        pieces.append((Fraction(now), INF, Fraction(1)))
    return WorkFunction.of(pieces)
