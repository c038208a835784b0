r"""The curve of a mechanism whose code is piecewise linear, walked on the code's own decision tree.

The declaration is a symbol, all else a constant; the code runs on it as it is (:mod:`..proofs.execution`). Just after a
number, every comparison of the code comes out one way and the utility is one line; both hold up to the first root of a
form that was compared. There the walk goes on, so that no breakpoint is missed, and each is found as an exact number.

The code is run on plain numbers too, inside every piece and at all its ends.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from ...mechanisms.declaration.one_round import OneRound
from ...mechanisms.declaration.protocol import DeclarationMechanism, play
from ...mechanisms.declaration.two_rounds import TwoRounds
from ...support.errors import MechanismError
from ...support.exact import INF, Extended
from ...support.progress import Progress
from ..proofs.execution import Entry, Tree, implied
from ..proofs.programs import silent
from .pieces import Piece, Utility


@dataclass(frozen=True)
class UtilityProgram:
    """An agent's utility as code on one symbol, her declaration.

    >>> from consortium.mechanisms.declaration import build
    >>> from consortium.scheduling.clusters import Cluster
    >>> one = (Fraction(1), Fraction(3))
    >>> program = UtilityProgram(build("light-vcg", Cluster.of([1])), one, one, 0)
    >>> pieces = walked(program, program.utility, Fraction(1, 2), Fraction(5))
    >>> [(str(piece.low), str(piece.high), str(piece.slope)) for piece in pieces]
    [('1/2', '1', '-1'), ('1', '3', '-2'), ('3', '5', '-1')]
    """

    mechanism: DeclarationMechanism
    lengths: Sequence[Fraction]
    declared: Sequence[Fraction]
    agent: int
    values: Sequence[Fraction] | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The declaration."""
        return ("x",)

    @cached_property
    def stages(self) -> tuple[Callable[[Any, Sequence[Any]], Any], ...]:
        """Plan and run in one; without welfare, which compares times that matter to nobody."""
        own: Any = self.mechanism
        quiet = silent(own) if type(own) in (OneRound, TwoRounds) else own
        return (lambda _, x: (self._utility(quiet, x[0]),),)

    def utility(self, x: Fraction) -> Any:
        """The utility at one declaration."""
        return self._utility(self.mechanism, x)

    def _utility(self, mechanism: DeclarationMechanism, x: Any) -> Any:
        said = (*self.declared[: self.agent], x, *self.declared[self.agent + 1 :])
        utilities = play(mechanism, said, self.lengths, self.values).utilities
        assert utilities is not None  # play() fills them in
        return utilities[self.agent]


def stretches(
    program: UtilityProgram, utility: Utility, low: Fraction, high: Extended, progress: Progress | None = None
) -> Iterator[tuple[Fraction, Extended, Entry]]:
    """Open stretches of ``(low, high)`` on which the utility is one line, in order: both ends and the line.

    ``low`` may be 0 and ``high`` infinite: forms are compared just after a number, and the last of their roots ends the
    walk. Raises what :func:`walked` raises.
    """
    tree = Tree(program)
    x, done = low, False
    while not done:
        if progress:
            progress(tree.leaves, None, "pieces of the curve")
        tests, results, _, _ = tree.path((x.denominator, x.numerator), (0, 1))
        roots = [Fraction(-a, b) for test, answer in tests for (a, b), _ in implied(test, answer) if b]
        end = min((root for root in roots if x < root < high), default=None)
        middle = x + 1 if end is None and high == INF else (x + (Fraction(high) if end is None else end)) / 2
        found = utility(middle)
        if results is None:
            raise MechanismError(f"the code refuses a declaration of {middle} at one time, and takes it at another")
        if value_of(results[0], middle) != found:
            raise MechanismError(f"the code gives two answers for a declaration of {middle}")
        yield x, high if end is None else end, results[0]
        done, x = end is None, x if end is None else end
    tree.audit(())


def walked(
    program: UtilityProgram, utility: Utility, low: Fraction, high: Fraction, progress: Progress | None = None
) -> Iterator[Piece]:
    """The open pieces of ``(low, high)``, in order; neighbours may be on one line.

    Raises
    ------
    MechanismError
        The code is not piecewise linear, or no function of its numbers.
    InputError
        The mechanism refuses a declaration.
    """
    for x, end, line in stretches(program, utility, low, high, progress):
        yield Piece(x, Fraction(end), value_of(line, x), slope_of(line))


def value_of(line: Entry, x: Fraction) -> Extended:
    """A line of the walk at a number."""
    if isinstance(line, str):
        return float(line)
    assert line is not None  # a utility always exists
    (constant, slope), bottom = line
    return Fraction(constant * x.denominator + slope * x.numerator, bottom * x.denominator)


def slope_of(line: Entry) -> Fraction:
    """How steep it is; an infinite one is level."""
    if isinstance(line, str) or line is None:
        return Fraction(0)
    (_, slope), bottom = line
    return Fraction(slope, bottom)
