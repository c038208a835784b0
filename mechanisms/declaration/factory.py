"""The built-in mechanisms: :func:`build` makes each of the ten rules from its name and options.

>>> from consortium.scheduling.clusters import Cluster
>>> build("evcg-postpone", Cluster.of([1, 2])).run([1, 3], [2, 3]).controls
(('postpone',), ('early',))
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

from ...scheduling.clusters import Cluster
from ...scheduling.goals import SumOfTimes
from ...scheduling.welfare import Goal
from ...support.errors import InputError, unknown_name
from ...support.exact import Rational, rational
from .catalogue import CUTOFF_NEEDED, DESIGNS, HOLDBACKS, PENALTIES, SUM_ONLY, SUM_PENALTY
from .execution import Tools
from .one_round import Allocate, OneRound, Ties
from .penalties import Cutoff, PenaltyRule, check_penalty
from .two_rounds import TwoRounds


def build(
    rule: str,
    cluster: Cluster,
    goal: Goal | None = None,
    *,
    penalty: object = None,
    cutoff: Cutoff | None = None,
    rounds: int = 1,
    holdback: str = "repaired",
    ties: Ties = "sum",
    heuristic: bool = False,
    allocate: Allocate | None = None,
    values: Sequence[Rational] | None = None,
) -> OneRound | TwoRounds:
    """Make one of the ten rules.

    Parameters
    ----------
    rule
        Its name, see :data:`.catalogue.RULES`.
    cluster
        The machines.
    goal
        What the institution maximises; default the negated sum of output times.
    penalty
        A name, a number or a list of numbers, see :mod:`.penalties`; default ``"repaired"`` for renice and ``"exact"``
        for postpone.
    cutoff
        Bound on the work of postponed jobs; default none.
    rounds
        2 lets agents leave once they know the price (``vcg-*`` and ``evcg-*``).
    holdback
        In two rounds: ``"repaired"``, or ``"printed"`` as the thesis has it, under which lies can pay.
    ties, heuristic, allocate
        How the allocation is chosen, see :mod:`.one_round`.
    values
        V_n per agent; default 0.

    Raises
    ------
    UnknownNameError
        A name is not known.
    InputError
        Options do not fit: a penalty or cut-off that the rule does not use, a penalty without the cut-off that it
        needs, a goal other than the sum where only the sum is defined, two rounds for a rule without them.

    Examples
    --------
    >>> from consortium.scheduling.clusters import Cluster
    >>> build("harsh", Cluster.of([1, 2]), penalty="safe")
    Traceback (most recent call last):
        ...
    consortium.support.errors.InputError: mechanism.penalty: rule 'harsh' takes none, found 'safe'
    """
    if rule not in DESIGNS:
        raise unknown_name("mechanism.rule", rule, DESIGNS)
    design = DESIGNS[rule]
    tools = Tools(design.alive, close=design.control, early=design.control)
    chosen = _penalty(rule, tools, penalty)
    _check_cutoff(rule, tools, chosen, cutoff)
    goal = SumOfTimes() if goal is None else goal
    _check_goal(rule, chosen, goal, allocate)
    if ties not in get_args(Ties):
        raise unknown_name("welfare.ties", ties, get_args(Ties))
    worth = None if values is None else tuple(rational(v, f"values[{i}]") for i, v in enumerate(values, 1))
    one = OneRound(rule, cluster, tools, design.payment, goal, chosen, cutoff, ties, heuristic, allocate, worth)
    return _rounds(one, rounds, holdback)


def _penalty(rule: str, tools: Tools, penalty: object) -> PenaltyRule | None:
    if rule not in PENALTIES:
        if penalty is not None:
            raise InputError(f"mechanism.penalty: rule {rule!r} takes none, found {penalty!r}")
        return None
    return next(iter(PENALTIES[rule])) if penalty is None else check_penalty(penalty, tools.alive)


def _check_cutoff(rule: str, tools: Tools, penalty: PenaltyRule | None, cutoff: Cutoff | None) -> None:
    if cutoff is not None and tools.alive != "postpone":
        raise InputError(f"mechanism.cutoff: rule {rule!r} takes none, found {cutoff.kind} = {cutoff.bound}")
    needed = CUTOFF_NEEDED.get(penalty) if tools.alive == "postpone" and isinstance(penalty, str) else None
    if needed is not None and (cutoff is None or cutoff.kind != needed):
        present = "none" if cutoff is None else f"the {cutoff.kind} one"
        raise InputError(f"mechanism.cutoff: penalty {penalty!r} needs the {needed} cut-off, found {present}")


def _check_goal(rule: str, penalty: PenaltyRule | None, goal: Goal, allocate: Allocate | None) -> None:
    if goal.by_sum and allocate is None:
        return
    for what, needs_sum in ((f"rule {rule!r}", rule in SUM_ONLY), (f"penalty {SUM_PENALTY!r}", penalty == SUM_PENALTY)):
        if needs_sum:
            present = repr(goal.id) if allocate is None else "an allocation rule of your own"
            raise InputError(f"welfare.goal: {what} is defined for the goal 'sum' only, found {present}")


def _rounds(one: OneRound, rounds: int, holdback: str) -> OneRound | TwoRounds:
    if holdback not in HOLDBACKS:
        raise unknown_name("mechanism.holdback", holdback, HOLDBACKS)
    if rounds == 1:
        return one
    if rounds != 2:
        raise InputError(f"mechanism.rounds: found {rounds!r}; expected 1 or 2")
    if not one.rule.startswith(("vcg-", "evcg-")):
        raise InputError(f"mechanism.rounds: rule {one.rule!r} has one round only, found 2")
    return TwoRounds(one, holdback)
