"""Do the tests notice small slips? ``python -m tests.mutants --number 60 --seed 3`` makes some and says which live.

Cosmic Ray makes the slips (a ``<`` that becomes ``<=``, a sign, a bound off by one), in clones of the last commit
below ``.mutants/``. Files are drawn in proportion to their lines, kinds of slips with equal chances; what changes no
answer, as ``frozen=False``, is not drawn. The tests that name its module and its own examples run first, then those of
its folder and the files of the folders above, then those of the rooms that import it, then all, until the seconds of a
slip are over, which are longer where the machine is busy. It is *killed* by the first test that fails and passes
without it; where a test takes half of the seconds it is *timed out*, which is neither: the slip may never end. It is
*unjudged* where the test fails without it too, or no test ended. Kernels are kept from slip to slip, and results in
``.mutants/results.jsonl``, so the same command goes on where it was stopped.
"""

from __future__ import annotations

import argparse
import contextlib
import difflib
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import Queue
from typing import Any, Final, TypeAlias

from cosmic_ray.ast import get_ast
from cosmic_ray.mutating import use_mutation
from cosmic_ray.plugins import get_operator, operator_names

from .test_architecture import imported, modules

ROOT: Final = Path(__file__).resolve().parent.parent
FOLDER: Final = ROOT / ".mutants"
RESULTS: Final = FOLDER / "results.jsonl"
KILLED, LIVED, TIMED_OUT, UNJUDGED = "killed", "lived", "timed out", "unjudged"
Slip: TypeAlias = tuple[str, str, int]
"""Path, operator and occurrence."""
SLIPS: Final = (
    *("_Lt_LtE", "_LtE_Lt", "_Gt_GtE", "_GtE_Gt", "_Eq_NotEq", "_NotEq_Eq"),
    *("_Add_Sub", "_Sub_Add", "_Mul_Add", "_Div_Mul", "_FloorDiv_Div", "_Delete_USub", "_Delete_Not"),
    *("/NumberReplacer", "/AddNot", "/ReplaceTrueWithFalse", "/ReplaceFalseWithTrue", "/ReplaceAndWithOr"),
    *("/ReplaceOrWithAnd", "/ReplaceBreakWithContinue", "/ReplaceContinueWithBreak", "/ZeroIterationForLoop"),
)
"""How the names of the operators end that are tried: each other one changes an annotation, or what nobody writes."""


UNSEEN: Final = re.compile(r"\b(frozen|strict|slots|kw_only|repr)=$")
"""Before what only refuses what nobody does, or how an object is kept."""


def main() -> int:
    """Try what is missing of a sample, and print the survivors. Exit code 1 if there are any."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("--number", type=int, default=60, help="slips (60)")
    parser.add_argument("--seed", type=int, default=0, help="draws the slips (0)")
    parser.add_argument("--seconds", type=float, default=240, help="of tests for a slip that lives (240)")
    parser.add_argument("--under", default="", metavar="FOLDER", help="only slips in modules of this folder")
    parser.add_argument("--processes", type=int, default=1, help="slips that are tried at a time (1)")
    options = parser.parse_args()
    clones = [FOLDER / f"clone{number}" for number in range(options.processes)]
    for each in clones:
        update(each)
    results = [json.loads(line) for line in RESULTS.read_text().splitlines()] if RESULTS.exists() else []
    outcomes = {(each["path"], each["operator"], each["occurrence"]): each for each in results}
    free: Queue[Path] = Queue()
    for each in clones:
        free.put(each)

    def judged(slip: Slip) -> dict[str, Any]:
        clone = free.get()
        try:
            return outcomes.get(slip) or trial(clone, slip, options.seconds)
        finally:
            free.put(clone)

    count: Counter[str] = Counter()
    slips = list(sample(clones[0], options.number, options.seed, options.under))
    with ThreadPoolExecutor(options.processes) as pool:
        for result in pool.map(judged, slips):
            count[result["outcome"]] += 1
            print("{outcome:9} {path} {operator} {occurrence} {test} ({passed} passed)".format_map(result), flush=True)
            if result["outcome"] != KILLED:
                print(result["diff"])
    print(", ".join(f"{number} {outcome}" for outcome, number in count.items()))
    return int(count[LIVED] > 0)


def update(clone: Path) -> None:
    """Bring a clone to the last commit; results of another one are forgotten."""
    FOLDER.mkdir(exist_ok=True)
    if not clone.exists():
        subprocess.run(["git", "clone", "--quiet", "--shared", ROOT, clone], check=True)
    commit = subprocess.check_output(["git", "rev-parse", "HEAD"], cwd=ROOT, text=True).strip()
    subprocess.run(["git", "fetch", "--quiet", "origin", commit], cwd=clone, check=True)
    subprocess.run(["git", "reset", "--quiet", "--hard", commit], cwd=clone, check=True)
    judged = FOLDER / "commit"
    if not judged.exists() or judged.read_text() != commit:
        RESULTS.unlink(missing_ok=True)
        judged.write_text(commit)


def sample(clone: Path, number: int, seed: int, under: str) -> Iterator[Slip]:
    """Path, operator and occurrence of as many different slips."""
    rng = random.Random(seed)
    listed = subprocess.check_output(["git", "ls-files", "*.py"], cwd=clone, text=True).split()
    package = [path for path in listed if path.split("/")[0] not in ("tests", "docs", "benchmarks")]
    paths = [path for path in package if path.startswith(under)]
    lines = [len((clone / path).read_text().splitlines()) for path in paths]
    seen: set[Slip] = set()
    while len(seen) < number:
        path = rng.choices(paths, lines)[0]
        name = rng.choice(names())
        if occurrences := occurrences_of(name, clone / path):
            slip = path, name, rng.choice(occurrences)
            if slip not in seen:
                seen.add(slip)
                yield slip


def names() -> list[str]:
    """Names of the operators that are tried."""
    return [name for name in operator_names() if name.endswith(SLIPS)]


def occurrences_of(name: str, path: Path) -> list[int]:
    """Numbers of the occurrences of an operator in a module, as it counts them, that may change an answer."""
    text = path.read_text()
    operator, lines, places = get_operator(name)(), text.splitlines(), list[tuple[int, int]]()

    def visit(node: Any) -> None:
        places.extend(start for start, _ in operator.mutation_positions(node))
        for child in getattr(node, "children", []):
            visit(child)

    visit(get_ast(text))
    return [i for i, (row, column) in enumerate(places) if not UNSEEN.search(lines[row - 1][:column])]


def trial(clone: Path, slip: Slip, seconds: float) -> dict[str, Any]:
    """Make a slip, run the tests, and keep what came of it."""
    path, name, occurrence = slip
    parts, outcome, test, passed = list(stages(path, clone)), LIVED, "", 0
    seconds *= max(1, os.getloadavg()[0] / (os.cpu_count() or 1))
    with use_mutation(clone / path, get_operator(name)(), occurrence) as (before, after):
        end = time.monotonic() + seconds
        while parts and outcome == LIVED and (left := end - time.monotonic()) > 0:
            outcome, test, more = run(clone, parts.pop(0), left, seconds / 2)
            passed += more
    noticed = outcome != KILLED or run(clone, [test], seconds, seconds / 2)[0] == LIVED
    if not noticed or (outcome == LIVED and not passed):
        outcome = UNJUDGED
    diff = "\n".join(difflib.unified_diff(before.splitlines(), (after or "").splitlines(), path, path, "", "", 1, ""))
    found = {"outcome": outcome, "test": test, "passed": passed, "diff": diff}
    result = {"path": path, "operator": name, "occurrence": occurrence, **found}
    with RESULTS.open("a") as file:
        file.write(json.dumps(result) + "\n")
    return result


def stages(path: str, clone: Path) -> Iterator[list[str]]:
    """Tests in their order: files that name the module, its examples, its folder, those of its importers, all."""
    module = ".".join(Path(path).with_suffix("").parts).removesuffix(".__init__")
    users = [Path("tests", modules()[each]) for each in modules() if module in imported(each)]
    own, *others = dict.fromkeys(
        next(str(each) for each in user.parents if (clone / each).is_dir()) for user in (Path("tests", path), *users)
    )
    above = [
        str(each.relative_to(clone)) for folder in Path(own).parents[:-2] for each in (clone / folder).glob("test_*.py")
    ]
    files = {str(each.relative_to(clone)): each.read_text() for each in sorted(clone.glob("tests/**/test_*.py"))}
    naming = [each for each, text in files.items() if re.search(rf"\bconsortium\.{re.escape(module)}\b", text)]
    seen = [f"--ignore={each}" for each in naming]
    examples = ">>> " in (clone / path).read_text()
    yield [*naming, *([f"tests/test_docstrings.py::test_examples_run[consortium.{module}]"] if examples else [])]
    yield [own, *above, *seen]
    if nearer := [each for each in others if each != "tests"]:
        yield [*nearer, *seen]
    yield ["tests", *seen]


def run(clone: Path, tests: list[str], seconds: float, each: float) -> tuple[str, str, int]:
    """What tests say within so many seconds: the outcome, the test that decides it, and how many pass.

    Killed by one that fails, timed out where one takes ``each``, else lived.
    """
    environment = os.environ | {"PYTHONPATH": str(clone / ".types"), "NUMBA_CACHE_DIR": str(FOLDER / "kernels")}
    command = [sys.executable, "-m", "pytest", "-x", "-v", "-rfE", "-pno:cacheprovider", f"--timeout={each}", *tests]
    if not tests:
        return LIVED, "", 0
    with tempfile.TemporaryFile("w+") as output:
        with contextlib.suppress(subprocess.TimeoutExpired):
            subprocess.run(command, cwd=clone, env=environment, stdout=output, stderr=output, timeout=seconds)
        output.seek(0)
        text = output.read()
    passed = text.count(" PASSED")
    if " Timeout " in text:
        return TIMED_OUT, next(iter(re.findall(r"^(tests/\S+)", text, re.MULTILINE)[-1:]), ""), passed
    failed = re.findall(r"^(?:FAILED|ERROR) (tests/.*?)(?: - .*)?$", text, re.MULTILINE)
    return (KILLED, failed[0], passed) if failed else (LIVED, "", passed)


if __name__ == "__main__":
    sys.exit(main())
