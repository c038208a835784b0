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

SCALES: Final = (2, 3, 5, 10, 20, 60)
"""Longest lengths of jobs, one of which is drawn first."""


def drawn(base: Mapping[str, Any], rng: Generator) -> Data:
    """A base scenario with random agents, organizations or users, and what else its rule needs to be told.

    Raises UnknownNameError for a kind without random instances.
    """
    kind = base["kind"]
    if kind not in DRAWS:
        raise unknown_name("kind of random instances", kind, DRAWS)
    return {**base, **DRAWS[kind](base, rng)}


def _whole(rng: Generator, low: int, high: int) -> int:
    return int(rng.integers(low, high + 1))


def _some(rng: Generator, low: int, high: int, longest: int) -> list[int]:
    return [_whole(rng, 1, longest) for _ in range(_whole(rng, low, high))]


def _declaration(base: Mapping[str, Any], rng: Generator) -> Data:
    """One to three agents: what is verified grows with (lengths and declarations) to the power of 2 N."""
    agents = (1, 2, 2, 2, 3)[rng.integers(5)]
    longest = _whole(rng, 2, 3 if agents == 3 else 5)
    lie = rng.random() < 0.7
    rows = [{"length": _whole(rng, 1, longest)} for _ in range(agents)]
    if lie:
        rows = [{**row, "declares": _whole(rng, 1, longest)} for row in rows]
    return {"cluster": {"powers": _some(rng, 1, 2, 3)}, "agents": rows} | (
        {"cluster": base["cluster"]} if "cluster" in base else {}
    )


def _federation(base: Mapping[str, Any], rng: Generator) -> Data:
    one = base["mechanism"]["rule"] in ONE_MACHINE
    longest, most = SCALES[rng.integers(len(SCALES))], _whole(rng, 2, 6)
    several = not one and rng.random() < 0.5
    rows = [
        {"jobs": _some(rng, 0, most, longest)} | ({"machines": _whole(rng, 1, 2)} if several else {})
        for _ in range(_whole(rng, 1, 4))
    ]
    return {"organizations": rows}


def _multiuser(base: Mapping[str, Any], rng: Generator) -> Data:
    rule = base["mechanism"]["rule"]
    longest, count = SCALES[rng.integers(4)], _whole(rng, 2, 3)
    objectives = [("makespan", "total-completion")[rng.integers(2)] for _ in range(count)]
    if rule in ONE_OBJECTIVE:
        objectives = [ONE_OBJECTIVE[rule]] * count
    elif rule in CONSTRAINED:
        objectives = ["makespan"] * (count - 1) + ["total-completion"]
    users = [{"objective": objective, "jobs": _some(rng, 1, 3, longest)} for objective in objectives]
    if "thresholds" not in info("multiuser", rule).options:
        return {"users": users}
    work = sum(sum(user["jobs"]) for user in users)
    limits: list[Any] = [_whole(rng, sum(user["jobs"]), work) for user in users]
    limits = ["none" if user["objective"] != "makespan" else limit for user, limit in zip(users, limits, strict=True)]
    return {"users": users, "mechanism": {**base["mechanism"], "thresholds": limits}}


def _sharing(base: Mapping[str, Any], rng: Generator) -> Data:
    longest, latest = SCALES[rng.integers(len(SCALES))], SCALES[rng.integers(len(SCALES))] - 1
    rows = []
    for _ in range(_whole(rng, 1, 5)):
        lengths = _some(rng, 0, 4, longest)
        releases = sorted(_whole(rng, 0, latest) for _ in lengths)
        jobs = [[release, length] for release, length in zip(releases, lengths, strict=True)]
        rows.append({"machines": _whole(rng, 0, 2), "jobs": jobs})
    until = max((job[0] for row in rows for job in row["jobs"]), default=0)
    return {"until": until + sum(job[1] for row in rows for job in row["jobs"]) + 1, "organizations": rows}


DRAWS: Final[Mapping[str, Callable[[Mapping[str, Any], Generator], Data]]] = {
    "declaration": _declaration,
    "federation": _federation,
    "multiuser": _multiuser,
    "sharing": _sharing,
}
