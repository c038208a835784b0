"""Shards of a study as one: beside a plain merge of dictionaries."""

from __future__ import annotations

import random
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from consortium.parallel.outcomes import Outcome
from consortium.parallel.store import Store, merge
from consortium.support.errors import InputError

from .toy_study import COLUMNS, work

TASKS = [work(task) for task in range(60)]
QUESTION: Any = {"toy": 60}


@pytest.fixture
def shard(tmp_path: Path) -> Callable[..., Path]:
    """Writes a store."""

    def write(name: str, outcomes: list[Outcome], question: Any = QUESTION) -> Path:
        with Store.open(tmp_path / name, question, COLUMNS) as store:
            store.keep(outcomes)
        return tmp_path / name

    return write


@contextmanager
def opened(path: Path) -> Any:
    with Store.open(path, QUESTION, COLUMNS) as store:
        yield store


@pytest.mark.parametrize("seed", [*range(4), *(pytest.param(n, marks=pytest.mark.exhaustive) for n in range(4, 200))])
def test_shards_are_one_store(seed: int, shard: Callable[..., Path], tmp_path: Path) -> None:
    """Shards that overlap; a task that one of them stopped is taken from another, the first one wins otherwise."""
    rng = random.Random(seed)
    expected: dict[int, Outcome] = {}
    paths, new = [], 0
    for name in ("one", "two", "three"):
        chosen = []
        for task in TASKS:
            if rng.random() < 0.5:
                found = replace(task, seconds=rng.random(), record=rng.choice([None, "[1]"]))
                if rng.random() < 0.3:
                    found = replace(found, status="stopped", measures={"draw": rng.random()}, error="no time")
                chosen.append(found)
        paths.append(shard(name, chosen))
        for found in chosen:
            before = expected.get(found.task)
            new += before is None
            if before is None or (before.status == "stopped" and found.status != "stopped"):
                expected[found.task] = found
    with opened(tmp_path / "all") as store:
        assert merge(store, paths) == new
        assert list(store.outcomes(records=True)) == [expected[task] for task in sorted(expected)]
        assert merge(store, paths) == 0
    with Store.read(paths[0]) as untouched:
        assert len(untouched.finished()) < len(expected)


@pytest.mark.parametrize(
    "change",
    [
        {"measures": {"draw": 1, "even": False}},
        {"measures": {}},
        {"varied": {"n": "2"}},
        {"digest": "other"},
        {"seed": 1},
        {"status": "failed"},
        {"status": "stopped", "digest": "other"},
        {"error": "x"},
    ],
    ids=str,
)
def test_a_task_that_differs_is_named_and_nothing_is_added(
    change: dict[str, Any], shard: Callable[..., Path], tmp_path: Path
) -> None:
    first, second = shard("one", TASKS[:20]), shard("two", [replace(TASKS[17], **change), *TASKS[18:30]])
    with opened(tmp_path / "all") as store:
        with pytest.raises(InputError, match=f"store {second}: task 17 is not what it is in {store.path}"):
            merge(store, [first, second])
        assert list(store.outcomes(records=True)) == TASKS[:20]
        assert merge(store, [shard("three", TASKS[15:30])]) == 10


def test_what_cannot_be_merged_is_refused(shard: Callable[..., Path], tmp_path: Path) -> None:
    with opened(tmp_path / "all") as store:
        for path, message in (
            (shard("other", [], {"toy": 61}), r"belongs to another question: toy = 61 \(asked: 60\)"),
            (tmp_path / "none", "found no such file"),
            (tmp_path / "all", "found the store itself"),
        ):
            with pytest.raises(InputError, match=f"store {path}:? {message}"):
                merge(store, [path])


def test_versions_are_mixed_when_it_is_said(
    shard: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("store", "sqlite_files"):
        monkeypatch.setattr(f"consortium.parallel.{module}.versions", lambda: {"consortium": "old"})
    path = shard("one", TASKS)
    monkeypatch.undo()
    with opened(tmp_path / "all") as store:
        with pytest.raises(InputError, match="its answers are those of consortium old"):
            merge(store, [path])
        assert merge(store, [path], mix_versions=True) == 60
        assert "old" in store.versions["consortium"]
        assert store.note
        assert store.note.startswith(f"store {path}: answers of other versions are in it: consortium old")
