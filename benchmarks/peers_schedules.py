"""Schedules for ``peers.py``: the smallest makespan, and the replay of job logs.

The real log comes from ``CONSORTIUM_TRACES``; without it, its rows are left out.
"""

from __future__ import annotations

import collections
import json
import logging
import math
import random
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from peers_tasks import Beside, Compared, Task, late

from consortium.mechanisms.sharing import SharingInstance, simulate
from consortium.scheduling.clusters import Cluster
from consortium.scheduling.makespan import smallest_makespan
from consortium.workloads import Log, read_log, write_swf
from consortium.workloads.families.sharing import Bags, poisson_bags

# --- the smallest makespan -------------------------------------------------------------------------------------------

LIMIT = 2.0
"""For one instance, by CP-SAT's deterministic time, a unit of which is a second or two of processor time."""
Question = tuple[list[int], list[int]]
Range = tuple[Fraction, Fraction | float]


def instances(kind: str, n: int, m: int, longest: int = 100, number: int = 5) -> list[Question]:
    """Lengths and speeds; related machines have speeds of 1 to 4."""
    made = []
    for k in range(number):
        rng = random.Random(f"{kind} {n} {m} {longest} {k}")
        lengths = [rng.randint(1, longest) for _ in range(n)]
        made.append((lengths, [1] * m if kind == "identical" else [rng.randint(1, 4) for _ in range(m)]))
    return made


def ours(questions: Sequence[Question]) -> list[Range]:
    answers = [smallest_makespan(Cluster.of(speeds), lengths, time_limit=10 * LIMIT) for lengths, speeds in questions]
    return [(answer.lower, answer.upper) for answer in answers]


def proven(ours: Sequence[Range], theirs: Sequence[Range]) -> Compared:
    """How many makespans they proved, and whether the bounds are compatible with ours."""
    both = list(zip(ours, theirs, strict=True))
    right = all(low <= upper and lower <= up for (lower, upper), (low, up) in both)
    ended = [sum(low == up for low, up in answers) for answers in (ours, theirs)]
    says = f"{ended[1]} of {len(both)} proved" + ("" if ended[0] == len(both) else f", {ended[0]} by us")
    return Compared(right, says if right else f"{says}; bounds contradict ours")


class Scaled(NamedTuple):
    """Work in units of which every machine does a whole number at a time: ``scale // speed`` for a unit of length."""

    lengths: list[int]
    factors: list[int]
    scale: int


def scaled(questions: Sequence[Question]) -> list[Scaled]:
    return [
        Scaled(lengths, [math.lcm(*speeds) // s for s in speeds], math.lcm(*speeds)) for lengths, speeds in questions
    ]


def with_cp_sat(questions: Sequence[Scaled]) -> list[Range]:
    return [cp_sat(*question) for question in questions]


def cp_sat(lengths: list[int], factors: list[int], scale: int) -> Range:
    """The program that one writes first."""
    cp_model = late("ortools.sat.python.cp_model")
    model = cp_model.CpModel()
    end = model.new_int_var(0, sum(lengths) * min(factors), "")
    x = [[model.new_bool_var("") for _ in factors] for _ in lengths]
    for row in x:
        model.add_exactly_one(row)
    for i, factor in enumerate(factors):
        model.add(sum(b * factor * row[i] for b, row in zip(lengths, x, strict=True)) <= end)
    model.minimize(end)
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.max_deterministic_time = LIMIT
    known = solver.solve(model) in (cp_model.OPTIMAL, cp_model.FEASIBLE)
    return bounds(solver.best_objective_bound, solver.objective_value if known else math.inf, scale)


def with_pyjobshop(questions: Sequence[Scaled]) -> list[Range]:
    return [pyjobshop(*question) for question in questions]


def pyjobshop(lengths: list[int], factors: list[int], scale: int) -> Range:
    model = late("pyjobshop").Model()
    machines = [model.add_machine() for _ in factors]
    for length in lengths:
        task = model.add_task()
        for machine, factor in zip(machines, factors, strict=True):
            model.add_mode(task, machine, length * factor)
    answer = model.solve(display=False, num_workers=1, max_deterministic_time=LIMIT)
    return bounds(answer.lower_bound, answer.objective, scale)


def bounds(lower: float, upper: float, scale: int) -> Range:
    """Whole numbers over the scale; infinite where no schedule was met."""
    return Fraction(math.ceil(lower - 1e-6), scale), upper if math.isinf(upper) else Fraction(round(upper), scale)


SOLVERS = (
    Beside("OR-Tools", "CP-SAT", "integers", scaled, with_cp_sat),
    Beside("PyJobShop", "Model.solve", "integers", scaled, with_pyjobshop),
)
MAKESPAN = tuple(
    Task(
        "makespan",
        f"{kind}, {n} jobs, {m} machines",
        lambda kind=kind, n=n, m=m: instances(kind, n, m),
        ours,
        proven,
        SOLVERS,
    )
    for kind in ("identical", "related")
    for n, m in ((10, 3), (20, 5), (50, 5))
)


# --- the replay of a log ---------------------------------------------------------------------------------------------

REAL = "KTH-SP2-1996-2.1-cln.swf.gz"
WINDOW = 3000
"""Jobs of the real log."""


class Replay(NamedTuple):
    """A log in a file, in order of submission, on so many machines; ``rule`` is ``rigid`` or ``easy``."""

    path: Path
    machines: int
    rule: str


def written(columns: dict[str, Any], machines: int, rule: str) -> Replay:
    """Write a log; everybody reads it."""
    log = Log(columns | {"job": np.arange(1, len(columns["run"]) + 1), "requested": columns["allocated"]})
    write_swf(log, "log.swf")
    return Replay(Path("log.swf"), machines, rule)


def synthetic(rule: str, duration: int) -> Replay:
    """Bags of our family, with widths that are powers of two and estimates of up to twice the length."""
    rng = np.random.default_rng(1)
    work = poisson_bags(rng, Bags(duration=duration, machines=16, load=0.24))
    columns = {
        "submit": work.release,
        "run": work.length,
        "allocated": 2 ** rng.integers(0, 4, len(work)),
        "limit": work.length + rng.integers(0, work.length + 1),
    }
    return written(columns, 16, rule)


def real(rule: str) -> Replay:
    """The first jobs of a real log, with the times that users requested."""
    log = read_log(REAL)
    run, limit = log.run[:WINDOW], log.column("limit")[:WINDOW]
    submit = log.submit[:WINDOW] - log.submit[0]
    return written(
        {"submit": submit, "run": run, "allocated": log.processors[:WINDOW], "limit": np.maximum(limit, run)}, 100, rule
    )


def replayed(replay: Replay) -> dict[int, int]:
    """When each job starts where they are served as they come."""
    log = read_log(replay.path.absolute())
    instance = SharingInstance.from_columns(
        [replay.machines],
        np.zeros(len(log), dtype=np.int64),
        log.submit,
        log.run,
        width=log.processors,
        estimate=log.column("limit"),
    )
    until = int(log.submit[-1] + log.run.sum()) + 1
    start = simulate(instance, rule="fifo", until=until, parallel=replay.rule).start
    return dict(zip((instance.number + 1).tolist(), start.tolist(), strict=True))


def same_starts(ours: dict[int, int], theirs: dict[int, int]) -> Compared:
    same = sum(theirs.get(job) == start for job, start in ours.items())
    says = f"{same:,} of {len(ours):,} jobs start at the same second"
    if same < len(ours):
        last = max(ours, key=lambda job: theirs.get(job, 0) - ours[job])
        says += f"; job {last} waits {theirs[last] - ours[last]:,} s more"
    return Compared(same == len(ours), says)


def system(replay: Replay) -> tuple[Path, str]:
    """The system as AccaSim reads it, and its name of the rule."""
    machines = {"groups": {"all": {"core": replay.machines}}, "resources": {"all": 1}}
    Path("system.json").write_text(json.dumps(machines | {"equivalence": {"processor": {"core": 1}}, "start_time": 0}))
    return replay.path, {"rigid": "FirstInFirstOut", "easy": "EASYBackfilling"}[replay.rule]


def with_accasim(given: tuple[Path, str]) -> Path:
    vars(collections)["Mapping"] = Mapping  # AccaSim 1.1.3 imports it from there; Python 3.10 removed it
    simulator = late("accasim.base.simulator_class").Simulator
    dispatcher = getattr(late("accasim.base.scheduler_class"), given[1])
    written = {"job_id": ("id", "str"), "start": ("start_time", "int")}
    logging.disable()
    run = simulator(
        str(given[0]),
        "system.json",
        dispatcher(late("accasim.base.allocator_class").FirstFit()),
        RESULTS_FOLDER_PATH=str(Path("results").absolute()),
        SCHEDULE_OUTPUT={"format": "{job_id};{start}", "attributes": written},
        statistics_output=False,
        show_statistics=False,
    )
    return Path(run.start_simulation()["sched-"])


def starts(path: Path) -> dict[int, int]:
    return {int(job): int(at) for job, at in (line.split(";") for line in path.read_text().split())}


def replay(work: str, make: Callable[[str], Replay]) -> tuple[Task, ...]:
    return tuple(
        Task(
            "replay",
            f"{work}, {name}",
            lambda rule=rule: make(rule),
            replayed,
            same_starts,
            (Beside("AccaSim", call, "integers", system, with_accasim, starts),),
        )
        for rule, name, call in (("rigid", "FIFO", "FirstInFirstOut"), ("easy", "EASY", "EASYBackfilling"))
    )


REPLAYS = (
    *replay("bags, 16 machines, about 400 jobs", lambda rule: synthetic(rule, 200_000)),
    *replay("bags, 16 machines, about 3,000 jobs", lambda rule: synthetic(rule, 2_000_000)),
    *replay(f"the first {WINDOW:,} jobs of KTH-SP2", real),
)
SCHEDULES = (*MAKESPAN, *REPLAYS)
