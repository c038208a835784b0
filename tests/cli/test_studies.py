"""The commands of studies, as a user sees them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import consortium

from ..command_line import command

STUDY = """
format = 1
kind = "study"
title = "Anarchy"
verb = "search"
replicates = 2
seed = 7
[base]
kind = "federation"
mechanism = { rule = "coordination", priority = "organizations" }
[family]
name = "uniform-jobs"
jobs = 2
[vary]
"family.organizations" = [2, 3]
[measures]
anarchy = "price_of_anarchy"
[statistics]
anarchy = ["mean"]
[[plots]]
x = "family.organizations"
y = "anarchy"
[full]
replicates = 3
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "study.toml").write_text(STUDY)
    return tmp_path


def test_a_study_from_its_file_to_its_figure(folder: Path) -> None:
    ran = command("study", "run", "study.toml", "--store", "a.db", "--processes", "1", cwd=folder)
    assert (ran.returncode, ran.stderr) == (0, "")
    sentences, _, rest = ran.stdout.partition("\n\n")
    assert sentences.splitlines()[0] == "4 of 4 tasks are done."
    assert sentences.splitlines()[1].startswith("anarchy (mean): from ")
    assert rest.startswith("Anarchy\n  tasks     4\n  done      4\n")
    status = command("study", "status", "--store", "a.db", cwd=folder)
    assert (status.returncode, status.stdout) == (0, ran.stdout)
    rows = command("study", "results", "--store", "a.db", cwd=folder).stdout.splitlines()
    assert rows[0] == "task,family.organizations,replicate,seed,status,anarchy,seconds,digest,error"
    assert len(rows) == 5
    for ending in ("csv", "json", "parquet"):
        assert command("study", "results", "--store", "a.db", "-o", f"a.{ending}", cwd=folder).returncode == 0
    assert (folder / "a.csv").read_text().splitlines() == rows
    assert [row["task"] for row in json.loads((folder / "a.json").read_text())] == [1, 2, 3, 4]
    assert command("study", "plot", "--store", "a.db", "-o", "a.pdf", cwd=folder).stdout == "a.pdf\n"
    assert (folder / "a.pdf").read_bytes().startswith(b"%PDF")


def test_a_task_is_shown_and_replays(folder: Path) -> None:
    command("study", "run", "study.toml", "--store", "a.db", "--processes", "1", cwd=folder)
    shown = command("study", "show", "3", "--store", "a.db", cwd=folder)
    assert 'title = "Anarchy, task 3"' in shown.stdout
    assert "pure equilibrium exists" in shown.stdout
    written = command("study", "show", "3", "--store", "a.db", "-o", "three", cwd=folder)
    assert written.stdout.split() == ["three/task-3.toml", "three/task-3-search.json"]
    assert command("check", "three/task-3-search.json", cwd=folder).returncode == 0
    record = json.loads((folder / "three/task-3-search.json").read_text())
    assert consortium.search(folder / "three/task-3.toml").to_dict()["price_of_anarchy"] == record["price_of_anarchy"]
    beyond = command("study", "show", "5", "--store", "a.db", cwd=folder)
    assert (beyond.returncode, beyond.stderr) == (
        2, "error: task: found 5; expected 1 to 4, the tasks of this study\n",
    )  # fmt: skip


def test_shards_together_are_the_whole(folder: Path) -> None:
    for k in (1, 2, 3):
        part = command(
            "study", "run", "study.toml", "--store", f"{k}.db", "--shard", f"{k}/3", "--processes", "1", cwd=folder
        )
        assert part.returncode == 0
    merged = command("study", "merge", "1.db", "2.db", "3.db", "--store", "all.db", cwd=folder)
    assert (merged.returncode, merged.stdout) == (0, "all.db: 4 of 4 tasks\n")
    command("study", "run", "study.toml", "--store", "one.db", "--processes", "1", cwd=folder)

    def rows(store: str) -> list[list[str]]:
        text = command("study", "results", "--store", store, cwd=folder).stdout
        return [line.split(",")[:6] + line.split(",")[7:] for line in text.splitlines()]

    assert rows("all.db") == rows("one.db")


def test_a_time_limit_stops_and_the_same_command_goes_on(folder: Path) -> None:
    first = command(
        "study", "run", "study.toml", "--store", "a.db", "--processes", "1", "--time-limit", "0", cwd=folder
    )
    status = command("study", "status", "--store", "a.db", cwd=folder)
    for done in (first, status):
        assert done.returncode == 3
        assert done.stderr == "\nIncomplete: 4 of 4 tasks are not done; what is above is what is known.\n"
    assert command("study", "run", "study.toml", "--store", "a.db", "--processes", "1", cwd=folder).returncode == 0


def test_an_estimate_keeps_nothing(folder: Path) -> None:
    found = command("study", "run", "study.toml", "--dry-run", "--full", "--json", cwd=folder)
    assert json.loads(found.stdout)["size"] == 6
    none = command("study", "run", "study.toml", "--dry-run", "--shard", "5/9", "--json", cwd=folder)
    assert (none.returncode, json.loads(none.stdout)["size"]) == (0, 0)
    assert not list(folder.glob("*.db"))


def test_a_hunt_stops_shrinks_and_writes_a_scenario_that_checks(folder: Path) -> None:
    hunt = STUDY.replace("replicates = 2", "replicates = 40") + '[stop]\nwhen = "anarchy > 1"\nhits = 2\n'
    (folder / "hunt.toml").write_text(hunt)
    ran = command("study", "run", "hunt.toml", "--store", "h.db", "--processes", "1", cwd=folder)
    assert ran.returncode == 0
    files = sorted(folder.glob("h-hit-*.toml"))
    assert len(files) == 2
    for file in files:
        assert command("check", str(file), cwd=folder).returncode == 0
        small = consortium.search(file)
        assert small.price_of_anarchy > 1
    before = [file.read_text() for file in files]
    again = command("study", "run", "hunt.toml", "--store", "h.db", "--processes", "1", cwd=folder)
    assert (again.stdout, [file.read_text() for file in files]) == (ran.stdout, before)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("run", "study.toml"), "--store: found nothing; expected a file for the results"),
        (
            ("run", "stuty.toml", "--store", "a.db"),
            "found 'stuty.toml'; expected a study file or the name of a shipped",
        ),
        (("run", "study.toml", "--store", "a.db", "--shard", "3/2"), "shard: found '3/2'; expected k/n"),
        (("status", "--store", "no.db"), "store no.db: found no such file"),
        (("status", "--store", "."), "store .: found no regular file"),
        (("results",), "Missing option --store"),
        (("status", "--store", "study.toml"), "study.toml: found another kind of file; expected a store"),
        (("results", "--store", "a.db", "-o", "a.txt"), "expected a file name that ends in .csv, .json or .parquet"),
        (("results", "--store", "a.db", "-o", "no/a.csv"), "--output no/a.csv: cannot be written (no folder no)"),
        (("plot", "--store", "a.db", "-o", "a.gif"), "ends in .svg, .png or .pdf"),
    ],
)
def test_what_is_wrong_is_said_in_a_sentence(folder: Path, arguments: tuple[str, ...], said: str) -> None:
    if "a.db" in arguments and arguments[0] != "run":
        command("study", "run", "study.toml", "--store", "a.db", "--processes", "1", cwd=folder)
    found = command("study", *arguments, cwd=folder)
    assert (found.returncode, said in found.stderr) == (2, True), found.stderr


def test_shipped_studies_are_listed(folder: Path) -> None:
    found = command("study", "list", "--json", cwd=folder)
    assert found.returncode == 0
    assert isinstance(json.loads(found.stdout), list)
