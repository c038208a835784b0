"""The exact curve agrees with running the mechanism, everywhere that chance and malice look."""

from __future__ import annotations

import itertools
import math
import random
from fractions import Fraction as F

import pytest

from consortium.games.declaration.curve import Curve, curve
from consortium.games.declaration.switches import covers
from consortium.mechanisms.declaration import build
from consortium.mechanisms.declaration.penalties import Cutoff
from consortium.mechanisms.declaration.protocol import play
from consortium.scheduling.clusters import Cluster
from consortium.scheduling.errors import InputError
from consortium.scheduling.goals import (
    ExpressionGoal,
    LexicalMax,
    Makespan,
    SquaredDeviation,
    SumOfTimes,
    WeightedMakespan,
    WeightedSum,
)

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


def check(mechanism: object, theta: tuple[F, ...], b: tuple[F, ...], agent: int, rng: random.Random) -> Curve:
    low, high = F(1, 3), F(8)
    found = curve(mechanism, theta, b, agent, low, high)  # type: ignore[arg-type]
    assert found.exact
    assert not found.isolated
    ends = [found.pieces[0].low, *(p.high for p in found.pieces)]
    assert ends == [x for x, _ in found.points]
    assert (ends[0], ends[-1]) == (low, high)
    near = [x + d * F(1, 10 ** rng.randint(2, 9)) for x in ends for d in (-1, 1)]
    chance = [low + (high - low) * F(rng.randint(1, 9999), 10000) for _ in range(25)]
    known = [F(k, rng.choice([1, 2, 3, 4])) for k in range(1, 20)]
    for x in {*ends, *(x for x in (*near, *chance, *known, *theta, *b) if low <= x <= high)}:
        utilities = play(mechanism, (*b[:agent], x, *b[agent + 1 :]), theta).utilities  # type: ignore[arg-type]
        assert utilities is not None
        assert value_at(found, x) == utilities[agent], x
    return found


def linear(weights: tuple[int, ...]) -> ExpressionGoal:
    """The weighted sum as somebody writes it who does not know its name."""
    names = tuple(f"a{n}" for n in range(len(weights)))
    return ExpressionGoal(f"7 - ({' + '.join(f'{w}*{a}' for w, a in zip(weights, names, strict=True))})", names)


@pytest.mark.parametrize(("rule", "options"), RULES, ids=[f"{r} {' '.join(map(str, o.values()))}" for r, o in RULES])
def test_the_curve_is_what_the_mechanism_does(rule: str, options: dict[str, object]) -> None:
    rng = random.Random(f"{rule} {options}")
    for _ in range(6):
        n, m = rng.randint(1, 3), rng.randint(1, 2)
        cluster = Cluster.of(rng.choice([1, 2, F(3, 2), 3]) for _ in range(m))
        theta, b = (tuple(F(rng.randint(1, 8), rng.choice([1, 1, 2])) for _ in range(n)) for _ in range(2))
        b = tuple(t if rng.random() < 0.4 else x for t, x in zip(theta, b, strict=True))
        weights = tuple(rng.randint(1, 4) for _ in range(n))
        weighted = [WeightedSum(weights), WeightedMakespan(weights), linear(weights)]
        goal = rng.choice([SumOfTimes(), Makespan(), Makespan(2), LexicalMax(), *weighted])
        mechanism = build(rule, cluster, goal, **options)  # type: ignore[arg-type]
        assert covers(mechanism, n)  # type: ignore[arg-type]
        check(mechanism, theta, b, rng.randrange(n), rng)


def test_a_jump_and_a_kink_are_where_theory_puts_them() -> None:
    """vcg-postpone, two agents on one machine: a lie below the truth is a jump, above it only a kink."""
    found = curve(build("vcg-postpone", Cluster.of([1])), (F(2), F(3)), (F(2), F(3)), 0, F(1, 2), F(5))
    assert F(2) in found.jumps  # the remainder waits behind the other job
    assert found.best == (F(2), F(-7))  # the truth
    assert [x for x, _ in found.points] == sorted({F(1, 2), *(p.high for p in found.pieces)})


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


def test_other_goals_enclose_their_breakpoints() -> None:
    mechanism = build("evcg-postpone", Cluster.of([1]), SquaredDeviation(3))
    theta = (F(2), F(3))
    found = curve(mechanism, theta, theta, 0, F(1, 2), F(5), width=F(1, 1000))
    assert not found.exact
    covered = sorted([(p.low, p.high) for p in found.pieces] + list(found.isolated))
    assert covered[0][0] == F(1, 2)
    assert covered[-1][1] == 5
    assert all(left[1] == right[0] for left, right in itertools.pairwise(covered))
    assert all(b - a <= F(2, 1000) for a, b in found.isolated)
    for piece in found.pieces:
        x = (piece.low * 2 + piece.high) / 3
        utilities = play(mechanism, (x, theta[1]), theta).utilities
        assert utilities is not None
        assert utilities[0] == piece.value(x)


@pytest.mark.parametrize("ends", [(0, 1), (2, 2), (3, 1)])
def test_an_empty_range_is_refused(ends: tuple[int, int]) -> None:
    with pytest.raises(InputError, match="expected 0 < from < to"):
        curve(build("harsh", Cluster.of([1])), (F(1),), (F(1),), 0, F(ends[0]), F(ends[1]))
