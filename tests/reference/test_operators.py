"""Job control: triggers compose operators, and the four printed definitions fail their texts."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from consortium.scheduling.allocations import Allocation
from consortium.scheduling.clusters import Cluster
from consortium.support.errors import InputError

from .operators import (
    OPERATORS,
    PRINTED,
    Status,
    close,
    early,
    extended_stay,
    first_split_return,
    gap,
    postpone,
    reduced_power,
    renice,
)
from .work import WorkAllocation, WorkFunction

HALF = Fraction(1, 2)


def two_jobs(first: int = 1, second: int = 2, power: int = 1) -> Status:
    return Status.start(Allocation(((0, 1),)), Cluster.of([power]), [first, second])


def test_extended_stay_moves_the_dependents_and_cuts_whoever_is_running() -> None:
    """Two jobs share the machine; when one stays longer, the other waits in the middle of its work."""
    shared = WorkAllocation(Cluster.of([1]), (0, 0), (WorkFunction.of([(0, 2, HALF)]), WorkFunction.of([(0, 4, HALF)])))
    after = extended_stay(Status(shared, shared.ends), 0, 3)
    assert after.work.functions[0].pieces == ((0, 5, HALF),)
    assert after.work.functions[1].pieces == ((0, 2, HALF), (5, 7, HALF))
    assert after.outputs == (5, 7)


def test_operators_do_not_cross_machines() -> None:
    status = Status.start(Allocation(((0,), (1, 2))), Cluster.of([1, 1]), [1, 1, 1])
    for changed in (extended_stay(status, 0, 4), renice(status, 0, HALF, 1, 3), postpone(status, 0, 1, 9, 3)):
        assert changed.work.functions[1:] == status.work.functions[1:]
        assert changed.outputs[1:] == status.outputs[1:]


def test_postpone_is_close_after_gap_after_extended_stay() -> None:
    """POST = CLOSE(r, r + x) o GAP(r, s) o ES(x) when s is not before the end of the machine plus x."""
    status, x = two_jobs(), Fraction(3)
    r, s = Fraction(1), Fraction(6)
    composed = close(gap(extended_stay(status, 0, x), 0, r, s), 0, r, r + x)
    direct = postpone(status, 0, r, s, theta=4)
    assert composed.work == direct.work
    assert direct.outputs == (9, 3)


def test_early_after_a_delay() -> None:
    late = Status(two_jobs().work, (Fraction(7), Fraction(8)))
    assert early(late, 1).outputs == (7, 3)


def test_printed_renice_runs_at_full_share_and_deletes_the_dependents() -> None:
    after = PRINTED["RN"](two_jobs(), 0, HALF, 1, 2)
    assert after.work.functions[0].pieces == ((0, 2, 1),)  # its text: at half the share until 3
    assert after.work.functions[1].pieces == ()  # its text: the others still run
    assert after.outputs[0] == math.inf
    repaired = OPERATORS["RN"](two_jobs(), 0, HALF, 1, 2)
    assert repaired.work.functions[0].pieces == ((0, 1, 1), (1, 3, HALF))
    assert repaired.work.fulfils([2, 2])


def test_printed_gap_lets_two_jobs_run_at_once() -> None:
    """Machine 1 reads the end of job 1, which is long before the end of the machine."""
    with pytest.raises(InputError, match="machine 1 is used by 2"):
        PRINTED["GAP"](Status.start(Allocation(((0, 1, 2),)), Cluster.of([1]), [1, 2, 2]), 1, 2, 3)
    repaired = gap(Status.start(Allocation(((0, 1, 2),)), Cluster.of([1]), [1, 2, 2]), 1, 2, 3)
    assert repaired.work.functions[1].pieces == ((1, 2, 1), (5, 6, 1))


def test_printed_close_does_the_head_of_a_remainder_twice() -> None:
    """Job 1 returns at 5; job 2 ends 4 early, a longer gap than from the end of the rest of the queue to the return."""
    status = postpone(Status.start(Allocation(((0, 1),)), Cluster.of([1]), [1, 4]), 0, 1, release=5, theta=3)
    assert first_split_return(status, 0) == 5
    idle = reduced_power(status, 1, 0, 2)
    twice = PRINTED["CLOSE"](idle, 0, 2, 5)
    assert twice.work.work(0) == 5  # 3 of work are missing nowhere: two of them are done twice
    assert twice.work.functions[0].pieces == ((0, 1, 1), (2, 4, 1), (5, 7, 1))
    once = OPERATORS["CLOSE"](idle, 0, 2, 5)
    assert once.work == idle.work


def test_printed_postpone_goes_on_at_once_and_deletes_the_dependents() -> None:
    after = PRINTED["POST"](two_jobs(), 0, 1, 9, 2)
    assert after.work.functions[0].pieces == ((0, 2, 1),)  # its text: from 9 to 10
    assert after.work.functions[1].pieces == ()
    repaired = OPERATORS["POST"](two_jobs(), 0, 1, 9, 2)
    assert repaired.work.functions[0].pieces == ((0, 1, 1), (9, 10, 1))
    assert repaired.outputs == (10, 3)


def test_several_remainders_queue_in_the_order_of_their_triggers() -> None:
    """Job 2 may return earlier than job 1 but triggers later, so it waits for job 1's rest."""
    status = Status.start(Allocation(((0, 1),)), Cluster.of([1]), [1, 1])
    status = postpone(status, 0, 1, release=10, theta=3)
    status = postpone(status, 1, 2, release=2, theta=2)
    assert status.outputs == (12, 13)


def test_a_close_stops_where_a_split_job_returns() -> None:
    """After the postponed job the queue moves forward; the postponed rest stays where it was promised."""
    status = Status.start(Allocation(((0, 1, 2),)), Cluster.of([1]), [1, 3, 1])
    status = postpone(status, 0, 1, release=0, theta=2)
    status = close(reduced_power(status, 1, 0, 2), 0, 2, 4)
    assert [f.pieces for f in status.work.functions] == [
        ((0, 1, 1), (5, 6, 1)),
        ((1, 2, 1),),
        ((2, 3, 1),),
    ]


def test_a_close_behind_the_return_of_a_split_job_moves_nothing() -> None:
    """Two rests wait until 5 and 10; the machine is idle between them, and both stay where they were promised."""
    status = postpone(two_jobs(1, 2), 0, 1, release=5, theta=2)
    status = postpone(status, 1, 3, release=10, theta=4)
    assert [f.pieces for f in status.work.functions] == [((0, 1, 1), (5, 6, 1)), ((1, 3, 1), (10, 12, 1))]
    assert first_split_return(status, 0) == 5
    assert close(status, 0, 7, 9) == status


def test_the_limit_of_a_split_job_at_reduced_share() -> None:
    """Definition 3.16 looks for the first work after a moment below full share, also without a gap in between."""
    f = WorkFunction.of([(0, 1, 1), (1, 2, HALF), (3, 4, 1)])
    plan = WorkAllocation(Cluster.of([1]), (0,), (f,))
    assert first_split_return(Status(plan, plan.ends), 0) == 1
