"""Errors of custom rules point into the file of the rule; whatever custom code raises is a sentence about it.

What stops the work passes.
"""

from __future__ import annotations

import importlib.util
import os
import pickle
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import consortium
from consortium.mechanisms.custom import call, made, named
from consortium.support.errors import MechanismError

from ..distribution import command

RULE = """
import re
from fractions import Fraction

def half(number):
    return Fraction(1) / (number - number)  # line 6

class Declaration:
    def run(self, declared, lengths):
        return half(declared[0])

class Federation:
    def run(self, federation):
        re.compile("(")  # line 14

class Users:
    def point(self, community):
        return half(Fraction(1))

class Pool:
    def choose(self, pool):
        return sorted(pool.waiting, key=lambda u: half(Fraction(u)))[0]
"""
KINDS = {
    "declaration": ("Declaration", 6),
    "federation": ("Federation", 14),
    "multiuser": ("Users", 6),
    "sharing": ("Pool", 6),
}


@pytest.mark.parametrize("kind", KINDS)
def test_the_line_named_is_the_rules_own(kind: str, tmp_path: Path) -> None:
    file, (name, line) = tmp_path / "mine.py", KINDS[kind]
    file.write_text(RULE)
    spec: Any = importlib.util.spec_from_file_location("mine", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    with pytest.raises(MechanismError, match=f"[(]{file}:{line}: [^)]"):
        consortium.run(f"minimal/{kind}", mechanism=getattr(module, name)())


def recursion() -> None:
    recursion()


def own_stop() -> None:
    raise KeyboardInterrupt


FAILURES = {"SystemExit": sys.exit, "KeyboardInterrupt": own_stop, "RecursionError": recursion}


@pytest.mark.parametrize("name", FAILURES)
def test_a_rule_cannot_end_the_process(name: str) -> None:
    def rule(source: object) -> object:
        FAILURES[name]()
        return source

    class Rule:
        def run(self, declared: object, lengths: object) -> object:
            return rule(declared)

    for play in (
        lambda: call(rule, "rule", source=1),
        lambda: made(rule, ("run(x)",), source=1),
        lambda: consortium.run("minimal/declaration", mechanism=Rule()),
        lambda: consortium.verify("minimal/declaration", mechanism=Rule()),
    ):
        with pytest.raises(MechanismError, match=name):
            play()


@pytest.mark.parametrize(
    "stop", [lambda: os.kill(os.getpid(), signal.SIGINT), lambda: signal.raise_signal(signal.SIGINT)]
)
def test_a_signal_passes_through_custom_code(stop: Callable[[], None]) -> None:
    def rule(source: object) -> None:
        stop()
        for _ in range(10**6):
            pass

    with pytest.raises(KeyboardInterrupt):
        call(rule, "rule", source=1)


def test_a_hunt_of_a_rule_that_exits_is_refused(tmp_path: Path) -> None:
    source = """import sys
class Rule:
    def __init__(self, cluster): pass
    def run(self, declared, lengths): sys.exit(0)
"""
    (tmp_path / "leaving.py").write_text(source)
    done = command(
        tmp_path, "hunt", "--rule", "leaving:Rule", "--kind", "declaration", "--claim", "dominant", "--processes", "1"
    )
    assert (done.returncode, "SystemExit" in done.stderr) == (2, True), done.stderr


def test_a_rule_that_was_named_twice_is_the_same(tmp_path: Path) -> None:
    """Whatever its file is loaded as: a record that has travelled is equal to the one that was sent."""
    (tmp_path / "rule.py").write_text("class Mine:\n    pass\n")
    first = named("rule.py:Mine", str(tmp_path))
    assert pickle.loads(pickle.dumps(first)) == first
    (tmp_path / "rule.py").write_text("class Mine:\n    share = 1\n")
    assert named("rule.py:Mine", str(tmp_path)) != first
