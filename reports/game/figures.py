"""Drawings of a ``search`` record: how learning went, best responses where the game is small, or what equilibria cost.

The best-response graph stands on a circle; of a game that does not fit a selection is drawn.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from ...games.dynamics import default_profile
from ...games.enumeration import response_graph
from ...games.normal_form import NormalFormGame
from ...games.protocol import Game, Profile, count_profiles
from ...support.errors import TooLargeError
from ..charts import AS_GIVEN, TIME, Panel, Verdict, findings, named
from ..style import (
    SKY,
    TEXT,
    bare,
    below,
    cut,
    cut_to,
    exact,
    hover,
    hover_points,
    line,
    new_figure,
    number,
    points,
    set_height,
    title,
    width_of,
)
from ..tables import cell, counted
from .tables import costs_of, known_bounds, social_of, social_word

if TYPE_CHECKING:
    import networkx
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def search(data: Mapping[str, Any], record: Any = None) -> Figure:
    """How an average of learning went, the best-response graph of a small game, or what equilibria cost."""
    played = getattr(getattr(record, "dynamics", None), "social", ())
    if played:
        return running_average(_heading(data), data, played)
    game, label = getattr(record, "game", None), getattr(record, "label", None)
    if game is not None and label is not None and data["profiles"] is not None:
        try:
            return responses(game, label, _heading(data), getattr(record, "start", None))
        except TooLargeError:
            pass  # the graph does not fit a page, what was found about it does
    return outcomes(data)


def outcomes(data: Mapping[str, Any]) -> Figure:
    """Equilibria against the optimum: everybody's costs together and one by one, with the prices."""
    equilibria = data["equilibria"]
    near = [("smallest epsilon", data["smallest_epsilon"]), ("smallest regret", data["smallest_regret"])]
    count = "" if equilibria["count"] is None else f"{equilibria['count']:,} of {data['profiles']:,} profiles"
    if not equilibria["exists"]:
        count = ", ".join(f"{name} {exact(value)}" for name, value in near if value is not None)
    verdicts = [Verdict("a pure equilibrium exists", equilibria["exists"], count)]
    dynamics = data.get("dynamics")
    if dynamics and "steps" in dynamics:
        moves = counted(dynamics["steps"], "move")
        ending = moves if dynamics["converged"] else "they cycle"
        verdicts.append(Verdict("best responses settle", dynamics["converged"], ending))
    cases = {"optimum": data["optimum"], **{f"{which} equilibrium": equilibria[which] for which in ("best", "worst")}}
    marked = {name: outcome for name, outcome in cases.items() if outcome}
    panels, word = [], social_of(data).replace("_", " ")
    unit = AS_GIVEN if data["kind"] == "game" else TIME
    social = {name: outcome[social_of(data)] for name, outcome in marked.items()}
    if data.get("unconstrained_optimum") is not None:
        social = {"optimum of all schedules": data["unconstrained_optimum"], **social}
    if social and not any(isinstance(value, list) for value in social.values()):
        panels.append(Panel(word, list(social), list(social.values()), unit))
    for name, outcome in marked.items():
        ending = cell(outcome[social_of(data)])
        costs = outcome[costs_of(data)]
        panels.append(Panel(f"{name}: {costs_of(data)} ({word} {ending})", list(costs), list(costs.values()), unit))
    bounds = known_bounds(data)
    if bounds:
        panels.append(Panel("proved so far", list(bounds), list(bounds.values())))
    prices = [(name, data[f"price_of_{name}"]) for name in ("anarchy", "stability")]
    prices_text = ", ".join(f"price of {name} {exact(price)}" for name, price in prices if price is not None)
    return findings(_heading(data), verdicts, panels, [prices_text])


def _heading(data: Mapping[str, Any]) -> str:
    """What was searched; arrays have no title."""
    return f"search: {named(data) or 'a game'}"


MAX_PROFILES: Final = 4096
"""Largest game whose response graph is built."""
MAX_DRAWN: Final = 64
"""Most profiles drawn."""
MAX_LEVEL: Final = 16
"""Most profiles whose labels are level; those of more point outwards."""
NODE: Final = 240
"""Largest size of a profile's circle, in square points."""
START: Final[Mapping[str, Any]] = {
    "marker": "s", "linestyle": "none", "markerfacecolor": "none", "markeredgecolor": "black", "markeredgewidth": 1.2
}  # fmt: skip
"""The frame around the profile where dynamics start."""

Places = Mapping[Profile, tuple[float, float]]


def responses(
    game: Game, label: Callable[[Profile], str], about: str = "", start: Sequence[Any] | None = None
) -> Figure:
    """Draw profiles on a circle, an arrow for every best response, coloured by who moves.

    Filled profiles lie in a sink component, which best responses never leave: one alone is a pure equilibrium (a thick
    ring marks it), several are a cycle. A square frames the start of the dynamics, which the game says where ``start``
    does not. Of a game of more than 64 profiles only those are drawn that best responses reach from there; if these
    are too many as well, only the sink components. ``label``: a short text for a profile; ``about``: the title.

    Raises TooLargeError if the game is too large, or no part of it fits the drawing.
    """
    size = count_profiles(game)
    if size > MAX_PROFILES:
        raise TooLargeError(f"the game has {size:,} profiles; a response graph is built for at most {MAX_PROFILES:,}")
    import networkx as nx

    whole = response_graph(NormalFormGame.from_game(game))
    sinks = [set(part) for part in nx.attracting_components(whole)]
    first = default_profile(game) if start is None else tuple(start)
    graph = _drawn_part(whole, sinks, first)
    nodes = [node for node in whole if node in graph]  # in the game's order: that of a set may change
    texts = {node: cut(label(node), 32) for node in nodes}
    figure = new_figure(width=6.8)
    axes = figure.subplots()
    angles = [2 * math.pi * i / len(nodes) for i in range(len(nodes))]
    place = {node: (math.sin(angle), math.cos(angle)) for node, angle in zip(nodes, angles, strict=True)}
    radius = _frame(axes, texts)
    across = min(math.sqrt(NODE), 0.75 * 2 * math.pi * radius / len(nodes))
    edges = _moves(axes, game, whole, place, across**2, label)
    signs = _profiles(axes, place, sinks, first, across)
    _labels(axes, place, texts, 1 + (across / 2 + 7) / radius)
    x, y = zip(*place.values(), strict=True)
    hover_points(axes, x, y, [_hover(node, label, sinks, first) for node in nodes])
    title(figure, about, f"{len(nodes):,} of {size:,} profiles; {_reading(game, first, label)}")
    below(figure, [*edges, *signs])
    return figure


def _reading(game: Game, profile: Profile, label: Callable[[Profile], str]) -> str:
    """How a label is read, by the example of one."""
    parts = label(profile).split(" | ")
    players = [cut(str(name), 20) for name in game.players]
    if len(parts) != len(players):
        return ""
    if all(isinstance(strategy, tuple) for strategy in profile):  # hosts of jobs
        parts_played = [
            f"the jobs of {name} are on {', '.join(str(host + 1) for host in hosts)}" if hosts else f"{name} has none"
            for name, hosts in zip(players, profile, strict=True)
        ]
        numbers = ", ".join(f"{i} {name}" for i, name in enumerate(players[:4], 1)) + ", …" * (len(players) > 4)
        return f"read {cut(label(profile), 32)} as: {_first(parts_played)} (hosts: {numbers})"
    parts_played = [f"{name} plays {part}" for name, part in zip(players, parts, strict=True)]
    return f"read {cut(label(profile), 32)} as: {_first(parts_played)}"


def _first(texts: Sequence[str]) -> str:
    return "; ".join([*texts[:4], *["…"] * (len(texts) > 4)])


def _frame(axes: Axes, texts: Mapping[Profile, str]) -> float:
    """Make room for a circle of radius 1 and the labels around it; returns that radius in points.

    Labels stand beside their circles, level or pointing outwards, and those above and below need a line.
    """
    longest, half = max(width_of(text, TEXT) for text in texts.values()), points(axes) / 2
    room_beside = min(longest, 0.6 * half) + 1.6 * math.sqrt(NODE)
    radius = min(half - room_beside, max(90.0, 9.0 * len(texts)))  # few profiles need no page
    above = room_beside if len(texts) > MAX_LEVEL else 2 * math.sqrt(NODE)
    bottom = -1 if len(texts) > 1 else 1  # one profile alone stands at the top
    axes.set_xlim(-half / radius, half / radius)
    axes.set_ylim(bottom - above / radius, 1 + above / radius)
    axes.set_aspect("equal")
    axes.axis("off")
    set_height(axes, ((1 - bottom) * radius + 2 * above) / 72 + 0.3)
    return radius


def _moves(
    axes: Axes,
    game: Game,
    graph: networkx.DiGraph[Any],
    place: Places,
    size: float,
    label: Callable[[Profile], str],
) -> list[Any]:
    """An arrow for every best response, in the style of who moves; returns entries for a legend."""
    import networkx as nx
    from matplotlib.lines import Line2D

    movers = []
    for i, player in enumerate(game.players):
        moves = ((u, v) for u, v, d in graph.edges(data=True) if d["player"] == player)
        edges = [(u, v) for u, v in moves if u in place and v in place]
        if edges:
            look = line(i)
            drawn = nx.draw_networkx_edges(
                graph, place, edgelist=edges, ax=axes, node_size=size, arrowsize=9, width=1.1,
                connectionstyle="arc3,rad=0.08", edge_color=look["color"], style=look["linestyle"],
            )  # fmt: skip
            for arrow, (u, v) in zip(drawn, edges, strict=True):
                hover(arrow, f"{player} moves: {label(u)} to {label(v)}")
            movers.append(Line2D([], [], **look, label=f"{cut(player)} moves"))
    return movers


def _profiles(axes: Axes, place: Places, sinks: Sequence[set[Profile]], start: Profile, across: float) -> list[Any]:
    """The circles, and the frame of the start; returns entries for a legend."""
    from matplotlib.lines import Line2D

    inside = {node for part in sinks for node in part}
    alone = {node for part in sinks if len(part) == 1 for node in part}
    x, y = zip(*place.values(), strict=True)
    axes.scatter(
        x, y, s=across**2, edgecolors="black", zorder=2,
        linewidths=[2.4 if node in alone else 0.7 for node in place],
        c=[SKY if node in inside else "white" for node in place],
    )  # fmt: skip
    circle: dict[str, Any] = {"marker": "o", "linestyle": "none", "markeredgecolor": "black", "markersize": 7}
    signs = []
    if alone & set(place):
        signs.append(Line2D([], [], **circle, color=SKY, markeredgewidth=2, label="equilibrium"))
    if (inside - alone) & set(place):
        signs.append(Line2D([], [], **circle, color=SKY, label="cycle: never left by best responses"))
    if start in place:
        axes.plot(*([at] for at in place[start]), **START, markersize=across + 5, zorder=3)
        signs.append(Line2D([], [], **START, markersize=8, label="start"))
    return signs


def _labels(axes: Axes, place: Places, texts: Mapping[Profile, str], out: float) -> None:
    """A label beside each circle, never across it: level, or pointing outwards where there are many."""
    room = 0.6 * points(axes) / 2
    for node, (x, y) in place.items():
        label_text = cut_to(texts[node], room, TEXT)
        if len(place) > MAX_LEVEL:
            angle = math.degrees(math.atan2(y, x))
            left = x >= -1e-9
            turn = angle if left else angle - 180
            axes.text(
                out * x, out * y, label_text, rotation=turn, rotation_mode="anchor", fontsize=TEXT,
                ha="left" if left else "right", va="center",
            )  # fmt: skip
        else:
            side = "center" if abs(x) < 0.15 else "left" if x > 0 else "right"
            level = "center" if side != "center" else "bottom" if y > 0 else "top"
            axes.text(out * x, out * y, label_text, ha=side, va=level, fontsize=TEXT)


def _hover(node: Profile, label: Callable[[Profile], str], sinks: Sequence[set[Profile]], start: Profile) -> str:
    part = next((part for part in sinks if node in part), None)
    kind = "" if part is None else "equilibrium" if len(part) == 1 else "in a cycle that best responses never leave"
    return "; ".join(filter(None, (label(node), kind, "start" if node == start else "")))


def _drawn_part(graph: networkx.DiGraph[Any], sinks: Sequence[set[Profile]], start: Profile) -> set[Profile]:
    """Everything, or what the start reaches, or the sinks: the first of these that fits the drawing."""
    import networkx as nx

    if len(graph) <= MAX_DRAWN:
        return set(graph.nodes)
    reached = {start} | nx.descendants(graph, start)
    inside = {profile for part in sinks for profile in part}
    for part in (reached, inside):
        if len(part) <= MAX_DRAWN:
            return set(part)
    raise TooLargeError(
        f"best responses from the start reach {len(reached):,} profiles and {len(inside):,} lie in sink components; "
        f"a drawing shows at most {MAX_DRAWN}"
    )


POINTS: Final = 400
"""Most rounds drawn, spread evenly over their logarithms."""


def running_average(heading: str, data: Mapping[str, Any], social: Sequence[Any]) -> Figure:
    """Average social cost (or welfare) up to each round, beside what the record knows of equilibria.

    ``social``: that of every round. From an infinite one on the average is not drawn. The scale is that of the later
    rounds.
    """
    dynamics = data["dynamics"]
    rounds = _drawn(len(social))
    values, total = [number(value) for value in social], 0.0
    averages: list[float] = []
    for value in values:
        total += value
        averages.append(total / (len(averages) + 1))
    figure = new_figure(height=3.0)
    axes = figure.subplots()
    points = [(n, averages[n - 1]) for n in rounds if math.isfinite(averages[n - 1])]
    handles = axes.plot(*zip(*points, strict=True), **line(0), label="average so far") if points else []
    for n, average in points:
        hover_points(axes, [n], [average], [f"after {n:,} rounds: {average:.6g} on average"])
    references = [
        (name, value) for name, value in _references(data) if value is not None and math.isfinite(number(value))
    ]
    compared = [number(value) for _, value in references]
    for index, (name, value) in enumerate(references, 1):
        handles.append(axes.axhline(number(value), **line(index), linewidth=1, label=f"{name}: {exact(value)}"))
        hover(handles[-1], f"{name}: {value}")
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.set_xlim(1, max(2, len(social)))
    late = [value for n, value in points if n * n >= len(social)]  # the first rounds would flatten all the others
    if late:
        axes.set_ylim(*_range([*late, *compared]))
    axes.set_xlabel("rounds (number)")
    axes.set_ylabel(f"average social {social_word(dynamics)}\n({AS_GIVEN if data['kind'] == 'game' else TIME})")
    bare(axes)
    average = number(dynamics[f"average_social_{social_word(dynamics)}"])
    title(figure, heading, f"{dynamics['rule'].replace('-', ' ')}: {average:.6g} on average of {len(social):,} rounds")
    if handles:
        below(figure, handles)
    return figure


def _range(values: Sequence[float]) -> tuple[float, float]:
    low, high = min(values), max(values)
    room = 0.08 * (high - low) or 1.0
    return low - room, high + room


def _drawn(count: int) -> list[int]:
    """Rounds from the first to the last, closer to each other at the beginning.

    >>> _drawn(3), len(_drawn(10**6)) <= POINTS, _drawn(10**6)[-1]
    ([1, 2, 3], True, 1000000)
    """
    if count <= POINTS:
        return list(range(1, count + 1))
    return sorted({round(count ** (step / (POINTS - 1))) for step in range(POINTS)})


def _references(data: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """What the average is compared with: correlated equilibria, else pure ones, and the optimum."""
    social = f"social_{social_word(data['dynamics'])}"
    mixed = data.get("correlated")
    kind = "equilibrium" if not mixed else f"{'coarse ' * (mixed['concept'] == 'coarse')}correlated equilibrium"
    extremes = mixed or data["equilibria"]
    cases = ((f"best {kind}", extremes["best"]), (f"worst {kind}", extremes["worst"]), ("optimum", data["optimum"]))
    return [(name, outcome.get(social)) for name, outcome in cases if outcome]
