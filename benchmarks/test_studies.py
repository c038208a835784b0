"""What a study adds to each task: giving it out in batches, taking its outcome back, writing it to the store.

The outcomes are those of small placement games, found beforehand, so that only the giving and the keeping is measured;
joblib gives out the same and throws it away. Run with ``pytest benchmarks/test_studies.py --benchmark-enable``; for the
games themselves, ``python -m benchmarks.study_rates``.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, Final

import joblib
import pytest

from consortium.parallel.executors import executor
from consortium.parallel.outcomes import Columns, Outcome
from consortium.parallel.store import Store
from consortium.parallel.stream import streamed
from consortium.studies import reader
from consortium.studies.running import AT_ONCE, outcome

PROCESSES: Final = 2
TASKS: Final = 20_000
MOST: Final = 0.0002
"""Seconds of a processor that a task may cost beside its own work."""


@pytest.fixture(scope="module")
def known() -> list[Outcome]:
    study = reader.load({
        "format": 1, "kind": "study", "verb": "search", "replicates": 50,
        "base": {"kind": "federation", "mechanism": {"rule": "coordination", "priority": "organizations"}},
        "family": {"name": "uniform-jobs", "organizations": 3, "jobs": 2, "longest": 9},
        "measures": {"anarchy": "price_of_anarchy", "exists": "equilibria.exists"},
    })  # fmt: skip
    return [outcome(study.text, k) for k in range(1, study.size + 1)]


def repeated(known: Sequence[Outcome], task: int) -> Outcome:
    """An outcome that was known before."""
    return replace(known[task % len(known)], task=task)


def ours(known: list[Outcome], folder: Path) -> None:
    with Store.open(folder / "a.db", {}, Columns((), ("anarchy", "exists"))) as store, executor(PROCESSES) as pool:
        answers = streamed(pool, partial(repeated, known), range(TASKS))
        while found := list(islice(answers, AT_ONCE)):
            store.keep(found)


def with_joblib(known: list[Outcome], folder: Path) -> None:
    given = (joblib.delayed(repeated)(known, task) for task in range(TASKS))
    for _ in joblib.Parallel(PROCESSES, return_as="generator_unordered", batch_size=200)(given):
        pass


@pytest.mark.parametrize("way", [ours, with_joblib])
def test_what_a_task_costs_beside_its_work(way: Any, known: list[Outcome], benchmark: Any, tmp_path: Path) -> None:
    begin = time.process_time()
    benchmark.pedantic(way, (known, tmp_path), rounds=1)
    spent = (time.process_time() - begin) / TASKS
    benchmark.extra_info["processor microseconds per task here"] = round(1e6 * spent)
    assert spent < MOST or way is not ours
