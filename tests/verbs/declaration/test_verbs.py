"""The verbs on kind ``declaration``: the fields of every record, best replies, own mechanisms, stopping."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from fractions import Fraction as F
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import consortium
from consortium.mechanisms.declaration import build
from consortium.scheduling.clusters import Cluster
from consortium.support.errors import InputError, MechanismError, UnknownNameError
from consortium.verbs import variants
from consortium.verbs.declaration.compare import adapt
from consortium.verbs.declaration.model import model

ROOT = Path(__file__).resolve().parents[3]


def scenario(rule: str = "evcg-postpone", **blocks: Any) -> dict[str, Any]:
    return {
        "format": 1,
        "kind": "declaration",
        "cluster": {"powers": [1]},
        "agents": [{"name": "ann", "length": 2, "declares": 1}, {"name": "bob", "length": 2}],
        "mechanism": {"rule": rule},
        "domain": {"lengths": [1, 2], "declarations": [1, 2]},
    } | blocks


HEAD = {"verb", "kind", "scenario", "method", "exact", "complete", "version", "request"}


def test_run_has_the_fields_of_the_format() -> None:
    record = consortium.run(scenario(welfare={"goal": "lexical-max"})).to_dict()
    assert set(record) == HEAD | {"agents", "optimal_sum", "rent", "welfare"}
    assert (record["verb"], record["kind"], record["exact"], record["complete"]) == ("run", "declaration", True, True)
    ann = record["agents"][0]
    assert set(ann) == {
        "name", "length", "declares", "stayed", "machine", "position", "planned", "output", "payment", "utility",
        "penalty", "controls", "work", "killed",
    }  # fmt: skip
    assert (ann["controls"], ann["planned"], ann["work"]) == (["postpone"], 1, [[0, 1, 1], [3, 4, 1]])
    assert (ann["output"], ann["utility"]) == (4, 0 - 4 - ann["payment"])
    assert record["welfare"] == {"planned": [-3, -1], "final": [-4, -3]}  # negated times, largest first


def test_run_without_penalties_or_ends() -> None:
    record = consortium.run(scenario("harsh", cluster={"powers": ["2/3"]})).to_dict()
    ann, bob = record["agents"]
    assert (ann["output"], ann["utility"], ann["killed"], ann["penalty"]) == ("inf", "-inf", True, None)
    assert (ann["planned"], bob["planned"], record["welfare"]["final"]) == ("3/2", "9/2", "-inf")


def test_two_rounds_with_a_leaver() -> None:
    record = consortium.run("agmon2003/7.5.1").to_dict()
    ann, bob = record["agents"]
    nothing = [bob[key] for key in ("machine", "position", "planned", "output")]
    assert (bob["stayed"], nothing, bob["payment"], bob["utility"]) == (False, [None] * 4, 0, 0)
    assert record["first_round"] == [
        {"name": "ann", "planned": 3, "payment": 1}, {"name": "bob", "planned": 1, "payment": 3}
    ]  # fmt: skip
    assert (record["optimal_sum"], record["rent"], ann["utility"]) == (4, 0, 8)


def test_verify_has_the_fields_of_the_format_and_replays() -> None:
    record = consortium.verify(scenario("light-vcg"))
    data = record.to_dict()
    assert set(data) == HEAD | {"dominant", "ex_post", "properties", "domain"}
    for concept in ("dominant", "ex_post"):
        assert {"holds", "cases", "max_gain", "witness"} <= set(data[concept])
    assert set(data["dominant"]["witness"]) == {
        "agent", "length", "lie", "declarations", "lengths", "utility_truth", "utility_lie", "gain", "replay",
    }  # fmt: skip
    names = {
        "rent_nonnegative", "budget_balanced", "just", "upper_margin", "lower_margin", "individually_rational",
        "accepts_every_input",
    }  # fmt: skip
    assert set(data["properties"]) == names | {"any_others"}
    assert all({"holds", "cases", "witness"} <= set(data["properties"][name]) for name in names)
    assert set(data["properties"]["any_others"]) == {"upper_margin", "lower_margin"}
    rows = consortium.check(json.loads(json.dumps(data)))
    assert len(rows) >= 4
    assert all(row.holds for _, _, row in rows)
    assert record.verdict is False
    assert consortium.verify(scenario("light-vcg"), property="upper-margin").verdict is True


def test_a_reduction_is_complete_for_the_concept_that_it_settles() -> None:
    settled = consortium.verify(scenario("evcg-renice"), method="reduction", property="ex-post")
    assert (settled.complete, settled.verdict, settled.dominant["holds"]) == (True, True, None)
    assert "ex-post only" in settled.dominant["limit"]
    assert consortium.verify(scenario("evcg-renice"), method="reduction").complete is False


def test_search_has_the_fields_of_the_format() -> None:
    data = consortium.search(scenario("light-vcg")).to_dict()
    assert {
        "players", "profiles", "equilibria", "optimum", "price_of_anarchy",
        "price_of_stability", "smallest_epsilon", "smallest_epsilon_profile", "smallest_regret", "sinks", "dynamics",
        "method",
    } <= set(data)  # fmt: skip
    assert data["dynamics"]["start"] == {"ann": 2, "bob": 2}
    assert set(data["equilibria"]) == {"exists", "count", "best", "worst", "listed"}


def test_compare_rows_and_own_mechanisms() -> None:
    rules = {"light-vcg": "light-vcg", "paid": "vcg-postpone", "mine": Queue()}
    data = consortium.compare(scenario(), rules=rules).to_dict()
    assert [row["rule"] for row in data["rows"]] == ["light-vcg", "paid", "mine"]
    for row in data["rows"]:
        assert set(row) == {"rule", "scenario", "values", "complete"}
        assert list(row["values"]) == data["columns"]
    assert [row["values"]["dominant"] for row in data["rows"]] == [False, True, False]
    both = {"evcg-postpone": "evcg-postpone", "mine": Queue()}
    assert [row.rule for row in consortium.compare(scenario(), rules=both).rows] == ["evcg-postpone", "mine"]
    assert consortium.estimate("compare", scenario(), rules=both).size == 2 * 16
    with pytest.raises(InputError, match="'harsh' is the name of a rule of the package"):
        consortium.compare(scenario(), rules={"harsh": Queue()})


def test_compare_carries_no_share_of_a_machine_over_as_a_time() -> None:
    given = consortium.load(scenario(mechanism={"rule": "vcg-renice", "penalty": "1/2"}))
    asked = {"vcg-postpone": {}, "vcg-postpone:penalty=1/2": "1/2", "evcg-renice": "1/2", "evcg-renice:penalty=1": 1}
    found = variants([given], {rule: rule for rule in asked}, adapt)
    assert [variant.scenario.data["mechanism"].get("penalty", {}) for variant in found] == list(asked.values())


class Queue:
    """Shortest declaration first on one machine of power 1, unpaid."""

    def run(self, declared: Any, lengths: Any) -> Any:
        order = sorted(range(len(declared)), key=lambda n: (declared[n], n))
        ends = {n: sum((lengths[k] for k in order[: place + 1]), F(0)) for place, n in enumerate(order)}
        return SimpleNamespace(output=[ends[n] for n in range(len(order))], payments=[0] * len(order))


class Ordered(Queue):
    anonymous = True


class Forgetful:
    def run(self, declared: Any, lengths: Any) -> Any:
        return None


class Dividing:
    def run(self, declared: Any, lengths: Any) -> Any:
        return declared[0] / 0


class Backwards:
    def run(self, declared: Any, lengths: Any) -> Any:
        return SimpleNamespace(output=[-1, 1], payments=[0, 0])


def test_own_mechanism_in_every_verb() -> None:
    goal = scenario(welfare={"goal": "makespan"})
    played = consortium.run(goal, mechanism=Queue()).to_dict()
    assert (played["welfare"]["final"], played["optimal_sum"]) == (-4, None)
    found = consortium.verify(goal, mechanism=Queue())
    assert (found.dominant["holds"], found.dominant["witness"]["replay"], found.method) == (False, (), "general")
    assert consortium.search(goal, mechanism=lambda cluster: Queue()).equilibria["exists"]
    assert consortium.curve(goal, "ann", mechanism=Queue()).exact


@pytest.mark.parametrize(
    ("mechanism", "message"),
    [
        (Forgetful(), "Forgetful.run: found None as the answer; expected an object with output and payments"),
        (Dividing(), r"Dividing.run\(declared, lengths\) failed with ZeroDivisionError.*on declared = \(1, 2\)"),
        (Backwards(), r"Backwards.run: output\[1\]: found -1; expected a time >= 0"),
        (Queue, r"Queue\(cluster\) failed: TypeError.*given as Queue\(\)"),
        (lambda cluster: 7, "made 7; expected an object with run"),
        (lambda c: build("evcg-postpone", c, allocate=lambda b: [[0]]), "found 1 lists with 1 agents"),
        (lambda c: build("evcg-postpone", c, allocate=lambda b: [[0, 0]]), r"found \[\[0, 0\]\]; expected"),
    ],
)
def test_mistakes_in_own_mechanisms_are_told(mechanism: Any, message: str) -> None:
    with pytest.raises(MechanismError, match=message):
        consortium.run(scenario(), mechanism=mechanism)


def test_a_broken_promise_of_anonymity_is_told() -> None:
    with pytest.raises(MechanismError, match="found anonymous = True, but output"):
        consortium.verify(scenario(), mechanism=Ordered())


def test_best_replies_converge_or_say_that_they_do_not() -> None:
    agents = [{"name": "ann", "length": 2, "strategy": "best-reply"}, {"name": "bob", "length": 2}]
    record = consortium.run(scenario("light-vcg", agents=agents))
    candidates = [consortium.run(scenario("light-vcg", agents=[dict(agents[0], strategy="truthful"), agents[1]]))]
    assert record.agents[0].utility >= candidates[0].agents[0].utility

    class Matching:
        """Ann wants to say what bob says, bob what ann does not say."""

        def run(self, declared: Any, lengths: Any) -> Any:
            same = declared[0] == declared[1]
            return SimpleNamespace(output=[1 if same else 2, 2 if same else 1], payments=[0, 0])

    both = [{"name": name, "length": 2, "strategy": "best-reply"} for name in ("ann", "bob")]
    with pytest.raises(InputError, match="the answers of ann, bob go round in a circle"):
        consortium.run(scenario(agents=both), mechanism=Matching())


def test_unknown_options_name_the_nearest() -> None:
    for verb, option, near in (("run", "mechanisn", "mechanism"), ("verify", "propperty", "property")):
        with pytest.raises(UnknownNameError, match=f"Did you mean '{near}'"):
            getattr(consortium, verb)(scenario(), **{option: 1})
    with pytest.raises(UnknownNameError, match="Did you mean 'ann'"):
        consortium.curve(scenario(), "anne")


def test_dry_runs_count_without_working() -> None:
    assert consortium.estimate("run", scenario()).size == 1
    assert consortium.estimate("search", scenario()).size == 4
    assert consortium.estimate("verify", scenario()).size == consortium.verify(scenario()).dominant["cases"]


def test_one_ctrl_c_ends_everything_and_keeps_the_count(tmp_path: Path) -> None:
    big = scenario(
        "evcg-postpone",
        agents=[{"name": f"a{n}", "length": 1} for n in range(4)],
        domain={"lengths": [1, 2, 3, 4], "declarations": [1, 2, 3, 4]},
    )
    (tmp_path / "big.json").write_text(json.dumps(big))
    code = (
        "import json, sys\n"
        "from consortium import api\n"
        "data = json.load(open('big.json')); api.load(data)\n"
        "def told(done, total, note=''):\n"
        "    if done: print('started', flush=True)\n"
        "record = api.verify(data, method='general', progress=told)\n"
        "print(json.dumps({'complete': record.complete, 'cases': record.dominant['cases'],\n"
        "                  'ex_post': record.ex_post['cases'], 'total': record.dominant['total']}))\n"
    )
    environment = os.environ | {"PYTHONPATH": str(ROOT / ".types")}
    process = subprocess.Popen(
        [sys.executable, "-c", code], cwd=tmp_path, env=environment, text=True, stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "started\n"
    process.send_signal(signal.SIGINT)
    begin = time.monotonic()
    last = process.stdout.read().splitlines()[-1]
    assert process.wait(60) == 0
    assert time.monotonic() - begin < 60
    told = json.loads(last)
    assert told["complete"] is False
    assert 0 < told["cases"] < told["total"]
    assert told["ex_post"] == 0  # one Ctrl-C ends everything


def two_agents(**more: Any) -> dict[str, Any]:
    agents = [{"name": "ann", "length": 3, "declares": 2, **more}, {"name": "bob", "length": 1, **more}]
    kind = {"format": 1, "kind": "declaration", "cluster": {"powers": [1]}, "agents": agents}
    return kind | {"mechanism": {"rule": "vcg-postpone"}}


def test_lengths_and_declarations_of_a_file_are_listed_in_order() -> None:
    assert model(consortium.load(two_agents())).named_lengths() == (1, 2, 3)


def test_a_mechanism_of_ones_own_has_the_values_of_the_scenario() -> None:
    class Own:
        def __init__(self, values: tuple[int, ...]) -> None:
            self.one, self.values = build("vcg-postpone", Cluster.of([1])), values

        def run(self, declared: Any, lengths: Any) -> Any:
            return self.one.run(declared, lengths)

    file = two_agents(value=9)
    worth = consortium.run(file, mechanism=Own((9, 9))).agents
    assert [row.utility for row in worth] == [row.utility for row in consortium.run(file).agents]
    with pytest.raises(MechanismError, match=r"values: found 9 8; expected one per agent, as in the scenario: 9 9"):
        consortium.run(file, mechanism=Own((9, 8)))
