"""What records of kind ``declaration`` prove by themselves.

A lie that pays is played again, and so is the truth in its place; a situation in which a property fails is judged again
by running the mechanism. Either refutes what it is a witness against. That nothing fails, how many cases there were and
that no lie pays more follow from no witness: there a record only has to agree with its own parts.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from ...games.declaration.bounds import largest_social_cost, least_social_cost
from ...games.declaration.game import DeclarationGame
from ...games.incentives.domain import CONCEPTS, Concept, Profile
from ...games.incentives.groups.results import Coalitions
from ...games.incentives.groups.results import cases as group_cases
from ...games.incentives.properties.results import MARGINS, PROPERTIES
from ...mechanisms.declaration.protocol import play
from ...scenarios.scenario import Scenario
from ...support.errors import unknown_name
from ...support.exact import INF, Extended
from ...support.progress import Clock
from ..asked import Question
from ..game.proofs import Limits, prove_search, reader
from ..proving import Claim, Comparisons, attempt, chosen
from ..records import jsonable
from . import bayesian_proofs
from .all_lengths_proofs import for_all_lengths
from .bayesian import known_prior
from .groups import asked_coalitions, group_lie
from .model import Model, declarations, model
from .options import REAL
from .played import Played
from .posing import posed
from .real_proofs import over_reals
from .verify import asks_proof, domain_row
from .witnesses import Shown, replay_of

WITNESSED: Final = "agrees with the witness, which does not prove that nothing is beyond it"
LINEAR: Final = "agrees with three places inside, which do not prove it linear between them"
UNREFUTED: Final = "nothing in the record refutes it, which is no proof"


def search(record: Claim, question: Question, clock: Clock) -> Comparisons:
    """Proofs of a search: every profile of it is played again."""
    options = chosen(question, "declaration")
    if options.dynamics == REAL:
        yield from over_reals(record, question.source, options, clock)
        return
    asked = posed(question.source, options)
    game = asked.game
    assert isinstance(game, DeclarationGame)
    least = least_social_cost(game)
    limits = Limits(worst=largest_social_cost(game), best=least, optimum=least)
    yield from prove_search(record, asked, reader(game), options, clock, limits)
    if options.bayesian:
        m, claim = model(question.source), record["bayes_nash"]
        yield from attempt(claim, bayesian_proofs.search, claim, m, known_prior(m, "bayesian"), clock)


def verify(record: Claim, question: Question, clock: Clock) -> Comparisons:
    """Proofs of a check: every witness is played again."""
    scenario: Scenario = question.source
    options = chosen(question, "declaration")
    m = model(scenario)
    shown = Shown(scenario, m, own=False)
    if asks_proof(scenario, options):
        yield from for_all_lengths(record, m, shown, options)
        return
    domain = m.domain()
    proofs = _Verify(Played(m, domain, shown), options.sample)
    yield from record["domain"].proves(domain_row(domain, shown))
    for concept in CONCEPTS:
        claim = record[concept.replace("-", "_")]
        yield from attempt(claim, proofs.concept, claim, concept)
    prior, expected = m.prior(), record["bayesian"]
    if prior is not None and options.sample is None:
        yield from attempt(expected, bayesian_proofs.verify, expected, m, domain, prior, clock)
    if (coalitions := asked_coalitions(options, domain.n_agents)) is not None:
        claim = record["group"]
        yield from claim["notion"].proves(coalitions.notion)
        yield from claim["sizes"].proves(coalitions.sizes)
        for concept in CONCEPTS:
            about = claim[concept.replace("-", "_")]
            yield from attempt(about, proofs.group, about, concept, coalitions)
    checks = [(record["properties"][name], name, False) for name in PROPERTIES]
    checks += [(record["properties"]["any_others"][name], name, True) for name in MARGINS]
    for claim, name, any_others in checks:
        yield from attempt(claim, proofs.property, claim, name, any_others)


@dataclass(frozen=True)
class _Verify:
    """Proofs of one check."""

    played: Played
    sample: int | None

    def concept(self, claim: Claim, concept: str) -> Comparisons:
        """Incentive compatibility in one sense."""
        holds, most, cases, total = (claim[name] for name in ("holds", "max_gain", "cases", "total"))
        every = self.played.domain.cases(concept)  # type: ignore[arg-type]  # one of CONCEPTS
        if total.given:
            yield from total.proves(every)
        tried = every if self.sample is None else self.sample  # which may try a case twice
        yield from cases.requires(0 <= cases.whole() <= tried, f"0 to {tried}", UNREFUTED)
        witness = claim["witness"]
        if witness.given:
            rows = list(self.played.lie(witness, concept))
            yield from rows
            if all(row.holds for row in rows):
                yield from holds.proves(False)
            if most.given:  # a reduction does not look for the largest
                yield from most.agrees(witness["gain"].extended(), WITNESSED)
        elif holds.value is False:
            yield holds.wrong("no witness")
        else:
            yield from most.requires(not most.given or most.extended() <= 0, "at most 0 without a witness", UNREFUTED)

    def group(self, claim: Claim, concept: Concept, coalitions: Coalitions) -> Comparisons:
        """Group strategyproofness in one sense."""
        holds, most, tried = (claim[name] for name in ("holds", "max_gain", "cases"))
        every = group_cases(self.played.domain, concept, coalitions) if self.sample is None else self.sample
        yield from tried.requires(0 <= tried.whole() <= every, f"0 to {every}", UNREFUTED)
        witness = claim["witness"]
        if witness.given:
            found = self.played.joint_lie(witness, concept, coalitions)
            rows = list(witness.proves(group_lie(found, coalitions, self.played.shown)))
            yield from rows
            if all(row.holds for row in rows):
                yield from holds.proves(False)
            yield from most.agrees(found.gain, WITNESSED)
        elif holds.value is False:
            yield holds.wrong("no witness")
        else:
            yield from most.requires(not most.given, "null without a witness", UNREFUTED)
            if holds.value is True:
                yield from tried.requires(tried.whole() == every, str(every), UNREFUTED)

    def property(self, claim: Claim, name: str, any_others: bool) -> Comparisons:
        """A property in one of its senses."""
        holds, cases, witness = claim["holds"], claim["cases"], claim["witness"]
        yield from cases.requires(cases.whole() >= int(witness.given), "a number of cases", UNREFUTED)
        if witness.given:
            rows = list(self.played.failure(witness, name, any_others))
            yield from rows
            if all(row.holds for row in rows):
                yield from holds.proves(False)
        elif holds.value is False:
            yield holds.wrong("no witness")


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
