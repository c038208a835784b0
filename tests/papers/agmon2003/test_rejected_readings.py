"""Readings of the thesis that were tried and rejected, each with an instance on which it breaks a statement.

The thesis leaves some of the postponing open, or says two things. Each switch of ``run_machine`` below is one reading;
its default is the one that the package follows.
"""

from __future__ import annotations

from fractions import Fraction as F

import pytest

from consortium.mechanisms.declaration import Cutoff, build
from consortium.scheduling.clusters import Cluster
from consortium.scheduling.goals import SumOfTimes, WeightedSum

from ...mechanisms.declaration import plainly

ONE = (F(1),)
BY_SUM = ("sum", None)
BOB_COUNTS = ("weighted-sum", (F(1), F(9)))


def run_machine(c, jobs, b, theta, E, s, H, release, queue, upward, close, early, behind):
    """The state machine for postponing with its open points as switches; output times by job."""
    t, T, R = F(0), {n: E[n] for n in jobs}, []
    for i, n in enumerate(jobs):
        start, e = t, t + b[n] / c
        if theta[n] == b[n]:
            t = e
            T[n] = e if early else T[n]
        elif theta[n] < b[n]:
            done = start + theta[n] / c
            T[n] = done if upward == "early" else T[n]
            t = done if close else e
        else:
            rel = {
                "planned end": E[n] + s[n],
                "planned end, gain added": E[n] + s[n] + (E[n] - e),
                "dynamic end": e + s[n],
                "absolute": s[n],
            }[release]
            plan = e + sum((b[k] for k in jobs[i + 1 :]), F(0)) / c
            R.append((n, rel, plan) if behind == "plan" else (n, F(0), F(0)))
            t = e
    free = t
    for n, rel, plan in sorted(R, key=lambda entry: entry[1]) if queue == "by release" else R:
        start = max(rel, plan, free)
        assert H is None or theta[n] <= b[n] + H
        free = start + (theta[n] - b[n]) / c
        T[n] = max(T[n], free)
    return T


def outcome(
    c, b, theta, goal=BY_SUM, penalty="exact", H=None,
    release="planned end", queue="first in, first out", upward="kept", close=True, early=True, behind="plan",
):  # fmt: skip
    """Output times and EVCG utilities under one reading."""
    N = len(b)
    A = plainly.best_schedule(c, b, goal, "sum")
    E = plainly.ends(A, c, b)
    s = plainly.penalties("postpone", penalty, c, b, A, H, None)
    T = {}
    for m, jobs in enumerate(A):
        T.update(run_machine(c[m], jobs, b, theta, E, s, H, release, queue, upward, close, early, behind))
    S = plainly.least_sum(c, b)
    return [T[n] for n in range(N)], [-T[n] - (S - E[n]) for n in range(N)]


def utility(agent, *arguments, **reading):
    return outcome(*arguments, **reading)[1][agent]


def the_package(c, b, theta, goal=None, penalty="exact", H=None):
    cutoff = None if H is None else Cutoff("difference", H)
    return build("evcg-postpone", Cluster(c), goal, penalty=penalty, cutoff=cutoff).run(b, theta)


def test_counting_the_wait_from_the_dynamic_end_lets_a_liar_gain_from_others():
    """Without the term for the possible gained time: -85.355 for the lie 199/10, -85.545 for the truth."""
    c, theta, others, H = (F(1), F(11, 10)), (F(201, 10), F(20), F(15), F(1)), (F(20), F(15), F(10)), F(1, 5)
    honest, lie = (F(201, 10), *others), (F(199, 10), *others)
    wrong = {b[0]: utility(0, c, b, theta, penalty="printed", H=H, release="dynamic end") for b in (honest, lie)}
    assert [round(float(u), 3) for u in wrong.values()] == [-85.545, -85.355]
    kept = {b[0]: utility(0, c, b, theta, penalty="printed", H=H) for b in (honest, lie)}
    assert kept[lie[0]] < kept[honest[0]] == wrong[honest[0]]
    assert [the_package(c, b, theta, penalty="printed", H=H).utilities[0] for b in (honest, lie)] == [*kept.values()]


def test_the_printed_wait_as_a_moment_in_time():
    """(5.13) as the moment when the rest may start, not as a duration: the lie 1 gives -5, the truth -6."""
    theta, honest, lie = (F(2), F(2)), (F(2), F(2)), (F(1), F(2))
    readings = {"penalty": "printed", "H": F(1), "goal": BOB_COUNTS}
    assert utility(0, ONE, lie, theta, release="absolute", **readings) == -5
    assert utility(0, ONE, honest, theta, release="absolute", **readings) == -6
    assert utility(0, ONE, lie, theta, **readings) == -6
    assert the_package(ONE, lie, theta, WeightedSum((1, 9)), "printed", 1).utilities[0] == -6


def test_adding_the_gained_time_once_more_makes_closing_gaps_hurt():
    """With it CLOSE delays bob from 5 to 6, against 7.6(a); a release at the planned end plus the wait does not."""
    b, theta = (F(2), F(2)), (F(1), F(3))
    for release, with_tools in (("planned end, gain added", 6), ("planned end", 5)):
        assert outcome(ONE, b, theta, release=release)[0] == [2, with_tools]
        assert outcome(ONE, b, theta, release=release, close=False, early=False)[0] == [2, 5]


def test_the_wait_binds_from_below_only():
    """(5.9) is an inequality: the rest of ann's job also waits for bob, who is behind her on the machine."""
    run = the_package(ONE, (F(1), F(1)), (F(2), F(1)))
    planned, wait, late = run.plan.planned[0], run.plan.penalties[0], F(1)
    assert (run.output[0], planned + wait + late) == (3, 2)


def test_serving_remainders_by_release_time():
    """Smaller waits would then delay somebody, against 7.6(c): bob ends at 2 instead of 3/2."""
    c, b, theta, H = (F(2),), (F(1), F(1)), (F(2), F(2)), F(2)
    tight, exact = (outcome(c, b, theta, penalty=p, H=H, queue="by release")[0] for p in ("tight", "exact"))
    assert (tight, exact) == ([2, F(3, 2)], [F(3, 2), 2])
    tight, exact = (outcome(c, b, theta, penalty=p, H=H)[0] for p in ("tight", "exact"))
    assert all(x <= y for x, y in zip(exact, tight, strict=True))


def test_early_output_for_those_who_declared_too_much():
    """Handing it out as soon as the job ends pays for a goal other than the sum: -2/3 against -5/6."""
    c, theta, lie = (F(2), F(3)), (F(1), F(1)), (F(2), F(1))
    assert utility(0, c, lie, theta, BOB_COUNTS, upward="early") == F(-2, 3)
    assert utility(0, c, theta, theta, BOB_COUNTS, upward="early") == F(-5, 6)
    assert utility(0, c, lie, theta, BOB_COUNTS) < F(-5, 6)


def test_waiting_for_the_dynamic_end_of_the_machine_is_not_enough():
    """The end that others' early ends brought forward, no duration: the last agent's lie 1 gives -33, not -38."""
    c, theta, others = (F(1), F(1)), (F(2), F(8), F(2), F(9)), (F(2), F(8), F(9))
    honest, lie = (*others, F(9)), (*others, F(1))
    assert [utility(3, c, b, theta, behind="nothing") for b in (honest, lie)] == [-38, -33]
    static = build("vcg-postpone", Cluster(c), SumOfTimes(), penalty="static-end")
    truth, gain = (static.run(b, theta).utilities[3] for b in (honest, lie))
    assert gain <= truth == -38


def test_waiting_for_the_static_end_is_enough_for_the_sum_only():
    """Ann is last, so the static end is her own: the lie gives -5, the truth -6 (agmon2003/6.7-no-wait)."""
    no_wait = build("evcg-postpone", Cluster(ONE), WeightedSum((1, 9)), penalty=0)
    assert [no_wait.run((x, 2), (2, 2)).utilities[0] for x in (1, 2)] == [-5, -6]


@pytest.mark.parametrize(
    ("before", "after", "gains"),
    [("all", "stayers", False), ("all", "all", True), ("stayers", "stayers", True), ("stayers", "all", True)],
)
def test_who_is_counted_in_the_hold_back(before, after, gains):
    """Example 7.5.1: of the four readings of (7.4) only S over all agents minus S over the stayers stops the lie."""
    least = {
        "all": (plainly.least_sum(ONE, (F(1), F(1))), plainly.least_sum(ONE, (F(2), F(1)))),
        "stayers": (plainly.least_sum(ONE, (F(1),)), plainly.least_sum(ONE, (F(2),))),
    }
    planned = F(2)  # ann alone, declaring 2
    output = max(planned, planned + least[before][0] - least[after][1])
    assert (10 - output > 10 - 3) == gains
