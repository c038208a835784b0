"""The SWF reader: every quirk by hand, every kind of damage, a plain second reader, and the published logs' counts."""

from __future__ import annotations

import gzip
import os
import random
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from consortium.support.errors import ConsortiumError, InputError, UnknownNameError
from consortium.workloads import Log, by_column, read_log, read_swf, replayable, write_swf
from consortium.workloads.reading import BLOCK, LINE_MAX, blocks, whole_lines
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


@pytest.mark.parametrize(
    ("maximum", "found"),
    [("; MaxProcs: 140", 140), ("; MaxProcs: unknown\n; MaxNodes: 9", 9), ("; MaxProcs: 0", None), ("", None)],
)
def test_machine_size(maximum: str, found: int | None) -> None:
    assert parse(f"{maximum}\n{line(1, 0, 1)}\n").max_processors() == found


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


def test_what_can_be_replayed() -> None:
    text = "\n".join(
        [
            line(1, 9, 5, 2),
            line(2, 3, -1, 0, -1),
            line(3, 4, 0),
            line(4, -1, 7),
            line(5, 4, -7),
            line(6, 4, 7, -1),
            line(7, 4, 7, -1, f8=3),
            line(8, 9, 8, f11=5),
            line(8, 9, 3, f11=2),
        ]
    )
    log = parse(text + "\n")
    ready = replayable(log)
    assert ready.job.tolist() == [7, 1, 8]  # sorted by submission, equal moments as in the file; cancelled jobs ran
    assert ready.processors.tolist() == [3, 2, 1]
    assert reasons(ready) == {
        "job number seen before": (1, (9,)),
        "never ran (run time -1)": (1, (2,)),
        "negative run time": (1, (5,)),
        "run time 0": (1, (3,)),
        "negative submission time": (1, (4,)),
        "number of processors unknown": (1, (6,)),
    }
    assert (ready.report.read, ready.report.kept) == (8, 3)
    assert ready.report.notes[0].startswith("submissions were not in order in 1 places")
    counted = replayable(log, zero="one")
    assert counted.job.tolist() == [3, 7, 1, 8]
    assert counted.run[0] == 1
    assert "run time 0 counted as 1 second in 1 jobs" in counted.report.notes
    with pytest.raises(UnknownNameError, match="zero"):
        replayable(log, zero="two")  # type: ignore[arg-type]


def test_jobs_without_a_number_are_not_repetitions() -> None:
    assert len(parse(f"{line(-1, 0, 5)}\n{line(-1, 1, 5)}\n")) == 2


def test_columns_cannot_be_written() -> None:
    log = parse(line(1, 0, 5) + "\n")
    with pytest.raises(ValueError, match="read-only"):
        log.run[0] = 3
    with pytest.raises(UnknownNameError, match="Did you mean 'run'"):
        log.column("runs")
    with pytest.raises(InputError, match="one length"):
        Log(columns={"run": [1], "submit": [1, 2]})


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "empty"),
        (b" \n\n", "empty"),
        (b"; Computer: none\n", "no job in it"),
        (b"PK\x03\x04xxxx", "zip"),
        (b"BZh91AY", "bzip2"),
        (b"1 2 3\n\0\0\0\n", "binary"),
        (b"\xff\xfe\x01\x80junk\n" * 9, "9 ill-formed lines and 0 jobs"),
        (b"# A title\n\nsome prose here\n", "expected the Standard Workload Format"),
        ((line(1, 0, 5) + "\nx\ny\n").encode(), "2 ill-formed lines and 1 jobs"),
        ((line(1, 0, -1) + "\n" + line(2, 0, 0) + "\n").encode(), "no job can be replayed"),
        (gzip.compress(b"1 2 3 " * 10_000, mtime=0)[:60], "damaged gzip"),
        (gzip.compress(b"x", mtime=0)[:-3], "damaged gzip"),
        (b"\x1f\x8bnot really gzip", "damaged gzip"),
        (b"JobID   User  Elapsed\n", "use sacct -P"),
    ],
)
def test_files_that_are_no_log(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "odd.swf"
    path.write_bytes(content)
    with pytest.raises(InputError, match=message):
        read_log(path)


def test_a_gzip_cut_in_half_is_an_error_not_half_an_answer(tmp_path: Path) -> None:
    rng = random.Random(1)
    text = "\n".join(line(i, i, rng.randrange(1, 10**6)) for i in range(5_000)) + "\n"
    whole = gzip.compress(text.encode())
    (tmp_path / "whole.swf.gz").write_bytes(whole)
    (tmp_path / "half.swf.gz").write_bytes(whole[: len(whole) // 2])
    damaged = bytearray(whole)
    damaged[len(whole) // 2] ^= 0xFF
    (tmp_path / "damaged.swf.gz").write_bytes(bytes(damaged))
    assert len(read_log(tmp_path / "whole.swf.gz")) == 5_000
    for name in ("half", "damaged"):
        with pytest.raises(InputError, match="damaged gzip"):
            read_log(tmp_path / f"{name}.swf.gz")


@pytest.mark.parametrize("size", [100, 1 << 20])
def test_a_gzip_may_have_several_members_and_zeros_behind_them(tmp_path: Path, size: int) -> None:
    parts = [line(i, i, 7).encode() + b"\n" for i in range(20)] + [b"", b";" * 300_000 + b"\n"]
    path = tmp_path / "members.swf.gz"
    path.write_bytes(b"".join(map(gzip.compress, parts)) + b"\0" * 300_000)
    found = list(blocks(path, size))
    assert all(len(block) <= size for block in found)
    assert b"".join(found) == b"".join(parts)
    assert len(read_log(path)) == 20
    path.write_bytes(path.read_bytes() + b"more")
    with pytest.raises(InputError, match="damaged gzip"):
        read_log(path)


def test_a_plain_file_cut_in_a_line_is_a_counted_skip(tmp_path: Path) -> None:
    text = "; MaxRecords: 3\n" + "\n".join(line(i, i, 77) for i in range(1, 4))
    path = tmp_path / "cut.swf"
    path.write_text(text[:-4])
    log = read_log(path)
    assert log.job.tolist() == [1, 2]
    assert reasons(log) == {"found 17 fields, expected 18": (1, (4,))}
    assert any(note.startswith("the header announces 3 records, the file has ") for note in log.report.notes)
    assert any("may be cut" in note for note in log.report.notes)


def test_lookup(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "site.swf").write_text("\ufeff" + line(1, 0, 5) + "\n", encoding="utf-8")
    monkeypatch.delenv("CONSORTIUM_TRACES", raising=False)
    with pytest.raises(InputError, match=r"not found; tried .*CONSORTIUM_TRACES"):
        read_log("site.swf", folder=tmp_path / "a")
    monkeypatch.setenv("CONSORTIUM_TRACES", os.pathsep.join([str(tmp_path / "missing"), str(tmp_path / "b")]))
    assert len(read_log("site.swf", folder=tmp_path / "a")) == 1
    with pytest.raises(InputError, match=r"Did you mean 'site\.swf'"):
        read_log("sit.swf", folder=tmp_path / "a")
    with pytest.raises(InputError, match="is a directory"):
        read_log(tmp_path / "a")
    with pytest.raises(InputError, match="site"):
        read_log("site" * 2000)
    with pytest.raises(InputError, match="not found"):
        read_log("si\0te.swf")


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


# --- what never ends ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("byte", [b"\0", b"1", b"|", b";"])
@pytest.mark.parametrize("name", ["bomb.swf.gz", "bomb.swf"])
def test_an_endless_line_is_refused_before_it_fills_the_memory(tmp_path: Path, name: str, byte: bytes) -> None:
    """64 MB in one line, packed to a thousandth or not: what is held stays a few blocks."""
    path, block = tmp_path / name, byte * (1 << 20)
    with gzip.open(path, "wb", compresslevel=1) if name.endswith(".gz") else path.open("wb") as file:
        file.write(b"; Version: 2\n" + line(1, 0, 1).encode() + b"\n")
        for _ in range(64 if name.endswith(".gz") else 4):
            file.write(block)
    tracemalloc.start()
    try:
        with pytest.raises(InputError) as told:
            read_log(path)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert str(told.value) == f"{name}: line 3 is longer than 1,048,576 bytes; expected a log, with one job in a line"
    assert peak < 40 << 20


def test_an_endless_stream_is_left_at_once() -> None:
    """Nothing is read behind the block that makes a line too long."""
    taken: list[int] = []

    def endless(*text: bytes) -> Iterator[bytes]:
        yield from text
        while True:
            taken.append(1)
            yield b"1"

    for number, text in ((1, [b"1" * BLOCK]), (2, [b"\n", b"1" * BLOCK]), (1, [b"ab" * BLOCK + b"\n"])):
        taken.clear()
        with pytest.raises(InputError, match=f"^tiny: line {number} is longer"):
            list(whole_lines(endless(*text), "tiny"))
        assert len(taken) <= 1


def test_the_longest_line_that_is_read() -> None:
    widest = b"1" * LINE_MAX
    assert list(whole_lines([widest, b"\n", widest])) == [widest + b"\n", widest]
    with pytest.raises(InputError, match="line 2 is longer"):
        list(whole_lines([b"\n", widest, b"1\n"]))


def test_headers_end() -> None:
    few = "; Note: x\n" * HEADER_MAX + line(1, 0, 1)
    assert len(parse(few).header["Note"]) == HEADER_MAX
    with pytest.raises(InputError, match=r"tiny.swf: more than 100,000 lines of header"):
        parse("; Note: x\n" + few)
    assert len(parse("; no key\n" * (HEADER_MAX + 1) + line(1, 0, 1))) == 1


# --- large numbers --------------------------------------------------------------------------------------------------


def test_sums_over_a_log_of_large_numbers_are_exact() -> None:
    """18 digits are read; the sum of ten of them leaves int64, and floats would tie what differs by one."""
    most = 10**18 - 1
    log = Log({"submit": [0] * 12, "wait": [0] * 12, "run": [1] * 12, "allocated": [most] * 12, "group": [0] * 12})
    assert log.peak_processors() == 12 * most
    runs = [2**60, 1, 2**60, 2]
    ranked = Log({"submit": range(4), "run": runs, "allocated": [1] * 4, "group": [0, 0, 1, 1]})
    assert by_column(ranked, "group").names == ("group 1", "group 0")
    heavy = Log(
        {"submit": range(4), "run": [most] * 4, "allocated": [most, most - 1, most, most], "group": [0, 0, 1, 1]}
    )
    assert by_column(heavy, "group").names == ("group 1", "group 0")


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
