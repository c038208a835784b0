"""Random families: every one fills scenarios that load and run, its numbers have the distribution it says, and what it
does not accept is refused in a sentence.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest

import consortium
from consortium.support import loading
from consortium.support.errors import ExtensionWarning, InputError, UnknownNameError
from consortium.workloads import SETTINGS, Bags, poisson_bags
from consortium.workloads.families import Family, families, family, filled, filling
from consortium.workloads.families.lengths import Bimodal, Lengths, LogNormal, Uniform, Zipf
from consortium.workloads.families.sharing import Setting
from consortium.workloads.federation import figure_5_2, figure_5_5, zipf_federations

HUGE = 10**18
BASES: dict[str, dict[str, Any]] = {
    "declaration": {"cluster": {"powers": [1, "3/2"]}, "mechanism": {"rule": "harsh"}},
    "federation": {"mechanism": {"rule": "local"}},
    "sharing": {"mechanism": {"rule": "fifo"}},
    "multiuser": {"mechanism": {"rule": "multicmax"}},
}
GIVEN_ORDER = {"rule": "coordination", "priority": "jobs", "order": "given"}
NEEDED: dict[str, dict[str, Any]] = {
    "figure-5.1": {"delta": "1/7"},
    "poisson-bags": {"machines": 7, "duration": 3_000},
    "log-window": {"duration": 40, "machines": 3, "organizations": 2},
}
"""What is given everywhere: parameters without default, and sizes that run at once."""
LEAST: dict[str, list[dict[str, Any]]] = {
    "declaration": [{"agents": 1}, {"declares": "random", "most_value": 3}, {"machines": 3, "fastest": 4}],
    "federation": [
        {"organizations": 1, "jobs": 1},
        {"jobs": 0},
        {"total": 5, "machines": [1, 2, 1, 3]},
        {"fewest": 0, "jobs": 2, "most_machines": 3},
    ],
    "sharing": [
        {"organizations": 1, "jobs": 1},
        {"jobs": 0},
        {"machines": 0, "most_machines": 1, "latest": 9, "due": True, "slack": 3},
        {"total": 5, "machines": [0, 2, 0, 0], "until": 1},
    ],
    "multiuser": [{"users": 1, "jobs": 1}, {"fewest": 1, "machines": 3}],
}
LENGTHS: list[dict[str, Any]] = [{"scale": HUGE}, {"scale": HUGE**20}]


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> str:
    """60 jobs of 6 users; user ``u`` has run times 10 u + 1 to 10 u + 10."""
    path = tmp_path_factory.mktemp("logs") / "small.swf"
    lines = [f"{i + 1} {i} 0 {10 * (i % 6) + i // 6 + 1} 1 -1 -1 1 -1 -1 1 {i % 6} 1 -1 -1 -1 -1 -1" for i in range(60)]
    path.write_text("\n".join(["; MaxProcs: 4", *lines, ""]))
    return str(path)


def base(kind: str, **changes: Any) -> dict[str, Any]:
    return {"format": 1, "kind": kind, **BASES[kind], **changes}


def drawn(kind: str, name: str, seed: int = 1, **given: Any) -> dict[str, Any]:
    return filled(base(kind), name, given, np.random.default_rng(seed))


def variants(one: Family) -> list[dict[str, Any]]:
    """Defaults and the edges of what a family takes."""
    found: list[dict[str, Any]] = [{}]
    if "scale" in one.parameters.model_fields:  # a distribution of lengths under any owners
        found += [*LEAST[one.kind], *LENGTHS, {"scale": "1/3"}][: None if one.kind != "sharing" else -1]
    if one.name == "uniform-jobs":
        found += [{"longest": 1}, {"shortest": HUGE, "longest": HUGE}]
    if one.name == "zipf-jobs":
        found += [{"organizations": 1, "jobs": 1}, {"jobs": 0}, {"longest": HUGE}, {"exponent": 0}]
    if one.name in ("figure-5.2", "figure-5.5"):
        found += [{"printed": True}]
    return found


@pytest.mark.parametrize("one", families(), ids=lambda one: f"{one.kind}-{one.name}")
def test_every_family_fills_scenarios_that_load_and_run(one: Family, log: str) -> None:
    mechanism = GIVEN_ORDER if one.name in ("figure-5.1", "figure-5.2") else BASES[one.kind]["mechanism"]
    of = {"log": log} if "log" in one.parameters.model_fields else {}
    for i, given in enumerate(variants(one)):
        draw = filling(base(one.kind, mechanism=mechanism), one.name, of | NEEDED.get(one.name, {}) | given)
        scenario = draw(np.random.default_rng(i))
        assert scenario == draw(np.random.default_rng(i))
        assert consortium.run(scenario).kind == one.kind


def test_the_printed_figures_are_drawn_where_asked() -> None:
    for k in (2, 3):
        for printed in (False, True):
            drawing = drawn("federation", "figure-5.5", k=k, printed=printed)
            assert drawing["organizations"] == figure_5_5(k, repaired=not printed).tables()
    large = {False: 0, True: 0}
    for printed in large:
        job = drawn("federation", "figure-5.2", printed=printed)["organizations"][2]["jobs"][0]
        large[printed] = job["length"]
    assert large[False] == large[True] + 1  # S/2 + 4, and S/2 + 3 as printed


# --- distributions --------------------------------------------------------------------------------------------------

N = 40_000


def sample(lengths: Lengths, n: int = N) -> np.ndarray[Any, np.dtype[np.int64]]:
    return lengths.sample()(np.random.default_rng(2), n)


def near(values: np.ndarray[Any, Any], mean: float, deviation: float) -> bool:
    """Whether a mean is within four standard errors of what it should be."""
    return abs(float(values.mean()) - mean) < 4 * deviation / len(values) ** 0.5


def test_uniform_lengths() -> None:
    found = sample(Uniform(shortest=3, longest=8))
    assert set(found.tolist()) == set(range(3, 9))
    assert near(found, 5.5, (35 / 12) ** 0.5)
    assert sample(Uniform(shortest=HUGE, longest=HUGE), 2).tolist() == [HUGE, HUGE]


def test_log_normal_lengths() -> None:
    found = sample(LogNormal(median=1e6, spread=0.5, longest=HUGE))
    assert near(np.log(found), np.log(1e6), 0.5)
    assert np.log(found).std() == pytest.approx(0.5, rel=0.02)
    cut = sample(LogNormal(median=1, spread=5, longest=40))
    assert (cut.min(), cut.max()) == (1, 40)
    assert sample(LogNormal(median=1e15, spread=5, longest=HUGE), 1_000).max() == HUGE


@pytest.mark.parametrize("exponent", [0.0, 1.5, 20.0])
def test_zipf_lengths(exponent: float) -> None:
    odds = np.arange(1, 6) ** -exponent / (np.arange(1, 6) ** -exponent).sum()
    found = sample(Zipf(exponent=exponent, longest=5))
    for length, p in enumerate(odds, start=1):
        assert near(found == length, p, (p * (1 - p)) ** 0.5 + 1e-9)
    assert sample(Zipf(longest=1), 3).tolist() == [1, 1, 1]


def test_bimodal_lengths() -> None:
    found = sample(Bimodal(short=5, long=50, share=0.25, width=2))
    assert set(found.tolist()) == {*range(3, 8), *range(48, 53)}
    assert near(found > 20, 0.25, (3 / 16) ** 0.5)
    assert near(found[found < 20], 5, 2**0.5)
    assert set(sample(Bimodal(share=1), 50).tolist()) == {20}
    assert set(sample(Bimodal(share=0), 50).tolist()) == {2}


def test_run_times_of_a_log_are_those_of_any_job_or_of_one_owner(log: str) -> None:
    pooled = drawn("declaration", "log-jobs", log=log, agents=3_000)["agents"]
    assert {row["length"] for row in pooled} == set(range(1, 61))
    for seed in range(20):
        rows = drawn("federation", "log-jobs", seed, log=log, by="user", organizations=6, jobs=5)["organizations"]
        users = [{(length - 1) // 10 for length in row["jobs"]} for row in rows]
        assert sorted(users) == [{user} for user in range(6)] or all(len(user) == 1 for user in users)
        assert len({min(user) for user in users}) == 6  # distinct owners
    minutes = drawn("multiuser", "log-jobs", log=log, unit=60, scale="1/2")["users"]
    assert {job for row in minutes for job in row["jobs"]} == {"1/2"}  # one minute, rounded up


def test_a_log_that_changed_is_read_anew(tmp_path: Path) -> None:
    path = tmp_path / "log.swf"
    for run in (7, 11):
        path.write_text("".join(f"{i} {i} 0 {run} 1 -1 -1 1 -1 -1 1 1 1 -1 -1 -1 -1 -1\n" for i in range(1, run)))
        assert {row["length"] for row in drawn("declaration", "log-jobs", log=str(path))["agents"]} == {run}


def test_jobs_are_dealt_evenly_or_by_zipfs_law_of_the_thesis() -> None:
    draw = filling(base("federation"), "uniform-jobs", {"total": 12, "organizations": 3})
    rng = np.random.default_rng(5)
    counts = np.array([[len(row["jobs"]) for row in draw(rng)["organizations"]] for _ in range(2_000)])
    assert set(counts.sum(axis=1).tolist()) == {12}
    assert all(near(column, 4, (12 * 2 / 9) ** 0.5) for column in counts.T)
    sizes, dealt = zipf_federations(np.random.default_rng(1), 20, 100)
    rows = drawn("federation", "zipf-jobs")["organizations"]
    assert [len(row["jobs"]) for row in rows] == dealt[0].tolist()
    assert [length for row in rows for length in row["jobs"]] == sizes[0].tolist()


def test_numbers_of_jobs_and_machines_between_bounds() -> None:
    given = {"organizations": 2_000, "jobs": 2, "fewest": 0, "machines": 1, "most_machines": 3}
    rows = drawn("federation", "uniform-jobs", **given)["organizations"]
    assert set(Counter(len(row["jobs"]) for row in rows)) == {0, 1, 2}
    assert set(Counter(row["machines"] for row in rows)) == {1, 2, 3}


def test_a_pool_has_a_machine_and_queues_are_in_order_of_release() -> None:
    given = {"machines": 0, "most_machines": 1, "organizations": 2, "latest": 5, "due": True, "slack": 2}
    draw, rng = filling(base("sharing"), "uniform-jobs", given), np.random.default_rng(3)
    owned = Counter()
    for _ in range(200):
        scenario = draw(rng)
        owned[tuple(row["machines"] for row in scenario["organizations"])] += 1
        queues = [row["jobs"] for row in scenario["organizations"]]
        for queue in queues:
            assert [job[0] for job in queue] == sorted(job[0] for job in queue)
            assert all(0 <= due - release - length <= 2 for release, length, due in queue)
        jobs = [job for queue in queues for job in queue]
        assert scenario["until"] == max(job[0] for job in jobs) + sum(job[1] for job in jobs)
    assert set(owned) == {(0, 1), (1, 0), (1, 1)}


def test_what_agents_declare_and_value_and_where_they_run() -> None:
    plain = drawn("declaration", "uniform-jobs", agents=2_000, longest=3)
    assert plain["cluster"] == {"powers": [1, "3/2"]}
    assert all(set(row) == {"length"} for row in plain["agents"])
    given = {"declares": "random", "most_value": 2, "machines": 500, "fastest": 2}
    found = drawn("declaration", "uniform-jobs", agents=2_000, longest=3, **given)
    assert set(found["cluster"]["powers"]) == {1, 2}
    pairs = Counter((row["length"], row["declares"]) for row in found["agents"])
    assert set(pairs) == {(a, b) for a in (1, 2, 3) for b in (1, 2, 3)}
    assert {row["value"] for row in found["agents"]} == {0, 1, 2}
    assert drawn("declaration", "uniform-jobs", powers=["1/2", 2])["cluster"] == {"powers": ["1/2", 2]}


def test_names_are_given_in_order() -> None:
    rows = drawn("multiuser", "uniform-jobs", users=2, names=["ann", "bob", "cy"])["users"]
    assert [row["name"] for row in rows] == ["ann", "bob"]
    objectives = drawn("multiuser", "uniform-jobs", users=3, totals=2)["users"]
    assert [row["objective"] for row in objectives] == ["total-completion", "total-completion", "makespan"]


def test_poisson_bags_are_those_of_the_setting() -> None:
    given = {"setting": "moderate", "machines": 7, "duration": 2_000}
    found = drawn("sharing", "poisson-bags", 4, **given)
    work = poisson_bags(np.random.default_rng(4), Bags(load=0.7, machines=7, duration=2_000))
    assert [row["jobs"] for row in found["organizations"]] == work.queues()
    assert [row["machines"] for row in found["organizations"]] == list(work.machines)
    assert tuple(SETTINGS) == get_args(Setting)
    for name, bags in SETTINGS.items():
        chosen = family("sharing", "poisson-bags").checked({"setting": name})
        assert chosen.model_dump(exclude={"setting"}) == bags.model_dump()


def test_windows_of_a_log_are_random_within_it(log: str) -> None:
    draw = filling(base("sharing"), "log-window", {"log": log, "duration": 20, "organizations": 4})
    found = [draw(np.random.default_rng(seed)) for seed in range(6)]
    assert len({repr(one["organizations"]) for one in found}) > 1
    assert all(one["until"] == 20 and sum(row["machines"] for row in one["organizations"]) == 4 for one in found)


def test_the_reduction_is_of_random_parts_with_an_even_sum() -> None:
    every: set[int] = set()
    for seed in range(30):
        rows = drawn("federation", "figure-5.2", seed, parts=4, longest=5)["organizations"]
        parts = [job["length"] for job in rows[2]["jobs"][1:]]
        assert rows == figure_5_2(parts).tables()
        every |= set(parts[:-1])
    assert every == {1, 2, 3, 4, 5}
    assert drawn("federation", "figure-5.2", parts=2, longest=1)["organizations"] == figure_5_2([1, 1]).tables()


# --- what a base asks for -------------------------------------------------------------------------------------------


def test_jobs_have_priorities_where_the_base_goes_by_given_ones() -> None:
    scenario = filled(
        base("federation", mechanism=GIVEN_ORDER), "uniform-jobs", {"fewest": 0}, np.random.default_rng(2)
    )
    ranks = [job["priority"] for row in scenario["organizations"] for job in row["jobs"]]
    assert sorted(ranks) == list(range(1, len(ranks) + 1)) != ranks
    consortium.load(scenario)
    listed = base("federation", mechanism={**GIVEN_ORDER, "order": "longest"})
    consortium.load(filled(listed, "uniform-jobs", {}, np.random.default_rng(2)))
    central = base("federation", mechanism={"rule": "local", "order": "given"})
    assert filled(central, "uniform-jobs", {}, np.random.default_rng(2))["organizations"][0]["jobs"][0] == 9


def test_jobs_have_due_dates_where_the_base_judges_by_them() -> None:
    late = base("sharing", mechanism={"rule": "ref", "utility": "tardiness"})
    consortium.load(filled(late, "uniform-jobs", {}, np.random.default_rng(2)))


def test_what_the_base_says_of_its_own_numbers_is_left_out() -> None:
    shipped = dict(consortium.load("minimal/federation").data)
    assert set(shipped) >= {"title", "source", "expect"}
    found = filled(shipped, "uniform-jobs", {}, np.random.default_rng(1))
    assert set(found) == {"format", "kind", "organizations", "mechanism"}
    assert len(shipped["organizations"]) == 1  # the base is as it was


# --- refusals -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "name", "given", "text"),
    [
        ("federation", "uniform-job", {}, "Did you mean 'uniform-jobs'"),
        ("federation", "uniform-jobs", {"longets": 3}, "'longets' is not known.*Did you mean 'longest'"),
        ("federation", "uniform-jobs", {"longest": 0}, "longest: found 0; expected an integer from 1 to 1,000,000,"),
        ("federation", "uniform-jobs", {"longest": "3"}, "longest: found '3'; expected an integer"),
        ("federation", "uniform-jobs", {"longest": True}, "longest: found True"),
        ("federation", "uniform-jobs", {"shortest": 4, "longest": 3}, "shortest: found 4; expected at most longest, 3"),
        (
            "federation",
            "uniform-jobs",
            {"scale": 0.5},
            "scale: found 0.5; expected an exact number, such as 2 or '3/2'",
        ),
        ("federation", "uniform-jobs", {"scale": "0"}, "scale: found '0'"),
        ("federation", "uniform-jobs", {"jobs": 2, "total": 3}, "total: found 3 beside jobs"),
        ("federation", "uniform-jobs", {"fewest": 9}, "fewest: found 9; expected at most jobs, 4"),
        ("federation", "uniform-jobs", {"machines": 0}, "machines: found 0; expected an integer from 1"),
        ("federation", "uniform-jobs", {"machines": [1, 2]}, "found a list of 2 numbers; expected 4"),
        ("federation", "uniform-jobs", {"machines": 3, "most_machines": 2}, "found 2; expected at least machines, 3"),
        ("federation", "uniform-jobs", {"organizations": 10**6, "jobs": 10**6}, "expected at most 10,000,000 in all"),
        ("federation", "uniform-jobs", {"total": 10**6, "names": ["a"]}, "names: found .'a'.; expected at least 4"),
        ("federation", "figure-3.3", {"n": 2}, "figure-3.3.*n = 2; expected at least 3"),
        ("federation", "figure-4.5", {"j": 5, "k": 3}, "k: found 3; expected more than j - 2"),
        ("federation", "figure-5.1", {}, "delta: found nothing; expected an exact number"),
        ("declaration", "uniform-jobs", {"names": ["a", "a", "b", "c"]}, "all different"),
        ("declaration", "uniform-jobs", {"declares": "lies"}, "expected one of 'truth', 'random'"),
        ("declaration", "uniform-jobs", {"machines": 2, "powers": [1]}, "powers: found 1 beside machines"),
        ("declaration", "uniform-jobs", {"fastest": 2}, "machines: found nothing"),
        ("declaration", "uniform-jobs", {"powers": [1, 0]}, "powers: found 0"),
        ("declaration", "log-normal-jobs", {"spread": "nan"}, "spread: found 'nan'; expected a number from 0 to 5"),
        ("declaration", "log-normal-jobs", {"median": 10**400}, "median: found"),
        ("declaration", "log-normal-jobs", {"median": float("nan")}, "median: found nan"),
        ("declaration", "bimodal-jobs", {"short": 3, "long": 2}, "short: found 3; expected at most long, 2"),
        ("declaration", "bimodal-jobs", {"width": 2}, "width: found 2; expected less than short, 2"),
        ("declaration", "log-jobs", {"log": "nowhere.swf"}, "log-jobs.*'nowhere.swf' not found"),
        ("sharing", "uniform-jobs", {"scale": "1/2"}, "scale: found 1/2; expected an integer"),
        ("sharing", "uniform-jobs", {"machines": 0}, "at least one machine"),
        ("sharing", "poisson-bags", {"setting": "quiet"}, "expected one of 'moderate'"),
        ("sharing", "poisson-bags", {"machines": 2}, "found 2 for 5 organizations"),
        ("multiuser", "uniform-jobs", {"jobs": 0}, "jobs: found 0; expected an integer from 1"),
        ("multiuser", "uniform-jobs", {"totals": 4}, "totals: found 4; expected at most users, 3"),
        ("multiuser", "uniform-jobs", {"fewest": 5}, "fewest: found 5; expected at most jobs, 4"),
    ],
)
def test_what_is_not_accepted_is_refused_in_a_sentence(
    kind: str, name: str, given: Mapping[str, Any], text: str
) -> None:
    with pytest.raises((InputError, UnknownNameError), match=text):
        filling(base(kind), name, given)


def test_more_owners_than_a_log_has_are_refused(log: str) -> None:
    with pytest.raises(InputError, match="has 6 users with jobs that can be replayed; found a request for 7"):
        filling(base("federation"), "log-jobs", {"log": log, "by": "user", "organizations": 7})
    with pytest.raises(InputError, match="found 4 for 6 organizations"):
        filling(base("sharing"), "log-window", {"log": log, "duration": 9, "organizations": "user"})


def test_every_mistake_is_said_at_once() -> None:
    with pytest.raises(InputError) as caught:
        family("declaration", "zipf-lengths").prepared({"agents": 0, "exponent": -1, "longest": 10**9})
    assert [line.partition(": found")[0].rpartition(" ")[2] for line in str(caught.value).splitlines()] == [
        "agents",
        "exponent",
        "longest",
    ]


@pytest.mark.parametrize("wrong", [{"kind": "federatoin"}, {"kind": 3}, {}])
def test_a_base_has_a_kind_with_families(wrong: dict[str, Any]) -> None:
    with pytest.raises((InputError, UnknownNameError), match="kind"):
        filling(wrong, "uniform-jobs")


def test_numbers_are_read_as_in_scenario_files() -> None:
    for scale in ("3/2", Fraction(3, 2), Decimal("1.5")):
        assert drawn("declaration", "uniform-jobs", agents=1, longest=1, scale=scale)["agents"] == [{"length": "3/2"}]
    for spread in (0, "0", Decimal(0), Fraction(0), 0.0):
        agents = drawn("declaration", "log-normal-jobs", agents=1, spread=spread, median="20.5")["agents"]
        assert agents == [{"length": 20}]


# --- other distributions --------------------------------------------------------------------------------------------

COINS = """
from pydantic import Field
from consortium.workloads.families import Family, Parameters

class Coins(Parameters):
    sides: int = Field(2, ge=1, description="sides of a coin")

def prepare(p):
    return lambda rng: {"organizations": [{"jobs": [1 + int(rng.integers(p.sides))]}]}

COINS = Family("coins", "federation", Coins, prepare, "a job by a coin")
"""


def test_other_distributions_add_families(site: Path, distributions: Any) -> None:
    points = {"consortium.families": {"federation/coins": "coins:COINS", "federation/lost": "coins:COINS"}}
    distributions.make_distribution(site, "coins", {"coins": COINS}, points)
    with pytest.warns(ExtensionWarning, match="'federation/lost' stands for"):
        assert families("federation")[-1].name == "coins"
    (site / "coins-1.dist-info" / "entry_points.txt").write_text(
        "[consortium.families]\nfederation/coins = coins:COINS\n"
    )
    loading.forget()
    assert [one.name for one in families("federation")][-1] == "coins"
    assert {drawn("federation", "coins", seed, sides=3)["organizations"][0]["jobs"][0] for seed in range(30)} == {
        1,
        2,
        3,
    }
    with pytest.raises(InputError, match="sides: found 0; expected an integer >= 1"):
        drawn("federation", "coins", sides=0)


def test_the_same_state_gives_the_same_instance_from_version_to_version() -> None:
    """Drawn once, and looked at whenever numpy changes: a study that is run again has to have the same instances."""
    given: list[tuple[str, dict[str, Any], list[Any]]] = [
        ("uniform-jobs", {"longest": 100}, [48, 28, 64, 27, 97, 20]),
        ("log-normal-jobs", {}, [55, 151, 149, 30, 43, 388]),
        ("zipf-lengths", {}, [1, 1, 1, 86, 18, 3]),
        ("bimodal-jobs", {"width": 1}, [2, 2, 21, 3, 2, 3]),
    ]
    for name, parameters, lengths in given:
        agents = drawn("declaration", name, 2013, agents=6, **parameters)["agents"]
        assert [row["length"] for row in agents] == lengths, name
