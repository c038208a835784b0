"""Sizes that a dry run tells."""

from __future__ import annotations

import pytest

import consortium
from consortium.support.errors import InputError

from .files import scenario


def test_estimates():
    data = scenario([[2, 2], [1], []])
    found = consortium.api.estimate("search", data)
    assert (found.size, found.unit) == (27, "placements")
    assert consortium.api.estimate("run", data).size == 3
    assert (
        consortium.api.estimate("compare", {**data, "mechanism": {"rule": "local"}}, rules=["local", "ilba"]).size == 6
    )
    with pytest.raises(InputError, match="central rule"):
        consortium.api.estimate("search", {**data, "mechanism": {"rule": "local"}})
