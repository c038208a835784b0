"""Questions about all games of a shape: by a theorem where one answers, else by trees, with certificates.

- ``pure-equilibrium``: a cover (:mod:`.cover`);
- ``epsilon``: the largest least epsilon. It solves an equation, so it is enclosed by covers that hold and games that
  refute, unless the largest of small games is a bound of all;
- ``price-of-stability``: small games have large prices; the cover with the largest one as the bound proves it, or finds
  a game with a larger one;
- ``price-of-anarchy``: branch and bound (:mod:`.prices`), once for the value and once for its trees;
- ``ratio`` of a central rule: its paths (:mod:`.ratio`).

>>> answer = prove(Shape((2, 2, 1)), "price-of-anarchy", method="cover")
>>> answer.value, answer.lengths, answer.regions
(Fraction(3, 2), ((4, 4), (1, 1), (2,)), 1373)
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, Final, Literal, TypeAlias

import numpy as np

from ....support.errors import InputError, join_names
from ....support.exact import Rational
from ....support.progress import Clock, Progress
from ....support.status import Status
from ...equilibria.simplex import LIMIT
from .by_theorem import bounded, by_theorem
from .cover import STARTS, Cover, cover
from .points import extremes, found_by_play, game_of, least_makespan
from .prices import Price, branch_and_bound, near
from .ratio import ratio
from .shapes import Answer, Property, Shape

MOST: Final = 10**6
"""Of the numerator and the denominator of a bound: forms are multiplied by them."""
SHORTEST: Final = Fraction(1, 10_000)
"""Of an enclosure of epsilon that is good enough."""
GAMES, PROFILES = 2_000, 3_000_000
"""Small games that are looked at for large prices, and their placements, at most."""
PLAYED: Final = 50
"""Small games that are looked at for an equilibrium whose price is not bounded."""
CLOSER: Final = (10**3, 10**5, 10**7)
"""Parts of the way to a price that no game has, one of which a game beyond a bound is away from it."""

Method = Literal["auto", "cover"]
Lengths: TypeAlias = tuple[tuple[Rational, ...], ...]


class _Request:
    """A question on its way: what it is about, and when to stop."""

    def __init__(self, shape: Shape, clock: Clock, progress: Progress | None, processes: int) -> None:
        self.shape, self.clock, self.progress, self.processes = shape, clock, progress, processes
        self._cover: Cover | None = None
        self._trees = (0, 1)  # placements whose trees are done in the last pass, and all

    def cover(self, epsilon: Fraction = Fraction(1), most: Fraction | None = None) -> Cover:
        """A cover for approximate equilibria, or for equilibria whose makespan has a bound."""
        bound = (0, 1) if most is None else most.as_integer_ratio()
        game = game_of(self.shape, *epsilon.as_integer_ratio(), bound)
        self._cover = cover(game, self.clock, self.progress, self.processes)
        return self._cover

    def trees(self, value: Fraction, fixed: bool, writing: bool) -> Price | None:
        """The trees of all placements."""
        self._trees = (0, 1)

        def noted(done: int, total: int | None, note: str = "") -> None:
            self._trees = done, total or 1
            if self.progress is not None:
                self.progress(done, total, note)

        return branch_and_bound(game_of(self.shape), value, fixed, writing, self.clock, noted, self.processes)

    def left_open(self, answer: Answer, property: Property) -> Answer:
        """An open answer with a theorem's bound, and a game where it goes on: in the next region, or at a placement."""
        if self._cover is not None:
            games = (self.shape.lengths(point) for point in self._cover.middles())
        else:
            answer = replace(answer, done=Fraction(*self._trees))
            games = (game for game in itertools.islice(self._games(fewer=False), PLAYED) if self._is_ahead(game))
        return bounded(replace(answer, next=next(games, None)), self.shape, property)

    def _is_ahead(self, lengths: Sequence[Sequence[Rational]]) -> bool:
        """Whether an equilibrium of a game is a placement whose trees are not done."""
        flat = np.array([int(length) for row in lengths for length in row], dtype=np.int64)
        hosts = np.zeros_like(flat)
        stable = found_by_play(game_of(self.shape), flat, 0, STARTS, hosts)
        return stable and sum(host * len(lengths) ** j for j, host in enumerate(hosts.tolist())) >= self._trees[0]

    def extremes(self, lengths: Sequence[Sequence[Rational]]) -> tuple[int, int, Fraction, int]:
        """The largest and the least makespan of equilibria, -1 where there are none; epsilon; the least makespan.

        Of a game with whole lengths.
        """
        flat = np.array([int(length) for row in lengths for length in row], dtype=np.int64)
        game = game_of(Shape(tuple(map(len, lengths)), self._ranks(lengths)))
        largest, least, num, den = extremes(game, flat, np.zeros_like(flat), np.zeros_like(flat))
        return largest, least, Fraction(num, den), least_makespan(flat, len(lengths))

    def _ranks(self, lengths: Sequence[Sequence[Rational]]) -> tuple[tuple[int, ...], ...] | None:
        """Ranks of the longest jobs, where a game has fewer jobs than the shape."""
        if self.shape.ranks is None:
            return None
        return tuple(ranks[: len(row)] for ranks, row in zip(self.shape.ranks, lengths, strict=True))

    def small_games(self, fewer: bool) -> Iterator[tuple[tuple[int, ...], ...]]:
        """At least one game with small lengths, the shortest first; ``fewer``: also with fewer jobs than the shape."""
        most = max(1, min(GAMES, PROFILES // len(self.shape.jobs) ** sum(self.shape.jobs)))
        for seen, game in enumerate(itertools.islice(self._games(fewer), most), 1):
            if seen > 1 and self.clock.expired():
                return
            yield game

    def _games(self, fewer: bool) -> Iterator[tuple[tuple[int, ...], ...]]:
        """All games with whole lengths, the shortest first."""
        for longest in itertools.count(1):
            sizes = range(longest, -1 if fewer else 0, -1)
            rows = [tuple(itertools.combinations_with_replacement(sizes, count)) for count in self.shape.jobs]
            for game in itertools.product(*rows):
                if max((length for row in game for length in row), default=0) == longest:
                    yield tuple(tuple(length for length in row if length) for row in game)


def prove(
    shape: Shape,
    property: Property,
    at_most: Fraction | None = None,
    method: Method = "auto",
    clock: Clock | None = None,
    progress: Progress | None = None,
    processes: int = 1,
    mechanism: Any = None,
) -> Answer:
    """Answer a question about all games of a shape.

    Parameters
    ----------
    shape
        How many jobs each organization has.
    property
        What is asked.
    at_most
        A bound to prove or to refute; ``None``: the exact value.
    method
        ``"cover"``: by trees, even where a theorem answers.
    clock, progress, processes
        When to stop; who hears of it; worker processes. The answer is the same with any number of them.
    mechanism
        The central rule of a ``ratio``.

    Raises
    ------
    InputError
        A bound whose numerator or denominator is too large.
    """
    if at_most is not None and max(at_most.as_integer_ratio()) > MOST:
        raise InputError(f"at_most: found {at_most}; expected a numerator and a denominator of at most {MOST:,}")
    answer = by_theorem(shape, property, at_most, mechanism) if method == "auto" else None
    if answer is not None:
        return answer
    clock = clock or Clock(None)
    if property == "ratio":
        answer = ratio(shape, mechanism, at_most=at_most, clock=clock, progress=progress, method=method)
        return bounded(answer, shape, property, mechanism) if answer.status is Status.OPEN else answer
    request = _Request(shape, clock, progress, processes)
    if at_most is not None and at_most < 1:
        return Answer(Status.REFUTED, lengths=next(request.small_games(fewer=False)))
    answer = BY_TREES[property](request, at_most)
    return request.left_open(answer, property) if answer.status is Status.OPEN else answer


def certificate(shape: Shape, property: Property, at_most: Fraction | None, **trees: str) -> str:
    """A certificate as :mod:`.check_shape` reads it; its nodes or roots are given as they stand there.

    >>> print(certificate(Shape((1,)), "pure-equilibrium", None, nodes='["Q",[0]]'), end="")
    {"format": 1,
    "kind": "shape",
    "about": "organizations with 1 jobs of any lengths, priority to organizations",
    "property": "pure-equilibrium",
    "jobs": [1],
    "ranks": null,
    "at_most": null,
    "nodes": [
    ["Q",[0]]]}
    """
    counts = join_names([str(count) for count in shape.jobs])
    header = {
        "format": 1,
        "kind": "shape",
        "about": f"organizations with {counts} jobs of any lengths, priority to "
        + ("organizations" if shape.ranks is None else "jobs"),
        "property": property,
        "jobs": shape.jobs,
        "ranks": shape.ranks,
        "at_most": None if at_most is None else at_most.as_integer_ratio(),
    }
    lines = [f"{json.dumps(key)}: {json.dumps(value)}" for key, value in header.items()]
    lines += [f"{json.dumps(key)}: [\n{text}]" for key, text in trees.items()]
    return "{" + ",\n".join(lines) + "}\n"


def _covered(request: _Request, property: Property, tree: Cover, at_most: Fraction | None = None) -> Answer:
    """The verdict of a cover."""
    if tree.refuted is not None:
        return Answer(Status.REFUTED, regions=tree.leaves, lengths=request.shape.lengths(tree.refuted))
    if tree.open:
        return Answer(Status.OPEN, regions=tree.leaves, done=Fraction(tree.done).limit_denominator(10**6))
    nodes = json.dumps(list(tree.nodes()), separators=(",", ":"))[1:-1].replace(',["', ',\n["')
    proof = certificate(request.shape, property, at_most, nodes=nodes)
    return Answer(Status.PROVED, at_most=at_most, regions=tree.leaves, certificate=proof)


def _existence(request: _Request, at_most: Fraction | None) -> Answer:
    """Whether there always is an equilibrium."""
    return _covered(request, "pure-equilibrium", request.cover())


def _comparable(lengths: Lengths) -> bool:
    """Whether products of what is paid are within int64, as :func:`.points.extremes` needs."""
    return sum(sum(row) for row in lengths) <= LIMIT


def _epsilon(request: _Request, at_most: Fraction | None) -> Answer:
    """A bound of epsilon, or an enclosure; exact where the epsilon of a game is a bound."""
    if at_most is not None:
        return _covered(request, "epsilon", request.cover(at_most), at_most)
    below = Fraction(1)
    lengths: Lengths = next(request.small_games(fewer=False))
    for game in request.small_games(fewer=False):
        if (epsilon := request.extremes(game)[2]) > below:
            below, lengths = epsilon, game
    trial, above, proof = below, Fraction(0), Answer(Status.OPEN)
    while True:
        answer = _covered(request, "epsilon", request.cover(trial), trial)
        if answer.status is Status.OPEN:
            return replace(answer, at_least=below, at_most=above or None, lengths=lengths, certificate=None)
        if answer.lengths is not None and not _comparable(answer.lengths):
            return replace(answer, status=Status.OPEN, at_least=below, at_most=above or None, lengths=lengths)
        if answer.lengths is not None:
            below, lengths = request.extremes(answer.lengths)[2], answer.lengths
        else:
            above, proof = trial, answer
        if above == below:
            return replace(proof, value=above, at_least=above, attained=True, lengths=lengths)
        if above and above - below <= SHORTEST:
            return replace(proof, at_least=below, lengths=lengths)
        trial = ((above + below) / 2).limit_denominator(MOST) if above else max(Fraction(3, 2), 2 * below - 1)


def _stability(request: _Request, at_most: Fraction | None) -> Answer:
    """A bound of the price of stability, or its value: the price of a game that bounds all prices."""
    if at_most is not None:
        return _covered(request, "price-of-stability", request.cover(most=at_most), at_most)
    value, full = Fraction(1), False
    lengths: Lengths | None = None
    for game in request.small_games(fewer=True):
        _, least, _, optimum = request.extremes(game)
        whole = tuple(map(len, game)) == request.shape.jobs
        if least < 0 and whole:
            return Answer(Status.REFUTED, lengths=game)
        if least > 0 and (Fraction(least, optimum), whole) > (value, full):
            value, lengths, full = Fraction(least, optimum), game, whole
    while True:
        answer = _covered(request, "price-of-stability", request.cover(most=value), value)
        if answer.status is Status.PROVED:
            return replace(
                answer, value=value, at_least=value, attained=full or None, lengths=lengths if full else None
            )
        if answer.lengths is None:
            return replace(answer, at_least=value, lengths=lengths if full else None)
        if not _comparable(answer.lengths):
            return replace(answer, status=Status.OPEN, at_least=value, lengths=lengths if full else None)
        _, least, _, optimum = request.extremes(answer.lengths)
        if least < 0:
            return answer
        value, lengths, full = Fraction(least, optimum), answer.lengths, True


def _anarchy(request: _Request, at_most: Fraction | None) -> Answer:
    """A bound of the price of anarchy, or its value."""
    if at_most is None:
        return _largest_price(request)
    tree = request.trees(at_most, fixed=True, writing=True)
    if tree is None:
        return Answer(Status.OPEN, done=Fraction(0))
    if not tree.beyond:
        proof = _tree_certificate(request.shape, at_most, tree)
        return Answer(Status.PROVED, at_most=at_most, regions=tree.leaves, certificate=proof)
    for parts in CLOSER:
        point, _ = near(game_of(request.shape), tree, parts)
        if point is not None and _comparable(lengths := request.shape.lengths(point)):
            largest, _, _, optimum = request.extremes(lengths)
            if largest > at_most * optimum:
                return Answer(Status.REFUTED, at_least=Fraction(largest, optimum), lengths=lengths)
    return Answer(Status.OPEN, regions=tree.leaves, done=Fraction(0))


def _tree_certificate(shape: Shape, at_most: Fraction, tree: Price) -> str:
    return certificate(shape, "price-of-anarchy", at_most, roots=tree.roots.decode().removesuffix(",\n"))


def _largest_price(request: _Request) -> Answer:
    """The exact price: the largest of small games, then the trees that raise it, then those that prove it.

    A value that no small game has, and of which only games nearby are found, may be attained or not.
    """
    value = Fraction(1)
    lengths: Lengths | None = None
    for game in request.small_games(fewer=False):
        largest, _, _, optimum = request.extremes(game)
        if largest > value * optimum or (lengths is None and largest == optimum):
            value, lengths = Fraction(largest, optimum), game
    tree = request.trees(value, fixed=False, writing=False)
    if tree is None:
        return Answer(Status.OPEN, at_least=value, lengths=lengths, done=Fraction(0))
    attained, proved = lengths is not None, lengths is not None
    if tree.point:
        point, attained = near(game_of(request.shape), tree)
        proved = point is not None
        lengths = lengths if point is None else request.shape.lengths(point)
    proof = request.trees(tree.value, fixed=True, writing=True)
    if proof is None or not proved:
        at_most = None if proof is None else tree.value
        return Answer(Status.OPEN, at_least=value, at_most=at_most, lengths=lengths, done=Fraction(0))
    return Answer(
        Status.PROVED,
        value=tree.value,
        at_least=tree.value,
        at_most=tree.value,
        attained=attained or None,
        regions=proof.leaves,
        lengths=lengths,
        certificate=_tree_certificate(request.shape, tree.value, proof),
    )


BY_TREES: Final[Mapping[Property, Callable[[_Request, Fraction | None], Answer]]] = {
    "pure-equilibrium": _existence,
    "epsilon": _epsilon,
    "price-of-stability": _stability,
    "price-of-anarchy": _anarchy,
}
"""How a property of placements is answered without theorems."""
