"""The tables of unfairness: from results of the shipped studies, statistics by hand; the command that prints them."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from judge import JUDGES, main
from unfairness_tables import CLAIMS, PUBLISHED, cells_of, tables, verdict

import consortium
from consortium.studies import reader
from consortium.studies.study import Study
from consortium.workloads import Log, write_swf

NAMES = ("table-1", "table-2", "organizations")


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A made log under the names of those that the full studies take."""
    folder, rng = tmp_path_factory.mktemp("logs"), np.random.default_rng(1)
    columns = {"job": range(1, 61), "submit": np.sort(rng.integers(0, 600_000, 60)), "run": rng.integers(1, 900, 60)}
    log = Log(columns | {"allocated": [1] * 60, "user": [i % 12 for i in range(60)]}, name="made.swf")
    for name in ("LPC-EGEE-2004-1.2-cln.swf", "RICC-2010-2.swf"):
        write_swf(log, folder / name)
        (folder / name).rename(folder / f"{name}.gz")
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("CONSORTIUM_TRACES", str(folder))
        yield


def small(name: str, **changed: Any) -> dict[str, Any]:
    """A shipped study with other instances; what is asked of them stays."""
    return {
        key: value for key, value in file(f"skowron-rzadca2013/{name}").items() if key not in ("full", "plots")
    } | changed


def file(name: str) -> dict[str, Any]:
    return tomllib.loads((reader.SHIPPED / f"{name}.toml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", NAMES)
def test_measures_are_those_of_their_rules(name: str) -> None:
    """The study addresses the rows of the record by number; here they are found by their rule."""
    family = {"name": "poisson-bags", "machines": 3, "duration": 4000, "median": 300.0, "organizations": 2, "users": 4}
    vary = {"family.shares": ["zipf"]}
    found = consortium.study(small(name, family=family, vary=vary, together=[], replicates=2))
    (cell,) = cells_of(found.study, found.rows()).values()
    for i in (1, 2):
        task = found.study.task(i)
        options = {**found.study.options_for("compare", task)}
        record = consortium.compare(found.study.instance(task), rules=options["rules"])
        values = {row.rule: float(row.values["unfairness"]) for row in record.rows}
        assert {rule: column[i - 1] for rule, column in cell.items()} == pytest.approx(values)
    assert {rule for claim in CLAIMS for rule in claim} <= set(cell)


def rows(study: Study, rand: list[str]) -> Iterator[dict[str, Any]]:
    """Made results: every rule 1 but RAND."""
    for number in range(1, study.size + 1):
        task = study.task(number)
        if task.replicate <= len(rand):
            values = {m.name: 1 if m.name != "rand" else rand[task.replicate - 1] for m in study.measures}
            yield {"status": "done", **task.varied, **values}


@pytest.mark.usefixtures("logs")
def test_tables_stand_beside_the_published_ones() -> None:
    study = reader.load("skowron-rzadca2013/table-1", full=True)
    unfairness, orderings = tables(study, [*rows(study, ["1/2", "3/2", "1000"]), _stopped(study)])
    cells = [f"{shares}, {log}, machines {n}"
             for shares in ("zipf", "equal") for log, n in (("LPC", 70), ("LPC", 140), ("RICC", 8192))]  # fmt: skip
    assert unfairness.columns == ("rule", "published: LPC", "published: RICC", *cells)
    by_rule = {row[0]: row[1:] for row in unfairness.rows}
    assert by_rule["rand"][:3] == ("8 ± 21", "162 ± 187", f"334 ± {np.std([0.5, 1.5, 1000]):.0f}")
    assert by_rule["round-robin"][:3] == ("238 ± 353", "2,839 ± 357", "1 ± 0")
    assert by_rule["fifo"][:3] == ("-", "-", "1 ± 0")
    assert orderings.columns == ("ordering", *cells)
    assert {row[0]: row[1] for row in orderings.rows}["rand < fair-share"] == "open"
    (_, fairer) = tables(study, rows(study, ["1/2", "1/3", "1/4"]))
    assert {row[0]: row[1] for row in fairer.rows}["rand < fair-share"] == "yes"
    long = reader.load("skowron-rzadca2013/table-2", full=True)
    assert tables(long, rows(long, ["1"]))[0].rows[1][1:3] == ("562 ± 1,670", "771 ± 1,479")
    many = reader.load("skowron-rzadca2013/organizations", full=True)
    assert tables(many, rows(many, ["1"]))[0].columns == ("rule", *(f"organizations {n}" for n in range(2, 11)))


def _stopped(study: Study) -> dict[str, Any]:
    return {"status": "stopped", **study.task(1).varied, **{measure.name: None for measure in study.measures}}


def test_verdicts_by_the_paired_difference() -> None:
    a = np.array([1.0, 5.0, 9.0])
    about_one = np.array([0.9, 1.0, 1.1])
    assert verdict(a, a + about_one) == "yes"
    assert verdict(a + about_one, a) == "no"
    assert verdict(a, a + np.array([1.0, -1.0, 0.5])) == "open"
    assert verdict(a[:1], a[:1] + 1) == "open"


def test_published_figures() -> None:
    assert PUBLISHED["RICC", 500_000]["current-fair-share"] == (5387, 9083)


def test_every_shipped_study_of_a_paper_has_a_judge() -> None:
    named = ["cordeiro2012/section-3.5", "cordeiro2012/section-6.3", *(f"skowron-rzadca2013/{name}" for name in NAMES)]
    assert {file(name)["source"] for name in named} == set(JUDGES)


def test_the_command_judges_a_store(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    family = {"name": "poisson-bags", "machines": 2, "duration": 500, "median": 100.0, "organizations": 2, "users": 2}
    study = small("organizations", family=family, vary={"family.shares": ["zipf"]}, replicates=2)
    consortium.study(study, store=tmp_path / "a.db", shard="1/2")
    assert main([str(tmp_path / "a.db")]) == 3  # one of two tasks is there
    shown = capsys.readouterr().out
    assert "rand < direct-contribution" in shown
    assert shown.startswith("Unfairness by the number of organizations\n")
    consortium.study(study, store=tmp_path / "a.db")
    assert main([str(tmp_path / "a.db")]) == 0
    consortium.study(study | {"source": "made up"}, store=tmp_path / "b.db", shard="1/2")
    assert main([str(tmp_path / "b.db")]) == 2
    assert "b.db: found a study with the source 'made up'; expected one of Cordeiro 2012" in capsys.readouterr().err
    assert main([str(tmp_path / "none")]) == 2
