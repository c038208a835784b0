"""Finding and opening logs: where they are looked up, and every kind of damage to a file."""

from __future__ import annotations

import gzip
import os
import random
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import pytest

from consortium.support.errors import InputError
from consortium.workloads import read_log
from consortium.workloads.reading import BLOCK, LINE_MAX, blocks, whole_lines

from .test_swf import line


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
