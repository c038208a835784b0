"""What a certificate of designed payments says, as its checker reads it; :mod:`.check_design` explains it.

It imports nothing of the package but :mod:`..reading`, and stands in the program that is printed.
"""

from __future__ import annotations

import itertools
import math
import operator
import re
from collections.abc import Iterator
from fractions import Fraction
from reprlib import repr as short
from typing import Any

from ..reading import Limits, Refused, fields, integer

OBJECTIVES = {"rent", "rent-sum", "rent-prior", "rent-ratio", "payment", "spread", "most rent", "strictness", "cost"}
CONDITIONS = ("no-deficit", "prices-nonnegative", "takes-part", "balanced", "cap", "anonymous")

Profile = tuple[Fraction, ...]
Lists = tuple[tuple[int, ...], ...]
Row = dict[Any, Fraction]
Case = tuple[int, Profile, Fraction, Fraction, Profile]  # agent, the others' declarations, length, lie, their lengths


def number(x: Any) -> Fraction:
    """An integer, or a fraction as text."""
    if type(x) is not str:
        return Fraction(integer(x))
    if not re.fullmatch(r"-?[0-9]+/0*[1-9][0-9]*", x):
        raise ValueError(f"expected an integer or text such as '3/2', found {short(x)}")
    top, _, bottom = x.partition("/")
    return Fraction(integer(int(top)), integer(int(bottom)))


def listed(x: Any, count: int | None = None) -> list[Any]:
    """A list, of so many things."""
    if type(x) is not list or (count is not None and len(x) != count):
        raise ValueError(f"expected a list{'' if count is None else f' of {count}'}, found {short(x)}")
    return x


def numbers(x: Any, count: int | None = None, above: int | None = None) -> Profile:
    """So many numbers, all of them above another."""
    values = tuple(map(number, listed(x, count)))
    if above is not None and any(value <= above for value in values):
        raise ValueError(f"expected numbers > {above}, found {short(x)}")
    return values


def put(others: Profile, n: int, own: Fraction) -> Profile:
    """The others' numbers with one in the agent's place."""
    return (*others[:n], own, *others[n + 1 :])


class Setting:
    """Machines, tools and plans: when everybody gets her output."""

    def __init__(self, data: Any, agents: int, limits: Limits) -> None:
        names = ("powers", "tool", "close", "early", "hold", "cutoff", "plans")
        powers, self.tool, self.close, self.early, self.hold, cutoff, plans = fields(data, *names)
        self.agents, self.powers, self.limits = agents, numbers(powers, above=0), limits
        flags = {*map(type, (self.close, self.early, self.hold))} == {bool}
        if self.tool not in ("run-on", "renice", "postpone", "kill") or not flags or not powers:
            raise ValueError("expected a machine, a known tool, and whether it closes gaps, is early and holds outputs")
        bound: list[Any] = [None, 0] if cutoff is None else listed(cutoff, 2)
        self.cutoff, self.bound = bound[0], number(bound[1])
        if self.cutoff not in (None, "difference", "absolute"):
            raise ValueError(f"expected no cut-off, or one of a known kind, found {short(cutoff)}")
        self.plans: dict[tuple[Profile, Lists], list[Fraction | None]] = {}
        self.costs: dict[tuple[Profile, Lists], Any] = {}
        self.chosen: dict[Profile, list[Lists]] = {}
        self.runs: dict[Any, dict[int, Fraction | None]] = {}
        for b, lists, penalties, cost in plans:
            key = numbers(b, agents, above=0), self.lists(lists)
            shares = [None if s is None else number(s) for s in listed(penalties, agents)]
            if key in self.plans or any(s is not None and s < 0 for s in shares):
                raise ValueError(f"expected one plan of {short(b)} and {short(lists)}, and penalties >= 0")
            if self.tool == "renice" and not all(shares):
                raise ValueError(f"expected shares > 0, found {short(penalties)}")
            self.plans[key], self.costs[key] = shares, cost
            self.chosen.setdefault(key[0], []).append(key[1])

    def lists(self, x: Any) -> Lists:
        """The agents of each machine, in order."""
        lists = tuple([tuple([integer(n, 0) for n in listed(jobs)]) for jobs in listed(x, len(self.powers))])
        if sorted(itertools.chain(*lists)) != [*range(self.agents)]:
            raise ValueError(f"expected every agent on one machine, found {short(x)}")
        return lists

    def at(self, b: Profile, count: int = 1) -> list[Lists]:
        """So many schedules of a profile. Raises Refused where there are more or fewer."""
        if len(self.chosen.get(b, ())) != count:
            raise Refused(f"{[*map(str, b)]} has {len(self.chosen.get(b, ()))} plans, not {count}")
        return self.chosen[b]

    def output(self, n: int, b: Profile, lists: Lists, lengths: Profile) -> Fraction | None:
        """When an agent gets her output, None: never."""
        penalties = self.plans[b, lists]
        m, jobs = next((m, jobs) for m, jobs in enumerate(lists) if n in jobs)
        key = m, jobs, *((b[k], lengths[k], penalties[k]) for k in jobs)
        if key not in self.runs:
            self.limits.keep(lasting=600 + 400 * len(jobs))
            self.runs[key] = self.run(self.powers[m], jobs, b, lengths, penalties)
        return self.runs[key][n]

    def run(self, power: Fraction, jobs: Any, b: Profile, lengths: Profile, penalties: Any) -> dict[int, Any]:
        """Output times on one machine: first segments one after the other, then postponed remainders."""
        times, queue, zero = dict[int, Any](), [], Fraction(0)
        clock, planned, late, whole = zero, zero, zero, sum([b[n] for n in jobs], start=zero) / power
        for n in jobs:
            done, planned, clock = clock + lengths[n] / power, planned + b[n] / power, clock + b[n] / power
            times[n] = planned + late
            if not self.hold:
                clock = times[n] = done
            elif lengths[n] == b[n]:
                times[n] = clock if self.early else times[n]
            elif self.tool == "kill":
                times[n] = None
            elif lengths[n] < b[n]:
                clock = done if self.close else clock
            elif self.tool == "postpone":
                release = whole if penalties[n] is None else planned + penalties[n]
                queue.append((n, max(release, clock + whole - planned)))
            else:
                share = penalties[n] if self.tool == "renice" else 1
                clock += (lengths[n] - b[n]) / (power * share)
                times[n], late = max(times[n], clock), max(late, clock - planned)
        for n, begin in queue:
            most = {None: lengths[n], "difference": b[n] + self.bound, "absolute": self.bound}[self.cutoff]
            clock = max(begin, clock) + (min(lengths[n], most) - b[n]) / power
            times[n] = max(times[n], clock) if lengths[n] <= most else None
        return times

    def least_sum(self, b: Profile) -> Fraction:
        """S: the longest job counts once, by the fastest machine, and so on."""
        counts = sorted([i / c for c in self.powers for i in range(1, len(b) + 1)])[: len(b)]
        return sum([v * x for v, x in zip(counts, sorted(b, reverse=True), strict=True)], start=Fraction(0))


class Question:
    """Whose lies, where, and what else is asked of the payments."""

    def __init__(self, data: Any, limits: Limits) -> None:
        names = ("lengths", "declarations", "concept", "objective", "conditions", "cap", "fine", "values", "prior")
        lengths, declarations, concept, self.objective, conditions, cap, fine, values, prior = fields(data, *names)
        self.limits, n = limits, len(listed(lengths))
        self.lengths = [[*dict.fromkeys(numbers(own, above=0))] for own in lengths]
        self.declarations = [numbers(own, above=0) for own in listed(declarations, n)]
        self.dominant, self.conditions, self.fine = concept == "dominant", {*listed(conditions)}, number(fine)
        named = concept in ("dominant", "ex-post") and self.objective in (None, *OBJECTIVES)
        if not named or not all(lengths) or self.fine < 0:
            raise ValueError("expected lengths of each agent, a known concept and objective, and a fine >= 0")
        if not self.conditions <= {*CONDITIONS} or (cap is None) == ("cap" in self.conditions):
            raise ValueError(f"expected some of {', '.join(CONDITIONS)}, and a cap where that is one of them")
        self.cap = number(0 if cap is None else cap)
        self.values = numbers(values, n) if "takes-part" in self.conditions else ()
        if self.objective != "cost" and (prior is None) == (self.objective == "rent-prior"):
            raise ValueError("expected a prior where the objective looks at it")
        self.prior = [{number(x): number(p) for x, p in own} for own in listed([] if prior is None else prior)]
        if any(sum(own.values()) != 1 or min(own.values()) < 0 for own in self.prior):
            raise ValueError("expected probabilities that sum to 1")
        self.nodes = [sorted({*own, *more}) for own, more in zip(self.lengths, self.declarations, strict=True)]
        self.truthful = {*self.each(self.lengths)}
        self.declared = {*self.each(self.nodes)}
        if not self.dominant:
            self.declared = {b for b in self.declared if sum(map(operator.contains, self.lengths, b)) >= n - 1}

    def each(self, options: list[list[Fraction]]) -> Iterator[Profile]:
        """All combinations, within the limits."""
        for b in itertools.product(*options):
            self.limits.keep(lasting=100 + 8 * len(b))
            yield b

    def weight(self, b: Profile) -> Fraction:
        """How often a truthful profile counts."""
        return math.prod([own.get(x, Fraction(0)) for own, x in zip(self.prior, b, strict=False)], start=Fraction(1))

    def lies(self, n: int, length: Fraction) -> list[Fraction]:
        """What an agent of this length may declare instead."""
        return sorted({*self.declarations[n]} - {length})

    def behind(self, k: int, b: Fraction) -> list[Fraction]:
        """Lengths of one of the others who declares this; none where she does not."""
        if self.dominant and b in self.declarations[k]:
            return self.lengths[k]
        return [b] if b in self.lengths[k] else []

    def cases(self, n: int, chosen: dict[Profile, list[Lists]]) -> Iterator[Case]:
        """Comparisons of the truth with a lie; of others who share no machine with her, one length is enough."""
        spoken = self.nodes if self.dominant else self.lengths
        for others in itertools.product(*[own if k != n else [Fraction(0)] for k, own in enumerate(spoken)]):
            behind = [self.behind(k, b) if k != n else [Fraction(0)] for k, b in enumerate(others)]
            for length in self.lengths[n]:
                for lie in self.lies(n, length):
                    plans = [s for own in (length, lie) for s in chosen.get(put(others, n, own), ())]
                    close = {k for lists in plans for jobs in lists if n in jobs for k in jobs}
                    for lengths in itertools.product(*[own if k in close else own[:1] for k, own in enumerate(behind)]):
                        yield n, others, length, lie, lengths

    def case(self, x: Any) -> Case:
        """One of these comparisons. Raises Refused where it is none."""
        agents = len(self.lengths)
        agent, b, length, lie, behind = x
        n, others, lengths = self.agent(agent), numbers(b, agents), numbers(behind, agents)
        meant = [x in self.behind(k, b) for k, (b, x) in enumerate(zip(others, lengths, strict=True)) if k != n]
        true, declared = number(length), number(lie)
        fits = all(meant) and not others[n] and not lengths[n] and true in self.lengths[n]
        if not fits or declared not in self.lies(n, true):
            raise Refused(f"the question has no case {short(x)}")
        return n, others, true, declared, lengths

    def agent(self, x: Any) -> int:
        """One of the agents."""
        if integer(x, 0) >= len(self.lengths):
            raise ValueError(f"expected an agent, found {short(x)}")
        return int(x)

    def at(self, x: Any, profiles: set[Profile]) -> Profile:
        """One of these profiles. Raises Refused where it is none."""
        if (b := numbers(x, len(self.lengths))) not in profiles:
            raise Refused(f"the question has nothing at {short(x)}")
        return b
