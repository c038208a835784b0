"""The slips that are made, what they leave alone, and which kernels and tests they concern."""

from __future__ import annotations

import doctest
from pathlib import Path
from textwrap import dedent

import pytest

from . import operators, sample
from .calls import Trial
from .names import Names
from .operators import candidates
from .ranking import ranked


@pytest.mark.parametrize("module", [operators, sample])
def test_examples_run(module: object) -> None:
    assert doctest.testmod(module).failed == 0


@pytest.mark.parametrize(
    ("before", "operator", "after"),
    [
        ("a < b <= c", "comparison", {"a <= b <= c", "a < b < c"}),
        ("(a) == (  # why == here\n    b)", "comparison", {"(a) != (  # why == here"}),
        ("a + b * c // d", "arithmetic", {"a - b * c // d", "a + b // c // d", "a + b * c * d"}),
        ("x += 1", "arithmetic", {"x -= 1"}),
        ("x[0]", "constant", {"x[1]", "x[(-1)]"}),
        ("a and b or not c", "logic", {"a or b or not c", "a and b and not c", "a and b or c"}),
        ("max(a, np.argmin(b))", "extreme", {"min(a, np.argmin(b))", "max(a, np.argmax(b))"}),
        ("sorted(x for x in y)", "order", {"sorted(x for x in y)[::-1]"}),
        ("x[i], x['i']", "index", {"x[(i) + 1], x['i']"}),
        ("x[i:j]", "index", {"x[(i) + 1:j]", "x[i:(j) + 1]"}),
        ("a if b else c", "condition", {"a if not (b) else c"}),
        ("f(x, deep=True)", "default", {"f(x, deep=False)"}),
        ("f(x)", "statement", {"pass"}),
    ],
)  # fmt: skip
def test_every_kind_of_slip(before: str, operator: str, after: set[str]) -> None:
    found = [one for one in candidates(before + "\n") if one.operator == operator]
    assert {one.after for one in found} == after
    assert all(one.mutant.count("\n") == before.count("\n") + 1 for one in found)


def test_slips_of_loops_returns_and_assignments() -> None:
    text = """
    def f(xs, y):
        z = 0
        for x in xs:
            if x:
                return x
            y = (x,
                 x)
            continue
        return y
    """
    found = {(one.operator, one.after) for one in candidates(dedent(text))}
    assert {pair for pair in found if pair[0] in ("return", "statement", "loop")} == {
        ("return", "pass"),  # the last one is no branch
        ("statement", "pass"),  # z was never bound before
        ("loop", "break"),
    }
    assert {one.mutant.count("\n") for one in candidates(dedent(text))} == {text.count("\n")}


def test_what_is_no_behaviour_is_left_alone() -> None:
    text = '''
    """A docstring with 1 < 2."""
    from typing import TYPE_CHECKING, Annotated

    if TYPE_CHECKING:
        x = 1 < 2
    Number = Annotated[int, Field(1)]

    @wraps(1)
    def f(x: Literal[1]) -> Array[1, 2]:
        """And one more: 1 + 1."""
        if x:
            raise InputError(f"found {x + 1}; expected {1 + 2}")
        problems.add("x", f"found {x + 1}")
    '''
    assert [(one.operator, one.after) for one in candidates(dedent(text))] == [
        ("condition", "if not (x):"),
        ("statement", "pass"),
    ]


def test_mutants_that_are_the_same_program_are_known() -> None:
    found = {one.after: one.changes() for one in candidates("x = 2 // 1\n")}
    assert found["x = 2 * 1"] is False
    assert found["x = 2 // 2"] is True


def package(tmp_path: Path) -> Names:
    (tmp_path / "a.py").write_text("STEP = 2\n\n@jit\ndef step(x):\n    return x + STEP\n")
    (tmp_path / "b.py").write_text(
        "from .a import step\n\n@jit\ndef walk(x):\n    return step(x)\n\n@jit\ndef stand(x):\n    return x\n"
        "\ndef go(x):\n    return walk(x)\n\ndef rest(x):\n    return stand(x)\n"
    )
    return Names(tmp_path, ["a.py", "b.py"])


def test_kernels_that_hold_a_mutated_piece_are_stale(tmp_path: Path) -> None:
    names = package(tmp_path)
    assert names.stale("a.py:STEP") == {("a", "step"), ("b", "walk")}
    assert names.stale("b.py:stand") == {("b", "stand")}
    assert names.stale("b.py:go") == set()


def test_tests_are_those_that_lead_to_the_mutant(tmp_path: Path) -> None:
    names = package(tmp_path)
    [mutation] = [one for one in candidates((tmp_path / "a.py").read_text()) if one.operator == "arithmetic"]
    long = Trial("long", "tests/b.py", 9, frozenset({"b.py:go"}))
    short = Trial("short", "tests/b.py", 1, frozenset({"b.py:go"}))
    other = Trial("other", "tests/b.py", 1, frozenset({"b.py:rest"}))
    assert ranked("a.py", mutation, names, [long, other, short]) == ([short, long], [])
