"""Numbers of any size on kind ``declaration``: exact everywhere, and the same answers in other units."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction as F
from typing import Any

import pytest

import consortium
from consortium.reports.declaration.tables import witness_text

from ...sweeps import thinned

K = 10**18
LENGTHS = {
    "length", "declares", "lie", "declarations", "lengths", "truth", "from", "to", "jumps", "isolated",
    "profile", "smallest_regret_profile", "smallest_epsilon_profile", "start", "final",
}  # fmt: skip
"""Keys of lengths; under the others numbers are times, or have no unit, or are values of the goal."""
PLAIN = {
    "cases", "total", "machine", "position", "share", "profiles", "count", "steps", "sinks",
    "price_of_anarchy", "price_of_stability", "price_over_first_best", "smallest_epsilon",
}  # fmt: skip
GOAL = {"welfare", "welfare_truthful", "welfare_lowest", "social_cost"}
SHARES = ("repaired", "repaired-common", "printed", "printed-common", "safe", "2/3")
RULES: list[tuple[str, dict[str, Any]]] = [
    *((rule, {}) for rule in ("straightforward", "light-vcg", "harsh", "verified", "verified-printed")),
    *((rule, {"penalty": p}) for rule in ("vcg-renice", "evcg-renice") for p in SHARES),
    *((r, {"penalty": p}) for r in ("vcg-postpone", "evcg-postpone", "postpone-unpaid") for p in ("exact", "wait")),
    *(("evcg-postpone", {"penalty": p, "cutoff": "difference"}) for p in ("exact", "tight", "printed")),
    ("evcg-postpone", {"penalty": "printed-common", "cutoff": "difference"}),
    ("evcg-postpone", {"penalty": "printed-absolute", "cutoff": "absolute"}),
    ("vcg-postpone", {"penalty": "static-end"}),
    *((r, {"rounds": 2, "holdback": h}) for r in ("evcg-renice", "vcg-postpone") for h in ("repaired", "printed")),
]
NAMES = ("a1", "a2", "a3")
GOALS = ["sum", "makespan", "lexical-max", "weighted-sum", "weighted-makespan", "squared-deviation", "expression"]


@dataclass(frozen=True)
class Units:
    """How many times as large lengths, times and values of the goal are."""

    length: F
    time: F
    goal: F = F(1)


def agents(*lengths: Any, **more: Any) -> list[dict[str, Any]]:
    return [{"name": f"a{n}", "length": str(x), **more.get(f"a{n}", {})} for n, x in enumerate(lengths, 1)]


def scenario(rule: str, powers: Any, agents: Any, **blocks: Any) -> dict[str, Any]:
    mechanism = {"rule": rule, **blocks.pop("mechanism", {})}
    cluster = {"powers": [str(c) for c in powers]}
    return {
        "format": 1, "kind": "declaration", "cluster": cluster, "agents": agents, "mechanism": mechanism
    } | blocks  # fmt: skip


def test_powers_and_lengths_with_many_digits() -> None:
    """The common unit of the margins' costs is far below what 64 bits hold."""
    given = scenario("evcg-renice", ["2.311", "3.786", "3.568"], agents("85.398229", "957.679543", "853.394252"))
    record = consortium.verify(given)
    holds = {name: row.holds for name, row in record.properties.items() if name != "any_others"}
    general = consortium.verify(given, method="general")
    assert (record.dominant.holds, record.dominant.max_gain) == (general.dominant.holds, general.dominant.max_gain)
    assert (record.ex_post.holds, record.ex_post.max_gain) == (True, general.ex_post.max_gain)
    assert holds == {
        "rent_nonnegative": True, "budget_balanced": False, "just": True, "upper_margin": True, "lower_margin": True,
        "individually_rational": False, "accepts_every_input": True,
        "feasible": True, "priced_in_advance": True,
    }  # fmt: skip
    assert all(row.holds for row in record.properties["any_others"].values())
    assert all(comparison.holds for _, _, comparison in consortium.check(record))


def test_an_agent_far_below_zero_is_seen() -> None:
    """Her cost is within 64 bits, and so is what she pays; their sum is not."""
    long = 271280604825603486
    given = scenario("vcg-renice", [1, 1], agents(long, long, a1={"value": 602845788501341080}))
    rational = consortium.verify(given).properties["individually_rational"]
    assert rational.holds is False
    assert (rational.witness["agent"], rational.witness["utility"]) == ("a2", -542561209651206972)
    assert consortium.run(given).agents[1].utility == -542561209651206972


@pytest.mark.parametrize("lengths", [(3 * 10**15, 4 * 10**15), ("4e-7", "9e-7"), (F(4, 10**400), F(9, 10**399))])
def test_a_margin_of_the_harsh_rule_is_infinitely_steep_at_any_length(lengths: tuple[Any, ...]) -> None:
    """Between the truth and death there is nothing, and a replay as near as it takes shows both."""
    record = consortium.verify(scenario("harsh", [1], agents(*lengths)))
    for name in ("upper_margin", "lower_margin"):
        for row in (record.properties[name], record.properties["any_others"][name]):
            assert row.holds is False
            assert row.witness["utility"] == -min(map(F, lengths))
            assert row.witness["limit"] == -float("inf")
            assert len(row.witness["replay"]) == 2
    rows = consortium.check(record)
    assert len(rows) >= 9
    assert all(comparison.holds for _, _, comparison in rows)


def test_a_margin_that_no_scenario_can_show_says_so() -> None:
    """The numbers of a scenario have a thousand digits; a length nearer to the truth than those needs more."""
    lengths = (F(1, 10**990), F(1, 7**1100))
    record = consortium.verify(scenario("vcg-postpone", [1, F(1, 3**900)], agents(*lengths)))
    row = record.properties["lower_margin"]
    assert row.holds is False
    assert row.witness["replay"] == ()
    assert row.witness["no_replay"] == "digits"
    assert "its numbers would have too many digits" in witness_text(row.witness)


def test_shares_of_tiny_jobs_on_fast_machines() -> None:
    """A share is no time: counted in units of time it would not fit, and need not."""
    given = scenario("evcg-renice", [10**6, 10**15], agents("8e-9", "8e-7"))
    scaled = scenario("evcg-renice", [1, 10**9], agents(1, 100))  # lengths times 125 * 10^6, powers by 10^6
    record, twin = consortium.verify(given), consortium.verify(scaled)
    assert differences(record.to_dict(), twin.to_dict(), Units(F(125 * 10**6), F(125 * 10**12))) == []


def differences(data: Any, twin: Any, units: Units, key: str = "", place: str = "") -> list[str]:
    """Where a record's dict is not that of the twin in other units; replays and notes are told in its own."""
    if isinstance(data, dict):
        assert data.keys() == twin.keys(), place
        return [
            difference
            for name in data.keys() - {"replay", "method", "limit", "request"}
            for difference in differences(
                data[name], twin[name], units, key if key == "welfare" or name in NAMES else name, f"{place}.{name}"
            )
        ]
    if isinstance(data, list):
        assert len(data) == len(twin), place
        keys = ("work", "work", "share") if key == "work" and len(data) == 3 else (key,) * len(data)
        parts = enumerate(zip(data, twin, keys, strict=True))
        return [d for i, (a, b, k) in parts for d in differences(a, b, units, k, f"{place}[{i}]")]
    number, other = exact(data), exact(twin)
    if number is None or other is None or key in PLAIN:
        return [] if data == twin else [f"{place}: {data!r} and {twin!r}"]
    factors = (
        dict.fromkeys(LENGTHS, units.length) | dict.fromkeys(GOAL, units.goal) | {"slope": units.time / units.length}
    )
    factor = factors.get(key, units.time)
    return [] if number * factor == other else [f"{place}: {data!r} and {twin!r}"]


def exact(value: Any) -> F | None:
    try:
        return None if isinstance(value, bool) else F(value)
    except (TypeError, ValueError):
        return None


def drawn(seed: int, length: F = F(1), power: F = F(1)) -> dict[str, Any]:
    """A random scenario: any rule and goal, liars, ties, one agent, zero values. The same one in other units."""
    rng, time = random.Random(seed), length / power
    rule, options = RULES[seed % len(RULES)]
    n = rng.choice([1, 2, 2, 3])
    pool = [F(rng.randint(1, 10**6), 10**5) for _ in range(3)] if rng.random() < 0.5 else [F(1), F(2), F(3)]
    people = []
    for k in range(n):
        agent: dict[str, Any] = {"name": f"a{k + 1}", "length": rng.choice(pool) * length}
        if rng.random() < 0.6:
            agent["declares"] = rng.choice(pool) * length
        if rng.random() < 0.6:
            agent["value"] = rng.choice([0, 1, 5, 20]) * time
        people.append(agent)
    mechanism = {"rule": rule, **options}
    if mechanism.get("penalty") == "wait":
        mechanism["penalty"] = rng.choice([F(0), F(1, 2), F(7)]) * time
    if "cutoff" in mechanism:
        kind = mechanism["cutoff"]
        mechanism["cutoff"] = {kind: length * (rng.choice([F(1, 2), F(1)]) if kind == "difference" else 2 * max(pool))}
    goal = "sum" if rule.startswith("vcg") else rng.choice(GOALS)
    welfare: dict[str, Any] = {"goal": goal, "ties": rng.choice(["sum", "listed"])}
    if goal.startswith("weighted"):
        welfare["weights"] = {f"a{k + 1}": rng.randint(0, 9) for k in range(n)}
    if goal == "squared-deviation":
        welfare["target"] = rng.randint(0, 4) * time
    if goal == "expression":
        welfare["expression"] = "-(" + " + ".join(f"{rng.randint(1, 9)}*a{k + 1}" for k in range(n)) + ")"
    powers = [power * rng.choice([F(1), F(1), F(3, 2), F(2311, 1000)]) for _ in range(rng.choice([1, 2, 2, 3]))]
    return {
        "format": 1, "kind": "declaration", "title": "twins", "cluster": {"powers": powers}, "agents": people,
        "mechanism": mechanism, "welfare": welfare,
    }  # fmt: skip


def answers(given: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every verb's answer."""
    ran = consortium.run(given).to_dict()
    for agent in ran["agents"] if "renice" in given["mechanism"]["rule"] else ():
        agent["share"] = agent.pop("penalty")
    yield "run", ran
    yield "verify", consortium.verify(given).to_dict()
    yield "compare", consortium.compare(given).to_dict()
    yield "search", consortium.search(given).to_dict()
    if given["welfare"]["goal"] not in ("squared-deviation", "expression"):
        yield "curve", consortium.curve(given, "a1").to_dict()


def twins(seed: int) -> None:
    length, power = [(F(K), F(1)), (F(1), F(1, K)), (F(K), F(K))][seed % 3]
    time, given = length / power, drawn(seed)
    units = Units(length, time, time**2 if given["welfare"]["goal"] == "squared-deviation" else time)
    for (verb, data), (_, twin) in zip(answers(given), answers(drawn(seed, length, power)), strict=True):
        assert differences(data, twin, units) == [], verb


@pytest.mark.parametrize("seed", thinned(range(1, 3 * len(RULES), 25)))
def test_every_verb_says_the_same_in_other_units(seed: int) -> None:
    twins(seed)


@pytest.mark.exhaustive
@pytest.mark.parametrize("seed", range(1000, 1000 + 20 * len(RULES)))
def test_every_verb_says_the_same_in_other_units_on_many(seed: int) -> None:
    twins(seed)
