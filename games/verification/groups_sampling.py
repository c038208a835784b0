"""A random sample of cases, for domains that are out of reach.

Every case of the domain is equally likely, with replacement. A joint lie found to pay refutes the rule like any other;
finding none proves nothing. The same seed gives the same sample.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np

from ...mechanisms.declaration.protocol import DeclarationMechanism
from ...support.errors import InputError
from ...support.progress import Clock, Progress
from .domain import Concept, Domain, Profile
from .general import Runs, Values
from .groups_general import joint_lie
from .results import Coalitions, GroupCheck, GroupWitness, cases

MEMORY = 100_000
"""Runs remembered before they are forgotten."""


def check_groups_by_sample(
    mechanism: DeclarationMechanism,
    domain: Domain,
    concept: Concept,
    coalitions: Coalitions,
    size: int,
    seed: int,
    *,
    values: Values = None,
    progress: Progress | None = None,
    clock: Clock | None = None,
) -> GroupCheck:
    """Try ``size`` random cases. Raises InputError unless ``size >= 1``.

    >>> from consortium.mechanisms.declaration import build
    >>> from consortium.scheduling.clusters import Cluster
    >>> pairs, domain = Coalitions((2,)), Domain.of([1, 2], agents=2)
    >>> found = check_groups_by_sample(build("verified", Cluster.of([1, 1])), domain, "ex-post", pairs, 200, seed=1)
    >>> found.holds, found.max_gain, found.cases, found.total, found.complete
    (False, Fraction(1, 1), 200, 12, False)
    """
    if size < 1:
        raise InputError(f"sample: found {size}; expected at least 1")
    total, tried = cases(domain, concept, coalitions), 0
    best: GroupWitness | None = None
    runs = Runs(mechanism, values)
    draw = _Draw(domain, concept, coalitions, seed)
    try:
        while tried < size and total > 0:
            found = joint_lie(runs, coalitions, *draw.case())
            tried += 1
            if found is not None and (best is None or found.gain > best.gain):
                best = found
            if runs.size > MEMORY:
                runs = Runs(mechanism, values)
            if progress is not None and tried % 256 == 0:
                progress(tried, size, "sample of coalitions")
            if clock is not None and clock.expired():
                break
    except KeyboardInterrupt:
        pass
    answer = GroupCheck.found(concept, tried, total, best, "sample")
    holds = False if best is not None else True if total == 0 else None  # cases may repeat, so none is ever the last
    return replace(answer, holds=holds, complete=total == 0, seed=seed)


class _Draw:
    """Random cases, each equally likely."""

    def __init__(self, domain: Domain, concept: Concept, coalitions: Coalitions, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        agents = range(domain.n_agents)
        self.free = [[(x, b) for x in own for b in domain.options(n, x)] for n, own in enumerate(domain.lengths)]
        true = [[(x, x) for x in own] for own in domain.lengths]
        self.others = self.free if concept == "dominant" else true
        self.coalitions = coalitions.members(domain.n_agents)
        weights = []
        for members in self.coalitions:
            lying, telling, around = 1, 1, 1
            for n in agents:
                if n in members:
                    lying, telling = lying * len(self.free[n]), telling * len(true[n])
                else:
                    around *= len(self.others[n])
            weights.append((lying - telling) * around)
        whole = sum(weights)
        self.chances = [float(Fraction(w, whole)) for w in weights] if whole else []

    def case(self) -> tuple[tuple[int, ...], Profile, Profile]:
        """Coalition, true lengths, declarations; joint truths are drawn again."""
        members = self.coalitions[int(self.rng.choice(len(self.chances), p=self.chances))]
        while True:
            pairs = [
                own[int(self.rng.integers(len(own)))]
                for own in (self.free[n] if n in members else self.others[n] for n in range(len(self.free)))
            ]
            if any(pairs[n][0] != pairs[n][1] for n in members):
                return members, tuple(x for x, _ in pairs), tuple(b for _, b in pairs)
