"""Every case is asked once."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from .cases import record


@pytest.fixture(scope="session")
def asked(tmp_path_factory) -> Any:
    """``asked(name, **options)``: the record of a case."""

    @cache
    def ask(name: str, **more: Any) -> Any:
        return record(name, tmp_path_factory.mktemp("log"), **more)

    return ask
