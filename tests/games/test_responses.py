"""Where best responses lead against the definition, one step after another; profile by profile and all at once."""

from __future__ import annotations

import itertools
from unittest import mock

import numpy as np

from consortium.games import enumeration_kernels as kernels
from consortium.games import responses as reachability
from consortium.games.responses import reached
from consortium.support.jit import plain


def by_definition(near: np.ndarray, places: list[int]) -> list[bool]:
    """Along a player's line from her near cells to the others, until nothing is new."""
    cells = list(itertools.product(*map(range, near.shape[1:])))
    met = {cells[place] for place in places}
    while True:
        found = {
            other
            for player, cell in itertools.product(range(len(near)), met)
            if near[(player, *cell)]
            for s in range(near.shape[1 + player])
            if not near[(player, *(other := (*cell[:player], s, *cell[player + 1 :])))]
        }
        if found <= met:
            return [cell in met for cell in cells]
        met |= found


def test_random_lines(thinning: int) -> None:
    rng, reaching = np.random.default_rng(5), 0
    for _ in range(1000 // thinning):
        shape = tuple(rng.integers(1, 5, rng.integers(1, 4)).tolist())
        near = rng.random((len(shape), *shape)) < rng.choice([0.2, 0.5, 0.8])
        size = near[0].size
        places = np.sort(rng.choice(size, rng.integers(0, min(size, 3) + 1), replace=False))
        wanted = by_definition(near, places.tolist())
        assert reached(near, places).tolist() == wanted
        with mock.patch.object(reachability, "_FAR", 1):  # then nothing is left to numpy but the nearest
            assert reached(near, places).tolist() == wanted
        flat, sizes = near.reshape(len(near), -1), np.array(shape)
        assert plain(kernels.reached)(flat, sizes, places).tolist() == wanted
        reaching += sum(wanted) > len(places)
    assert reaching > 250 // thinning
