"""A scenario: what a file says, checked, with its numbers exact.

:class:`Scenario` is what every verb works on. ``spec`` is the frozen dataclass of the kind (for example
:class:`consortium.scenarios.declaration.DeclarationSpec`); ``data`` is the plain structure it was read from, which
overrides change and certificates copy. :func:`digest` is equal for two that ask the same, however their numbers are
written. :class:`Format` is what the reader knows of a kind of file.

>>> one, other = digest({"length": "3/2", "title": "one"}), digest({"length": Decimal("1.50")})
>>> one == other, len(one)
(True, 64)
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

from ..support.errors import InputError
from ..support.exact import rational

if TYPE_CHECKING:
    from .fields import Block
    from .problems import Problems


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
        result = {k: v for k, v in self.data.items() if k not in ("domain", "expect", "prior")} | dict(changes)
        if expect:
            result["expect"] = expect
        return {key: plain(value) for key, value in result.items() if value is not None or key not in changes}


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
        return _plain(value)
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value


@dataclass(frozen=True)
class Format:
    """The files of one kind.

    Attributes
    ----------
    file
        Pydantic model of a whole file, whose fields are the top-level blocks of the kind; the JSON Schema is its.
    read
        Checks every block of a file's data, notes all problems, and returns the kind's frozen dataclass (``None`` when
        there were any).
    """

    file: type[Block]
    read: Callable[[Mapping[str, Any], Problems], Any]

    @property
    def blocks(self) -> tuple[str, ...]:
        """Top-level keys of the kind, besides those of every scenario."""
        return tuple(self.file.model_fields)


WITHOUT_EFFECT: Final = frozenset({"title", "source", "expect"})
"""Top-level keys that change no answer."""

_written: Final = json.JSONEncoder(sort_keys=True, separators=(",", ":")).encode
_FIRST: Final = frozenset("0123456789+-. \t")
"""What a text that is a number may begin with."""


def digest(scenario: Mapping[str, Any]) -> str:
    """SHA-256, in hexadecimal digits, of what a scenario says.

    Names, the order of lists and the seed matter; title, source, expected values and the order of keys do not. A number
    counts by its value: ``"3/2"``, ``1.5`` in a file and ``Fraction(3, 2)`` are the same, and so are ``2`` and ``"2"``;
    but a text that is a ``name`` of the scenario is that name wherever it stands. What is not written is not filled in:
    a default that is written makes another digest. A file that the scenario names counts by its name.

    Parameters
    ----------
    scenario
        A scenario as a dict that the reader accepts.

    Raises
    ------
    InputError
        For what no scenario can hold: a float, an object of another class.
    """
    content = {key: value for key, value in scenario.items() if key not in WITHOUT_EFFECT}
    names: set[str] = set()
    exact = _exact(content, names)
    if names:  # hardly anybody is called like a number; then such texts are names wherever they stand
        exact = _exact(content, names)
    return sha256(_written(exact).encode()).hexdigest()


def _exact(value: Any, names: set[str]) -> Any:
    """The same with every number in one form: an integer, or a text ``p/q``; names that look like numbers are noted."""
    kind = type(value)
    if kind is str:
        return _number(value, names)
    if kind is int or kind is bool or value is None:
        return value
    if kind is list or kind is tuple:
        return [item if type(item) is int else _exact(item, names) for item in value]
    if kind is dict or isinstance(value, Mapping):
        name = value.get("name")
        if type(name) is str and name[:1] in _FIRST:
            names.add(name)
        return {
            key if key[:1] not in _FIRST else str(_number(key, names)): _exact(item, names)
            for key, item in value.items()
        }
    if isinstance(value, Fraction | Decimal):
        return _plain(rational(value))
    what = f"the float {value!r}" if kind is float else repr(value)
    raise InputError(f"digest: found {what}; expected an exact number: an int, a text or a Fraction")


def _number(text: str, names: Set[str]) -> str | int:
    """A text as the number that it is, or as it is."""
    if text[:1] not in _FIRST or text in names:
        return text
    over, _, under = text.partition("/")
    try:
        if over.isdecimal() and under.isdecimal() and int(under):  # nearly all fractions there are
            return _plain(Fraction(int(over), int(under)))
        return _plain(rational(text))
    except ValueError:  # a text that only begins like a number
        return text


def _plain(number: Fraction) -> str | int:
    return number.numerator if number.denominator == 1 else f"{number.numerator}/{number.denominator}"
