"""What simulators leave behind, before it becomes a :class:`.outcome.SharingOutcome`."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

from .arrays import AnyIntArray, IntArray


class Run(NamedTuple):
    """One schedule: start of each job (-1: not started), and how far and in which arithmetic it went."""

    start: AnyIntArray
    reached: int
    complete: bool
    method: str
    contribution: tuple[Fraction, ...] | None = None
    machine: IntArray | None = None


class RefRun(NamedTuple):
    """Schedules of all coalitions by mask; ``starts`` has their rows, or only that of the grand coalition."""

    starts: AnyIntArray
    values: AnyIntArray
    utilities: AnyIntArray
    reached: int
    complete: bool
    method: str
