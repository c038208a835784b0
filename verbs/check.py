"""``check``: what scenarios expect, what records claim and what certificates prove, beside what is found now.

A *scenario* is asked every verb that its ``[expect]`` table names, and every expected value is compared.

A *record* claims every leaf of its dict: ``agents[2].output``, ``equilibria.worst.social_cost``; what was shown or
measured (``version``, ``seconds``) is no claim. Each claim is judged once:

1. The request of the record is asked again, whatever version wrote the record, if its estimate fits the time limit, or
   comes near it and the limit can end the work. A claim that is found again holds.
2. Where it was not asked again, and for what differs, the proofs of the verb
   (:attr:`consortium.mechanisms.kinds.Verb.proofs`) settle what a certificate in the record proves, and scenarios under
   ``replay`` are played. Another optimum than the one found now holds where it is proved.
3. What is left differs, or was not checked: then the note says what would check it.

A *certificate* of a proof for all lengths is checked by :mod:`consortium.games.proofs.check_proof`, one of a shape by
:mod:`consortium.games.placement.all_lengths.check_shape`, one of designed payments by
:mod:`consortium.games.design.check_design`, or :mod:`~consortium.games.design.check_bound` for a formula; of the
package they import no more than what reads their certificates. Whatever a file holds, reading and checking it take no
more than the limits of time and memory.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Final, TypeAlias

from .. import __version__
from ..games.design import check_bound, check_design
from ..games.placement.all_lengths import check_shape
from ..games.placement.all_lengths.coq import write_folder
from ..games.proofs import check_proof
from ..games.reading import MEMORY, Limits, Refused, Stopped, Unreadable, parsed, reason
from ..mechanisms.kinds import HUNT, answered, is_custom, names, verbs_of
from ..scenarios.problems import MISSING, Problem, ScenarioError, Words
from ..scenarios.reader import Source, bounded, expand, shipped
from ..scenarios.scenario import Scenario
from ..scenarios.toml import parse_text
from ..support.errors import ConsortiumError, InputError, TooLargeError, UnknownNameError
from ..support.files import STDIN, check_destination, name_of, read_text
from ..support.interrupts import noticed
from ..support.loading import load as load_reference
from ..support.numbers import Floats
from ..support.progress import Clock, Progress, ProgressLike, limited, received
from .claims import ABSENT, Claim, Comparison, attempt, compare, leaves, same
from .dispatch import SCENARIO, ask, estimate, load
from .options import Door, Field, Flag, Memory, Options, Rules, Seconds, read_options
from .records import Record
from .request import Request, is_named, request_of

RECORD: Final = "record"
"""Place of a claim of the record itself."""
PROOF: Final = "proof"
SHAPE: Final = "shape"
DESIGN: Final = "design"
"""Kinds of certificates: of mechanisms, of placement games of a shape, and of designed payments."""
BOUND: Final = "formula-bound"
"""Kind of the certificate that no formula of a template is better."""
CHECKERS: Final[Mapping[str, Any]] = {PROOF: check_proof, SHAPE: check_shape, DESIGN: check_design, BOUND: check_bound}
OWN_IMPORT: Final = re.compile(r"^from (\.+)(\w+) import (?:\([^)]*\)|.*)\n", re.MULTILINE)
"""How checkers import what they share."""
PROVE: Final = "prove"
CERTIFICATE: Final = "certificate"
JSON: Final = (".json", ".json.gz")
"""How the names of files of records and certificates end."""
MAX_DEPTH: Final = 100
MAX_VALUES: Final = 10_000_000
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

Checked: TypeAlias = Record | Source
Row: TypeAlias = tuple[str, str, Comparison]
Rows: TypeAlias = list[Row]


@dataclass(frozen=True)
class Unanswered(Comparison):
    """What was not checked because a limit of time or memory was reached."""


class Check(Options):
    """Options of ``check``."""

    time_limit: Seconds = Field(10, description="Check a certificate, or ask a record's request again, for so long.")
    memory: Memory = Field(MEMORY, description="Memory that reading a file and checking a certificate take.")
    mechanism: Rules | None = Field(
        None, description="Custom rules of records and scenarios, which are imported only if they are named here."
    )
    against: str | None = Field(
        None, description="Run this scenario's mechanism along every path of a certificate's tree too: is it the tree?"
    )
    coq: Annotated[str, Flag("FOLDER")] | None = Field(
        None, description="Write a certificate of a shape, once it is checked, to this folder, as a proof for coqc."
    )


def check(
    sources: Checked | Iterable[Checked] | None = None,
    *,
    time_limit: float | None = None,
    memory: int | None = None,
    mechanism: Any = None,
    against: Source | None = None,
    coq: str | os.PathLike[str] | None = None,
    progress: ProgressLike = None,
) -> Rows:
    """Check scenarios, records and certificates: each expected or claimed value beside the one found now.

    Parameters
    ----------
    sources
        One of these, or several: a scenario (path, shipped name, dict, loaded), a folder of scenarios, also of shipped
        ones (``"agmon2003"``), a record, its dict or file, a certificate, read or as a file. All shipped scenarios by
        default.
    time_limit
        A record is asked again where that takes no longer (seconds), a certificate is checked for so long; ``None``
        for 10. Scenarios take what they take.
    memory
        Bytes that reading a file and checking a certificate may take, about; ``None`` for 400,000,000.
    mechanism
        Custom rule of a record, of scenarios or of ``against``, an object or ``"FILE.py:Name"``; or a list of several.
    against
        Scenario whose mechanism, or else ``mechanism``, a certificate is about: it is run along every path of the
        certificate's tree too.
    coq
        Folder to which a certificate of a shape, where it holds, is written as a proof that coqc checks.
    progress
        Receiver of progress reports, or ``True`` for a bar.

    Returns
    -------
    list of (place, verb, Comparison)
        ``place`` is the scenario, the file, or ``"record"`` for a dict, with the place of a scenario in it.
        ``holds`` is ``None`` for what was not checked, and ``note`` says what would check it.

    Raises
    ------
    InputError
        For sources that cannot be used; of several, after all others were checked. Ctrl-C raises KeyboardInterrupt;
        :func:`checks` has the rows by then.

    Examples
    --------
    >>> from consortium import check, run
    >>> claimed = run("agmon2003/5.2.1").to_dict()
    >>> any(row.holds is not True for _, _, row in check(claimed))
    False
    >>> claimed["rent"] = 7
    >>> [(row.key, row.expected, row.actual) for _, _, row in check(claimed) if row.holds is False]
    [('rent', 7, '2/5')]
    """
    with received(progress, "check") as report:
        options = {"time_limit": time_limit, "memory": memory, "mechanism": mechanism}
        return list(checks(sources, **options, against=against, coq=coq, progress=report))


def checks(
    sources: Checked | Iterable[Checked] | None = None,
    *,
    against: Source | None = None,
    coq: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
    door: Door = "python",
    **given: Any,
) -> Iterator[Row]:
    """The rows of :func:`check`, one by one as they are known; what cannot be used is reported after the last."""
    mechanism = given.get("mechanism")
    if door == "python" and mechanism is not None and not isinstance(mechanism, Mapping):
        rules = mechanism if isinstance(mechanism, list | tuple) else [mechanism]
        given["mechanism"] = {str(i): rule for i, rule in enumerate(rules)}
    options = read_options(Check, given, "check", door)
    if any(isinstance(rule, str | Mapping) for rule in (options.mechanism or {}).values()):
        raise InputError("mechanism: found no code; expected custom rules, FILE.py:Name, of what is checked")
    option = "--coq" if door == "command" else "coq"
    if coq is not None:
        check_destination(coq, option, folder=True)
    written = None if coq is None else (option, Path(coq))
    listed, refused = _listed(sources), list[str]()
    if coq is not None and len(listed) != 1:
        raise InputError(f"{option}: found {len(listed)} files; expected one, the certificate of a shape")
    for i, source in enumerate(listed):
        where = _name(source)
        report = None if progress is None else _inside(progress, i, len(listed), where)
        try:
            yield from _checked(source, where, options, against, report, written)
        except ConsortiumError as error:
            text = str(error) if where in (RECORD, str(error)[: len(where)]) else f"{where}: {error}"
            if len(listed) == 1:
                error.args = (text,)
                raise
            refused.append(text)
    if refused:
        raise InputError("\n".join(refused))


def _listed(sources: Any) -> list[Any]:
    """Every scenario, record and certificate of the sources, one source by itself included."""
    if sources is None:
        return [*shipped()]
    if isinstance(sources, (*SCENARIO, Record)):
        sources = [sources]
    if not isinstance(sources, Iterable):
        kind = type(sources).__name__
        raise InputError(f"check: found {kind}; expected scenarios, records or certificates: paths, names or dicts")
    return [each for source in sources for each in ([source] if _is_json(source) else expand(source))]


def _is_json(source: Any) -> bool:
    """Whether it is a record or a certificate, read or in a file, and no scenario."""
    if isinstance(source, str | os.PathLike):
        return os.fsdecode(source).endswith(JSON)
    return isinstance(source, Record) or (isinstance(source, Mapping) and ("verb" in source or _is_certificate(source)))


def _is_certificate(data: Mapping[str, Any]) -> bool:
    return str(data.get("kind")) in CHECKERS


def _read_stream(source: Any, floats: Floats) -> Any:
    """What comes from standard input or a pipe, which can be read once; any other source as it is."""
    if not isinstance(source, str | os.PathLike) or os.fsdecode(source).endswith(JSON):
        return source
    if not _streams(os.fsdecode(source)):
        return source
    text = read_text(source, "a scenario, or the JSON of a record")
    if text.lstrip().startswith("{"):
        return _parsed(text, name_of(source))
    return replace(load(parse_text(text, name_of(source)), floats=floats), name=name_of(source), folder=os.curdir)


def _name(source: Any) -> str:
    if isinstance(source, Scenario):
        return source.name
    if isinstance(source, str | os.PathLike):
        return name_of(source)
    return RECORD if _is_json(source) else "scenario"


def _inside(progress: Progress, i: int, count: int, where: str) -> Progress:
    """What the work on one of several sources reports is a note beside how many are done."""

    def report(done: int, total: int | None, note: str = "") -> None:
        progress(i, count, f"{where}: {done:,}{'' if total is None else f' of {total:,}'} {note}".rstrip())

    progress(i, count, where)
    return report


def _checked(
    source: Any,
    where: str,
    options: Check,
    against: Source | None,
    progress: Progress | None,
    coq: tuple[str, Path] | None,
) -> Iterator[Row]:
    source, limits = _read_stream(source, options.floats), Limits(options.time_limit, options.memory)
    if coq is not None and not _is_json(source):
        raise InputError(f"{where}: found a scenario; expected the certificate of a shape, for {coq[0]}")
    if not _is_json(source):
        scenario = load(source, floats=options.floats)
        yield from ((scenario.name, verb, row) for verb, row in expected_values(scenario, progress, options.mechanism))
        return
    try:
        data = read_record(source, limits)
    except TooLargeError as error:
        yield where, PROVE, Unanswered(CERTIFICATE, "a file to read", None, None, str(error))
        return
    if coq is not None and data.get("kind") != SHAPE:
        raise InputError(f"{where}: found no certificate of a shape, which {coq[0]} expects")
    if not _is_certificate(data):
        request = request_of(data, where)
        if request is not None and options.mechanism:
            request = request.under([*options.mechanism.values()])
        yield from judged(data, request, options.time_limit, progress, where)
        return
    mechanism = None
    if against is not None and data["kind"] in (PROOF, DESIGN):
        mechanism = _own_mechanism(against, options.mechanism)
    proof = certificate(data, where, limits, compared=against is not None)
    if coq is not None and proof.holds:
        write_folder(data, coq[1], str(proof.actual))
    yield where, PROVE, proof
    if mechanism is not None and proof.holds:
        yield where, PROVE, same_mechanism(data, mechanism, Clock(options.time_limit))


# --- scenarios and certificates -------------------------------------------------------------------------------------


def expected_values(
    scenario: Scenario, progress: Progress | None = None, rules: Mapping[str, Any] | None = None
) -> Iterator[tuple[str, Comparison]]:
    """Every value that one scenario expects, by verb. What Ctrl-C left unfinished is not compared: it raises.

    ``rules``: whose first is that of a scenario with a custom rule.
    """
    own = rules and is_custom(scenario.data.get("mechanism", {}).get("rule", ""))
    custom = {"mechanism": next(iter(rules.values()))} if rules and own else {}
    for verb, expected in scenario.expect.items():
        with noticed() as stopped:
            record = ask(verb, scenario, expected.get("options", {}) | custom, progress=progress, door="file")
        if record.complete or not stopped():
            yield from ((verb, row) for row in compare(record.to_dict(), expected))
        if stopped():
            raise KeyboardInterrupt


def certificate(data: Mapping[str, Any], where: str, limits: Limits, compared: bool = False) -> Comparison:
    """Whether a certificate proves what it says; ``compared``: its tree is going to be compared with a mechanism.

    Raises InputError for what is none.
    """
    kind = data["kind"]
    if kind in (SHAPE, BOUND) and compared:
        what = "a shape" if kind == SHAPE else "a bound"
        raise InputError(f"{where}: found a certificate of {what}; expected one of a mechanism, to compare")
    try:
        statement: str = CHECKERS[kind].check(data, Limits(limits.seconds, limits.memory))
    except Stopped as limit:
        return Unanswered(CERTIFICATE, "a proof", None, None, f"{limit}; --time-limit and --memory allow more")
    except Refused as why:
        return Comparison(CERTIFICATE, "a proof", f"refused: {why}", False)
    except Unreadable as why:
        raise InputError(f"{where}: found neither a record nor a certificate ({why})") from None
    if compared:
        statement = statement.partition(" That the plans are " if kind == DESIGN else " That the tree, with ")[0]
    return Comparison(CERTIFICATE, statement, statement, True)


def program(kind: str = PROOF) -> str:
    """The checker of certificates of a kind as one program, which needs Python and nothing else.

    >>> any(OWN_IMPORT.search(program(kind)) for kind in CHECKERS)
    False
    """
    if kind not in CHECKERS:
        raise InputError(f"found a file of kind {kind!r}; expected a certificate, whose checker is printed")
    return _whole(Path(CHECKERS[kind].__file__), set())


def _whole(path: Path, seen: set[Path]) -> str:
    """The source of a module, modules of the package in the place where they are imported first."""

    def body(statement: re.Match[str]) -> str:
        module = path.parents[len(statement[1]) - 1] / f"{statement[2]}.py"
        if module in seen:
            return ""
        seen.add(module)
        return _whole(module, seen).partition("from __future__ import annotations\n")[2]

    return OWN_IMPORT.sub(body, path.read_text(encoding="utf-8"))


def _own_mechanism(against: Source, rules: Mapping[str, Any] | None) -> Any:
    """The mechanism of a scenario, or the custom rule in its place. Raises InputError where there are several."""
    from .declaration.prove import mechanism_of

    if rules and len(rules) > 1:
        raise InputError(f"mechanism: found {len(rules)} rules; expected one, in the place of the rule of against")
    return mechanism_of(against, next(iter(rules.values())) if rules else None)


def same_mechanism(data: Mapping[str, Any], mechanism: Any, clock: Clock) -> Comparison:
    """Whether a mechanism is that of a checked certificate: its tree, on every path, or all of its plans."""
    from ..games.design.certificate import plan_again
    from ..games.proofs.certificate import replay_tree

    what = "the plans" if data["kind"] == DESIGN else "the tree"
    try:
        if data["kind"] == DESIGN:
            difference, same = plan_again(data, mechanism, clock), f"all {len(data['setting']['plans']):,} of the plans"
        else:
            run = replay_tree(data, mechanism, clock)
            difference, paths = run.difference, "every path" if run.difference else f"all {run.paths:,} paths"
            same = f"the same on {paths} of the tree"
    except TimeoutError as limit:
        return Unanswered("mechanism", what, None, None, f"{limit}; --time-limit allows more")
    return Comparison("mechanism", same, difference or same, difference is None)


def read_record(record: Any, limits: Limits | None = None) -> Mapping[str, Any]:
    """The dict of a record or a certificate, which may be a file of JSON, gzipped where its name ends in ``.gz``.

    Raises InputError for what cannot be read or is no record, TooLargeError for more than records, or the limits, hold.
    """
    where = name_of(record) if isinstance(record, str | os.PathLike) else RECORD
    data = record.to_dict() if isinstance(record, Record) else record
    if isinstance(data, str | os.PathLike):
        data = _parsed(read_text(data, "the JSON of a record"), where, limits)
    if not isinstance(data, Mapping):
        raise ScenarioError(where, [Problem("", data, "a record, its dict, or the path of a file that holds it")])
    if _is_certificate(data):
        return data  # its checker has limits of its own
    for key in ("verb", "kind"):
        if not isinstance(data.get(key), str):
            raise ScenarioError(where, [Problem(key, data.get(key, MISSING), "a record, as --json prints it")])
    return bounded(data, where, MAX_DEPTH, MAX_VALUES)


def _streams(text: str) -> bool:
    """Whether a name stands for standard input, a pipe or a device."""
    try:
        path = Path(text)
        return text == STDIN or (path.exists() and not (path.is_file() or path.is_dir()))
    except (OSError, ValueError):  # a name no file system takes: reported when it is read
        return False


def _parsed(text: str, where: str, limits: Limits | None = None) -> Mapping[str, Any]:
    expected = "the JSON object of a record, as --json prints it"
    try:
        data = parsed(text, limits or Limits())
    except Stopped as limit:
        raise TooLargeError(f"{where}: {limit} to read; --memory allows more") from None
    except (ValueError, RecursionError) as error:
        raise ScenarioError(where, [Problem("", Words(reason(error)), expected)]) from None
    if not isinstance(data, dict):
        raise ScenarioError(where, [Problem("", data, expected)])
    return data


def certificates(value: Any, place: str = "") -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Every scenario under a key ``replay`` of a record's dict, with its place."""
    if isinstance(value, Mapping):
        for key, item in value.items():
            inside = f"{place}.{key}" if place else str(key)
            if inside == "request":
                continue
            if key == "replay" and isinstance(item, list):
                yield from ((f"{inside}[{i}]", scenario) for i, scenario in enumerate(item, 1))
            else:
                yield from certificates(item, inside)
    elif isinstance(value, list):
        for i, item in enumerate(value, 1):
            yield from certificates(item, f"{place}[{i}]")


# --- records --------------------------------------------------------------------------------------------------------


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
