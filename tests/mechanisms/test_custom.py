"""Errors of custom rules point into the file of the rule, whatever code they come out of."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest

import consortium
from consortium.support.errors import MechanismError

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
    with pytest.raises(MechanismError, match=f"[(]line {line} of {file}[)]"):
        consortium.run(f"minimal/{kind}", mechanism=getattr(module, name)())
