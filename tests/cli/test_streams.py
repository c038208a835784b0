"""What the machine does to the streams of a command: full, closed, left by their reader, in another encoding."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from consortium.cli.app import ended

ROOT = Path(__file__).resolve().parent.parent.parent
NAMED = """
format = 1
kind = "declaration"
title = "Zoë and 李"
[cluster]
powers = [1]
[[agents]]
name = "Zoë"
length = 2
[[agents]]
name = "李"
length = 1
[mechanism]
rule = "light-vcg"
"""
LINE = "{} {} 0 {} 1 -1 -1 1 -1 -1 1 {} 1 -1 1 -1 -1 -1\n"

COMMANDS = (
    (0, "--help"),
    (0, "--version"),
    (0, "run --help"),
    (0, "run named.toml"),
    (0, "run named.toml --json"),
    (0, "run named.toml --dry-run"),
    (1, "verify named.toml --json"),
    (0, "search agmon2003/5.2.1"),
    (0, "curve agmon2003/5.2.1 ann"),
    (0, "compare agmon2003/5.2.1 --rules harsh,light-vcg"),
    (0, "check agmon2003/5.4.1"),
    (0, "scenarios declaration"),
    (0, "scenarios --json"),
    (0, "schema declaration"),
    (0, "import log.swf --kind sharing --machines 3 --organizations 2"),
    (0, "audit log.swf --machines 3 --organizations 2 --rules fifo --processes 1 --duration 100"),
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "named.toml").write_text(NAMED, encoding="utf-8")
    (tmp_path / "log.swf").write_text("".join(LINE.format(j, 3 * j, 5 + j % 7, j % 4) for j in range(1, 80)))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@contextmanager
def streams(out: io.TextIOWrapper | None, err: io.TextIOWrapper | None) -> Iterator[None]:
    """Other streams of this process, as a shell would have opened them."""
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = out, err  # type: ignore[assignment]  # None where a stream is closed
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before
        for stream in (out, err):
            if stream is not None:
                stream.detach()  # or what lies behind is closed with it


def text(raw: io.RawIOBase, encoding: str = "utf-8") -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BufferedWriter(raw), encoding=encoding)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
@pytest.mark.parametrize(("code", "words"), COMMANDS, ids=str)
def test_a_full_device_is_told_in_one_sentence(folder: Path, code: int, words: str) -> None:
    errors = io.BytesIO()
    with open("/dev/full", "wb", buffering=0) as full:  # noqa: SIM117
        with streams(text(full), io.TextIOWrapper(errors, encoding="utf-8")):
            assert ended(words.split()) == 2
    said = errors.getvalue().decode().strip().splitlines()
    assert said[-1] == "error: standard output: cannot be written (No space left on device)"
    assert "Traceback" not in errors.getvalue().decode()


@pytest.mark.parametrize(("code", "words"), COMMANDS, ids=str)
def test_a_reader_who_leaves_ends_it_silently_with_the_code_of_the_answer(folder: Path, code: int, words: str) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    errors = io.BytesIO()
    with open(writer, "wb", buffering=0) as left:  # noqa: SIM117
        with streams(text(left), io.TextIOWrapper(errors, encoding="utf-8")):
            assert ended(words.split()) == code
    said = errors.getvalue().decode()
    assert said == "" or words.startswith("import"), said


def test_files_asked_for_are_written_though_the_reader_left(folder: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with open(writer, "wb", buffering=0) as left, streams(text(left), text(io.FileIO(os.devnull, "w"))):
        assert ended(["run", "named.toml", "--plot", "drawn.svg"]) == 0
    assert (folder / "drawn.svg").read_text().startswith("<?xml")


@pytest.mark.parametrize("closed", ["out", "both"])
def test_a_closed_stream_is_refused_before_any_work(folder: Path, closed: str) -> None:
    """A file opened later would take its number, and what others print would go there."""
    out, err = io.BytesIO(), io.BytesIO()
    with streams(
        None if closed in ("out", "both") else io.TextIOWrapper(out, encoding="utf-8"),
        None if closed in ("err", "both") else io.TextIOWrapper(err, encoding="utf-8"),
    ):
        assert ended(["run", "named.toml", "--plot", "drawn.svg"]) == 2
        if sys.stderr is not None:
            sys.stderr.flush()
    assert not (folder / "drawn.svg").exists()
    assert out.getvalue() == b""
    assert err.getvalue().startswith(b"error: standard output: is closed") == (closed == "out")


def test_a_closed_standard_error_keeps_no_answer_back(folder: Path) -> None:
    out = io.BytesIO()
    with streams(io.TextIOWrapper(out, encoding="utf-8"), None):
        assert ended(["run", "named.toml", "--plot", "drawn.svg"]) == 0
    assert "Zoë" in out.getvalue().decode()
    assert (folder / "drawn.svg").exists()


SHELL = [
    ("run named.toml >/dev/full", 2),
    ("run named.toml >&-", 2),
    ("run named.toml 2>&-", 0),
    ("run nothing.toml 2>&-", 2),
    ("run named.toml >&- 2>&-", 2),
    ("run nothing.toml 2>/dev/full", 2),
    ("scenarios --json | head -c 1", 0),
    ("verify named.toml --json | head -c 1", 1),
]


@pytest.mark.parametrize(("words", "code"), SHELL)
def test_streams_of_a_shell(folder: Path, words: str, code: int) -> None:
    """Real processes; 120 is what Python makes of a stream that fails once more while it ends."""
    line = f"{sys.executable} -m consortium {words}; exit ${{PIPESTATUS[0]}}"
    environment = os.environ | {"PYTHONPATH": str(ROOT / ".types")}
    done = subprocess.run(["bash", "-c", line], capture_output=True, cwd=folder, env=environment, check=False)
    assert done.returncode == code, done.stderr
    assert b"Traceback" not in done.stderr
    assert b"Exception ignored" not in done.stderr


def decoded(words: list[str], encoding: str) -> tuple[int, str, str]:
    out, err = io.BytesIO(), io.BytesIO()
    with streams(io.TextIOWrapper(out, encoding=encoding), io.TextIOWrapper(err, encoding=encoding)):
        code = ended(words)
    return code, out.getvalue().decode(encoding), err.getvalue().decode(encoding)


def test_names_that_the_output_cannot_hold_are_escaped(folder: Path) -> None:
    code, out, _ = decoded(["run", "named.toml"], "ascii")
    assert code == 0
    assert "Zo\\xeb" in out
    assert "\\u674e" in out
    assert "Zoë" in decoded(["run", "named.toml"], "utf-8")[1]


def test_json_stays_json_whatever_the_output_can_hold(folder: Path) -> None:
    ascii_only, full = (decoded(["run", "named.toml", "--json"], encoding) for encoding in ("ascii", "utf-8"))
    assert json.loads(ascii_only[1]) == json.loads(full[1])
    assert "Zoë" in full[1]


@pytest.mark.parametrize("words", ["run {}", "check {}", "import {} --kind sharing", "audit {}"])
def test_file_names_that_are_no_text(folder: Path, words: str) -> None:
    """A name in another encoding reaches us with lone surrogates, which no output can hold."""
    name = os.fsdecode(b"caf\xe9.toml")
    code, out, err = decoded(words.format(name).split(), "utf-8")
    assert (code, out) == (2, "")
    assert "caf\\udce9.toml" in err


@pytest.mark.parametrize(
    "words",
    [
        "run named.toml --plot {}.svg",
        "import log.swf --kind declaration --agents 2 -o {}.toml",
        "compare pool.toml --rules fifo --store {}",
    ],
)
@pytest.mark.parametrize("place", ["nowhere/file", "full", "log.swf/file", "name\udce9"])
def test_files_that_cannot_be_written(folder: Path, words: str, place: str) -> None:
    """Or can, under a name that is no text: never a traceback, and the sentence names the file."""
    (folder / "pool.toml").write_text(
        'format = 1\nkind = "sharing"\n[mechanism]\nrule = "ref"\n[trace]\nfile = "log.swf"\nduration = 50\n'
        "windows = 2\norganizations = 2\nmachines = 2\n"
    )
    for suffix in ("", ".svg", ".toml"):
        (folder / f"full{suffix}").symlink_to("/dev/full")
    code, _, err = decoded(words.format(place).split(), "utf-8")
    if place.startswith("name"):
        assert code == 0, err
        return
    assert code == 2
    assert place.partition("/")[0] in err
    assert "Traceback" not in err
