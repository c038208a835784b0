"""What a group check will cost, before it starts: the cases are exact, memory and time are predictions."""

from __future__ import annotations

from math import prod

from ...mechanisms.declaration.one_round import OneRound
from ...mechanisms.declaration.protocol import DeclarationMechanism
from .cost import BYTES_PER_RUN, SECONDS_PER_CELL, Estimate, kernel_size, probe
from .domain import Concept, Domain
from .results import Coalitions, cases

_SECONDS_PER_MEMBER = 25e-9  # of each case in the kernel
_BYTES_PER_ITEM = 24  # of the kernel's answer
_SECONDS_PER_COMPARISON = 12e-6  # of two runs that are remembered


def group_cost(
    mechanism: DeclarationMechanism,
    domain: Domain,
    coalitions: Coalitions,
    *,
    method: str,
    sample: int | None = None,
    planned: bool = False,
) -> Estimate:
    """Predict the cost of a check of all concepts asked for; ``planned``: the plans are there already.

    >>> from consortium.mechanisms.declaration import build
    >>> from consortium.scheduling.clusters import Cluster
    >>> domain, pairs = Domain.of([1, 2], agents=2), Coalitions((2,))
    >>> size = group_cost(build("harsh", Cluster.of([1])), domain, pairs, method="kernel")
    >>> size.method, size.comparisons
    ('kernel', 24)
    """
    total = sum(cases(domain, concept, coalitions) for concept in coalitions.concepts)
    if method == "kernel":
        assert isinstance(mechanism, OneRound)  # the kernel covers nothing else
        size, n = kernel_size(mechanism, domain, "dominant"), domain.n_agents
        cells = n * size.cells if size.cells == size.unshared else size.cells
        items = len(coalitions.members(n)) * prod(map(len, domain.lengths))
        seconds = (0 if planned else size.planning) + cells * SECONDS_PER_CELL
        seconds += total * max(coalitions.sizes) * _SECONDS_PER_MEMBER
        memory = int(size.plan_bytes + 8 * cells) + items * _BYTES_PER_ITEM
        return Estimate("kernel", total, domain.profiles, 0, memory, seconds)
    per_run = probe(mechanism, domain)
    if sample is not None:
        runs = 2 * sum(min(sample, cases(domain, concept, coalitions)) for concept in coalitions.concepts)
        kept = min(runs, 100_000)
        return Estimate("sample", total, domain.profiles, runs, kept * BYTES_PER_RUN, runs * per_run)
    runs = max(_runs(domain, concept, coalitions) for concept in coalitions.concepts)
    seconds = runs * per_run + total * _SECONDS_PER_COMPARISON
    return Estimate("general", total, domain.profiles, runs, runs * BYTES_PER_RUN, seconds)


def _runs(domain: Domain, concept: Concept, coalitions: Coalitions) -> int:
    """Pairs of declarations and lengths that a check runs: ex post those with no more liars than a coalition has."""
    by_liars = [1]
    for n, own in enumerate(domain.lengths):
        lies = sum(len(domain.lies(n, x)) for x in own)
        by_liars = [
            (by_liars[k] if k < len(by_liars) else 0) * len(own) + (by_liars[k - 1] * lies if k else 0)
            for k in range(len(by_liars) + 1)
        ]
    return sum(by_liars) if concept == "dominant" else sum(by_liars[: max(coalitions.sizes) + 1])
