"""The definitions written plainly: what the package is compared with."""

from __future__ import annotations

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
