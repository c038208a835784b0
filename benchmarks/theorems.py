"""Theorems on placement games at work: existence at once, and branch and bound with the sharp price.

``python benchmarks/theorems.py`` builds the equilibria of 20 random federations of three organizations with ten jobs
each (``--method theorem``), then searches games of four organizations by branch and bound, with makespans cut at the
price 2 - 1/N of Cordeiro's Theorem 5.8 and at the sharp one: nodes and seconds of the processor, the least of three.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any
from unittest.mock import patch

from consortium.agents.organizations import Federation
from consortium.games.placement import branch_and_bound
from consortium.games.placement.game import PlacementGame
from consortium.games.search import search

TIGHT: list[list[int]] = [[3, 3], [1, 1], [2], [2]]


def thesis(machines: Sequence[int]) -> Fraction:
    """The price of Theorem 5.8."""
    return 2 - Fraction(1, len(machines))


def timed(ask: Callable[[], Any], times: int = 1) -> tuple[Any, float]:
    """An answer, and the least seconds that it took."""
    seconds = []
    for _ in range(times):
        begun = time.process_time()
        answer = ask()
        seconds.append(time.process_time() - begun)
    return answer, min(seconds)


def main() -> None:
    """Print all rows."""
    rng = random.Random(20)
    games = [PlacementGame(Federation.of([rng.choices(range(1, 101), k=10) for _ in range(3)])) for _ in range(21)]
    search(games.pop(), method="theorem")  # kernels are loaded
    took = []
    for game in games:
        record, seconds = timed(lambda game=game: search(game, method="theorem"), 3)
        assert record.equilibria.exists
        took.append(seconds)
    print(f"3 x 10 jobs by theorem: {sum(took) / 20:.3f} s, at most {max(took):.3f} s")
    sizes = [TIGHT, *([rng.choices(range(1, 30), k=k) for k in (3, 3, 2, 2)] for _ in range(8))]
    for jobs in sizes:
        game = PlacementGame(Federation.of(jobs))
        with patch.object(branch_and_bound, "sharp_ratio", thesis):
            before, slow = timed(lambda game=game: search(game, method="branch-and-bound"), 3)
        after, fast = timed(lambda game=game: search(game, method="branch-and-bound"), 3)
        assert before.price_of_anarchy == after.price_of_anarchy
        nodes = [sum(tree.nodes for tree in each.certificate.trees) for each in (before, after)]
        print(f"{jobs}: {nodes[0]:,} nodes, {slow:.3f} s -> {nodes[1]:,} nodes, {fast:.3f} s")


if __name__ == "__main__":
    main()
