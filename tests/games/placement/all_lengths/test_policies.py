"""Policies whose order of the jobs depends on their lengths: what is said of all games holds for games of every kind."""

from __future__ import annotations

import random
from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from typing import Any

import pytest

from consortium.agents.organizations import Federation
from consortium.games.placement.all_lengths.answers import prove
from consortium.games.placement.all_lengths.policies import Orders
from consortium.games.placement.all_lengths.shapes import Answer, Shape
from consortium.games.placement.game import PolicyGame
from consortium.games.search import search
from consortium.mechanisms.federation.coordination import Coordination
from consortium.mechanisms.federation.custom import Placed, custom_rule
from consortium.support.errors import InputError, MechanismError
from consortium.support.progress import Clock
from consortium.support.status import Status

Jobs = Sequence[Placed]


class Shortest:
    """Owners have to wait too; who comes first in the list goes first of equals."""

    def order(self, host: int, jobs: Jobs) -> list[Placed]:
        return sorted(jobs, key=lambda job: job.length)


class Tuples:
    """Where lengths are equal, and only there, the last organization goes first."""

    def order(self, host: int, jobs: Jobs) -> list[Placed]:
        return sorted(jobs, key=lambda job: (-job.length, -job.organization))


class Split:
    """It knows a length, so that it is another policy in another unit."""

    def order(self, host: int, jobs: Jobs) -> list[Placed]:
        return sorted(jobs, key=lambda job: (job.length > 3, job.organization != host))


class Total:
    """The larger half of the work goes last, whose job it is decides what is left."""

    def order(self, host: int, jobs: Jobs) -> list[Placed]:
        work = sum((job.length for job in jobs), Fraction(0))
        return sorted(jobs, key=lambda job: (2 * job.length >= work, job.organization != host, job.job))


class Owners:
    """The coordination mechanism as a custom policy."""

    def order(self, host: int, jobs: Jobs) -> list[Placed]:
        return sorted(jobs, key=lambda job: (job.organization != host, job.organization, job.job))


class Moody:
    calls = 0

    def order(self, host: int, jobs: Jobs) -> Jobs:
        self.calls += 1
        return jobs[:: 1 if self.calls % 3 else -1]


class Digits:
    def order(self, host: int, jobs: Jobs) -> list[Placed]:
        return sorted(jobs, key=lambda job: int(job.length))


POLICIES: dict[str, Any] = {
    "shortest": Shortest(),
    "tuples": Tuples(),
    "split": Split(),
    "total": Total(),
    "guests-shortest": Coordination("jobs", "shortest"),
    "guests-longest": Coordination("jobs", "longest"),
}
PROPERTIES = ("pure-equilibrium", "price-of-anarchy", "price-of-stability", "epsilon")


@cache
def answer(policy: str, jobs: tuple[int, ...], question: Any) -> Answer:
    return prove(Shape(jobs), question, mechanism=POLICIES[policy], method="cover")


def played(policy: Any, lengths: Sequence[Sequence[Any]]) -> Any:
    """Everything of one game, all placements gone through."""
    federation = Federation.of(lengths)
    return search(PolicyGame(federation, custom_rule(policy, federation)), method="enumeration")


def games(jobs: Sequence[int], count: int) -> list[list[list[Fraction]]]:
    """Games with ties, and lengths just below and above each other and 3."""
    rng = random.Random(str(jobs))
    sizes = [Fraction(k, 2) for k in (1, 2, 3, 4, 5, 6, 7, 8, 12)]
    some = [rng.sample(sizes, rng.choice([1, 2, 3, 4])) for _ in range(count)]
    return [[sorted(rng.choices(one, k=k), reverse=True) for k in jobs] for one in some]


@pytest.mark.parametrize("count", [40, pytest.param(1000, marks=pytest.mark.exhaustive)])
@pytest.mark.parametrize(
    "jobs", [(1, 1), (2, 1), (2, 2), (1, 1, 1), pytest.param((2, 1, 1), marks=pytest.mark.exhaustive)]
)
@pytest.mark.parametrize("policy", POLICIES)
def test_no_game_is_beyond_what_is_said(policy: str, jobs: tuple[int, ...], count: int) -> None:
    existence, anarchy, stability, epsilon = (answer(policy, jobs, question) for question in PROPERTIES)
    assert existence.status is not Status.OPEN
    for lengths in games(jobs, count):
        game = played(POLICIES[policy], lengths)
        assert game.equilibria.exists or existence.status is Status.REFUTED
        for said, number in (
            (anarchy, game.price_of_anarchy),
            (stability, game.price_of_stability),
            (epsilon, game.smallest_epsilon),
        ):
            if said.at_most is not None and number is not None and said.status is Status.PROVED:
                assert number <= said.at_most, lengths


@pytest.mark.parametrize("jobs", [(2, 1), (2, 2), (1, 1, 1)])
@pytest.mark.parametrize("policy", POLICIES)
def test_what_is_said_of_a_game_is_so(policy: str, jobs: tuple[int, ...]) -> None:
    """It has no equilibrium, or the price or epsilon; near a price that none is known to have, almost."""
    for question, number in zip(
        PROPERTIES, [None, "price_of_anarchy", "price_of_stability", "smallest_epsilon"], strict=True
    ):
        said = answer(policy, jobs, question)
        if said.lengths is None:
            continue
        game = played(POLICIES[policy], said.lengths)
        if said.status is Status.REFUTED:
            assert not game.equilibria.exists
        elif number and said.attained:
            assert getattr(game, number) == said.at_least
        elif number and said.value:
            assert said.value - Fraction(1, 100) < getattr(game, number) < said.value
    assert answer(policy, jobs, "price-of-anarchy").at_least >= 1


@pytest.mark.parametrize("jobs", [(2, 2), (2, 1, 1)])
def test_the_mechanism_as_a_custom_policy_has_the_same_prices(jobs: tuple[int, ...]) -> None:
    for question in PROPERTIES:
        own, custom = prove(Shape(jobs), question, method="cover"), prove(Shape(jobs), question, mechanism=Owners())
        assert (own.status, own.value, own.attained) == (custom.status, custom.value, custom.attained)


def test_bounds_of_a_policy_are_proved_or_refuted_by_a_game() -> None:
    shape = Shape((2, 1))
    for bound, status in (("3/2", Status.PROVED), ("7/5", Status.REFUTED)):
        said = prove(shape, "price-of-anarchy", Fraction(bound), mechanism=Shortest())
        assert said.status is status
    assert played(Shortest(), said.lengths).price_of_anarchy > Fraction(7, 5)
    sharp = prove(shape, "price-of-anarchy", Fraction(4, 3), mechanism=POLICIES["guests-longest"])
    assert (sharp.status, sharp.theorem) == (Status.PROVED, "sharp-price")


def test_cells_are_all_lengths_and_meet_nowhere() -> None:
    cells = list(Orders(Tuples(), Shape((2, 1))).cells(Clock(None)))
    assert any(not cell.full for cell in cells)
    for lengths in games((2, 1), 200):
        whole = tuple(tuple(int(2 * length) for length in row) for row in lengths)
        assert sum(cell.scaled(whole) is not None for cell in cells) == 1


@pytest.mark.parametrize(
    ("policy", "jobs", "error", "says"),
    [
        (Moody(), (1, 1), MechanismError, "two answers"),
        (Digits(), (1, 1), InputError, "the digits of a symbolic number"),
        (Shortest(), (5, 5), InputError, "jobs: found 10; expected at most 9"),
    ],
)
def test_what_is_refused(policy: Any, jobs: tuple[int, ...], error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        prove(Shape(jobs), "price-of-anarchy", mechanism=policy)


def test_stopped_by_a_limit_or_by_ctrl_c() -> None:
    def press(done: int, total: int | None, note: str = "") -> None:
        raise KeyboardInterrupt

    for more in ({"clock": Clock(0)}, {"progress": press}):
        said = prove(Shape((2, 1, 1)), "price-of-anarchy", mechanism=Shortest(), **more)
        assert (said.status, said.value) == (Status.OPEN, None)
        assert said.next is not None
