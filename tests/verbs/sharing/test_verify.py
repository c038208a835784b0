"""Axioms and manipulations: witnesses that replay, searches that are stopped."""

from __future__ import annotations

import dataclasses
import json
from dataclasses import replace
from typing import Any

import pytest

import consortium
from consortium.games.sharing import presentation as manipulation
from consortium.mechanisms.kinds import kind
from consortium.mechanisms.sharing import simulate
from consortium.support.errors import InputError, UnknownNameError
from consortium.support.loading import load
from consortium.verbs.options import flag_of
from consortium.verbs.sharing import options

from .files import scenario


def test_verify_finds_the_split_and_replays() -> None:
    data = scenario(organizations=((2, [(0, 2)]), (0, [])), until=12)
    record = consortium.verify(data)
    assert not record.verdict
    found = record.manipulation
    assert (found["organization"], found["move"], found["max_gain"], found["cases"]) == ("n1", "split", 1, 7)
    assert found.witness.jobs == ((0, 1), (0, 1))
    assert [row.cases for row in found.each] == [7, 0]
    assert all(row.holds for _, _, row in consortium.check(record))
    played = consortium.check(list(found.witness.replay))
    assert len(played) == 4
    assert all(row.holds for _, _, row in played)
    assert consortium.verify(data, property="delay").verdict
    assert consortium.verify(data, property="strategy-resistance").verdict
    assert consortium.verify(data, property="strategy-resistance").manipulation is None


def test_verify_another_utility_checks_its_axioms() -> None:
    record = consortium.verify(scenario(utility="busy-time"))
    assert record.manipulation is None
    assert not record.verdict
    assert consortium.verify(scenario(utility="busy-time"), property="number-of-tasks").verdict
    with pytest.raises(InputError, match="judged in psi-sp"):
        consortium.verify(scenario(utility="busy-time"), property="split")


def test_verify_bad_options() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'split'"):
        consortium.verify(scenario(), property="splt")
    with pytest.raises(UnknownNameError, match="Did you mean 'n2'"):
        consortium.verify(scenario(), organization="n22")


def test_a_witness_from_a_log_writes_the_jobs_out(traced) -> None:
    window = {"trace.start": 0, "trace.duration": 20, "trace.machines": 6}
    record = consortium.verify(traced, property="split", overrides=window)
    if record.manipulation["witness"] is None:
        pytest.fail("this window was chosen because a split gains")
    rows = consortium.check(json.loads(json.dumps(record.to_dict())))
    assert rows
    assert all(row.holds for _, _, row in rows)


def test_half_a_run_is_no_case_of_a_manipulation(monkeypatch) -> None:
    """Ctrl-C inside a run ends the search; the utility at the moment reached is not compared with the whole."""
    calls = []

    def interrupted(*args, **options):
        calls.append(options)
        outcome = simulate(*args, **options)
        return outcome if len(calls) < 4 else dataclasses.replace(outcome, complete=False)

    monkeypatch.setattr(manipulation, "simulate", interrupted)
    record = consortium.verify(scenario("fifo"))
    assert not record.complete
    assert (len(calls), record.manipulation.cases) == (4, 2)
    calls.extend([{}] * 4)
    record = consortium.verify(scenario("fifo"))  # before anything is known
    assert (record.complete, record.manipulation.cases, record.manipulation.max_gain) == (False, 0, None)


def test_after_a_search_that_was_stopped_nobody_else_is_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    from consortium.verbs.sharing import verify

    tried: list[int] = []
    search = verify.best_manipulation

    def stopped(instance: Any, organization: int, **options: Any) -> Any:
        tried.append(organization)
        return replace(search(instance, organization, **options), complete=False)

    monkeypatch.setattr(verify, "best_manipulation", stopped)
    record = consortium.verify("skowron-rzadca2013/delay-that-gains")
    assert tried == [0]
    assert not record.complete


@pytest.mark.parametrize("name", ["limit", "machines", "start", "weights"])
def test_an_option_of_a_log_means_the_same_on_every_verb(name: str) -> None:
    models = [load(verb.options) for verb in kind("sharing").verbs] + [options.Import]
    fields = [model.model_fields[name] for model in models if name in model.model_fields]
    assert len(fields) > 1
    assert len({(field.description, flag_of(field).metavar) for field in fields}) == 1
