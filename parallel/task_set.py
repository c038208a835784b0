"""A set of task numbers in one bit for each number up to the largest."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from typing import Final

LEAST: Final = 1024
"""Bytes that there is room for at first."""


class TaskSet(Set[int]):
    """Numbers of tasks; ten million of them take little more than a megabyte.

    >>> found = TaskSet([3, 1, 3])
    >>> 1 in found, 2 in found, len(found), list(found)
    (True, False, 2, [1, 3])
    """

    def __init__(self, tasks: Iterable[int] = ()) -> None:
        bits = bytearray(LEAST)
        for task in tasks:
            place = task >> 3
            if place >= len(bits):
                bits.extend(bytes(max(place + 1 - len(bits), len(bits))))
            bits[place] |= 1 << (task & 7)
        self._bits = bytes(bits)
        self._count = int.from_bytes(self._bits, "little").bit_count()

    def __contains__(self, task: object) -> bool:
        if not isinstance(task, int) or task < 0:
            return False
        place = task >> 3
        return place < len(self._bits) and bool(self._bits[place] >> (task & 7) & 1)

    def __iter__(self) -> Iterator[int]:
        return (8 * place + bit for place, byte in enumerate(self._bits) if byte for bit in range(8) if byte >> bit & 1)

    def __len__(self) -> int:
        return self._count
