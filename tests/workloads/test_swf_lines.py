"""The kernel that reads SWF lines, interpreted and compiled, beside the format written down line by line."""

from __future__ import annotations

import random
import re
from fractions import Fraction

import numpy as np
import pytest

from consortium.support.jit import plain
from consortium.workloads import swf
from consortium.workloads.log import Columns, narrow
from consortium.workloads.swf import USED, parse_swf

BLANKS = "".join(map(chr, range(1, 33))).replace("\n", "")
NUMBER = re.compile(rb"[+-]?(\d+\.?\d*|\.\d+)")


def kind_of(line: bytes) -> tuple[int, int, list[int]]:
    """Kind, number of fields and used numbers of a line, by definition."""
    fields = re.findall(rb"[^%b]+" % re.escape(BLANKS).encode(), line)
    if not fields:
        return swf.BLANK, 0, []
    if fields[0].startswith(b";"):
        return swf.COMMENT, 0, []
    if len(fields) != 18:
        return swf.WRONG_COUNT, len(fields), []
    if not all(map(NUMBER.fullmatch, fields)):
        return swf.NO_NUMBER, 18, []
    used = [fields[place - 1] for place in USED.values()]
    numbers = [Fraction(field.decode().rstrip(".") if field.endswith(b".") else field.decode()) for field in used]
    if any(abs(n) >= 10**18 for n in numbers) or any(len(field.lstrip(b"+-")) > 72 for field in used):
        return swf.TOO_LONG, 18, []
    if any(n.denominator > 1 for n in numbers):
        return swf.FRACTION, 18, []
    return swf.JOB, 18, [int(n) for n in numbers]


def odd_number(rng: random.Random) -> str:
    digits = "".join(rng.choices("0123456789", k=rng.choice([1, 2, 17, 18, 19, 40])))
    return rng.choice(
        [
            *(digits, "-" + digits, "+" + digits, "0" * 60 + digits, digits + ".", digits + ".000", "." + digits),
            *(digits + "." + digits, "1" * 73, "0" * 71 + "7", "0" * 72 + "7", "-0." + "0" * 68, "0." + "0" * 71),
            *("-", ".", "+.", "1.2.3", "--1", "1-2", "+-1", "1e5", "x", "\x7f", "٣", "1;2", "nan", "9" * 18, "9" * 19),
        ]
    )


def random_line(rng: random.Random) -> bytes:
    if rng.random() < 0.1:
        return rng.choice([b"", b" \t ", b"; a: b", b" ;x", b";", b"\r", "ä".encode()])
    n = rng.choice([18] * 12 + [0, 1, 17, 19, 40])
    fields = [str(rng.choice([-1, 0, 7, rng.randrange(10**18)])) for _ in range(n)]
    for _ in range(rng.choice([0, 0, 0, 1, 1, 2])):
        if fields:
            fields[rng.randrange(len(fields))] = odd_number(rng)
    gaps = ["".join(rng.choices(BLANKS, k=rng.choice([1, 1, 1, 2, 5]))) for _ in fields]
    start = rng.choice(["", " ", "\t\x01"])
    return (start + "".join(a + b for a, b in zip(fields, gaps, strict=True))).encode()


def compare(rng: random.Random, texts: int) -> None:
    for _ in range(texts):
        lines = [random_line(rng) for _ in range(rng.choice([1, 5, 40]))]
        text = b"".join(line + b"\n" for line in lines)
        expected = [kind_of(line) for line in lines]
        for kernel in (swf.read_lines, plain(swf.read_lines)):
            table = np.full((len(USED), len(lines)), 99, dtype=np.int64)
            kind, fields = np.empty(len(lines), dtype=np.uint8), np.empty(len(lines), dtype=np.int64)
            jobs = kernel(text, table, kind, fields)
            assert list(zip(kind.tolist(), fields.tolist(), strict=True)) == [(k, n) for k, n, _ in expected]
            assert table[:, :jobs].T.tolist() == [row for k, _, row in expected if k == swf.JOB]


@pytest.mark.parametrize("texts", [60, pytest.param(1_500, marks=pytest.mark.exhaustive)])
def test_lines_are_read_as_the_format_says(texts: int) -> None:
    compare(random.Random("lines of a log"), texts)


def test_columns_are_kept_narrow_and_shown_as_int64() -> None:
    rng = np.random.default_rng(5)
    for bits in (1, 7, 8, 15, 16, 31, 32, 62):
        values = rng.integers(-(2**bits), 2**bits, 20)
        values[:2] = -(2**bits), 2**bits - 1
        column = narrow(values)
        assert column.dtype.itemsize * 8 == next(w for w in (8, 16, 32, 64) if bits < w)
        shown = Columns({"run": column})["run"]
        assert shown.dtype == np.int64
        assert shown.tolist() == values.tolist()
        assert not shown.flags.writeable
        values[0] = 0
        assert shown[0] == -(2**bits)  # a copy


def test_sums_of_narrow_columns_do_not_wrap() -> None:
    """127 s and 127 s fit one byte each, and the moment they end does not."""
    line = b"1 127 127 127 127 -1 -1 -1 -1 -1 1 1 1 -1 -1 -1 -1 -1\n"
    log = parse_swf([line])
    assert log.kept("submit").dtype == np.int8
    assert (log.submit + log.run + log.processors).tolist() == [381]
    assert log.peak_processors() == 127


def test_job_numbers_that_go_back_are_told_apart() -> None:
    rest = b" 5 -1 1 1 -1 -1 -1 -1 -1 1 1 1 -1 -1 -1 -1 -1\n"
    log = parse_swf([b"".join(number + rest for number in (b"2", b"1", b"-1", b"2", b"-1", b"300"))])
    assert log.job.tolist() == [2, 1, -1, -1, 300]
    assert [(entry.reason, entry.count, entry.examples) for entry in log.report.skipped] == [
        ("job number seen before", 1, (4,))
    ]
