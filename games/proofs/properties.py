r"""Custom properties, for all positive numbers: a function that says with :func:`require` what must be true.

The function takes numbers and may do with them what proofs allow: add, subtract, compare, multiply by constants, and
run a mechanism on them. It is run on symbols, cell by cell, until every requirement is known to hold everywhere, or one
is found to fail at a point; there it is run once more on plain fractions. A mechanism that refuses its input (by
InputError) is not judged there.

>>> from consortium.mechanisms.declaration import build, play
>>> from consortium.scheduling.clusters import Cluster
>>> rule = build("vcg-postpone", Cluster.of([1]))
>>> def longest_pays_nothing(x, y):
...     payments = play(rule, (x, y), (x, y)).payments
...     require(x <= y or payments[0] == 0, "the longest job pays")
>>> found = prove_property(longest_pays_nothing, ["x", "y"])
>>> found.holds, found.scope
(False, 'x and y: all positive numbers')
>>> found.failure.text, found.failure.point["x"] > found.failure.point["y"]
('the longest job pays', True)
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any, TypeAlias

from ...mechanisms.custom import call
from ...support.errors import ConsortiumError, InputError
from ...support.exact import Rational, rational
from ...support.progress import Clock, Progress
from .execution import Code, Node, Tree, two_answers
from .exploration import MAX_CELLS, Effort, Verdict, explore_all
from .questions import Lengths, Question, Run, name_list
from .symbols import Vector, numbers_at

Property: TypeAlias = Callable[..., object]
"""A function of numbers that calls :func:`require`; what it returns does not matter."""


class UnmetError(ConsortiumError, AssertionError):
    """A requirement does not hold for the numbers at hand."""


def require(condition: object, text: str) -> None:
    """Say what must be true. Raises UnmetError with the text where it is not.

    >>> require(1 < 2, "one comes first")
    """
    if not condition:
        raise UnmetError(text)


@dataclass(frozen=True)
class Failure:
    """A point at which a requirement fails: the numbers by name, and the requirement's text."""

    point: Mapping[str, Fraction]
    text: str


@dataclass(frozen=True)
class PropertyProof(Verdict):
    """Verdict on a custom property; ``failure``: where it fails."""

    failure: Failure | None = None


def prove_property(
    function: Property,
    symbols: int | Sequence[str] | None = None,
    up_to: Rational | None = None,
    *,
    numbers: Lengths | None = None,
    max_cells: int = MAX_CELLS,
    processes: int = 1,
    time_limit: float | None = None,
    progress: Progress | None = None,
) -> PropertyProof:
    """Prove that all requirements of a function hold for all positive numbers, or find where one fails.

    Parameters
    ----------
    function
        Takes one number per symbol and calls :func:`require`.
    symbols
        Names of the numbers, or how many there are; by default the function's own parameters.
    up_to, numbers
        The numbers meant: all positive ones, those up to a bound, or an interval.
    max_cells, processes, time_limit, progress
        As for :func:`.prover.prove`.

    Returns
    -------
    PropertyProof
        Holds, refuted with the point, or open with what was proved.

    Raises NotPiecewiseLinear and MechanismError as that does.

    Examples
    --------
    >>> def triangle(x, y):
    ...     require(max(x, y) <= x + y, "the sum is the largest")
    >>> prove_property(triangle).holds
    True
    """
    names = _names(function, symbols)
    meant = numbers or Lengths(end=None if up_to is None else rational(up_to, "up_to"))
    tree = Tree(Code(names, partial(_fulfilled, function, names)))
    ask = partial(_questions, names, meant)
    explored = explore_all(ask, (tree,), Effort(Clock(time_limit), progress, max_cells, processes))
    failure = None
    if explored.failure is not None:
        point = dict(zip(names, numbers_at(explored.failure[1]), strict=True))
        text = _unmet(function, point)  # once more, on plain fractions
        if text is None:
            raise two_answers(names, [*point.values()])
        failure = Failure(point, text)
    holds = True if explored.done else None if failure is None else False
    limit = explored.why if holds is None else ""
    return PropertyProof(holds, f"{name_list(names)}: {meant.text('numbers')}", limit, explored, failure)


def _names(function: Property, symbols: int | Sequence[str] | None) -> tuple[str, ...]:
    """Names of the numbers that a function takes."""
    if isinstance(symbols, int):
        names = tuple(f"x{k}" for k in range(1, symbols + 1))
    elif symbols is None:
        names = tuple(inspect.signature(function).parameters)
    else:
        names = tuple(symbols)
    if not names or len(set(names)) < len(names):
        raise InputError(f"symbols: found {symbols!r:.60}; expected at least one number, each with its own name")
    return names


def _fulfilled(function: Property, names: tuple[str, ...], numbers: Sequence[Any]) -> tuple[int]:
    """1 where all requirements are met, else 0."""
    return (int(_unmet(function, dict(zip(names, numbers, strict=True))) is None),)


def _unmet(function: Property, numbers: Mapping[str, Any]) -> str | None:
    """The requirement that fails for these numbers."""
    try:
        call(function, getattr(function, "__name__", type(function).__name__), **numbers)
    except UnmetError as unmet:
        return str(unmet)
    return None


def _questions(names: tuple[str, ...], numbers: Lengths) -> tuple[Question, ...]:
    """Whether every requirement is met, wherever the function does not refuse the numbers."""
    size = 1 + len(names)
    return (Question(None, "", names, numbers.rows(size), (Run(tuple(range(size))),), _unfulfilled),)


def _unfulfilled(leaves: Sequence[Node]) -> tuple[Vector, ...]:
    """Positive where a requirement fails."""
    return tuple((1 - one[0][0],) for one in leaves[0].results or () if isinstance(one, tuple))
