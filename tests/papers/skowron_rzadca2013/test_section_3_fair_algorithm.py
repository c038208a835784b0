"""Section 3: the fair algorithm. Which moment it must look at, and what Figures 1 and 3 do when read literally."""

from __future__ import annotations

import random
from collections.abc import Callable
from fractions import Fraction
from itertools import permutations, product
from types import ModuleType
from typing import Any

import pytest

from consortium.mechanisms.sharing import SharingInstance, simulate
from consortium.mechanisms.sharing.orderings import common_multiple

Case = tuple[list[int], list[list[tuple[int, ...]]], int]


def instances(plain: ModuleType, seed: str, count: int, k: int | None = None) -> list[Case]:
    rng = random.Random(seed)
    found: list[Case] = [plain.random_instance(rng, k, n=9) for _ in range(count)]
    return found


def contended(plain: ModuleType, seed: str, count: int) -> list[Case]:
    """Three organizations with more to do than their machines can take at once."""
    rng = random.Random(seed)
    cases: list[Case] = []
    for _ in range(count):
        jobs = [sorted((rng.randint(0, 4), rng.randint(1, 5)) for _ in range(rng.randint(1, 4))) for _ in range(3)]
        cases.append(([rng.randint(1, 2) for _ in range(3)], jobs, 12))
    return cases


def figure_1(
    plain: ModuleType,
    case: Case,
    step: int,
    distance: Callable[[dict[int, Fraction], dict[int, Fraction], int, Fraction, int], Any],
    refresh: bool = True,
) -> dict[tuple[int, ...], dict[tuple[int, int], int]]:
    """Figure 1 with another distance; contributions are computed once a moment, before the first start.

    ``distance(phi, psi, u, delta, size)``; ``refresh``: whether phi gains delta / size after each start.
    """
    machines, jobs, until = case
    coalitions = plain.subsets(tuple(range(len(machines))))[1:]
    schedules: dict[tuple[int, ...], dict[tuple[int, int], int]] = {c: {} for c in coalitions}
    for t in range(until):
        for c in coalitions:
            value = {
                s: Fraction(sum(plain.psi(jobs, schedules[s], u, t + step) for u in s)) if s else Fraction(0)
                for s in plain.subsets(c)
            }
            phi = plain.shapley(value.__getitem__, c)

            def choose(
                candidates: list[int], c: tuple[int, ...] = c, phi: dict[int, Fraction] = phi, t: int = t
            ) -> int:
                psi = {u: Fraction(plain.psi(jobs, schedules[c], u, t + step)) for u in c}
                chosen = min(candidates, key=lambda u: (distance(phi, psi, u, Fraction(step), len(c)), u))
                if refresh:
                    for u in c:
                        phi[u] += Fraction(step, len(c))
                return chosen

            plain.fill(machines, jobs, c, schedules[c], t, choose)
    return schedules


def corrected(phi: dict[int, Fraction], psi: dict[int, Fraction], u: int, delta: Fraction, size: int) -> Any:
    share = delta / size
    others = sum(abs(phi[w] + share - psi[w]) for w in phi if w != u)
    return abs(phi[u] + share - psi[u] - delta) + others, psi[u] - phi[u]


def without_second_rule(phi: dict[int, Fraction], psi: dict[int, Fraction], u: int, delta: Fraction, size: int) -> Any:
    return corrected(phi, psi, u, delta, size)[0]


def printed(phi: dict[int, Fraction], psi: dict[int, Fraction], u: int, delta: Fraction, size: int) -> Any:
    share = delta / size
    return abs(phi[u] + share - psi[u] - delta) + sum(abs(phi[w] + share - psi[w]) for w in phi)


def third_figure(phi: dict[int, Fraction], psi: dict[int, Fraction], u: int, delta: Fraction, size: int) -> Any:
    return psi[u] - phi[u]


@pytest.mark.paper("SR13")
def test_formulas_1_and_2_and_the_potential_agree(plain: ModuleType, thinning: int) -> None:
    """In every coalition of REF's game, and lcm(1..k) times a potential is an integer."""
    checked = 0
    for machines, jobs, until in instances(plain, "potential", 40 // thinning, k=4):
        outcome = simulate(SharingInstance.of(machines, jobs), rule="ref", until=until)
        assert outcome.coalitions is not None
        values = outcome.coalitions.values.tolist()
        potential = [Fraction(0)] * 16
        for mask in range(1, 16):
            below = [potential[mask ^ 1 << u] for u in range(4) if mask >> u & 1]
            potential[mask] = (values[mask] + sum(below, Fraction(0))) / len(below)
            assert (common_multiple(4) * potential[mask]).denominator == 1

        def v(c: tuple[int, ...], values: list[int] = values) -> Fraction:
            return Fraction(values[sum(1 << u for u in c)])

        for mask in range(1, 16):
            members = tuple(u for u in range(4) if mask >> u & 1)
            phi = {u: potential[mask] - potential[mask ^ 1 << u] for u in members}
            assert plain.shapley(v, members) == phi
            orders = list(permutations(members))
            for u in members:
                added = [v((*o[: o.index(u)], u)) - v(o[: o.index(u)]) for o in orders]
                assert sum(added, Fraction(0)) / len(orders) == phi[u]
            checked += len(members)
        assert outcome.contribution == tuple(phi.values())
    assert checked == 40 // thinning * 32


@pytest.mark.paper("SR13")
def test_at_t_itself_figure_1_is_a_fixed_priority(plain: ModuleType, thinning: int) -> None:
    """A job started at t is worth nothing at t, so the sum over the others leaves index order alone."""

    def literal(phi: dict[int, Fraction], psi: dict[int, Fraction], u: int, delta: Fraction, size: int) -> Any:
        return corrected(phi, psi, u, delta, size)[0]

    for case in instances(plain, "priority", 60 // thinning):
        by_index = figure_1(plain, case, 0, lambda phi, psi, u, delta, size: 0)
        assert figure_1(plain, case, 0, literal) == by_index


@pytest.mark.paper("SR13")
def test_at_t_itself_figure_1_as_printed_serves_whoever_is_already_fair(plain: ModuleType, thinning: int) -> None:
    """Summed over all organizations as printed, it picks the smallest |phi - psi|."""
    for case in instances(plain, "already fair", 60 // thinning):
        nearest = figure_1(plain, case, 0, lambda phi, psi, u, delta, size: abs(phi[u] - psi[u]))
        assert figure_1(plain, case, 0, printed) == nearest


@pytest.mark.paper("SR13")
def test_corrected_figure_1_is_figure_3(plain: ModuleType, thinning: int) -> None:
    """In every coalition, at t + 1, with Figure 3's choice between equal distances."""
    for case in instances(plain, "figure 3", 60 // thinning) + contended(plain, "figure 3", 40 // thinning):
        assert figure_1(plain, case, 1, corrected) == plain.ref(*case)


@pytest.mark.paper("SR13")
def test_phi_need_not_grow_within_a_moment(plain: ModuleType, thinning: int) -> None:
    """Figure 1 forgets phi += delta / |C| after a start; for psi_sp all phi shift alike, so nothing changes."""
    for case in contended(plain, "refresh", 40 // thinning):
        assert figure_1(plain, case, 1, third_figure) == figure_1(plain, case, 1, third_figure, refresh=False)


@pytest.mark.paper("SR13")
def test_distance_summed_over_everybody_changes_schedules(plain: ModuleType, thinning: int) -> None:
    """As printed, u' ranges over u too: even at t + 1 this differs; and so does leaving ties to the index."""
    cases = contended(plain, "summed", 60 // thinning)
    for distance in (printed, without_second_rule):
        different = sum(figure_1(plain, case, 1, distance) != plain.ref(*case) for case in cases)
        assert 0 < different < len(cases)


@pytest.mark.paper("SR13")
def test_figure_1_exactly_as_printed_changes_schedules(plain: ModuleType, thinning: int) -> None:
    cases = contended(plain, "as printed", 60 // thinning)
    different = sum(figure_1(plain, case, 0, printed, refresh=False) != plain.ref(*case) for case in cases)
    assert different > 15 // thinning


def joint_allocations(waiting: list[int], count: int) -> list[tuple[int, ...]]:
    return [a for a in product(*(range(min(w, count) + 1) for w in waiting)) if sum(a) == count]


def misses(plain: ModuleType, case: Case, timing: str) -> tuple[int, int]:
    """Decisions of REF, and those whose |phi - psi| at t + 1 is not the least over all joint allocations at t."""
    machines, jobs, until = case
    step = 1 if timing == "next" else 0
    coalitions = plain.subsets(tuple(range(len(machines))))[1:]
    schedules: dict[tuple[int, ...], dict[tuple[int, int], int]] = {c: {} for c in coalitions}
    decisions = missed = 0
    for t in range(until):
        for c in coalitions:
            before = dict(schedules[c])
            free = sum(machines[u] for u in c) - len(plain.running(jobs, before, t))
            queued = [sum(j[0] <= t and (u, n) not in before for n, j in enumerate(jobs[u])) for u in c]

            def distance(schedule: dict[tuple[int, int], int], c: tuple[int, ...] = c, t: int = t) -> Fraction:
                value = {
                    s: Fraction(sum(plain.psi(jobs, schedule if s == c else schedules[s], u, t + 1) for u in s))
                    for s in plain.subsets(c)
                }
                phi = plain.shapley(value.__getitem__, c)
                return sum((abs(phi[u] - plain.psi(jobs, schedule, u, t + 1)) for u in c), Fraction(0))

            def choose(candidates: list[int], c: tuple[int, ...] = c, t: int = t) -> int:
                value = {
                    s: Fraction(sum(plain.psi(jobs, schedules[s], u, t + step) for u in s)) for s in plain.subsets(c)
                }
                phi = plain.shapley(value.__getitem__, c)
                return min(candidates, key=lambda u: (plain.psi(jobs, schedules[c], u, t + step) - phi[u], u))

            plain.fill(machines, jobs, c, schedules[c], t, choose)
            if len(c) < 2 or free <= 0 or sum(queued) == 0:
                continue
            decisions += 1
            best = None
            for allocation in joint_allocations(queued, min(free, sum(queued))):
                trial = dict(before)
                for u, count in zip(c, allocation, strict=True):
                    for _ in range(count):
                        trial[u, plain.head(jobs, trial, u)] = t
                found = distance(trial)
                best = found if best is None or found < best else best
            missed += distance(schedules[c]) != best
    return decisions, missed


@pytest.mark.paper("SR13")
def test_theorem_3_3_needs_the_next_moment(plain: ModuleType, thinning: int) -> None:
    """Looking at t + 1, Figure 3 reaches the least distance over all joint allocations; looking at t it misses some."""
    cases = instances(plain, "theorem 3.3", 40 // thinning, k=3)
    by_next = [misses(plain, case, "next") for case in cases]
    by_now = [misses(plain, case, "now") for case in cases]
    assert sum(d for d, _ in by_next) > 100 // thinning
    assert sum(m for _, m in by_next) == 0
    assert sum(m for _, m in by_now) > 0


@pytest.mark.paper("SR13")
def test_looking_at_t_empties_one_queue_first(plain: ModuleType, thinning: int) -> None:
    """Figure 3 read literally: no start at t changes psi(t), so all freed machines go to one organization."""
    instance = SharingInstance.of([2, 2], [[(0, 3)] * 4, [(0, 3)] * 4])
    assert simulate(instance, rule="ref", until=6, timing="now").start.tolist() == [0, 0, 0, 0, 3, 3, 3, 3]
    assert simulate(instance, rule="ref", until=6, timing="next").start.tolist() == [0, 0, 3, 3, 0, 0, 3, 3]
    changed = sum(
        plain.ref(*case, "now")[tuple(range(len(case[0])))] != plain.ref(*case)[tuple(range(len(case[0])))]
        for case in contended(plain, "now", 60 // thinning)
    )
    assert changed > 3 // thinning


@pytest.mark.paper("SR13")
def test_a_job_released_at_t_may_start_at_t() -> None:
    """The text says released *before* t; the pseudo-code releases first and schedules then."""
    assert simulate(SharingInstance.of([1], [[(3, 1)]]), rule="ref", until=5).start.tolist() == [3]


@pytest.mark.paper("SR13")
def test_reversing_ties_changes_results(plain: ModuleType) -> None:
    """So schedules can only be compared under a stated rule. Without ties, relabelling permutes the result."""
    changed = 0
    for machines, jobs, until in instances(plain, "reversed", 60, k=3):
        outcome = simulate(SharingInstance.of(machines, jobs), rule="ref", until=until)
        mirror = simulate(SharingInstance.of(machines[::-1], jobs[::-1]), rule="ref", until=until)
        changed += outcome.utility != mirror.utility[::-1]
    assert 0 < changed < 30
