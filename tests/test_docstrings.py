"""Every example in a docstring runs."""

from __future__ import annotations

import doctest
import importlib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SKIP = {"tests", "benchmarks", "docs", "build", "dist"}


def module_names() -> list[str]:
    names = []
    for path in sorted(ROOT.rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        if set(parts) & SKIP or any(p.startswith(".") for p in parts) or parts[-1] == "__main__":
            continue
        if not all((ROOT.joinpath(*parts[:i]) / "__init__.py").exists() for i in range(len(parts))):
            continue
        names.append(".".join(("consortium", *(p for p in parts if p != "__init__"))))
    return names


@pytest.mark.parametrize("name", module_names())
def test_examples_run(name: str) -> None:
    result = doctest.testmod(importlib.import_module(name), optionflags=doctest.NORMALIZE_WHITESPACE)
    assert result.failed == 0
