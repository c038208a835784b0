"""Regions in which lies pay, against the plain definition at random points, and bounds of gains against proofs."""

from __future__ import annotations

import random
from fractions import Fraction as F
from types import SimpleNamespace
from typing import Any

import pytest

from consortium.games.proofs.certificate import as_certificate, check, replay_tree
from consortium.games.proofs.prover import Prover, prove
from consortium.games.proofs.questions import Lengths
from consortium.games.proofs.regions import Region, numbers_of, plane, region_of, regions
from consortium.games.proofs.symbols import Vector
from consortium.games.verification.results import Witness
from consortium.games.verification.running import Runs
from consortium.mechanisms.declaration import Cutoff, build
from consortium.scheduling.clusters import Cluster
from consortium.scheduling.goals import Makespan, WeightedSum
from consortium.support.errors import InputError
from consortium.support.polygons import inside
from consortium.support.progress import Clock

ALL = Lengths()
NUMBERS = (F(1, 2), F(1), F(3, 2), F(2), F(2), F(5, 2), F(3), F(4))


class Capped:
    """Everybody waits for all; who declares less than half of the longest pays nothing; refuses what is too long."""

    def run(self, declared: Any, lengths: Any) -> Any:
        if any(b > 3 for b in declared):
            raise InputError("too long")
        longest = max(declared)
        return SimpleNamespace(
            output=[sum(lengths)] * len(lengths),
            payments=[F(0) if 2 * b < longest else min(longest, F(2)) for b in declared],
        )


def rule(name: str, *powers: int, **options: Any) -> Any:
    return build(name, Cluster.of(powers), **options)


CASES: list[tuple[Any, int, str, Lengths]] = [
    (rule("straightforward", 1), 2, "dominant", ALL),
    (rule("light-vcg", 1), 2, "dominant", ALL),
    (rule("light-vcg", 1), 3, "ex-post", ALL),
    (rule("light-vcg", 1, 1), 3, "ex-post", Lengths(F(1), F(3))),
    (rule("vcg-renice", 1), 2, "dominant", ALL),
    (rule("vcg-renice", 1, 3), 2, "dominant", ALL),
    (rule("evcg-renice", 1, 3, goal=Makespan(), penalty="printed"), 2, "ex-post", ALL),
    (rule("evcg-postpone", 1, goal=WeightedSum((1, 9)), penalty=2), 2, "ex-post", ALL),
    (rule("evcg-postpone", 1, goal=WeightedSum((1, 9)), cutoff=Cutoff("absolute", 3), penalty=1), 2, "ex-post", ALL),
    (rule("verified-printed", 1), 2, "dominant", ALL),
    (rule("vcg-postpone", 1, rounds=2, holdback="printed", values=[5, 3]), 2, "ex-post", ALL),
    (rule("designed", 1, tool="order-only", price="0"), 2, "dominant", ALL),
    (rule("vcg-postpone", 1), 2, "dominant", ALL),
    (Capped(), 2, "dominant", ALL),
]


def case_name(case: Any) -> str:
    mechanism, n, concept, _ = case
    return f"{getattr(mechanism, 'rule', type(mechanism).__name__)}-{n}-{concept}"


def holds(region: Region, values: dict[str, F]) -> bool:
    """Whether numbers are in a region, by its inequalities."""
    numbers = [F(1), *(values[name] for name in region.question.names)]
    sums = [(sum(a * x for a, x in zip(row, numbers, strict=True)), strict) for row, strict in region.rows]
    return all(total > 0 or (total == 0 and not strict) for total, strict in sums)


def at(form: Any, values: dict[str, F], names: Any) -> Any:
    """A gain there."""
    if isinstance(form, str):
        return float(form)
    top: Vector = form[0]
    numbers = [F(1), *(values[name] for name in names)]
    return sum(a * x for a, x in zip(top, numbers, strict=False)) / form[1]


def played(mechanism: Any, n: int, concept: str, rng: random.Random, lengths: Lengths) -> Witness | None:
    """A random lie, played; None where its declarations are refused."""
    own = [x for x in NUMBERS if x in lengths]
    theta, b = ([rng.choice(own) for _ in range(n)] for _ in "ab")
    agent, lie = rng.randrange(n), rng.choice(own)
    if concept == "ex-post":
        b = list(theta)
    try:
        return Runs(mechanism, getattr(mechanism, "values", None) or (F(0),) * n).gain(
            agent, theta[agent], lie, b, theta
        )
    except InputError:
        return None


@pytest.mark.parametrize("case", CASES, ids=case_name)
def test_a_lie_pays_inside_the_regions_and_nowhere_else(case: Any) -> None:
    """Each point is in one region if its lie pays, which gains what the region says, and in none if it does not."""
    mechanism, n, concept, lengths = case
    places = regions(Prover(mechanism, n, lengths), concept, Clock(None))
    assert places.complete
    rng, paid = random.Random(5), 0
    for _ in range(400):
        lie = played(mechanism, n, concept, rng, lengths)
        if lie is None or lie.lie == lie.length:
            continue
        values = numbers_of(lie)
        around = [
            region
            for region in places.lies
            if region.agent == lie.agent and (region.question.side == "below") == (lie.lie < lie.length)
            if holds(region, values)
        ]
        assert len(around) == (lie.gain > 0)
        for region in around:
            paid += 1
            assert at(region.gain, values, region.question.names) == lie.gain <= region.most * lie.length
    assert bool(paid) == bool(places.lies)


def test_cells_are_one_region_where_their_gains_are_only_written_otherwise() -> None:
    """On a cell with an equation, one gain may be written as the other; each such pair once was two regions, 34."""
    mechanism, n, concept, lengths = CASES[2]
    assert len(regions(Prover(mechanism, n, lengths), concept, Clock(None)).lies) == 30


@pytest.mark.parametrize("case", CASES, ids=case_name)
def test_the_largest_gain_is_the_least_that_can_be_proved(case: Any) -> None:
    """Of gains up to the bound a proof is found, with a certificate; a little less is refuted by a lie."""
    mechanism, n, concept, lengths = case
    most = regions(Prover(mechanism, n, lengths), concept, Clock(None)).most
    if most == float("inf"):
        proof = prove(mechanism, n, concept, lengths=lengths, at_most=1_000)
        assert proof.holds is False
        assert proof.witness is not None
        assert proof.witness.gain > 1_000 * proof.witness.length  # type: ignore[union-attr]
        return
    proof = prove(mechanism, n, concept, lengths=lengths, at_most=F(most), method="code")
    assert proof.holds
    certificate = as_certificate([proof])
    assert check(certificate).holds
    assert replay_tree(certificate, mechanism).difference is None
    if most:
        less = most * F(999, 1000)
        assert prove(mechanism, n, concept, lengths=lengths, at_most=less).holds is False
        certificate["statements"][0]["at_most"] = [*F(less).as_integer_ratio()]
        assert check(certificate).holds is False


@pytest.mark.parametrize("case", [case for case in CASES if case[1] == 2], ids=case_name)
def test_the_plane_is_a_slice_of_the_regions(case: Any) -> None:
    """The region around a lie that was found is one of a point in it; polygons hold points whose lies pay."""
    mechanism, n, concept, lengths = case
    prover = Prover(mechanism, n, lengths)
    witness = prover.prove(concept).witness
    if not isinstance(witness, Witness):
        return
    assert holds(region_of(prover, concept, witness), numbers_of(witness))
    places = regions(prover, concept, Clock(None))
    drawn = plane(places.lies, witness, lengths)
    assert 0 < sum(share for _, _, share in drawn) < 1
    runs = Runs(mechanism, prover.values)
    for region, polygon, _ in drawn:
        length, lie = inside(polygon)
        others = witness.declarations[1 - witness.agent], witness.lengths[1 - witness.agent]
        b, theta = ([x, x] for x in others)
        b[witness.agent], theta[witness.agent] = lie, length
        gain = runs.gain(witness.agent, length, lie, b, theta)
        assert gain.gain == at(region.gain, numbers_of(gain), region.question.names) > 0


def test_what_a_limit_leaves_is_not_complete() -> None:
    places = regions(Prover(rule("light-vcg", 1), 2, ALL), "dominant", Clock(0))
    assert (places.lies, places.complete) == ((), False)


def test_gains_are_allowed_of_lies_only() -> None:
    with pytest.raises(
        InputError, match="gain: found at most 1 of just; expected a number >= 0, of dominant or ex-post"
    ):
        prove(rule("light-vcg", 1), 2, "just", at_most=1)
