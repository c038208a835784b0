"""No time at all: every verb that takes a time limit answers with what it has, and the command ends with code 3."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import consortium
from consortium.mechanisms.kinds import KINDS
from consortium.support.errors import TooLargeError
from consortium.support.loading import load

from ..command_line import command

SOURCES = {
    "declaration": "agmon2003/5.2.1",
    "federation": "cordeiro2012/corollary-5.7",
    "federation prove": "shapes/no-theorem",
    "sharing": "skowron-rzadca2013/figure-7",
    "multiuser": "minimal/multiuser",
}
AT_ONCE = {("sharing", "run")}
"""On this scenario nothing takes time that a limit could save."""
TOPICS: tuple[dict[str, Any], ...] = (
    {"coalitions": 2},
    {"correlated": "coarse"},
    {"dynamics": "fictitious-play"},
    {"potential": True},
    {"mixed": True},
    {"quantal": [1]},
)


def limited() -> Iterator[tuple[str, str]]:
    for kind in KINDS:
        for verb in kind.verbs:
            if verb.takes != "log" and "time_limit" in load(verb.options).model_fields:
                yield kind.name, verb.name


@pytest.mark.parametrize(("kind", "verb"), [*limited()])
def test_an_answer_in_part(kind: str, verb: str) -> None:
    agent = {"agent": "ann"} if verb == "curve" else {}
    record = consortium.ask(verb, SOURCES.get(f"{kind} {verb}", SOURCES[kind]), time_limit=0, **agent)
    assert record.complete is ((kind, verb) in AT_ONCE)
    assert record.to_dict()["complete"] is record.complete
    assert record.complete or str(record.status) == "stopped"


@pytest.mark.parametrize("topic", TOPICS, ids=lambda topic: next(iter(topic)))
def test_further_questions_of_a_search_too(topic: dict[str, Any]) -> None:
    record = consortium.search("agmon2003/5.2.1", time_limit=0, **topic)
    assert (record.complete, str(record.status)) == (False, "stopped")


def test_the_command_prints_what_is_known_and_ends_with_code_3(tmp_path: Path) -> None:
    asked = ("verify", "agmon2003/5.2.1", "--time-limit", "0")
    shown = command(*asked, cwd=tmp_path)
    assert (shown.returncode, bool(shown.stdout), "what is above is what is known" in shown.stderr) == (3, True, True)
    plain = command(*asked, "--json", cwd=tmp_path)
    assert (plain.returncode, json.loads(plain.stdout)["complete"]) == (3, False)


MANY = {
    "format": 1,
    "kind": "declaration",
    "cluster": {"powers": [1, 2]},
    "agents": [{"length": i} for i in range(1, 7)],
    "mechanism": {"rule": "vcg-postpone"},
    "domain": {"lengths": [*range(1, 20)]},
}
"""A check whose tables no machine holds."""


def test_a_check_beyond_the_limits_is_refused_with_ways_out_and_answered_in_part_with_a_time_limit() -> None:
    with pytest.raises(TooLargeError, match="a sample of N comparisons; or raise max_bytes"):
        consortium.verify(MANY)
    predicted = consortium.estimate("verify", MANY, time_limit=0.5)
    assert predicted.seconds == 0.5
    assert "the whole would take about" in predicted.note
    record = consortium.verify(MANY, time_limit=0.5)
    assert (record.complete, str(record.status), record.method) == (False, "stopped", "general")
    assert record.dominant.holds is None
