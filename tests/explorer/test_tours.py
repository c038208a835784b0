"""Every step of every guided tour shows what it says, and its verbs are those of the page."""

from __future__ import annotations

import pytest

import consortium
from consortium.explorer.tours import Step, tours, view_of

STEPS = [pytest.param(step, id=f"{title} {i}") for title, steps in tours().items() for i, step in enumerate(steps, 1)]


@pytest.mark.parametrize("step", STEPS)
def test_a_step_says_what_happens(step: Step) -> None:
    assert set(step) <= {"scenario", "changes", "text", "expect"}
    assert len(step["text"]) <= 200
    view = view_of(step)
    assert view.saved, "the command on the page shows the same"
    rows = consortium.check([{**view.scenario.to_dict(), "expect": step["expect"]}])
    assert rows
    assert [f"{verb} {c.key}: expected {c.expected}, found {c.actual}" for _, verb, c in rows if not c.holds] == []
