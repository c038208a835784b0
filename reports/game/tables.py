"""Tables of a ``search`` record, the same for every game.

First existence, prices and what equilibria cost, then what else was asked: play by rules that learn, coalitions,
correlated and mixed play, potentials.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

from ...verbs.game.records import CoalitionsRow, EquilibriaRow, LearningRow, SearchRecord
from ..markup import Table
from ..tables import LISTED, cell, facts, listing, more, pairs_of, shortened, table

ANARCHY: Final = "price_of_anarchy"
STABILITY: Final = "price_of_stability"


def search(data: Mapping[str, Any], optima: Sequence[tuple[str, Any]] = ()) -> list[Table]:
    """Prices and existence, the equilibria listed, the dynamics; ``optima``: what a kind says besides the optimum."""
    equilibria = data["equilibria"]
    costs, social = costs_of(data), social_of(data)
    word = social.replace("_", " ")
    classes = [] if equilibria.get("classes") in (None, equilibria["count"]) else ["classes"]

    def cost_of(outcome: Mapping[str, Any] | None) -> Any:
        return (outcome or {}).get(social)

    pairs: list[tuple[str, Any]] = [
        ("players", data["players"]),
        *pairs_of(data, SearchRecord, ["profiles"]),
        ("method", data["method"]),
        *pairs_of(equilibria, EquilibriaRow, ["exists", "count", *classes]),
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
    claims = unchecked(data)
    title = f"search: {data['scenario'] or 'a game'}"  # arrays have no title
    tables = [facts(title, pairs, f"not checked: {claims}" if claims else unbounded(data))]
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
        tables += plays(dynamics)
    elif dynamics:
        keys = ["start", "rule", "converged", "steps", "cycle", "final"] + ["ended"] * ("ended" in dynamics)
        tables.append(facts("best-response dynamics", [(key, dynamics.get(key)) for key in keys]))
        if dynamics.get("replies"):
            columns = ["agent", "utility", "supremum", "attained"]
            tables.append(table("best replies at the end, among all numbers", dynamics["replies"], columns))
    for name, listed_of in ANALYSES.items():
        if data.get(name):
            tables += listed_of(data[name], data)
    return tables


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


def unchecked(data: Mapping[str, Any]) -> str:
    """What only a solver of the game's own says; nothing where all is checked.

    >>> unchecked({"method": "balance", "unchecked": ["equilibria.count", "price_of_anarchy"]})
    "only the game's own method balance says equilibria.count, price_of_anarchy"
    """
    names = ", ".join(data.get("unchecked") or ())
    return f"only the game's own method {data['method']} says {names}" if names else ""


def _counted(sizes: Sequence[int]) -> str:
    """Sizes with how often each occurs.

    >>> _counted([1, 1, 1, 4])
    '1 (3 times) 4'
    """
    counts = Counter(sizes)
    return " ".join(f"{size} ({n:,} times)" if n > 1 else str(size) for size, n in sorted(counts.items())) or "-"


WELFARE: Final = "average_social_welfare"


def plays(dynamics: Mapping[str, Any]) -> list[Table]:
    """What was played how often, and everybody's regrets."""
    pairs = pairs_of(dynamics, LearningRow, ["start", "rounds", "last", f"average_social_{social_word(dynamics)}"])
    regrets = [
        {"player": name, "external": value, "internal": dynamics["internal_regret"][name]}
        for name, value in dynamics["external_regret"].items()
    ]
    left_out = dynamics.get("plays_left_out") or 0
    return [
        facts(dynamics["rule"].replace("-", " "), pairs),
        table("regret per round", regrets, ["player", "external", "internal"]),
        listing("plays", dynamics["plays"], ["profile", "count"], left_out),
    ]


def social_word(dynamics: Mapping[str, Any]) -> str:
    """Which of the two everybody together has on average: costs, or welfare."""
    return "welfare" if WELFARE in dynamics else "cost"


def coalitions(answer: Mapping[str, Any], data: Mapping[str, Any]) -> list[Table]:
    """Existence, the best and the worst, prices."""
    social = social_of(data)
    word = social.replace("_", " ")
    pairs = pairs_of(answer, CoalitionsRow, ["exists", "count"])
    for name in ("best", "worst"):
        row = answer[name]
        pairs += [(f"{name} one", row["profile"]), (f"{word}: {name} one", row.get(social))] if row else []
    pairs += pairs_of(answer, CoalitionsRow, ["price_of_anarchy", "price_of_stability"])
    bounds = {key.replace("_", " "): value for key, value in (answer.get("bounds") or {}).items() if value is not None}
    if bounds:
        pairs += pairs_of({"bounds": bounds}, CoalitionsRow, ["bounds"])
    return [facts(f"no coalition of up to {answer['size']} gains ({answer['notion']})", pairs)]


NAMES = {"coarse": "coarse correlated equilibria", "correlated": "correlated equilibria"}


def correlated(answer: Mapping[str, Any], data: Mapping[str, Any]) -> list[Table]:
    """The extremes side by side, then their distributions."""
    social = social_of(data)
    sides = [(side, answer[side]) for side in ("best", "worst") if answer[side]]
    rows = [
        {
            "": side,
            social: row.get(social),
            "bound": row["bound"],
            "proved": row["proved"],
            "multipliers": len(row["multipliers"]),
        }
        for side, row in sides
    ]
    price = answer["price_of_total_anarchy"]
    note = "" if price is None else f"price of total anarchy (worst against optimum): {price}"
    name = NAMES[answer["concept"]]
    tables = [table(name, rows, ["", social, "bound", "proved", "multipliers"], note if sides else "there is none")]
    for side, row in sides:
        played = row["distribution"]
        if not played:
            continue
        left_out = more(len(played) - LISTED, "--json shows them")
        tables.append(table(f"{name}: {side}", played[:LISTED], ["probability", "profile"], left_out))
    return tables


def mixed(answer: Mapping[str, Any], data: Mapping[str, Any]) -> list[Table]:
    """Equilibria as numbered rows, the sets that the components are made of, and what is none."""
    columns = ["probabilities", costs_of(data), "regrets", "exact"]
    rows = answer["equilibria"]
    parts = answer.get("components")
    numbered = [{"number": i, **row} for i, row in enumerate(rows, 1)] if parts else rows
    first = ["number", *columns] if parts else columns
    tables = [table(f"mixed equilibria ({answer['method']})", numbered, first, reach(answer))]
    if parts:
        sets = [{"component": i, "hull of": subset} for i, part in enumerate(parts, 1) for subset in part]
        tables.append(table("components of equilibria, by maximal convex sets", sets, ["component", "hull of"]))
    if answer.get("approximate"):
        note = "their exact regrets are positive: they are no equilibria"
        tables.append(table("profiles near mixed equilibria", answer["approximate"], columns, note))
    return tables


def reach(answer: Mapping[str, Any]) -> str:
    """Whether equilibria may be missing from the list."""
    if not answer["complete"]:
        return "more may be missing"
    if answer.get("components"):
        return "proved: every equilibrium is in the hull of a set in components"
    return "proved: these are all equilibria"


def quantal(answer: Mapping[str, Any], data: Mapping[str, Any]) -> list[Table]:
    """A row for each lambda."""
    note = "statistics, on the branch that begins at lambda 0"
    if not answer["complete"]:
        note += "; stopped before the last lambda"
    columns = ["lambda", "probabilities", costs_of(data), "regrets"]
    return [table(f"quantal response equilibria ({answer['concept']})", answer["responses"], columns, note)]


def potentials(verdicts: Mapping[str, Any], data: Mapping[str, Any]) -> list[Table]:
    """One row per class with what refutes it; the potential of the first class that the game is in."""
    rows = [
        {"class": name.replace("_", " "), "holds": verdict and verdict["holds"], "shown_by": _evidence(verdict)}
        for name, verdict in verdicts.items()
    ]
    tables = [table("potentials", rows, ["class", "holds", "shown_by"])]
    for name, verdict in verdicts.items():
        if verdict and verdict["holds"]:
            witness = verdict["witness"]
            values = witness["potential"]
            left_out = witness.get("potential_left_out") or 0
            return [*tables, listing(f"{name.replace('_', ' ')} potential", values, ["profile", "value"], left_out)]
    return tables


ANALYSES: Final = {
    "coalitions": coalitions,
    "correlated": correlated,
    "mixed": mixed,
    "potential": potentials,
    "quantal": quantal,
}
"""What else may be asked of a search: the tables of each answer, from it and the record."""


def _evidence(verdict: Mapping[str, Any] | None) -> str:
    if verdict is None:
        return "not decided"
    witness = verdict["witness"]
    if verdict["holds"]:
        weights = witness.get("weights")
        return f"potential with weights {cell(weights)}" if weights else "potential"
    if "trap" in witness:
        return shortened(f"no way to an equilibrium from {cell(witness['trap'])}")
    rings = [" -> ".join(map(cell, [*ring, ring[0]])) for ring in witness["cycles"]]
    return shortened("; ".join(rings))
