"""Drawing of what is found about a game: what was learnt, best responses where it is small, or what equilibria cost."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ...support.errors import TooLargeError
from ..charts import AS_GIVEN, TIME, Panel, Verdict, findings, named
from ..style import exact
from ..tables import cell, counted
from .learning import running_average
from .responses import responses
from .tables import costs_of, known_bounds, social_of

if TYPE_CHECKING:
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
    cases = {
        "optimum": data["optimum"],
        "best equilibrium": equilibria["best"],
        "worst equilibrium": equilibria["worst"],
    }
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
    prices = [
        f"price of {name} {exact(data[f'price_of_{name}'])}"
        for name in ("anarchy", "stability")
        if data[f"price_of_{name}"] is not None
    ]
    return findings(_heading(data), verdicts, panels, [", ".join(prices)] if prices else ())


def _heading(data: Mapping[str, Any]) -> str:
    """What was searched; arrays have no title."""
    return f"search: {named(data) or 'a game'}"
