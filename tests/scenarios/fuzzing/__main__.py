"""Run many cases and say what is wrong with which; exit code 1 if anything is."""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

from .campaign import fuzz
from .material import case
from .trial import as_process, in_process


def show(seed: int, number: int) -> None:
    """Print one case and how it ends."""
    one = case(seed, number)
    print("consortium", *map(repr, one.arguments))
    for name, content in {**one.files, "-": one.stdin}.items():
        if content:
            print(f"--- {name}\n{content.decode(errors='backslashreplace')}")
    sys.stdout.flush()
    with tempfile.TemporaryDirectory() as folder:
        ending = in_process(one, Path(folder))
    print(f"--- exit code {ending.code} after {ending.seconds:.2f} s\n{ending.stdout[:3000]}\n{ending.stderr}")


def main() -> int:
    """Parse the arguments and run."""
    parser = argparse.ArgumentParser(prog="python -m tests.scenarios.fuzzing", description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--cases", type=int, default=1000, help="through the entry function")
    parser.add_argument("--processes", type=int, default=0, help="as processes of their own")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--only", type=int, help="show this case")
    given = parser.parse_args()
    if given.only is not None:
        show(given.seed, given.only)
        return 0
    before = time.monotonic()
    codes, wrong = fuzz(given.seed, given.first, given.cases, given.workers)
    seconds = time.monotonic() - before
    print(f"{given.cases:,} cases in {seconds:.0f} s ({given.cases / seconds:.0f} a second), exit codes {dict(codes)}")
    with tempfile.TemporaryDirectory() as folder:
        for number in range(given.first, given.first + given.processes):
            ending = as_process(case(given.seed, number), Path(folder))
            codes[ending.code] += 1
            if ending.wrong:
                wrong.append((number, ending.wrong))
                print(f"case {number} as a process: {ending.wrong}", flush=True)
    if given.processes:
        print(f"{given.processes:,} processes too, exit codes in all {dict(codes)}")
    print(f"{len(wrong)} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
