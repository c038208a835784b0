"""The table of a declaration game at once beside playing every profile."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable
from fractions import Fraction as F
from typing import Any

import numpy as np
import pytest

from consortium.games.declaration import table as tabulating
from consortium.games.declaration.game import DeclarationGame
from consortium.games.declaration.table import tabulate
from consortium.games.normal_form import NormalFormGame, from_cell
from consortium.games.search import search
from consortium.mechanisms.declaration import Cutoff, build
from consortium.mechanisms.declaration.catalogue import CUTOFF_NEEDED, PENALTIES, SUM_ONLY, SUM_PENALTY
from consortium.mechanisms.declaration.factory import DESIGNS
from consortium.scheduling.clusters import Cluster
from consortium.scheduling.goals import (
    ExpressionGoal,
    LexicalMax,
    Makespan,
    SquaredDeviation,
    SumOfTimes,
    WeightedMakespan,
    WeightedSum,
)
from consortium.support.errors import InputError

KINDS = [(rule, penalty) for rule in DESIGNS for penalty in (*PENALTIES.get(rule, (None,)), "numbers")]
POSTPONE = {rule for rule, design in DESIGNS.items() if design.tool == "postpone"}
KINDS = [(rule, penalty) for rule, penalty in KINDS if penalty != "numbers" or rule in PENALTIES]
SEEDS = 3 * len(KINDS)


def drawn(seed: int) -> DeclarationGame:
    """Every rule and penalty in turn; equal lengths and one agent are frequent, a scale of 10**18 now and then."""
    rng = random.Random(seed)
    rule, penalty = KINDS[seed % len(KINDS)]
    n = 3 if rule == "bystander" else rng.choice([1, 2, 2, 3, 3])
    scale = rng.choice([F(1), F(1), F(1), F(10**18), F(1, 10**18), F(10**18 + 9)])
    pool = [scale * x for x in (F(1), F(2), F(3), F(5, 2), F(7, 3))]
    kind = CUTOFF_NEEDED.get(penalty or "") if rule in POSTPONE else None
    if rule in POSTPONE and kind is None and rng.random() < 0.4:
        kind = rng.choice(["difference", "absolute"])
    cutoff = None if kind is None else Cutoff(kind, scale * (3 if kind == "absolute" else F(rng.choice([1, 2]), 2)))
    names = [f"a{i}" for i in range(1, n + 1)]
    goals: list[Any] = [
        Makespan(rng.randint(1, 4)), LexicalMax(), SquaredDeviation(scale * rng.choice([F(2), F(7, 2)])),
        WeightedSum([rng.choice([F(0), F(1), F(3, 2)]) for _ in range(n)]), WeightedSum((F(2, 3),) * n),
        WeightedMakespan([rng.choice([F(0), F(1), F(3, 2)]) for _ in range(n)]), Plain(),
        ExpressionGoal(rng.choice(["-(a1 * a1 + 1)", "3 - 2 * a1", "a1 - 2 * max(a1, 4)"]), names),
    ]  # fmt: skip
    only_sum = rule in {*SUM_ONLY, "bystander"} or penalty == SUM_PENALTY or rng.random() < 0.2
    share = [F(rng.randint(1, 5), 5) * (scale if rule in POSTPONE else 1) for _ in range(n)]
    mechanism = build(
        rule,
        Cluster.of(
            [rng.choice([1, 1, F(3, 2), 2]) for _ in range(1 if rule == "bystander" else rng.choice([1, 2, 2, 3]))]
        ),
        SumOfTimes() if only_sum else rng.choice(goals),
        price="min(S, own + 2*E)" if rule == "designed" else None,
        penalty=share if penalty == "numbers" else penalty,
        cutoff=cutoff,
        ties=rng.choice(["sum", "listed"]),
        values=rng.choice([None, share]),
    )
    lengths = tuple(rng.choice(pool) for _ in range(n))
    said = tuple(tuple(rng.sample(pool, rng.randint(0, 3 if n < 3 else 2))) for _ in range(n))
    return DeclarationGame(mechanism, lengths, said)


class Plain(LexicalMax):
    """A goal of which nothing is known but its value, a tuple."""

    def exact_cost(self, n_agents: int) -> None:
        return None


def exact(cells: Any, denominator: Any) -> list[Any]:
    return [from_cell(cell, denominator, cells.dtype == np.int64) for cell in cells.reshape(-1).tolist()]


def compare(seed: int) -> bool:
    """Whether there was a table; it is the one of playing every profile."""
    game = drawn(seed)
    found = tabulate(game)
    if found is None:
        return False
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("consortium.games.declaration.game.ability", lambda game, name: None)  # ranks without a table too
        plain = NormalFormGame.from_costs(DeclarationGame(game.mechanism, game.lengths, game.declarations))
    assert (found.players, found.labels) == (plain.players, plain.labels)
    assert exact(found.table, found.denominator) == exact(plain.table, plain.denominator), seed
    assert exact(found.social, found.social_denominator) == exact(plain.social, plain.social_denominator), seed
    return True


@pytest.mark.parametrize("seeds", [range(SEEDS), pytest.param(range(10_000, 15_000), marks=pytest.mark.exhaustive)])
def test_the_table_is_that_of_playing_every_profile(seeds: range) -> None:
    assert sum(map(compare, seeds)) > len(seeds) * 0.7


def small(rule: str = "light-vcg", **options: Any) -> DeclarationGame:
    options.setdefault("goal", SumOfTimes())
    mechanism = build(rule, Cluster.of([1, 2]), **options)
    return DeclarationGame(mechanism, (F(1), F(2)), ((F(1), F(3)),) * 2)


class Derived(type(build("harsh", Cluster.of([1])))):  # type: ignore[misc]
    """One of ours with another name may do anything."""


@pytest.mark.parametrize(
    "game",
    [
        small("vcg-postpone", rounds=2),
        small("vcg-postpone", cutoff=Cutoff("absolute", F(2))),
        small("straightforward", allocate=lambda declared: [[0], [1]]),
        small(values=[1, 2, 3]),
        DeclarationGame(Derived(**vars(build("harsh", Cluster.of([1])))), (F(1),), ((),)),
    ],
)
def test_other_games_are_played(game: DeclarationGame) -> None:
    assert tabulate(game) is None


def test_a_cutoff_refuses_in_its_own_words() -> None:
    with pytest.raises(InputError, match="cutoff"):
        NormalFormGame.from_game(small("vcg-postpone", cutoff=Cutoff("absolute", F(2))))


@pytest.mark.parametrize("first", ["table", "search", "rank"])
def test_ranks_are_tabulated_once(first: str, monkeypatch: pytest.MonkeyPatch) -> None:
    game, made = small(goal=LexicalMax()), []
    fill = tabulating._filled

    def counted(*args: Any) -> Any:
        made.append(args)
        return fill(*args)

    monkeypatch.setattr(tabulating, "_filled", counted)
    asked: dict[str, Callable[[], Any]] = {
        "table": lambda: NormalFormGame.from_game(game),
        "search": lambda: search(game),
        "rank": lambda: game.social_cost(game.lengths),
    }
    asked[first]()
    table = NormalFormGame.from_game(game)
    assert search(game).complete
    assert len(made) == 1
    profiles = list(itertools.product(*map(game.strategies, range(2))))
    assert [game.social_cost(p) for p in profiles] == [table.social_cost(p) for p in profiles]


def test_a_table_of_numbers_is_not_kept() -> None:
    game = small()
    assert search(game).complete
    assert game.kept is None
