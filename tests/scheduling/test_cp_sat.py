"""The door to CP-SAT: statuses, time, and Ctrl-C, which must stay Python's."""

from __future__ import annotations

import subprocess
import sys
from contextlib import nullcontext

import pytest

from consortium.scheduling.cp_sat import LIMIT, OVERFLOW, new_model, solve
from consortium.support.errors import TooLargeError

HARD = """
import os, random, signal, threading, time
from consortium.scheduling.cp_sat import new_model, solve
def hard():
    rng, model = random.Random(1), new_model()
    on = [[model.new_bool_var("") for _ in range(12)] for _ in range(60)]
    work = [rng.randint(10**5, 10**6) for _ in on]
    longest = model.new_int_var(0, sum(work), "")
    for row in on:
        model.add_exactly_one(row)
    for m in range(12):
        model.add(sum(w * row[m] for w, row in zip(work, on)) <= longest)
    model.minimize(longest)
    return model
def interrupt(seconds):
    threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGINT)).start()
"""
SERIES = """
import sys
from consortium.scheduling.cp_sat import new_model
model = new_model()
assert "pandas" not in sys.modules
import pandas
variables = model.new_int_var_series("x", pandas.Index([1, 2]), 0, 3)
print(isinstance(variables, pandas.Series), len(variables))
"""
RAISED = "\nexcept KeyboardInterrupt:\n    print('raised')"


def shown(code: str) -> list[str]:
    done = subprocess.run([sys.executable, "-c", HARD + code], capture_output=True, text=True, check=True, timeout=120)
    return done.stdout.split()


def test_time_ends_a_search_with_what_is_known() -> None:
    found, ended, interrupted = shown(
        "answer = solve(hard(), 1.0); print(answer.has_solution, answer.ended, answer.interrupted)"
    )
    assert (found, ended, interrupted) == ("True", "False", "False")


def test_ctrl_c_ends_a_search_with_what_is_known() -> None:
    found, ended, interrupted = shown(
        "model = hard(); interrupt(1.0); answer = solve(model); "
        "print(answer.has_solution, answer.ended, answer.interrupted)"
    )
    assert (found, ended, interrupted) == ("True", "False", "True")


def test_constraints_whose_terms_stay_below_the_limit_are_taken_and_others_refused_in_a_sentence() -> None:
    for most in (LIMIT - 1, LIMIT):
        model = new_model()
        x = model.new_int_var(0, most, "x")
        model.add(OVERFLOW // LIMIT * x >= OVERFLOW // LIMIT)
        model.minimize(x)
        with pytest.raises(TooLargeError, match="too large") if most == LIMIT else nullcontext():
            assert solve(model).value(x) == 1


def test_ctrl_c_is_raised_to_a_caller_who_cannot_use_a_part() -> None:
    assert shown("model = hard(); interrupt(1.0)\ntry:\n    solve(model, partial=False)" + RAISED) == ["raised"]


def test_ctrl_c_that_the_system_gives_to_the_solver_s_thread_is_heard() -> None:
    code = """
model = hard()
def press():
    solver, = (one for one in threading.enumerate() if one.daemon)
    signal.pthread_kill(solver.ident, signal.SIGINT)
threading.Timer(1.0, press).start()
began = time.monotonic()
answer = solve(model, 30.0)
print(answer.interrupted, time.monotonic() - began < 20)
"""
    assert shown(code) == ["True", "True"]


def test_ctrl_c_pressed_again_and_again_is_never_an_error() -> None:
    """Each moment of waiting and of stopping, some thousand times a second; only KeyboardInterrupt may come out."""
    code = """
from consortium.scheduling.cp_sat import Search
def press(number, frame):
    while frame is not None:
        if frame.f_code is Search.wait.__code__:
            pressed.append(number)
            raise KeyboardInterrupt
        frame = frame.f_back
pressed = []
signal.signal(signal.SIGALRM, press)
search = Search(hard(), 60.0)
signal.setitimer(signal.ITIMER_REAL, 0.0002, 0.0002)
while len(pressed) < 5_000:
    try:
        search.wait()
    except KeyboardInterrupt:
        pass
signal.setitimer(signal.ITIMER_REAL, 0)
print(search.stop().has_solution)
"""
    assert shown(code) == ["True"]


def test_ctrl_c_is_python_s_after_a_search() -> None:
    code = (
        "solve(new_model())\ntry:\n    interrupt(0)\n    time.sleep(60)\nexcept KeyboardInterrupt:\n    print('raised')"
    )
    assert shown(code) == ["raised"]


def test_the_seed_chooses_the_solution() -> None:
    def solution(**seed: int) -> list[int]:
        model = new_model()
        xs = [model.new_int_var(0, 9, "") for _ in range(12)]
        model.add(sum(3 * i % 7 * x for i, x in enumerate(xs)) == 90)
        for k in range(6):
            model.add(sum((7 * i + 5 * k) % 11 * x for i, x in enumerate(xs)) <= 200 + k)
        answer = solve(model, **seed)
        return [answer.value(x) for x in xs]

    given = [solution(seed=seed) for seed in range(3)]
    assert len(set(map(tuple, given))) == 3
    assert solution() == given[1]


def test_what_goes_wrong_in_the_thread_is_raised_where_it_is_waited_for() -> None:
    with pytest.raises(AttributeError):
        solve(object())  # type: ignore[arg-type]


def test_a_model_of_too_large_numbers_is_refused_in_a_sentence() -> None:
    model = new_model()
    model.add(sum(model.new_int_var(0, 2**61, "") for _ in range(8)) * 2**20 >= 1)
    with pytest.raises(TooLargeError, match=r"it refuses the model, whose numbers are too large: .*overflow"):
        solve(model)


@pytest.mark.exhaustive  # a process of its own that imports pandas
def test_pandas_is_not_imported_but_works_for_others() -> None:
    assert shown(SERIES) == ["True", "2"]
