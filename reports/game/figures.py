"""Drawing of what is found about a game: what was learnt, best responses where it is small, or what equilibria cost."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from ...games.normal_form import NormalFormGame
from ...games.protocol import Game, Profile, count_profiles
from ...games.responses import response_graph
from ...scheduling.errors import TooLargeError
from ..charts import Panel, Verdict, findings
from ..style import COLOURS, TEXT, below, cut, exact, line, new_figure, title
from ..tables import cell, counted, readable
from .learning import running_average
from .tables import costs_of, heading, known_bounds, social_of

if TYPE_CHECKING:
    import networkx
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MAX_PROFILES: Final = 4096
"""Largest game whose response graph is built."""
MAX_DRAWN: Final = 64
"""Most profiles drawn."""
NODE: Final = 240
"""Size of a profile's circle."""


def search(data: Mapping[str, Any], record: Any = None) -> Figure:
    """How an average of learning went, the best-response graph of a small game, or what equilibria cost."""
    played = getattr(getattr(record, "dynamics", None), "social", ())
    if played:
        return running_average(heading(data), data, played)
    game, label = getattr(record, "game", None), getattr(record, "label", None)
    if game is not None and label is not None and data["profiles"] is not None:
        try:
            return responses(game, label, heading(data))
        except TooLargeError:
            pass  # the graph does not fit a page, what was found about it does
    return outcomes(data)


def outcomes(data: Mapping[str, Any]) -> Figure:
    """Equilibria against the optimum: everybody's costs together and one by one, with the prices."""
    found = data["equilibria"]
    near = [("smallest epsilon", data["smallest_epsilon"]), ("smallest regret", data["smallest_regret"])]
    count = "" if found["count"] is None else f"{found['count']:,} of {data['profiles']:,} profiles"
    if not found["exists"]:
        count = ", ".join(f"{name} {exact(value)}" for name, value in near if value is not None)
    verdicts = [Verdict("a pure equilibrium exists", found["exists"], count)]
    dynamics = data.get("dynamics")
    if dynamics and "steps" in dynamics:
        moves = counted(dynamics["steps"], "move")
        told = moves if dynamics["converged"] else "they cycle"
        verdicts.append(Verdict("best responses settle", dynamics["converged"], told))
    cases = {
        "optimum": data["optimum"],
        "best equilibrium": found["best"],
        "worst equilibrium": found["worst"],
    }
    known = {name: outcome for name, outcome in cases.items() if outcome}
    panels, word = [], social_of(data).replace("_", " ")
    social = {name: outcome[social_of(data)] for name, outcome in known.items()}
    if data.get("unconstrained_optimum") is not None:
        social = {"optimum of all schedules": data["unconstrained_optimum"], **social}
    if social and not any(isinstance(value, list) for value in social.values()):
        panels.append(Panel(word, list(social), list(social.values())))
    for name, outcome in known.items():
        told = cell(readable(outcome[social_of(data)]))
        costs = outcome[costs_of(data)]
        panels.append(Panel(f"{name}: {costs_of(data)} ({word} {told})", list(costs), list(costs.values())))
    bounds = known_bounds(data)
    if bounds:
        panels.append(Panel("proved so far", list(bounds), list(bounds.values())))
    prices = [
        f"price of {name} {exact(data[f'price_of_{name}'])}"
        for name in ("anarchy", "stability")
        if data[f"price_of_{name}"] is not None
    ]
    return findings(heading(data), verdicts, panels, [", ".join(prices)] if prices else ())


def responses(game: Game, label: Callable[[Profile], str], about: str = "") -> Figure:
    """Draw profiles on a circle, an arrow for every best response, coloured by who moves.

    Filled profiles lie in a sink component, which best responses never leave: one alone is a pure equilibrium (a thick
    ring marks it), several are a cycle. Of a game of more than 64 profiles only those are drawn that best responses
    reach from the start of the dynamics (every job at home); if these are too many as well, only the sink components.

    Raises
    ------
    TooLargeError
        If the game is too large, or no part of it fits the drawing.
    """
    size = count_profiles(game)
    if size > MAX_PROFILES:
        raise TooLargeError(f"the game has {size:,} profiles; a response graph is built for at most {MAX_PROFILES:,}")
    whole, sinks = _graph(game)
    shown = _shown(game, whole, sinks)
    nodes = [node for node in whole if node in shown]  # in the game's order: that of a set may change
    figure = new_figure(width=6.8, height=5.3)
    axes = figure.subplots()
    angles = [2 * math.pi * i / len(nodes) for i in range(len(nodes))]
    place = {node: (math.sin(angle), math.cos(angle)) for node, angle in zip(nodes, angles, strict=True)}
    _moves(axes, game, whole, place)
    _profiles(axes, whole, place, sinks)
    for node, (x, y) in place.items():
        side = "center" if abs(x) < 0.15 else "left" if x > 0 else "right"  # beside its circle, never across it
        axes.text(1.09 * x, 1.12 * y, cut(label(node), 32), ha=side, va="center", fontsize=TEXT - 1)
    note = f"{len(nodes):,} of {size:,} profiles; filled: never left by best responses; thick ring: equilibrium"
    title(axes, about, note)
    axes.set_aspect("equal")
    axes.set_xlim(-1.7, 1.7)
    axes.set_ylim(-1.25, 1.25)
    axes.axis("off")
    return figure


def _graph(game: Game) -> tuple[networkx.DiGraph[Any], list[set[Profile]]]:
    """All best responses, and the components that they never leave."""
    import networkx as nx

    whole = response_graph(NormalFormGame.from_game(game))
    return whole, [set(part) for part in nx.attracting_components(whole)]


def _moves(axes: Axes, game: Game, graph: networkx.DiGraph[Any], place: Mapping[Profile, tuple[float, float]]) -> None:
    """An arrow for every best response, in the style of who moves."""
    import networkx as nx
    from matplotlib.lines import Line2D

    movers = []
    for i, player in enumerate(game.players):
        moves = ((u, v) for u, v, d in graph.edges(data=True) if d["player"] == player)
        edges = [(u, v) for u, v in moves if u in place and v in place]
        if edges:
            look = line(i)
            nx.draw_networkx_edges(
                graph, place, edgelist=edges, ax=axes, node_size=NODE, arrowsize=9, width=1.1,
                connectionstyle="arc3,rad=0.08", edge_color=look["color"], style=look["linestyle"],
            )  # fmt: skip
            movers.append(Line2D([], [], **look, label=f"{cut(player)} moves"))
    if movers:
        below(axes.figure, movers)


def _profiles(
    axes: Axes,
    graph: networkx.DiGraph[Any],
    place: Mapping[Profile, tuple[float, float]],
    sinks: Sequence[set[Profile]],
) -> None:
    import networkx as nx

    nodes = list(place)
    inside = {node for part in sinks for node in part}
    alone = {node for part in sinks if len(part) == 1 for node in part}
    nx.draw_networkx_nodes(
        graph, place, ax=axes, node_size=NODE, edgecolors="black",
        linewidths=[2.4 if n in alone else 0.7 for n in nodes],
        node_color=[COLOURS[6] if n in inside else "white" for n in nodes], nodelist=nodes,
    )  # fmt: skip


def _shown(game: Game, graph: networkx.DiGraph[Any], sinks: Sequence[set[Profile]]) -> set[Profile]:
    """Everything, or what the start reaches, or the sinks: the first of these that fits the drawing."""
    import networkx as nx

    if len(graph) <= MAX_DRAWN:
        return set(graph.nodes)
    start = getattr(game, "default_profile", next(iter(graph.nodes)))
    reached = {start} | nx.descendants(graph, start)
    inside = {profile for part in sinks for profile in part}
    for part in (reached, inside):
        if len(part) <= MAX_DRAWN:
            return set(part)
    raise TooLargeError(
        f"best responses from the start reach {len(reached):,} profiles and {len(inside):,} lie in sink components; "
        f"a drawing shows at most {MAX_DRAWN}"
    )
