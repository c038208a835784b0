r"""Penalties for declaring too little: the share after a renice, the wait before a postponed remainder.

Notation. ``S(b)`` is the smallest sum of output times for lengths ``b``; with ``b_(1) >= b_(2) >= ...`` and the N
smallest multipliers ``v_1 <= v_2 <= ...`` of ``{i / c_m}`` it is ``sum v_i * b_(i)``. ``A_Sigma(b)`` attains it. Job
``n`` runs on a machine of power ``c`` in the allocation that the mechanism chose and on one of power ``c'`` in
A_Sigma, where ``f`` jobs, her own included, end from hers on. ``S`` is concave in ``b_n`` with slope ``f/c'`` at b
(Agmon 2003, lemma 5.2), and under EVCG payments the utility is ``V - S(b) - delay``. A lie ``b_n < theta_n``
therefore never pays if the delay that it earns is at least ``(f/c')(theta_n - b_n)``.

Renice, shares ``s`` (the job ends ``(theta_n - b_n)/(s c)`` late): ``repaired`` ``min(1, c'/(c f))``;
``repaired-common`` the smallest of these for all; ``safe`` ``1/N``; ``printed`` and ``printed-common``, (6.9) and
(6.10) of the thesis, take ``f`` from the chosen allocation instead of A_Sigma and fail for goals other than the sum.

Postpone, durations counted from the planned output time (the job ends at least ``s + (theta_n - b_n)/c`` late), with
``H`` the difference cut-off, or the absolute one minus ``b_n``: ``exact`` the smallest that is safe,
``max(0, max S(b_n + d, b_-n) - S(b) - d/c)`` over ``0 < d <= H``; ``tight`` ``H max(0, f/c' - 1/c)``; ``printed``
(5.13) and ``printed-absolute`` (5.14) ``H (N/c_min - 1/c)``; ``printed-common`` the largest (5.13) for all;
``static-end`` no duration, the remainder waits for the static end of its machine (safe only where the goal is the sum).
A duration may also be a formula over the plan, as prices are (:class:`.prices.Formula`); where it is below 0 there is
no wait.

>>> from fractions import Fraction as F
>>> from consortium.scheduling.clusters import Cluster
>>> listed = Situation(Cluster.of([1]), (F(1), F(3)), machines=(0, 0), behind=(1, 2))
>>> listed.shares("printed"), listed.shares("repaired")
((Fraction(1, 1), Fraction(1, 2)), (Fraction(1, 2), Fraction(1, 1)))
>>> listed.durations("exact", None)
(Fraction(2, 1), Fraction(0, 1))
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Final, TypeAlias

from ...scheduling.clusters import Cluster
from ...scheduling.sums import sum_allocation
from ...support.errors import InputError, check_name, unknown_name
from ...support.exact import INF, Extended, Rational, rational
from .catalogue import CUTOFFS, NAME_PATTERN, NUMBER_PATTERN, POSTPONE_PENALTIES, RENICE_PENALTIES
from .prices import Formula

COMMON: Final = ("repaired-common", "printed-common")
"""Named rules by which all have the same penalty: the smallest share, or the longest wait."""

PenaltyRule: TypeAlias = str | Fraction | tuple[Fraction, ...]
"""A named rule, one number for all, or one number per agent."""


@dataclass(frozen=True)
class Cutoff:
    """A bound on the work of a postponed job; work equal to the bound completes.

    ``kind`` ``"difference"``: at most ``declared + bound`` (``bound > 0``). ``"absolute"``: at most ``bound``, and no
    declaration may exceed it (Agmon 2003, 7.1).

    >>> Cutoff("difference", 4).limit(Fraction(1))
    Fraction(5, 1)
    """

    kind: str
    bound: Rational

    def __post_init__(self) -> None:
        check_name("cutoff", self.kind, CUTOFFS)
        bound = rational(self.bound, f"cutoff.{self.kind}")
        if bound <= 0:
            raise InputError(f"cutoff.{self.kind}: found {bound}; expected a number > 0")
        object.__setattr__(self, "bound", bound)

    def limit(self, declared: Fraction) -> Fraction:
        """Largest total work of a job declared ``declared``."""
        return Fraction(self.bound) if self.kind == "absolute" else declared + self.bound

    def check(self, declared: Sequence[Fraction]) -> None:
        """Raise InputError when an absolute cut-off is below a declaration."""
        if self.kind == "absolute":
            for n, b in enumerate(declared, 1):
                if b > self.bound:
                    raise InputError(
                        f"cutoff.absolute = {self.bound}: agent {n} declares {b}; expected at least every declaration"
                    )


@dataclass(frozen=True)
class Situation:
    """What the penalty rules look at.

    Attributes
    ----------
    cluster
        The machines.
    declared
        Declared lengths b, all > 0.
    machines
        Machine of each job in the chosen allocation.
    behind
        ``f_n`` in the chosen allocation: jobs from ``n`` (included) to the end of its machine.
    tied_slopes
        The slopes of A_Sigma where its ties are decided otherwise than by the order of the agents.
    """

    cluster: Cluster
    declared: tuple[Fraction, ...]
    machines: tuple[int, ...]
    behind: tuple[int, ...]
    tied_slopes: tuple[Fraction, ...] | None = None

    @cached_property
    def slopes(self) -> tuple[Fraction, ...]:
        """``f_n / c'`` per agent in A_Sigma(b): how fast S grows with her declaration."""
        if self.tied_slopes is not None:
            return self.tied_slopes
        slopes = [Fraction(0)] * len(self.declared)
        for machine, jobs in enumerate(sum_allocation(self.cluster, self.declared).lists):
            for place, n in enumerate(jobs):
                slopes[n] = (len(jobs) - place) / self.cluster.powers[machine]
        return tuple(slopes)

    @cached_property
    def seconds_per_work(self) -> tuple[Fraction, ...]:
        """``1 / c`` per agent, on the machine where she runs."""
        return tuple(1 / self.cluster.powers[m] for m in self.machines)

    def shares(self, rule: PenaltyRule) -> tuple[Fraction, ...]:
        """Share of its machine for each job after a renice; see the module for the named rules."""
        n_agents = len(self.declared)
        if not isinstance(rule, str):
            return _as_listed(rule, n_agents)
        each = [share(rule, n_agents, *of) for of in zip(self.seconds_per_work, self.slopes, self.behind, strict=True)]
        return _common(tuple(each), min) if rule in COMMON else tuple(each)

    def durations(self, rule: PenaltyRule, cutoff: Cutoff | None) -> tuple[Fraction | None, ...]:
        """Wait of each postponed remainder after its planned output time; ``None`` for ``static-end``."""
        if not isinstance(rule, str):
            return _as_listed(rule, len(self.declared))
        if rule == "static-end":
            return (None,) * len(self.declared)
        if rule == "exact":
            return self._exact(cutoff)
        check_name("penalty", rule, POSTPONE_PENALTIES)
        if cutoff is None:
            raise InputError(f"penalty {rule!r}: found no cutoff; expected one, because the duration grows with it")
        n_agents, slowest = len(self.declared), Fraction(min(self.cluster.powers))
        waits = tuple(
            (cutoff.limit(b) - b) * wait(rule, n_agents, slowest, own, slope)
            for b, own, slope in zip(self.declared, self.seconds_per_work, self.slopes, strict=True)
        )
        return _common(waits, max) if rule in COMMON else waits

    def _exact(self, cutoff: Cutoff | None) -> tuple[Fraction, ...]:
        """Largest ``S(b_n + d, b_-n) - S(b) - d/c`` over the lies ``d`` that the cut-off lets complete.

        The gain is concave in ``d``: its slope is ``v_q - 1/c`` while the job ranks ``q``-th from the top. So the best
        lie lifts her to the size of the last rank whose multiplier is at most ``1/c``, or as far as the cut-off goes.
        """
        ranking = sorted(range(len(self.declared)), key=lambda n: -self.declared[n])
        sizes = [self.declared[n] for n in ranking]
        multipliers = sorted(self.slopes)
        # lift[i]: what S gains when the jobs of ranks 0..i-1 each move one rank down
        lift = [Fraction(0)]
        for size, now, then in zip(sizes, multipliers, multipliers[1:], strict=False):
            lift.append(lift[-1] + size * (then - now))
        waits = [Fraction(0)] * len(sizes)
        for rank, n in enumerate(ranking):
            own = self.seconds_per_work[n]
            last = bisect_right(multipliers, own) - 1  # at least 0: the smallest multiplier is 1/c_max
            if rank <= last:
                continue  # S already grows no faster than her own run
            limit: Extended = INF if cutoff is None else cutoff.limit(sizes[rank])
            target = Fraction(min(sizes[last], limit))
            place = bisect_left(sizes, -target, key=lambda size: -size)
            shifted = lift[rank] - lift[place] + multipliers[place] * target - multipliers[rank] * sizes[rank]
            waits[n] = shifted - (target - sizes[rank]) * own
        return tuple(waits)


def share(rule: str, n_agents: int, own: Fraction, slope: Fraction, behind: int) -> Fraction:
    """Share of one job by a named rule; one that is common gives everybody the smallest of these.

    Parameters
    ----------
    n_agents
        How many there are.
    own
        ``1/c`` where she runs.
    slope
        ``f/c'`` in A_Sigma.
    behind
        Jobs from hers on to the end of her machine, in the chosen allocation.

    >>> share("repaired", 2, Fraction(1, 2), Fraction(2), 1), share("printed-common", 2, Fraction(1, 2), Fraction(2), 1)
    (Fraction(1, 4), Fraction(1, 1))
    """
    if rule == "safe":
        return Fraction(1, n_agents)
    if rule in ("repaired", "repaired-common"):
        return min(Fraction(1), own / slope)
    if rule in ("printed", "printed-common"):
        return Fraction(1, behind)
    raise unknown_name("penalty", rule, RENICE_PENALTIES)


def wait(rule: str, n_agents: int, slowest: Fraction, own: Fraction, slope: Fraction) -> Fraction:
    """Duration per unit of work that the cut-off leaves room for; one that is common is the largest of all.

    ``slowest`` is the smallest power, for the rest see :func:`share`.
    """
    return max(Fraction(0), slope - own) if rule == "tight" else n_agents / slowest - own


def _common(values: tuple[Fraction, ...], pick: Callable[[tuple[Fraction, ...]], Fraction]) -> tuple[Fraction, ...]:
    return (pick(values),) * len(values) if values else ()


def _as_listed(rule: Fraction | tuple[Fraction, ...], n_agents: int) -> tuple[Fraction, ...]:
    """One number for all or one each."""
    if not isinstance(rule, tuple):
        return (rule,) * n_agents
    if len(rule) != n_agents:
        raise InputError(f"penalty: found {len(rule)} numbers for {n_agents} agents; expected one each")
    return rule


def check_penalty(rule: object, tool: str) -> PenaltyRule | Formula:
    """Read a penalty for ``tool`` (``"renice"`` or ``"postpone"``): a name, a number, a list of numbers or a formula.

    Raises UnknownNameError for another name, InputError unless shares lie in (0, 1] and durations are >= 0, and for a
    formula unless it is one of durations.

    >>> check_penalty("safe", "renice"), check_penalty(["1/2", 1], "renice"), check_penalty("S/4", "postpone")
    ('safe', (Fraction(1, 2), Fraction(1, 1)), Formula(text='S/4'))
    """
    names = RENICE_PENALTIES if tool == "renice" else POSTPONE_PENALTIES
    if isinstance(rule, str) and re.fullmatch(NAME_PATTERN, rule):
        check_name("mechanism.penalty", rule, names)
        return rule
    if isinstance(rule, Formula) or (isinstance(rule, str) and not re.fullmatch(NUMBER_PATTERN, rule)):
        if tool == "renice":
            raise InputError(f"mechanism.penalty: found {rule!r}; expected a share of the machine, which no formula is")
        return rule if isinstance(rule, Formula) else Formula(rule, "mechanism.penalty")
    many = isinstance(rule, list | tuple)
    numbers = [rational(v, "mechanism.penalty") for v in (rule if many else [rule])]  # type: ignore[attr-defined]
    for number in numbers:
        if tool == "renice" and not 0 < number <= 1:
            raise InputError(f"mechanism.penalty: found {number}; expected a share of the machine, 0 < share <= 1")
        if number < 0:
            raise InputError(f"mechanism.penalty: found {number}; expected a duration >= 0")
    return tuple(numbers) if many else numbers[0]
