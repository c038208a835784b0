"""Instances for hunts: random ones, by the random families of each kind, and random neighbours of a scenario.

Random instances are tiny in the first rounds, larger later. Lengths are uniform up to a longest one that is drawn
first, so that few different lengths are as likely as many. In half of the instances the jobs of each player are made
equal: ties are where rules go wrong. What a rule needs besides players and jobs (thresholds) is drawn too. A neighbour
has one number, one job or one player changed at random; it may be none that its kind reads.

>>> from numpy.random import default_rng
>>> base = {"format": 1, "kind": "federation", "mechanism": {"rule": "relaxed-2-printed"}}
>>> drawn(base, default_rng(3), size=0)["organizations"]
[{'machines': 1, 'jobs': []}]
>>> data = {"organizations": [{"jobs": [1, 2]}, {"jobs": [3]}]}
>>> mutated(data, default_rng(1)) != data
True
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, Final, TypeAlias

from numpy.random import Generator

from ...workloads.families import filled
from .claims.verdict import LONGEST, hunting_of, upto
from .edits import Data, jobs_of, numbers, players, replaced, without_job, without_player

FAMILY: Final = "uniform-jobs"
ALIKE: Final = 0.5
LARGEST: Final = 3
"""Rounds until instances stop growing."""


def drawn(base: Mapping[str, Any], rng: Generator, size: int = LARGEST) -> Data:
    """A base scenario with random agents, organizations or users.

    ``size``: 0 for tiny instances, up to :data:`LARGEST`. Raises UnknownNameError for a kind without random instances.
    """
    hunting, size = hunting_of(base["kind"]), min(size, LARGEST)
    parameters = {"longest": LONGEST[upto(rng, 0, size + 2)], **hunting.parameters(base, rng, size)}
    data: Data = filled(base, FAMILY, parameters, rng)
    if rng.random() < ALIKE:
        _make_alike(data)
    return hunting.complete(data, rng)


def _make_alike(data: Data) -> None:
    """Give all jobs of a player the length of her first one."""
    for key in players(data):
        for player in data[key]:
            jobs = jobs_of(player)
            if jobs:
                player["jobs"] = [[job[0], jobs[0][1]] if isinstance(job, list) else jobs[0] for job in jobs]


Change: TypeAlias = Callable[[Mapping[str, Any], Generator], dict[str, Any] | None]
"""A neighbour, or ``None`` where there is none of the sort."""


def mutated(data: Mapping[str, Any], rng: Generator) -> Data:
    """A neighbour; mostly with another number, the cheapest change."""
    for _ in range(ATTEMPTS):
        change = CHANGES[rng.integers(len(CHANGES))]
        neighbour = change(data, rng)
        if neighbour is not None and neighbour != data:
            return neighbour
    return copy.deepcopy(dict(data))


def _nudged(data: Mapping[str, Any], rng: Generator) -> Data | None:
    """A number a little more or less."""
    places = numbers(data)
    if not places:
        return None
    path, value = places[rng.integers(len(places))]
    step = Fraction(int(rng.integers(1, 3)), value.denominator)
    return replaced(data, [path], max(Fraction(0), value + step if rng.random() < 0.5 else value - step))


def _tied(data: Mapping[str, Any], rng: Generator) -> Data | None:
    """A number made equal to another one, or all its occurrences redrawn: ties are where rules go wrong."""
    places = numbers(data)
    if not places:
        return None
    (path, value), (_, other) = (places[rng.integers(len(places))] for _ in range(2))
    if value != other:
        return replaced(data, [path], other)
    drawn = Fraction(int(rng.integers(0, max(2, 2 * int(abs(value)) + 1))))
    return replaced(data, [where for where, number in places if number == value], drawn)


def _one_more_job(data: Mapping[str, Any], rng: Generator) -> Data | None:
    """A copy of somebody's job for somebody."""
    key, number = _player(data, rng)
    every = [job for player in data[key] for job in jobs_of(player)]
    if "jobs" not in data[key][number] or not 0 < len(every) < MOST_JOBS:
        return None
    result = copy.deepcopy(dict(data))
    jobs: list[Any] = result[key][number]["jobs"]
    jobs.append(copy.deepcopy(every[rng.integers(len(every))]))
    if isinstance(jobs[-1], list):
        jobs.sort(key=lambda job: Fraction(job[0]) if isinstance(job, list) else 0)  # by release
    return result


def _one_job_less(data: Mapping[str, Any], rng: Generator) -> Data | None:
    key, number = _player(data, rng)
    player = data[key][number]
    if not jobs_of(player):
        return None
    return without_job(data, key, number, int(rng.integers(len(jobs_of(player)))), str(player.get("name", "")))


def _one_more_player(data: Mapping[str, Any], rng: Generator) -> Data | None:
    """A nameless copy of somebody."""
    key, number = _player(data, rng)
    if len(data[key]) >= MOST_PLAYERS:
        return None
    result = copy.deepcopy(dict(data))
    twin = {name: value for name, value in result[key][number].items() if name != "name"}
    result[key].insert(int(rng.integers(len(result[key]) + 1)), twin)
    return result


def _one_player_less(data: Mapping[str, Any], rng: Generator) -> Data | None:
    key, number = _player(data, rng)
    return without_player(data, key, number) if len(data[key]) > 1 else None


def _player(data: Mapping[str, Any], rng: Generator) -> tuple[str, int]:
    key = players(data)[0]
    return key, int(rng.integers(len(data[key])))


CHANGES: Final[tuple[Change, ...]] = (
    *(_nudged,) * 4,
    *(_tied,) * 3,
    _one_more_job,
    _one_job_less,
    _one_more_player,
    _one_player_less,
)
"""Sorts of changes, as often as they are likely."""
ATTEMPTS: Final = 20
MOST_PLAYERS: Final = 5
MOST_JOBS: Final = 14
"""Neighbours have no more: what is asked of them takes longer and longer."""
