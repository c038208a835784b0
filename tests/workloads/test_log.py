"""The log in columns: what can be replayed, how columns are kept, and sums of large numbers."""

from __future__ import annotations

import numpy as np
import pytest

from consortium.support.errors import InputError, UnknownNameError
from consortium.workloads import Log, by_column, replayable
from consortium.workloads.log import HELD, RUNNING, WAITING, narrow
from consortium.workloads.swf import parse_swf

from .test_swf import line, parse, reasons


def test_what_can_be_replayed() -> None:
    text = "\n".join(
        [
            line(1, 9, 5, 2),
            line(2, 3, -1, 0, -1),
            line(3, 4, 0),
            line(4, -1, 7),
            line(5, 4, -7),
            line(6, 4, 7, -1),
            line(7, 4, 7, -1, f8=3),
            line(8, 9, 8, f11=5),
            line(8, 9, 3, f11=2),
        ]
    )
    log = parse(text + "\n")
    ready = replayable(log)
    assert ready.job.tolist() == [7, 1, 8]  # sorted by submission, equal moments as in the file; cancelled jobs ran
    assert ready.processors.tolist() == [3, 2, 1]
    assert reasons(ready) == {
        "job number seen before": (1, (9,)),
        "never ran (run time -1)": (1, (2,)),
        "negative run time": (1, (5,)),
        "run time 0": (1, (3,)),
        "negative submission time": (1, (4,)),
        "number of processors unknown": (1, (6,)),
    }
    assert (ready.report.read, ready.report.kept) == (8, 3)
    assert ready.report.notes[0].startswith("submissions were not in order in 1 places")
    counted = replayable(log, zero="one")
    assert counted.job.tolist() == [3, 7, 1, 8]
    assert counted.run[0] == 1
    assert "run time 0 counted as 1 second in 1 jobs" in counted.report.notes
    with pytest.raises(UnknownNameError, match="zero"):
        replayable(log, zero="two")  # type: ignore[arg-type]


def test_jobs_that_have_not_ended() -> None:
    log = Log(
        {
            "job": [1, 2, 3, 4, 5, 6],
            "submit": [0, 5, 6, 7, 8, 9],
            "wait": [2, -1, -1, -1, -1, -1],
            "run": [30, 60, -1, -1, -1, -1],
            "allocated": [4, 2, 1, 1, 1, 1],
            "status": [-1, -1, -1, -1, 5, -1],
            "at_end": [RUNNING, WAITING, HELD, WAITING, -1, -1],
        },
        end=32,
    )
    ready = replayable(log)
    assert (ready.job.tolist(), ready.waiting.tolist(), ready.end) == ([1, 2], [False, True], 32)
    assert ready.peak_processors() == 4  # nobody knows whether the waiting one would have found room
    assert {each.reason: each.examples for each in ready.report.skipped} == {
        "waiting for a dependency, a hold, a begin time or a limit of its own array": (3,),
        "waiting, with no time limit that tells how long it may run": (4,),
        "cancelled before it ran": (5,),
        "never ran (run time -1)": (6,),
    }


@pytest.mark.parametrize(
    ("maximum", "found"),
    [("; MaxProcs: 140", 140), ("; MaxProcs: unknown\n; MaxNodes: 9", 9), ("; MaxProcs: 0", None), ("", None)],
)
def test_machine_size(maximum: str, found: int | None) -> None:
    assert parse(f"{maximum}\n{line(1, 0, 1)}\n").max_processors() == found


def test_columns_cannot_be_written() -> None:
    log = parse(line(1, 0, 5) + "\n")
    with pytest.raises(ValueError, match="read-only"):
        log.run[0] = 3
    with pytest.raises(TypeError, match="assignment"):
        log.columns["run"] = [3]  # type: ignore[index]
    with pytest.raises(UnknownNameError, match="Did you mean 'run'"):
        log.column("runs")
    with pytest.raises(InputError, match="one length"):
        Log(columns={"run": [1], "submit": [1, 2]})


def test_sums_over_a_log_of_large_numbers_are_exact() -> None:
    """18 digits are read; the sum of ten of them leaves int64, and floats would tie what differs by one."""
    most = 10**18 - 1
    log = Log({"submit": [0] * 12, "wait": [0] * 12, "run": [1] * 12, "allocated": [most] * 12, "group": [0] * 12})
    assert log.peak_processors() == 12 * most
    runs = [2**60, 1, 2**60, 2]
    ranked = Log({"submit": range(4), "run": runs, "allocated": [1] * 4, "group": [0, 0, 1, 1]})
    assert by_column(ranked, "group").names == ("group 1", "group 0")
    heavy = Log(
        {"submit": range(4), "run": [most] * 4, "allocated": [most, most - 1, most, most], "group": [0, 0, 1, 1]}
    )
    assert by_column(heavy, "group").names == ("group 1", "group 0")


def test_columns_are_kept_narrow_and_shown_as_int64() -> None:
    rng = np.random.default_rng(5)
    for bits in (1, 7, 8, 15, 16, 31, 32, 62):
        values = rng.integers(-(2**bits), 2**bits, 20)
        values[:2] = -(2**bits), 2**bits - 1
        column = narrow(values)
        assert column.dtype.itemsize * 8 == next(w for w in (8, 16, 32, 64) if bits < w)
        shown = Log({"run": column}).column("run")
        assert shown.dtype == np.int64
        assert shown.tolist() == values.tolist()
        assert not shown.flags.writeable
        values[0] = 0
        assert shown[0] == -(2**bits)  # a copy


def test_sums_of_narrow_columns_do_not_wrap() -> None:
    """127 s and 127 s fit one byte each, and the moment they end does not."""
    line = b"1 127 127 127 127 -1 -1 -1 -1 -1 1 1 1 -1 -1 -1 -1 -1\n"
    log = parse_swf([line])
    assert log.kept("submit").dtype == np.int8
    assert (log.submit + log.run + log.processors).tolist() == [381]
    assert (log.columns["wait"] * log.columns["wait"]).tolist() == [127 * 127]
    assert log.peak_processors() == 127
