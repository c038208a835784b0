"""Witnesses of kind ``declaration`` that a record shows, played again: each lie, and each property that fails."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ...games.incentives.domain import Concept, Domain, Profile
from ...games.incentives.general import Runs
from ...games.incentives.groups.general import joint_lie
from ...games.incentives.groups.results import Coalitions, GroupWitness
from ...games.incentives.properties.by_running import Situation, evidence
from ...games.incentives.properties.results import PropertyWitness
from ...games.incentives.results import Witness, gain_of
from ...mechanisms.declaration.protocol import play
from ...support.exact import INF
from ..proving import Claim, Comparisons
from .model import Model
from .witnesses import Shown


@dataclass(frozen=True)
class Played:
    """Witnesses on one domain."""

    m: Model
    domain: Domain
    shown: Shown

    def profile(self, claim: Claim) -> Profile:
        """A number for each agent. Raises InputError for anything else."""
        return tuple(part.number() for part in claim.by_name(self.m.spec.names))

    def lie(self, claim: Claim, concept: str) -> Comparisons:
        """A lie that pays: both runs once more."""
        names = self.m.spec.names
        n = names.index(claim["agent"].one_of(names))
        declared, lengths = (self.profile(claim[which]) for which in ("declarations", "lengths"))
        truth, lie = lengths[n], declared[n]
        self.in_domain(claim, concept, [n], declared, lengths)
        told = (*declared[:n], truth, *declared[n + 1 :])
        truthful, lying = (play(self.m.mechanism, b, lengths, self.m.values).utilities for b in (told, declared))
        assert truthful is not None  # play() fills them in
        assert lying is not None
        gain = gain_of(lying[n], truthful[n])
        found = Witness(n, truth, lie, declared, lengths, truthful[n], lying[n], gain)
        yield from claim.proves(self.shown.lie(found))
        if gain <= 0:
            yield claim["gain"].wrong("no gain at all")

    def joint_lie(self, claim: Claim, concept: Concept, coalitions: Coalitions) -> GroupWitness:
        """A joint lie that pays, played again. Raises InputError for what is no case of the domain, or does not pay."""
        names = self.m.spec.names
        members = tuple(names.index(part.one_of(names)) for part in claim["members"].rows())
        if members not in coalitions.members(len(names)):
            raise claim["members"].refused("a coalition of a size that was asked for, in the order of the agents")
        declared, lengths = (self.profile(claim[which]) for which in ("declarations", "lengths"))
        self.in_domain(claim, concept, members, declared, lengths)
        found = joint_lie(Runs(self.m.mechanism, self.m.values), coalitions, members, declared, lengths)
        if found is None:
            raise claim["declarations"].refused("a joint lie that pays")
        return found

    def in_domain(self, claim: Claim, concept: str, liars: Sequence[int], declared: Profile, lengths: Profile) -> None:
        """Raise InputError where this is no case of the domain, with these agents as the possible liars."""
        for k, name in enumerate(self.m.spec.names):
            honest = concept == "dominant" or k in liars or declared[k] == lengths[k]
            if not honest or lengths[k] not in self.domain.lengths[k]:
                raise claim["lengths"][name].refused(f"a case of the domain ({concept})")
            if declared[k] not in self.domain.options(k, lengths[k]):
                raise claim["declarations"][name].refused("a declaration of the domain")

    def failure(self, claim: Claim, name: str, any_others: bool) -> Comparisons:
        """A situation in which a property fails, judged again by running the mechanism."""
        names = self.m.spec.names
        agent = names.index(claim["agent"].one_of(names)) if claim["agent"].given else None
        declared, known = self.profile(claim["declarations"]), claim["lengths"].given
        lengths = self.profile(claim["lengths"]) if known else declared
        if name == "accepts_every_input":
            found = self.refusal(agent, declared, lengths if known else None)
        else:
            found = self.evidence(name, (agent, declared, lengths), any_others)
        if found is None:
            yield claim.wrong("it does not fail there")
            return
        found = replace(found, lengths=found.lengths if known else None)
        yield from claim.proves(self.shown.failure(name, found))

    def evidence(self, name: str, situation: Situation, any_others: bool = False) -> PropertyWitness | None:
        """What speaks against a property in a situation of the domain."""
        return evidence(self.m.mechanism, self.domain, name, situation, any_others=any_others, values=self.m.values)

    def refusal(self, agent: int | None, declared: Profile, lengths: Profile | None) -> PropertyWitness | None:
        """An input that is refused, or whose job is stopped; whatever the lengths where none are told."""
        partners = [self.domain.partners(n, b) for n, b in enumerate(declared)]
        if not all(partners):
            return None
        world = lengths or tuple(own[0] for own in partners)
        found = self.evidence("accepts_every_input", (None, declared, world))
        if found is None or not found.values or agent is None:
            return found if found is None else replace(found, agent=agent)
        never = play(self.m.mechanism, declared, world, self.m.values).output[agent] == INF
        return replace(found, agent=agent) if never else None
