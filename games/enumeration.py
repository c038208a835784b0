r"""Everything about a finite game that one pass over its table decides.

Pure equilibria, regrets (additive) and epsilons (multiplicative, Cordeiro 2012, Definition 5.3), the best-response
graph and its sink components, optimum and prices of anarchy and stability. int64 tables run through compiled kernels
that never form a product of two cells (fractions are compared by Euclid's algorithm), so nothing can overflow; tables
of Python integers take slower ways.

Profiles are numbered in C order (the last player's strategy varies fastest); lists come in that order, and where a
best or worst profile is asked for, the first one in that order is returned.

>>> from consortium.games.normal_form import NormalFormGame
>>> game = NormalFormGame.from_arrays([[[2, 4], [1, 3]], [[2, 1], [4, 3]]], sense="cost")
>>> [game.profile(i) for i in pure_equilibria(game)]
[(1, 1)]
>>> smallest_epsilon(game)
(Fraction(1, 1), 3)
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from ..scheduling.compiled import compiled
from ..scheduling.exact import INF, Extended
from ..scheduling.progress import Clock, Progress
from .normal_form import HUGE, INFINITE, NormalFormGame, from_cell
from .protocol import ratio

if TYPE_CHECKING:
    import networkx

IntArray: TypeAlias = NDArray[np.int64]
_LONG_LINES = 128  # with more strategies than this the early exit no longer pays: compare with the best costs
_CHUNK = 1 << 20  # profiles per kernel call: a fraction of a second, so Ctrl-C and time limits are heard


@compiled
def _equilibria(table: Any, sizes: IntArray, start: int, stop: int) -> Any:
    """Flat numbers of the pure equilibria among rows start..stop of the last player.

    table: (n, profiles). A row is one choice of everybody else; its cheapest cells for the last player are the only
    candidates, and the other players' lines are left at the first better cell.
    """
    n, width = sizes.size, sizes[-1]
    found = np.empty(16, np.int64)
    count = 0
    last = table[n - 1]
    for row in range(start, stop):
        base = row * width
        best = last[base]
        for j in range(1, width):
            if last[base + j] < best:
                best = last[base + j]
        for j in range(width):
            if last[base + j] != best:
                continue
            place = base + j
            stride = width
            stable = True
            for i in range(n - 2, -1, -1):
                mine = table[i, place]
                first = place - (place // stride) % sizes[i] * stride
                for s in range(sizes[i]):
                    if table[i, first + s * stride] < mine:
                        stable = False
                        break
                if not stable:
                    break
                stride *= sizes[i]
            if stable:
                if count == found.size:
                    wider = np.empty(2 * count, np.int64)
                    wider[:count] = found
                    found = wider
                found[count] = place
                count += 1
    return found[:count]


@compiled
def _less(a: int, b: int, c: int, d: int) -> bool:
    """Whether ``a/b < c/d`` for positive b, d and non-negative a, c, by Euclid's algorithm: no product is formed."""
    while True:
        q, r = a // b, c // d
        if q != r:
            return bool(q < r)
        a, c = a - q * b, c - r * d
        if c == 0:
            return False
        if a == 0:
            return True
        a, b, c, d = d, c, b, a  # a/b < c/d below one: compare the reciprocals the other way round


@compiled
def _worst_ratio(table: Any, best: Any, place: int, cap_top: int, cap_bottom: int, strict: bool) -> tuple[int, int]:
    """Largest cost/best of the players at a profile as a fraction; (0, 0) when it reaches the cap or is infinite.

    ``strict``: reaching the cap (cap_top/cap_bottom, or none when cap_bottom is 0) is already too much.
    """
    top, bottom = 1, 1
    for i in range(table.shape[0]):
        c, b = table[i, place], best[i, place]
        if c == b:
            continue
        if b <= 0 or c - b >= HUGE:
            return 0, 0
        if _less(top, bottom, c, b):
            top, bottom = c, b
    if cap_bottom == 0:
        return top, bottom
    enough = _less(top, bottom, cap_top, cap_bottom) if strict else not _less(cap_top, cap_bottom, top, bottom)
    return (top, bottom) if enough else (0, 0)


@compiled
def _least_ratio(table: Any, best: Any, start: int, stop: int, top: int, bottom: int) -> tuple[int, int, int]:
    """Least epsilon below top/bottom (bottom 0: no bound) in start..stop and the first profile with it, or -1."""
    where = -1
    for place in range(start, stop):
        c, b = _worst_ratio(table, best, place, top, bottom, True)
        if b != 0:
            top, bottom, where = c, b, place
    return top, bottom, where


@compiled
def _within_ratio(table: Any, best: Any, start: int, stop: int, top: int, bottom: int) -> Any:
    """Mask of the profiles in start..stop whose epsilon is at most top/bottom."""
    out = np.zeros(stop - start, np.bool_)
    for place in range(start, stop):
        out[place - start] = _worst_ratio(table, best, place, top, bottom, False)[1] != 0
    return out


@compiled
def _sinks(at_best: Any, sizes: IntArray) -> tuple[Any, Any]:
    """Tarjan's algorithm on the best-response graph, with one extra node per line (a player and all others' choices).

    A profile leads to the line of every player who gains, a line to its best cells: the same profiles reach each other
    as in the graph itself, and every line is scanned once, however many strategies it has. Returns the component of
    every node (profiles first) and, per component, whether no edge leaves it.
    """
    n, total = at_best.shape
    strides = np.ones(n, np.int64)
    for i in range(n - 2, -1, -1):
        strides[i] = strides[i + 1] * sizes[i + 1]
    lines = np.zeros(n + 1, np.int64)  # first line node of every player
    lines[0] = total
    for i in range(n):
        lines[i + 1] = lines[i] + total // sizes[i]
    nodes = lines[n]
    order = np.zeros(nodes, np.int64)  # 0: not met
    low = np.zeros(nodes, np.int64)
    component = np.full(nodes, -1, np.int64)
    resume = np.zeros(nodes, np.int64)  # next edge of a node on the path
    stack, path = np.empty(nodes, np.int64), np.empty(nodes, np.int64)
    met = components = height = 0
    for root in range(total):
        if order[root] != 0:
            continue
        depth = 0
        path[0] = stack[height] = root
        height += 1
        met += 1
        order[root] = low[root] = met
        while depth >= 0:
            v = path[depth]
            w = _next_node(at_best, sizes, strides, lines, v, resume)
            if w >= 0 and order[w] == 0:
                met += 1
                order[w] = low[w] = met
                stack[height] = w
                height += 1
                depth += 1
                path[depth] = w
                continue
            if w >= 0:
                if component[w] < 0 and order[w] < low[v]:
                    low[v] = order[w]
                continue
            if low[v] == order[v]:
                while True:
                    height -= 1
                    w = stack[height]
                    component[w] = components
                    if w == v:
                        break
                components += 1
            depth -= 1
            if depth >= 0 and low[v] < low[path[depth]]:
                low[path[depth]] = low[v]
    closed = np.ones(components, np.bool_)
    resume[:] = 0
    for v in range(nodes):
        while order[v] != 0:
            w = _next_node(at_best, sizes, strides, lines, v, resume)
            if w < 0:
                break
            if component[w] != component[v]:
                closed[component[v]] = False
    return component, closed


@compiled
def _next_node(at_best: Any, sizes: IntArray, strides: IntArray, lines: IntArray, v: int, resume: IntArray) -> int:
    """Next successor of a node, -1 when there is none left; ``resume[v]`` moves on."""
    n, total = at_best.shape
    if v < total:
        while resume[v] < n:
            i = resume[v]
            resume[v] += 1
            if not at_best[i, v]:
                return int(lines[i] + v // (strides[i] * sizes[i]) * strides[i] + v % strides[i])
        return -1
    i = 0
    while v >= lines[i + 1]:
        i += 1
    line = v - lines[i]
    first = line // strides[i] * strides[i] * sizes[i] + line % strides[i]
    while resume[v] < sizes[i]:
        w = first + resume[v] * strides[i]
        resume[v] += 1
        if at_best[i, w]:
            return int(w)
    return -1


def _flat(game: NormalFormGame) -> tuple[NDArray[Any], IntArray]:
    return game.table.reshape(len(game.players), -1), np.array(game.shape, dtype=np.int64)


def _pieces(
    total: int, step: int, progress: Progress | None, clock: Clock | None, note: str
) -> Iterator[tuple[int, int]]:
    for start in range(0, total, step):
        if clock is not None and clock.expired():
            raise TimeoutError(f"{note}: {start} of {total}")
        if progress is not None and total > step:
            progress(start, total, note)
        yield start, min(total, start + step)


def pure_equilibria(
    game: NormalFormGame, progress: Progress | None = None, clock: Clock | None = None
) -> NDArray[np.int64]:
    """Numbers of all pure equilibria, ascending; :meth:`NormalFormGame.profile` turns one into labels.

    Raises TimeoutError when the clock runs out.
    """
    if game.table.dtype != np.int64 or sum(game.shape) > _LONG_LINES:
        return np.flatnonzero((game.table == best_costs(game)).all(axis=0).reshape(-1))
    table, sizes = _flat(game)
    rows = table.shape[1] // game.shape[-1]
    step = max(1, _CHUNK // game.shape[-1])
    parts = [
        _equilibria(table, sizes, start, stop)
        for start, stop in _pieces(rows, step, progress, clock, "profiles searched")
    ]
    return cast(IntArray, parts[0] if len(parts) == 1 else np.concatenate(parts))


def best_costs(game: NormalFormGame) -> NDArray[Any]:
    """Cost of a best response of every player at every profile, shape of ``game.table``, in its units (read only)."""
    parts = [np.broadcast_to(own.min(axis=i, keepdims=True), own.shape) for i, own in enumerate(game.table)]
    return np.stack(parts)


def regrets(game: NormalFormGame, best: NDArray[Any] | None = None) -> NDArray[Any]:
    """Largest regret of a player at every profile, in units of ``1/game.denominator``; flat, in C order.

    An infinite regret is ``INFINITE`` in an int64 table and ``inf`` in a table of Python integers.
    """
    best = best_costs(game) if best is None else best
    if game.table.dtype == np.int64:
        worst = (game.table - best).max(axis=0).reshape(-1)
        return np.where(worst >= HUGE, INFINITE, worst)
    rows = zip(
        game.table.reshape(len(game.players), -1).T.tolist(),
        best.reshape(len(game.players), -1).T.tolist(),
        strict=True,
    )
    values = [max(_object_regret(c, b) for c, b in zip(costs, bests, strict=True)) for costs, bests in rows]
    out = np.empty(len(values), dtype=object)
    out[:] = values
    return out


def _object_regret(cost: int | float, best: int | float) -> int | float:
    if cost == best:
        return 0
    return INF if isinstance(cost, float) or isinstance(best, float) else cost - best


def smallest_regret(game: NormalFormGame, best: NDArray[Any] | None = None) -> tuple[Extended, int]:
    """Least additive regret over all profiles and the first profile that has it."""
    worst = regrets(game, best)
    where = int(worst.argmin())
    return from_cell(worst[where], game.denominator), where


def smallest_epsilon(
    game: NormalFormGame,
    best: NDArray[Any] | None = None,
    progress: Progress | None = None,
    clock: Clock | None = None,
) -> tuple[Fraction, int] | tuple[None, None]:
    """Least multiplicative epsilon of a profile and the first profile that has it; ``None`` when all are infinite."""
    if game.table.dtype != np.int64:
        return _object_epsilon(game)
    flat = (best_costs(game) if best is None else best).reshape(len(game.players), -1)
    table = game.table.reshape(len(game.players), -1)
    top, bottom, where = 1, 0, -1
    for start, stop in _pieces(table.shape[1], _CHUNK, progress, clock, "epsilons"):
        top, bottom, found = _least_ratio(table, flat, start, stop, top, bottom)
        where = found if found >= 0 else where
    return (Fraction(int(top), int(bottom)), int(where)) if where >= 0 else (None, None)


def _ratios(game: NormalFormGame) -> Iterator[Extended]:
    """Epsilon of every profile in C order, uncompiled: for cells or factors beyond the kernels' proven range."""
    n = len(game.players)
    costs, bests = game.table.reshape(n, -1).T.tolist(), best_costs(game).reshape(n, -1).T.tolist()
    for row, best_row in zip(costs, bests, strict=True):
        pairs = [(from_cell(c, 1), from_cell(b, 1)) for c, b in zip(row, best_row, strict=True)]
        yield max(ratio(c, b) for c, b in pairs)


def _object_epsilon(game: NormalFormGame) -> tuple[Fraction, int] | tuple[None, None]:
    value, where = min((e, i) for i, e in enumerate(_ratios(game)))
    return (Fraction(value), where) if value != INF else (None, None)


def approximate_equilibria(
    game: NormalFormGame, *, epsilon: int | Fraction | None = None, regret: int | Fraction | None = None
) -> IntArray:
    """Numbers of the profiles whose epsilon (a factor of at least 1) or regret (a cost) is at most the given one.

    Give exactly one of the two.

    >>> from consortium.games.normal_form import NormalFormGame
    >>> game = NormalFormGame.from_arrays([[[2, 4], [3, 3]], [[1, 1], [1, 1]]], sense="cost")
    >>> approximate_equilibria(game, epsilon=Fraction(3, 2)).tolist(), approximate_equilibria(game, regret=0).tolist()
    ([0, 1, 2, 3], [0, 3])
    """
    if (epsilon is None) == (regret is None):
        raise ValueError("approximate_equilibria: give epsilon (a factor) or regret (a cost), one of the two")
    if regret is not None:
        worst = regrets(game)
        limit = math.floor(Fraction(regret) * game.denominator)
        return np.flatnonzero(worst <= min(limit, HUGE) if game.table.dtype == np.int64 else worst <= limit)
    factor = Fraction(cast("int | Fraction", epsilon))
    if factor < 1:
        return np.empty(0, dtype=np.int64)
    if game.table.dtype != np.int64 or max(factor.numerator, factor.denominator) >= HUGE:
        return np.array([i for i, e in enumerate(_ratios(game)) if e <= factor], dtype=np.int64)
    flat = best_costs(game).reshape(len(game.players), -1)
    table = game.table.reshape(len(game.players), -1)
    return np.flatnonzero(_within_ratio(table, flat, 0, table.shape[1], factor.numerator, factor.denominator))


def sink_components(game: NormalFormGame) -> list[IntArray]:
    """Sink components of the best-response graph: sets of profiles that best responses reach and never leave.

    An edge changes one player, who strictly gains and reaches her best-response cost. A pure equilibrium is a sink of
    one profile; without equilibria the sinks are where the dynamics end up cycling. Smallest first, then by number.
    """
    table, sizes = _flat(game)
    at_best = (table == best_costs(game).reshape(table.shape)).astype(np.bool_)
    component, closed = _sinks(at_best, sizes)
    inside = np.flatnonzero(closed[component[: table.shape[1]]])
    groups: dict[int, list[int]] = {}
    for place in inside.tolist():
        groups.setdefault(int(component[place]), []).append(place)
    return sorted((np.array(g, dtype=np.int64) for g in groups.values()), key=lambda g: (g.size, int(g[0])))


def response_graph(game: NormalFormGame) -> networkx.DiGraph[Any]:
    """The best-response graph: nodes are profiles (labels), edges carry the ``player`` who moves; for small games."""
    import networkx

    graph: networkx.DiGraph[Any] = networkx.DiGraph()
    best = best_costs(game)
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


def optimum(game: NormalFormGame) -> int:
    """Number of the first profile of least social cost."""
    return int(game.social.reshape(-1).argmin())


def extremes(game: NormalFormGame, places: NDArray[np.int64]) -> tuple[int, int]:
    """Numbers of the first cheapest and the first dearest profile (by social cost) among the given ones."""
    social = game.social.reshape(-1)[places]
    return int(places[int(social.argmin())]), int(places[int(social.argmax())])
