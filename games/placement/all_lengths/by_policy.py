"""Questions about all games of a shape under a policy of lengths: the same question in each of its cells.

The largest value of all cells is the answer. A cell without interior is part of another one's border, where the orders
are the same, or it is asked about together with what is around it; then only what refutes in the cell itself counts.
What games on a cell's border would have is no value, but bounds one.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from typing import Any, Final

from ....mechanisms.federation.coordination import Coordination
from ....mechanisms.federation.schedule import sharp_ratio
from ....support.status import Status
from .by_theorem import SHARP_PRICE
from .policies import Cell, Orders
from .request import SHORTEST, Request
from .shapes import Answer, Lengths, Property

SMALL_GAMES: Final = 300
"""Games that are looked at before the cells."""


def by_policy(
    request: Request,
    property: Property,
    at_most: Fraction | None,
    policy: Any,
    theorems: bool,
    ask: Callable[[Request, Fraction | None], Answer],
) -> Answer:
    """The answer to a question under a policy, of which ``ask`` answers for the lengths of the request's cell.

    ``theorems``: one may answer: of the built-in policies the price of anarchy is at most the sharp one.
    """
    bounded = isinstance(policy, Coordination) and property == "price-of-anarchy"
    sharp = sharp_ratio([1] * len(request.shape.jobs)) if bounded else None
    limit = sharp if theorems else None
    if limit is not None and at_most is not None and limit <= at_most:
        return Answer(Status.PROVED, at_most=limit, theorem=SHARP_PRICE)
    orders, cells, looked = Orders(policy, request.shape), list[Cell](), 0
    best = Answer(Status.PROVED, at_least=Fraction(1), at_most=Fraction(1), regions=0)
    with suppress(KeyboardInterrupt):
        cells.extend(orders.cells(request.clock, request.progress))
        cells.sort(key=lambda cell: not cell.full)
        for cell, answer in itertools.chain(
            _small_games(request, property, at_most, cells), _cells(request, property, at_most, cells, ask)
        ):
            best = _larger(best, answer, cell)
            request.least = best.at_least or Fraction(1)
            looked += answer.regions is not None
            if best.status is not Status.PROVED or (best.attained and best.at_least == limit):
                break
    if best.status is Status.REFUTED:
        return best
    exact = at_most is None and property != "pure-equilibrium"
    low, high = best.at_least or Fraction(1), best.at_most or Fraction(1)
    ended = exact and best.attained is True and low == limit
    open_ = not orders.done or looked < len(cells) or best.status is Status.OPEN
    open_ = open_ or (high - low > SHORTEST if exact else at_most is not None and high > at_most)
    best = best if exact else replace(best, at_least=None, lengths=None, attained=None)
    if open_ and not ended:
        following = orders.following() or next((cell.scaled(cell.lengths) for cell in cells[looked:]), None)
        done = orders.share * Fraction(looked, len(cells) + 1)
        theorem, most = (SHARP_PRICE, sharp) if sharp else (None, None)
        return replace(best, status=Status.OPEN, at_most=most, theorem=theorem, done=done, next=following)
    value = low if exact and (ended or low == high) else None
    most = (value or high) if exact else at_most
    return replace(best, value=value, at_most=most, theorem=SHARP_PRICE if open_ else None)


def _small_games(
    request: Request, property: Property, at_most: Fraction | None, cells: Sequence[Cell]
) -> Iterator[tuple[Cell, Answer]]:
    """What small games have, with their cells."""
    for game in itertools.islice(request.small_games(fewer=False), SMALL_GAMES):
        for cell in cells:
            if cell.scaled(game) is not None:
                request.cell = cell
                yield cell, _seen(request, property, at_most, game)
                break


def _cells(
    request: Request,
    property: Property,
    at_most: Fraction | None,
    cells: Sequence[Cell],
    ask: Callable[[Request, Fraction | None], Answer],
) -> Iterator[tuple[Cell, Answer]]:
    """The answer of each cell."""
    for cell in cells:
        request.cell = cell
        answer = _seen(request, property, at_most, cell.lengths)
        if answer.status is Status.PROVED:
            yield cell, answer
            alone = cell.full or property == "price-of-anarchy"
            border = not alone and any(other.full and cell.within(other) for other in cells)
            answer = Answer(Status.PROVED) if border else ask(request, at_most)
        yield cell, replace(answer, regions=answer.regions or 0)


def _seen(request: Request, property: Property, at_most: Fraction | None, game: Lengths) -> Answer:
    """What one game of the cell tells."""
    value = request.number(property, game)
    if value is None:
        return Answer(Status.PROVED if property == "price-of-anarchy" else Status.REFUTED, lengths=game)
    beyond = at_most is not None and value > at_most
    return Answer(Status.REFUTED if beyond else Status.PROVED, at_least=value, attained=True, lengths=game)


def _larger(best: Answer, answer: Answer, cell: Cell) -> Answer:
    """What is known of all that was looked at and of one answer more."""
    regions = (best.regions or 0) + (answer.regions or 0)
    lengths = None if answer.lengths is None else cell.scaled(answer.lengths)
    if answer.status is Status.REFUTED:
        return replace(answer, regions=regions, lengths=lengths)
    low, before = answer.at_least or Fraction(1), best.at_least or Fraction(1)
    if lengths is not None and (low > before or (low == before and answer.attained and not best.attained)):
        best = replace(best, at_least=low, lengths=lengths, attained=answer.attained)
    high = max(best.at_most or low, answer.at_most or low)
    return replace(best, status=answer.status, regions=regions, at_most=high)
