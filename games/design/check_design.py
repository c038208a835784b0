#!/usr/bin/env python3
r"""Check a certificate of payments that were designed.

    consortium check --print-checker design.json.gz > check_design.py
    python check_design.py design.json.gz [--time-limit SECONDS] [--memory BYTES]

The first line prints it as one file that needs Python 3.10 or later and nothing else; the second one needs no more.

Exit code 0: it proves what is printed; 1: it does not; 2: no certificate; 3: not checked, a limit was reached before.

Agents have lengths, declare numbers, and pay what was announced for these declarations, and a fine if the length that
was seen is another one. For each profile of declarations a *plan* says which agents each machine runs, in order, and
their penalties. Numbers are integers or text such as "3/2"; agents and machines count from 0; what is said of all the
others has a 0 in the agent's own place.

Why what is accepted is true:

1. Output times are made here, from plans, lengths and the tools of job control. A *truth* row ``[agent, others, length,
   lie, others' lengths]`` says ``P(length, others) - P(lie, others) <= w`` (plus the fine): ``w`` is how much later the
   lie brings her output. Where payments make the truth best it holds, whichever of the others' lengths it names. Where
   a lie never brings the output there is no row. Other rows are the conditions that the question names. Each row is
   made here from its name, and refused where the question has none of that name.
2. The truth rows of a cycle (each one's lie is the next one's length) add up to 0 on the left. If the sum on the right
   is negative, no payments meet all of them; if it is 0 with a fine, none do with a smaller fine.
3. A table of payments is tried in every row (of others who share no machine with her, lengths do not matter).
4. Rows are added up, each times a multiplier >= 0. If nothing is left on the left and the right is negative, nothing
   meets all of them. If the negative of the objective is left, the objective is at least the negative of the right.
5. Where the allocation was designed, the unknowns are the chance of each schedule at each profile as well. A tree, its
   nodes in preorder, splits by ["S", profile, schedule]: first all other schedules are excluded there, then this one.
   A rule without chance is in one of both branches. A leaf ["L", rows] shows that in its branch nothing is possible, or
   nothing is better. Chance may decide where the tree is one leaf.

Not shown here: that the plans (and what they cost) are those of a mechanism; the sentence printed says so.
"""

from __future__ import annotations

import itertools
import math
import sys
from collections.abc import Iterator
from fractions import Fraction
from reprlib import repr as short
from typing import Any

from ..reading import Limits, Refused, Unreadable, fields, integer, main, reason
from .certified import CONDITIONS, Case, Profile, Question, Row, Setting, listed, number, numbers, put


class Rows:
    """The rows of a question, ``sum of coefficients <= right``, each made from its name.

    Unknowns: ``(agent, profile)``, or what stands for it: a payment; ``(profile, lists)``: the chance of a schedule;
    ``t``: the objective; ``("low", profile)``: the least that anybody bears there.
    """

    def __init__(self, question: Question, setting: Setting, money: bool) -> None:
        self.question, self.setting, self.money = question, setting, money
        self.designed, objective = question.objective == "cost", question.objective
        self.where: dict[str, tuple[set[Profile], bool]] = {}  # where, and whether of each agent
        names = {*question.conditions} if money else {"at most 1", "at least 1"}
        names |= {"at most 1", "at least 1"} if self.designed else {str(objective).removeprefix("most ")}
        also = (("balanced", "no-deficit"), ("spread", "spread-low"))
        names |= {more for name, more in also if name in names}
        for name in ("no-deficit", "balanced", "prices-nonnegative", "at most 1", "at least 1"):
            self.where[name] = question.declared, name == "prices-nonnegative"
        for name in ("cap", "takes-part", "rent", "rent-ratio", "payment", "spread", "spread-low"):
            self.where[name] = question.truthful, name in ("takes-part", "payment", "spread", "spread-low")
        self.where = {name: where for name, where in self.where.items() if name in names}

    def names(self) -> Iterator[tuple[Any, ...]]:
        """Those of all rows that say anything new; that chances are >= 0 is seen elsewhere."""
        for name, (profiles, each) in self.where.items():
            for b in profiles:
                yield from [(name, n, b) for n in range(len(b))] if each else [(name, b)]
        for n in range(len(self.question.lengths)):
            yield from (("truth", *case) for case in self.question.cases(n, self.setting.chosen))

    def read(self, x: Any) -> tuple[Any, ...]:
        """The name of a row, as a certificate has it. Raises Refused where the question has no such row."""
        kind, *where = listed(x)
        question = self.question
        if kind == "truth":
            return kind, *question.case(where)
        if kind in ("chance", "not") and self.designed:
            b, lists = where
            return kind, question.at(b, question.declared), self.setting.lists(lists)
        if (kind, where) == ("strict", []) and self.question.objective == "strictness":
            return (kind,)
        if kind not in self.where:
            raise Refused(f"the question has no row {short(x)}")
        profiles, each = self.where[kind]
        *agents, b = where
        if len(agents) != each:
            raise ValueError(f"expected {kind}, {'an agent, ' if each else ''}and a profile, found {short(x)}")
        return kind, *map(question.agent, agents), question.at(b, profiles)

    def paid(self, b: Profile, n: int) -> Any:
        """The unknown of a payment."""
        return (b[n], *sorted(put(b, n, Fraction(0)))) if "anonymous" in self.question.conditions else (n, b)

    def times(self, n: int, b: Profile, lengths: Profile, sign: int | Fraction) -> Row | None:
        """When an agent gets her output; None: never."""
        times = {(b, s): self.setting.output(n, b, s, lengths) for s in self.setting.chosen.get(b, ())}
        if None in times.values() or not times:
            return None
        return {key: sign * (time or Fraction(0)) for key, time in times.items()}

    def row(self, kind: str, *where: Any) -> tuple[Row, Fraction] | None:
        """Coefficients and right side; None where a lie never brings the output, or a plan is missing."""
        one, right = Fraction(1), Fraction(0)
        if kind == "truth":
            return self.truth(where)
        if kind in ("chance", "not"):
            return {where: one if kind == "not" else -one}, right
        if kind == "strict":
            return {"t": -one}, right
        *agents, b = where
        if kind in ("at most 1", "at least 1"):
            sign = one if kind == "at most 1" else -one
            return dict.fromkeys([(b, lists) for lists in self.setting.chosen.get(b, ())], sign), sign
        low: Row = {}
        most = kind == "rent" and self.question.objective == "most rent"
        sign = -one if most or kind in ("no-deficit", "prices-nonnegative", "spread-low") else one
        if kind in ("rent", "rent-ratio", "payment", "spread"):
            low["t"] = -sign * (self.setting.least_sum(b) if kind == "rent-ratio" else 1)
        if kind in ("spread", "spread-low"):
            low["low", b] = -sign
        if kind in ("takes-part", "spread", "spread-low"):
            times = self.times(agents[0], b, b, sign)
            if times is None:
                return None
            low |= times
        if kind == "takes-part":
            right = self.question.values[agents[0]]
        right = self.question.cap if kind == "cap" else right
        for n in agents or range(len(b)):
            low[self.paid(b, n)] = low.get(self.paid(b, n), Fraction(0)) + sign
        return low, right

    def truth(self, case: Case) -> tuple[Row, Fraction] | None:
        """What a lie brings; None where that is never the output."""
        n, others, true, lie, behind = case
        honest, lied, lengths = put(others, n, true), put(others, n, lie), put(behind, n, true)
        here, there = self.times(n, honest, lengths, 1), self.times(n, lied, lengths, -1)
        if here is None or there is None:
            return None
        row = here | there
        for b, sign in ((honest, 1), (lied, -1)) if self.money else ():
            row[self.paid(b, n)] = row.get(self.paid(b, n), Fraction(0)) + sign
        if self.question.objective == "strictness":
            row["t"] = Fraction(1)
        return row, self.question.fine

    def objective(self) -> Row:
        """What is least, or the negative of what is most."""
        question, row = self.question, Row()
        if question.objective not in ("rent-sum", "rent-prior", "cost"):
            return {"t": Fraction(-1 if question.objective in ("most rent", "strictness") else 1)}
        for b in question.truthful:
            if self.designed:
                row |= {(b, s): question.weight(b) * number(self.setting.costs[b, s]) for s in self.setting.chosen[b]}
            for n in range(0 if self.designed else len(b)):
                row[self.paid(b, n)] = row.get(self.paid(b, n), Fraction(0)) + question.weight(b)
        return row

    def bound(self, rows: Any, excluded: frozenset[Any] = frozenset()) -> Fraction | None:
        """What the objective is at least; None: nothing meets these rows. Raises Refused."""
        objective = {x: factor for x, factor in self.objective().items() if factor}
        total, right = {**objective}, Fraction(0)
        for x, y in map(listed, listed(rows)):
            name, factor = self.read(x), number(y)
            row = self.row(*name)
            if factor < 0 or row is None or (name[0] == "not" and name[1:] not in excluded):
                raise Refused(f"the row {short(x)} does not count, {factor} times")
            for unknown, value in row[0].items():
                total[unknown] = total.get(unknown, Fraction(0)) + factor * value
            right += factor * row[1]
            self.question.limits.keep()
        if not self.designed:  # then schedules are known
            right -= sum([total.pop(x) for x in [*total] if x in self.setting.plans])
        left = {x: factor for x, factor in total.items() if factor}
        if left and (left != objective or right >= 0):
            raise Refused("the rows, times their multipliers, prove nothing")
        return None if left else -right

    def tried(self, point: Row) -> int:
        """The number of rows, which this point meets. Raises Refused."""
        count = 0
        for name in self.names():
            self.question.limits.keep()
            if (row := self.row(*name)) is not None:
                count += 1
                if sum([factor * point[unknown] for unknown, factor in row[0].items()]) > row[1]:
                    raise Refused(f"it breaks {short(name)}")
        return count


def cycle_total(rows: Rows, cases: Any) -> Fraction:
    """How much later the lies of a cycle bring the outputs, fines included. Raises Refused where it is none."""
    question, total, read = rows.question, Fraction(0), []
    for x in listed(cases):
        *where, later = fields(x, "agent", "others", "true", "declared", "lengths", "later")
        read.append(question.case(where))
        row = rows.truth(read[-1])
        if row is None or sum([row[0].get(key, 0) for key in rows.setting.plans]) != -number(later):
            raise Refused(f"the lie of {short(x)} brings the output not so much later")
        total += number(later) + question.fine
    if not read or any(a[:2] != b[:2] or a[3] != b[2] for a, b in itertools.pairwise([*read, read[0]])):
        raise Refused("the cases are no cycle")
    return total


def point_of(rows: Rows, table: Any, value: Fraction | None, lotteries: Any) -> Row:
    """The unknowns as a certificate has them, each once. Raises Refused."""
    question, setting, point, seen = rows.question, rows.setting, Row(), set()
    if rows.designed:
        for x, lottery in lotteries:
            b = question.at(x, question.declared)
            for p, lists in lottery:
                if (b, setting.lists(lists)) in point or number(p) < 0:
                    raise Refused(f"a schedule of {short(x)} has two chances, or one below 0")
                point[b, setting.lists(lists)] = number(p)
        point |= {key: Fraction(0) for key in setting.plans if key not in point}
    else:
        point |= {(b, setting.at(b)[0]): Fraction(1) for b in question.declared}
    for x, payments in table if rows.money else ():
        b = question.at(x, question.declared)
        seen.add(b)
        for n, paid in enumerate(numbers(payments, len(b))):
            if point.setdefault(rows.paid(b, n), paid) != paid:
                raise Refused(f"{short(x)} has two payments of a kind")
    if rows.money and seen != question.declared:
        raise Refused(f"the table has {len(seen)} of {len(question.declared)} profiles")
    if value is not None:
        point["t"] = value
    if question.objective == "spread":
        for b in question.truthful:
            borne = [rows.times(n, b, b, 1) for n in range(len(b))]
            point["low", b] = min([point[rows.paid(b, n)] + sum((row or {}).values()) for n, row in enumerate(borne)])
    return point


def least_of_tree(rows: Rows, nodes: Any) -> Fraction | None:
    """What the objective is at least in every leaf; None: nothing is possible in any. Raises Refused."""
    setting, todo, bounds = rows.setting, [frozenset[Any]()], []
    count = math.perm(len(setting.powers) + setting.agents - 1, setting.agents)
    schedules = [(b, s) for b in rows.question.declared for s in setting.at(b, count)]
    for x in listed(nodes):
        if not todo:
            raise Refused("the tree has ended before its nodes")
        kind, *content = listed(x)
        excluded = todo.pop()
        if kind == "S":
            b, lists = content
            key = rows.question.at(b, rows.question.declared), setting.lists(lists)
            todo += [excluded | {key}, excluded | {other for other in schedules if other[0] == key[0] and other != key}]
            rows.question.limits.keep(lasting=80 * len(todo[-1]))
        elif kind == "L":
            (leaf,) = content
            bounds.append(rows.bound(leaf, excluded))
        else:
            raise ValueError(f'expected a node "S" or "L", found {short(x)}')
    if todo:
        raise Refused("the tree is unfinished where its nodes end")
    return min([bound for bound in bounds if bound is not None], default=None)


def judged(question: Question, setting: Setting, answer: Any) -> str:
    """What an answer proves, ``*`` for what the concept asks. Raises Refused, and ValueError for what is no answer."""
    keys, designed = {*answer}, question.objective == "cost"
    if type(money := answer.get("money", True)) is not bool:
        raise ValueError(f"expected true or false for money, found {short(money)}")
    rows = Rows(question, setting, money)
    for b in () if designed else setting.chosen:
        setting.at(b)
    what = " and ".join(["payments"] * rows.money + ["schedules"] * designed)
    conditions = {*rows.where} | question.conditions & {"anonymous"}
    under = "".join([f", {name}" for name in CONDITIONS if name in conditions])
    under = f"*{under}{f' {question.cap}' if 'cap' in rows.where else ''}"
    under += f" (with a fine of {question.fine} on each lie that is seen)" if question.fine else ""
    proof = "tree" if designed else "rows"
    expected = {"value", "table", "money", "lotteries"} if designed else {"value", "table"}
    if keys in ({"cycle"}, {"cycle", "table"}) and not designed:
        total = cycle_total(rows, answer["cycle"])
        if total > 0 or (total == 0 and ("table" not in keys or not question.fine)):
            raise Refused("the cycle contradicts nothing")
        if "table" not in keys:
            return f"no payments known in advance make {under}"
        count = rows.tried(point_of(rows, answer["table"], None, None))
        return f"these payments make {under}, and none do with a smaller fine ({count:,} rows)"
    if keys == ({"money", "tree"} if designed else {"rows"}):
        if (least_of_tree if designed else Rows.bound)(rows, answer[proof]) is not None:
            raise Refused("the rows, times their multipliers, do not contradict each other")
        return f"no {what} make {under}"
    if keys - {proof} != expected or question.objective is None:
        raise ValueError(f"expected a known kind of answer, found {short(sorted(keys))}")
    value = number(answer["value"])
    point = point_of(rows, answer["table"], value, answer.get("lotteries"))
    count = rows.tried(point)
    reached = sum([factor * point[unknown] for unknown, factor in rows.objective().items()], start=Fraction(0))
    sign = -1 if question.objective in ("most rent", "strictness") else 1
    if reached != sign * value or (question.objective == "strictness" and value < 0):
        raise Refused(f"the {question.objective} is {sign * reached}, not {value}")
    text = f"these {what} make {under}, with {question.objective} {value} ({count:,} rows)"
    if proof not in keys:
        return f"{text}, not shown to be best"
    bound = (least_of_tree if designed else Rows.bound)(rows, answer[proof])
    by_lot = any(point.get(key) not in (0, 1, None) for key in setting.plans)
    if bound is None or bound < reached or (by_lot and len(answer["tree"]) > 1):
        raise Refused(f"the rows show that it is {'at least' if sign == 1 else 'at most'} {bound and sign * bound}")
    return f"{text}, and none are better on this domain"


def check(data: Any, limits: Limits | None = None) -> str:
    """What a certificate proves, in one sentence. Raises Refused, Unreadable if it is none, or Stopped by a limit."""
    try:
        keys = ("format", "kind", "about", "setting", "question", "answer")
        version, kind, about, setting, question, answer = fields(data, *keys)
        if (integer(version), kind, type(about), type(answer)) != (1, "design", str, dict):
            raise ValueError('expected format 1, kind "design", about as text and an answer')
        whole = Question(question, limits or Limits())
        text = judged(whole, Setting(setting, len(whole.lengths), whole.limits), answer)
    except (TypeError, ValueError, KeyError, RecursionError) as error:
        raise Unreadable(f"not a certificate: {reason(error)}") from None
    concept = "the truth best, whatever the others declare" if whole.dominant else "the truth best among the truthful"
    domain = "; ".join([", ".join(map(str, own)) for own in whole.lengths])
    return (
        f"Proved for {len(whole.lengths)} agents with lengths of {domain[:200]}: {text.replace('*', concept)}. "
        f"That the plans are those of the mechanism ({ascii(about)[:300]}) is for 'consortium check --against' to show."
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], "Check a certificate of payments that were designed.", "design", check))
