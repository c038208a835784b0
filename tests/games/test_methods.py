"""The table of solvers: who covers what, what is chosen and why, and that asking imports nothing heavy."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from fractions import Fraction

import pytest

from consortium.agents.organizations import Federation
from consortium.games.placement.game import PlacementGame
from consortium.games.protocol import Outcome
from consortium.games.results import Equilibria, Findings, Solver
from consortium.games.search import available_methods, choose_method, search
from consortium.mechanisms.federation import Coordination
from consortium.support.errors import UnknownNameError

LARGE = [[1] * 9, [2] * 9, [3] * 9]
KINDS = {
    "organizations": (Coordination(), 1, ["enumeration", "branch-and-bound", "cuts", "dynamics", "theorem"]),
    "jobs": (Coordination("jobs", "shortest"), 1, ["enumeration", "cuts", "dynamics"]),
    "sums of completion times": (Coordination(objective="total-completion"), 1, ["enumeration", "dynamics", "theorem"]),
    "several machines per organization": (Coordination(), 2, ["enumeration", "dynamics", "theorem"]),
}
WHY = {"branch-and-bound": "branch and bound over home loads needs none", "cuts": "the constraint search needs none"}


@pytest.mark.parametrize("kind", KINDS)
def test_solvers_say_what_they_cover(kind: str) -> None:
    rule, machines, expected = KINDS[kind]
    game = PlacementGame(Federation.of(LARGE, [machines] * 3), rule)
    assert list(available_methods(game)) == expected
    method, why = choose_method(game)
    assert method == next((name for name in ("branch-and-bound", "cuts") if name in expected), "dynamics")
    assert WHY.get(method, f"{kind}: a table of all profiles would take") in why
    with pytest.raises(UnknownNameError, match="'home-load'"):
        search(game, "home-load")


class Lottery:
    """One player, one ticket; solved by its own method, which it prefers."""

    players = ("ann",)

    def strategies(self, player: int) -> tuple[str, ...]:
        return ("ticket",)

    def costs(self, profile: tuple[str, ...]) -> tuple[int]:
        return (1,)

    def search_methods(self) -> Mapping[str, Solver]:
        only = Outcome(("ticket",), (Fraction(1),), Fraction(1))
        return {"look": lambda options: Findings(Equilibria(True, 1, only, only, (only,)), optimum=only)}

    def choose_method(self, max_bytes: int) -> tuple[str, str]:
        return "look", f"no table, although {max_bytes} bytes are free"


def test_a_game_may_bring_its_own_solver_and_choose_it() -> None:
    found = search(Lottery(), max_bytes=64)
    assert (found.method, found.why) == ("look", "no table, although 64 bytes are free")
    assert found.price_of_anarchy == 1
    assert list(available_methods(Lottery())) == ["enumeration", "look"]
    assert search(Lottery(), "enumeration").equilibria == found.equilibria


@pytest.mark.parametrize(
    ("game", "unwanted"),
    [
        (
            "consortium.games.normal_form:NormalFormGame.from_arrays([[1, 2]], sense='cost')",
            "consortium.games.placement",
        ),
        ("consortium.games.placement.game:PlacementGame(Federation.of([[2, 2], [1]]))", "ortools"),
    ],
)
def test_asking_imports_no_solver(game: str, unwanted: str) -> None:
    module, _, make = game.partition(":")
    code = (
        f"import sys; from {module} import *; from consortium.agents.organizations import Federation\n"
        f"from consortium.games.search import available_methods, choose_method\n"
        f"game = {make}; choose_method(game); available_methods(game)\n"
        f"print([name for name in sys.modules if name.startswith({unwanted!r}) or name.endswith('.enumeration')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
