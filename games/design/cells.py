"""Conditions on payments, cell by cell: everywhere in a cell a condition is the same linear form.

Model: a rule without its payments, a *template* ``P_n(b) = sum_k alpha_k phi_k(n, b)`` in features ``phi``, and
questions as :mod:`..proofs.statements` asks them. The code is run on symbols once for all coefficients: its results are
output times, features and S(b). So each cell of a question (:mod:`..proofs.exploration`) is a convex cone, in which
"the lie does not pay", "no deficit" and their like are ``g . z >= 0`` with ``g`` linear in the coefficients. A weak
inequality holds in a cell just where it holds in the cell's closure, hence at the closure's extreme rays: limits of
situations, where a tie breaks or the allocation jumps. Points inside the cell come near them and never there. The ray
at which a condition fails most is found by the simplex method, exactly.

>>> from consortium.mechanisms.declaration import build
>>> from consortium.scheduling.clusters import Cluster
>>> template = Template(build("evcg-postpone", Cluster.of([1]), penalty=0), 2, ("S", "E"))
>>> [str(x) for x in template.run([1, 2, 1, 2])]  # T_1, T_2, S and E of both, S
['1', '3', '4', '1', '4', '3', '4']
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import gcd, lcm
from operator import mul
from typing import Any, Final, NamedTuple, TypeAlias

from ...mechanisms.declaration.one_round import OneRound
from ...mechanisms.declaration.prices import Formula, Quantities
from ...mechanisms.declaration.protocol import Plan
from ...support.exact import scale
from ...support.progress import Clock
from ..equilibria.simplex import maximum
from ..proofs.execution import Entry, Node, Tree
from ..proofs.exploration import Exploration
from ..proofs.programs import MechanismProgram, silent
from ..proofs.questions import Lengths, Question, Rows, Run
from ..proofs.statements import ALWAYS, CONCEPTS, Request
from ..proofs.symbols import Vector, primitive

OBJECTIVES: Final = ("rent-ratio", "payment-ratio")
"""What the last unknown, r, bounds: all payments together by ``r S(b)``, or each of them."""


@dataclass(frozen=True)
class Template:
    """A rule whose payments are left open, as a program: output times, features of each agent in turn, and S(b)."""

    setting: OneRound
    n_agents: int
    features: tuple[str, ...]

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Declarations and lengths."""
        return MechanismProgram(self.setting, self.n_agents).names

    @cached_property
    def _unpaid(self) -> Any:
        return silent(replace(self.setting, payment="none", price=None))

    @cached_property
    def _formulas(self) -> tuple[Formula, ...]:
        return tuple(map(Formula, self.features))

    def run(self, x: Sequence[Any]) -> tuple[Any, ...]:
        """The results at these numbers."""
        return self.end(self.begin(x), x)

    def begin(self, x: Sequence[Any]) -> tuple[Plan, list[Any]]:
        """The plan, and what the features are by it."""
        plan = self._unpaid.plan(x[: self.n_agents])
        of = Quantities(self.setting.cluster, plan.declared, plan.allocation, plan.planned, plan.optimal_sum)
        features = [formula.payments(of) for formula in self._formulas]
        return plan, [feature[n] for n in range(self.n_agents) for feature in features]

    def end(self, begun: tuple[Plan, list[Any]], x: Sequence[Any]) -> tuple[Any, ...]:
        """The run itself."""
        plan, features = begun
        return (*self._unpaid.follow(plan, x[self.n_agents :]).output, *features, plan.optimal_sum)


class Condition(NamedTuple):
    """What must hold in a cell: ``sum_v x_v forms[v] . z >= 0`` for its points z; ``x`` are 1, coefficients and r."""

    statement: str
    agent: int | None  # whose payment or lie it is about, from 0
    question: Question
    forms: tuple[Vector, ...]
    rows: Rows  # what holds in the cell, and nowhere else
    inside: Vector  # a point of it

    def worst(self, unknowns: Sequence[int]) -> Vector | None:
        """The ray of the cell's closure at which the condition fails most with these numbers, None where it holds."""
        form = [sum(map(mul, unknowns, column)) for column in zip(*self.forms, strict=True)]
        if min(form) >= 0:
            return None
        rows = [[-a for a in row] for row, _ in self.rows if min(row) < 0]
        best = maximum([-a for a in form], [*rows, [1] * len(form)], [0] * len(rows) + [1])
        assert best is not None  # coordinates sum to at most 1
        return primitive(scale(best.point)[0]) if best.value > 0 else None

    def at(self, ray: Vector) -> Vector:
        """The condition at a ray: coefficients of the unknowns."""
        return tuple([sum(map(mul, form, ray)) for form in self.forms])


class Conditions:
    """All conditions on the coefficients of a template, found cell by cell as somebody asks for more of them.

    ``statements``: a concept, the objective, and conditions on payments. ``per_agent``: whether each agent has
    coefficients of her own.
    """

    def __init__(self, template: Template, statements: Sequence[str], lengths: Lengths, per_agent: bool) -> None:
        self.statements, self.lengths = tuple(statements), lengths
        self.n_agents, self.n_features = template.n_agents, len(template.features)
        self.per_agent = per_agent
        self.tree = Tree(template)
        self.known: list[Condition] = []
        self.cells = 0
        self._more = self._explored()

    @property
    def n_coefficients(self) -> int:
        """How many there are."""
        return self.n_features * (self.n_agents if self.per_agent else 1)

    def each(self, clock: Clock) -> Iterator[Condition]:
        """All of them, first those that are known. Raises TimeoutError where time is up."""
        for one in self.known:
            clock.check()
            yield one
        for one in self._more:
            clock.check()
            self.known.append(one)
            yield one

    def _explored(self) -> Iterator[Condition]:
        for statement, question in self.questions():
            yield from self._in_cells(question, statement)

    def questions(self) -> Iterator[tuple[str, Question]]:
        """About all payments, then about lies, with the concept."""
        for statement in ("rent-nonnegative", *self.statements):
            if statement in CONCEPTS or statement == "rent-nonnegative":
                for question in Request(statement, self.n_agents, self.lengths, in_advance=True).questions():
                    yield statement, question

    def _in_cells(self, question: Question, concept: str) -> Iterator[Condition]:
        """Conditions in the cells of a question: of an exploration whose claim fails in each of them."""
        for cell in Exploration(replace(question, claim=lambda leaves: (ALWAYS,)), (self.tree,)).failures():
            self.cells += 1
            if any(leaf.results is None for leaf in cell.leaves):
                continue  # declarations that are refused
            rows = tuple(dict.fromkeys(cell.rows[:-1]))
            for statement, agent, forms in self.claims(question, cell.leaves):
                yield Condition(statement or concept, agent, question, forms, rows, cell.point)

    def claims(self, question: Question, ends: Sequence[Node]) -> Iterator[tuple[str, int | None, tuple[Vector, ...]]]:
        """What must hold where the runs of a question end: statement (none: the concept), agent, and forms."""
        results = [_Results(leaf.results or (), run) for leaf, run in zip(ends, question.runs, strict=True)]
        n = question.agent
        for statement, agent, forms in self._about_payments(*results) if n is None else self._lie(n, *results):
            yield statement, agent, _whole(forms, question.n_coordinates)

    def _lie(self, n: int, truth: _Results, lie: _Results) -> Iterator[_Claim]:
        """That a lie brings the output no earlier than it costs."""
        if lie.entries[n] == "inf":
            return
        if truth.entries[n] == "inf":
            yield "", n, [[(-1, (ALWAYS, 1), truth.run)], *[[]] * (self.n_coefficients + 1)]
            return
        pairs = zip(self._payment(lie, n), self._payment(truth, n, -1), strict=True)
        yield "", n, [[*lie.term(n), *truth.term(n, -1)], *[[*one, *other] for one, other in pairs], []]

    def _about_payments(self, results: _Results) -> Iterator[_Claim]:
        n_agents, ratio = self.n_agents, results.term(len(results.entries) - 1)
        agents = range(n_agents)

        def rent(sign: int) -> list[list[_Term]]:
            each = [self._payment(results, n, sign) for n in agents]
            return [[term for terms in one for term in terms] for one in zip(*each, strict=True)]

        for statement in self.statements:
            if statement in ("no-deficit", "balanced"):
                yield statement, None, [[], *rent(1), []]
            if statement in ("rent-ratio", "balanced"):
                yield statement, None, [[], *rent(-1), ratio if statement == "rent-ratio" else []]
            if statement in ("prices-nonnegative", "payment-ratio"):
                sign, last = (1, []) if statement == "prices-nonnegative" else (-1, ratio)
                yield from ((statement, n, [[], *self._payment(results, n, sign), last]) for n in agents)

    def _payment(self, results: _Results, n: int, sign: int = 1) -> list[list[_Term]]:
        """What an agent pays, one form per coefficient."""
        k, place = self.n_features, n if self.per_agent else 0
        forms: list[list[_Term]] = [[]] * self.n_coefficients
        forms[place * k : (place + 1) * k] = [results.term(self.n_agents + n * k + j, sign) for j in range(k)]
        return forms


_Term: TypeAlias = tuple[int, Any, Run]
"""A result of a run, as a form with its denominator, taken so many times."""
_Claim: TypeAlias = tuple[str, int | None, list[list[_Term]]]
"""Statement (none: the concept), agent and forms, each a sum."""


class _Results(NamedTuple):
    """What one run of a cell comes to."""

    entries: tuple[Entry, ...]
    run: Run

    def term(self, k: int, sign: int = 1) -> list[_Term]:
        """One of the results, or minus it."""
        return [(sign, self.entries[k], self.run)]


def _whole(forms: Sequence[Sequence[_Term]], size: int) -> tuple[Vector, ...]:
    """Sums of results in the question's coordinates, all times one positive number that makes them small integers."""
    bottom = lcm(*(entry[1] for form in forms for _, entry, _ in form))
    vectors = []
    for form in forms:
        vector = [0] * size
        for sign, (top, below), run in form:
            factor = sign * (bottom // below)
            for a, place in zip(top, run.places, strict=False):
                if a:
                    vector[place] += factor * a
        vectors.append(vector)
    common = gcd(*(a for vector in vectors for a in vector)) or 1
    return tuple(tuple([a // common for a in vector]) for vector in vectors)
