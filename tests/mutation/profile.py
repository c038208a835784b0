"""Run test files under the profiler and keep what they call: ``python -m tests.mutation.profile FOLDER FILE...``."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from .calls import Calls, Profiled, digest, write_calls

if __name__ == "__main__":
    folder, *files = sys.argv[1:]
    root = Path.cwd()
    plugin = Calls(root)
    pytest.main(["-q", "--no-header", "--tb=no", "-p", "no:cacheprovider", *files], plugins=[plugin])
    untested = {file: Profiled(digest(root / file), {}) for file in files}
    write_calls(Path(folder) / "new.json", untested | plugin.files)
