"""The kernel behind a table: what every profile costs everybody, from the plans of its class.

In a profile of class ``c`` the jobs stand in seats; the true lengths of their owners run through the plan of the class,
machine by machine (:mod:`..verification.machine`), and what comes out is written to the owners' cells at once:
nothing that is as large as the table is kept besides it. On int64 after a range proof by the caller, or uncompiled on
Python integers.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from ...support.jit import jit
from ..verification.machine import (
    OWN_TIME,
    POSTPONE,
    Machine,
    RunArrays,
    company_size,
    content_of,
    first_segments,
    remainders,
)

TOTAL: Final = 0
LARGEST: Final = 1
SQUARED: Final = 2
KEPT: Final = 3
SORTED: Final = 4
"""Social cost of output times: the weighted sum, the sum of some of the largest weighted times, the sum of squared
distances; or none, and the times are kept as they are, or largest first."""


class Seated(NamedTuple):
    """Class of every profile, seat of every agent in it, and true lengths of the agents."""

    which: Any
    seat: Any
    truth: Any


class Borne(NamedTuple):
    """What an agent bears besides what she pays, as :data:`.machine.OWN_TIME` says, and ``paid[c, s]`` in a seat."""

    content: int
    paid: Any


class Judged(NamedTuple):
    """The social cost: its form, how many of the largest times count, whole weights and target."""

    form: int
    count: Any
    weights: Any
    target: Any


class Sheet(NamedTuple):
    """What is filled: ``costs[n, p]``, ``social[p]`` or ``times[p, n]``; ``never`` stands for an infinite cost."""

    never: Any
    costs: Any
    social: Any
    times: Any


@jit
def _sort_down(times: Any) -> None:
    for i in range(1, times.size):
        time = times[i]
        k = i
        while k > 0 and times[k - 1] < time:
            times[k] = times[k - 1]
            k -= 1
        times[k] = time


@jit
def _social_cost(judged: Judged, times: Any, infinity: Any, never: Any, weighted: Any) -> Any:
    """Of everybody's output times; ``weighted`` is room for as many numbers."""
    form, count, weights, target = judged
    late = False
    for n in range(times.size):
        late = late or (times[n] == infinity and weights[n] > 0)
        weighted[n] = times[n] * weights[n] if times[n] != infinity else 0 * weights[n]
    if late:
        return never
    cost = 0 * target
    if form == LARGEST:
        _sort_down(weighted)
    for n in range(count if form == LARGEST else times.size):
        cost += weighted[n] if form != SQUARED else (weighted[n] - target) * (weighted[n] - target)
    return cost


@jit
def fill(first: int, last: int, runs: RunArrays, seated: Seated, borne: Borne, judged: Judged, sheet: Sheet) -> None:
    """Costs of everybody and of all in profiles ``first .. last - 1``."""
    tools, infinity, _, order, _, said, seconds, slope, release, limit = runs
    which, seat, truth = seated
    content, paid = borne
    never, costs, social, kept = sheet
    n_agents = seat.shape[1]
    theta, length, times = np.zeros_like(truth), np.zeros_like(truth), np.zeros_like(truth)
    output, owed, room = np.zeros_like(truth), np.zeros_like(truth), np.zeros_like(truth)
    for p in range(first, last):
        c = which[p]
        for n in range(n_agents):
            theta[seat[p, n]] = truth[n]
        for m in range(seconds.size):
            jobs = order[c, m, : company_size(order[c, m])]
            machine = Machine(jobs, seconds[m], said[c], slope[c], release[c], limit[c])
            for i in range(jobs.size):
                length[i] = theta[jobs[i]]
            free = first_segments(machine, tools, infinity, length, times)
            if tools[0] == POSTPONE:
                remainders(machine, tools, infinity, length, free, times)
            for i in range(jobs.size):
                output[jobs[i]] = owed[jobs[i]] = times[i]
            if content != OWN_TIME:
                for focus in range(jobs.size):
                    for i in range(jobs.size):
                        length[i] = theta[jobs[i]] if i == focus else said[c, jobs[i]]
                    first_segments(machine, tools, infinity, length, times)
                    owed[jobs[focus]] = content_of(content, jobs[focus], jobs, times)
        for n in range(n_agents):
            own = seat[p, n]
            times[n] = output[own]
            costs[n, p] = never if output[own] == infinity else owed[own] + paid[c, own]
        if judged.form == SORTED:
            _sort_down(times)
        if judged.form >= KEPT:
            for n in range(n_agents):
                kept[p, n] = times[n]
        else:
            social[p] = _social_cost(judged, times, infinity, never, room)
