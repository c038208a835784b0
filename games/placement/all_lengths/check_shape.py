#!/usr/bin/env python3
r"""Check a proof about all placement games of a shape.

    consortium check --print-checker proof.json.gz > check_shape.py
    python check_shape.py proof.json.gz [--time-limit SECONDS] [--memory BYTES]

The first line prints it as one file that needs Python 3.10 or later and nothing else; the second one needs no more.

Exit code 0: it proves what is printed; 1: it does not; 2: no certificate; 3: not checked, a limit was reached before.

N organizations own one machine each and put each of their jobs, whose lengths are >= 0, on some machine. A machine runs
its owner's jobs first, then the others by priority: of organizations, in their order, or of jobs, by rank. What an
organization pays is its largest *term*: on a machine where it has a job, the work up to its last one there. A *form* is
a sum of the differences ``x[a, i] = p[a, i] - p[a, i+1] >= 0`` of its sorted lengths, with integers as coefficients. A
form none of whose coefficients is negative is never negative. All forms of terms are made here, from sets of jobs.

A *cover* is a binary tree, its nodes in preorder: ["S", form] splits, into form <= 0 and form >= 0; ["E", [[row, m],
..]] has no interior; ["Q", hosts] places every job. A *row* is a form of a split on the way, its negative on the first
side: what is >= 0 here. A *price* has a tree for each placement and each of its terms, the *objective*: ["D",
organization, hosts] plays a strategy, ["O", job] puts a job on each machine, ["L", D, [[row, m], ..]] ends a way.

Why what is accepted is true:

1. Call a form positive at x if it is > 0 there, or is 0 and its first coefficient that is not 0 is positive. (This is
   its sign at x + (e, e^2, ..) for all small e > 0.) Sums and positive multiples of positive forms are positive; of a
   form and its negative, not all coefficients 0, exactly one is; a form without positive coefficient never is. So for
   each x there is one way down a cover on which all rows are positive, and therefore >= 0 at x.
2. This way does not end in "E": rows, at least one, times m > 0 would add up to a form without positive coefficient.
3. It ends in a placement. For every other strategy of every organization, one of that strategy's terms G was found such
   that for each term F that the organization has G - F (with a bound V: V G - F) has no negative coefficient, or none
   after a positive multiple of a row is taken off. So F <= G at x: what it pays is at most (V times) what it could pay.
   Ties and lengths of 0 are no exception: x was any point.
4. With "price-of-stability" this was found without V, and for every partition of the jobs into at most N sets V times
   the work of one set was found to be at least every term of everybody: no schedule is V times shorter.
5. A price: scale lengths so that the least makespan is 1. All jobs together are at most N, none is longer than 1. Take
   an equilibrium, its largest term and this one's tree; none is missing. A strategy of "D" costs no less than what its
   organization has, so one of its terms is at least all that this one has: there one way goes on. A schedule of
   makespan 1 has the job of "O" on a machine with jobs named before or on an empty one, all of which are alike: there
   one way goes on, and this machine's jobs named so far are at most 1. At "L" rows times m > 0 add up to at least D
   times the objective, coefficient by coefficient, and their right sides to at most V D. So the objective is at most V.

Not shown here: that a bound is the least one.
"""

from __future__ import annotations

import functools
import itertools
import sys
from collections.abc import Callable
from reprlib import repr as short
from typing import Any

from ...reading import Limits, Refused, Stopped, Unreadable, fields, integer, main, reason, size_of, written

MEANING = {
    "pure-equilibrium": "every game has a pure equilibrium",
    "epsilon": "every game has a placement in which nobody pays more than {} times what another strategy would cost",
    "price-of-stability": "every game has a pure equilibrium of makespan at most {} times the least of all schedules",
    "price-of-anarchy": "every pure equilibrium of every game has makespan at most {} times the least of all schedules",
}
SIZE, DEPTH = 32, 1000  # organizations and jobs, and rows on a way, at most

Form = tuple[int, ...]
Ratio = tuple[int, int]


class Needed:
    """A form that has to be >= 0, the rows that were compared with it, and those that show it, as bits."""

    def __init__(self, form: Form) -> None:
        self.form, self.compared, self.shown_by = form, 0, 0


Choice = frozenset[Needed]  # forms that are needed together, none: nothing is
Clause = frozenset[Choice]  # of which one is enough
Work = Callable[[int, int], Form]  # by machine and jobs there


def numbers(x: Any, count: int, end: int | None = None) -> Form:
    """So many integers; with ``end`` from 0 to before it."""
    if type(x) not in (list, tuple) or len(x) != count:
        raise ValueError(f"expected {count} integers, found {short(x)}")
    for a in x:
        integer(a, None if end is None else 0)
        if end is not None and a >= end:
            raise ValueError(f"expected integers below {end}, found {short(x)}")
    return tuple(x)


class Game:
    """All games of a shape. Jobs count from 0, by organization, the longest first; sets of jobs are bits."""

    def __init__(self, jobs: Any, ranks: Any, limits: Limits) -> None:
        self.limits, self.n = limits, len(jobs)
        self.shape = numbers(jobs, self.n, SIZE + 1)
        self.size = sum(self.shape)
        if max(self.n, self.size) > SIZE:
            raise Stopped(f"it has more than {SIZE} organizations or jobs")
        if not self.size:
            raise ValueError("expected at least one job")
        starts = [0, *itertools.accumulate(self.shape)]
        self.jobs = [range(a, b) for a, b in itertools.pairwise(starts)]
        self.own = [sum([1 << j for j in jobs]) for jobs in self.jobs]
        rank = [a for a, jobs in enumerate(self.jobs) for _ in jobs]
        if ranks is not None:
            rank = [integer(r, 1) for one, count in zip(ranks, self.shape, strict=True) for r in numbers(one, count)]
            if len(set(rank)) < self.size:
                raise ValueError("expected ranks that are all different")
        self.before = [sum([1 << i for i, other in enumerate(rank) if other < mine]) for mine in rank]
        self.forms: dict[int, Form] = {}

    def form(self, jobs: int) -> Form:
        """How long these jobs are together: x[a, i] is in the length of a's job i and of those before it."""
        if jobs not in self.forms:
            self.limits.keep(lasting=150 + 8 * self.size)
            chosen = [itertools.accumulate(jobs >> j & 1 for j in own) for own in self.jobs]
            self.forms[jobs] = tuple(itertools.chain(*chosen))
        return self.forms[jobs]

    def on(self, hosts: Form) -> list[int]:
        """The jobs on each machine."""
        return [sum([1 << j for j, host in enumerate(hosts) if host == machine]) for machine in range(self.n)]

    def strategy(self, a: int, hosts: Form) -> list[tuple[int, int]]:
        """Where organization ``a`` has jobs, in ascending order, and which."""
        parts = dict.fromkeys(sorted(set(hosts)), 0)
        for j, host in zip(self.jobs[a], hosts, strict=True):
            parts[host] |= 1 << j
        return list(parts.items())

    def term(self, on: list[int], a: int, host: int, jobs: int) -> Form:
        """When the last of these jobs of ``a`` ends, the only ones that it has there; ``on``: where the others are."""
        if host != a:
            first = self.own[host]
            for j in self.jobs[a]:
                first |= self.before[j] * (jobs >> j & 1)
            jobs |= on[host] & first & ~self.own[a]
        return self.form(jobs)

    def terms(self, hosts: Form) -> list[list[Form]]:
        """Of each organization, those of a placement."""
        on = self.on(hosts)
        return [
            [self.term(on, a, host, jobs & own) for host, jobs in enumerate(on) if jobs & own]
            for a, own in enumerate(self.own)
        ]


def less(a: Form, b: Form, p: int = 1, q: int = 1) -> Form:
    """``p a - q b``."""
    return tuple([p * x - q * y for x, y in zip(a, b, strict=True)])


def shows(row: Form, form: Form) -> bool:
    """Whether the form, less some positive multiple of the row, has no negative coefficient."""
    low, below, high, above = 0, 1, 1, 0  # low / below <= multiple <= high / above, at first not bounded
    for f, r in zip(form, row, strict=True):
        if r < 0:
            if f * below < low * r:
                low, below = -f, -r
        elif f < 0 or (r and not f):
            return False
        elif r and f * above < high * r:
            high, above = f, r
    return low * above <= high * below


# trees ----------------------------------------------------------------------------------------------------------------


Way = list[Any]  # rows: forms that are >= 0; of a price, forms and what they are at most
Branch = tuple[Way, Any]  # rows that it adds, and what else is known there


def traverse(nodes: Any, way: Way, visit: Callable[[Any, Way, Any], list[Branch]], state: Any, limits: Limits) -> int:
    """The number of leaves of a tree in preorder, each node of which says the branches below it. Raises Refused."""
    todo, leaves = [(len(way), Way(), state)], 0
    for at, node in enumerate(nodes):
        limits.keep()
        if not todo:
            raise Refused(f"the tree has ended before node {at}")
        depth, rows, state = todo.pop()
        way[depth:] = rows
        if len(way) > DEPTH:
            raise Stopped(f"it has a way of more than {DEPTH:,} rows")
        try:
            branches = visit(node, way, state)
        except Refused as why:
            raise Refused(f"node {at}: {why}") from None
        todo += [(len(way), *branch) for branch in reversed(branches)]
        leaves += not branches
    if todo:
        raise Refused("the tree is unfinished where its nodes end")
    return leaves


def multiples(x: Any, way: Way) -> list[tuple[Any, int]]:
    """Rows of the way, each with its multiplier, which is positive."""
    if len(x) > len(way):
        raise Refused(f"it takes {len(x)} rows, of {len(way)} on the way")
    pairs = [(integer(row, 0), integer(m, 1)) for row, m in x]
    if any(row >= len(way) for row, _ in pairs):
        raise Refused(f"it takes a row that is none of the {len(way)} on the way")
    return [(way[row], m) for row, m in pairs]


class Cover:
    """A tree whose leaves have a placement each; of a node the rows on the way are known, as bits."""

    def __init__(self, game: Game, name: str, bound: Ratio) -> None:
        self.game, self.limits, self.bound, self.stable = game, game.limits, bound, name == "price-of-stability"
        self.needed: dict[Form, Needed] = {}
        self.rows: dict[Form, int] = {}  # and their numbers
        self.row: list[Form] = []
        self.clauses: dict[Form, set[Clause]] = {}

    def check(self, nodes: Any) -> int:
        """The number of leaves. Raises Refused."""
        return traverse(nodes, [], self.visit, 0, self.limits)

    def visit(self, node: Any, way: Way, bits: int) -> list[Branch]:
        """The branches of a node."""
        kind, content = node
        if kind == "S":
            form = numbers(content, self.game.size)
            if not any(form):
                raise Refused("it splits by a form whose coefficients are all 0")
            return [([row], bits | 1 << self.number(row)) for row in (tuple([-a for a in form]), form)]
        if kind == "E":
            total = [0] * self.game.size
            for row, m in multiples(content, way):
                total = [a + m * b for a, b in zip(total, row, strict=True)]
            if not content or max(total) > 0:
                raise Refused("its rows, times their multipliers, do not contradict each other")
        elif kind == "Q":
            self.placement(numbers(content, self.game.size, self.game.n), bits)
        else:
            raise ValueError(f'expected a node "S", "E" or "Q", found {short(node)}')
        return []

    def number(self, row: Form) -> int:
        """The bit that stands for a row."""
        if row not in self.rows:
            self.limits.keep(lasting=300 + sum(map(size_of, row)))
            self.rows[row] = len(self.row)
            self.row.append(row)
        return self.rows[row]

    def placement(self, hosts: Form, bits: int) -> None:
        """A leaf with a placement; the rows on its way as bits."""
        if hosts not in self.clauses:
            self.clauses[hosts] = self.made(hosts)
        for clause in self.clauses[hosts]:
            if not any(all(self.follows(needed, bits) for needed in choice) for choice in clause):
                what = "an equilibrium" if self.bound == (1, 1) else "within the bound"
                raise Refused(f"no row shows that the placement {list(hosts)} is {what} here")

    def follows(self, needed: Needed, bits: int) -> bool:
        """Whether one of these rows shows the form."""
        if needed.shown_by & bits:
            return True
        left, before = bits & ~needed.compared, size_of(needed.compared)
        while left:
            row = left & -left
            left ^= row
            if shows(self.row[row.bit_length() - 1], needed.form):
                needed.shown_by |= row
        needed.compared |= bits
        self.limits.keep(lasting=2 * (size_of(needed.compared) - before))
        return needed.shown_by & bits != 0

    def made(self, hosts: Form) -> set[Clause]:
        """What has to be: for every other strategy, and every partition, one of these choices."""
        game, on, terms = self.game, self.game.on(hosts), self.game.terms(hosts)
        clauses: set[Clause] = set()
        for a, jobs in enumerate(game.jobs):
            own, bound = [there & game.own[a] for there in on], (1, 1) if self.stable else self.bound
            clauses |= self.ways(jobs, functools.partial(game.term, on, a), terms[a], bound, tuple(own))
        if self.stable:
            everybody = [term for one in terms for term in one]
            clauses |= self.ways(range(game.size), lambda _, jobs: game.form(jobs), everybody, self.bound, ())
        return clauses

    def ways(self, jobs: range, work: Work, terms: list[Form], bound: Ratio, own: tuple[int, ...]) -> set[Clause]:
        """For every way to put jobs on machines but their own, the choice of one whose work is at least all terms.

        No job more makes work less: where a choice needs nothing, all ways on have it too. Without own, machines are
        alike.
        """
        choices, clauses = dict[tuple[int, int], Choice](), set[Clause]()
        todo = [(jobs.start, (0,) * self.game.n)]
        while todo:
            job, parts = todo.pop()
            self.limits.keep()
            if job == jobs.stop:
                if parts != own:
                    clauses.add(frozenset([choices[part] for part in enumerate(parts) if part[1]]))
                    self.limits.keep(lasting=300 + 40 * self.game.n)
                continue
            for host, part in enumerate(parts):
                more = host, part | 1 << job
                if more not in choices:
                    choices[more] = self.choice(work(*more), terms, bound)
                if choices[more]:
                    todo.append((job + 1, (*parts[:host], more[1], *parts[host + 1 :])))
                if not part and not own:
                    break
        return clauses

    def choice(self, larger: Form, terms: list[Form], bound: Ratio) -> Choice:
        """That a form, times the bound, is at least each of these terms."""
        forms = [form for form in [less(larger, term, *bound) for term in terms] if min(form) < 0]
        for form in forms:
            if form not in self.needed:
                self.limits.keep(lasting=500 + sum(map(size_of, form)))
                self.needed[form] = Needed(form)
        return frozenset([self.needed[form] for form in forms])


class Price:
    """Trees for all terms of all placements; of a node the jobs are known that are on machines of the schedule."""

    def __init__(self, game: Game, bound: Ratio) -> None:
        self.game, self.limits, self.bound = game, game.limits, bound
        longest = [(game.form(1 << own.start), 1) for own in game.jobs if own]
        self.first = [(game.form((1 << game.size) - 1), game.n), *longest]

    def check(self, roots: Any) -> int:
        """The number of leaves. Raises Refused."""
        game, n, leaves, seen = self.game, self.game.n, 0, set[Form]()
        for content, a, host, nodes in roots:
            hosts, (a, host) = numbers(content, game.size, n), numbers([a, host], 2, n)
            self.limits.keep(lasting=250 + 8 * game.size)
            self.on, self.terms = game.on(hosts), game.terms(hosts)
            there, name = self.on[host] & game.own[a], f"organization {a} on machine {host} in {list(hosts)}"
            if (*hosts, a, host) in seen or not there:
                raise Refused(f"{name} has two trees" if there else f"{name} has no job")
            seen.add((*hosts, a, host))
            self.objective = game.term(self.on, a, host, there)
            try:
                leaves += traverse(nodes, self.first[:], self.visit, (), self.limits)
            except Refused as why:
                raise Refused(f"{name}: {why}") from None
        # a machine has one of k jobs in n^k - (n-1)^k placements of them
        total = sum([n ** (game.size - k) * n * (n**k - (n - 1) ** k) for k in game.shape])
        if len(seen) < total:
            raise Refused(f"{total - len(seen):,} of {total:,} trees are missing")
        return leaves

    def visit(self, node: Any, way: Way, machines: tuple[int, ...]) -> list[Branch]:
        """The branches of a node."""
        game = self.game
        kind, *content = node
        if kind == "D":
            (a,), (_, strategy) = numbers(content[:1], 1, game.n), content
            parts = game.strategy(a, numbers(strategy, game.shape[a], game.n))
            if not parts:
                raise Refused(f"organization {a} has no jobs")
            replies = [game.term(self.on, a, *part) for part in parts]
            return [([(less(term, reply), 0) for term in self.terms[a]], machines) for reply in replies]
        if kind == "O":
            (job,), branches = numbers(content, 1, game.size), []
            if any(jobs >> job & 1 for jobs in machines):
                raise Refused(f"it puts job {job} on machines twice")
            for k, jobs in enumerate((*machines, 0)[: game.n]):
                jobs |= 1 << job
                branches.append(([(game.form(jobs), 1)], (*machines[:k], jobs, *machines[k + 1 :])))
            return branches
        if kind != "L":
            raise ValueError(f'expected a node "D", "O" or "L", found {short(node)}')
        divisor, rows = content
        total, right = [-integer(divisor, 1) * a for a in self.objective], 0
        for (form, end), m in multiples(rows, way):
            total, right = [a + m * b for a, b in zip(total, form, strict=True)], right + m * end
        if min(total) < 0 or right * self.bound[1] > self.bound[0] * divisor:
            raise Refused("its rows, times their multipliers, do not bound the objective")
        return []


# the verdict ----------------------------------------------------------------------------------------------------------


def check(data: Any, limits: Limits | None = None) -> str:
    """What a certificate proves, in one sentence. Raises Refused, Unreadable if it is none, or Stopped by a limit."""
    try:
        priced = type(data) is dict and data.get("property") == "price-of-anarchy"
        keys = ("format", "kind", "about", "property", "jobs", "ranks", "at_most", "roots" if priced else "nodes")
        number, kind, about, name, jobs, ranks, at_most, tree = fields(data, *keys)
        if (integer(number), kind, type(about), type(tree)) != (1, "shape", str, list) or name not in MEANING:
            raise ValueError('expected format 1, kind "shape", about as text, a known property and a list of nodes')
        if (at_most is None) != (name == "pure-equilibrium"):
            raise ValueError("expected at_most null for pure-equilibrium and for no other property")
        top, bottom = (1, 1) if at_most is None else numbers(at_most, 2)
        if not 0 < bottom <= top:
            raise ValueError(f"expected at_most >= 1 with a positive denominator, found {short(at_most)}")
        game = Game(jobs, ranks, limits or Limits())
        leaves = Price(game, (top, bottom)).check(tree) if priced else Cover(game, name, (top, bottom)).check(tree)
    except (TypeError, ValueError, RecursionError) as error:
        raise Unreadable(f"not a certificate: {reason(error)}") from None
    first = f"jobs with ranks {ranks}, the longest of each first" if ranks else "organizations in this order"
    return (
        f"Proved for {game.n} organizations with {', '.join(map(str, game.shape))} jobs of any lengths >= 0, a machine "
        f"each, priority to {first}: {name} ({MEANING[name].format(written((top, bottom)))}; {leaves:,} leaves)."
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], "Check a proof about all placement games of a shape.", "shape", check))
