"""Random instances for hunts, by the random families: tiny ones in the first rounds, larger ones later.

Lengths are uniform up to a longest one that is drawn first, so that few different lengths are as likely as many. In
half of the instances the jobs of each player are made equal: ties are where rules go wrong. What a rule needs to be
told beside agents, organizations or users (thresholds) is drawn too.

>>> from numpy.random import default_rng
>>> base = {"format": 1, "kind": "federation", "mechanism": {"rule": "relaxed-2-printed"}}
>>> drawn(base, default_rng(3), size=0)["organizations"]
[{'machines': 1, 'jobs': []}]
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from numpy.random import Generator

from ...mechanisms.federation.catalogue import ONE_MACHINE
from ...mechanisms.multiuser.catalogue import CONSTRAINED, ONE_OBJECTIVE
from ...mechanisms.registry import info
from ...support.errors import unknown_name
from ...workloads.families import filled
from .surgery import Data, jobs_of, players

FAMILY: Final = "uniform-jobs"
LONGEST: Final = (2, 3, 5, 10, 20, 60)
"""Longest lengths; of the first three in the first round, of one more in each that follows."""
ALIKE: Final = 0.5
LARGEST: Final = 3
"""Rounds until instances stop growing."""


def drawn(base: Mapping[str, Any], rng: Generator, size: int = LARGEST) -> Data:
    """A base scenario with random agents, organizations or users.

    ``size``: 0 for tiny instances, up to :data:`LARGEST`. Raises UnknownNameError for a kind without random instances.
    """
    kind = base["kind"]
    if kind not in PARAMETERS:
        raise unknown_name("kind of random instances", kind, PARAMETERS)
    size = min(size, LARGEST)
    parameters = {"longest": LONGEST[_upto(rng, 0, size + 2)], **PARAMETERS[kind](base, rng, size)}
    data = filled(base, FAMILY, parameters, rng)
    if rng.random() < ALIKE:
        _make_alike(data)
    return _with_thresholds(data, rng) if kind == "multiuser" else data


def _upto(rng: Generator, low: int, high: int) -> int:
    return int(rng.integers(low, high + 1))


def _declaration(base: Mapping[str, Any], rng: Generator, size: int) -> Data:
    """One to three agents: what is verified grows with (lengths and declarations) to the power of 2 N."""
    agents = _upto(rng, 1, 2 if size == 0 else 3)
    cluster = {} if "cluster" in base else {"machines": _upto(rng, 1, 2), "fastest": 3}
    longest = 3 if agents == 3 else 2 + size
    return {"agents": agents, "longest": longest, "declares": ("truth", "random")[_upto(rng, 0, 1)], **cluster}


def _federation(base: Mapping[str, Any], rng: Generator, size: int) -> Data:
    several = base["mechanism"]["rule"] not in ONE_MACHINE and rng.random() < 0.5
    found = {"organizations": _upto(rng, 1, 3 + (size > 1)), "fewest": 0, "jobs": _upto(rng, 2, 3 + size)}
    return found | ({"most_machines": 2} if several else {})


def _sharing(base: Mapping[str, Any], rng: Generator, size: int) -> Data:
    found = {"organizations": _upto(rng, 1, 2 + size), "fewest": 0, "jobs": 2 + size}
    return found | {"machines": 0, "most_machines": 2, "latest": LONGEST[_upto(rng, 0, size + 2)] - 1}


def _multiuser(base: Mapping[str, Any], rng: Generator, size: int) -> Data:
    """With as many users who minimise their total completion time as the rule takes."""
    rule, users = base["mechanism"]["rule"], _upto(rng, 2, 3)
    only = ONE_OBJECTIVE.get(rule)
    totals = 1 if rule in CONSTRAINED else _upto(rng, 0, users) if only is None else users * (only != "makespan")
    return {"users": users, "totals": totals, "fewest": 1, "jobs": 2 + (size > 0)}


PARAMETERS: Final[Mapping[str, Callable[[Mapping[str, Any], Generator, int], Data]]] = {
    "declaration": _declaration,
    "federation": _federation,
    "multiuser": _multiuser,
    "sharing": _sharing,
}
"""Random parameters of the family, by kind."""


def _make_alike(data: Data) -> None:
    """Give all jobs of a player the length of her first one."""
    for key in players(data):
        for player in data[key]:
            jobs = jobs_of(player)
            if jobs:
                player["jobs"] = [[job[0], jobs[0][1]] if isinstance(job, list) else jobs[0] for job in jobs]


def _with_thresholds(data: Data, rng: Generator) -> Data:
    """With a threshold for every makespan, between what is hers and all work, for rules that want them."""
    if "thresholds" not in info("multiuser", data["mechanism"]["rule"]).options:
        return data
    users = data["users"]
    work = sum(sum(user["jobs"]) for user in users)
    limits = [_upto(rng, sum(u["jobs"]), work) if u["objective"] == "makespan" else "none" for u in users]
    return {**data, "mechanism": {**data["mechanism"], "thresholds": limits}}
