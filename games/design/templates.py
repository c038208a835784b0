r"""The best payments of a given form for all lengths: a formula, found by counterexamples and proved.

Model: payments ``P_n(b) = sum_k alpha_k phi_k(n, b)``, where the features ``phi`` are formulas over a plan
(:class:`...mechanisms.declaration.prices.Formula`): S, W, E, own, all, other(k), max and min of them. Allocation and
job control are those of a rule. Wanted are coefficients, the same for all agents or each agent's own, under which the
truth is best and payments are as asked, with the least r such that ``R(b) <= r S(b)`` for all b, R the sum of payments.
Lengths have no bound, so rent is measured as a ratio.

Loop: a linear program over the conditions met so far gives coefficients and r; conditions that fail there are added,
each at the point of its cell's closure where it fails most (:mod:`.cells`); until none fails. Cells and their extreme
rays are finitely many, so it ends: with coefficients whose r is the least, or with a proof that there are none. Points
inside the cells would come nearer to the answer without end, because the greatest rents are limits at jumps.

An answer is proved again, by the prover and for the mechanism that has these payments. That r cannot be less is shown
by the program's dual: a few *limit situations* with multipliers. Their conditions add up to ``r >= value`` whatever the
coefficients are, and to ``0 >= 1`` where none do. Among the best coefficients those with the least sum of absolute
values are taken.

>>> from consortium.mechanisms.declaration import build
>>> from consortium.scheduling.clusters import Cluster
>>> from consortium.scheduling.goals import WeightedSum
>>> weighted = build("evcg-renice", Cluster.of([1]), WeightedSum((1, 9)), penalty=1)
>>> design = design_formula(weighted, 2, concept="ex-post")
>>> design.status, design.value, len(design.limits)
('optimal', Fraction(8, 11), 4)
>>> design_formula(weighted, 2, ("S", "E"), concept="ex-post").status
'impossible'

The same of penalties (:func:`design_penalty`): payments are those of a rule that postpones, the wait of a remainder is
the sum of features, never negative, and r S(b) bounds each wait.

>>> waits = design_penalty(build("evcg-postpone", Cluster.of([1]), WeightedSum((1, 9))), 2, ("S", "own"))
>>> waits.value, waits.formulas, len(waits.limits)
(Fraction(8, 11), ('8/11*S',), 2)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import gcd
from typing import Final

from ...mechanisms.declaration.claims import AFTER_THE_RUN
from ...mechanisms.declaration.one_round import OneRound
from ...mechanisms.declaration.penalties import check_penalty
from ...mechanisms.declaration.prices import Formula
from ...support.errors import InputError, unknown_name
from ...support.exact import scale
from ...support.progress import Clock, Progress
from ..equilibria.simplex import maximum
from ..proofs.execution import two_answers
from ..proofs.exploration import CTRL_C, TIME
from ..proofs.programs import MechanismProgram
from ..proofs.prover import Prover
from ..proofs.questions import ALL_LENGTHS, Lengths
from ..proofs.statements import CONCEPTS
from ..proofs.strategies import Proof
from ..proofs.symbols import Vector, primitive
from .cells import OBJECTIVES, WAIT_FLOOR, WAIT_RATIO, Condition, Conditions, Template, Waits
from .formulas import FormulaDesign, Limit, formula_of, priced

FEATURES: Final = ("S", "E", "W", "own", "all")
"""Those of a template when none are named."""
CONDITIONS: Final[Mapping[str, str]] = {
    "no-deficit": "rent-nonnegative",
    "prices-nonnegative": "payments-nonnegative",
    "balanced": "budget-balanced",
}
"""What payments can be subject to, and how the prover calls it."""
NEVER_NEGATIVE: Final = CONDITIONS["prices-nonnegative"]
ROUND: Final = 8
"""Conditions that are added at once."""


def design_formula(
    setting: OneRound,
    n_agents: int,
    features: Sequence[str] = FEATURES,
    conditions: Sequence[str] = ("no-deficit",),
    concept: str = "dominant",
    per_agent: bool = False,
    clock: Clock | None = None,
    progress: Progress | None = None,
    *,
    objective: str = "rent-ratio",
    lengths: Lengths = ALL_LENGTHS,
    processes: int = 1,
) -> FormulaDesign:
    """The coefficients of features that make the best payments for all lengths, proved; or why there are none.

    Parameters
    ----------
    setting
        A rule in one round, of which everything but the payments is used: machines, goal and ties (or an allocation
        rule of one's own), job control with its penalty.
    n_agents
        For how many agents.
    features
        Formulas that the payments are to be a sum of multiples of.
    conditions
        What must hold for all declarations: ``no-deficit`` (payments never sum to less than 0), ``prices-nonnegative``
        (nobody is ever paid), ``balanced`` (payments sum to 0); at least one of them, or r has no least value.
    concept
        ``"dominant"`` or ``"ex-post"``.
    per_agent
        Whether each agent has coefficients of her own.
    clock, progress
        When time is up the design is open, with what r is at least; Ctrl-C does the same.
    objective
        What r bounds: the sum of the payments (``"rent-ratio"``) or each payment (``"payment-ratio"``) by r S(b).
    lengths
        Lengths and declarations meant.
    processes
        For the last proofs, as of :func:`...proofs.prover.prove`.

    Raises
    ------
    InputError
        Something asked for is not known, or the rule's payments cannot be replaced.
    MechanismError
        The allocation rule keeps state, is random, or is not piecewise linear.
    """
    for name in conditions:
        if name not in CONDITIONS:
            raise unknown_name("condition", name, tuple(CONDITIONS))
    if objective not in OBJECTIVES:
        raise unknown_name("objective", objective, OBJECTIVES)
    if not conditions:
        raise InputError(
            "subject_to: found no floor under the payments, so that r has no least value; expected one of "
            f"{', '.join(CONDITIONS)} among the conditions"
        )
    what = FormulaDesign("open", concept, objective, tuple(conditions), tuple(features), n_agents, per_agent)
    return _searched(what, setting, lengths, clock, progress, processes)


def design_penalty(
    setting: OneRound,
    n_agents: int,
    features: Sequence[str],
    concept: str = "dominant",
    clock: Clock | None = None,
    progress: Progress | None = None,
    *,
    lengths: Lengths = ALL_LENGTHS,
    processes: int = 1,
) -> FormulaDesign:
    """The coefficients of features that make the shortest waits under which the truth is best, for all lengths, proved.

    Parameters
    ----------
    setting
        A rule in one round that postpones, of which everything but the penalty is used: its payments too.
    n_agents, features, concept, clock, progress, lengths, processes
        As of :func:`design_formula`; r S(b) bounds each wait of a postponed remainder, and none is negative.

    Raises
    ------
    InputError
        Something asked for is not known, or the rule does not postpone, or has payments for some declarations only.
    MechanismError
        The allocation rule keeps state, is random, or is not piecewise linear.
    """
    if isinstance(setting, OneRound) and setting.tools.alive != "postpone":
        raise InputError(f"penalty_template: found rule {setting.rule!r} without a wait; expected one that postpones")
    what = FormulaDesign("open", concept, WAIT_RATIO, (WAIT_FLOOR,), tuple(features), n_agents, False)
    return _searched(what, setting, lengths, clock, progress, processes)


def _searched(
    what: FormulaDesign,
    setting: OneRound,
    lengths: Lengths,
    clock: Clock | None,
    progress: Progress | None,
    processes: int,
) -> FormulaDesign:
    """The design that was asked for, or what is known of it when time is up."""
    _check(what, setting)
    search = _Search(what, setting, lengths)
    try:
        return search.run(clock or Clock(None), progress, processes)
    except TimeoutError:
        return search.stopped(TIME)
    except KeyboardInterrupt:
        return search.stopped(CTRL_C)


def _check(what: FormulaDesign, setting: OneRound) -> None:
    """Raise InputError for what cannot be asked, whatever is sought."""
    n_agents, features = what.n_agents, what.features
    if not isinstance(setting, OneRound) or setting.payment in AFTER_THE_RUN:
        which = setting.rule if isinstance(setting, OneRound) else type(setting).__name__
        raise InputError(f"design: found {which}; expected a rule in one round whose payments are known before the run")
    if n_agents < 1:
        raise InputError(f"agents: found {n_agents}; expected at least 1")
    if what.concept not in CONCEPTS:
        raise unknown_name("concept", what.concept, CONCEPTS)
    option = "penalty_template" if what.objective == WAIT_RATIO else "template"
    if not features or len(set(features)) < len(features):
        raise InputError(f"{option}: found {', '.join(features) or 'no features'}; expected different formulas")
    for feature in features:
        Formula(feature, f"{option}: {feature}").check(n_agents)


@dataclass
class _Search:
    """Conditions met so far, by their coefficients, and the best coefficients under them."""

    what: FormulaDesign
    setting: OneRound
    lengths: Lengths
    rows: dict[Vector, tuple[Condition, Vector]] = field(default_factory=dict)  # with the ray at which it stands
    duals: Sequence[Fraction] = ()
    bound: Fraction = Fraction(0)
    iterations: int = 0

    def __post_init__(self) -> None:
        what = self.what
        program = (Waits if what.objective == WAIT_RATIO else Template)(self.setting, what.n_agents, what.features)
        statements = (what.objective, *what.conditions, what.concept)
        self.all = Conditions(program, statements, self.lengths, what.per_agent)

    def run(self, clock: Clock, progress: Progress | None, processes: int) -> FormulaDesign:
        """The design. Raises TimeoutError, or KeyboardInterrupt."""
        while True:
            best = self._best()
            self.iterations += 1
            if best is None:
                if MechanismProgram(self.setting, self.what.n_agents).is_own:  # run once more before it is said
                    self.all.tree.audit()
                return replace(self._design("impossible"), bound=None)
            if progress is not None:
                progress(self.all.cells, None, f"cells; r is at least {self.bound}")
            if not self._add(best, clock):
                return self._proved(best, clock, progress, processes)

    def stopped(self, why: str) -> FormulaDesign:
        """What is known so far."""
        return replace(self._design("open"), limit=why)

    def _best(self) -> tuple[Fraction, ...] | None:
        """The best coefficients under the conditions met, those of the least size; None where there are none."""
        k = self.all.n_coefficients
        rows = [(c, *own, *(-a for a in own), r) for c, *own, r in self.rows]  # coefficients as differences
        least, self.duals = minimum([0] * (2 * k) + [1], rows)
        if least is None:
            return None
        self.bound = least[-1]
        at_most = (self.bound.numerator, *[0] * (2 * k), -self.bound.denominator)
        smallest, _ = minimum([1] * (2 * k) + [0], [*rows, at_most])
        assert smallest is not None
        return tuple(a - b for a, b in zip(smallest[:k], smallest[k : 2 * k], strict=True))

    def _add(self, coefficients: Sequence[Fraction], clock: Clock) -> bool:
        """Add conditions that fail, a few at a time; whether there are any."""
        unknowns, _ = scale([1, *coefficients, self.bound])
        before = len(self.rows)
        for condition in self.all.each(clock):
            ray = condition.worst(unknowns)
            if ray is not None:
                self.rows.setdefault(primitive(condition.at(ray)), (condition, ray))
            if len(self.rows) == before + ROUND:
                break
        return len(self.rows) > before

    def _proved(
        self, coefficients: Sequence[Fraction], clock: Clock, progress: Progress | None, processes: int
    ) -> FormulaDesign:
        """The design, with everything that was asked for proved of its mechanism."""
        what, r = self.what, self.bound
        size = len(what.features)
        own = [coefficients[k : k + size] for k in range(0, len(coefficients), size)]
        mappings = tuple(dict(zip(what.features, each, strict=True)) for each in own)
        texts = tuple(map(formula_of, mappings))
        by_all = what.objective == "rent-ratio"
        most = formula_of({"S": r / what.n_agents if by_all else r})
        paid, left = priced(self.setting, texts), priced(self.setting, [f"{most} - ({text})" for text in texts])
        waits = what.objective == WAIT_RATIO  # that a wait is never negative, or too long, is said of it as a payment
        mechanism = replace(self.setting, penalty=check_penalty(texts[0], "postpone")) if waits else paid
        design = replace(self._design("open"), coefficients=mappings, formulas=texts, mechanism=mechanism)
        payments, ratio = (Prover(one, what.n_agents, self.lengths) for one in (paid, left))
        truth = Prover(mechanism, what.n_agents, self.lengths) if waits else payments
        statements = [(truth, what.concept, what.concept)]
        statements += [(payments, name, CONDITIONS.get(name, NEVER_NEGATIVE)) for name in what.conditions]
        statements.append((ratio, what.objective, CONDITIONS["no-deficit"] if by_all else NEVER_NEGATIVE))
        proofs: dict[str, Proof] = {}
        for prover, name, statement in statements:
            proof = prover.prove(statement, clock, progress, method="code", processes=processes)
            if proof.holds is False:
                raise two_answers()
            proofs[name] = proof
            design = replace(design, proofs=dict(proofs), limit=proof.limit)
            if proof.holds is None:
                return design
        return replace(design, status="optimal", value=r)

    def _design(self, status: str) -> FormulaDesign:
        """What is known, and why r is at least what it is."""
        weighted = [(*one, y) for one, y in zip(self.rows.values(), self.duals, strict=False) if y]
        return replace(
            self.what,
            status=status,
            bound=self.bound,
            limits=tuple(Limit(one, ray, y / gcd(*one.at(ray))) for one, ray, y in weighted),
            iterations=self.iterations,
            cells=self.all.cells,
        )


def minimum(costs: Sequence[int], rows: Sequence[Vector]) -> tuple[tuple[Fraction, ...] | None, tuple[Fraction, ...]]:
    """The least ``costs . x`` over ``x >= 0`` with ``row[0] + row[1:] . x >= 0`` for all rows, all costs >= 0.

    The point, and multipliers of the rows: they add the rows up to ``costs . x >= value``, or to a negative number
    where no point satisfies the rows, which is then None. The dual is solved, because its origin is feasible.

    >>> minimum([1, 1], [(-2, 1, 0), (-3, 1, 1)])
    ((Fraction(3, 1), Fraction(0, 1)), (Fraction(0, 1), Fraction(1, 1)))
    >>> minimum([1], [(-2, 1), (1, -1)])
    (None, (Fraction(1, 2), Fraction(1, 2)))
    """
    if not rows:
        return (Fraction(0),) * len(costs), ()
    constants, *columns = zip(*rows, strict=True)
    best = maximum([-c for c in constants], columns, costs)
    if best is not None:
        return best.multipliers, best.point
    columns.append((1,) * len(rows))
    best = maximum([-c for c in constants], columns, [*[0] * len(costs), 1])
    assert best is not None  # the multipliers sum to at most 1
    return None, best.point
