"""Questions about all games of a shape that a theorem answers, without any tree.

Model: a shape (:mod:`.shapes`) with priority to organizations or to jobs, or the schedules of a central rule.

- *A pure equilibrium* always exists where a theorem of :mod:`..theorems` covers a game of the shape whose lengths are
  all different, the shortest 1: of the lengths these theorems use no more than that some are equal, or that a single
  job is as long as the work of others, which it is not here. Then the least epsilon is 1.
- *The price of anarchy* is at most the sharp one (``sharp-price``), and exactly that where the shape is that of the
  game which attains it, :func:`~consortium.workloads.federation.sharp_price`, whatever the priorities.
- *The price of stability* as well, where an equilibrium always exists and the priorities are such that every
  equilibrium of that game costs as much.
- Where an equilibrium always exists, both prices are the sharp ones for every larger shape too (``monotone``):
  existence with a makespan of at most ``V`` optima passes to shapes with fewer jobs. Whether a game attains them is not
  said. Without a theorem on existence nothing is: an equilibrium of a game need not extend to one with more, tiny jobs.
- Where one organization alone has jobs (``one-with-jobs``), the equilibria are its best schedules: both prices are 1.
- *The ratio* of a list heuristic is at most the one proved of it (``sharp-ratios``), and exactly that where the shape
  is that of :func:`~consortium.workloads.federation.sharp_price`, with lists longest first, or of
  :func:`~consortium.workloads.federation.sharp_ratio`, with others.

The proofs are on the documentation's page "What is new here".

>>> answer = by_theorem(Shape((2, 1, 1)), "price-of-anarchy")
>>> answer.theorem, answer.value, answer.lengths
('sharp-price', Fraction(3, 2), ((2, 2), (1,), (1,)))
>>> by_theorem(Shape((6, 2, 0, 0)), "pure-equilibrium") is None
True
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, Final, TypeAlias

from ....agents.organizations import Federation
from ....mechanisms.federation.catalogue import CHECKED
from ....mechanisms.federation.claims import proved_ratio
from ....mechanisms.federation.coordination import Coordination
from ....mechanisms.federation.heuristics import HEURISTICS
from ....mechanisms.federation.schedule import sharp_ratio
from ....support.status import Status
from ....workloads import federation as families
from ..game import PlacementGame
from ..theorems import theorem_of, vouched
from .shapes import Answer, Property, Shape

SHARP_PRICE: Final = "sharp-price"
ONE_WITH_JOBS: Final = "one-with-jobs"
SHARP_RATIOS: Final = "sharp-ratios"
MONOTONE: Final = "monotone"

Lengths: TypeAlias = tuple[tuple[int, ...], ...]


def by_theorem(
    shape: Shape, property: Property, at_most: Fraction | None = None, mechanism: Any = None
) -> Answer | None:
    """The answer of a theorem, ``None`` where none answers.

    Parameters
    ----------
    shape
        Which games; at least one job.
    property
        What is asked of them.
    at_most
        The bound asked about; ``None``: the exact value.
    mechanism
        The central rule of a ``ratio``.
    """
    if property == "pure-equilibrium":
        name = existence(shape)
        return None if name is None else Answer(Status.PROVED, theorem=name)
    answer = _bound(shape, property, mechanism)
    if answer is None or answer.at_most is None:
        return None
    if at_most is None:
        return None if answer.value is None else answer
    if answer.at_most <= at_most:
        return replace(answer, value=None, attained=None, lengths=None)
    if answer.lengths is not None:
        return replace(answer, status=Status.REFUTED, value=None, attained=None)
    return None


def bounded(answer: Answer, shape: Shape, property: Property, mechanism: Any = None) -> Answer:
    """An open answer with the bound that a theorem has of all games, if no smaller one is known."""
    bound = None if property == "pure-equilibrium" else _bound(shape, property, mechanism)
    if bound is None or bound.at_most is None or (answer.at_most is not None and answer.at_most < bound.at_most):
        return answer
    return replace(answer, at_most=bound.at_most, theorem=bound.theorem)


def _bound(shape: Shape, property: Property, mechanism: Any) -> Answer | None:
    """What a theorem says of the largest price, ratio or least epsilon."""
    if property == "ratio":
        return _ratio(shape, mechanism)
    if property != "epsilon" and sum(map(bool, shape.jobs)) == 1:
        return _exactly(Fraction(1), ONE_WITH_JOBS, [(1,) * count for count in shape.jobs])
    return {"epsilon": _epsilon, "price-of-anarchy": _anarchy, "price-of-stability": _stability}[property](shape)


def existence(shape: Shape) -> str | None:
    """Name of the theorem by which every game of a shape has a pure equilibrium; ``None`` where there is none."""
    theorem = theorem_of(_typical(shape))
    return None if theorem is None else theorem.name


def proof(name: str, shape: Shape, mechanism: Any = None) -> str:
    """What vouches for a theorem that answers, as :func:`~consortium.games.placement.theorems.vouched` says it.

    Of a largest price or ratio it is the bound: the game of the answer, which attains it, anybody can compute.

    >>> proof("sharp-price", Shape((2, 1, 1))), proof("one-with-jobs", Shape((3, 0)))
    ('Coq: SharpPrice', 'on paper')
    """
    if name == SHARP_RATIOS:
        return vouched(CHECKED[mechanism.id])
    if name == SHARP_PRICE:
        return vouched("SharpPrice" if shape.ranks is None else "PriorityToJobs")
    game = _typical(shape)
    theorem = theorem_of(game)
    return vouched(None) if theorem is None or theorem.name != name else theorem.proof(game)


def _typical(shape: Shape) -> PlacementGame:
    """A game of a shape whose lengths are all different, the shortest 1."""
    federation = Federation.of([list(range(count, 0, -1)) for count in shape.jobs], priorities=shape.ranks)
    return PlacementGame(federation, Coordination() if shape.ranks is None else Coordination("jobs", "given"))


def _exactly(value: Fraction, theorem: str, lengths: Sequence[Sequence[int]] | None = None) -> Answer:
    """An exact value, attained by a game where one is given."""
    return Answer(
        Status.PROVED,
        value=value,
        at_least=value,
        at_most=value,
        attained=None if lengths is None else True,
        theorem=theorem,
        lengths=None if lengths is None else tuple(map(tuple, lengths)),
    )


def _up_to(value: Fraction, theorem: str) -> Answer:
    """A bound that the exact value may not reach."""
    return Answer(Status.PROVED, at_least=Fraction(1), at_most=value, theorem=theorem)


def _epsilon(shape: Shape) -> Answer | None:
    name = existence(shape)
    return None if name is None else _exactly(Fraction(1), name, [(1,) * count for count in shape.jobs])


def _anarchy(shape: Shape) -> Answer:
    sharp, family = _sharp(shape)
    lengths = _game(shape, family, _places(shape, family))
    if lengths is not None:
        return _exactly(sharp, SHARP_PRICE, lengths)
    stability = _stability(shape)
    exact = stability is not None and stability.value is not None
    return _exactly(sharp, MONOTONE) if exact else _up_to(sharp, SHARP_PRICE)


def _stability(shape: Shape) -> Answer | None:
    if existence(shape) is None:
        return None
    sharp, family = _sharp(shape)
    fitting = [places for places in _places(shape, family) if _all_cost_as_much(shape, places)]
    if not fitting:
        return _up_to(sharp, SHARP_PRICE)
    lengths = _game(shape, family, fitting)
    return _exactly(sharp, MONOTONE if lengths is None else SHARP_PRICE, lengths)


def _ratio(shape: Shape, rule: Any) -> Answer | None:
    """Of the list heuristics; a class that derives from one may do anything."""
    if type(rule) not in HEURISTICS.values():
        return None
    n = len(shape.jobs)
    bound = proved_ratio(rule, Federation.of([[1]] * n))
    family = _lengths(families.sharp_price if rule.local_order == "lpt" else families.sharp_ratio, n)
    lengths = _game(shape, family, _places(shape, family))
    return _up_to(bound, SHARP_RATIOS) if lengths is None else _exactly(bound, SHARP_RATIOS, lengths)


# --- the games that attain the prices -------------------------------------------------------------------------------


def _sharp(shape: Shape) -> tuple[Fraction, Lengths]:
    """The sharp price, and the game that attains it: first the two organizations with a choice, then the others."""
    n = len(shape.jobs)
    return sharp_ratio([1] * n), _lengths(families.sharp_price, n)


def _lengths(family: Callable[[int], families.Instance], n: int) -> Lengths:
    """Whole lengths of the family's game; any game where there is one organization."""
    return tuple(tuple(map(int, row)) for row in family(n).jobs) if n > 1 else ((1,),)


def _places(shape: Shape, family: Lengths) -> list[tuple[int, ...]]:
    """Ways to find the game within the shape: by its organizations, their numbers; those after the second are alike."""
    n, fewest = len(shape.jobs), [len(row) for row in family]
    ways = []
    for first in itertools.permutations(range(n), min(n, 2)):
        places = (*first, *(k for k in range(n) if k not in first))
        if all(shape.jobs[k] >= count for k, count in zip(places, fewest, strict=True)):
            ways.append(places)
    return ways


def _game(shape: Shape, family: Lengths, ways: Sequence[tuple[int, ...]]) -> Lengths | None:
    """The game found in one of these ways, if it has the shape's jobs and no others."""
    games = (tuple(family[places.index(k)] for k in range(len(places))) for places in ways)
    return next((game for game in games if tuple(map(len, game)) == shape.jobs), None)


def _all_cost_as_much(shape: Shape, places: Sequence[int]) -> bool:
    """Whether every equilibrium of the game costs as much as the worst: by parity, or the first is before the second.

    With priority to jobs: each of the first one's two before each of the second one's. What else the shape has counts
    as shorter.
    """
    n = len(places)
    if n <= 3 or n % 2:
        return True
    first, second = places[:2]
    if shape.ranks is None:
        return first < second
    return max(shape.ranks[first][:2]) < min(shape.ranks[second][: n - 2])
