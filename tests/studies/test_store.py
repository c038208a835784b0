"""However a study is run, killed, stopped and divided, it ends with what it finds in one piece."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import consortium
from consortium import InputError
from consortium.parallel.executors import LostWorkerError, executor
from consortium.parallel.outcomes import Columns
from consortium.parallel.store import Store
from consortium.parallel.stream import streamed
from consortium.scenarios.toml import dumps
from consortium.studies import reader, running
from consortium.studies.results import Results
from consortium.studies.running import Where
from consortium.studies.store import opened, read

from ..dask_cluster import local_cluster
from ..distribution import command, installed
from . import slow
from .examples import anarchy

N_TASKS = 2_000
MANY = pytest.mark.exhaustive


def in_one_piece(folder: Path) -> Path:
    """The store of the study that has been run by one process without any trouble."""
    found = command(folder, "study", "run", "study.toml", "--store", "whole.db", "--processes", "1")
    assert found.returncode == 0, found.stderr
    return folder / "whole.db"


def same(folder: Path, one: Path, other: Path) -> bool:
    with installed(folder):
        return slow.rows(one) == slow.rows(other) and slow.outcomes(one) == slow.outcomes(other)


def n_kept(folder: Path, store: Path) -> int:
    with installed(folder):
        return len(slow.rows(store)) - 1


def wait_for(folder: Path, store: Path, tasks: int, alive: Any) -> None:
    """Until a store has so many tasks, while the process that writes it is alive."""
    known = 0
    while known < tasks:
        assert alive.poll() is None, alive.communicate()
        time.sleep(0.05)
        with suppress(InputError):  # there is none yet
            known = n_kept(folder, store)


@pytest.mark.parametrize(("tasks", "milliseconds", "kills"), [(100, 80, 1), pytest.param(N_TASKS, 5, 5, marks=MANY)])
def test_killed_and_resumed_it_is_the_same(tasks: int, milliseconds: int, kills: int, tmp_path: Path) -> None:
    """All its processes are killed at once; meanwhile the store is read by anybody and written by nobody else."""
    slow.make(tmp_path, tasks)
    store, known, rng = tmp_path / "a.db", 0, random.Random(tasks)
    for _ in range(kills):
        process = slow.started(tmp_path, "--processes", "2", milliseconds=milliseconds)
        wait_for(tmp_path, store, known + 1, process)
        other = command(tmp_path, "study", "run", "study.toml", "--store", "a.db", "--processes", "1")
        assert (other.returncode, f"process {process.pid} on" in other.stderr) == (2, True), other.stderr
        status = command(tmp_path, "study", "status", "--store", "a.db", "--json")
        assert (status.returncode, json.loads(status.stdout)["tasks"]["tasks"]) == (3, tasks)
        time.sleep(rng.random() * 0.0002 * tasks * milliseconds / kills)
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        before, known = known, n_kept(tmp_path, store)
        assert before < known < tasks
    assert command(tmp_path, "study", "run", "study.toml", "--store", "a.db", "--processes", "1").returncode == 0
    assert same(tmp_path, store, in_one_piece(tmp_path))
    assert sorted(path.name for path in tmp_path.glob("*.db*")) == ["a.db", "whole.db"]


@pytest.mark.parametrize(("name", "group", "processes"), [("SIGINT", True, "2"), ("SIGTERM", False, "1")])
def test_it_is_stopped_with_a_sentence_and_goes_on(name: str, group: bool, processes: str, tmp_path: Path) -> None:
    """Ctrl-C goes to all processes of the group, a scheduler's SIGTERM to the one that it has started."""
    slow.make(tmp_path, 100)
    process = slow.started(tmp_path, "--processes", processes, milliseconds=80)
    wait_for(tmp_path, tmp_path / "a.db", 1, process)
    (os.killpg if group else os.kill)(process.pid, signal.Signals[name])
    out, err = process.communicate()
    assert (process.returncode, "Incomplete" in err, "Traceback" in err) == (3, True, False), err
    assert f"done      {n_kept(tmp_path, tmp_path / 'a.db')}\n" in out
    assert command(tmp_path, "study", "run", "study.toml", "--store", "a.db", "--processes", "1").returncode == 0
    assert same(tmp_path, tmp_path / "a.db", in_one_piece(tmp_path))


def test_a_full_disk_is_said_and_the_same_command_goes_on(tmp_path: Path) -> None:
    resource = pytest.importorskip("resource", reason="limits of file sizes")
    slow.make(tmp_path, 120)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    arguments = ("study", "run", "study.toml", "--store", "a.db", "--processes", "1")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(running, "AT_ONCE", 20)
        resource.setrlimit(resource.RLIMIT_FSIZE, (80_000, limits[1]))
        try:
            found = command(tmp_path, *arguments)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert (found.returncode, "a.db: the disk takes no more" in found.stderr) == (2, True), found.stderr
    assert 0 < n_kept(tmp_path, tmp_path / "a.db") < 120
    assert command(tmp_path, *arguments).returncode == 0
    assert same(tmp_path, tmp_path / "a.db", in_one_piece(tmp_path))


def test_another_study_is_refused(tmp_path: Path) -> None:
    slow.make(tmp_path, 4)
    whole = in_one_piece(tmp_path)
    (tmp_path / "study.toml").write_text((tmp_path / "study.toml").read_text().replace("seed = 5", "seed = 6"))
    found = command(tmp_path, "study", "run", "study.toml", "--store", "whole.db", "--processes", "1")
    assert (found.returncode, "seed" in found.stderr) == (2, True), found.stderr
    assert n_kept(tmp_path, whole) == 4


def test_a_study_grows_in_its_store_and_is_measured_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever was added, the rows are those of the whole study in a store of its own, and only new tasks run."""
    path, here = tmp_path / "a.db", Where(1)
    grid = {"family.organizations": [3, 2, 4], "mechanism.priority": ["organizations", "jobs"]}
    longer = {**grid, "family.longest": [9, 5]}
    measures = {"worst": "price_of_anarchy", "worst_costs": "equilibria.exists"}
    steps: list[tuple[dict[str, Any], int]] = [
        ({}, 12),
        ({"replicates": 4}, 4),
        ({"replicates": 4, "vary": grid}, 8),
        ({"replicates": 4, "vary": longer}, 24),
        ({"replicates": 4, "vary": longer, "measures": measures, "stop": {"when": "worst > 9"}}, 0),
    ]
    for changes, new in steps:
        study = reader.load(anarchy(**changes))
        with opened(study, path) as results:
            before = results.store.finished()
            running.run(study, results.store, where=here)
            kept = unseconded(results)
        assert study.size - len(before) == new
        assert kept == unseconded(consortium.study(anarchy(**changes)))
    for changes, said in [
        ({"seed": 8}, "belongs to another question: seed = 7 (asked: 8)"),
        ({"replicates": 3, "vary": longer}, "replicate 4) is none of this study; a study may grow, not shrink"),
        ({"replicates": 4, "vary": longer, "options": {"list": 3}}, "belongs to another question: options"),
    ]:
        with pytest.raises(InputError) as refused, opened(reader.load(anarchy(**changes)), path):
            pass
        assert said in str(refused.value)
    with read(path) as results:
        assert unseconded(results) == kept


def unseconded(results: Results) -> list[dict[str, Any]]:
    return [{key: value for key, value in row.items() if key != "seconds"} for row in results.rows()]


def test_growing_that_is_killed_in_the_middle_leaves_the_store_as_it_was(tmp_path: Path) -> None:
    study, path = reader.load(anarchy(vary=None)), tmp_path / "a.db"
    with opened(study, path) as results:
        running.run(study, results.store, where=Where(1))
        kept = unseconded(results)
    code = (
        "import os, sys; from consortium.parallel.store import Store; from consortium.studies import reader, store\n"
        "insert = Store._insert\n"
        "def killed(*given): insert(*given); os.kill(os.getpid(), 9)\n"
        "Store._insert = killed\n"
        f"with store.opened(reader.load({anarchy(vary=None, replicates=9)!r}), {str(path)!r}): pass"
    )
    done = subprocess.run([sys.executable, "-c", code], env=slow.environment(tmp_path), check=False)
    assert done.returncode == -signal.SIGKILL
    with read(path) as results:
        assert (results.study.size, unseconded(results)) == (3, kept)


def test_the_command_reads_other_measures_from_the_records_kept(tmp_path: Path) -> None:
    slow.make(tmp_path, 4)
    in_one_piece(tmp_path)
    text = (tmp_path / "study.toml").read_text()
    (tmp_path / "other.toml").write_text(text.replace('makespan = "sum_of_makespans"', 'cost = "social_cost"'))
    asked = ("study", "results", "other.toml", "--store", "whole.db")
    before = (tmp_path / "whole.db").read_bytes(), command(tmp_path, "study", "results", "--store", "whole.db").stdout
    lines = command(tmp_path, *asked).stdout.splitlines()
    assert (len(lines), "status,cost,seconds" in lines[0], lines[1].split(",")[5].isdecimal()) == (5, True, True)
    after = (tmp_path / "whole.db").read_bytes(), command(tmp_path, "study", "results", "--store", "whole.db").stdout
    assert after == before  # reading writes nothing
    (tmp_path / "wrong.toml").write_text(text.replace('makespan = "sum_of_makespans"', 'cost = "social_csot"'))
    for words in (("run", "wrong.toml", "--dry-run"), ("results", "wrong.toml", "--store", "whole.db")):
        refused = command(tmp_path, "study", *words)
        assert (refused.returncode, "Did you mean 'social_cost'?" in refused.stderr) == (2, True), refused.stderr


def test_a_store_whose_writer_was_killed_at_once_is_said(tmp_path: Path) -> None:
    """Its tables are there, but not yet what the study is called."""
    slow.make(tmp_path, 4)
    with Store.open(tmp_path / "a.db", {"kind": "study"}, Columns((), ())):
        pass
    found = command(tmp_path, "study", "status", "--store", "a.db")
    assert (found.returncode, "found no study in it yet" in found.stderr) == (2, True), found.stderr


class Fragile:
    """A pool whose worker ends whenever it is asked for a certain task."""

    workers = 1

    def submit(self, function: Any, asked: Any, tasks: tuple[int, ...], seconds: float) -> Future[Any]:
        answer: Future[Any] = Future()
        if 7 in tasks:
            answer.set_exception(LostWorkerError("a worker process ended"))
        else:
            answer.set_result(function(asked, tasks, seconds))
        return answer


def test_a_task_that_ends_its_workers_has_failed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    @contextmanager
    def fragile(*given: Any, **options: Any) -> Iterator[Fragile]:
        yield Fragile()

    monkeypatch.setattr(running, "executor", fragile)
    slow.make(tmp_path, 20)
    found = command(tmp_path, "study", "run", "study.toml", "--store", "a.db", "--processes", "2", "--json")
    told = json.loads(found.stdout)
    assert (found.returncode, told["tasks"]) == (3, {"tasks": 20, "done": 19, "failed": 1, "stopped": 0})
    assert told["errors"] == {"its worker process ended each time, out of memory perhaps": [1, 7]}


@MANY
@pytest.mark.parametrize("processes", ["2", "3"])
def test_tasks_that_end_their_processes_have_failed(processes: str, tmp_path: Path) -> None:
    """The others are as without them; asked again, they end their processes again."""
    slow.make(tmp_path, 200, deadly=True)
    code, _, err = slow.ran(tmp_path, "--processes", processes)
    whole = in_one_piece(tmp_path)
    with installed(tmp_path):
        found, expected = slow.outcomes(tmp_path / "a.db"), slow.outcomes(whole)
    failed = [outcome.task for outcome in found if outcome.status == "failed"]
    assert (code, len(found), 0 < len(failed) < 20) == (3, 200, True), err
    assert [o for o in found if o.task not in failed] == [o for o in expected if o.task not in failed]


@MANY
def test_neither_processes_nor_shards_change_anything(tmp_path: Path) -> None:
    slow.make(tmp_path, N_TASKS)
    whole = in_one_piece(tmp_path)
    for processes in ("2", "3"):
        assert slow.ran(tmp_path, "--processes", processes, store=f"{processes}.db")[0] == 0
        assert same(tmp_path, tmp_path / f"{processes}.db", whole)
    parts = [f"part-{k}.db" for k in (1, 2, 3)]
    for k, part in enumerate(parts, 1):
        assert slow.ran(tmp_path, "--shard", f"{k}/3", "--processes", "1", store=part)[0] == 0
    assert command(tmp_path, "study", "merge", *parts, "--store", "merged.db").returncode == 0
    assert same(tmp_path, tmp_path / "merged.db", whole)


@MANY
def test_a_cluster_that_loses_a_worker_changes_nothing(tmp_path: Path) -> None:
    from distributed import Client

    slow.make(tmp_path, N_TASKS)
    with local_cluster(tmp_path, slow.environment(tmp_path, 5)) as address:
        process = slow.started(tmp_path, "--cluster", address)
        wait_for(tmp_path, tmp_path / "a.db", N_TASKS // 4, process)
        with Client(address, set_as_default=False) as client:
            os.kill(next(iter(client.run(os.getpid).values())), signal.SIGKILL)
        _, err = process.communicate()
        assert process.returncode == 0, err
    assert same(tmp_path, tmp_path / "a.db", in_one_piece(tmp_path))


RULE = """
class Mine:
    def order(self, host, jobs):
        return sorted(jobs, key=lambda job: ({sign} * job.length, job.organization, job.job))
"""
CUSTOM = {
    "format": 1, "kind": "study", "verb": "run", "replicates": 4, "seed": 7,
    "base": {"kind": "federation", "mechanism": "mine.py:Mine"},
    "family": {"name": "uniform-jobs", "organizations": 2, "jobs": 3, "longest": 9},
    "measures": {"costs": "social_cost", "total": "organizations.1.total_completion"},
}  # fmt: skip


def test_a_cluster_runs_a_custom_rule_of_the_same_source_and_no_other(tmp_path: Path) -> None:
    """Workers live on: one that knows the rule loads it anew where it has changed, and none works with another."""
    distributed: Any = pytest.importorskip("distributed", reason="the extra `distributed` is not installed")
    (tmp_path / "study.toml").write_text(dumps(CUSTOM))
    settings = {"processes": True, "n_workers": 1, "threads_per_worker": 1, "dashboard_address": None}

    def ran(store: str, *arguments: str) -> list[dict[str, Any]]:
        done = command(tmp_path, "study", "run", "study.toml", "--store", store, *arguments)
        assert done.returncode == 0, done.stderr
        with read(tmp_path / store) as results:
            return [{**row, "seconds": 0} for row in results.rows()]

    with distributed.LocalCluster(**settings) as cluster:
        there = ("--cluster", cluster.scheduler_address)
        answers = []
        for sign in ("1", "-1"):
            (tmp_path / "mine.py").write_text(RULE.format(sign=sign))
            answers.append(ran(f"there{sign}.db", *there))
            assert answers[-1] == ran(f"here{sign}.db", "--processes", "1")
        assert answers[0] != answers[1]
        study = reader.load(tmp_path / "study.toml")
        text = study.text
        (tmp_path / "mine.py").write_text(RULE.format(sign="+1"))
        with executor(cluster=cluster.scheduler_address) as pool:
            with pytest.raises(InputError, match=r"mine.py:Mine: found sha256 .*; expected .*the same wherever"):
                list(streamed(pool, partial(running.outcome, text + " "), [1]))
            (tmp_path / "mine.py").unlink()
            with pytest.raises(InputError, match=r"there is no mine.py in .*the same wherever the study runs"):
                list(streamed(pool, partial(running.outcome, text + "  "), [1]))


def test_a_cluster_answers_as_this_machine_does(tmp_path: Path) -> None:
    distributed: Any = pytest.importorskip("distributed", reason="the extra `distributed` is not installed")
    slow.make(tmp_path, 20)
    settings = {"processes": False, "n_workers": 1, "threads_per_worker": 1, "dashboard_address": None}
    with distributed.LocalCluster(**settings) as cluster:
        arguments = ("--store", "a.db", "--cluster", cluster.scheduler_address)
        assert command(tmp_path, "study", "run", "study.toml", *arguments).returncode == 0
    assert same(tmp_path, tmp_path / "a.db", in_one_piece(tmp_path))
