"""Penalties at sizes where allocations cannot be enumerated, what they are worth, and how bad ones are refused."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction as F
from itertools import pairwise
from random import Random

import pytest

from consortium.mechanisms.declaration import Cutoff, build
from consortium.mechanisms.declaration.execution import Tools
from consortium.mechanisms.declaration.penalties import Situation, check_penalty
from consortium.scheduling.clusters import Cluster
from consortium.scheduling.goals import Makespan, WeightedSum
from consortium.support.errors import InputError, UnknownNameError

from .instances import length, power


def least_sum(c, b):
    """S(b) by its formula: largest length, smallest multiplier."""
    multipliers = sorted(i / x for x in c for i in range(1, len(b) + 1))
    return sum(v * x for v, x in zip(multipliers, sorted(b, reverse=True), strict=False))


def spread(rng, n_agents, n_machines):
    """A situation with arbitrary machines: the penalties do not care how they were chosen."""
    c = tuple(power(rng) for _ in range(n_machines))
    b = tuple(length(rng) for _ in range(n_agents))
    return Situation(Cluster(c), b, tuple(rng.randrange(n_machines) for _ in b), (1,) * n_agents)


@pytest.mark.parametrize("kind", [None, "difference", "absolute"])
def test_exact_durations_by_definition(kind, thinning):
    for seed in range(120 // thinning):
        rng = Random(seed)
        situation = spread(rng, rng.randint(1, 9), rng.randint(1, 4))
        c, b = situation.cluster.powers, situation.declared
        bound = {"difference": rng.choice([F(1, 2), F(2), F(9)]), "absolute": max(b) + rng.choice([F(0), F(3)])}
        cutoff = None if kind is None else Cutoff(kind, bound[kind])
        durations = situation.durations("exact", cutoff)
        for n, duration in enumerate(durations):
            room = None if cutoff is None else cutoff.limit(b[n]) - b[n]
            lies = {x - b[n] for x in b if x > b[n] and (room is None or x - b[n] <= room)} | ({room} - {None})
            gains = [
                least_sum(c, (*b[:n], b[n] + d, *b[n + 1 :])) - least_sum(c, b) - d / c[situation.machines[n]]
                for d in lies
            ]
            assert duration == max([F(0), *gains])


def test_exact_is_at_most_tight_is_at_most_printed(thinning):
    cutoff = Cutoff("difference", 3)
    for seed in range(200 // thinning):
        rng = Random(seed)
        situation = spread(rng, rng.randint(1, 8), rng.randint(1, 3))
        named = [situation.durations(rule, cutoff) for rule in ("exact", "tight", "printed", "printed-common")]
        for waits in zip(*named, strict=True):
            assert list(waits) == sorted(waits)


def test_shares_follow_the_slope_of_the_least_sum(thinning):
    """At the repaired share a job runs on exactly as slowly as S grows, or at full share where S grows slower."""
    step = F(1, 10**60)
    for seed in range(120 // thinning):
        rng = Random(seed)
        situation = spread(rng, rng.randint(1, 8), rng.randint(1, 3))
        c, b = situation.cluster.powers, situation.declared
        shares, n_agents = situation.shares("repaired"), len(b)
        for n, share in enumerate(shares):
            own = c[situation.machines[n]]
            lifted = (least_sum(c, (*b[:n], b[n] + step, *b[n + 1 :])) - least_sum(c, b)) / step
            lowered = (least_sum(c, b) - least_sum(c, (*b[:n], b[n] - step, *b[n + 1 :]))) / step
            assert share == 1 or lifted <= 1 / (share * own) <= lowered
            assert F(1, n_agents) <= share <= 1
            assert share < 1 or lifted <= 1 / own
        assert set(situation.shares("repaired-common")) == {min(shares)}


def test_both_thresholds_are_tight():
    """A hundredth more share, or a hundredth less wait, and the lie of the shipped scenarios pays."""
    one, goal = Cluster.of([1]), WeightedSum((1, 9))
    renice = [build("evcg-renice", one, goal, penalty=(s, 1)).run((1, 3), (2, 3)) for s in (F(1, 2), F(101, 200))]
    assert [outcome.utilities[0] > -7 for outcome in renice] == [False, True]
    wait = [build("evcg-postpone", one, goal, penalty=(s, 0)).run((1, 2), (2, 2)) for s in (F(1), F(99, 100))]
    assert [outcome.utilities[0] > -6 for outcome in wait] == [False, True]


def earlier(better, worse, b, theta):
    return all(x <= y for x, y in zip(better.run(b, theta).output, worse.run(b, theta).output, strict=True))


def test_tools_and_smaller_penalties_help_everybody(thinning):
    """7.6: CLOSE and EARLY, threshold penalties and individual ones: nobody's output is later for any profile."""
    cutoff = Cutoff("difference", 5)
    for seed in range(150 // thinning):
        rng = Random(seed)
        n = rng.choice([1, 2, 3])
        theta = tuple(length(rng) for _ in range(n))
        b = tuple(rng.choice([x, *(x + F(k, 2) for k in (-1, 1, 2)), F(1)]) if x > F(1, 2) else x for x in theta)
        b = tuple(max(x, F(1, 4)) for x in b)
        cluster = Cluster(tuple(power(rng) for _ in range(rng.choice([1, 1, 2]))))
        goal = rng.choice([None, Makespan(), WeightedSum(tuple(rng.choice([1, 9]) for _ in b))])
        if any(y - x > 5 for x, y in zip(b, theta, strict=True)):
            continue
        posts = [build("evcg-postpone", cluster, goal, penalty=p, cutoff=cutoff)
                 for p in ("exact", "tight", "printed", "printed-common")]  # fmt: skip
        renices = [build("evcg-renice", cluster, goal, penalty=p) for p in ("repaired", "repaired-common", "safe")]
        for chain in (posts, renices):
            bare = replace(chain[0], tools=Tools(chain[0].tools.alive, close=False, early=False))
            assert earlier(chain[0], bare, b, theta)
            for better, worse in pairwise(chain):
                assert earlier(better, worse, b, theta), (better, worse, b, theta)


def test_renice_and_postpone_do_not_compare():
    """7.6: who declared too little waits longer under one rule or the other."""
    one = Cluster.of([1])

    def sums(b, theta):
        return [sum(build(rule, one).run(b, theta).output) for rule in ("vcg-renice", "vcg-postpone")]

    assert sums((1, 1), (2, 1)) == [7, 5]
    assert sums((1, 4), (F(3, 2), 4)) == [8, F(21, 2)]


@pytest.mark.parametrize(
    ("rule", "options", "message"),
    [
        ("evcg-renise", {}, "mechanism.rule: 'evcg-renise' is not known; known:.*Did you mean 'evcg-renice'"),
        ("light-vcg", {"penalty": "safe"}, "mechanism.penalty: rule 'light-vcg' takes none, found 'safe'"),
        ("evcg-renice", {"penalty": "exact"}, "mechanism.penalty: 'exact' is not known; known: printed, "),
        ("evcg-renice", {"penalty": 0}, "mechanism.penalty: found 0; expected a share of the machine, 0 < share <= 1"),
        ("evcg-renice", {"penalty": "3/2"}, "mechanism.penalty: found 3/2; expected a share"),
        ("evcg-renice", {"penalty": "1/S"}, "mechanism.penalty: found '1/S'; expected a share .* which no formula is"),
        ("evcg-postpone", {"penalty": "1/S"}, "mechanism.penalty, column 2: found a quotient"),
        ("evcg-postpone", {"penalty": "S", "rounds": 2}, "found 2; expected 1 with the formula 'S' as penalty"),
        ("evcg-postpone", {"penalty": [1, -1]}, "mechanism.penalty: found -1; expected a duration >= 0"),
        ("evcg-postpone", {"penalty": "tight"}, "penalty 'tight' needs the difference cut-off, found none"),
        (
            "evcg-postpone",
            {"penalty": "printed-absolute", "cutoff": Cutoff("difference", 1)},
            "penalty 'printed-absolute' needs the absolute cut-off, found the difference one",
        ),
        ("evcg-renice", {"cutoff": Cutoff("difference", 1)}, "rule 'evcg-renice' takes none, found difference = 1"),
        ("vcg-renice", {"goal": Makespan()}, "rule 'vcg-renice' is defined for the goal 'sum' only, found 'makespan'"),
        (
            "evcg-postpone",
            {"goal": Makespan(), "penalty": "static-end"},
            "penalty 'static-end' is defined for the goal 'sum' only, found 'makespan'",
        ),
        ("harsh", {"rounds": 2}, "rule 'harsh' has one round only, found 2"),
        ("vcg-renice", {"rounds": 3}, "mechanism.rounds: found 3; expected 1 or 2"),
        ("vcg-renice", {"holdback": "prnted"}, "mechanism.holdback: 'prnted' is not known"),
        ("vcg-renice", {"ties": "lowest"}, "welfare.ties: 'lowest' is not known"),
    ],
)
def test_options_that_do_not_fit_are_refused(rule, options, message):
    goal = options.pop("goal", None) if "goal" in options else None
    with pytest.raises((InputError, UnknownNameError), match=message):
        build(rule, Cluster.of([1]), goal, **options)


def test_an_absolute_cut_off_below_a_declaration_is_refused_when_planning():
    mechanism = build("evcg-postpone", Cluster.of([1]), cutoff=Cutoff("absolute", 3))
    with pytest.raises(InputError, match=r"cutoff.absolute = 3: agent 2 declares 4; expected at least every"):
        mechanism.plan([1, 4])
    assert mechanism.run([1, 3], [1, 3]).killed == (False, False)


@pytest.mark.parametrize(("kind", "bound"), [("difference", 0), ("absolute", -1)])
def test_a_cut_off_is_positive(kind, bound):
    with pytest.raises(InputError, match=rf"cutoff.{kind}: found {bound}; expected a number > 0"):
        Cutoff(kind, bound)


def test_one_number_per_agent():
    with pytest.raises(InputError, match="penalty: found 2 numbers for 3 agents; expected one each"):
        build("evcg-renice", Cluster.of([1]), penalty=[1, 1]).run([1, 1, 1], [1, 1, 1])
    assert check_penalty(2, "postpone") == 2
    with pytest.raises(UnknownNameError, match="difference"):
        Cutoff("diference", 1)
