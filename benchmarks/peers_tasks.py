"""What ``peers.py`` asks, of whom, and what the files of tasks share."""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from consortium.games.interchange import quantecon_arrays, write_nfg
from consortium.games.normal_form import NormalFormGame

NEAR = 1e-6
"""Floats that differ by less are the same, relative to 1."""


class Compared(NamedTuple):
    """Whether two answers are the same, and what there is to say of them."""

    same: bool
    says: str


class Beside(NamedTuple):
    """What a peer is asked.

    ``call`` is its function and ``numbers`` what that computes in. ``make`` brings our instance into its form, ``ask``
    is what is timed, and ``read`` brings the answer into the form of ours.
    """

    peer: str
    call: str
    numbers: str
    make: Callable[[Any], Any]
    ask: Callable[[Any], Any]
    read: Callable[[Any], Any] = lambda answer: answer


class Task(NamedTuple):
    """Work for us and for peers: ``make`` an instance, ``ask`` us, ``compare`` our answer with one of theirs."""

    theme: str
    work: str
    make: Callable[[], Any]
    ask: Callable[[Any], Any]
    compare: Callable[[Any, Any], Compared]
    beside: tuple[Beside, ...]


def late(module: str) -> Any:
    """A peer's module, imported where it is used: most of them are not installed everywhere."""
    return importlib.import_module(module)


# --- games, and answers that are near each other ---------------------------------------------------------------------

Mixes = Sequence[Sequence[Any]]


def gambit_game(game: NormalFormGame) -> Any:
    """Read from a file: quicker than from arrays."""
    write_nfg(game, "one.nfg")
    return late("pygambit").read_nfg("one.nfg")


def quantecon_game(game: NormalFormGame) -> Any:
    theory = late("quantecon.game_theory")
    return theory.NormalFormGame([theory.Player(own.astype(float)) for own in quantecon_arrays(game)])


SIZES = {"3x8": (8,) * 3, "4x16": (16,) * 4, "6x8": (8,) * 6, "5x16": (16,) * 5}


def planted(name: str) -> NormalFormGame:
    """Random payoffs with one planted equilibrium, so that every search finds something."""
    shape = SIZES[name]
    rng = np.random.default_rng(len(shape))
    arrays = [rng.integers(0, 1000, shape) for _ in shape]
    for array in arrays:
        array[(0,) * len(shape)] = 1000
    return NormalFormGame.from_arrays(arrays, sense="payoff")


def square(size: int, number: int = 5) -> list[NormalFormGame]:
    rng = np.random.default_rng(size)
    return [
        NormalFormGame.from_arrays([rng.integers(0, 1000, (size, size)) for _ in "ab"], sense="payoff")
        for _ in range(number)
    ]


def apart(one: Mixes, other: Mixes) -> float:
    """Largest difference of a probability; infinite from what is no profile of the game."""
    if list(map(len, one)) != list(map(len, other)):
        return math.inf
    both = [pair for own, its in zip(one, other, strict=True) for pair in zip(own, its, strict=True)]
    distances = [abs(float(a) - float(b)) for a, b in both]
    return math.inf if any(map(math.isnan, distances)) else max(distances)


def close(ours: Mixes, theirs: Mixes) -> Compared:
    error = apart(ours, theirs)
    return Compared(error < NEAR, f"to {error:.0e}")


def close_numbers(ours: Sequence[Any], theirs: Sequence[Any]) -> Compared:
    error = max(abs(float(a) - float(b)) / max(1.0, abs(float(a))) for a, b in zip(ours, theirs, strict=True))
    return Compared(error < NEAR, f"to {error:.0e}" if error else "yes")
