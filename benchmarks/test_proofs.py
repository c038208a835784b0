"""Proofs for all lengths beside the plain version of the engine, in the same run.

``python -m pytest benchmarks/test_proofs.py --benchmark-enable -s`` prints cells, processor seconds, and how many times
faster the engine is than its plain version: the same exploration without a store of lemmas, so that every question goes
to the simplex method. One process each, imports not counted.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import pytest

from consortium.games.proofs.exploration import Exploration
from consortium.games.proofs.prover import prove
from consortium.games.proofs.strategies import Proof
from consortium.mechanisms.declaration import build
from consortium.scheduling.clusters import Cluster
from consortium.scheduling.goals import Makespan

RULES: dict[str, tuple[str, tuple[int, ...], Any, str]] = {
    "vcg-renice ex post": ("vcg-renice", (1,), None, "ex-post"),
    "vcg-postpone dominant": ("vcg-postpone", (1,), None, "dominant"),
    "vcg-postpone dominant, powers 1 and 2": ("vcg-postpone", (1, 2), None, "dominant"),
    "verified dominant": ("verified", (1,), None, "dominant"),
    "evcg-postpone makespan dominant": ("evcg-postpone", (1,), Makespan(), "dominant"),
    "evcg-renice makespan ex post, powers 1 and 2": ("evcg-renice", (1, 2), Makespan(), "ex-post"),
}
CASES = [(name, agents) for name in RULES for agents in (2, 3) if (name, agents) != ([*RULES][-1], 3)]  # minutes
FASTER: dict[str, float] = {}
"""How many times faster by case."""


@pytest.fixture(autouse=True, scope="module")
def summary() -> Iterator[None]:
    yield
    for name, times in FASTER.items():
        print(f"{name}: {times:.1f} times faster than the plain version")


def timed(name: str, agents: int) -> tuple[Proof, float]:
    """The proof in this process, and its processor seconds."""
    rule, powers, goal, concept = RULES[name]
    mechanism = build(rule, Cluster.of(powers), goal)
    before = time.process_time()
    proof = prove(mechanism, agents, concept, processes=1)
    return proof, time.process_time() - before


def without_lemmas(patch: pytest.MonkeyPatch) -> None:
    """The plain version."""
    keep = Exploration._keep

    def keep_only(self: Exploration, *lemma: Any) -> None:
        keep(self, *lemma)
        self._used.clear()

    patch.setattr(Exploration, "_keep", keep_only)


@pytest.mark.parametrize(("name", "agents"), CASES)
def test_proof_and_plain_version(benchmark: Any, monkeypatch: pytest.MonkeyPatch, name: str, agents: int) -> None:
    prove(build("harsh", Cluster.of([1])), 1)  # imports
    proof, seconds = benchmark.pedantic(timed, args=(name, agents), rounds=1)
    with monkeypatch.context() as patch:
        without_lemmas(patch)
        plain, plain_seconds = timed(name, agents)
    assert (plain.holds, plain.cells) == (proof.holds, proof.cells)
    title = f"{name}, {agents} agents"
    FASTER[title] = plain_seconds / seconds
    print(f"{title}: {proof.status}, {proof.cells:,} cells, {seconds:.2f} s; plain {plain_seconds:.2f} s")
