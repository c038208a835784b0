"""What the checkers of certificates share: limits, the JSON of a file, and the answer of a program.

It imports nothing of the package: in the program that ``consortium check --print-checker FILE`` prints, it stands in
the place of its import.
"""

from __future__ import annotations

import argparse
import gzip
import json
import zlib
from collections.abc import Callable
from reprlib import repr as short
from time import monotonic
from typing import Any

SECONDS, MEMORY, BITS = 600, 400_000_000, 14_000  # what a check takes (bytes), and a number has, at most
PARSED = {"[": 120, "{": 64, ":": 100, ",": 50, '"': 20}  # bytes that JSON takes when read, by what it is written with


class Unreadable(Exception):
    """No certificate."""


class Refused(Exception):
    """A certificate that does not prove what it says."""


class Stopped(Exception):
    """A limit was reached before there was an answer: nothing is known."""


class Limits:
    """The seconds that a check may take, and about how many bytes it may keep."""

    def __init__(self, seconds: float = SECONDS, memory: float = MEMORY) -> None:
        self.seconds, self.ends, self.memory = seconds, monotonic() + seconds, memory
        self.kept = self.lasting = 0  # bytes; those that are kept to the end

    def keep(self, size: int = 0, lasting: int = 0) -> None:
        """Keep so many bytes more, or fewer. Raises Stopped where there are none, or no time, left."""
        self.kept, self.lasting = self.kept + size + lasting, self.lasting + lasting
        if self.kept > self.memory:
            raise Stopped(f"it takes more than {self.memory:,.0f} bytes of memory")
        if monotonic() > self.ends:
            raise Stopped(f"it takes longer than {self.seconds:g} s")


def integer(x: Any, least: int | None = None) -> int:
    """An integer, not less than this."""
    if type(x) is not int or (least is not None and x < least):
        raise ValueError(f"expected an integer{'' if least is None else f' >= {least}'}, found {short(x)}")
    return small(x)


def small(x: int) -> int:
    """A number that is not too long to go on with."""
    if x.bit_length() > BITS:
        raise Stopped(f"it has a number of more than {BITS:,} bits")
    return x


def size_of(x: int) -> int:
    """Bytes that an integer takes, about."""
    return 40 + (x.bit_length() >> 3)


def fields(x: Any, *names: str) -> list[Any]:
    """The values of an object with these keys and no others."""
    if type(x) is not dict or set(x) != set(names):
        raise ValueError(f"expected an object with the keys {', '.join(names)}, found {short(x)}")
    return [x[name] for name in names]


def written(x: tuple[int, int]) -> str:
    """A ratio as text."""
    return str(x[0]) if x[1] == 1 else f"{x[0]}/{x[1]}"


def reason(error: BaseException) -> str:
    """What an error says, or its type."""
    return str(error) or type(error).__name__


def load(path: str, limits: Limits | None = None) -> Any:
    """The JSON of a file, gzipped or not."""
    limits = limits or Limits()
    most = int(limits.memory) // 4
    try:
        with open(path, "rb") as file:
            zipped = file.read(2) == b"\x1f\x8b"
        with gzip.open(path) if zipped else open(path, "rb") as file:
            data = file.read(most + 1)
        if len(data) > most:
            raise Stopped(f"it has more than {most:,} bytes")
        return parsed(data.decode("utf-8-sig"), limits)
    except (OSError, EOFError, ValueError, zlib.error, RecursionError) as error:
        raise Unreadable(f"cannot be read: {reason(error)}") from None


def parsed(text: str, limits: Limits) -> Any:
    """What a text of JSON holds; two values of one key, or no finite number, are a ValueError."""
    limits.keep(lasting=2 * len(text) + sum([size * text.count(mark) for mark, size in PARSED.items()]))
    return json.loads(text, object_pairs_hook=once, parse_constant=integer)


def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object, each key of which stands there once."""
    item = dict(pairs)
    if len(item) < len(pairs):
        raise ValueError(f"a key stands twice in an object with the keys {short(list(item))}")
    return item


def main(arguments: list[str], about: str, kind: str, check: Callable[[Any, Limits], str]) -> int:
    """Check the file named, print what it proves, and say so in the exit code."""
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("file", metavar="FILE.json.gz")
    parser.add_argument("--time-limit", type=float, default=SECONDS, metavar="SECONDS", help="[%(default)s]")
    parser.add_argument("--memory", type=float, default=MEMORY, metavar="BYTES", help="[%(default)s]")
    options = parser.parse_args(arguments)
    try:
        limits = Limits(options.time_limit, options.memory)
        data = load(options.file, limits)
        other = data.get("kind", kind) if type(data) is dict else kind
        if other != kind:
            raise Unreadable(f"expected a certificate of kind {short(kind)}, found kind {short(other)}")
        print(check(data, limits))
        return 0
    except (Refused, Unreadable, Stopped, MemoryError, KeyboardInterrupt) as why:
        exits: dict[type, tuple[int, str]] = {Refused: (1, "Refused"), Unreadable: (2, "Unreadable")}
        code, word = exits.get(type(why), (3, "Not checked"))
        print(f"{word}: {reason(why)}.")
        return code
