r"""What jobs count as when their trackable resources are weighed.

Model: a job that holds the amounts :math:`a_i` of resources with the weights :math:`w_i` counts as
:math:`\lfloor\sum_i w_i a_i\rfloor` billing units, at least 1: the sum of Slurm's ``TRESBillingWeights``, which Slurm
cuts to a whole number too. A job of which nothing is weighed is left out. In a log that was :func:`weighed`, billing
units stand in the place of processors. All that replays it treats a job of ``b`` units and ``r`` seconds as it treats
one of ``b`` processors: as ``b`` sequential jobs of ``r`` seconds. Its machines are billing units as well.

Conventions: names, amounts and weights are those of :mod:`.billing`; ``cpu`` of a job that does not say it is its
number of processors.

Source: the manual of Slurm, "Trackable RESources (TRES)".

>>> from .log import Log
>>> tres = {0: "cpu=4,mem=16G,gres/gpu=2", 1: "cpu=1,mem=512M"}
>>> log = Log({"job": [1, 2, 3], "run": [60, 60, 60], "allocated": [4, 1, 2], "resources": [0, 1, -1]},
...           labels={"resources": tres})
>>> weighed(log, {"cpu": "1", "mem": "0.25G", "gres/gpu": "10"}).processors.tolist()
[28, 1, 2]
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction

import numpy as np

from ..support.errors import InputError
from ..support.exact import fits_int64
from .billing import CPU, amounts, factor, told_weights
from .columns import IntArray
from .log import EXAMPLES, RESOURCES, Log, Skipped


def weighed(log: Log, weights: Mapping[str, str]) -> Log:
    """The log in which a job's processors are its billing units; its header no longer says how many there were.

    Parameters
    ----------
    log
        Jobs that can be replayed.
    weights
        Billing units per unit of a resource, by name; see :func:`factor`.

    Raises
    ------
    InputError
        A weight that is none, resources that the log does not tell at all, or no job that counts.
    """
    factors = {name: factor(name, weight) for name, weight in weights.items()}
    texts = log.labels.get(RESOURCES, {})
    held, broken = _held(texts)
    known = sorted({CPU, *(name for bundle in held.values() for name in bundle)})
    unknown = [name for name in factors if name not in known]
    if unknown and not held:
        raise InputError(f"weights: {log.name} tells only how many processors a job has (cpu); found {unknown[0]!r}")
    pairs = np.stack([log.column(RESOURCES), log.processors])
    kinds, of_job = np.unique(pairs, axis=1, return_inverse=True)
    counts = [_units(held.get(code, {}), factors, processors) for code, processors in kinds.T.tolist()]
    if not all(map(fits_int64, counts)):
        raise InputError(f"weights: a job would count as {max(counts):,} billing units; give smaller weights")
    units: IntArray = np.array(counts, dtype=np.int64)[of_job.reshape(-1)]
    unread = np.isin(pairs[0], list(broken))
    return _counted(log, units, unread, _notes(log, weights, unknown, known))


def _held(texts: Mapping[int, str]) -> tuple[dict[int, dict[str, Fraction]], set[int]]:
    """What each text says by its code, and the codes of those that cannot be read."""
    held, broken = {}, set()
    for code, text in texts.items():
        try:
            held[code] = amounts(text)
        except InputError:
            broken.add(code)
    return held, broken


def _units(bundle: Mapping[str, Fraction], factors: Mapping[str, Fraction], processors: int) -> int:
    """Billing units of a job; 0 where it holds nothing that is weighed."""
    held: dict[str, Fraction | int] = {CPU: processors, **bundle}
    total = sum((weight * held.get(name, 0) for name, weight in factors.items()), Fraction(0))
    return max(1, math.floor(total)) if total else 0


def _notes(log: Log, weights: Mapping[str, str], unknown: list[str], known: list[str]) -> list[str]:
    """What of the weighing deserves a word in the report."""
    told = [f"a job counts as its billing units: {told_weights(weights)}"]
    silent = int((log.column(RESOURCES) < 0).sum())
    if silent and log.labels.get(RESOURCES):
        told.append(f"resources not told, processors weighed instead: {silent:,}")
    if unknown:
        told.append(f"no job has {', '.join(unknown)}; the log knows {', '.join(known)}")
    return told


def _counted(log: Log, units: IntArray, unread: np.ndarray, notes: list[str]) -> Log:
    """The log with ``units`` in the place of processors, without the jobs that cannot be counted."""
    reasons = (
        ("resources are not names with amounts", unread),
        ("holds nothing that is weighed", (units == 0) & ~unread),
    )
    skipped = list(log.report.skipped)
    for reason, bad in reasons:
        if bad.any():
            skipped.append(Skipped(reason, int(bad.sum()), tuple(log.job[bad][:EXAMPLES].tolist())))
    good = np.flatnonzero((units > 0) & ~unread)
    if not good.size:
        raise InputError(f"weights: no job of {log.name} holds anything that is weighed")
    report = replace(log.report, kept=int(good.size), skipped=tuple(skipped), notes=(*log.report.notes, *notes))
    header = {key: values for key, values in log.header.items() if key not in ("MaxProcs", "MaxNodes")}
    columns = {name: log.kept(name) for name in log.columns} | {"allocated": units}
    return replace(log, columns=columns, header=header).take(good, report)
