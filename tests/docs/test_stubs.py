"""The stub of the package's functions is what the models of options say now."""

from __future__ import annotations

import ast
import inspect
import sys
from pathlib import Path

import consortium

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "docs"))

import stubs


def test_the_stub_is_up_to_date() -> None:
    assert ast.dump(ast.parse(stubs.FILE.read_text())) == ast.dump(ast.parse(stubs.text())), "run python docs/stubs.py"


def test_functions_look_like_functions() -> None:
    assert inspect.isroutine(consortium.verify)
    assert consortium.verify.__name__ == "verify"
    assert "sample" in inspect.signature(consortium.verify).parameters
    about = inspect.getdoc(consortium.verify) or ""
    assert about.startswith("Verify what the mechanism promises")
    assert "\nsample\n" in about
    assert about.index("Parameters\n") < about.index("Examples\n")
