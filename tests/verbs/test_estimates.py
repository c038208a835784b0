"""Every dry run says seconds and memory, and refuses exactly what the run refuses, in the same sentence."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import consortium
from consortium.mechanisms.declaration import build
from consortium.mechanisms.kinds import GAME, KINDS, RuleInfo
from consortium.mechanisms.sharing.catalogue import MACHINE_ORDERS, PARALLEL, RULES, SLURM, TIMINGS
from consortium.mechanisms.sharing.utilities import UTILITIES
from consortium.scheduling.clusters import Cluster
from consortium.verbs.costs import speed

from ..reports.cases import CASES, federation, site_log, source_of, users


@pytest.mark.parametrize("name", CASES)
def test_every_verb_of_every_kind_says_seconds_and_memory(name: str, tmp_path: Any) -> None:
    case = CASES[name]
    source = source_of(case, tmp_path)
    told = consortium.estimate(case.verb, source, **case.options)
    assert told.seconds is not None
    assert 0 < told.seconds < 1000
    assert told.memory_bytes is not None
    assert 10 * 2**20 < told.memory_bytes < 2**32


def test_every_verb_has_an_estimate() -> None:
    assert all(verb.estimate for kind in (*KINDS, GAME) for verb in kind.verbs)


def test_a_time_limit_bounds_what_is_predicted() -> None:
    hard = federation("coordination") | {"organizations": [{"jobs": [5, 4, 3, 2, 1] * 4}] * 4}
    free = consortium.estimate("search", hard, method="cuts").seconds
    limited = consortium.estimate("search", hard, method="cuts", time_limit=0.01).seconds
    assert free is not None
    assert limited is not None
    assert limited < free


def test_an_optimum_left_to_solvers_says_so() -> None:
    open_to_proof = organizations("optimal", [[5, 2], [3, 4], [4, 5]], constraints=["local"])
    assert "time_limit" in consortium.estimate("run", open_to_proof).note
    assert "time_limit" not in consortium.estimate("run", federation("optimal")).note


@pytest.mark.parametrize("rule", ["verified", "vcg-renice", "vcg-postpone"])
@pytest.mark.parametrize("agents", [40, 400, 2000])
def test_domains_beyond_any_machine_are_refused_in_a_short_sentence(rule: str, agents: int) -> None:
    """Their number has more digits than a float holds."""
    data = {"format": 1, "kind": "declaration", "cluster": {"powers": [1, 2]}, "mechanism": {"rule": rule}}
    data |= {"agents": [{"length": 1 + k % 3} for k in range(agents)], "domain": {"lengths": [1, 2, 3]}}
    with pytest.raises(consortium.ConsortiumError, match=r"about 10.*method kernel: about .* years and more than any"):
        consortium.estimate("verify", data)


@pytest.mark.parametrize(("rule", "power"), [("verified", 2), ("vcg-postpone", 1)])
def test_bills_after_the_run_take_a_run_without_each_agent(rule: str, power: int) -> None:
    """400 agents took ten times the prediction, which knew of one run alone."""

    def seconds(n: int) -> float:
        data = {"format": 1, "kind": "declaration", "cluster": {"powers": [1]}, "mechanism": {"rule": rule}}
        told = consortium.estimate("run", data | {"agents": [{"length": k + 1} for k in range(n)]}).seconds
        assert told is not None
        return told

    first, second, third = map(seconds, (1000, 2000, 3000))
    assert ((third - second) / (second - first) > 1.5) == (power > 1)


def test_a_proof_says_a_time_for_any_number_of_agents() -> None:
    """Measured, extrapolated, or at least so long for code of one's own; more agents never take less."""

    def told(n: int, **more: Any) -> Any:
        data = {"format": 1, "kind": "declaration", "cluster": {"powers": [1]}, "mechanism": {"rule": "light-vcg"}}
        data["agents"] = [{"length": k + 1} for k in range(n)]
        return consortium.estimate("prove", data, **more)

    found = [told(n) for n in (1, 4, 5, 6, 200)]
    assert ["extrapolated" in each.note for each in found] == [False, False, True, True, True]
    assert all(before.seconds < after.seconds for before, after in itertools.pairwise(found))
    assert told(6, time_limit=5).seconds == 5
    assert "the time limit ends it" in told(6, time_limit=5).note
    own = told(6, mechanism=Second())
    assert "custom code may branch more or less often" in own.note
    assert 0 < own.seconds <= found[3].seconds


class Second:
    """A rule of one's own: the package's, behind a wall."""

    def run(self, declared: Any, lengths: Any) -> Any:
        return build("light-vcg", Cluster.of([1])).run(declared, lengths)


def test_the_speed_of_the_machine_is_a_small_number() -> None:
    assert 0.02 < speed() < 50


def cluster(jobs: int, **more: Any) -> dict[str, Any]:
    """Many agents, with names that expressions may use."""
    agents = [{"name": f"a{n}", "length": n} for n in range(1, jobs + 1)]
    return {
        "format": 1,
        "kind": "declaration",
        "cluster": {"powers": [1, 2, 3]},
        "agents": agents,
        "mechanism": {"rule": "straightforward"},
    } | more


def organizations(rule: str, jobs: list[list[int]], **more: Any) -> dict[str, Any]:
    """One machine each."""
    rows = [{"name": f"O{k}", "jobs": row} for k, row in enumerate(jobs, 1)]
    return {"format": 1, "kind": "federation", "organizations": rows, "mechanism": {"rule": rule} | more}


NUMBERS = list(range(1, 41))
LONG = [[5 * 10**15, 2 * 10**15], [3 * 10**15 + 1, 4 * 10**15], [4 * 10**15, 5 * 10**15]]
MAKESPAN, EXPRESSION = {"goal": "makespan"}, {"goal": "expression", "expression": "-a1*a2"}
REFUSED: dict[str, tuple[str, Any, dict[str, Any]]] = {
    "declaration run, makespan of 19 jobs": ("run", cluster(19, welfare=MAKESPAN), {}),
    "declaration run, product of 9 jobs": ("run", cluster(9, welfare=EXPRESSION), {}),
    "declaration search, table": ("search", cluster(6, domain={"lengths": NUMBERS, "declarations": NUMBERS}), {}),
    "declaration search, no such method": ("search", cluster(2), {"method": "cuts"}),
    "declaration verify, makespan of 19 jobs": (
        "verify",
        cluster(19, welfare=MAKESPAN, domain={"lengths": [1], "declarations": [1]}),
        {},
    ),
    "declaration verify, no such property": ("verify", cluster(2), {"property": "domnant"}),
    "declaration verify, sample by kernel": ("verify", cluster(2), {"method": "kernel", "sample": 3}),
    "declaration curve, makespan of 19 jobs": ("curve", cluster(19, welfare=MAKESPAN), {"agent": "a1"}),
    "declaration curve, empty range": ("curve", cluster(2), {"agent": "a1", "low": 3, "high": 2}),
    "declaration curve, no such agent": ("curve", cluster(2), {"agent": "b1"}),
    "federation search, table": (
        "search",
        organizations("coordination", [[1, 2, 3] * 4] * 4),
        {"method": "enumeration"},
    ),
    "federation search, central rule": ("search", organizations("local", [[1], [2]]), {}),
    "federation run, beyond the solver": (
        "run",
        organizations("optimal", LONG, constraints=["local"]),
        {},
    ),
    "federation run, starts beyond the solver": (
        "run",
        organizations("optimal", LONG, constraints=["selfish"]),
        {},
    ),
    "federation verify, no such property": (
        "verify",
        organizations("local", [[1], [2]]),
        {"property": "equilibrum"},
    ),
    "multiuser run, fairest": ("run", users("fairest", "M" * 22), {}),
    "multiuser run, pareto": ("run", users("pareto", "M" * 10), {}),
    "multiuser run, pareto of several": ("run", users("pareto", "S" * 12) | {"machines": 3}, {}),
    "multiuser run, grid": ("run", users("pareto", "MMSM", epsilon="1/1000000"), {}),
    "multiuser run, time limit": ("run", users("lst", "MM", thresholds=[1, 1]), {"time_limit": 1}),
    "multiuser compare, by name": ("compare", users("fairest", "M" * 22), {"rules": ["fairest"]}),
    "game search, table": ("search", [np.zeros((16, 15)), np.zeros((16, 15))], {"max_bytes": 9, "quantal": 1}),
    "game search, no such method": ("search", [np.zeros((2, 2)), np.zeros((2, 2))], {"method": "cuts"}),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_dry_run_and_the_run_refuse_in_the_same_sentence(name: str) -> None:
    verb, source, options = REFUSED[name]
    with pytest.raises(consortium.ConsortiumError) as run:
        getattr(consortium, verb)(source, **options)
    with pytest.raises(type(run.value)) as dry:
        consortium.estimate(verb, source, **options)
    assert str(dry.value) == str(run.value)


def test_a_check_that_takes_hours_is_refused_by_both() -> None:
    """The seconds are measured anew each time; what is refused, and why, is the same."""
    two = cluster(
        3, mechanism={"rule": "evcg-postpone", "rounds": 2}, domain={"lengths": NUMBERS, "declarations": NUMBERS}
    )
    for ask in (consortium.verify, lambda source: consortium.estimate("verify", source)):
        with pytest.raises(
            consortium.ConsortiumError, match="comparisons over 64,000 declaration profiles, method general"
        ):
            ask(two)


def pool(rule: str, **options: Any) -> dict[str, Any]:
    """Two organizations and few jobs."""
    rows = [{"name": f"O{k}", "machines": k, "jobs": [[0, 3], [1, 2]]} for k in (1, 2)]
    return {"format": 1, "kind": "sharing", "until": 6, "organizations": rows, "mechanism": {"rule": rule} | options}


OPTIONS: dict[str, tuple[dict[str, Any], ...]] = {
    "timing": tuple({"timing": timing} for timing in TIMINGS),
    "utility": tuple({"utility": name} for name, utility in UTILITIES.items() if not utility.needs_due_dates),
    "samples": ({"samples": 3}, {"samples": "all"}),
    "orderings": ({"orderings": [[1, 2], [2, 1]]},),
    "epsilon": ({"epsilon": 1, "confidence": "1/2"},),
    "confidence": ({"epsilon": 2, "confidence": "9/10"},),
    "machine_order": tuple({"machine_order": order} for order in MACHINE_ORDERS),
    "decay": ({"decay": 7}, {"decay": "1d"}),
    "parallel": tuple({"parallel": way} for way in PARALLEL),
    "parents": ({"parents": {"O1": "above"}},),
    "max_age": ({"age": 1, "max_age": "1d"},),
    "max_qos": ({"qos": 1, "max_qos": 3},),
    **{weight: ({weight: 3},) for weight in ("age", "fairshare", "size", "qos")},
}
"""Values of every option of the pool's rules, with what has to be said beside it."""


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_every_option_of_every_rule_of_the_pool_is_predicted_and_runs(rule: RuleInfo, tmp_path: Any) -> None:
    """Also where it is the scenario's rule, and ``compare`` hands its options on to the other rules."""
    log = site_log(tmp_path)
    for given in ({}, *(values for option in sorted(rule.options) for values in OPTIONS[option])):
        source = pool(rule.id, **given)
        for verb in ("run", "verify", "compare"):
            assert consortium.estimate(verb, source).memory_bytes
        assert consortium.run(source).complete
        assert consortium.compare(source).complete
        said = {name: value for name, value in given.items() if isinstance(value, int | str)}
        text = ":".join([rule.id, *(f"{name}={value}" for name, value in said.items())])
        assert consortium.estimate("audit", log, rules=[text], machines=4).memory_bytes


def test_options_that_a_compared_rule_inherits_are_predicted() -> None:
    """REF that looks at the present moment, and each rule in its place."""
    rows = [{"name": f"O{k}", "machines": 2, "jobs": [[0, 3]] * 4} for k in (1, 2)]
    source = pool("ref", timing="now") | {"until": 6, "organizations": rows}
    told = consortium.estimate("compare", source)
    assert told.memory_bytes
    assert {row.rule for row in consortium.compare(source).rows} == {rule.id for rule in RULES if rule.id not in SLURM}


def test_the_rows_of_a_comparison_share_one_optimum() -> None:
    """Six users were said to take nine times as long as they did: the fairest point was counted for each rule."""
    data = users("multimixed") | {"users": [{"jobs": [3 + k, 5, 7 + k, 11]} for k in range(10)]}
    one, three = (
        consortium.estimate("compare", data, rules=rules) for rules in (["fairest"], ["fairest", "multimixed", "edf"])
    )
    assert one.seconds is not None
    assert three.seconds is not None
    assert speed() < one.seconds < three.seconds < 1.2 * one.seconds


def test_small_questions_load_no_kernels() -> None:
    """They are left to the interpreter, so numba takes neither time nor memory."""
    small, large = (
        consortium.estimate("search", federation("coordination") | {"organizations": [{"jobs": list(range(1, n))}] * 3})
        for n in (3, 7)
    )
    assert small.memory_bytes is not None
    assert large.memory_bytes is not None
    assert small.memory_bytes < 100 * 2**20 < large.memory_bytes
