"""The declaration game: agents with fixed private lengths choose what to declare to a mechanism (Agmon 2003, 3.6).

Model: player ``n`` has length ``theta[n]`` and declares one of a finite list of numbers, her own length among them. Her
cost is ``V[n] - U[n]``: output time plus payment while she takes part, ``V[n]`` when she leaves a mechanism of two
rounds. The social cost is minus the final welfare. Where that is no number (the lexical maximum is a tuple of times),
it is the rank of the profile's welfare among all profiles, best first from 0, so that better and worse keep their
meaning and ratios have none (``numeric`` says which).

Ties: strategies are listed in increasing order, so the first best response is the smallest declaration.

>>> from fractions import Fraction
>>> from consortium.mechanisms.declaration import build
>>> from consortium.scheduling.clusters import Cluster
>>> light = build("light-vcg", Cluster.of([1]))
>>> game = DeclarationGame(light, (Fraction(2), Fraction(1)), ((Fraction(1),), (Fraction(1),)))
>>> game.strategies(0), [str(cost) for cost in game.costs((Fraction(2), Fraction(1)))]
((Fraction(1, 1), Fraction(2, 1)), ['4', '4'])
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ...mechanisms.declaration.protocol import DeclarationMechanism, Outcome, play
from ...scheduling.goals import SumOfTimes
from ...scheduling.welfare import Goal
from ...support.errors import InputError
from ...support.exact import INF, Extended
from ..registry import ability

if TYPE_CHECKING:
    from ..normal_form import NormalFormGame


@dataclass(frozen=True)
class DeclarationGame:
    """A mechanism, the agents' true lengths, and what each may declare.

    Attributes
    ----------
    mechanism
        Anything with ``run(declared, lengths)``.
    lengths
        True lengths, one per agent.
    declarations
        Possible declarations per agent; her own length is added.
    values
        V_n, default 0.
    names
        Default ``a1``, ``a2``, ...
    goal
        What welfare is where the mechanism tells none and has no goal of its own; default the sum of output times.
    """

    mechanism: DeclarationMechanism
    lengths: tuple[Fraction, ...]
    declarations: tuple[tuple[Fraction, ...], ...]
    values: tuple[Fraction, ...] = ()
    names: tuple[str, ...] = ()
    goal: Goal = field(default_factory=SumOfTimes)
    _seen: dict[tuple[Fraction, ...], Outcome] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        n = len(self.lengths)
        if len(self.declarations) != n:
            raise InputError(f"declarations: found lists for {len(self.declarations)} agents; expected {n}")
        if not self.values:
            object.__setattr__(self, "values", (Fraction(0),) * n)
        if not self.names:
            object.__setattr__(self, "names", tuple(f"a{i}" for i in range(1, n + 1)))

    @property
    def players(self) -> tuple[str, ...]:
        """The agents' names."""
        return self.names

    def strategies(self, player: int) -> tuple[Fraction, ...]:
        """Declarations of an agent, increasing; the truth is among them."""
        return tuple(sorted({*self.declarations[player], self.lengths[player]}))

    def outcome(self, profile: Sequence[Fraction]) -> Outcome:
        """What the mechanism does with these declarations (remembered)."""
        key = tuple(profile)
        if key not in self._seen:
            self._seen[key] = play(self.mechanism, key, self.lengths, self.values)
        return self._seen[key]

    def costs(self, profile: Sequence[Fraction]) -> tuple[Extended, ...]:
        """Output plus payment per agent; ``inf`` for a job that never ends; V_n for an agent who left."""
        utilities = self.outcome(profile).utilities
        assert utilities is not None  # play() fills them in
        return tuple(INF if u == -INF else v - u for v, u in zip(self.values, utilities, strict=True))

    def welfare(self, profile: Sequence[Fraction]) -> Any:
        """Final welfare of a profile; by :attr:`goal` where the mechanism does not tell."""
        return self.outcome(profile).welfare_by(self.goal)

    @property
    def numeric(self) -> bool:
        """Whether welfare is a number."""
        return not isinstance(self.welfare(self.lengths), tuple)

    @property
    def kept(self) -> NormalFormGame | None:
        """The table of all profiles, once there is one and it is asked again: for ranks."""
        return vars(self).get("_table")

    def keep(self, table: NormalFormGame) -> None:
        """Take the ranks of profiles from a table that somebody made of this game."""
        vars(self)["_table"] = table

    @cached_property
    def _table(self) -> NormalFormGame | None:
        """All profiles, where there is a faster way to rank them than to play each."""
        tabulate = ability(self, "tabulate")
        return None if tabulate is None else tabulate(self, None, None)

    @cached_property
    def _ranks(self) -> dict[Any, int]:
        profiles = itertools.product(*(self.strategies(player) for player in range(len(self.lengths))))
        return {w: rank for rank, w in enumerate(sorted({self.welfare(p) for p in profiles}, reverse=True))}

    def social_cost(self, profile: Sequence[Fraction]) -> Extended:
        """Minus the final welfare, or its rank where it is no number."""
        welfare: Extended | tuple[Extended, ...] = self.welfare(profile)
        if not isinstance(welfare, tuple):
            return -welfare
        table: NormalFormGame | None = self._table
        return Fraction(self._ranks[welfare]) if table is None else table.social_cost(tuple(profile))
