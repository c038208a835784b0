"""The published numbers of designed payments: implementable or not, least rents, least fines, frontiers."""

from __future__ import annotations

from fractions import Fraction as F
from typing import Any

import pytest

from consortium.games.design.allocation import best_allocation, frontier
from consortium.games.design.cycles import balanced_near, least_fine, negative_cycle
from consortium.games.design.envy import Graphs, bare, envy
from consortium.games.design.payments import Planned, Question, best_payments, broken, plans, value_of
from consortium.games.verification.domain import Concept, Domain, Profile
from consortium.mechanisms.declaration import build
from consortium.mechanisms.declaration.one_round import OneRound
from consortium.mechanisms.declaration.protocol import DeclarationMechanism, play
from consortium.scenarios.reader import load
from consortium.scheduling.clusters import Cluster
from consortium.scheduling.goals import Goal, Makespan, WeightedSum
from consortium.support.progress import Clock
from consortium.verbs.declaration.model import model

from . import reference

PRIOR = {F(1): F(1, 2), F(2): F(1, 3), F(3): F(1, 6)}
OBJECTIVES = ("rent", "rent-sum", "rent-prior")


class Case:
    """Machines, tool, lengths and concept, with what does not depend on the objective made once."""

    def __init__(self, rule: DeclarationMechanism, cluster: Cluster, domain: Domain, concept: Concept) -> None:
        self.rule, self.mechanism, self.domain, self.concept = rule, bare(rule), domain, concept
        self.graphs: tuple[Graphs, ...] = envy(self.mechanism, domain, concept)
        self.planned: dict[Profile, Planned] = plans(
            self.mechanism, cluster, Question(domain, concept, "spread").declared
        )

    @classmethod
    def of(cls, powers: list[Any], agents: int, tool: str, concept: Concept, lengths: Any = (1, 2, 3)) -> Case:
        names = {"bare": "light-vcg", "renice": "vcg-renice", "postpone": "vcg-postpone", "kill": "harsh"}
        cluster = Cluster.of(powers)
        made = build(names[tool], cluster) if tool in names else build("designed", cluster, tool=tool, price="W - E")
        return cls(made, cluster, Domain.of(lengths, agents=agents), concept)

    @classmethod
    def shipped(cls, name: str, concept: Concept) -> Case:
        m = model(load(name))
        return cls(m.mechanism, m.cluster, m.domain(), concept)

    def question(self, objective: str = "rent", *conditions: str, **more: Any) -> Question:
        prior = [PRIOR] * self.domain.n_agents if objective == "rent-prior" else None
        return Question(
            self.domain, self.concept, objective, conditions=frozenset(conditions), **{"prior": prior, **more}
        )

    def least(self, objective: str, *conditions: str, **more: Any) -> F | None:
        assert negative_cycle(self.graphs) is None
        answer = best_payments(self.question(objective, *conditions, **more), self.graphs, self.planned)
        assert answer.status == ("impossible" if answer.value is None else "optimal")
        return answer.value

    def taken(self, objective: str) -> F:
        """What the rule itself takes."""
        question = self.question(objective, "no-deficit")
        table = {b: tuple(map(F, play(self.rule, b, b).payments)) for b in question.truthful}
        return value_of(question, table, self.planned)


# implementable or not -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("powers", "agents", "tool", "lengths", "concept", "fine"),
    [
        *[([1], 2, tool, (1, 2, 3), "ex-post", 0) for tool in ("bare", "run-on", "renice", "postpone", "kill")],
        *[([1, 2], 3, tool, (1, 2, 3), "ex-post", 0) for tool in ("bare", "run-on", "renice", "postpone", "kill")],
        *[([1], 2, tool, (1, 2, 3), "dominant", 0) for tool in ("postpone", "kill")],
        *[([1, 2], 3, tool, (1, 2, 3), "dominant", 0) for tool in ("postpone", "kill")],
        ([1], 2, "bare", (1, 2, 3), "dominant", F(1, 2)),
        ([1], 2, "run-on", (1, 2, 3), "dominant", F(1, 2)),
        ([1], 2, "renice", (1, 2, 3), "dominant", 1),
        ([1], 3, "bare", (1, 2, 3), "dominant", F(3, 2)),
        ([1], 3, "renice", (1, 2, 3), "dominant", F(7, 2)),
        *[([1, 2], 2, tool, (1, 2, 3), "dominant", 0) for tool in ("bare", "run-on", "renice")],
        ([1, 2], 3, "bare", (1, 2, 3), "dominant", F(1, 4)),
        ([1, 2], 3, "renice", (1, 2, 3), "dominant", F(1, 2)),
        ([2, 3], 3, "order-only", (1, 2, 3, 4), "ex-post", F(1, 4)),
        *[(powers, 3, "order-only", (1, 2, 3, 4), "ex-post", 0) for powers in ([1], [1, 2], [1, 3])],
    ],
)
def test_least_fine_under_which_payments_exist(
    powers: list[int], agents: int, tool: str, lengths: tuple[int, ...], concept: Concept, fine: F
) -> None:
    case = Case.of(powers, agents, tool, concept, lengths)
    assert least_fine(case.graphs)[0] == fine
    assert (negative_cycle(case.graphs) is None) == (fine == 0)


def test_order_only_fails_where_work_rises_with_the_declaration() -> None:
    cycle = negative_cycle(Case.of([2, 3], 3, "order-only", "ex-post", (1, 2, 3, 4)).graphs)
    assert cycle is not None
    assert cycle.total == F(-1, 6)
    assert {(case.true, case.declared) for case in cycle.cases} == {(1, 2), (2, 1)}
    assert sorted(cycle.cases[0].others) == [0, 2, 2]


def test_the_cycle_that_three_sentences_tell() -> None:
    """One machine, bare, dominant: when bob declares 1, lengths 1 and 2 envy each other too much."""
    cycle = negative_cycle(Case.of([1], 2, "bare", "dominant").graphs)
    assert cycle is not None
    told = {(case.true, case.declared, case.later, case.lengths[1]) for case in cycle.cases}
    assert told == {(1, 2, 2, 1), (2, 1, -3, 3)}
    assert {case.others for case in cycle.cases} == {(0, 1)}
    assert cycle.total == -1


# least rents ----------------------------------------------------------------------------------------------------------

TABLE = [
    ([1], 2, "bare", "ex-post", (9, 50, F(83, 18)), (3, 13, F(14, 9))),
    ([1], 2, "renice", "ex-post", (9, 50, F(83, 18)), (2, 5, F(17, 36))),
    ([1], 2, "postpone", "dominant", (9, 50, F(83, 18)), (0, 0, 0)),
    ([1], 3, "bare", "ex-post", (36, 576, F(53, 3)), (8, 117, F(14, 3))),
    ([1], 3, "renice", "ex-post", (36, 576, F(53, 3)), (5, 40, F(287, 216))),
    *[
        ([1, 2], 2, tool, "dominant", (F(9, 2), 25, F(83, 36)), (F(1, 2), 1, F(1, 24)))
        for tool in ("bare", "run-on", "renice", "postpone")
    ],
    ([1, 2], 3, "bare", "ex-post", (15, 252, F(208, 27)), (F(3, 2), 19, F(55, 72))),
    ([1, 2], 3, "renice", "ex-post", (15, 252, F(208, 27)), (1, 7, F(2, 9))),
    ([1, 2], 3, "postpone", "dominant", (15, 252, F(208, 27)), (0, 0, 0)),
]


@pytest.mark.parametrize(("powers", "agents", "tool", "concept", "taken", "least"), TABLE)
def test_what_the_rule_takes_and_what_is_enough(
    powers: list[int], agents: int, tool: str, concept: Concept, taken: Any, least: Any
) -> None:
    case = Case.of(powers, agents, tool, concept)
    assert tuple(map(case.taken, OBJECTIVES)) == taken
    assert tuple(case.least(name, "prices-nonnegative") for name in OBJECTIVES) == least
    assert all(case.least(name, "no-deficit") == 0 for name in OBJECTIVES)


@pytest.mark.parametrize(
    ("name", "concept", "taken", "free", "priced"),
    [
        ("5.2.1", "dominant", (F(31, 10), None), (0, None), (0, None)),
        ("5.9", "dominant", (6, 17), (0, 0), (0, 0)),
        ("6.8", "dominant", (10, F(53, 3)), (0, 0), (0, 0)),
        ("6.10-makespan-enumerated", "ex-post", (16, 560), (0, 0), (2, F(113, 3))),
        ("5.5-not-dominant", "ex-post", (6, 17), (0, 0), (1, 1)),
        ("5.5-not-dominant", "dominant", (6, 17), (0, 0), (2, 3)),
        ("3.1.2", "ex-post", (0, 0), (9, 18), (18, 18)),
        ("7.1-rent", "dominant", (3, F(-319, 100)), (3, 6), None),
    ],
)
def test_shipped_scenarios(name: str, concept: Concept, taken: Any, free: Any, priced: Any) -> None:
    case = Case.shipped(f"agmon2003/{name}", concept)
    for k, objective in enumerate(("rent", "rent-sum")):
        if taken[k] is not None:
            assert case.taken(objective) == taken[k]
            assert case.least(objective, "no-deficit") == free[k]
            assert priced is None or case.least(objective, "prices-nonnegative") == priced[k]


@pytest.mark.parametrize(("name", "fine"), [("6.10-makespan-enumerated", F(2, 3)), ("5.2.1-truth", F(1, 20))])
def test_shipped_scenarios_that_no_payments_repair(name: str, fine: F) -> None:
    case = Case.shipped(f"agmon2003/{name}", "dominant")
    assert negative_cycle(case.graphs) is not None
    assert least_fine(case.graphs)[0] == fine


@pytest.mark.parametrize(
    ("agents", "lengths", "tool", "goal"),
    [
        (4, 4, "run-on", WeightedSum((1, 9, 5, 3))),
        (4, 5, "run-on", Makespan()),
        pytest.param(5, 5, "postpone", Makespan(), marks=pytest.mark.slow),
    ],
)
def test_balance_where_equal_shares_are_not_enough(agents: int, lengths: int, tool: str, goal: Goal) -> None:
    """A rent of 0 on two machines, with payments that its certificate holds exactly."""
    cluster, domain = Cluster.of([1, 2]), Domain.of(range(1, lengths + 1), agents=agents)
    rule = build("designed", cluster, goal, tool=tool, price="0")
    case = Case(rule, cluster, domain, "dominant" if tool == "postpone" else "ex-post")
    times = {b: planned.times for b, planned in case.planned.items()}
    shares = {b: tuple(sum(own, start=F(0)) / agents - time for time in own) for b, own in times.items()}
    question = case.question("rent-sum", "no-deficit")
    assert broken(question, case.graphs, case.planned, shares) is not None
    answer = best_payments(question, case.graphs, case.planned)
    assert (answer.status, answer.value) == ("optimal", 0)
    assert broken(question, case.graphs, case.planned, answer.table) is None
    assert all(sum(paid) == 0 for paid in answer.table.values())
    assert max(abs(p - q) for b in times for p, q in zip(answer.table[b], shares[b], strict=True)) < 1


@pytest.mark.parametrize(
    ("objective", "least"),
    [("rent", F(61, 39)), pytest.param("rent-sum", F(279, 2), marks=pytest.mark.slow)],
)
def test_programs_of_more_unknowns_than_a_dense_system(objective: str, least: F) -> None:
    """No equal shares, no balance: points and multipliers of 1,500 payments are solved exactly, as sparse systems."""

    def longest_apart(declared: Profile) -> list[list[int]]:
        first, *others = sorted(range(len(declared)), key=lambda n: -declared[n])
        return [[first], others] if 2 * declared[first] > sum(declared) else [[], [first, *others]]

    cluster, domain = Cluster.of([1, 2]), Domain.of(range(1, 9), agents=3)
    rule = build("designed", cluster, tool="run-on", price="0", allocate=longest_apart)
    case = Case(rule, cluster, domain, "ex-post")
    question = case.question(objective, "no-deficit")
    answer = best_payments(question, case.graphs, case.planned)
    assert (answer.status, answer.value) == ("optimal", least)
    assert broken(question, case.graphs, case.planned, answer.table) is None
    assert value_of(question, answer.table, case.planned) == least


def test_no_balance_is_found_where_there_is_none() -> None:
    case = Case.shipped("agmon2003/3.1.2", "ex-post")
    nothing = {b: (F(0),) * len(b) for b in case.planned}
    assert balanced_near(case.graphs, nothing, Clock(None)) is None
    with pytest.raises(TimeoutError):
        balanced_near(case.graphs, nothing, Clock(0))


# participation --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "least", "most"),
    [
        ((10, F(7, 2)), 0, F(15, 2)),
        ((F(9, 2), F(9, 2)), 0, 3),
        ((5, 5), 0, 4),
        ((6, 6), 0, 6),
        ((3, 9), 0, 6),
        ((F(5, 2), F(5, 2)), None, None),
    ],
)
def test_participation(values: tuple[F, F], least: int | None, most: F | None) -> None:
    """One machine, postponed with duration 0, lengths 1 and 2: balanced where V_1 + V_2 >= 6, and the most rent."""
    cluster = Cluster.of([1])
    rule = build("designed", cluster, tool="postpone", penalty=0, price="0")
    case = Case(rule, cluster, Domain.of([1, 2], agents=2), "dominant")
    worth = {"values": tuple(map(F, values))}
    assert case.least("rent", "no-deficit", "takes-part", **worth) == least
    assert case.least("rent", "balanced", "takes-part", **worth) == least
    asked = case.question("rent", "takes-part", "no-deficit", most=True, **worth)
    answer = best_payments(asked, case.graphs, case.planned)
    assert answer.value == (None if most is None else sum(values) - 6)
    if most is None:
        weights: dict[str, F] = {}
        for label, multiplier in answer.rows:
            weights[label[0]] = weights.get(label[0], F(0)) + multiplier
        assert weights["takes-part"] == 2 * weights["no-deficit"]
        subsidised = case.question("rent", "takes-part", most=True, **worth)
        assert best_payments(subsidised, case.graphs, case.planned).value == -1


# allocations ----------------------------------------------------------------------------------------------------------


def designed(tool: str, concept: Concept, *conditions: str, agents: int = 2, lengths: Any = (1, 2, 3)) -> Any:
    penalty = {"postpone": {"penalty": "exact"}, "renice": {"penalty": "repaired"}}.get(tool, {})
    made = bare(build("designed", Cluster.of([1]), tool=tool, price="0", **penalty))
    assert type(made) is OneRound
    question = Question(Domain.of(lengths, agents=agents), concept, "spread", conditions=frozenset(conditions))
    return question, made


def all_rules(tool: str, concept: Concept) -> list[tuple[F, F | None, bool]]:
    own = (F(1), F(2), F(3))
    case = reference.Instance((F(1),), tool, (own, own), (own, own), dominant=concept == "dominant")
    return list(reference.all_rules(case))


@pytest.mark.parametrize(
    ("tool", "concept", "lottery", "certain", "unpaid"),
    [
        ("bare", "dominant", 50, 53, 54),
        ("run-on", "dominant", 50, 53, 54),
        ("order-only", "ex-post", 50, 50, 54),
        ("order-only", "dominant", 54, 54, 54),
        ("postpone", "dominant", 50, 50, 50),
    ],
)
def test_best_allocations(tool: str, concept: Concept, lottery: int, certain: int, unpaid: int) -> None:
    """The published costs; those of deterministic rules also by trying all 512 rules."""
    question, mechanism = designed(tool, concept)
    every = all_rules(tool, concept)
    assert len(every) == 512
    assert min(cost for cost, rent, _ in every if rent is not None) == certain
    assert min(cost for cost, _, free in every if free) == unpaid
    for by_lot, money, cost in ((True, True, lottery), (False, True, certain), (False, False, unpaid)):
        best = best_allocation(question, mechanism, lottery=by_lot, money=money)
        assert (best.status, best.value, best.bound) == ("optimal", cost, cost)


@pytest.mark.parametrize("tool", ["bare", "order-only"])
def test_frontier_of_rent_and_cost(tool: str) -> None:
    """With lotteries convex, its corners; else a staircase, the same as all 512 rules under their least payments."""
    question, mechanism = designed(tool, "ex-post", "prices-nonnegative")
    curve = dict(frontier(question, mechanism, lottery=True))
    for cap, cost in ((0, 54), (F(1, 2), F(317, 6)), (1, F(155, 3)), (2, 50), (3, 50)):
        rents = sorted(curve)
        left = max((rent for rent in rents if rent <= cap), default=rents[0])
        right = min((rent for rent in rents if rent > left), default=left)
        share = (cap - left) / (right - left) if left < cap < right else 0
        assert curve[left] + share * (curve[right] - curve[left]) == cost
    staircase = dict(frontier(question, mechanism, lottery=False))
    pairs = {(rent, cost) for cost, rent, _ in all_rules(tool, "ex-post") if rent is not None}
    best = {one for one in pairs if not any(two != one and two[0] <= one[0] and two[1] <= one[1] for two in pairs)}
    assert set(staircase.items()) == best
    for cap, cost in ((0, 54), (F(1, 2), 54), (1, 54), (2, 53), (3, 50)):
        assert min(own for rent, own in staircase.items() if rent <= cap) == cost
        capped = best_allocation(question, mechanism, lottery=False, rent=F(cap))
        assert (capped.status, capped.value) == ("optimal", cost)
