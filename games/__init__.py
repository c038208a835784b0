"""Floor 3: what selfish players do under the rules, and what that costs everybody.

Three kinds of modules that do not mix: *models* of games, *solvers* that take any game, and *checkers* that share no
code with the solvers. Public names are loaded on first use; the entry point is :func:`consortium.games.search.search`.

>>> from consortium import games
>>> game = games.NormalFormGame.from_arrays([[[2, 4], [1, 3]], [[2, 1], [4, 3]]], sense="cost")
>>> games.is_nash(game, (1, 1))
True
"""

from __future__ import annotations

import importlib
from typing import Any

_HOME = {
    "Game": "protocol",
    "Outcome": "protocol",
    "NormalFormGame": "normal_form",
    "SearchResult": "search",
    "best_response_dynamics": "dynamics",
    "Dynamics": "dynamics",
    "is_nash": "checkers",
    "player_regrets": "checkers",
    "max_regret": "checkers",
    "epsilon": "checkers",
    "strategy_values": "checkers",
    "mixed_equilibria": "mixed",
    "payoff_arrays": "interchange",
    "quantecon_arrays": "interchange",
    "to_nashpy": "interchange",
    "read_nfg": "interchange",
    "write_nfg": "interchange",
    "PlacementGame": "placement",
    "pure_equilibria": "enumeration",
    "response_graph": "enumeration",
    "sink_components": "enumeration",
    "CoalitionGame": "coalition",
    "shapley": "coalition",
    "shapley_everywhere": "coalition",
    "banzhaf": "coalition",
    "in_core": "coalition",
    "is_convex": "coalition",
    "is_monotone": "coalition",
    "check_axioms": "utility_axioms",
    "best_manipulation": "manipulation",
}


def __getattr__(name: str) -> Any:
    """Load a public name on first use, so that importing this floor stays light."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f".{_HOME[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOME})
