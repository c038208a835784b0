"""CP-SAT, HiGHS and the compiled search at once on one makespan instance, sharing their bounds.

The main thread keeps the compiled search going in short chunks and collects what the others find, so the state has one
writer. CP-SAT runs in a thread (:mod:`.cp_sat`), starts from the best schedule, and is told to stop; HiGHS runs in a
process (:mod:`.highs`), which is ended. The race is over when the bounds meet, when the search is exhausted, or when
time is up.
"""

from __future__ import annotations

import json
import math
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from typing import Any, Final, Protocol

from ..support.interrupts import shielded
from ..support.progress import Clock, Progress
from .cp_sat import Search, new_model
from .makespan_state import Instance, State

EXACT: Final = 2**30
"""Up to here a float bound of HiGHS, good to some nine digits, means one integer; larger ones are not believed."""
CHUNK = 200_000
"""Placements per turn of the compiled search."""


class Runner(Protocol):
    """A solver at work beside the main thread."""

    def collect(self, state: State) -> None:
        """Hand over what was found since the last call."""

    def stop(self) -> None:
        """End it, and wait until it has ended."""


def race(
    instance: Instance, state: State, solvers: tuple[str, ...], clock: Clock, progress: Progress | None = None
) -> bool:
    """Improve ``state`` until its bounds meet; False when time or Ctrl-C ended the race before."""
    import numpy as np

    from .makespan_kernel import TABLE, Jobs, fillings, improve

    work, per_work = np.array(instance.work, dtype=np.int64), np.array(instance.per_work, dtype=np.int64)
    largest = state.upper // min(instance.per_work)
    small = (len(work) + 1) * (largest + 1) <= TABLE
    jobs = Jobs(work, per_work, fillings(work, largest) if small else np.zeros((1, 1), dtype=np.int64))
    start: dict[str, type[CpSat] | type[Highs]] = {"cp-sat": CpSat, "highs": Highs}
    runners: list[Runner] = []
    complete = True
    try:
        with shielded():
            runners = [start[name](instance, state, clock.left()) for name in solvers]
        while state.lower < state.upper:
            state.search(partial(improve, jobs), CHUNK)
            for runner in runners:
                runner.collect(state)
            if progress is not None:
                progress(state.lower, state.upper, "lower and upper bound")
            if clock.expired():
                complete = False
                break
    except KeyboardInterrupt:
        complete = False
    finally:
        for runner in runners:
            runner.stop()
    return complete


class CpSat:
    """CP-SAT in a thread: one Boolean per job and machine, makespan between the known bounds."""

    def __init__(self, instance: Instance, state: State, seconds: float | None) -> None:
        self.instance = instance
        self.found: list[tuple[int, list[int]]] = []
        self.lower = state.lower
        model = new_model()
        makespan = model.new_int_var(state.lower, state.upper, "")
        self.on = [[model.new_bool_var("") for _ in instance.per_work] for _ in instance.work]
        for row, home in zip(self.on, state.machine, strict=True):
            model.add_exactly_one(row)
            for m, var in enumerate(row):
                model.add_hint(var, m == home)
        for m, q in enumerate(instance.per_work):
            model.add(sum(w * q * row[m] for w, row in zip(instance.work, self.on, strict=True)) <= makespan)
        model.minimize(makespan)
        self.search = Search(model, seconds, on_solution=self._solution, on_bound=self._bound)

    def _solution(self, value: Callable[[Any], int]) -> None:
        machine = [next(m for m, var in enumerate(row) if value(var)) for row in self.on]
        self.found.append((self.instance.makespan(machine), machine))

    def _bound(self, bound: float) -> None:
        if math.isfinite(bound) and abs(bound) < 2**53:  # an integer below that is one as a float
            self.lower = max(self.lower, int(bound))

    def collect(self, state: State) -> None:
        """Hand over schedules and the bound; what CP-SAT proved in the end is the makespan of its last schedule."""
        import numpy as np

        proved = self.search.optimal
        while self.found:
            upper, machine = self.found.pop(0)
            state.schedule(upper, np.array(machine, dtype=np.int64), "cp-sat")
        state.bound(state.upper if proved else self.lower, "cp-sat")

    def stop(self) -> None:
        """End the search."""
        self.search.stop()


class Highs:
    """HiGHS in a process of its own, which ends when its input is closed; what it prints last is its answer."""

    def __init__(self, instance: Instance, state: State, seconds: float | None) -> None:
        self.instance = instance
        self.done = False
        self.process = subprocess.Popen(
            [sys.executable, "-m", f"{__package__}.highs"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        question = [list(instance.work), list(instance.per_work), state.lower, state.upper, seconds]
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(question) + "\n")
        self.process.stdin.flush()

    def collect(self, state: State) -> None:
        """Take the answer when the process has ended by itself."""
        import numpy as np

        if self.done or self.process.poll() is None:
            return
        self.done = True
        assert self.process.stdout is not None
        lines = self.process.stdout.read().splitlines()
        if self.process.returncode != 0 or not lines:
            return  # killed, or no HiGHS in this ortools: the others go on
        answer: dict[str, Any] = json.loads(lines[-1])
        if answer["machine"] is not None:
            machine = np.array(answer["machine"], dtype=np.int64)
            state.schedule(self.instance.makespan(answer["machine"]), machine, "highs")
        if answer["bound"] is not None and state.upper <= EXACT:
            state.bound(answer["bound"], "highs")

    def stop(self) -> None:
        """End the process."""
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                pipe.close()
