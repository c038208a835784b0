"""The exact curve agrees with running the mechanism, everywhere that chance and malice look."""

from __future__ import annotations

import itertools
import math
import random
import sys
from collections.abc import Callable
from fractions import Fraction as F
from types import SimpleNamespace
from typing import Any

import pytest

from consortium.games.declaration.curve import Curve, curve
from consortium.games.declaration.pieces import UtilityProgram
from consortium.mechanisms.declaration import build
from consortium.mechanisms.declaration.execution import Tools
from consortium.mechanisms.declaration.one_round import OneRound
from consortium.mechanisms.declaration.penalties import Cutoff
from consortium.mechanisms.declaration.protocol import play
from consortium.scheduling.clusters import Cluster
from consortium.scheduling.goals import (
    ExpressionGoal,
    LexicalMax,
    Makespan,
    SquaredDeviation,
    SumOfTimes,
    WeightedMakespan,
    WeightedSum,
)
from consortium.scheduling.welfare import Goal
from consortium.support.errors import InputError

from ...sweeps import PART, seeds

RULES = [
    ("straightforward", {}),
    ("light-vcg", {}),
    ("harsh", {}),
    ("verified", {}),
    ("verified-printed", {}),
    ("evcg-renice", {"penalty": "repaired"}),
    ("evcg-renice", {"penalty": "printed"}),
    ("evcg-renice", {"penalty": "repaired-common"}),
    ("evcg-postpone", {}),
    ("evcg-postpone", {"penalty": "tight", "cutoff": Cutoff("difference", F(3, 2))}),
    ("evcg-postpone", {"cutoff": Cutoff("difference", 1)}),
    ("evcg-postpone", {"penalty": "printed-common", "cutoff": Cutoff("difference", 2)}),
    ("evcg-postpone", {"penalty": "printed-absolute", "cutoff": Cutoff("absolute", 9)}),
    ("evcg-postpone", {"penalty": F(1, 3)}),
    ("postpone-unpaid", {"penalty": 0}),
]


def value_at(found: Curve, x: F) -> object:
    for at, u in found.points:
        if at == x:
            return u
    (piece,) = [p for p in found.pieces if p.low < x < p.high]
    return piece.value(x)


def linear(weights: tuple[int, ...]) -> ExpressionGoal:
    """The weighted sum as somebody writes it who does not know its name."""
    names = tuple(f"a{n}" for n in range(len(weights)))
    return ExpressionGoal(f"7 - ({' + '.join(f'{w}*{a}' for w, a in zip(weights, names, strict=True))})", names)


@pytest.mark.parametrize(("rule", "options"), RULES, ids=[f"{r} {' '.join(map(str, o.values()))}" for r, o in RULES])
def test_the_curve_is_what_the_mechanism_does(rule: str, options: dict[str, object], thinning: int) -> None:
    rng = random.Random(f"{rule} {options}")
    for _ in range(6 // thinning):
        n, m = rng.randint(1, 3), rng.randint(1, 2)
        cluster = Cluster.of(rng.choice([1, 2, F(3, 2), 3]) for _ in range(m))
        theta, b = (tuple(F(rng.randint(1, 8), rng.choice([1, 1, 2])) for _ in range(n)) for _ in range(2))
        b = tuple(t if rng.random() < 0.4 else x for t, x in zip(theta, b, strict=True))
        weights = tuple(rng.randint(1, 4) for _ in range(n))
        names = tuple(f"a{k}" for k in range(n))
        bent = ExpressionGoal(f"-max({', '.join(names)}) - abs(a0 - {rng.randint(1, 9)})", names)
        weighted = [WeightedSum(weights), WeightedMakespan(weights), linear(weights)]
        goal = rng.choice([SumOfTimes(), Makespan(), Makespan(2), LexicalMax(), bent, *weighted])
        mechanism = build(rule, cluster, goal, **options)  # type: ignore[arg-type]
        agent = rng.randrange(n)
        found = curve(mechanism, theta, b, agent, F(1, 3), F(8))
        assert found.exact
        truthful = utility(mechanism, theta, b, agent, theta[agent])
        assert (found.best[0] == theta[agent]) == (found.best[1] == truthful)  # the truth wins ties
        near = [x + d * F(1, 10 ** rng.randint(2, 9)) for x, _ in found.points for d in (-1, 1)]
        assert [x for x, _ in found.points] == sorted({F(1, 3), theta[agent], *(p.high for p in found.pieces)})
        looked_through(found, mechanism, theta, b, [*near, *(F(k, d) for d in (1, 2, 3, 4) for k in range(1, 20))])


def test_a_jump_and_a_kink_are_where_theory_puts_them() -> None:
    """vcg-postpone, two agents on one machine: a lie below the truth is a jump, above it only a kink."""
    found = curve(build("vcg-postpone", Cluster.of([1])), (F(2), F(3)), (F(2), F(3)), 0, F(1, 2), F(5))
    assert F(2) in found.jumps  # the remainder waits behind the other job
    assert found.best == (F(2), F(-7))  # the truth
    assert [x for x, _ in found.points] == sorted({F(1, 2), *(p.high for p in found.pieces)})


@pytest.mark.parametrize(
    "mechanism",
    [build("vcg-renice", Cluster.of([1])), SimpleNamespace(run=build("vcg-renice", Cluster.of([1])).run)],
)
def test_no_lie_is_best_where_the_truth_is_as_good(mechanism: Any) -> None:
    """Every declaration below the truth is worth as much under renice; the truth may stand inside a straight piece."""
    found = curve(mechanism, (F(1), F(11, 10)), (F(1), F(11, 10)), 0, F(1, 2), F(11, 5))
    assert found.best == (F(1), F(-31, 10)) == (F(1), found.points[0][1])
    deaf = SimpleNamespace(run=lambda declared, lengths: SimpleNamespace(output=(F(2), F(3)), payments=(F(0), F(0))))
    flat = curve(deaf, (F(2), F(1)), (F(2), F(1)), 0, F(1), F(4))
    assert len(flat.pieces) == 1
    assert flat.best == (F(2), F(-2))


def test_one_agent_and_a_job_that_never_ends() -> None:
    found = curve(build("harsh", Cluster.of([2])), (F(3),), (F(3),), 0, F(1), F(4))
    assert found.points[1] == (F(3), F(-3, 2))
    assert [p.at_low for p in found.pieces] == [-math.inf, -math.inf]
    assert found.jumps == (F(3),)


def test_sympy_piecewise_has_the_same_values() -> None:
    import sympy

    found = curve(
        build("evcg-renice", Cluster.of([1, 2]), Makespan()), (F(2), F(3), F(1)), (F(2), F(3), F(1)), 1, F(1), F(5)
    )
    expression = found.piecewise()
    (x,) = expression.free_symbols
    for at in (F(1), F(3), F(7, 3), F(5), *(p.high for p in found.pieces)):
        assert F(str(expression.subs(x, sympy.Rational(at.numerator, at.denominator)))) == value_at(found, at)


def test_the_best_declaration_is_that_of_the_other_agent() -> None:
    """Issue 10: lengths 7 and 1, target 1. Declaring 1/2 gives -8; declaring 1, as the other does, gives -7."""
    mechanism = build("straightforward", Cluster.of([1]), SquaredDeviation(1))
    found = curve(mechanism, (F(7), F(1)), (F(7), F(1)), 0, F(1, 2), F(14))
    assert found.best == (F(1), F(-7))
    assert found.jumps == (F(1),)
    assert found.exact


def test_a_jump_at_the_declaration_of_another_is_no_midpoint() -> None:
    """Issue 10: lengths 1 and 100, target 2: the jump is at 100, not at 201/2, where the range was halved."""
    mechanism = build("straightforward", Cluster.of([1]), SquaredDeviation(2))
    found = curve(mechanism, (F(1), F(100)), (F(1), F(100)), 0, F(1), F(200))
    assert found.jumps == (F(100),)


def test_roots_of_a_polynomial_goal_say_which_extra_they_need(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sympy", None)  # not installed
    mechanism = build("straightforward", Cluster.of([1]), SquaredDeviation(F(997, 13)))  # asked by no other test
    with pytest.raises(InputError, match=r"sympy is not installed; .* 'consortium\[formulas\]'"):
        curve(mechanism, (F(1), F(100)), (F(1), F(100)), 0, F(1), F(200))


def utility(mechanism: object, theta: tuple[F, ...], b: tuple[F, ...], agent: int, x: F) -> F | float:
    utilities = play(mechanism, (*b[:agent], x, *b[agent + 1 :]), theta).utilities  # type: ignore[arg-type]
    return utilities[agent]


def looked_through(
    found: Curve, mechanism: object, theta: tuple[F, ...], b: tuple[F, ...], marks: list[F], thinning: int = PART
) -> None:
    """The curve against a dense sample of runs: pieces equal, the range covered, no jump missed, no better point."""
    steps = 509 // thinning
    low, high = found.points[0][0], found.points[-1][0]
    covered = sorted([(p.low, p.high) for p in found.pieces] + list(found.isolated))
    assert (covered[0][0], covered[-1][1]) == (low, high)
    assert all(left[1] == right[0] for left, right in itertools.pairwise(covered))
    known = dict(found.points)
    dense = (
        {low + (high - low) * F(k, steps) for k in range(steps + 1)} | {x for x in marks if low <= x <= high} | {*known}
    )
    tops = [u for _, u in found.points] + [limit for p in found.pieces for limit in (p.at_low, p.at_high)]
    for x in sorted(dense):
        u = utility(mechanism, theta, b, found.agent, x)
        if any(a < x < b for a, b in found.isolated):
            continue
        assert u == value_at(found, x), x
        assert u <= max(tops)
    assert all(found.best[1] >= u for u in known.values())
    for left, right in itertools.pairwise(found.pieces):  # what is told as straight is not told in two
        if left.high == right.low and left.slope == right.slope and left.at_high == right.at_low:
            assert known[left.high] != left.at_high


GOALS = [
    lambda names, rng: SquaredDeviation(F(rng.randint(1, 16), rng.choice([1, 2, 3]))),
    lambda names, rng: ExpressionGoal(" - ".join(["1", *(f"({a} - {rng.randint(0, 9)})**2" for a in names)]), names),
    lambda names, rng: ExpressionGoal(f"{rng.randint(1, 9)}*{names[0]}*{names[-1]} - {names[0]}**3", names),
    lambda names, rng: ExpressionGoal(f"-({'*'.join(names)})", names),
    lambda names, rng: rng.choice([SumOfTimes(), Makespan(), LexicalMax(), WeightedSum(range(1, len(names) + 1))]),
]


SEEN_ONLY = [
    lambda names, rng: ExpressionGoal(f"1 / (1 + {' + '.join(names)}) - {names[-1]} / {rng.randint(2, 5)}", names),
    lambda names, rng: ExpressionGoal(f"min({names[0]}, {rng.randint(1, 9)}) * {names[-1]} - {names[0]}**2", names),
]


def drawn(
    rng: random.Random, rounds: int, goals: list[Callable[..., Goal]]
) -> tuple[dict[str, object], tuple[F, ...], tuple[F, ...], int]:
    """Parts of a random mechanism, lengths, declarations, and an agent."""
    n, m = rng.choice([1, 2, 2, 3]), rng.randint(1, 2)
    theta, b = (tuple(F(rng.randint(1, 9), rng.choice([1, 1, 2])) for _ in range(n)) for _ in range(2))
    b = tuple(t if rng.random() < 0.5 else x for t, x in zip(theta, b, strict=True))
    names = tuple(f"a{k}" for k in range(n))
    rules = [(rule, options) for rule, options in RULES if rounds == 1 or rule.startswith("evcg")]
    rule, options = rng.choice(rules)
    parts = {
        "rule": rule,
        "cluster": Cluster.of(rng.choice([1, 2, F(3, 2), 3]) for _ in range(m)),
        "goal": rng.choice(goals)(names, rng),
        **options,
    }
    if rounds == 2:
        parts |= {
            "rounds": 2,
            "values": [F(rng.randint(1, 40), 2) for _ in range(n)],
            "holdback": rng.choice(["repaired", "printed"]),
        }
    return parts, theta, b, rng.randrange(n)


@pytest.mark.parametrize("seed", seeds(3, 400))
@pytest.mark.parametrize("rounds", [1, 2])
def test_every_jump_is_told_whatever_the_goal(rounds: int, seed: int, thinning: int) -> None:
    """Squares, products and two rounds: found by polynomials and prices, compared with a dense sample of runs."""
    rng = random.Random(f"{rounds} {seed}")
    parts, theta, b, agent = drawn(rng, rounds, GOALS)
    mechanism = build(**parts)  # type: ignore[arg-type]
    low, high = F(1, 3), F(9)
    found = curve(mechanism, theta, b, agent, low, high, width=F(1, 1000))
    assert found.proved
    assert found.complete
    assert found.exact == (not found.isolated)
    marks = [x + d * F(1, 10 ** rng.randint(2, 9)) for x, _ in found.points for d in (-1, 1)]
    looked_through(found, mechanism, theta, b, [*marks, *theta, *b], thinning)


@pytest.mark.parametrize("seed", seeds(1, 200))
@pytest.mark.parametrize("rounds", [1, 2])
def test_what_is_only_seen_agrees_with_runs_and_is_never_exact(rounds: int, seed: int, thinning: int) -> None:
    """Goals of which nothing is known: every piece is what runs give, every jump of a dense sample in an interval."""
    rng = random.Random(f"seen {rounds} {seed}")
    parts, theta, b, agent = drawn(rng, rounds, SEEN_ONLY)
    mechanism = build(**parts)  # type: ignore[arg-type]
    found = curve(mechanism, theta, b, agent, F(1, 3), F(9), width=F(1, 1000))
    assert not found.exact
    assert not found.proved
    assert found.note.startswith("not piecewise linear: ")
    assert not found.jumps
    assert found.complete
    looked_through(found, mechanism, theta, b, [*theta, *b], thinning)


@pytest.mark.parametrize(("scale", "target"), [(F(10**18), F(7, 3)), (F(1, 10**9), F(3))])
def test_the_scaled_twin_has_the_scaled_curve(scale: F, target: F) -> None:
    theta, b = (F(2), F(3), F(5)), (F(2), F(3), F(4))
    cluster = Cluster.of([1, F(3, 2)])
    found, twin = (
        curve(
            build("evcg-postpone", cluster, SquaredDeviation(target * s)),
            tuple(t * s for t in theta),
            tuple(x * s for x in b),
            1,
            F(1, 3) * s,
            F(9) * s,
        )
        for s in (F(1), scale)
    )
    assert [(x * scale, u * scale) for x, u in found.points] == list(twin.points)
    assert [(p.low * scale, p.high * scale, p.slope) for p in found.pieces] == [
        (p.low, p.high, p.slope) for p in twin.pieces
    ]
    assert [(x * scale, y * scale) for x, y in found.isolated] == list(twin.isolated)


def test_an_irrational_switch_is_enclosed_and_all_else_is_proved() -> None:
    """Both orders are equally good at a root of x**3 - 20x - 27 only, which nobody can declare."""
    goal = ExpressionGoal("(a**2 - 2) * b", ("a", "b"))
    mechanism = build("straightforward", Cluster.of([1]), goal)
    theta = (F(1), F(3))
    found = curve(mechanism, theta, theta, 0, F(1), F(8), width=F(1, 1000))
    assert found.proved
    assert not found.exact
    ((low, high),) = found.isolated
    assert high - low <= F(1, 1000)
    assert (low**3 - 20 * low - 27) * (high**3 - 20 * high - 27) < 0
    looked_through(found, mechanism, theta, theta, [])


class Served:
    """Shortest declaration first, and who declares more than ``fine`` waits: a mechanism of somebody's own."""

    def __init__(self, fine: F) -> None:
        self.fine = fine

    def run(self, declared: tuple[F, ...], lengths: tuple[F, ...]) -> SimpleNamespace:
        output, clock = [F(0)] * len(declared), F(0)
        for n in sorted(range(len(declared)), key=lambda n: declared[n]):
            clock += max(declared[n], lengths[n])
            output[n] = clock + (F(2) if declared[n] > self.fine else F(0))
        return SimpleNamespace(output=output, payments=[F(0)] * len(declared))


@pytest.mark.parametrize("fine", [F(5, 3), F(4), F(22, 7)])
def test_a_mechanism_of_ones_own_has_exact_breakpoints(fine: F) -> None:
    """The fine is a jump that no number of the situation tells."""
    theta, b = (F(2), F(3)), (F(2), F(3))
    found = curve(Served(fine), theta, b, 0, F(1, 2), F(7))
    assert found.exact
    assert found.proved
    assert found.jumps == tuple(sorted({fine, F(3)}))
    looked_through(found, Served(fine), theta, b, [fine, F(3)])


def test_code_that_is_not_piecewise_linear_has_its_breakpoints_in_intervals() -> None:
    """By evaluation alone: neither the other's declaration nor the fine, which no number tells, is printed as exact."""

    class Squared(Served):
        def run(self, declared: tuple[F, ...], lengths: tuple[F, ...]) -> SimpleNamespace:
            answer = super().run(declared, lengths)
            return SimpleNamespace(output=answer.output, payments=[b * b / 9 - b * b / 9 for b in declared])

    theta, b, width, fine = (F(2), F(3)), (F(2), F(3)), F(1, 1000), F(22, 7)
    found = curve(Squared(fine), theta, b, 0, F(1, 2), F(7), width=width)
    assert not found.exact
    assert not found.proved
    assert found.note.startswith("not piecewise linear: a product of two symbolic numbers (")
    assert found.complete
    assert not found.jumps
    for place in (fine, F(3)):
        assert any(low <= place <= high for low, high in found.isolated)
    assert all(high - low <= width for low, high in found.isolated)
    looked_through(found, Squared(fine), theta, b, [fine, F(3)])


@pytest.mark.parametrize("of", [lambda calls: next(calls), lambda calls: F(0) if next(calls) < 3 else F(1)])
def test_code_with_a_memory_is_no_exact_curve(of: Callable[..., F]) -> None:
    class Counting:
        calls = itertools.count()

        def run(self, declared: tuple[F, ...], lengths: tuple[F, ...]) -> SimpleNamespace:
            return SimpleNamespace(output=lengths, payments=[of(self.calls) if b > 2 else F(0) for b in declared])

    found = curve(Counting(), (F(1),), (F(1),), 0, F(1), F(3), width=F(1, 10))
    assert not found.proved
    assert "two answers" in found.note


class Drawn:
    """Random code on small numbers: sums, multiples, largest and smallest, comparisons and equalities, kills."""

    def __init__(self, rng: random.Random, n_agents: int, depth: int = 2) -> None:
        self.parts = [[self._drawn(rng, n_agents, depth) for _ in range(n_agents)] for _ in range(2)]
        self.killed = self._drawn(rng, n_agents, 1) if rng.random() < 0.5 else None

    def _drawn(self, rng: random.Random, n: int, depth: int) -> Any:
        kind = "sum" if not depth else rng.choice(["sum", "max", "min", "abs", "less", "less", "equal"])
        inside = [self._drawn(rng, n, depth - 1) for _ in range(4)] if kind != "sum" else []
        return kind, [rng.randint(-2, 2) for _ in range(2 * n)], F(rng.randint(-6, 6), rng.choice([1, 2])), inside

    def _value(self, part: Any, x: tuple[F, ...]) -> Any:
        kind, slopes, constant, inside = part
        if kind == "sum":
            return sum((a * v for a, v in zip(slopes, x, strict=True)), constant)
        a, b = (self._value(one, x) for one in inside[:2])
        if kind in ("less", "equal"):
            holds = a < b if kind == "less" else a == b
            return self._value(inside[2 if holds else 3], x)
        return abs(a) if kind == "abs" else max(a, b) if kind == "max" else min(a, b)

    def run(self, declared: tuple[F, ...], lengths: tuple[F, ...]) -> SimpleNamespace:
        x = (*declared, *lengths)
        output, payments = ([self._value(part, x) for part in parts] for parts in self.parts)
        dead = self.killed is not None and self._value(self.killed, x) > 3
        return SimpleNamespace(output=[math.inf if dead else abs(t) for t in output], payments=payments)


@pytest.mark.parametrize("seed", seeds(4, 1000))
def test_random_code_is_walked_as_it_runs(seed: int, thinning: int) -> None:
    """Every number of the range with a small denominator is looked at: there all these breakpoints would be."""
    rng = random.Random(f"walk {seed}")
    n = rng.choice([1, 2, 3])
    mechanism, agent = Drawn(rng, n), rng.randrange(n)
    theta, b = (tuple(F(rng.randint(1, 6)) for _ in range(n)) for _ in range(2))
    found = curve(mechanism, theta, b, agent, F(1, 2), F(7))
    assert found.exact
    assert found.proved
    looked_through(found, mechanism, theta, b, [F(k, d) for d in range(1, 5) for k in range(1, 7 * d)], thinning)


def test_a_declaration_that_is_refused_is_told_as_the_mechanism_tells_it() -> None:
    class Choosy(Served):
        def run(self, declared: tuple[F, ...], lengths: tuple[F, ...]) -> SimpleNamespace:
            if max(declared) > 5:
                raise InputError(f"expected at most 5, found {max(declared)}")
            return super().run(declared, lengths)

    theta = (F(2), F(3))
    with pytest.raises(InputError, match="expected at most 5, found 6"):
        curve(Choosy(F(4)), theta, theta, 0, F(1, 2), F(6))
    assert curve(Choosy(F(4)), theta, theta, 0, F(1, 2), F(5)).exact


def test_of_a_mechanism_of_ones_own_too_the_best_is_no_worse_than_what_was_tried() -> None:
    """Declaring exactly what the other declares is the one good thing to do: a point that no piece has."""

    class Twins:
        def run(self, declared: tuple[F, ...], lengths: tuple[F, ...]) -> SimpleNamespace:
            same = len(set(declared)) == 1
            return SimpleNamespace(output=[F(1) if same else F(9)] * 2, payments=[F(0)] * 2)

    found = curve(Twins(), (F(7), F(100, 7)), (F(7), F(100, 7)), 0, F(1), F(200))
    assert found.best == (F(100, 7), F(-1))


@pytest.mark.parametrize("own", [False, True])
def test_a_curve_stops_at_its_limit_and_at_ctrl_c(own: bool) -> None:
    mechanism = Served(F(4)) if own else build("evcg-postpone", Cluster.of([1, 2]), SquaredDeviation(F(7, 3)))
    theta = (F(2), F(3), F(5))
    whole = curve(mechanism, theta, theta, 0, F(1, 2), F(7))

    def stopping_at(limit: int) -> Callable[..., None]:
        calls = itertools.count()

        def report(done: int, total: int | None, note: str = "") -> None:
            if next(calls) == limit:
                raise KeyboardInterrupt

        return report

    for limit in (0, 1, 4):
        found = curve(mechanism, theta, theta, 0, F(1, 2), F(7), progress=stopping_at(limit))
        assert not found.complete
        assert not found.exact
        looked_through(found, mechanism, theta, theta, [])
    found = curve(mechanism, theta, theta, 0, F(1, 2), F(7), time_limit=0)
    assert not found.complete
    assert found.isolated[-1][1] == 7
    assert whole.complete


def test_after_ctrl_c_nothing_is_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run may take seconds: the utility of the truth is among the first."""
    stopped, late, utility = [], [], UtilityProgram.utility

    def counted(program: UtilityProgram, x: F) -> Any:
        late.extend(stopped)
        return utility(program, x)

    def stop(done: int, total: int | None, note: str = "") -> None:
        stopped.append(done)
        raise KeyboardInterrupt

    monkeypatch.setattr(UtilityProgram, "utility", counted)
    found = curve(
        build("vcg-postpone", Cluster.of([1, 2])), (F(2), F(3)), (F(2), F(3)), 0, F(1, 2), F(7), progress=stop
    )
    assert (found.complete, len(stopped), late) == (False, 1, [])
    assert F(2) in dict(found.points)


def test_a_rule_derived_from_ours_is_not_taken_for_it() -> None:
    class Other(OneRound):
        def run(self, declared: tuple[F, ...], lengths: tuple[F, ...]) -> SimpleNamespace:
            return Served(F(4)).run(declared, lengths)

    theta = (F(2), F(3))
    found = curve(Other("mine", Cluster.of([1]), Tools("kill"), "none"), theta, theta, 0, F(1), F(6))
    assert found == curve(Served(F(4)), theta, theta, 0, F(1), F(6))


@pytest.mark.parametrize("ends", [(0, 1), (2, 2), (3, 1)])
def test_an_empty_range_is_refused(ends: tuple[int, int]) -> None:
    with pytest.raises(InputError, match="expected 0 < from < to"):
        curve(build("harsh", Cluster.of([1])), (F(1),), (F(1),), 0, F(ends[0]), F(ends[1]))


def test_every_cell_is_reported_and_may_be_the_last() -> None:
    """One machine, shortest first: nothing but the declarations of the others, 2 and 3, divides the range."""
    seen = []

    def second(done: int, total: int | None, note: str = "") -> None:
        if note == "pieces of the curve":
            seen.append(done)
        if len(seen) == 2:
            raise KeyboardInterrupt

    theta = (F(1), F(2), F(3))
    found = curve(build("straightforward", Cluster.of([1])), theta, theta, 0, F(3, 2), F(4), progress=second)
    assert seen == [0, 1]
    assert (found.complete, found.exact) == (False, False)
    assert found.isolated == ((F(2), F(4)),)
    assert [(p.low, p.high) for p in found.pieces] == [(F(3, 2), F(2))]


def test_a_jump_at_the_end_of_the_range_is_in_an_interval() -> None:
    """By evaluation alone: whoever declares 2 as the first agent does comes second, and below 2 she comes first."""

    class Digital(Served):
        def run(self, declared: tuple[F, ...], lengths: tuple[F, ...]) -> SimpleNamespace:
            return super().run(tuple(F(b.numerator, b.denominator) for b in declared), lengths)

    theta = (F(2), F(3))
    found = curve(Digital(F(9)), theta, theta, 1, F(1), F(2), width=F(1, 1000))
    (piece,), ((low, high),) = found.pieces, found.isolated
    assert (piece.low, piece.high, high) == (F(1), low, F(2))
    assert F(2) - F(1, 1000) <= low < F(2)
    assert (piece.value(low), found.points[-1]) == (F(-3), (F(2), F(-5)))
