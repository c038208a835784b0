"""``consortium rules`` tells all of a rule, ours or another distribution's."""

from __future__ import annotations

import json
from pathlib import Path
from subprocess import CompletedProcess
from types import ModuleType

import pytest

from consortium.scenarios.reader import load
from consortium.support.errors import UnknownNameError
from consortium.verbs.rules import find, page

from ..command_line import command as run_command


def command(*words: str) -> CompletedProcess[str]:
    return run_command(*words, cwd=Path.cwd())


OWN = """
from pydantic import BaseModel, Field
from consortium import RuleInfo

class Keys(BaseModel):
    patience: int = Field(3, ge=1, description="how long a job waits", json_schema_extra={"x-unit": "time"})
    tag: str = Field(description="what is printed")

RULE = RuleInfo("patient", "wait, then serve", "the harbour", options=frozenset({"timing"}),
                factory="own_rules:Patient", kind="sharing", parameters="own_rules:Keys",
                claims=frozenset({"greedy", "polite"}),
                details="Waits.", theorem="None is known.")

class Patient:
    def __init__(self, pool, timing="next", patience=3, tag=""): ...
    def choose(self, pool): return pool.waiting[0]
"""


def test_all_of_a_rule_as_json_and_as_tables() -> None:
    told = json.loads(command("rules", "multiuser", "pareto", "--json").stdout)
    assert told == page(find("pareto")).to_dict()
    assert [key["key"] for key in told["keys"]] == ["epsilon", "ties"]
    assert told["keys"][0]["default"] == "the exact Pareto set"
    assert told["keys"][1]["names"]["work"].startswith("the smaller total work")
    assert told["claims"] == [
        {"claim": "pareto-optimal", "status": "tested", "how": "generated instances",
         "meaning": "no schedule's point dominates the answer"}
    ]  # fmt: skip
    shown = command("rules", "multiuser", "pareto").stdout
    for text in (told["details"], told["theorem"], told["source"], "the smaller total work", *told["scenarios"]):
        assert text in shown


def test_scenarios_are_those_that_name_the_rule() -> None:
    told = page(find("refine-printed"))
    assert "cordeiro2012/discard-rule-printed" in told.scenarios
    assert {load(name).spec.rule for name in told.scenarios} == {"refine-printed"}


@pytest.mark.parametrize(("words", "said"), [
    (("multi", "pareto"), "kind: 'multi' is not known"),
    (("multiuser", "paretto"), "Did you mean 'pareto'?"),
    (("multiuser", "ref"), "rule: 'ref' is not known; known: edf"),
    (("sharin",), "Did you mean 'sharing'?"),
])  # fmt: skip
def test_refusals_name_the_nearest(words: tuple[str, ...], said: str) -> None:
    done = command("rules", *words)
    assert done.returncode == 2
    assert said in done.stderr


def test_a_rule_of_another_distribution_is_told_like_ours(tmp_path: Path, distributions: ModuleType) -> None:
    distributions.make_distribution(
        tmp_path, "own-rules", {"own_rules": OWN}, {"consortium.rules": {"patient": "own_rules:RULE"}}
    )
    told = json.loads(distributions.command(tmp_path, "rules", "sharing", "patient", "--json").stdout)
    keys = {key["key"]: key for key in told["keys"]}
    assert set(keys) == {"timing", "patience", "tag"}
    assert (keys["patience"]["default"], keys["patience"]["unit"]) == ("3", "time")
    assert (keys["patience"]["accepted"], keys["tag"]["default"]) == ("an integer >= 1", "must be given")
    assert [(row["claim"], row["how"]) for row in told["claims"]] == [
        ("greedy", "by its own distribution"), ("polite", "by its own distribution"),
    ]  # fmt: skip
    assert "wait, then serve" in distributions.command(tmp_path, "rules", "sharing").stdout
    schema = json.loads(distributions.command(tmp_path, "schema", "sharing").stdout)
    key = schema["$defs"]["sharing-MechanismBlock"]["properties"]["patience"]
    assert key["description"] == "how long a job waits. Unit: time. Only with rule: patient"


def test_an_unknown_name_is_refused_in_python() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'edf'"):
        find("edff", "multiuser")
    assert find("local", "federation").info.id == "local"


UNUSABLE = """
from consortium.mechanisms.kinds import RuleInfo
ELSEWHERE = RuleInfo("elsewhere", "nowhere", "nobody", factory="own_rules:Patient", kind="federatoin")
ILBA = RuleInfo("ilba", "not the first", "nobody", factory="own_rules:Patient", kind="federation")
GONE = RuleInfo("gone", "nothing behind it", "nobody", factory="own_rules:Nope", kind="federation")
"""


def test_a_rule_of_others_that_cannot_be_used_is_named_with_whose_it_is(
    tmp_path: Path, distributions: ModuleType
) -> None:
    entries = {name: f"own_rules:{name.upper()}" for name in ("elsewhere", "ilba", "gone")}
    distributions.make_distribution(tmp_path, "own-rules", {"own_rules": UNUSABLE}, {"consortium.rules": entries})
    listed = distributions.command(tmp_path, "rules", "federation")
    warnings = [line for line in listed.stderr.splitlines() if line.startswith("warning: ")]
    assert len(warnings) == 2
    wrong = "consortium.rules: 'elsewhere', which own-rules announces: kind: found 'federatoin'; expected one of"
    assert any(wrong in line and "Did you mean 'federation'?" in line for line in warnings)
    assert any("'ilba', which own-rules announces, is left out: kind 'federation' has a rule" in w for w in warnings)
    assert "not the first" not in listed.stdout
    for name, why in {"elsewhere": wrong, "gone": "'gone', which own-rules announces: factory: own_rules:Nope"}.items():
        run = distributions.command(tmp_path, "run", "minimal/federation", "--set", f"mechanism.rule={name}")
        assert (run.returncode, run.stdout) == (2, "")
        assert why in run.stderr
