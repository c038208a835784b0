"""Section 4: the utility psi_sp, its axioms, its worked example, and what is misprinted about them."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import product

import pytest

from consortium.games.sharing.axioms import UTILITIES, check_axioms
from consortium.mechanisms.sharing import SharingInstance, job_utility, simulate

# Figure 2: jobs J1..J9 of the first organization as (start, length), read off the drawing
FIGURE_2 = [(0, 3), (0, 4), (0, 3), (3, 6), (3, 3), (4, 6), (6, 3), (9, 3), (10, 4)]


def by_parts(start: int, length: int, t: int) -> int:
    return sum(t - i for i in range(start, min(start + length, t)))


def psi(jobs: list[tuple[int, int]], t: int) -> int:
    return sum(job_utility(s, p, t) for s, p in jobs)


def flow(jobs: list[tuple[int, int]]) -> int:
    return sum(s + p for s, p in jobs)


def moved(job: int, start: int) -> list[tuple[int, int]]:
    return [(start, p) if i == job - 1 else (s, p) for i, (s, p) in enumerate(FIGURE_2)]


def test_equation_3_is_the_sum_over_unit_parts() -> None:
    for s, p, t in product(range(6), range(1, 6), range(14)):
        assert job_utility(s, p, t) == by_parts(s, p, t)
        x = min(p, t - s)
        if s <= t:
            assert job_utility(s, p, t) == x * (t - Fraction(s + min(s + p - 1, t - 1), 2))


@pytest.mark.paper("SR13")
def test_figure_2() -> None:
    """262 at time 13, 297 at 14, flow time 70; without the other organization's job J9 starts at 9: 4 more."""
    assert (psi(FIGURE_2, 13), psi(FIGURE_2, 14), flow(FIGURE_2)) == (262, 297, 70)
    assert psi(moved(9, 9), 14) - psi(FIGURE_2, 14) == 4
    assert flow(moved(9, 9)) - flow(FIGURE_2) == -1
    without = FIGURE_2[:-1]
    assert (psi(without, 14) - psi(FIGURE_2, 14), flow(without) - flow(FIGURE_2)) == (-10, -14)


@pytest.mark.paper("SR13")
def test_figure_2_delaying_a_job_increases_flow_time() -> None:
    """Printed: starting J6 one unit later lowers the utility by 6 and *decreases* flow time by 1. It becomes 71."""
    later = moved(6, 5)
    assert psi(later, 14) - psi(FIGURE_2, 14) == -6
    assert flow(later) == 71


@pytest.mark.paper("SR13")
def test_figure_2_is_a_greedy_schedule() -> None:
    """When the other organization's job arrives at 9, fair share with shares 2 and 1 builds the drawing."""
    instance = SharingInstance.of([2, 1], [[(0, p) for _, p in FIGURE_2], [(9, 5)]])
    outcome = simulate(instance, rule="fair-share", until=14)
    assert outcome.start.tolist() == [s for s, _ in FIGURE_2] + [9]
    assert outcome.utility[0] == 297


@pytest.mark.paper("SR13")
def test_theorem_4_1_psi_sp_satisfies_the_corrected_axioms() -> None:
    verdicts = check_axioms(UTILITIES["psi-sp"], t_max=4, jobs_max=2)
    assert [verdict.holds for verdict in verdicts.values()] == [True, True, True]


@pytest.mark.exhaustive
@pytest.mark.paper("SR13")
def test_theorem_4_1_up_to_five_units_of_time() -> None:
    verdicts = check_axioms(UTILITIES["psi-sp"], t_max=5, jobs_max=3)
    assert [verdict.holds for verdict in verdicts.values()] == [True, True, True]


@pytest.mark.paper("SR13")
def test_axiom_1_as_printed_fails_for_psi_sp() -> None:
    """At t = 2 a job of length 2 gains 2 when moved from 1 to 0, but only 1 when moved from 2 to 1."""
    found = check_axioms(UTILITIES["psi-sp"], domain="literal")["starting times"].witness
    assert found is not None
    assert found.moment == 2
    assert found.schedules == (((1, 2),), ((2, 2),), ((0, 2),), ((1, 2),))
    a, b, c, d = found.values
    assert (a - b, c - d) == (1, 2)


@pytest.mark.paper("SR13")
def test_axiom_3_as_printed_fails_for_psi_sp() -> None:
    """At t = 1 beside the job (0, 1): 2 + 1 for the pieces, 2 for the whole."""
    found = check_axioms(UTILITIES["psi-sp"], domain="literal")["strategy resistance"].witness
    assert found is not None
    assert found.moment == 1
    assert found.schedules == (((0, 1), (0, 1)), ((0, 1), (1, 1)), ((0, 1), (0, 2)))
    assert (found.values[0] + found.values[1], found.values[2]) == (3, 2)


@pytest.mark.paper("SR13")
@pytest.mark.parametrize("name", ["flow-time", "turnaround"])
def test_axioms_that_flow_time_and_turnaround_break(name: str) -> None:
    verdicts = check_axioms(UTILITIES[name])
    one_more, pieces = verdicts["number of tasks"].witness, verdicts["strategy resistance"].witness
    assert one_more is not None
    assert (one_more.moment, one_more.schedules, one_more.values) == (1, (((0, 1),), ()), (-1, 0))
    assert pieces is not None
    assert (pieces.moment, pieces.schedules, pieces.values) == (1, (((0, 1), (1, 1)), ((0, 2),)), (-1, 0))
    if name == "flow-time":  # and with both pieces completed
        assert UTILITIES[name](((0, 1), (1, 1)), 2) == -3
        assert UTILITIES[name](((0, 2),), 2) == -2


@pytest.mark.paper("SR13")
def test_axioms_that_busy_time_breaks() -> None:
    """It counts parts, not when: starting earlier gains nothing."""
    verdicts = check_axioms(UTILITIES["busy-time"], t_max=4, jobs_max=2)
    assert [verdict.holds for verdict in verdicts.values()] == [False, True, True]
    found = verdicts["starting times"].witness
    assert found is not None
    assert (found.moment, found.schedules, found.values) == (2, (((0, 1),), ((1, 1),)), (1, 1))


@pytest.mark.paper("SR13")
@pytest.mark.parametrize(
    ("name", "axiom", "moment", "schedules", "values"),
    [
        ("tardiness", "starting times", 1, (((0, 1),), ((1, 1),)), (0, 0)),
        ("tardiness", "number of tasks", 1, (((0, 1),), ()), (0, 0)),
        ("tardiness", "strategy resistance", 2, (((0, 2), (2, 1)), ((0, 3),)), (-1, 0)),
        ("makespan", "starting times", 1, (((0, 1),), ((1, 1),)), (-1, 0)),
        ("makespan", "number of tasks", 1, (((0, 1),), ()), (-1, 0)),
        ("makespan", "strategy resistance", 1, (((0, 1), (1, 1)), ((0, 2),)), (-1, 0)),
        ("wait", "starting times", 1, (((0, 1),), ((1, 1),)), (0, 0)),
        ("wait", "number of tasks", 1, (((0, 1),), ()), (0, 0)),
        ("wait", "strategy resistance", 2, (((0, 1), (1, 1)), ((0, 2),)), (-1, 0)),
    ],
)
def test_minimal_witnesses_of_tardiness_makespan_and_wait(
    name: str, axiom: str, moment: int, schedules: object, values: object
) -> None:
    """Released at 0, due at 1."""
    found = check_axioms(UTILITIES[name])[axiom].witness
    assert found is not None
    assert (found.moment, found.schedules, found.values) == (moment, schedules, values)


def rank(rows: list[dict[object, int]]) -> int:
    """Rank by elimination in fractions."""
    basis: list[tuple[object, dict[object, Fraction]]] = []
    for row in rows:
        rest = {x: Fraction(c) for x, c in row.items() if c}
        for pivot, known in basis:
            if pivot in rest:
                factor = rest[pivot] / known[pivot]
                for x, c in known.items():
                    rest[x] = rest.get(x, Fraction(0)) - factor * c
                    if rest[x] == 0:
                        del rest[x]
        if rest:
            basis.append((min(rest, key=repr), rest))
    return len(basis)


def equations(t: int, last: int | None) -> tuple[set[object], list[dict[object, int]]]:
    """Axioms 1 and 3 for a utility that adds up over jobs (axiom 2) and sees only parts done before ``t``.

    The unknowns are g(s, q), the worth of a job started at s with q parts done. ``last``: axiom 1 where
    s + p <= last; ``None``: for all s <= t - 1, as printed.
    """
    unknowns: set[object] = {(s, q) for s in range(t) for q in range(1, t - s + 1)}

    def g(s: int, p: int) -> dict[object, int]:
        done = min(p, t - s)
        return {(s, done): 1} if done > 0 else {}

    def minus(*signed: tuple[int, dict[object, int]]) -> dict[object, int]:
        total: dict[object, int] = {}
        for sign, terms in signed:
            for x, c in terms.items():
                total[x] = total.get(x, 0) + sign * c
        return total

    rows = []
    for s in range(t):
        for p1 in range(1, t + 1):
            rows.extend(minus((1, g(s, p1)), (1, g(s + p1, p2)), (-1, g(s, p1 + p2))) for p2 in range(1, t + 1))
    for p in range(1, t + 2):
        starts = [s for s in range(t) if last is None or s + p <= last]
        for s in starts[1:]:
            a = starts[0]
            rows.append(minus((1, g(s, p)), (-1, g(s + 1, p)), (-1, g(a, p)), (1, g(a + 1, p))))
    return unknowns, rows


@pytest.mark.paper("SR13")
@pytest.mark.parametrize("t", [3, 4, 5, 6])
def test_theorem_4_1_uniqueness(t: int) -> None:
    """Up to a factor and a constant there is one utility, K1 = t K2; the domain s + p <= t - 1 leaves K1 and K2 free.

    As printed (all s <= t - 1) nothing but zero is left, and gains must be positive.
    """
    unknowns, rows = equations(t, t)
    assert len(unknowns) - rank(rows) == 1
    unknowns, rows = equations(t, t - 1)
    assert len(unknowns) - rank(rows) == 2
    unknowns, rows = equations(t, None)
    assert len(unknowns) - rank(rows) == 0


@pytest.mark.paper("SR13")
def test_theorem_4_1_constants_are_swapped_in_print() -> None:
    """Equation (3) is the theorem's form with K1 = t and K2 = 1; the text before it says K1 = 1, K2 = t."""

    def form(s: int, p: int, t: int, k1: int, k2: int) -> Fraction:
        return min(p, t - s) * (k1 - k2 * Fraction(s + min(s + p - 1, t - 1), 2))

    for s, p, t in product(range(5), range(1, 5), range(5, 12)):
        assert form(s, p, t, t, 1) == job_utility(s, p, t)
    assert form(0, 2, 3, 1, 3) == -1
    assert job_utility(0, 2, 3) == 5


@pytest.mark.paper("SR13")
def test_proposition_4_2_with_its_constant_repaired() -> None:
    """Psi = n (p t + (p^2 + p) / 2) - p sum r - p flow; printed with sum r instead of p sum r."""
    rng = random.Random(42)
    printed_wrong = 0
    for _ in range(500):
        p, n, t = rng.randint(1, 5), rng.randint(1, 6), rng.randint(20, 40)
        releases = [rng.randint(0, 5) for _ in range(n)]
        starts = [r + rng.randint(0, t - p - r) for r in releases]
        utility = sum(by_parts(s, p, t) for s in starts)
        flow_time = sum(s + p - r for s, r in zip(starts, releases, strict=True))
        first = n * (p * t + Fraction(p * p + p, 2))
        assert utility == first - p * sum(releases) - p * flow_time
        printed_wrong += utility != first - sum(releases) - p * flow_time
    assert printed_wrong > 300


@pytest.mark.paper("SR13")
def test_proposition_4_2_needs_equal_lengths() -> None:
    """One machine, jobs of length 1 and 3, t = 4: both orders have utility 10, flow times are 5 and 7."""
    short_first, long_first = [(0, 1), (1, 3)], [(0, 3), (3, 1)]
    assert psi(short_first, 4) == psi(long_first, 4) == 10
    assert (flow(short_first), flow(long_first)) == (5, 7)
