"""The map of shapes: each answer is a theorem's, or that of a certificate that is checked, and the page shows them."""

from __future__ import annotations

import gzip
import hashlib
import runpy
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from consortium.games.placement.all_lengths import check_shape
from consortium.games.placement.all_lengths.by_theorem import existence
from consortium.games.placement.all_lengths.points import extremes, game_of, least_makespan
from consortium.games.placement.all_lengths.ratio import RuleProgram
from consortium.games.placement.all_lengths.shapes import Shape
from consortium.games.reading import load

ROOT = Path(__file__).resolve().parents[3]
SHAPES: dict[str, Any] = runpy.run_path(str(ROOT / "docs" / "published" / "shapes.py"))
ROWS = SHAPES["lines"]()


@pytest.mark.parametrize("jobs", range(1, 9))
def test_four_organizations_always_have_an_equilibrium(jobs: int) -> None:
    """With up to seven jobs by certificates that are checked here."""
    rows = {tuple(row["jobs"]): row for row in ROWS if row["question"] == "existence"}
    for shape in SHAPES["shapes_of"](4, jobs):
        row = rows[shape]
        assert row["status"] == "proved"
        assert row["theorem"] == existence(Shape(shape))
        if row["theorem"] is None and jobs <= SHAPES["JOBS_KEPT"]:
            file = SHAPES["HERE"] / row["file"]
            assert hashlib.sha256(gzip.decompress(file.read_bytes())).hexdigest() == row["sha256"]
            certificate = load(str(file))
            assert tuple(certificate["jobs"]) == shape
            assert certificate["property"] == "pure-equilibrium"
            assert f"{row['leaves']:,} leaves" in check_shape.check(certificate)


def test_the_page_shows_the_map() -> None:
    assert SHAPES["page"]() == SHAPES["PAGE"].read_text()


def test_every_order_of_jobs_is_asked_once() -> None:
    asked = list(SHAPES["rankings_of"]((2, 2, 1)))
    assert len(asked) == 60
    refuted = [r for r in ROWS if r["question"] == "existence-by-jobs" and r["status"] == "refuted"]
    assert sum(row["jobs"] == [2, 2, 1] for row in refuted) == 20
    assert sum(row["jobs"] == [3, 2, 0] for row in refuted) == 8


@pytest.mark.parametrize("question", ["existence-by-jobs", "anarchy", "stability", "ratio"])
@pytest.mark.parametrize("most", [5, pytest.param(8, marks=pytest.mark.exhaustive)])
def test_games_of_the_map_have_what_it_says(question: str, most: int) -> None:
    """Each is played, up to so many jobs: lengths without equilibrium, with a price, or a ratio."""
    games = [
        row
        for row in ROWS
        if row["question"] == question and row["lengths"] and row["status"] != "open" and sum(row["jobs"]) <= most
    ]
    assert games
    for row in games:
        shape, lengths = Shape(tuple(row["jobs"]), SHAPES["_tuples"](row["ranks"])), row["lengths"]
        flat = np.array([length for each in lengths for length in each], dtype=np.int64)
        worst, best = np.zeros_like(flat), np.zeros_like(flat)
        if question == "ratio":
            largest = least = max(RuleProgram(SHAPES["mechanism"](row["rule"]), shape.jobs).run(flat.tolist()))
        else:
            largest, least, _, _ = extremes(game_of(shape), flat, worst, best)
        if row["status"] == "refuted":
            assert least < 0
        elif row["attained"]:
            made = least if question == "stability" else largest
            assert made == Fraction(row["value"]) * least_makespan(flat, len(lengths)), row
