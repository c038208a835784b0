"""The built-in mechanisms: :func:`build` makes each rule from its name and options.

>>> from consortium.scheduling.clusters import Cluster
>>> build("evcg-postpone", Cluster.of([1, 2])).run([1, 3], [2, 3]).controls
(('postpone',), ('early',))
>>> halves = build("designed", Cluster.of([1]), tool="run-on", price="S/2 - E")
>>> halves.run([1, 10], [1, 10]).payments == build("equal-share", Cluster.of([1])).run([1, 10], [1, 10]).payments
True
>>> build("harsh", Cluster.of([1, 2]), penalty="safe")
Traceback (most recent call last):
    ...
consortium.support.errors.InputError: mechanism.penalty: rule 'harsh' takes none, found 'safe'
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, get_args

from ...scheduling.clusters import Cluster
from ...scheduling.goals import SumOfTimes
from ...scheduling.welfare import Goal
from ...support.errors import InputError, check_name
from ...support.exact import Rational, rational
from .catalogue import BY_TOOL, CUTOFF_NEEDED, DESIGNS, HOLDBACKS, SUM_ONLY, SUM_PENALTY, Design, default_penalty
from .claims import by_index
from .execution import TOOLS, Tools
from .one_round import Allocate, OneRound, Ties
from .penalties import Cutoff, PenaltyRule, check_penalty
from .prices import Formula, OwnFormulas, Price, Table
from .two_rounds import TwoRounds


def build(
    rule: str,
    cluster: Cluster,
    goal: Goal | None = None,
    *,
    tool: str | None = None,
    penalty: object = None,
    price: str | Sequence[str] | None = None,
    table: Iterable[Mapping[str, Any]] | Table | None = None,
    cutoff: Cutoff | None = None,
    rounds: int = 1,
    holdback: str = "repaired",
    ties: Ties = "sum",
    heuristic: bool = False,
    allocate: Allocate | None = None,
    values: Sequence[Rational] | None = None,
) -> OneRound | TwoRounds:
    """Make one of the built-in rules.

    Parameters
    ----------
    rule
        Its name, see :data:`.catalogue.RULES`.
    cluster
        The machines.
    goal
        What the institution maximises; default the negated sum of output times.
    tool
        Job control, one of :data:`.catalogue.TOOLS`, for rules that let it be chosen: designed ones and those whose
        payments balance; default ``"postpone"``.
    penalty
        A name, a number or a list of numbers, for postpone also a formula such as ``"S/4"``, see :mod:`.penalties`;
        default ``"repaired"`` for renice and ``"exact"`` for postpone, or 0 where the payments need no wait.
    price, table
        Payments of the rule ``designed``: an expression, see :class:`.prices.Formula`, or one for each agent, or rows,
        see :meth:`.prices.Table.of`.
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
    InputError
        Options do not fit: a penalty, cut-off, job control or price that the rule does not use, a penalty without the
        cut-off that it needs, a goal other than the sum where only the sum is defined, two rounds for a rule without
        them, ``bystander`` on several machines or for a goal that is no index rule. UnknownNameError for a name that is
        not known.
    """
    check_name("mechanism.rule", rule, DESIGNS)
    design = DESIGNS[rule]
    control = _tool(rule, design, tool)
    tools = TOOLS[control]
    chosen = _penalty(rule, control, penalty)
    _check_cutoff(rule, tools, chosen, cutoff)
    goal = SumOfTimes() if goal is None else goal
    _check_goal(rule, chosen, goal, allocate)
    check_name("welfare.ties", ties, get_args(Ties))
    worth = None if values is None else tuple(rational(v, f"values[{i}]") for i, v in enumerate(values, 1))
    paid = _price(rule, cluster, price, table)
    one = OneRound(rule, cluster, tools, design.payment, goal, chosen, cutoff, ties, heuristic, allocate, worth, paid)
    _check_bystander(one)
    return _rounds(one, rounds, holdback)


def _tool(rule: str, design: Design, tool: str | None) -> str:
    if tool is None:
        return design.tool
    if not design.tools:
        raise InputError(f"mechanism.tool: rule {rule!r} has its own, {design.tool!r}; found {tool!r}")
    check_name("mechanism.tool", tool, design.tools)
    return tool


def _penalty(rule: str, tool: str, penalty: object) -> PenaltyRule | Formula | None:
    if tool not in BY_TOOL:
        if penalty is not None:
            which = f"rule {rule!r}" + (f" with tool {tool!r}" if DESIGNS[rule].tools else "")
            raise InputError(f"mechanism.penalty: {which} takes none, found {penalty!r}")
        return None
    return default_penalty(rule, tool) if penalty is None else check_penalty(penalty, tool)


def _price(
    rule: str, cluster: Cluster, price: str | Sequence[str] | None, table: Iterable[Mapping[str, Any]] | Table | None
) -> Price | None:
    """The designed price, with allocations for this cluster."""
    if rule != "designed":
        if price is not None or table is not None:
            which = "price" if price is not None else "table"
            raise InputError(f"mechanism.{which}: rule {rule!r} has payments of its own; expected rule 'designed'")
        return None
    if (price is None) == (table is None):
        raise InputError(
            f"mechanism.price: found {'nothing' if price is None else 'a price and a table'}; expected an expression, "
            "or a table with a row for every declaration profile"
        )
    if price is not None:
        return Formula(price) if isinstance(price, str) else OwnFormulas.of(price)
    rows = table if isinstance(table, Table) else Table.of(table or ())
    rows.check(cluster.n_machines)
    return rows


def _check_cutoff(rule: str, tools: Tools, penalty: object, cutoff: Cutoff | None) -> None:
    if cutoff is not None and tools.alive != "postpone":
        raise InputError(f"mechanism.cutoff: rule {rule!r} takes none, found {cutoff.kind} = {cutoff.bound}")
    needed = CUTOFF_NEEDED.get(penalty) if tools.alive == "postpone" and isinstance(penalty, str) else None
    if needed is not None and (cutoff is None or cutoff.kind != needed):
        present = "none" if cutoff is None else f"the {cutoff.kind} one"
        raise InputError(f"mechanism.cutoff: penalty {penalty!r} needs the {needed} cut-off, found {present}")


def _check_goal(rule: str, penalty: object, goal: Goal, allocate: Allocate | None) -> None:
    if goal.by_sum and allocate is None:
        return
    for what, needs_sum in ((f"rule {rule!r}", rule in SUM_ONLY), (f"penalty {SUM_PENALTY!r}", penalty == SUM_PENALTY)):
        if needs_sum:
            present = repr(goal.id) if allocate is None else "an allocation rule of your own"
            raise InputError(f"welfare.goal: {what} is defined for the goal 'sum' only, found {present}")


def _check_bystander(one: OneRound) -> None:
    if one.rule == "bystander" and not by_index(one):
        raise InputError(
            "mechanism.rule: 'bystander' is defined on one machine, for the goals 'sum' and 'weighted-sum' and their "
            f"best allocation; found {one.cluster.n_machines} machines with the goal {one.goal.id!r}"
        )


def _rounds(one: OneRound, rounds: int, holdback: str) -> OneRound | TwoRounds:
    check_name("mechanism.holdback", holdback, HOLDBACKS)
    if rounds == 1:
        return one
    if rounds != 2:
        raise InputError(f"mechanism.rounds: found {rounds!r}; expected 1 or 2")
    if not one.rule.startswith(("vcg-", "evcg-")):
        why = ": the hold-back of a second round is made for VCG and EVCG payments" if DESIGNS[one.rule].tools else ""
        raise InputError(f"mechanism.rounds: rule {one.rule!r} has one round only, found 2{why}")
    if isinstance(one.penalty, Formula):
        raise InputError(f"mechanism.rounds: found 2; expected 1 with the formula {one.penalty.text!r} as penalty")
    return TwoRounds(one, holdback)
