"""Sampled contributions and the schedule that follows them, against their definitions and against exact REF."""

from __future__ import annotations

import itertools
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from consortium.mechanisms.sharing import sampled as module
from consortium.mechanisms.sharing.instance import SharingInstance
from consortium.mechanisms.sharing.orderings import Structure, _read, _widths, coalitions, leaves, rounds, turns
from consortium.mechanisms.sharing.sampled import Sample, SampledReference, sampled_memory, sampled_reference
from consortium.mechanisms.sharing.simulation import simulate
from consortium.support.errors import InputError, TooLargeError

STRUCTURES: list[Structure] = [(0, 1, 2, 3), ((0, 1), 2), ((0, 1), (2, 3, 4)), (((0, 1), 2), 3), (0, ((1, 2), (3, 4)))]


def random_instance(rng: np.random.Generator, k: int, longest: int = 6, jobs: int = 5) -> SharingInstance:
    machines = [int(m) for m in rng.integers(0, 3, k)]
    machines[int(rng.integers(k))] += 1
    sizes = rng.integers(0, jobs + 1, k)
    queues = [[(int(rng.integers(12)), int(rng.integers(1, longest + 1))) for _ in range(n)] for n in sizes]
    return SharingInstance.of(machines, queues)


def draw(instance: SharingInstance, until: int, sample: Sample, seed: int = 0, threads: int = 1) -> SampledReference:
    return sampled_reference(instance, until, sample, np.random.default_rng(seed), threads)


def value(instance: SharingInstance, mask: int, until: int, rule: str = "fair-share") -> int:
    """Of a coalition alone at a moment."""
    members = [u for u in range(instance.n_organizations) if mask >> u & 1]
    alone = SharingInstance.of([instance.machines[u] for u in members], [instance.queue(u) for u in members])
    return int(simulate(alone, rule=rule, until=until).value)


def added(instance: SharingInstance, orderings: list[list[int]], until: int) -> list[Fraction]:
    """What everybody adds to those before it, on average."""
    total = [Fraction(0)] * instance.n_organizations
    values = {0: 0}
    for ordering in orderings:
        mask = 0
        for u in ordering:
            for one in (mask, mask | 1 << u):
                if one not in values:
                    values[one] = value(instance, one, until)
            total[u] += values[mask | 1 << u] - values[mask]
            mask |= 1 << u
    return [x / len(orderings) for x in total]


def followed(instance: SharingInstance, orderings: list[list[int]], until: int) -> list[int]:
    """Psi of everybody where, unit by unit, whoever is furthest below its contribution a unit later is served."""
    queues = [list(instance.queue(u)) for u in range(instance.n_organizations)]
    running: list[tuple[int, int, int]] = []  # start, length, organization

    def psi(u: int, at: int) -> int:
        return sum(sum(at - i for i in range(s, min(s + p, at))) for s, p, v in running if v == u)

    for t in range(until):
        while True:
            waiting = [u for u, queue in enumerate(queues) if queue and queue[0][0] <= t]
            busy = sum(s + p > t for s, p, _ in running)
            if not waiting or busy == instance.n_machines:
                break
            phi = added(instance, orderings, t + 1)
            best = min(waiting, key=lambda u: (psi(u, t + 1) - phi[u], u))
            running.append((t, queues[best].pop(0)[1], best))
    return [psi(u, until) for u in range(instance.n_organizations)]


def check_definition(seed: int) -> None:
    rng = np.random.default_rng(seed)
    instance, until = random_instance(rng, int(rng.integers(1, 4)), jobs=3), int(rng.integers(1, 12))
    sample = Sample(samples=1)
    found = draw(instance, until, sample, seed)
    k = instance.n_organizations
    again = np.random.default_rng(seed)
    orderings = [order for _ in range(16) for order in rounds(tuple(range(k)), 1, again).tolist()]
    assert found.orderings == len(orderings)
    assert list(found.outcome.contribution or ()) == added(instance, orderings, until)
    assert found.at([until // 2, until])[0] == added(instance, orderings, until // 2)
    assert list(found.outcome.utility) == followed(instance, orderings, until)


@pytest.mark.parametrize("seeds", [range(4), pytest.param(range(4, 700), marks=pytest.mark.exhaustive)])
def test_contributions_and_schedule_are_as_defined(seeds: range) -> None:
    for seed in seeds:
        check_definition(seed)


def test_three_with_unit_jobs_are_ref() -> None:
    """A circle of three, both ways round, is all orderings; the order inside coalitions does not matter."""
    for seed in range(8):
        rng = np.random.default_rng(seed)
        instance, until = random_instance(rng, 3, longest=1), int(rng.integers(1, 15))
        found, exact = draw(instance, until, Sample()), simulate(instance, rule="ref", until=until)
        assert found.outcome.contribution == exact.contribution
        assert found.outcome.start.tolist() == exact.start.tolist()
        assert (found.sampling, found.order) == (0, 0)
        assert found.schedules <= 2 * 7


def check_bound(seed: int, k: int) -> tuple[float, float]:
    rng = np.random.default_rng(seed)
    instance, until = random_instance(rng, k, longest=9, jobs=6), 25
    found, exact = draw(instance, until, Sample(samples=600), seed), simulate(instance, rule="ref", until=until)
    pairs = zip(found.outcome.contribution or (), exact.contribution or (), strict=True)
    off = float(sum(abs(a - b) for a, b in pairs))
    assert off <= found.sampling + found.order + 1e-9
    apart = sum(abs(a - b) for a, b in zip(found.outcome.utility, exact.utility, strict=True))
    return off, float(apart)


@pytest.mark.parametrize("seeds", [range(3), pytest.param(range(3, 100), marks=pytest.mark.exhaustive)])
@pytest.mark.parametrize("k", [5, 8, pytest.param(12, marks=pytest.mark.exhaustive)])
def test_errors_lie_inside_the_bound(k: int, seeds: range) -> None:
    assert max(check_bound(seed, k)[0] for seed in seeds) > 0


def together(structure: Structure) -> list[tuple[int, ...]]:
    """All orderings that keep each union in one piece."""

    def unions(node: Structure) -> list[set[int]]:
        return [set(leaves(node)), *(u for child in node for u in unions(child))] if isinstance(node, tuple) else []

    def whole(order: tuple[int, ...], union: set[int]) -> bool:
        places = [i for i, u in enumerate(order) if u in union]
        return places[-1] - places[0] < len(places)

    every = itertools.permutations(range(len(leaves(structure))))
    return [order for order in every if all(whole(order, union) for union in unions(structure))]


def arranged(node: Structure) -> list[Structure]:
    """The node with its circles in every order."""
    if not isinstance(node, tuple):
        return [node]
    inside = list(itertools.product(*(arranged(child) for child in node)))
    return [order for children in inside for order in itertools.permutations(children)]


@pytest.mark.parametrize("structure", STRUCTURES)
def test_every_ordering_that_keeps_unions_together_is_as_likely(structure: Structure) -> None:
    """So the mean is unbiased for Owen's value, and without unions for Shapley's, wherever circles are read from."""
    every = together(structure)
    for turn in range(turns(structure)):
        read = Counter(tuple(_read(circle, turn, _widths(structure))) for circle in arranged(structure))
        assert set(read) == set(every)
        assert len(set(read.values())) == 1


def test_a_circle_gives_everybody_every_place() -> None:
    orders = rounds(tuple(range(7)), 7, np.random.default_rng(1))
    assert all(sorted(column) == sorted(2 * list(range(7))) for column in orders.T.tolist())
    assert sorted(map(tuple, orders[:, ::-1].tolist())) == sorted(map(tuple, orders.tolist()))
    assert len(coalitions([orders.tolist()], 7).member) == 7 * 6 + 1


def test_unions_count_as_owen_says() -> None:
    """All circles of a structure together, against the mean over all orderings that keep unions together."""
    structure = ((0, 1), 2, 3)
    for seed in range(4):
        rng = np.random.default_rng(seed)
        instance = random_instance(rng, 4)
        exact = added(instance, [list(order) for order in together(structure)], 15)
        found = draw(instance, 15, Sample(samples=3000, structure=structure))
        off = sum(abs(a - b) for a, b in zip(found.outcome.contribution or (), exact, strict=True))
        assert off <= found.sampling + 1e-9


def test_threads_and_unlimited_integers_give_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    instance = random_instance(np.random.default_rng(5), 5)
    one = draw(instance, 20, Sample(samples=100))
    for threads in (2, 0):
        assert facts(draw(instance, 20, Sample(samples=100), threads=threads)) == facts(one)
    monkeypatch.setattr(module, "plain_needed", lambda *_: True)
    unlimited = draw(instance, 20, Sample(samples=100))
    assert unlimited.outcome.method == "python"
    assert facts(unlimited) == facts(one)


def facts(found: SampledReference) -> tuple[object, ...]:
    outcome = found.outcome
    return outcome.start.tolist(), outcome.contribution, found.sampling, found.order, found.schedules


def test_an_accuracy_draws_as_many_as_it_takes() -> None:
    instance = random_instance(np.random.default_rng(2), 5)
    rough = draw(instance, 20, Sample(samples=64))
    value = float(sum(rough.outcome.contribution or ()))
    wanted = Fraction(rough.sampling / value / 3)
    fine = draw(instance, 20, Sample(samples=64, epsilon=wanted))
    assert fine.sampling <= float(wanted) * value
    assert fine.orderings == pytest.approx(9 * rough.orderings, abs=2 * 2 * 2)
    with pytest.raises(TooLargeError, match=r"epsilon: .* orderings leave an error of"):
        draw(instance, 20, Sample(samples=64, epsilon=Fraction(1, 10**9)))


def test_what_cannot_be_sampled_is_refused() -> None:
    instance = random_instance(np.random.default_rng(5), 3)
    with pytest.raises(InputError, match=r"expected each of 0\.\.2 once"):
        draw(instance, 5, Sample(structure=((0, 1), 1)))
    with pytest.raises(TooLargeError, match=r"sampled contributions would take .* Give fewer samples"):
        sampled_memory(instance, 10**9, Sample())


def test_nobody_and_nothing() -> None:
    idle = SharingInstance.of([1, 2], [[], []])
    assert draw(idle, 5, Sample()).outcome.contribution == (0, 0)
    alone = SharingInstance.of([1], [[(0, 3), (1, 2)]])
    assert draw(alone, 4, Sample()).outcome.contribution == simulate(alone, rule="ref", until=4).contribution
    assert draw(alone, 0, Sample()).outcome.utility == (0,)
