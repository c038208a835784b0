r"""What jobs count as when their trackable resources are weighed.

Model: a job that holds the amounts :math:`a_i` of resources with the weights :math:`w_i` counts as
:math:`\lfloor\sum_i w_i a_i\rfloor` billing units, at least 1: the sum of Slurm's ``TRESBillingWeights``, which Slurm
cuts to a whole number too. A job of which nothing is weighed is left out. In a log that was :func:`weighed`, billing
units stand in the place of processors. All that replays it treats a job of ``b`` units and ``r`` seconds as it treats
one of ``b`` processors: as ``b`` sequential jobs of ``r`` seconds. Its machines are billing units as well.

Conventions: resources are named as Slurm names them, in lower case: ``cpu``, ``mem``, ``node``, ``gres/gpu``,
``gres/gpu:a100``, ``license/ansys``. Sizes (``mem``, ``vmem``, ``fs/``, ``bb/``) are in bytes: an amount or a weight
without a suffix is one of MiB, or for one MiB; K, M, G, T and P are powers of 1024. ``cpu`` of a job that does not say
it is its number of processors.

Source: the manual of Slurm, pages sacct and "Trackable RESources (TRES)".

>>> from .log import Log
>>> tres = {0: "cpu=4,mem=16G,gres/gpu=2", 1: "cpu=1,mem=512M"}
>>> log = Log({"job": [1, 2, 3], "run": [60, 60, 60], "allocated": [4, 1, 2], "resources": [0, 1, -1]},
...           labels={"resources": tres})
>>> weighed(log, {"cpu": "1", "mem": "0.25G", "gres/gpu": "10"}).processors.tolist()
[28, 1, 2]
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Final

import numpy as np

from ..support.errors import InputError, nearest
from ..support.exact import fits_int64
from .log import RESOURCES, IntArray, Log, selected

CPU: Final = "cpu"
SINGLE: Final = (CPU, "mem", "node", "billing", "energy", "vmem", "pages")
"""Names of resources of which there is one kind."""
SEVERAL: Final = ("gres/", "license/", "fs/", "bb/", "ic/")
"""Beginnings of the names of the others."""

_SIZES: Final = ("mem", "vmem", "fs/", "bb/")
_MIB: Final = 2**20
_SUFFIXES: Final = {letter: 1024 ** (i + 1) for i, letter in enumerate("KMGTP")}
_AMOUNT: Final = re.compile(r"([0-9]{1,30}(?:\.[0-9]{1,30})?)([KMGTP]?)[nc]?", re.IGNORECASE)
_WEIGHT: Final = re.compile(r"([0-9]{1,30}(?:\.[0-9]{1,30}|/0*[1-9][0-9]{0,29})?)([KMGTP]?)", re.IGNORECASE)
_NAME: Final = re.compile(r"[a-z]+(?:/[^\s=,/]+)?")


def weighed(log: Log, weights: Mapping[str, str]) -> Log:
    """The log in which a job's processors are its billing units; its header no longer says how many there were.

    Weights are billing units per unit of a resource, by name, see :func:`factor`. Raises InputError for a weight that
    is none, resources that the log does not tell at all, or where no job counts.
    """
    factors = {name: factor(name, weight) for name, weight in weights.items()}
    texts = log.labels.get(RESOURCES, {})
    held, broken = _held(texts)
    tracked = sorted({CPU, *(name for bundle in held.values() for name in bundle)})
    unknown = [name for name in factors if name not in tracked]
    if unknown and not held:
        raise InputError(f"weights: {log.name} tells only how many processors a job has (cpu); found {unknown[0]!r}")
    pairs = np.stack([log.column(RESOURCES), log.processors])
    kinds, of_job = np.unique(pairs, axis=1, return_inverse=True)
    counts = [_units(held.get(code, {}), factors, processors) for code, processors in kinds.T.tolist()]
    if not all(map(fits_int64, counts)):
        raise InputError(f"weights: a job would count as {max(counts):,} billing units; give smaller weights")
    units: IntArray = np.array(counts, dtype=np.int64)[of_job.reshape(-1)]
    unread = np.isin(pairs[0], list(broken))
    return _counted(log, units, unread, _notes(log, weights, unknown, tracked))


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


def _notes(log: Log, weights: Mapping[str, str], unknown: list[str], tracked: list[str]) -> list[str]:
    """What of the weighing deserves a word in the report."""
    notes = [f"a job counts as its billing units: {weights_text(weights)}"]
    silent = int((log.column(RESOURCES) < 0).sum())
    if silent and log.labels.get(RESOURCES):
        notes.append(f"resources not told, processors weighed instead: {silent:,}")
    if unknown:
        notes.append(f"no job has {', '.join(unknown)}; the log knows {', '.join(tracked)}")
    return notes


def _counted(log: Log, units: IntArray, unread: np.ndarray, notes: list[str]) -> Log:
    """The log with ``units`` in the place of processors, without the jobs that cannot be counted."""
    reasons = (
        ("resources are not names with amounts", unread),
        ("holds nothing that is weighed", units == 0),
    )
    good, skipped = selected(log, reasons)
    if not good.size:
        raise InputError(f"weights: no job of {log.name} holds anything that is weighed")
    report = replace(log.report, kept=int(good.size), skipped=skipped, notes=(*log.report.notes, *notes))
    header = {key: values for key, values in log.header.items() if key not in ("MaxProcs", "MaxNodes")}
    columns = {name: log.kept(name) for name in log.columns} | {"allocated": units}
    return replace(log, columns=columns, header=header).take(good, report)


def is_resource(name: str) -> bool:
    """Whether Slurm could track a resource of this name.

    >>> is_resource("gres/gpu"), is_resource("gpu"), is_resource("mem")
    (True, False, True)
    """
    return name in SINGLE or (name.startswith(SEVERAL) and _NAME.fullmatch(name) is not None)


def likely(name: str) -> str | None:
    """The resource that may have been meant by a name that is none.

    >>> likely("gpu"), likely("memory"), likely("cpus")
    ('gres/gpu', 'mem', 'cpu')
    """
    return "gres/gpu" if "gpu" in name else nearest(name, SINGLE)


def factor(name: str, weight: str) -> Fraction:
    """Billing units of one unit of a resource, of one byte where it is a size.

    Raises InputError for what is no weight.

    >>> factor("mem", "0.25G") * 2**30, factor("mem", "2") * 2**20, factor("gres/gpu", "10")
    (Fraction(1, 4), Fraction(2, 1), Fraction(10, 1))
    """
    sized = name.startswith(_SIZES)
    match = _WEIGHT.fullmatch(weight.strip())
    if match is None or (match[2] and not sized):
        form = "a number >= 0, for sizes with a suffix like 0.25G" if sized else "a number >= 0"
        raise InputError(f"weight of {name}: found {weight!r}; expected {form}")
    size = _SUFFIXES[match[2].upper()] if match[2] else _MIB if sized else 1
    return Fraction(match[1]) / size


def amounts(text: str) -> dict[str, Fraction]:
    """What a job holds, by name, by the text of a dump. Raises InputError for another text.

    >>> amounts("billing=4,cpu=4,mem=1.5G")["mem"] == 3 * 2**29
    True
    """
    bundle = {}
    for part in text.split(","):
        name, _, amount = part.strip().partition("=")
        match = _AMOUNT.fullmatch(amount)
        if not name or match is None:
            raise InputError(f"resources: found {text!r}; expected names with amounts like cpu=4,mem=16G,gres/gpu=2")
        name = name.lower()
        size = _SUFFIXES[match[2].upper()] if match[2] else _MIB if name.startswith(_SIZES) else 1
        bundle[name] = Fraction(match[1]) * size
    return bundle


def weights_text(weights: Mapping[str, str]) -> str:
    """Weights as people write them.

    >>> weights_text({"cpu": "1", "gres/gpu": "10"})
    'cpu=1,gres/gpu=10'
    """
    return ",".join(f"{name}={weight}" for name, weight in weights.items())
