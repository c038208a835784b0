"""Tables of a ``search`` record, the same for every game."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

from ...verbs.game.records import EquilibriaRow, SearchRecord
from ..tables import Table, cell, facts, more, pairs_of, table
from . import learning, potential
from .coalitions import coalitions
from .correlated import correlated
from .mixed import mixed, quantal

ANARCHY: Final = "price_of_anarchy"
STABILITY: Final = "price_of_stability"


def search(data: Mapping[str, Any], optima: Sequence[tuple[str, Any]] = ()) -> list[Table]:
    """Prices and existence, the equilibria listed, the dynamics; ``optima``: what a kind says besides the optimum."""
    equilibria = data["equilibria"]
    costs, social = costs_of(data), social_of(data)
    word = social.replace("_", " ")

    def cost_of(outcome: Mapping[str, Any] | None) -> Any:
        return (outcome or {}).get(social)

    pairs: list[tuple[str, Any]] = [
        ("players", data["players"]),
        *pairs_of(data, SearchRecord, ["profiles"]),
        ("method", data["method"]),
        *pairs_of(equilibria, EquilibriaRow, ["exists", "count"]),
        *(
            []
            if equilibria.get("classes") in (None, equilibria["count"])
            else pairs_of(equilibria, EquilibriaRow, ["classes"])
        ),
        (f"{word}: best equilibrium", so_far(data, cost_of(equilibria["best"]), "best found", "best")),
        (f"{word}: worst equilibrium", so_far(data, cost_of(equilibria["worst"]), "worst found", "worst")),
        (f"{word}: optimum", cost_of(data["optimum"])),
        *optima,
    ]
    prices = {name: so_far(data, data[name], "found", name) for name in (ANARCHY, STABILITY)}
    prices["smallest_epsilon"] = so_far(data, data["smallest_epsilon"], "found", "epsilon")
    prices["smallest_regret"] = data["smallest_regret"]
    pairs += pairs_of(prices, SearchRecord, prices)
    if data.get("sinks") is not None:
        pairs += pairs_of({"sinks": _counted(data["sinks"])}, SearchRecord, ["sinks"])
        settles = all(size == 1 for size in data["sinks"])
        pairs.append(("best responses lead to equilibrium from everywhere", settles))
    tables = [facts(heading(data), pairs, unbounded(data))]
    listed = equilibria["listed"] or []
    if listed:
        note = more((equilibria["count"] or 0) - len(listed))
        tables.append(table("pure equilibria", listed, ["profile", costs, social], note))
    near = data.get("approximate")
    if near:
        note = more((near["count"] or 0) - len(near["listed"]))
        tables.append(table("epsilon-approximate equilibria", near["listed"], ["profile", costs, social], note))
    dynamics = data.get("dynamics")
    if dynamics and "plays" in dynamics:
        tables += learning.tables(dynamics)
    elif dynamics:
        keys = ("start", "rule", "converged", "steps", "cycle", "final")
        more_keys = [key for key in ("ended",) if key in dynamics]
        tables.append(facts("best-response dynamics", [(key, dynamics.get(key)) for key in (*keys, *more_keys)]))
        if dynamics.get("replies"):
            columns = ["agent", "utility", "supremum", "attained"]
            tables.append(table("best replies at the end, among all numbers", dynamics["replies"], columns))
    if data.get("coalitions"):
        tables.append(coalitions(data["coalitions"], social))
    tables += correlated(data)
    if data.get("mixed"):
        tables += mixed(data["mixed"], costs)
    if data.get("potential"):
        tables += potential.tables(data["potential"])
    if data.get("quantal"):
        tables += quantal(data["quantal"], costs)
    return tables


def heading(data: Mapping[str, Any]) -> str:
    """What was searched; arrays have no title."""
    return f"search: {data['scenario'] or 'a game'}"


def costs_of(data: Mapping[str, Any]) -> str:
    """The key of everybody's costs in an outcome, or payoffs where the game is given in payoffs."""
    return "payoffs" if data.get("sense") == "payoff" else "costs"


def social_of(data: Mapping[str, Any]) -> str:
    """The key of what an outcome costs, or is worth to, everybody together."""
    return "social_welfare" if data.get("sense") == "payoff" else "social_cost"


def so_far(data: Mapping[str, Any], value: Any, word: str, name: str) -> Any:
    """A value, or of a search that was stopped what it has found and what it has proved.

    >>> so_far({"complete": False, "bounds": {"worst_at_most": 62}}, 54, "worst found", "worst")
    'worst found 54, at most 62'
    """
    bounds = {} if data["complete"] else data.get("bounds") or {}
    if not bounds:
        return value
    ends = [(side, bounds.get(f"{name}_{side.replace(' ', '_')}")) for side in ("at least", "at most")]
    bounded = [(side, cell(bound)) for side, bound in ends if bound is not None]
    if len(bounded) == 2 and bounded[0][1] == bounded[1][1]:
        return bounded[0][1]
    parts = [] if value is None else [f"{word} {cell(value)}"]
    return ", ".join([*parts, *(f"{side} {bound}" for side, bound in bounded)]) or None


def known_bounds(data: Mapping[str, Any]) -> dict[str, Any]:
    """What an incomplete search has proved, by readable name."""
    bounds = {} if data["complete"] else data.get("bounds") or {}
    return {key.replace("_", " "): value for key, value in bounds.items() if value is not None and key != "unbounded"}


def unbounded(data: Mapping[str, Any]) -> str:
    """Why an incomplete search bounds nothing on one side, where that is known; else nothing."""
    note = ({} if data["complete"] else data.get("bounds") or {}).get("unbounded")
    return f"not bounded on both sides: {note}" if note else ""


def _counted(sizes: Sequence[int]) -> str:
    """Sizes with how often each occurs.

    >>> _counted([1, 1, 1, 4])
    '1 (3 times) 4'
    """
    counts = Counter(sizes)
    return " ".join(f"{size} ({n:,} times)" if n > 1 else str(size) for size, n in sorted(counts.items())) or "-"
