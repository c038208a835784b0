"""Who could game a rule: rows by hand, replay, limits, processes, files, words."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import consortium
from consortium.cli.app import app
from consortium.games.sharing.gaming import HABITS, MIXTURE, after
from consortium.games.sharing.presentation import Presentation, Step
from consortium.reports.sharing import text
from consortium.reports.sharing.gaming import gains, limits
from consortium.support.errors import InputError
from consortium.support.intervals import ratio
from consortium.verbs.sharing import gaming
from consortium.verbs.sharing.model import instance_of
from consortium.verbs.sharing.plan import plan_of
from consortium.workloads import Log, write_swf

from .logs import OldestFirst, Turns, ask_gaming, asked, busy_log

SMALL: dict[str, Any] = {"windows": 2, "tries": 14}


def gamed(**options: Any) -> Any:
    return ask_gaming(**SMALL | options)


def told(record: Any) -> list[str]:
    return gains(record.to_dict())


def opened(record: Any) -> list[str]:
    """What stands before the tables."""
    return [sentence.text for sentence in text.audit_gaming(record.to_dict())]


def test_a_few_sentences_stand_before_the_tables() -> None:
    record = gamed(log=busy_log(2), seed=4, machines=4)
    windows, most, habit, *_, lower = opened(record)
    gaining = max(record.organizations, key=lambda row: row.percent.value)
    assert 2 <= len(opened(record)) <= 5
    assert windows.startswith("The log busy.swf was searched in 2 windows of 800 s, chosen at random")
    assert (
        f"{gaining.name} could gain most by presenting its jobs otherwise: {gaining.percent.value:.3g} % more" in most
    )
    assert "without foresight" in habit or "needs no foresight" in habit
    assert f"{sum(row.tried for row in record.organizations):,} presentations" in lower


def test_rows_follow_from_runs() -> None:
    """Each example is run again by its scenarios; numbers relative to work and utility are quotients."""
    log = busy_log(2)
    found = gamed(log=log, seed=4, machines=4)
    plan = plan_of(log, asked(machines=4, duration=800, seed=4))
    assert {row.name for row in found.organizations} == {"atlas", "cms", "bio"}
    assert any(row.gain for row in found.organizations)
    for row in found.organizations:
        mixed = row.moves[-1]
        assert [move.move for move in row.moves] == ["split", "merge", "delay", "pad", MIXTURE]
        assert (mixed.gain, mixed.window, mixed.percent, mixed.earlier) == (
            row.gain,
            row.window,
            row.percent,
            row.earlier,
        )
        if not row.gain:
            continue
        truth, presented = row.replay
        before, lied = (consortium.run(scenario) for scenario in (truth, presented))
        u = [each.name for each in before.organizations].index(row.name)
        assert (row.utility, row.parts) == (before.organizations[u].utility, before.organizations[u].parts)
        assert row.jobs == len(truth["organizations"][u]["jobs"])
        instance = instance_of(plan.window(log, row.window - 1))
        assert [list(job) for job in instance.queue(u)] == [list(job) for job in truth["organizations"][u]["jobs"]]
        steps = (Step(step.move, step.first - 1, step.last, step.amount) for step in row.steps)
        queue = after(Presentation.of(instance, u), tuple(steps))
        assert [list(job) for job in queue.jobs] == [list(job) for job in presented["organizations"][u]["jobs"]]
        if all(step.move != "pad" for step in row.steps):
            assert row.gain == lied.organizations[u].utility - row.utility
        others = [sum(each.utility for i, each in enumerate(run.organizations) if i != u) for run in (before, lied)]
        assert row.others == others[1] - others[0]
        assert row.percent.value == pytest.approx(100 * row.gain / row.utility)
        assert row.earlier.value == pytest.approx(row.gain / row.parts)
        assert mixed.at_most.value >= row.percent.value
        assert not mixed.proved


def test_the_habit_is_the_best_of_all_windows() -> None:
    """Of sums over the windows; what a habit brings in one of them is tested with the search."""
    log = busy_log(2)
    found = gamed(log=log, seed=4, machines=4, tries=len(HABITS))
    plan = plan_of(log, asked(machines=4, duration=800, seed=4))
    names = plan.window(log, 0).names
    searched = gaming.searches(
        lambda i: plan.window(log, i),
        range(2),
        gaming.Rule("fair-share", "fair-share"),
        4,
        tries=len(HABITS),
    ).begun
    for row in found.organizations:
        mine = [one.search for one in searched if names[one.organization] == row.name]
        totals = {habit: sum(search.habits[habit].gain for search in mine) for habit in HABITS}
        best = max(totals.values())
        assert (row.habit is None) == (best <= 0)
        if row.habit is not None:
            assert totals[row.habit.move, row.habit.amount] == best == row.habit.gain
            gains = [100.0 * search.habits[row.habit.move, row.habit.amount].gain for search in mine]
            interval = ratio(gains, [float(search.utility) for search in mine])
            limits = [limit if limit is None else limit.value for limit in (row.habit.low, row.habit.high)]
            assert [row.habit.percent.value, *limits] == pytest.approx([interval.value, interval.low, interval.high])


def test_nothing_depends_on_slices(monkeypatch) -> None:
    """Nor on processes, see the test of audits."""
    alone = gamed(seed=3, tries=14)
    monkeypatch.setattr(gaming, "SLICE", 0)
    assert gamed(seed=3, tries=14) == alone


def test_more_tries_find_no_less() -> None:
    few, many = gamed(machines=3, seed=1, tries=13), gamed(machines=3, seed=1, tries=25)
    for less, more in zip(few.organizations, many.organizations, strict=True):
        assert more.percent.value * 100 >= less.percent.value * 99  # the most of any window
        assert more.tried >= less.tried


def test_own_rules_are_gamed_too() -> None:
    """One's own fifo as the catalogue's, but that nothing is proved of it and nothing written."""
    ours = gamed(rule="fifo", machines=3)
    mine = gamed(rules={"mine": OldestFirst()}, rule="mine", machines=3)
    for own, same in zip(mine.organizations, ours.organizations, strict=True):
        assert own.habit == same.habit
        assert own.utility == same.utility or own.window != same.window
        assert own.replay == ()
        assert same.moves[3].proved
        assert "fixed-order" not in (own.moves[3].proved or ())
    assert any("A custom rule cannot be written into scenarios" in line for line in limits(mine.to_dict()))
    again = gamed(rules={"mine": Turns()}, rule="mine", machines=3)
    assert again == gamed(rules={"mine": Turns()}, rule="mine", machines=3)


def test_a_rule_that_draws_is_looked_at_by_other_lots() -> None:
    found = gamed(rule="rand:samples=3", machines=3)
    gaining = [row for row in found.organizations if row.gain]
    assert gaining
    for row in gaining:
        assert row.elsewhere_low.value <= row.elsewhere.value <= row.elsewhere_high.value
    assert any("draws lots" in line for line in limits(found.to_dict()))
    assert any("by other lots the same gains" in line for line in told(found))
    assert all(row.elsewhere is None for row in gamed(machines=3).organizations)


def test_what_the_cluster_did_cannot_be_asked_again() -> None:
    with pytest.raises(InputError, match="rule: the rule in force is recorded, what the cluster did; expected a rule"):
        gamed(rule="recorded")


def test_an_idle_cluster_is_said_to_be_one() -> None:
    """Jobs of one second, a machine for each: whatever they present, nothing can come earlier."""
    log = Log(
        {"submit": [0, 5, 9, 30], "run": [1, 1, 1, 1], "allocated": [1, 1, 1, 1], "group": [0, 1, 0, 1]},
        header={"MaxProcs": ("4",)},
        labels={"group": {0: "atlas", 1: "cms"}},
    )
    found = gamed(log=log, start=0, duration=20, machines=4)
    assert told(found) == [
        "atlas and cms cannot gain in these windows whatever they present, proved: all work is done as early as all "
        "machines together can do it.",
    ]
    assert opened(found)[1:] == told(found)
    nobody = gamed(log=log, start=12, duration=10, machines=4)
    assert nobody.organizations == ()
    assert "nobody has jobs" in told(nobody)[0]
    assert opened(nobody) == told(nobody)


def test_sentences_of_a_split_that_pays() -> None:
    """One job of 100 s on two machines: halves end after 50."""
    log = Log(
        {"submit": [0], "run": [100], "allocated": [1], "group": [0]},
        header={"MaxProcs": ("2",)},
        labels={"group": {0: "atlas"}},
    )
    record = gamed(log=log, organizations="group", start=0, duration=100, machines=2)
    row, lines = record.organizations[0], told(record)
    assert (row.utility, row.parts, row.jobs, row.window) == (5050, 100, 1, 1)
    assert row.gain >= 2 * sum(range(51, 101)) - 5050
    assert row.alone == row.gain
    assert row.others == 0
    assert lines[0].startswith("atlas could gain 49.5 % more in window 1, its work 25 s earlier on average: ")
    assert "All of it would be gained if nobody else had jobs; the others have neither more nor less" in lines[0]
    assert "cannot gain in these windows by merging, delaying or padding without other moves" in lines[-1]


def test_a_record_replays(stored) -> None:
    data = stored("sharing-audit_gaming")
    rows = consortium.check(data)
    examples = [scenario for row in data["organizations"] for scenario in row["replay"]]
    assert examples
    assert all(row.holds for _, _, row in consortium.check(examples))
    assert not [row for _, _, row in rows if row.holds is not True and row.note != "a measured time"]


def test_a_time_limit_keeps_what_is_known(tmp_path: Path, log_folder: Path) -> None:
    found = CliRunner().invoke(app, ["audit", "gaming", "busy.swf", "--tries", "100000", "--windows", "2", "--json",
                                     "--duration", "800", "--time-limit", "1"])  # fmt: skip
    assert found.exit_code == 3
    data = json.loads(found.stdout)
    assert not data["complete"]
    assert data["organizations"]
    assert all(row["tried"] < 200_000 for row in data["organizations"])


def test_of_a_search_that_was_stopped_it_is_said_what_was_not_searched(log_folder: Path) -> None:
    def stop(done: int, total: int | None, note: str = "") -> None:
        if "presentations" in note:
            raise KeyboardInterrupt

    options: dict[str, Any] = SMALL | {"duration": 800, "tries": 4, "processes": 1}
    stopped, whole = (consortium.audit_gaming("busy.swf", **options, progress=hears) for hears in (stop, None))
    begun, pairs = (sum(row.windows for row in record.organizations) for record in (stopped, whole))
    assert (stopped.complete, begun < pairs, stopped.not_begun) == (False, True, pairs - begun)
    assert told(stopped)[0].startswith(f"Stopped when {begun} of {pairs} searches")
    assert not any("Stopped" in line for line in told(whole))


def test_examples_are_files_that_check(tmp_path: Path, log_folder: Path) -> None:
    folder = tmp_path / "examples"
    options: dict[str, Any] = {"duration": 800, "windows": 1, "tries": 20, "machines": 4}
    record = consortium.audit_gaming("busy.swf", examples=folder, **options)
    files = sorted(folder.iterdir())
    assert len(files) == 2 * sum(row.gain > 0 for row in record.organizations) > 0
    assert all(row.holds for _, _, row in consortium.check([str(file) for file in files]))
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match=r"examples: found .*; expected the path of a folder .*it is no folder"):
        consortium.audit_gaming("busy.swf", examples=tmp_path / "file", **options)


@pytest.mark.usefixtures("log_folder")
def test_the_command_shows_table_and_words() -> None:
    options = ["--tries", "12", "--windows", "1", "--duration", "500"]
    shown = CliRunner().invoke(app, ["audit", "gaming", "busy.swf", *options, "--processes", "1"])
    assert shown.exit_code == 0
    assert "who could game fair-share" in shown.stdout
    assert "A gain found is a lower bound" in shown.stdout


def test_a_file_of_the_name_of_a_subcommand_is_a_log(log_folder: Path) -> None:
    (log_folder / "busy.swf").rename(log_folder / "gaming")
    shown = CliRunner().invoke(app, ["audit", "./gaming", "--windows", "1", "--duration", "500", "--rules", "fifo"])
    assert shown.exit_code == 0
    assert "audit: gaming" in shown.stdout


def test_the_estimate_counts_the_tries(tmp_path: Path) -> None:
    log = tmp_path / "busy.swf"
    write_swf(busy_log(), log)
    few, many = (consortium.estimate("audit_gaming", log, windows=2, duration=800, tries=n) for n in (5, 500))
    assert (few.size, many.size) == (2 * 3 * 5, 2 * 3 * 500)
    assert many.seconds > few.seconds
