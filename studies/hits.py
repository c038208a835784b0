"""The instances that a study with ``[stop]`` has found, made small and written as scenarios with what they show."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from ..scenarios.reader import load
from ..scenarios.scenario import plain
from ..scenarios.writer import write
from ..support.progress import Clock, Progress
from .hunting.conditions import Condition
from .hunting.shrinking import shrink
from .places import moved
from .results import Results
from .running import Hits
from .study import Study, Task
from .tasks import Found, found_of

SEARCHED: Final = 0.8
"""Of a time limit, what the tasks may take where hits are shrunk afterwards; these share what is left."""


def searching(study: Study, time_limit: float | None) -> float | None:
    """Seconds for the tasks."""
    if time_limit is None or study.stop is None or not study.stop.shrink:
        return time_limit
    return SEARCHED * time_limit


def written(results: Results, hits: Hits, clock: Clock, progress: Progress | None = None) -> list[str]:
    """Write a scenario per hit beside the store, one that is there already left as it is; names of the files.

    Each has an equal share of the time that is left to be shrunk in.

    Raises
    ------
    InputError
        When a file cannot be written.
    """
    assert results.study.stop is not None
    beside = Path(results.store.path)
    paths = {
        number: beside.with_name(f"{beside.stem}-hit-{number}.toml") for number in hits.found[: results.study.stop.hits]
    }
    missing = {number: path for number, path in paths.items() if not path.exists()}
    for done, (number, path) in enumerate(missing.items()):
        left = clock.left()
        share = Clock(None if left is None else left / (len(missing) - done))
        found = scenario(results.study, results.study.task(number), share, progress)
        write(moved(found, results.study.folder, beside.parent), path)
    return [str(path) for path in paths.values()]


def scenario(study: Study, task: Task, clock: Clock, progress: Progress | None = None) -> dict[str, Any]:
    """The instance of a task that meets the condition, as small as that allows, with the measures in ``[expect]``.

    It is left as small as it is when the clock expires, and says so in ``source``.
    """
    assert study.stop is not None
    condition = Condition.parse(study.stop.when, study.unknown)
    data = study.instance(task).to_dict()
    data.pop("expect", None)

    def holds(candidate: Mapping[str, Any]) -> bool:
        found = _found(study, task, candidate)
        return found.status == "done" and condition.holds({**study.unknown, **study.measured(found.records)})

    small = ""
    if study.stop.shrink:
        shrunk = shrink(data, holds, clock=clock, progress=progress)
        data = dict(shrunk.scenario)
        small = ", made smaller" if shrunk.minimal else ", made smaller until the time was over"
    data["title"] = f"{study.title}: {study.stop.when}"
    data["source"] = f"found by the study {study.name!r}, task {task.number} (seed {task.seed}){small}"
    return data | {"expect": _expected(study, task, study.measured(_found(study, task, data).records))}


def _found(study: Study, task: Task, data: Mapping[str, Any]) -> Found:
    """What a scenario answers when it is asked as the task asks its own."""
    return found_of(study, task, lambda: replace(load(dict(data)), folder=study.folder))


def _expected(study: Study, task: Task, measures: Mapping[str, Any]) -> dict[str, Any]:
    """``[expect]``: what the condition speaks of, as the scenario answers now; floats are statistics and left out."""
    found: dict[str, Any] = {}
    for verb in study.head.verb:
        own = {
            measure.path: measures[measure.name]
            for measure in study.measures
            if measure.verb == verb and not isinstance(measures.get(measure.name), float | None)
        }
        asked = {key: plain(value) for key, value in study.asked(verb, task).items()}
        if own:
            found[verb] = own | ({"options": asked} if asked else {})
    return found
