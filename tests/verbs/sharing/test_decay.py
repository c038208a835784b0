"""``decay``: the half-life in scenarios, in rules by name and in the numbers of an audit."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import consortium
from consortium.mechanisms.sharing import simulate
from consortium.reports.sharing.tables import usages
from consortium.support.errors import InputError
from consortium.verbs.sharing.model import instance_of
from consortium.verbs.sharing.plan import plan_of

from .logs import ask, asked, assumptions, busy_log, without_times

DAY = 86_400


def scenario(**mechanism: Any) -> dict[str, Any]:
    """One used the machines long ago, the other just now; a third holds one of the two."""
    organizations = [
        {"name": "early", "machines": 1, "jobs": [[0, 100], [2000, 5]]},
        {"name": "late", "machines": 1, "jobs": [[1900, 50], [2000, 5]]},
        {"name": "guest", "machines": 0, "jobs": [[1990, 50]]},
    ]
    return {"format": 1, "kind": "sharing", "until": 2020, "organizations": organizations, "mechanism": mechanism}


@pytest.mark.parametrize("decay", [100, "100", "100s", "0-0:1:40"])
def test_a_scenario_says_it_in_units_or_as_people_do(decay: object) -> None:
    plain, decayed = (consortium.run(scenario(rule="fair-share", **more)) for more in ({}, {"decay": decay}))
    third = {row[1]: row[0] for row in plain.schedule if row[0] >= 2000}
    assert third == {2: 2000, 1: 2005}
    assert {row[1]: row[0] for row in decayed.schedule if row[0] >= 2000} == {1: 2000, 2: 2005}
    assert all(row.holds is not False for _, _, row in consortium.check(decayed.to_dict()))


def test_rules_by_name_with_half_lives() -> None:
    found = consortium.compare(
        [scenario(rule="fifo")], rules=["fair-share", "fair-share:decay=100", "utility-fair-share:decay=7d"]
    )
    assert [row.rule for row in found.rows] == ["fair-share", "fair-share:decay=100", "utility-fair-share:decay=7d"]
    kept = consortium.compare([scenario(rule="fair-share", decay=100)], rules=["utility-fair-share", "fifo"])
    assert len(kept.rows) == 2


@pytest.mark.parametrize(
    ("mechanism", "told"),
    [
        ({"rule": "fifo", "decay": 7}, "decay"),
        ({"rule": "fair-share", "decay": "a week"}, "'7d', '36h' or '7-0'"),
        ({"rule": "fair-share", "decay": 0}, "a whole number >= 1"),
        ({"rule": "fair-share", "decay": -1}, "a whole number >= 1"),
        ({"rule": "fair-share", "decay": 10**31}, "at most 1000"),
        ({"rule": "fair-share", "decay": "0d"}, "a whole number >= 1"),
    ],
)
def test_half_lives_that_are_none(mechanism: dict[str, Any], told: str) -> None:
    with pytest.raises(InputError, match=told):
        consortium.run(scenario(**mechanism))


def by_hand(half_life: int, rule: str, **options: Any) -> tuple[list[float], list[float]]:
    """Usage with the half-life, second by second, and shares: sums over the windows of :func:`ask`."""
    log, settings = busy_log(), asked(duration=800, windows=2, machines=6)
    used, machines = np.zeros(0), np.zeros(0)
    for i in range(2):
        work = replace(plan_of(log, settings), half_lives=(half_life,)).window(log, i)
        outcome = simulate(instance_of(work), rule=rule, until=work.until, **options)
        assert work.used_before is not None
        mine = np.array(work.used_before[half_life]) * 2.0 ** (-(work.until - 1) / half_life)
        owners, lengths = outcome.instance.owner.tolist(), outcome.instance.length.tolist()
        for owner, start, length in zip(owners, outcome.start.tolist(), lengths, strict=True):
            for second in range(start, min(start + length, work.until)) if start >= 0 else ():
                mine[owner] += 2.0 ** (-(work.until - 1 - second) / half_life)
        used = used + mine if used.size else mine
        machines = machines + work.machines if machines.size else np.array(work.machines)
    return (used / used.sum()).tolist(), (machines / machines.sum()).tolist()


def test_numbers_of_an_audit_follow_from_their_definition() -> None:
    record = ask(windows=2, rules=["fair-share"], decay="200s", rule="fair-share")
    usage, share = by_hand(200, "fair-share")
    for row, used, owned in zip(record.organizations, usage, share, strict=True):
        assert row.decayed_usage is not None
        assert row.decayed_factor is not None
        assert row.decayed_usage.value == pytest.approx(used, rel=1e-9)
        assert row.decayed_factor.value == pytest.approx(2 ** (-used / owned), rel=1e-9)
        assert getattr(row.decayed_level, "value", None) == pytest.approx(owned / used, rel=1e-9)
        assert row.decayed_usage.value != row.usage.value
    assert record.decay == 200
    assert not any("half-life" in line for line in assumptions(record))  # the log is long enough before all windows
    assert len(usages(record.to_dict())[0].rows) == len(record.organizations)


def test_the_rule_in_force_says_its_half_life() -> None:
    record = ask(windows=2, rules=["fifo"], rule="fair-share:decay=200")
    usage, _ = by_hand(200, "fair-share", decay=200)
    mine = [row for row in record.organizations if row.rule == "fair-share:decay=200"]
    assert [row.decayed_usage.value for row in mine if row.decayed_usage] == pytest.approx(usage, rel=1e-9)
    assert record.decay == 200


def test_without_rules_it_stands_beside_fair_share_without() -> None:
    record = ask(windows=1, rules=None, decay=7 * DAY)
    assert any(line.startswith("Usage with a half-life of 7 days counts from") for line in assumptions(record))
    labels = [row.rule for row in record.rows]
    assert "fair-share" in labels
    assert "fair-share:decay=7d" in labels


def test_without_a_half_life_nothing_is_said() -> None:
    data = ask(windows=1, rules=["fair-share"]).to_dict()
    assert "decay" not in data
    assert not any("decayed_usage" in row for row in data["organizations"])
    assert usages(data) == []


def test_a_store_knows_the_half_life(tmp_path: Path) -> None:
    """Usage with another one, or with none, is not that of before."""
    settings: dict[str, Any] = {"windows": 1, "rules": ["fair-share", "fifo"]}
    for decay in ({}, {"decay": 100}, {"decay": 200}, {}):
        kept, alone = (ask(**settings, **decay, **store) for store in ({"store": str(tmp_path / "s.db")}, {}))
        assert without_times(kept) == without_times(alone)
