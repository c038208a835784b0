"""Best replies among all positive numbers, and the dynamics that play them, beside tries on a fine grid."""

from __future__ import annotations

import random
from fractions import Fraction as F
from types import SimpleNamespace
from typing import Any

import pytest

import consortium
from consortium.games.declaration.curve import curve
from consortium.games.declaration.replies import Interval, RealDynamics, best_reply, real_dynamics
from consortium.mechanisms.declaration import Cutoff, build
from consortium.mechanisms.declaration.factory import DESIGNS
from consortium.mechanisms.declaration.protocol import play
from consortium.scheduling.clusters import Cluster
from consortium.scheduling.goals import LexicalMax, Makespan, SquaredDeviation, SumOfTimes, WeightedSum
from consortium.support.errors import ConsortiumError, InputError, MechanismError
from consortium.support.exact import INF
from consortium.support.progress import Clock

REALS = "best-response-over-reals"
LINEAR = [rule for rule in DESIGNS if not rule.startswith("vcg") and rule != "bystander"]


def drawn(seed: int) -> tuple[Any, tuple[F, ...], tuple[F, ...]]:
    """Every rule in turn; one agent, equal lengths, two rounds, cut-offs and a scale of 10**18 now and then."""
    rng = random.Random(seed)
    rule = [*DESIGNS][seed % len(DESIGNS)]
    n = 3 if rule == "bystander" else rng.choice([1, 2, 2, 2, 3])
    scale = rng.choice([F(1), F(1), F(1), F(10**18), F(1, 3)])
    goals: list[Any] = [Makespan(), LexicalMax(), WeightedSum([rng.choice([0, 1, 9]) for _ in range(n)])]
    goal = SumOfTimes() if rule not in LINEAR or n == 3 or rng.random() < 0.4 else rng.choice(goals)
    options: dict[str, Any] = {"values": [scale * rng.randint(0, 20) for _ in range(n)]}
    if "postpone" in rule and rng.random() < 0.5:
        kind = rng.choice(["difference", "absolute"])
        options["cutoff"] = Cutoff(kind, scale * (9 if kind == "absolute" else 1))
    if "vcg-" in rule and not rule.startswith("light") and "cutoff" not in options and rng.random() < 0.3:
        options["rounds"] = 2
    if rule == "designed":
        options |= {"price": "max(S, own + W)/2 - E", "tool": rng.choice(DESIGNS[rule].tools)}
    mechanism = build(rule, Cluster.of([1, 2][: 1 if rule == "bystander" else rng.randint(1, 2)]), goal, **options)
    lengths = tuple(scale * rng.randint(1, 4) for _ in range(n))
    return mechanism, lengths, tuple(rng.choice([x, x, scale * rng.randint(1, 8) / 2]) for x in lengths)


def utility(mechanism: Any, lengths: Any, declared: Any, agent: int, x: F) -> Any:
    said = (*declared[:agent], x, *declared[agent + 1 :])
    found = play(mechanism, said, lengths).utilities
    return found[agent]


def grid(mechanism: Any, lengths: Any, declared: Any) -> list[F]:
    """Steps of an eighth, the same a little beside, and very small and large numbers; nothing beyond a cut-off."""
    unit = max(*lengths, *declared)
    steps = [unit * k / 8 + unit * side for k in range(1, 17) for side in (0, F(1, 10**9), -F(1, 10**9))]
    near = [x + unit * side for x in (*lengths, *declared) for side in (0, F(1, 10**9), -F(1, 10**9))]
    return [x for x in (unit / 10**9, *steps, *near, 1000 * unit) if x in Interval().within_cutoff(mechanism)]


def compare(seed: int) -> None:
    mechanism, lengths, declared = drawn(seed)
    for agent in range(len(lengths)):
        found = best_reply(mechanism, lengths, declared, agent)
        assert found.utility == utility(mechanism, lengths, declared, agent, declared[agent])
        answer = utility(mechanism, lengths, declared, agent, found.declares)
        tried = [utility(mechanism, lengths, declared, agent, x) for x in grid(mechanism, lengths, declared)]
        assert max(tried) <= found.supremum, seed
        if found.attained:
            assert answer == found.supremum, seed
            assert found.is_best == (found.declares == declared[agent])
        else:
            assert found.utility < answer < found.supremum, seed
        bound = Interval().within_cutoff(mechanism).high
        low, high = min(*lengths, *declared) / 1000, min(bound, 1000 * max(*lengths, *declared))
        cells = curve(mechanism, lengths, declared, agent, low, F(high))
        tops = [u for _, u in cells.points] + [top for p in cells.pieces for top in (p.at_low, p.at_high)]
        assert max(tops) <= found.supremum, seed
        if not found.attained and found.supremum != INF:  # it may be approached beside a jump that no grid has
            assert found.supremum - max(*tried, *tops) < max(*lengths, *declared) / 10**6, seed
        if found.attained and low <= found.declares <= high:
            assert max(tops) == found.supremum, seed


@pytest.mark.parametrize(
    "seeds", [range(len(DESIGNS)), pytest.param(range(1_000, 3_000), marks=pytest.mark.exhaustive)]
)
def test_no_number_of_a_grid_is_better_and_cells_agree(seeds: range) -> None:
    for seed in seeds:
        compare(seed)


def follow(seed: int) -> RealDynamics:
    """The dynamics, and that they are those of the rule: who moves gains, who stays has her supremum."""
    mechanism, lengths, start = drawn(seed)
    run = real_dynamics(mechanism, lengths, start, rounds=4)
    if run.ended == "equilibrium":
        for agent in range(len(lengths)):
            here = utility(mechanism, lengths, run.final, agent, run.final[agent])
            others = [utility(mechanism, lengths, run.final, agent, x) for x in grid(mechanism, lengths, run.final)]
            assert here == run.replies[agent].supremum >= max(others), seed
    elif run.ended == "no-best-reply":
        assert {reply.is_best or not reply.attained for reply in run.replies} == {True}
        assert not all(reply.is_best for reply in run.replies)
    return run


def test_the_dynamics_end_where_they_say() -> None:
    ends = {follow(seed).ended for seed in range(len(DESIGNS))}
    assert {"equilibrium", "no-best-reply"} <= ends


class Pennies:
    """Ann wants to be on bob's side of 1, bob on the other one; outputs are 1 or 2."""

    def run(self, declared: Any, lengths: Any) -> Any:
        same = (declared[0] < 1) == (declared[1] < 1)
        return SimpleNamespace(output=[F(1) if same else F(2), F(2) if same else F(1)], payments=[F(0), F(0)])


def test_matching_pennies_cycle() -> None:
    two = (F(2), F(2))
    run = real_dynamics(Pennies(), two, two)
    half = F(1, 2)
    assert (run.ended, run.steps) == ("cycle", 7)
    assert run.cycle == ((half, F(1)), (F(1), F(1)), (F(1), half), (half, half))


def test_what_stops_the_dynamics() -> None:
    light, lengths = build("light-vcg", Cluster.of([1])), (F(2), F(1))
    assert real_dynamics(light, lengths, lengths, rounds=0).ended == "rounds"
    assert real_dynamics(light, lengths, lengths, clock=Clock(0)).ended == "stopped"


def test_an_interval_has_its_ends() -> None:
    """The smallest lie is the best one, and of numbers from 1/2 on there is a smallest one."""
    light, lengths = build("light-vcg", Cluster.of([1])), (F(2), F(1))
    found = best_reply(light, lengths, lengths, 0, Interval(F(1, 2)))
    assert (found.supremum, found.attained, found.declares) == (F(-7, 2), True, F(1, 2))
    single = best_reply(light, lengths, lengths, 0, Interval(F(2), F(2)))
    assert single.is_best
    with pytest.raises(InputError, match="agent 1 declares 2; expected numbers from 3"):
        best_reply(light, lengths, lengths, 0, Interval(F(3)))


def test_a_goal_that_is_not_piecewise_linear_is_refused() -> None:
    squared = build("evcg-renice", Cluster.of([1, 2]), SquaredDeviation(3))
    with pytest.raises(MechanismError, match="not piecewise linear"):
        best_reply(squared, (F(2), F(1)), (F(2), F(1)), 0)


@pytest.mark.parametrize(
    ("overrides", "options", "said"),
    [
        ({}, {"mixed": True}, "mixed"),
        ({}, {"seed": 0}, "seed"),
        ({}, {"coalitions": 2}, "coalitions"),
        ({"domain.lengths": [1, 2]}, {}, "domain: found lists"),
        ({"domain.lengths": {"from": 2}}, {}, "start.ann"),
        ({"domain.lengths": {"from": 1}}, {"start": ["1/2", 1]}, "start.ann"),
        ({"mechanism.rule": "evcg-renice", "welfare": {"goal": "squared-deviation", "target": 1}}, {}, "known exactly"),
    ],
)
def test_what_needs_lists_of_declarations_is_refused(overrides: Any, options: Any, said: str) -> None:
    with pytest.raises(ConsortiumError, match=said):
        consortium.search("agmon2003/5.2.1-truth", dynamics=REALS, overrides=overrides, **options)


def test_an_interval_is_no_game_without_the_option() -> None:
    interval = {"domain.lengths": {"from": "1/2", "to": 3}}
    with pytest.raises(InputError, match=REALS):
        consortium.search("agmon2003/5.2.1-truth", overrides=interval)
    found = consortium.search("agmon2003/5.2.1-truth", overrides=interval, dynamics=REALS)
    assert found.dynamics.ended == "equilibrium"
    assert found.dynamics.final == {"ann": F(1, 2), "bob": F(11, 10)}
