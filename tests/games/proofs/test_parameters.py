"""Safe values of a number are those that proofs and enumeration find one by one."""

from __future__ import annotations

import itertools
import random
from fractions import Fraction as F
from types import SimpleNamespace
from typing import Any

import pytest

from consortium.games.proofs.parameters import Interval, SafeValues, at, joined, reach, safe_values
from consortium.games.proofs.programs import placed
from consortium.games.proofs.prover import prove
from consortium.games.proofs.questions import Lengths
from consortium.games.proofs.symbols import NotPiecewiseLinear
from consortium.games.verification import Domain, check_incentives
from consortium.games.verification.results import Witness
from consortium.mechanisms.declaration import build
from consortium.mechanisms.declaration.penalties import Cutoff
from consortium.mechanisms.declaration.protocol import play
from consortium.scheduling.clusters import Cluster
from consortium.scheduling.goals import Makespan, WeightedSum
from consortium.support.errors import InputError, UnknownNameError

from ...sweeps import thinned

ONE, TWO = Cluster.of([1]), Cluster.of([1, 2])
NINE = WeightedSum((1, 9))
GRID = [F(k, 6) for k in range(0, 25)]


def gain(mechanism: Any, lie: Witness) -> Any:
    """What the liar gains when it is played."""
    told = (*lie.declarations[: lie.agent], lie.length, *lie.declarations[lie.agent + 1 :])
    truth, lying = (play(mechanism, b, lie.lengths).utilities[lie.agent] for b in (told, lie.declarations))
    return lying - truth


def has(found: SafeValues, x: F) -> bool:
    """Whether a value is safe; every value is in exactly one of the four sets."""
    inside = [any(x in one for one in some) for some in (found.safe, found.unsafe, found.refused, found.open)]
    assert sum(inside) == 1, x
    return inside[0]


def test_every_constant_penalty_from_eight_thirds_on_is_safe_for_lengths_up_to_three() -> None:
    rule = build("evcg-postpone", ONE, NINE, penalty=2)
    found = safe_values(placed(rule, "penalty", 2), "p", agents=2, up_to=3)
    assert found.interval == Interval(F(8, 3), None)
    assert found.unsafe == (Interval(F(0), F(8, 3), high_included=False),)
    assert not has(found, F(133, 50))
    assert found.scope == "2 agents, 1 machine of power 1, all positive lengths up to 3; not for all N"
    (near,) = found.refutations
    assert F(8, 3) - F(1, 100) <= near.value < F(8, 3)
    lie = near.witness
    assert isinstance(lie, Witness)
    mechanism = build("evcg-postpone", ONE, NINE, penalty=near.value)
    assert gain(mechanism, lie) == lie.gain > 0


def test_with_three_agents_twice_the_penalty_is_needed() -> None:
    rule = build("evcg-postpone", ONE, WeightedSum((1, 3, 9)), penalty=2)
    found = safe_values(placed(rule, "penalty", 3), "p", agents=3, up_to=3, concept="ex-post")
    assert found.interval == Interval(F(16, 3), None)


@pytest.mark.parametrize(
    ("rule", "place"),
    [
        (build("evcg-postpone", ONE, NINE, penalty=2), "penalty"),
        (build("evcg-postpone", TWO, Makespan(), penalty=2), "penalty"),
        (build("postpone-unpaid", TWO, penalty=2), "penalty"),
        (build("evcg-postpone", ONE, NINE, penalty=[1, 2]), "penalty[1]"),
        (build("evcg-postpone", ONE, NINE, penalty=1, cutoff=Cutoff("difference", 2)), "cutoff"),
        (build("vcg-postpone", ONE, rounds=2, holdback="printed", values=[3, 5]), "values[2]"),
    ],
    ids=["weighted", "makespan", "unpaid", "one of two", "cutoff", "value"],
)
def test_a_value_is_safe_where_it_is_proved_and_enumeration_never_disagrees(rule: Any, place: str) -> None:
    make = placed(rule, place, 2)
    lengths = Lengths(F(1, 2), F(2))
    found = safe_values(make, agents=2, lengths=lengths, concept="ex-post", end=4)
    assert not found.open
    domain = Domain.of([F(1, 2), 1, F(3, 2), 2], agents=2)
    for x in GRID[:: 2 if place == "penalty" else 5]:
        if any(x in one for one in found.refused):
            with pytest.raises(InputError):
                make(x)
            continue
        safe = has(found, x)
        assert prove(make(x), 2, "ex-post", lengths=lengths).holds == safe, x
        if safe:
            assert check_incentives(make(x), domain, "ex-post").holds, x


class Fined:
    """Two queues: who declares less than her length is fined, by a rule that depends on the number."""

    def __init__(self, number: F) -> None:
        low, high = (number < 2), (number > 3)
        self.fine = F(0) if low or high else 9 - number
        self.number = number

    def run(self, declared: Any, lengths: Any) -> Any:
        wrong = [b != x for b, x in zip(declared, lengths, strict=True)]
        output = [min(b, x) if self.fine == 0 else x for b, x in zip(declared, lengths, strict=True)]
        return SimpleNamespace(output=output, payments=[self.fine if w else F(0) for w in wrong])


def test_safe_values_of_a_mechanism_of_ones_own_may_be_bounded_on_both_sides() -> None:
    found = safe_values(Fined, "fine", agents=1, concept="dominant", up_to=1)
    assert str(found) == "2 <= fine <= 3"
    assert found.interval == Interval(F(2), F(3))
    below, above = found.refutations
    assert F(199, 100) <= below.value < 2
    assert 3 < above.value <= F(301, 100)


def test_safe_values_that_are_no_interval_are_told_as_they_are() -> None:
    def between(p: F) -> Any:
        return Fined(F(0) if 1 < p < 2 else F(2))

    found = safe_values(between, agents=1, up_to=1, start=F(1, 2), end=5)
    assert found.interval is None
    assert [str(one) for one in found.safe] == ["1/2 <= x <= 1", "2 <= x <= 5"]
    assert str(found) == "1/2 <= p <= 1 or 2 <= p <= 5"
    low, high = found.refutations
    assert 1 < low.value <= F(101, 100)
    assert F(199, 100) <= high.value < 2


def test_values_that_the_mechanism_cannot_take_are_told_apart() -> None:
    def choosy(p: F) -> Any:
        if p > 4:
            raise InputError("expected at most 4")
        return Fined(p)

    found = safe_values(choosy, agents=1, up_to=1)
    assert found.refused == (Interval(F(4), None, low_included=False),)
    assert [str(one) for one in found.safe] == ["2 <= x <= 3"]
    assert [str(one) for one in found.unsafe] == ["0 <= x < 2", "3 < x <= 4"]
    rule = build("evcg-postpone", ONE, penalty=1, cutoff=Cutoff("difference", 2))
    assert safe_values(placed(rule, "cutoff", 2), agents=2).refused == (Interval(F(0), F(0)),)


def test_no_value_is_safe_and_one_is_shown() -> None:
    found = safe_values(placed(build("light-vcg", ONE), "values", 2), "V", agents=2, concept="individually-rational")
    assert (found.safe, found.interval, str(found)) == ((), None, "no V")
    assert found.unsafe == (Interval(F(0), None),)
    assert len(found.refutations) == 1
    found = safe_values(
        placed(build("light-vcg", ONE), "values", 2), "V", agents=2, concept="individually-rational", up_to=3
    )
    assert str(found) == "V >= 9"


def test_a_limit_leaves_values_open_and_says_so() -> None:
    make = placed(build("evcg-postpone", TWO, NINE, penalty=2), "penalty", 2)
    found = safe_values(make, agents=2, up_to=3, max_cells=20)
    assert found.open
    assert not found.safe
    assert found.interval is None
    assert found.limit == "cells"
    assert safe_values(make, agents=2, up_to=3, time_limit=0).limit == "time"
    calls = itertools.count()

    def interrupting(*_: object) -> None:
        if next(calls) == 1:
            raise KeyboardInterrupt

    assert safe_values(make, agents=2, up_to=3, progress=interrupting).limit == "ctrl-c"


@pytest.mark.parametrize(
    ("rule", "place", "message"),
    [
        ("vcg-renice", "penalty", "divided by the share of a renice"),
        ("light-vcg", "penalty", "takes no penalty"),
        ("vcg-postpone", "cutoff", "without a cut-off"),
        ("vcg-postpone", "powers", "divided by powers"),
        ("vcg-postpone", "penalty[1]", "the penalty 'exact'"),
        ("vcg-postpone", "values[3]", "from 1 to 2"),
    ],
)
def test_a_number_that_cannot_be_a_symbol_is_refused(rule: str, place: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        placed(build(rule, ONE), place, 2)


def test_other_refusals() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'penalty'"):
        placed(build("vcg-postpone", ONE), "penalti", 2)
    with pytest.raises(InputError, match="a function from the number to a mechanism"):
        placed(Fined(F(1)), "penalty", 1)
    with pytest.raises(InputError, match="expected 0 <= start <= end"):
        safe_values(Fined, agents=1, start=3, end=2)

    class Product(Fined):
        def run(self, declared: Any, lengths: Any) -> Any:
            return SimpleNamespace(output=[self.number * x for x in lengths], payments=[F(0)])

    with pytest.raises(NotPiecewiseLinear, match=r"a product of two symbolic numbers \(.*test_parameters.py:\d+: "):
        safe_values(Product, agents=1)


@pytest.mark.parametrize("rule", ["vcg-postpone", "evcg-postpone"])
def test_the_repaired_hold_back_is_proved_for_all_values_and_the_printed_one_refuted(rule: str) -> None:
    proof = prove(build(rule, ONE, rounds=2), 2, values="any")
    assert proof.holds
    failure = prove(build(rule, ONE, rounds=2, holdback="printed"), 2, values="any")
    assert failure.holds is False
    lie = failure.witness
    assert isinstance(lie, Witness)
    assert list(failure.numbers) == ["V1", "V2"]
    mechanism = build(rule, ONE, rounds=2, holdback="printed", values=[*failure.numbers.values()])
    assert gain(mechanism, lie) == lie.gain > 0


def test_values_are_symbols_of_a_mechanism_of_ones_own_too() -> None:
    assert prove(Fined(F(2)), 1, up_to=1, values="any").holds
    failure = prove(Fined(F(2)), 1, "individually-rational", up_to=1, values="any")
    assert failure.holds is False

    class Valued(Fined):
        values = (F(1),)

    with pytest.raises(InputError, match="which has valuations of its own"):
        prove(Valued(F(2)), 1, values="any")


def inside(rows: Any, z: tuple[F, ...]) -> bool:
    values = [(sum(a * x for a, x in zip(vector, z, strict=True)), strict) for vector, strict in rows]
    return all(v > 0 if strict else v >= 0 for v, strict in values)


@pytest.mark.parametrize("seed", thinned(range(40)))
def test_how_far_a_cell_reaches_is_what_its_vertices_say(seed: int) -> None:
    """In the plane: the ends are at crossings of two rows, or there are none; those included have a point there."""
    rng = random.Random(seed)
    rows: list[tuple[tuple[int, ...], bool]] = [((1, 0, 0), True), ((0, 1, 0), True), ((0, 0, 1), True)]
    rows += [(tuple(rng.randint(-4, 4) for _ in range(3)), rng.random() < 0.5) for _ in range(rng.randint(1, 5))]
    grid = [(F(1), F(a, 2), F(b, 2)) for a in range(1, 25) for b in range(1, 25)]
    seen = [z for z in grid if inside(rows, z)]
    if not seen:
        return
    found = reach(rows, 1)
    assert all(z[1] in found for z in seen)
    closure = [(vector, False) for vector, _ in rows]
    corners = []
    for (p, _), (q, _) in itertools.combinations(rows, 2):
        det = p[1] * q[2] - p[2] * q[1]
        if det:
            corners.append((F(1), F(-p[0] * q[2] + p[2] * q[0], det), F(-p[1] * q[0] + p[0] * q[1], det)))
    corners = [z for z in corners if inside(closure, z)]
    assert found.low == min(z[1] for z in corners)
    if found.high is None:
        assert at(rows, 1, F(10**6)) is not None
    else:
        assert found.high == max(z[1] for z in corners)
    for end, included in ((found.low, found.low_included), (found.high, found.high_included)):
        if end is not None:
            point = at(rows, 1, end)
            assert (point is not None) == included


def test_intervals_are_cut_and_joined(thinning: int) -> None:
    rng = random.Random(7)
    numbers = [F(k, 2) for k in range(13)]
    for _ in range(300 // thinning):
        low, high = sorted(rng.choices(numbers, k=2))
        whole = Interval(low, rng.choice([None, high]), rng.random() < 0.5, rng.random() < 0.5)
        a, b = sorted(rng.choices(numbers, k=2))
        part = Interval(a, rng.choice([None, b]), rng.random() < 0.5, rng.random() < 0.5)
        meant = [F(k, 4) for k in range(30)]
        if whole.empty or part.empty or not all(x in whole for x in meant if x in part):
            continue
        if part.high is None and whole.high is not None:
            continue
        left = whole.without(part)
        assert [x for x in meant if any(x in one for one in left)] == [x for x in meant if x in whole and x not in part]
        again = joined([*left, part])
        assert [x for x in meant if any(x in one for one in again)] == [x for x in meant if x in whole]
        assert len(again) == 1
        assert left == () or all(one.simplest() in one for one in left)
