"""A distribution with a random family that takes its time, so that a study of it can be killed in the middle.

Some of its instances end the process that draws them, if asked to.
"""

from __future__ import annotations

import csv
import io
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from consortium.parallel.outcomes import Outcome
from consortium.studies.exports import write_csv
from consortium.studies.store import read

from ..distribution import make_distribution

ROOT = Path(__file__).resolve().parents[2]
MODULE = """
import multiprocessing, os, signal, time
from pydantic import Field
from consortium.workloads.families import Family
from consortium.workloads.families.base import Parameters

class Slow(Parameters):
    deadly: bool = Field(False, description="whether some instances end their process")

def prepare(parameters):
    def draw(rng):
        time.sleep(int(os.environ.get("SLOW_FAMILY", 0)) / 1000)
        rows = [{"jobs": [int(length) for length in rng.integers(1, 9, 2)]} for _ in range(2)]
        if parameters.deadly and rows[0]["jobs"] == [1, 1] and multiprocessing.parent_process():
            os.kill(os.getpid(), signal.SIGKILL)
        return {"organizations": rows}
    return draw

SLOW = Family("slow", "federation", Slow, prepare, "two organizations with two jobs each, after a while")
"""
STUDY = """
format = 1
kind = "study"
verb = "run"
replicates = {replicates}
seed = 5
base = {{ kind = "federation" }}
family = {{ name = "slow", deadly = {deadly} }}
[vary]
"mechanism.rule" = ["local", "ilba"]
[measures]
makespan = "sum_of_makespans"
"""


def make(folder: Path, tasks: int, deadly: bool = False) -> None:
    """Install the family in a folder, beside a study ``study.toml`` of so many tasks."""
    make_distribution(folder, "slow-family", {"slow_family": MODULE}, {
        "consortium.families": {"federation/slow": "slow_family:SLOW"}
    })  # fmt: skip
    text = STUDY.format(replicates=tasks // 2, deadly=str(deadly).lower())
    (folder / "study.toml").write_text(text)


def environment(folder: Path, milliseconds: int = 0) -> dict[str, str]:
    """Of a process that knows the package and what is installed in a folder, and takes so long for an instance."""
    path = os.pathsep.join([str(ROOT / ".types"), str(folder)])
    return os.environ | {"PYTHONPATH": path, "SLOW_FAMILY": str(milliseconds)}


def started(folder: Path, *arguments: str, store: str = "a.db", milliseconds: int = 0) -> subprocess.Popen[str]:
    """``consortium study run study.toml`` as the leader of a process group."""
    command = [sys.executable, "-m", "consortium", "study", "run", "study.toml", "--store", store, *arguments]
    pipes: Any = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    return subprocess.Popen(command, cwd=folder, env=environment(folder, milliseconds), start_new_session=True, **pipes)


def ran(folder: Path, *arguments: str, store: str = "a.db") -> tuple[int, str, str]:
    """The exit code of the same, when it has ended, and what it has printed."""
    process = started(folder, *arguments, store=store)
    out, err = process.communicate()
    return process.returncode, out, err


def rows(store: Path) -> list[list[str]]:
    """The CSV of a store but for the times."""
    text = io.StringIO()
    with read(store) as found:
        write_csv(found, text)
    header, *lines = csv.reader(text.getvalue().splitlines())
    at = header.index("seconds")
    return [line[:at] + line[at + 1 :] for line in (header, *lines)]


def outcomes(store: Path) -> list[Outcome]:
    """All that a store has kept, but for the times."""
    with read(store) as found:
        return [replace(outcome, seconds=0.0) for outcome in found.store.outcomes(records=True)]
