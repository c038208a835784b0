"""Every example in a docstring runs."""

from __future__ import annotations

import doctest
import importlib
import linecache
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


def has_examples(name: str) -> bool:
    path = ROOT.joinpath(*name.split(".")[1:])
    return ">>> " in (path / "__init__.py" if path.is_dir() else path.with_suffix(".py")).read_text()


@pytest.mark.parametrize("name", [name for name in module_names() if has_examples(name)])
def test_examples_run(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linecache, "checkcache", lambda _=None: None)  # doctest looks at all files ever read, in vain
    result = doctest.testmod(importlib.import_module(name), optionflags=doctest.NORMALIZE_WHITESPACE)
    assert result.failed == 0


def test_the_other_modules_can_be_imported() -> None:
    for name in module_names():
        importlib.import_module(name)
