"""The names that the floor re-exports."""

from __future__ import annotations

import subprocess
import sys

import pytest

import consortium.scheduling as scheduling


def test_every_public_name_resolves() -> None:
    for name in scheduling.__all__:
        assert getattr(scheduling, name) is not None
        assert name in dir(scheduling)
    with pytest.raises(AttributeError, match="attribute nothing"):
        _ = scheduling.nothing


def test_exact_work_needs_no_heavy_package() -> None:
    """Numba and ortools load when a kernel or a solver is needed, not before."""
    code = (
        "import sys; from consortium.scheduling import *; import consortium.scheduling as s;"
        "c = s.Cluster.of([1, 2]); s.sum_allocation(c, [1, 2, 3]); s.place_in_order([1, 2], [0, 0]);"
        "s.optimal_allocation(c, [1, 2], s.SumOfTimes());"
        "s.optimal_allocation(c, [1, 2], s.ExpressionGoal('a*b', 'ab'));"
        "print([m for m in ('numpy', 'numba', 'ortools') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
