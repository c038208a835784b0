"""Records that several tests ask for, made once."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import pytest

from ..reports.cases import record


@pytest.fixture(scope="session")
def stored(tmp_path_factory) -> Any:
    """``stored(name)``: the record of a case of the tests of tables, as a file would hold it."""

    @cache
    def ask(name: str) -> str:
        return json.dumps(record(name, tmp_path_factory.mktemp("log")).to_dict())

    return lambda name: json.loads(ask(name))
