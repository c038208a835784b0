"""Records that several tests ask for, made once."""

from __future__ import annotations

import json
from typing import Any

import pytest


@pytest.fixture(scope="session")
def stored(asked: Any) -> Any:
    """``stored(name)``: the record of a case of the tests of tables, as a file would hold it."""
    return lambda name: json.loads(json.dumps(asked(name).to_dict()))
