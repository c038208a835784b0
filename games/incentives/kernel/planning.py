"""Planning a whole domain: by orbits where goal and tie rule allow it, else profile by profile."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....mechanisms.declaration.one_round import OneRound
from ....support.errors import InputError
from ....support.progress import Clock, Progress
from ..domain import Concept, Domain
from . import orbits
from .plans import BILLED, Plans, needed


def plan_domain(
    mechanism: OneRound,
    domain: Domain,
    concept: Concept = "dominant",
    *,
    progress: Progress | None = None,
    clock: Clock | None = None,
) -> Plans:
    """Plans of all declaration profiles that a kernel check of this concept needs (those for dominant serve both)."""
    check_agents(mechanism, domain)
    wanted = needed(domain, concept, Plans.empty(domain).digit)
    if orbits.covers(mechanism, domain):
        try:
            return orbits.plan_all(mechanism, domain, wanted)
        except KeyboardInterrupt:
            return Plans.empty(domain)
    return collect(mechanism, domain, wanted, progress, clock)


def collect(
    mechanism: OneRound,
    domain: Domain,
    wanted: NDArray[np.bool_],
    progress: Progress | None = None,
    clock: Clock | None = None,
) -> Plans:
    """Ask the mechanism for every wanted plan; stops early, with what there is, on Ctrl-C or when time is up."""
    plans = Plans.empty(domain)
    try:
        for row in _reported(np.flatnonzero(wanted), progress, "plans"):
            if clock is not None and clock.expired():
                break
            plans.put(row, mechanism.plan(plans.declared(row)), mechanism.payment in BILLED)
    except KeyboardInterrupt:
        pass
    return plans


def _reported(rows: Any, progress: Progress | None, note: str, every: int = 64) -> Iterator[int]:
    """Rows one by one, telling ``progress`` now and then."""
    numbers = rows.tolist()
    for i, row in enumerate(numbers):
        if progress is not None and i % every == 0:
            progress(i, len(numbers), note)
        yield row


def check_agents(mechanism: OneRound, domain: Domain) -> None:
    """Raise InputError when the mechanism speaks of another number of agents than the domain."""
    for what, own in (("values", mechanism.values), ("mechanism.penalty", mechanism.penalty)):
        if isinstance(own, tuple) and len(own) != domain.n_agents:
            raise InputError(f"{what}: found {len(own)} for {domain.n_agents} agents; expected one each")
