"""What a declaration mechanism is, and what a run of it tells.

A mechanism is anything with ``run(declared, lengths)``, so that checks, searches and comparisons take a class of your
own without registration. The least that its answer needs is two attributes, ``output`` (when each agent gets her
result) and ``payments`` (what each agent pays); :class:`Outcome` has room for the rest, all of it optional:

>>> from fractions import Fraction
>>> class OneQueue:
...     "One machine, shortest declaration first; everybody pays the time she makes others wait."
...     def run(self, declared, lengths):
...         order = sorted(range(len(declared)), key=lambda n: (declared[n], n))
...         done, output = Fraction(0), [Fraction(0)] * len(declared)
...         for n in order:
...             done += lengths[n]
...             output[n] = done
...         behind = {n: len(order) - 1 - place for place, n in enumerate(order)}
...         return Outcome(output=tuple(output), payments=tuple(declared[n] * behind[n] for n in range(len(declared))))
>>> outcome = play(OneQueue(), [1, 2], [1, 2])
>>> outcome.output, outcome.payments, outcome.utilities
((Fraction(1, 1), Fraction(3, 1)), (Fraction(1, 1), Fraction(0, 1)), (Fraction(-2, 1), Fraction(-3, 1)))

Conventions: agents count from 0; times, payments and shares are exact (``Fraction``; ``math.inf`` is the output time
of a job that never completes); ``None`` is what does not exist, such as the output of an agent who left.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeAlias, runtime_checkable

from ...scheduling.clusters import Cluster, check_lengths
from ...scheduling.deadlines import too_much
from ...support.errors import InputError, MechanismError, quote
from ...support.exact import INF, Extended, Rational, rational
from ..custom import call, entries, exact

if TYPE_CHECKING:
    from ...scheduling.allocations import Allocation
    from ...scheduling.welfare import Goal

Welfare: TypeAlias = Extended | tuple[Extended, ...]
"""Value of a goal: one number, or for the lexical maximum the negated times, largest time first."""

Place: TypeAlias = tuple[int, int]
"""Machine and position on it, both from 0."""

Piece: TypeAlias = tuple[Fraction, Fraction, Fraction]
"""Work of one job: from, to, share of its machine."""


@dataclass(frozen=True)
class Offer:
    """The first of two rounds: planned output times and payments offered to everybody."""

    planned: tuple[Fraction, ...]
    payments: tuple[Fraction, ...]


LISTED: Final = "a tuple or list, one entry per agent"


@dataclass(frozen=True)
class Plan:
    """The realization stage: all that a mechanism fixes from the declarations alone, before any job runs.

    Attributes
    ----------
    declared
        The declarations.
    allocation
        Who runs where and in which order, or ``None`` when agents left (:attr:`places` then tells).
    places
        Machine and position per agent; ``None`` for an agent who left.
    planned
        Planned output times T_n(b, b).
    payments
        What the agents pay, or ``None`` when payments are only known after the run.
    penalties
        Share (renice) or duration (postpone) for a job alive at its planned end; ``None`` where the rule has none.
    optimal_sum
        S(b): the smallest sum of output times of all agents, leavers included.
    welfare
        The goal's value at the planned times.
    stayed
        Who takes part; all ``True`` in one round.
    first_round
        The offer before anybody left, in two rounds.
    second_round
        In two rounds the plan among those who stayed, in their own numbering.
    """

    declared: tuple[Fraction, ...]
    allocation: Allocation | None
    places: tuple[Place | None, ...]
    planned: tuple[Fraction | None, ...]
    payments: tuple[Fraction, ...] | None
    penalties: tuple[Fraction | None, ...]
    optimal_sum: Fraction
    welfare: Welfare
    stayed: tuple[bool, ...]
    first_round: Offer | None = None
    second_round: Plan | None = None


@dataclass(frozen=True)
class Outcome:
    """What a run tells; only ``output`` and ``payments`` are required of a mechanism of your own.

    Attributes
    ----------
    output
        T_n(b, theta): when the agent gets her result; ``math.inf`` if never, ``None`` for an agent who left.
    payments
        P_n: what the agent pays (negative: receives); 0 for an agent who left.
    utilities
        V_n - T_n - P_n; 0 for an agent who left.
    stayed
        Who took part.
    plan
        The realization stage it followed, if the mechanism tells.
    work
        Per agent the pieces ``(from, to, share)`` of work, in order of time.
    controls
        Per agent the tools applied, in order of time.
    killed
        Whose job was stopped for good.
    welfare
        The goal's value at the final output times of those who stayed.
    """

    output: tuple[Extended | None, ...]
    payments: tuple[Extended, ...]
    utilities: tuple[Extended, ...] | None = None
    stayed: tuple[bool, ...] | None = None
    plan: Plan | None = None
    work: tuple[tuple[Piece, ...], ...] | None = None
    controls: tuple[tuple[str, ...], ...] | None = None
    killed: tuple[bool, ...] | None = None
    welfare: Welfare | None = None

    @property
    def rent(self) -> Extended:
        """What the institution takes in: the sum of all payments."""
        return sum(self.payments, start=Fraction(0))

    def welfare_by(self, goal: Goal) -> Any:
        """Final welfare: what the mechanism tells, else the goal's value."""
        return welfare_of(goal, self.output) if self.welfare is None else self.welfare


@runtime_checkable
class DeclarationMechanism(Protocol):
    """The least that a mechanism needs: :meth:`run`. Frozen parameters; the same input gives the same answer.

    Hints, used where they exist:

    ``cluster``
        The machines; whether a schedule can keep the output times is then asked too (``feasible``).
    ``plan(declared)``
        An object with ``payments`` that are known before the run; checks of the rent then try declarations alone.
    ``values``
        The agents' valuations, where the rule itself asks who wants to stay (two rounds).
    ``goal``
        What the institution maximises (:mod:`consortium.scheduling.goals`), for welfare.
    ``anonymous = True``
        Other numbers for the agents give their outcomes the same new numbers, ties included; checks then try one
        order of the others for all (:mod:`consortium.games.verification.running`).
    ``kills_liars = True``
        A job that never ends is the punishment of a lie, not a limit on input (``accepts_every_input``).
    """

    def run(self, declared: Sequence[Rational], lengths: Sequence[Rational]) -> Any:
        """Outcome for these declarations and true lengths: an object with ``output`` and ``payments``."""


class ImpossibleError(MechanismError):
    """A custom mechanism hands out output times that no schedule on the cluster can keep."""


class OnCluster:
    """A custom mechanism on a cluster: :func:`play` refuses output times that no schedule there can keep.

    ``own``: the mechanism itself, whose hints are those of this one; messages name its class and the agents.

    >>> from types import SimpleNamespace
    >>> class Half:
    ...     def run(self, declared, lengths):
    ...         return SimpleNamespace(output=[x / 2 for x in lengths], payments=[0] * len(lengths))
    >>> play(on_cluster(Half(), Cluster.of([1]), ["ann", "bob"]), [2, 4], [2, 4])
    Traceback (most recent call last):
        ...
    consortium.mechanisms.declaration.protocol.ImpossibleError: Half.run: for declarations (2, 4) and lengths (2, 4) \
found output times 1 of ann, 2 of bob; expected times that a schedule can keep: of their 6 units of work at most 2 are \
done by then
    """

    def __init__(self, own: Any, cluster: Cluster, names: Sequence[str]) -> None:
        self.own, self.cluster, self.names = own, cluster, names

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "own":
            raise AttributeError(name)
        return getattr(self.own, name)

    def __reduce__(self) -> Any:
        return on_cluster, (self.own, self.cluster, self.names)

    def run(self, declared: Sequence[Rational], lengths: Sequence[Rational]) -> Any:
        """What the mechanism answers, not looked at."""
        return self.own.run(declared, lengths)

    def check(self, declared: Sequence[Any], lengths: Sequence[Any], output: Sequence[Extended | None]) -> None:
        """Raise ImpossibleError, with the jobs and their times, where no schedule keeps the output times."""
        if excess := too_much(self.cluster.powers, lengths, output):
            jobs, work, possible = excess
            profiles = [f"({', '.join(map(str, numbers))})" for numbers in (declared, lengths)]
            times = ", ".join(f"{output[n]} of {self.names[n]}" for n in jobs)
            raise ImpossibleError(
                f"{type(self).__name__}.run: for declarations {profiles[0]} and lengths {profiles[1]} found output "
                f"times {times}; expected times that a schedule can keep: of their {work} units of work at most "
                f"{possible} are done by then"
            )


def on_cluster(own: Any, cluster: Cluster, names: Sequence[str]) -> OnCluster:
    """A custom mechanism for agents of these names on a cluster, under its own name."""
    named: type[OnCluster] = type(type(own).__name__, (OnCluster,), {})
    return named(own, cluster, names)


def unchecked(mechanism: Any) -> Any:
    """The mechanism itself, whatever it hands out."""
    return mechanism.own if isinstance(mechanism, OnCluster) else mechanism


def rule_name(mechanism: Any) -> str:
    """The name of a built-in rule, or of the class of a custom one."""
    return str(getattr(mechanism, "rule", type(mechanism).__name__))


def check_profile(declared: Sequence[Any], lengths: Sequence[Any]) -> tuple[tuple[Fraction, ...], tuple[Fraction, ...]]:
    """Exact declarations and lengths of the same agents, or InputError."""
    if len(declared) != len(lengths):
        raise InputError(f"found {len(declared)} declarations for {len(lengths)} lengths; expected one each per agent")
    return check_lengths(declared, "declared"), check_lengths(lengths, "lengths")


def utility(value: Fraction, output: Extended | None, payment: Extended) -> Extended:
    """``value - output - payment``; 0 for an agent who left (``output is None``), ``-inf`` for a job never done."""
    if output is None:
        return Fraction(0)
    return -INF if output == INF else value - output - payment


def play(
    mechanism: DeclarationMechanism,
    declared: Sequence[Rational],
    lengths: Sequence[Rational],
    values: Sequence[Rational] | None = None,
) -> Outcome:
    """Run any mechanism and complete its answer: exact numbers checked, utilities, ``stayed`` and welfare filled in.

    ``values``: the agents' valuations; by default the mechanism's own ``values``, else 0. Welfare is filled in where
    the mechanism has a ``goal``.

    Raises MechanismError when the mechanism fails with an error of Python's, when its answer does not have one time and
    one payment per agent, or when it holds a number that is not exact; errors of the package pass, so a mechanism
    refuses a declaration by raising InputError.
    """
    b, theta = check_profile(declared, lengths)
    name = f"{type(mechanism).__name__}.run"
    if not callable(getattr(mechanism, "run", None)):
        raise MechanismError(f"mechanism: found {quote(mechanism)}; expected an object with run(declared, lengths)")
    answer = call(mechanism.run, name, declared=b, lengths=theta)
    if not hasattr(answer, "output") or not hasattr(answer, "payments"):
        raise MechanismError(
            f"{name}: found {quote(answer)} as the answer; expected an object with output and payments, one per agent"
        )
    valuations = values if values is not None else (getattr(mechanism, "values", None) or [Fraction(0)] * len(theta))
    worth = [rational(v, f"values[{i}]") for i, v in enumerate(valuations, 1)]
    output = tuple(
        None if t is None else _time(t, f"{name}: output[{i}]")
        for i, t in enumerate(entries(answer.output, f"{name}: output", LISTED), 1)
    )
    payments = tuple(
        _amount(p, f"{name}: payments[{i}]")
        for i, p in enumerate(entries(answer.payments, f"{name}: payments", LISTED), 1)
    )
    for what, amounts in (("output times", output), ("payments", payments), ("values", worth)):
        if len(amounts) != len(theta):
            raise MechanismError(f"{name}: found {len(amounts)} {what} for {len(theta)} agents")
    if isinstance(mechanism, OnCluster):
        mechanism.check(b, theta, output)
    utilities = tuple(utility(v, t, p) for v, t, p in zip(worth, output, payments, strict=True))
    whole = _as_outcome(answer, output, payments, name)
    stayed = whole.stayed if whole.stayed is not None else tuple(t is not None for t in output)
    goal = getattr(mechanism, "goal", None)
    welfare = whole.welfare if whole.welfare is not None or goal is None else welfare_of(goal, output)
    return replace(whole, output=output, payments=payments, utilities=utilities, stayed=stayed, welfare=welfare)


def welfare_of(goal: Goal, output: Sequence[Extended | None]) -> Welfare:
    """A goal's value at these output times; agents who left (``None``) are left out as in two rounds.

    >>> from consortium.scheduling.goals import Makespan
    >>> welfare_of(Makespan(), [Fraction(2), None])
    Fraction(-2, 1)
    """
    stayers = [n for n, t in enumerate(output) if t is not None]
    if len(stayers) < len(output):
        goal = goal.among(stayers, len(output))
    return goal.value([t for t in output if t is not None])


OPTIONAL = ("stayed", "plan", "work", "controls", "killed", "welfare")
"""What an answer may tell besides ``output`` and ``payments``; utilities are always computed here."""


def _as_outcome(answer: Any, output: tuple[Extended | None, ...], payments: tuple[Extended, ...], name: str) -> Outcome:
    """The answer as an Outcome; what it tells besides times and payments is kept, one entry per agent each."""
    optional: dict[str, Any] = {what: getattr(answer, what, None) for what in OPTIONAL}
    if optional["plan"] is not None and not isinstance(optional["plan"], Plan):
        raise MechanismError(f"{name}: plan: found {quote(optional['plan'])}; expected a Plan or None")
    for what in ("stayed", "work", "controls", "killed"):
        if optional[what] is not None and len(entries(optional[what], f"{name}: {what}", LISTED)) != len(output):
            raise MechanismError(f"{name}: found {quote(optional[what])} as {what}; expected one entry per agent")
    return Outcome(output, payments, **optional)


def _time(value: object, where: str) -> Extended:
    time = _amount(value, where)
    if time < 0:
        raise MechanismError(f"{where}: found {time}; expected a time >= 0")
    return time


def _amount(value: object, where: str) -> Extended:
    if isinstance(value, float) and math.isinf(value):
        return value
    return exact(value, where)
