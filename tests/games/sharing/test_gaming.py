"""What an organization finds to gain: presentations and bounds against plain definitions, the search against runs."""

from __future__ import annotations

import pickle
import random
from functools import partial
from typing import Any

import pytest

from consortium.games.sharing import gaming
from consortium.games.sharing.gaming import (
    CAPACITY,
    FIXED_ORDER,
    HABITS,
    MIXTURE,
    RELEASES,
    Attempt,
    Search,
    after,
    alone,
    most,
    played,
)
from consortium.games.sharing.presentation import MOVES, Presentation, Step, manipulations, true_utility
from consortium.mechanisms.sharing import SharingInstance, job_utility, simulate
from consortium.mechanisms.sharing.instance import SharingInstance as Instance
from consortium.support.errors import UnknownNameError

RULES = ["fifo", "round-robin", "fair-share", "utility-fair-share", "current-fair-share", "direct-contribution", "ref"]
Job = tuple[int, int, int]
"""Release, length, true work."""


def plain_step(queue: list[Job], step: Step) -> list[Job]:
    """The definition, job by job."""
    found: list[Job] = []
    inside = queue[step.first : step.last]
    if step.move == "merge":
        if any(p != true for _, p, true in inside):
            return queue
        groups = [inside[i : i + step.amount] for i in range(0, len(inside), step.amount)]
        joined = [(max(r for r, _, _ in g), sum(p for _, p, _ in g), sum(w for _, _, w in g)) for g in groups]
        return [*queue[: step.first], *joined, *queue[step.last :]]
    for i, (r, p, true) in enumerate(queue):
        if not step.first <= i < step.last:
            found.append((r, p, true))
        elif step.move == "split" and p == true:
            n = min(p, step.amount)
            found += [(r, p // n + (j < p % n), p // n + (j < p % n)) for j in range(n)]
        elif step.move == "split":
            found.append((r, p, true))
        elif step.move == "delay":
            found.append((r + step.amount, p, true))
        else:
            found.append((r, p + step.amount, true))
    return sorted(found, key=lambda job: job[0])


def some_queue(rng: random.Random, scale: int = 1) -> list[tuple[int, int]]:
    jobs = [(rng.randint(0, 6) * scale, rng.randint(1, 6) * scale) for _ in range(rng.randint(0, 5))]
    return sorted(jobs, key=lambda job: job[0])


def some_instance(rng: random.Random, scale: int = 1) -> SharingInstance:
    k = rng.randint(1, 3)
    machines = [rng.randint(0, 2) for _ in range(k)]
    return SharingInstance.of(machines, [some_queue(rng, scale) for _ in range(k)])


def some_step(rng: random.Random, n: int, scale: int = 1) -> Step:
    first, last = sorted((rng.randint(0, n), rng.randint(0, n)))
    move = rng.choice(MOVES)
    return Step(move, first, last, rng.randint(2, 4) if move in ("split", "merge") else rng.randint(1, 5) * scale)


def true_jobs(queue: Presentation) -> list[Job]:
    return list(zip(queue.release.tolist(), queue.length.tolist(), queue.true.tolist(), strict=True))


@pytest.mark.parametrize("scale", [1, 10**18, 2**61])
def test_steps_are_what_they_say(scale: int, thinning: int) -> None:
    rng = random.Random(scale)
    for _ in range(1000 // thinning):
        instance = SharingInstance.of([1], [some_queue(rng, scale)])
        queue = Presentation.of(instance, 0)
        for _ in range(4):
            step = some_step(rng, len(queue), scale)
            wanted = plain_step(true_jobs(queue), step)
            queue = queue.after(step)
            assert true_jobs(queue) == wanted
            assert sum(work for _, _, work in true_jobs(queue)) == sum(job[1] for job in instance.queue(0))


def test_an_unknown_move_is_named() -> None:
    with pytest.raises(UnknownNameError, match="'splitt' is not known"):
        Presentation.listing([(0, 1)], [1]).after(Step("splitt", 0, 1, 2))


def test_what_is_presented_is_an_instance_as_any(thinning: int) -> None:
    """The same arrays as those of the listed jobs, and the same worth, unit part by unit part."""
    rng = random.Random(4)
    for _ in range(300 // thinning):
        instance = some_instance(rng)
        u = rng.randrange(instance.n_organizations)
        queue = Presentation.of(instance, u)
        for _ in range(3):
            queue = queue.after(some_step(rng, len(queue)))
        listed = [queue.jobs if v == u else instance.queue(v) for v in range(instance.n_organizations)]
        wanted, found = SharingInstance.of(instance.machines, listed, instance.names), queue.presented(instance, u)
        for name in ("first", "release", "length", "number"):
            assert getattr(found, name).tolist() == getattr(wanted, name).tolist()
        outcome = simulate(found, rule="round-robin", until=12)
        starts = outcome.start[int(found.first[u]) : int(found.first[u + 1])].tolist()
        worth = sum(job_utility(s, p, 12) for s, p in zip(starts, queue.true.tolist(), strict=True) if s >= 0)
        assert queue.worth(outcome.start[int(found.first[u]) : int(found.first[u + 1])], 12) == worth


def slot_by_slot(instance: Instance, u: int, until: int) -> int:
    """Units of an organization's work on all machines, as early as possible."""
    units = [r for r, p in instance.queue(u) for _ in range(p)]
    worth = 0
    for t in range(until):
        ready = sorted(r for r in units if r <= t)[: instance.n_machines]
        for r in ready:
            units.remove(r)
            worth += until - t
    return worth


def test_bounds_are_what_they_say(thinning: int) -> None:
    rng = random.Random(5)
    for _ in range(400 // thinning):
        instance, until = some_instance(rng), rng.randint(0, 14)
        for u in range(instance.n_organizations):
            together = slot_by_slot(instance, u, until)
            at_release = sum(job_utility(r, p, until) for r, p in instance.queue(u) if r < until)
            assert most(instance, u, until, splitting=True) == together
            assert most(instance, u, until, splitting=False) == min(together, at_release)


def begun(instance: SharingInstance, u: int, until: int, rule: str, **options: Any) -> tuple[Search, Any]:
    play = partial(simulate, rule=rule, until=until, seed=7)
    return Search.of(instance, u, until, play, rule, **{"tries": 30, "seed": 2} | options), play


@pytest.mark.parametrize("rule", RULES)
def test_nothing_gains_what_is_proved_impossible(rule: str, thinning: int) -> None:
    """All single moves, tried by the checker of ``verify``, and random mixtures of several."""
    rng, reasons = random.Random(rule), set()
    for _ in range(40 // thinning):
        instance, until = some_instance(rng), rng.randint(4, 14)
        u = rng.randrange(instance.n_organizations)
        search, play = begun(instance, u, until, rule)
        reasons |= set(search.proved.values())
        for case in manipulations(instance.queue(u), limit=3):
            gain = true_utility(instance, u, case, until=until, rule=rule, seed=7) - search.utility
            assert gain <= search.at_most[case.move], (instance.machines, instance.queue(u), case)
        queue, moves = Presentation.of(instance, u), set()
        for _ in range(3):
            step = some_step(rng, len(queue))
            queue = queue.after(step)
            moves.add(step.move)
            changed = queue.presented(instance, u)
            start = play(changed).start[int(changed.first[u]) : int(changed.first[u + 1])]
            gain = queue.worth(start, until) - search.utility
            assert gain <= search.at_most[MIXTURE]
            if "split" not in moves:
                assert gain <= most(instance, u, until, splitting=False) - search.utility
    assert {CAPACITY, RELEASES} <= reasons if thinning == 1 else reasons
    assert (FIXED_ORDER in reasons) == (rule == "fifo")


@pytest.mark.exhaustive
def test_padding_never_pays_under_fifo() -> None:
    """The theorem behind the reason, on many more instances than the search sees."""
    rng = random.Random(9)
    for _ in range(3000):
        instance, until = some_instance(rng), rng.randint(4, 20)
        u = rng.randrange(instance.n_organizations)
        honest = simulate(instance, rule="fifo", until=until).utility[u]
        for case in manipulations(instance.queue(u), moves=["pad"], limit=4):
            assert true_utility(instance, u, case, until=until, rule="fifo") <= honest


def test_what_is_found_is_found_again_by_the_steps(thinning: int) -> None:
    """Gains, also those of the others and of who is alone, by plain runs of listed jobs."""
    rng, paid = random.Random(11), 0
    for _ in range(40 // thinning):
        instance, until, rule = some_instance(rng), rng.randint(4, 14), rng.choice(RULES)
        u = rng.randrange(instance.n_organizations)
        search, play = begun(instance, u, until, rule)
        search.more(instance, play)
        honest = simulate(instance, rule=rule, until=until, seed=7)
        assert search.utility == honest.utility[u]
        assert search.parts == honest.parts[u]
        assert search.bests[MIXTURE].gain == max(found.gain for found in search.bests.values())
        for kind, found in search.bests.items():
            assert kind == MIXTURE or {step.move for step in found.steps} <= {kind}
            queue = [(r, p, p) for r, p in instance.queue(u)]
            for step in found.steps:
                queue = plain_step(queue, step)
            for others in (True, False):
                listed = [instance.queue(v) if others or v == u else [] for v in range(instance.n_organizations)]
                before = simulate(SharingInstance.of(instance.machines, listed), rule=rule, until=until, seed=7)
                listed[u] = [job[:2] for job in queue]
                outcome = simulate(SharingInstance.of(instance.machines, listed), rule=rule, until=until, seed=7)
                starts = outcome.start.tolist()[sum(map(len, listed[:u])) :]
                worth = sum(
                    job_utility(s, true, until) for s, (_, _, true) in zip(starts, queue, strict=False) if s >= 0
                )
                if others:
                    rest = sum(map(int, outcome.utility)) - int(outcome.utility[u])
                    assert found.gain == worth - honest.utility[u]
                    assert found.others == rest - (honest.value - honest.utility[u])
                elif kind == MIXTURE:
                    assert alone(search, instance, play) == worth - before.utility[u]
            paid += found.gain > 0
    assert paid


def test_the_answer_is_the_best_of_all_that_was_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where it is better by less than the hundredth from which the search climbs on; no habit gains more."""
    gains: list[int] = []

    def spied(*about: Any) -> Attempt:
        attempt = played(*about)
        gains.append(attempt.gain)
        return attempt

    monkeypatch.setattr(gaming, "played", spied)
    rng, behind = random.Random(2), 0
    for _ in range(6):
        listed = [[(rng.randint(0, 1333), rng.randint(1000, 4000)) for _ in range(3)] for _ in range(2)]
        instance = SharingInstance.of([1, 1], listed)
        search, play = begun(instance, 0, 20_000, "utility-fair-share", tries=80)
        gains.clear()
        search.more(instance, play)
        assert search.bests[MIXTURE].gain == max(0, *gains)
        assert all(search.bests[move].gain >= attempt.gain for (move, _), attempt in search.habits.items())
        behind += search.bases[MIXTURE].gain < search.bests[MIXTURE].gain
    assert behind


def test_breaks_and_other_processes_change_nothing() -> None:
    instance = SharingInstance.of([1, 1], [[(0, 4), (1, 7), (2, 5)], [(0, 6), (3, 4)]])
    whole, play = begun(instance, 0, 25, "fair-share", tries=80)
    whole.more(instance, play)
    sliced, _ = begun(instance, 0, 25, "fair-share", tries=80)
    for made in range(1, 81):
        sliced = pickle.loads(pickle.dumps(sliced)).more(instance, play, seconds=0)
        assert sliced.tried == made
    assert sliced.done
    assert (sliced.bests, sliced.habits) == (whole.bests, whole.habits)
    assert set(whole.habits) == set(HABITS)
    assert whole.bests["split"].gain > 0


def test_an_interrupted_search_goes_on_where_it_was() -> None:
    instance = SharingInstance.of([1, 1], [[(0, 4), (1, 7), (2, 5)], [(0, 6), (3, 4)]])
    search, play = begun(instance, 0, 25, "fair-share", tries=20)
    runs = 0

    def stopping(presented: SharingInstance) -> Any:
        nonlocal runs
        runs += 1
        if runs == 4:
            raise KeyboardInterrupt
        return play(presented)

    with pytest.raises(KeyboardInterrupt):
        search.more(instance, stopping)
    assert search.tried >= 3
    assert search.bests["split"].gain > 0
    whole, _ = begun(instance, 0, 25, "fair-share", tries=20)
    assert search.more(instance, play).habits == whole.more(instance, play).habits


def test_the_search_finds_more_than_halving_one_job() -> None:
    """Summed over small instances: more than enumerating the halves of every single job finds."""
    rng, halved, found = random.Random(3), 0, 0
    for _ in range(8):
        instance, until = some_instance(rng), 14
        search, play = begun(instance, 0, until, "fair-share", tries=60)
        found += search.more(instance, play).bests["split"].gain
        queue = instance.queue(0)
        halves = (c for c in manipulations(queue, moves=["split"]) if c.amount == -(-queue[c.job][1] // 2))
        gains = (true_utility(instance, 0, c, until=until, rule="fair-share") - search.utility for c in halves)
        halved += max(0, *gains, 0)
    assert found > halved > 0


def test_steps_scaled_by_a_huge_unit_gain_as_many() -> None:
    unit = 10**18
    instance = SharingInstance.of([1, 1], [[(0, 4 * unit)], [(unit, 4 * unit)]])
    search, play = begun(instance, 0, 9 * unit, "fifo", tries=40)
    gain = search.more(instance, play).bests["split"].gain
    assert search.at_most["split"] >= gain > 3 * unit**2
    true = Presentation.of(instance, 0)
    assert after(true, search.bests["split"].steps).jobs[0][1] < 4 * unit


def test_nobody_gains_without_jobs_or_machines() -> None:
    for machines, jobs in (([0, 0], [[(0, 3)], []]), ([1, 1], [[], [(0, 3)]]), ([2], [[(0, 1)]])):
        search, play = begun(SharingInstance.of(machines, jobs), 0, 9, "fair-share")
        search.more(SharingInstance.of(machines, jobs), play)
        assert search.proved[MIXTURE] == CAPACITY
        assert set(search.bests.values()) == {Attempt()}
        assert search.tried == len(HABITS)  # a habit may cost something
