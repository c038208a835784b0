"""Constraint search against enumeration of every profile; certificates; limits."""

from __future__ import annotations

import signal
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from consortium.agents.organizations import Federation
from consortium.games import checkers
from consortium.games.placement import cuts as extremes
from consortium.games.placement.cuts import Certificate, Claim, replay
from consortium.games.placement.cuts_model import Model, Slack
from consortium.games.placement.game import PlacementGame
from consortium.games.results import SearchResult
from consortium.games.search import search
from consortium.mechanisms.federation.coordination import Coordination
from consortium.scheduling import cp_sat
from consortium.support.errors import InputError, TooLargeError, UnknownNameError


@st.composite
def single_machine_games(draw: st.DrawFn, rule: str) -> PlacementGame:
    n = draw(st.integers(1, 4))
    most = {1: 6, 2: 8, 3: 7, 4: 6}[n]
    jobs = draw(
        st.lists(st.lists(st.integers(1, 6), max_size=4), min_size=n, max_size=n).filter(
            lambda js: 0 < sum(map(len, js)) <= most
        )
    )
    numbers = iter(draw(st.permutations(range(1, sum(map(len, jobs)) + 1))))
    priorities = [[next(numbers) for _ in row] for row in jobs]
    fed = Federation.of(jobs, priorities=priorities)
    if rule == "jobs":
        return PlacementGame(fed, Coordination("jobs", draw(st.sampled_from(["longest", "shortest", "given"]))))
    return PlacementGame(fed, Coordination(order=tuple(draw(st.permutations(fed.names)))))


def agree(game: PlacementGame, found: SearchResult, table: SearchResult) -> None:
    """Everything that the method computes equals what the table says."""
    assert found.complete
    assert found.equilibria.exists == table.equilibria.exists
    if table.equilibria.best is not None and table.equilibria.worst is not None:
        assert found.equilibria.best.social_cost == table.equilibria.best.social_cost
        assert found.equilibria.worst.social_cost == table.equilibria.worst.social_cost
    for o in found.equilibria.listed:
        assert checkers.is_nash(game, o.profile)


@pytest.mark.parametrize("rule", ["organizations", "jobs"])
@settings(max_examples=40, deadline=None, derandomize=True)
@given(data=st.data())
def test_cuts_equal_enumeration(rule: str, data: st.DataObject) -> None:
    game = data.draw(single_machine_games(rule))
    table, found = search(game, method="enumeration"), search(game, method="cuts")
    agree(game, found, table)
    assert found.optimum.social_cost == table.optimum.social_cost
    assert found.price_of_anarchy == table.price_of_anarchy
    assert found.price_of_stability == table.price_of_stability
    assert found.smallest_epsilon == table.smallest_epsilon
    assert found.smallest_regret == table.smallest_regret
    assert replay(game, found.certificate)


# Rare instances without equilibrium under priority to jobs, so that the relaxed search is exercised too: the jobs of
# each organization with their ranks.
UNSTABLE = [
    ([[3, 1, 2], [2, 3], []], [[3, 5, 1], [4, 2], []], Fraction(5, 4)),
    pytest.param(
        [[1], [1], [1], [12, 12], [12, 12, 12, 12]],
        [[7], [8], [9], [6, 2], [5, 1, 3, 4]],
        Fraction(24, 13),
        marks=pytest.mark.exhaustive,  # two million placements, whose verdict is that of Figure 5.1
    ),
]


@pytest.mark.parametrize(("jobs", "ranks", "epsilon"), UNSTABLE)
def test_without_equilibrium_epsilon_and_regret_agree(jobs: Any, ranks: Any, epsilon: Fraction) -> None:
    game = PlacementGame(Federation.of(jobs, priorities=ranks), Coordination("jobs", "given"))
    table, found = search(game, method="enumeration"), search(game, method="cuts")
    assert table.equilibria.exists is False
    assert found.equilibria.exists is False
    assert table.smallest_epsilon == found.smallest_epsilon == epsilon
    assert table.smallest_regret == found.smallest_regret
    assert checkers.epsilon(game, found.smallest_epsilon_at.profile) == epsilon
    assert replay(game, found.certificate)


def test_a_forged_certificate_does_not_replay() -> None:
    game = PlacementGame(Federation.of([[3, 1, 1], [3, 2], [1], [1]]))
    found = search(game, method="cuts")
    assert found.equilibria.worst is not None
    cuts = found.certificate.claims[0].cuts
    assert replay(game, Certificate((Claim("worst", 4, cuts),)))
    assert not replay(game, Certificate((Claim("worst", 3, cuts),)))  # the equilibrium of cost 4 is in the way
    assert not replay(game, Certificate((Claim("best", 4, cuts),)))
    assert not replay(game, Certificate((Claim("worst", None, cuts),)))
    assert not replay(game, Certificate((Claim("worst", None, (), Slack(2, 1)),)))


def test_search_chooses_and_says_why() -> None:
    small = search(PlacementGame(Federation.of([[2, 2], [1]])))
    assert (small.method, small.why) == (
        "enumeration",
        "all profiles fit a table of 384 bytes, which answers everything",
    )
    family = PlacementGame(Federation.of([[1] * 7, [1] * 7, [4, 3], [1], [1], [1]]))
    large = search(family)
    assert large.method == "branch-and-bound"
    assert "branch and bound over home loads needs none" in large.why
    ranked = search(PlacementGame(family.federation, Coordination("jobs", "longest")), time_limit=0)
    assert ranked.method == "cuts"
    assert "the constraint search needs none" in ranked.why
    assert large.profiles == 6**19
    assert large.equilibria.count is None  # of very many equilibria
    sums = search(PlacementGame(Federation.of([[2, 2], [1]]), Coordination(objective="total-completion")))
    assert sums.method == "enumeration"
    assert "sums of completion times" in sums.why
    with pytest.raises(UnknownNameError, match="'lemma' is not known; known: cuts, dynamics, enumeration, theorem"):
        search(PlacementGame(Federation.of([[2, 2], [1]]), Coordination("jobs")), method="lemma")
    with pytest.raises(InputError, match=r"cannot search this game .*; ask for 'dynamics' or 'enumeration'"):
        search(PlacementGame(Federation.of([[2, 2], [1]], [1, 2])), method="cuts")


def test_time_limit_gives_bounds() -> None:
    """Stopped after the optimum is known: a known equilibrium, and no equilibrium above (2 - 1/N) optimum."""
    family = PlacementGame(Federation.of([[4, 1, 1, 1], [4, 1, 1, 1], [4, 3], [1], [1], [1]]))
    rounds: list[int] = []

    def stop(done: int, total: int | None, note: str = "") -> None:
        if "cuts" in note:
            rounds.append(done)
            if done >= 3:
                raise KeyboardInterrupt

    found = search(family, method="cuts", progress=stop)
    assert rounds == [0, 1, 2, 3]
    assert not found.complete
    assert found.price_of_anarchy is None
    assert found.optimum.social_cost == 4
    assert found.bounds.worst_at_most is not None
    assert found.equilibria.worst.social_cost <= 6 <= found.bounds.worst_at_most <= 7
    nothing = search(family, method="cuts", time_limit=0)
    assert not nothing.complete
    assert nothing.optimum is None


def test_ctrl_c_while_the_solver_runs() -> None:
    """A real signal in the middle of the constraint search ends it with what is known, not with a traceback."""
    code = (
        "import os, signal, threading\n"
        "from consortium.agents.organizations import Federation\n"
        "from consortium.games.placement.game import PlacementGame\n"
        "from consortium.games.search import search\n"
        "K = 6\n"
        "jobs = [[1] * (2 * K + 1)] * (K - 1) + [[K + 1, K]] + [[1]] * K\n"
        "def first(done, total, note=''):\n"
        "    if 'cuts' in note and done == 1:\n"
        "        threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()\n"
        "found = search(PlacementGame(Federation.of(jobs)), 'cuts', progress=first)\n"
        "print(found.method, found.complete, found.optimum.social_cost, found.bounds.worst_at_most)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120)
    method, complete, optimum, bound = done.stdout.split()
    assert (method, complete, optimum) == ("cuts", "False", "7")
    assert 12 <= int(bound) <= 13


def test_sizes_out_of_reach_are_refused() -> None:
    huge = PlacementGame(Federation.of([[2**61, 2**61 + 1], [1]]))
    with pytest.raises(TooLargeError, match="work of 4,611,686,018,427,387,906 units of 1 is beyond the constraint"):
        search(huge, method="cuts")
    with pytest.raises(TooLargeError, match=r"beyond the solver, which takes up to .*; round the lengths, or ask for"):
        Model(huge)
    assert search(huge).equilibria.exists  # enumeration takes Python integers


@pytest.mark.parametrize(
    ("jobs", "epsilon", "regret"),
    [
        ([[35, 22, 22, 17, 13, 5], [14], [9], [42, 2]], Fraction(49, 48), 1),
        ([[350, 220, 220, 170, 130, 50], [140], [90], [421, 20]], Fraction(160, 157), 9),
    ],
)
def test_certificates_exclude_everything_below_the_smallest_epsilon_and_regret(
    jobs: list[list[int]], epsilon: Fraction, regret: int
) -> None:
    """The last two claims leave no room: one step more of slack, and the solver finds the profile of the answer."""
    game = PlacementGame(Federation.of(jobs))
    found = search(game, method="cuts")
    assert (found.smallest_epsilon, found.smallest_regret) == (epsilon, regret)
    nothing, by_factor, by_regret = found.certificate.claims
    assert nothing.slack == Slack()
    assert by_factor.slack == Slack(epsilon.numerator, epsilon.denominator, strict=True)
    assert by_regret.slack == Slack(add=regret - 1)
    assert replay(game, found.certificate)
    for claim, slack in (
        (by_factor, replace(by_factor.slack, strict=False)),
        (by_regret, Slack(add=by_regret.slack.add + 1)),
    ):
        assert not replay(game, Certificate((replace(claim, slack=slack),)))


def test_who_has_no_jobs_excludes_nothing() -> None:
    """A move of nothing is no reason why there should be no equilibrium."""
    game = PlacementGame(Federation.of([[2, 2], [1], []]))
    assert search(game).equilibria.exists
    assert not replay(game, Certificate((Claim("worst", None, ((2, ()),)),)))


def test_ctrl_c_while_a_certificate_replays(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is Ctrl-C, neither a refutation nor a time limit."""
    game = PlacementGame(Federation.of([[2, 2], [1]]))
    certificate = search(game, method="cuts").certificate
    wait, interrupted = cp_sat.Search.wait, []

    def once(asked: cp_sat.Search, progress: Any = None) -> cp_sat.Answer:
        if not interrupted:
            interrupted.append(asked)
            raise KeyboardInterrupt
        return wait(asked, progress)

    monkeypatch.setattr(cp_sat.Search, "wait", once)
    with pytest.raises(KeyboardInterrupt):
        replay(game, certificate)


def test_ctrl_c_in_the_dynamics_ends_the_search_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """They answer it with what they have; no further round of the solver begins."""
    true, rounds = extremes.best_response_dynamics, list[str]()

    def pressed(*given: Any, **options: Any) -> Any:
        return true(*given, **options, progress=lambda *_: signal.raise_signal(signal.SIGINT))

    monkeypatch.setattr(extremes, "best_response_dynamics", pressed)
    game = PlacementGame(Federation.of([[3, 1, 1], [3, 2], [1], [1]]))
    found = search(game, method="cuts", progress=lambda done, total, note="": rounds.append(note))
    assert not found.complete
    assert sum("rounds" in note for note in rounds) == 1  # the optimum
