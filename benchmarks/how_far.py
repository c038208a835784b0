"""How far can I go: the largest size of every question that is answered in 1, 10 and 60 seconds of processor time.

``python benchmarks/how_far.py [WORD...] [--seconds 1 10 60] [--instances N]`` measures the questions of
``questions.py`` whose text contains one of the words (none: all), keeps what it finds in ``how_far.json``, and writes
the table of ``docs/explanation/how-far-can-i-go.md`` from it. A row is kept as soon as it is known, so that a run may
be stopped and taken up again; ``--table`` writes the table alone. All of it takes about 40 minutes of a quiet machine.

A process of its own asks one question of larger and larger instances, after small ones that compile what is needed.
When a limit has passed, it sends itself Ctrl-C, so that whatever the package proved by then counts; if it goes on
nevertheless it is killed. Seconds are processor seconds of all threads and child processes. A size is reached if more
than half of its instances are answered, and so were all smaller ones; a size that would take more than
:data:`HOPELESS` limits at the growth seen last is not tried. Beside each row stands what a loop of fixed work took
then, which says how quick the machine was.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import resource
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from questions import QUESTIONS, Question  # noqa: E402

from consortium.support.errors import TooLargeError  # noqa: E402

KEPT = HERE / "how_far.json"
PAGE = HERE.parent / "docs" / "explanation" / "how-far-can-i-go.md"
MARKS = "<!-- table -->\n", "<!-- end of the table -->\n"
HOPELESS = 3.0
WARM_SIZES, WARM_SECONDS, WARM_LIMITS = 3, 0.3, (10.0, 2.0)
HARD_FACTOR, OVERTIME = 1.3, 1.1
"""A process is killed after so many limits; an answer that comes after so many is none."""


class Tried(NamedTuple):
    """Seconds and the gap that was left, medians of the instances; a gap beyond all bounds is infinite."""

    seconds: float
    gap: float


# --- one instance, in a process of its own ---------------------------------------------------------------------------


def used() -> float:
    """Processor seconds of this process and of its children that have ended."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def timed(question: Question, size: int, number: int, limit: float) -> Tried:
    """Ask here, and after so many seconds as if by Ctrl-C."""
    asked = question.make(size, number)
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs would ignore it
    signal.signal(signal.SIGPROF, lambda *_: signal.raise_signal(signal.SIGINT))
    hard = math.ceil(time.process_time() + HARD_FACTOR * limit + 1)
    resource.setrlimit(resource.RLIMIT_CPU, (hard, resource.RLIM_INFINITY))
    began = used()
    signal.setitimer(signal.ITIMER_PROF, limit)
    try:
        gap = question.ask(asked)
    except (KeyboardInterrupt, TooLargeError):
        gap = math.inf
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        resource.setrlimit(resource.RLIMIT_CPU, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    seconds = used() - began
    return Tried(seconds, math.inf if gap <= question.gap and seconds > OVERTIME * limit else gap)


def child(place: int, skipped: int, limit: float, instances: int, seconds: list[float]) -> None:
    """Print a line for every size from the first that is not skipped, up to one that is not answered."""
    question = QUESTIONS[place]
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        any(warm(question, small) for small in question.sizes[:WARM_SIZES])
        for size in question.sizes[skipped:]:
            if question.gap == 0 and hopeless(seconds, limit):
                return
            found = [timed(question, size, number, limit) for number in range(instances)]
            row = Tried(*(statistics.median_high(one[n] for one in found) for n in range(2)))
            print(json.dumps([size, *row]), flush=True)
            if row.gap > question.gap:
                return
            seconds.append(row.seconds)


def warm(question: Question, size: int) -> bool:
    """Ask once, and where that took long once more: whether it still does when kernels are compiled."""
    return all(timed(question, size, 0, limit).seconds > WARM_SECONDS for limit in WARM_LIMITS)


def hopeless(seconds: Sequence[float], limit: float) -> bool:
    """Whether the next size takes far more than the limit if times go on growing as they did last."""
    return len(seconds) > 1 and seconds[-1] > limit / 2 and seconds[-1] ** 2 / seconds[-2] > HOPELESS * limit


# --- one question ----------------------------------------------------------------------------------------------------


def measured(question: Question, limits: Sequence[float], instances: int) -> dict[str, Any]:
    """A row of the table: what is reached for each limit, and the gap of the first size beyond the last."""
    row: dict[str, Any] = {"reached": {}, "beyond": None, "instances": instances, "unit": round(unit(), 4)}
    reached: list[int] = []
    seconds: list[float] = []
    for limit in limits:
        row["beyond"] = None
        arguments = [QUESTIONS.index(question), len(reached), limit, instances, seconds[-2:]]
        for size, spent, gap in lines(json.dumps(arguments)):
            print(f"    {size}: {spent:.2f} s of {limit:g}, gap {gap:.3g}", flush=True)
            if gap > question.gap:
                row["beyond"] = [size, None if math.isinf(gap) else gap]
            else:
                reached.append(size)
                seconds.append(spent)
        row["reached"][f"{limit:g}"] = reached[-1] if reached else None
    return row | {"all": len(reached) == len(question.sizes)}


def lines(arguments: str) -> Iterator[list[Any]]:
    """What a child prints; one that was killed at its limit has said all that counts."""
    command = [sys.executable, str(Path(__file__).resolve()), "--child", arguments]
    with tempfile.TemporaryFile("w+") as errors:
        started = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True)
        assert started.stdout is not None
        yield from map(json.loads, started.stdout)
        if started.wait() > 0:
            errors.seek(0)
            raise RuntimeError(errors.read())


def unit() -> float:
    """Processor seconds of a loop of fixed work, the median of five."""
    rounds = []
    for _ in range(5):
        began = time.process_time()
        sum(n * n for n in range(1_000_000))
        rounds.append(time.process_time() - began)
    return statistics.median(rounds)


# --- the table -------------------------------------------------------------------------------------------------------


def key(question: Question) -> str:
    """What a row is kept under."""
    return f"{question.asked}; {question.of}; {question.counts}"


def kept() -> dict[str, dict[str, Any]]:
    """Rows by question."""
    rows: dict[str, dict[str, Any]] = json.loads(KEPT.read_text()) if KEPT.exists() else {}
    return rows


def table(rows: dict[str, dict[str, Any]]) -> str:
    """As Markdown, in the order of the questions."""
    limits = sorted({limit for row in rows.values() for limit in row["reached"]}, key=float)
    lines = [
        f"| question | instances | size | {' | '.join(f'{limit} s' for limit in limits)} | beyond |",
        "|---|---|---|" + "---:|" * len(limits) + "---|",
    ]
    for question in QUESTIONS:
        if row := rows.get(key(question)):
            cells = " | ".join(cell(row, limit, question) for limit in limits)
            lines.append(f"| {question.asked} | {question.of} | {question.counts} | {cells} | {beyond(row)} |")
    return "\n".join(lines) + "\n"


def cell(row: dict[str, Any], limit: str, question: Question) -> str:
    """A size; ``>=`` where no larger one was tried, a dash below the smallest, nothing where it was not measured."""
    if limit not in row["reached"]:
        return ""
    size = row["reached"][limit]
    if size is None:
        return f"< {question.sizes[0]:,}"
    return f"≥ {size:,}" if row["all"] and size == question.sizes[-1] else f"{size:,}"


def beyond(row: dict[str, Any]) -> str:
    """The gap at the first size that was not reached."""
    if row["beyond"] is None or row["beyond"][1] is None:
        return ""
    size, gap = row["beyond"]
    return f"{size:,}: gap {100 * gap:.2g} %"


def written(page: str, rows: dict[str, dict[str, Any]]) -> str:
    """The page with the table in its place."""
    before, rest = page.split(MARKS[0])
    _, after = rest.split(MARKS[1])
    return before + MARKS[0] + "\n" + table(rows) + "\n" + MARKS[1] + after


def main() -> None:
    """Measure, keep, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("words", nargs="*", help="parts of the questions' texts")
    parser.add_argument("--seconds", type=float, nargs="+", default=[1, 10, 60])
    parser.add_argument("--instances", type=int, default=1)
    parser.add_argument("--table", action="store_true", help="only write the table of what is kept")
    given = parser.parse_args()
    for question in () if given.table else QUESTIONS:
        name = key(question)
        if not given.words or any(word in name for word in given.words):
            print(name, flush=True)
            row = measured(question, sorted(given.seconds), given.instances)
            KEPT.write_text(json.dumps(kept() | {name: row}, indent=1, ensure_ascii=False) + "\n")
    PAGE.write_text(written(PAGE.read_text(), kept()))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        child(*json.loads(sys.argv[2]))
    else:
        main()
