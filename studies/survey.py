"""How far a study is, what failed, and its statistics by group: all from one reading of the store."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..parallel.outcomes import Outcome
from ..parallel.store import Store
from ..support.errors import InputError, nearest
from ..verbs.expect import addresses
from .running import Counts, Hits
from .statistics import Value, summed
from .study import Study


@dataclass(frozen=True)
class Group:
    """Statistics of the tasks that agree in the keys of a group."""

    keys: Mapping[str, Any]
    tasks: int
    values: Mapping[str, Mapping[str, Value]]


@dataclass(frozen=True)
class Survey:
    """What a store says of its study.

    Attributes
    ----------
    counts, hits
        How many tasks there are of each status, and those that meet the condition of ``[stop]``.
    errors
        Of tasks without an answer: by what was said, how many there are and the first of them.
    absent
        Measures that no task has had a value of, each with the nearest path that the first record has.
    groups
        Statistics by group, in the order of the grid, of tasks that are done; without those that cannot be made.
    faults
        Why these cannot be made.
    """

    counts: Counts
    hits: Hits
    errors: Mapping[str, tuple[int, int]]
    absent: Mapping[str, str | None]
    groups: list[Group]
    faults: list[str]

    @classmethod
    def of(cls, study: Study, store: Store) -> Survey:
        """Read the store once."""
        tasks = range(1, study.size + 1)
        counts, hits, samples = Counts(len(tasks)), Hits(study, tasks), _Samples(study)
        errors: dict[str, tuple[int, int]] = {}
        unmet, first = set(study.unknown), None
        for found in store.outcomes():
            counts.add(found)
            if not hits.enough:  # what is beyond the last hit depends on how many workers there were
                samples.add(found)
            hits.add(found)
            if found.status == "done":
                first = found.task if first is None else first
                unmet -= found.measures.keys()
            elif found.error is not None:
                number, begun = errors.get(found.error, (0, found.task))
                errors[found.error] = number + 1, begun
        groups, faults = samples.groups()
        return cls(counts, hits, errors, {} if first is None else _near(study, store, first, unmet), groups, faults)


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

    def add(self, found: Outcome) -> None:
        """Take what a task that is done has found."""
        if found.status != "done":
            return
        keys = {key: found.varied[key] for key in self.study.groups}
        text = json.dumps(keys)
        if text not in self.kept:
            self.kept[text] = _Sample(keys, {name: [] for name in self.study.statistics})
        sample = self.kept[text]
        sample.tasks += 1
        for name, values in sample.values.items():
            values.append(found.measures.get(name))

    def groups(self) -> tuple[list[Group], list[str]]:
        """The groups, and why a statistic cannot be made, each said once; no group has it then."""
        faults: dict[tuple[str, str], str] = {}
        made = [(sample, self._made(sample, faults)) for sample in self.kept.values()]
        told = {
            name: [what for what in statistics if (name, what) not in faults]
            for name, statistics in self.study.statistics.items()
        }
        groups = [
            Group(
                sample.keys,
                sample.tasks,
                {
                    name: {what: found[name, what] for what in statistics}
                    for name, statistics in told.items()
                    if statistics
                },
            )
            for sample, found in made
        ]
        return groups, list(faults.values())

    def _made(self, sample: _Sample, faults: dict[tuple[str, str], str]) -> dict[tuple[str, str], Value]:
        found: dict[tuple[str, str], Value] = {}
        for name, values in sample.values.items():
            for what in self.study.statistics[name]:
                try:
                    found[name, what] = summed(what, values)
                except InputError as error:
                    faults.setdefault((name, what), f"statistics.{name}: {error}")
        return found


def _near(study: Study, store: Store, task: int, names: set[str]) -> dict[str, str | None]:
    """For measures without a value, the nearest paths of a task's record."""
    kept = store.outcome(task) if names else None
    if kept is None or kept.record is None:
        return {}
    records = json.loads(kept.record)
    return {
        measure.name: nearest(measure.path, addresses(records[measure.verb]))
        for measure in study.measures
        if measure.name in names
    }
