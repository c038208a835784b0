"""One task: its measures, its errors, its limit; and how it is shown."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import consortium
from consortium.parallel.outcomes import Outcome
from consortium.scenarios.scenario import digest
from consortium.studies import reader, running
from consortium.studies.running import Hits, Shard
from consortium.support.progress import Progress

from .examples import BASE, anarchy


def test_a_task_answers_as_the_verb_does() -> None:
    study = reader.load(anarchy())
    for k in (1, 12):
        found = running.outcome(study.text, k)
        scenario = study.instance(study.task(k))
        record = consortium.search(scenario)
        assert (found.status, found.error, found.task) == ("done", None, k)
        assert found.measures == {
            "anarchy": record.to_dict()["price_of_anarchy"],
            "exists": record.equilibria.exists,
        }
        assert json.loads(found.record or "") == {"search": json.loads(json.dumps(record.to_dict()))}
        assert found.digest == digest(scenario.data)
        assert (found.seed, found.varied) == (study.task(k).seed, study.task(k).varied)


def test_the_record_of_a_task_is_proved_again_by_replay() -> None:
    found = running.outcome(reader.load(anarchy()).text, 5)
    assert all(row.holds for _, _, row in consortium.check(json.loads(found.record or "")["search"]))


def test_measures_of_several_verbs_and_of_lists() -> None:
    study = reader.load(anarchy(
        verb=["run", "search"], base=BASE, family=None, vary=None, replicates=1,
        measures={"first": "run:organizations.O1.cost", "exists": "search:equilibria.exists", "no": "run:jobs.9.start"},
    ))  # fmt: skip
    found = running.outcome(study.text, 1)
    run = consortium.run(study.instance(study.task(1))).to_dict()
    cost = next(o["cost"] for o in run["organizations"] if o["name"] == "O1")
    assert found.measures == {"first": cost, "exists": True}
    assert list(json.loads(found.record or "")) == ["run", "search"]


def test_an_instance_that_cannot_be_asked_is_recorded() -> None:
    """The third organization's priority is missing in one cell only: the others are answered."""
    study = reader.again("study", None, reader.load(anarchy()).data | {"vary": {"mechanism.priority": ["jobs", "x"]}})
    found = running.outcome(study.text, 4)
    assert (found.status, found.record, found.measures) == ("failed", None, {})
    assert "mechanism.priority: found 'x'; expected one of" in (found.error or "")


@pytest.mark.parametrize(
    ("raised", "status", "said"),
    [
        (ZeroDivisionError("of mine"), "failed", "ZeroDivisionError: of mine"),
        (MemoryError("3 GiB"), "failed", "not enough memory (3 GiB)"),
        (KeyboardInterrupt("the time limit"), "stopped", "the limit of 5 s per task came before there was an answer"),
    ],
)
def test_whatever_a_verb_raises_is_recorded(
    raised: BaseException, status: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*given: Any, **options: Any) -> Any:
        raise raised

    study = reader.load(anarchy(task_limit=5))
    monkeypatch.setattr(running, "ask", broken)
    found = running.outcome(study.text, 1)
    assert (found.status, found.error) == (status, said)


def test_the_limit_of_a_task_stops_long_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """A verb that only reports its progress is stopped there; one with a time limit is given it."""
    given: list[Any] = []

    def endless(verb: str, source: object, options: Any, *, progress: Progress, door: str) -> Any:
        given.append(options)
        while True:
            progress(1, None)

    study = reader.load(anarchy(task_limit="1/20"))
    monkeypatch.setattr(running, "ask", endless)
    found = running.outcome(study.text, 1)
    assert found.status == "stopped"
    assert 0.05 <= found.seconds < 5
    assert [float(options["time_limit"]) for options in given] == [0.05]


def test_an_answer_that_a_limit_made_incomplete_is_kept() -> None:
    slow = [{"jobs": [7, 9, 11, 13, 17, 19, 23]} for _ in range(6)]
    study = reader.load(anarchy(base={**BASE, "organizations": slow}, family=None, vary=None, task_limit="1/10",
                                options={"method": "cuts"}))  # fmt: skip
    found = running.outcome(study.text, 1)
    assert found.status == "stopped"
    assert json.loads(found.record or "{}")["search"]["complete"] is False
    assert found.error == "search stopped before it had the whole answer (limit: 1/10 s)"


@pytest.mark.parametrize("text", ["0/3", "4/3", "1", "a/b", "1/0", "-1/2"])
def test_a_shard_that_makes_no_sense_is_said(text: str) -> None:
    with pytest.raises(consortium.InputError, match="expected k/n"):
        Shard.parse(text)


@given(st.integers(0, 60), st.integers(1, 7))
def test_shards_are_a_partition(size: int, of: int) -> None:
    numbers = [k for number in range(1, of + 1) for k in Shard(number, of).tasks(size)]
    assert sorted(numbers) == list(range(1, size + 1))


@given(st.lists(st.booleans(), max_size=12), st.integers(1, 3), st.randoms(use_true_random=False))
def test_hits_do_not_depend_on_the_order_of_the_answers(kept: list[bool], wanted: int, rng: Any) -> None:
    """The hits are the first ones in the order of the tasks, known when all before the last of them are."""
    data = anarchy(vary=None, replicates=len(kept) or 1, stop={"when": "exists == false", "hits": wanted})
    hits = Hits(reader.again("study", None, reader.load(data).data), range(1, len(kept) + 1))
    order = list(range(1, len(kept) + 1))
    rng.shuffle(order)
    expected = [k for k, hit in enumerate(kept, 1) if hit][:wanted]
    known: set[int] = set()
    for k in order:
        hits.add(_outcome(k, exists=not kept[k - 1]))
        known.add(k)
        if hits.enough:
            assert set(range(1, expected[-1] + 1)) <= known
            break
    assert hits.numbers == expected
    assert hits.enough == (len(expected) == wanted)


def _outcome(number: int, exists: bool) -> Outcome:
    return Outcome(
        task=number, status="done", seconds=0.0, replicate=number, seed=1, digest="", varied={},
        measures={"exists": exists, "anarchy": None}, error=None, record=None,
    )  # fmt: skip
