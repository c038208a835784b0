"""Questions about all games of a shape: by a theorem where one answers, else by trees, with certificates.

- ``pure-equilibrium``: a cover (:mod:`.cover`);
- ``epsilon``: the largest least epsilon. It solves an equation, so it is enclosed by covers that hold and games that
  refute, unless the largest of small games is a bound of all;
- ``price-of-stability``: small games have large prices; the cover with the largest one as the bound proves it, or finds
  a game with a larger one; where this does not end, it is enclosed as well;
- ``price-of-anarchy``: branch and bound (:mod:`.prices`), once for the value and once for its trees;
- ``ratio`` of a central rule: its paths (:mod:`.ratio`).

Under a policy whose order depends on lengths they are asked of each of its cells (:mod:`.policies`).

>>> answer = prove(Shape((2, 2, 1)), "price-of-anarchy", method="cover")
>>> answer.value, answer.lengths, answer.regions
(Fraction(3, 2), ((4, 4), (1, 1), (2,)), 1373)
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any, Final, Literal

from ....support.errors import InputError, join_names
from ....support.progress import Clock, Progress
from ....support.status import Status
from .by_policy import by_policy
from .by_theorem import bounded, by_theorem
from .cover import Cover
from .prices import Price, near
from .ratio import ratio
from .request import SHORTEST, Request, comparable
from .shapes import Answer, Lengths, Property, Shape

MOST: Final = 10**6
"""Of the numerator and the denominator of a bound: forms are multiplied by them."""
RAISED: Final = 4
"""Times that the price of a refuting game is tried as the bound before an enclosure is looked for."""
CLOSER: Final = (10**3, 10**5, 10**7)
"""Parts of the way to a price that no game has, one of which a game beyond a bound is away from it."""

Method = Literal["auto", "cover"]


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
        The central rule of a ``ratio``; of the others a policy whose order of the jobs depends on their lengths.

    Raises
    ------
    InputError
        A bound whose numerator or denominator is too large, or too many jobs for a policy.
    """
    if at_most is not None and max(at_most.as_integer_ratio()) > MOST:
        raise InputError(f"at_most: found {at_most}; expected a numerator and a denominator of at most {MOST:,}")
    policy = None if property == "ratio" else mechanism
    answer = by_theorem(shape, property, at_most, mechanism) if method == "auto" and policy is None else None
    if answer is not None:
        return answer
    clock = clock or Clock(None)
    if property == "ratio":
        answer = ratio(shape, mechanism, at_most=at_most, clock=clock, progress=progress, method=method)
        return bounded(answer, shape, property, mechanism) if answer.status is Status.OPEN else answer
    request = Request(shape, clock, progress, processes)
    if at_most is not None and at_most < 1:
        return Answer(Status.REFUTED, lengths=next(request.small_games(fewer=False)))
    if policy is not None:
        return by_policy(request, property, at_most, policy, method == "auto", BY_TREES[property])
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


def _covered(request: Request, property: Property, tree: Cover, at_most: Fraction | None = None) -> Answer:
    """The verdict of a cover."""
    if tree.refuted is not None:
        lengths = request.shape.lengths(tree.refuted)
        there = request.cell is None or request.cell.scaled(lengths) is not None
        return Answer(Status.REFUTED if there else Status.OPEN, regions=tree.leaves, lengths=lengths if there else None)
    if tree.open:
        return Answer(Status.OPEN, regions=tree.leaves, done=Fraction(tree.done).limit_denominator(10**6))
    if request.cell is not None:
        return Answer(Status.PROVED, at_most=at_most, regions=tree.leaves)
    nodes = json.dumps(list(tree.nodes()), separators=(",", ":"))[1:-1].replace(',["', ',\n["')
    proof = certificate(request.shape, property, at_most, nodes=nodes)
    return Answer(Status.PROVED, at_most=at_most, regions=tree.leaves, certificate=proof)


def _existence(request: Request, at_most: Fraction | None) -> Answer:
    """Whether there always is an equilibrium."""
    return _covered(request, "pure-equilibrium", request.cover())


def _enclosed(request: Request, at_most: Fraction | None, property: Property) -> Answer:
    """A bound of epsilon or of the price of stability, or an enclosure; exact where what a game has is a bound.

    Where no number bounds the price of stability, as a game has no equilibrium, it is refuted.
    """
    stable = property == "price-of-stability"

    def covered(bound: Fraction) -> Answer:
        return _covered(request, property, request.cover(most=bound) if stable else request.cover(bound), bound)

    if at_most is not None:
        return covered(at_most)
    below, above = request.least, Fraction(0)
    lengths: Lengths | None = None
    for game in request.small_games(fewer=stable):
        value, whole = request.number(property, game), tuple(map(len, game)) == request.shape.jobs
        if value is None and whole:
            return Answer(Status.REFUTED, lengths=game)
        if value is not None and (value, whole) > (below, lengths is not None):
            below, lengths = value, game if whole else None
    trial, proof = below, Answer(Status.OPEN)
    for tries in itertools.count(1):
        answer = covered(trial)
        if answer.status is Status.PROVED:
            above, proof = trial, answer
        elif answer.lengths is None or not comparable(answer.lengths):
            return replace(answer, status=Status.OPEN, at_least=below, at_most=above or None, lengths=lengths)
        elif (value := request.number(property, answer.lengths)) is None:
            return answer
        else:
            below, lengths = value, answer.lengths
        if above == below:
            return replace(proof, value=above, at_least=above, attained=lengths is not None or None, lengths=lengths)
        if above and above - below <= SHORTEST:
            break
        if above:
            trial = ((above + below) / 2).limit_denominator(MOST)
        else:
            trial = below if stable and tries < RAISED else max(Fraction(3, 2), 2 * below - 1)
    return replace(proof, at_least=below, lengths=lengths)


def _anarchy(request: Request, at_most: Fraction | None) -> Answer:
    """A bound of the price of anarchy, or its value."""
    if at_most is None:
        return _largest_price(request)
    tree = request.trees(at_most, fixed=True, writing=True)
    if tree is None:
        return Answer(Status.OPEN, done=Fraction(0))
    if not tree.beyond:
        proof = None if request.cell else _tree_certificate(request.shape, at_most, tree)
        return Answer(Status.PROVED, at_most=at_most, regions=tree.leaves, certificate=proof)
    for parts in CLOSER:
        close = near(request.game(), tree, parts)
        if close is not None and comparable(lengths := request.shape.lengths(close[0])):
            largest, _, _, optimum = request.extremes(lengths)
            if largest > at_most * optimum:
                return Answer(Status.REFUTED, at_least=Fraction(largest, optimum), lengths=lengths)
    if request.cell is not None:  # beyond it are lengths on the cell's border
        return Answer(Status.PROVED, at_most=Fraction(len(request.shape.jobs)), regions=tree.leaves)
    return Answer(Status.OPEN, regions=tree.leaves, done=Fraction(0))


def _tree_certificate(shape: Shape, at_most: Fraction, tree: Price) -> str:
    return certificate(shape, "price-of-anarchy", at_most, roots=tree.roots.decode().removesuffix(",\n"))


def _largest_price(request: Request) -> Answer:
    """The exact price: the largest of small games, then the trees that raise it, then those that prove it.

    A value that no small game has, and of which only games nearby are found, may be attained or not.
    """
    value = request.least
    lengths: Lengths | None = None
    for game in request.small_games(fewer=False):
        largest, _, _, optimum = request.extremes(game)
        if largest > value * optimum or (lengths is None and largest == value * optimum):
            value, lengths = Fraction(largest, optimum), game
    tree = request.trees(value, fixed=False, writing=False)
    if tree is None:
        return Answer(Status.OPEN, at_least=value, lengths=lengths, done=Fraction(0))
    attained = lengths is not None
    proved = attained or request.cell is not None  # that the value is at least so large is known
    if tree.point:
        close = near(request.game(), tree)
        proved = close is not None
        if close is not None:
            lengths, attained = request.shape.lengths(close[0]), close[1]
        if request.cell is not None and not proved:  # the larger value is on the cell's border
            attained = lengths is not None
            return Answer(Status.PROVED, None, value, tree.value, attained, regions=tree.leaves, lengths=lengths)
    proof = tree if request.cell else request.trees(tree.value, fixed=True, writing=True)
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
        certificate=None if request.cell else _tree_certificate(request.shape, tree.value, proof),
    )


BY_TREES: Final[Mapping[Property, Callable[..., Answer]]] = {
    "pure-equilibrium": _existence,
    "epsilon": partial(_enclosed, property="epsilon"),
    "price-of-stability": partial(_enclosed, property="price-of-stability"),
    "price-of-anarchy": _anarchy,
}
"""How a property of placements is answered without theorems."""
