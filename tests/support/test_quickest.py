"""Little work is left to the interpreter: the same answers, whichever form of the kernels gives them."""

from __future__ import annotations

import gc
from typing import Any, cast

import numpy as np
import pytest

import consortium.api as api
from consortium.support import jit as door
from consortium.support.jit import Kernel, compiled, piece, quickest

QUESTIONS = [
    ("verify", "agmon2003/5.2.1", {}),
    pytest.param("search", "minimal/declaration", {}, marks=pytest.mark.exhaustive),
    pytest.param("search", "cordeiro2012/figure-5.5-k3-repaired", {}, marks=pytest.mark.exhaustive),
    ("search", "cordeiro2012/section-5.2-small", {}),
    ("run", "minimal/federation", {"mechanism.rule": "ilba"}),
    ("run", "cordeiro2012/figure-6.2", {}),
    ("run", "minimal/sharing", {}),
    pytest.param("run", "minimal/sharing", {"mechanism.rule": "direct-contribution"}, marks=pytest.mark.exhaustive),
    pytest.param("run", "skowron-rzadca2013/figure-7", {}, marks=pytest.mark.exhaustive),
    pytest.param(
        "run",
        "skowron-rzadca2013/figure-7",
        {"mechanism.rule": "direct-contribution"},
        marks=pytest.mark.exhaustive,
    ),
]


@piece
def more(x: int) -> int:
    return x if x < 2 else more(x - 1) + more(x - 2)


@compiled
def short(x: int) -> int:
    return x


@compiled
def long(x: int) -> int:
    return more(x) + short(x)


@pytest.mark.parametrize(("verb", "name", "overrides"), QUESTIONS)
def test_both_forms_give_the_same_record(
    monkeypatch: pytest.MonkeyPatch, verb: str, name: str, overrides: dict[str, Any]
) -> None:
    for limit in ("IMPORTING", "COMPILING", "LOADED"):
        monkeypatch.setattr(door, limit, 0)
    compiled_answer = api.ask(verb, name, overrides=overrides).to_dict()
    for kernel in [thing for thing in gc.get_objects() if type(thing) is Kernel and "form" in vars(thing)]:
        monkeypatch.delitem(vars(kernel), "form")  # as in a process that has compiled nothing yet
    monkeypatch.setattr(door, "LOADED", 10**12)
    assert api.ask(verb, name, overrides=overrides).to_dict() == compiled_answer


def test_what_was_left_to_the_interpreter_adds_up(monkeypatch: pytest.MonkeyPatch) -> None:
    @compiled
    def sum_of(values: door.Ints) -> tuple[int, int]:
        return values.sum(), values.size

    for name, value in (("IMPORTING", 25), ("COMPILING", 0), ("LOADED", 0)):
        monkeypatch.setattr(door, name, value)
    monkeypatch.setattr(door, "LINKED", [])
    forms = [quickest(sum_of, 10) for _ in range(3)]
    assert [form is sum_of for form in forms] == [False, False, True]
    assert forms[0](np.arange(4)) == forms[2](np.arange(4)) == (6, 4)
    assert [type(x) for x in forms[0](np.arange(4))] == [int, int]
    assert quickest(sum_of, 0) is sum_of  # it is compiled now


def test_the_longer_a_kernel_takes_to_compile_the_more_is_left_to_the_interpreter(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    first, second, third = (cast("Kernel[[int], int]", kernel) for kernel in (more, short, long))
    assert third.code == first.code + second.code + len(third.py_func.__code__.co_code)
    monkeypatch.setattr(door, "LINKED", [])
    most = door.IMPORTING + door.COMPILING * third.code
    assert [quickest(kernel, steps) is kernel for kernel, steps in ((short, most), (long, most), (long, most + 1))] == [
        True,
        False,
        True,
    ]


def test_what_was_kept_is_loaded_sooner(monkeypatch: pytest.MonkeyPatch) -> None:
    @compiled
    def nothing() -> None:
        pass

    monkeypatch.setattr(door, "LINKED", [])
    kernel = vars(nothing)
    for perhaps, surely, sooner in ((False, True, False), (True, False, False), (True, True, True)):
        kernel.update(perhaps_kept=perhaps, kept=surely, steps=0)
        assert (quickest(nothing, door.KEPT) is nothing, quickest(nothing, 1) is nothing) == (False, sooner)


def test_calls_that_took_less_than_thought_are_thought_to_take_less_but_not_below_a_quarter(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(door, "LINKED", [])

    @compiled
    def nothing(values: door.Ints) -> None:
        pass

    kernel = cast("Kernel[[door.Ints], None]", nothing)
    assert kernel.likely(1000) == 1000  # nothing is known yet
    quickest(nothing, 100_000)(np.arange(4))
    assert kernel.thought == 100_000
    assert kernel.steps < 25_000
    assert kernel.likely(1000) == 250
    kernel.steps = kernel.thought // 2
    assert kernel.likely(1000) == 500
    kernel.steps = 3 * kernel.thought
    assert kernel.likely(1000) == 1000
