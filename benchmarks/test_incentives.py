"""Incentive checks: the kernel beside the plain reference and the general method, per comparison, in the same run.

``python -m pytest benchmarks/test_incentives.py --benchmark-enable -s`` prints the cost of one comparison of the truth
with one lie for each method and how many times faster the kernel is. The slow methods are measured on a slice of the
same domain (one agent, a few declaration profiles of the others, all lengths), the kernel on all of it, planning
included; the plain reference gets its plans for nothing.
Peak memory is that of a fresh process that does nothing but the check.
"""

from __future__ import annotations

import importlib
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from consortium.games.verification import Domain, check_incentives
from consortium.games.verification.running import Runs
from consortium.mechanisms.declaration import build
from consortium.scheduling.clusters import Cluster
from consortium.scheduling.goals import LexicalMax, Makespan

POWERS = (1, "3/2", 2)
LENGTHS = (1, 2, 3, 4, 5)
SLICE = [(2, 1, 4, 3), (5, 5, 1, 2)]  # what the other four declare
GROUP = "dominant check, 5 agents, 3 machines, 5 lengths, 5 declarations"
SECONDS: dict[str, float] = {}
"""Seconds per comparison by method."""


def domain(agents: int = 5) -> Domain:
    return Domain.of(LENGTHS, agents=agents)


def mechanism() -> Any:
    return build("evcg-postpone", Cluster.of(POWERS), Makespan())


def reference(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(Path(__file__).parents[1]))
    return importlib.import_module("tests.games.verification.plain")


def slice_of(whole: Domain, others: tuple[int, ...]) -> Iterator[tuple[Any, ...]]:
    """Situations of the first agent: the others' declarations, their lengths, her own length."""
    for said, lengths in whole.situations(0, "dominant"):
        if said[1:] == others:
            for own in whole.lengths[0]:
                yield said, lengths, own


def compare(whole: Domain, utility: Any) -> int:
    """Every comparison of the slice; ``utility(declared, lengths)`` is the first agent's."""
    count = 0
    for others in SLICE:
        for said, lengths, own in slice_of(whole, others):
            world = (own, *lengths[1:])
            honest = utility((own, *said[1:]), world)
            for lie in whole.lies(0, own):
                count += 1
                assert utility((lie, *said[1:]), world) <= honest
    return count


@pytest.mark.benchmark(group=GROUP)
def test_kernel(benchmark: Any) -> None:
    check_incentives(mechanism(), domain(6))  # compile
    answer = benchmark.pedantic(lambda: check_incentives(mechanism(), domain()), rounds=5, iterations=1)
    assert answer.holds
    assert answer.complete
    assert answer.cases == 39_062_500
    SECONDS["kernel"] = benchmark.stats.stats.median / answer.cases if benchmark.stats else 0.0


@pytest.mark.benchmark(group=GROUP)
def test_plain_reference_on_a_slice(benchmark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = domain()
    plain = reference(monkeypatch).Plain("evcg-postpone", [1, *map(cut, POWERS[1:])], lambda t: -max(t), "exact")
    run_plain(plain, whole)  # plans of the slice, so that only runs and comparisons are timed
    plain.run.cache_clear()
    count = benchmark.pedantic(lambda: run_plain(plain, whole), rounds=1, iterations=1)
    SECONDS["plain reference"] = benchmark.stats.stats.median / count if benchmark.stats else 0.0


def run_plain(plain: Any, whole: Domain) -> int:
    return compare(whole, lambda b, theta: plain.run(b, theta)[2][0])


def cut(power: Any) -> Any:
    return Cluster.of([power]).powers[0]


@pytest.mark.benchmark(group=GROUP)
def test_general_method_on_a_slice(benchmark: Any) -> None:
    whole = domain()
    count = benchmark.pedantic(
        lambda runs: compare(whole, lambda b, theta: runs.utilities(b, theta)[0]),
        setup=lambda: ((Runs(mechanism()),), {}),
        rounds=1,
    )
    SECONDS["general method"] = benchmark.stats.stats.median / count if benchmark.stats else 0.0


def test_report(capsys: pytest.CaptureFixture[str]) -> None:
    """Print the cost of a comparison by method."""
    if not SECONDS.get("kernel"):
        pytest.skip("benchmarks are disabled")
    with capsys.disabled():
        print()
        for method, seconds in SECONDS.items():
            print(
                f"{method:>16}: {seconds * 1e9:14.3f} ns per comparison, {seconds / SECONDS['kernel']:12,.0f} x kernel"
            )
        print(f"{'kernel':>16}: {peak_mib():.0f} MiB at most in a process of its own")


def peak_mib() -> float:
    """Peak memory of a process that does the whole check and nothing else, in MiB."""
    code = (
        "import resource, importlib.util, sys\n"
        f"spec = importlib.util.spec_from_file_location('bench', {str(Path(__file__))!r})\n"
        "bench = importlib.util.module_from_spec(spec); spec.loader.exec_module(bench)\n"
        "bench.check_incentives(bench.mechanism(), bench.domain())\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return float(done.stdout)


@pytest.mark.benchmark(group="dominant check as it grows, 3 machines, 5 lengths, lexical max")
@pytest.mark.parametrize("agents", [3, 4, 5, 6, 7])
def test_growth(benchmark: Any, agents: int) -> None:
    rule = build("evcg-postpone", Cluster.of(POWERS), LexicalMax())
    answer = benchmark.pedantic(lambda: check_incentives(rule, domain(agents)), rounds=1, iterations=1)
    assert answer.complete
    benchmark.extra_info["comparisons"] = answer.cases
