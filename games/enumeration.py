r"""Everything about a finite game that one pass over its table decides.

Pure equilibria, regrets (additive) and epsilons (multiplicative, Cordeiro 2012, Definition 5.3), the best-response
graph and its sink components, optimum and the equilibria of least and largest social cost. numpy passes over a table
of 8 million cells in about 20 ms; epsilons within a billionth of each other are compared in Python integers.

Profiles are numbered in C order (the last player's strategy varies fastest); lists come in that order, and where a
best or worst profile is wanted, the first one in that order is returned.

>>> from consortium.games.normal_form import NormalFormGame
>>> game = NormalFormGame.from_arrays([[[2, 4], [1, 3]], [[2, 1], [4, 3]]], sense="cost")
>>> [game.profile(i) for i in pure_equilibria(game)]
[(1, 1)]
>>> smallest_epsilon(game)
(Fraction(1, 1), 3)
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..support.exact import INF, Extended
from ..support.progress import Clock
from .normal_form import HUGE, INFINITE, NormalFormGame, from_cell
from .protocol import Game, HasClasses, Outcome, outcome, ratio, regret
from .results import Bounds, Equilibria, Findings, Options

if TYPE_CHECKING:
    import networkx

IntArray: TypeAlias = NDArray[np.int64]
BoolArray: TypeAlias = NDArray[np.bool_]
Nodes: TypeAlias = NDArray[np.int32] | NDArray[np.int64]
MAX_SINK_PROFILES: Final = 4_000_000
"""In larger games a search leaves the best-response graph out."""
_NEAR = 1e-9  # relative: a quotient of two rounded integers is far closer


def pure_equilibria(game: NormalFormGame, clock: Clock | None = None) -> IntArray:
    """Numbers of all pure equilibria, ascending; :meth:`NormalFormGame.profile` turns one into labels.

    Raises TimeoutError when the clock runs out.
    """
    stable = np.ones(game.shape, dtype=np.bool_)
    for player, own in enumerate(game.table):
        if clock is not None and clock.expired():
            raise TimeoutError(f"{player} of {len(game.players)} players' best responses")
        stable &= own == own.min(axis=player, keepdims=True)
    return np.flatnonzero(stable)


def regrets(game: NormalFormGame) -> NDArray[Any]:
    """Largest regret of a player at every profile, in units of ``1/game.denominator``; flat, in C order.

    An infinite regret is ``INFINITE`` in an int64 table and ``inf`` in a table of Python integers.
    """
    if game.narrow:
        worst = np.zeros(game.shape, dtype=np.int64)
        for own, least in zip(game.table, game.best, strict=True):  # one player at a time: fresh memory takes longest
            np.maximum(worst, own - least, out=worst)
        worst[worst >= HUGE] = INFINITE
        return worst.reshape(-1)
    costs, bests = _flat(game)
    out = np.empty(game.social.size, dtype=object)
    out[:] = [max(map(regret, *row)) for row in zip(costs.T.tolist(), bests.T.tolist(), strict=True)]
    return out


def smallest_regret(game: NormalFormGame) -> tuple[Extended, int]:
    """Least additive regret over all profiles and the first profile that has it."""
    worst = regrets(game)
    where = int(worst.argmin())
    return from_cell(worst[where], game.denominator, game.narrow), where


def smallest_epsilon(game: NormalFormGame) -> tuple[Fraction, int] | tuple[None, None]:
    """Least multiplicative epsilon of a profile and the first profile that has it; ``None`` when all are infinite."""
    costs, bests = _flat(game)
    equal = (costs == bests).all(axis=0)
    if equal.any():
        return Fraction(1), int(equal.argmax())
    if not game.narrow:
        value, where = min((e, i) for i, e in enumerate(_epsilons(game, costs, bests)))
        return (None, None) if value == INF else (Fraction(value), where)
    rounded = _rounded_epsilons(costs, bests)
    if rounded.min() == INF:
        return None, None
    near = np.flatnonzero(rounded <= rounded.min() * (1 + _NEAR))
    while True:
        (least,) = _epsilons(game, costs[:, near[:1]], bests[:, near[:1]])
        smaller = near[_within(costs[:, near], bests[:, near], Fraction(least), strictly=True)]
        if not smaller.size:
            return Fraction(least), int(near[0])
        near = smaller


def _flat(game: NormalFormGame) -> tuple[NDArray[Any], NDArray[Any]]:
    """Costs and least costs, one row per player."""
    return game.table.reshape(len(game.players), -1), game.best.reshape(len(game.players), -1)


def _rounded_epsilons(costs: IntArray, bests: IntArray) -> NDArray[np.float64]:
    """Epsilons of profiles as floats."""
    worst = np.ones(costs.shape[1])
    with np.errstate(divide="ignore", invalid="ignore"):
        for cost, least in zip(costs, bests, strict=True):
            ratios = np.where((least <= 0) | (cost - least >= HUGE), np.inf, cost / least)
            ratios[cost == least] = 1.0
            np.maximum(worst, ratios, out=worst)
    return worst


def _within(costs: IntArray, bests: IntArray, factor: Fraction, strictly: bool = False) -> NDArray[np.bool_]:
    """Whether each profile's epsilon is at most (``strictly``: less than) a factor, which is more than 1, exactly."""
    top = costs.astype(object) * factor.denominator
    limit = bests.astype(object) * factor.numerator
    fits = top < limit if strictly else top <= limit
    within = (costs == bests) | ((bests > 0) & (costs - bests < HUGE) & fits.astype(np.bool_))
    return np.asarray(within.all(axis=0))


def _epsilons(game: NormalFormGame, costs: NDArray[Any], bests: NDArray[Any]) -> Iterator[Extended]:
    """Exact epsilon of profiles, one by one: for few of them, and for tables of Python integers."""
    for row, best_row in zip(costs.T.tolist(), bests.T.tolist(), strict=True):
        pairs = zip(row, best_row, strict=True)
        yield max(ratio(from_cell(c, 1, game.narrow), from_cell(b, 1, game.narrow)) for c, b in pairs)


def approximate_equilibria(game: NormalFormGame, epsilon: int | Fraction) -> IntArray:
    """Numbers of the profiles whose epsilon is at most the given factor.

    >>> from consortium.games.normal_form import NormalFormGame
    >>> game = NormalFormGame.from_arrays([[[2, 4], [3, 3]], [[1, 1], [1, 1]]], sense="cost")
    >>> approximate_equilibria(game, Fraction(5, 4)).tolist()
    [0, 3]
    """
    factor = Fraction(epsilon)
    if factor < 1:
        return np.empty(0, dtype=np.int64)
    costs, bests = _flat(game)
    if not game.narrow:
        return np.array([i for i, e in enumerate(_epsilons(game, costs, bests)) if e <= factor], dtype=np.int64)
    rounded, middle = _rounded_epsilons(costs, bests), float(min(factor, Fraction(HUGE)))
    within = rounded <= middle * (1 - _NEAR)
    near = np.flatnonzero(~within & (rounded <= middle * (1 + _NEAR)))
    within[near] = _within(costs[:, near], bests[:, near], factor)
    return np.flatnonzero(within)


def possible_equilibria(game: NormalFormGame) -> IntArray:
    """Numbers of profiles that may be equilibria for all that one look at each player's costs tells.

    No equilibrium costs a player more than what she is sure not to exceed: the least, over her strategies, of the
    largest cost that the others can bring about.

    >>> from consortium.games.normal_form import NormalFormGame
    >>> game = NormalFormGame.from_arrays([[[2, 4], [1, 3]], [[2, 1], [4, 3]]], sense="cost")
    >>> possible_equilibria(game).tolist()
    [0, 3]
    """
    open_ = np.ones(game.shape, dtype=bool)
    for player, own in enumerate(game.table):
        others = tuple(axis for axis in range(own.ndim) if axis != player)
        open_ &= own <= own.max(axis=others).min()
    return np.flatnonzero(open_)


def optimum(game: NormalFormGame) -> int:
    """Number of the first profile of least social cost."""
    return int(game.social.reshape(-1).argmin())


def extremes(game: NormalFormGame, places: NDArray[np.int64]) -> tuple[int, int]:
    """Numbers of the first cheapest and the first dearest profile (by social cost) among the given ones."""
    social = game.social.reshape(-1)[places]
    return int(places[int(social.argmin())]), int(places[int(social.argmax())])


# --- the best-response graph ----------------------------------------------------------------------------------------


def sink_components(game: NormalFormGame) -> list[IntArray]:
    """Sink components of the best-response graph: sets of profiles that best responses reach and never leave.

    An edge changes one player, who strictly gains and reaches her best-response cost. A pure equilibrium is a sink of
    one profile; without equilibria the sinks are where the dynamics end up cycling. Smallest first, then by number.

    The equilibria are known at once; only what leads to none of them is looked at as a graph.
    """
    at_best = game.table == game.best
    stable = np.flatnonzero(at_best.all(axis=0))
    sinks = [*stable[:, None], *_sinks_among(at_best, np.flatnonzero(~reached(at_best, stable)))]
    return sorted(sinks, key=lambda sink: (sink.size, int(sink[0])))


def _sinks_among(at_best: BoolArray, places: IntArray) -> list[IntArray]:
    """The sinks in a set of profiles that best responses never leave, ascending."""
    if not places.size:
        return []
    tails, heads, nodes = response_edges(at_best, places)
    component = strong_components(tails, heads, nodes)
    closed = np.ones(component.max() + 1, dtype=np.bool_)
    closed[component[tails[component[tails] != component[heads]]]] = False
    inside = np.flatnonzero(closed[component[: places.size]])
    order = inside[np.argsort(component[inside], kind="stable")]
    return np.split(places[order], np.flatnonzero(np.diff(component[order])) + 1)


def strong_components(tails: Nodes, heads: Nodes, nodes: int) -> NDArray[np.int32]:
    """The number of every node's strong component in a directed graph, given by the ends of its edges."""
    from scipy.sparse import csr_array  # loaded only for games with cycles: 0.4 s
    from scipy.sparse.csgraph import connected_components

    edges = csr_array((np.ones(tails.size, np.bool_), (tails, heads)), shape=(nodes, nodes))
    labels: NDArray[np.int32] = connected_components(edges, connection="strong")[1]
    return labels


def response_edges(at_best: BoolArray, places: IntArray) -> tuple[NDArray[np.int32], NDArray[np.int32], int]:
    """Best responses among profiles that they never leave, with a node for every line: tails, heads, number of nodes.

    A line is a player and everybody else's choices. A profile leads to the line of every player who gains, a line to
    its best cells: the same profiles reach each other as without lines, and every cell makes one edge per player,
    however many strategies she has. The profiles, in the order given, are the first nodes.
    """
    tails: list[NDArray[np.int32]] = []
    heads: list[NDArray[np.int32]] = []
    nodes, stride = places.size, at_best[0].size
    here = np.arange(places.size, dtype=np.int32)
    for own, size in zip(at_best, at_best.shape[1:], strict=True):
        stride //= size
        first = places - places // stride % size * stride
        visited = np.zeros(own.size, np.bool_)
        visited[first] = True
        lines = (nodes - 1 + np.cumsum(visited, dtype=np.int32))[first]
        nodes += int(visited.sum())
        best = own.reshape(-1)[places]
        tails.append(np.where(best, lines, here))
        heads.append(np.where(best, here, lines))
    return np.concatenate(tails), np.concatenate(heads), nodes


def response_graph(game: NormalFormGame) -> networkx.DiGraph[Any]:
    """The best-response graph: nodes are profiles (labels), edges carry the ``player`` who moves; for small games."""
    import networkx

    graph: networkx.DiGraph[Any] = networkx.DiGraph()
    best = game.best
    for flat, place in enumerate(np.ndindex(*game.shape)):
        here = game.profile(flat)
        graph.add_node(here, costs=game.costs(here))
        for i, own in enumerate(game.labels):
            if game.table[(i, *place)] == best[(i, *place)]:
                continue
            for s, label in enumerate(own):
                if game.table[(i, *place[:i], s, *place[i + 1 :])] == best[(i, *place)]:
                    graph.add_edge(here, (*here[:i], label, *here[i + 1 :]), player=game.players[i])
    return graph


def reached(at_best: BoolArray, places: IntArray) -> BoolArray:
    """Mask, flat, of the profiles from which best responses lead to the given ones, these included.

    Breadth first along the lines of the table: a line is one player's choices against fixed ones of everybody else, and
    all its cells that are not best lead to those that are. ``at_best``, of shape (players, one axis per player): where
    the player's strategy is a best response.

    >>> at_best = np.array([[[False, True], [True, False]], [[True, False], [True, False]]])
    >>> reached(at_best, np.array([2])).tolist()  # leading to the profile in row 1, column 0
    [True, True, True, True]
    """
    flat, sizes = at_best.reshape(len(at_best), -1), at_best.shape[1:]
    visited, done = np.zeros(flat.shape[1], np.bool_), np.zeros(flat.shape, np.bool_)
    visited[places] = True
    latest = places
    while latest.size:
        ends, stride = [], 1
        for own, passed, size in zip(flat[::-1], done[::-1], sizes[::-1], strict=True):
            there = latest[own[latest]]
            first = there - there // stride % size * stride
            first = np.unique(first[~passed[first]])
            passed[first] = True
            line = (first[:, None] + stride * np.arange(size)).reshape(-1)
            ends.append(line[~(own[line] | visited[line])])
            visited[ends[-1]] = True
            stride *= size
        latest = np.concatenate(ends)
    return visited


# --- everything at once ---------------------------------------------------------------------------------------------


def enumeration_search(game: Game, options: Options) -> Findings:
    """Every question answered from the table of all profiles; see :func:`consortium.games.search.search`."""
    progress, clock = options.progress, options.clock
    try:
        arrays = NormalFormGame.from_game(game, max_bytes=options.max_bytes, progress=progress, clock=clock)
    except (KeyboardInterrupt, TimeoutError):
        return Findings(Equilibria(exists=None), complete=False)
    best = outcome(game, arrays.profile(optimum(arrays)))
    try:
        stable = pure_equilibria(arrays, clock)
    except (KeyboardInterrupt, TimeoutError):
        return _stopped(arrays, best)
    equilibria = _equilibria(game, arrays, stable, options.limit)
    findings = Findings(equilibria, optimum=best, complete=False)
    try:
        return _with_the_rest(findings, game, arrays, options)
    except (KeyboardInterrupt, TimeoutError):
        return findings


def _stopped(arrays: NormalFormGame, best: Outcome) -> Findings:
    """Between which social costs all equilibria are, before any is known."""
    possible = possible_equilibria(arrays)
    if not len(possible):
        return Findings(Equilibria(exists=False, count=0), optimum=best, complete=False)
    least, most = (arrays.social_cost(arrays.profile(i)) for i in extremes(arrays, possible))
    bounds = Bounds(worst_at_most=most, best_at_least=least, epsilon_at_least=Fraction(1))
    return Findings(Equilibria(exists=None), optimum=best, bounds=bounds, complete=False)


def _equilibria(game: Game, arrays: NormalFormGame, stable: IntArray, limit: int) -> Equilibria:
    classes = game.n_classes(stable) if isinstance(game, HasClasses) else None
    if not len(stable):
        return Equilibria(exists=False, count=0, classes=classes)
    best, worst = (outcome(game, arrays.profile(i)) for i in extremes(arrays, stable))
    listed = tuple(outcome(game, arrays.profile(i)) for i in stable[:limit])
    return Equilibria(True, len(stable), best, worst, listed, classes)


def _with_the_rest(findings: Findings, game: Game, arrays: NormalFormGame, options: Options) -> Findings:
    """Epsilons, regrets, sinks and approximate equilibria added."""
    epsilon, where = smallest_epsilon(arrays)
    regret, least = smallest_regret(arrays)
    near = None if options.epsilon is None else approximate_equilibria(arrays, options.epsilon)
    graph = arrays.social.size <= MAX_SINK_PROFILES and not options.clock.expired()

    def at(place: int) -> Outcome:
        return outcome(game, arrays.profile(place))

    return dataclasses.replace(
        findings,
        smallest_epsilon=epsilon,
        smallest_epsilon_at=None if where is None else at(where),
        smallest_regret=regret,
        smallest_regret_at=at(least),
        sinks=tuple(s.size for s in sink_components(arrays)) if graph else None,
        approximate=None if near is None else tuple(at(i) for i in near[: options.limit]),
        approximate_count=None if near is None else len(near),
        complete=True,
    )
