"""``replay``: no claim of a record can be altered without notice."""

from __future__ import annotations

import pytest

import consortium
from consortium.verbs import claims
from consortium.verbs.asked import question
from consortium.verbs.proving import leaves

from ..reports.cases import CASES
from .altering import covers, of_each_field, with_altered


@pytest.mark.parametrize("name", CASES)
def test_an_honest_record_is_confirmed(stored, name):
    rows = [row for _, _, row in consortium.replay(stored(name))]
    assert rows
    assert not [row for row in rows if row.holds is False]
    assert all(row.note for row in rows if row.holds is None)


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("choice", [of_each_field, pytest.param(list, marks=pytest.mark.exhaustive)])
def test_every_altered_field_is_caught_or_listed(stored, name, choice, monkeypatch):
    data = stored(name)
    again = claims.ask_again(question(data, "record"), data["complete"], 60) if data.get("asked") else None
    monkeypatch.setattr(claims, "ask_again", lambda *_: again)
    for key in choice(dict(leaves(data))):
        try:
            rows = consortium.replay(with_altered(data, key))
        except consortium.ConsortiumError:
            continue  # it is no record any more
        assert [row for _, _, row in rows if row.holds is not True and covers(row.key, key)], key
