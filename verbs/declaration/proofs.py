"""What records of kind ``declaration`` prove by themselves.

A lie that pays is played again, and so is the truth in its place; a situation in which a property fails is judged again
by running the mechanism. Either refutes what it is a witness against. That nothing fails, how many cases there were and
that no lie pays more follow from no witness: there a record only has to agree with its own parts.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Final

from ...games.incentives.domain import CONCEPTS, Domain, Profile
from ...games.incentives.properties.by_running import Situation, evidence
from ...games.incentives.properties.results import MARGINS, PROPERTIES, PropertyWitness
from ...games.incentives.results import Witness, gain_of
from ...mechanisms.declaration.protocol import play
from ...scenarios.scenario import Scenario
from ...scheduling.errors import unknown_name
from ...scheduling.exact import INF, Extended
from ...scheduling.progress import Clock
from ..asked import Question
from ..game.proofs import prove_search, reader
from ..proving import Claim, Comparisons, attempt, chosen
from ..records import jsonable
from .model import Model, declarations, model
from .search import posed
from .verify import domain_row
from .witnesses import Shown, replay_of

WITNESSED: Final = "agrees with the witness, which does not prove that nothing is beyond it"
LINEAR: Final = "agrees with three places inside, which do not prove it linear between them"
UNREFUTED: Final = "nothing in the record refutes it, which is no proof"


def search(record: Claim, question: Question, clock: Clock) -> Comparisons:
    """Proofs of a search: every profile of it is played again."""
    options = chosen(question, "declaration")
    asked = posed(question.source, options)
    return prove_search(record, asked, reader(asked.game), options.epsilon, clock)


def verify(record: Claim, question: Question, clock: Clock) -> Comparisons:
    """Proofs of a check: every witness is played again."""
    scenario: Scenario = question.source
    m = model(scenario)
    proofs = _Verify(m, m.domain(), Shown(scenario, m, own=False), chosen(question, "declaration").sample)
    yield from record["domain"].proves(domain_row(proofs.domain, proofs.shown))
    for concept in CONCEPTS:
        claim = record[concept.replace("-", "_")]
        yield from attempt(claim, proofs.concept, claim, concept)
    checks = [(record["properties"][name], name, False) for name in PROPERTIES]
    checks += [(record["properties"]["any_others"][name], name, True) for name in MARGINS]
    for claim, name, any_others in checks:
        yield from attempt(claim, proofs.property, claim, name, any_others)


@dataclass(frozen=True)
class _Verify:
    """Proofs of one check."""

    m: Model
    domain: Domain
    shown: Shown
    sample: int | None

    def concept(self, claim: Claim, concept: str) -> Comparisons:
        """Incentive compatibility in one sense."""
        holds, most, cases, total = (claim[name] for name in ("holds", "max_gain", "cases", "total"))
        every = self.domain.cases(concept)  # type: ignore[arg-type]  # one of CONCEPTS
        if total.given:
            yield from total.proves(every)
        tried = every if self.sample is None else self.sample  # which may try a case twice
        yield from cases.requires(0 <= cases.whole() <= tried, f"0 to {tried}", UNREFUTED)
        witness = claim["witness"]
        if witness.given:
            rows = list(self.lie(witness, concept))
            yield from rows
            if all(row.holds for row in rows):
                yield from holds.proves(False)
            if most.given:  # a reduction does not look for the largest
                yield from most.agrees(witness["gain"].extended(), WITNESSED)
        elif holds.value is False:
            yield holds.wrong("no witness")
        else:
            yield from most.requires(not most.given or most.extended() <= 0, "at most 0 without a witness", UNREFUTED)

    def profile(self, claim: Claim) -> Profile:
        """A number for each agent. Raises InputError for anything else."""
        return tuple(part.number() for part in claim.by_name(self.m.spec.names))

    def lie(self, claim: Claim, concept: str) -> Comparisons:
        """A lie that pays: both runs once more."""
        names = self.m.spec.names
        n = names.index(claim["agent"].one_of(names))
        declared, lengths = (self.profile(claim[which]) for which in ("declarations", "lengths"))
        truth, lie = lengths[n], declared[n]
        for k, name in enumerate(names):
            honest = concept == "dominant" or k == n or declared[k] == lengths[k]
            if not honest or lengths[k] not in self.domain.lengths[k]:
                raise claim["lengths"][name].refused(f"a case of the domain ({concept})")
            if declared[k] not in self.domain.options(k, lengths[k]):
                raise claim["declarations"][name].refused("a declaration of the domain")
        told = (*declared[:n], truth, *declared[n + 1 :])
        truthful, lying = (play(self.m.mechanism, b, lengths, self.m.values).utilities for b in (told, declared))
        assert truthful is not None  # play() fills them in
        assert lying is not None
        gain = gain_of(lying[n], truthful[n])
        found = Witness(n, truth, lie, declared, lengths, truthful[n], lying[n], gain)
        yield from claim.proves(self.shown.lie(found))
        if gain <= 0:
            yield claim["gain"].wrong("no gain at all")

    def property(self, claim: Claim, name: str, any_others: bool) -> Comparisons:
        """A property in one of its senses."""
        holds, cases, witness = claim["holds"], claim["cases"], claim["witness"]
        yield from cases.requires(cases.whole() >= int(witness.given), "a number of cases", UNREFUTED)
        if witness.given:
            rows = list(self.failure(witness, name, any_others))
            yield from rows
            if all(row.holds for row in rows):
                yield from holds.proves(False)
        elif holds.value is False:
            yield holds.wrong("no witness")

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


def curve(record: Claim, question: Question, clock: Clock) -> Comparisons:
    """Proofs of a curve: its points are played again, and three places inside each piece."""
    scenario: Scenario = question.source
    m = model(scenario)
    proofs = _Curve(scenario, m, m.spec.names.index(_agent(chosen(question, "declaration").agent, m)))
    yield from record["agent"].proves(m.spec.names[proofs.agent])
    yield from record["truth"].proves(m.lengths[proofs.agent])
    for row in (*record["points"].rows(), record["best"]):
        yield from attempt(row, proofs.point)
    yield from attempt(record["best"], proofs.best, record)
    if record["utility_truth"].given:
        yield from record["utility_truth"].proves(proofs.utility(m.lengths[proofs.agent]))
    yield from attempt(record["replay"], proofs.replays, record)
    for row in record["pieces"].rows():
        yield from attempt(row, proofs.piece)


def _agent(name: str, m: Model) -> str:
    if name not in m.spec.names:
        raise unknown_name("agent", name, m.spec.names)
    return name


class _Curve:
    """Proofs of one curve."""

    def __init__(self, scenario: Scenario, m: Model, agent: int) -> None:
        self.scenario, self.m, self.agent = scenario, m, agent
        self.declared = declarations(m)

    def said(self, x: Fraction) -> Profile:
        """Everybody's declarations when the agent declares ``x``."""
        return (*self.declared[: self.agent], x, *self.declared[self.agent + 1 :])

    def utility(self, x: Fraction) -> Extended:
        """The agent's utility when she declares ``x``."""
        utilities = play(self.m.mechanism, self.said(x), self.m.lengths, self.m.values).utilities
        assert utilities is not None  # play() fills them in
        return utilities[self.agent]

    def point(self, row: Claim) -> Comparisons:
        """One declaration."""
        x = row["declares"].number()
        yield from row.proves({"declares": x, "utility": self.utility(x)})

    def best(self, record: Claim) -> Comparisons:
        """No point of the record is better."""
        most = max((row["utility"].extended() for row in record["points"].rows()), default=-INF)
        if most > record["best"]["utility"].extended():
            yield record["best"].wrong(most)

    def replays(self, record: Claim) -> Comparisons:
        """Scenarios that play the best declaration and the truth."""
        shown = [record["best"]["declares"].number()]
        if record["utility_truth"].given:
            shown.append(self.m.lengths[self.agent])
        name, found = self.m.spec.names[self.agent], []
        for x in dict.fromkeys(shown):
            claim = {"agents": {name: {"utility": self.utility(x)}}}
            found.append(replay_of(self.scenario, self.m, self.said(x), self.m.lengths, claim))
        yield from record["replay"].proves(found)

    def piece(self, row: Claim) -> Comparisons:
        """The line at three places inside; what lies between them only agrees."""
        low, high, slope = (row[name].number() for name in ("from", "to", "slope"))
        if low >= high:
            raise row["to"].refused(f"more than {low}")
        at_low = row["at_from"].extended()
        for k in (1, 2, 3):
            x = low + (high - low) * k / 4
            if self.utility(x) != at_low + slope * (x - low):
                yield row.wrong(f"{jsonable(self.utility(x))} at {x}")
                return
        line = {"from": low, "to": high, "slope": slope, "at_from": at_low, "at_to": at_low + slope * (high - low)}
        yield from row.agrees(line, LINEAR)
