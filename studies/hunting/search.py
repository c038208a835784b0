"""Search an instance that breaks a claim: rounds of random draws, then of local search around the nearest misses.

A round is a number of lots, which can be worked on side by side: :data:`DRAWING` lots of random instances, then
:data:`CLIMBING` lots, each of which changes one of the nearest misses so far at random and keeps what is as near or
nearer. The first rounds draw tiny instances, later ones larger ones. Every lot has its own random numbers, from the
seed, the round and its number; the first lot that hits counts, in the order of the lots: so the answer depends neither
on the processes nor on their speed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final

from numpy.random import default_rng

from ...parallel.executors import Pool
from ...parallel.stream import in_order, streamed
from ...support.errors import ConsortiumError, InputError
from ...support.exact import Extended
from ...support.interrupts import noticed
from ...support.progress import Clock, Progress
from .claims.verdict import LARGEST, UnfitError
from .edits import Data, mutated
from .shrinking import extents, size_of
from .target import Target

DRAWING: Final = 16
DRAW_TRIES: Final = 10
"""Instances of a lot that draws."""
CLIMBING: Final = 8
STEPS: Final = 20
"""Changes of a lot that climbs."""


@dataclass(frozen=True)
class Lot:
    """Some instances to try: random ones, or neighbours of a near miss."""

    target: Target
    seed: int
    round: int
    number: int
    start: tuple[Extended, Data] | None = None


@dataclass
class Hunted:
    """What a lot found, and what all lots have found so far: a scenario that breaks the claim, or the nearest misses.

    ``ruled`` of ``tried`` could be decided; ``refusal`` says why one could not. ``sizes``: the least and the most of
    each size that was tried.
    """

    tried: int = 0
    ruled: int = 0
    rounds: int = 0
    hit: Data | None = None
    misses: list[tuple[Extended, Data]] = field(default_factory=list)
    refusal: str | None = None
    sizes: Mapping[str, tuple[int, int]] = field(default_factory=dict)

    def take(self, lot: Hunted) -> None:
        """Add what a lot found; the nearest misses are kept, of equally near ones the smallest."""
        self.tried += lot.tried
        self.ruled += lot.ruled
        self.hit = lot.hit
        self.sizes = spans([self.sizes, lot.sizes])
        self.refusal = lot.refusal or self.refusal
        self.misses += [miss for miss in lot.misses if miss not in self.misses]
        self.misses.sort(key=lambda miss: (-miss[0], size_of(miss[1])))
        del self.misses[CLIMBING:]


def spans(sizes: Iterable[Mapping[str, Sequence[int]]]) -> dict[str, tuple[int, int]]:
    """The least and the most of every size.

    >>> spans([{"agents": [3], "machines": [2, 1]}, {"agents": [2]}])
    {'agents': (2, 3), 'machines': (1, 2)}
    """
    numbers: dict[str, list[int]] = {}
    for each in sizes:
        for name, some in each.items():
            numbers.setdefault(name, []).extend(some)
    return {name: (min(some), max(some)) for name, some in numbers.items() if some}


def work(lot: Lot) -> Hunted:
    """Try the instances of a lot, up to the first that breaks the claim."""
    rng = default_rng((lot.seed, lot.round, lot.number))
    nearest, hunted = lot.start, Hunted()
    for _ in range(DRAW_TRIES if lot.start is None else STEPS):
        hunted.tried += 1
        climbing = nearest if lot.start is not None else None
        data = lot.target.draw(rng, min(lot.round, LARGEST)) if climbing is None else mutated(climbing[1], rng)
        if not lot.target.fits(data):
            continue
        hunted.sizes = spans([hunted.sizes, extents(data)])
        try:
            verdict = lot.target.verdict(data)
        except UnfitError:
            raise
        except ConsortiumError as error:
            hunted.refusal = str(error)
            continue
        hunted.ruled += verdict.broken is not None
        if verdict.broken:
            hunted.hit = data
            return hunted
        if verdict.near is not None and (nearest is None or verdict.near >= nearest[0]):
            nearest = verdict.near, data
    hunted.misses = [] if nearest is None else [nearest]
    return hunted


def _numbered(numbered: tuple[int, Lot]) -> tuple[int, Hunted]:
    return numbered[0], work(numbered[1])


def _lost(numbered: tuple[int, Lot]) -> tuple[int, Hunted]:
    """What stands for a lot that has ended its worker process each time: the hunt goes on with the others."""
    return numbered[0], Hunted(tried=1, refusal="its worker process ended each time: by the rule, or out of memory")


def search(target: Target, seed: int, pool: Pool, clock: Clock, progress: Progress | None = None) -> Hunted:
    """Hunt until an instance breaks the claim, time is up, or Ctrl-C.

    Raises InputError when none of the first instances could be decided, with the reason of one; UnfitError at the
    first of them where the claim does not apply to the rule.
    """
    hunted = Hunted()
    with noticed() as stopped, suppress(TimeoutError, KeyboardInterrupt):
        while hunted.hit is None and (hunted.ruled or not hunted.rounds):
            for lot in _round(target, seed, hunted, pool, clock):
                hunted.take(lot)
                if progress is not None:
                    near = f", nearest miss {float(hunted.misses[0][0]):.4g}" if hunted.misses else ""
                    progress(hunted.tried, None, f"instances{near}")
                if stopped():
                    raise KeyboardInterrupt
                if hunted.hit is not None:
                    return hunted
            hunted.rounds += 1
    if hunted.refusal is not None and not hunted.ruled:
        raise InputError(f"hunt: none of {hunted.tried} instances could be decided: {hunted.refusal}")
    return hunted


def _round(target: Target, seed: int, hunted: Hunted, pool: Pool, clock: Clock) -> Iterator[Hunted]:
    """What the lots of a round find, in their order: those that draw, then those that climb from what is nearest."""

    def work_on(lots: Iterable[Lot]) -> Iterator[Hunted]:
        return in_order(streamed(pool, _numbered, enumerate(lots), clock=clock, lost=_lost))

    number = hunted.rounds
    yield from work_on(Lot(target, seed, number, i) for i in range(DRAWING))
    yield from work_on(Lot(target, seed, number, DRAWING + i, miss) for i, miss in enumerate(tuple(hunted.misses)))
