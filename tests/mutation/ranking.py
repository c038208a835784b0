"""Which tests to run for a mutation, the likeliest and cheapest first."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile
from pathlib import PurePosixPath

from .calls import Trial
from .names import Names
from .operators import Mutation

FIRST_FILES = 6
FIRST_SECONDS = 6.0
"""The first helping of tests: collecting a file of tests costs time as well as running them."""


def ranked(path: str, mutation: Mutation, names: Names, tests: list[Trial]) -> tuple[list[Trial], list[Trial]]:
    """Tests that call what is mutated (or a kernel that holds it), and those nearby: of its module, of its room."""
    touched = names.reaching(f"{path}:{mutation.definition}") | {f"{path}:{mutation.function}"}
    touched -= {f"{path}:<module>"}
    of_class = f"{path}:{mutation.definition}."
    room = f"tests/{PurePosixPath(path).parent}/"

    def touches(test: Trial) -> bool:
        return not touched.isdisjoint(test.calls) or any(name.startswith(of_class) for name in test.calls)

    def nearby(test: Trial) -> bool:
        own = any(name.startswith(f"{path}:") and not name.endswith(">") for name in test.calls)
        return own or test.file.startswith(room)

    def cost(test: Trial) -> float:
        """A short test of few functions says most about each; those of the mutant's own room are written for it."""
        return (test.seconds + 0.03) * (len(test.calls) + 30) * (1 if test.file.startswith(room) else 4)

    near = sorted(filter(touches, tests), key=cost)
    known = set(near)
    return near, sorted((test for test in tests if test not in known and nearby(test)), key=cost)


def helpings(near: list[Trial], wide: list[Trial], budget: float) -> Iterator[list[Trial]]:
    """A quick first helping, then all else that the budget of seconds allows, near before wide."""
    likely = near or wide
    files = list(dict.fromkeys(test.file for test in likely))[:FIRST_FILES]
    first = list(_within(FIRST_SECONDS, (test for test in likely if test.file in files)))
    taken = set(first)
    yield first
    yield list(_within(budget, (test for test in (*near, *wide) if test not in taken)))


def _within(budget: float, tests: Iterator[Trial]) -> Iterator[Trial]:
    """As many as fit, and one at least."""
    spent = 0.0

    def affordable(test: Trial) -> bool:
        nonlocal spent
        spent += test.seconds
        return spent <= budget or spent == test.seconds

    return takewhile(affordable, tests)
