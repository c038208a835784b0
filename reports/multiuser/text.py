"""Sentences of records on scenarios of kind ``multiuser``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from ...support.status import Status
from ..sentences import Sentence, amount, compared, percent, some, status_of, unfinished
from ..tables import counted

__all__ = ["compare", "run"]

FAIRNESS: Final = "fairness: "


def compare(data: Mapping[str, Any]) -> list[Sentence]:
    """As of every kind; of fairness it is said which way it counts."""
    return [
        replace(one, text=f"fairness (smaller is fairer): {one.text.removeprefix(FAIRNESS)}")
        if one.text.startswith(FAIRNESS)
        else one
        for one in compared(data)
    ]


def run(data: Mapping[str, Any]) -> list[Sentence]:
    """What the users get, or the Pareto set, and how fair that is."""
    sentences = _set(data) if data["pareto"] is not None else _point(data)
    return [*unfinished(data), *sentences, *_fairness(data["fairness"])]


def _set(data: Mapping[str, Any]) -> list[Sentence]:
    count = data["pareto_count"]
    if data["method"] == "grid":
        text = f"{counted(count, 'point')} approximate the Pareto set of {some([row['name'] for row in data['users']])}"
        ratios = (data.get("grid") or {}).get("ratios")
        if ratios:
            listed = ", ".join(f"{name} {amount(ratio)}" for name, ratio in ratios.items())
            text += f"; every point of it is reached within these factors: {listed}"
        return [Sentence(f"{text}.", status_of(True, data["complete"]))]
    points = "1 Pareto-optimal point" if count == 1 else f"{count:,} Pareto-optimal points"
    sentences = [Sentence(f"There {'is' if count == 1 else 'are'} {points}.", status_of(True, data["complete"]))]
    for row in data["users"]:
        if row["zenith"] is not None:
            sentences.append(
                Sentence(
                    f"The {_of(row)} is between {amount(row['zenith'])} (alone) and {amount(row['nadir'])} (the nadir)."
                )
            )
    return sentences


def _of(row: Mapping[str, Any]) -> str:
    return f"{row['objective'].replace('-', ' ')} of {row['name']}"


def _point(data: Mapping[str, Any]) -> list[Sentence]:
    if data["point"] is None:
        if data["method"] == "lst-printed":
            return [Sentence("No schedule was found within the thresholds, which does not mean that there is none.")]
        if data["complete"]:
            return [Sentence("No schedule meets the thresholds.", Status.PROVED)]
        return [Sentence("No schedule was found before the end.", Status.STOPPED)]
    sentences = []
    for row in data["users"]:
        alone = "" if row["zenith"] is None else f"; alone it would be {amount(row['zenith'])}"
        most = (
            "" if row["guarantee"] is None else f" (the rule guarantees at most {amount(row['guarantee'])} times that)"
        )
        sentences.append(Sentence(f"The {_of(row)} is {amount(row['value'])}{alone}{most}."))
    if data["feasible"] is None:
        sentences.append(Sentence("Whether a schedule reaches this point is open.", Status.OPEN))
    return sentences


def _fairness(fairness: Mapping[str, Any] | None) -> list[Sentence]:
    if not fairness:
        return []
    norm = f"by norm {fairness['norm']}"
    sentences = []
    if fairness["over_optimum"] is not None:
        exactly = str(fairness["key"]) == str(fairness["optimum_key"])
        above = f"It is {percent(fairness['over_optimum'])} above the fairest schedule"
        text = "No schedule is fairer" if exactly else above
        sentences.append(Sentence(f"{text} ({norm}).", Status.PROVED if exactly else None))
    else:
        sentences.append(Sentence(f"Its fairness {norm} is {amount(fairness['value'])} (smaller is fairer)."))
    if fairness.get("proved"):
        sentences.append(Sentence("The refinement proves that no schedule is fairer.", Status.PROVED))
    elif fairness.get("proved") is False:
        sentences.append(Sentence("The refinement did not get as far as a proof that no schedule is fairer."))
    return sentences
