"""A log on disk, for commands and functions that take a path."""

from __future__ import annotations

from pathlib import Path

import pytest

from consortium.workloads import write_swf

from .logs import busy_log


@pytest.fixture
def log_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write_swf(busy_log(), tmp_path / "busy.swf")
    monkeypatch.chdir(tmp_path)
    return tmp_path


LINE = "{job} {submit} 0 {run} {procs} -1 -1 {procs} -1 -1 1 {user} {group} -1 -1 -1 -1 -1\n"


@pytest.fixture
def traced(tmp_path):
    """A scenario in a folder of its own with a small log beside it."""
    lines = [
        LINE.format(job=i + 1, submit=3 * i, run=1 + 7 * i % 11, procs=1 + i % 2, user=i % 4, group=i % 3)
        for i in range(40)
    ]
    (tmp_path / "log.swf").write_text("; MaxProcs: 3\n" + "".join(lines))
    path = tmp_path / "scenario.toml"
    path.write_text(
        'format = 1\nkind = "sharing"\nseed = 3\n[trace]\nfile = "log.swf"\nduration = 60\nwindows = 3\n'
        'organizations = 3\nshares = "equal"\n[mechanism]\nrule = "fair-share"\n'
    )
    return path
