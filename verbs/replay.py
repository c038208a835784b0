"""``check`` and ``replay``: what scenarios expect, and what records claim, beside what is found now."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, TypeAlias

from ..scenarios.problems import Problem, Said, ScenarioError
from ..scenarios.reader import Source, bounded, expand, shipped
from ..scenarios.scenario import Scenario
from ..support.errors import ConsortiumError, InputError
from ..support.interrupts import noticed
from ..support.progress import Progress, ProgressLike
from ..support.progress_bars import received
from ..support.texts import UnreadableError, name_of, read_text
from .asked import Question, question
from .claims import ask_again, judge
from .dispatch import SCENARIO, ask
from .expect import Comparison, compare
from .options import Field, Options, Seconds, read_options
from .reading import load
from .records import Record

RECORD: Final = "record"
"""Place of a claim of the record itself."""

MAX_DEPTH: Final = 100
MAX_VALUES: Final = 10_000_000

Row: TypeAlias = tuple[str, str, Comparison]
Rows: TypeAlias = list[Row]


class Replay(Options):
    """Options of ``replay``."""

    time_limit: Seconds = Field(10, description="Ask again what takes no longer; the rest is proved or listed.")


def check(sources: Iterable[Source] | None = None, *, progress: ProgressLike = None) -> Rows:
    """Check the values that scenarios expect, their ``[expect]`` tables (all shipped scenarios by default).

    A source may also be a folder: of files, or of shipped scenarios (``"agmon2003"``). Returns a list of (scenario,
    verb, comparison). A scenario without expectations contributes nothing. Of several, those that cannot be used raise
    InputError after all others were checked, Ctrl-C raises KeyboardInterrupt; :func:`checks` has the rows by then.
    """
    with received(progress, "check") as report:
        return list(checks(sources, progress=report))


def checks(sources: Iterable[Source] | None = None, *, progress: Progress | None = None) -> Iterator[Row]:
    """The rows of :func:`check`, one by one as they are known; what cannot be used is told after the last."""
    names, refused = _named(sources), list[str]()
    for i, source in enumerate(names):
        where = "scenario"
        try:
            scenario = load(source)
            where = scenario.name
            report = None if progress is None else _inside(progress, i, len(names), where)
            yield from ((where, verb, row) for verb, row in checked(scenario, report))
        except ConsortiumError as error:
            if len(names) == 1:
                raise
            refused.append(str(error) if isinstance(error, ScenarioError) else f"{where}: {error}")
    if refused:
        raise InputError("\n".join(refused))


def _named(sources: Iterable[Source] | None) -> list[Source]:
    """Every scenario of the sources, one source by itself included."""
    if sources is None:
        return [*shipped()]
    if isinstance(sources, SCENARIO):
        return expand(sources)
    if not isinstance(sources, Iterable):
        raise InputError(f"check: found {type(sources).__name__}; expected scenarios: paths, shipped names or dicts")
    return [name for source in sources for name in expand(source)]


def _inside(progress: Progress, i: int, count: int, where: str) -> Progress:
    """What the work on one of several scenarios reports is a note beside how many are done."""

    def report(done: int, total: int | None, note: str = "") -> None:
        progress(i, count, f"{where}: {done:,}{'' if total is None else f' of {total:,}'} {note}".rstrip())

    progress(i, count, where)
    return report


def checked(scenario: Scenario, progress: Progress | None = None) -> Iterator[tuple[str, Comparison]]:
    """Every value that one scenario expects, by verb. What Ctrl-C left unfinished is not compared: it raises."""
    for verb, expected in scenario.expect.items():
        with noticed() as stopped:
            record = ask(verb, scenario, expected.get("options", {}), progress=progress, door="file")
        if record.complete or not stopped():
            yield from ((verb, row) for row in compare(record.to_dict(), expected))
        if stopped():
            raise KeyboardInterrupt


def replay(
    record: Record | Mapping[str, Any] | str | os.PathLike[str],
    *,
    time_limit: float | None = None,
    progress: ProgressLike = None,
) -> Rows:
    """Recompute or prove again every claim of a record, and put each claimed value beside the one found now.

    Parameters
    ----------
    record
        A record, its dict, or the path of a JSON file that holds it.
    time_limit
        What takes longer to ask again (seconds) is proved where a shorter proof exists, else listed as not checked;
        ``None`` for the default of :class:`Replay`.
    progress
        Receiver of progress reports, or ``True`` for a bar.

    Returns
    -------
    list of (place, verb, Comparison)
        ``place`` says where in the record a certificate stands whose scenarios were played again; it is ``"record"``
        for the record's own claims, whose ``key`` says where. ``holds`` is ``None`` for what was not checked, and
        ``note`` says what would check it.

    Examples
    --------
    >>> from consortium import replay, run
    >>> claimed = run("agmon2003/5.2.1").to_dict()
    >>> any(row.holds is not True for _, _, row in replay(claimed))
    False
    >>> claimed["rent"] = 7
    >>> [(row.key, row.expected, row.found) for _, _, row in replay(claimed) if row.holds is False]
    [('rent', 7, '2/5')]
    """
    with received(progress, "replay") as report:
        return list(replays(record, time_limit=time_limit, progress=report))


def replays(
    record: Record | Mapping[str, Any] | str | os.PathLike[str],
    *,
    time_limit: float | None = None,
    progress: Progress | None = None,
) -> Iterator[Row]:
    """The rows of :func:`replay`, one by one as they are known."""
    where = name_of(record) if isinstance(record, str | os.PathLike) else "record"
    data = read_record(record)
    limit = read_options(Replay, {"time_limit": time_limit}, "replay").time_limit
    for place, certificate in certificates(data):
        yield from ((place, verb, row) for verb, row in _replayed(load(certificate), limit, progress))
    verb = str(data.get("verb"))
    yield from ((RECORD, verb, row) for row in judge(data, question(data, where), limit, progress))


def _replayed(scenario: Scenario, limit: float, progress: Progress | None) -> Iterator[tuple[str, Comparison]]:
    """What a scenario of a certificate expects, beside what is found within the time limit."""
    for verb, expected in scenario.expect.items():
        again = ask_again(Question(verb, scenario, expected.get("options", {})), True, limit, progress)
        if again.found is not None:
            yield from ((verb, row) for row in compare(again.found, expected))
        else:
            claimed = (key for key in expected if key != "options")
            yield from ((verb, Comparison(key, expected[key], None, None, again.note)) for key in claimed)


def read_record(record: Record | Mapping[str, Any] | str | os.PathLike[str]) -> Mapping[str, Any]:
    """A record's dict: of a record, of a dict of such, or from a file of JSON, gzipped where its name ends in ``.gz``.

    Raises ScenarioError for what is no JSON object, or larger than records are.
    """
    given = record.to_dict() if isinstance(record, Record) else record if isinstance(record, Mapping) else _read(record)
    where = name_of(record) if isinstance(record, str | os.PathLike) else "record"
    return bounded(given, where, MAX_DEPTH, MAX_VALUES)


def _read(path: object) -> Mapping[str, Any]:
    wanted = "the JSON object of a record, as --json prints it"
    if not isinstance(path, str | os.PathLike):
        raise ScenarioError("record", [Problem("", path, "a record, its dict, or the path of a file that holds it")])
    try:
        data = json.loads(read_text(path, "the JSON of a record"))
    except UnreadableError as error:
        raise ScenarioError(error.where, [Problem("", Said(error.found), error.expected)]) from None
    except (ValueError, RecursionError) as error:
        raise ScenarioError(name_of(path), [Problem("", Said(str(error)), wanted)]) from None
    if not isinstance(data, dict):
        raise ScenarioError(name_of(path), [Problem("", data, wanted)])
    return data


def certificates(value: Any, place: str = "") -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Every scenario under a key ``replay`` of a record's dict, with its place."""
    if isinstance(value, Mapping):
        for key, item in value.items():
            where = f"{place}.{key}" if place else str(key)
            if not place and key == "asked":
                continue
            if key == "replay" and isinstance(item, list):
                for i, certificate in enumerate(item):
                    yield f"{where}[{i + 1}]", certificate
            else:
                yield from certificates(item, where)
    elif isinstance(value, list):
        for i, item in enumerate(value):
            yield from certificates(item, f"{place}[{i + 1}]")
