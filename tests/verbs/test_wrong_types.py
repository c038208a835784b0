"""Whatever stands where an argument is expected: an error of ours, in words that can be shown, or an answer."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import consortium
from consortium.support.errors import ConsortiumError

DECLARATION = {
    "format": 1, "kind": "declaration", "cluster": {"powers": [1]}, "mechanism": {"rule": "light-vcg"},
    "agents": [{"name": "ann", "length": 2}, {"name": "bob", "length": 1}],
}  # fmt: skip
POOL = {
    "format": 1, "kind": "sharing", "until": 3, "mechanism": {"rule": "fifo"},
    "organizations": [{"jobs": [[0, 2]]}, {"jobs": [[0, 1]]}],
}  # fmt: skip
USERS = {"format": 1, "kind": "multiuser", "users": [{"jobs": [2]}, {"jobs": [1]}], "mechanism": {"rule": "fairest"}}


def itself() -> list[Any]:
    found: list[Any] = []
    found.append(found)
    return found


WRONG: dict[str, Any] = {
    "None": None, "3": 3, "-1": -1, "2.5": 2.5, "nan": math.nan, "inf": math.inf, "bytes": b"x", "set": {1},
    "table": {3: 4},
    "empty": {}, "list": [None], "text": "\ud800", "control": "\x1b[2J\0", "long": "x" * 10_000, "true": True,
    "object": object(), "huge": 10**30, "unprintable": 10**5000,
    "itself": itself(), "Decimal": Decimal("NaN"),
    "exponent": Decimal("1e999999999"), "fraction": Fraction(1, 3), "complex": 1j, "array": np.array([1, 2]),
    "texts": np.array(["a"]), "nans": np.array([[1.0, math.nan]]), "function": lambda: 1, "type": int,
    "surrogates": {"\ud800": 1}, "floats": {"agents[1].length": 2.5}, "path": {"mechanism.rule": object()},
    "scenario": {"format": 1, "kind": "declaration", "cluster": 5, "agents": "x", "mechanism": {1: 2}, 3: 4},
}  # fmt: skip
DOORS: dict[str, Callable[[Any], Any]] = {
    "load": consortium.load,
    "overrides": lambda wrong: consortium.load(DECLARATION, wrong),
    "an override": lambda wrong: consortium.load(DECLARATION, {"agents[1].length": wrong}),
    "a path of an override": lambda wrong: consortium.load(DECLARATION, {wrong: 1} if wrong.__hash__ else {}),
    "expression": lambda wrong: consortium.load(
        {**DECLARATION, "welfare": {"goal": "expression", "expression": wrong}}
    ),
    "expected": lambda wrong: consortium.check([{**DECLARATION, "expect": {"run": {"rent": wrong}}}]),
    "expected statistic": lambda wrong: consortium.check(
        [{**DECLARATION, "expect": {"run": {"rent": {"value": wrong, "within": wrong}}}}]
    ),
    "expected options": lambda wrong: consortium.check([{**DECLARATION, "expect": {"run": {"options": wrong}}}]),
    "expected option": lambda wrong: consortium.check([{**POOL, "expect": {"run": {"options": {"list": wrong}}}}]),
    "run": consortium.run,
    "overrides of run": lambda wrong: consortium.run(USERS, overrides=wrong),
    "list": lambda wrong: consortium.run(USERS, list=wrong),
    "time limit": lambda wrong: consortium.run(USERS, time_limit=wrong),
    "seed": lambda wrong: consortium.run(POOL, seed=wrong),
    "mechanism": lambda wrong: consortium.run(DECLARATION, mechanism=wrong),
    "unknown option": lambda wrong: consortium.run(DECLARATION, zzz=wrong),
    "start": lambda wrong: consortium.search(DECLARATION, start=wrong),
    "epsilon": lambda wrong: consortium.search(DECLARATION, epsilon=wrong),
    "property": lambda wrong: consortium.verify(DECLARATION, property=wrong),
    "compare": lambda wrong: consortium.compare(wrong),
    "rules": lambda wrong: consortium.compare([USERS], rules=wrong),
    "agent": lambda wrong: consortium.curve(DECLARATION, wrong),
    "from": lambda wrong: consortium.curve(DECLARATION, "ann", low=wrong),
    "a record": lambda wrong: consortium.check({"verb": wrong, "replay": [wrong], "request": wrong}),
    "check": lambda wrong: consortium.check(wrong if wrong is not None else 3),
    "checked": lambda wrong: consortium.check([wrong]),
    "listed": lambda wrong: consortium.listed(wrong) if wrong is not None else None,
    "verb": lambda wrong: consortium.ask(wrong, DECLARATION),
    "estimate": lambda wrong: consortium.estimate("run", wrong),
    "log": lambda wrong: consortium.import_log(wrong, "declaration"),
    "kind": lambda wrong: consortium.import_log("no-such-log", wrong),
}


@pytest.mark.parametrize("door", DOORS)
def test_wrong_types_are_refused_in_words(door: str) -> None:
    for wrong in WRONG.values():
        try:
            DOORS[door](wrong)
        except ConsortiumError as error:
            text = str(error)
            assert text.strip()
            assert text.encode()
            assert "\x1b" not in text
            assert len(text) < 20_000


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: consortium.verify(DECLARATION, sample=10**30), "sample: found 1[0]{30}; expected at most 10,000,000"),
        (lambda: consortium.run(USERS, list=10**30), "list: found 1[0]{30}; expected at most 1,000,000,000"),
        (lambda: consortium.search(DECLARATION, start=3), "start: found 3; expected everybody's strategy"),
        (lambda: consortium.check(3), "check: found int; expected scenarios"),  # type: ignore[arg-type]
        (lambda: consortium.listed(3), "scenarios: 3 is not known"),  # type: ignore[arg-type]
    ],
    ids=["sample", "list", "start", "check", "listed"],
)
def test_what_is_said(call: Callable[[], Any], said: str) -> None:
    with pytest.raises(ConsortiumError, match=said):
        call()
