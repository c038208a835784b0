"""The page of least rents shows what `design` answers."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[3]
RENTS: dict[str, Any] = runpy.run_path(str(ROOT / "docs" / "published" / "least_rents.py"))


@pytest.mark.parametrize("part", [0, *(pytest.param(part, marks=pytest.mark.exhaustive) for part in range(1, 8))])
def test_the_page_has_the_least_rents(part: int) -> None:
    page = RENTS["PAGE"].read_text()
    scenarios = list(RENTS["scenarios"]())
    assert len(scenarios) > 50
    for scenario in scenarios[part::8]:
        line = RENTS["row"](scenario)
        assert line is None or f"| {' | '.join(line)} |" in page


def test_only_the_table_is_written_anew() -> None:
    page = RENTS["PAGE"].read_text()
    lines = [tuple(line.strip("| ").split(" | ")) for line in page.splitlines() if line.startswith("| ")]
    assert RENTS["page"](lines[2:]) == page
