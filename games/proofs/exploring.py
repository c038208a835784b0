"""All questions of a statement looked at, in this process or shared out over several.

Few cells are looked at here. When there are more, what is left is cut into parts: places where the walk had still to
go on, each known by what holds there. The parts are independent; each worker grows a tree of its own, and hands over
the leaves that it met. Cuts are made after so many cells, not seconds, so that the answer does not depend on the
machine.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple, TypeAlias
from uuid import uuid4

from ...parallel.executors import executor
from ...parallel.processes import cores, travels
from ...parallel.stream import in_order, streamed
from ...support.progress import Clock, Progress
from .cells import Exploration, Lemma
from .statements import Question, Rows
from .symbols import Vector
from .tree import Path, Program, Tree

Ask: TypeAlias = Callable[[], Sequence[Question]]
"""Makes the questions; a worker calls it again, because claims are code and do not travel."""

ALONE: Final = 4_000
"""Cells that are looked at before other processes are asked: about what starting them costs."""
BEGUN: Final = 100
"""Cells of each question that is left, to cut it into parts."""
MAX_CELLS: Final = 5_000_000
"""More cells than this are not looked at."""
TIME, CTRL_C = "the time limit", "Ctrl-C"
INTERRUPTED: Final = (TIME, CTRL_C)
"""What stops everything, not one attempt."""


@dataclass
class Explored:
    """What became of the questions.

    Attributes
    ----------
    questions
        All of them.
    lemmas
        Per question its refutations, no two alike.
    cells
        Ends reached, in all of them.
    proved
        Per question whether it was looked at to the end, and holds.
    failure
        A question that fails, and the point.
    why
        What stopped it; empty when nothing did.
    """

    questions: Sequence[Question]
    lemmas: list[dict[Lemma, None]]
    cells: int = 0
    proved: list[bool] = field(default_factory=list)
    failure: tuple[Question, Vector] | None = None
    why: str = ""

    @property
    def done(self) -> bool:
        """Whether everything was looked at and holds."""
        return all(self.proved) and self.failure is None

    def take(self, number: int, cells: int, lemmas: Sequence[Lemma], failure: Vector | None) -> None:
        """Add what was found in a question, or in a part of it."""
        self.cells += cells
        self.lemmas[number] |= dict.fromkeys(lemmas)
        if failure is not None:
            self.failure = self.questions[number], failure

    def and_then(self, more: Explored) -> Explored:
        """Both, as one."""
        return Explored(
            (*self.questions, *more.questions),
            [*self.lemmas, *more.lemmas],
            self.cells + more.cells,
            [*self.proved, *more.proved],
            self.failure or more.failure,
            self.why or more.why,
        )

    def stopped_by(self, clock: Clock | None, max_cells: int) -> bool:
        """Whether a limit is met, which is then the reason."""
        if clock is not None and clock.expired():
            self.why = TIME
        elif self.cells >= max_cells:
            self.why = f"the limit of {max_cells:,} cells"
        return bool(self.why)


class Part(NamedTuple):
    """What is left of a question where these rows hold."""

    question: int
    rows: Rows


class Answer(NamedTuple):
    """What a worker found in a part: cells, lemmas, where it fails, and the leaves that it met first in each tree."""

    question: int
    cells: int
    lemmas: tuple[Lemma, ...]
    failure: Vector | None
    paths: tuple[tuple[Path, ...], ...]


def explore_all(
    ask: Ask,
    trees: Sequence[Tree],
    clock: Clock | None = None,
    progress: Progress | None = None,
    *,
    max_cells: int,
    processes: int = 1,
) -> Explored:
    """Look at all cells of all questions, until one fails or a limit is met; the trees grow.

    ``processes``: 0 takes all processors where it is worth it; by default it works here alone, because a script without
    ``if __name__ == "__main__"`` would be run again in each of them. Ctrl-C keeps what was proved.
    """
    asked = ask()
    found = Explored(asked, [{} for _ in asked], proved=[False] * len(asked))
    processes = processes or cores()
    if processes > 1 and not (travels(ask) and all(travels(tree.program) for tree in trees)):
        processes = 1
    left: list[Part] = []
    try:
        for number, question in enumerate(asked):
            one = explored(question, trees)
            room = max_cells - found.cells
            one.explore(clock, progress, room if processes == 1 else min(room, max(BEGUN, ALONE - found.cells)))
            found.take(number, one.cells, one.lemmas, one.failure)
            if found.failure is not None or found.stopped_by(clock, max_cells):
                return found
            parts = [Part(number, rows) for rows in one.open_rows()]
            found.proved[number] = not parts
            left += parts
        if left:
            _share_out(found, left, ask, trees, clock, progress, max_cells, processes)
    except KeyboardInterrupt:
        found.why = CTRL_C
    return found


def explored(question: Question, trees: Sequence[Tree], rows: Rows = ()) -> Exploration:
    """The cells of a question, or of a part of it, none of them looked at yet."""
    domain = (*question.domain, *rows)
    return Exploration(trees, question.n_coordinates, domain, question.runs, question.claim)


def _share_out(
    found: Explored,
    left: Sequence[Part],
    ask: Ask,
    trees: Sequence[Tree],
    clock: Clock | None,
    progress: Progress | None,
    max_cells: int,
    processes: int,
) -> None:
    """Look at the parts that are left; what each finds is added up in their order."""
    missing = [sum(part.question == number for part in left) for number in range(len(found.questions))]
    look = _Look(uuid4().hex, ask, tuple(tree.program for tree in trees), trees[0].check)
    with executor(processes) as pool:
        try:
            for answer in in_order(streamed(pool, look, enumerate(left), clock=clock)):
                for tree, paths in zip(trees, answer.paths, strict=True):
                    tree.adopt(paths)
                found.take(answer.question, answer.cells, answer.lemmas, answer.failure)
                missing[answer.question] -= 1
                found.proved[answer.question] = not missing[answer.question]
                if progress is not None:
                    progress(found.cells, None, "cells")
                if found.failure is not None or (any(missing) and found.stopped_by(None, max_cells)):
                    return
        except TimeoutError:
            found.stopped_by(clock, max_cells)


@dataclass(frozen=True)
class _Look:
    """Looks at parts, each to its end, in a worker, which keeps the trees of one exploration from part to part."""

    exploration: str
    ask: Ask
    programs: tuple[Program, ...]
    check: bool

    def __call__(self, numbered: tuple[int, Part]) -> tuple[int, Answer]:
        """What is found in a part, with the part's number."""
        number, part = numbered
        if self.exploration not in _kept:
            _kept.clear()
            _kept[self.exploration] = self.ask(), [Tree(program, self.check) for program in self.programs]
        questions, trees = _kept[self.exploration]
        one = explored(questions[part.question], trees, part.rows)
        one.explore()
        return number, Answer(
            part.question, one.cells, tuple(one.lemmas), one.failure, tuple(tree.met() for tree in trees)
        )


_kept: dict[str, tuple[Sequence[Question], list[Tree]]] = {}
"""Of this worker, by exploration: its trees, so that no code is run twice for the same numbers."""
