"""``check`` and ``replay``: what scenarios expect, and what records claim, beside what is found now."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, TypeAlias

from ..scenarios.problems import Problem, ScenarioError
from ..scenarios.reader import Source, expand, load, shipped
from ..scenarios.scenario import Scenario
from ..scheduling.progress import Progress
from .asked import Question, question
from .claims import ask_again, judge
from .dispatch import ask
from .expect import Comparison, compare
from .options import Field, Options, Seconds, read_options
from .records import Record

RECORD: Final = "record"
"""Place of a claim of the record itself."""

Rows: TypeAlias = list[tuple[str, str, Comparison]]


class Replay(Options):
    """Options of ``replay``."""

    time_limit: Seconds = Field(10.0, description="Ask again what takes no longer; the rest is proved or listed.")


def check(sources: Iterable[Source] | None = None, *, progress: Progress | None = None) -> Rows:
    """Check the values that scenarios expect, their ``[expect]`` tables (all shipped scenarios by default).

    A source may also be a folder: of files, or of shipped scenarios (``"agmon2003"``). Returns a list of (scenario,
    verb, comparison). A scenario without expectations contributes nothing.
    """
    rows: Rows = []
    names = shipped() if sources is None else [name for source in sources for name in expand(source)]
    for i, source in enumerate(names):
        scenario = load(source)
        if progress:
            progress(i, len(names), scenario.name)
        rows.extend((scenario.name, verb, row) for verb, row in checked(scenario))
    return rows


def checked(scenario: Scenario) -> Iterator[tuple[str, Comparison]]:
    """Every value that one scenario expects, by verb."""
    for verb, expected in scenario.expect.items():
        record = ask(verb, scenario, expected.get("options", {}), door="file")
        for row in compare(record.to_dict(), expected):
            yield verb, row


def replay(
    record: Record | Mapping[str, Any] | str | os.PathLike[str],
    *,
    time_limit: float = 10,
    progress: Progress | None = None,
) -> Rows:
    """Recompute or prove again every claim of a record, and put each claimed value beside the one found now.

    Parameters
    ----------
    record
        A record, its dict, or the path of a JSON file that holds it.
    time_limit
        What takes longer to ask again (seconds) is proved where a shorter proof exists, else listed as not checked.
    progress
        Receiver of progress reports.

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
    data = record.to_dict() if isinstance(record, Record) else record if isinstance(record, Mapping) else _read(record)
    where = os.fspath(record) if isinstance(record, str | os.PathLike) else "record"
    limit = read_options(Replay, {"time_limit": time_limit}, "replay").time_limit
    rows = [
        (place, verb, row)
        for place, certificate in certificates(data)
        for verb, row in _replayed(load(certificate), limit, progress)
    ]
    verb = str(data.get("verb"))
    rows.extend((RECORD, verb, row) for row in judge(data, question(data, where), limit, progress))
    return rows


def _replayed(scenario: Scenario, limit: float, progress: Progress | None) -> Iterator[tuple[str, Comparison]]:
    """What a scenario of a certificate expects, beside what is found within the time limit."""
    for verb, expected in scenario.expect.items():
        again = ask_again(Question(verb, scenario, expected.get("options", {})), True, limit, progress)
        if again.found is not None:
            yield from ((verb, row) for row in compare(again.found, expected))
        else:
            claimed = (key for key in expected if key != "options")
            yield from ((verb, Comparison(key, expected[key], None, None, again.note)) for key in claimed)


def _read(path: str | os.PathLike[str]) -> Mapping[str, Any]:
    name, wanted = os.fspath(path), "the JSON object of a record, as --json prints it"
    try:
        data = json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise ScenarioError(name, [Problem("", error.strerror or str(error), "a readable file")]) from None
    except (ValueError, RecursionError) as error:
        raise ScenarioError(name, [Problem("", str(error), "the JSON of a record, as --json prints it")]) from None
    if not isinstance(data, dict):
        raise ScenarioError(name, [Problem("", data, wanted)])
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
