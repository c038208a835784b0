"""Broken files: every problem is reported, each with its exact message, and nothing but our error is raised."""

from __future__ import annotations

import pytest

from consortium.scenarios.problems import ScenarioError
from consortium.scenarios.reader import load, parse_text

from .broken_files.declaration import CASES, text


def test_the_valid_file_is_valid() -> None:
    assert load(parse_text(text({}))).kind == "declaration"


@pytest.mark.parametrize("case", CASES, ids=[case[0] for case in CASES])
def test_broken_file(case: tuple[str, dict[str, str], *tuple[str, ...]]) -> None:
    _, changes, *messages = case
    with pytest.raises(ScenarioError) as caught:
        load(parse_text(text(changes)))
    assert [str(problem) for problem in caught.value.problems] == messages
    assert str(caught.value) == "\n".join(f"scenario: {message}" for message in messages)


def test_no_agent_is_told_once_whatever_the_rule_asks() -> None:
    file = {"format": 1, "kind": "declaration", "cluster": {"powers": [1]}, "mechanism": {"rule": "bystander"}}
    with pytest.raises(ScenarioError) as refused:
        load(file | {"agents": []})
    assert [problem.path for problem in refused.value.problems] == ["agents"]
