"""Tables of declaration games: all profiles at once beside playing each, per profile, in the same run.

``python -m pytest benchmarks/test_declaration_search.py --benchmark-enable -s`` prints how many times as long playing
takes, and what one profile costs in the table of six agents with six and with ten declarations (a million profiles) and
in the whole search of as many, for all rules, and with the lexical goal, whose table is asked for ranks as well. On a
machine that does more at the same time add ``--benchmark-timer=time.process_time``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import pytest

from consortium.games.declaration.game import DeclarationGame
from consortium.games.normal_form import NormalFormGame
from consortium.games.search import search
from consortium.mechanisms.declaration import build
from consortium.mechanisms.declaration.factory import DESIGNS
from consortium.scheduling.clusters import Cluster
from consortium.scheduling.goals import LexicalMax, SumOfTimes
from consortium.scheduling.welfare import Goal

GROUP = "declaration games of 6 agents on 2 machines, bystander on one"
RULES = tuple(DESIGNS)
GOALS: dict[str, Goal] = {"sum": SumOfTimes(), "lexical": LexicalMax()}
KINDS = [(rule, "sum") for rule in RULES] + [("light-vcg", "lexical"), ("harsh", "lexical")]
SECONDS: dict[tuple[str, str], float] = {}
"""Seconds per profile, by rule and way."""


def game(rule: str, declarations: int, agents: int = 6, goal: str = "sum") -> DeclarationGame:
    numbers = tuple(Fraction(i) for i in range(1, declarations + 1))
    lengths = tuple(numbers[i % declarations] for i in range(agents))
    cluster = Cluster.of([1] if rule == "bystander" else [1, 2])
    price = "S/2 - E" if rule == "designed" else None
    return DeclarationGame(build(rule, cluster, GOALS[goal], price=price), lengths, (numbers,) * agents)


@pytest.fixture(scope="module", autouse=True)
def told() -> Iterator[None]:
    yield
    for (rule, way), seconds in SECONDS.items():
        played = SECONDS.get((rule, "played"), 0.0)
        times = f"{played / seconds:8,.0f} times as fast as playing" if seconds and played else ""
        print(f"\n{rule:>13}, {way:<31}: {seconds * 1e6:9,.2f} us per profile {times}", end="")
    print()


def timed(benchmark: Any, rule: str, way: str, work: Callable[[], Any], size: int, rounds: int = 3) -> Any:
    found = benchmark.pedantic(work, rounds=rounds, iterations=1)
    SECONDS[rule, way] = benchmark.stats.stats.median / size if benchmark.stats else 0.0
    return found


@pytest.mark.benchmark(group=GROUP)
@pytest.mark.parametrize("rule", RULES)
def test_played(benchmark: Any, rule: str) -> None:
    found = timed(benchmark, rule, "played", lambda: NormalFormGame.from_costs(game(rule, 2)), 2**6, 1)
    assert found.social.size == 2**6


@pytest.mark.benchmark(group=GROUP)
@pytest.mark.parametrize("declarations", [6, 10])
@pytest.mark.parametrize(("rule", "goal"), KINDS)
def test_table(benchmark: Any, rule: str, goal: str, declarations: int) -> None:
    NormalFormGame.from_game(game(rule, 6, goal=goal))  # compile
    size = declarations**6
    work = lambda: NormalFormGame.from_game(game(rule, declarations, goal=goal))  # noqa: E731
    assert timed(benchmark, rule, f"table of {size:,}, {goal}", work, size).social.size == size


@pytest.mark.benchmark(group=GROUP)
@pytest.mark.parametrize("declarations", [6, 10])
@pytest.mark.parametrize(("rule", "goal"), KINDS)
def test_search(benchmark: Any, rule: str, goal: str, declarations: int) -> None:
    search(game(rule, 4, goal=goal))  # compile
    size = declarations**6
    work = lambda: search(game(rule, declarations, goal=goal))  # noqa: E731
    assert timed(benchmark, rule, f"search of {size:,}, {goal}", work, size, 1).complete
