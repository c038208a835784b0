"""All ways in which code goes, a rule's or a policy's, over the lengths of a shape.

The code runs on symbols for the lengths (:mod:`...proofs.execution`), and every way that its comparisons can come out
is a *path*: inequalities of the lengths, some strict, under which the results are linear forms. Paths meet nowhere, and
together they are all lengths.

Coordinates of forms are the constant, then the lengths. Those of programs: the constant, which is positive like a
length because all numbers may be scaled, then what each length is more than its organization's next one.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Final

from ....support.exact import Rational, scale
from ....support.progress import Clock, Progress
from ...proofs.execution import Path, Program, Tree, implied
from ...proofs.exploration import Exploration
from ...proofs.questions import ALL_LENGTHS, Question, Rows, Run, sparse_vector
from ...proofs.symbols import primitive
from .shapes import Lengths

SAMPLES: Final = 16
"""Points at which custom code is run on numbers as well."""
BATCH: Final = 16
"""Paths that are found before they are looked at."""


def length_names(jobs: Sequence[int]) -> tuple[str, ...]:
    """Names of all lengths: ``p1_2`` is that of the first organization's second job."""
    return tuple(f"p{a}_{i}" for a, count in enumerate(jobs, 1) for i in range(1, count + 1))


class Paths:
    """The paths of a program whose symbols are all lengths, organization after organization.

    ``any_order``: lists of jobs are in any order, else the longest first. ``custom``: the code is not the package's.
    """

    def __init__(self, program: Program, jobs: Sequence[int], *, any_order: bool, custom: bool) -> None:
        self.jobs, self.custom, self.done = jobs, custom, False
        self.size = 1 + sum(jobs)
        starts = itertools.accumulate(jobs, initial=1)
        self.lists = [range(*ends) for ends in itertools.pairwise(starts)]
        if any_order:
            self.lists = [range(j, j + 1) for j in range(1, self.size)]
        self.domain: Rows = tuple((sparse_vector(self.size, {j: 1}), True) for j in range(self.size)) + tuple(
            (sparse_vector(self.size, {i: 1, j: -1}), False) for row in self.lists for i, j in itertools.pairwise(row)
        )
        self.tree = Tree(program)
        run = Run(tuple(range(self.size)))
        self.question = Question(None, "paths", program.names, self.domain, (run,), lambda leaves: ())
        self.exploration = Exploration(self.question, (self.tree,))

    def paths(self, clock: Clock, progress: Progress | None) -> Iterator[Path]:
        """Each path once, until the limit of time; ``done``: these were all."""
        while self.exploration.open:
            self.exploration.explore(clock, progress, self.exploration.cells + BATCH)
            for path in self.tree.new_leaves():
                if clock.expired():
                    return
                yield path
            if clock.expired() and self.exploration.open:
                return
        if self.custom:
            self.tree.audit(self.question.samples(ALL_LENGTHS, SAMPLES), lambda point: True)
        self.done = True

    @property
    def share(self) -> Fraction:
        """Of all paths that are known, those that were found before it ended."""
        return Fraction(self.exploration.cells, self.exploration.cells + len(self.exploration.open) + 1)

    def following(self) -> Lengths | None:
        """Lengths of a path that was not looked at, in whole numbers; ``None`` where all were found."""
        if not self.exploration.open:
            return None
        one, *lengths = self.exploration.open[-1].point
        return self.by_organization(primitive(scale(Fraction(length) / one for length in lengths)[0]))

    def by_organization(self, lengths: Sequence[Rational]) -> Lengths:
        """Lengths as rows, one for each organization."""
        numbers = iter(lengths)
        return tuple(tuple(next(numbers) for _ in range(count)) for count in self.jobs)

    def rows(self, path: Path) -> Rows:
        """The inequalities of a path that its domain does not imply alone."""
        facts = [fact for test, answer in path[0] for fact in implied(test, answer)]
        sides = dict.fromkeys((tuple([-a for a in form]) if below else form, below) for form, below in facts)
        return tuple(row for row in sides if row[1] or min(self.differences(row[0])) < 0)

    def differences(self, form: Sequence[int]) -> list[int]:
        """A form of lengths in the coordinates of programs."""
        return [form[0], *(a for row in self.lists for a in itertools.accumulate(form[j] for j in row))]
