"""Trackable resources of jobs (Slurm's TRES) and their weights, as texts say them.

Conventions: resources are named as Slurm names them, in lower case: ``cpu``, ``mem``, ``node``, ``gres/gpu``,
``gres/gpu:a100``, ``license/ansys``. Sizes (``mem``, ``vmem``, ``fs/``, ``bb/``) are in bytes: an amount or a weight
without a suffix is one of MiB, or for one MiB; K, M, G, T and P are powers of 1024.

Source: the manual of Slurm, pages sacct and "Trackable RESources (TRES)".
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Final

from ..support.errors import InputError, nearest

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
    found = {}
    for part in text.split(","):
        name, _, amount = part.strip().partition("=")
        match = _AMOUNT.fullmatch(amount)
        if not name or match is None:
            raise InputError(f"resources: found {text!r}; expected names with amounts like cpu=4,mem=16G,gres/gpu=2")
        name = name.lower()
        size = _SUFFIXES[match[2].upper()] if match[2] else _MIB if name.startswith(_SIZES) else 1
        found[name] = Fraction(match[1]) * size
    return found


def told_weights(weights: Mapping[str, str]) -> str:
    """Weights as people write them.

    >>> told_weights({"cpu": "1", "gres/gpu": "10"})
    'cpu=1,gres/gpu=10'
    """
    return ",".join(f"{name}={weight}" for name, weight in weights.items())
