"""Random sweeps are run in part by default, and in full by ``-m exhaustive``.

A test that takes the argument ``thinning`` divides the length of its loop by it (see :file:`conftest.py`).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

import pytest

PART: Final = 5
"""One in so many instances belongs to the default run."""


left_out = False
"""Whether this run has no sweeps in full, as :file:`conftest.py` says."""


def full(values: Iterable[Any]) -> list[Any]:
    """Values of a parameter for ``-m exhaustive``."""
    return [] if left_out else [pytest.param(value, marks=pytest.mark.exhaustive) for value in values]


def seeds(few: int, many: int) -> list[Any]:
    """Seeds from 0 on, of which the first few belong to the default run."""
    return [*range(few), *full(range(few, many))]


def thinned(values: Iterable[Any], part: int = PART) -> list[Any]:
    """Values of a parameter, of which all but one in ``part`` are for ``-m exhaustive``."""
    return [one for place, value in enumerate(values) for one in (full([value]) if place % part else [value])]
