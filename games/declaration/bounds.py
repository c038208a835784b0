r"""What holds for every profile of a declaration game, without playing any: no outcome is better or worse.

Model: jobs of true lengths ``theta`` on machines of powers ``c``, in one round, so that everybody's job is run.

*No profile costs less* than what no schedule of the true lengths goes below: whatever is declared, each machine runs
its jobs one at a time, so the bound of the goal on all schedules holds for what happens
(:func:`~consortium.scheduling.heuristics.upper_bound`).

*No profile costs more* than if everybody got her output at a time ``T`` that no output passes, if no later time can
raise the goal. On a machine of power ``c`` a job that declares ``b`` delays whatever follows by at most

- ``b/c``, if it ends by then;
- ``(b + (theta - b)/s)/c``, if it runs on at a share ``s``: a number of the file, and of the named penalties at least
  ``c_min/(c_max N)`` for ``N`` agents, since ``f <= N`` of them end from a job's own end on;
- ``b/c`` and later ``(theta - b)/c``, if its remainder is postponed, which waits at most for all that was planned, its
  penalty, and the other remainders; named penalties are at most ``H N/c_min`` for a cut-off ``H``, since the smallest
  sum of output times has slope ``N/c_min`` at most.

``T`` puts all jobs on the slowest machine. Where a job can be killed, nothing bounds the cost.

>>> from consortium.mechanisms.declaration import build
>>> from consortium.scheduling.clusters import Cluster
>>> one, lies = Cluster.of([1]), ((Fraction(1), Fraction(4)),) * 2
>>> game = DeclarationGame(build("light-vcg", one), (Fraction(2), Fraction(1)), lies)
>>> least_social_cost(game), largest_social_cost(game)
(Fraction(4, 1), Fraction(16, 1))
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from ...mechanisms.declaration.one_round import OneRound
from ...mechanisms.declaration.prices import Formula
from ...mechanisms.declaration.two_rounds import TwoRounds
from ...scheduling.heuristics import upper_bound
from ..protocol import Outcome
from ..results import Bounds
from .game import DeclarationGame


def bounds(game: DeclarationGame, best: Outcome | None) -> Bounds:
    """Bounds on all outcomes, and so on the equilibria and their prices; ``unbounded`` says why one is missing.

    Parameters
    ----------
    game
        The game.
    best
        The equilibrium of least social cost that is known, if any.
    """
    least, most = least_social_cost(game), largest_social_cost(game)
    return replace(Bounds.around(least, most, best), unbounded=_missing(game, least, most))


def least_social_cost(game: DeclarationGame) -> Fraction | None:
    """No profile costs less; ``None`` where nothing is known, or where welfare is no number."""
    rule = game.mechanism
    if not isinstance(rule, OneRound):
        return None
    value = upper_bound(rule.cluster, game.lengths, rule.goal)
    return None if isinstance(value, float | tuple) else -value


def largest_social_cost(game: DeclarationGame) -> Fraction | None:
    """No profile costs more; ``None`` where nothing is known, or where welfare is no number."""
    rule = game.mechanism
    if not isinstance(rule, OneRound) or not rule.goal.non_increasing:
        return None
    latest = _latest(game, rule)
    if latest is None:
        return None
    value = rule.goal.value([latest] * len(game.lengths))
    return None if isinstance(value, float | tuple) else -value


def _latest(game: DeclarationGame, rule: OneRound) -> Fraction | None:
    """No output is later; ``None`` where a job can be killed, or waits by a formula."""
    agents = range(len(game.lengths))
    declared, slowest = [game.strategies(n) for n in agents], min(rule.cluster.powers)
    if rule.tools.alive == "kill" or isinstance(rule.penalty, Formula):
        return None
    if rule.tools.alive == "postpone":
        limits = [game.lengths[n] if rule.cutoff is None else rule.cutoff.limit(declared[n][0]) for n in agents]
        if any(length > limit for length, limit in zip(game.lengths, limits, strict=True)):
            return None
        planned = sum((max(own) for own in declared), Fraction(0))
        late = sum(
            (length - min(length, own[0]) for length, own in zip(game.lengths, declared, strict=True)), Fraction(0)
        )
        return (planned + late) / slowest + _longest_wait(rule, len(game.lengths))
    share = _smallest_share(rule, len(game.lengths))
    each = (
        max(declares + max(length - declares, Fraction(0)) / share for declares in own)
        for length, own in zip(game.lengths, declared, strict=True)
    )
    return sum(each, Fraction(0)) / slowest


def _smallest_share(rule: OneRound, n_agents: int) -> Fraction:
    """No job runs on at a smaller share."""
    if rule.tools.alive != "renice" or rule.penalty is None:
        return Fraction(1)
    if isinstance(rule.penalty, str | Formula):
        return Fraction(min(rule.cluster.powers)) / (max(rule.cluster.powers) * n_agents)
    return min(rule.penalty) if isinstance(rule.penalty, tuple) else rule.penalty


def _longest_wait(rule: OneRound, n_agents: int) -> Fraction:
    """No number or name makes a remainder wait longer: at most ``H N/c_min``, and not at all without a cut-off."""
    if isinstance(rule.penalty, str) and rule.cutoff is not None:
        return Fraction(rule.cutoff.bound) * n_agents / min(rule.cluster.powers)
    if rule.penalty is None or isinstance(rule.penalty, str | Formula):
        return Fraction(0)
    return max(rule.penalty) if isinstance(rule.penalty, tuple) else rule.penalty


def _missing(game: DeclarationGame, least: Fraction | None, most: Fraction | None) -> str | None:
    """What keeps one side without a bound, in a few words."""
    rule = game.mechanism
    if least is not None and most is not None:
        return None
    if isinstance(rule, TwoRounds):
        return "agents may leave"
    if not isinstance(rule, OneRound):
        return "a custom mechanism"
    if not game.numeric:
        return f"the goal {rule.goal.id} is no number"
    if rule.goal.non_increasing and most is None:
        return "the penalty is a formula" if isinstance(rule.penalty, Formula) else "a job can be killed"
    return f"the goal {rule.goal.id}"
