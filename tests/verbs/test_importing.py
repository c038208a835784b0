"""Import: which jobs a scenario gets, that it loads, and what is refused."""

from __future__ import annotations

import json
import os
import tomllib
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import consortium
from consortium.cli.app import app
from consortium.mechanisms.kinds import KINDS
from consortium.support.errors import InputError, UnknownNameError
from consortium.verbs.importing import build

IMPORTED = [kind.name for kind in KINDS if kind.importer]
TRACES = os.environ.get("CONSORTIUM_TRACES", "")


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Users 1, 2, 3 with 5, 4, 3 jobs; groups 1 and 2; run times user * 100 + number; one job that never ran."""
    rows, job = ["; MaxProcs: 8", "; Acknowledge: Ann", "99 0 -1 -1 0 -1 -1 -1 -1 -1 5 -1 -1 -1 -1 -1 -1 -1"], 0
    for user, n in ((1, 5), (2, 4), (3, 3)):
        for i in range(n):
            job += 1
            rows.append(f"{job} {job * 10} -1 {user * 100 + i} 1 -1 -1 1 -1 -1 1 {user} {1 + (user > 1)} -1 1 -1 -1 -1")
    path = tmp_path / "tiny.swf"
    path.write_text("\n".join(rows) + "\n")
    monkeypatch.chdir(tmp_path)
    return path


def made(kind: str, **options: Any) -> dict[str, Any]:
    return dict(build("tiny.swf", kind, **options).scenario)


@pytest.mark.usefixtures("log")
def test_declaration() -> None:
    scenario = made("declaration", agents=3, machines=2, unit=10)
    assert scenario["agents"] == [
        {"name": "user1", "length": 11},
        {"name": "user2", "length": 21},
        {"name": "user3", "length": 31},
    ]
    assert scenario["cluster"] == {"powers": [1, 1]}
    assert scenario["source"] == ("tiny.swf; provided by Ann; jobs 3, 8, 11; lengths are run times in units of 10 s")
    assert made("declaration", agents=2, powers=["1", "3/2"])["cluster"] == {"powers": [1, Fraction(3, 2)]}
    record = consortium.run(scenario)
    assert [agent.length for agent in record.agents] == [11, 21, 31]
    with pytest.raises(InputError, match="3 but 2 powers"):
        made("declaration", agents=2, machines=3, powers=[1, 2])
    with pytest.raises(InputError, match="machines"):
        made("declaration", agents=2, machines=-1)


@pytest.mark.usefixtures("log")
def test_federation() -> None:
    scenario = made("federation", organizations=2, jobs=2, machines=[2, 1])
    assert scenario["organizations"] == [
        {"name": "group2", "machines": 2, "jobs": [201, 301]},  # quantiles 1/4, 3/4 of 200..203, 300..302
        {"name": "group1", "machines": 1, "jobs": [101, 103]},
    ]
    by_user = made("federation", organizations=3, jobs=1, machines=7, shares="zipf", by="user")
    assert [o["machines"] for o in by_user["organizations"]] == [4, 2, 1]
    with pytest.raises(InputError, match="one per organization"):
        made("federation", organizations=2, machines=[1])
    with pytest.raises(InputError, match="one number, the total"):
        made("federation", organizations=2, machines=[1, 1], shares="equal")
    with pytest.raises(InputError, match="has 2 groups"):
        made("federation", organizations=3)


@pytest.mark.usefixtures("log")
def test_multiuser() -> None:
    scenario = made("multiuser", users=2, part="1/2")
    assert scenario["users"] == [
        {"name": "user1", "objective": "total-completion", "jobs": [102, 103, 104]},
        {"name": "user2", "objective": "makespan", "jobs": [202, 203]},
    ]
    with pytest.raises(InputError, match="part"):
        made("multiuser", part="2")


def test_sharing_names_the_log_so_that_the_scenario_finds_it(log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scenario = made("sharing", organizations="group", shares=[3, 1], start=20, duration=30)
    assert scenario["trace"] == {
        "file": "tiny.swf",
        "start": 20,
        "duration": 30,
        "windows": 1,
        "machines": 8,
        "organizations": "group",
        "limit": 5,
        "shares": [6, 2],  # weights, as in an audit
    }
    assert made("sharing", organizations=3)["trace"]["machines"] == 8
    (log.parent / "deep").mkdir()
    assert made("sharing", organizations=3, output=log.parent / "deep" / "x.toml")["trace"]["file"] == "../tiny.swf"
    monkeypatch.setenv("CONSORTIUM_TRACES", str(log.parent))
    (log.parent / "elsewhere").mkdir()
    monkeypatch.chdir(log.parent / "elsewhere")
    assert made("sharing", organizations=3)["trace"]["file"] == "tiny.swf"
    with pytest.raises(InputError, match="does not say the partition"):
        made("sharing", organizations="partition")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"shares": {"a": 1}}, "import for kind 'sharing': shares: found a table; expected one of zipf, equal"),
        ({"shares": [1, -1]}, "shares: found [1, -1]; expected one of zipf, equal, or a list of machines"),
        ({"organizations": "grup"}, "organizations: found 'grup'; expected a number of organizations"),
        ({"windows": 0}, "windows: found 0; expected an integer from 1 to 1000000"),
        ({"duration": "soon"}, "duration: found 'soon'; expected"),
        ({"start": -1}, "start: found -1; expected an integer from 0 to 2305843009213693952"),
        ({}, "organizations: found 5; expected 1 to 3, the distinct users in tiny.swf"),
        ({"organizations": 3, "machines": 2}, "machines: found 2 for 3 organizations; expected at least one for each"),
        ({"organizations": 3, "shares": [1, 1]}, "trace.shares: found [4, 4]; expected one per organization, 3"),
        ({"organizations": "user", "shares": [1, 1]}, "shares: found [4, 4]; expected 3 numbers >= 0"),
        ({"organizations": 3, "rule": "reff"}, "mechanism.rule: found 'reff'; expected one of ref, "),
    ],
)
@pytest.mark.usefixtures("log")
def test_options_of_a_window_are_refused_in_a_sentence(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        made("sharing", **options)
    assert message in str(caught.value)


@pytest.mark.usefixtures("log")
def test_seeds_choose() -> None:
    draws = [made("declaration", agents=2, seed=seed) for seed in range(12)]
    assert len({str(d["agents"]) for d in draws}) > 3
    assert draws[3] == made("declaration", agents=2, seed=3)
    assert draws[3]["seed"] == 3
    assert "seed" not in made("declaration", agents=2)


@pytest.mark.usefixtures("log")
def test_what_is_refused() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'sharing'"):
        made("shairing")
    for kind in IMPORTED:
        with pytest.raises(UnknownNameError, match="option of import"):
            made(kind, agentz=3)
    with pytest.raises(InputError, match="not found"):
        build("nowhere.swf", "sharing")


@pytest.mark.usefixtures("log")
def test_the_command(tmp_path: Path) -> None:
    runner = CliRunner()
    command = ["import", "tiny.swf", "--kind", "declaration", "--agents", "2", "--powers", "1,3/2"]
    done = runner.invoke(app, [*command, "-o", "out.toml"], catch_exceptions=False)
    assert done.exit_code == 0
    assert "13 jobs read, 12 kept" in done.stderr
    assert "cancelled before it ran, e.g. job 99" in done.stderr
    written = tomllib.loads((tmp_path / "out.toml").read_text())
    printed = runner.invoke(app, command, catch_exceptions=False)
    assert tomllib.loads(printed.stdout) == written
    as_json = runner.invoke(app, [*command, "--json"], catch_exceptions=False)
    assert json.loads(as_json.stdout) == written
    assert consortium.load(tmp_path / "out.toml").spec.powers == (1, Fraction(3, 2))
    assert runner.invoke(app, [*command, "--machines", "two"]).exit_code != 0


@pytest.mark.skipif(not TRACES, reason="CONSORTIUM_TRACES names no folder of real logs")
def test_a_real_log_plays() -> None:
    """Median jobs of the six most active users of the LPC log: counted by hand from the file."""
    scenario = build("LPC-EGEE-2004-1.2-cln.swf.gz", "declaration").scenario
    assert [(a["name"], a["length"]) for a in scenario["agents"]] == [
        ("user1", 6),
        ("user27", 8),
        ("user2", 15),
        ("user24", 9),
        ("user16", 62),
        ("user19", 3333),
    ]
    record = consortium.run(scenario)
    assert record.rent == 17280


@pytest.mark.usefixtures("log")
@pytest.mark.parametrize("kind", IMPORTED)
def test_what_is_imported_loads(kind: str) -> None:
    few = {"declaration": {"agents": 2}, "federation": {"organizations": 2}, "sharing": {"organizations": 3}}.get(
        kind, {}
    )
    scenario = consortium.load(made(kind, **few))
    assert scenario.kind == kind
    assert scenario.source is not None
    assert scenario.source.startswith("tiny.swf; provided by Ann")
