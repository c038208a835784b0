"""Where best responses lead against the definition, one step after another."""

from __future__ import annotations

import itertools

import numpy as np

from consortium.games.enumeration import reached


def by_definition(best: np.ndarray, places: list[int]) -> list[bool]:
    """Along a player's line from the cells that are not best to those that are, backwards, until nothing is new."""
    cells = list(itertools.product(*map(range, best.shape[1:])))
    leading = {cells[place] for place in places}
    while True:
        before = {
            other
            for player, cell in itertools.product(range(len(best)), leading)
            if best[(player, *cell)]
            for s in range(best.shape[1 + player])
            if not best[(player, *(other := (*cell[:player], s, *cell[player + 1 :])))]
        }
        if before <= leading:
            return [cell in leading for cell in cells]
        leading |= before


def test_random_lines(thinning: int) -> None:
    rng, reaching = np.random.default_rng(5), 0
    for _ in range(1000 // thinning):
        shape = tuple(rng.integers(1, 5, rng.integers(1, 4)).tolist())
        best = rng.random((len(shape), *shape)) < rng.choice([0.2, 0.5, 0.8])
        size = best[0].size
        places = np.sort(rng.choice(size, rng.integers(0, min(size, 3) + 1), replace=False))
        expected = by_definition(best, places.tolist())
        assert reached(best, places).tolist() == expected
        reaching += sum(expected) > len(places)
    assert reaching > 250 // thinning
