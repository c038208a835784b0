"""Random federations: worst and best equilibrium, prices and optimum, by boxes and by cuts, beside each other.

Lengths 1 to 19, instances 0 to 19 of every size, one processor-time measurement for each instance after compilation;
``extra_info`` has the median, the largest, and how many were complete. Cuts get :data:`CUT_SECONDS` for an instance, so
their median is a bound from below where it is reached. Sizes beyond the proof of the best equilibrium are stopped by
the clock: there ``extra_info`` has how many have the worst equilibrium proved, and how far bounds are apart.
"""

from __future__ import annotations

import random
import statistics
import time
from typing import Any

import pytest

from consortium.agents.organizations import Federation
from consortium.games.placement.game import PlacementGame
from consortium.games.results import SearchResult
from consortium.games.search import search

INSTANCES = 20
CUT_SECONDS = 5
CUT_INSTANCES = 5
LIMITED_SECONDS = 30
PROVED = {(4, 4): 0.05, (5, 4): 0.1, (6, 3): 0.1, (6, 4): 0.5, (6, 5): 10, (8, 3): 10}
"""Organizations and jobs each, and the seconds that the median may take."""
LIMITED = {(10, 3): 0.7, (12, 2): 0.7, (20, 5): 0.0}
"""Sizes that are stopped, and the share of instances whose worst equilibrium has to be proved."""


def federation(organizations: int, jobs: int, instance: int) -> PlacementGame:
    rng = random.Random(1000 * organizations + 100 * jobs + instance)
    return PlacementGame(Federation.of([[rng.randint(1, 19) for _ in range(jobs)] for _ in range(organizations)]))


def measured(game: PlacementGame, method: str, seconds: float | None = None) -> tuple[float, SearchResult]:
    began = time.process_time()
    found = search(game, method, time_limit=seconds)
    return time.process_time() - began, found


@pytest.fixture(scope="module", autouse=True)
def compiled() -> None:
    """Kernels are compiled, or read from disk, before anything is timed."""
    for method in ("boxes", "cuts"):
        search(federation(3, 3, 0), method)


@pytest.mark.parametrize("size", PROVED)
@pytest.mark.parametrize("method", ["boxes", "cuts"])
def test_worst_and_best_are_proved(benchmark: Any, size: tuple[int, int], method: str) -> None:
    benchmark.group = f"random federations, {size[0]} organizations of {size[1]} jobs"
    boxes = method == "boxes"
    games = [federation(*size, i) for i in range(INSTANCES if boxes else CUT_INSTANCES)]

    def run() -> list[tuple[float, SearchResult]]:
        return [measured(game, method, None if boxes else CUT_SECONDS) for game in games]

    rows = benchmark.pedantic(run, rounds=1)
    seconds = [second for second, _ in rows]
    benchmark.extra_info |= {
        "instances": len(rows),
        "complete": sum(found.complete for _, found in rows),
        "median_seconds": statistics.median(seconds),
        "largest_seconds": max(seconds),
    }
    if boxes:
        assert all(found.complete for _, found in rows)
        assert statistics.median(seconds) < PROVED[size]


@pytest.mark.parametrize("size", LIMITED)
def test_bounds_where_the_clock_stops(benchmark: Any, size: tuple[int, int]) -> None:
    benchmark.group = f"random federations, {size[0]} organizations of {size[1]} jobs, {LIMITED_SECONDS} s"
    games = [federation(*size, i) for i in range(INSTANCES)]

    def run() -> list[SearchResult]:
        return [search(game, "boxes", time_limit=LIMITED_SECONDS) for game in games]

    gaps = []
    for found in benchmark.pedantic(run, rounds=1):
        worst, best = found.equilibria.worst, found.equilibria.best
        assert worst is not None
        assert best is not None
        top = worst.social_cost if found.bounds is None else found.bounds.worst_at_most
        low = best.social_cost if found.bounds is None else found.bounds.best_at_least
        gaps.append((int(top - worst.social_cost), int(best.social_cost - low)))
    worst_gaps, best_gaps = zip(*gaps, strict=True)
    proved = sum(gap == 0 for gap in worst_gaps)
    benchmark.extra_info |= {
        "worst_proved": proved,
        "worst_gap_median": statistics.median(worst_gaps),
        "worst_gap_largest": max(worst_gaps),
        "best_proved": sum(gap == 0 for gap in best_gaps),
        "best_gap_median": statistics.median(best_gaps),
        "best_gap_largest": max(best_gaps),
    }
    assert proved >= LIMITED[size] * INSTANCES
