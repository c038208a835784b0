"""Mechanisms of one's own, two rounds, samples, stopping early, sizes out of reach."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction as F
from types import SimpleNamespace
from typing import Any

import pytest

from consortium.games.verification import Domain, audit, check_incentives, estimate
from consortium.games.verification.check import Verifier, check_properties
from consortium.games.verification.cost import MAX_BYTES, shared_cells
from consortium.games.verification.machine import prepare
from consortium.games.verification.orbits import plan_domain
from consortium.games.verification.results import gain_of
from consortium.games.verification.running import Candidate, Runs, Truth, check_by_running, conclude
from consortium.games.verification.truth_tables import AgentCheck
from consortium.mechanisms.declaration import Cutoff, build
from consortium.scheduling.clusters import Cluster
from consortium.scheduling.goals import Makespan
from consortium.support.errors import ConsortiumError, InputError, TooLargeError, UnknownNameError

from . import plain


class FairSlices:
    """Everybody gets an equal slice of one machine until the last job ends; nobody is asked, so nobody can gain."""

    anonymous = True

    def run(self, declared: Any, lengths: Any) -> Any:
        total = sum(lengths)
        return SimpleNamespace(output=(total,) * len(lengths), payments=(F(0),) * len(lengths))


class ShortestFirst:
    """One machine, shortest declaration first, equal ones together at the end of both: no tie depends on names."""

    def __init__(self, anonymous: bool) -> None:
        self.anonymous = anonymous
        self.runs = 0

    def run(self, declared: Any, lengths: Any) -> Any:
        self.runs += 1
        output = [sum((x for b, x in zip(declared, lengths, strict=True) if b <= own), F(0)) for own in declared]
        return SimpleNamespace(output=tuple(output), payments=(F(0),) * len(output))


def test_a_mechanism_of_ones_own_needs_no_registration() -> None:
    both = Verifier(FairSlices(), Domain.of([1, 2], [1, 2, 3], agents=3)).incentives()
    assert (both.dominant.holds, both.dominant.max_gain, both.dominant.method) == (True, 0, "general")
    assert both.dominant.cases == both.dominant.total == 3 * 4 * 6 * 6
    assert both.ex_post.cases == 3 * 4 * 4


def test_anonymity_saves_runs_and_changes_nothing_else() -> None:
    domain = Domain.of([1, 2], [1, 2, 3], agents=3)
    answers = []
    for anonymous in (False, True):
        mechanism = ShortestFirst(anonymous)
        for concept in ("dominant", "ex-post"):
            answers.append((mechanism.runs, check_by_running(Truth(Runs(mechanism), domain, concept))))
    (_, plain), (plain_runs, plain_post), (_, quick), (quick_runs, quick_post) = answers
    assert quick_runs < plain_runs * 2 / 3
    for slow, fast in ((plain, quick), (plain_post, quick_post)):
        assert (fast.holds, fast.cases, fast.max_gain) == (slow.holds, slow.cases, slow.max_gain)
        assert fast.complete
        assert fast.witness == slow.witness


def test_two_rounds_refute_the_printed_hold_back_and_keep_the_repaired_one() -> None:
    """Example 7.5.1: c = (1), theta = (1, 1), V_2 = 7/2; declaring 2 drives the other one out."""
    domain = Domain.of([1], [1, 2], agents=2)
    values = [10, "7/2"]
    for holdback, holds in (("repaired", True), ("printed", False)):
        two = build("evcg-postpone", Cluster.of([1]), rounds=2, values=values, holdback=holdback)
        answer = check_incentives(two, domain, "ex-post")
        assert (answer.method, answer.holds) == ("general", holds)
        assert answer.cases == 2
    printed = check_incentives(
        build("evcg-postpone", Cluster.of([1]), rounds=2, values=values, holdback="printed"), domain, "ex-post"
    ).witness
    assert (printed.agent, printed.lie, printed.utility_truth) == (0, 2, 7)


def test_margins_of_two_rounds_jump_once_somebody_left() -> None:
    """One machine, b = (1, 1), V = (10, 5/2): agent 2 leaves, T_1 = 1 when truthful and about 3 next to the truth."""
    domain = Domain.of([1], agents=2)
    for rule in ("evcg-renice", "evcg-postpone"):
        two = build(rule, Cluster.of([1]), rounds=2, values=[10, "5/2"])
        properties = check_properties(two, domain)
        for check in (properties.upper_margin, properties.lower_margin):
            assert (check.holds, check.exact, check.cases) == (False, True, 2)
            assert check.witness.values["utility"] == 9
            assert check.witness.values["limit"] == 7
        assert properties.individually_rational.holds
    stays = build("evcg-renice", Cluster.of([1]), rounds=2, values=[10, 10])
    assert check_properties(stays, domain).upper_margin.holds


def test_margins_of_ones_own_mechanism_are_exact_where_it_is_piecewise_linear() -> None:
    class Digits(FairSlices):
        def run(self, declared: Any, lengths: Any) -> Any:
            return super().run([F(b.numerator, b.denominator) for b in declared], lengths)

    for rule, exact in ((FairSlices(), True), (Digits(), False)):
        check = Verifier(rule, Domain.of([1, 2], agents=2)).property("upper_margin")
        assert (check.holds, check.exact) == (True, exact)


def test_mechanisms_of_ones_own_may_kill_liars_but_not_refuse() -> None:
    @dataclass
    class Picky:
        kills_liars: bool
        refuse_above: int

        def run(self, declared: Any, lengths: Any) -> Any:
            if max(declared) > self.refuse_above:
                raise InputError("too long")
            output = tuple(x if x == b else math.inf for b, x in zip(declared, lengths, strict=True))
            return SimpleNamespace(output=output, payments=(F(0),) * len(output))

    domain = Domain.of([1, 2], agents=2)
    pickies = [Picky(*case) for case in ((True, 9), (False, 9), (True, 1))]
    answers = [Verifier(picky, domain).property("accepts_every_input").holds for picky in pickies]
    assert answers == [True, False, False]


def test_cutoffs_are_limits_on_input() -> None:
    domain = Domain.of([1, 2, 4], agents=2)
    for cutoff, holds in ((Cutoff("difference", 3), True), (Cutoff("difference", 2), False), (None, True)):
        mechanism = build("evcg-postpone", Cluster.of([1]), Makespan(), cutoff=cutoff)
        assert Verifier(mechanism, domain).property("accepts_every_input").holds is holds
    refusing = build("evcg-postpone", Cluster.of([1]), cutoff=Cutoff("absolute", 3))
    stopped = Verifier(refusing, domain).property("accepts_every_input")
    assert (stopped.holds, stopped.witness.lengths[0]) == (False, 4)
    domain = Domain.of([1, 2], [1, 4], agents=2)
    refused = Verifier(refusing, domain).property("accepts_every_input")
    assert (refused.holds, refused.witness.declarations[0], refused.witness.lengths) == (False, 4, None)
    with pytest.raises(InputError, match=r"cutoff\.absolute = 3"):
        check_incentives(refusing, domain)


def test_tables_that_the_mechanism_does_not_confirm_are_refused() -> None:
    judge = Truth(Runs(FairSlices()), Domain.of([1, 2], agents=2), "ex-post")
    witness = judge.look(next(case for _, case in judge.every()))
    with pytest.raises(ConsortiumError, match=r"tables tell a gain of 1, the mechanism itself .* please report"):
        conclude(judge, [(1, Candidate(F(1), lambda: witness))], "kernel")


def test_infinite_gains() -> None:
    """A lie that kills gains -inf, one that saves gains inf, and between two killed jobs nothing is gained."""
    inf = math.inf
    assert [gain_of(-inf, F(0)), gain_of(F(0), -inf), gain_of(-inf, -inf)] == [-inf, inf, 0]

    class KillsTheTruth:
        def run(self, declared: Any, lengths: Any) -> Any:
            output = tuple(math.inf if x == b else x for b, x in zip(declared, lengths, strict=True))
            return SimpleNamespace(output=output, payments=(F(0),) * len(output))

    answer = check_incentives(KillsTheTruth(), Domain.of([1, 2], agents=1))
    assert (answer.holds, answer.max_gain) == (False, inf)
    assert (answer.witness.utility_truth, answer.witness.utility_lie) == (-inf, -1)


def test_no_lie_at_all_holds_without_a_case() -> None:
    for mechanism in (build("straightforward", Cluster.of([1])), FairSlices()):
        answer = check_incentives(mechanism, Domain.of([2], agents=2))
        assert (answer.holds, answer.cases, answer.max_gain, answer.complete) == (True, 0, None, True)


# --- stopping early -------------------------------------------------------------------------------------------------


class Interrupt:
    """Ctrl-C, once, at the n-th report of progress."""

    def __init__(self, at: int) -> None:
        self.left = at

    def __call__(self, done: int, total: int | None, note: str = "") -> None:
        self.left -= 1
        if self.left == 0:
            raise KeyboardInterrupt


@pytest.mark.parametrize("method", ["kernel", "general"])
@pytest.mark.parametrize("at", [1, 2, 5])
def test_ctrl_c_keeps_the_partial_count(method: str, at: int) -> None:
    domain = Domain.of([1, 2, 3], agents=3)
    mechanism = build("light-vcg", Cluster.of([1]))
    answer = check_incentives(mechanism, domain, method=method, progress=Interrupt(at))
    assert answer.cases < answer.total
    assert not answer.complete
    assert answer.holds in (None, False)
    if answer.witness is not None:
        assert answer.witness.gain == answer.max_gain > 0


def test_ctrl_c_while_planning_checks_the_profiles_already_planned() -> None:
    domain = Domain.of([1, 2, 3], agents=4)
    mechanism = build("light-vcg", Cluster.of([1]), ties="listed", goal=Makespan())  # planned one by one
    answer = check_incentives(mechanism, domain, progress=Interrupt(2))
    assert 0 < answer.cases < answer.total
    assert not answer.complete


def test_time_limit_of_zero_gives_an_incomplete_answer() -> None:
    for method in ("kernel", "general"):
        mechanism = build("evcg-postpone", Cluster.of([1]), Makespan(), ties="listed")
        answer = check_incentives(mechanism, Domain.of([1, 2, 3], agents=3), method=method, time_limit=0)
        assert (answer.holds, answer.complete) == (None, False)
        assert answer.cases < answer.total


# --- sizes ----------------------------------------------------------------------------------------------------------


def test_estimate_counts_exactly_and_refuses_what_is_out_of_reach() -> None:
    domain = Domain.of([1, 2], [2, 3], agents=3)
    size = estimate(build("harsh", Cluster.of([1])), domain)
    twin = plain.Plain("harsh", [1], lambda t: -sum(t))
    assert size.comparisons == plain.check(twin, domain.lengths, domain.declarations, "dominant")[1]
    assert size.profiles == 27
    huge = Domain.of(range(1, 9), agents=9)
    for mechanism in (build("harsh", Cluster.of([1, 2])), FairSlices()):
        with pytest.raises(TooLargeError, match=f"{huge.cases('dominant'):,}"):
            check_incentives(mechanism, huge)
        sampled = check_incentives(mechanism, huge, sample=50, seed=3)
        assert (sampled.cases, sampled.complete, sampled.seed, sampled.holds) == (50, False, 3, None)
    assert estimate(FairSlices(), huge).bytes > MAX_BYTES


@pytest.mark.parametrize("options", [1, 2, 3])
def test_the_memory_of_shared_tables_is_foreseen(options: int) -> None:
    """One machine: a table for every sorted list and every place in it, equal declarations or not."""
    domain = Domain.of(range(1, options + 1), agents=4)
    mechanism = build("light-vcg", Cluster.of([1]))
    arrays = prepare(mechanism, plan_domain(mechanism, domain))
    tables = AgentCheck(mechanism, arrays, "dominant", 0).build(range(4))
    assert shared_cells(mechanism, domain, 4, options) == len(tables.cells)


def test_samples_repeat_and_refute() -> None:
    domain = Domain.of([1, 2, 3], agents=3)
    mechanism = build("light-vcg", Cluster.of([1]))
    first, again = (check_incentives(mechanism, domain, sample=300, seed=7) for _ in range(2))
    assert first == again
    assert first.holds is False
    whole = check_incentives(mechanism, domain)
    assert first.max_gain <= whole.max_gain
    rent = Verifier(mechanism, domain, sample=20, seed=1).property("budget_balanced")
    assert (rent.holds, rent.complete, rent.cases) == (False, False, 20)


def test_numbers_beyond_int64_are_checked_with_python_integers() -> None:
    """Denominators of twenty digits: the range proof fails and the answer is the same as with nearby small ones."""
    wide = F(1, 10**20 + 39)
    domain = Domain.of([1, 1 + wide, 2], agents=2)
    mechanism = build("light-vcg", Cluster.of([1, F(3, 2)]))
    answer = check_incentives(mechanism, domain)
    assert answer.method == "kernel"
    general = check_by_running(Truth(Runs(mechanism), domain, "dominant"))
    assert (answer.holds, answer.max_gain, answer.witness) == (general.holds, general.max_gain, general.witness)
    assert not prepare(mechanism, plan_domain(mechanism, domain)).scale.compiled
    assert prepare(mechanism, plan_domain(mechanism, Domain.of([1, 2], agents=2))).scale.compiled


def test_plans_made_for_dominant_serve_ex_post() -> None:
    domain = Domain.of([1, 2], [2, 3], agents=3)
    mechanism = build("evcg-renice", Cluster.of([1, 2]), Makespan())
    plans = plan_domain(mechanism, domain)
    shared = check_incentives(mechanism, domain, "ex-post", plans=plans)
    assert shared == check_incentives(mechanism, domain, "ex-post") == Verifier(mechanism, domain).incentives().ex_post


def test_wrong_arguments_are_named() -> None:
    domain = Domain.of([1, 2], agents=2)
    with pytest.raises(UnknownNameError, match="Did you mean 'dominant'"):
        check_incentives(FairSlices(), domain, "dominent")
    with pytest.raises(UnknownNameError, match="Did you mean 'kernel'"):
        check_incentives(FairSlices(), domain, method="kernal")
    with pytest.raises(InputError, match="built-in rule in one round"):
        check_incentives(FairSlices(), domain, method="kernel")
    with pytest.raises(InputError, match="values: found 3 for 2 agents"):
        check_incentives(build("harsh", Cluster.of([1]), values=[1, 2, 3]), domain)
    with pytest.raises(InputError, match=r"domain\.lengths: found -1"):
        Domain.of([1, -1], agents=2)
    with pytest.raises(InputError, match="number of agents"):
        Domain.of([1, 2])
    with pytest.raises(InputError, match="found no length"):
        Domain.of([[1], []])
    with pytest.raises(UnknownNameError, match="Did you mean 'just'"):
        Verifier(FairSlices(), domain).property("jus")


def test_an_audit_makes_plans_once_and_stops_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    domain = Domain.of([1, 2, 3], agents=3)
    mechanism = build("evcg-postpone", Cluster.of([1]), Makespan(), ties="listed")  # planned profile by profile
    planned: list[Any] = []
    honest = type(mechanism).plan
    monkeypatch.setattr(type(mechanism), "plan", lambda self, b: planned.append(b) or honest(self, b))
    found = audit(mechanism, domain)
    assert found.complete
    assert len(planned) < 2 * domain.profiles
    assert found.incentives == Verifier(mechanism, domain).incentives()
    assert found.properties == check_properties(mechanism, domain)
    stopped = audit(mechanism, domain, progress=Interrupt(1))
    assert (stopped.complete, stopped.properties.just.cases, stopped.properties.just.holds) == (False, 0, None)
    late = check_properties(build("harsh", Cluster.of([1])), domain, progress=Interrupt(3))
    assert late.rent_nonnegative.complete
    assert late.accepts_every_input.holds is None
    assert not late.complete
