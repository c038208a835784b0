"""REF for any utility and any size of numbers, in Python's integers and fractions.

Every coalition runs its own schedule, smaller coalitions first. A coalition with a free machine serves whom
:func:`..rules.ref.closest` names, looking at ``t + 1`` (``next``) or ``t`` (``now``).
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from ....support.exact import Rational, rational
from ....support.progress import Progress
from ..arrays import AnyIntArray
from ..instance import SharingInstance
from ..rules.ref import closest
from ..runs import RefRun
from ..utilities import Utility
from .site import Queues, Site, decide, moments

EVERY = 64
"""Moments between two progress reports."""


def run(
    instance: SharingInstance, until: int, step: int, utility: Utility, every: bool, progress: Progress | None = None
) -> RefRun:
    """REF for ``utility`` up to ``until``; ``step`` is 1 to compare at ``t + 1`` and 0 to compare at ``t``."""
    k = instance.n_organizations
    queues = Queues.of(instance, until)
    sites = {
        mask: Site(queues, instance.machines, [u for u in range(k) if mask >> u & 1], utility)
        for mask in range(1, 2**k)
    }
    reached, complete = until, True
    try:
        for count, t in enumerate(moments(queues, list(sites.values()))):
            reached = t
            _moment(sites, t, step, utility)
            if progress is not None and count % EVERY == 0:
                progress(t, until, "time simulated")
        reached = until
    except KeyboardInterrupt:  # before the moment in hand everything is final
        complete = False
    utilities = _utilities(instance, sites, reached, utility)
    kept = sites.values() if every else [sites[2**k - 1]]
    starts = np.array([site.start_of_jobs(instance, reached) for site in kept])
    if every:
        starts = np.vstack([np.full((1, instance.n_jobs), -1, dtype=np.int64), starts])  # of the empty coalition
    return RefRun(starts, utilities.sum(axis=1), utilities, reached, complete, "python")


def _utilities(instance: SharingInstance, sites: dict[int, Site], at: int, utility: Utility) -> AnyIntArray:
    """Utility of each member of each coalition by the definition, shape (2**k, k), dtype object."""
    k = instance.n_organizations
    found = np.zeros((2**k, k), dtype=object)
    for mask, site in sites.items():
        jobs = {u: [site.work(u, position, t) for t, w, position in site.starts if w == u] for u in site.members}
        for u in site.members:
            value = utility.value(jobs[u], at)
            found[mask, u] = value if type(value) is int else rational(value, f"utility {utility.id}")
    return found


def _moment(sites: dict[int, Site], t: int, step: int, utility: Utility) -> None:
    """Let every coalition decide at ``t``, smaller ones first (numeric order of masks puts subsets first)."""
    potentials: dict[int, Fraction] = {0: Fraction(0)}
    delta = step if utility.known_at_start else 0

    def worth(site: Site) -> dict[int, Rational]:
        for u in site.members:
            site.tally[u].bring(t)
        return {u: utility.read(site.tally[u], step) for u in site.members}

    def potential(mask: int) -> Fraction:
        """Hart and Mas-Colell's potential, computed when first asked; every strict subset is final by then."""
        if mask not in potentials:
            below = sum((potential(mask ^ 1 << u) for u in sites[mask].members), Fraction(0))
            potentials[mask] = (sum(worth(sites[mask]).values()) + below) / len(sites[mask].members)
        return potentials[mask]

    for mask, site in sites.items():
        if site.free > 0 and len(site.waiting()) == 1:
            decide(site, t, lambda site, waiting, now: waiting[0])
        elif site.free > 0 and site.waiting():
            below = {u: potential(mask ^ 1 << u) for u in site.members}
            whole = (sum(worth(site).values()) + sum(below.values(), Fraction(0))) / len(below)
            phi = {u: whole - below[u] for u in site.members}

            def choose(site: Site, waiting: list[int], now: int, phi: dict[int, Fraction] = phi) -> int:
                chosen = closest(waiting, worth(site), phi, delta)
                for u in phi:
                    phi[u] += Fraction(delta, len(phi))
                return chosen

            decide(site, t, choose)
