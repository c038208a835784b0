"""Every rule decides as the plain reference does: schedules, utilities, contributions, coalition by coalition."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest

from consortium.mechanisms.sharing import Job, SharingInstance, SharingOutcome, job_utility, simulate
from consortium.mechanisms.sharing import simulation as simulation_module
from consortium.mechanisms.sharing.kernels import queues
from consortium.mechanisms.sharing.utilities import UTILITIES

from . import reference as plain

QUEUE_RULES = sorted(queues.CODES)


@pytest.fixture(params=["compiled", "python"])
def arithmetic(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Run the compiled kernels, or pretend that numbers outgrow int64."""
    if request.param == "python":
        monkeypatch.setattr(simulation_module, "plain_needed", lambda *_: True)
        monkeypatch.setattr(simulation_module, "ref_arithmetic", lambda *_: "python")
    return str(request.param)


def starts(outcome: SharingOutcome) -> dict[tuple[int, int], int]:
    first = outcome.instance.first.tolist()
    return {
        (u, n): int(outcome.start[first[u] + n])
        for u in range(len(first) - 1)
        for n in range(first[u + 1] - first[u])
        if outcome.start[first[u] + n] >= 0
    }


def machines_of(outcome: SharingOutcome) -> dict[tuple[int, int], int]:
    first = outcome.instance.first.tolist()
    return {(u, n): int(outcome.machine[first[u] + n]) for u, n in starts(outcome)}


COUNTS = [
    pytest.param(Fraction(1, 3), id="dozens"),
    pytest.param(Fraction(1), id="hundreds", marks=pytest.mark.exhaustive),
    pytest.param(Fraction(12), id="thousands", marks=pytest.mark.exhaustive),
]
"""How many times the usual number of instances; the thousands are larger ones too."""


def draw(rng: random.Random, times: Fraction | int) -> tuple[list[int], list[list[tuple[int, ...]]], int]:
    found: tuple[list[int], list[list[tuple[int, ...]]], int] = (
        plain.random_instance(rng) if times <= 1 else plain.random_instance(rng, n=12, horizon=14, longest=8)
    )
    return found


@pytest.mark.parametrize("rule", QUEUE_RULES)
@pytest.mark.parametrize("timing", ["next", "now"])
@pytest.mark.parametrize("times", COUNTS)
def test_queue_rules(arithmetic: str, rule: str, timing: str, times: Fraction) -> None:
    rng = random.Random(f"{rule} {timing} {times}")
    for _ in range(int(250 * times)):
        machines, jobs, until = draw(rng, times)
        outcome = simulate(SharingInstance.of(machines, jobs), rule=rule, until=until, timing=timing)
        queues = [[Job(*job) for job in queue] for queue in jobs]
        expected = plain.QueueRule(machines, queues, rule, timing).run(until, "rigid")
        assert starts(outcome) == expected, (machines, jobs, until)
        assert outcome.utility == tuple(plain.psi(jobs, expected, u, until) for u in range(len(machines)))
        assert outcome.parts == tuple(plain.usage(jobs, expected, u, until) for u in range(len(machines)))
        assert outcome.method == ("python" if arithmetic == "python" else "int64")


@pytest.mark.parametrize("timing", ["next", "now"])
@pytest.mark.parametrize(
    ("method", "count", "times"),
    [
        ("int64", 60, 1),
        ("two-limbs", 30, 1),
        ("python", 24, 1),
        pytest.param("int64", 3000, 2, marks=pytest.mark.exhaustive),
    ],
)
def test_ref_in_every_coalition(
    timing: str, method: str, count: int, times: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    if method != "int64":
        monkeypatch.setattr(simulation_module, "ref_arithmetic", lambda *_: method)
    rng = random.Random(f"ref {timing} {count}")
    for _ in range(count):
        machines, jobs, until = draw(rng, times)
        k = len(machines)
        instance = SharingInstance.of(machines, jobs)
        outcome = simulate(instance, rule="ref", until=until, timing=timing)
        assert outcome.method == method
        expected = plain.ref(machines, jobs, until, timing)
        assert outcome.coalitions is not None
        value = {(): Fraction(0)}
        for members, schedule in expected.items():
            mask = sum(1 << u for u in members)
            psi = [plain.psi(jobs, schedule, u, until) if u in members else 0 for u in range(k)]
            assert outcome.coalitions.utilities[mask].tolist() == psi, (machines, jobs, until, members)
            assert outcome.coalitions.values[mask] == sum(psi)
            value[members] = Fraction(sum(psi))
        phi = plain.shapley(value.__getitem__, tuple(range(k)))
        assert outcome.contribution == tuple(phi[u] for u in range(k))
        assert starts(outcome) == expected[tuple(range(k))]


@pytest.mark.parametrize("utility", list(UTILITIES))
@pytest.mark.parametrize("timing", ["next", "now"])
def test_ref_for_any_utility(utility: str, timing: str, thinning: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The corrected first figure, distances and all, in the grand coalition and below."""
    monkeypatch.setattr(simulation_module, "ref_arithmetic", lambda *_: "python")
    rng = random.Random(f"{utility} {timing}")
    for _ in range(120 // thinning):
        machines, jobs, until = plain.random_instance(rng)
        jobs = [[(r, p, r + rng.randint(0, 6)) for r, p in queue] for queue in jobs]
        k = len(machines)
        outcome = simulate(
            SharingInstance.of(machines, jobs),
            rule="ref",
            until=until,
            timing=timing,
            utility=utility,
        )
        expected = plain.ref(machines, jobs, until, timing, utility, figure=1)
        assert starts(outcome) == expected[tuple(range(k))]
        assert outcome.coalitions is not None
        value = {(): Fraction(0)}
        for members, schedule in expected.items():
            psi = [plain.observed(jobs, schedule, u, until, until, utility) if u in members else 0 for u in range(k)]
            assert outcome.coalitions.utilities[sum(1 << u for u in members)].tolist() == psi
            value[members] = sum(psi, Fraction(0))
        phi = plain.shapley(value.__getitem__, tuple(range(k)))
        assert outcome.contribution == tuple(phi[u] for u in range(k))


@pytest.mark.parametrize("timing", ["next", "now"])
@pytest.mark.parametrize("times", COUNTS)
def test_rand(arithmetic: str, timing: str, times: Fraction) -> None:
    rng = random.Random(f"rand {timing} {times}")
    for _ in range(int(200 * times)):
        machines, jobs, until = draw(rng, times)
        k = len(machines)
        orderings = [rng.sample(range(k), k) for _ in range(rng.randint(1, 5))]
        outcome = simulate(
            SharingInstance.of(machines, jobs), rule="rand", until=until, timing=timing, orderings=orderings
        )
        schedule, phi = plain.rand(machines, jobs, until, orderings, timing)
        assert starts(outcome) == schedule, (machines, jobs, until, orderings)
        assert outcome.contribution == tuple(phi)


def test_rand_with_all_orderings_lists_them_all(thinning: int) -> None:
    rng = random.Random(5)
    for _ in range(200 // thinning):
        machines, jobs, until = plain.random_instance(rng)
        instance = SharingInstance.of(machines, jobs)
        listed = [list(p) for p in permutations(range(len(machines)))]
        every = simulate(instance, rule="rand", until=until, samples="all")
        given = simulate(instance, rule="rand", until=until, orderings=listed)
        assert starts(every) == starts(given)
        assert every.contribution == given.contribution


def test_a_simplified_schedule_of_rand_waits_for_machines_of_its_own_only() -> None:
    """Alone the second must run its two jobs one after the other; with the first's machine both begin at once.

    Nothing is decided after the start, so all schedules are brought from there to the end in one go.
    """
    unit = 2**70  # beyond int64: nothing to compile
    instance = SharingInstance.of([1, 1], [[], [(0, 4 * unit)] * 2])
    outcome = simulate(instance, rule="rand", until=8 * unit, orderings=[[0, 1], [1, 0]])
    at_once, later = (job_utility(start * unit, 4 * unit, 8 * unit) for start in (0, 4))
    alone, together = at_once + later, 2 * at_once
    assert outcome.contribution == (Fraction(together - alone, 2), Fraction(together + alone, 2))


@pytest.mark.parametrize("order", ["listed", "random"])
@pytest.mark.parametrize("timing", ["next", "now"])
@pytest.mark.parametrize("times", COUNTS)
def test_direct_contribution(arithmetic: str, timing: str, order: str, times: Fraction) -> None:
    rng = random.Random(f"direct {timing} {order} {times}")
    for seed in range(int(250 * times)):
        machines, jobs, until = draw(rng, times)
        instance = SharingInstance.of(machines, jobs)
        draws = np.random.default_rng(seed).integers(0, 2**32, size=instance.n_jobs, dtype=np.uint32).tolist()
        outcome = simulate(
            instance, rule="direct-contribution", until=until, timing=timing, machine_order=order, seed=seed
        )
        schedule, on, given = plain.direct(machines, jobs, until, timing, draws if order == "random" else None)
        assert starts(outcome) == schedule, (machines, jobs, until)
        assert machines_of(outcome) == on
        assert outcome.contribution == tuple(given)
        assert outcome.utility == tuple(plain.psi(jobs, schedule, u, until) for u in range(len(machines)))


@pytest.mark.parametrize("order", ["listed", "random"])
@pytest.mark.parametrize("times", COUNTS)
def test_direct_contribution_printed(arithmetic: str, order: str, times: Fraction) -> None:
    rng = random.Random(f"printed {order} {times}")
    for seed in range(int(250 * times)):
        machines, jobs, until = draw(rng, times)
        instance = SharingInstance.of(machines, jobs)
        draws = np.random.default_rng(seed).integers(0, 2**32, size=instance.n_jobs, dtype=np.uint32).tolist()
        outcome = simulate(instance, rule="direct-contribution-printed", until=until, machine_order=order, seed=seed)
        schedule, on, phi, _ = plain.direct_printed(machines, jobs, until, draws if order == "random" else None)
        assert starts(outcome) == schedule, (machines, jobs, until)
        assert machines_of(outcome) == on
        assert outcome.contribution == tuple(phi)


def bags(rng: random.Random, k: int, machines: int, horizon: int, count: int) -> SharingInstance:
    jobs: list[list[tuple[int, int]]] = [[] for _ in range(k)]
    for _ in range(count):
        release = rng.randint(0, horizon)
        jobs[rng.randrange(k)].extend((release, rng.randint(1, 9)) for _ in range(rng.randint(1, 5)))
    return SharingInstance.of([rng.randint(0, machines) for _ in range(k)], jobs)


def test_one_word_and_two_agree(monkeypatch: pytest.MonkeyPatch, thinning: int) -> None:
    """One to eight organizations, all their coalitions, both timings."""
    rng = random.Random(8)
    for i in range(40 // thinning):
        instance = bags(rng, rng.randint(1, 8), 3, 40, rng.randint(1, 60))
        results = []
        for arithmetic in ("int64", "two-limbs"):
            monkeypatch.setattr(simulation_module, "ref_arithmetic", lambda *_, a=arithmetic: a)
            results.append(simulate(instance, rule="ref", until=50, timing="next" if i % 2 else "now"))
        assert (results[0].start == results[1].start).all()
        one, two = (outcome.coalitions for outcome in results)
        assert (one.utilities == two.utilities).all()
        assert (one.values == two.values).all()


def test_sixteen_organizations(monkeypatch: pytest.MonkeyPatch) -> None:
    """65,535 coalitions, in one word and in two."""
    rng = random.Random(16)
    instance = SharingInstance.of([1, 0] * 8, [[(rng.randint(0, 3), rng.randint(1, 4))] * 2 for _ in range(16)])
    outcome = simulate(instance, rule="ref", until=3)
    assert outcome.method == "int64"
    assert outcome.contribution is not None
    assert sum(outcome.contribution) == outcome.value
    monkeypatch.setattr(simulation_module, "ref_arithmetic", lambda *_: "two-limbs")
    other = simulate(instance, rule="ref", until=3)
    assert other.start.tolist() == outcome.start.tolist()
    assert other.contribution == outcome.contribution


def test_the_last_of_seventeen_organizations_gets_what_its_jobs_are_worth() -> None:
    instance = SharingInstance.of([0] * 16 + [1], [[(0, 1)]] + [[]] * 15 + [[(0, 2), (2, 3)]])
    outcome = simulate(instance, rule="ref", until=9)
    assert outcome.start.tolist() == [5, 0, 2]
    assert outcome.utility == (job_utility(5, 1, 9), *[0] * 15, job_utility(0, 2, 9) + job_utility(2, 3, 9))
