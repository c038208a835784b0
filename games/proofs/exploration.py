"""Every way that some runs of a piece of code can go together: all points are in one of finitely many cells.

Model: an exploration has coordinates of its own, ``z = (1, z_1, ..., z_k)``, and a *domain*: inequalities that hold
from the start. It goes down the tree of the code once per run, each time with its coordinates in the place of the
symbols. At every question, whether a form is below zero or which of several is the least, it goes on with the answers
that some point allows; an answer that none allows is *refuted*, and its lemma kept: few rows, all but one of them weak,
which no point satisfies together. At each end it asks a claim: forms that must not be positive there. So the whole
domain is covered by construction, equality included. A claim that fails somewhere comes with the point.

Few cells are looked at at once. When there are more, what is left is cut into parts: places where the exploration had
still to go on, each known by what holds there. The parts are independent; each worker grows a tree of its own, and
hands over the leaves that it reached. Cuts are made after so many cells, not seconds, and whether or not there are
workers, so that neither the answer nor its lemmas depend on the machine.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import reduce
from operator import mul, or_
from typing import Final, NamedTuple, TypeAlias
from uuid import uuid4

from ...parallel.executors import cores, executor, travels
from ...parallel.stream import in_order, streamed
from ...support.progress import Clock, Progress
from .execution import Least, Node, Path, Place, Program, Test, Tree, answer_at, implied
from .feasibility import Consistent, Inequalities
from .questions import Question, Rows, Together
from .symbols import Vector, primitive

Literal: TypeAlias = int
"""``4 r + k`` says of row ``v`` with number ``r``: k = 0 ``v > 0``, 1 ``v >= 0``, 2 ``v <= 0``, 3 ``v < 0``."""

BITS: Final = (0b0011, 0b0010, 0b0100, 0b1100)
"""What each of the four says, as a set of them: a strict one says the weak one too."""


Lemma: TypeAlias = tuple[tuple[Vector, bool, int], ...]
"""Rows that no point satisfies together: vector (``>= 0``, or ``> 0`` where strict), whether strict, multiplier > 0.

Their sum, taken with the multipliers, is nothing, and one of them is strict.
"""


@dataclass(frozen=True)
class _Answer:
    """An answer to a question in a run: whether a form is below zero, or which form is the least.

    ``against``: per other answer the literal that excludes it, where there is one. ``bits``: of all of them;
    ``contrary``: of what contradicts one.
    """

    index: int
    against: dict[int, Literal]
    bits: int
    contrary: int

    def new(self, facts: int, left: Collection[int] | None = None) -> tuple[Literal, ...]:
        """Its literals that are not known, against those answers that are left."""
        return tuple([one for j, one in self.against.items() if not facts >> one & 1 and (left is None or j in left)])


class Cell(NamedTuple):
    """A cell in which a claim fails: everything that is known there, that it fails with it, and a point.

    ``leaves``: the ends of the runs.
    """

    rows: Rows
    leaves: tuple[Node, ...]
    point: Vector


@dataclass
class _State:
    run: int
    node: Node
    leaves: tuple[Node, ...]
    facts: int
    literals: tuple[Literal, ...]
    point: Vector


@dataclass
class Exploration:
    """All cells of a question, as far as they were looked at. ``open``: where to go on."""

    question: Question  # the runs, where, and what to prove at each end
    trees: Sequence[Tree]  # the code, one tree for each piece of it
    rows: Rows = ()  # what holds of all points looked at, besides the question's domain
    cells: int = 0  # ends reached
    judged: int = 0  # those of them at which no run refused its input
    lemmas: list[Lemma] = field(default_factory=list)  # refutations used
    failed: Cell | None = None  # a cell in which the claim fails

    def __post_init__(self) -> None:
        self._rows = Inequalities(self.question.n_coordinates)
        self._number: dict[Vector, int] = {}
        self._answers: list[dict[Node, dict[int, _Answer]]] = [{} for _ in self.question.runs]
        self._used: dict[Literal, list[int]] = {}
        self._of_domain: list[Literal] = []
        self._facts = 0
        for vector, strict in (*self.question.domain, *self.rows):
            literal = self._literal(vector, strict)
            self._of_domain.append(literal)
            self._facts |= BITS[literal & 3] << (literal & ~3)
        self.open: list[_State] = []
        start = self._decide(())
        if start is not None:
            self.open.append(_State(0, self._tree(0).root, (), self._facts, (), start))

    def explore(
        self, clock: Clock | None = None, progress: Progress | None = None, max_cells: int | None = None
    ) -> bool:
        """Look at all cells, until a claim fails or a limit is reached; whether everything was looked at and holds.

        Ctrl-C arrives as KeyboardInterrupt, with what was not looked at still in ``open``.
        """
        while self.open and self.failure is None:
            if (clock is not None and clock.expired()) or (max_cells is not None and self.cells >= max_cells):
                return False
            if progress is not None and self.cells % 256 == 0:
                progress(self.cells, None, "cells")
            self._descend(self.open[-1])
        return self.failure is None

    @property
    def failure(self) -> Vector | None:
        """A point at which the claim fails."""
        return None if self.failed is None else self.failed.point

    def failures(
        self, clock: Clock | None = None, progress: Progress | None = None, max_cells: int | None = None
    ) -> Iterator[Cell]:
        """Every cell in which the claim fails. Raises TimeoutError where a limit is reached."""
        while not self.explore(clock, progress, max_cells):
            if self.failed is None:
                raise TimeoutError
            yield self.failed
            self.failed = None

    def failing_at(self, point: Vector) -> Cell:
        """The cell of a point at which the claim fails; nothing was looked at before."""
        (start,) = self.open
        self._descend(replace(start, point=point))
        assert self.failed is not None
        return self.failed

    def answer(self, question: int, paths: tuple[tuple[Path, ...], ...] = ()) -> Answer:
        """What was found, as of a part of that question."""
        return Answer(question, self.cells, self.judged, tuple(self.lemmas), self.failure, paths)

    def open_rows(self) -> list[Rows]:
        """What holds, besides the domain, where there is still to look: the places cover all that is left."""
        return [tuple(self._row(one) for one in state.literals) for state in self.open]

    def _descend(self, state: _State) -> None:
        """Follow the state's point to an end, leaving other sides of questions in ``open``; the state is the last."""
        others: list[_State] = []
        s = _State(state.run, state.node, state.leaves, state.facts, state.literals, state.point)
        place = self.question.runs[s.run].place(s.point)
        while True:
            if s.node.is_leaf:
                s.leaves = (*s.leaves, s.node)
                s.run += 1
                if s.run == len(self.question.runs):
                    break
                s.node, place = self._tree(s.run).root, self.question.runs[s.run].place(s.point)
            elif s.node.test is None:
                self._tree(s.run).grow(*place)
            else:
                self._choose(s, s.node.test, place, others)
        self._end(s)
        self.open.pop()
        self.open.extend(others)

    def _tree(self, run: int) -> Tree:
        return self.trees[self.question.runs[run].code]

    def _choose(self, s: _State, test: Test, place: Place, others: list[_State]) -> None:
        """Go on with the answer at the state's point, and keep the other answers for later where they are possible.

        Where some answers are refuted, to be least among the others says it all: one of them is the answer anywhere.
        """
        answers = self._answers[s.run].get(s.node)
        if answers is None:
            answers = self._answers[s.run][s.node] = self._list(s.run, test)
        unknown = ~s.facts
        for here in answers.values():
            if not here.bits & unknown:
                break
        else:
            here = answers[answer_at(test, place)]
            possible = []
            for one in answers.values():
                if one is not here and not s.facts & one.contrary:
                    point = self._try(s, one.new(s.facts), one.bits)
                    if point is not None:
                        possible.append((one, point))
            left = {here.index, *[one.index for one, _ in possible]}
            for one, point in possible:
                literals = (*s.literals, *one.new(s.facts, left))
                others.append(_State(s.run, s.node.child(one.index), s.leaves, s.facts | one.bits, literals, point))
            s.literals = (*s.literals, *here.new(s.facts, left))
            s.facts |= here.bits
        s.node = s.node.child(here.index)

    def _list(self, run: int, test: Test) -> dict[int, _Answer]:
        """The answers that are possible at all, each as literals."""
        answers = {}
        n_answers = len(test.forms) if isinstance(test, Least) else 2
        for k in range(n_answers):
            others = [j for j in range(n_answers) if j != k]
            sides = [(self._ask(run, form), below) for form, below in implied(test, k)]
            if any(type(side) is bool and side != below for side, below in sides):
                continue
            against = {
                j: side[0] if below else side[1]
                for j, (side, below) in zip(others, sides, strict=True)
                if not isinstance(side, bool)
            }
            bits = contrary = 0
            for one in against.values():
                bits |= BITS[one & 3] << (one & ~3)
                contrary |= 1 << (one ^ 2)
            answers[k] = _Answer(k, against, bits, contrary)
        return answers

    def _ask(self, run: int, test: Vector) -> tuple[Literal, Literal] | bool:
        """The two answers of a question as literals, or the answer if it is the same everywhere."""
        one = self.question.runs[run]
        vector, slope = one.vector(test, self.question.n_coordinates), one.slope(test)
        if not any(vector):
            return slope < 0
        minus = tuple([-a for a in vector])
        yes, no = self._literal(minus, slope >= 0), self._literal(vector, slope < 0)
        if self._facts >> yes & 1:
            return True
        return False if self._facts >> no & 1 else (yes, no)

    def _end(self, s: _State) -> None:
        self.cells += 1
        self.judged += all(leaf.results is not None for leaf in s.leaves)
        for claimed in self.question.claim(s.leaves):
            forms = claimed.forms if isinstance(claimed, Together) else (claimed,)
            vectors = [short + (0,) * (self.question.n_coordinates - len(short)) for short in forms]
            if not all(map(any, vectors)):
                continue
            wrong = tuple([self._literal(vector, strict=True) for vector in vectors])
            if any(s.facts >> (one ^ 2) & 1 for one in wrong):  # v <= 0 is known
                continue
            fails_here = all(sum(map(mul, vector, s.point)) > 0 for vector in vectors)
            bits = reduce(or_, [BITS[one & 3] << (one & ~3) for one in wrong])
            point = s.point if fails_here else self._try(s, wrong, bits)
            if point is not None:
                rows = tuple(self._row(one) for one in (*self._of_domain, *s.literals, *wrong))
                self.failed = Cell(rows, s.leaves, point)
                return

    def _literal(self, vector: Vector, strict: bool) -> Literal:
        """The statement ``vector > 0`` or ``>= 0`` by its number."""
        vector = primitive(vector)
        flipped = next(a for a in vector if a) < 0
        if flipped:
            vector = tuple([-a for a in vector])
        number = self._number.get(vector)
        if number is None:
            number = self._number[vector] = self._rows.row(vector)
        return 4 * number + ((3 if strict else 2) if flipped else (0 if strict else 1))

    def _row(self, literal: Literal) -> tuple[Vector, bool]:
        """A literal as a vector that is above zero (True), or at least zero."""
        vector = self._rows.vectors[literal >> 2]
        return (vector if literal & 3 < 2 else tuple([-a for a in vector])), literal & 3 in (0, 3)

    def _try(self, s: _State, new: tuple[Literal, ...], bits: int) -> Vector | None:
        """A point of the state's cell with these literals too, and what they say as bits; None, with a lemma, if none.

        The lemmas that have one of the literals are looked through first.
        """
        missing = ~(s.facts | bits)
        for literal in new:
            for either in (literal, _weak(literal)):
                for mask in self._used.get(either, ()):
                    if not mask & missing:
                        return None
        return self._decide((*s.literals, *new))

    def _decide(self, literals: tuple[Literal, ...]) -> Vector | None:
        question = [*self._of_domain, *literals]
        rows = [one >> 2 if one & 3 < 2 else ~(one >> 2) for one in question]
        strict = [one & 3 in (0, 3) for one in question]
        answer = self._rows.decide(rows, strict)
        if isinstance(answer, Consistent):
            return answer.point
        self._keep(question, answer.multipliers)
        return None

    def _keep(self, question: Sequence[Literal], multipliers: Vector) -> None:
        """Take in a lemma: the rows with weight, one of them strict, a given one if possible, the others weak."""
        support = [(one, y) for one, y in zip(question, multipliers, strict=True) if y]
        domain = set(self._of_domain)
        strict = [one for one, _ in support if one & 3 in (0, 3)]
        kept = next((one for one in strict if one in domain), strict[-1])
        rows, mask, bits = [], 0, []
        for one, y in support:
            rows.append((self._row(one)[0], one == kept, y))
            weakened = one if one == kept else _weak(one)
            if one not in domain:
                mask |= 1 << weakened
                bits.append(weakened)
        self.lemmas.append(tuple(rows))
        for weakened in bits:
            self._used.setdefault(weakened, []).append(mask)


def _weak(literal: Literal) -> Literal:
    """The statement with equality allowed."""
    return literal & ~3 | (1, 1, 2, 2)[literal & 3]


Ask: TypeAlias = Callable[[], Sequence[Question]]
"""Makes the questions; a worker calls it again, because claims are code and do not travel."""

ALONE: Final = 4_000
"""Cells that are looked at before other processes are asked: about what starting them costs."""
BEGUN: Final = 100
"""Cells of each question that is left, to cut it into parts."""
MAX_CELLS: Final = 5_000_000
"""More cells than this are not looked at."""
TIME, CTRL_C, CELLS = "time", "ctrl-c", "cells"
INTERRUPTED: Final = (TIME, CTRL_C)
"""What stops everything, not one attempt."""


@dataclass
class Explored:
    """What became of the questions."""

    questions: Sequence[Question] = ()
    lemmas: list[dict[Lemma, None]] = field(default_factory=list)  # per question its refutations, no two alike
    cells: int = 0  # ends reached, in all of them
    judged: int = 0  # those of them at which no run refused its input
    proved: list[bool] = field(default_factory=list)  # per question whether it was looked at to the end, and holds
    failure: tuple[Question, Vector] | None = None  # a question that fails, and the point
    why: str = ""  # what stopped it: ``"time"``, ``"ctrl-c"`` or ``"cells"``, their limit; empty when nothing did

    @property
    def done(self) -> bool:
        """Whether everything was looked at and holds."""
        return all(self.proved) and self.failure is None

    def take(self, number: int, one: Exploration | Answer) -> None:
        """Add what was found in a question, or in a part of it."""
        self.cells += one.cells
        self.judged += one.judged
        self.lemmas[number] |= dict.fromkeys(one.lemmas)
        if one.failure is not None:
            self.failure = self.questions[number], one.failure

    def and_then(self, more: Explored) -> Explored:
        """Both, as one."""
        return Explored(
            (*self.questions, *more.questions),
            [*self.lemmas, *more.lemmas],
            self.cells + more.cells,
            self.judged + more.judged,
            [*self.proved, *more.proved],
            self.failure or more.failure,
            self.why or more.why,
        )

    def stopped_by(self, clock: Clock | None, max_cells: int) -> bool:
        """Whether a limit is reached, which is then the reason."""
        if clock is not None and clock.expired():
            self.why = TIME
        elif self.cells >= max_cells:
            self.why = CELLS
        return bool(self.why)


@dataclass(frozen=True)
class Verdict:
    """Whether something holds for all numbers meant."""

    holds: bool | None  # ``None`` when open
    scope: str  # for whom, or for which numbers, it is said, in one sentence
    limit: str = ""  # what left it open, as of :attr:`Explored.why` or what its prover says besides; empty when decided
    explored: Explored = field(default_factory=Explored)  # the questions that were asked, and what became of them

    @property
    def status(self) -> str:
        """``"proved"``, ``"refuted"`` or ``"open"``."""
        return {True: "proved", False: "refuted", None: "open"}[self.holds]

    @property
    def cells(self) -> int:
        """Cells looked at."""
        return self.explored.cells

    @property
    def lemmas(self) -> int:
        """Refutations found."""
        return sum(map(len, self.explored.lemmas))


class Part(NamedTuple):
    """What is left of a question where these rows hold."""

    question: int
    rows: Rows


class Answer(NamedTuple):
    """What is said of a part: cells, lemmas, where it fails, and the leaves that a worker found new in each tree."""

    question: int
    cells: int
    judged: int
    lemmas: tuple[Lemma, ...]
    failure: Vector | None
    paths: tuple[tuple[Path, ...], ...]


class Effort(NamedTuple):
    """What may be spent on an exploration, and who is told.

    ``processes``: 0 takes all processors where it is worth it; by default it works here alone, because a script without
    ``if __name__ == "__main__"`` would be run again in each of them.
    """

    clock: Clock | None = None
    progress: Progress | None = None
    max_cells: int = MAX_CELLS
    processes: int = 1


def explore_all(ask: Ask, trees: Sequence[Tree], effort: Effort) -> Explored:
    """Look at all cells of all questions, until one fails or a limit is reached; the trees grow.

    Ctrl-C keeps what was proved.
    """
    questions, (clock, progress, max_cells, processes) = ask(), effort
    result = Explored(questions, [{} for _ in questions], proved=[False] * len(questions))
    processes = processes or cores()
    if processes > 1 and not (travels(ask) and all(travels(tree.program) for tree in trees)):
        processes = 1
    left: list[Part] = []
    try:
        for number, question in enumerate(questions):
            one = Exploration(question, trees)
            one.explore(clock, progress, min(max_cells - result.cells, max(BEGUN, ALONE - result.cells)))
            result.take(number, one)
            if result.failure is not None or result.stopped_by(clock, max_cells):
                return result
            parts = [Part(number, rows) for rows in one.open_rows()]
            result.proved[number] = not parts
            left += parts
        if left:
            _share_out(result, left, ask, trees, effort._replace(processes=processes))
    except KeyboardInterrupt:
        result.why = CTRL_C
    return result


def _share_out(result: Explored, left: Sequence[Part], ask: Ask, trees: Sequence[Tree], effort: Effort) -> None:
    """Look at the parts that are left; what each finds is added up in their order."""
    missing = [sum(part.question == number for part in left) for number in range(len(result.questions))]
    answers = _by_workers if effort.processes > 1 else _alone
    with suppress(TimeoutError):
        for answer in answers(result, left, ask, trees, effort):
            for tree, paths in zip(trees, answer.paths, strict=False):
                tree.adopt(paths)
            result.take(answer.question, answer)
            missing[answer.question] -= 1
            result.proved[answer.question] = not missing[answer.question]
            if effort.progress is not None:
                effort.progress(result.cells, None, "cells")
            if result.failure is not None or (any(missing) and result.stopped_by(None, effort.max_cells)):
                return
        return
    result.stopped_by(effort.clock, effort.max_cells)


def _alone(result: Explored, left: Sequence[Part], ask: Ask, trees: Sequence[Tree], effort: Effort) -> Iterator[Answer]:
    """The parts in this process, one after the other. Raises TimeoutError where a limit comes before the end of one."""
    for part in left:
        one = Exploration(result.questions[part.question], trees, part.rows)
        if not one.explore(effort.clock, effort.progress, effort.max_cells - result.cells) and one.failure is None:
            result.take(part.question, one)
            raise TimeoutError
        yield one.answer(part.question)


def _by_workers(
    result: Explored, left: Sequence[Part], ask: Ask, trees: Sequence[Tree], effort: Effort
) -> Iterator[Answer]:
    """The parts in other processes, in their order. Raises TimeoutError where time is up."""
    look = _Look(uuid4().hex, ask, tuple(tree.program for tree in trees))
    with executor(effort.processes) as pool:
        yield from in_order(streamed(pool, look, enumerate(left), clock=effort.clock))


@dataclass(frozen=True)
class _Look:
    """Looks at parts, each to its end, in a worker, which keeps the trees of one exploration from part to part."""

    exploration: str
    ask: Ask
    programs: tuple[Program, ...]

    def __call__(self, numbered: tuple[int, Part]) -> tuple[int, Answer]:
        """What is found in a part, with the part's number."""
        number, part = numbered
        if self.exploration not in _kept:
            _kept.clear()
            _kept[self.exploration] = self.ask(), [Tree(program) for program in self.programs]
        questions, trees = _kept[self.exploration]
        one = Exploration(questions[part.question], trees, part.rows)
        one.explore()
        return number, one.answer(part.question, tuple(tree.new_leaves() for tree in trees))


_kept: dict[str, tuple[Sequence[Question], list[Tree]]] = {}
"""Of this worker, by exploration: its trees, so that no code is run twice for the same numbers."""
