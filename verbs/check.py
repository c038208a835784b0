"""``check``: what scenarios expect, what records claim and what certificates prove, beside what is found now.

A *scenario* is asked every verb that its ``[expect]`` table names, and every expected value is compared.

A *record* claims every leaf of its dict, each of which is judged once, see :mod:`consortium.verbs.judging`.

A *certificate* of a proof for all lengths is checked by :mod:`consortium.games.proofs.check_proof`, one of a shape by
:mod:`consortium.games.placement.all_lengths.check_shape`, one of designed payments by
:mod:`consortium.games.design.check_design`, or :mod:`~consortium.games.design.check_bound` for a formula; of the
package they import no more than what reads their certificates. Whatever a file holds, reading and checking it take no
more than the limits of time and memory.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Final, TypeAlias

from ..games.design import check_bound, check_design
from ..games.placement.all_lengths import check_shape
from ..games.placement.all_lengths.coq import write_folder
from ..games.proofs import check_proof
from ..games.reading import MEMORY, Limits, Refused, Stopped, Unreadable, parsed, reason
from ..mechanisms.kinds import is_custom
from ..scenarios.problems import MISSING, Problem, ScenarioError, Words
from ..scenarios.reader import Source, bounded, expand, shipped
from ..scenarios.scenario import Scenario
from ..scenarios.toml import parse_text
from ..support.errors import ConsortiumError, InputError, TooLargeError
from ..support.files import STDIN, check_destination, name_of, read_text
from ..support.interrupts import noticed
from ..support.numbers import Floats
from ..support.progress import Clock, Progress, ProgressLike, received
from .claims import Comparison, compare
from .dispatch import SCENARIO, ask, load
from .judging import PROVE, RECORD, Row, judged
from .options import Door, Field, Flag, Memory, Options, Rules, Seconds, read_options
from .records import Record
from .request import request_of

PROOF: Final = "proof"
SHAPE: Final = "shape"
DESIGN: Final = "design"
"""Kinds of certificates: of mechanisms, of placement games of a shape, and of designed payments."""
BOUND: Final = "formula-bound"
"""Kind of the certificate that no formula of a template is better."""
CHECKERS: Final[Mapping[str, Any]] = {PROOF: check_proof, SHAPE: check_shape, DESIGN: check_design, BOUND: check_bound}
OWN_IMPORT: Final = re.compile(r"^from (\.+)(\w+) import (?:\([^)]*\)|.*)\n", re.MULTILINE)
"""How checkers import what they share."""
CERTIFICATE: Final = "certificate"
JSON: Final = (".json", ".json.gz")
"""How the names of files of records and certificates end."""
MAX_DEPTH: Final = 100
MAX_VALUES: Final = 10_000_000

Checked: TypeAlias = Record | Source


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
) -> list[Row]:
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
    **values: Any,
) -> Iterator[Row]:
    """The rows of :func:`check`, one by one as they are known; what cannot be used is reported after the last."""
    mechanism = values.get("mechanism")
    if door == "python" and mechanism is not None and not isinstance(mechanism, Mapping):
        rules = mechanism if isinstance(mechanism, list | tuple) else [mechanism]
        values["mechanism"] = {str(i): rule for i, rule in enumerate(rules)}
    options = read_options(Check, values, "check", door)
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
