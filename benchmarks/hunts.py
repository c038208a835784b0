"""Hunt every claim that the registry lists as refuted, and print the table of docs/howto/hunt-a-counterexample.md.

``python -m benchmarks.hunts [KIND ...] [--time-limit SECONDS]``: a row as soon as it is known, with the CPU seconds of
one process, and the shipped counterexample beside the one that was found.
"""

from __future__ import annotations

import argparse
import time

from consortium import hunt, load
from consortium.mechanisms.kinds import names
from consortium.studies.hunting import Size, size_of
from consortium.verbs.rules import KindRule, every


def row(one: KindRule, claim: str, time_limit: float) -> str:
    """One line of the table."""
    before = time.process_time()
    record = hunt(one.info.id, claim, time_limit=time_limit)
    seconds = time.process_time() - before
    shipped = size_of(load(one.info.refuted[claim]))
    size = None if record.size is None else Size(**dict(record.size))
    found = "not found" if size is None else f"{size.players}, {size.jobs}, {size.work}"
    smaller = "" if size is None else "yes" if size <= shipped else "no"
    known = ", ".join(map(str, parts(shipped)))
    return f"| {one.info.id} | {claim} | {record.instances:,} | {seconds:.1f} | {found} | {known} | {smaller} |"


def parts(size: Size) -> tuple[int, int, int]:
    """Players, jobs and work."""
    return size.players, size.jobs, size.work


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kinds", nargs="*", default=names())
    parser.add_argument("--time-limit", type=float, default=240.0, help="seconds for one claim")
    given = parser.parse_args()
    print("| rule | claim | instances | CPU s | found: players, jobs, work | shipped | no larger |")
    print("|---|---|---|---|---|---|---|")
    for one in every():
        for claim in sorted(one.info.refuted) if one.kind in given.kinds else ():
            print(row(one, claim, given.time_limit), flush=True)


if __name__ == "__main__":
    main()
