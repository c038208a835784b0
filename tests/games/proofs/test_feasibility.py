"""Linear inequalities: every answer by its definition, the same verdict as z3."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest
import z3  # type: ignore[import-untyped]

from consortium.games.proofs.feasibility import Answer, Consistent, Inequalities, Refuted

Row = tuple[tuple[int, ...], bool]
SIZES = (1, 2, 9, 10**9, 2**30, 10**12, 10**30)


def random_rows(rng: random.Random) -> tuple[int, list[Row]]:
    """Few or many rows, often degenerate: repeated, negated, sums of others, nothing but zeros."""
    n = rng.randint(1, 6)
    size = rng.choice(SIZES)
    rows: list[Row] = []
    for _ in range(rng.choice((0, 1, 2, 4, 8, 14))):
        kind = rng.random()
        if kind < 0.5 or not rows:
            found = tuple(rng.choice((0, rng.randint(-size, size))) for _ in range(n))
        elif kind < 0.7:
            found = tuple(rng.choice((1, -1, 2)) * a for a in rng.choice(rows)[0])
        else:
            sign = rng.choice((1, -1))
            found = tuple(sign * (a + b) for a, b in zip(rng.choice(rows)[0], rng.choice(rows)[0], strict=True))
        rows.append((found, rng.random() < 0.4))
    return n, rows


def decided(n: int, rows: Sequence[Row], negated: Sequence[bool]) -> Answer:
    """Asked with some rows taken in as their negatives, among rows that do not belong to the question."""
    system = Inequalities(n)
    system.row((1,) * n)
    numbers = []
    for (vector, _), minus in zip(rows, negated, strict=True):
        number = system.row(tuple(-a for a in vector) if minus else vector)
        numbers.append(~number if minus else number)
    return system.decide(numbers, [strict for _, strict in rows])


def check(n: int, rows: Sequence[Row], answer: Answer) -> None:
    """The answer proves itself."""
    if isinstance(answer, Consistent):
        assert len(answer.point) == n
        for vector, strict in rows:
            assert sum(a * z for a, z in zip(vector, answer.point, strict=True)) >= strict
    else:
        assert isinstance(answer, Refuted)
        assert min(answer.multipliers) >= 0
        assert any(y > 0 for (_, strict), y in zip(rows, answer.multipliers, strict=True) if strict)
        for i in range(n):
            assert sum(y * vector[i] for (vector, _), y in zip(rows, answer.multipliers, strict=True)) == 0


def z3_says(n: int, rows: Sequence[Row]) -> bool:
    """Whether z3 finds a point."""
    solver = z3.Solver()
    z = z3.Reals([f"z{i}" for i in range(n)])
    for vector, strict in rows:
        value = z3.Sum([z3.RealVal(a) * x for a, x in zip(vector, z, strict=True)])
        solver.add(value > 0 if strict else value >= 0)
    found = solver.check()
    assert found in (z3.sat, z3.unsat)
    return bool(found == z3.sat)


def compare(seed: int, count: int) -> tuple[int, int]:
    """So many systems; how many were consistent and how many refuted."""
    rng = random.Random(seed)
    tally = [0, 0]
    for _ in range(count):
        n, rows = random_rows(rng)
        answer = decided(n, rows, [rng.random() < 0.5 for _ in rows])
        check(n, rows, answer)
        consistent = isinstance(answer, Consistent)
        assert consistent == z3_says(n, rows)
        tally[not consistent] += 1
    return tally[0], tally[1]


@pytest.mark.parametrize(("seed", "count"), [(1, 120), pytest.param(2, 10_000, marks=pytest.mark.exhaustive)])
def test_answers_prove_themselves_and_are_those_of_z3(seed: int, count: int) -> None:
    assert min(compare(seed, count)) > count // 5


def test_nothing_asked_is_consistent() -> None:
    assert isinstance(Inequalities(3).decide([], []), Consistent)
    system = Inequalities(2)
    number = system.row((0, 0))
    assert system.decide([number], [True]) == Refuted((1,))
    assert isinstance(system.decide([number, ~number], [False, False]), Consistent)


def test_it_never_cycles() -> None:
    """Beale's and Kuhn's examples, on which other pivot rules go round, and rows that all meet in one point."""
    beale = [(0, 1, 0, 0, 0), (0, 0, 1, 0, 0), (0, 0, 0, 1, 0), (0, 0, 0, 0, 1), (1, 0, 0, 0, 0),
             (0, -25, 6000, 4, -900), (0, -50, 9000, 2, -300), (1, 0, 0, -1, 0), (0, 75, -15000, 2, -600)]  # fmt: skip
    kuhn = [(0, 1, 0, 0, 0), (0, 0, 1, 0, 0), (0, 0, 0, 1, 0), (0, 0, 0, 0, 1), (1, 0, 0, 0, 0),
            (0, 2, 9, -1, -9), (0, -1, -3, 1, 6), (2, -2, -3, 1, 12), (0, 2, 3, -1, -12)]  # fmt: skip
    for rows in (beale, kuhn):
        for stricts in range(2 ** len(rows)):
            asked = [(row, bool(stricts >> k & 1)) for k, row in enumerate(rows)]
            check(5, asked, decided(5, asked, [False] * len(rows)))
    rng = random.Random(5)
    for _ in range(30):
        met = [rng.randint(1, 5) for _ in range(5)]
        apex = []
        for _ in range(40):
            row = [rng.randint(-9, 9) for _ in range(5)]
            row[0] = -sum(a * z for a, z in zip(row[1:], met[1:], strict=True))  # zero at the apex, where z_0 = 1
            apex.append((tuple(row), rng.random() < 0.1))
        check(5, apex, decided(5, apex, [False] * len(apex)))
