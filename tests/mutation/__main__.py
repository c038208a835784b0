"""The command: ``python -m tests.mutation --help``."""

from __future__ import annotations

import argparse
import os
import resource
import sys
from collections import Counter
from pathlib import Path

from . import store
from .calls import Trial, tests_of
from .forks import KeepStamps, Outcome, run_tests, warm_up
from .names import Names
from .ranking import helpings, ranked
from .sample import Mutant, mutants, paths, sample
from .store import Result
from .workspace import ROOT, Workspace


def main() -> int:
    options = _options()
    argued = store.equivalent()
    if options.command == "run":
        try:
            _run(options, argued)
        except KeyboardInterrupt:
            print("\nstopped; the same command goes on from here")
            return 3
    results = store.read(options.folder)
    print(store.table(results.values(), argued))
    for result in results.values():
        if result.verdict == "survived":
            print(f"\n{result.id} {result.path}:{result.line} {result.operator} ({result.tests} tests)")
            print(f"  - {result.before}\n  + {result.after}")
            if result.id in argued:
                print(f"  equivalent: {argued[result.id]}")
    return int(any(result.verdict == "survived" and result.id not in argued for result in results.values()))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description="Do the tests notice small slips?")
    parser.add_argument("command", choices=("run", "show"), nargs="?", default="run")
    parser.add_argument("--number", type=int, default=200, help="mutants of the whole run (200)")
    parser.add_argument("--seed", type=int, default=0, help="draws the mutants (0)")
    parser.add_argument("--shard", type=_shard, default=(1, 1), metavar="K/N", help="only the k-th of n parts")
    parser.add_argument("--budget", type=float, default=60, help="seconds of tests for a mutant that lives (60)")
    parser.add_argument("--again", metavar="ID", nargs="*", help="run these once more; without an id: all survivors")
    parser.add_argument("--folder", type=Path, default=ROOT / ".mutation", help="workspace and results (.mutation)")
    return parser.parse_args()


def _shard(text: str) -> tuple[int, int]:
    k, n = map(int, text.split("/"))
    if not 1 <= k <= n:
        raise ValueError
    return k, n


def _run(options: argparse.Namespace, argued: dict[str, str]) -> None:
    k, n = options.shard
    suffix = "" if n == 1 else f"-{k}-of-{n}"
    workspace = Workspace(options.folder / f"work{suffix}")
    workspace.refresh()
    tests = tests_of(workspace.calls())
    names = Names(workspace.tree, paths(workspace.tree))
    wanted = _wanted(options, workspace.tree)
    warm_up()
    stamps = KeepStamps()
    done: Counter[str] = Counter()
    for number, mutant in enumerate(wanted, 1):
        result = _try(mutant, names, tests, workspace, stamps, options.budget)
        store.append(options.folder / f"results{suffix}.jsonl", result)
        done[result.verdict] += 1
        counts = ", ".join(f"{verdict} {count}" for verdict, count in sorted(done.items()))
        place = f"{mutant.path}:{result.line}"
        print(f"{number}/{len(wanted)} {result.verdict:9}{result.seconds:6.1f} s  {place} ({counts})", flush=True)


def _wanted(options: argparse.Namespace, root: Path) -> list[Mutant]:
    known = store.read(options.folder)
    k, n = options.shard
    if options.again is None:
        part = sample(root, options.number, options.seed)[k - 1 :: n]
        return [mutant for mutant in part if mutant.id not in known]
    ids = set(options.again) or {result.id for result in known.values() if result.verdict == "survived"}
    found = {mutant.id: mutant for mutant in mutants(root) if mutant.id in ids}
    for id in sorted(ids - found.keys()):
        print(f"{id}: no such mutant in today's code")
    return list(found.values())[k - 1 :: n]


def _try(
    mutant: Mutant, names: Names, tests: list[Trial], workspace: Workspace, stamps: KeepStamps, budget: float
) -> Result:
    """Make the mutant, run its tests, unmake it."""
    path, mutation = workspace.tree / mutant.path, mutant.mutation
    before, ran, outcome = _seconds(), 0, Outcome("survived")
    stale = names.stale(f"{mutant.path}:{mutation.definition}")
    workspace.chill(stale)
    stat = path.stat()
    with stamps.of(path):
        path.write_text(mutation.mutant, encoding="utf-8")
        try:
            for some in helpings(*ranked(mutant.path, mutation, names, tests), budget):
                if some and outcome.verdict == "survived":
                    outcome = run_tests(some, workspace, workspace.folder / "last.log")
                    ran += len(some)
        finally:
            path.write_bytes(mutation.source)
            os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))  # so that its bytecode on disk is today's again
    workspace.thaw(stale, but=path.stem)
    return Result(
        mutant.id, mutant.path, mutation.line, mutation.function, mutation.operator, mutation.before, mutation.after,
        outcome.verdict, outcome.by, outcome.why, ran, round(_seconds() - before, 2),
    )  # fmt: skip


def _seconds() -> float:
    """Of the processor, so far, in this process and those it started."""
    own, others = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return own.ru_utime + own.ru_stime + others.ru_utime + others.ru_stime


if __name__ == "__main__":
    sys.exit(main())
