"""A random sample of comparisons, for domains that are out of reach.

Every comparison of the domain is equally likely, with replacement. A lie found to pay refutes the rule like any
other; finding none proves nothing, so ``holds`` is then ``None`` and ``complete`` is False. The same seed gives the
same sample.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from ...mechanisms.declaration.protocol import DeclarationMechanism
from ...support.errors import InputError
from ...support.progress import Clock, Progress
from .domain import Concept, Domain, Profile
from .general import Runs, Values
from .results import IncentiveCheck, Witness, verdict


def check_sample(
    mechanism: DeclarationMechanism,
    domain: Domain,
    concept: Concept,
    size: int,
    seed: int,
    *,
    values: Values = None,
    progress: Progress | None = None,
    clock: Clock | None = None,
) -> IncentiveCheck:
    """Compare the truth with a lie in ``size`` random situations. Raises InputError unless ``size >= 1``.

    >>> from consortium.mechanisms.declaration import build
    >>> from consortium.scheduling.clusters import Cluster
    >>> light = build("light-vcg", Cluster.of([1]))
    >>> answer = check_sample(light, Domain.of([1, 2], agents=3), "dominant", 200, seed=1)
    >>> answer.holds, answer.cases, answer.total, answer.complete, answer.seed
    (False, 200, 96, False, 1)
    """
    if size < 1:
        raise InputError(f"sample: found {size}; expected at least 1")
    total = domain.cases(concept)
    best: Witness | None = None
    cases = 0
    draw = _Draw(domain, concept, seed)
    runs = Runs(mechanism, values)
    try:
        while cases < size and total > 0:
            agent, own, lie, said, lengths = draw.situation()
            found = runs.gain(agent, own, lie, said, lengths)
            cases += 1
            if best is None or found.gain > best.gain:
                best = found
            if runs.size > 100_000:
                runs = Runs(mechanism, values)
            if progress is not None and cases % 256 == 0:
                progress(cases, size, "sample")
            if clock is not None and clock.expired():
                break
    except KeyboardInterrupt:
        pass
    gain = None if best is None else best.gain
    witness = best if gain is not None and gain > 0 else None
    complete = total == 0
    return IncentiveCheck(concept, verdict(gain, complete), cases, total, gain, witness, "sample", complete, seed=seed)


class _Draw:
    """Random comparisons, each equally likely."""

    def __init__(self, domain: Domain, concept: Concept, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        self.domain = domain
        agents = range(domain.n_agents)
        self.own = [[(x, b) for x in domain.lengths[n] for b in domain.lies(n, x)] for n in agents]
        self.pairs = [[(b, x) for b in domain.spoken(n, concept) for x in domain.meant(n, b, concept)] for n in agents]
        weights = []
        for n in agents:
            weight = len(self.own[n])
            for k in agents:
                weight *= len(self.pairs[k]) if k != n else 1
            weights.append(weight)
        whole = sum(weights)
        self.chances = [float(Fraction(w, whole)) for w in weights] if whole else []

    def situation(self) -> tuple[int, Fraction, Fraction, Profile, Profile]:
        """Agent, her length, her lie, the others' declarations and lengths (anything in her place)."""
        agent = int(self.rng.choice(len(self.chances), p=self.chances))
        own, lie = self.own[agent][int(self.rng.integers(len(self.own[agent])))]
        met = [pairs[int(self.rng.integers(len(pairs)))] for pairs in self.pairs]
        return agent, own, lie, tuple(b for b, _ in met), tuple(x for _, x in met)
