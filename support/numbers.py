"""Numbers as callers hold them: those of numpy become Python's, and a float means what its owner says.

A float is not exact: ``0.1`` is the nearest binary number to 1/10, and a tie between rounded numbers is an accident.
So floats are refused where exact numbers are wanted, unless the caller says which number is meant (:data:`Floats`).
Numbers with a decimal point in files, and on the command line, are exact decimals unless told otherwise.

>>> import numpy as np
>>> parse_numbers({"jobs": np.array([3, 2]), "machines": np.int64(4), "length": 0.1}, "decimal")
{'jobs': [3, 2], 'machines': 4, 'length': Fraction(1, 10)}
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from types import MappingProxyType
from typing import Any, Final, Literal, TypeAlias

import numpy as np

from .errors import InputError, quote

Floats: TypeAlias = Literal["refuse", "decimal", "binary"]
"""What a float means: nothing (it is refused), its shortest decimal, or the exact binary number that it is."""

MEANINGS: Final[Mapping[Floats, str]] = MappingProxyType(
    {
        "refuse": "nothing: a float from Python is an error, a number with a decimal point in a file an exact decimal",
        "decimal": "the shortest decimal that reads back the same: 0.1 is 1/10",
        "binary": "the exact number that the computer keeps: 0.1 is a little more than 1/10",
    }
)
"""The words of :data:`Floats`, each with what it means."""
ADVICE: Final = "say what floats mean with floats='decimal' or floats='binary'"
"""What a refusal of a float adds."""

_READY: Final = frozenset({str, int, bool, Fraction, type(None)})


def meaning(floats: object) -> Floats:
    """What was said of floats, checked; ``None`` refuses them. Raises InputError for another word.

    >>> meaning(None)
    'refuse'
    """
    word = next((word for word in MEANINGS if floats is None or (isinstance(floats, str) and floats == word)), None)
    if word is None:
        raise InputError(f"floats: found {quote(floats)}; expected one of {', '.join(MEANINGS)}")
    return word


def parse_numbers(value: Any, floats: Floats = "refuse") -> Any:
    """The same value with numbers and arrays of numpy and pandas made Python's, and floats what they mean, recursively.

    Floats that are refused stay floats, for the reader who knows where they stand; so do infinities. Keys, and objects
    that are no numbers, stay as they are, and so does what contains itself.
    """
    try:
        return _python(value, floats)
    except RecursionError:
        return value


def _python(value: Any, floats: Floats) -> Any:
    kind = type(value)
    if kind in _READY:
        return value
    if isinstance(value, float | np.floating):
        return meant(value, floats)
    if kind is Decimal:  # of a file: exact, unless floats were written there
        return meant(float(value), floats) if floats == "binary" and value.is_finite() else value
    if isinstance(value, Mapping):
        return {key: _python(item, floats) for key, item in value.items()}
    if kind in (list, tuple):
        return kind(_python(item, floats) for item in value)
    if isinstance(value, np.generic):
        return value.item() if isinstance(value, np.integer | np.bool_ | np.str_) else value
    if hasattr(kind, "__array__"):  # that of pandas, too
        array = np.asarray(value)
        return [_python(item, floats) for item in array] if array.ndim else _python(array[()], floats)
    return value


def meant(value: float | np.floating[Any], floats: Floats) -> Fraction | float:
    """The number that a float stands for; an infinity, and what is refused, as it is.

    >>> meant(0.1, "decimal"), meant(0.1, "binary") == Fraction(1, 10), meant(np.float32(0.1), "decimal")
    (Fraction(1, 10), False, Fraction(1, 10))
    """
    if floats == "refuse" or not np.isfinite(value):
        return float(value)
    return Fraction(str(value)) if floats == "decimal" else Fraction(*value.as_integer_ratio())
