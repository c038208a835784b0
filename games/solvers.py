"""Which solvers there are for which games: a table of references, readable without importing any of them.

A model knows no solver. A solver that is more than enumeration has an entry here that says, by references, of which
class its games are, what it says of one of them before any work (:class:`.results.Coverage`), and what runs it;
:func:`consortium.games.search.search` asks. A game that brings its own methods along (:class:`.protocol.HasMethods`)
needs no entry.

>>> from consortium.agents.organizations import Federation
>>> from consortium.games.placement.game import PlacementGame
>>> list(bound(PlacementGame(Federation.of([[2, 2], [1]]))))
['enumeration', 'boxes', 'cuts', 'home-loads', 'dynamics']
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Final

from ..support.exact import magnitude
from ..support.loading import instance_of, load
from .normal_form import table_bytes
from .protocol import Game, count_profiles
from .results import Coverage, Findings, Options, Solver

ENUMERATION: Final = "enumeration"
"""The solver for every game whose table fits."""
COMFORTABLE: Final = 2**28
"""A table of at most so many bytes is preferred to any other solver: it answers every question."""


@dataclass(frozen=True)
class Entry:
    """A solver for the games of one class.

    Attributes
    ----------
    name
        On the surface, as in ``search(game, method=...)``.
    games
        Class of its games.
    covers
        ``covers(game)``: its :class:`.results.Coverage` of one of them.
    solve
        ``solve(game, options)``: its :class:`.results.Findings`.
    playable
        ``playable(game)``: whether its dynamics can be played and checked; ``None`` where they always can.
    partial
        Whether it rarely proves all that it finds: taken only where everything else is out of reach.
    """

    name: str
    games: str
    covers: str
    solve: str
    playable: str | None = None
    partial: bool = False


PLACEMENT: Final = ".games.placement.game:PlacementGame"
DECLARATIONS: Final = ".games.declaration.game:DeclarationGame"
SOLVERS: Final = (
    Entry(
        "boxes",
        PLACEMENT,
        ".games.placement.branch_and_bound:by_branch_and_bound",
        ".games.placement.branch_and_bound:branch_and_bound_search",
    ),
    Entry("cuts", PLACEMENT, ".games.placement.cuts_model:by_cuts", ".games.placement.cuts:cut_search"),
    Entry(
        "home-loads",
        PLACEMENT,
        ".games.placement.home_loads:by_home_loads",
        ".games.placement.home_loads:home_load_search",
    ),
    Entry(
        "dynamics",
        PLACEMENT,
        ".games.placement.dynamics:by_dynamics",
        ".games.placement.dynamics:dynamics_search",
        playable=".games.placement.dynamics:playable",
        partial=True,
    ),
)
"""In order of preference among those that cover a game."""
BOUNDS: Final[Mapping[str, str]] = MappingProxyType(
    {PLACEMENT: ".games.placement.dynamics:bounds", DECLARATIONS: ".games.declaration.bounds:bounds"}
)
"""By class of games: ``bounds(game, best)``, what holds whatever a stopped solver knows."""


def coverage(game: Game) -> dict[Entry, Coverage]:
    """What every solver for games of this class says of the game."""
    return {entry: load(entry.covers)(game) for entry in SOLVERS if instance_of(game, entry.games)}


def bound(game: Game) -> dict[str, Solver]:
    """Enumeration and all solvers that cover the game, by name."""
    able = [entry for entry, said in coverage(game).items() if said.covered]
    references = {entry.name: entry.solve for entry in able}
    references = {ENUMERATION: ".games.enumeration_search:enumeration_search", **references}
    return {name: partial(_run, reference, game) for name, reference in references.items()}


def playable(game: Game, method: str) -> bool:
    """Whether the game's dynamics can be played and checked, as far as this solver needs to know."""
    return all(load(entry.playable)(game) for entry in SOLVERS if entry.name == method and entry.playable is not None)


def _run(reference: str, game: Game, options: Options) -> Findings:
    findings: Findings = load(reference)(game, options)
    return findings


def choose(game: Game, max_bytes: int) -> tuple[str, str]:
    """Name of the solver to take and the reason: the table while it is small, else the first one that needs none."""
    need = table_bytes(game)
    said = coverage(game)
    able = [(entry.name, own.why) for entry, own in said.items() if own.covered and not entry.partial]
    last = [(entry.name, own.why) for entry, own in said.items() if own.covered and entry.partial]
    if not said:
        return ENUMERATION, f"{magnitude(count_profiles(game))} profiles fit a table of {magnitude(need)} bytes"
    if not able and last and need > max_bytes:
        reason, (name, why) = next(iter(said.values())).why, last[0]
        return name, f"{reason}: a table of all profiles would take {magnitude(need)} bytes; {why}"
    if not able:
        reason = next(iter(said.values())).why
        return ENUMERATION, f"{reason}: only the table of all profiles ({magnitude(need)} bytes) answers"
    if need <= min(max_bytes, COMFORTABLE):
        return ENUMERATION, f"all profiles fit a table of {need:,} bytes, which answers everything"
    name, why = able[0]
    return name, f"a table would take {magnitude(need)} bytes; {why}"
