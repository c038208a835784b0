"""Many cases in worker processes.

Workers take every n-th number; one that is silent for long is killed, and another goes on behind the case that held it.
"""

from __future__ import annotations

import multiprocessing
import resource
import tempfile
import time
from collections import Counter
from multiprocessing.connection import Connection, wait
from pathlib import Path

from .material import case
from .trial import in_process, put_together_once

SILENT = 120.0
"""Seconds after which a worker is killed; compiling a kernel for the first time takes a while."""
TOLD = 5_000
"""Cases after which it is said how far it is."""
MEMORY = 6 * 2**30
"""Bytes of address space of a worker."""


def _work(pipe: Connection, seed: int, numbers: range) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    put_together_once()
    with tempfile.TemporaryDirectory() as folder:
        for number in numbers:
            pipe.send((number, None, None))
            ending = in_process(case(seed, number), Path(folder))
            if ending.stopped:
                print(f"case {number}: stopped by Ctrl-C with exit code {ending.code}", flush=True)
            pipe.send((number, ending.code, ending.wrong))
    pipe.close()


def fuzz(seed: int, first: int, count: int, workers: int) -> tuple[Counter[int | None], list[tuple[int, str]]]:
    """Codes, and what was wrong with which case, of so many cases in worker processes."""
    context, codes, wrong = multiprocessing.get_context("spawn"), Counter[int | None](), []
    running: dict[Connection, tuple[multiprocessing.process.BaseProcess, range, int, float]] = {}

    def start(numbers: range) -> None:
        if len(numbers):
            mine, theirs = context.Pipe(duplex=False)
            process = context.Process(target=_work, args=(theirs, seed, numbers))
            process.start()
            theirs.close()
            running[mine] = (process, numbers, numbers[0], time.monotonic())

    for k in range(workers):
        start(range(first + k, first + count, workers))
    while running:
        for pipe in wait(list(running), timeout=5):
            assert isinstance(pipe, Connection)
            process, numbers, at, _ = running[pipe]
            try:
                at, code, found = pipe.recv()
            except EOFError:
                del running[pipe]
                process.join()
                if process.exitcode:
                    wrong.append((at, f"the process died with {process.exitcode}"))
                    start(numbers[numbers.index(at) + 1 :])
                continue
            running[pipe] = (process, numbers, at, time.monotonic())
            if found is not None:
                codes[code] += 1
                if codes.total() % TOLD == 0:
                    print(f"{codes.total():,} cases, exit codes {dict(codes)}", flush=True)
                if found:
                    wrong.append((at, found))
                    print(f"case {at}: {found}", flush=True)
        for process, _, at, heard in list(running.values()):
            if time.monotonic() - heard > SILENT:
                print(f"case {at}: silent for {SILENT:.0f} s", flush=True)
                process.kill()
    return codes, wrong
