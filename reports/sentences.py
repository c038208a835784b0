"""What a record says, in sentences: plain words, exact numbers, and how far each claim is settled.

Each kind has a module ``reports/<kind>/text.py`` with a function per verb, ``(data) -> list of sentences``, from a
record's dict. A sentence never says more than the record: what was only sampled, stopped or left open says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

from ..mechanisms.kinds import answered
from ..support.loading import load
from ..support.status import Status
from ..support.units import percent_text
from .tables import READABLE, cell, counted, is_number, printable, rounded, row_names, shortened

SUMMARY: Final = 5
"""So many sentences stand before the tables of a record; a report has all of them."""
NAMED: Final = 5
"""So many names stand in a sentence; the others are counted."""
PROSE: Final = 240
"""Characters of what a checker says of a certificate that does not hold."""
EXACT: Final = 60
"""Fractions of more characters are said rounded only; the tables and the record have more."""


@dataclass(frozen=True)
class Sentence:
    """One sentence; ``status`` is that of the claim it makes, ``None`` for a plain fact."""

    text: str
    status: Status | None = None


def sentences_of(data: Mapping[str, Any]) -> list[Sentence]:
    """What a record's dict says, by kind and verb; of a verb that has no sentences, whether the answer is whole."""
    return [*_answer(data), *_custom_rules(data)]


def _answer(data: Mapping[str, Any]) -> list[Sentence]:
    verb = answered(data["kind"], data["verb"])
    sentences: list[Sentence] = load(verb.text)(data) if verb.text else unfinished(data)
    return sentences


def _custom_rules(data: Mapping[str, Any]) -> Iterator[Sentence]:
    """Which custom rules a record is about."""
    for label, rule in (data.get("custom_rules") or {}).items():
        digest = f" (sha256 {rule['sha256']})" if rule["sha256"] else ""
        yield Sentence(f"Custom rule{'' if label == 'mechanism' else f' {label}'}: {rule['rule']}{digest}.")


def summary(data: Mapping[str, Any]) -> list[str]:
    """The sentences that stand before the tables on a terminal and in a notebook: the first ones, printable."""
    return [printable(sentence.text) for sentence in (*_answer(data)[:SUMMARY], *_custom_rules(data))]


def status_of(holds: bool | None, complete: bool, sampled: bool = False, witness: object = None) -> Status:
    """The status of one claim of a record: with a counterexample it is refuted, however much was left untried.

    >>> status_of(False, complete=False, witness={"agent": "ann"}), status_of(True, complete=False)
    (<Status.REFUTED: 'refuted'>, <Status.STOPPED: 'stopped'>)
    """
    return Status.of(holds, complete or (holds is False and bool(witness)), sampled)


def unfinished(data: Mapping[str, Any]) -> list[Sentence]:
    """The sentence that a stopped record begins with; nothing for a complete one."""
    if data["complete"]:
        return []
    return [Sentence("Not complete: this covers only what was looked at before the end.", Status.STOPPED)]


def amount(value: Any) -> str:
    """A number of a record's dict in a sentence: exact, behind its size where the fraction is long.

    >>> amount("3/2"), amount("inf"), amount(0.25), amount([1, "1/2"]), amount(None)
    ('3/2', 'infinite', 'about 0.25', '(1, 1/2)', 'not known')
    >>> amount("97053946/661947783")
    '~0.146619 (97053946/661947783)'
    """
    if value is None:
        return "not known"
    if isinstance(value, float):
        return f"about {value:.4g}" if value else "0"
    if isinstance(value, list | tuple):
        return f"({', '.join(map(amount, value))})"
    if value in ("inf", "-inf"):
        return "infinite" if value == "inf" else "minus infinity"
    text = str(value)
    if "/" not in text or len(text) <= READABLE:
        return text
    near = rounded(Fraction(text))
    return f"{near} ({text})" if len(text) <= EXACT else near


def percent(value: float) -> str:
    """A share as a percentage, of four digits at most."""
    return f"{percent_text(100 * value, 4)} %"


def size(value: Any) -> float | Fraction:
    """What numbers of a record's dict are compared by; ``"inf"`` is larger than all."""
    return float(value) if value in ("inf", "-inf") else Fraction(str(value)) if not isinstance(value, float) else value


def some(names: Sequence[str]) -> str:
    """Names in a sentence, of many the first.

    >>> some(["ann"]), some(["ann", "bob"]), some(list("abcdefg"))
    ('ann', 'ann and bob', 'a, b, c, d, e and 2 others')
    """
    left_out = len(names) - NAMED
    if left_out > 0:
        return f"{', '.join(names[:NAMED])} and {counted(left_out, 'other')}"
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))


def profile_text(assignment: Mapping[str, Any]) -> str:
    """Who does what, as of a profile.

    >>> profile_text({"ann": 1, "bob": ["O1", "O2"]})
    'ann: 1, bob: O1 O2'
    """
    parts = [f"{name}: {_plain(item)}" for name, item in assignment.items()]
    left_out = len(parts) - NAMED
    return ", ".join(parts[:NAMED]) + (f" and {counted(left_out, 'other')}" if left_out > 0 else "")


def _plain(value: Any) -> str:
    if isinstance(value, list | tuple):
        return " ".join(map(_plain, value)) or "nothing"
    return str(value)


def profile(value: Any) -> str:
    """A profile of a record's dict, by name or in the players' order."""
    return profile_text(value) if isinstance(value, Mapping) else _plain(value)


def compared(data: Mapping[str, Any]) -> list[Sentence]:
    """What a ``compare`` record says: of each column who has it and who has not, or where it is least and largest."""
    rows = data["rows"]
    labels = row_names(rows)
    sentences = [Sentence(f"{counted(len(rows), 'row')} side by side: {some(labels)}.")]
    for column in data["columns"]:
        values = [(label, row["values"].get(column)) for label, row in zip(labels, rows, strict=True)]
        text = _column(column.replace("_", " "), [(label, value) for label, value in values if value is not None])
        if text:
            sentences.append(Sentence(text))
    left = [label for label, row in zip(labels, rows, strict=True) if not row["complete"]]
    if left:
        sentences.append(Sentence(f"Not complete, so that these may still change: {some(left)}.", Status.STOPPED))
    if data.get("seed") is not None:
        sentences.append(Sentence(f"Random choices were drawn with seed {data['seed']}."))
    return sentences


def _column(name: str, values: Sequence[tuple[str, Any]]) -> str:
    """One column in a sentence; empty where nothing is known, or where it is neither a verdict nor a number."""
    if len(values) > 2 and len({str(value) for _, value in values}) == 1:
        values = [("all", values[0][1])]
    if values and all(isinstance(value, bool) for _, value in values):
        yes, no = ([label for label, value in values if value is verdict] for verdict in (True, False))
        parts = ([f"yes for {some(yes)}"] if yes else []) + ([f"no for {some(no)}"] if no else [])
        return f"{name}: {'; '.join(parts)}."
    numbers = [(label, value) for label, value in values if is_number(value)]
    if not numbers:
        return ""
    (least, low), (most, high) = (ends(numbers, pick) for pick in (min, max))
    if size(low) == size(high):
        return f"{name}: {amount(low)} for {least}."
    return f"{name}: from {amount(low)} for {least} to {amount(high)} for {most}."


def hunted(data: Mapping[str, Any]) -> list[Sentence]:
    """What a ``hunt`` record says: whether the claim is broken, and by how small an instance; what was tried."""
    claim, size = f"the claim {data['claim']}", data["size"]
    if not data["claim"]:
        value = f"is {amount(data['largest'])}" if data.get("largest") is not None else "of none is known"
        text = f"Under {data['rule']} the largest {data['measure']} of the instances tried {value}; a larger may exist."
        first, last = Sentence(text, Status.SAMPLED), ""
    elif size is None:
        proved = str(data["claim_status"]).startswith("proved")
        may = "none exists within what is proved, beyond it one may" if proved else "one may exist"
        first = Sentence(f"No instance was found on which {data['rule']} breaks {claim}; {may}.", Status.SAMPLED)
        near = data["nearest"]
        last = "" if near is None else f"The nearest miss comes to {amount(near)}, measured as the claim is."
    else:
        parts = f"{counted(size['players'], 'player')} and {counted(size['jobs'], 'job')}"
        first = Sentence(f"{data['rule']} breaks {claim}: an instance of {parts} shows it.", Status.REFUTED)
        still = "no single step of shrinking keeps the failure" if data["minimal"] else "a smaller one may do"
        last = f"It was made as small as it is by trying {counted(data['shrinking'], 'smaller one')}; {still}."
    status = f"What is known of the claim: {data['claim_status']}." if data["claim"] else ""
    valid = f"{data['valid']:,} of {counted(data['instances'], 'instance')} tried could be decided."
    sizes = ", ".join(f"{name} {size}" for name, size in (data.get("sizes") or {}).items())
    valid = f"{valid} Sizes: {sizes}." if sizes else valid
    return [first, *(Sentence(text) for text in (status, valid, last) if text)]


def checked(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """What the rows of ``check`` say: what is proved, what does not hold, what was not checked and why, how many."""
    from ..verbs.check import CERTIFICATE  # which a command that only prints its help does not need

    wrong, left = ([row for row in rows if row["holds"] is holds] for holds in (False, None))
    proofs = [row["found"] for row in rows if row["holds"] and row["key"] == CERTIFICATE]
    sentences = [proof.replace("); ", ");\n") for proof in proofs]  # a line for each statement that is proved
    if wrong:
        sentences.append(f"Does not hold: {some([_claim(row) for row in wrong])}.")
    elif len(rows) - len(left) > len(proofs):
        places = _places(rows)
        text = "was checked" if left else f"{some(places)} say{'s' if len(places) == 1 else ''}"
        sentences.append(f"Holds: all that {text}.")
    if left:
        notes = some([*dict.fromkeys(row["note"] for row in left)])
        sentences.append(f"Not checked: {counted(len(left), 'value')} of {some(_places(left))} ({notes}).")
    count = f"{counted(len(rows) - len(left), 'value')} checked, {len(wrong):,} wrong"
    return [*sentences, f"{count}; {len(left):,} not checked." if left else f"{count}."]


def _claim(row: Mapping[str, Any]) -> str:
    both = row["expected"], row["found"]
    words = isinstance(row["found"], str) and " " in row["found"]  # what a checker says, not a value
    claimed, actual = (shortened(cell(each), PROSE if words else READABLE) for each in both)
    return f"{row['key']} of {row['verb']}, {row['place']} (expected {claimed}, found {actual})"


def _places(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    return [*dict.fromkeys(row["place"] for row in rows)]


def studied(data: Mapping[str, Any]) -> list[str]:
    """What the summary of a study says: how far it is, what ends it, and where the statistics are least and largest."""
    tasks, groups = data["tasks"], data["groups"]
    count, done = tasks["tasks"], tasks["done"]
    left = "".join(f"; {tasks[status]:,} {status}" for status in ("failed", "stopped") if tasks[status])
    sentences = [f"{done:,} of {counted(count, 'task')} {'is' if done == 1 else 'are'} done{left}."]
    if "hits" in tasks:
        sentences.append(f"{counted(tasks['hits'], 'task')} met the condition that ends the study.")
    for measure, statistics in groups[0]["values"].items() if groups else ():
        name = next(iter(statistics))
        values = [(_group(each["keys"]), _whole(name, each["values"][measure][name]["value"])) for each in groups]
        sentences.append(
            _column(f"{measure} ({name})", [(label, value) for label, value in values if value is not None])
        )
    sentences = [printable(text) for text in sentences if text]
    rows = "A row for each task: consortium study results --store FILE."
    return sentences[:SUMMARY] if len(sentences) > 1 else [*sentences, rows]


def _whole(statistic: str, value: Any) -> Any:
    """A statistic of a sample; the share of all is exactly 1, as that of none is 0."""
    return 1 if statistic == "share" and value == 1 else value


def _group(keys: Mapping[str, Any]) -> str:
    """The tasks of a group: the last parts of its keys, with their values.

    >>> _group({"family.organizations": 2, "mechanism.priority": "jobs"}), _group({"family.jobs": 3}), _group({})
    ('(organizations 2, priority jobs)', 'jobs 3', 'all tasks')
    """
    text = ", ".join(f"{key.rpartition('.')[2]} {_plain(value)}" for key, value in keys.items()) or "all tasks"
    return f"({text})" if len(keys) > 1 else text


def ends(numbers: Sequence[tuple[str, Any]], pick: Callable[..., Any]) -> tuple[str, Any]:
    """Everybody who has the least number (``pick`` is ``min``) or the largest (``max``), in words, and that number.

    >>> ends([("a", 2), ("b", "1/2"), ("c", "1/2")], min)
    ('b and c', '1/2')
    """
    value = pick((number for _, number in numbers), key=size)
    return some([label for label, number in numbers if size(number) == size(value)]), value
