"""Scenarios of any number of agents, to look at figures with few and with many."""

from __future__ import annotations

from typing import Any

import numpy as np

from .cases import cluster, federation, pool, users

SIZES = (3, 12, 60)


def names(n: int) -> list[str]:
    """Names of people, some with a surname, and one long one that means a lot to mathematicians."""
    plain = [f"group {i}" if i % 3 else f"department of quite a long name {i}" for i in range(n)]
    plain[1] = "$x_1$ & <b> friends"
    return plain


def declaration(n: int) -> dict[str, Any]:
    """Agents on several machines of whom every third lies, so that her output is postponed."""
    agents = [
        {"name": name, "length": 2 + i % 5, "declares": 2 + i % 5 - (i % 3 == 0)} for i, name in enumerate(names(n))
    ]
    return cluster("vcg-postpone") | {"agents": agents, "cluster": {"powers": [1] * (1 + n // 12)}}


def organizations(n: int) -> dict[str, Any]:
    """Organizations with two machines each; all the work is that of every fourth."""
    listed = [
        {"name": name, "machines": 1 + (n < 60), "jobs": [3, 2, 1, 5][: 4 - i % 4] if i % 4 else [9, 4] * 4}
        for i, name in enumerate(names(n))
    ]
    return federation("lpt-lpt") | {"organizations": listed}


def sharers(n: int) -> dict[str, Any]:
    """Organizations with a machine each and jobs until well after the end."""
    listed = [{"name": name, "machines": 1, "jobs": [[i % 5, 2 + i % 7]] * 4} for i, name in enumerate(names(n))]
    return pool("round-robin") | {"organizations": listed, "until": 20}


def colleagues(n: int) -> dict[str, Any]:
    """Users of one machine."""
    listed = [{"name": name, "objective": "total-completion", "jobs": [1, 2]} for name in names(n)]
    return users("multisum") | {"users": listed}


def points(n: int, listed: int = 20) -> dict[str, Any]:
    """What a record of many users' Pareto points is drawn from."""
    rng = np.random.default_rng(n)
    values = rng.integers(1, 10**6, (listed, n)).tolist()
    rows = [{"name": name, "objective": "makespan", "zenith": 1, "nadir": 10**6, "value": None} for name in names(n)]
    return {"scenario": "many points", "users": rows, "pareto": values, "pareto_count": listed, "pareto_left_out": 0}


def audited(n: int, n_rules: int = 8) -> dict[str, Any]:
    """What a record of an audit of so many organizations is drawn from."""
    rng = np.random.default_rng(n)
    times = [3600 * i for i in range(1, 25)]
    rows = [
        {
            "rule": f"rule {i}",
            "values": {"to_others": 10.0**i / 7, "to_others_low": 10.0**i / 9, "to_others_high": 10.0**i / 6},
        }
        for i in range(n_rules)
    ]
    balance = {name: (rng.normal(size=24).cumsum() * 1e7).tolist() for name in names(n)}
    series = {"window": 2, "start": 90_000, "rule": "rule 0", "times": times, "machines": 64, "balance": balance}
    counts = {"busy": [min(64, 3 * i) for i in range(24)], "requested": [5 * i for i in range(24)]}
    return {
        "log": {"name": "site.swf"},
        "plan": {"duration": 86_400},
        "rule": "rule 0",
        "rows": rows,
        "windows": [{"window": 1, "start": 0}, {"window": 2, "start": 90_000}],
        "series": series | counts,
    }


def switched(n: int) -> dict[str, Any]:
    """What a record of a change to another rule is drawn from."""
    rng, other = np.random.default_rng(n), "a rule of quite a long name"
    listed = [*names(n)[:-1], "<script>alert(1)</script>"]
    delays = [
        {"rule": rule, "name": name, "delay": delay, "delay_low": delay - 900 * i, "delay_high": delay + 1300 * i}
        for rule in ("rule 0", other)
        for i, (name, delay) in enumerate(zip(listed, rng.normal(size=n) * 5_000, strict=True))
    ]
    verdicts = ("wins", "loses", "same", "open")
    changes = [
        {"rule": other, "name": name, "change": float(rng.normal()) * 900, "verdict": verdicts[i % 4]}
        for i, name in enumerate(listed)
    ]
    return audited(n) | {"organizations": delays, "changes": changes, "differences": [{"rule": other}]}


def trend() -> dict[str, Any]:
    """What a record of unfairness over many periods is drawn from."""
    periods = [
        {"since": f"2024-01-{day:02} 11:30:00", "to_others": 40.0 + day, "windows": 3, "provisional": day // 27}
        | {"to_others_low": 10.0, "to_others_high": 60.0 + 2 * day}
        for day in range(1, 29)
    ]
    return {"scenario": "weeks.db", "rule": "rule 0", "every": "day", "rows": periods}


RUNS = {"declaration": declaration, "federation": organizations, "sharing": sharers, "multiuser": colleagues}
"""By kind: a scenario of so many agents."""
