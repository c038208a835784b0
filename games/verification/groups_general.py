"""The group check for any mechanism: every case, by running it.

Each pair of declarations and lengths is run once and remembered, for both concepts.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from fractions import Fraction

from ...support.progress import Clock, Progress
from .domain import Concept, Domain, Profile
from .general import Runs
from .results import Coalitions, GroupCheck, GroupWitness, cases


def joint_lie(
    runs: Runs, coalitions: Coalitions, members: tuple[int, ...], declared: Profile, lengths: Profile
) -> GroupWitness | None:
    """The members' joint lie in these declarations, if it pays."""
    honest = told(declared, members, [lengths[n] for n in members])
    truth, lie = (tuple(runs.utilities(b, lengths)[n] for n in members) for b in (honest, declared))
    gain = coalitions.gain(truth, lie)
    return None if gain is None else GroupWitness(members, declared, lengths, truth, lie, gain)


def check_groups_by_running(
    runs: Runs,
    domain: Domain,
    concept: Concept,
    coalitions: Coalitions,
    *,
    progress: Progress | None = None,
    clock: Clock | None = None,
) -> GroupCheck:
    """Try every case; on Ctrl-C or when time is up, what was tried so far.

    >>> from consortium.mechanisms.declaration import build
    >>> from consortium.scheduling.clusters import Cluster
    >>> runs = Runs(build("vcg-postpone", Cluster.of([1, 1])))
    >>> found = check_groups_by_running(runs, Domain.of([1, 2], agents=2), "ex-post", Coalitions((1, 2)))
    >>> found.holds, found.witness.declarations, found.max_gain
    (False, (Fraction(1, 1), Fraction(1, 1)), Fraction(1, 1))
    """
    total, tried = cases(domain, concept, coalitions), 0
    best: GroupWitness | None = None
    try:
        for members, lengths, declared in situations(domain, concept, coalitions):
            found = joint_lie(runs, coalitions, members, declared, lengths)
            tried += 1
            if found is not None and (best is None or found.gain > best.gain):
                best = found
            if tried % 64 == 0:
                if progress is not None:
                    progress(tried, total, "coalitions")
                if clock is not None and clock.expired():
                    break
    except KeyboardInterrupt:
        pass
    return GroupCheck.found(concept, tried, total, best, "general")


def situations(
    domain: Domain, concept: Concept, coalitions: Coalitions
) -> Iterator[tuple[tuple[int, ...], Profile, Profile]]:
    """Coalition, true lengths and declarations of every case: the coalition changes slowest, the joint lie fastest."""
    agents = range(domain.n_agents)
    for members in coalitions.members(domain.n_agents):
        others = [k for k in agents if k not in members]
        for lengths in itertools.product(*domain.lengths):
            said = [domain.options(k, lengths[k]) if concept == "dominant" else (lengths[k],) for k in others]
            lies = [domain.options(n, lengths[n]) for n in members]
            truth = tuple(lengths[n] for n in members)
            for known in itertools.product(*said):
                around = told(lengths, others, known)
                for joint in itertools.product(*lies):
                    if joint != truth:
                        yield members, lengths, told(around, members, joint)


def told(profile: Profile, who: Sequence[int], what: Sequence[Fraction]) -> Profile:
    """A profile with other entries in some places.

    >>> told((1, 2, 3), [0, 2], [5, 6])
    (5, 2, 6)
    """
    changed = list(profile)
    for n, own in zip(who, what, strict=True):
        changed[n] = own
    return tuple(changed)
