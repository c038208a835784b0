"""``verify`` on kind ``declaration``: the fields of its record, the reduction, stopping."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import consortium
from consortium.support.errors import MechanismError

from .files import HEAD, Queue, scenario

ROOT = Path(__file__).resolve().parents[3]


class Ordered(Queue):
    anonymous = True


def test_verify_has_the_fields_of_the_format_and_replays() -> None:
    record = consortium.verify(scenario("light-vcg"))
    data = record.to_dict()
    assert set(data) == HEAD | {"dominant", "ex_post", "properties", "domain"}
    for concept in ("dominant", "ex_post"):
        assert {"holds", "cases", "max_gain", "witness"} <= set(data[concept])
    assert set(data["dominant"]["witness"]) == {
        "agent", "length", "lie", "declarations", "lengths", "utility_truth", "utility_lie", "gain", "replay",
    }  # fmt: skip
    names = {
        "rent_nonnegative", "budget_balanced", "just", "upper_margin", "lower_margin", "individually_rational",
        "accepts_every_input",
    }  # fmt: skip
    assert set(data["properties"]) == names | {"any_others"}
    assert all({"holds", "cases", "witness"} <= set(data["properties"][name]) for name in names)
    assert set(data["properties"]["any_others"]) == {"upper_margin", "lower_margin"}
    rows = consortium.check(json.loads(json.dumps(data)))
    assert len(rows) >= 4
    assert all(row.holds for _, _, row in rows)
    assert record.verdict is False
    assert consortium.verify(scenario("light-vcg"), property="upper-margin").verdict is True


def test_a_reduction_is_complete_for_the_concept_that_it_settles() -> None:
    settled = consortium.verify(scenario("evcg-renice"), method="reduction", property="ex-post")
    assert (settled.complete, settled.verdict, settled.dominant["holds"]) == (True, True, None)
    assert "ex-post only" in settled.dominant["limit"]
    assert consortium.verify(scenario("evcg-renice"), method="reduction").complete is False


def test_a_broken_promise_of_anonymity_is_told() -> None:
    with pytest.raises(MechanismError, match="found anonymous = True, but output"):
        consortium.verify(scenario(), mechanism=Ordered())


def test_one_ctrl_c_ends_everything_and_keeps_the_count(tmp_path: Path) -> None:
    big = scenario(
        "evcg-postpone",
        agents=[{"name": f"a{n}", "length": 1} for n in range(4)],
        domain={"lengths": [1, 2, 3, 4], "declarations": [1, 2, 3, 4]},
    )
    (tmp_path / "big.json").write_text(json.dumps(big))
    code = (
        "import json, sys\n"
        "from consortium import api\n"
        "data = json.load(open('big.json')); api.load(data)\n"
        "def told(done, total, note=''):\n"
        "    if done: print('started', flush=True)\n"
        "record = api.verify(data, method='general', progress=told)\n"
        "print(json.dumps({'complete': record.complete, 'cases': record.dominant['cases'],\n"
        "                  'ex_post': record.ex_post['cases'], 'total': record.dominant['total']}))\n"
    )
    environment = os.environ | {"PYTHONPATH": str(ROOT / ".types")}
    process = subprocess.Popen(
        [sys.executable, "-c", code], cwd=tmp_path, env=environment, text=True, stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "started\n"
    process.send_signal(signal.SIGINT)
    begin = time.monotonic()
    last = process.stdout.read().splitlines()[-1]
    assert process.wait(60) == 0
    assert time.monotonic() - begin < 60
    told = json.loads(last)
    assert told["complete"] is False
    assert 0 < told["cases"] < told["total"]
    assert told["ex_post"] == 0  # one Ctrl-C ends everything
