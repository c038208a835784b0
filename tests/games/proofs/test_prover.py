"""Proofs of the package's rules beside enumeration on grids, and each witness played on plain numbers."""

from __future__ import annotations

import random
from collections import Counter
from fractions import Fraction as F
from typing import Any

import pytest

from consortium.games.proofs.prover import prove
from consortium.games.proofs.questions import Lengths
from consortium.games.proofs.statements import CONCEPTS, PROPERTIES
from consortium.games.proofs.strategies import Proof
from consortium.games.verification import Domain, check_incentives
from consortium.games.verification.check import Verifier
from consortium.games.verification.cost import Budget
from consortium.games.verification.domain import check_concept
from consortium.games.verification.results import MARGINS, Witness
from consortium.games.verification.running import Runs
from consortium.mechanisms.declaration import Cutoff, build
from consortium.mechanisms.declaration.catalogue import PENALTIES
from consortium.scheduling.clusters import Cluster
from consortium.scheduling.goals import LexicalMax, Makespan, SumOfTimes, WeightedSum
from consortium.support.errors import InputError, TooLargeError

RULES = ("straightforward", "light-vcg", "harsh", "vcg-renice", "vcg-postpone", "evcg-renice", "evcg-postpone",
         "postpone-unpaid", "verified", "verified-printed")  # fmt: skip
GRIDS = {2: (F(1, 2), 1, F(3, 2), 2, 3, F(7, 2)), 3: (1, 2, 3)}


def random_mechanism(rng: random.Random, n: int) -> Any:
    """A rule of the package with random options; None where they do not fit together."""
    rule = rng.choice(RULES)
    powers = rng.choice(((1,), (1,), (1, 1), (1, 2), (1, 3), (2, 3)))
    goal = rng.choice((SumOfTimes(), SumOfTimes(), Makespan(), LexicalMax(), WeightedSum((1, 9, 2)[:n])))
    penalty: Any = rng.choice((None, *PENALTIES.get(rule, ()), rng.choice((F(1, 2), 1, 2))))
    cutoff = rng.choice((None, Cutoff("difference", rng.choice((1, F(5, 2)))), Cutoff("absolute", 3)))
    values = rng.choice((None, [rng.choice((3, 5, F(15, 2))) for _ in range(n)]))
    rounds = 2 if values and rng.random() < 0.4 else 1
    options = {"penalty": penalty, "cutoff": cutoff, "rounds": rounds, "values": values}
    kept = {name: value for name, value in options.items() if rng.random() < 0.7 or name in ("rounds", "values")}
    try:
        return build(rule, Cluster.of(powers), goal, ties=rng.choice(("sum", "listed")),
                     holdback=rng.choice(("repaired", "printed")), **kept)  # fmt: skip
    except InputError:
        return None


def counterexample(mechanism: Any, statement: str, grid: tuple[Any, ...], n: int) -> Any:
    """The situation in which a statement fails on a grid, None where it holds there."""
    domain = Domain.of(list(grid), agents=n)
    if statement in CONCEPTS:
        return check_incentives(mechanism, domain, check_concept(statement), budget=Budget(None)).witness
    name = statement.replace("-", "_").removesuffix("_any_others")
    found = Verifier(mechanism, domain).property(name, any_others=statement.endswith("any-others") and name in MARGINS)
    assert found.holds is not None
    return found.witness if not found.holds else None


def check_witness(mechanism: Any, statement: str, proof: Proof, n: int) -> None:
    """A witness fails on the grid of its own numbers, by enumeration; a lie pays when it is played."""
    found = proof.witness
    assert found is not None
    if isinstance(found, Witness):
        runs = Runs(mechanism)
        truth, lie = (runs.utilities(b, found.lengths)[found.agent] for b in (found.truthful, found.declarations))
        assert (truth, lie) == (found.utility_truth, found.utility_lie)
        assert lie > truth
        assert found.gain == lie - truth
        assert statement == "dominant" or found.truthful == found.lengths
    elif not (statement == "accepts-every-input" and found.agent is None):
        points = tuple(sorted({*found.declarations, *(found.lengths or ())}))
        assert counterexample(mechanism, statement, points, n) is not None


def outcome(rng: random.Random, n: int, number: int) -> str:
    """One random question; the proof and the grid may not contradict each other."""
    mechanism = None
    while mechanism is None:
        mechanism = random_mechanism(rng, n)
    statement = rng.choice((*CONCEPTS, *CONCEPTS, *(name for name in PROPERTIES if name != "payments-nonnegative")))
    lengths = rng.choice((Lengths(), Lengths(), Lengths(end=F(3)), Lengths(F(1), F(7, 2))))
    where = f"{number}: {statement} of {mechanism!r} for {lengths}"
    cells = 20_000 if n == 2 else 3_000
    try:
        proof = prove(mechanism, n, statement, lengths=lengths, processes=1, max_cells=cells)
    except (TooLargeError, InputError) as error:
        return f"refused: {str(error)[:40]}"
    grid = tuple(x for x in GRIDS[n] if x >= lengths.start and (lengths.end is None or x <= lengths.end))
    try:
        found = counterexample(mechanism, statement, grid, n)
    except InputError:
        grid = tuple(x for x in grid if x <= 3)  # an absolute cut-off refuses what is longer
        found = counterexample(mechanism, statement, grid, n)
    if proof.holds is None:
        return "open"
    if proof.holds:
        assert found is None, where
        return "proved"
    check_witness(mechanism, statement, proof, n)
    situation = proof.witness
    assert situation is not None
    for x in (*situation.declarations, *(situation.lengths or ())):
        assert x > 0, where
        assert x >= lengths.start, where
        assert lengths.end is None or x <= lengths.end, where
    return "refuted, also on the grid" if found is not None else "refuted, missed by the grid"


@pytest.mark.parametrize(
    ("first", "count", "n"),
    [
        (0, 65, 2),
        pytest.param(1_000, 3_000, 2, marks=pytest.mark.exhaustive),
        pytest.param(1_000, 300, 3, marks=pytest.mark.exhaustive),
    ],
)
def test_proofs_as_enumeration(first: int, count: int, n: int, thinning: int) -> None:
    count = count // thinning
    tally = Counter(outcome(random.Random(number), n, number) for number in range(first, first + count))
    assert tally["proved"] > count // 13
    assert tally["refuted, also on the grid"] > count // 13
