"""Tables of a ``search`` record, the same for every game."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..tables import Table, facts, table


def search(data: Mapping[str, Any]) -> list[Table]:
    """Prices and existence, the equilibria listed, the dynamics."""
    found = data["equilibria"]
    costs, social = ("payoffs", "social_welfare") if data.get("sense") == "payoff" else ("costs", "social_cost")
    word = social.replace("_", " ")

    def cost_of(outcome: Mapping[str, Any] | None) -> Any:
        return (outcome or {}).get(social)

    pairs: list[tuple[str, Any]] = [
        ("players", data["players"]),
        ("profiles", f"{data['profiles']:,}" if data["profiles"] is not None else None),
        ("method", f"{data['method']}: {data['why']}"),
        ("pure equilibrium exists", found["exists"]),
        ("pure equilibria", found["count"]),
        (f"{word}: best equilibrium", cost_of(found["best"])),
        (f"{word}: worst equilibrium", cost_of(found["worst"])),
        (f"{word}: optimum", cost_of(data["optimum"])),
        ("price of anarchy (worst equilibrium against optimum)", data["price_of_anarchy"]),
        ("price of stability (best equilibrium against optimum)", data["price_of_stability"]),
        ("smallest epsilon (multiplicative)", data["smallest_epsilon"]),
        ("smallest regret (additive)", data["smallest_regret"]),
    ]
    bounds = {key: value for key, value in (data.get("bounds") or {}).items() if value is not None}
    if bounds and not data["complete"]:
        pairs.append(("proved so far", {key.replace("_", " "): value for key, value in bounds.items()}))
    if data.get("sinks") is not None:
        pairs.append(("sink components (sizes)", data["sinks"]))
    tables = [facts(f"search: {data['scenario']}", pairs)]
    listed = found["listed"] or []
    if listed:
        count = found["count"]
        note = f"{count - len(listed):,} more not listed" if count is not None and count > len(listed) else ""
        tables.append(table("pure equilibria", listed, ["profile", costs, social], note))
    near = data.get("approximate")
    if near:
        more = (near["count"] or 0) - len(near["listed"])
        note = f"{more:,} more not listed" if more > 0 else ""
        tables.append(table("epsilon-approximate equilibria", near["listed"], ["profile", costs, social], note))
    dynamics = data.get("dynamics")
    if dynamics:
        keys = ("start", "rule", "converged", "steps", "cycle", "final")
        tables.append(facts("best-response dynamics", [(key, dynamics.get(key)) for key in keys]))
    mixed = data.get("mixed")
    if mixed:
        rows = mixed["equilibria"]
        columns = ["probabilities", costs, "regrets", "exact"]
        tables.append(table(f"mixed equilibria ({mixed['method']})", rows, columns, mixed["note"]))
    return tables
