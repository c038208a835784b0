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
