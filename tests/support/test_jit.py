"""The door to numba: kernels are the functions they are made of, also where nothing can be kept on disk."""

from __future__ import annotations

import numpy as np

from consortium.support import jit as door
from consortium.support.jit import inlined, inner, lean, plain


@inlined
def square(x: int) -> int:
    return x * x


@inner
def total(values: door.Ints) -> int:
    found = 0
    for v in values:
        found += square(v)
    return found


@lean
def twice(values: door.Ints) -> int:
    return 2 * total(values)


def test_kernels_and_their_plain_functions_agree() -> None:
    values = np.arange(5)
    assert twice(values) == plain(twice)(values) == 60
    huge = np.array([10**20, 1], dtype=object)
    assert plain(twice)(huge) == 2 * (10**40 + 1)
