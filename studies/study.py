"""A study: which scenarios are asked what. Its tasks are counted from 1, cell after cell of the grid.

>>> from consortium.studies.reader import load
>>> study = load({"format": 1, "kind": "study", "verb": "run", "replicates": 2, "base": {"scenario": "agmon2003/5.2.1"},
...               "vary": {"mechanism.rule": ["light-vcg", "vcg-postpone"]}, "measures": {"rent": "rent"}})
>>> study.size, study.cell(2), study.task(3).replicate
(4, {'mechanism.rule': 'vcg-postpone'}, 1)
>>> study.instance(study.task(3)).spec.rule
'vcg-postpone'
"""

from __future__ import annotations

import hashlib
import json
import os
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate
from math import prod
from pathlib import Path
from typing import Any, Final

import numpy as np

from ..mechanisms.custom import Named, named
from ..mechanisms.kinds import CUSTOM, is_custom
from ..mechanisms.kinds import kind as find_kind
from ..scenarios.reader import load as load_scenario
from ..scenarios.scenario import Scenario
from ..support.loading import load
from ..verbs.claims import ABSENT, at
from ..verbs.dispatch import options_of
from ..workloads.families import filling, listing
from .blocks import EACH, HeadBlock, PlotBlock, StopBlock
from .statistics import Measure

FAMILY: Final = "family."
MECHANISM: Final = "mechanism."
RULE: Final = "mechanism.rule"
OPTIONS: Final = "options."
OF_THE_TASK: Final = "task"
"""The value of an option ``seed`` that stands for the seed of the task."""


@dataclass(frozen=True)
class Axis:
    """One direction of the grid: keys and the values that they take together, a row for each step."""

    keys: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]


@dataclass(frozen=True)
class Task:
    """One instance and all its verbs."""

    number: int  # from 1
    cell: int  # of the grid, from 1
    replicate: int  # within its cell, from 1
    # of everything random in it. Cells that differ in rules and options alone draw the same instances, so that these
    # are compared on the same jobs
    seed: int
    varied: Mapping[str, Any]  # value of each varied key


@dataclass(frozen=True)
class Study:
    """A checked study file."""

    name: str  # the path or the name it was read from
    head: HeadBlock  # the keys that are no tables
    base: Mapping[str, Any]  # scenario that every instance begins with, as plain data
    folder: str | None  # of the study file, absolute: where files that the base and the family name are looked up
    family: Mapping[str, Any] | None  # name and parameters of the random family that fills it, if any
    options: Mapping[str, Mapping[str, Any]]  # of each verb
    axes: tuple[Axis, ...]  # the grid; the last one varies fastest
    # measures, stop, statistics, plots: what is taken from the records, when to stop, and how it is summed up and drawn
    measures: tuple[Measure, ...]
    stop: StopBlock | None
    statistics: Mapping[str, tuple[str, ...]]
    plots: tuple[PlotBlock, ...]
    data: Mapping[str, Any]  # all of it as plain data that JSON can hold, the base written out
    # whether it names a custom rule itself, as ``[base] mechanism``; one that a scenario names is never imported
    named: bool = False

    @property
    def title(self) -> str:
        """Title, or else the name."""
        return self.head.title or self.name

    @property
    def remarks(self) -> list[str]:
        """What a reader may not expect: verbs that try values of the base, not those that the family draws."""
        if self.family is None:
            return []
        over = {name: find_kind(self.base["kind"]).verb(name).over for name in self.options}
        return [
            f"{name} tries the lengths of [{key}] in the base, not those that the family draws"
            for name, key in over.items()
            if key in self.base
        ]

    @property
    def keys(self) -> tuple[str, ...]:
        """The varied keys."""
        return tuple(key for axis in self.axes for key in axis.keys)

    @property
    def groups(self) -> tuple[str, ...]:
        """The varied keys that make the groups of the statistics."""
        return self.keys if self.head.group_by is None else self.head.group_by

    @property
    def cells(self) -> int:
        """How many there are."""
        return int(prod(len(axis.rows) for axis in self.axes))

    @property
    def size(self) -> int:
        """How many tasks there are."""
        return self._ends[-1]

    @cached_property
    def text(self) -> str:
        """The study as a text from which another process makes the same."""
        digests = {name: rule.digest for name, rule in self.rules.items()}
        return json.dumps({"name": self.name, "folder": self.folder, "data": self.data, "digests": digests})

    def cell(self, number: int) -> dict[str, Any]:
        """Values of the varied keys in a cell."""
        remainder, values = number - 1, []
        for axis in reversed(self.axes):
            remainder, at = divmod(remainder, len(axis.rows))
            values.append(dict(zip(axis.keys, axis.rows[at], strict=True)))
        return {key: value for step in reversed(values) for key, value in step.items()}

    def task(self, number: int) -> Task:
        """A task by its number, from 1."""
        cell = bisect_left(self._ends, number)
        replicate = number - self.first(cell + 1)
        varied = self.cell(cell + 1)
        return Task(number, cell + 1, replicate + 1, self._seed(varied, replicate), varied)

    def first(self, cell: int) -> int:
        """Number of the first task of a cell."""
        return 1 + (self._ends[cell - 2] if cell > 1 else 0)

    def number(self, varied: Mapping[str, Any], replicate: int) -> int | None:
        """Number of the task of a cell, by the values of its keys, and of a replicate; ``None`` if it has none.

        A key that ``varied`` lacks has the value that the base, the family or the options give to all.
        """
        cell = 0
        for axis in self.axes:
            row = json.dumps([varied[key] if key in varied else self._unvaried(key) for key in axis.keys])
            rows = list(map(json.dumps, axis.rows))
            if row not in rows:
                return None
            cell = cell * len(rows) + rows.index(row)
        number = self.first(cell + 1) + replicate - 1
        return number if number < self.first(cell + 2) else None

    def _unvaried(self, key: str) -> Any:
        """What all instances have where a key is not varied; a value that no JSON has, where that is not said."""
        options = {"options": self.data.get("options", {})}
        return at({**self.base, "family": self.family or {}, **options}, key)

    def instance(self, task: Task) -> Scenario:
        """The scenario of a task. Raises ScenarioError or InputError where it cannot be used."""
        data = self._drawing(task.varied).instance(task)
        overrides = {key: value for key, value in task.varied.items() if not key.startswith((FAMILY, OPTIONS))}
        if self._seeded:
            data["seed"] = task.seed
        return replace(load_scenario(data, overrides or None), name=f"{self.name}#{task.number}", folder=self.folder)

    def options_for(self, verb: str, task: Task) -> dict[str, Any]:
        """Options of a verb for a task."""
        chosen = dict(self.options[verb])
        several = len(self.head.verb) > 1
        for key, value in task.varied.items():
            if key.startswith(OPTIONS):
                about, _, name = key.removeprefix(OPTIONS).rpartition(".")
                if not several or about == verb:
                    chosen[name] = value
        if chosen.get("seed") == OF_THE_TASK:
            chosen["seed"] = task.seed
        return chosen

    @cached_property
    def rules(self) -> dict[str, Named]:
        """The custom rules that the study itself names, in ``[base]`` or among varied values, with their code."""
        own = [self.base["mechanism"]["rule"]] if self.named else []
        varied = (row[at] for axis in self.axes for at, key in enumerate(axis.keys) if key == RULE for row in axis.rows)
        own += [rule for rule in varied if isinstance(rule, str) and is_custom(rule) and rule != CUSTOM]
        return {rule: named(rule, self.folder or os.curdir) for rule in own}

    def rule_for(self, verb: str, task: Task) -> dict[str, Any]:
        """The option with the custom rule of a task, where it has one and the verb takes it."""
        rule = self.rules.get(task.varied.get(RULE, self.base.get("mechanism", {}).get("rule")))
        if rule is None or "mechanism" not in load(find_kind(self.base["kind"]).verb(verb).options).model_fields:
            return {}
        return {"mechanism": rule}

    @cached_property
    def unknown(self) -> dict[str, None]:
        """Every measure by its name, not known."""
        return dict.fromkeys(measure.name for measure in self.measures)

    def measured(self, records: Mapping[str, Any]) -> dict[str, Any]:
        """The measures that the dicts of the records by verb have."""
        sought = {measure.name: measure.sought(records) for measure in self.measures}
        return {name: value for name, value in sought.items() if value is not ABSENT}

    def checked(self, task: Task) -> None:
        """Make an instance and read its options. Raises ScenarioError or InputError where they cannot be used."""
        kind = find_kind(self.instance(task).kind)
        for verb in self.head.verb:
            options_of(kind, kind.verb(verb), self.options_for(verb, task) | self.rule_for(verb, task), "file")

    @property
    def _seeded(self) -> bool:
        """Whether instances get the seed of their task: where they are random and the base has none."""
        return "seed" not in self.base and (self.family is not None or self.head.replicates != 1)

    @cached_property
    def _ends(self) -> Sequence[int]:
        """Number of the last task of every cell."""
        each = self.head.replicates
        if isinstance(each, int):
            return range(each, each * self.cells + 1, each)
        sizes = (self._drawing(self.cell(number + 1)).count for number in range(self.cells))
        return tuple(accumulate(sizes))

    def _seed(self, varied: Mapping[str, Any], replicate: int) -> int:
        words = [self.head.seed, *self._drawing(varied).words, replicate]
        return int(np.random.SeedSequence(words).generate_state(1, np.uint64)[0] >> 1)

    def _drawing(self, varied: Mapping[str, Any]) -> Drawing:
        """How the instances of a cell are drawn, prepared once."""
        parameters = {**(self.family or {}), **_within(FAMILY, varied)}
        rules = _within(MECHANISM, varied)
        text = json.dumps([parameters, rules], sort_keys=True)
        if text not in self._drawings:
            base = {**self.base, "mechanism": {**self.base.get("mechanism", {}), **rules}}
            self._drawings[text] = Drawing.of(base, parameters, self.folder, each=self.head.replicates == EACH)
        return self._drawings[text]

    @cached_property
    def _drawings(self) -> dict[str, Drawing]:
        return {}


@dataclass(frozen=True)
class Drawing:
    """How a cell draws its instances: the family with its parameters, and these as numbers of which a seed is made.

    What the mechanism asks of the family (jobs with priorities, say) is no part of the seed.
    """

    words: tuple[int, ...]
    instance: Callable[[Task], dict[str, Any]]
    count: int = 0
    """Of the members, where each is taken once."""

    @classmethod
    def of(cls, base: Mapping[str, Any], family: Mapping[str, Any], folder: str | None, each: bool) -> Drawing:
        """From the base, and the name and the parameters of a family; without these the base is all there is.

        A log lies in the folder; where that is, is no part of the seed.
        """
        digest = hashlib.sha256(json.dumps(family, sort_keys=True).encode()).digest()
        words = tuple(int.from_bytes(digest[at : at + 4], "big") for at in range(0, 16, 4))
        if not family:
            return cls(words, lambda task: dict(base))
        parameters = {key: value for key, value in family.items() if key != "name"}
        if each:
            members = listing(base, family["name"], parameters)
            return cls(words, lambda task: members.member(task.replicate - 1), members.count)
        draw = filling(base, family["name"], parameters, folder)
        return cls(words, lambda task: draw(np.random.default_rng(task.seed)))


def _within(prefix: str, varied: Mapping[str, Any]) -> dict[str, Any]:
    """Varied values whose keys begin with a prefix, without it."""
    return {key.removeprefix(prefix): value for key, value in varied.items() if key.startswith(prefix)}


def moved(data: Mapping[str, Any], old: str | None, new: str | os.PathLike[str] | None) -> dict[str, Any]:
    """A scenario's data whose ``[trace]`` is found from a new folder as from the old one (``None``: the current).

    Only a relative name of a file that lies there is changed; any other is found, or not, from everywhere alike.

    >>> moved({"trace": {"file": "nowhere.swf"}}, "/from", "/to")
    {'trace': {'file': 'nowhere.swf'}}
    """
    trace = data.get("trace")
    named = trace.get("file") if isinstance(trace, Mapping) else None
    if not isinstance(named, str) or os.path.isabs(named):
        return dict(data)
    path = Path(old or os.curdir, named)
    if not os.path.exists(path):
        return dict(data)
    return {**data, "trace": {**data["trace"], "file": os.path.relpath(path, new or os.curdir)}}
