"""A question about all games of a shape on its way to covers and trees, and the small games that begin it."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Final

import numpy as np

from ....support.progress import Clock, Progress
from ...equilibria.simplex import LIMIT
from .by_theorem import bounded
from .cover import STARTS, Cover, cover
from .points import Game, extremes, found_by_play, game_of, least_makespan
from .policies import Cell
from .prices import Price, branch_and_bound
from .shapes import Answer, Lengths, Property, Shape

GAMES, PROFILES = 2_000, 3_000_000
"""Small games that are looked at for large prices, and their placements, at most."""
PLAYED: Final = 50
"""Small games that are looked at for an equilibrium whose price is not bounded."""

SHORTEST: Final = Fraction(1, 10_000)
"""Of an enclosure that is good enough."""


def comparable(lengths: Lengths) -> bool:
    """Whether products of what is paid are within int64, as :func:`.points.extremes` needs."""
    return sum(sum(row) for row in lengths) <= LIMIT


class Request:
    """A question on its way: what it is about, and when to stop; under a policy the lengths of a cell, and the value.

    ``least``: what some game is known to have.
    """

    def __init__(self, shape: Shape, clock: Clock, progress: Progress | None, processes: int) -> None:
        self.shape, self.clock, self.progress, self.processes = shape, clock, progress, processes
        self.cell: Cell | None = None
        self.least = Fraction(1)
        self._cover: Cover | None = None
        self._trees = (0, 1)  # placements whose trees are done in the last pass, and all

    def game(self, num: int = 1, den: int = 1, most: tuple[int, int] = (0, 1)) -> Game:
        """The game, for approximate equilibria or for those whose makespan has a bound."""
        game = game_of(self.shape, num, den, most)
        return game if self.cell is None else self.cell.of(game)

    def cover(self, epsilon: Fraction = Fraction(1), most: Fraction | None = None) -> Cover:
        """A cover for approximate equilibria, or for equilibria whose makespan has a bound."""
        bound = (0, 1) if most is None else most.as_integer_ratio()
        game = self.game(*epsilon.as_integer_ratio(), bound)
        self._cover = cover(game, self.clock, self.progress, self.processes)
        return self._cover

    def trees(self, value: Fraction, fixed: bool, writing: bool) -> Price | None:
        """The trees of all placements."""
        self._trees = (0, 1)

        def noted(done: int, total: int | None, note: str = "") -> None:
            self._trees = done, total or 1
            if self.progress is not None:
                self.progress(done, total, note)

        writing = writing and self.cell is None
        return branch_and_bound(self.game(), value, fixed, writing, self.clock, noted, self.processes)

    def left_open(self, answer: Answer, property: Property) -> Answer:
        """An open answer with a theorem's bound, and a game where it goes on: in the next region, or at a placement."""
        if self._cover is not None:
            games: Iterator[Lengths] = map(self.shape.lengths, self._cover.middles())
        else:
            answer = replace(answer, done=Fraction(*self._trees))
            games = filter(self._is_ahead, itertools.islice(self._games(fewer=False), PLAYED))
        return bounded(replace(answer, next=next(games, None)), self.shape, property)

    def _is_ahead(self, lengths: Lengths) -> bool:
        """Whether an equilibrium of a game is a placement whose trees are not done."""
        flat = np.array([int(length) for row in lengths for length in row], dtype=np.int64)
        hosts = np.zeros_like(flat)
        stable = found_by_play(game_of(self.shape), flat, 0, STARTS, hosts)
        return stable and sum(host * len(lengths) ** j for j, host in enumerate(hosts.tolist())) >= self._trees[0]

    def extremes(self, lengths: Lengths) -> tuple[int, int, Fraction, int]:
        """The largest and the least makespan of equilibria, -1 where there are none; epsilon; the least makespan.

        Of a game with whole lengths.
        """
        flat = np.array([int(length) for row in lengths for length in row], dtype=np.int64)
        fewer = Shape(tuple(map(len, lengths)), self._ranks(lengths))
        game = game_of(fewer) if self.cell is None else self.game()
        largest, least, num, den = extremes(game, flat, np.zeros_like(flat), np.zeros_like(flat), self.clock)
        return largest, least, Fraction(num, den), least_makespan(flat, len(lengths))

    def number(self, property: Property, lengths: Lengths) -> Fraction | None:
        """What one game has of a property: its price, or its least epsilon; ``None`` without an equilibrium."""
        largest, least, epsilon, optimum = self.extremes(lengths)
        if property == "epsilon":
            return epsilon
        return None if least < 0 else Fraction(largest if property == "price-of-anarchy" else least, optimum)

    def _ranks(self, lengths: Lengths) -> tuple[tuple[int, ...], ...] | None:
        """Ranks of the longest jobs, where a game has fewer jobs than the shape."""
        if self.shape.ranks is None:
            return None
        return tuple(ranks[: len(row)] for ranks, row in zip(self.shape.ranks, lengths, strict=True))

    def small_games(self, fewer: bool) -> Iterator[Lengths]:
        """At least one game with small lengths, the shortest first; ``fewer``: also with fewer jobs than the shape."""
        most = max(1, min(GAMES, PROFILES // len(self.shape.jobs) ** sum(self.shape.jobs)))
        one = [] if self.cell is None else [self.cell.lengths]
        games = itertools.chain(one, itertools.islice(self._games(fewer), 0 if one else most))
        for seen, game in enumerate(filter(comparable, games), 1):
            if seen > 1 and self.clock.expired():
                return
            yield game

    def _games(self, fewer: bool) -> Iterator[Lengths]:
        """All games with whole lengths, the shortest first."""
        for longest in itertools.count(1):
            sizes = range(longest, -1 if fewer else 0, -1)
            rows = [tuple(itertools.combinations_with_replacement(sizes, count)) for count in self.shape.jobs]
            for game in itertools.product(*rows):
                if max((length for row in game for length in row), default=0) == longest:
                    yield tuple(tuple(length for length in row if length) for row in game)
