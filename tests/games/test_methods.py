"""The table of solvers: who covers what, what is chosen and why, and that asking imports nothing heavy."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import pytest

import consortium
from consortium.agents.organizations import Federation
from consortium.games.checkers import is_nash
from consortium.games.placement.game import PlacementGame
from consortium.games.protocol import Outcome
from consortium.games.results import Bounds, Equilibria, Findings, Solver
from consortium.games.search import available_methods, choose_method, search
from consortium.mechanisms.federation import Coordination
from consortium.reports.sentences import sentences_of
from consortium.support.errors import ContradictionError, InputError, MechanismError, UnknownNameError

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
    assert list(available_methods(Lottery())) == ["enumeration", "dynamics", "look"]
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


class Racks:
    """Services pick a rack and wait for its load; somebody's own solver says what it is told to say."""

    def __init__(self, weights: Sequence[int], says: Callable[[Racks], object]) -> None:
        self.players, self.weights, self.says = tuple(f"s{n}" for n in range(len(weights))), tuple(weights), says

    def strategies(self, player: int) -> tuple[int, ...]:
        return (0, 1, 2)

    def costs(self, profile: tuple[int, ...]) -> list[int]:
        return [sum(w for w, other in zip(self.weights, profile, strict=True) if other == rack) for rack in profile]

    def social_cost(self, profile: tuple[int, ...]) -> int:
        return max(self.costs(profile))

    def at(self, profile: tuple[int, ...], social_cost: int | None = None) -> Outcome:
        """In plain integers, as people write it."""
        costs: Any = tuple(self.costs(profile))
        return Outcome(profile, costs, Fraction(max(costs) if social_cost is None else social_cost))

    def search_methods(self) -> Mapping[str, Any]:
        return {"said": lambda options: self.says(self)}


SMALL, BEST, WORST = (3, 2, 2, 1, 1), (0, 1, 2, 1, 2), (0, 1, 1, 2, 2)  # 18 equilibria, of social cost 3 and 4


def said(game: Racks, count: int | None = 18, **changed: Any) -> Findings:
    ends = {"best": game.at(BEST), "worst": game.at(WORST)}
    ends |= {end: changed.pop(end) for end in ends.keys() & changed.keys()}
    return Findings(Equilibria(True, count, **ends, listed=(ends["best"],)), **{"optimum": game.at(BEST)} | changed)


def test_the_truth_of_ones_own_solver_is_exact_and_complete() -> None:
    found = search(Racks(SMALL, said), "said")
    assert (found.complete, found.unchecked, found.equilibria.count) == (True, (), 18)
    assert (found.price_of_anarchy, type(found.price_of_anarchy)) == (Fraction(4, 3), Fraction)
    assert type(found.equilibria.worst.social_cost) is Fraction  # type: ignore[union-attr]


LIES: dict[str, tuple[Callable[[Racks], object], str]] = {
    "count": (lambda g: said(g, 17), "the count is 17; every profile tried: 18"),
    "worst": (lambda g: said(g, worst=g.at(BEST)), "worst equilibrium is 3; every profile tried: 4"),
    "best": (lambda g: said(g, best=g.at(WORST)), "best equilibrium is 4; every profile tried: 3"),
    "order": (lambda g: said(g, best=g.at(WORST), worst=g.at(BEST)), "social cost 3 is named, and the best has 4"),
    "social cost": (lambda g: said(g, worst=g.at(WORST, 99)), r"found 99 at .*; the social cost is 4"),
    "cost": (
        lambda g: said(g, optimum=Outcome(BEST, (Fraction(1),) * 5, Fraction(3))),
        r"found \(1, 1, 1, 1, 1\) at .*; costs\(\) are \(3, 3, 3, 3, 3\)",
    ),
    "optimum": (lambda g: said(g, optimum=g.at((0, 0, 0, 0, 0))), "social cost 3 is named, and the optimum has 9"),
    "none": (lambda g: Findings(Equilibria(False, 0)), "no equilibrium claimed, dynamics reached"),
    "some": (lambda g: Findings(Equilibria(True, 0)), "the count is 0, and exists is True"),
    "epsilon": (lambda g: said(g, smallest_epsilon=Fraction(2)), "smallest epsilon is 2, and an equilibrium is named"),
    "bound": (
        lambda g: said(g, count=None, complete=False, bounds=Bounds(worst_at_most=Fraction(3))),
        "worst_at_most is 3; every profile tried: 4",
    ),
    "no findings": (lambda g: 18, "found int; expected Findings"),
}


@pytest.mark.parametrize("lie", LIES)
def test_a_wrong_answer_of_ones_own_solver_is_an_error(lie: str) -> None:
    says, why = LIES[lie]
    with pytest.raises((ContradictionError, MechanismError), match=f"method 'said': .*{why}"):
        search(Racks(SMALL, says), "said")


def test_what_nothing_can_check_is_said_and_not_complete() -> None:
    """Twenty equal services: too many profiles to try, and the price that is said is wrong."""
    even = (0, 1, 2) * 6 + (0, 1)
    found = consortium.search(
        Racks((1,) * 20, lambda g: Findings(Equilibria(True, 5, g.at(even), g.at(even)), optimum=g.at(even))),
        method="said",
    )
    names = ("equilibria.count", "equilibria.best", "equilibria.worst", "optimum", "price_of_anarchy")
    assert found.unchecked == (*names, "price_of_stability")
    assert (found.complete, found.status, found.bounds) == (False, consortium.Status.OPEN, None)
    first, *others = sentences_of(found.to_dict())
    assert first.text.startswith("Not checked: only the game's own method said says equilibria.count, ")
    assert consortium.Status.PROVED not in {one.status for one in others}
    assert "not checked: only the game's own method" in str(found)


def test_that_there_is_none_proves_nothing_where_it_cannot_be_checked() -> None:
    class Chase(Racks):
        """With dynamics that go round and no equilibrium: the first two play a chase, the others wait."""

        def costs(self, profile: tuple[int, ...]) -> list[int]:
            caught = profile[0] % 2 == profile[1] % 2
            return [int(caught), int(not caught), *[0] * (len(profile) - 2)]

    found = consortium.search(Chase((1,) * 9, lambda g: Findings(Equilibria(False, 0))), method="said", coalitions=2)
    assert "equilibria.exists" in found.unchecked
    assert found.status is consortium.Status.OPEN
    assert [one.status for one in sentences_of(found.to_dict()) if "no pure equilibrium" in one.text] == [found.status]


def test_a_method_that_is_known_and_does_not_fit_says_why() -> None:
    game = PlacementGame(Federation.of([[2, 2], [1]]), Coordination(objective="total-completion"))
    with pytest.raises(InputError, match=r"'cuts' cannot search this game \(sums of completion times\); ask for 'dyn"):
        search(game, "cuts")


def test_a_stopped_search_with_an_equilibrium_knows_the_smallest_epsilon() -> None:
    game = PlacementGame(Federation.of([[2, 2], [1]]))
    found = search(game, "cuts", time_limit=0)
    assert (found.complete, found.equilibria.exists) == (False, True)
    assert (found.smallest_epsilon, found.smallest_regret) == (1, 0)
    assert found.smallest_epsilon_at is not None
    assert is_nash(game, found.smallest_epsilon_at.profile)
    assert found.bounds is not None
    assert (found.bounds.epsilon_at_least, found.bounds.epsilon_at_most) == (1, 1)


def test_a_refused_method_names_those_that_answer() -> None:
    """Not the table where it does not fit."""
    with pytest.raises(InputError, match="ask for 'dynamics' or 'theorem'"):
        search(PlacementGame(Federation.of(LARGE, [2, 2, 2])), "cuts")
    with pytest.raises(InputError, match="ask for 'dynamics' or 'enumeration'"):
        search(PlacementGame(Federation.of([[2, 1], [1]], [2, 2])), "cuts")
