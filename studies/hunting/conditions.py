"""Conditions over the measures of a task (``when`` of a study's ``[stop]``): comparisons, never run as code.

The language is :data:`consortium.support.expressions.CONDITIONS`::

    condition  = joined { "or" joined }
    joined     = negated { "and" negated }
    negated    = "not" negated | comparison
    comparison = operand [ ("==" | "!=" | "<" | "<=" | ">" | ">=") operand ] | "(" condition ")"
    operand    = number | text | "true" | "false" | "null" | name of a measure

A number is an integer, a decimal or a fraction (``-3/2``), read exactly; a text stands in single or double quotes; a
name is letters, digits, ``_``, ``-`` and ``.``, not beginning with a digit. An operand alone is a measure and holds
where it is true.

Values are those of JSON records: ``"3/2"`` is the number 3/2, ``"inf"`` and ``"-inf"`` are above and below every
number, floats count as what they are to the last bit, ``nan`` as null. ``==`` compares numbers with numbers, texts with
texts, and so on: values of different sorts are different, true is not 1. An order comparison is false unless both sides
are numbers; so one with null is, and ``not`` of it true.

>>> condition = Condition.parse("exists == false or anarchy > 7/4", ["exists", "anarchy"])
>>> condition.holds({"exists": True, "anarchy": "2"}), condition.holds({"exists": True, "anarchy": None})
(True, False)
>>> Condition.parse("exist == false", ["exists", "anarchy"])
Traceback (most recent call last):
    ...
consortium.support.errors.InputError: condition, column 1: 'exist' is not known; known: anarchy, exists. Did \
you mean 'exists'?
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

from ...support.errors import InputError, quote
from ...support.exact import rational
from ...support.expressions import COMPARISONS, CONDITIONS, Tree, read

ORDER: Final[Mapping[str, Callable[[Any, Any], bool]]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


@dataclass(frozen=True)
class Condition:
    """A condition over named measures.

    Attributes
    ----------
    text
        As it was written.
    names
        The measures that it uses, in the order of their first use.
    """

    text: str
    names: tuple[str, ...]
    _tree: Tree

    @classmethod
    def parse(cls, text: str, names: Collection[str]) -> Condition:
        """Read a condition in which the given measures may occur.

        Raises InputError with the column for what is no condition, or a name that is no measure.
        """
        if not isinstance(text, str) or not text.strip():
            raise InputError(f"condition: found {quote(text)}; expected a text such as 'exists == false'")
        tree = read(text, names, CONDITIONS, "condition")
        return cls(text, tuple(dict.fromkeys(_measures(tree))), tree)

    def holds(self, measures: Mapping[str, Any]) -> bool:
        """Whether it holds for these values: JSON values, or exact numbers.

        Raises InputError where a measure that it uses is missing.
        """
        missing = [name for name in self.names if name not in measures]
        if missing:
            raise InputError(f"condition {self.text!r}: found no value of {missing[0]!r}")
        return _holds(self._tree, measures)


def value_of(value: Any) -> Any:
    """A value as conditions compare it: numbers exact (or infinite), ``nan`` as null, anything else as it is.

    >>> value_of("6/4"), value_of(0.5), value_of("-inf"), value_of(True), value_of("ann")
    (Fraction(3, 2), Fraction(1, 2), -inf, True, 'ann')
    """
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, float):
        return None if math.isnan(value) else Fraction(value) if math.isfinite(value) else value
    if isinstance(value, str) and value in ("inf", "-inf"):
        return float(value)
    try:
        return rational(value)
    except InputError:
        return value


def _measures(tree: Tree) -> Iterator[str]:
    """The measures of a condition, in the order of their use. Raises InputError for what is an operand only."""
    kind = tree[0]
    if kind == "name":
        yield tree[1]
    elif kind in ("or", "and"):
        for part in tree[1]:
            yield from _measures(part)
    elif kind == "not":
        yield from _measures(tree[1])
    elif kind in COMPARISONS:
        for side in tree[1:3]:
            if side[0] not in ("name", "number", "text", "constant"):
                place = f"condition, column {tree[3]}"
                raise InputError(f"{place}: found {kind!r} beside a condition; expected 'and' or 'or'")
            if side[0] == "name":
                yield side[1]
    else:
        raise InputError(f"condition, column {tree[2]}: found a value alone; expected a measure or a comparison")


def _holds(tree: Tree, measures: Mapping[str, Any]) -> bool:
    kind = tree[0]
    if kind == "name":
        return measures[tree[1]] is True
    if kind == "or":
        return any(_holds(part, measures) for part in tree[1])
    if kind == "and":
        return all(_holds(part, measures) for part in tree[1])
    if kind == "not":
        return not _holds(tree[1], measures)
    left, right = (value_of(measures[side[1]] if side[0] == "name" else side[1]) for side in tree[1:3])
    if kind in ORDER:
        return isinstance(left, Fraction | float) and isinstance(right, Fraction | float) and ORDER[kind](left, right)
    equal = isinstance(left, bool) == isinstance(right, bool) and bool(left == right)  # true is not 1
    return equal is (kind == "==")
