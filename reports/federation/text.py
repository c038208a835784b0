"""Sentences of records on scenarios of kind ``federation``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from ...support.status import Status
from ..game import text as game
from ..sentences import Sentence, amount, compared, percent, size, some, status_of, unfinished
from ..tables import counted
from .tables import findings, lengths, shows

__all__ = ["compare", "prove", "run", "search", "verify"]

compare = compared
search = game.search


LIMITS: Final = {
    "size": "some placements are too many to compare at this size",
    "time": "the time was over before all were asked",
    "checker": "nobody can check it here",
}
"""What kept a verdict from being known."""


def run(data: Mapping[str, Any]) -> list[Sentence]:
    """The makespan beside what is known of the optimum, who gains by cooperating, and the constraints."""
    if data.get("feasible") is False:
        return [Sentence("No schedule meets the constraints.", Status.PROVED)]
    if data["social_cost"] is None:
        return [*unfinished(data), Sentence("No schedule was found before the end.", Status.STOPPED)]
    ends = [row["makespan"] for row in data["organizations"] if row["makespan"] is not None]
    last = max(ends, key=size, default=0)
    sentences = [Sentence(f"The last job of the federation ends at {amount(last)}{_optimum(data, last)}.")]
    if str(last) != str(data["social_cost"]):
        sentences.append(
            Sentence(f"The social cost is {amount(data['social_cost'])}, the sum of all completion times.")
        )
    sentences += _gains(data["organizations"])
    for name in ("local_constraint", "selfishness_restriction"):
        if data[name] is not None:
            kept = "keeps" if data[name] else "breaks"
            sentences.append(Sentence(f"The schedule {kept} the {name.replace('_', ' ')}."))
    if data["stretch"] is not None:
        sentences.append(
            Sentence(f"The largest makespan over its own lower bound (stretch) is {amount(data['stretch'])}.")
        )
    return [*unfinished(data), *_stability(data["organizations"]), *sentences]


def _optimum(data: Mapping[str, Any], last: Any) -> str:
    """What is known of the best makespan beside it."""
    bound = data["lower_bound"] if data.get("optimum_at_least") is None else data["optimum_at_least"]
    if str(bound) == str(last):
        return ", and no schedule ends earlier"
    return f"; no schedule ends before {amount(bound)}"


def _gains(rows: list[Mapping[str, Any]]) -> list[Sentence]:
    """Who ends earlier than alone, and who later."""
    judged = [row for row in rows if row["local"] is not None and row["makespan"] is not None]
    sooner = [row["name"] for row in judged if size(row["makespan"]) < size(row["local"])]
    later = [row["name"] for row in judged if size(row["makespan"]) > size(row["local"])]
    sentences = [
        Sentence(f"{some(names)} {'ends' if len(names) == 1 else 'end'} {word} than alone.")
        for word, names in (("earlier", sooner), ("later", later))
        if names
    ]
    return sentences or [Sentence("Nobody ends earlier or later than alone.")] if judged else []


def _stability(rows: list[Mapping[str, Any]]) -> list[Sentence]:
    """Whether the placement of a coordination mechanism is stable; nothing for central rules."""
    judged = [row for row in rows if row["regret"] is not None]
    movers = [row["name"] for row in judged if size(row["regret"]) > 0]
    if movers:
        gains = "gains" if len(movers) == 1 else "gain"
        return [Sentence(f"The placement is no equilibrium: {some(movers)} {gains} by moving jobs.", Status.REFUTED)]
    left = {row["name"]: LIMITS[row["limit"]] for row in rows if row.get("limit")}
    if left:
        others = "None of the others gains by moving jobs; what" if judged else "What"
        reasons = ", ".join(dict.fromkeys(left.values()))
        return [Sentence(f"{others} {some([*left])} could gain is not known: {reasons}.", Status.STOPPED)]
    stable = Sentence("The placement is an equilibrium: nobody gains by moving jobs.", Status.PROVED)
    return [stable] if judged else []


def verify(data: Mapping[str, Any]) -> list[Sentence]:
    """Each property with who breaks it, then how far the placement is from an equilibrium."""
    sentences, limits = [], {f"claim: {name}": row.get("limit") for name, row in data["claims"].items()}
    limits["equilibrium"] = (data["equilibrium"] or {}).get("limit")
    for name, holds, broken in findings(data):
        verdict = {True: "Holds", False: "Does not hold", None: "Neither proved nor refuted"}[holds]
        reason = f" ({broken})" if broken else ""
        reason += f": {LIMITS[limits[name]]}" if limits.get(name) else ""
        status = Status.PROVED if holds else status_of(holds, data["complete"], witness=broken)
        sentences.append(Sentence(f"{verdict}: {name}{reason}.", status))
    stable = data["equilibrium"]
    if stable is not None and stable["epsilon"] is not None:
        least = f"divides her cost by at most {amount(stable['epsilon'])} (epsilon)"
        sentences.append(Sentence(f"Whoever moves {least}, and saves at most {amount(stable['regret'])} (regret)."))
    return [*unfinished(data), *sentences]


QUANTITIES: Final = {
    "price-of-anarchy": "The price of anarchy",
    "price-of-stability": "The price of stability",
    "epsilon": "The smallest epsilon with an equilibrium",
    "ratio": "The makespan over the least one of all schedules",
}
"""What ``prove`` bounds."""
DECIDED: Final = {"price-of-anarchy": "all placements", "ratio": "the known paths"}
"""Of what a share is decided; of the other properties it is of all lengths."""


def prove(data: Mapping[str, Any]) -> list[Sentence]:
    """What holds for all lengths, who says so, and the game that refutes it or attains the value."""
    status, bound = Status(data["status"]), data["request"]["options"].get("at_most")
    checked = ", checked by Coq" if (data.get("proof") or "").startswith("Coq") else ""
    theorem = f" (theorem {data['theorem']!r}{checked})" if data["theorem"] else ""
    if data["regions"] is not None:
        theorem += f" ({counted(data['regions'], 'region')})"
    if data["property"] == "pure-equilibrium":
        verdict = {
            Status.PROVED: "Whatever the lengths, there is a pure equilibrium",
            Status.REFUTED: "For some lengths there is no pure equilibrium",
            Status.OPEN: "Open: whether there is a pure equilibrium whatever the lengths",
        }[status]
        sentences = [Sentence(f"{verdict}{theorem}.", status)]
    elif bound is not None:
        verdict = {
            Status.PROVED: f"is at most {amount(bound)}, whatever the lengths",
            Status.REFUTED: f"is more than {amount(bound)} for some lengths",
            Status.OPEN: f"may be more than {amount(bound)} for some lengths: that is open",
        }[status]
        if status is Status.OPEN and data["at_most"]:
            verdict += f"; it is at most {amount(data['at_most'])}"
        sentences = [Sentence(f"{QUANTITIES[data['property']]} {verdict}{theorem}.", status)]
    elif status is Status.REFUTED:
        missing = "For some lengths there is no pure equilibrium, so that no number bounds the price of stability"
        sentences = [Sentence(f"{missing}{theorem}.", status)]
    else:
        sentences = [Sentence(f"{QUANTITIES[data['property']]} {_extent(data)}{theorem}.", status)]
    if data.get("decided") is not None:
        of = DECIDED.get(data["property"], "all lengths")
        sentences.append(Sentence(f"{percent(float(size(data['decided'])))} of {of} are decided."))
    if data.get("next"):
        sentences.append(Sentence(f"A game that is not decided: {_game(data['next'])}."))
    if data["witness"]:
        sentences.append(Sentence(f"A game {shows(data)}: {_game(data['witness']['lengths'])}."))
    if plane := data.get("plane"):
        places = [size(area["share"]) for area in plane["areas"] if area["placement"] is not None]
        most = f"{counted(len(places), 'placement')} for {percent(float(sum(places)))} of the plane"
        sentences.append(Sentence(f"Equilibria of the games {lengths(plane)}: {most}."))
    return sentences


def _game(lengths: Mapping[str, Sequence[Any]]) -> str:
    return "; ".join(f"{name}: {amount(row)}" for name, row in lengths.items() if row)


def _extent(data: Mapping[str, Any]) -> str:
    """How large a price, ratio or epsilon can be."""
    if data["value"] is not None:
        reached = {True: ", and some game has it", False: ", which games approach and none has", None: ""}
        return f"is at most {amount(data['value'])}{reached[data['attained']]}; no smaller bound holds for all lengths"
    ends = [
        f"{word} {amount(data[key])}" for key, word in (("at_least", "at least"), ("at_most", "at most")) if data[key]
    ]
    return f"has a largest value that is {' and '.join(ends)}" if ends else "has a largest value that is not known"
