"""A log of 4.7 million jobs: processor seconds and memory of reading and of ``audit``, beside ``numpy.loadtxt``.

Run ``python benchmarks/large_log.py [FOLDER]`` with ``CONSORTIUM_TRACES`` set to a folder that holds the LPC log, which
is written out twenty times, each time behind the last, to a file of 72 MB in FOLDER (default: a temporary one). Every
question is asked in a process of its own, so that its largest memory is its own. All times are processor seconds, after
the kernels were compiled; reading the same fields by ``numpy.loadtxt`` says how quick the machine is.
"""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from consortium.workloads.reading import find_log

NAME = "LPC-EGEE-2004-1.2-cln.swf.gz"
TIMES = 20
QUESTIONS = {
    "numpy.loadtxt": "import numpy, sys; from consortium.workloads.swf import USED\n"
    "numpy.loadtxt(sys.argv[1], comments=';', usecols=[field - 1 for field in USED.values()], dtype='i8')",
    "read_log": "import sys; from consortium.workloads import read_log; read_log(sys.argv[1])",
    "audit": "import sys, consortium; consortium.audit(sys.argv[1], processes=1)",
}


def repeated(source: Path, target: Path, times: int = TIMES) -> None:
    """Write a log ``times`` times: job numbers go on, moments continue one second behind the last submission."""
    with gzip.open(source, "rb") as file:
        lines = file.read().splitlines(keepends=True)
    jobs = [line.split(None, 2) for line in lines if line.strip() and not line.startswith(b";")]
    numbers = max(int(job) for job, _, _ in jobs) + 1
    moments = [int(submit) for _, submit, _ in jobs]
    shift = max(moments) - min(moments) + 1
    with gzip.open(target, "wb", compresslevel=1) as file:
        file.writelines(line for line in lines if line.startswith(b";"))
        for k in range(times):
            file.writelines(
                b"%d %d %b" % (int(job) + k * numbers, submit + k * shift, rest)
                for (job, _, rest), submit in zip(jobs, moments, strict=True)
            )


def measured(program: str, log: Path) -> tuple[float, float]:
    """Processor seconds and GB of a program that is given the log."""
    started = subprocess.Popen([sys.executable, "-c", program, str(log)])
    _, status, used = os.wait4(started.pid, 0)
    if status:
        raise SystemExit(f"{program}: exit status {status}")
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1e6


def main() -> None:
    """Write the log, ask, and print a table."""
    with tempfile.TemporaryDirectory() as temporary:
        target = Path(sys.argv[1] if len(sys.argv) > 1 else temporary) / f"{TIMES}-times-{NAME}"
        source = find_log(NAME)
        if not target.exists():
            repeated(source, target)
        measured(QUESTIONS["audit"], source)  # compiles what is not on disk
        print(f"{'':<16} {'CPU s':>8} {'GB':>6}")
        for name, program in QUESTIONS.items():
            seconds, memory = measured(program, target)
            print(f"{name:<16} {seconds:8.2f} {memory:6.2f}", flush=True)


if __name__ == "__main__":
    main()
