"""Do the tests notice small slips? ``python -m tests.mutants --number 60 --seed 3`` makes some and says which live.

Cosmic Ray makes the slips (a ``<`` that becomes ``<=``, a sign, a bound off by one), in a clone of the last commit
below ``.mutants/``. Files are drawn in proportion to their lines, kinds of slips with equal chances. The tests of its
folder run first, then all of them until the seconds of a slip are over; a slip is killed by the first test that fails.
Results are kept in ``.mutants/results.jsonl``, so the same command goes on where it was stopped.
"""

from __future__ import annotations

import argparse
import difflib
import json
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from cosmic_ray.ast import get_ast
from cosmic_ray.mutating import use_mutation
from cosmic_ray.plugins import get_operator, operator_names

ROOT: Final = Path(__file__).resolve().parent.parent
FOLDER: Final = ROOT / ".mutants"
CLONE: Final = FOLDER / "clone"
RESULTS: Final = FOLDER / "results.jsonl"
SLIPS: Final = (
    *("_Lt_LtE", "_LtE_Lt", "_Gt_GtE", "_GtE_Gt", "_Eq_NotEq", "_NotEq_Eq"),
    *("_Add_Sub", "_Sub_Add", "_Mul_Add", "_Div_Mul", "_FloorDiv_Div", "_Delete_USub", "_Delete_Not"),
    *("/NumberReplacer", "/AddNot", "/ReplaceTrueWithFalse", "/ReplaceFalseWithTrue", "/ReplaceAndWithOr"),
    *("/ReplaceOrWithAnd", "/ReplaceBreakWithContinue", "/ReplaceContinueWithBreak", "/ZeroIterationForLoop"),
)
"""How the names of the operators end that are tried: each other one changes an annotation, or what nobody writes."""


def main() -> int:
    """Try what is missing of a sample, and print the survivors. Exit code 1 if there are any."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("--number", type=int, default=60, help="slips (60)")
    parser.add_argument("--seed", type=int, default=0, help="draws the slips (0)")
    parser.add_argument("--seconds", type=float, default=120, help="of tests for a slip that lives (120)")
    parser.add_argument("--under", default="", metavar="FOLDER", help="only slips in modules of this folder")
    options = parser.parse_args()
    clone()
    results = [json.loads(line) for line in RESULTS.read_text().splitlines()] if RESULTS.exists() else []
    outcomes = {(each["path"], each["operator"], each["occurrence"]): each for each in results}
    survivors = 0
    for path, operator, occurrence in sample(options.number, options.seed, options.under):
        result = outcomes.get((path, operator, occurrence)) or trial(path, operator, occurrence, options.seconds)
        print(f"{'lived ' if result['lived'] else 'killed'} {path} {operator} {occurrence}", flush=True)
        if result["lived"]:
            survivors += 1
            print(result["diff"])
    print(f"{options.number - survivors} of {options.number} killed")
    return int(survivors > 0)


def clone() -> None:
    """Bring the clone to the last commit; results of another one are forgotten."""
    FOLDER.mkdir(exist_ok=True)
    if not CLONE.exists():
        subprocess.run(["git", "clone", "--quiet", "--shared", ROOT, CLONE], check=True)
    commit = subprocess.check_output(["git", "rev-parse", "HEAD"], cwd=ROOT, text=True).strip()
    before = subprocess.check_output(["git", "rev-parse", "HEAD"], cwd=CLONE, text=True).strip()
    subprocess.run(["git", "fetch", "--quiet", "origin", commit], cwd=CLONE, check=True)
    subprocess.run(["git", "reset", "--quiet", "--hard", commit], cwd=CLONE, check=True)
    if commit != before:
        RESULTS.unlink(missing_ok=True)


def sample(number: int, seed: int, under: str) -> Iterator[tuple[str, str, int]]:
    """Path, operator and occurrence of as many different slips."""
    rng = random.Random(seed)
    listed = subprocess.check_output(["git", "ls-files", "*.py"], cwd=CLONE, text=True).split()
    package = [path for path in listed if path.split("/")[0] not in ("tests", "docs", "benchmarks")]
    paths = [path for path in package if path.startswith(under)]
    lines = [len((CLONE / path).read_text().splitlines()) for path in paths]
    seen: set[tuple[str, str, int]] = set()
    while len(seen) < number:
        path = rng.choices(paths, lines)[0]
        name = rng.choice(names())
        if occurrences := count(path, name):
            slip = path, name, rng.randrange(occurrences)
            if slip not in seen:
                seen.add(slip)
                yield slip


def names() -> list[str]:
    """Names of the operators that are tried."""
    return [name for name in operator_names() if name.endswith(SLIPS)]


def count(path: str, name: str) -> int:
    """Occurrences of an operator in a module."""
    operator, nodes, total = get_operator(name)(), [get_ast((CLONE / path).read_text())], 0
    while nodes:
        node = nodes.pop()
        total += sum(1 for _ in operator.mutation_positions(node))
        nodes += getattr(node, "children", [])
    return total


def trial(path: str, name: str, occurrence: int, seconds: float) -> dict[str, Any]:
    """Make a slip, run the tests, and keep what came of it."""
    with use_mutation(CLONE / path, get_operator(name)(), occurrence) as (before, after):
        folder = next(each for each in Path("tests", path).parents if (CLONE / each).is_dir())
        lived = passed(str(folder), seconds) and passed("tests", seconds)
    diff = "\n".join(difflib.unified_diff(before.splitlines(), (after or "").splitlines(), path, path, "", "", 1, ""))
    result = {"path": path, "operator": name, "occurrence": occurrence, "lived": lived, "diff": diff}
    with RESULTS.open("a") as file:
        file.write(json.dumps(result) + "\n")
    return result


def passed(tests: str, seconds: float) -> bool:
    """Whether no test fails within so many seconds; one that never ends fails."""
    environment = os.environ | {"PYTHONPATH": str(CLONE / ".types"), "NUMBA_CACHE_DIR": str(FOLDER / "kernels")}
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", f"--timeout={seconds / 2}", tests]
    try:
        done = subprocess.run(command, cwd=CLONE, env=environment, capture_output=True, timeout=seconds, check=False)
    except subprocess.TimeoutExpired:
        return True
    return done.returncode in (0, 5)  # 5: there are no tests


if __name__ == "__main__":
    sys.exit(main())
