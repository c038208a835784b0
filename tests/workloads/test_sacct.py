"""The reader of Slurm accounting dumps: header or not, every odd value by hand, damage, and the published dump."""

from __future__ import annotations

import gzip
import os
import random
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from consortium.support.errors import ConsortiumError, InputError
from consortium.workloads import Log, read_log, replayable
from consortium.workloads.log import HELD, RUNNING, WAITING
from consortium.workloads.sacct import DUMP, parse_sacct

TRACES = os.environ.get("CONSORTIUM_TRACES", "")
NAME = "slurm-sacct-pozidriv.psv.gz"
needs_dump = pytest.mark.skipif(
    not (Path(TRACES or "/nowhere") / NAME).exists(), reason=f"no {NAME} in CONSORTIUM_TRACES"
)
HEADER = "JobID|JobIDRaw|User|Group|Account|Partition|QOS|Submit|Start|Elapsed|State|AllocCPUS|ReqCPUS|Timelimit"


def row(job: str, elapsed: str = "00:01:00", state: str = "COMPLETED", **other: str) -> str:
    values = {
        "JobID": job,
        "JobIDRaw": job,
        "User": "ann",
        "Group": "atlas",
        "Account": "acc",
        "Partition": "p",
        "QOS": "normal",
        "Submit": "2024-01-01T00:00:00",
        "Start": "2024-01-01T00:00:10",
        "Elapsed": elapsed,
        "State": state,
        "AllocCPUS": "2",
        "ReqCPUS": "1",
        "Timelimit": "01:00:00",
    } | other
    return "|".join(values[name] for name in HEADER.split("|"))


def parse(*lines: str, header: str = HEADER) -> Log:
    return parse_sacct([("\n".join([header, *lines]) + "\n").encode()], "tiny.psv")


def reasons(log: Log) -> dict[str, tuple[int, tuple[int, ...]]]:
    return {entry.reason: (entry.count, entry.examples) for entry in log.report.skipped}


def test_columns_by_name_in_any_order() -> None:
    log = parse_sacct([b"State|ncpus|SUBMIT|elapsedraw|User|JobID|\nFAILED|3|1970-01-01T00:01:00|42|bob|9|\n"], "x")
    found = {
        name: int(log.column(name)[0]) for name in ("job", "submit", "run", "allocated", "status", "wait", "group")
    }
    assert found == {"job": 9, "submit": 60, "run": 42, "allocated": 3, "status": 0, "wait": -1, "group": -1}
    assert log.label("user", 0) == "bob"


@pytest.mark.parametrize(
    ("elapsed", "seconds"),
    [("7-20:39:39", 679_179), ("00:00:01", 1), ("05:07", 307), ("1-00:00:00", 86_400), ("00:00:01.250", 1), ("77", 77)],
)
def test_durations(elapsed: str, seconds: int) -> None:
    assert parse(row("1", elapsed)).run.tolist() == [seconds]


@pytest.mark.parametrize(
    ("limit", "seconds"), [("125-00:00:00", 10_800_000), ("Partition_Limit", -1), ("UNLIMITED", -1), ("", -1)]
)
def test_time_limits(limit: str, seconds: int) -> None:
    assert parse(row("1", Timelimit=limit)).column("limit").tolist() == [seconds]


def test_a_raw_time_limit_is_in_minutes() -> None:
    log = parse("1|2024-01-01T00:00:00|60|1|90", header="JobID|Submit|ElapsedRaw|NCPUS|TimelimitRaw")
    assert log.column("limit").tolist() == [5400]


def test_clock_times() -> None:
    assert parse(row("1", Submit="1970-01-02T00:00:00", Start="Unknown")).submit.tolist() == [86_400]
    assert parse(row("1", Submit="1970-01-02T01:00:00+01:00")).submit.tolist() == [86_400]
    assert parse(row("1", Submit="90", Start="100")).column("wait").tolist() == [10]


def test_states_steps_and_requeued_jobs() -> None:
    log = parse(
        row("1"),
        row("1.batch", User=""),
        row("1.extern", User=""),
        row("1.0", User=""),
        row("2", state="CANCELLED by 423120"),
        row("3", state="CANCELLED+", elapsed="00:00:00", Start="Unknown"),
        row("4", state="PENDING", elapsed="00:00:00", Start="Unknown"),
        row("5", state="RUNNING"),
        row("6", state="TIMEOUT"),
        row("7_3", JobIDRaw="1007"),
        row("8+1", JobIDRaw="8+1"),
        row("9_[4-7]", JobIDRaw="9", state="PENDING", elapsed="00:00:00", Start="None"),
        row("1", Start="2024-01-01T05:00:00", elapsed="00:09:00"),
        row("1"),
    )
    assert log.job.tolist() == [1, 2, 3, 4, 5, 6, 1007, 8, 9, 1, 9, 9, 9]
    assert log.column("status").tolist() == [1, 5, 5, -1, -1, 0, 1, 1, -1, 1, -1, -1, -1]
    assert log.run.tolist() == [60, 60, -1, 3600, 60, 60, 60, 60, 3600, 540, 3600, 3600, 3600]
    assert log.column("at_end").tolist() == [-1, -1, -1, WAITING, RUNNING, *[-1] * 3, WAITING, -1, *[WAITING] * 3]
    assert reasons(log) == {
        "job step": (3, (3, 4, 5)),
        "same job and start as an earlier line": (1, (15,)),
    }
    assert replayable(log).job.tolist() == [1, 2, 4, 5, 6, 1007, 8, 9, 1, 9, 9, 9]
    assert log.report.notes == (
        "still running when the dump was made, and counted up to then: 1",
        "still waiting when the dump was made, and believed to last as long as their time limits: 5",
        "no column Eligible: time in dependencies, holds and before begin times counts as waiting",
    )
    assert log.end == 1_704_067_200 + 5 * 3600 + 540


def test_a_completing_job_is_at_its_end() -> None:
    log = parse(row("1", state="COMPLETING"), row("2", state="STAGE_OUT"))
    assert log.run.tolist() == [60, 60]
    assert (log.column("at_end") == -1).all()


def test_a_job_name_may_hold_the_separator() -> None:
    header = "JobID|Submit|JobName|Elapsed|NCPUS"
    log = parse("1|2024-01-01T00:00:00|a|b||c|00:01:00|4", "2|2024-01-01T00:00:00|plain|00:02:00|5", header=header)
    assert log.run.tolist() == [60, 120]
    assert log.processors.tolist() == [4, 5]


def test_names_may_hold_separators_and_line_breaks() -> None:
    header = "JobID|JobName|Submit|Elapsed|NCPUS|Comment"
    lines = (
        "1|two",
        "lines|2024-01-01T00:00:00|00:01:00|4|first",
        "second",
        "2|a|b|c|2024-01-01T00:00:01|00:02:00|5|x|y",
        "3|one",
        "4|whole|2024-01-01T00:00:02|00:03:00|6|",
    )
    for end in ("", "|"):  # as sacct -p writes it
        log = parse(*(line + end for line in lines if not end or line != "second"), header=header + end)
        assert (log.job.tolist(), log.run.tolist()) == ([1, 2, 4], [60, 120, 180])
        assert log.processors.tolist() == [4, 5, 6]
    found = reasons(parse(*lines, header=header))
    assert found == {
        "the rest of a text that a line break cuts": (1, (4,)),
        "found 2 columns, expected 6": (1, (6,)),
    }
    whole = [f"{i}|z|2024-01-01T00:00:02|00:03:00|6|" for i in range(200)]
    log = parse("1|x", *["y"] * 150, *whole, header=header)
    assert (len(log), sum(count for count, _ in reasons(log).values())) == (200, 151)


DATED = HEADER + "|Eligible|Suspended|AllocTRES"


def dated(job: str, eligible: str, suspended: str = "00:00:00", tres: str = "cpu=2", **other: str) -> str:
    return "|".join([row(job, **{"Submit": "10", "Start": "40", "Elapsed": "20", **other}), eligible, suspended, tres])


def test_jobs_wait_from_when_they_are_eligible() -> None:
    never = {"Start": "Unknown", "Elapsed": "00:00:00"}
    log = parse(
        dated("1", "10"),
        dated("2", "30"),
        dated("3", "5"),
        dated("4", "70"),  # never eligible after its start
        dated("5", "Unknown"),
        dated("6", "10", "00:00:07"),
        dated("7", "50", State="CANCELLED by 0", Start="20", Elapsed="0", tres=""),
        dated("8", "12", State="CANCELLED", Start="20", Elapsed="0"),
        dated("9", "30", State="PENDING", **never),
        dated("10", "Unknown", State="PENDING", **never),
        dated("11", "68", State="PENDING", **never),
        dated("12", "67", State="PENDING", **never, Timelimit="UNLIMITED"),
        dated("13", "10", State="REQUEUE_HOLD", **never),
        dated("14_2", "20", JobIDRaw="15", State="RUNNING", Elapsed="27"),
        dated("14_[3-9%3]", "20", JobIDRaw="14", State="PENDING", **never),
        header=DATED,
    )
    found = zip(log.job.tolist(), log.submit.tolist(), log.column("wait").tolist(), log.run.tolist(), strict=True)
    assert list(found)[:9] == [
        *[(1, 10, 30, 20), (2, 30, 10, 20), (3, 10, 30, 20), (4, 40, 0, 20), (5, 10, 30, 20), (6, 10, 30, 20)],
        *[(7, 50, -1, -1), (8, 12, 8, 0), (9, 30, -1, 3600)],
    ]
    assert log.end == 67  # the job that runs since 40 and the suspended one say so
    assert log.job[log.waiting].tolist() == [9, 12, 14, 14]
    assert {reason: count for reason, (count, _) in reasons(replayable(log)).items()} == {
        "waiting for a dependency, a hold, a begin time or a limit of its own array": 3 + 5,
        "waiting, with no time limit that tells how long it may run": 1,
        "cancelled before it ran": 1,
        "run time 0": 1,
    }
    assert log.report.notes == (
        "still running when the dump was made, and counted up to then: 1",
        "still waiting when the dump was made, and believed to last as long as their time limits: 3",
        "eligible (dependencies, holds, begin times) later than submitted, and waiting since: 4",
        "suspended for 7 s together, which is no use: 1",
    )


def test_what_the_last_rows_of_a_dump_say() -> None:
    never = {"Start": "Unknown", "Elapsed": "0"}
    log = parse(
        dated("1", "20", Start="5"),  # a clock set back
        dated("2", "10", "00:00:30", State="SUSPENDED"),
        dated("3", "10", State="REQUEUED", **never),
        dated("4", "Unknown", State="PENDING", **never),
        header=DATED,
    )
    assert (log.submit.tolist(), log.column("wait").tolist()) == ([10, 10, 10, 10], [-5, 30, -1, -1])
    assert (log.end, log.run.tolist()) == (40 + 20 + 30, [20, 20, -1, -1])
    assert log.column("at_end").tolist() == [-1, RUNNING, -1, HELD]


@pytest.mark.parametrize("end", ["", "|"])
def test_a_dump_without_header_line(end: str) -> None:
    cells = dict.fromkeys(DUMP, "") | {"jobid": "7", "submit": "10", "elapsed": "20", "ncpus": "4", "jobname": "a|b"}
    log = parse_sacct([("|".join(cells.values()) + end + "\n").encode()], "x")
    assert (log.job.tolist(), log.run.tolist(), log.processors.tolist()) == ([7], [20], [4])


def test_an_array_of_too_many_tasks() -> None:
    never = {"Start": "Unknown", "Elapsed": "0", "State": "PENDING"}
    log = parse(dated("1", "10"), dated("2_[0-99999999]", "10", **never), header=DATED)
    assert (len(log), reasons(log)) == (1, {"an array of more than 1,000,000 tasks": (1, (3,))})


def test_ill_formed_lines_are_counted() -> None:
    good = [row(str(i)) for i in range(1, 8)]
    log = parse(
        *good,
        "1|2|3",
        row("x"),
        row("20", elapsed="a while"),
        row("21", Submit="yesterday"),
        row("22", AllocCPUS="-4"),
        row("23", elapsed="-00:01:00"),
        "",
    )
    assert len(log) == 7
    assert reasons(log) == {
        "found 3 columns, expected 14": (1, (9,)),
        "the job number is not a number": (1, (10,)),
        "a duration is not [D-]HH:MM:SS": (2, (11, 14)),
        "a clock time is not YYYY-MM-DDTHH:MM:SS": (1, (12,)),
        "a number of processors is not a whole number": (1, (13,)),
    }


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "JobID|User\n1|ann\n",
            "lacks Submit, Elapsed or ElapsedRaw, AllocCPUS or NCPUS or ReqCPUS; make it with sacct",
        ),
        (HEADER + "\n", "no job in it; expected a dump of sacct -P"),
        ("a|b|c\nd|e|f\n", "the first line names no column JobID; expected a dump of sacct -P with its header line"),
        ("JobName|JobID\nx|y\nz|y\n".replace("JobID", HEADER), "2 ill-formed lines and 0 jobs"),
        (HEADER.replace("|", ",") + "\n1,2\n", "columns separated by ','.*use sacct -P"),
        ("      User JobID\n----- -----\n", "of a fixed width, cut off.*use sacct -P"),
        (HEADER + "\n" + row("1", elapsed="00:00:00") + "\n", "no job can be replayed"),
        (HEADER + "\n\0\n", "binary"),
    ],
)
def test_files_that_are_no_dump(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "odd.psv"
    path.write_text(text)
    with pytest.raises(InputError, match=message):
        read_log(path)


def test_blocks_do_not_change_line_numbers() -> None:
    lines = [HEADER, row("1"), row("2"), "bad|line", row("3")]
    text = ("\n".join(lines) + "\n").encode()
    whole = parse_sacct([text], "x")
    parts = [part + b"\n" for part in text.rstrip(b"\n").split(b"\n")]
    assert parse_sacct(parts, "x").report == whole.report
    assert reasons(whole) == {"found 2 columns, expected 14": (1, (4,))}


@settings(deadline=None, max_examples=200)
@given(st.randoms(use_true_random=False), st.sampled_from(["plain", "gzip", "cut"]))
def test_no_input_ends_in_a_traceback(tmp_path_factory: pytest.TempPathFactory, rng: random.Random, how: str) -> None:
    cells = [
        "",
        "7",
        "7.batch",
        "9" * 40,
        "00:01:00",
        "1-00",
        "99999999-00:00:00",
        "2024-13-01T00:00:00",
        "Unknown",
        "é",
    ]
    cells += ["2024-01-01T00:00:00", "0001-01-01T00:00:00+23:59", "-1", "RUNNING", "٣", "0x1", "1e9", "|", "\r"]
    cells += ["PENDING", "SUSPENDED", "CANCELLED by 0", "7_[1-9%2]", "7_[0-9,...]", "two\nlines"]
    texts = "JobName|" + DATED + "|Comment"
    lines = [rng.choice([HEADER, "|".join(DUMP), "JobID|Submit|Elapsed|NCPUS", texts, texts + "|", "x|y"])]
    for _ in range(rng.randrange(6)):
        n = rng.choice([lines[0].count("|") + 1, 26, 3])
        lines.append("|".join(rng.choice(cells) for _ in range(n)))
        if rng.random() < 0.3:
            lines.append(row(str(rng.randrange(5)), rng.choice(["00:00:09", "3", "oops"])))
    path = tmp_path_factory.getbasetemp() / "fuzz.psv"
    data = "\n".join(lines).encode()
    data = data if how == "plain" else gzip.compress(data)
    path.write_bytes(data[: len(data) - 6] if how == "cut" else data)
    try:
        log = read_log(path)
    except ConsortiumError as error:
        named = "fuzz.psv" in str(error)
        assert named  # both outcomes are right; an error must name the file
        return
    assert (log.run > 0).all()
    assert (log.processors > 0).all()


@needs_dump
def test_the_published_dump() -> None:
    """Counted by splitting lines: jobs, users, accounts, sequential jobs, and the longest job."""
    path = Path(TRACES) / NAME
    with gzip.open(path, "rt", encoding="utf-8") as file:
        cells = [line.rstrip("\n").split("|") for line in file]
    ran = [c for c in cells if c[14] != "00:00:00"]
    log = read_log(path)
    assert log.report.read == len(cells) == 11_704
    assert len(log) == len(ran)
    assert log.report.skipped[0].reason == "run time 0"
    for owner, column in (("user", 8), ("account", 5), ("group", 6), ("partition", 3), ("queue", 4)):
        expected = Counter(c[column] for c in ran)
        assert Counter(log.label(owner, code) for code in log.column(owner)) == expected
    assert len({c[8] for c in cells}) == 18
    assert len({c[5] for c in cells}) == 7
    assert int(log.processors.max()) == 80
    assert sum(log.processors.tolist()) == sum(int(c[18]) for c in ran)
