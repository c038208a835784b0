"""Survey of a store: how far its study is, what failed, statistics by group, and the instances that ended it.

The instances that meet the condition of ``[stop]`` are made small and written as scenarios with what they show.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from ..parallel.outcomes import Outcome
from ..parallel.store import Store
from ..scenarios.reader import load
from ..scenarios.scenario import plain
from ..support.errors import InputError
from ..support.progress import Clock, Progress
from .hunting.conditions import Condition
from .hunting.shrinking import shrink
from .running import Counts, Hits, TaskAnswer, task_answer
from .statistics import Value, summed
from .study import Study, Task


@dataclass(frozen=True)
class Group:
    """Statistics of the tasks that agree in the keys of a group."""

    keys: Mapping[str, Any]
    tasks: int
    values: Mapping[str, Mapping[str, Value]]
    counts: Mapping[str, int]
    """Values that the statistics of a measure are of: tasks whose value is null are left out."""


@dataclass(frozen=True)
class Survey:
    """What a store says of its study."""

    # counts, hits: how many tasks there are of each status, and those that meet the condition of ``[stop]``
    counts: Counts
    hits: Hits
    # of tasks without an answer: by what was said, how many there are and the first of them
    errors: Mapping[str, tuple[int, int]]
    absent: list[str]  # measures that no task that is done has had a value of
    # statistics by group, in the order of the grid, of tasks that are done; without those that cannot be made
    groups: list[Group]
    faults: list[str]  # why these cannot be made

    @classmethod
    def of(cls, study: Study, store: Store) -> Survey:
        """Read the store once."""
        tasks = range(1, study.size + 1)
        counts, hits, samples = Counts(len(tasks)), Hits(study, tasks), _Samples(study)
        errors: dict[str, tuple[int, int]] = {}
        unmet = dict(study.unknown)
        for outcome in store.outcomes():
            counts.add(outcome)
            if not hits.enough:  # what is beyond the last hit depends on how many workers there were
                samples.add(outcome)
            hits.add(outcome)
            if outcome.status == "done":
                unmet = {name: None for name in unmet if name not in outcome.measures}
            elif outcome.error is not None:
                number, begun = errors.get(outcome.error, (0, outcome.task))
                errors[outcome.error] = number + 1, begun
        groups, faults = samples.groups()
        return cls(counts, hits, errors, list(unmet) if counts.done else [], groups, faults)


@dataclass
class _Sample:
    """A group: its keys, how many tasks, and the values of the measures with statistics."""

    keys: dict[str, Any]
    values: dict[str, list[Any]]
    tasks: int = 0


class _Samples:
    """All groups."""

    def __init__(self, study: Study) -> None:
        self.study = study
        self.kept: dict[str, _Sample] = {}

    def add(self, outcome: Outcome) -> None:
        """Take what a task that is done has found."""
        if outcome.status != "done":
            return
        keys = {key: outcome.varied[key] for key in self.study.groups}
        text = json.dumps(keys)
        if text not in self.kept:
            self.kept[text] = _Sample(keys, {name: [] for name in self.study.statistics})
        sample = self.kept[text]
        sample.tasks += 1
        for name, values in sample.values.items():
            values.append(outcome.measures.get(name))

    def groups(self) -> tuple[list[Group], list[str]]:
        """The groups, and why a statistic cannot be made, each said once; no group has it then."""
        faults: list[str] = []
        tables: list[dict[str, dict[str, Value]]] = [{} for _ in self.kept]
        for name, statistics in self.study.statistics.items():
            for what in statistics:
                try:
                    values = [summed(what, sample.values[name]) for sample in self.kept.values()]
                except InputError as error:
                    faults.append(f"statistics.{name}: {error}")
                    continue
                for table, value in zip(tables, values, strict=True):
                    table.setdefault(name, {})[what] = value
        groups = []
        for sample, table in zip(self.kept.values(), tables, strict=True):
            counts = {name: sum(value is not None for value in values) for name, values in sample.values.items()}
            groups.append(Group(sample.keys, sample.tasks, table, counts))
        return groups, faults


SEARCHED: Final = 0.8
"""Of a time limit, what the tasks may take where hits are shrunk afterwards; these share what is left."""


def searching(study: Study, time_limit: float | None) -> float | None:
    """Seconds for the tasks."""
    if time_limit is None or study.stop is None or not study.stop.shrink:
        return time_limit
    return SEARCHED * time_limit


def scenario(study: Study, task: Task, clock: Clock, progress: Progress | None = None) -> dict[str, Any]:
    """The instance of a task that meets the condition, as small as that allows, with the measures in ``[expect]``.

    It is left as small as it is when the clock expires, and says so in ``source``.
    """
    assert study.stop is not None
    condition = Condition.parse(study.stop.when, study.unknown)
    data = study.instance(task).to_dict()
    data.pop("expect", None)

    def holds(candidate: Mapping[str, Any]) -> bool:
        answer = _answer(study, task, candidate)
        return answer.status == "done" and condition.holds({**study.unknown, **study.measured(answer.records)})

    small = ""
    if study.stop.shrink:
        shrunk = shrink(data, holds, clock=clock, progress=progress)
        data = dict(shrunk.scenario)
        small = ", made smaller" if shrunk.minimal else ", made smaller until the time was over"
    data["title"] = f"{study.title}: {study.stop.when}"
    rule = study.rules.get(data.get("mechanism", {}).get("rule"))
    again = "" if rule is None else f"; to ask it again: consortium check FILE --mechanism {rule.reference}"
    data["source"] = f"found by the study {study.name!r}, task {task.number} (seed {task.seed}){small}{again}"
    return data | {"expect": _expected(study, task, study.measured(_answer(study, task, data).records))}


def _answer(study: Study, task: Task, data: Mapping[str, Any]) -> TaskAnswer:
    """What a scenario answers when it is asked as the task asks its own."""
    return task_answer(study, task, lambda: replace(load(dict(data)), folder=study.folder))


def _expected(study: Study, task: Task, measures: Mapping[str, Any]) -> dict[str, Any]:
    """``[expect]``: what the condition speaks of, as the scenario answers now; floats are statistics and left out."""
    expect: dict[str, Any] = {}
    for verb in study.head.verb:
        own = {
            measure.path: measures[measure.name]
            for measure in study.measures
            if measure.verb == verb and not isinstance(measures.get(measure.name), float | None)
        }
        options = {key: plain(value) for key, value in study.options_for(verb, task).items()}
        if own:
            expect[verb] = own | ({"options": options} if options else {})
    return expect
