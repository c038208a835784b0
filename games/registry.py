"""The registry of solvers and checkers by class of games; references, readable without importing any of them.

A model knows no solver, and a solver or a checker no model. Where some games have a better way than listing strategies
and asking for costs, their class has an entry here; :func:`ability` loads what is needed of it. A game that brings its
own ways along (:class:`.protocol.HasBestResponse` and the protocols next to it) needs none.

>>> from consortium.games.normal_form import NormalFormGame
>>> ability(NormalFormGame.from_arrays([[0, 1]], sense="cost"), "tabulate") is None
True
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

from ..support.loading import instance_of, load

Ability: TypeAlias = Literal[
    "best_reply", "tabulate", "bounds", "promised", "certify", "smallest_deviation", "search_coalitions"
]


@dataclass(frozen=True)
class Method:
    """A way to search the games of a class."""

    name: str  # on the surface, as in ``search(game, method=...)``
    covers: str  # ``covers(game)``: its :class:`.results.Coverage` of one of them
    solve: str  # ``solve(game, options)``: its :class:`.results.Findings`
    # ``playable(game)``: whether its dynamics can be played and checked; ``None`` where they always can
    playable: str | None = None
    # whether it rarely proves all that it finds: taken only where everything else is out of reach
    partial: bool = False
    # whether it says that there is an equilibrium, and nothing else
    existence: bool = False


@dataclass(frozen=True)
class GameClass:
    """The games of one class."""

    games: str
    methods: tuple[Method, ...] = ()  # in order of preference among those that cover a game
    # ``best_reply(game, player, profile)``, exact, the first one in the order of the strategies
    best_reply: str | None = None
    # ``tabulate(game, progress, clock)``: the game as arrays, ``None`` where it has no faster way for this one
    tabulate: str | None = None
    bounds: str | None = None  # ``bounds(game, best)``, what holds whatever a stopped solver knows
    # ``promised(game)``: the :class:`.results.Promise` of a theorem, before any search; ``None`` where there is none
    promised: str | None = None
    # ``certify(game, profile)``: per player ``(cost, least cost over all own deviations)``, exact; a checker
    certify: str | None = None
    # ``(game, profile, k, notion, clock) -> Deviation | None``, for what is too large to be tried; a checker
    smallest_deviation: str | None = None
    # ``(game, k, notion, result, clock, progress) -> CoalitionSearch``, for games without a small table; catches
    # KeyboardInterrupt and the end of the clock itself, raises TooLargeError for what it does not cover
    search_coalitions: str | None = None


CLASSES: Final = (
    GameClass(
        ".games.placement.game:PlacementGame",
        methods=(
            Method(
                "branch-and-bound",
                ".games.placement.branch_and_bound:by_branch_and_bound",
                ".games.placement.branch_and_bound:branch_and_bound_search",
            ),
            Method("cuts", ".games.placement.cuts_model:by_cuts", ".games.placement.cuts:cut_search"),
            Method(
                "dynamics",
                ".games.placement.dynamics:by_dynamics",
                ".games.placement.dynamics:dynamics_search",
                playable=".games.placement.dynamics:playable",
                partial=True,
            ),
            Method(
                "theorem",
                ".games.placement.theorems:by_theorem",
                ".games.placement.theorems:theorem_search",
                playable=".games.placement.dynamics:playable",
                partial=True,
                existence=True,
            ),
        ),
        best_reply=".games.placement.best_reply:best_reply",
        bounds=".games.placement.bounds:bounds",
        promised=".games.placement.theorems:promised",
        certify=".games.placement.checker:cost_and_best",
        smallest_deviation=".games.placement.joint_deviations:smallest_deviation",
        search_coalitions=".games.placement.coalition_cuts:coalition_search",
    ),
    GameClass(
        ".games.declaration.game:DeclarationGame",
        tabulate=".games.declaration.table:tabulate",
        bounds=".games.declaration.bounds:bounds",
    ),
    GameClass(".games.normal_form:NormalFormGame"),  # which is its table
)


ANY: Final = (Method("dynamics", ".games.dynamics:by_dynamics", ".games.dynamics:dynamics_search", partial=True),)
"""Ways to search games of no class, of which only players, strategies and costs are known."""


def methods(game: object) -> tuple[Method, ...]:
    """The ways, besides the table of all profiles, to search a game."""
    classes = [one for one in CLASSES if instance_of(game, one.games)]
    return tuple(method for one in classes for method in one.methods) if classes else ANY


def ability(game: object, name: Ability) -> Any | None:
    """What the class of a game can do under a name, loaded; ``None`` where it cannot."""
    references = (getattr(one, name) for one in CLASSES if instance_of(game, one.games))
    return next((load(reference) for reference in references if reference is not None), None)
