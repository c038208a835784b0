"""What a record claims, leaf by leaf, beside what is found now.

Every leaf of a record's dict is a claim: ``agents[2].output``, ``equilibria.worst.social_cost``. :func:`judge` settles
each of them once:

1. Proofs of the verb (:attr:`consortium.mechanisms.kinds.Verb.proofs`) settle what can be proved from the scenario
   without asking the whole question again: witnesses by playing them, prices from their parts, certificates by refuting
   their constraints once more, one of several optima by what it costs. A proof's key covers all leaves below it. What
   only agrees with other claims of the record is no proof; it is said where nothing better is known.
2. The question is asked again, if its estimate fits the time limit, and every leaf is compared. One that differs but is
   proved (another optimum, another certificate) is listed as such: it is not wrong.
3. What is neither proved nor compared is listed as not checked, with what would check it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from ..mechanisms.kinds import Verb, verbs_of
from ..scenarios.scenario import Scenario
from ..support.errors import ConsortiumError, InputError, UnknownNameError
from ..support.interrupts import noticed
from ..support.loading import load as load_reference
from ..support.progress import Clock, Progress
from .asked import Question
from .dispatch import ask, estimate
from .expect import ABSENT, Comparison
from .proving import EFFORT, Claim, attempt, leaves, same
from .records import Record

MEASURED: Final = "seconds"
"""Key of a time that was measured: another machine, another time."""

PROVING: Final = 10.0
"""Seconds that proofs may take even where asking again may take less."""

UNASKED: Final = "the record does not carry its question: an object of one's own, or a very large game"


@dataclass(frozen=True)
class Again:
    """The record's dict found by asking again, or why it was not asked (or not to the end) and what would do it."""

    found: Mapping[str, Any] | None
    note: str = ""


def judge(
    claimed: Mapping[str, Any], question: Question | None, time_limit: float, progress: Progress | None = None
) -> Iterator[Comparison]:
    """Settle every claim of a record's dict; see the module.

    Parameters
    ----------
    claimed
        The record.
    question
        What it answers; ``None`` where the record cannot say.
    time_limit
        Ask again only what is estimated to take no longer, and stop then (seconds).
    """
    if question is None:
        proofs: list[Comparison] = []
        again = Again(None, UNASKED)
    else:
        proofs = list(proved(claimed, question, Clock(max(time_limit, PROVING))))
        yield from (proof for proof in proofs if proof.holds is not None)
        again = ask_again(question, claimed.get("complete") is True, time_limit, progress)
    covered = {proof.key for proof in proofs if proof.holds is not None}
    partly = {proof.key: proof for proof in proofs}
    others = {} if again.found is None else dict(leaves(again.found))
    for key, value in leaves(claimed):
        row = _compared(key, value, others.pop(key, ABSENT), again)
        if row.holds is False and key in partly and partly[key].note == EFFORT:
            row = replace(row, holds=None, note=EFFORT)
        if row.holds or not _covers(covered, key):
            yield _with_note(row, partly.get(key)) if again.found is None else row
        elif again.found is not None:
            yield replace(row, holds=None, note="differs from what was found now, but is proved as well")
    for key, value in others.items():
        if not _covers(covered, key):
            yield Comparison(key, ABSENT, value, False)


def _with_note(row: Comparison, partly: Comparison | None) -> Comparison:
    """What was not asked again, with what speaks for it and with what would settle it."""
    return row if partly is None else replace(partly, note=f"{partly.note}; {row.note}")


def proved(claimed: Mapping[str, Any], question: Question, clock: Clock) -> Iterator[Comparison]:
    """What the verb proves of a record by itself."""
    verb = _verb(claimed, question)
    about = question.source[0] if verb.takes == "scenarios" and isinstance(question.source, list) else question.source
    if isinstance(about, Scenario) and about.kind != claimed["kind"]:
        yield Comparison("kind", claimed["kind"], about.kind, False)
        return
    record = Claim.of(claimed)
    if isinstance(question.source, Scenario):
        yield from record["scenario"].proves(question.source.label)
    if verb.proofs:
        yield from attempt(record["asked"], load_reference(verb.proofs), record, question, clock)


def _verb(claimed: Mapping[str, Any], question: Question) -> Verb:
    owners = verbs_of(question.verb)
    kind = claimed.get("kind")
    if isinstance(kind, str) and kind in owners:
        return owners[kind]
    raise InputError(f"kind: found {kind!r:.60}; expected one that has {question.verb}: {', '.join(owners)}")


def ask_again(question: Question, complete: bool, time_limit: float, progress: Progress | None = None) -> Again:
    """Ask a record's question again within a time limit.

    ``complete``: whether the record claims to be the whole answer. One that was stopped is not compared with what would
    have followed. Raises KeyboardInterrupt on Ctrl-C, also where the verb itself has answered it.
    """
    try:
        expected = estimate(question.verb, question.source, question.options, door="file").seconds
        if expected is not None and expected > time_limit:
            return Again(None, _command(expected))
        with noticed() as stopped:
            record = _answer(question, time_limit, progress)
    except ConsortiumError as error:
        return Again(None, f"asking again is refused: {error}")
    if stopped():
        raise KeyboardInterrupt
    if not (record.complete or record.open or record.sampled):
        return Again(None, _command(2 * time_limit))
    if record.complete and not complete:
        return Again(None, "the record was stopped; asked again to the end it would say more")
    return Again(record.to_dict())


def _answer(question: Question, time_limit: float, progress: Progress | None) -> Record:
    """The answer, within the time limit where there can be one: some rules have nothing to stop and refuse it."""
    options = {name: value for name, value in question.options.items() if name != "time_limit"}
    for limited in ({"time_limit": time_limit}, {}):
        try:
            return ask(question.verb, question.source, options | limited, progress=progress, door="file")
        except (UnknownNameError, InputError) as error:
            if not limited or "time_limit" not in str(error):
                raise
    raise AssertionError("without a time limit it is answered or refused")


def _command(seconds: float) -> str:
    return f"consortium replay RECORD --time-limit {max(1, math.ceil(2 * seconds))}"


def _compared(key: str, value: Any, found: Any, again: Again) -> Comparison:
    if again.found is None:
        return Comparison(key, value, None, None, again.note)
    if key.rpartition(".")[2] == MEASURED and isinstance(value, float) and isinstance(found, float):
        return Comparison(key, value, found, None, "a measured time")
    return Comparison(key, value, found, same(value, found))


def _covers(keys: set[str], key: str) -> bool:
    """Whether a key or one above it was settled."""
    if key in keys:
        return True
    cut = max(key.rfind("."), key.rfind("["))
    return cut > 0 and _covers(keys, key[:cut])
