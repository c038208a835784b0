"""A scenario: what a file says, checked, with its numbers exact.

:class:`Scenario` is what every verb works on. ``spec`` is the frozen dataclass of the kind (for example
:class:`consortium.scenarios.declaration.DeclarationSpec`); ``data`` is the plain structure it was read from, which
overrides change and certificates copy.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from typing import Any


@dataclass(frozen=True)
class Scenario:
    """One checked scenario.

    Attributes
    ----------
    kind
        Name of its kind, see :mod:`consortium.mechanisms.kinds`.
    name
        Where it came from: a path, the name of a shipped scenario, or ``"scenario"`` for a dict.
    title, source, seed
        The optional top-level keys; ``None`` when absent.
    spec
        The kind's frozen dataclass.
    data
        The plain structure, numbers exact; treat it as read-only.
    expect
        ``[expect.VERB]`` tables by verb.
    folder
        Folder of the file, against which files that a scenario names are looked up; ``None`` for a dict.
    """

    kind: str
    name: str
    title: str | None
    source: str | None
    seed: int | None
    spec: Any
    data: Mapping[str, Any]
    expect: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    folder: str | None = None

    @property
    def label(self) -> str:
        """Title, or else the name."""
        return self.title or self.name

    def to_dict(self) -> dict[str, Any]:
        """The scenario as a plain dict that JSON can hold and that can be loaded again."""
        return {key: plain(value) for key, value in self.data.items()}

    def variant(self, changes: Mapping[str, Any], expect: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """A complete scenario dict like this one with other top-level blocks, for certificates.

        ``changes`` maps a top-level key to its new value (``None`` removes it). ``[domain]``, ``[prior]`` and
        ``[expect]`` are left out unless given; ``expect`` becomes the new ``[expect]`` block.
        """
        result = copy.deepcopy({k: v for k, v in self.data.items() if k not in ("domain", "expect", "prior")})
        for key, value in changes.items():
            if value is None:
                result.pop(key, None)
            else:
                result[key] = value
        if expect:
            result["expect"] = dict(expect)
        return {key: plain(value) for key, value in result.items()}


def plain(value: Any) -> Any:
    """Numbers as ints or ``"p/q"`` texts, tuples as lists, recursively.

    >>> plain({"lengths": (Fraction(1, 2), 3)})
    {'lengths': ['1/2', 3]}
    """
    if value is None or isinstance(value, str | int | float):  # nearly all there is
        return value
    if isinstance(value, Decimal):
        value = Fraction(value)
    if isinstance(value, Fraction):
        return value.numerator if value.denominator == 1 else f"{value.numerator}/{value.denominator}"
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value
