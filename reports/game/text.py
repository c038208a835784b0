"""Sentences of a ``search`` record, the same for every game."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any, Final

from ...support.status import Status
from ..sentences import Sentence, amount, profile, status_of, unfinished
from ..tables import counted
from .tables import NAMES, known_bounds, reach, social_of, unbounded, unchecked


def search(data: Mapping[str, Any]) -> list[Sentence]:
    """What is refused, existence, what equilibria cost, what else was asked; how near others come, where players go."""
    refused, claims = data.get("refused") or {}, unchecked(data)
    sentences = [
        *([Sentence(f"Not checked: {claims}.", Status.OPEN)] if claims else [] if refused else unfinished(data)),
        *(Sentence(f"Not answered: {name} ({reason}).", Status.STOPPED) for name, reason in refused.items()),
        *([] if "equilibria" in refused else [_existence(data)]),
        *_prices(data),
        *(one for name, said_of in ANALYSES.items() if data.get(name) for one in said_of(data[name], data)),
        *_nearest(data),
        *_bounds(data),
        *_dynamics(data.get("dynamics")),
    ]
    if not claims and not data.get("open"):
        return sentences
    return [replace(one, status=Status.OPEN if one.status is Status.STOPPED else one.status) for one in sentences]


def _existence(data: Mapping[str, Any]) -> Sentence:
    equilibria, profiles = data["equilibria"], data["profiles"]
    among = "" if profiles is None else f" among {counted(profiles, 'profile')}"
    if equilibria["exists"] is None:
        status = status_of(None, data["complete"])
        return Sentence(f"Whether there is a pure equilibrium is not known{among}.", status)
    if not equilibria["exists"]:
        status = Status.STOPPED if "equilibria.exists" in (data.get("unchecked") or ()) else Status.PROVED
        return Sentence(
            f"There is no pure equilibrium{among}: in every profile somebody gains by a move of her own.", status
        )
    if equilibria["count"] is None:
        return Sentence(f"There is a pure equilibrium{among}; they were not counted.", Status.PROVED)
    are = "is 1 pure equilibrium" if equilibria["count"] == 1 else f"are {equilibria['count']:,} pure equilibria"
    return Sentence(f"There {are}{among}.", status_of(True, data["complete"]))


def _prices(data: Mapping[str, Any]) -> list[Sentence]:
    """Costs (or welfare) of the extremes, and the ratios."""
    social = social_of(data)
    word, status = social.replace("_", " "), status_of(True, data["complete"])
    open_ = "" if data["complete"] or data["equilibria"]["count"] is not None else " found"
    cases = {
        f"the worst equilibrium{open_}": data["equilibria"]["worst"],
        f"the best equilibrium{open_}": data["equilibria"]["best"],
        "the optimum": data["optimum"],
    }
    amounts = {name: amount(row[social]) for name, row in cases.items() if row and social in row}
    if data["complete"] and len(amounts) == len(cases) and len(set(amounts.values())) == 1:
        sentences = [Sentence(f"Every equilibrium is an optimum: the {word} is {amounts['the optimum']}.", status)]
    else:
        listed = ", ".join(f"{value} in {name}" for name, value in amounts.items())
        sentences = [Sentence(f"The {word} is {listed}.", status)] if amounts else []
    prices = [
        f"the price of {name} is {amount(data[f'price_of_{name}'])}"
        for name in ("anarchy", "stability")
        if data[f"price_of_{name}"] is not None
    ]
    if prices:
        text = " and ".join(prices)
        sentences.append(Sentence(f"{text[0].upper()}{text[1:]}.", status))
    elif data["complete"] and len(amounts) == len(cases) and not any(row[social] is None for row in cases.values()):
        sentences += _priceless(word, {name: row[social] for name, row in cases.items()})
    if data.get("first_best") is not None:
        over = data.get("price_over_first_best")
        text = f"Of all schedules of the true lengths, whatever the rule, the best costs {amount(data['first_best'])}"
        text += "" if over is None else f"; against this first best the price of anarchy is {amount(over)}"
        sentences.append(Sentence(f"{text}.", Status.PROVED))
    if data.get("unconstrained_optimum") is not None:
        sentences.append(
            Sentence(f"The smallest makespan of all schedules is {amount(data['unconstrained_optimum'])}.", status)
        )
    return sentences


def _priceless(word: str, values: Mapping[str, Any]) -> list[Sentence]:
    """Why there are no prices: a ratio is one of positive numbers; welfare may be a list, of which there is none."""
    for name in ("the optimum", "the worst equilibrium"):
        value = values[name]
        if not isinstance(value, list) and (value in ("inf", "-inf") or Fraction(value) <= 0):
            why = f"the {word} of {name} is {amount(value)}"
            return [Sentence(f"There is no price of anarchy, which is a ratio of positive numbers: {why}.")]
    return []


def _nearest(data: Mapping[str, Any]) -> list[Sentence]:
    """How near to an equilibrium a profile comes, where there is none."""
    if data["equilibria"]["exists"] is not False:
        return []
    sentences = []
    if data["smallest_epsilon"] is not None:
        where, least = profile(data["smallest_epsilon_profile"]), amount(data["smallest_epsilon"])
        text = f"Nearest to one is {where}: no move divides anybody's cost by more than {least} (the smallest epsilon)"
        sentences.append(Sentence(f"{text}.", status_of(True, data["complete"])))
    if data["smallest_regret"] is not None:
        where, least = profile(data["smallest_regret_profile"]), amount(data["smallest_regret"])
        text = f"The smallest regret is {least}: in {where} nobody gains more than that by a move of her own"
        sentences.append(Sentence(f"{text}.", status_of(True, data["complete"])))
    return sentences


def _bounds(data: Mapping[str, Any]) -> list[Sentence]:
    bounds, missing = known_bounds(data), unbounded(data)
    listed = ", ".join(f"{name} {amount(value)}" for name, value in bounds.items())
    proved = [Sentence(f"Proved although the search was not finished: {listed}.", Status.PROVED)] if bounds else []
    return [*proved, *([Sentence(f"The equilibria are {missing}.")] if missing else [])]


def _dynamics(dynamics: Mapping[str, Any] | None) -> list[Sentence]:
    """Where best responses lead, or what learning played."""
    if not dynamics:
        return []
    rule = dynamics["rule"].replace("-", " ")
    if "plays" in dynamics:
        word = next((word for word in ("cost", "welfare") if f"average_social_{word}" in dynamics), None)
        average = (
            "" if word is None else f"; the social {word} is {amount(dynamics[f'average_social_{word}'])} on average"
        )
        return [Sentence(f"{rule.capitalize()} was played for {counted(dynamics['rounds'], 'round')}{average}.")]
    replies = "" if dynamics["rule"].startswith("best-response") else " best responses"
    start, moves = f"{rule.capitalize()}{replies} from {profile(dynamics['start'])}", counted(dynamics["steps"], "move")
    if dynamics["converged"]:
        if not dynamics["steps"]:
            return [Sentence(f"{start} stay there: it is an equilibrium.")]
        return [Sentence(f"{start} settle after {moves} in {profile(dynamics['final'])}.")]
    if dynamics["cycle"]:
        return [Sentence(f"{start} never settle: after {moves} they go round {len(dynamics['cycle']):,} profiles.")]
    return [Sentence(f"{start} had not settled after {moves}.")]


def _coalitions(answer: Mapping[str, Any], data: Mapping[str, Any]) -> list[Sentence]:
    about = f"from which no coalition of up to {answer['size']} gains ({answer['notion']})"
    status = status_of(answer["exists"], answer["complete"]) if answer["exists"] is not False else Status.PROVED
    if answer["exists"] is None:
        return [Sentence(f"Whether there is a profile {about} is not known.", status)]
    if not answer["exists"]:
        joint = f"some coalition of up to {answer['size']} gains by a joint move ({answer['notion']})"
        return [Sentence(f"In every profile {joint}.", status)]
    count = "There is a profile" if answer["count"] is None else f"Profiles {about}: {answer['count']:,}"
    text = f"{count} {about}" if answer["count"] is None else count
    if answer["price_of_anarchy"] is not None:
        text += f"; the price of anarchy among them is {amount(answer['price_of_anarchy'])}"
    return [Sentence(f"{text}.", status)]


def _correlated(answer: Mapping[str, Any], data: Mapping[str, Any]) -> list[Sentence]:
    social, name = social_of(data), NAMES[answer["concept"]]
    word, sentences = social.replace("_", " "), []
    for side in ("best", "worst"):
        row = answer[side]
        if row is None or row.get(social) is None:
            continue
        proved = f"{'proved by a bound of' if row['proved'] else 'the bound is'} {amount(row['bound'])}"
        status = Status.PROVED if row["proved"] else status_of(None, data["complete"])
        sentences.append(
            Sentence(f"The {side} of the {name} has a {word} of {amount(row[social])} ({proved}).", status)
        )
    price = answer["price_of_total_anarchy"]
    if price is not None:
        sentences.append(Sentence(f"The price of total anarchy is {amount(price)}."))
    return sentences


def _mixed(answer: Mapping[str, Any], data: Mapping[str, Any]) -> list[Sentence]:
    exact = sum(bool(row["exact"]) for row in answer["equilibria"])
    count = len(answer["equilibria"])
    were = "1 mixed equilibrium was" if count == 1 else f"{count:,} mixed equilibria were"
    text = f"{were} found by {answer['method']}, {exact:,} exactly"
    return [Sentence(f"{text}; {reach(answer)}.")]


POTENTIALS: Final = {
    "exact": "an exact potential",
    "weighted": "a weighted potential",
    "ordinal": "an ordinal potential",
    "generalized_ordinal": "a generalized ordinal potential",
    "acyclic_best_responses": "best responses that never cycle",
    "weakly_acyclic": "a way to an equilibrium from everywhere",
}


def _potential(verdicts: Mapping[str, Any], data: Mapping[str, Any]) -> list[Sentence]:
    sentences = []
    for holds, says in ((True, "The game has"), (False, "It does not have")):
        names = [POTENTIALS.get(name, name) for name, row in verdicts.items() if row and row["holds"] is holds]
        if names:
            sentences.append(Sentence(f"{says} {', '.join(names)}.", Status.PROVED))
    left = [POTENTIALS.get(name, name) for name, row in verdicts.items() if not row or row["holds"] is None]
    if left:
        sentences.append(Sentence(f"Not decided: {', '.join(left)}.", status_of(None, data["complete"])))
    return sentences


def _quantal(answer: Mapping[str, Any], data: Mapping[str, Any]) -> list[Sentence]:
    text = f"Quantal responses ({answer['concept']}) were computed for {counted(len(answer['responses']), 'lambda')}"
    stopped = "" if answer["complete"] else "; stopped before the last"
    return [Sentence(f"{text}, as statistics{stopped}.")]


ANALYSES: Final = {
    "coalitions": _coalitions,
    "correlated": _correlated,
    "mixed": _mixed,
    "potential": _potential,
    "quantal": _quantal,
}
"""What else may be asked of a search: what each answer says, from it and the record."""
