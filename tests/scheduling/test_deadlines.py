"""Deadlines that a schedule can meet, against the linear program of preemptive schedules, and its own certificates."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Sequence
from fractions import Fraction as F

import numpy as np
from scipy.optimize import linprog

from consortium.scheduling.deadlines import too_much


def has_schedule(powers: Sequence[F], lengths: Sequence[F], deadlines: Sequence[F]) -> bool:
    """Time per job, machine and span between deadlines; no job and no machine has more in a span than it is long.

    Such times can always be arranged so that no job runs on two machines at once (Gonzalez and Sahni's open shop).
    """
    ends = sorted({F(0), *deadlines})
    spans = [*itertools.pairwise(ends)]
    jobs, machines = range(len(lengths)), range(len(powers))
    places = {key: at for at, key in enumerate(itertools.product(jobs, machines, range(len(spans))))}
    if not places:
        return not lengths
    most, bound, work = [], [], []
    for t, (start, end) in enumerate(spans):
        for some in (*([(j, i, t) for i in machines] for j in jobs), *([(j, i, t) for j in jobs] for i in machines)):
            most.append([float(key in some) for key in places])
            bound.append(float(end - start))
    for j in jobs:
        work.append([float(powers[i]) * (k == j and spans[t][1] <= deadlines[j]) for k, i, t in places])
    wanted = [float(x) for x in lengths]
    found = linprog(np.zeros(len(places)), A_ub=most, b_ub=bound, A_eq=work, b_eq=wanted)
    return bool(found.status == 0)


def test_as_linear_programs_say() -> None:
    tally = [0, 0]
    for seed in range(250):
        rng = random.Random(seed)
        powers = [F(rng.randint(1, 3), rng.choice((1, 2))) for _ in range(rng.randint(1, 3))]
        lengths = [F(rng.randint(1, 6)) for _ in range(rng.randint(1, 4))]
        deadlines = [F(rng.randint(1, 8), rng.choice((1, 2))) for _ in lengths]
        found = too_much(powers, lengths, deadlines)
        assert (found is None) == has_schedule(powers, lengths, deadlines), (powers, lengths, deadlines)
        tally[found is None] += 1
        if found is not None:  # the set alone is too much, and no other set is so by more
            jobs, work, possible = found
            ends = sorted((deadlines[j] for j in jobs), reverse=True)
            best = sum(c * d for c, d in zip(sorted(powers, reverse=True), ends, strict=False))
            assert (work, possible) == (sum(lengths[j] for j in jobs), best)
            assert work > possible
            assert not has_schedule(powers, [lengths[j] for j in jobs], [deadlines[j] for j in jobs])
    assert min(tally) > 60


def test_who_has_no_deadline_is_never_late() -> None:
    assert too_much([F(1)], [F(9), F(9), F(1)], [None, math.inf, F(1)]) is None
    assert too_much([F(1)], [F(9), F(2)], [math.inf, F(1)]) == ((1,), 2, 1)
    assert too_much([F(1)], [F(1)], [F(0)]) == ((0,), 1, 0)
    assert too_much([F(2), F(1)], [F(3)], [F(1)]) == ((0,), 3, 2)  # no job runs on two machines at once
    assert too_much([F(1), F(2)], [F(2), F(2), F(2)], [F(2), F(2), F(2)]) is None
