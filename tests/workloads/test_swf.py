"""The SWF reader: every quirk by hand, a plain second reader, the published logs' counts, and its kernel."""

from __future__ import annotations

import gzip
import os
import random
import re
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from consortium.support.errors import ConsortiumError, InputError
from consortium.support.jit import plain
from consortium.workloads import Log, read_log, read_swf, replayable, swf, write_swf
from consortium.workloads.reading import whole_lines
from consortium.workloads.swf import HEADER_MAX, parse_swf

TRACES = os.environ.get("CONSORTIUM_TRACES", "")
needs_logs = pytest.mark.skipif(not TRACES, reason="CONSORTIUM_TRACES names no folder of real logs")
USED = {
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


def line(job: int, submit: int, run: int, processors: int = 1, user: int = 1, **other: object) -> str:
    fields = dict(enumerate([job, submit, -1, run, processors, -1, -1, -1, -1, -1, 1, user, *[-1] * 6], start=1))
    fields.update({int(key[1:]): value for key, value in other.items()})  # f15=2 is field 15
    return " ".join(str(fields[i]) for i in range(1, 19))


def parse(text: str, name: str = "tiny.swf") -> Log:
    return parse_swf([text.encode()], name)


def reasons(log: Log) -> dict[str, tuple[int, tuple[int, ...]]]:
    return {entry.reason: (entry.count, entry.examples) for entry in log.report.skipped}


def test_irregular_blanks_tabs_carriage_returns_and_blank_lines() -> None:
    text = (
        "\n   1\t0  -1\t60 2 1.5 -1   4 90 -1 1 7 3 -1 5 6 -1 -1   \r\n\n"
        "2 10 5 61 -1 -1 -1 8 -1 -1 5 12702668417572 -1 -1 -1 -1 -1 -1"
    )
    log = parse(text)
    assert log.job.tolist() == [1, 2]
    assert log.run.tolist() == [60, 61]
    assert log.processors.tolist() == [2, 8]  # allocated, else requested
    assert log.user.tolist() == [7, 12702668417572]
    assert [log.column(c)[0] for c in ("wait", "limit", "status", "group", "queue", "partition")] == [
        -1,
        90,
        1,
        3,
        5,
        6,
    ]
    assert log.report.skipped == ()
    assert log.report.notes == ("the last line does not end with a newline; the file may be cut",)


def test_header_keys_repeat_pad_and_may_be_prose() -> None:
    text = f""";   Computer: Big   one
;Installation: Here
; Installation: and there\t
;              http://example.org/not-a-key
; Note: a: b
; MaxNodes: 70  (dual)
; Queue: 3 long jobs
; Queue: 4 0
; Acknowledge: Ann
;
; Information: http://www.cs.huji.ac.il/labs/parallel/workload/l_here.html
{line(1, 0, 5, f15=3)}
; Late: comment
{line(2, 1, 5)}
"""
    log = parse(text)
    assert log.header["Installation"] == ("Here", "and there")
    assert log.header["Note"] == ("a: b",)
    assert log.header["Late"] == ("comment",)
    assert "http" not in log.header
    assert log.max_processors() == 70
    assert log.label("queue", 3) == "long jobs"
    assert log.label("queue", 4) == "queue 4"
    assert log.label("user", -1) == "unknown user"
    assert len(log) == 2
    assert log.source == (
        "tiny.swf; Big one; Here; provided by Ann; "
        "Parallel Workloads Archive (https://www.cs.huji.ac.il/labs/parallel/workload/)"
    )


def test_ill_formed_lines_are_counted_with_their_numbers() -> None:
    good = [line(i, i, 5) for i in range(1, 12)]
    bad = {
        2: "1 2 3",
        4: line(20, 0, 5, f7="abc"),
        5: line(21, 0, 5, f4="12.5"),
        6: line(22, 0, 5, f4="1" * 19),
        7: line(23, 0, 5) + " 9",
        8: line(24, 0, 5, f6="1.2.3"),
        9: line(25, 0, 5, f6="--1"),
        10: line(26, 0, 5, f6="-"),
        11: line(27, 0, 5, f6="1-2"),
        12: line(28, 0, 5, f6="."),
        13: "7",
    }
    lines = [bad.get(n) or good.pop() for n in range(1, 23)]
    log = parse("\n".join(lines) + "\n")
    assert len(log) == 11
    assert reasons(log) == {
        "found 1 field, expected 18": (1, (13,)),
        "found 3 fields, expected 18": (1, (2,)),
        "found 19 fields, expected 18": (1, (7,)),
        "a field is not a number": (6, (4, 8, 9, 10, 11)),
        "a whole number has more than 18 digits": (1, (6,)),
        "a field that must be whole has a fraction": (1, (5,)),
    }


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("12.00", 12),
        ("-1.0", -1),
        ("+7", 7),
        ("0000000000000000000012", 12),
        ("9" * 18, 10**18 - 1),
        (".0", 0),
        ("5.", 5),
    ],
)
def test_whole_numbers_in_odd_dress(text: str, value: int) -> None:
    assert parse(line(1, 0, 5, f9=text) + "\n").column("limit").tolist() == [value]


def test_jobs_without_a_number_are_not_repetitions() -> None:
    assert len(parse(f"{line(-1, 0, 5)}\n{line(-1, 1, 5)}\n")) == 2


def test_a_plain_file_cut_in_a_line_is_a_counted_skip(tmp_path: Path) -> None:
    text = "; MaxRecords: 3\n" + "\n".join(line(i, i, 77) for i in range(1, 4))
    path = tmp_path / "cut.swf"
    path.write_text(text[:-4])
    log = read_log(path)
    assert log.job.tolist() == [1, 2]
    assert reasons(log) == {"found 17 fields, expected 18": (1, (4,))}
    assert any(note.startswith("the header announces 3 records, the file has ") for note in log.report.notes)
    assert any("may be cut" in note for note in log.report.notes)


def test_blocks_of_any_size_read_the_same() -> None:
    text = "; A: b\n" + "\n".join(line(i, i, i + 1, user=i * 10**12, f6="1.25") for i in range(1, 40)) + "\nbad line\n"
    whole = parse(text)
    data = text.encode()
    for size in (1, 7, 64, 500):
        parts = whole_lines(data[i : i + size] for i in range(0, len(data), size))
        log = parse_swf(parts, "tiny.swf")
        assert all((log.column(c) == whole.column(c)).all() for c in USED)
        assert log.report == whole.report
        assert log.header == whole.header


def plain_reader(text: str) -> list[dict[str, int]]:
    """The format in ten lines, slowly."""
    jobs: dict[int, dict[str, int]] = {}
    for row in text.split("\n"):
        fields = row.split()
        if not fields or fields[0].startswith(";") or len(fields) != 18:
            continue
        try:
            values = [float(field) for field in fields]
        except ValueError:
            continue
        key = int(values[0]) if values[0] >= 0 else -1 - len(jobs)
        jobs.setdefault(key, {name: int(values[i - 1]) for name, i in USED.items()})
    return list(jobs.values())


@settings(deadline=None, max_examples=200)
@given(st.randoms(use_true_random=False), st.integers(2, 8))
def test_random_logs_equal_the_plain_reader(rng: random.Random, n_lines: int) -> None:
    rows = []
    for _ in range(n_lines):
        n = rng.choice([18, 18, 18, 18, 17, 19])
        fields = [
            str(rng.choice([-1, 0, rng.randrange(10), rng.randrange(10**9), rng.randrange(10**15)])) for _ in range(n)
        ]
        fields[5] = rng.choice(["-1", "3.75", "0.5", "12"])
        gaps = [rng.choice([" ", "  ", "\t", " \t "]) for _ in range(n)]
        rows.append("".join(a + b for a, b in zip(gaps, fields, strict=True)) + rng.choice(["", " ", "\r"]))
    text = "\n".join(rows)
    expected = plain_reader(text)
    if sum(len(row.split()) != 18 for row in rows) > len(expected) or not expected:
        with pytest.raises(InputError):
            parse(text)
        return
    log = parse(text)
    assert [{name: int(log.column(name)[i]) for name in USED} for i in range(len(log))] == expected


@settings(deadline=None, max_examples=300)
@given(
    st.one_of(
        st.binary(max_size=300),
        st.text(alphabet="0123456789-+.; \t\n|eE", max_size=400).map(str.encode),
        st.lists(
            st.lists(st.sampled_from(["1", "-1", "+", "-", ".", "1.5", "9" * 30, "x", "٣"]), min_size=16, max_size=19),
            max_size=5,
        ).map(lambda rows: "\n".join(" ".join(row) for row in rows).encode()),
    ),
    st.sampled_from(["plain", "gzip", "cut"]),
)
def test_no_input_ends_in_a_traceback(tmp_path_factory: pytest.TempPathFactory, content: bytes, how: str) -> None:
    path = tmp_path_factory.getbasetemp() / "fuzz.swf"
    data = content if how == "plain" else gzip.compress(content)
    path.write_bytes(data[: len(data) - 5] if how == "cut" else data)
    try:
        log = read_log(path)
    except ConsortiumError as error:
        named = "fuzz.swf" in str(error)
        assert named  # both outcomes are right; an error must name the file
        return
    assert len(log) > 0
    assert (log.run > 0).all()
    assert (log.processors > 0).all()
    assert (np.diff(log.submit) >= 0).all()


PUBLISHED = {
    "LPC-EGEE-2004-1.2-cln.swf.gz": (234_889, 55, 8, 140, 100.0, 239, 214_322),
    "RICC-2010-2.swf.gz": (447_794, 176, 121, 8192, 77.3, 153, 447_784),
    "LCG-2005-1.swf.gz": (188_041, 216, 28, 24_515, 100.0, 11, 187_520),
    "METACENTRUM-2009-2.swf.gz": (103_656, 147, 0, None, 85.9, 172, 99_944),
    "OSC-Clust-2000-3.1-cln.swf.gz": (36_097, 253, 90, 178, 74.6, 677, 35_592),
    "HPC2N-2002-2.2-cln.swf.gz": (202_871, 257, 3, 240, 42.1, 1264, 202_871),
    "KTH-SP2-1996-2.1-cln.swf.gz": (28_476, 214, 252, 100, 32.9, 333, 28_467),
    "SDSC-SP2-1998-4.2-cln.swf.gz": (59_715, 437, 158, 128, 21.9, 729, 54_034),
    "LLNL-Thunder-2007-1.1-cln.swf.gz": (121_039, 283, 0, 4008, 0.0, 150, 113_613),
    "UniLu-Gaia-2014-1.swf.gz": (51_987, 84, 84, 2004, 36.1, 89, 51_859),
    "NASA-iPSC-1993-3.1-cln.swf.gz": (18_239, 69, 2, 128, 27.1, 92, 18_066),
    "Mira-2018.swf.gz": (22_508, 160, 0, 49_152, 0.2, 126, 22_508),
    "lublin_256.swf.gz": (10_000, 0, 0, 256, 24.9, 89, 10_000),
}


@needs_logs
@pytest.mark.parametrize("name", PUBLISHED)
def test_real_logs(name: str) -> None:
    """Jobs, users, groups, processors, share of sequential jobs, days of submissions; jobs that can be replayed."""
    path = Path(TRACES) / name
    if not path.exists():
        pytest.skip(f"{name} is not in {TRACES}")
    log = read_swf(path)
    submit = log.submit[log.submit >= 0]
    found = (
        len(log),
        np.unique(log.user[log.user >= 0]).size,
        np.unique(log.group[log.group >= 0]).size,
        log.max_processors(),
        round(100 * float((log.processors == 1).mean()), 1),
        round(int(submit.max() - submit.min()) / 86_400),
        len(replayable(log)),
    )
    assert found == PUBLISHED[name]
    assert not log.report.skipped


def test_headers_end() -> None:
    few = "; Note: x\n" * HEADER_MAX + line(1, 0, 1)
    assert len(parse(few).header["Note"]) == HEADER_MAX
    with pytest.raises(InputError, match=r"tiny.swf: more than 100,000 lines of header"):
        parse("; Note: x\n" + few)
    assert len(parse("; no key\n" * (HEADER_MAX + 1) + line(1, 0, 1))) == 1


def test_a_number_that_is_too_long_hides_no_other() -> None:
    log = parse("\n".join((line(1, 0, "9" * 90), line(2, 5, "61.0"), line(3, 6, "62.5e0"), line(4, 7, 63))))  # type: ignore[arg-type]
    assert log.job.tolist() == [2, 4]
    assert log.run.tolist() == [61, 63]


def donor() -> Log:
    rng, n, users = np.random.default_rng(11), 3_000, 12
    columns = {
        "job": np.arange(1, n + 1),
        "submit": np.sort(rng.integers(0, 70 * 86_400, n)) + 5_000,
        "run": rng.integers(1, 60_000, n),
        "allocated": 2 ** rng.integers(0, 6, n),
        "user": rng.choice(users, n, p=np.arange(1, users + 1) / (users * (users + 1) / 2)),
    }
    return Log(columns, name="donor.swf", header={"MaxProcs": ("128",), "Acknowledge": ("Ann",)})


@pytest.mark.parametrize("name", ["copy.swf", "copy.swf.gz"])
def test_written_logs_read_back(tmp_path: Path, name: str) -> None:
    log = donor()
    write_swf(log, tmp_path / name)
    back = read_swf(tmp_path / name)
    for column in ("job", "submit", "wait", "run", "allocated", "requested", "user", "group", "queue"):
        assert np.array_equal(back.column(column), log.column(column))
    assert dict(back.header) == dict(log.header)
    assert not back.report.skipped
    assert len(read_log(tmp_path / name)) == len(log)


# --- the kernel that reads lines, interpreted and compiled, beside the format written down line by line ---------------

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


def test_job_numbers_that_go_back_are_told_apart() -> None:
    rest = b" 5 -1 1 1 -1 -1 -1 -1 -1 1 1 1 -1 -1 -1 -1 -1\n"
    log = parse_swf([b"".join(number + rest for number in (b"2", b"1", b"-1", b"2", b"-1", b"300"))])
    assert log.job.tolist() == [2, 1, -1, -1, 300]
    assert [(entry.reason, entry.count, entry.examples) for entry in log.report.skipped] == [
        ("job number seen before", 1, (4,))
    ]
