"""What the certificate of a search on a federation proves: its cuts refuted and its trees followed once more."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from ...agents.organizations import Placement
from ...games.placement.bounds import largest_equilibrium_cost, least_social_cost, sharp_price
from ...games.placement.branch_and_bound import by_branch_and_bound
from ...games.placement.certificate import NASH, Direction, Slack, Tree
from ...games.placement.certificate import Claim as CutClaim
from ...games.placement.checker import holds
from ...games.placement.cuts import refuted
from ...games.placement.cuts_model import by_cuts
from ...games.placement.game import PlacementGame
from ...games.protocol import Outcome, costs_of, social_cost
from ...mechanisms.federation import schedule as metrics
from ...scenarios.scenario import Scenario
from ...support.progress import Clock
from ...support.status import Status
from ..claims import ABSENT, Claim, Comparisons, attempt, chosen
from ..game.profile_proofs import Limits, Proofs
from ..game.proofs import prove as proofs_of_game
from ..request import Request
from .coalitions import hosts, proved, read_moves, units
from .model import Model, model
from .options import Prove
from .prove import asked_property, asked_shape, game_row
from .search import replays, setup_of, theorem_names, with_replay

DIRECTIONS: Final[dict[str, Direction]] = {"at all": "worst", "above": "worst", "below": "best"}
"""What ``no_equilibrium`` of a claim stands for."""


def search(record: Claim, request: Request, clock: Clock) -> Comparisons:
    """Proofs of a search: cuts are refuted and trees followed again, which settles what they exclude; every profile is
    played again.
    """
    options = chosen(request, "federation")
    scenario: Scenario = request.source
    m = model(scenario)
    setup = setup_of(m, options)
    certificate = _Certificate(record["certificate"], scenario, m, clock)
    if certificate.claim.present:
        for claim in certificate.claim["claims"].rows():
            yield from attempt(claim, certificate.refuted)
        for claim in certificate.claim["trees"].rows():
            yield from attempt(claim, certificate.followed)
    yield from proofs_of_game(
        Proofs(
            record,
            setup,
            lambda claim: placement(claim, m),
            options,
            clock,
            certificate.limits(record["optimum"]),
            lambda row: with_replay(scenario, row),
        )
    )
    yield from attempt(certificate.claim, certificate.replays, record)
    yield from attempt(record["unconstrained_optimum"], _unconstrained, record, m)
    for key, actual in theorem_names(setup.game).items():
        if record[key].value is not ABSENT:
            yield from record[key].proves(actual)


def placement(claim: Claim, m: Model) -> Placement:
    """A placement as records write it. Raises InputError, or UnknownNameError for a host, where it is none."""
    return tuple(hosts(part, m.federation, k) for k, part in enumerate(claim.by_name(m.spec.names)))


@dataclass
class _Certificate:
    """The claims of a search, and what those that hold again prove of all placements."""

    claim: Claim
    scenario: Scenario
    m: Model
    clock: Clock

    def __post_init__(self) -> None:
        game = self.m.game()
        self.game = game if isinstance(game, PlacementGame) else None
        self.excluded: list[CutClaim] = []
        self.trees: list[Tree] = []

    def refuted(self, row: Claim) -> Comparisons:
        """The model rebuilt from the game and the moves alone; nothing may satisfy it."""
        game = self.game
        if game is None or not by_cuts(game).covered:
            yield row.wrong("cuts prove nothing about this game")
            return
        claim = self._read(row)
        if refuted(game, claim, self.clock.left()):
            self.excluded.append(claim)
            yield proved(row, "refuted again")
        else:
            yield row.wrong("the moves do not exclude it")

    def followed(self, row: Claim) -> Comparisons:
        """Every decision of a tree made again by a plain checker."""
        game = self.game
        if game is None or not by_branch_and_bound(game).covered:
            yield row.wrong("trees prove nothing about this game")
            return
        payer = row["payer"].text() if row["payer"].present else None
        tree = Tree(
            units(row["at_least"], self.m.federation),
            units(row["at_most"], self.m.federation) if row["at_most"].present else None,
            None if payer is None else game.by_priority.index(self.m.federation.index(payer, row["payer"].key)),
            row["nodes"].whole(),
            row["decisions"].text() if row["decisions"].present else None,
        )
        if tree.decisions is None:
            return
        if holds(tuple(self.m.federation.sizes[k] for k in game.by_priority), tree, self.clock):
            self.trees.append(tree)
            yield proved(row, "followed again")
        else:
            yield row.wrong("the decisions do not prove it")

    def _read(self, row: Claim) -> CutClaim:
        """One claim, in units. Raises InputError or UnknownNameError for what is none."""
        which = row["no_equilibrium"].one_of(DIRECTIONS)
        social = None if which == "at all" else units(row["social_cost"], self.m.federation)
        if social is None and row["social_cost"].value is not None:
            raise row["social_cost"].refused("null")
        factor, strict = row["factor"].number(), row["strict"].value
        if not isinstance(strict, bool) or factor < 1:
            raise row.refused("a factor of at least 1, and strict or not")
        slack = Slack(factor.numerator, factor.denominator, units(row["addend"], self.m.federation), strict)
        if slack != NASH and (social is not None or not (_only_factor(slack) or _only_addend(slack))):
            raise row.refused("equilibria, or one of an epsilon or a regret at all")
        moves = read_moves(row["moves"].rows(), self.m.federation)
        return CutClaim(DIRECTIONS[which], social, moves, slack)

    def limits(self, optimum: Claim) -> Limits:
        """What is proved of all placements; no equilibrium costs more than the sharp price times any of them."""
        unit = self.m.federation.unit
        nash = {None if c.social is None else c.direction: c.social for c in self.excluded if c.slack == NASH}
        factors = [Fraction(c.slack.num, c.slack.den) for c in self.excluded if _only_factor(c.slack)]
        addends = [c.slack.add + 1 for c in self.excluded if c.social is None and _only_addend(c.slack)]
        none, worst, best = self._by_trees()
        worst, best = min(worst, nash.get("worst") or worst), max(best, nash.get("best") or best)
        most, least = (f(self.game) if self.game else None for f in (largest_equilibrium_cost, least_social_cost))
        sharp = sharp_price(self.game) if self.game else None
        if most is not None and sharp is not None and optimum.present:
            most = min(most, sharp * Fraction(social_cost(self.m.game(), placement(optimum["profile"], self.m))))
        return Limits(
            none=none or None in nash or bool(factors),
            worst=most if self.m.total else worst * unit if most is None else min(most, worst * unit),
            best=least if self.m.total else best * unit if least is None else max(least, best * unit),
            optimum=least if least is not None or self.m.total else metrics.lower_bound(self.m.federation),
            epsilon=max(factors, default=Fraction(1)),
            regret=max(addends, default=0) * unit,
        )

    def _by_trees(self) -> tuple[bool, int, int]:
        """Whether the trees exclude every equilibrium; else the most that one can cost, and the least, in units."""
        order = self.game.by_priority if self.game else range(len(self.m.federation))
        tops = [sum(self.m.federation.sizes[k]) for k in order]  # everything at home
        low = -int(-metrics.lower_bound(self.m.federation) // self.m.federation.unit)
        none = False
        for tree in self.trees:
            if tree.most is None:
                none |= tree.payer is None and tree.least == 0
                tops = [min(top, tree.least - 1) if tree.payer in (None, k) else top for k, top in enumerate(tops)]
            elif tree.payer is None and tree.least == 0:
                low = max(low, tree.most + 1)
        return none, max(tops), low

    def replays(self, record: Claim) -> Comparisons:
        """The scenarios that repeat the verdicts, made from the verdicts again."""
        if not self.claim.present:
            return
        game, equilibria = self.m.game(), record["equilibria"]
        profiles = [
            placement(equilibria[name]["profile"], self.m) for name in ("best", "worst") if equilibria[name].present
        ]
        extremes = [Outcome(p, costs_of(game, p), social_cost(game, p)) for p in profiles]
        exists = equilibria["exists"].value if record["complete"].value is True else None
        yield from self.claim["replay"].proves(
            replays(self.scenario, self.m, record["method"].text(), exists, extremes)
        )


def _only_factor(slack: Slack) -> bool:
    """Whether it allows all profiles of an epsilon below its factor."""
    return slack.strict and slack.add == 0 and slack.num > slack.den


def _only_addend(slack: Slack) -> bool:
    """Whether it allows all profiles whose regret is at most its addend."""
    return not slack.strict and slack.num == slack.den


def _unconstrained(record: Claim, m: Model) -> Comparisons:
    """The least makespan of all schedules lies between the bound and the optimum over placements."""
    claim, least = record["unconstrained_optimum"], metrics.lower_bound(m.federation)
    if not claim.present:
        return
    best = record["optimum"]["social_cost"]
    most = best.number() if best.present else None
    if most == least:
        yield from claim.proves(least)
    else:
        fits = least <= claim.number() and (most is None or claim.number() <= most)
        yield from claim.requires(fits, f"{least} to {most}", "lies between a bound and the optimum over placements")


def prove(record: Claim, request: Request, clock: Clock) -> Comparisons:
    """Proofs of what holds for all lengths: the game that refutes, as scenarios that are played by themselves."""
    options, scenario = chosen(request, "federation"), request.source
    yield from record["property"].proves(asked_property(scenario, options))
    yield from attempt(record["witness"], _game, record, scenario, options)


def _game(record: Claim, scenario: Scenario, options: Prove) -> Comparisons:
    """The scenarios of a witness, made from its lengths again: what they expect is what the record claims."""
    claim, spec = record["witness"], asked_shape(scenario)
    if not claim.present:
        return
    lengths = []
    for part, count in zip(claim["lengths"].by_name(spec.names), spec.jobs, strict=True):
        row = [Claim(f"{part.key}[{i}]", value).number() for i, value in enumerate(part.value, 1)]
        if len(row) != count or min(row, default=1) <= 0:
            raise part.refused(f"{count} lengths > 0")
        lengths.append(row)
    ends = (record[key] for key in ("value", "at_least") if record[key].present)
    number = next((end.number() for end in ends), None)
    name = asked_property(scenario, options)
    yield from claim["replay"].proves(game_row(scenario, spec, name, lengths, number, options).replay)
    if record["status"].value == str(Status.REFUTED):
        yield from record["status"].agrees(str(Status.REFUTED), "follows from what witness.replay expects")
