"""Studies as they are used over days: looked at while they run, stopped, mended, asked again."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import consortium
from consortium.studies import reader, running, store
from consortium.studies.exports import written
from consortium.studies.hunting.shrinking import shrink
from consortium.studies.results import summary
from consortium.studies.running import Where, run
from consortium.studies.survey import scenario, searching
from consortium.support.errors import InputError
from consortium.support.progress import Clock

from ..command_line import command
from .examples import BASE, anarchy

HUNT = anarchy(vary=None, replicates=30, stop={"when": "anarchy > 1", "hits": 2})


def test_the_seed_of_the_task_is_the_seed_of_the_record() -> None:
    found = consortium.study(
        anarchy(
            vary=None,
            options={"seed": "task", "dynamics": "best-response-with-inertia", "rounds": 5},
            measures={"seeded": "seed", "ended": "dynamics.rounds"},
        )
    )
    rows = list(found.rows())
    assert [row["seeded"] for row in rows] == [row["seed"] for row in rows]
    assert len({row["seed"] for row in rows}) == 3


def test_status_is_said_while_it_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a writer in the middle of its work; what is said is what has been written."""
    monkeypatch.setattr(running, "FLUSHED", 0.0)
    path, seen = tmp_path / "a.db", []

    def look(done: int, total: int | None, note: str = "") -> None:
        with store.read(path) as results:
            counts = results.survey().counts
        seen.append((done, counts.done, counts.size))

    with store.opened(reader.load(anarchy()), path) as results:
        run(results.study, results.store, where=Where(1), progress=look)
        assert seen
        assert all(done == kept and size == 12 for done, kept, size in seen)
        said = command("study", "status", "--store", "a.db", "--json", cwd=tmp_path)
        assert json.loads(said.stdout)["tasks"]["done"] == 12


@pytest.mark.parametrize("shrunk", [False, True])
def test_a_hunt_finds_the_same_with_one_process_and_with_two(shrunk: bool, tmp_path: Path) -> None:
    found, wanted = [], 1 if shrunk else 2
    for processes in (1, 2):
        study = reader.load({**HUNT, "stop": {**HUNT["stop"], "hits": wanted, "shrink": shrunk}})
        path = tmp_path / f"{processes}.db"
        with store.opened(study, path) as results:
            _, hits = run(study, results.store, where=Where(processes))
            files = [Path(name).read_text() for name in written(results, hits, Clock(None))]
            found.append((hits.numbers[:wanted], files, list(results.survey().hits.numbers), results.groups()))
    assert found[0] == found[1]
    assert len(found[0][0]) == wanted


def test_shrinking_has_its_share_of_the_time() -> None:
    study = reader.load(HUNT)
    assert (searching(study, 10.0), searching(study, None)) == (8.0, None)
    plain = reader.load({**HUNT, "stop": {**HUNT["stop"], "shrink": False}})
    assert searching(plain, 10.0) == 10.0
    task = next(k for k in range(1, 31) if consortium.search(study.instance(study.task(k))).price_of_anarchy > 1)
    whole = study.instance(study.task(task)).to_dict()
    late, done = scenario(study, study.task(task), Clock(0)), scenario(study, study.task(task), Clock(None))
    assert late["organizations"] == whole["organizations"]
    assert late["source"].endswith("made smaller until the time was over")
    assert done["source"].endswith("made smaller")
    judged = consortium.check([late, done])
    assert len(judged) > 1
    assert all(comparison.holds for _, _, comparison in judged)
    assert shrink(done, lambda data: consortium.search(data).price_of_anarchy > 1).minimal


def test_one_bad_statistic_hides_no_other() -> None:
    found = consortium.study(
        anarchy(
            measures={"said": "scenario", "anarchy": "price_of_anarchy"},
            statistics={"said": ["count", "mean"], "anarchy": ["mean", "share"]},
        )
    )
    data = summary(found.study, found.survey())
    assert [{name: list(values) for name, values in group["values"].items()} for group in data["groups"]] == [
        {"said": ["count"], "anarchy": ["mean"]}
    ] * 4
    assert [note.partition(": found")[0] for note in data["notes"]] == [
        "statistics.said: mean", "statistics.anarchy: share",
    ]  # fmt: skip


def test_an_edited_base_is_refused_by_an_old_store(tmp_path: Path) -> None:
    study: dict[str, Any] = anarchy(family=None, vary=None, replicates=1, base=BASE)
    consortium.study(study, store=tmp_path / "a.db")
    edited = {**BASE, "organizations": [*BASE["organizations"], {"jobs": [1]}]}
    with pytest.raises(InputError, match="belongs to another question: base"):
        consortium.study({**study, "base": edited}, store=tmp_path / "a.db")


def test_what_failed_is_done_again(tmp_path: Path) -> None:
    """By the command, on a store in which a task failed for a reason that is gone."""
    path = tmp_path / "a.db"
    consortium.study(anarchy(vary=None), store=path)
    with store.opened(reader.load(anarchy(vary=None)), path) as results:
        first = next(iter(results.store.outcomes()))
        results.store.forget("done")
        results.store.keep([replace(first, status="failed", error="no memory", measures={})])
    before = command("study", "status", "--store", "a.db", cwd=tmp_path)
    assert (before.returncode, "no memory" in before.stdout) == (3, True)
    again = command("study", "retry", "--store", "a.db", "--processes", "1", cwd=tmp_path)
    assert (again.returncode, "no memory" in again.stdout) == (0, False)
    fresh = consortium.study(anarchy(vary=None))
    with store.read(path) as results:
        assert [row["anarchy"] for row in results.rows()] == [row["anarchy"] for row in fresh.rows()]


def test_a_study_of_declarations() -> None:
    """Whoever lies under harsh rules gains nothing; without payments and control some do."""
    found = consortium.study({
        "format": 1, "kind": "study", "verb": ["run", "verify"], "replicates": 4, "seed": 3,
        "base": {"kind": "declaration", "cluster": {"powers": [1, 2]}},
        "family": {"name": "uniform-jobs", "agents": 3, "longest": 4},
        "vary": {"mechanism.rule": ["straightforward", "harsh"]},
        "measures": {"truthful": "verify:dominant.holds", "rent": "run:rent"},
        "statistics": {"truthful": ["share"], "rent": ["mean"]},
    })  # fmt: skip
    rows = list(found.rows())
    assert len(rows) == 8
    for row, task in zip(rows, range(1, 9), strict=True):
        assert row["status"] == "done", row["error"]
        instance = found.study.instance(found.study.task(task))
        assert row["truthful"] == consortium.verify(instance).to_dict()["dominant"]["holds"]
    by_rule = {group.keys["mechanism.rule"]: group.values["truthful"]["share"].value for group in found.groups()}
    assert by_rule["harsh"] == 1.0
    assert by_rule["straightforward"] is not None
    assert by_rule["straightforward"] < 1
