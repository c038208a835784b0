"""Types of the arrays of this room; kept apart from the kernels, so that describing a pool does not import numba."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

IntArray: TypeAlias = npt.NDArray[np.int64]
"""Integers of a kernel."""

AnyIntArray: TypeAlias = npt.NDArray[Any]
"""Integers, of dtype object where they may leave int64."""
