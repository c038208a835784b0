"""The names that code looks up, by which a kernel finds the kernels that it calls.

>>> names_in((lambda numbers: sorted(abs(n) for n in numbers)).__code__) == {"sorted", "abs"}
True
"""

from __future__ import annotations

from types import CodeType


def names_in(code: CodeType) -> set[str]:
    """Global names and attributes, those of functions inside it included."""
    inside = [part for part in code.co_consts if isinstance(part, CodeType)]
    return set(code.co_names).union(*map(names_in, inside))
