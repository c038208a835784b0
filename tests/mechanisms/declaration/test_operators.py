"""The event-driven run equals composing the operators of job control, trigger by trigger."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest

from consortium.mechanisms.declaration.execution import Job, Tools, run_machine
from consortium.scheduling.allocations import Allocation
from consortium.scheduling.clusters import Cluster

from ...reference.operators import Status, close, early, kill, postpone, reduced_power, renice
from .instances import length, power

SHARES = [Fraction(1), Fraction(1, 2), Fraction(1, 3), Fraction(4, 9)]
WAITS = [Fraction(0), Fraction(1, 2), Fraction(3), Fraction(17, 5)]
TOOLS = [
    Tools("run-on", close=False, early=False),
    Tools("kill", close=False, early=False),
    Tools("run-on"),
    Tools("renice"),
    Tools("renice"),
    Tools("postpone"),
    Tools("postpone"),
    Tools("postpone", close=False),
    Tools("renice", early=False),
]


def composed(status, machine, jobs, b, theta, tools, penalties, limits):
    """One operator after the other as the run of one machine unfolds."""
    c = status.work.cluster.powers[machine]
    for n in jobs:
        start, end = status.work.functions[n].begin, status.end(n)
        done = min(end, start + theta[n] / c)
        if tools.alive == "kill" and theta[n] != b[n]:
            status = kill(status, n, done)
        elif theta[n] < b[n]:
            status = reduced_power(status, n, 0, done)
            if tools.close:
                status = close(status, machine, done, end)
        elif theta[n] == b[n]:
            status = early(status, n) if tools.early else status
        elif tools.alive == "postpone":
            status = postpone(status, n, end, penalties[n], min(theta[n], limits.get(n, theta[n])))
            if theta[n] > limits.get(n, theta[n]):
                status = kill(status, n, status.end(n))
        else:
            status = renice(status, n, penalties[n] if tools.alive == "renice" else 1, end, theta[n])
    return status


def compare(rng):
    n = rng.choice([1, 2, 2, 3, 3, 3, 4, 4, 5])
    theta = [length(rng) for _ in range(n)]
    b = [x if rng.random() < 0.4 else length(rng) for x in theta]
    order = tuple(rng.sample(range(n), n))
    cut = rng.randint(0, n)
    lists = (order,) if rng.random() < 0.8 else (order[:cut], order[cut:])
    cluster = Cluster(tuple(power(rng) for _ in lists))
    tools = rng.choice(TOOLS)
    status = Status.start(Allocation(lists), cluster, b)
    planned = status.outputs
    if tools.alive == "postpone":  # release times
        penalties = {k: planned[k] + rng.choice(WAITS) for k in range(n)}
    else:
        penalties = {k: rng.choice(SHARES) for k in range(n)}
    limits = {k: b[k] + rng.choice([Fraction(1, 2), Fraction(1), Fraction(2)]) for k in range(n) if rng.random() < 0.4}
    for machine, jobs in enumerate(lists):
        status = composed(status, machine, jobs, b, theta, tools, penalties, limits)
    for machine, jobs in enumerate(lists):
        listed = [Job(k, b[k], theta[k], planned[k]) for k in jobs]
        for run in run_machine(cluster.powers[machine], listed, tools, penalties, limits):
            assert run.output == status.outputs[run.agent], (tools, b, theta, lists)
            assert tuple(run.work) == status.work.functions[run.agent].pieces, (tools, b, theta, lists)


@pytest.mark.parametrize("seeds", [range(240), pytest.param(range(100_000), marks=pytest.mark.exhaustive)])
def test_triggers_compose_operators(seeds):
    for seed in seeds:
        compare(Random(seed))
