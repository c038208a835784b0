"""Sentences of records on scenarios of kind ``declaration``."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

from ...support.status import Status
from ...verbs.declaration.options import NOT_ASKED
from ..game import text as game
from ..markup import in_latex
from ..sentences import Sentence, amount, compared, profile_text, size, some, status_of, unfinished
from ..tables import counted
from .tables import NOTIONS, WITNESS, doubts, each_property, worded

if TYPE_CHECKING:
    from ...mechanisms.declaration.prices import Formula, OwnFormulas

__all__ = ["compare", "curve", "design", "prove", "run", "search", "verify"]

compare = compared

FEW: Final = 3
"""Up to so many agents, everybody has a sentence."""


def run(data: Mapping[str, Any]) -> list[Sentence]:
    """Who lies, what everybody gets, what the institution has of it."""
    agents = data["agents"]
    liars = [row for row in agents if row["stayed"] and str(row["declares"]) != str(row["length"])]
    lies = [f"{row['name']} declares {amount(row['declares'])} instead of {amount(row['length'])}" for row in liars]
    truth = f"Not everybody tells the truth: {some(lies)}" if lies else "Everybody declares the truth"
    controls = sorted({control for row in agents for control in row["controls"]})
    if controls:  # in the same sentence: five of them stand before the tables
        truth += f"; controls of the rule that were applied: {some(controls)}"
    fates = [Sentence(_fate(row)) for row in agents] if len(agents) <= FEW else _ends(agents)
    side = "adds" if str(data["rent"]).startswith("-") else "keeps"
    rent = f"The payments add up to {amount(data['rent'])} (the rent), which the institution {side}."
    if str(data["rent"]) == "0":
        rent = "The payments add up to 0: the institution neither gains nor loses money."
    sentences = [*unfinished(data), Sentence(f"{truth}."), *fates, Sentence(rent)]
    planned, final = (amount(data["welfare"][key]) for key in ("planned", "final"))
    has_plan = data["welfare"]["planned"] is not None  # a custom rule need not say what it planned
    was = f"was planned to be {planned} and " if has_plan else ""
    return [*sentences, Sentence(f"The welfare {was}is {final}.")]


def _fate(row: Mapping[str, Any]) -> str:
    if not row["stayed"]:
        return f"{row['name']} leaves once the price is known; the utility is {amount(row['utility'])}."
    if row["killed"]:
        end = "is killed"
    elif row["output"] == "inf":
        end = "never ends"
    else:
        end = f"ends at {amount(row['output'])}"
    as_planned = row["planned"] is None or str(row["planned"]) == str(row["output"])
    planned = "" if as_planned else f" (planned: {amount(row['planned'])})"
    payment = str(row["payment"])
    paid = "nothing is paid" if payment == "0" else f"the payment is {amount(row['payment'])}"
    if payment.startswith("-"):
        paid = f"{amount(payment[1:])} is received"
    left = f"{paid}, and the utility is {amount(row['utility'])}"
    return f"The job of {row['name']} {end}{planned}; {left}."


def _ends(agents: list[Mapping[str, Any]]) -> list[Sentence]:
    """Of many agents those with the largest and the smallest utility."""
    best, worst = (pick(agents, key=lambda row: size(row["utility"])) for pick in (max, min))
    if size(best["utility"]) == size(worst["utility"]):
        return [Sentence(f"All {len(agents):,} agents have the utility {amount(best['utility'])}.")]
    most = f"{best['name']} with {amount(best['utility'])}"
    return [Sentence(f"The largest utility has {most}, the smallest {worst['name']} with {amount(worst['utility'])}.")]


def search(data: Mapping[str, Any]) -> list[Sentence]:
    """The game at the true lengths, then the one under the prior."""
    sentences, bayes = game.search(data), data.get("bayes_nash")
    if not bayes:
        return sentences
    if bayes["count"] is None:
        return [*sentences, Sentence("The Bayes-Nash equilibria under the prior are not known.", Status.STOPPED)]
    equilibria = counted(bayes["count"], "pure Bayes-Nash equilibrium").replace("iums", "ia")
    text = f"Under the prior there {'is' if bayes['count'] == 1 else 'are'} {equilibria}"
    if bayes["price_of_anarchy"] is not None:
        text += f"; the price of anarchy against the first best is {amount(bayes['price_of_anarchy'])}"
    return [*sentences, Sentence(f"{text}.", status_of(True, data["complete"]))]


TRUTH: Final = {
    "dominant": "Telling the truth is a best reply whatever the others declare",
    "ex_post": "Telling the truth is a best reply when the others tell the truth",
}
LIES: Final = {
    "dominant": "A lie can pay, for some declarations of the others",
    "ex_post": "A lie can pay even when the others tell the truth",
}


def verify(data: Mapping[str, Any]) -> list[Sentence]:
    """What was asked for before all else; else incentive compatibility, the prior, coalitions and the properties."""
    by_verdict = {
        name: [_concept(name, data[name], data), *_where(data[name]), *_safe(data[name])]
        for name in TRUTH
        if data.get(name) and data[name].get("limit") != NOT_ASKED
    }
    by_verdict |= {"bayesian": _bayesian(data), "group": _group(data), "": _properties(data)}
    main = str(data["request"]["options"].get("property", "")).replace("-", "_")
    first = next((name for name in by_verdict if name and main.startswith(name)), "" if main else "dominant")
    sentences = [*_left_out(data), *by_verdict.pop(first, []), *itertools.chain(*by_verdict.values())]
    if data.get("seed") is None:
        return [*unfinished(data), *sentences]
    sample = f"Random cases (seed {data['seed']}) stand for all: what they refute is refuted, the rest is not proved"
    return [Sentence(f"{sample}.", Status.SAMPLED), *sentences]


prove = verify


def _left_out(data: Mapping[str, Any]) -> list[Sentence]:
    """True lengths that a domain of one's own does not list."""
    lengths = (data.get("domain") or {}).get("left_out")
    text = f"The domain does not list the true lengths of the scenario ({profile_text(lengths or {})})"
    return [Sentence(f"{text}: nothing was tried with them.")] if lengths else []


def _concept(name: str, row: Mapping[str, Any], data: Mapping[str, Any]) -> Sentence:
    where, sampled = _scope(row), data.get("seed") is not None
    status = status_of(row["holds"], data["complete"], sampled, row["witness"])
    if "status" in row:
        status = Status(row["status"])
    most = row.get("gain_at_most")
    if most is not None:
        where = f"gains of at most {amount(most)} times the liar's length allowed; {where}"
    if row["holds"] is False:
        pays = LIES[name]
        if most is not None:
            pays = pays.replace("A lie can pay", f"A lie can gain more than {amount(most)} times the liar's length")
        return Sentence(f"{pays}: {_lie(row['witness'])} ({where}).", status)
    if row["holds"]:
        tried = "" if "cells" in row else f"; no lie pays in any of {counted(row['cases'], 'comparison')}"
        tried = "; nobody has a lie there, so there is nothing to compare" if row.get("cases") == 0 else tried
        # what holds was tried to the end, whatever else the record left unfinished
        return Sentence(f"{TRUTH[name]} ({where}){tried}.", Status.PROVED)
    if "status" in row:
        note = f": {worded(row)['limit']}" if row.get("limit") else ""
        return Sentence(f"Open: {_lower(TRUTH[name])} ({where}){note}.", status)
    if sampled:
        text = f"no lie pays in {counted(row['cases'], 'random case')}, which proves nothing"
        return Sentence(f"Not settled: {_lower(TRUTH[name])}; {text}.", status)
    of = "" if row["total"] is None else f" of {row['total']:,}"
    tried = f"no lie pays in the {row['cases']:,}{of} comparisons that were made"
    return Sentence(f"Not settled: {_lower(TRUTH[name])}; {tried}.", status)


def _scope(row: Mapping[str, Any]) -> str:
    return str(row["scope"]) if "scope" in row else "on the domain of the scenario"


def _lower(text: str) -> str:
    return f"whether {text[0].lower()}{text[1:]}"


def _lie(witness: Mapping[str, Any] | None) -> str:
    if not witness:
        return "the record shows no such lie"
    others = {name: value for name, value in witness["declarations"].items() if name != witness["agent"]}
    more = f" while the others declare {profile_text(others)}" if others else ""
    return (
        f"{witness['agent']}, whose length is {amount(witness['length'])}, declares {amount(witness['lie'])}{more}; "
        f"the utility goes from {amount(witness['utility_truth'])} to {amount(witness['utility_lie'])}, "
        f"a gain of {amount(witness['gain'])}"
    )


def _where(row: Mapping[str, Any]) -> list[Sentence]:
    """In how many regions lies pay, and how much they gain."""
    regions = row.get("regions")
    if not regions:
        return []
    number = counted(len(regions["lies"]), "region")
    if not regions["complete"]:
        return [Sentence(f"Lies pay in {number} and perhaps elsewhere.", Status.STOPPED)]
    most = "without a bound"
    if str(regions["most"]) != "inf":
        most = f"of at most {amount(regions['most'])} times the liar's length"
    return [Sentence(f"Lies pay in {number} and nowhere else, with gains {most}.", Status.PROVED)]


def _safe(row: Mapping[str, Any]) -> list[Sentence]:
    """For which values of a symbol it holds."""
    safe = row.get("safe")
    if not safe:
        return []
    if safe["from"] is None:
        return [Sentence(f"No value of {safe['symbol']} was proved safe.", Status.OPEN)]
    low = f"from {amount(safe['from'])} ({'included' if safe['from_included'] else 'excluded'})"
    high = "without an upper end"
    if safe["to"] is not None:
        high = f"to {amount(safe['to'])} ({'included' if safe['to_included'] else 'excluded'})"
    return [Sentence(f"It holds for every value of {safe['symbol']} {low} {high}.", Status.PROVED)]


def _bayesian(data: Mapping[str, Any]) -> list[Sentence]:
    row = data.get("bayesian")
    if not row:
        return []
    status = status_of(row["holds"], data["complete"], witness=row["witness"])
    if row["holds"] is False:
        w = row["witness"]
        lie = f"{w['agent']} with length {amount(w['length'])} expects {amount(w['interim_lie'])} from declaring "
        text = f"Under the prior the truth is not a best reply: {lie}{amount(w['lie'])}"
        return [Sentence(f"{text}, and {amount(w['interim_truth'])} from the truth.", status)]
    text = f"the truth is a best reply in expectation under the prior ({counted(row['cases'], 'case')})"
    return [Sentence(f"{text[0].upper()}{text[1:]}." if row["holds"] else f"Open: whether {text}.", status)]


def _group(data: Mapping[str, Any]) -> list[Sentence]:
    group = data.get("group")
    if not group:
        return []
    sentences, sizes = [], some([str(each) for each in group["sizes"]])
    against = {"dominant": "whatever the others declare", "ex_post": "when the others are truthful"}
    for name, others in against.items():
        row, means = group[name], f"coalitions of {sizes}, {others}; it pays when {NOTIONS[group['notion']]}"
        status = status_of(row["holds"], data["complete"], witness=row["witness"])
        if row["holds"] is False:
            w = row["witness"]
            lie = profile_text({member: w["declarations"][member] for member in w["members"]})
            text = f"A joint lie can pay ({means}): {lie}, a gain of {amount(row['max_gain'])}."
        elif row["holds"]:
            text = f"No joint lie pays ({means}), in {counted(row['cases'], 'case')}."
        else:
            text = f"Open: whether no joint lie pays ({means}); {counted(row['cases'] or 0, 'case')} looked at."
        sentences.append(Sentence(text, status))
    return sentences


def _properties(data: Mapping[str, Any]) -> list[Sentence]:
    """Those that fail with the numbers that disagree, those that hold, and those that are open, a sentence each."""
    properties = each_property(data.get("properties") or {})
    rows = {name: row for name, row in properties.items() if row.get("limit") != NOT_ASKED}
    sampled, sentences = data.get("seed") is not None, []
    held, failed, left = (
        [name for name, row in rows.items() if row["holds"] is holds] for holds in (True, False, None)
    )
    if failed:
        listed = "; ".join(f"{name}{_numbers(rows[name]['witness'])}" for name in failed)
        sentences.append(Sentence(f"Does not hold: {listed}.", Status.REFUTED))
    if held:
        where = _scope(rows[held[0]])
        sentences.append(Sentence(f"Holds ({where}): {'; '.join(held)}.", Status.PROVED))
    if left:
        status = status_of(None, data["complete"], sampled)
        sentences.append(Sentence(f"Neither proved nor refuted: {'; '.join(left)}.", status))
    return sentences


def _numbers(witness: Mapping[str, Any] | None) -> str:
    """The numbers of a witness that disagree, in brackets."""
    values = {key: v for key, v in (witness or {}).items() if key not in WITNESS}
    listed = ", ".join(f"{key.replace('_', ' ')} {amount(value)}" for key, value in values.items())
    return f" ({listed})" if listed else ""


def design(data: Mapping[str, Any]) -> list[Sentence]:
    """The best value beside the rule's; where there is none, the lies that forbid all payments, one after the other."""
    status, objective, where, fine = data["status"], data["objective"], _meant(data), _fine(data)
    if status == "impossible":
        return _impossible(data, where)
    if status == "open":
        bound = f"; it is at least {amount(data['bound'])}" if data["bound"] is not None else ""
        return [*unfinished(data), Sentence(f"Open: the {objective} on this domain, {where}{bound}.", Status.OPEN)]
    if data["value"] is None or status == "implementable":
        paid = "those below" if any(map(_charges, data["table"] or ())) else "nobody has to pay anything"
        return [Sentence(f"There are payments on this domain, {where}: {paid}.", Status.PROVED)]
    text = f"The {objective} of this form is {amount(data['value'])} for all lengths, {where}."
    if waits := data.get("penalty"):
        (wait,) = _prices(waits).values()
        pause = Sentence(f"What is left of a job longer than declared waits {wait} after its planned end.")
        return [Sentence(text, Status.PROVED), pause]
    if data["formula"]:
        pays = [Sentence(f"{who} pays {each}.") for who, each in _prices(data["formula"]).items()]
        return [Sentence(text, Status.PROVED), *pays, *_any_payments(data.get("any_payments"))]
    sentences = [Sentence(f"The {objective} on this domain is {amount(data['value'])}, {where}.", Status.PROVED)]
    for row in data["compared"]:
        sentences.append(Sentence(f"With the payments of {row['rule']} it is {amount(row['value'])}."))
    if data["table"]:
        charged = any(map(_charges, data["table"]))
        reached = "The prices below are one way to reach it" if charged else "Nobody has to pay anything for it"
        kept = "; the record has the rule as a table [mechanism] for scenario files" if data["mechanism"] else ""
        sentences.append(Sentence(f"{reached}{kept}."))
    if fine:
        sentences.append(Sentence("No table [mechanism] holds a fine, so the record has none."))
    return sentences


def sought(data: Mapping[str, Any]) -> str:
    """What a design is about: ``payments``, or ``penalties`` for payments that are known."""
    return "penalties" if data["objective"].endswith("penalty-ratio") else "payments"


def _prices(formula: Mapping[str, Any]) -> dict[str, str]:
    """What everybody pays, or each agent, as formulas are written in files."""
    from ...games.design.formulas import formula_of

    by_agent = formula if any(isinstance(each, Mapping) for each in formula.values()) else {"Everybody": formula}
    return {who: formula_of({k: Fraction(str(x)) for k, x in each.items()}) for who, each in by_agent.items()}


def _any_payments(row: Mapping[str, Any] | None) -> list[Sentence]:
    """What payments of any form have at least."""
    if not row:
        return []
    if str(row["gap"]) == "0":
        return [Sentence("No payments of any form have less.", Status.PROVED)]
    where = "" if row["lengths"] is None else ", the least on some lengths that the record has"
    text = f"Payments of any form have at least {amount(row['bound'])}{where}; the gap is {amount(row['gap'])}."
    return [Sentence(text, Status.PROVED)]


def equations(price: Formula | OwnFormulas, owners: Iterable[str], letter: str = "P") -> str:
    r"""A price as displayed mathematics, or the one of each of its owners, and what the letters mean.

    >>> from consortium.mechanisms.declaration.prices import Formula
    >>> print(equations(Formula("max(own, 2)/3"), ()).splitlines()[0])
    \[ P_n(b) = \frac{\max\left(2, b_n\right)}{3} \]
    """
    formulas = {"": price} if price.anonymous else dict(zip(owners, price.formulas, strict=True))
    lines = [
        rf"\[ {letter}_n(b) = {formula.to_latex()}{whose} \]"
        for name, formula in formulas.items()
        for whose in [rf" \quad \mbox{{for $n$ = {in_latex(name)}}}" if name else ""]
    ]
    return "\n".join([*lines, LETTERS.format(letter, MEANT[letter])])


LETTERS: Final = (
    r"Here $b$ are the declarations, ${}_n(b)$ is {}, $E_n(b)$ the planned output time, $S(b)$ the "
    r"least sum of output times, and $b_{{-n}}^{{(k)}}$ the $k$-th longest declaration of the others."
)
MEANT: Final = {"P": "what agent $n$ pays", "s": "how long a job longer than declared waits after its planned end"}


def _charges(row: Mapping[str, Any]) -> bool:
    return any(str(paid) != "0" for paid in row["payments"].values())


def _meant(data: Mapping[str, Any]) -> str:
    """What the payments have to be."""
    concept = "dominant" if data["concept"] == "dominant" else "best when the others tell it"
    more = f", subject to {some([str(each) for each in data['subject_to']])}" if data["subject_to"] else ""
    fine = _fine(data)
    fined = f" and a fine of {amount(fine)} on each lie that is seen" if fine else ""
    return f"with the truth {concept}{more}{fined}"


def _impossible(data: Mapping[str, Any], where: str) -> list[Sentence]:
    cycle = data["cycle"]
    if not cycle:
        if data["request"]["options"].get("payments") == "none":
            return [Sentence(f"Not without payments, {where}: the constraint below does not hold.", Status.REFUTED)]
        what, lengths = sought(data), "on this domain"
        other = "on a finite domain all forms are looked at" if what == "payments" else "so may other prices"
        other, template = f"{what.capitalize()} of another form may do: {other}.", data["method"] == "template"
        lengths = f"for {what} of this form" if template else lengths
        text = f"Impossible {lengths}, {where}: the constraints below contradict each other."
        return [Sentence(text, Status.REFUTED), *([Sentence(other)] if template else [])]
    first, total = cycle[0], Fraction(0)
    head = f" when {_each(first['others'], 'declares')}" if first["others"] else ""
    sentences = [Sentence(f"Impossible: no payments known in advance make the truth best{head}.", Status.REFUTED)]
    for case in cycle:
        later = size(case["later"])
        text = f"{case['agent']} of length {amount(case['true'])} gets the output "
        lie, truth = amount(case["declared"]), amount(case["true"])
        if str(case["later"]) == "-inf":
            return [*sentences, Sentence(f"{text}by declaring {lie} and may never get it by declaring {truth}.")]
        shift = f"{amount(str(abs(later)))} {'later' if later >= 0 else 'earlier'}"
        world = f" (when {_each(case['lengths'], 'is')})" if case["lengths"] else ""
        sign = "+" if later >= 0 else "-"
        bound = f"P({truth}) <= P({lie}) {sign} {amount(str(abs(later)))}"
        sentences.append(Sentence(f"{text}{shift} by declaring {lie} than by declaring {truth}{world}: {bound}."))
        total += Fraction(later)
    fine = _fine(data) * len(cycle)
    more = f", with the fine for each lie {amount(str(total + fine))}" if fine else ""
    sentences.append(Sentence(f"Added up: 0 <= {amount(str(total))}{more}."))
    if data["least_fine"] is not None:
        sentences.append(Sentence(f"The least fine for a lie that is seen is {amount(data['least_fine'])}."))
    return sentences


def _fine(data: Mapping[str, Any]) -> Fraction:
    """What a lie costs that is seen, where that was asked for."""
    payments = data["request"]["options"].get("payments", "any")
    return Fraction(0) if payments in ("any", "none") else Fraction(str(payments))


def _each(numbers: Mapping[str, Any], verb: str) -> str:
    return ", ".join(f"{name} {verb} {amount(x)}" for name, x in numbers.items())


def curve(data: Mapping[str, Any]) -> list[Sentence]:
    """The best declaration beside the truth."""
    best, truth = data["best"], data["utility_truth"]
    covered = f"between {amount(data['from'])} and {amount(data['to'])}"
    status = status_of(True, data["complete"]) if data["exact"] else Status.OPEN
    limits = [piece[end] for piece in data["pieces"] for end in ("at_from", "at_to")]
    above = max((limit for limit in limits if size(limit) > size(best["utility"])), key=size, default=None)
    lies = str(best["declares"]) != str(data["truth"])
    which = amount(best["declares"]) if lies else f"the truth, {amount(data['truth'])},"
    most = f"{which} has the largest utility found, {amount(best['utility'])}"
    if above is not None:
        most += f"; utilities up to {amount(above)}, which no declaration reaches, are approached beside jumps"
    sentences = [Sentence(f"Of the declarations of {data['agent']} {covered}, {most}.", status)]
    if data.get("pieces_left_out"):
        text = f"The record lists a part of the curve: {data['pieces_left_out']:,} pieces are left out."
        sentences.append(Sentence(text))
    if truth is not None and lies:
        less = ""
        if "inf" not in (str(best["utility"]).lstrip("-"), str(truth).lstrip("-")):
            gain = Fraction(str(best["utility"])) - Fraction(str(truth))
            less = f", {amount(str(gain))} less"
        sentences.append(Sentence(f"The truth, {amount(data['truth'])}, has {amount(truth)}{less}."))
    if data["jumps"]:
        sentences.append(Sentence(f"The utility jumps at {some([amount(place) for place in data['jumps']])}."))
    return [*sentences, *(Sentence(f"{doubt[0].upper()}{doubt[1:]}.", Status.OPEN) for doubt in doubts(data))]
