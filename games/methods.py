"""Which solver to take for a game: enumeration where its table is small, else one of its class (:mod:`.registry`).

A solver says of a game before any work what it can do (:class:`.results.Coverage`), which :func:`.search.search`
asks. A game that brings its own methods along (:class:`.protocol.HasMethods`) needs none of this.

>>> from consortium.agents.organizations import Federation
>>> from consortium.games.placement.game import PlacementGame
>>> list(solvers_of(PlacementGame(Federation.of([[2, 2], [1]]))))
['enumeration', 'branch-and-bound', 'cuts', 'dynamics']
"""

from __future__ import annotations

from functools import partial
from typing import Final

from ..support.exact import magnitude
from ..support.loading import load
from .normal_form import table_bytes
from .protocol import Game, count_profiles
from .registry import Method, methods
from .results import Coverage, Findings, Options, Solver

ENUMERATION: Final = "enumeration"
"""The solver for every game whose table fits."""
COMFORTABLE: Final = 2**28
"""A table of at most so many bytes is preferred to any other solver: it answers every question."""


def coverage(game: Game) -> dict[Method, Coverage]:
    """What every solver for games of this class says of the game."""
    return {method: load(method.covers)(game) for method in methods(game)}


def solvers_of(game: Game) -> dict[str, Solver]:
    """Enumeration and all solvers that cover the game, by name."""
    able = [entry for entry, coverage_of in coverage(game).items() if coverage_of.covered]
    references = {entry.name: entry.solve for entry in able}
    references = {ENUMERATION: ".games.enumeration_search:enumeration_search", **references}
    return {name: partial(_run, reference, game) for name, reference in references.items()}


def playable(game: Game, method: str) -> bool:
    """Whether the game's dynamics can be played and checked, as far as this solver needs to know."""
    return all(load(one.playable)(game) for one in methods(game) if one.name == method and one.playable is not None)


def _run(reference: str, game: Game, options: Options) -> Findings:
    findings: Findings = load(reference)(game, options)
    return findings


def choose(game: Game, max_bytes: int) -> tuple[str, str]:
    """Name of the solver to take and the reason: the table while it is small, else the first one that needs none."""
    need = table_bytes(game)
    covers = coverage(game)
    able = [(entry.name, own.why) for entry, own in covers.items() if own.covered and not entry.partial]
    last = [(entry.name, own.why) for entry, own in covers.items() if own.covered and entry.partial]
    if not covers:
        return ENUMERATION, f"{magnitude(count_profiles(game))} profiles fit a table of {magnitude(need)} bytes"
    if not able and last and need > max_bytes:
        reason, (name, why) = next(iter(covers.values())).why, last[0]
        return name, f"{reason}: a table of all profiles would take {magnitude(need)} bytes; {why}"
    if not able:
        reason = next(iter(covers.values())).why
        return ENUMERATION, f"{reason}: only the table of all profiles ({magnitude(need)} bytes) answers"
    if need <= min(max_bytes, COMFORTABLE):
        return ENUMERATION, f"all profiles fit a table of {need:,} bytes, which answers everything"
    name, why = able[0]
    return name, f"a table would take {magnitude(need)} bytes; {why}"
