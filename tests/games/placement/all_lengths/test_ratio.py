"""Ratios of central rules over all lengths: known values, brute force over small lengths, and what is refused."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import pytest

from consortium.agents.organizations import Federation
from consortium.games.placement.all_lengths.answers import prove
from consortium.games.placement.all_lengths.by_theorem import by_theorem
from consortium.games.placement.all_lengths.ratio import ratio
from consortium.games.placement.all_lengths.shapes import Answer, Shape
from consortium.games.proofs.symbols import NotPiecewiseLinear
from consortium.mechanisms.federation import Ilba, LessHelpedFirst, Local, LptLpt, PriorityEquilibrium, SptLpt
from consortium.mechanisms.federation.custom import Placed, custom_rule
from consortium.mechanisms.federation.optimal import Optimal
from consortium.mechanisms.kinds import info
from consortium.support.errors import InputError, MechanismError
from consortium.support.progress import Clock
from consortium.support.status import Status

LHF = LessHelpedFirst("lpt")


class Rows:
    """A custom rule that gives every job, as listed, the machine that ``choose`` says, without idle time."""

    def __init__(self, start: Fraction = Fraction(0)) -> None:
        self.start = start

    def choose(self, k: int, length: Fraction, free: list[Fraction]) -> int:
        return min(range(len(free)), key=lambda m: free[m])

    def run(self, federation: Federation) -> Iterator[tuple[int, int, int, int, Fraction]]:
        free = [self.start] * len(federation)
        for k, organization in enumerate(federation.organizations):
            for i, length in enumerate(organization.lengths):
                m = self.choose(k, length, free)
                yield k, i, m, 0, free[m]
                free[m] += length


class LongAtHome(Rows):
    """It knows a length, so that its ratio is another one for other units."""

    def choose(self, k: int, length: Fraction, free: list[Fraction]) -> int:
        return k if length > 5 else super().choose(k, length, free)


class Digits(Rows):
    def choose(self, k: int, length: Fraction, free: list[Fraction]) -> int:
        return int(length) % len(free)


class Moody(Rows):
    """Every other schedule has all at home."""

    runs = 0

    def run(self, federation: Federation) -> Iterator[tuple[int, int, int, int, Fraction]]:
        self.runs += 1
        return super().run(federation)

    def choose(self, k: int, length: Fraction, free: list[Fraction]) -> int:
        return k if self.runs % 2 else super().choose(k, length, free)


class ShortestFirst:
    def order(self, host: int, jobs: tuple[Placed, ...]) -> list[Placed]:
        return sorted(jobs, key=lambda job: job.length)


def on_numbers(rule: Any, lengths: Any) -> Fraction:
    """The ratio in one game, the least makespan by another solver than that of the search."""
    federation = Federation.of(lengths)
    return custom_rule(rule, federation).run(federation).makespan / Optimal().solve(federation).lower


def confirm(rule: Any, answer: Answer) -> None:
    """What is said of a value has a game that shows it."""
    if answer.attained:
        rows = answer.lengths
        assert rows is not None
        assert on_numbers(rule, rows) == answer.value


@pytest.mark.parametrize(
    ("rule", "jobs", "value", "paths"),
    [
        (Ilba(), (2, 2), "4/3", 4),
        (LptLpt(), (2, 2), "4/3", 7),
        (LHF, (2, 2), "4/3", 7),
        (SptLpt(), (2, 2), "3/2", 28),
        (Ilba("listed"), (2, 2), "3/2", None),
        (LessHelpedFirst(), (2, 2), "3/2", 28),
        (Ilba(), (2, 1, 1), "3/2", 12),
        (LptLpt(), (2, 1, 1), "3/2", 8),
        (LHF, (2, 1, 1), "3/2", 8),
        (SptLpt(), (2, 1, 1), "3/2", 16),
        (PriorityEquilibrium(), (2, 2), "4/3", 36),
        (Local(), (3, 1, 0), "3", 1),
        (LptLpt(), (1, 1), "1", None),
        (LptLpt(), (2,), "1", None),
        *(
            pytest.param(rule, jobs, value, paths, marks=pytest.mark.exhaustive)
            for rule, jobs, value, paths in [
                (Ilba(), (3, 3, 3), "3/2", 252),
                (Ilba(), (5, 4), "4/3", None),
                (LptLpt(), (3, 3), "4/3", None),
                (LHF, (3, 3), "4/3", None),
                (SptLpt(), (2, 2, 1), "5/3", None),
                (Ilba(), (2, 2, 1, 1), "5/3", 164),
                (LptLpt(), (2, 2, 1, 1), "5/3", 134),
                (LHF, (2, 2, 1, 1), "5/3", 92),
                (SptLpt(), (2, 2, 1, 1), "5/3", 307),
                (Ilba(), (3, 2, 1, 1), "5/3", 456),
                (Ilba(), (2, 2, 2, 1), "5/3", 366),
                (LHF, (2, 2, 2, 1), "5/3", 493),
                (LHF, (3, 2, 1, 1), "5/3", 524),
                (Ilba(), (2, 2, 2, 2), "5/3", 720),
            ]
        ),
    ],
)
def test_values_of_the_rules(rule: Any, jobs: tuple[int, ...], value: str, paths: int | None) -> None:
    answer = ratio(Shape(jobs), rule, method="cover")
    assert (answer.status, answer.value, answer.theorem) == (Status.PROVED, Fraction(value), None)
    assert paths in (None, answer.regions)
    confirm(rule, answer)


@pytest.mark.parametrize(
    ("rule", "jobs", "most"),
    [
        (Ilba(), (2, 2), 5),
        (SptLpt(), (3, 1), 4),
        (LessHelpedFirst(), (2, 2), 4),
        (LptLpt(), (2, 1, 1), 4),
        (Rows(), (2, 1), 4),
        (LongAtHome(), (2, 1), 9),
        (Ilba("spt"), (2, 0, 2), 4),
    ],
)
def test_no_small_game_is_worse(rule: Any, jobs: tuple[int, ...], most: int) -> None:
    """Every list of every organization in every order, and the search through the theorem says the same."""
    answer = ratio(Shape(jobs), rule, method="cover")
    assert ratio(Shape(jobs), rule).value == answer.value
    assert answer.value is not None
    confirm(rule, answer)
    worst = Fraction(0)
    for flat in itertools.product(range(1, most + 1), repeat=sum(jobs)):
        numbers = iter(flat)
        worst = max(worst, on_numbers(rule, [[next(numbers) for _ in range(count)] for count in jobs]))
    assert worst <= answer.value
    if answer.attained and answer.lengths is not None and max(map(max, filter(None, answer.lengths))) <= most:
        assert worst == answer.value


def test_a_limit_is_not_attained() -> None:
    answer = ratio(Shape((2, 1)), Local())
    assert answer.value == 2
    assert (answer.attained, answer.lengths) == (False, None)


def test_bounds() -> None:
    for method, theorem in (("auto", "sharp-ratios"), ("cover", None)):
        answer = prove(Shape((2, 2)), "ratio", Fraction(4, 3), method, mechanism=Ilba())
        assert (answer.status, answer.theorem, answer.at_most) == (Status.PROVED, theorem, Fraction(4, 3))
    for rule, jobs, bound in (
        (Ilba(), (2, 2), "13/10"),
        (Local(), (2, 1), "199/100"),
        (Rows(Fraction(1)), (1, 1), "9"),
    ):
        answer = ratio(Shape(jobs), rule, at_most=Fraction(bound))
        assert (answer.status, answer.value, answer.attained) == (Status.REFUTED, None, None)
        assert answer.lengths is not None
        assert on_numbers(rule, answer.lengths) > Fraction(bound)


def test_the_theorem_is_for_the_heuristics() -> None:
    shape = Shape((5, 1, 0))
    for rule, bound in ((Ilba(), Fraction(3, 2)), (Ilba("spt"), Fraction(5, 3))):
        answer = by_theorem(shape, "ratio", bound, rule)
        assert answer is not None
        assert answer.at_most == bound
    for other in (Local(), Rows(), type("Derived", (Ilba,), {})()):
        assert by_theorem(shape, "ratio", Fraction(9), other) is None


@pytest.mark.parametrize(
    ("rule", "options", "error", "says"),
    [
        ("coordination", {}, InputError, "coordination policy"),
        (ShortestFirst(), {}, InputError, "ShortestFirst is a coordination policy"),
        ("optimal", {}, InputError, "'optimal' does more with lengths"),
        ("relaxed-3", {}, InputError, "'relaxed-3' does more with lengths"),
        ("priority-equilibrium", {"solver": "exact"}, InputError, "solver 'lpt'"),
        (Digits(), {}, NotPiecewiseLinear, "the digits of a symbolic number"),
        (Moody(), {}, MechanismError, "two answers"),
        (Rows(Fraction(1)), {}, InputError, "no largest"),
    ],
)
def test_what_is_refused(rule: Any, options: dict[str, Any], error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        ratio(Shape((2, 2)), info("federation", rule).load()(**options) if isinstance(rule, str) else rule)


def test_a_shape_without_jobs_has_no_ratio() -> None:
    with pytest.raises(InputError, match="no jobs"):
        ratio(Shape((0, 0)), Ilba())


def test_stopped_by_a_limit_or_by_ctrl_c() -> None:
    def press(done: int, total: int | None, note: str = "") -> None:
        raise KeyboardInterrupt

    for more in ({"clock": Clock(0)}, {"progress": press}):
        answer = ratio(Shape((3, 2, 1)), LptLpt(), **more)
        assert (answer.status, answer.value, answer.at_most) == (Status.OPEN, None, Fraction(3, 2))
        assert answer.done < 1
