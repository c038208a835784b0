"""What ``--dry-run`` predicts beside what the run takes: varied cases of all kinds and verbs.

Every case is estimated in one fresh process and run in another; compared are the CPU seconds of loading the package
and of the verb, from the call to its answer, and the largest memory of the process. Caches of compiled code are filled
before by a small case of the same kind, because compiling at first use is no part of the prediction. All seconds are
those of the reference machine: each process measures how fast this one is when it looks, so that other work beside it
does not count. Run with ``python benchmarks/estimates.py [NAME...]``; ratios (measured over predicted) come first,
those beyond 3 are marked.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

FACTOR = 3.0
Asked = tuple[str, Any, dict[str, Any]]
"""Verb, source and options."""


def main(names: list[str]) -> int:
    """Measure the cases and print a table; how many predictions are off by more than the factor."""
    wrong = 0
    print(f"{'seconds':>8} {'memory':>7}   {'predicted':>10} {'measured':>10} {'MiB':>7} {'MiB':>7}  case")
    for name in names or CASES:
        in_child(name, "small")
        told, found = in_child(name, "estimate"), in_child(name, "run")
        ratios = found["seconds"] / told["seconds"], found["memory"] / told["memory"]
        off = any(not 1 / FACTOR <= ratio <= FACTOR for ratio in ratios)
        wrong += off
        print(
            f"{ratios[0]:8.2f} {ratios[1]:7.2f}   {told['seconds']:10.3f} {found['seconds']:10.3f} "
            f"{told['memory'] / 2**20:7.0f} {found['memory'] / 2**20:7.0f}  {name}{'  <--' if off else ''}",
            flush=True,
        )
    return wrong


def in_child(name: str, what: str) -> dict[str, Any]:
    """One case, estimated or run, in a process of its own."""
    done = subprocess.run([sys.executable, __file__, "--child", name, what], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{name}, {what}: {done.stderr}")
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def child(name: str, what: str) -> None:
    """Print what a case takes, or is predicted to take."""
    import resource

    import consortium
    from consortium.verbs import costs

    loading = time.process_time()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        verb, source, options = CASES[name](what == "small")
        if what == "estimate":
            found = consortium.estimate(verb, source, **options)
            print(json.dumps({"seconds": found.seconds / costs.speed(), "memory": found.memory_bytes}))
            return
        paces, began = [costs.speed()], time.process_time()
        getattr(consortium, verb)(source, **options)
        seconds = loading + time.process_time() - began
        costs.speed.cache_clear()
        seconds /= sum([*paces, costs.speed()]) / 2
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    print(json.dumps({"seconds": seconds, "memory": peak}))


# --- scenarios -------------------------------------------------------------------------------------------------------


def cluster(rule: str, lengths: list[int], machines: int = 2, **more: Any) -> dict[str, Any]:
    """Agents a1, a2, ... and machines of powers 1, 2, ..."""
    mechanism = {"rule": rule} | more.pop("mechanism", {})
    return {
        "format": 1,
        "kind": "declaration",
        "cluster": {"powers": list(range(1, machines + 1))},
        "agents": [{"name": f"a{n}", "length": length} for n, length in enumerate(lengths, 1)],
        "mechanism": mechanism,
    } | more


def domain(*numbers: int) -> dict[str, Any]:
    """The same lengths and declarations for everybody."""
    return {"domain": {"lengths": list(numbers), "declarations": list(numbers)}}


def organizations(rule: str, jobs: list[list[int]], **more: Any) -> dict[str, Any]:
    """One machine each."""
    return {
        "format": 1,
        "kind": "federation",
        "organizations": [{"jobs": row} for row in jobs],
        "mechanism": {"rule": rule} | more,
    }


def drawn(rows: int, columns: int, largest: int, seed: int = 1) -> list[list[int]]:
    """Random sizes."""
    rng = random.Random(seed)
    return [[rng.randint(1, largest) for _ in range(columns)] for _ in range(rows)]


def users(rule: str, makespan: int, total: int, jobs: int, machines: int = 1, **more: Any) -> dict[str, Any]:
    """Users who want short makespans, and users who want early completions."""
    sizes = drawn(makespan + total, jobs, 20)
    goals = ["makespan"] * makespan + ["total-completion"] * total
    listed = [{"objective": goal, "jobs": row} for goal, row in zip(goals, sizes, strict=True)]
    return {
        "format": 1,
        "kind": "multiuser",
        "machines": machines,
        "users": listed,
        "mechanism": {"rule": rule} | more,
    }


def pool(rule: str, owners: int, jobs: int) -> dict[str, Any]:
    """Organizations of two machines each, with jobs released over time."""
    rng = random.Random(2)
    listed = [
        {"name": f"o{k}", "machines": 2, "jobs": [[rng.randint(0, 2 * jobs), rng.randint(1, 5)] for _ in range(jobs)]}
        for k in range(owners)
    ]
    return {
        "format": 1,
        "kind": "sharing",
        "until": 3 * jobs,
        "organizations": listed,
        "mechanism": {"rule": rule},
    }


def log(jobs: int) -> str:
    """A job log of eight users in the working folder."""
    import numpy as np

    from consortium.workloads import Log, write_swf

    rng = np.random.default_rng(3)
    columns = {
        "job": np.arange(1, jobs + 1),
        "submit": np.sort(rng.integers(0, 40 * jobs, jobs)),
        "wait": rng.integers(0, 100, jobs),
        "run": rng.integers(1, 600, jobs),
        "allocated": rng.integers(1, 4, jobs),
        "user": rng.integers(0, 8, jobs),
        "group": rng.integers(0, 4, jobs),
    }
    write_swf(Log(columns, name="site.swf", header={"MaxProcs": ("32",)}), Path("site.swf"))
    return "site.swf"


def arrays(strategies: int, players: int) -> Any:
    """A random game in payoff arrays."""
    import numpy as np

    rng = np.random.default_rng(4)
    return [rng.integers(0, 1000, (strategies,) * players) for _ in range(players)]


SQUARED = {"welfare": {"goal": "squared-deviation", "target": 9}}
KINKED = {"welfare": {"goal": "expression", "expression": "-max(a1, a2) - abs(a3 - 4)"}}
CASES: dict[str, Callable[[bool], Asked]] = {
    "declaration run, one": lambda s: ("run", cluster("evcg-postpone", [3, 2, 5]), {}),
    "declaration run, 15 jobs, makespan": lambda s: (
        "run",
        cluster("evcg-postpone", drawn(1, 4 if s else 15, 30)[0], 4, welfare={"goal": "makespan"}),
        {},
    ),
    "declaration run, 3,000 agents": lambda s: (
        "run",
        cluster("vcg-postpone", drawn(1, 3 if s else 3000, 1000)[0], 5),
        {},
    ),
    "declaration prove": lambda s: ("prove", cluster("vcg-renice", drawn(1, 1 if s else 3, 9)[0], 2), {}),
    "declaration search, mixed": lambda s: (
        "search",
        cluster("evcg-renice", [3, 2], **domain(*range(1, 3 if s else 8))),
        {"mixed": True},
    ),
    "declaration search, 3 agents": lambda s: (
        "search",
        cluster("evcg-renice", [3, 2, 5], **domain(*range(1, 3 if s else 13))),
        {},
    ),
    "declaration verify, kernel": lambda s: (
        "verify",
        cluster("evcg-postpone", [3, 2, 5, 1], **domain(*range(1, 3 if s else 7))),
        {},
    ),
    "declaration verify, two rounds": lambda s: (
        "verify",
        cluster("evcg-postpone", [3, 2], mechanism={"rounds": 2}, **domain(*range(1, 3 if s else 8))),
        {},
    ),
    "declaration verify, sample": lambda s: (
        "verify",
        cluster("vcg-renice", [3, 2, 5, 1, 4], **domain(*range(1, 8))),
        {"sample": 10 if s else 400},
    ),
    "declaration compare": lambda s: (
        "compare",
        cluster("vcg-renice", [3, 2, 5], **domain(*range(1, 3 if s else 8))),
        {"rules": ["vcg-renice", "vcg-postpone", "light-vcg", "harsh"]},
    ),
    "declaration curve, squares": lambda s: (
        "curve",
        cluster("evcg-postpone", [3, 2, 5, 8][: 2 if s else 4], **SQUARED),
        {"agent": "a1"},
    ),
    "declaration curve, enclosed": lambda s: (
        "curve",
        cluster("evcg-postpone", [3, 2, 5], **KINKED),
        {"agent": "a1", "width": 1 if s else None},
    ),
    "federation run, lpt-lpt": lambda s: ("run", organizations("lpt-lpt", drawn(9, 2 if s else 300, 50)), {}),
    "federation run, optimal": lambda s: ("run", organizations("optimal", drawn(4, 2 if s else 10, 50)), {}),
    "federation verify, equilibrium": lambda s: (
        "verify",
        organizations("coordination", drawn(4, 1 if s else 6, 30)),
        {},
    ),
    "federation verify, coalitions": lambda s: (
        "verify",
        organizations("coordination", drawn(3, 1 if s else 4, 30)),
        {"coalitions": 3},
    ),
    "federation prove, shape": lambda s: (
        "prove",
        {"format": 1, "kind": "federation", "organizations": [{"jobs": k} for k in ((1, 1) if s else (3, 2, 2, 1))]}
        | {"mechanism": {"rule": "coordination"}},
        {"method": "cover"},
    ),
    "federation search, branch and bound": lambda s: (
        "search",
        organizations("coordination", drawn(4, 1 if s else 7, 90)),
        {"method": "branch-and-bound"},
    ),
    "federation search, table": lambda s: ("search", organizations("coordination", drawn(3, 1 if s else 4, 30)), {}),
    "federation compare": lambda s: (
        "compare",
        organizations("local", drawn(4, 2 if s else 50, 30)),
        {"rules": ["local", "ilba", "lpt-lpt", "spt-lpt", "less-helped-first"]},
    ),
    "multiuser run, refine": lambda s: ("run", users("refine", 3, 1, 3, levels=1 if s else 6), {}),
    "multiuser run, fairest": lambda s: ("run", users("fairest", 2 if s else 12, 1, 4), {}),
    "multiuser run, pareto": lambda s: ("run", users("pareto", 3, 1, 2 if s else 40), {}),
    "multiuser run, pareto of several": lambda s: ("run", users("pareto", 1, 2, 2 if s else 4, 2), {}),
    "multiuser compare": lambda s: ("compare", users("fairest", 2 if s else 5, 1, 4), {}),
    "multiuser compare, six": lambda s: ("compare", users("fairest", 2 if s else 6, 1, 4), {}),
    "multiuser compare, two machines": lambda s: ("compare", users("fairest", 1, 1, 2 if s else 4, 2), {}),
    "multiuser run, pareto of eight": lambda s: ("run", users("pareto", 2 if s else 7, 1, 2), {}),
    "multiuser run, grid": lambda s: ("run", users("pareto", 3, 1, 1 if s else 5, epsilon="1/4"), {}),
    "sharing run, ref": lambda s: ("run", pool("ref", 8, 4 if s else 3000), {}),
    "sharing run, fifo": lambda s: ("run", pool("fifo", 4, 4 if s else 5000), {}),
    "sharing verify": lambda s: ("verify", pool("fifo", 3, 2 if s else 25), {}),
    "sharing verify, fair-share": lambda s: ("verify", pool("fair-share", 3, 2 if s else 20), {}),
    "sharing run, rand": lambda s: ("run", pool("rand", 6, 4 if s else 2000), {}),
    "sharing audit switch": lambda s: (
        "audit_switch",
        log(300 if s else 10_000),
        {"to": "fifo", "windows": 2 if s else 5, "duration": 4000 if s else 50_000, "processes": 1},
    ),
    "sharing audit gaming": lambda s: (
        "audit_gaming",
        log(300 if s else 3_000),
        {"windows": 1 if s else 2, "duration": 4000 if s else 20_000, "processes": 1},
    ),
    "sharing compare": lambda s: ("compare", pool("fifo", 5, 4 if s else 1000), {}),
    "sharing audit": lambda s: (
        "audit",
        log(300 if s else 20_000),
        {"windows": 2 if s else 10, "duration": 4000 if s else 50_000, "processes": 1},
    ),
    "game search, arrays": lambda s: ("search", arrays(2 if s else 40, 3), {}),
}
"""By name; small or not."""

if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        child(sys.argv[2], sys.argv[3])
    else:
        sys.exit(1 if main(sys.argv[1:]) else 0)
