"""Windows on the busy cluster against a plain simulator: what ran and waited, psi, waits, what one loses to others.

The simulator reads the log's rows and steps through every second; it shares no code with the package.
"""

from __future__ import annotations

import dataclasses
import random
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from consortium.mechanisms.sharing.instance import SharingInstance
from consortium.mechanisms.sharing.simulation import simulate
from consortium.reports.sharing.text import audit as sentences
from consortium.reports.sharing.verdict import verdict
from consortium.support.errors import InputError
from consortium.verbs.sharing.model import RECORDED, Rule, instance_of
from consortium.verbs.sharing.results import SECONDS, Fair, RuleResult, Waits, WindowResult, losses_of
from consortium.verbs.sharing.store import RESULT
from consortium.verbs.sharing.verdict import LEAST, fairness_row, losses, mattering, wait_rows
from consortium.verbs.sharing.windows import Task, measure
from consortium.workloads import Log, Plan
from consortium.workloads.log import WAITING

from ...mechanisms.sharing import reference as plain
from .logs import OldestFirst, ask, ask_switch, busy_log

RULES = (Rule(RECORDED, RECORDED), Rule("fifo", "fifo"), Rule("own", OldestFirst(), own=True))


class Row(NamedTuple):
    """A job of a log."""

    submit: int
    wait: int
    run: int
    processors: int
    group: int


class Copy(NamedTuple):
    """A sequential job of a window."""

    job: int
    group: int
    release: int
    length: int
    since: int
    recorded: int


def log_of(rows: list[Row]) -> Log:
    names = {"submit": 0, "wait": 1, "run": 2, "allocated": 3, "group": 4}
    return Log({"job": range(len(rows))} | {name: [row[i] for row in rows] for name, i in names.items()}, name="hand")


def window(rows: list[Row], opening: int, duration: int) -> list[Copy]:
    """What the window on the busy cluster is, job by job."""
    found = []
    for job, row in enumerate(rows):
        begun, zero = row.submit + row.wait, opening - 1
        end, since = begun + row.run, row.submit - zero
        if row.submit >= opening + duration or (row.submit < opening and end <= opening):
            continue
        release, length = max(since, 1), row.run
        if begun < opening:
            release, length = 0, end - zero
        found += [Copy(job, row.group, release, length, since, max(begun - zero, 0))] * row.processors
    return found


def served(machines: list[int], queues: list[list[Copy]], until: int) -> plain.Schedule:
    """First come, first served, ties to the first organization."""
    jobs: plain.Jobs = [[copy[2:4] for copy in queue] for queue in queues]
    schedule: plain.Schedule = {}

    def oldest(candidates: list[int]) -> int:
        return min(candidates, key=lambda u: (queues[u][plain.head(jobs, schedule, u)].since, u))

    for t in range(until):
        plain.fill(machines, jobs, tuple(range(len(jobs))), schedule, t, oldest)
    return schedule


def waited(queues: list[list[Copy]], schedule: plain.Schedule, until: int) -> tuple[list[list[int]], list[int]]:
    """How long the jobs of each organization waited that did not run at the opening, and how many wait at the end."""
    times, still = [], []
    for u, queue in enumerate(queues):
        starts: dict[int, list[int]] = {}
        for n, copy in enumerate(queue):
            if copy.release > 0:
                starts.setdefault(copy.job, []).append(schedule.get((u, n), until) - copy.since)
        times.append(sorted(max(each) for each in starts.values()))
        still.append(sum(max(each) == until - queue_since(queue, job) for job, each in starts.items()))
    return times, still


def queue_since(queue: list[Copy], job: int) -> int:
    return next(copy.since for copy in queue if copy.job == job)


def agree(rows: list[Row], start: int, duration: int, shares: list[int]) -> None:
    log, until = log_of(rows), duration + 1
    k = len({row.group for row in rows})
    shares = (shares * k)[:k]
    shares[0] = shares[0] or int(not sum(shares))
    work = Plan(duration, start, None, "group", shares, busy=True).window(log)
    copies = window(rows, rows[0].submit + start, duration)
    queues = [
        sorted((copy for copy in copies if f"group {copy.group}" == name), key=lambda copy: copy.release)
        for name in work.names
    ]
    jobs: plain.Jobs = [[copy[2:4] for copy in queue] for queue in queues]
    result = measure(Task(0, work, RULES, 1))
    assert RESULT.validate_json(RESULT.dump_json(result), strict=True) == result
    assert result.running == sum(copy.release == 0 for copy in copies)
    assert result.waiting == sum(copy.release > 0 and copy.since < 1 for copy in copies)
    early = [len({copy.job for copy in queue if copy.release > 0 and copy.since < 1}) for queue in queues]
    assert list(result.before) == early
    assert result.fair.n_jobs == sum(copy.since >= 1 for copy in copies)
    everybody = tuple(range(k))
    fair = plain.ref(shares, jobs, until)[everybody]
    recorded = {(u, n): copy.recorded for u, queue in enumerate(queues) for n, copy in enumerate(queue)}
    recorded = {key: begun for key, begun in recorded.items() if begun < until}
    first_come = served(shares, queues, until)
    schedules = {"ref": fair, "recorded": recorded, "fifo": first_come, "own": first_come}
    psi = {name: [plain.psi(jobs, each, u, until) for u in everybody] for name, each in schedules.items()}
    parts = [plain.usage(jobs, fair, u, until) for u in everybody]
    assert (list(result.fair.utility), list(result.fair.parts)) == (psi["ref"], parts)
    for label in ("recorded", "fifo", "own"):
        one = result.of(label)
        assert list(one.utility) == psi[label]
        late = [theirs - mine for theirs, mine in zip(psi["ref"], psi[label], strict=True)]
        common = Fraction(sum(late), sum(parts)) if sum(parts) else Fraction(0)
        beyond = [delta - common * part for delta, part in zip(late, parts, strict=True)]
        most = [max(0, min(pair)) for pair in zip(late, beyond, strict=True)]  # later than fair, and than all together
        gains = [max(0, -max(pair)) for pair in zip(late, beyond, strict=True)]
        moved = min(sum(most), sum(gains))
        assert sum(one.losses) == 0
        for loss, up, down in zip(one.losses, most, gains, strict=True):
            assert loss == (Fraction(up * moved, sum(most)) if up else -Fraction(down * moved, sum(gains) or 1))
        assert one.to_others == (Fraction(2 * moved, sum(parts)) if sum(parts) else 0)
        check_waits(one.waits, waited(queues, schedules[label], until))
    check_waits(result.fair.waits, waited(queues, fair, until))


def check_waits(waits: Waits | None, expected: tuple[list[list[int]], list[int]]) -> None:
    assert waits is not None
    assert [sorted(np.frombuffer(times, SECONDS).tolist()) for times in waits.seconds] == expected[0]
    assert list(waits.still) == expected[1]


ROWS = st.lists(
    st.tuples(st.integers(0, 2), st.integers(0, 4), st.integers(1, 5), st.integers(1, 2), st.integers(0, 2)),
    min_size=1,
    max_size=9,
)


@settings(deadline=None, max_examples=40)
@given(ROWS, st.integers(0, 9), st.integers(1, 7), st.lists(st.integers(0, 2), min_size=3, max_size=3))
def test_everything_is_what_a_plain_simulator_finds(
    drawn: list[tuple[int, ...]], start: int, duration: int, shares: list[int]
) -> None:
    rows, clock = [], 100
    for gap, *rest in drawn:
        clock += gap
        rows.append(Row(clock, *rest))
    agree(rows, start, duration, shares)


def test_openings_at_which_jobs_end_start_and_are_submitted() -> None:
    """One job ends and one starts when the window opens, one is submitted then, one runs on, one waits."""
    rows = [Row(0, 0, 10, 1, 0), Row(0, 10, 5, 1, 1), Row(4, 0, 30, 2, 0), Row(5, 9, 4, 1, 1), Row(10, 0, 3, 1, 0)]
    work = Plan(6, 10, None, "group", [2, 2], busy=True).window(log_of(rows))
    assert work.job is not None
    assert work.since is not None
    assert work.recorded is not None
    assert work.job.tolist() == [1, 2, 2, 3, 4]
    assert work.release.tolist() == [1, 0, 0, 1, 1]
    assert work.length.tolist() == [5, 25, 25, 4, 3]
    assert work.since.tolist() == [-9, -5, -5, -4, 1]
    assert work.recorded.tolist() == [1, 0, 0, 5, 1]
    assert (work.until, work.opening, work.load) == (7, 1, 3 / 24)
    for start in range(12):
        agree(rows, start, 6, [2, 2])
        agree(rows[:1] + rows[2:3], start, 6, [1])


def test_what_runs_starts_at_once_under_every_rule() -> None:
    """As it fits, since it did run; in a coalition it waits for machines, first in the queue."""
    log = busy_log(3)
    for index in range(4):
        work = Plan(800, None, None, "group", (30, 40, 30), busy=True).window(log, index)
        instance = instance_of(work)
        ran = instance.release == 0
        assert ran.any()
        for rule in ("ref", "rand", "direct-contribution", "round-robin", "fair-share", "fifo"):
            assert not simulate(instance, rule=rule, until=work.until, seed=1).start[ran].any()


def test_a_job_that_had_not_started_when_the_log_ended_waits() -> None:
    columns = {"submit": [0, 3, 4], "wait": [0, -1, 1], "run": [20, 9, 4], "allocated": [1, 1, 1], "group": [0, 0, 1]}
    log = Log({**columns, "at_end": [-1, WAITING, -1]}, end=12)
    for start, begun in ((2, [0, 2**61 - 1, 4]), (6, [0, 2**61 - 5, 0])):
        work = Plan(4, start, None, "group", [1, 1], busy=True).window(log)
        assert work.recorded is not None
        assert work.recorded.tolist() == begun
        waits = measure(Task(0, work, RULES[:1], 1)).of("recorded").waits
        assert waits is not None
        assert sum(waits.still) == 1


def test_parallel_jobs_kept_whole_open_busy_too() -> None:
    log = busy_log(5)
    work = Plan(800, 900, None, "group", (2, 2, 2), busy=True, whole=True).window(log)
    instance = instance_of(work)
    assert instance.width is not None
    assert instance.since is not None
    ran = instance.release == 0
    for parallel in ("rigid", "easy"):
        if int(ran.sum()) <= 6:
            start = simulate(instance, rule="fifo", until=801, parallel=parallel).start
            assert not start[ran].any()
    assert (instance.estimate == instance.length).all()  # nothing was requested: the run time, what is left of it


# --- the answer -------------------------------------------------------------------------------------------------------


def results(lost: list[list[float]], parts: list[list[int]], waits: list[int]) -> list[WindowResult]:
    """Windows in which organizations lose so much to others under the rule ``now``."""
    found = []
    for index, (losing, work) in enumerate(zip(lost, parts, strict=True)):
        k = len(work)
        times = Waits(tuple(np.array(waits, SECONDS).tobytes() for _ in work), (0,) * k)
        losing = [Fraction(loss).limit_denominator(1000) * part for loss, part in zip(losing, work, strict=True)]
        rule = RuleResult("now", (0,) * k, tuple(work), Fraction(0), None, 0.0)
        rule = dataclasses.replace(rule, losses=tuple(losing), waits=times)
        fair = Fair(1, (Fraction(0),) * k, tuple(map(int, losing)), tuple(work), times)
        lengths = tuple(np.ones(len(waits), SECONDS).tobytes() for _ in work)
        names = tuple("abcdef"[:k])
        found.append(
            WindowResult(index, 100 * index, 1.0, names, (1,) * k, fair, (rule,), None, 0, 0, 100, lengths, (1,) * k)
        )
    return found


def answer(lost: list[list[float]], waits: list[int] | None = None, parts: list[list[int]] | None = None) -> Any:
    return fairness_row(results(lost, parts or [[100] * len(each) for each in lost], waits or [0]), "now", ())


def test_the_answer_follows_from_losses_and_the_tolerance() -> None:
    sure = [[300 + i % 3, -300 - i % 3] for i in range(8)]
    row = answer(sure)
    assert (row.answer, row.loser, row.gainer, row.windows, row.tolerance.value) == ("unfair", "a", "b", None, LEAST)
    assert answer(sure, waits=[9**9, 5000]).answer == "fair"  # less than a tenth of what new jobs wait
    assert answer([[5 + i % 3, -5 - i % 3] for i in range(8)]).answer == "fair"
    assert answer([[0.0, 0.0]] * 3).answer == "fair"
    one = answer([[300, -300]])
    assert (one.answer, one.windows) == ("open", None)
    scattered = answer([[1000 * (-1) ** i + 100, -1000 * (-1) ** i - 100] for i in range(8)])
    assert scattered.answer == "open"
    assert scattered.windows > 8
    few = answer([[300 + i % 3, -3 - i % 3, 0] for i in range(8)], parts=[[1, 200, 1]] * 8)
    assert (few.answer, few.matter) == ("fair", ("b",))  # who has less than a hundredth of the work is not asked
    nothing = answer([[0.0, 0.0]] * 3, parts=[[0, 0]] * 3)
    assert (nothing.answer, nothing.matter, nothing.loser) == ("open", (), None)
    assert fairness_row([], "now", ()) is None


def delayed(late: list[list[int]], parts: list[int], waits: int, parallel: bool = False) -> Any:
    """The answer where work is done so much later than fair, whoever's doing that is."""
    windows = results([[*map(float, each)] for each in late], [parts] * len(late), [0, waits])
    for i, window in enumerate(windows):
        rule = dataclasses.replace(window.rules[0], losses=losses_of(window.rules[0].utility, window.fair))
        windows[i] = dataclasses.replace(window, rules=(rule,))
    return fairness_row(windows, "now", (), parallel=parallel)


def test_whoever_is_held_to_few_machines_on_an_idle_cluster_is_not_treated_fairly() -> None:
    """What all lose together is spread over everybody's work, and so it hides who alone loses it."""
    idle = [[28_000 + i, 0] for i in range(8)]
    row = delayed(idle, [2_000, 100], 28_000)
    assert (row.answer, row.held, row.loser, row.gainer) == ("unfair", "a", None, None)  # and nobody gains it
    wide = delayed(idle, [2_000, 100], 28_000, parallel=True)
    assert (wide.answer, wide.held) == ("open", "a")  # its jobs may have waited for several machines
    together = delayed([[28_000 + i, 28_000 - i] for i in range(8)], [2_000, 100], 28_000)
    assert (together.answer, together.held) == ("fair", None)  # it is everybody's
    early = delayed([[28_000 + i, -600 - i] for i in range(8)], [2_000, 100], 28_000)
    assert (early.answer, early.held, early.gainer) == ("unfair", "a", "b")
    unsure = delayed([[28_000 + i, 28_000 * (i % 2)] for i in range(8)], [2_000, 100], 28_000)
    assert (unsure.answer, unsure.held) == ("open", "a")
    assert unsure.windows > 8
    small = delayed([[i % 3, 0] for i in range(8)], [2_000, 100], 28_000)
    assert (small.answer, small.held) == ("fair", None)


def test_the_verdict_says_that_machines_were_idle() -> None:
    """One owner runs a job at a time by a limit, the other whatever it has; there are six machines."""
    rows = []
    for day in range(0, 8_000, 1_000):
        rows += [Row(day + 10, 120 * i, 120, 1, 0) for i in range(5)] + [Row(day + 20, 0, 60, 1, 1)]
    record = ask(log=log_of(rows), consecutive=True, duration=1_000, rules=["fifo"], shares=[3, 3])
    first, *others = verdict(record.to_dict())
    assert first.startswith("Not fair, as the cluster was run: the work of group 0 was done 4 min later than fair (")
    assert first.endswith(
        "than 1 min, below which nobody would notice, and nobody gains it: its jobs wait while machines are idle (a "
        "limit on it, a partition, a reservation)."
    ), first
    assert "gains most" not in "".join(others)
    assert "parallel" not in "".join(others)


def test_more_windows_than_the_log_holds_are_not_promised() -> None:
    scattered = results([[1000 * (-1) ** i + 100, -1000 * (-1) ** i - 100] for i in range(8)], [[100, 100]] * 8, [0])
    held = {disjoint: fairness_row(scattered, "now", (), disjoint).disjoint for disjoint in (9, 10_000)}
    assert held == {9: 9, 10_000: None}
    record = ask(windows=3).to_dict()
    changed = {"answer": "open", "loser": record["organizations"][0]["name"], "windows": 70, "disjoint": 4}
    told = verdict(record | {"fairness": {**record["fairness"], **changed}})[0]
    assert told.endswith(
        "About 70 windows would tell, if others scatter like these; the log holds 4 without overlap: take a longer one."
    )
    assert ask(windows=3).fairness.disjoint in (None, 4)


def test_the_farthest_is_that_of_all_that_is_compared() -> None:
    rows = [row.rule for row in ask(rules=["fifo"]).rows]
    assert rows == ["recorded", "fifo"]
    far = ask(rules=["fifo"]).to_dict()
    far["rows"][0]["values"]["to_others"], far["rows"][1]["values"]["to_others"] = 90.0, 30.0
    text = " ".join(sentence.text for sentence in sentences(far))
    assert (
        "nearest to fair is fifo (30 s lost to or gained from others on average), farthest recorded (1 min 30 s)"
        in text
    )


def test_so_many_windows_do_tell() -> None:
    """As many as were said, scattered alike."""
    rng = random.Random(4)
    for _ in range(20):
        base = [(rng.uniform(-400, 600)) for _ in range(6)]
        row = answer([[x, -x] for x in base])
        if row.answer != "open" or row.windows is None or row.windows > 20_000:
            continue
        times = -(-row.windows // 6) + 1
        assert answer([[x, -x] for x in base * times]).answer != "open"


def test_limits_hold_for_all_who_matter_together() -> None:
    two = results([[300 + i % 3, -300 - i % 3] for i in range(8)], [[100, 100]] * 8, [0])
    four = results([[300 + i % 3, -300 - i % 3, 0, 0] for i in range(8)], [[100] * 4] * 8, [0])
    widths = [losses(each, "now")[0].interval for each in (two, four)]
    assert [len(mattering(each)) for each in (two, four)] == [2, 4]
    assert widths[1].high - widths[1].value > widths[0].high - widths[0].value > 0
    assert losses(two, "now")[0].confidence == pytest.approx(0.975)


def test_waits_are_pooled_job_by_job() -> None:
    (row, *_) = wait_rows(results([[0, 0]] * 3, [[100, 100]] * 3, [0, 10, 20, 90]), "now")
    assert (row.jobs, row.wait.value, row.wait_median.value) == (12, 30, 15)
    assert row.slowdown.value == pytest.approx((1 + 1.1 + 2.1 + 9.1) / 4)  # run times of a second count as ten
    assert (row.share.value, row.usage.value, row.fair_wait.value) == (0.5, 0.5, 30)


# --- and in an audit --------------------------------------------------------------------------------------------------


def test_recorded_is_a_rule_like_others_and_in_force_where_starts_are_known() -> None:
    record = ask(rules=["fair-share"])
    assert (record.rule, [row.rule for row in record.rows]) == ("recorded", ["recorded", "fair-share"])
    assert [row.rule for row in record.differences] == ["fair-share"]
    assert record.fairness.busy == record.rows[0].values["utilization"]
    assert all(row.running + row.waiting > 0 for row in record.windows)
    unknown = ask(log=busy_log(wait=False), rules=["fifo"])
    assert (unknown.rule, unknown.fairness.busy) == ("fair-share", None)
    whole = {row["rule"]: row["values"]["to_others"] for row in ask(rules=None, windows=2).rows}
    assert len(whole) == 10


def test_a_switch_may_ask_onwards_from_what_happened() -> None:
    record = ask_switch("fifo", rule="recorded", machines=6)
    assert record.rule == "recorded"
    assert [row.rule for row in record.differences] == ["fifo"]
    with pytest.raises(InputError, match="what the cluster did, to which nobody can change"):
        ask_switch("recorded", rule="fifo")


def test_the_first_come_is_first_served_though_all_wait_when_the_window_opens() -> None:
    """All that waited is released at one moment; fifo knows from when on each waits."""
    instance = SharingInstance.from_columns([1, 1], [0, 1, 1], [1, 1, 1], [5, 5, 5], since=[-1, -9, -5])
    assert simulate(instance, rule="fifo", until=20).start.tolist() == [6, 1, 1]


def test_a_cluster_that_serves_first_come_first_served_is_recorded_as_fifo() -> None:
    """To the unit, in every window, though it was made without a window: the opening loses nothing."""
    rng, free, rows = random.Random(8), [0] * 3, list[Row]()
    for submit in sorted(rng.randrange(4_000) for _ in range(120)):
        begun, run = max(submit, min(free)), rng.randint(1, 250)
        free[free.index(min(free))] = begun + run
        rows.append(Row(submit, begun - submit, run, 1, rng.randrange(3)))
    plan = Plan(500, None, None, "group", (1, 1, 1), busy=True)
    for index in range(12):
        result = measure(Task(index, plan.window(log_of(rows), index), RULES[:2], 1))
        assert result.of("recorded").utility == result.of("fifo").utility
        assert result.of("recorded").waits == result.of("fifo").waits
