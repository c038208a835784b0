"""Incentive compatibility of the VCG and EVCG rules by a proof for every allocation rule at once, without any case."""

from __future__ import annotations

from functools import partial

from ...mechanisms.declaration.one_round import OneRound
from ...mechanisms.declaration.protocol import DeclarationMechanism
from ...support.progress import Clock, Progress
from ..proofs.exploration import INTERRUPTED, Effort
from ..proofs.questions import Lengths
from ..proofs.reduction import covers
from ..proofs.strategies import Strategies
from .domain import Concept, Domain
from .orbits import check_agents
from .results import Check, Witness


def check_by_reduction(
    mechanism: DeclarationMechanism,
    domain: Domain,
    concept: Concept,
    *,
    progress: Progress | None = None,
    clock: Clock | None = None,
) -> Check[Witness]:
    """Prove or refute incentive compatibility without trying a case; ``max_gain`` is not computed.

    :mod:`consortium.games.proofs.reduction` proves inequalities on the smallest sum of output times for all lengths
    between those of the domain; what it proves holds for every allocation rule, however many agents there are. What it
    cannot prove may hold all the same: the answer is open then, unless the lie that refutes it is in the domain.

    Raises InputError for a mechanism other than a VCG or EVCG rule in one round that renices or postpones, with a
    penalty other than ``static-end``.

    >>> from consortium.mechanisms.declaration import build
    >>> from consortium.scheduling.clusters import Cluster
    >>> rule, domain = build("evcg-renice", Cluster.of([1, "3/2"])), Domain.of([1, 2, 3], agents=10)
    >>> check_by_reduction(rule, domain, "ex-post").holds
    True
    """
    total, agents = domain.cases(concept), domain.n_agents
    unproved = partial(Check[Witness].of_nothing, concept, total, "reduction")
    if isinstance(mechanism, OneRound):
        check_agents(mechanism, domain)
        if mechanism.cutoff is not None:
            mechanism.cutoff.check([own[-1] for own in domain.universe])
        if covers(mechanism) and mechanism.tools.alive == "renice" and concept == "dominant" and agents > 1:
            note = "the reduction proves renice rules ex-post only; dominance needs another method"
            return unproved(note, open=True)
    numbers = {x for own in (*domain.universe, *domain.lengths) for x in own}
    lengths = Lengths(min(numbers), max(numbers))
    proof = Strategies(mechanism, agents, lengths, Effort(clock, progress)).prove(concept, "reduction")
    if proof.explored.why in INTERRUPTED:
        return unproved("stopped early")
    if proof.explored.done:
        goals = "goal and allocation rule" if proof.allocations == "all" else "allocation with the smallest sum"
        note = f"by the reduction: for every {goals}, {lengths}"
        return Check(concept, True, total, total, None, None, "reduction", True, note=note)
    if isinstance(proof.witness, Witness) and _within(domain, proof.witness, concept):
        note = "by the reduction, and played on the mechanism"
        return Check(concept, False, total, total, proof.witness, None, "reduction", True, note=note)
    note = "left open by the reduction" if proof.witness is None else "a lie pays at lengths other than these"
    return unproved(note, open=True)


def _within(domain: Domain, witness: Witness, concept: Concept) -> bool:
    """Whether the domain has the situation of a witness."""
    others = [
        b in domain.spoken(n, concept) and x in domain.meant(n, b, concept)
        for n, (b, x) in enumerate(zip(witness.declarations, witness.lengths, strict=True))
        if n != witness.agent
    ]
    own = witness.length in domain.lengths[witness.agent] and witness.lie in domain.lies(witness.agent, witness.length)
    return own and all(others)
