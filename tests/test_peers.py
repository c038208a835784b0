"""The page "Beside peers" shows what was measured, and its smallest tasks can be given out to whoever is installed."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

pytest.importorskip("resource", reason="limits of processor time, which Windows has not")
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "benchmarks"))

import peers
from peers_tasks import Beside, Task

SMALLEST = {task.theme: task for task, _ in reversed(list(peers.pairs()))}


def test_the_page_has_the_tables_of_what_was_measured() -> None:
    page = peers.PAGE.read_text()
    assert peers.written(page, peers.kept()) == page


def test_every_row_was_measured_and_no_other() -> None:
    assert list(peers.kept()["rows"]) == [peers.key(task, beside) for task, beside in peers.pairs()]


@pytest.mark.parametrize(
    ("task", "beside"),
    [(task, beside) for task in SMALLEST.values() for beside in task.beside],
    ids=lambda part: part.theme if isinstance(part, Task) else f"{part.peer} {part.call}",
)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # nashpy doubts games of an even number of equilibria
def test_smallest_tasks(task: Task, beside: Beside, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    have, kept = peers.installed(beside.peer), peers.kept()["rows"][peers.key(task, beside)]
    if "missing" in have:
        pytest.skip(have["missing"])
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(peers, "allow", lambda _: None)  # the limit would end this very process
    *_, row = peers.measured(task, beside, 1, 60)
    assert min(row["ours"], row["theirs"]) > 0
    if have["version"] == kept.get("version"):
        assert (row["same"], row["says"]) == (kept["same"], kept["says"]) or row["same"]


def test_a_peer_that_is_not_installed_is_a_row(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(peers.PEERS, "Gambit", ("no_such_module", "pygambit"))
    task, beside = next((task, beside) for task, beside in peers.pairs() if beside.peer == "Gambit")
    row = peers.row_of(task, beside, 1, 1)
    assert peers.cells(row)[-1] == "not installed: `pip install pygambit`"


def test_a_peer_that_does_not_answer_is_killed() -> None:
    def forever(_: object) -> None:
        while True:
            pass

    task, beside = next(peers.pairs())
    row = peers.row_of(task, beside._replace(ask=forever), 1, 1)
    assert peers.cells(row)[1:] == [f"> {peers.seconds(1)}", peers.seconds(row["ours"]), "no answer"]


@pytest.mark.parametrize(
    ("number", "ratio", "seconds"),
    [(1, "1.0", "1.0 s"), (0.0123, "0.012", "12 ms"), (456, "460", "460 s"), (0.00998, "0.010", "10 ms")],
)
def test_two_digits(number: float, ratio: str, seconds: str) -> None:
    assert (peers.ratio(number), peers.seconds(number).replace(peers.SPACE, " ")) == (ratio, seconds)


def test_a_slower_answer_of_ours_is_set_in_bold() -> None:
    row = {"ours": 2.0, "theirs": 1.0, "same": True, "says": "1 of 1"}
    assert peers.cells(row)[0] == "**0.50**"
