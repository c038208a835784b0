"""What a record claims, each claim judged once: asked again, proved by what the record holds, or not checked.

A record claims every leaf of its dict: ``agents[2].output``, ``equilibria.worst.social_cost``; what was shown or
measured (``version``, ``seconds``) is no claim.

1. The request of the record is asked again, whatever version wrote the record, if its estimate fits the time limit, or
   comes near it and the limit can end the work. A claim that is found again holds.
2. Where it was not asked again, and for what differs, the proofs of the verb
   (:attr:`consortium.mechanisms.kinds.Verb.proofs`) settle what a certificate in the record proves, and scenarios under
   ``replay`` are played. Another optimum than the one found now holds where it is proved.
3. What is left differs, or was not checked: then the note says what would check it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, TypeAlias

from .. import __version__
from ..mechanisms.kinds import HUNT, answered, names, verbs_of
from ..scenarios.scenario import Scenario
from ..support.errors import ConsortiumError, InputError, UnknownNameError
from ..support.interrupts import noticed
from ..support.loading import load as load_reference
from ..support.progress import Clock, Progress, limited
from .claims import ABSENT, Claim, Comparison, attempt, compare, leaves, same
from .dispatch import ask, estimate, load
from .records import Record
from .request import Request, is_named

RECORD: Final = "record"
"""Place of a claim of the record itself."""
PROVE: Final = "prove"
MEASURED: Final = frozenset({"seconds"})
"""Keys of times that were measured: another machine, another time."""
EFFORT: Final = frozenset({"method", "cells", "lemmas", "regions", "decided", "sha256", "size"})
"""Keys of how a proof went: how often code compares when it sorts depends on the version of Python, which of two
covers is found first on the machine, and where a certificate was written the proof is one that has one.
"""
COUNTED: Final = "of how a proof went, which differs between versions of Python, machines, and with a certificate"
CHANGED: Final = "the source of the custom rule is another one; what else was found is of that"
NEAR: Final = 10.0
"""Times the time limit: work that is estimated to take so much may take far less, so it is begun if it can be ended."""
CARRIES_NONE: Final = "the record does not carry its request"

Row: TypeAlias = tuple[str, str, Comparison]


def certificates(record: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Every scenario under a key ``replay`` of a record's dict, with its place."""
    for place, value in leaves(record):
        if place.rpartition(".")[2] == "replay" and isinstance(value, list):
            yield from ((f"{place}[{i}]", scenario) for i, scenario in enumerate(value, 1))


@dataclass(frozen=True)
class Again:
    """The record's dict found by asking again, or why it was not asked (or not to the end) and what would do it."""

    data: Mapping[str, Any] | None
    note: str = ""


def judged(
    claimed: Mapping[str, Any],
    request: Request | None,
    time_limit: float,
    progress: Progress | None = None,
    where: str = RECORD,
) -> Iterator[Row]:
    """Judge every claim of a record's dict, each once; see the module. ``request``: what it answers, if it says so."""
    verb = claimed["verb"]
    again = Again(None, CARRIES_NONE)
    if request is not None:
        _check_kind(claimed, request)
        repeats = claimed.get("minimal") is True and claimed.get("version") == __version__  # the same instances
        complete = claimed.get("complete") is True and (request.verb != HUNT.name or repeats)
        again = ask_again(request, complete, time_limit, progress)
    rows = list(_compared(claimed, again))
    yield from ((where, verb, row) for row in rows if row.holds)
    pending = [row for row in rows if not row.holds]
    if not pending:
        return
    proven = request is not None and not request.custom and not claimed.get("custom_rules")
    proofs = list(_proved(claimed, request, time_limit)) if request is not None and proven else []
    yield from ((where, verb, row) for row in _with_proofs(pending, proofs))
    if again.data is None:
        keys = {row.key for row in rows}
        yield from ((where, verb, proof) for proof in proofs if proof.holds is None and proof.key not in keys)
        for inside, scenario in certificates(claimed):
            place = inside if where == RECORD else f"{where}: {inside}"
            yield from ((place, name, row) for name, row in _played(load(scenario), time_limit, progress))


def _check_kind(claimed: Mapping[str, Any], request: Request) -> None:
    """Raise InputError for a verb that the record's kind has not, UnknownNameError for one that there is not."""
    owners = names() if request.verb == HUNT.name else tuple(verbs_of(request.verb))
    kind = claimed.get("kind")
    if not (isinstance(kind, str) and kind in owners):
        expected = f"expected one that has {request.verb}: {', '.join(owners)}"
        raise InputError(f"kind: found {kind!r:.60}; {expected}")


def ask_again(request: Request, complete: bool, time_limit: float, progress: Progress | None = None) -> Again:
    """Ask what a record answers again within a time limit.

    ``complete``: whether the record claims to be the whole answer. One that was stopped is not compared with what would
    have followed. Raises KeyboardInterrupt on Ctrl-C, also where the verb itself has answered it.
    """
    if request.custom:
        names = ",".join(request.custom)
        unnamed = is_named(request.source) and ".py:" not in names
        how = "ask it again yourself" if unnamed else f"consortium check RECORD --mechanism {names}"
        return Again(None, f"custom code, which nothing imports unasked: {how}")
    hunt, clock, expected = request.verb == HUNT.name, Clock(time_limit), 0.0
    if hunt and not complete:  # or it would come to another end
        return Again(None, "a hunt that time ended, or of another version, is not repeated")
    try:
        if not hunt:
            expected = estimate(request.verb, request.source, request.options, door="file").seconds or 0.0
        if expected > NEAR * time_limit:
            return Again(None, _command(expected))
        with noticed() as stopped:
            record = _answer(request, time_limit, expected <= time_limit, progress)
        if record is None:
            return Again(None, _command(expected))
    except ConsortiumError as error:
        return Again(None, f"asking again is refused: {error}")
    if stopped():
        raise KeyboardInterrupt
    if (hunt and clock.expired()) or not (record.complete or record.open or record.sampled):
        return Again(None, _command(2 * time_limit))
    if record.complete and not complete:
        return Again(None, "the record was stopped; asked again to the end it would say more")
    return Again(record.to_dict())


def _answer(request: Request, time_limit: float, short: bool, progress: Progress | None) -> Record | None:
    """The answer, within the time limit where there can be one: some rules have nothing to stop and refuse it.

    These are answered only if the work is ``short``.
    """
    if request.verb == HUNT.name:
        return ask(request.verb, request.source, request.options, progress=limited(progress, time_limit), door="file")
    options = {name: value for name, value in request.options.items() if name != "time_limit"}
    within = options | {"time_limit": time_limit}
    try:
        return ask(request.verb, request.source, within, progress=progress, door="file")
    except (UnknownNameError, InputError) as error:
        if "time_limit" not in str(error):
            raise
    return ask(request.verb, request.source, options, progress=progress, door="file") if short else None


def _command(seconds: float) -> str:
    return f"consortium check RECORD --time-limit {max(1, math.ceil(2 * seconds))}"


def _compared(claimed: Mapping[str, Any], again: Again) -> Iterator[Comparison]:
    """Every claim beside what was found now. Fields that only another version has are no claims of this one."""
    seen = {} if again.data is None else dict(leaves(again.data))
    otherwise = _proved_otherwise(claimed, seen)
    foreign = again.data is not None and claimed.get("version") != again.data.get("version")
    for key, value in leaves(claimed):
        here = seen.pop(key, ABSENT)
        measured = key.rpartition(".")[2] in MEASURED and isinstance(value, float)
        named = key.startswith("custom_rules.")
        if key == "version" or (named and not key.endswith(".sha256")):  # how a rule was named is no claim
            continue
        if measured and (again.data is None or isinstance(here, float)):
            continue
        if again.data is None:
            yield Comparison(key, value, None, None, again.note)
        elif named:
            yield Comparison(key, value, here, value == here or None, "" if value == here else CHANGED)
        elif here is ABSENT and foreign:
            yield Comparison(key, value, ABSENT, None, f"a field of version {claimed.get('version')}")
        elif claimed["verb"] == PROVE and key.rpartition(".")[2] in EFFORT and type(value) is type(here):
            yield Comparison(key, value, here, value == here or None, "" if value == here else COUNTED)
        else:
            yield Comparison(key, value, here, same(value, here))
    for key, value in () if foreign else seen.items():
        other = key.rpartition(".")[0] in otherwise
        yield Comparison(key, ABSENT, value, None if other else False, COUNTED if other else "")


def _proved_otherwise(claimed: Mapping[str, Any], seen: Mapping[str, Any]) -> set[str]:
    """Rows of a proof that another method proves now: it may say more of how."""
    rows = {name: row for name, row in claimed.items() if isinstance(row, Mapping) and claimed["verb"] == PROVE}
    return {name for name, row in rows.items() if row.get("method") not in (None, seen.get(f"{name}.method"))}


def _proved(claimed: Mapping[str, Any], request: Request, time_limit: float) -> Iterator[Comparison]:
    """What the verb proves of a record by itself."""
    record, verb = Claim.of(claimed), answered(claimed["kind"], request.verb)
    source = request.source
    if isinstance(source, Scenario) and source.kind != claimed["kind"]:
        yield Comparison("kind", claimed["kind"], source.kind, False)
        return
    if isinstance(source, Scenario):
        yield from record["scenario"].proves(source.label)
    if verb.proofs:
        yield from attempt(record["request"], load_reference(verb.proofs), record, request, Clock(time_limit))


def _with_proofs(pending: list[Comparison], proofs: list[Comparison]) -> Iterator[Comparison]:
    """Claims that were not found again, with what proofs say of them; a proof's key covers all leaves below it."""
    decided = {proof.key: proof for proof in proofs if proof.holds is not None}
    partly = {proof.key: proof for proof in proofs if proof.holds is None}
    wrong = {key for key, proof in decided.items() if proof.holds is False}
    for row in pending:
        above = next((key for key in _upwards(row.key) if key in decided), None)
        if above is not None and above in wrong:
            continue  # said once, below
        if above is not None:
            yield replace(row, holds=True, note="" if row.holds is None else "proved, though another one is found now")
        elif row.key in partly and row.holds is None:
            yield replace(partly[row.key], note=f"{partly[row.key].note}; {row.note}")
        else:
            yield row
    yield from (decided[key] for key in decided if key in wrong)


def _upwards(key: str) -> Iterator[str]:
    """A key and those above it."""
    while key:
        yield key
        key = key[: max(key.rfind("."), key.rfind("["), 0)]


def _played(scenario: Scenario, limit: float, progress: Progress | None) -> Iterator[tuple[str, Comparison]]:
    """What a scenario of a witness expects, beside what is found within the time limit."""
    for verb, expected in scenario.expect.items():
        again = ask_again(Request(verb, scenario, expected.get("options", {})), True, limit, progress)
        if again.data is not None:
            yield from ((verb, row) for row in compare(again.data, expected))
        else:
            claimed = (key for key in expected if key != "options")
            yield from ((verb, Comparison(key, expected[key], None, None, again.note)) for key in claimed)
