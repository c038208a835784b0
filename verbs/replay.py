"""``check`` and ``replay``: what scenarios expect, and what records claim, beside what is found now."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeAlias

from ..scenarios.problems import Problem, ScenarioError
from ..scenarios.reader import Source, expand, load, shipped
from ..scenarios.scenario import Scenario
from ..scheduling.progress import Progress
from .dispatch import ask
from .expect import Comparison, compare
from .records import Record

Rows: TypeAlias = list[tuple[str, str, Comparison]]


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


def replay(record: Record | Mapping[str, Any] | str | os.PathLike[str]) -> Rows:
    """Rerun every certificate of a record and put each claimed value beside the recomputed one.

    Parameters
    ----------
    record
        A record, its dict, or the path of a JSON file that holds it.

    Returns
    -------
    list of (place, verb, Comparison)
        ``place`` says where in the record the certificate stands; empty when the record carries none.
    """
    data = record.to_dict() if isinstance(record, Record) else record if isinstance(record, Mapping) else _read(record)
    return [(place, verb, row) for place, certificate in certificates(data) for verb, row in checked(load(certificate))]


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
            if key == "replay" and isinstance(item, list):
                for i, certificate in enumerate(item):
                    yield f"{where}[{i + 1}]", certificate
            else:
                yield from certificates(item, where)
    elif isinstance(value, list):
        for i, item in enumerate(value):
            yield from certificates(item, f"{place}[{i + 1}]")
