"""The definitions written plainly, and a linear program solved in fractions: what the package is compared with."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from consortium.games.normal_form import NormalFormGame

INF = math.inf


def swapped(profile: Any, player: int, strategy: Any) -> Any:
    return (*profile[:player], strategy, *profile[player + 1 :])


def gain(game: NormalFormGame, profile: Any, player: int, deviation: Any) -> Any:
    """What she pays minus what she would pay; nothing between equal infinities."""
    here, there = game.costs(profile)[player], game.costs(swapped(profile, player, deviation))[player]
    return Fraction(0) if here == there else here - there


def constraints(game: NormalFormGame, concept: str) -> list[tuple[int, Any, Any]]:
    """Player, recommendation (``None``: whatever it is), deviation."""
    return [
        (i, told, a)
        for i, own in enumerate(game.labels)
        for told in ([None] if concept == "coarse" else own)
        for a in own
    ]


def holds(game: NormalFormGame, p: Mapping[Any, Fraction], constraint: tuple[int, Any, Any]) -> bool:
    """Whether the expected gain is at most 0; one of inf cannot be made good."""
    i, told, a = constraint
    gains = [(gain(game, s, i, a), w) for s, w in p.items() if w and told in (None, s[i])]
    if any(g == INF for g, _ in gains):
        return False
    return any(g == -INF for g, _ in gains) or sum((g * w for g, w in gains), Fraction(0)) <= 0


def is_equilibrium(game: NormalFormGame, p: Mapping[Any, Fraction], concept: str) -> bool:
    return (
        sum(p.values()) == 1
        and min(p.values()) >= 0
        and all(holds(game, p, constraint) for constraint in constraints(game, concept))
    )


def least_cost(game: NormalFormGame, concept: str, sign: int) -> Fraction:
    """Least of ``sign`` times the expected social cost over all equilibria of a game of finite costs."""
    profiles = list(itertools.product(*game.labels))
    rows = [
        [gain(game, s, i, a) if told in (None, s[i]) else Fraction(0) for s in profiles]
        for i, told, a in constraints(game, concept)
    ]
    return minimum([Fraction(sign * game.social_cost(s)) for s in profiles], rows)


def minimum(price: list[Fraction], rows: list[list[Fraction]]) -> Fraction:
    """Minimise price . p over distributions p with rows . p <= 0: two phases, Bland's rule, a tableau of fractions."""
    n, m = len(price), len(rows)
    table = [[*row, *(Fraction(int(k == j)) for j in range(m)), Fraction(0), Fraction(0)] for k, row in enumerate(rows)]
    table.append([Fraction(1)] * n + [Fraction(0)] * m + [Fraction(1), Fraction(1)])  # the artificial variable is last
    basis = [*range(n, n + m), n + m]
    for objective, width in (
        ([Fraction(0)] * (n + m) + [Fraction(1)], n + m + 1),
        ([*price, *[Fraction(0)] * (m + 1)], n + m),
    ):
        while True:
            cost = [
                objective[j] - sum(objective[b] * line[j] for b, line in zip(basis, table, strict=True))
                for j in range(width)
            ]
            entering = next((j for j in range(width) if cost[j] < 0), None)
            if entering is None:
                break
            _, _, row = min(
                (line[-1] / line[entering], basis[k], k) for k, line in enumerate(table) if line[entering] > 0
            )
            scale = table[row][entering]
            table[row] = [x / scale for x in table[row]]
            for k, line in enumerate(table):
                if k != row and line[entering]:
                    table[k] = [x - line[entering] * y for x, y in zip(line, table[row], strict=True)]
            basis[row] = entering
    assert sum(objective[b] * line[-1] for b, line in zip(basis, table, strict=True) if b == n + m) == 0
    return sum((price[b] * line[-1] for b, line in zip(basis, table, strict=True) if b < n), Fraction(0))
