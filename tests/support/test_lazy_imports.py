"""What stands in a module's place gives way to it."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from pathlib import Path

import pytest

from consortium.support.lazy_imports import standing_in

ROOT = Path(__file__).parents[2]
SERIES = """
from consortium.support.lazy_imports import cp_model
model = cp_model().CpModel()
import sys
assert "pandas" not in sys.modules
import pandas
found = model.new_int_var_series("x", pandas.Index([1, 2]), 0, 3)
assert isinstance(found, pandas.Series) and len(found) == 2
"""
LINEAR_ALGEBRA = """
from consortium.support.jit import compiled
import numpy as np
assert compiled(lambda a: a.sum())(np.arange(3)) == 3
import sys
assert "scipy.linalg" not in sys.modules
import numba
assert numba.njit(lambda a: np.linalg.inv(a) @ a)(2 * np.eye(2)).tolist() == [[1, 0], [0, 1]]
"""
CLASSES = """
from consortium.support.jit import compiled
import numpy as np
assert compiled(lambda a: a.sum())(np.arange(3)) == 3
import numba
class Pair:
    def __init__(self, a):
        self.a = a
    def twice(self):
        return 2 * self.a
assert numba.experimental.jitclass([("a", numba.int64)])(Pair)(4).twice() == 8
assert sorted(numba.njit(lambda: {1: 2})()) == [1]
"""
KEPT = """
import sys
from consortium.games.graphs import strong_components
from consortium.scheduling import compiled
import numpy as np
compiled.IMPORTING = compiled.COMPILING = compiled.LOADED = 0
assert strong_components(np.array([0, 1]), np.array([1, 0]), 2).tolist() == [0, 0]
print("numba.np.arraymath" in sys.modules)
import numba
assert numba.njit(lambda a: np.sort(a))(np.array([2, 1])).tolist() == [1, 2]
"""


def test_a_stand_in_turns_into_the_module() -> None:
    sys.modules.pop("colorsys", None)
    with standing_in("colorsys"):
        import colorsys as found

        assert isinstance(found.rgb_to_hsv, type)
    assert "colorsys" not in sys.modules
    assert found.rgb_to_hsv(1, 1, 1) == (0, 0, 1)
    assert found is not sys.modules["colorsys"]


def test_what_has_been_imported_stays() -> None:
    with standing_in("math"):
        import math as found
    assert found is math is sys.modules["math"]


@pytest.mark.exhaustive  # a process of its own each, and pandas or a compilation in it
@pytest.mark.parametrize("code", [SERIES, LINEAR_ALGEBRA, CLASSES])
def test_others_get_all_of_what_was_kept_out(code: str) -> None:
    subprocess.run([sys.executable, "-c", code], env=os.environ | {"PYTHONPATH": str(ROOT / ".types")}, check=True)


@pytest.mark.exhaustive  # two processes, in each of which something is compiled
def test_a_kept_kernel_needs_nothing_that_compiles(tmp_path: Path) -> None:
    variables = os.environ | {"PYTHONPATH": str(ROOT / ".types"), "NUMBA_CACHE_DIR": str(tmp_path)}
    said = [
        subprocess.run([sys.executable, "-c", KEPT], env=variables, check=True, capture_output=True, text=True).stdout
        for _ in range(2)
    ]
    assert [text.strip() for text in said] == ["True", "False"]
