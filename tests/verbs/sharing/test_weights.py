"""``weights``: a dump is audited, compared and imported in billing units, as jobs of so many processors would be."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import consortium
from consortium.cli.app import ended
from consortium.scenarios.toml import write
from consortium.support.errors import InputError
from consortium.verbs.importing import build
from consortium.workloads import Log, read_log
from consortium.workloads.log import COLUMNS

from .logs import ask, without_times

WEIGHTS = {"cpu": 1, "gres/gpu": 3}
HEAD = "JobIDRaw|User|Account|Submit|Start|Elapsed|State|AllocCPUS|AllocTRES"


@pytest.fixture
def dump(tmp_path: Path) -> Path:
    """Two accounts, one of them with GPUs."""
    rng, lines, clock = random.Random(3), [HEAD], 0
    for job in range(1, 121):
        clock += rng.randint(0, 40)
        gpus = rng.randint(0, 2) if job % 2 else 0
        moment, length = (f"2024-05-01T{s // 3600:02}:{s // 60 % 60:02}:{s % 60:02}" for s in (clock, clock + 5)), 90
        tres = f"billing=1,cpu=2,mem=4G{f',gres/gpu={gpus}' if gpus else ''},node=1"
        lines.append(
            f"{job}|u{job % 5}|{'ml' if job % 2 else 'cfd'}|{'|'.join(moment)}|00:{length // 60:02}:{length % 60:02}"
            f"|COMPLETED|2|{tres}"
        )
    path = tmp_path / "site.psv"
    path.write_text("\n".join(lines) + "\n")
    return path


def by_hand(path: Path) -> Log:
    """The same jobs as a log of so many processors, which says nothing of resources."""
    log = read_log(path)
    units = [
        2 + 3 * int("gpu=1" in text) + 6 * int("gpu=2" in text)
        for text in map(log.labels["resources"].get, log.column("resources").tolist())
    ]
    columns = {name: log.column(name) for name in COLUMNS if name != "resources"} | {"allocated": units}
    return Log(columns, log.name, header=log.header, labels={"account": log.labels["account"]})


def test_an_audit_in_billing_units_is_one_of_so_many_processors(dump: Path) -> None:
    settings = {"duration": 1000, "windows": 2, "rules": ["fair-share", "recorded"], "machines": 30}
    weighed = without_times(ask(log=read_log(dump), weights=WEIGHTS, **settings))
    plain = without_times(ask(log=by_hand(dump), **settings))
    for part in ("rows", "organizations", "windows"):
        assert weighed[part] == plain[part], part
    assert weighed["plan"]["weights"] == "cpu=1,gres/gpu=3"
    assert "a job counts as its billing units: cpu=1,gres/gpu=3" in weighed["log"]["report"]["notes"]
    assert without_times(ask(log=read_log(dump), **settings))["windows"] != plain["windows"]


def test_machines_are_the_most_billing_units_in_use(dump: Path) -> None:
    log = by_hand(dump)
    record = ask(log=read_log(dump), weights=WEIGHTS, machines=None, windows=1, rules=["fifo"])
    assert sum(record.windows[0].machines) == log.peak_processors()


def test_a_scenario_and_an_import_weigh_too(dump: Path) -> None:
    data = build(
        dump, "sharing", weights={"CPU": "1.0", "GRES/gpu": "3"}, organizations="account", duration=900
    ).scenario
    assert data["trace"]["weights"] == {"cpu": "1.0", "gres/gpu": 3}
    assert data["trace"]["machines"] == by_hand(dump).peak_processors()
    data = dict(data) | {"trace": dict(data["trace"])}
    data["trace"] |= {"file": str(dump), "start": 0, "shares": "equal"}
    write(data, dump.with_suffix(".toml"))
    found = consortium.run(dump.with_suffix(".toml"))
    del data["trace"]["weights"]
    plain = consortium.run(data)
    units = by_hand(dump)
    first = units.submit < units.submit.min() + 900
    assert sum(row.jobs for row in found.organizations) == units.processors[first].sum()
    assert sum(row.jobs for row in plain.organizations) == 2 * first.sum()


@pytest.mark.parametrize(
    ("weights", "told"),
    [
        ({"gpu": 1}, "gres/gpu"),
        ({"cpu": -1}, "weights >= 0"),
        ({"cpu": 0}, "not all 0"),
        ({"cpu": 1, "CPU": 2}, "twice"),
        ({"cpu": "1G"}, "a number >= 0"),
        ({}, "weights >= 0"),
        ({"cpu": 0.5}, "not exact"),
        ("cpu", "weights >= 0"),
    ],
)
def test_weights_that_are_none(dump: Path, weights: object, told: str) -> None:
    with pytest.raises(InputError, match=told):
        ask(log=read_log(dump), weights=weights)


def test_on_the_command_line(dump: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["audit", str(dump), "--windows", "1", "--rules", "fifo", "--duration", "900", "--rule", "fifo"]
    assert ended([*command, "--weights", "CPU=1.0,Mem=0.25G,GRES/gpu=2.0"]) == 0
    assert "cpu=1.0,mem=0.25G,gres/gpu=2.0" in capsys.readouterr().out
    assert ended([*command, "--weights", "gpu=1"]) == 2
    assert "Did you mean 'gres/gpu'?" in capsys.readouterr().err
