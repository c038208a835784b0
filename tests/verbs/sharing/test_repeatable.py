"""Whatever changes a number of an audit stands in its record: `check` asks again, and so does the page's command."""

from __future__ import annotations

import json
import shlex
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import consortium
from consortium.cli import app
from consortium.verbs.request import command
from consortium.workloads import write_swf

from .logs import busy_log

WINDOWS = {"windows": 2, "duration": 800}
AUDITS: list[dict[str, Any]] = [
    {"since": "2026-11-02T00:10", "until": "2026-11-02T01:00"},
    {"since": 1000, "organizations": "user", "limit": 3},
    {"organizations": 3, "shares": "zipf", "seed": 7},
    {"shares": {"atlas": 3, "cms": 2, "bio": 1}, "machines": 12},
    {"parents": {"atlas": "physics", "cms": "physics"}, "samples": 40},
    {"against": "sampled", "epsilon": "1/2", "confidence": "9/10"},
    {"busiest": 2, "decay": "2h", "zero": "one"},
    {"min_load": "1/10", "parallel": "easy", "rule": "fifo"},
    {"windows": 1, "start": 300, "duration": 600},
]
OTHERS: list[tuple[str, dict[str, Any]]] = [
    ("audit switch", {"to": ["fifo", "rand:samples=3"], "rule": "fair-share", "since": "2026-11-02T00:10"}),
    ("audit gaming", {"tries": 4, "rule": "fair-share", "until": "2026-11-02T01:00"}),
]


@pytest.mark.parametrize(
    ("verb", "options"), [*(("audit", {"rules": ["fifo"], **each}) for each in AUDITS), *OTHERS], ids=str
)
def test_a_record_is_found_again_by_check_and_by_its_command(
    verb: str, options: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    log = busy_log()
    write_swf(
        replace(log, header={**log.header, "UnixStartTime": ("1793577600",), "Group": ("0 atlas", "1 cms", "2 bio")}),
        "busy.swf",
    )
    record = getattr(consortium, verb.replace(" ", "_"))("busy.swf", **{**WINDOWS, **options}).to_dict()
    asked = record["request"]["options"]
    assert asked == json.loads(json.dumps(asked))
    assert options.keys() <= asked.keys()

    wrong = [row for _, _, row in consortium.check(record, time_limit=100) if row.holds is not True]
    assert not wrong, wrong[:3]

    words = shlex.split(command("sharing", record["verb"], ["busy.swf"], asked))[1:]
    assert app.ended([*words, "--json"]) == 0
    again = json.loads(capsys.readouterr().out)
    monkeypatch.undo()
    assert _measured_apart(again) == _measured_apart(json.loads(json.dumps(record)))


def _measured_apart(data: Any) -> Any:
    """A record without its times."""
    if isinstance(data, dict):
        return {key: _measured_apart(value) for key, value in data.items() if key not in ("seconds", "request")}
    return [_measured_apart(item) for item in data] if isinstance(data, list) else data
