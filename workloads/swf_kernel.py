r"""The lines of an SWF log, byte by byte: which are jobs, what is wrong with the others, and the numbers of the jobs.

One pass over the text, without a copy of it: a kernel takes bytes as they are, so that the same function, interpreted,
reads a short log at once.

>>> import numpy as np
>>> text = b"1 0 -1 60 2 1.5 -1 2 -1 -1 1 7 3 -1 1 -1 -1 -1\n; a comment\n2 5\n"
>>> table, kind, fields = np.empty((N_USED, 3), np.int64), np.empty(3, np.uint8), np.empty(3, np.int64)
>>> read_lines(text, table, kind, fields), table[:, 0].tolist()
(1, [1, 0, -1, 60, 2, 2, -1, 1, 7, 3, 1, -1])
>>> kind.tolist() == [JOB, COMMENT, WRONG_COUNT], fields.tolist()
(True, [18, 0, 2])
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ..support.jit import jit, quickest
from .files import newlines

FIELDS: Final = 18
"""Numbers in a line."""

USED: Final = MappingProxyType(
    {
        "job": 1,
        "submit": 2,
        "wait": 3,
        "run": 4,
        "allocated": 5,
        "requested": 8,
        "limit": 9,
        "status": 11,
        "user": 12,
        "group": 13,
        "queue": 15,
        "partition": 16,
    }
)
"""The fields that are kept, counted from 1, in the order of the columns of the table."""
N_USED: Final = len(USED)

DIGITS: Final = 18  # 10**18 - 1 fits int64 with room for one addition
LONGEST: Final = 4 * DIGITS
"""Characters of a used number, without its sign; leading zeros and zeros behind a point are allowed up to here."""

JOB, FRACTION, TOO_LONG, NO_NUMBER, WRONG_COUNT, COMMENT, BLANK = range(7)
"""Kinds of lines. Of the things that are wrong with a line the largest counts."""

_COLUMN: Final = np.array([[*USED.values()].index(f) if f in USED.values() else -1 for f in range(1, FIELDS + 1)])


@jit
def _number(text: bytes, at: int) -> tuple[int, int, int]:
    """The number that starts at a byte: where it stops, its value, and what is wrong with it (``JOB``: nothing)."""
    sign = text[at]
    if sign == 43 or sign == 45:  # + -
        at += 1
    start = at
    value = digits = significant = 0
    point = fraction = bad = False
    while text[at] > 32:
        digit = int(text[at]) - 48
        if 0 <= digit <= 9:
            digits += 1
            if point:
                fraction = fraction or digit > 0
            elif significant > 0 or digit > 0:
                significant += 1
                if significant <= DIGITS:
                    value = value * 10 + digit
        elif digit == -2 and not point:
            point = True
        else:
            bad = True
        at += 1
    wrong = JOB
    if bad or digits == 0:
        wrong = NO_NUMBER
    elif significant > DIGITS or at - start > LONGEST:
        wrong = TOO_LONG
    elif fraction:
        wrong = FRACTION
    return at, (-value if sign == 45 else value), wrong


@jit
def read_lines(text: bytes, table: NDArray[np.int64], kind: NDArray[np.uint8], fields: NDArray[np.int64]) -> int:
    """Read whole lines; returns how many of them are jobs.

    ``text`` ends with a newline and holds no byte 0; ``kind`` and ``fields`` (how many a line has) are of the number of
    lines, ``table`` is of as many columns and gets the used fields of the jobs, one column each, in order. Bytes up to
    32 are blanks.
    """
    at = line = jobs = 0
    while at < len(text):
        count, worst = 0, BLANK
        byte = int(text[at])
        while byte != 10:
            if byte <= 32:
                at += 1
            elif count == 0 and byte == 59:  # ;
                worst = COMMENT
                while text[at] != 10:
                    at += 1
            else:
                first, value, wrong = at, 0, JOB
                at += byte == 45 or byte == 43  # - +
                start, negative = at, byte == 45
                byte = int(text[at])
                while 48 <= byte <= 57:  # what nearly every field is: digits up to a blank
                    value = value * 10 + (byte - 48)
                    at += 1
                    byte = int(text[at])
                value = -value if negative else value
                if byte > 32 or not start < at <= start + DIGITS:
                    at, value, wrong = _number(text, first)
                worst = JOB if count == 0 else worst
                if count < FIELDS:
                    column = _COLUMN[count]
                    if column >= 0:
                        table[column, jobs] = value
                    elif wrong != NO_NUMBER:
                        wrong = JOB  # what is not used only has to be a number
                    worst = max(worst, wrong)
                count += 1
            byte = int(text[at])
        if count > 0 and count != FIELDS:
            worst = WRONG_COUNT
        kind[line], fields[line] = worst, count
        jobs += worst == JOB
        line, at = line + 1, at + 1
    return jobs


def parsed(text: bytes) -> tuple[NDArray[np.int64], NDArray[np.uint8], NDArray[np.int64]]:
    """The used fields, shape (used, jobs), and the kind and number of fields of every line of text.

    The text ends with a newline and holds no byte 0.
    """
    lines = newlines(text)
    table = np.empty((N_USED, lines), dtype=np.int64)
    kind, fields = np.empty(lines, dtype=np.uint8), np.empty(lines, dtype=np.int64)
    read: Any = quickest(read_lines, len(text))
    jobs = read(text, table, kind, fields)
    return table[:, :jobs], kind, fields
