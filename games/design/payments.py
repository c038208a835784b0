"""The best payments on a finite domain: an exact linear program, or longest paths where these are enough.

The unknowns are the payments of every agent at every profile of declarations. They make the truth best where they meet
the rows of the envy graphs (:mod:`.envy`), and may be asked for more:

- ``no-deficit``: ``sum P >= 0`` at every declared profile (Agmon 2003, definition 4.4);
- ``balanced``: ``sum P = 0`` there;
- ``prices-nonnegative``: nobody is ever paid;
- ``takes-part``: no truthful agent among truthful others ends below 0;
- ``cap``: the truthful never pay more than this in sum;
- ``anonymous``: what one pays depends on her declaration and on which numbers the others declare, not on who does.

Objectives look at truthful profiles: the rent, which is the sum of payments (largest, in sum, expected under a prior,
largest in units of the least sum of output times S), the largest payment, the *spread*, which is how far what two
agents bear, in time and money, lies apart; or the most rent, or the most *strictness*: by how much every lie costs more
than the truth. What a linear program leaves open is settled by a second and a third objective, the spread and the
largest payment, so that the answer is a rule to be read; where paying nothing is as good, nobody pays.

Where payments only need a floor, the least payments above it are the best at once for every objective that does not
fall when payments rise, and are longest paths (:func:`.cycles.least_payments`). An optimum on a finite domain bounds
from below what any rule takes on a larger one.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from math import gcd, prod
from typing import Any, Final, Literal

import numpy as np

from ...mechanisms.declaration.one_round import OneRound
from ...mechanisms.declaration.protocol import DeclarationMechanism, play
from ...scheduling.clusters import Cluster
from ...scheduling.sums import optimal_sum
from ...support.errors import InputError, TooLargeError
from ...support.exact import INF, Extended, scale
from ...support.progress import Clock, Progress
from ..verification.domain import Concept, Domain, Profile, with_entry
from . import FLOORS, MINIMISED
from .cycles import balanced_near, least_payments
from .envy import Graphs, Label, profiles
from .programs import Answer, Program

RISING: Final = frozenset({*MINIMISED, "payment-ratio"}) - {"spread"}
"""Objectives that do not fall when payments rise; the largest payment in units of S is for bounds of formulas only."""

MOST_PAYMENTS: Final = 200_000
"""Agents times profiles of declarations."""
FEW_ROWS: Final = 1_000
"""Rows of truth up to which a program comes before projections: it finds the smallest spread too."""
MOST_ROWS: Final = 10_000
"""Rows of truth in a program; where there are more, those that others imply are left out (but not of strictness)."""


@dataclass(frozen=True)
class Question:
    """What the payments are to be best at, and what else they must be.

    Attributes
    ----------
    domain, concept
        Possible lengths and declarations, and when the truth has to be best.
    objective
        One of :data:`MINIMISED`, or of :data:`MAXIMISED` with ``most``.
    conditions
        Some of :data:`CONDITIONS`.
    cap
        With the condition of that name.
    fine
        What a lie that is seen costs besides.
    values
        V_n, for ``takes-part``.
    prior
        Probabilities of lengths by agent, for ``rent-prior``.
    """

    domain: Domain
    concept: Concept = "dominant"
    objective: str = "rent"
    most: bool = False
    conditions: frozenset[str] = frozenset({"no-deficit"})
    cap: Fraction | None = None
    fine: Fraction = Fraction(0)
    values: tuple[Fraction, ...] = ()
    prior: Sequence[Mapping[Fraction, Fraction]] | None = None

    def __post_init__(self) -> None:
        size = self.domain.profiles * self.domain.n_agents
        if size > MOST_PAYMENTS:
            raise TooLargeError(
                f"design: the domain has {size:,} payments, one for each agent and profile of declarations; the limit "
                f"is {MOST_PAYMENTS:,}. Take fewer declarations, or a template"
            )
        if not self.most and self.objective in RISING and not self.conditions & FLOORS:
            raise InputError(
                f"subject_to: found no floor under the payments, so the least {self.objective} is unbounded; expected "
                "no-deficit, prices-nonnegative or balanced among the conditions"
            )
        if self.most and self.objective == "rent" and not self.conditions & {"takes-part", "cap", "balanced"}:
            raise InputError(
                "subject_to: found no limit of the payments, so the most rent is unbounded; expected takes-part or a "
                "cap among the conditions"
            )
        if "anonymous" in self.conditions and not self.domain.alike:
            raise InputError("subject_to: found anonymous, but agents differ in [domain]; expected one list for all")
        if (self.cap is None) == ("cap" in self.conditions):
            raise InputError(f"subject_to: found {self.cap} as the cap; expected one with the condition of that name")
        agents = self.domain.n_agents
        for name, listed in (("takes-part", self.values), ("rent-prior", self.prior or ())):
            if name in (*self.conditions, self.objective) and len(listed) != agents:
                raise InputError(f"{name}: found numbers of {len(listed)} agents; expected those of all {agents}")

    @cached_property
    def declared(self) -> tuple[Profile, ...]:
        """All profiles at which payments are needed."""
        return tuple(profiles(self.domain, self.concept))

    @cached_property
    def truthful(self) -> tuple[Profile, ...]:
        """Those that truthful agents declare."""
        return tuple(itertools.product(*self.domain.lengths))

    def weight(self, profile: Profile) -> Fraction:
        """How often a truthful profile counts in a sum: its probability for ``rent-prior``, else once."""
        if self.objective != "rent-prior" or self.prior is None:
            return Fraction(1)
        chances = (own.get(b, Fraction(0)) for own, b in zip(self.prior, profile, strict=True))
        return prod(chances, start=Fraction(1))


@dataclass(frozen=True)
class Planned:
    """What a profile of declarations plans: everybody's output time, and the least sum of them."""

    times: tuple[Fraction, ...]
    least_sum: Fraction


def plans(
    mechanism: DeclarationMechanism, cluster: Cluster, declared: Iterable[Profile], clock: Clock | None = None
) -> dict[Profile, Planned]:
    """Output times of the truthful, and S. Raises TimeoutError, and InputError where a truthful job is never done."""
    planned: dict[Profile, Planned] = {}
    for b in declared:
        if clock is not None and len(planned) % 256 == 0:
            clock.check()
        times: Sequence[Extended | None]
        if type(mechanism) is OneRound:  # all that it plans for the truthful happens
            times = mechanism.allocation(b).end_times(cluster, b)
        elif None in (times := play(mechanism, b, b).output) or INF in times:
            raise InputError("design: found a truthful agent whose job never ends; expected that it does")
        planned[b] = Planned(tuple(Fraction(t) for t in times if t is not None), optimal_sum(cluster, b))
    return planned


@dataclass(frozen=True)
class Payments:
    """Payments, or why there are none.

    Attributes
    ----------
    status
        ``optimal``, with the rows that prove it; ``impossible``, with the rows that contradict each other; ``open``:
        the value is not proved to be best.
    value
        Of the objective.
    table
        What everybody pays, by profile; empty without payments.
    rows
        Rows of the program and their multipliers.
    """

    status: Literal["optimal", "impossible", "open"]
    value: Fraction | None = None
    table: Mapping[Profile, tuple[Fraction, ...]] = field(default_factory=dict)
    rows: tuple[tuple[Label, Fraction], ...] = ()


def best_payments(
    question: Question,
    graphs: Sequence[Graphs],
    planned: Mapping[Profile, Planned],
    progress: Progress | None = None,
    clock: Clock | None = None,
) -> Payments:
    """The best payments of a question whose envy graphs have no negative cycle, see :func:`.cycles.negative_cycle`.

    Raises TimeoutError when time is up before there are any.

    >>> from consortium.mechanisms.declaration import build
    >>> from .envy import bare, envy
    >>> cluster, domain = Cluster.of([1]), Domain.of([1, 2, 3], agents=2)
    >>> light = bare(build("light-vcg", cluster))
    >>> question = Question(domain, "ex-post", conditions=frozenset({"prices-nonnegative"}))
    >>> best_payments(question, envy(light, domain, "ex-post"), plans(light, cluster, question.declared)).value
    Fraction(3, 1)
    """
    clock = clock or Clock(None)
    best = _least(question, graphs, planned) or _balanced(question, graphs, planned, clock)
    if best is None:
        best = _Rows(question, graphs, planned, clock, progress).best()
    nothing = unpaid(question)
    if not best.table or question.objective == "strictness" or value_of(question, nothing, planned) != best.value:
        return best
    return best if broken(question, graphs, planned, nothing) else replace(best, table=nothing)


def unpaid(question: Question) -> dict[Profile, tuple[Fraction, ...]]:
    """The table in which nobody pays anything."""
    return dict.fromkeys(question.declared, (Fraction(0),) * question.domain.n_agents)


def value_of(
    question: Question, table: Mapping[Profile, Sequence[Fraction]], planned: Mapping[Profile, Planned]
) -> Fraction:
    """The objective of these payments; not the strictness, which is no number of the payments alone."""
    rents = {b: sum(table[b], start=Fraction(0)) for b in question.truthful}
    if question.objective in ("rent", "rent-ratio"):
        return (min if question.most else max)(rent / _unit(question, planned, b) for b, rent in rents.items())
    if question.objective in ("rent-sum", "rent-prior"):
        return sum((question.weight(b) * rent for b, rent in rents.items()), start=Fraction(0))
    if question.objective in ("payment", "payment-ratio"):
        return max(paid / _unit(question, planned, b) for b in rents for paid in table[b])
    assert question.objective == "spread"
    borne = ([e + p for e, p in zip(planned[b].times, table[b], strict=True)] for b in rents)
    return max(max(own) - min(own) for own in borne)


def _unit(question: Question, planned: Mapping[Profile, Planned], b: Profile) -> Fraction:
    """In what an objective is measured at a profile; ratios in S."""
    return planned[b].least_sum if question.objective.endswith("-ratio") else Fraction(1)


def _least(question: Question, graphs: Sequence[Graphs], planned: Mapping[Profile, Planned]) -> Payments | None:
    """The least payments that are not negative, with the paths that say why.

    ``None`` where they are above a limit, and where more than a floor is asked for or less may be better.
    """
    floor_only = question.conditions <= {"prices-nonnegative", "no-deficit", "takes-part", "cap"}
    rising = not question.most and question.objective in RISING
    if "prices-nonnegative" not in question.conditions or not floor_only or not rising or question.fine:
        return None
    bills = {b: [Fraction(0)] * len(b) for b in question.declared}  # ex post nobody is asked when two others lie
    for own in graphs:
        paid, _ = least_payments(own)
        for others, row in zip(own.others, paid.tolist(), strict=True):
            for declared, units in zip(own.nodes, row, strict=True):
                bills[own.at(others, declared)][own.agent] = Fraction(units, own.unit)
    table = {b: tuple(bill) for b, bill in bills.items()}
    if next(_conditions_broken(question, planned, table), None) is not None:
        return None
    value = value_of(question, table, planned)
    rows: dict[Label, Fraction] = {}
    for b, agents, weight, label in _decisive(question, planned, table, value):
        for n in agents:
            for step in _path(graphs[n], b, table, n):
                rows[step] = rows.get(step, Fraction(0)) + weight
        if label is not None:
            rows[label] = weight
    return Payments("optimal", value, table, tuple(rows.items()))


def condition_rows(
    question: Question, planned: Mapping[Profile, Planned]
) -> Iterator[tuple[Label, dict[tuple[int, Profile], int], Fraction]]:
    """Rows that the conditions ask for, but anonymity: name, coefficients by agent and profile, right side.

    Without plans the right side of ``takes-part`` is the value alone.
    """
    conditions, zero, everybody = question.conditions, Fraction(0), range(question.domain.n_agents)
    for b in question.declared:
        if conditions & {"no-deficit", "balanced"}:
            yield ("no-deficit", b), {(n, b): -1 for n in everybody}, zero
        if "balanced" in conditions:
            yield ("balanced", b), {(n, b): 1 for n in everybody}, zero
        if "prices-nonnegative" in conditions:
            yield from ((("prices-nonnegative", n, b), {(n, b): -1}, zero) for n in everybody)
    for b in question.truthful:
        if question.cap is not None:
            yield ("cap", b), {(n, b): 1 for n in everybody}, question.cap
        if "takes-part" in conditions:
            times = planned[b].times if planned else (zero,) * len(b)
            for n, (value, time) in enumerate(zip(question.values, times, strict=True)):
                yield ("takes-part", n, b), {(n, b): 1}, value - time


def _conditions_broken(
    question: Question, planned: Mapping[Profile, Planned], table: Mapping[Profile, Sequence[Fraction]]
) -> Iterator[Label]:
    """Rows of the conditions that these payments break."""
    for label, row, right in condition_rows(question, planned):
        if sum((c * table[b][n] for (n, b), c in row.items()), start=Fraction(0)) > right:
            yield label
    if "anonymous" in question.conditions:
        seen: dict[Any, Fraction] = {}
        for b in question.declared:
            for n, paid in enumerate(table[b]):
                if seen.setdefault(_alike(n, b), paid) != paid:
                    yield "anonymous", n, b


def _alike(n: int, b: Profile) -> Profile:
    """What payments that are anonymous depend on."""
    return (b[n], *sorted((*b[:n], *b[n + 1 :])))


def broken(
    question: Question, graphs: Sequence[Graphs], planned: Mapping[Profile, Planned], table: Mapping[Profile, Any]
) -> Label | None:
    """The first row of the question that these payments break, strictness aside; ``None`` where they meet all."""
    first = {b: k * len(b) for k, b in enumerate(table)}
    whole, unit = scale(itertools.chain(*table.values()))
    for own in with_fine(graphs, question.fine):
        places = [[first[own.at(others, b)] + own.agent for b in own.nodes] for others in own.others]
        paid = np.array(whole, dtype=object)[np.array(places)] * own.unit
        envied = paid[:, list(own.truths), None] - paid[:, None, :] > own.weight.astype(object) * unit
        if (own.edge & envied).any():
            return own.row(np.argwhere(own.edge & envied)[0].tolist())[0]
    return next(_conditions_broken(question, planned, table), None)


def _balanced(
    question: Question, graphs: Sequence[Graphs], planned: Mapping[Profile, Planned], clock: Clock
) -> Payments | None:
    """Payments that sum to 0: everybody bears the same in time and money where that is possible, else nearly the same.

    Nothing is better than a rent of 0 without a deficit, and no spread is smaller than that of equal shares. The
    program finds the same rent, a hundred times slower, and may not be able to round its point.
    """
    rents = ("rent", "rent-sum", "rent-prior", "rent-ratio")
    if question.most or question.objective not in rents or not question.conditions & {"no-deficit", "balanced"}:
        return None
    table = {}
    for b in question.declared:
        times = planned[b].times
        share = sum(times, start=Fraction(0)) / len(times)
        table[b] = tuple(share - time for time in times)
    if broken(question, graphs, planned, table) is not None:
        small = _truths(graphs) <= FEW_ROWS
        near = None if small else balanced_near(with_fine(graphs, question.fine), table, clock)
        if near is None or broken(question, graphs, planned, near) is not None:
            return None
        table = near
    rows: list[tuple[Label, Fraction]] = []
    for b, _, weight, label in _decisive(question, planned, table, Fraction(0)):
        rows += [(("no-deficit", b), weight)] + ([] if label is None else [(label, weight)])
    return Payments("optimal", Fraction(0), table, tuple(rows))


def _decisive(
    question: Question, planned: Mapping[Profile, Planned], table: Mapping[Profile, Sequence[Fraction]], value: Fraction
) -> Iterator[tuple[Profile, Iterable[int], Fraction, Label | None]]:
    """Profiles and agents whose payments add up to the value, how often each counts, and the row that says so."""
    name, everybody = question.objective, range(question.domain.n_agents)
    if name in ("rent-sum", "rent-prior"):
        yield from ((b, everybody, question.weight(b), None) for b in question.truthful if question.weight(b))
        return
    units = ((b, _unit(question, planned, b)) for b in question.truthful)
    if name in ("payment", "payment-ratio"):
        b, unit, n = next((b, unit, n) for b, unit in units for n in everybody if table[b][n] == value * unit)
        yield b, (n,), 1 / unit, (name, n, b)
    else:
        b, unit = next((b, unit) for b, unit in units if sum(table[b]) == value * unit)
        yield b, everybody, 1 / unit, (name, b)


def _path(own: Graphs, b: Profile, table: Mapping[Profile, Sequence[Fraction]], n: int) -> Iterator[Label]:
    """Rows of truth from a payment of 0 to this one, which they force, and the floor at the beginning."""
    others = with_entry(b, n)
    graph, end = own.others.index(others), own.nodes.index(b[n])
    paid = [table[own.at(others, node)][n] for node in own.nodes]
    after: dict[int, tuple[int, int]] = {end: (end, 0)}
    for at in (queue := [end]):  # backwards over tight rows, which may go round in circles, to a payment of 0
        if paid[at] == 0:
            break
        for i, u in enumerate(own.truths):
            later = Fraction(int(own.weight[graph, i, at]), own.unit)
            if own.edge[graph, i, at] and u not in after and paid[u] - paid[at] == later:
                after[u] = at, i
                queue.append(u)
    yield ("prices-nonnegative", n, own.at(others, own.nodes[at]))
    while at != end:
        then, i = after[at]
        yield own.row((graph, i, then))[0]
        at = then


def _truths(graphs: Sequence[Graphs]) -> int:
    """Number of rows of truth."""
    return sum(int(own.edge.sum()) for own in graphs)


class _Rows:
    """The linear program of a question; a large one leaves out rows of truth that others imply."""

    def __init__(
        self,
        question: Question,
        graphs: Sequence[Graphs],
        planned: Mapping[Profile, Planned],
        clock: Clock,
        progress: Progress | None,
    ) -> None:
        self.question, self.graphs, self.planned, self.clock, self.progress = question, graphs, planned, clock, progress
        # S in a unit of its own: coefficients stay small, whatever the unit of lengths
        sizes, unit = scale(planned[b].least_sum for b in question.truthful)
        self.size_unit = Fraction(gcd(*sizes), unit)
        seen: dict[Any, int] = {}
        pairs = ((n, b) for b in question.declared for n in range(len(b)))
        anonymous = "anonymous" in question.conditions
        self.place = {(n, b): seen.setdefault(_alike(n, b) if anonymous else (n, b), len(seen)) for n, b in pairs}
        self.program = Program(len(seen))
        self.strictness = self.program.variable() if question.most and question.objective == "strictness" else None
        if self.strictness is not None:
            self.program.add({self.strictness: -1}, Fraction(0), ("strict",))
        many = self.strictness is None and _truths(graphs) > MOST_ROWS
        for own in with_fine(graphs, question.fine):
            clock.check()
            for at in np.argwhere(own.essential if many else own.edge).tolist():
                self._truth(*own.row(at))
        for label, row, right in condition_rows(question, planned):
            self.program.add(self._placed(row), right, label)

    def _truth(self, label: Label, later: Fraction) -> None:
        """Add a row of truth."""
        _, n, others, true, declared = label
        honest, lied = ((n, with_entry(others, n, b)) for b in (true, declared))
        row = self._placed({honest: 1, lied: -1})
        if self.strictness is not None:
            row[self.strictness] = 1
        self.program.add(row, later, label)

    def _placed(self, row: Mapping[tuple[int, Profile], int]) -> dict[int, Any]:
        """Coefficients by variable; agents may share a payment."""
        placed: dict[int, Any] = {}
        for payment, c in row.items():
            k = self.place[payment]
            placed[k] = placed.get(k, 0) + c
        return placed

    def objective(self, name: str, most: bool = False) -> dict[int, Fraction | int]:
        """What is minimised; rows that it needs are added."""
        question, add, zero = self.question, self.program.add, Fraction(0)
        if name == "strictness":
            assert self.strictness is not None
            return {self.strictness: -1}
        rents = {b: self._placed({(n, b): 1 for n in range(len(b))}) for b in question.truthful}
        if name in ("rent-sum", "rent-prior"):
            total: dict[int, Fraction | int] = {}
            for b, rent in rents.items():
                for k, c in rent.items():
                    total[k] = total.get(k, zero) + question.weight(b) * c
            return total
        t, sign = self.program.variable(), -1 if most else 1
        for b, rent in rents.items():
            size = self.planned[b].least_sum / self.size_unit if name.endswith("-ratio") else Fraction(1)
            if name in ("rent", "rent-ratio"):
                add({**{k: sign * c for k, c in rent.items()}, t: -sign * size}, zero, (name, b))
            elif name in ("payment", "payment-ratio"):
                for n in range(len(b)):
                    add({self.place[n, b]: 1, t: -size}, zero, (name, n, b))
            else:  # all that agents bear at a profile lies between a number and t more
                low = self.program.variable()
                for n, time in enumerate(self.planned[b].times):
                    add({low: 1, self.place[n, b]: -1}, time, ("spread-low", n, b))
                    add({self.place[n, b]: 1, low: -1, t: -1}, -time, ("spread", n, b))
        return {t: sign}

    def best(self) -> Payments:
        """Solve for the objective, then for those that make the answer readable."""
        question = self.question
        if self.progress is not None:
            self.progress(0, None, f"linear program of {len(self.program.rows)} rows")
        objective = self.objective(question.objective, question.most)
        answer = self.program.least(objective, self.clock)
        ratio = self.size_unit if question.objective.endswith("-ratio") else Fraction(1)
        if answer.status == "unbounded":
            raise InputError(
                f"design: the {'most' if question.most else 'least'} {question.objective} is unbounded on this domain; "
                "expected a condition that limits it"
            )
        if answer.status == "infeasible":
            return Payments("impossible", rows=self._labelled(answer))
        if answer.point is None or answer.value is None:
            return Payments("open")
        rows = tuple((label, y / ratio) for label, y in self._labelled(answer))
        value = answer.value / ratio
        status: Literal["optimal", "open"] = "optimal" if answer.status == "optimal" else "open"
        point = self._refined(objective, answer)
        table = {b: tuple(point[self.place[n, b]] for n in range(len(b))) for b in question.declared}
        return Payments(status, -value if question.most else value, table, rows)

    def _refined(self, objective: Mapping[int, Fraction | int], answer: Answer) -> list[Fraction]:
        """The point of the second and the third objective among those that are as good; as far as time allows."""
        assert answer.point is not None
        assert answer.value is not None
        point, value = answer.point, answer.value
        for name in ("spread", "payment"):
            if name == self.question.objective:
                continue
            self.program.add(objective, value, ("as good",))
            objective = self.objective(name)
            try:
                better = self.program.least(objective, self.clock, proof=False)
            except TimeoutError:
                break
            if better.point is None or better.value is None:
                break
            point, value = better.point, better.value
        return point

    def _labelled(self, answer: Answer) -> tuple[tuple[Label, Fraction], ...]:
        return tuple((self.program.labels[k], y) for k, y in sorted(answer.multipliers.items()))


def with_fine(graphs: Sequence[Graphs], fine: Fraction) -> tuple[Graphs, ...]:
    """The envy graphs where every lie that is seen costs so much more."""
    if not fine:
        return tuple(graphs)
    changed = []
    for own in graphs:
        unit = own.unit * fine.denominator
        raised = own.weight.astype(object) * fine.denominator + int(fine * unit)
        changed.append(replace(own, weight=np.where(own.edge, raised, 0), unit=unit, fine=own.fine + fine))
    return tuple(changed)
