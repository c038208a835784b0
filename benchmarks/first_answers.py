"""What a first question costs: each shipped scenario on a cold cache, on a warm one, and inside a running process.

Run ``python benchmarks/first_answers.py [NAME...]`` on a quiet machine. For every verb that a scenario has expectations
for, the command is started with an empty folder for compiled kernels, then with what the first start left there, and
asked again in a process that has answered it before. The least counts of two cold times and of up to three others, as
many as take five seconds: machines falter, and the next question may be the one for which a kernel is compiled at
last. Work is never shared among processes. All times are
processor seconds; the package's own bytecode is there already, as it is where a package was installed. The last lines
say the largest differences: a cold start should cost at most 2 s more than a warm one, and a warm one at most 0.8 s
more than the answer costs in a running process. How fast the machine is at this moment, other work on it considered, is
said by what importing numpy, pydantic and typer takes, which every start does.
"""

from __future__ import annotations

import compileall
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import consortium
import consortium.api as api
from consortium.mechanisms.kinds import kind
from consortium.support.loading import load

VERBS = ("run", "search", "verify", "compare")
COLD, WARM = 2.0, 0.8
LONG = 5.0
INSIDE = (
    "import sys, time, consortium.api as api\n"
    "verb, name = sys.argv[1:]\n"
    "api.ask(verb, name)\ntimes = []\n"
    "while len(times) < 3 and sum(times) < 5:\n"
    "    begin = time.process_time(); api.ask(verb, name); times.append(time.process_time() - begin)\n"
    "print(min(times))"
)

FLOOR = "import numpy, pydantic, typer; pydantic.BaseModel"


class Times(NamedTuple):
    """Processor seconds of one question."""

    question: str
    cold: float
    warm: float
    inside: float


def questions(names: list[str]) -> Iterator[tuple[str, str]]:
    """Verbs and names of scenarios."""
    for name in names or sorted(api.shipped()):
        expected = api.load(name).to_dict().get("expect", {})
        yield from ((verb, name) for verb in VERBS if verb in expected)


def used(arguments: list[str], **variables: str) -> float:
    """Processor seconds of a Python in a process of its own."""
    started = subprocess.Popen(
        [sys.executable, *arguments],
        env=os.environ | variables,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    _, _, found = os.wait4(started.pid, 0)
    return found.ru_utime + found.ru_stime


def alone(verb: str, name: str) -> list[str]:
    """What keeps a question in one process, where it could be shared among several."""
    options = load(kind(api.load(name).kind).verb(verb).options)
    return ["--processes", "1"] if "processes" in options.model_fields else []


def inside(verb: str, name: str) -> float:
    """Of another time in one process."""
    done = subprocess.run(
        [sys.executable, "-c", INSIDE, verb, name], capture_output=True, text=True, check=True, timeout=600
    )
    return float(done.stdout)


def measured(verb: str, name: str) -> Times:
    """One question."""
    question = ["-m", "consortium", verb, name, "--json", *alone(verb, name)]

    def in_a_new_folder() -> float:
        with tempfile.TemporaryDirectory() as folder:
            return used(question, NUMBA_CACHE_DIR=folder)

    with tempfile.TemporaryDirectory() as kept:
        cold = min(used(question, NUMBA_CACHE_DIR=kept), in_a_new_folder())
        warm = least(lambda: used(question, NUMBA_CACHE_DIR=kept), 3)
    return Times(f"{verb} {name}", cold, warm, inside(verb, name))


def least(measure: Callable[[], float], times: int) -> float:
    """The least of several times, or of fewer where they take long."""
    found: list[float] = []
    while len(found) < times and sum(found) < LONG:
        found.append(measure())
    return min(found)


def main() -> None:
    """Measure and print."""
    compileall.compile_dir(Path(consortium.__file__).parent, quiet=1)
    found = []
    begin = time.perf_counter()
    print(f"{'cold':>7} {'warm':>7} {'inside':>7}")
    for verb, name in questions(sys.argv[1:]):
        row = measured(verb, name)
        found.append(row)
        print(f"{row.cold:7.2f} {row.warm:7.2f} {row.inside:7.2f}  {row.question}", flush=True)
    late = [row for row in found if row.cold - row.warm > COLD]
    slow = [row for row in found if row.warm - row.inside > WARM]
    print(f"{len(found)} questions in {time.perf_counter() - begin:.0f} s")
    print(f"numpy, pydantic and typer alone: {statistics.median(used(['-c', FLOOR]) for _ in range(9)):.2f} s")
    print(f"cold - warm: at most {max(r.cold - r.warm for r in found):.2f} s; {len(late)} beyond {COLD} s")
    print(f"warm - inside: at most {max(r.warm - r.inside for r in found):.2f} s; {len(slow)} beyond {WARM} s")


if __name__ == "__main__":
    main()
