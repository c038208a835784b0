"""Policies whose order of the jobs depends on their lengths: what is said of all games holds for each of them."""

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
from consortium.games.placement.game import PlacementGame, PolicyGame
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
def answer(policy: str, jobs: tuple[int, ...], question: Any) -> Answer | None:
    """Of small shapes everything is asked, of larger ones what is quick."""
    if sum(jobs) > 3 and (policy == "total" or question not in PROPERTIES[:2]):
        return None
    return prove(Shape(jobs), question, mechanism=POLICIES[policy], method="cover")


def played(policy: Any, lengths: Sequence[Sequence[Any]]) -> Any:
    """Everything of one game, all placements gone through."""
    federation = Federation.of(lengths)
    built_in = isinstance(policy, Coordination)
    game = PlacementGame(federation, policy) if built_in else PolicyGame(federation, custom_rule(policy, federation))
    return search(game, method="enumeration")


def games(jobs: Sequence[int], count: int) -> list[list[list[Fraction]]]:
    """Games with ties, and lengths just below and above each other and 3."""
    rng = random.Random(str(jobs))
    sizes = [Fraction(k, 2) for k in (1, 2, 3, 4, 5, 6, 7, 8, 12)]
    some = [rng.sample(sizes, rng.choice([1, 2, 3, 4])) for _ in range(count)]
    return [[sorted(rng.choices(one, k=k), reverse=True) for k in jobs] for one in some]


NUMBERS = (None, "price_of_anarchy", "price_of_stability", "smallest_epsilon")
SHAPES = [(1, 1), (2, 1), (2, 2), pytest.param((1, 1, 1), marks=pytest.mark.exhaustive)]


@pytest.mark.parametrize("count", [8, pytest.param(500, marks=pytest.mark.exhaustive)])
@pytest.mark.parametrize("jobs", SHAPES)
@pytest.mark.parametrize("policy", POLICIES)
def test_no_game_is_beyond_what_is_said(policy: str, jobs: tuple[int, ...], count: int) -> None:
    said = [answer(policy, jobs, question) for question in PROPERTIES]
    for lengths in games(jobs, count):
        game = played(POLICIES[policy], lengths)
        assert game.equilibria.exists or said[0] is None or said[0].status is Status.REFUTED
        for each, name in zip(said[1:], NUMBERS[1:], strict=True):
            if each is not None and each.status is Status.PROVED and (number := getattr(game, name)) is not None:
                assert number <= each.at_most, lengths


@pytest.mark.parametrize("jobs", SHAPES)
@pytest.mark.parametrize("policy", POLICIES)
def test_what_is_said_of_a_game_is_so(policy: str, jobs: tuple[int, ...]) -> None:
    """It has no equilibrium, or the price or epsilon; near a price that none is known to have, almost."""
    for question, name in zip(PROPERTIES, NUMBERS, strict=True):
        said = answer(policy, jobs, question)
        if said is None or said.lengths is None:
            continue
        game = played(POLICIES[policy], said.lengths)
        if said.status is Status.REFUTED:
            assert not game.equilibria.exists
        elif said.attained:
            assert getattr(game, name) == said.at_least
        elif said.value:
            assert said.value - Fraction(1, 100) < getattr(game, name) < said.value


@pytest.mark.parametrize("jobs", [(2, 2), pytest.param((2, 1, 1), marks=pytest.mark.exhaustive)])
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
