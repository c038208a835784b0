"""Shrink a scenario while a condition holds, to a local minimum: fewer players, then fewer jobs, then smaller numbers.

One step replaces the scenario by a smaller one for which the condition still holds. Steps are tried in this order, and
from the first one again after each that was taken:

1. one player less;
2. one job less: without it, or with two jobs of a player in one;
3. one entry less: a machine, an item of a list of the domain, an optional key (``value``, ``declares``, ``[domain]``);
4. all lengths and times, or all powers, over their greatest common factor;
5. all occurrences of one number, then one number alone, made simpler (:func:`.edits.simpler`): towards 0 by bisection
   down to the decrement by 1, fractions by smaller denominators.

**What is promised.** Of the result no single step keeps the condition: without any one player, job or entry, with any
one number (or all its occurrences) less by 1, or any one fraction rounded or its numerator less by 1, it fails, or the
scenario is none that its kind reads. It is no global minimum: two changes at once may keep it. The same scenario and
condition always give the same result. Numbers of ``[mechanism]`` and ``[welfare]`` are kept; what
refers to a player or a job follows (:mod:`.edits`); ``title``, ``source`` and ``[expect]`` are dropped, since they
speak of another instance.

Every step makes (players, jobs, entries, sum of denominators, sum of numerators) lexicographically smaller, so it ends.

>>> def late(scenario):
...     return sum(agent["length"] for agent in scenario["agents"]) >= 10
>>> small = shrink({"format": 1, "kind": "declaration", "cluster": {"powers": [2, 3]},
...                 "agents": [{"length": 7}, {"length": 9}, {"length": 30}], "mechanism": {"rule": "harsh"}}, late)
>>> small.scenario["agents"], small.scenario["cluster"], small.minimal
([{'length': 10}], {'powers': [1]}, True)
"""

from __future__ import annotations

import copy
import json
import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, groupby
from typing import Any, Final

from numpy.random import default_rng

from ...scenarios.reader import load
from ...scenarios.scenario import Scenario, plain
from ...support.errors import ConsortiumError
from ...support.interrupts import noticed
from ...support.progress import Clock, Progress
from .edits import (
    COUNTS,
    SETTINGS,
    Data,
    Path,
    changed,
    jobs_of,
    mutated,
    named,
    numbers,
    players,
    scaled,
    simpler,
    unit,
    without_job,
    without_player,
)

ABOUT_THE_FIRST: Final = ("title", "source", "expect")
"""Keys of what is said of the scenario that was given."""
KEPT: Final = ("name", "jobs")
"""Keys that are no entry to drop: others refer to a player's name, and jobs go one by one."""


@dataclass(frozen=True)
class Shrunk:
    """The smallest scenario found.

    Attributes
    ----------
    scenario
        It, as a plain dict.
    minimal
        Whether it is the local minimum promised; not after a time limit or Ctrl-C.
    tried
        Scenarios of which the condition was asked.
    """

    scenario: Data
    minimal: bool
    tried: int


def shrink(
    scenario: Mapping[str, Any],
    holds: Callable[[Data], bool],
    *,
    clock: Clock | None = None,
    progress: Progress | None = None,
) -> Shrunk:
    """Make a scenario smaller as long as a condition holds; see the module.

    Parameters
    ----------
    scenario
        A scenario dict of which the condition holds (it is not asked again).
    holds
        The condition, of a scenario dict that its kind reads. What refuses a scenario (any error of the package) is
        taken for a condition that does not hold.
    clock
        Stops it with the smallest scenario so far, as Ctrl-C does.
    progress
        Hears of the scenarios tried and of the size reached.
    """
    loaded = load(dict(scenario))
    names = getattr(loaded.spec, "names", ())
    data = {key: value for key, value in loaded.to_dict().items() if key not in ABOUT_THE_FIRST}
    current, rejected, minimal = named(data, names), set[str](), False
    with noticed() as stopped, suppress(TimeoutError, KeyboardInterrupt):
        while not minimal:
            for candidate in candidates(current):
                key = json.dumps(candidate, sort_keys=True)
                if key in rejected:
                    continue
                if clock is not None:
                    clock.check()
                if progress is not None:
                    progress(len(rejected), None, f"shrinking: {size_of(current)}")
                kept = _kept(candidate, holds)
                if stopped():
                    raise KeyboardInterrupt
                if kept:
                    current = candidate
                    break
                rejected.add(key)
            else:
                minimal = True
    return Shrunk(current, minimal, len(rejected))


def _kept(candidate: Data, holds: Callable[[Data], bool]) -> bool:
    try:
        load(candidate)
        return holds(candidate)
    except ConsortiumError:
        return False


def candidates(data: Data) -> Iterator[Data]:
    """All smaller scenarios that one step leads to, in the order in which they are tried."""
    for key in players(data):
        for number in range(len(data[key])):
            yield without_player(data, key, number)
    for key in players(data):
        for number, player in enumerate(data[key]):
            for job in range(len(jobs_of(player))):
                yield without_job(data, key, number, job, _name(data, key, number))
            yield from _merged_jobs(data, key, number)
    yield from _less_entries(data)
    yield from scaled(data)
    yield from _simpler_numbers(data)


def _merged_jobs(data: Data, key: str, number: int) -> Iterator[Data]:
    """With two of a player's jobs, given as plain lengths, in one."""
    jobs = jobs_of(data[key][number])
    if any(isinstance(job, dict | list) for job in jobs):
        return
    for i, j in combinations(range(len(jobs)), 2):
        fewer = without_job(data, key, number, j, _name(data, key, number))
        fewer[key][number]["jobs"][i] = plain(Fraction(jobs[i]) + Fraction(jobs[j]))
        yield fewer


def _name(data: Data, key: str, number: int) -> str:
    """The name of a player, written wherever something refers to it."""
    return str(data[key][number].get("name", ""))


def _less_entries(data: Data) -> Iterator[Data]:
    """Without an item of a list that is neither of players nor of jobs, and without a key."""
    for path, value in _entries(data, ()):
        for step in reversed(range(len(value))) if isinstance(value, list) else list(value):
            if step not in KEPT and (path or (step not in SETTINGS and step not in players(data))):
                yield _without(data, (*path, step))


def _entries(value: Any, path: Path) -> Iterator[tuple[Path, Any]]:
    """The tables and lists of the instance from which an entry may be dropped."""
    if path and path[0] in SETTINGS:
        return
    if isinstance(value, dict):
        yield path, value
        for key, item in value.items():
            yield from _entries(item, (*path, key))
    elif isinstance(value, list):
        if "jobs" not in path and not all(isinstance(item, dict) for item in value):
            yield path, value
        for i, item in enumerate(value):
            yield from _entries(item, (*path, i))


def _without(data: Data, path: Path) -> Data:
    result = copy.deepcopy(data)
    here: Any = result
    for step in path[:-1]:
        here = here[step]
    del here[path[-1]]
    return result


def _simpler_numbers(data: Data) -> Iterator[Data]:
    """With all occurrences of a number made simpler, then with one alone; the largest numbers first."""
    values = [(value, path) for path, value in numbers(data)]
    order = sorted(values, key=lambda item: (-abs(item[0]), item[0]))
    for value, same in groupby(order, key=lambda item: item[0]):
        paths = [path for _, path in same]
        together = [path for path in paths if not any(key in COUNTS for key in path)]
        for group in (together, *([path] for path in paths)):
            yield from (changed(data, dict.fromkeys(group, less)) for less in simpler(value) if group)


@dataclass(frozen=True, order=True)
class Size:
    """How large an instance is: what shrinking makes smaller first comes first.

    ``work`` is the sum of the lengths of all jobs, in the largest unit fraction (1, 1/2, ...)
    of which all lengths and times are whole multiples.
    """

    players: int
    jobs: int
    work: int

    def __str__(self) -> str:
        return f"{self.players} players, {self.jobs} jobs, work {self.work}"


def size_of(scenario: Mapping[str, Any] | Scenario) -> Size:
    """The size of a scenario whose jobs are written in it.

    >>> size_of({"agents": [{"length": 2}, {"length": "1/2"}]})
    Size(players=2, jobs=2, work=5)
    >>> print(size_of({"organizations": [{"jobs": [[0, 3], [1, 4]]}, {"jobs": [{"length": 2, "name": "x"}]}]}))
    2 players, 3 jobs, work 9
    """
    data = scenario.to_dict() if isinstance(scenario, Scenario) else scenario
    n_players, lengths = sum(len(data[key]) for key in players(data)), _lengths(data)
    return Size(n_players, len(lengths), int(sum(lengths, Fraction(0)) / unit(data)))


def _lengths(data: Mapping[str, Any]) -> list[Fraction]:
    listed = [player for key in players(data) for player in data[key]]
    lengths = [Fraction(player["length"]) for player in listed if "length" in player]
    return lengths + [_length(job) for player in listed for job in jobs_of(player)]


def extents(data: Mapping[str, Any]) -> dict[str, list[int]]:
    """By name the sizes of a scenario whose jobs are written in it, as a hunt is asked for them.

    >>> extents({"organizations": [{"jobs": [1, 2], "machines": 2}, {"jobs": [[0, 3]]}]})
    {'organizations': [2], 'jobs': [2, 1], 'longest': [3], 'machines': [2, 1]}
    """
    powers = data.get("cluster", {}).get("powers", ())
    owned = [row.get("machines", 1) for row in data.get("organizations", ())]
    return {
        **{key: [len(data[key])] for key in players(data)},
        "jobs": [len(jobs_of(player)) for key in players(data) for player in data[key]],
        "longest": [math.ceil(max(_lengths(data), default=0))],
        "machines": owned or [len(powers) or data.get("machines", 1)],
    }


def _length(job: Any) -> Fraction:
    """Of a job as a number, a table, or ``[release, length, ...]``."""
    return Fraction(job["length"] if isinstance(job, dict) else job[1] if isinstance(job, list) else job)


TRIES: Final = 10_000
"""Random neighbours looked at; of them only the smaller ones are asked."""
MOST_QUESTIONS: Final = 600
CHANGES: Final = 5
"""At once, at most."""


def smaller_neighbour(
    data: Mapping[str, Any], holds: Callable[[Data], bool], seed: int, clock: Clock | None = None
) -> Data | None:
    """Find a way out of a local minimum of shrinking: a smaller scenario of which a condition holds still.

    It is a few random changes away; ``None`` if there was none. Smaller is fewer players, then fewer jobs, then less
    work. The same seed finds the same one.

    >>> smaller_neighbour({"agents": [{"length": 3}, {"length": 3}]}, lambda data: True, 0) is not None
    True
    """
    rng, size, tried = default_rng(seed), size_of(data), set[str]()
    for _ in range(TRIES):
        if len(tried) == MOST_QUESTIONS or (clock is not None and clock.expired()):
            return None
        other: Data = dict(data)
        for _ in range(int(rng.integers(1, CHANGES + 1))):
            other = mutated(other, rng)
        key = json.dumps(other, sort_keys=True)
        if key in tried or not size_of(other) < size:
            continue
        tried.add(key)
        try:
            if holds(other):
                return other
        except ConsortiumError:
            continue
    return None
