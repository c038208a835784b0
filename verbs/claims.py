"""What a record claims, leaf by leaf, beside what is found now.

Every leaf of a record's dict is a claim: ``agents[2].output``, ``equilibria.worst.social_cost``. :func:`judge` settles
each of them once:

1. Proofs of the verb (:attr:`consortium.mechanisms.kinds.Verb.proofs`) settle what can be proved from the scenario
   without asking the whole question again: witnesses by playing them, prices from their parts, certificates by refuting
   their constraints once more, one of several optima by what it costs. A proof's key covers all leaves below it.
2. The question is asked again, if its estimate fits the time limit, and every leaf is compared. One that differs but is
   proved (another optimum, another certificate) is listed as such: it is not wrong.
3. What is neither proved nor compared is listed as not checked, with what would check it.

>>> [(key, value) for key, value in leaves({"agents": [{"name": "ann", "output": 2}], "sinks": []})]
[('agents[1].name', 'ann'), ('agents[1].output', 2), ('sinks', [])]
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from ..mechanisms.kinds import Verb, verbs_of
from ..scheduling.errors import ConsortiumError, InputError, UnknownNameError
from ..scheduling.interrupts import noticed
from ..scheduling.loading import load as load_reference
from ..scheduling.progress import Progress
from ..scheduling.status import Status
from .asked import Question
from .dispatch import ask, estimate
from .expect import ABSENT, Comparison, canonical
from .records import Record

MEASURED: Final = "seconds"
"""Key of a time that was measured: another machine, another time."""

UNASKED: Final = "the record does not carry its question: an object of one's own, or a very large game"

_NEAR = 1e-9  # of two floats of the same computation on different machines


@dataclass(frozen=True)
class Again:
    """The record's dict found by asking again, or why it was not asked (or not to the end) and what would do it."""

    found: Mapping[str, Any] | None
    note: str = ""


def leaves(value: Any, key: str = "") -> Iterator[tuple[str, Any]]:
    """Every value of a record's dict that has no parts, with its place; scenarios that replay are one value."""
    if isinstance(value, Mapping) and value:
        for name, item in value.items():
            place = f"{key}.{name}" if key else str(name)
            if name == "replay":
                yield place, item
            elif place != "asked":
                yield from leaves(item, place)
    elif isinstance(value, list) and value:
        for i, item in enumerate(value):
            yield from leaves(item, f"{key}[{i + 1}]")
    else:
        yield key, value


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
        proofs = list(proved(claimed, question))
        yield from proofs
        again = ask_again(question, claimed.get("complete") is True, time_limit, progress)
    covered = {proof.key for proof in proofs}
    others = {} if again.found is None else dict(leaves(again.found))
    for key, value in leaves(claimed):
        row = _compared(key, value, others.pop(key, ABSENT), again)
        if row.holds or not _covers(covered, key):
            yield row
        elif again.found is not None:
            yield replace(row, holds=None, note="differs from what was found now, but is proved as well")
    for key, value in others.items():
        yield Comparison(key, ABSENT, value, False)


def proved(claimed: Mapping[str, Any], question: Question) -> Iterator[Comparison]:
    """What the verb proves of a record by itself."""
    verb = _verb(claimed, question)
    if verb.proofs:
        yield from load_reference(verb.proofs)(claimed, question)


def _verb(claimed: Mapping[str, Any], question: Question) -> Verb:
    owners = verbs_of(question.verb)
    if claimed.get("kind") in owners:
        return owners[claimed["kind"]]
    raise InputError(f"kind: found {claimed.get('kind')!r}; expected one that has {question.verb}: {', '.join(owners)}")


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
    if record.status is Status.STOPPED:
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


def same(claimed: Any, found: Any) -> bool:
    """Whether two leaves say the same: exact values by value, truth values and floats only with their like.

    >>> same("6/4", "3/2"), same(1, True), same(3, 3.0), same(0.1 + 0.2, 0.3)
    (True, False, False, True)
    """
    if isinstance(claimed, float) or isinstance(found, float):
        return isinstance(claimed, float) and isinstance(found, float) and math.isclose(claimed, found, rel_tol=_NEAR)
    if isinstance(claimed, bool) or isinstance(found, bool):
        return claimed is found
    return bool(canonical(claimed) == canonical(found))


def _covers(keys: set[str], key: str) -> bool:
    """Whether a key or one above it was settled."""
    if key in keys:
        return True
    cut = max(key.rfind("."), key.rfind("["))
    return cut > 0 and _covers(keys, key[:cut])
