"""Who could game a rule: rows by hand, replay, limits, processes, files, words."""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import consortium
from consortium.cli.app import app
from consortium.games.sharing.gaming import HABITS, MIXTURE, after
from consortium.games.sharing.presentation import ALL_MOVES, Presentation, Step
from consortium.reports.sharing import text
from consortium.reports.sharing.gaming import _expense, above, gains, limits
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
    assert "A gain in a window is exact, the same jobs replayed, so it has no limits" in lower
    assert f"More than {above(gaining.moves[-1].at_most.value)} % no presentation can gain in any window." in most
    unbounded = record.to_dict()
    for row in unbounded["organizations"]:
        row["moves"][-1]["at_most"] = None
    assert any("What nobody can exceed is not known in per cent: in a window it has nothing" in line
               for line in gains(unbounded))  # fmt: skip


def test_rows_follow_from_runs() -> None:
    """Each example is run again by its scenarios; numbers relative to work and utility are quotients."""
    log = busy_log(2)
    found = gamed(log=log, seed=4, machines=4)
    plan = plan_of(log, asked(machines=4, duration=800, seed=4))
    assert {row.name for row in found.organizations} == {"atlas", "cms", "bio"}
    assert any(row.gain for row in found.organizations)
    for row in found.organizations:
        mixed = row.moves[-1]
        assert [move.move for move in row.moves] == [*ALL_MOVES, MIXTURE]
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
        assert row.held == sum(release <= 1 for release, _ in truth["organizations"][u]["jobs"])
        instance = instance_of(plan.window(log, row.window - 1).by_name())
        assert [list(job) for job in instance.queue(u)] == [list(job) for job in truth["organizations"][u]["jobs"]]
        steps = (Step(step.move, step.first - 1, step.last, step.amount) for step in row.steps)
        queue = after(Presentation.of(instance, u), tuple(steps))
        names = (u, len(lied.organizations) - 1) if queue.second.any() else (u,)
        listed = [list(job) for name in names for job in presented["organizations"][name]["jobs"]]
        assert sorted(listed) == sorted(list(job) for job in queue.jobs)
        rest = [[each for i, each in enumerate(run.organizations) if i not in names] for run in (before, lied)]
        if all(step.move != "pad" for step in row.steps):
            assert row.gross == sum(lied.organizations[name].utility for name in names) - row.utility
            assert row.received == sum(lied.organizations[name].parts for name in names)
        assert row.others == sum(after.utility - each.utility for each, after in zip(*rest, strict=True))
        later = {each.name: (each.utility - after.utility, each.parts) for each, after in zip(*rest, strict=True)}
        assert {payer.name for payer in row.payers} == {name for name, (_, parts) in later.items() if parts}
        for payer in row.payers:
            cost, parts = later[payer.name]
            assert payer.later.value == pytest.approx(cost / parts)
        assert 0 < row.gain <= min(row.gross - max(0, row.alone), row.gross_ended - max(0, row.alone_ended))
        assert row.percent.value == pytest.approx(100 * row.gain / row.utility)
        assert row.earlier.value == pytest.approx((row.gross - max(0, row.alone)) / row.parts)
        assert mixed.at_most.value >= row.percent.value
        assert not mixed.proved


def test_the_habit_is_the_best_of_all_windows() -> None:
    """Of sums over the windows; what a habit brings in one of them is tested with the search."""
    log = busy_log(2)
    found = gamed(log=log, seed=4, machines=4, tries=len(HABITS))
    plan = plan_of(log, asked(machines=4, duration=800, seed=4))
    names = plan.window(log, 0).by_name().names
    searched = gaming.searches(
        lambda i: plan.window(log, i).by_name(),
        range(2),
        gaming.Rule("fair-share", "fair-share"),
        4,
        tries=len(HABITS),
    ).begun
    for row in found.organizations:
        mine = [one.search for one in searched if names[one.organization] == row.name]
        totals = {habit: sum(search.habits[habit].net for search in mine) for habit in mine[0].habits}
        best = max(totals.values())
        assert (row.habit is None) == (best <= 0)
        if row.habit is not None:
            assert totals[row.habit.move, row.habit.amount] == best == row.habit.gain
            gains = [100.0 * search.habits[row.habit.move, row.habit.amount].net for search in mine]
            assert row.habit.percent.value <= row.percent.value
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
    found = gamed(rule="rand:samples=3", machines=3, tries=40, seed=0)
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


def test_copies_are_no_jobs_that_a_user_has_and_gains_may_be_longer_than_a_window() -> None:
    record = gamed(rule="fair-share")
    assert record.parallel_jobs is not None
    data = record.to_dict()
    assert any("fair-share runs a parallel job as copies of one machine each" in line for line in limits(data))
    assert not any("longer than the window" in line for line in limits(data))
    data["organizations"][0]["earlier"] = data["plan"]["duration"] + 1.0
    assert any("it may be longer than the window" in line for line in limits(data))
    whole = gamed(rule="fair-share:parallel=easy").to_dict()
    assert not any("copies of one machine" in line for line in limits(whole))


def test_a_split_on_idle_machines_is_no_gaming() -> None:
    """One job of 100 s on two machines: halves end after 50, which nobody pays."""
    log = Log(
        {"submit": [0], "wait": [0], "run": [100], "allocated": [1], "group": [0]},
        header={"MaxProcs": ("2",)},
        labels={"group": {0: "atlas"}},
    )
    record = gamed(log=log, organizations="group", start=0, duration=100, machines=2)
    row, lines = record.organizations[0], told(record)
    assert (row.gain, row.window, row.habit) == (0, None, None)
    assert row.idle.value == pytest.approx(100 * 2500 / 5050)
    assert "atlas: nothing that was tried pays" in lines[0]
    assert "49.5 % more it would also have if nobody else had jobs" in lines[0]
    assert "cannot gain in these windows by merging, delaying, padding or a second account without" in lines[-1]


SIGNS = (-60.0, 0.0, 60.0)


def some_row(earlier: float | None, alone: int, more: int, payers: list[tuple[float | None, float]]) -> dict[str, Any]:
    proved = {"proved": None, "at_most": 50.0, "searched": True, "move": MIXTURE}
    return {
        "name": "atlas", "gain": 9, "percent": 9.0, "earlier": earlier, "earlier_ended": 60.0, "alone": alone,
        "utility": 100, "window": 1, "jobs": 3, "held": 1, "parts": 100, "received": 100 + more, "idle": 5.0,
        "tried": 7, "windows": 1, "moves": [proved], "habit": None,
        "steps": [{"move": "split", "first": 2, "last": 3, "amount": 2}],
        "payers": [{"name": name, "later": now, "later_ended": then}
                   for name, (now, then) in zip(("cms", "bio"), payers, strict=False)],
    }  # fmt: skip


def test_no_sentence_contradicts_itself() -> None:
    """Every combination of signs of what is gained, and of what two others lose in the window and in the end."""
    pairs = [(now, then) for now in (*SIGNS, None) for then in SIGNS]
    several = [[], *([pair] for pair in pairs), *([one, two] for one in pairs for two in pairs)]
    for earlier, alone, more, payers in itertools.product((60.0, None), (-9, 0, 9), (-9, 0, 9), several):
        row = some_row(earlier, alone, more, payers)
        line = gains({"organizations": [row], "not_begun": 0})[0]
        assert "could gain 9 % more" in line
        assert "all 2 jobs that come in the window" in line
        assert ("nobody else had jobs, 9 % in the window, is not counted" in line) == (alone > 0)
        received = {-9: "9 % less machine time", 0: "with as much machine time", 9: "9 % more machine time"}
        assert [text in line for text in received.values()] == [sign == more for sign in received]
        ended = [name for name, (_, then) in zip(("cms", "bio"), payers, strict=False) if then > 0]
        now = [name for name, (now, _) in zip(("cms", "bio"), payers, strict=False) if (now or 0) > 0]
        assert ("Nobody else pays" in line) == (not ended and not now)
        paying = ended or now
        if paying:
            where = "when all jobs have run to their end" if ended else "in the window"
            assert f"{paying[0]} pays{' most' if paying[1:] else ''}: a second of its work is done 1 min later" in line
            assert line.split("1 min later ")[1].startswith(where)
            assert ("bio pays less" in line) == (len(paying) == 2)
        assert "% as much" not in line
    habits = {(now, then): _expense(now, then) for now in (-1, 0, 1) for then in (-1, 0, 1)}
    assert len(set(habits.values())) == 9
    assert all(("lose" in text) == (-1 in signs) for signs, text in habits.items())
    assert all(("gain" in text) == (1 in signs) for signs, text in habits.items())


def test_parallel_jobs_are_gamed_whole_under_backfilling() -> None:
    """Moves on parallel jobs, walltimes among them; what is written replays."""
    log = busy_log(2)
    columns = {name: log.column(name) for name in ("job", "submit", "wait", "run", "allocated", "user", "group")}
    log = Log(columns | {"limit": 2 * log.run}, header=log.header, labels=log.labels, name=log.name)
    found = gamed(log=log, rule="fair-share:parallel=easy", machines=4, windows=1, tries=60)
    assert all(move.searched and "no-estimates" not in (move.proved or ())
               for row in found.organizations for move in row.moves)  # fmt: skip
    examples = [scenario for row in found.organizations for scenario in row.replay]
    assert any(isinstance(job, Mapping) for part in examples[0]["organizations"] for job in part["jobs"])
    assert all(row.holds for _, _, row in consortium.check(examples))


def test_examples_keep_the_qos_of_jobs() -> None:
    log = busy_log(2)
    columns = {name: log.column(name) for name in ("job", "submit", "wait", "run", "allocated", "user", "group")}
    log = Log(columns | {"queue": log.job % 3}, header=log.header, labels=log.labels, name=log.name)
    found = gamed(log=log, rule="multifactor:age=1:qos=900", qos={"queue 1": 5, "queue 2": 9}, start=0, tries=40)
    examples = [scenario for row in found.organizations for scenario in row.replay]
    assert {example["mechanism"]["max_qos"] for example in examples} == {9}
    assert {job["qos"] for part in examples[0]["organizations"] for job in part["jobs"]} <= {0, 5, 9}
    assert all(row.holds for _, _, row in consortium.check(examples))


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
    folder = tmp_path / "new" / "examples"
    options: dict[str, Any] = {"duration": 800, "windows": 1, "tries": 20, "machines": 4}
    record = consortium.audit_gaming("busy.swf", examples=folder, **options)
    files = sorted(folder.iterdir())
    assert len(files) == 2 * sum(row.gain > 0 for row in record.organizations) > 0
    assert all(row.holds for _, _, row in consortium.check([str(file) for file in files]))
    assert gaming._save(record.organizations, str(folder)) is None  # over those of before
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
