"""Sentences of records on scenarios of kind ``sharing``, and of audits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...support.status import Status
from ...support.units import duration_text
from ..sentences import Sentence, amount, between, compared, ends, settled, size, some, unfinished
from ..tables import counted
from .tables import case

__all__ = ["audit", "compare", "run", "verify"]

compare = compared


def run(data: Mapping[str, Any]) -> list[Sentence]:
    """How much was done, how far that is from fair, and who gets more or less than it contributes."""
    found = [Sentence(f"At {data['until']:,} the utilities of all organizations add up to {amount(data['value'])}.")]
    if data["utilization"] is not None:
        found.append(Sentence(f"The machines were busy for {amount(data['utilization'])} of the time."))
    if data["reference"] is not None and data["delta"] is not None:
        if str(data["delta"]) == "0":
            found.append(Sentence(f"Everybody has exactly the fair utility (that of {data['reference']})."))
        else:
            unfair = (
                ""
                if data["unfairness"] is None
                else f", an unfairness of {amount(data['unfairness'])} per unit of work"
            )
            found.append(
                Sentence(
                    f"The utilities are {amount(data['delta'])} away from the fair ones (those of {data['reference']})"
                    f"{unfair}."
                )
            )
    found += _shares(data["organizations"])
    if data.get("seed") is not None:
        found.append(Sentence(f"The rule's random choices were drawn with seed {data['seed']}."))
    return [*unfinished(data), *found]


def _shares(rows: Sequence[Mapping[str, Any]]) -> list[Sentence]:
    """Who received more, and less, than the rule says it contributed."""
    known = [row for row in rows if row["contribution"] is not None]
    more = [row["name"] for row in known if size(row["utility"]) > size(row["contribution"])]
    less = [row["name"] for row in known if size(row["utility"]) < size(row["contribution"])]
    found = []
    for word, names in (("more", more), ("less", less)):
        if names:
            found.append(f"{some(names)} received {word} than {'it' if len(names) == 1 else 'they'} contributed")
    if known and not found:
        return [Sentence("Everybody received exactly what it contributed.")]
    return [Sentence(f"{'; '.join(found)}.")] if found else []


def verify(data: Mapping[str, Any]) -> list[Sentence]:
    """Whether a manipulation pays, and the axioms of the utility."""
    found, tried = [*unfinished(data)], data["manipulation"]
    if tried is not None:
        status = settled(tried["holds"], data["complete"], witness=tried["witness"])
        moves = counted(tried["cases"], "move")
        if tried["holds"]:
            text = f"No move that was tried ({moves}) pays an organization"
        else:
            gain = f"{tried['organization']} gains {amount(tried['max_gain'])}"
            text = f"A move pays: {gain} by the best of {moves} tried{_move(tried['witness'])}"
        found.append(Sentence(f"{text}.", status))
    for name, axiom in data["axioms"].items():
        about, cases = f"the axiom of {name.replace('_', ' ')}", counted(axiom["cases"], "case")
        if axiom["holds"]:
            text = f"The utility {data['utility']} keeps {about} in all small cases tried ({cases})"
            found.append(Sentence(f"{text}.", Status.PROVED))
        else:
            found.append(Sentence(f"The utility {data['utility']} breaks {about}: {case(axiom)}.", Status.REFUTED))
    return found


def _move(witness: Mapping[str, Any] | None) -> str:
    if not witness:
        return ""
    utilities = f"{amount(witness['utility_as_is'])} to {amount(witness['utility_with_move'])}"
    return f" ({witness['move']} job {witness['job']}: its utility goes from {utilities})"


def audit(data: Mapping[str, Any]) -> list[Sentence]:
    """What was replayed, which rule is nearest to fair, and what the cluster's own does to whom."""
    windows, plan = data["windows"], data["plan"]
    if not windows:
        return [*unfinished(data), Sentence("No window of the log was replayed.", Status.STOPPED)]
    one = plan["start"] is not None
    chosen = f"from {plan['start']:,} s on" if one else "the fullest" if "busiest" in plan else "chosen at random"
    replayed = f"{counted(len(windows), 'window')} of {plan['duration']:,} s, {chosen}"
    about = f"what follows is about {'it' if len(windows) == 1 else 'them'}, not about all of the log"
    status = None if one or "busiest" in plan else Status.SAMPLED
    found = [Sentence(f"The log {data['log']['name']} was replayed in {replayed}; {about}.", status)]
    found += _unfair(data["rows"], sampled=bool(data.get("yardstick")))
    busy = [row["values"]["utilization"] for row in data["rows"] if row["values"]["utilization"] is not None]
    if busy:
        found.append(Sentence(f"The machines are busy for {between(busy)} of the time."))
    switch = data.get("switch")
    said = (*data["comparison"], *data["explanation"], *(switch["explanation"] if switch else ()))
    told = (line for part in ("gaming", "trend") for line in data.get(part, {}).get("told", ()))
    found += [Sentence(line) for line in (*said, *told)]
    return [*unfinished(data), *found]


def _unfair(rows: Sequence[Mapping[str, Any]], sampled: bool) -> list[Sentence]:
    """Which rules come nearest to fair and which stay farthest: not REF, which is the measure, nor the log, no rule."""
    known = [(row["rule"], row["values"]["unfairness"]) for row in rows if row["rule"] not in ("ref", "recorded")]
    known = [(rule, value) for rule, value in known if value is not None]
    if not known:
        return []
    (near, low), (far, high) = (ends(known, pick) for pick in (min, max))
    measure = "ref, which is fair, as orderings drawn at random show it" if sampled else "ref, which is fair"
    what = "of undeserved delay or advance of a second of work, on average"
    if low == high:
        return [Sentence(f"Measured against {measure}: {near}, {duration_text(low)} {what}.")]
    text = f"nearest is {near} ({duration_text(low)}), farthest {far} ({duration_text(high)} {what})"
    return [Sentence(f"Measured against {measure}: {text}.")]
