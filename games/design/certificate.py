"""Certificates of designed payments: written for anybody to check, and compared with the rule that they are about.

A certificate is one JSON object, which :mod:`.check_design` explains and checks without anything of this package. It
has the plans of the mechanism, which it takes as given: :func:`plan_again` says whether they are those of a rule.

>>> from consortium.mechanisms.declaration import build
>>> from consortium.scheduling.clusters import Cluster
>>> from . import check_design
>>> from .cycles import negative_cycle
>>> from .envy import bare, envy
>>> from .payments import Question
>>> from ..verification.domain import Domain
>>> light, domain = bare(build("light-vcg", Cluster.of([1]))), Domain.of([1, 2, 3], agents=2)
>>> cycle = negative_cycle(envy(light, domain, "dominant"))
>>> check_design.check(as_certificate(Question(domain), light, "light VCG", cycle=cycle))[:87]
'Proved for 2 agents with lengths of 1, 2, 3; 1, 2, 3: no payments known in advance make'
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from os import PathLike
from typing import Any, Final

from ...mechanisms.declaration.one_round import OneRound
from ...mechanisms.declaration.protocol import DeclarationMechanism
from ...scheduling.allocations import allocations
from ...support.errors import InputError
from ...support.files import write_packed
from ...support.progress import Clock
from ..verification.domain import Profile, with_entry
from .allocation import Chosen, Leaf, Split, cost, with_schedule
from .cycles import Cycle
from .envy import Graphs, Label, bare
from .payments import Payments, Question

FORMAT: Final = 1
OWN_ALLOCATION: Final = (
    "a function of the cluster (FILE.py:FUNCTION) that returns consortium.mechanisms.declaration.build(RULE, cluster, "
    "allocate=...)"
)
"""The custom mechanism of which it is known who runs where."""
NO_PLANS: Final = (
    f"found a custom mechanism of which only outcomes are known; expected a rule of the package, or {OWN_ALLOCATION}, "
    "which says who runs where"
)


def write_certificate(certificate: Mapping[str, Any], path: str | PathLike[str]) -> None:
    """Write a certificate to a file, gzipped where its name ends in ``.gz``; the same one gives the same bytes."""
    write_packed(path, json.dumps(certificate, separators=(",", ":")) + "\n")


def as_certificate(
    question: Question,
    mechanism: DeclarationMechanism,
    about: str,
    *,
    cycle: Cycle | None = None,
    payments: Payments | None = None,
    graphs: Sequence[Graphs] = (),
    chosen: Chosen | None = None,
    money: bool = True,
) -> dict[str, Any]:
    """What was found, as plain data.

    Parameters
    ----------
    question, mechanism
        What was asked, the fine included, of the mechanism without its payments.
    about
        What it is about, in words.
    cycle
        Why there are no payments; with ``payments`` besides: none with a smaller fine than the question's.
    payments, graphs
        Payments, proved to be the best ones or not, or rows that contradict each other; and where the rows are from.
    chosen, money
        Schedules with their payments, if there are any, or the proof that there are none.

    Raises InputError for a custom mechanism, which has no plans, and where nothing was found.
    """
    if type(mechanism) is not OneRound:
        raise InputError(f"certificate: {NO_PLANS}")
    answer: dict[str, Any] = {}
    objective, profiles, conditions = None, question.declared, question.conditions if money else frozenset()
    if chosen is not None:
        objective, answer = "cost", _designed(chosen, money)
    elif cycle is not None:
        answer = {"cycle": [case._asdict() for case in cycle.cases]}
        answer |= {} if payments is None else {"table": [*payments.table.items()]}
        if payments is None:
            conditions = frozenset()
            spoken = ((case, b) for case in cycle.cases for b in (case.true, case.declared))
            profiles = tuple(with_entry(case.others, case.agent, b) for case, b in spoken)
    elif payments is not None and (payments.table or payments.rows):
        objective = "most rent" if question.most and question.objective == "rent" else question.objective
        answer = {"value": payments.value, "table": [*payments.table.items()]} if payments.table else {}
        answer |= {} if payments.status == "open" else {"rows": [*with_lengths(payments.rows, graphs)]}
    else:
        raise InputError("certificate: found no answer; expected payments, or why there are none")
    domain, weighed = question.domain, question.objective == "rent-prior" and objective is not None
    body = {
        "format": FORMAT,
        "kind": "design",
        "about": about,
        "setting": _setting(mechanism) | {"plans": [*_plans(mechanism, profiles, chosen is not None)]},
        "question": {
            "lengths": domain.lengths,
            "declarations": domain.declarations,
            "concept": question.concept,
            "objective": objective,
            "conditions": sorted(conditions),
            "cap": question.cap if "cap" in conditions else None,
            "fine": question.fine,
            "values": question.values if "takes-part" in conditions else None,
            "prior": [[*own.items()] for own in question.prior or ()] if weighed else None,
        },
        "answer": answer,
    }
    plain: dict[str, Any] = _plain(body)
    return plain


def plan_again(
    certificate: Mapping[str, Any], mechanism: DeclarationMechanism, clock: Clock | None = None
) -> str | None:
    """What differs between the setting of a checked certificate and a mechanism; ``None`` where nothing does.

    Raises InputError for a mechanism about which there are no certificates, TimeoutError when time is up.

    >>> from consortium.mechanisms.declaration import build
    >>> from consortium.scheduling.clusters import Cluster
    >>> from .payments import Question
    >>> from ..verification.domain import Domain
    >>> question, rule = Question(Domain.of([1, 2], agents=2)), build("vcg-postpone", Cluster.of([1]))
    >>> certificate = as_certificate(question, bare(rule), "", payments=Payments("open", table={(1, 1): (0, 0)}))
    >>> plan_again(certificate, rule), plan_again(certificate, build("vcg-renice", Cluster.of([1])))
    (None, "tool: found 'renice'; the certificate has 'postpone'")
    """
    rule = bare(mechanism)
    if type(rule) is not OneRound:
        raise InputError(f"certificate: {NO_PLANS}")
    setting = certificate["setting"]
    for key, value in _plain(_setting(rule)).items():
        if setting[key] != value:
            return f"{key}: found {value!r}; the certificate has {setting[key]!r}"
    designed = certificate["question"]["objective"] == "cost"
    for listed in setting["plans"]:
        if clock is not None:
            clock.check()
        declared = tuple(map(Fraction, listed[0]))
        plan = _plan(with_schedule(rule, tuple(map(tuple, listed[1]))) if designed else rule, declared, designed)
        if _plain(plan) != listed:
            return f"plan for {listed[0]}: found {_plain(plan)[1:]}; the certificate has {listed[1:]}"
    return None


def _designed(chosen: Chosen, money: bool) -> dict[str, Any]:
    """Schedules that were designed."""
    tree = {"tree": [*_nodes(chosen.tree)]} if chosen.status != "open" and chosen.tree is not None else {}
    if chosen.status == "impossible":
        return {"money": money} | tree
    table = [*chosen.table.items()] if money else []
    return {"money": money, "value": chosen.value, "lotteries": [*chosen.lotteries.items()], "table": table} | tree


def _nodes(tree: Leaf | Split) -> Iterator[tuple[Any, ...]]:
    """In preorder."""
    todo = [tree]
    while todo:
        node = todo.pop()
        if isinstance(node, Leaf):
            yield "L", node.rows
        else:
            yield "S", node.profile, node.schedule
            todo += reversed(node.branches)


def with_lengths(rows: Iterable[tuple[Label, Fraction]], graphs: Sequence[Graphs]) -> Iterator[tuple[Label, Fraction]]:
    """Rows of truth with the others' lengths that make them."""
    for label, multiplier in rows:
        if label[0] == "truth":
            _, n, others, true, declared = label
            own = graphs[n]
            place = own.others.index(others), own.truths.index(own.nodes.index(true)), own.nodes.index(declared)
            label = (*label, own.case(*place).lengths)
        yield label, multiplier


def _setting(mechanism: OneRound) -> dict[str, Any]:
    """Machines and tools."""
    tools, cutoff = mechanism.tools, mechanism.cutoff
    return {
        "powers": mechanism.cluster.powers,
        "tool": tools.alive,
        "close": tools.close,
        "early": tools.early,
        "hold": tools.hold,
        "cutoff": None if cutoff is None else (cutoff.kind, cutoff.bound),
    }


def _plans(mechanism: OneRound, profiles: Iterable[Profile], designed: bool) -> Iterator[tuple[Any, ...]]:
    """One for each profile, or one for each schedule there."""
    rules = [mechanism]
    for k, b in enumerate(dict.fromkeys(profiles)):
        if designed and not k:
            lists = allocations(len(b), mechanism.cluster.n_machines)
            rules = [with_schedule(mechanism, each) for each in lists]
        yield from (_plan(rule, b, designed) for rule in rules)


def _plan(mechanism: OneRound, declared: Profile, priced: bool) -> tuple[Any, ...]:
    """Declarations, schedule, penalties, and what it costs where that matters."""
    plan = mechanism.plan(declared)
    assert plan.allocation is not None
    price = cost(mechanism.goal, [Fraction(t) for t in plan.planned if t is not None]) if priced else None
    return declared, plan.allocation.lists, plan.penalties, price


def _plain(x: Any) -> Any:
    """As JSON has it: numbers that are not whole as text."""
    if isinstance(x, Fraction):
        return x.numerator if x.denominator == 1 else str(x)
    if isinstance(x, Mapping):
        return {key: _plain(value) for key, value in x.items()}
    return [_plain(value) for value in x] if isinstance(x, tuple | list) else x
