r"""From federations to arrays and back: how the compiled heuristics are called, on one instance or on many.

:func:`run` schedules one federation. :func:`makespans` takes R instances as plain arrays and returns every
``C^(k)``; it is what simulations use, and its results are the same integers.

>>> import numpy as np
>>> makespans("lpt-lpt", np.array([[4, 3, 2]]), np.array([[3, 0]])).tolist()
[[5, 0]]
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...agents.organizations import Federation
from ...support.errors import InputError, unknown_name
from ...support.exact import fits_int64
from ...support.jit import fitting
from . import kernels
from .catalogue import LOCAL_ORDERS
from .schedule import LocalOrder, Schedule

HEURISTICS: dict[str, tuple[int, LocalOrder]] = {
    "ilba": (kernels.ILBA, "lpt"),
    "lpt-lpt": (kernels.LPT_LPT, "lpt"),
    "spt-lpt": (kernels.SPT_LPT, "spt"),
    "less-helped-first": (kernels.LESS_HELPED_FIRST, "listed"),
}
"""Kernel code and default local order of each compiled heuristic."""

_ORDER = {"lpt": kernels.LPT, "spt": kernels.SPT, "listed": kernels.LISTED}


def _codes(rule: str, order: LocalOrder | None) -> tuple[int, int]:
    if rule not in HEURISTICS:
        raise unknown_name("rule", rule, HEURISTICS)
    code, default = HEURISTICS[rule]
    chosen = default if order is None else order
    if chosen not in _ORDER:
        raise unknown_name("local_order", chosen, LOCAL_ORDERS)
    return code, _ORDER[chosen]


def run(rule: str, federation: Federation, order: LocalOrder | None = None) -> Schedule:
    """Schedule a federation by a compiled heuristic; the same schedule in plain Python when int64 is too short."""
    code, order_code = _codes(rule, order)
    flat = [size for row in federation.sizes for size in row]
    compiled = fits_int64(sum(flat), 4 * len(flat))
    dtype: Any = np.int64 if compiled else object
    sizes, when = np.array(flat, dtype=dtype), np.zeros(len(flat), dtype=dtype)
    where = np.zeros(len(flat), dtype=np.int64)
    first, base = _offsets([len(row) for row in federation.sizes]), _offsets(federation.machines)
    steps = len(flat) * (len(flat) + sum(federation.machines))
    fitting(kernels.schedule, compiled, steps)(code, order_code, sizes, first, base, where, when)
    return Schedule(federation, _split(where, first), _split(when, first))


def makespans(
    rule: str,
    sizes: NDArray[np.int64],
    counts: NDArray[np.int64],
    machines: Sequence[int] | None = None,
    order: LocalOrder | None = None,
) -> NDArray[np.int64]:
    """``C^(k)`` of every organization on R instances of the same number of jobs.

    Parameters
    ----------
    rule
        One of ``ilba``, ``lpt-lpt``, ``spt-lpt``, ``less-helped-first``.
    sizes
        Shape (R, n), positive integers, the jobs of an instance organization after organization.
    counts
        Shape (R, N), how many of them each organization owns; rows add up to n.
    machines
        Machines of each organization, the same in all instances; one each by default.
    order
        Local order; the rule's own by default.

    Returns
    -------
    Shape (R, N), 0 for organizations without jobs.
    """
    code, order_code = _codes(rule, order)
    sizes, counts = np.ascontiguousarray(sizes, dtype=np.int64), np.asarray(counts, dtype=np.int64)
    if sizes.ndim != 2 or counts.ndim != 2 or len(sizes) != len(counts):
        raise InputError(f"sizes has shape {sizes.shape}, counts {counts.shape}; expected (R, n) and (R, N)")
    if (counts < 0).any() or (counts.sum(axis=1) != sizes.shape[1]).any():
        raise InputError(f"counts: every row must be counts of jobs that add up to {sizes.shape[1]}")
    if sizes.size and (int(sizes.min()) <= 0 or not fits_int64(int(sizes.max()) * sizes.shape[1])):
        raise InputError("sizes: expected positive integers whose sum fits int64")
    owned = [1] * counts.shape[1] if machines is None else list(machines)
    if len(owned) != counts.shape[1] or min(owned, default=1) < 1:
        raise InputError(f"machines = {owned}: expected at least 1 for each of {counts.shape[1]} organizations")
    first = np.zeros((len(counts), counts.shape[1] + 1), dtype=np.int64)
    np.cumsum(counts, axis=1, out=first[:, 1:])
    out = np.zeros(counts.shape, dtype=np.int64)
    if sizes.shape[1]:
        kernels.makespans(code, order_code, sizes, first, _offsets(owned), out)
    return out


def _offsets(counts: Sequence[int]) -> NDArray[np.int64]:
    """Where each part begins, and the total at the end."""
    return np.cumsum([0, *counts], dtype=np.int64)


def _split(flat: NDArray[Any], first: NDArray[np.int64]) -> tuple[tuple[int, ...], ...]:
    values = flat.tolist()
    return tuple(tuple(values[a:b]) for a, b in itertools.pairwise(first.tolist()))
