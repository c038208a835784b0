"""Conditions on payments or penalties, cell by cell: everywhere in a cell a condition is the same linear form.

Model: a rule without its payments, a *template* ``P_n(b) = sum_k alpha_k phi_k(n, b)`` in features ``phi``, and
questions as :mod:`..proofs.statements` asks them. The code is run on symbols once for all coefficients: its results are
output times, features and S(b). So each cell of a question (:mod:`..proofs.exploration`) is a convex cone, in which
"the lie does not pay", "no deficit" and their like are ``g . z >= 0`` with ``g`` linear in the coefficients. A weak
inequality holds in a cell just where it holds in the cell's closure, hence at the closure's extreme rays: limits of
situations, where a tie breaks or the allocation jumps. Points inside the cell come near them and never there. The ray
at which a condition fails most is found by the simplex method, exactly.

Penalties: payments are known and the waits ``s_n(b) = sum_k beta_k psi_k(n, b)`` of a rule that postpones are sought
(:class:`Waits`). The output of a liar is there at the later of two times, when it would be without a wait, and
``E_n + s_n + (theta_n - b_n)/c``. So cells are cut once more, and where the lie would pay without a wait, and only
there, the second time has to be late enough. Waits of other liars ahead of her can make it later; but where these
others declare enough nobody waits ahead of her, and her gain is no smaller, so that no less is asked of ``s_n``.

>>> from consortium.mechanisms.declaration import build
>>> from consortium.scheduling.clusters import Cluster
>>> template = Template(build("evcg-postpone", Cluster.of([1]), penalty=0), 2, ("S", "E"))
>>> [str(x) for x in template.run([1, 2, 1, 2])]  # T_1, T_2, S and E of both, S
['1', '3', '4', '1', '4', '3', '4']
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
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
from ..proofs.questions import Claim, Lengths, Question, Rows, Run
from ..proofs.statements import ALWAYS, CONCEPTS, Request
from ..proofs.symbols import Vector, primitive

OBJECTIVES: Final = ("rent-ratio", "payment-ratio")
"""What the last unknown, r, bounds: all payments together by ``r S(b)``, or each of them."""
WAIT_RATIO, WAIT_FLOOR = "penalty-ratio", "penalties-nonnegative"
"""What it bounds where penalties are sought: each of them by ``r S(b)``; and that none is negative."""


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
    def _rule(self) -> Any:
        return silent(replace(self.setting, payment="none", price=None))

    @cached_property
    def _formulas(self) -> tuple[Formula, ...]:
        return tuple(map(Formula, self.features))

    def run(self, x: Sequence[Any]) -> tuple[Any, ...]:
        """The results at these numbers."""
        return self.end(self.begin(x), x)

    def begin(self, x: Sequence[Any]) -> tuple[Plan, list[Any]]:
        """The plan, and what the features are by it."""
        plan = self._rule.plan(x[: self.n_agents])
        of = Quantities(self.setting.cluster, plan.declared, plan.allocation, plan.planned, plan.optimal_sum)
        features = [formula.payments(of) for formula in self._formulas]
        return plan, [feature[n] for n in range(self.n_agents) for feature in features]

    def end(self, begun: tuple[Plan, list[Any]], x: Sequence[Any]) -> tuple[Any, ...]:
        """The run itself."""
        plan, features = begun
        return (*self._rule.follow(plan, x[self.n_agents :]).output, *features, plan.optimal_sum)


@dataclass(frozen=True)
class Waits(Template):
    """A rule whose penalty is left open: output times without a wait, payments, ends of what is left, features, S(b).

    What is left of each job ends then if it begins at the planned time.
    """

    @cached_property
    def _rule(self) -> Any:
        return silent(replace(self.setting, penalty=Fraction(0)))

    def end(self, begun: tuple[Plan, list[Any]], x: Sequence[Any]) -> tuple[Any, ...]:
        """The run itself."""
        plan, features = begun
        lengths, powers = x[self.n_agents :], self.setting.cluster.powers
        jobs = zip(plan.planned, plan.places, plan.declared, lengths, strict=True)
        ends = [end + (theta - b) / powers[place[0]] for end, place, b, theta in jobs if end is not None and place]
        return (*self._rule.follow(plan, lengths).output, *(plan.payments or ()), *ends, *features, plan.optimal_sum)


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
        self.tree, self.waits = Tree(template), isinstance(template, Waits)
        self.known: list[Condition] = []
        self.cells = 0
        self._more = itertools.chain.from_iterable(itertools.starmap(self._in_cells, self.questions()))

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

    def questions(self) -> Iterator[tuple[str, Question]]:
        """About all payments, then about lies, with the concept."""
        for statement in ("rent-nonnegative", *self.statements):
            if statement in CONCEPTS or statement == "rent-nonnegative":
                for question in Request(statement, self.n_agents, self.lengths, in_advance=True).questions():
                    yield statement, question

    def _in_cells(self, concept: str, question: Question) -> Iterator[Condition]:
        """Conditions in the cells of a question: of an exploration whose claim fails in each of them."""
        for cell in Exploration(replace(question, claim=self.positive(question)), (self.tree,)).failures():
            self.cells += 1
            if any(leaf.results is None for leaf in cell.leaves):
                continue  # declarations that are refused
            rows = tuple(dict.fromkeys(cell.rows))
            for statement, agent, forms in self.claims(question, cell.leaves):
                yield Condition(statement or concept, agent, question, forms, rows, cell.point)

    def positive(self, question: Question) -> Claim:
        """From where the runs of a question end to a form that is positive just where there are conditions."""
        return question.claim if self.waits and question.agent is not None else lambda leaves: (ALWAYS,)

    def claims(self, question: Question, ends: Sequence[Node]) -> Iterator[tuple[str, int | None, tuple[Vector, ...]]]:
        """What must hold where the runs of a question end: statement (none: the concept), agent, and forms."""
        results = [_Results(leaf.results or (), run) for leaf, run in zip(ends, question.runs, strict=True)]
        claims = self._about_payments(*results) if question.agent is None else self._lie(question, *results)
        for statement, agent, forms in claims:
            yield statement, agent, _whole(forms, question.n_coordinates)

    def _lie(self, question: Question, truth: _Results, lie: _Results) -> Iterator[_Claim]:
        """That a lie brings the output no earlier than it costs."""
        n, n_agents = question.agent, self.n_agents
        assert n is not None
        if lie.entries[n] == "inf":
            return
        if truth.entries[n] == "inf":
            yield "", n, [[(-1, (ALWAYS, 1), truth.run)], *[[]] * (self.n_coefficients + 1)]
            return
        pairs = zip(self._template(lie, n), self._template(truth, n, -1), strict=True)
        late, forms = lie.term(n), [[*one, *other] for one, other in pairs]
        if self.waits:  # she may wait after a lie below the truth, and never after one above it
            at = 2 * n_agents + n if question.side == "below" else n
            late = [*lie.term(at), *lie.term(n_agents + n), *truth.term(n_agents + n, -1)]
            forms = [[]] * len(forms) if at == n else self._template(lie, n)
        yield "", n, [[*late, *truth.term(n, -1)], *forms, []]

    def _about_payments(self, results: _Results) -> Iterator[_Claim]:
        n_agents, ratio = self.n_agents, results.term(len(results.entries) - 1)
        agents = range(n_agents)

        def rent(sign: int) -> list[list[_Term]]:
            each = [self._template(results, n, sign) for n in agents]
            return [[term for terms in one for term in terms] for one in zip(*each, strict=True)]

        for statement in self.statements:
            if statement in ("no-deficit", "balanced"):
                yield statement, None, [[], *rent(1), []]
            if statement in ("rent-ratio", "balanced"):
                yield statement, None, [[], *rent(-1), ratio if statement == "rent-ratio" else []]
            if statement in ("prices-nonnegative", "payment-ratio", WAIT_FLOOR, WAIT_RATIO):
                sign, last = (-1, ratio) if statement.endswith("ratio") else (1, [])
                yield from ((statement, n, [[], *self._template(results, n, sign), last]) for n in agents)

    def _template(self, results: _Results, n: int, sign: int = 1) -> list[list[_Term]]:
        """What an agent pays, or how long she waits, one form per coefficient."""
        k, place = self.n_features, n if self.per_agent else 0
        forms: list[list[_Term]] = [[]] * self.n_coefficients
        first = len(results.entries) - 1 - (self.n_agents - n) * k
        forms[place * k : (place + 1) * k] = [results.term(first + j, sign) for j in range(k)]
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
