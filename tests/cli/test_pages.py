"""The command ``report``, and the files that verbs write besides what they print."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pytest

from consortium.reports import page

from ..command_line import command

FEDERATION = "minimal/federation"


@pytest.fixture(autouse=True)
def _without_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page, "_figure", lambda *_: None)


def test_a_scenario_is_asked_and_everything_is_written(tmp_path: Path) -> None:
    options = ("--verb", "run,verify", "--csv", "--jobs-csv", "jobs.csv", "--set", "title=elsewhere")
    found = command("report", FEDERATION, *options, cwd=tmp_path)
    assert (found.returncode, found.stdout) == (0, "")
    assert found.stderr == "wrote report.html, report-1.csv, report-2.csv, report-3.csv, report-4.csv, jobs.csv\n"
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "<h2>verify: elsewhere</h2>" in text
    assert (
        (tmp_path / "jobs.csv").read_text().splitlines()[1].startswith("1,O1,1,0,1,-1,1,COMPLETED_SUCCESSFULLY,0,1,1")
    )


def test_all_figures_of_an_answer_are_drawn_for_slides(tmp_path: Path) -> None:
    options = ("--verb", "run,search", "-o", "r.html", "--slides", "a/talk")
    found = command("report", "theorems/sharp-price-n2", *options, cwd=tmp_path)
    names = [f"{stem}.{ending}" for stem in ("01-run", "02-search") for ending in ("svg", "png", "pdf")]
    assert found.stderr == f"wrote r.html, {', '.join(f'a/talk/{name}' for name in names)}\n"
    assert sorted(path.name for path in (tmp_path / "a" / "talk").iterdir()) == sorted(names)


@pytest.mark.parametrize("name", ["record.json", "record.json.gz"])
def test_a_record_is_what_json_printed(name: str, tmp_path: Path) -> None:
    printed = command("verify", "agmon2003/5.2.1", "--json", cwd=tmp_path).stdout.encode()
    (tmp_path / name).write_bytes(gzip.compress(printed) if name.endswith(".gz") else printed)
    found = command("report", name, "-o", "-", cwd=tmp_path)
    assert (found.returncode, found.stderr) == (0, "")
    assert "a gain of 1 " in found.stdout
    assert command("check", name, cwd=tmp_path).returncode == 0


def test_a_verb_writes_a_report_and_jobs_beside_what_it_prints(tmp_path: Path) -> None:
    plain = command("run", FEDERATION, cwd=tmp_path)
    found = command("run", FEDERATION, "--report", "r.html", "--jobs-csv", "j.csv", cwd=tmp_path)
    assert (found.returncode, found.stdout) == (plain.returncode, plain.stdout)
    assert "<h1>run: " in (tmp_path / "r.html").read_text(encoding="utf-8")
    assert (tmp_path / "j.csv").read_text().startswith("job_id,workload_name,")


def test_an_answer_that_was_stopped_is_reported_with_the_exit_code_of_that(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from dataclasses import replace

    from consortium.verbs import dispatch

    ask = dispatch.ask

    def stopped(*arguments: Any, **options: Any) -> Any:
        return replace(ask(*arguments, **options), complete=False)

    monkeypatch.setattr(dispatch, "ask", stopped)
    found = command("report", FEDERATION, cwd=tmp_path)
    assert found.returncode == 3
    assert "Incomplete" in found.stderr
    assert "Not complete: " in (tmp_path / "report.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["report", FEDERATION, "-o", "no/x.html"], "report no/x.html: cannot be written (no folder no)"),
        (["report", FEDERATION, "--jobs-csv", "x.txt"], "jobs x.txt: expected a file name that ends in .csv"),
        (["report", FEDERATION, "-o", "-", "--csv"], "--csv: the tables are written beside the page"),
        (["report", FEDERATION, "--verb", "verfy"], "Did you mean 'verify'"),
        (["report", FEDERATION, "--verb", "verify", "--jobs-csv", "x.csv"], "jobs: found 0 records of run"),
        (["report", FEDERATION, "--slides", "list.json"], "slides list.json: cannot be written (it is no folder)"),
        (["report", "minimal/federatoin"], "Did you mean 'minimal/federation'"),
        (["report", "none.json"], "none.json: found No such file or directory"),
        (["report", "broken.json"], "broken.json: found Expecting"),
        (["report", "broken.json.gz"], "broken.json.gz: found Not a gzipped file"),
        (["report", "list.json"], "list.json: found []"),
        (["report", "other.json"], "other.json: verb: found nothing; expected a record, as --json prints it"),
        (["run", FEDERATION, "--report", "x.pdf"], "report x.pdf: expected a file name that ends in .html or .htm"),
        (["verify", FEDERATION, "--jobs-csv", "x.csv"], "'--jobs-csv' is not known"),
    ],
)
def test_what_cannot_be_reported_is_told_and_nothing_is_written(
    arguments: list[str], said: str, tmp_path: Path
) -> None:
    for name, text in {"broken.json": "{", "broken.json.gz": "{", "list.json": "[]", "other.json": "{}"}.items():
        (tmp_path / name).write_text(text)
    before = set(tmp_path.iterdir())
    found = command(*arguments, cwd=tmp_path)
    assert found.returncode == 2
    assert said in found.stderr
    assert {path.name for path in set(tmp_path.iterdir()) - before} <= {"report.html"}


def test_a_schedule_that_is_missing_costs_neither_figure_nor_report(tmp_path: Path) -> None:
    found = command("run", "minimal/multiuser", "--report", "r.html", "--jobs-csv", "j.csv", cwd=tmp_path)
    assert found.returncode == 2
    assert "the record has no schedule" in found.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["r.html"]
