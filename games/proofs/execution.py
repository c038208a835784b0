"""Symbolic execution: code as a decision tree over its symbols, grown by running it.

A run at a place answers every comparison there, and tells which comparisons led to which result. A tree of such runs is
a closed form of the code on all numbers whose comparisons came up so far: an inner node asks whether a form is below
zero, or which of several forms is the least; a leaf holds the results as forms. Where the tree is unfinished, a place
makes it grow.

Code that is no function of its numbers (state, chance, or types and digits that it looks at) is found out: the same
answers lead to another question or another result, or the code run on plain fractions gives another result than the
leaf says. Each leaf is compared when it is found; :meth:`Tree.audit` runs the code to every leaf once more, when all
others have left their traces: on symbols and on numbers it has to go the same way through its own instructions, and at
points far away in the leaf, very large ones and very small ones, to come to the same results.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from math import isinf
from operator import mul
from typing import Any, Final, NamedTuple, NoReturn, Protocol, TypeAlias

from ...support.errors import ConsortiumError, InputError, MechanismError
from .feasibility import point_of
from .symbols import (
    Form,
    NotPiecewiseLinear,
    Vector,
    numbers_at,
    own_steps,
    primitive,
    refuse,
    refuse_kept,
    symbolic_fractions,
    symbols,
)

Entry: TypeAlias = tuple[Vector, int] | str | None
"""A result: a form as coefficients and denominator, ``"inf"`` or ``"-inf"``, or None for what does not exist."""

Place: TypeAlias = tuple[Vector, ...]
"""A point, or one infinitely near it: ``place[k]`` is the coefficient of the ``k``-th power of an infinitesimal."""


class Least(NamedTuple):
    """The question which of some forms is the least, the first of equals."""

    forms: tuple[Vector, ...]


Test: TypeAlias = Vector | Least
"""A question: whether a form is below zero, answered by a bool, or which is the least, answered by its index."""

Path: TypeAlias = tuple[tuple[tuple[Test, int], ...], tuple[Entry, ...] | None, str | None, Place]
"""A leaf and the way to it: tests with their answers, results, refusal, and where it was found."""

MAX_TESTS = 2_000
"""Comparisons of one run: code that asks more has a loop whose length depends on the numbers."""


FAR: Final = 10**18
"""How much larger and smaller than where a leaf was found numbers are at which it is looked at once more."""


class Program(Protocol):
    """Code to run on symbols.

    Where it has methods ``begin`` and ``end``, the latter takes what the former has returned, which is kept from run to
    run (rules that renice take half as long again where every run plans anew). Where it has an attribute ``powers``
    that is true, its symbols are the powers of one number, from the first on.
    """

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the symbols, all of them positive numbers."""

    def run(self, numbers: Sequence[Any], /) -> Sequence[Any]:
        """The results."""


@dataclass(frozen=True)
class Code:
    """A function of a list of numbers as a program."""

    names: tuple[str, ...]
    run: Callable[[Sequence[Any]], Sequence[Any]]


@dataclass(slots=True, eq=False)
class Node:
    """A place in the tree: unfinished, a question (``test``) or a leaf.

    ``children``: where the answers lead, as far as somebody has been. ``results``: of a leaf. ``refusal``: the
    sentence with which the code refused its input there. ``begun``: the run that ended its first part there.
    """

    test: Test | None = None
    children: dict[int, Node] = field(default_factory=dict)
    results: tuple[Entry, ...] | None = None
    refusal: str | None = None
    begun: Execution | None = None

    @property
    def is_leaf(self) -> bool:
        """Whether the code is done here."""
        return self.results is not None or self.refusal is not None

    def child(self, answer: int) -> Node:
        """Where an answer leads; an unfinished node where nobody has been."""
        child = self.children.get(answer)
        if child is None:
            child = self.children[answer] = Node()
        return child


class Execution:
    """One run of a program on symbols, and the oracle of their comparisons.

    ``answer``: called with every question that neither all positive numbers nor earlier answers decide.
    """

    def __init__(self, program: Program, answer: Callable[[Test], int]) -> None:
        self.program, self.answer = program, answer
        self.powers = getattr(program, "powers", False)
        self.answers: dict[Vector, bool] = {}
        self.was_read = self.is_over = False
        self.numbers = symbols(program.names, self)
        self._state: Any = None

    def run(self, begun: Callable[[], None] | None = None) -> tuple[Entry, ...]:
        """The results of the code; ``begun``: called between its parts. Run again, only the second part runs."""
        program: Any = self.program
        try:
            with symbolic_fractions():
                if not hasattr(program, "begin"):
                    values = program.run(self.numbers)
                else:
                    if not self.is_over:
                        self._state = program.begin(self.numbers)
                        if begun is not None:
                            begun()
                    self.is_over = False
                    values = program.end(self._state, self.numbers)
                return tuple(entry(value, len(self.numbers), self) for value in values)
        finally:
            self.is_over = True

    def negative(self, form: Form) -> bool:
        """Whether a form is below zero."""
        if self.is_over:
            refuse_kept()
        vector = primitive(form.top)
        if (answer := self.answers.get(vector)) is not None:
            return answer
        if (answer := plain_sign(vector)) is None:
            answer = bool(self.answer(vector))
        self.answers[vector] = answer
        return answer

    def least(self, forms: Sequence[Vector]) -> int:
        """Which form is the least, the first of equals."""
        if self.is_over:
            refuse_kept()
        test = Least(tuple(forms))
        answer = self.answer(test)
        self.answers.update(implied(test, answer))
        return answer

    def read(self) -> bool:
        """Note that the run reads a symbol as text, which it may do in a ``raise`` statement."""
        self.was_read = self.was_read or not self.is_over
        return not self.is_over


@dataclass(eq=False)
class _Descent:
    """The way of a run down the tree, along the signs at its place; it prolongs the tree."""

    place: Place
    node: Node
    tests: int = 0
    failure: Exception | None = None

    def answer(self, test: Test) -> int:
        node = self.node
        if node.test is None and not node.is_leaf:
            node.test = test
        elif node.test != test:
            self._fail(NotAFunction())
        self.tests += 1
        if self.tests > MAX_TESTS:
            self._fail(
                MechanismError(
                    f"the code compares more than {MAX_TESTS:,} times in one run; expected a number of steps that does "
                    "not grow with the lengths: set up_to= to bound them"
                )
            )
        answer = answer_at(test, self.place)
        self.node = node.child(answer)
        return answer

    def _fail(self, error: Exception) -> NoReturn:
        """End the run; it has failed even if the code catches this."""
        self.failure = self.failure or error
        raise error


class NotAFunction(ConsortiumError):
    """The same numbers did not lead the same way."""


class Tree:
    """The decision tree of a program."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.root = Node()  # where every run begins
        self.runs = self.leaves = 0  # how often the code was run on symbols, and to how many different ends it came
        self._where: list[Place] = []
        self._reported = self._audited = 0  # of these places

    def grow(self, *place: Vector, again: bool = False) -> Node:
        """Run the code at a place; points are homogeneous integers, the constant's coordinate first and positive.

        ``again``: from the beginning, whatever earlier runs have left.
        """
        descent = _Descent(place, self.root)
        execution = None if again else self._resume(descent)
        self.runs += 1
        results, refusal = self._results(descent, execution or Execution(self.program, descent.answer))
        node = descent.node
        if node.test is not None or (
            node.is_leaf and (node.results, node.refusal is None) != (results, refusal is None)
        ):
            raise self._not_a_function(place[0])
        if not node.is_leaf:
            node.results, node.refusal = results, refusal
            self.leaves += 1
            self._where.append(place)
            self._compare(node, self._inside(node, place))
        return node

    def _resume(self, descent: _Descent) -> Execution | None:
        """The run whose first part ended on the way of a place, last of all; it goes on from there."""
        answers: dict[Vector, bool] = {}
        execution = None
        node: Node | None = self.root
        while node is not None:
            if node.begun is not None:
                execution, descent.node = node.begun, node
                execution.answer, execution.answers, execution.was_read = descent.answer, dict(answers), False
            if node.test is None:
                break
            answer = answer_at(node.test, descent.place)
            answers.update(implied(node.test, answer))
            node = node.children.get(answer)
        return execution

    def _results(self, descent: _Descent, execution: Execution) -> tuple[tuple[Entry, ...] | None, str | None]:
        """The results of a run, or the sentence of a refusal."""

        def begun() -> None:
            if descent.failure is None:
                descent.node.begun = execution

        try:
            results = execution.run(begun)
            if descent.failure is None:
                if execution.was_read:
                    refuse("the text of a symbolic number in an error that the code caught", with_place=False)
                return results, None
        except InputError as error:
            if isinstance(error, NotPiecewiseLinear):
                raise
            if isinstance(error, MechanismError) and not descent.failure:
                if len(descent.place) == 1:
                    self._plain(descent.place[0])  # says it in numbers
                raise
            if descent.failure is None:
                return None, str(error)
        except NotAFunction:
            pass
        if isinstance(descent.failure, MechanismError):
            raise descent.failure
        raise self._not_a_function(descent.place[0]) from None

    def leaf(self, *place: Vector) -> Node:
        """Where the code ends at a place; the tree grows if nobody was there."""
        node = self._last(place)
        return node if node is not None and node.is_leaf else self.grow(*place)

    def new_leaves(self) -> tuple[Path, ...]:
        """Leaves that were found since the last time this was called."""
        new, self._reported = self._where[self._reported :], len(self._where)
        return tuple(self.path(*place) for place in new)

    def path(self, *place: Vector) -> Path:
        """The leaf at a place, with the way to it; the tree grows if nobody was there."""
        self.leaf(*place)
        tests, node = [], self.root
        while node.test is not None:
            answer = answer_at(node.test, place)
            tests.append((node.test, answer))
            node = node.child(answer)
        return tuple(tests), node.results, node.refusal, place

    def adopt(self, paths: Sequence[Path]) -> None:
        """Take in leaves that another tree of the same code found. Raises MechanismError where the two disagree."""
        for tests, results, refusal, place in paths:
            node = self.root
            for test, answer in tests:
                if node.is_leaf or node.test not in (None, test):
                    raise two_answers()
                node.test = test
                node = node.child(answer)
            again = (node.results, node.refusal is None) == (results, refusal is None)
            if node.test is not None or (node.is_leaf and not again):
                raise two_answers()
            if not node.is_leaf:
                self.leaves += 1
                self._where.append(place)
            node.results, node.refusal = results, refusal

    def audit(self, points: Iterable[Vector] = (), within: Callable[[Vector], bool] | None = None) -> None:
        """Run the code to each new leaf once more, last ones first, and on plain fractions there and at these points.

        ``within``: whether a point far away is among those meant; None for none. Raises MechanismError where the code
        does not do what it did, as code with a memory does, or goes another way on symbols than on numbers.
        """
        new, self._audited = self._where[self._audited :], len(self._where)
        for place in reversed(new):
            node = self.leaf(*place)
            point = self._inside(node, place)
            ways = partial(self.grow, *place, again=True), partial(self._compare, node, point)
            if own_steps(ways[0]) != own_steps(ways[1]):
                raise self._not_a_function(point)
            for far in filter(within, self._far(node, place, point)) if within is not None else ():
                self._compare(node, far)
        for point in points:
            self._compare(self.leaf(point), point)

    def _far(self, node: Node, place: Place, point: Vector) -> Iterator[Vector]:
        """Points of a leaf at which the numbers are very large, or very small, and between them and a given one."""
        size = len(point)
        for large, small in (FAR, 1), (1, FAR):
            scaled = (small * point[0], *[large * z for z in point[1:]])
            far: Vector | None = scaled
            if self._last((scaled,)) is not node:
                facts = [fact for test, answer in self.path(*place)[0] for fact in implied(test, answer)]
                rows = [(tuple([-a for a in form]) if below else form, below) for form, below in facts]
                rows += [(tuple([int(i == j) for i in range(size)]), True) for j in range(size)]
                sign = 1 if large > small else -1
                rows.append(((-sign * large, *[sign * small] * (size - 1)), False))
                far = point_of(rows)
            if far is not None:
                yield from (far, tuple([89 * a + 97 * b for a, b in zip(point, far, strict=True)]))

    def ends(self) -> Iterator[Node]:
        """All leaves."""
        for place in self._where:
            yield self.leaf(*place)

    def _last(self, place: Place) -> Node | None:
        """The last node on the way of a place, None where nobody has been."""
        node: Node | None = self.root
        while node is not None and node.test is not None:
            node = node.children.get(answer_at(node.test, place))
        return node

    def _inside(self, node: Node, place: Place) -> Vector:
        """A point of a leaf: the given one, or one so near it that all signs are those infinitely near it."""
        if len(place) == 1:
            return place[0]
        scale = 1
        while True:
            near = tuple([sum(c * scale**k for k, c in enumerate(reversed(one))) for one in zip(*place, strict=True)])
            if min(near) > 0 and self._last((near,)) is node:
                return near
            scale *= 2

    def _compare(self, node: Node, point: Vector) -> None:
        """Run the code on plain fractions; what it says must be what the leaf says there."""
        expected = None if node.results is None else tuple(value_at(one, point) for one in node.results)
        if self._plain(point) != expected:
            raise self._not_a_function(point)

    def _plain(self, point: Vector) -> tuple[Fraction | str | None, ...] | None:
        """The results on plain fractions; None where the code refuses them."""
        numbers = numbers_at(point)
        try:
            return tuple(value_at(entry(value, len(numbers)), point) for value in self.program.run(numbers))
        except MechanismError:
            raise
        except InputError:
            return None

    def _not_a_function(self, point: Vector) -> MechanismError:
        return two_answers(self.program.names, numbers_at(point))


def two_answers(names: Sequence[str] = (), numbers: Sequence[Fraction] = ()) -> MechanismError:
    """The error for code that is no function of its numbers, with those at which it was found out."""
    at = ", ".join(f"{name} = {number}" for name, number in zip(names, numbers, strict=True))
    return MechanismError(
        f"the code gives two answers for the same numbers{at and f' ({at})'}: it keeps state, draws random numbers, or "
        "looks at types or digits; a proof needs a function of the numbers"
    )


def plain_sign(vector: Vector) -> bool | None:
    """Whether the form is below zero wherever all symbols are positive; None where that depends."""
    if min(vector) >= 0:
        return False
    return True if max(vector) <= 0 else None


def implied(test: Test, answer: int) -> Iterator[tuple[Vector, bool]]:
    """What an answer says of single forms: whether each is below zero. All of it together is the answer."""
    if not isinstance(test, Least):
        yield test, bool(answer)
        return
    best = test.forms[answer]
    for j, form in enumerate(test.forms):
        if j != answer:
            above, below = (best, form) if j < answer else (form, best)
            yield primitive(tuple([a - b for a, b in zip(above, below, strict=True)])), j < answer


def answer_at(test: Test, place: Place) -> int:
    """The answer to a question at a place."""
    if not isinstance(test, Least):
        return below_zero(test, place)
    values = [tuple([sum(map(mul, form, z)) for z in place]) for form in test.forms]
    return values.index(min(values))


def below_zero(vector: Vector, place: Place) -> bool:
    """The sign of a form at a place: the first of its powers of the infinitesimal that does not vanish decides."""
    for z in place:
        value: int = sum(map(mul, vector, z))
        if value:
            return value < 0
    return False


def entry(value: Any, n_symbols: int, oracle: object = None) -> Entry:
    """A result as it stands in a leaf; its symbols are those of the run that the oracle answers."""
    if type(value) is Form:
        if value.oracle is not oracle:
            refuse_kept(with_place=False)
        return value.top, value.bottom
    if value is None:
        return None
    if isinstance(value, float):
        if not isinf(value):
            raise MechanismError(f"found the float {value!r} as a result; expected an int, a Fraction or an infinity")
        return "inf" if value > 0 else "-inf"
    exact = Fraction(value)
    return (exact.numerator, *[0] * n_symbols), exact.denominator


def value_at(one: Entry, point: Vector) -> Fraction | str | None:
    """The result at a point."""
    if one is None or isinstance(one, str):
        return one
    top, bottom = one
    return Fraction(sum(a * z for a, z in zip(top, point, strict=True)), bottom * point[0])
