"""Random federations for the tests: small numbers, so that ties are frequent; empty organizations; several machines."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import strategies as st

from consortium.agents.organizations import Federation


@st.composite
def federations(draw, max_organizations=4, max_jobs=9, max_size=6, max_machines=1, rational=False):
    n = draw(st.integers(1, max_organizations))
    machines = [draw(st.integers(1, max_machines)) for _ in range(n)]
    owners = draw(st.lists(st.integers(0, n - 1), max_size=max_jobs))
    jobs = [[] for _ in range(n)]
    for k in owners:
        p = Fraction(draw(st.integers(1, max_size)))
        jobs[k].append(p / draw(st.integers(1, 3)) if rational else p)
    return Federation.of(jobs, machines)


def random_federation(rng, organizations, jobs, longest, machines=1):
    """One federation from a generator, for sweeps."""
    n = int(rng.integers(1, organizations + 1))
    count = int(rng.integers(0, jobs + 1))
    top = int(rng.integers(1, longest + 1))
    rows = [[] for _ in range(n)]
    for owner, p in zip(rng.integers(0, n, count), rng.integers(1, top + 1, count), strict=True):
        rows[owner].append(int(p))
    return Federation.of(rows, [int(m) for m in rng.integers(1, machines + 1, n)])
