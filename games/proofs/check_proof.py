#!/usr/bin/env python3
r"""Check a proof about a mechanism for all lengths.

    consortium check --print-checker proof.json.gz > check_proof.py
    python check_proof.py proof.json.gz [--time-limit SECONDS] [--memory BYTES]

The first line prints it as one file that needs Python 3.10 or later and nothing else; the second one needs no more.

Exit code 0: it proves what is printed; 1: it does not; 2: no certificate; 3: not checked, a limit was reached before.

Agents 1 to N have lengths ``theta`` and declare ``b``. A *form* is 1 + N + N integers, the coefficients of 1, of ``b_1
.. b_N`` and of ``theta_1 .. theta_N``. A certificate has the mechanism as a decision tree: an inner node asks whether a
form is below zero, or which of several forms is the least, the first of equals; a leaf has everybody's output time and
payment as ``[form, denominator]``, "inf" for a job that never ends, null for an agent who left; or it says that the
declarations are refused. And it has lemmas: rows ``form > 0`` (strict) or ``form >= 0``, with multipliers.

Why what is accepted is true:

1. A lemma is accepted if no multiplier is negative, the forms times their multipliers add up to nothing, and a strict
   row has a positive multiplier. Then no point satisfies all its rows: the sum would be positive there.
2. Domain, runs and claims are made here, from the statement's name. A run is a way through a tree with other symbols
   in the place of some: where agent n tells the truth, ``theta_n`` stands for ``b_n``. A claim says that an amount
   does not exceed another one where the runs end.
3. Take any point of the domain. The search begins at the root, and knows the domain. At a node it goes all ways, each
   time knowing one answer more; of our point one of the answers is true. (Form k is the least, the first of equals,
   where no form after it, less form k, is below zero, and form k is below each form before it.) It leaves a way out
   only if the answer contradicts what is known, or if with it all rows of a lemma would be known. What is known on the
   way of our point is true of it, so this way is never left out, through one run after the other, up to their ends; an
   unfinished place there is refused. At the ends "the one amount exceeds the other" must contradict what is known, or
   make all rows of a lemma known. So it is false of our point.
4. Margins compare a run with one in which ``theta_n`` is infinitely little larger or smaller. A form that then moves by
   ``s`` is below zero if it is < 0, or if it is 0 and s < 0. A tree has finitely many tests, so this way leads to the
   leaf of all lengths that are near enough, and the limit of utility there is its form at the point itself.

Not shown here: that the tree is the mechanism (for that its code is run along every path of the tree, the second
replay), what the certificate says that it assumes, and what it says was asked too and found refuted, or left open
(``not_proved``, which may be missing); the sentence printed repeats both.
"""

from __future__ import annotations

import functools
import itertools
import sys
from collections.abc import Iterable, Sequence
from math import gcd
from typing import Any, NamedTuple

from ..reading import Limits, Refused, Unreadable, main, reason, size_of, small, written
from .certified import ASSUMED, HONEST, LEFT, MEANING, Amount, Certificate, Form, Node, Ratio


class Run(NamedTuple):
    """A tree; per symbol the place of what stands for it, and how it moves."""

    tree: int
    places: list[int]
    perturbation: Form


class Question(NamedTuple):
    """For all points of the domain, at the ends of the runs: of a pair of amounts, the first exceeds not the second."""

    runs: list[Run]
    domain: list[tuple[Form, bool]]
    what: str  # amounts of which agent; number -1 of a pair is the amount 0
    agent: int
    pairs: Sequence[tuple[int, int]] = ()


class Fact(NamedTuple):
    """Rows, all at once: as bits, the bits that contradict one of them, and their numbers (a strict row has two)."""

    bits: int
    contrary: int
    numbers: list[int]


class Statement:
    """The questions of a statement, from its name; coordinates are 1, b_1 .. b_N, theta_1 .. theta_N."""

    def __init__(self, case: Certificate, name: str, assumed: list[str], fastest: list[Ratio], most: Ratio) -> None:
        self.case, self.n, self.name, self.assumed, self.fastest, self.most = case, case.n, name, assumed, fastest, most
        self.about_all = name.startswith("rent-") or name in ("budget-balanced", "payments-nonnegative")
        self.honest = name in HONEST or (self.about_all and "prepaid" in assumed)

    def questions(self) -> Iterable[Question]:
        """All of them."""
        name, margin = self.name, {"upper": -1, "lower": 1}.get(self.name[:5], 0)
        if name == "feasible":
            yield Question([self.run()], self.domain(), "time", 0, [])
        elif name in ("payments-nonnegative", "priced-in-advance"):
            planned = [self.run(planned=True)] * (name == "priced-in-advance")
            pairs = [(0, 1), (1, 0)] if planned else [(-1, 0)]
            for n in range(1, self.n + 1):
                yield Question([*planned, self.run()], self.domain(), "payment", n, pairs)
        elif self.about_all:
            yield Question([self.run()], self.domain(), "rent", 0, [(-1, 0), (0, -1)][: 1 + (name[0] == "b")])
        elif name == "accepts-every-input" and "punishing" not in self.assumed:
            yield Question([self.run()], self.domain(), "lost", 0, [(0, -1)])
        else:
            for n in [1] if "alike" in self.assumed else range(1, self.n + 1):
                truth, domain = self.run(n), self.domain(n)
                if name in ("dominant", "ex-post"):
                    for side in (-1, 1):
                        yield Question([truth, self.run(n, lie=True)], self.domain(n, side), "utility", n, [(1, 0)])
                elif name.startswith("any-allocation"):  # at the truth, tree 0: no more than it, no less than lies
                    for k in range(1, len(self.case.trees)):
                        yield Question([truth._replace(tree=k), truth], domain, "utility", n, [(1, 0)])
                        lie = self.run(n, lie=True)._replace(tree=k)
                        for side in (-1, 1):
                            yield Question([lie, truth], self.domain(n, side), "utility", n, [(0, 1)])
                elif margin:
                    yield Question([truth, self.run(n, perturbation=margin)], domain, "utility", n, [(0, 1), (1, 0)])
                elif name == "just":
                    yield Question([self.run(n, planned=True), truth], domain, "output", n, [(1, 0)])
                elif name.startswith("individually-rational"):
                    yield Question([truth], domain, "utility", n, [(-1, 0)])
                else:
                    yield Question([truth], domain, "lost", n, [(0, -1)])

    def row(self, *entries: tuple[int, int]) -> Form:
        """The form with these (coordinate, coefficient)."""
        self.case.limits.keep(100 + 8 * self.case.size)
        form = [0] * self.case.size
        for place, a in entries:
            form[place] += a
        return tuple(form)

    def run(self, n: int = 0, lie: bool = False, planned: bool = False, perturbation: int = 0) -> Run:
        """Agent ``n`` declares her length, or ``b_n`` for a lie; ``planned``: lengths are what is declared."""
        lengths = range(self.n + 1, self.case.size)
        true = [not lie if k == n else self.honest for k in range(1, self.n + 1)]
        declared = [theta if t else theta - self.n for theta, t in zip(lengths, true, strict=True)]
        return Run(0, [0, *declared, *(declared if planned else lengths)], self.row((self.n + n, perturbation)))

    def domain(self, n: int = 0, side: int = 0) -> list[tuple[Form, bool]]:
        """Numbers are those meant; the lie is below (-1) or above (1); the others are in order if agents are alike."""
        case, rows = self.case, [(self.row((0, 1)), True)]
        for k in range(1, case.size):
            rows.append((self.row((k, 1)), True))
            if case.start[0]:
                rows.append((self.row((k, case.start[1]), (0, -case.start[0])), False))
            if case.end:
                rows.append((self.row((k, -case.end[1]), (0, case.end[0])), False))
        if side:
            rows.append((self.row((n, side), (self.n + n, -side)), True))
        if n and "alike" in self.assumed:
            others = [k + self.n * self.honest for k in range(2, self.n + 1)]
            rows += [(self.row((a, -1), (b, 1)), False) for a, b in itertools.pairwise(others)]
        return rows

    def overdue(self, results: list[Amount | None]) -> Iterable[list[Form]]:
        """Per set of jobs, that they are too much: more work than is done by their output times in any way.

        A way gives jobs machines, none of them two. The most of all ways is what a schedule can do of them in time
        (Federgruen and Groenevelt 1986, Management Science 32): it keeps all times where no set has more work.
        """
        if "-inf" in results[: self.n]:
            yield [self.row((0, 1))]
        timed = {k: result for k, result in enumerate(results[: self.n]) if isinstance(result, tuple)}
        for jobs in [some for size in range(1, len(timed) + 1) for some in itertools.combinations(timed, size)]:
            forms = set()
            for order in itertools.permutations(jobs, min(len(jobs), len(self.fastest))):
                left, bottom = self.row(*[(1 + self.n + k, 1) for k in jobs]), 1
                for (top, below), (time, parts) in zip(self.fastest, [timed[k] for k in order], strict=False):
                    scale = below * parts
                    left = tuple([scale * x - top * bottom * t for x, t in zip(left, time, strict=True)])
                    bottom *= scale
                forms.add(left)
            yield sorted(forms)

    def exceeding(self, question: Question, ends: Any, amounts: Any) -> Iterable[list[Form]]:
        """The forms that must not be positive, all at once, where the runs end so: differences of pairs."""
        if question.what == "time":
            yield from self.overdue(ends[0].results or [])
        for pair in question.pairs if None not in amounts else ():
            a, b = ([*amounts, self.number((0, 1))][k] for k in pair)
            if a != "-inf" and b != "inf":
                difference = add(a, b, -1)
                yield [self.row((0, 1)) if isinstance(difference, str) else difference[0]]

    def amount(self, question: Question, end: Node, run: Run) -> Amount | None:
        """An amount at the end of a run; None where there is nothing to compare."""
        n, results, zero = question.agent, end.results, self.number((0, 1))
        if question.what == "lost":
            watched = [n - 1] if n else range(self.n)
            return self.number((1, 1)) if results is None or any(results[k] == "inf" for k in watched) else zero
        if results is None:
            return None
        if question.what in ("payment", "time"):
            return self.placed(results[self.n + n - 1] if n else None, run)
        if question.what == "rent":
            return functools.reduce(add, [self.placed(payment, run) for payment in results[self.n :]], zero)
        output = results[n - 1]
        if question.what == "output":
            return output and self.placed(output, run)
        extra = self.row((self.n + n, self.most[0] * (run is question.runs[0]))), self.most[1]  # to the truth
        if output is None:
            return extra
        spent = add(self.placed(output, run), self.placed(results[self.n + n - 1] if output != "inf" else None, run))
        return add(add(self.number(self.case.values[n - 1]), extra), spent, -1)

    def placed(self, result: Amount | None, run: Run) -> Amount:
        """A result of a run in our coordinates; what does not exist counts for nothing."""
        if isinstance(result, tuple):
            return self.row(*zip(run.places, result[0], strict=True)), result[1]
        return self.number((0, 1)) if result is None else result

    def number(self, x: Ratio) -> Amount:
        """A number as an amount."""
        return self.row((0, x[0])), x[1]


def add(a: Amount, b: Amount, sign: int = 1) -> Amount:
    """``a + b``, or ``a - b``."""
    if isinstance(b, str) and sign < 0:
        b = {"inf": "-inf", "-inf": "inf"}[b]
    if isinstance(a, str) or isinstance(b, str):
        if {"inf", "-inf"} <= {x for x in (a, b) if isinstance(x, str)}:
            raise Refused("a leaf adds inf and -inf")
        return a if isinstance(a, str) else b
    p, q = b[1], sign * a[1]
    return tuple([p * x + q * y for x, y in zip(a[0], b[0], strict=True)]), small(a[1] * b[1])


class Search:
    """All ways of all runs, with the lemmas."""

    def __init__(self, case: Certificate) -> None:
        self.case, self.limits = case, case.limits
        self.numbers: dict[tuple[Form, bool], int] = {}
        self.having: dict[int, list[int]] = {}  # number of a row: lemmas with it, as the bits of their rows
        for k, rows in enumerate(case.lemmas):
            total = [sum([y * form[j] for form, _, y in rows]) for j in range(case.size)]
            if any(total) or any(y < 0 for _, _, y in rows) or not any(y > 0 for _, strict, y in rows if strict):
                raise Refused(f"lemma {k} is wrong: its rows and multipliers contradict nothing")
            numbers = {self.number(form, strict) for form, strict, _ in rows}
            lemma = sum([1 << number for number in numbers])
            self.limits.keep(lasting=size_of(lemma) + 100 * len(numbers))
            for number in numbers:
                self.having.setdefault(number, []).append(lemma)

    def number(self, form: Form, strict: bool) -> int:
        """The bit that stands for the row ``form > 0`` (strict) or ``form >= 0``, however the form is scaled."""
        scale = gcd(*form) or 1
        row = tuple([a // scale for a in form]), strict
        if row not in self.numbers:
            self.limits.keep(lasting=300 + sum(map(size_of, row[0])))
            self.numbers[row] = len(self.numbers)
        return self.numbers[row]

    def fact(self, *rows: tuple[Form, bool]) -> Fact:
        """Rows as something to know or to refute; a strict one says the weak one too."""
        numbers, contrary = list[int](), 0
        for form, strict in rows:
            self.limits.keep()
            numbers += [self.number(form, False), *([self.number(form, True)] if strict else [])]
            contrary |= 1 << self.number(tuple([-a for a in form]), not strict)
        return Fact(sum([1 << number for number in set(numbers)]), contrary, numbers)

    def refuted(self, fact: Fact, state: int) -> bool:
        """Whether with a fact all rows of a lemma are known."""
        missing = ~(state | fact.bits)
        for number in fact.numbers:
            self.limits.keep()
            if any(not rows & missing for rows in self.having.get(number, ())):
                return True
        return False

    def ways(self, run: Run, node: Node) -> list[tuple[Fact, int | None]]:
        """The answers that a question may have in a run, and where they lead."""
        ways = []
        for answer, way in zip(node.answers(), node.ways, strict=True):
            rows = []
            for test, below in answer:
                form, slope = [0] * self.case.size, 0
                for a, place, move in zip(test, run.places, run.perturbation, strict=True):
                    form[place] += a
                    slope += a * move
                if any(form):
                    rows.append((tuple([-a if below else a for a in form]), (slope < 0) != below))
                elif (slope < 0) != below:
                    break
            else:
                fact = self.fact(*rows)
                ways.append((fact, way))
                self.limits.keep(300 + size_of(fact.bits) + size_of(fact.contrary) + 8 * len(fact.numbers))
        return ways

    def possible(self, ways: list[tuple[Fact, int | None]], state: int) -> list[tuple[Fact, int | None]]:
        """The answers that nothing refutes; the last one need not be refuted, we may go too far but not too little."""
        left = [way for way in ways if not state & way[0].contrary]
        possible = [way for way in left[:-1] if not self.refuted(way[0], state)]
        return possible + [way for way in left[-1:] if not possible or not self.refuted(way[0], state)]

    def prove(self, statement: Statement, question: Question) -> tuple[int, int]:
        """Go all ways to all ends, and count them, and those that refuse nothing; Refused where something is open."""
        n_ends, n_judged, trees = 0, 0, [self.case.trees[run.tree] for run in question.runs]
        start = self.fact(*question.domain).bits
        if any(not rows & ~start for lemmas in self.having.values() for rows in lemmas):
            return 0, 0  # a domain without points, as of a lie where all lengths are one
        ways: list[dict[int, list[tuple[Fact, int | None]]]] = [{} for _ in trees]
        amounts: list[dict[int, Amount | None]] = [{} for _ in trees]
        stack: list[tuple[tuple[int, ...], int, int]] = [((), 0, start)]
        while stack:
            ends, at, state = stack.pop()
            self.limits.keep(-size_of(state))
            k = len(ends)
            run, node = question.runs[k], trees[k][at]
            if node.ways:
                if at not in ways[k]:
                    ways[k][at] = self.ways(run, node)
                for fact, to in self.possible(ways[k][at], state):
                    if to is None:
                        raise Refused(f"the tree is unfinished below node {at}, and no lemma refutes what leads there")
                    stack.append((ends, to, state | fact.bits))
                    self.limits.keep(size_of(stack[-1][2]))
                continue
            if at not in amounts[k]:
                amounts[k][at] = statement.amount(question, node, run)
                self.limits.keep(40 * self.case.size)
            ends = (*ends, at)
            if k + 1 < len(trees):
                stack.append((ends, 0, state))
                self.limits.keep(size_of(state))
                continue
            n_ends += 1
            n_judged += not any(trees[i][end].refuses for i, end in enumerate(ends))
            nodes, values = zip(*[(trees[i][end], amounts[i][end]) for i, end in enumerate(ends)], strict=True)
            for forms in statement.exceeding(question, nodes, values):
                fact = self.fact(*[(form, True) for form in forms])
                if all(map(any, forms)) and not (state & fact.contrary or self.refuted(fact, state)):
                    raise Refused(f"no lemma shows {statement.name} where the runs end at nodes {list(ends)}")
        self.limits.kept = self.limits.lasting
        return n_ends, n_judged


def check(data: Any, limits: Limits | None = None) -> str:
    """What a certificate proves, in one sentence. Raises Refused, Unreadable if it is none, or Stopped by a limit."""
    try:
        case = Certificate(data, limits or Limits())
    except (TypeError, ValueError, RecursionError) as error:
        raise Unreadable(f"not a certificate: {reason(error)}") from None
    search, sentences = Search(case), []
    for name, assumed, fastest, most in case.statements:
        several = name.startswith("any-allocation")
        if (len(case.trees) > 1) != several:
            raise Refused(f"{name} is not about {len(case.trees)} trees")
        if several and any(node.refuses for node in case.trees[0]):
            raise Refused(f"{name}: tree 0, with which the others are compared, refuses declarations")
        statement = Statement(case, name, assumed, fastest, most)
        ends = [search.prove(statement, question) for question in statement.questions()]
        cells = sum([n for n, _ in ends])
        if cells and not any(judged for _, judged in ends):
            raise Refused(f"{name}: all declarations that it is about are refused, so nothing is proved")
        text = f": {', '.join(map(written, fastest))}" if fastest else ""
        text += f", beyond {written(most)} times her length" if most[0] else ""
        text += "".join(f", assuming that {ASSUMED[one]}" for one in sorted(set(assumed)))
        sentences.append(f"{name} ({MEANING[name]}{text}; {cells:,} cells)")
    values = ", ".join(map(written, case.values))
    meant = f" from {written(case.start)}" if case.start[0] else ""
    meant += f" up to {written(case.end)}" if case.end else ""
    meant += ", where not refused" if any(node.refuses for tree in case.trees for node in tree) else ""
    n_leaves = sum([not node.ways for tree in case.trees for node in tree])
    left = ""
    for status, word in LEFT.items():
        names = ", ".join(name for name, its in case.left.items() if its == status)
        left += f"{word}: {names}. " if names else ""
    return (
        f"{left}Proved for {case.n} agents with values {values} and all positive lengths and declarations{meant}: "
        f"{'; '.join(sentences)}. That the tree, with {n_leaves:,} leaves, is the mechanism "
        f"({ascii(case.about)[:300]}) is for 'consortium check --against' to show."
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], "Check a proof about a mechanism for all lengths.", "proof", check))
