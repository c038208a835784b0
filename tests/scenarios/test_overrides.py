"""``--set PATH=VALUE``: names and numbers of listed tables, quotes, and what is said of a path that leads nowhere."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from consortium.cli.files import overrides
from consortium.scenarios.problems import Problems
from consortium.scenarios.reader import changed, load, setting, steps_of
from consortium.support.errors import InputError

from ..command_line import command

DATA: dict[str, Any] = {
    "agents": [
        {"name": "chem", "length": 1},
        {"length": 2},
        {"name": "x.y[1]", "length": 3},
        {"name": "1", "length": 4},
    ],
    "cluster": {"powers": [1, 2]},
    "mechanism": {"rule": "harsh"},
}


@pytest.mark.parametrize(
    ("path", "agent"),
    [
        ("agents.chem.length", 0),
        ("agents[1].length", 0),
        ("agents.a2.length", 1),
        ("agents.2.length", 1),
        ('agents."x.y[1]".length', 2),
        ("agents.'x.y[1]'.length", 2),
        ("agents.1.length", 3),  # her name comes before the first one's number
        ('"agents"."1"."length"', 3),
    ],
)
def test_a_listed_table_has_a_name_and_a_number(path: str, agent: int) -> None:
    found, problems = {}, Problems()
    found = changed(DATA, {path: 9}, problems)
    assert not problems.noted
    lengths = [each["length"] for each in DATA["agents"]]
    lengths[agent] = 9
    assert [each["length"] for each in found["agents"]] == lengths


@pytest.mark.parametrize(
    ("path", "said"),
    [
        (
            "agents.chen.length",
            "overrides: agents.chen.length: found 'chen'; expected one of those in agents: chem, a2, x.y[1], 1. "
            "Did you mean 'chem'?",
        ),
        ("agents[5].length", "overrides: found 'agents[5].length'; expected a path that exists; agents is a list of 4"),
        ("agents.0.length", "expected a path that exists; agents is a list of 4"),
        ("cluster.powers.first", "cluster.powers is a list, whose items have numbers: cluster.powers[1]"),
        ("mechanism[1]", "mechanism is a table, which has no numbers"),
        ("mechanism.rule.x", "mechanism.rule is no table and no list"),
        (
            "a..b",
            "expected a path such as mechanism.rule, agents.ann.length or agents[2].length; quote names with dots",
        ),
        ("", "expected a path such as"),
        ("[1].a", "expected a path such as"),
        ('agents."chem.length', "expected a path such as"),
    ],
)
def test_a_path_that_leads_nowhere_is_one_sentence(path: str, said: str) -> None:
    problems = Problems()
    changed(DATA, {path: 9}, problems)
    assert [said in str(problem) for problem in problems.noted] == [True], problems.noted


def test_quoted_keys_are_read_back() -> None:
    """Any names, quoted, come back as they were; so do the values behind them."""
    rng = random.Random(5)
    for _ in range(500):
        keys = ["".join(rng.choices("ab.[]\"'\\= 1é", k=rng.randint(1, 5))) for _ in range(3)]
        path = ".".join('"' + key.replace("\\", "\\\\").replace('"', '\\"') + '"' for key in keys)
        assert steps_of(path) == keys
        value = "".join(rng.choices("=\"'x", k=4))
        assert setting(f"{path}={value}") == (path, value)


def test_settings_without_a_value_are_none() -> None:
    assert [setting(text) for text in ("=3", "a", 'a."b=3', "")] == [None] * 4
    assert setting("a=") == ("a", "")
    assert overrides(["a.b=1/2", "c=[1, 2]"]) == {"a.b": "1/2", "c": [1, 2]}


def test_jobs_inside_an_organization_by_its_name() -> None:
    scenario = load("cordeiro2012/corollary-5.7", {"organizations.O2.jobs[1]": 7})
    assert scenario.to_dict()["organizations"][1]["jobs"][0] == 7


def test_nothing_of_the_source_is_changed_and_none_takes_away() -> None:
    found = changed(DATA, {"agents.chem.name": None, "mechanism.new.key": 3}, Problems())
    assert found["agents"][0] == {"length": 1}
    assert found["mechanism"]["new"] == {"key": 3}
    assert DATA["agents"][0]["name"] == "chem"
    with pytest.raises(InputError, match="expected a table of values by path"):
        load("agmon2003/5.2.1", overrides=[])  # type: ignore[arg-type]


def test_on_the_command_line(tmp_path: Path) -> None:
    def agents(setting: str) -> str:
        return command("run", "agmon2003/5.2.1", "--set", setting, cwd=tmp_path).stdout

    assert agents("agents.ann.declares=2") == agents("agents[1].declares=2") != agents("agents.bob.declares=2")
    wrong = command("run", "agmon2003/5.2.1", "--set", "agents.anne.declares=2", cwd=tmp_path)
    assert wrong.returncode == 2
    assert "Did you mean 'ann'?" in wrong.stderr
