"""Drawing of a small game's best responses: where selfish players go, and where they stay."""

from __future__ import annotations

import importlib
import math
import os
import textwrap
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ...games.enumeration import response_graph
from ...games.normal_form import NormalFormGame
from ...games.protocol import Game, Profile, count_profiles
from ...scenarios.scenario import Scenario
from ...scheduling.errors import InputError, TooLargeError
from ..figures import COLOURS, check_path, new_figure, save

if TYPE_CHECKING:
    import networkx
    from matplotlib.figure import Figure

MAX_PROFILES = 4096
"""Largest game whose response graph is built."""
MAX_DRAWN = 64
"""Most profiles drawn."""
LINES = ("-", "--", "-.", ":")


def save_responses(scenario: Scenario, path: str | os.PathLike[str]) -> None:
    """Draw the best-response graph of a scenario's game and save it as .svg, .png or .pdf.

    Raises
    ------
    TooLargeError
        If the game has more profiles than a drawing can show.
    InputError
        If scenarios of this kind or rule are no games.
    """
    check_path(path)
    module = importlib.import_module(f"...verbs.{scenario.kind}.run", __package__)
    if not hasattr(module, "game"):
        raise InputError(f"--plot: response graphs are drawn for kind 'federation'; found {scenario.kind!r}")
    game, label = module.game(scenario)
    save(draw(game, label, scenario.label), path)


def draw(game: Game, label: Callable[[Profile], str], title: str = "") -> Figure:
    """Draw profiles on a circle, an arrow for every best response, coloured by who moves.

    Filled profiles lie in a sink component, which best responses never leave: one alone is a pure equilibrium (a thick
    ring marks it), several are a cycle. Of a game of more than 64 profiles only those are drawn that best responses
    reach from the start of the dynamics (every job at home); if these are too many as well, only the sink components.

    Raises
    ------
    TooLargeError
        If the game is too large, or no part of it fits the drawing.
    """
    import networkx as nx

    size = count_profiles(game)
    if size > MAX_PROFILES:
        raise TooLargeError(f"the game has {size:,} profiles; a response graph is built for at most {MAX_PROFILES:,}")
    whole = response_graph(NormalFormGame.from_game(game))
    sinks = [set(part) for part in nx.attracting_components(whole)]
    graph = whole.subgraph(_shown(game, whole, sinks))
    figure = new_figure(width=6.8, height=6.2)
    axes = figure.subplots()
    nodes = list(graph.nodes)
    place = {
        node: (math.sin(2 * math.pi * i / len(nodes)), math.cos(2 * math.pi * i / len(nodes)))
        for i, node in enumerate(nodes)
    }
    width = 240
    for i, player in enumerate(game.players):
        edges = [(u, v) for u, v, d in graph.edges(data=True) if d["player"] == player]
        look: dict[str, Any] = {"edge_color": COLOURS[i % len(COLOURS)], "style": LINES[i % 4]}
        if edges:
            nx.draw_networkx_edges(
                graph, place, edgelist=edges, ax=axes, node_size=width, arrowsize=9, width=1.1,
                connectionstyle="arc3,rad=0.08", **look,
            )  # fmt: skip
            axes.plot([], [], color=look["edge_color"], linestyle=look["style"], label=f"{player} moves")
    inside = {node for part in sinks for node in part}
    alone = {node for part in sinks if len(part) == 1 for node in part}
    nx.draw_networkx_nodes(
        graph, place, ax=axes, node_size=width, edgecolors="black",
        linewidths=[2.4 if n in alone else 0.7 for n in nodes],
        node_color=["#F0E442" if n in inside else "white" for n in nodes], nodelist=nodes,
    )  # fmt: skip
    for node, (x, y) in place.items():
        axes.text(1.2 * x, 1.13 * y, label(node), ha="center", va="center", fontsize=6)
    axes.legend(fontsize=7, loc="upper left")
    note = f"{len(nodes)} of {size} profiles; filled: never left by best responses; thick ring: equilibrium"
    axes.set_title("\n".join([*textwrap.wrap(title, 100), note]), fontsize=9, loc="left")
    axes.set_aspect("equal")
    axes.margins(0.16)
    axes.axis("off")
    return figure


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
