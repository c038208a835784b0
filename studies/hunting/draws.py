"""Small random instances of every kind, for hunts: most are tiny, some are larger, lengths of several scales.

>>> from numpy.random import default_rng
>>> base = {"format": 1, "kind": "federation", "mechanism": {"rule": "relaxed-2-printed"}}
>>> sorted(drawn(base, default_rng(3)))
['format', 'kind', 'mechanism', 'organizations']
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from numpy.random import Generator

from ...mechanisms.federation.catalogue import ONE_MACHINE
from ...mechanisms.multiuser.catalogue import CONSTRAINED, ONE_OBJECTIVE
from ...mechanisms.registry import info
from ...scheduling.errors import unknown_name
from .surgery import Data

LONGEST: Final = (2, 3, 5, 10, 20, 60)
"""Longest lengths of jobs, one of which is drawn first, in the first round one of the first three."""
ALIKE: Final = 0.5
"""How often the jobs of each player are made equal: ties are where rules go wrong."""
LARGEST: Final = 3
"""Rounds until instances stop growing."""


def drawn(base: Mapping[str, Any], rng: Generator, size: int = LARGEST) -> Data:
    """A base scenario with random agents, organizations or users, and what else its rule needs to be told.

    ``size``: 0 for tiny instances, up to :data:`LARGEST`. Raises UnknownNameError for a kind without random instances.
    """
    kind = base["kind"]
    if kind not in DRAWS:
        raise unknown_name("kind of random instances", kind, DRAWS)
    return {**base, **DRAWS[kind](base, rng, min(size, LARGEST))}


def _whole(rng: Generator, low: int, high: int) -> int:
    return int(rng.integers(low, high + 1))


def _longest(rng: Generator, size: int) -> int:
    return LONGEST[_whole(rng, 0, size + 2)]


def _lists(rng: Generator, count: int, low: int, high: int, longest: int) -> list[list[int]]:
    """Lengths of everybody's jobs."""
    alike = rng.random() < ALIKE
    lists = [[_whole(rng, 1, longest) for _ in range(_whole(rng, low, high))] for _ in range(count)]
    return [row[:1] * len(row) for row in lists] if alike else lists


def _declaration(base: Mapping[str, Any], rng: Generator, size: int) -> Data:
    """One to three agents: what is verified grows with (lengths and declarations) to the power of 2 N."""
    agents = _whole(rng, 1, 2 if size == 0 else 3)
    longest = 3 if agents == 3 else 2 + size
    rows: list[dict[str, Any]] = [{"length": _whole(rng, 1, longest)} for _ in range(agents)]
    if rng.random() < 0.7:
        rows = [{**row, "declares": _whole(rng, 1, longest)} for row in rows]
    cluster = base.get("cluster", {"powers": [_whole(rng, 1, 3) for _ in range(_whole(rng, 1, 2))]})
    return {"cluster": cluster, "agents": rows}


def _federation(base: Mapping[str, Any], rng: Generator, size: int) -> Data:
    several = base["mechanism"]["rule"] not in ONE_MACHINE and rng.random() < 0.5
    lists = _lists(rng, _whole(rng, 1, 3 + (size > 1)), 0, _whole(rng, 2, 3 + size), _longest(rng, size))
    return {
        "organizations": [{"jobs": row} | ({"machines": _whole(rng, 1, 2)} if several else {}) for row in lists]
    }


def _multiuser(base: Mapping[str, Any], rng: Generator, size: int) -> Data:
    rule = base["mechanism"]["rule"]
    count = _whole(rng, 2, 3)
    objectives = [("makespan", "total-completion")[_whole(rng, 0, 1)] for _ in range(count)]
    if rule in ONE_OBJECTIVE:
        objectives = [ONE_OBJECTIVE[rule]] * count
    elif rule in CONSTRAINED:
        objectives = ["makespan"] * (count - 1) + ["total-completion"]
    lists = _lists(rng, count, 1, 2 + (size > 0), _longest(rng, min(size, 2)))
    users = [{"objective": objective, "jobs": row} for objective, row in zip(objectives, lists, strict=True)]
    if "thresholds" not in info("multiuser", rule).options:
        return {"users": users}
    work = sum(map(sum, lists))
    limits: list[Any] = [_whole(rng, sum(row), work) for row in lists]
    limits = ["none" if one != "makespan" else limit for one, limit in zip(objectives, limits, strict=True)]
    return {"users": users, "mechanism": {**base["mechanism"], "thresholds": limits}}


def _sharing(base: Mapping[str, Any], rng: Generator, size: int) -> Data:
    longest, latest = _longest(rng, size), _longest(rng, size) - 1
    rows = []
    for lengths in _lists(rng, _whole(rng, 1, 2 + size), 0, 2 + size, longest):
        releases = sorted(_whole(rng, 0, latest) for _ in lengths)
        jobs = [[release, length] for release, length in zip(releases, lengths, strict=True)]
        rows.append({"machines": _whole(rng, 0, 2), "jobs": jobs})
    until = max((job[0] for row in rows for job in row["jobs"]), default=0)
    return {"until": until + sum(job[1] for row in rows for job in row["jobs"]) + 1, "organizations": rows}


DRAWS: Final[Mapping[str, Callable[[Mapping[str, Any], Generator, int], Data]]] = {
    "declaration": _declaration,
    "federation": _federation,
    "multiuser": _multiuser,
    "sharing": _sharing,
}
