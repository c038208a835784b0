"""Loops that stand for numpy's copies and sorts inside kernels, compiled and interpreted."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from consortium.scheduling.loops import overwrite, stable_order
from consortium.support.jit import plain


@pytest.mark.parametrize("run", [stable_order, plain(stable_order)], ids=["compiled", "interpreted"])
def test_orders_are_stable(run: Any) -> None:
    """Few values make many ties; every length from none to beyond two doublings, and the ends of int64."""
    rng = random.Random("orders")
    for n in range(40):
        keys = [rng.choice([-(2**63), -1, 0, 1, 2, 2**63 - 1]) for _ in range(n)]
        order = np.full(n, -1)
        run(np.array(keys, dtype=np.int64), order)
        assert order.tolist() == sorted(range(n), key=keys.__getitem__)


def test_orders_of_large_integers() -> None:
    keys = np.array([10**30, -(10**30), 10**30, 0], dtype=object)
    order = np.empty(4, np.int64)
    plain(stable_order)(keys, order)
    assert order.tolist() == [1, 3, 0, 2]


def test_a_longer_target_keeps_its_end() -> None:
    target = np.arange(4)
    overwrite(target, np.array([7, 8]))
    assert target.tolist() == [7, 8, 2, 3]
