"""The schema accepts the studies that the reader accepts, and refuses keys that there are not."""

from __future__ import annotations

from typing import Any

import jsonschema
import pytest

from consortium.studies import reader
from consortium.studies.blocks import schema

from .examples import anarchy

WHOLE: dict[str, Any] = {
    "title": "Anarchy", "source": "here", "task_limit": 10, "group_by": ["family.organizations"],
    "statistics": {"anarchy": ["mean", "p90"]}, "stop": {"when": "exists == false", "hits": 2, "shrink": False},
    "plots": [{"x": "replicate", "y": "anarchy", "by": "mechanism.priority", "kind": "scatter"}],
    "full": {"replicates": 100}, "options": {"time_limit": 3},
}  # fmt: skip


def test_every_key_of_the_format_is_in_the_schema() -> None:
    data = anarchy(**WHOLE, together=[{"family.longest": [3, 4], "family.jobs": [1, 2]}])
    reader.load(data)
    jsonschema.validate(data, schema(), cls=jsonschema.Draft202012Validator)
    known = set(schema()["properties"])
    assert known == {"format", "kind", *reader.TABLES, *reader.HeadBlock.model_fields}


@pytest.mark.parametrize(
    "wrong",
    [{"replicats": 3}, {"replicates": 0}, {"format": 2}, {"plots": [{"y": "a", "kind": "pie"}]}, {"stop": {}},
     {"vary": {"family.organizations": []}}, {"family": {}}, {"seed": "x"}],
)  # fmt: skip
def test_it_refuses_what_the_reader_refuses(wrong: dict[str, Any]) -> None:
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(anarchy(**wrong), schema(), cls=jsonschema.Draft202012Validator)
