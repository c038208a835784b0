"""Shipped studies of open questions can be read in both sizes and run; the others need logs of their own."""

from __future__ import annotations

import pytest

import consortium
from consortium.studies import reader

OPEN = [name for name in reader.shipped() if name.startswith("open/")]


@pytest.mark.parametrize("name", OPEN)
def test_shipped_studies_can_be_read_in_both_sizes(name: str) -> None:
    small, large = reader.load(name), reader.load(name, full=True)
    assert small.size < large.size
    assert small.head.source


@pytest.mark.parametrize("name", OPEN)
def test_open_questions_are_asked(name: str) -> None:
    data = {key: value for key, value in reader.load(name).data.items() if key not in ("full", "vary", "together")}
    every = data["replicates"] == "all"
    size = {"work": 2} if every else {"jobs": 1, "longest": 3}
    few = "all" if every else 2
    found = consortium.study(
        {**data, "replicates": few, "family": {**data["family"], "organizations": 2, **size}, "plots": []}
    )
    rows = list(found.store.outcomes())
    assert len(rows) == (5 if every else 2)
    assert all(row.status == "done" and row.measures.get("exists", True) is True for row in rows)
