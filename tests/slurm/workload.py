"""FILE: jobs of every sort that ``sacct`` tells apart, for the Slurm of ``SLURM_CONF``; writes what was submitted.

Seeded, so that the same jobs are submitted each time. Jobs that take long come early, and those that would keep all
others waiting for these come last.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time
from collections.abc import Sequence

PAIRS = {"amy atlas": 6, "ben atlas": 4, "amy cms": 1, "cat cms": 3, "dan bio": 3, "eve bio": 2, "fay chem": 2}
LAST = {"wide": 2}
EARLY = {"timeout": 1, "requeue": 1, "suspend": 1, "hold": 1, "begin": 1}
SORTS = {
    **{"plain": 24, "two": 7, "four": 4, "array": 4, "after": 3, "fails": 3, "gpu": 4, "memory": 3, "steps": 2},
    **{"cancel-running": 2, "cancel-pending": 3, "het": 1, "pipe": 2, "newline": 2, "unicode": 1},
}
OPTIONS: dict[str, Sequence[str]] = {
    "two": ["-n2"],
    "four": ["-n4", "-N1"],
    "wide": ["-n8", "-N2"],
    "gpu": ["--gres=gpu:toy:1"],
    "memory": ["--mem=6G"],
    "steps": ["-n2"],
    "timeout": ["-t1"],
    "hold": ["--hold"],
    "begin": ["--begin=now+25"],
    "cancel-pending": ["--begin=now+40"],
    "pipe": ["--job-name=a|b|c", "--comment=x|y"],
    "newline": ["--job-name=two\nlines", "--comment=first\nsecond"],
    "unicode": ["--job-name=Zürich µ \"q\" 'p', 7"],
}
LATER = {
    "cancel-running": "scancel {0}",
    "requeue": "scontrol requeue {0}",
    "suspend": "scontrol suspend {0}; sleep 6; scontrol resume {0}",
}


def submit(rng: random.Random, sort: str, last: dict[str, str]) -> int:
    """Submit a job of a sort for somebody; returns how many jobs Slurm will tell of."""
    user, account = rng.choices(list(PAIRS), list(PAIRS.values()))[0].split()
    seconds, tasks = rng.randint(1, 7), rng.randint(5, 12)
    who = [f"--uid=consortium-{user}", f"--account={account}", "--chdir=/tmp", "--output=/dev/null"]
    options, script = list(OPTIONS.get(sort, ())), f"sleep {seconds}"
    if sort == "array":
        options = [f"--array=1-{tasks}%{rng.randint(2, 4)}"]
    elif sort == "after":
        options = [f"--dependency=afterok:{last[user]}"] if user in last else []
    elif sort == "fails":
        script += "; exit 3"
    elif sort == "steps":
        script = "srun -n1 sleep 1; srun -n2 sleep 1"
    elif sort == "timeout":
        script = "sleep 200"
    elif sort in LATER:
        script, options = "sleep 15", ["--requeue"]
    if sort == "het":
        command = [
            "sh",
            "-c",
            'printf "#!/bin/sh\\nsleep 3\\n" | sbatch --parsable "$@"',
            "sh",
            *who,
            "-n1",
            ":",
            who[1],
            "-n2",
        ]
    else:
        command = ["sbatch", "--parsable", *who, *options, f"--wrap={script}"]
    job = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split(";")[0].split()[-1]
    if sort in LATER:
        running = f"for i in $(seq 200); do squeue -h -j {job} -t R | grep -q . && break; sleep 1; done; sleep 3; "
        subprocess.Popen(
            ["sh", "-c", running + LATER[sort].format(job)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
    elif sort == "cancel-pending":
        subprocess.run(["scancel", job], check=True)
    elif sort in ("plain", "two", "four"):
        last[user] = job
    return {"array": tasks, "het": 2, "requeue": 2}.get(sort, 1)


def main(path: str) -> None:
    """Submit all, and tell how many jobs of each sort."""
    rng, last = random.Random(5), dict[str, str]()
    sorts = [sort for sort, number in SORTS.items() for _ in range(number)]
    rng.shuffle(sorts)
    jobs = dict.fromkeys([*EARLY, *SORTS, *LAST], 0)
    for i, sort in enumerate([*EARLY, *sorts, *(sort for sort, number in LAST.items() for _ in range(number))]):
        jobs[sort] += submit(rng, sort, last)
        if i % 4 == 3:
            time.sleep(rng.expovariate(1))
    with open(path, "w") as file:
        json.dump(jobs, file)


if __name__ == "__main__":
    main(sys.argv[1])
