"""Nothing that a scenario or a record says writes, connects, imports or starts anything: Python's own audit listens."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import consortium
from consortium.mechanisms.kinds import KINDS
from consortium.scenarios.reader import load, shipped
from consortium.support.loading import load as load_reference
from consortium.verbs.options import flag_of

from .breaking import toml_file

ROOT = Path(__file__).resolve().parents[2]
LISTENER = """
import contextlib, io, os, sys
from consortium.cli.app import ended

HEARD = ("subprocess.", "socket.connect", "socket.bind", "os.exec", "os.fork", "os.posix_spawn", "os.spawn",
         "os.system",
         "os.remove", "os.rename", "os.rmdir", "os.mkdir", "os.truncate", "os.link", "os.symlink", "shutil.", "pty.",
         "webbrowser", "ftplib", "smtplib", "http", "urllib")
CACHES = ("__pycache__", "numba", "matplotlib", "consortium-cache", "fontconfig")
heard = []

def listen(event, arguments):
    told = str(arguments)
    if event == "import" and arguments[0].split(".")[0] in ("hostile", "antigravity"):
        heard.append((event, told))
    elif event == "open" and isinstance(arguments[2], int) and arguments[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
        if not any(cache in told for cache in CACHES) and arguments[0] != os.devnull:
            heard.append((event, told))
    elif event.startswith(HEARD) and not any(cache in told for cache in CACHES):
        heard.append((event, told))

sys.addaudithook(listen)
codes = []
for line in sys.stdin.read().splitlines():
    sys.argv = ["consortium", *line.split()]
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        try:
            sys.exit(ended(sys.argv[1:]))
        except SystemExit as ending:
            codes.append(ending.code)
print(heard, codes)
"""
HOSTILE = {
    "store": "written.jsonl", "processes": 4, "plot": "written.svg", "output": "written.toml",
    "mechanism": "hostile:Rule",
    "certificate": "written.json.gz", "progress": "hostile:bar", "series": True, "cluster": "127.0.0.1:9",
}  # fmt: skip
REFERENCES = ("hostile:Rule", ".cli.app:entry", "os:system", "antigravity:fly", "hostile", "__import__('hostile')")


@cache
def scenarios() -> dict[str, dict[str, Any]]:
    """One small scenario of every kind."""
    found: dict[str, dict[str, Any]] = {}
    for scenario in (load(name) for name in shipped() if name.startswith("minimal/")):
        found.setdefault(scenario.kind, scenario.to_dict())
    return found


def hostile_scenarios() -> Iterator[tuple[str, dict[str, Any]]]:
    """Commands, and scenarios that say more than a file may."""
    for kind in KINDS:
        plain = {k: v for k, v in scenarios()[kind.name].items() if k != "expect"}
        for verb in kind.verbs:
            if verb.takes == "log":
                continue
            fields = load_reference(verb.options).model_fields
            asked = {name for name, info in fields.items() if "file" not in flag_of(info).doors}
            for name in sorted(asked | set(HOSTILE)):
                options = {name: HOSTILE.get(name, "written")}
                yield "check", {**plain, "expect": {verb.name: {"options": options}}}
        for reference in REFERENCES:
            yield "run", {**plain, "kind": reference}
            yield "run", {**plain, "mechanism": {**plain["mechanism"], "rule": reference}}
            yield "compare", {**plain, "mechanism": {**plain["mechanism"], "utility": reference}}
            yield "run", {**plain, "welfare": {"goal": reference}}
            yield "run", {**plain, "welfare": {"goal": "expression", "expression": reference}}
            yield "check", {**plain, "expect": {"compare": {"options": {"rules": {"mine": reference}}}}}
            yield "check", {**plain, "expect": {"compare": {"options": {"rules": [reference]}}}}
    mechanism = {"rule": "fifo"}
    for file in ("readonly.swf", "/dev/null", "../up.swf", "|touch written", "http://127.0.0.1:9/x.swf", "written.gz"):
        yield "run", {"format": 1, "kind": "sharing", "mechanism": mechanism, "trace": {"file": file, "duration": 9}}


def hostile_records() -> Iterator[dict[str, Any]]:
    """Records whose question or certificates say more than they may."""
    for plain in scenarios().values():
        record = json.loads(json.dumps(consortium.run(plain).to_dict()))
        for name, value in HOSTILE.items():
            asked = {**record.get("request", {}), "options": {name: value}}
            yield {**record, "request": asked}
            yield {**record, "replay": [{**plain, "expect": {"compare": {"options": {name: value}}}}]}
        for reference in REFERENCES:
            yield {**record, "verb": reference}
            yield {**record, "kind": reference}
            yield {**record, "request": {"options": {}, "log": reference}}
            yield {**record, "request": {"options": {}, "game": reference}}
            yield {**record, "request": {"options": {}, "name": "../written", "scenario": {**plain, "kind": reference}}}


@pytest.mark.skipif(not hasattr(sys, "addaudithook"), reason="an interpreter without audit hooks")
@pytest.mark.parametrize("step", [79, pytest.param(1, marks=pytest.mark.exhaustive)])
def test_files_and_records_only_ask(step: int, tmp_path: Path) -> None:
    (tmp_path / "hostile.py").write_text("open('written', 'w').close()\nRule = Goal = KIND = bar = object()\n")
    (tmp_path / "readonly.swf").write_text("; MaxProcs: 2\n1 0 0 5 1 -1 -1 1 -1 -1 1 1 1 -1 1 -1 -1 -1\n")
    commands = []
    for i, (verb, scenario) in enumerate(hostile_scenarios()):
        (tmp_path / f"{i}.toml").write_text(toml_file(scenario))
        commands.append(f"{verb} {i}.toml")
    for i, record in enumerate(hostile_records()):
        (tmp_path / f"{i}.json").write_text(json.dumps(record))
        commands.append(f"replay {i}.json")
    commands = commands[::step]
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    done = subprocess.run(
        [sys.executable, "-c", LISTENER], input="\n".join(commands), text=True, capture_output=True, cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": f"{ROOT / '.types'}{os.pathsep}{tmp_path}", "PYTHONDONTWRITEBYTECODE": "1"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("[] ["), done.stdout
    codes = json.loads(done.stdout.removeprefix("[] ").replace("None", "0"))
    assert len(codes) == len(commands)
    assert set(codes) <= {0, 1, 2}
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_the_listener_hears(tmp_path: Path) -> None:
    """What the test above relies on: a command that may write is heard."""
    (tmp_path / "two.toml").write_text(toml_file(scenarios()["declaration"]))
    done = subprocess.run(
        [sys.executable, "-c", LISTENER], input="run two.toml --jobs-csv written.csv", text=True, capture_output=True,
        cwd=tmp_path, env=os.environ | {"PYTHONPATH": str(ROOT / ".types")},
    )  # fmt: skip
    assert "written.csv" in done.stdout, done.stderr
