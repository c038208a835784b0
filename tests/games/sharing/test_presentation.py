"""The manipulation checker: which moves it tries, what it counts, and that its witnesses are real."""

from __future__ import annotations

import random

import pytest

from consortium.games.sharing.axioms import UTILITIES, check_axioms
from consortium.games.sharing.presentation import MOVES, best_manipulation, manipulations
from consortium.mechanisms.sharing import Pool, SharingInstance, job_utility, simulate
from consortium.support.errors import InputError, UnknownNameError


def test_moves_of_a_queue() -> None:
    cases = {(c.move, c.job, c.amount): (c.jobs, c.true) for c in manipulations([(0, 3), (1, 1)], limit=1)}
    assert cases == {
        ("split", 0, 1): (((0, 1), (0, 2), (1, 1)), (1, 2, 1)),
        ("split", 0, 2): (((0, 2), (0, 1), (1, 1)), (2, 1, 1)),
        ("merge", 0, 0): (((1, 4),), (4,)),
        ("delay", 0, 1): (((1, 3), (1, 1)), (3, 1)),
        ("delay", 1, 1): (((0, 3), (2, 1)), (3, 1)),
        ("pad", 0, 1): (((0, 4), (1, 1)), (3, 1)),
        ("pad", 1, 1): (((0, 3), (1, 2)), (3, 1)),
    }


def test_delay_past_the_next_job_changes_places() -> None:
    late = [c.jobs for c in manipulations([(0, 3), (1, 1)], moves=["delay"], limit=2) if (c.job, c.amount) == (0, 2)]
    assert late == [((1, 1), (2, 3))]


@pytest.mark.parametrize("rule", ["ref", "fair-share", "direct-contribution", "rand"])
def test_largest_gain_is_found_and_real(rule: str, thinning: int) -> None:
    """Rerun every move by hand; the true work is what counts, padding excluded."""
    rng = random.Random(rule)
    for _ in range(12 // thinning):
        queues = [sorted((rng.randint(0, 3), rng.randint(1, 3)) for _ in range(rng.randint(0, 3))) for _ in range(2)]
        instance = SharingInstance.of([rng.randint(1, 2), 1], queues)
        found = best_manipulation(instance, 0, until=9, limit=2, rule=rule, seed=4)
        gains = []
        for case in manipulations(queues[0], limit=2):
            changed = SharingInstance.of(instance.machines, [case.jobs, queues[1]], instance.names)
            outcome = simulate(changed, until=9, rule=rule, seed=4)
            starts = outcome.start[: len(case.jobs)].tolist()
            worth = sum(job_utility(s, p, 9) for s, p in zip(starts, case.true, strict=True) if s >= 0)
            gains.append(worth - found.utility)
        assert found.cases == len(gains)
        assert found.gain == max(gains, default=None)
        assert found.holds == all(gain <= 0 for gain in gains)
        assert found.utility == simulate(instance, until=9, rule=rule, seed=4).utility[0]


def test_a_queue_rule_of_ones_own_is_checked_like_ours() -> None:
    class Oldest:
        def choose(self, pool: Pool) -> int:
            return min(pool.waiting, key=lambda u: (pool.head[u], u))

    instance = SharingInstance.of([2, 0], [[(0, 3), (1, 2)], [(0, 4)]])
    own = best_manipulation(instance, 0, until=9, rule=Oldest())
    assert own == best_manipulation(instance, 0, until=9, rule="fifo")
    assert own.gain == 4


def test_interruption_keeps_the_best_so_far() -> None:
    def stop(done: int, total: int | None, note: str = "") -> None:
        if done == 2:
            raise KeyboardInterrupt

    instance = SharingInstance.of([2], [[(0, 3), (1, 2)]])
    found = best_manipulation(instance, 0, until=9, rule="fifo", progress=stop)
    assert not found.complete
    assert found.cases == 2
    assert found.best is not None
    assert found.best.move == "split"


def test_bad_requests() -> None:
    instance = SharingInstance.of([1], [[(0, 1)]])
    with pytest.raises(InputError, match="organization"):
        best_manipulation(instance, 1, until=3, rule="ref")
    with pytest.raises(InputError, match="psi-sp"):
        best_manipulation(instance, 0, until=3, rule="ref", utility="flow-time")
    with pytest.raises(UnknownNameError, match="splitt"):
        best_manipulation(instance, 0, until=3, rule="ref", moves=["splitt"])
    with pytest.raises(UnknownNameError, match="domain"):
        check_axioms(UTILITIES["psi-sp"], domain="printed")
    assert best_manipulation(SharingInstance.of([1], [[]]), 0, until=3, rule="ref").gain is None
    assert set(MOVES) == {"split", "merge", "delay", "pad"}
