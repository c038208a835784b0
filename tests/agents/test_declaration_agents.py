"""Agents and how they declare."""

from __future__ import annotations

import math
from fractions import Fraction as F

import pytest

from consortium.agents.declaration import Agent, BestReply, Fixed, Scaled, Strategy, Truthful
from consortium.support.errors import InputError


@pytest.mark.parametrize(
    ("strategy", "declared"), [(Truthful(), F(3)), (Fixed("0.1"), F(1, 10)), (Scaled(F(1, 3)), F(1))]
)
def test_strategies_that_do_not_react(strategy, declared):
    assert isinstance(strategy, Strategy)
    assert not strategy.reacts
    assert Agent("ann", 3, strategy=strategy).declare() == declared


@pytest.mark.parametrize(
    ("utilities", "reply"),
    [
        ({1: 0, 2: 5, 3: 1}, 2),  # the truth among the best
        ({1: 5, 2: 5, 3: 5}, 2),  # all tied: the truth
        ({1: 5, 2: 4, 3: 5}, 1),  # tied lies: the smallest
        ({1: -math.inf, 2: -math.inf, 3: F(-(10**9))}, 3),
        ({1: -math.inf, 2: -math.inf, 3: -math.inf}, 2),
    ],
)
def test_best_replies_and_their_ties(utilities, reply):
    ann = Agent("ann", 2, strategy=BestReply())
    assert ann.declare(lambda b: utilities[b], [F(3), F(1), F(3)]) == reply


def test_the_truth_is_always_a_candidate():
    assert BestReply().declare(F(2), lambda b: -abs(b - 2), [F(1)]) == 2


def test_a_best_reply_needs_a_utility():
    with pytest.raises(InputError, match="found no utility function"):
        Agent("ann", 2, strategy=BestReply()).declare()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Agent("ann", 0), "agent 'ann': length: found 0; expected a number > 0"),
        (lambda: Agent("ann", 0.5), "agent 'ann': length: found the float 0.5; write '1/2'"),
        (lambda: Agent("ann", 1, value="lots"), "agent 'ann': value: found 'lots'"),
        (lambda: Fixed(0), "declaration: found 0"),
        (lambda: Scaled(-1), "factor: found -1"),
    ],
)
def test_bad_agents(make, message):
    with pytest.raises(InputError, match=message):
        make()
