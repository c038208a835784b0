"""The sheets of exercises: every question is its solution with question marks, and every solution is on a sheet."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from consortium.scenarios.reader import SHIPPED, shipped

SHEETS = Path(__file__).resolve().parents[2] / "docs" / "teaching"
QUESTION = re.compile(r"^```text\n(format.*?)^```\n.*?^```\{literalinclude\} .*?/(\d\.\d)\.toml$", re.M | re.S)


def questions() -> dict[str, str]:
    """By the name of the solution."""
    text = "".join(page.read_text(encoding="utf-8") for page in sorted(SHEETS.glob("exercises-*.md")))
    return {name: question for question, name in QUESTION.findall(text)}


def test_every_solution_is_on_a_sheet() -> None:
    assert [f"exercises/{name}" for name in questions()] == [n for n in shipped() if n.startswith("exercises/")]


@pytest.mark.parametrize("name", questions())
def test_a_question_is_its_solution_with_question_marks(name: str) -> None:
    question, solution = questions()[name], (SHIPPED / "exercises" / f"{name}.toml").read_text(encoding="utf-8")
    kept = "".join(f"{row}\n" for row in solution.splitlines() if not row.startswith(("#", "title", "source")))
    asked = re.escape(question).replace(re.escape("= ?\n"), r"= .+\n")
    assert "= ?\n" in question
    assert re.fullmatch(asked, kept)
