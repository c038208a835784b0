"""Queue rules of one's own: what they see, that they decide, and what is said of their slips."""

from __future__ import annotations

import dataclasses
import random
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from consortium.mechanisms.sharing import Pool, QueueRule, SharingInstance, general_ref, job_utility, simulate
from consortium.mechanisms.sharing.catalogue import RULES
from consortium.mechanisms.sharing.simulation import RUNNERS
from consortium.support.errors import InputError, MechanismError

from . import reference as plain


class Oldest:
    def choose(self, pool: Pool) -> int:
        return min(pool.waiting, key=lambda u: (pool.head[u], u))


class Turns:
    name = "my turns"

    def choose(self, pool: Pool) -> int:
        last = -1 if pool.served is None else pool.served
        return min(pool.waiting, key=lambda u: (u - last - 1) % len(pool.machines))


class LeastUsed:
    """fair-share by what one unit of time will have brought."""

    def choose(self, pool: Pool) -> np.int64:
        def key(u: int) -> tuple[float, float, int]:
            used, share = pool.parts[u] + pool.running[u], pool.machines[u]
            return (used / share if share else float("inf"), used, u)

        return np.int64(min(pool.waiting, key=key))


class Answers:
    """Says what it was told to say."""

    def __init__(self, answer: object) -> None:
        self.answer = answer

    def choose(self, pool: Pool) -> Any:
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


TWO = SharingInstance.of([1, 0], [[(0, 3), (1, 1)], [(0, 2)]])


@pytest.mark.parametrize(
    ("own", "ours", "called"),
    [(Oldest(), "fifo", "Oldest"), (Turns(), "round-robin", "my turns"), (LeastUsed(), "fair-share", "LeastUsed")],
)
def test_custom_do_what_ours_do(own: QueueRule, ours: str, called: str, thinning: int) -> None:
    rng = random.Random(ours)
    for _ in range(200 // thinning):
        machines, jobs, until = plain.random_instance(rng)
        instance = SharingInstance.of(machines, jobs)
        mine, expected = simulate(instance, rule=own, until=until), simulate(instance, rule=ours, until=until)
        assert mine.start.tolist() == expected.start.tolist(), (machines, jobs, until)
        assert (mine.rule, mine.utility, mine.schedule) == (called, expected.utility, expected.schedule)
        assert mine.complete
        assert mine.contribution is None


def test_what_a_rule_sees() -> None:
    """Every number of every view, from the schedule that came out."""
    seen: list[Pool] = []

    class Watching(Oldest):
        def choose(self, pool: Pool) -> int:
            seen.append(pool)
            return super().choose(pool)

    rng = random.Random(1)
    for _ in range(40):
        machines, jobs, until = plain.random_instance(rng)
        instance = SharingInstance.of(machines, jobs)
        seen.clear()
        outcome = simulate(instance, rule=Watching(), until=until)
        order = sorted((start, place) for place, start in enumerate(outcome.start.tolist()) if start >= 0)
        assert len(seen) == len(order)
        so_far: list[tuple[int, int, int]] = []  # organization, start, length
        owner = instance.owner.tolist()
        for pool in seen:
            t, k = pool.moment, len(machines)
            mine = [[(s, p) for w, s, p in so_far if w == u] for u in range(k)]
            assert pool.names == instance.names
            assert pool.machines == tuple(machines)
            assert pool.released == tuple(sum(r <= t for r, _ in jobs[u]) for u in range(k))
            assert pool.started == tuple(map(len, mine))
            assert pool.finished == tuple(sum(s + p <= t for s, p in own) for own in mine)
            assert pool.running == tuple(sum(s + p > t for s, p in own) for own in mine)
            assert pool.free == sum(machines) - sum(pool.running)
            assert pool.waiting == tuple(u for u in range(k) if pool.released[u] > pool.started[u])
            assert pool.head == tuple(jobs[u][pool.started[u]][0] if u in pool.waiting else None for u in range(k))
            assert pool.parts == tuple(sum(min(p, t - s) for s, p in own) for own in mine)
            assert pool.utility == tuple(sum(job_utility(s, p, t) for s, p in own) for own in mine)
            assert pool.served == (so_far[-1][0] if so_far else None)
            served = min(pool.waiting, key=lambda u: (pool.head[u], u))
            job = int(instance.first[served]) + pool.started[served]
            assert owner[job] == served
            assert outcome.start[job] == t
            so_far.append((served, t, int(instance.length[job])))


def test_who_waits_is_not_searched_for_each_organization(monkeypatch: pytest.MonkeyPatch) -> None:
    """That would take a thousand organizations seven times as long."""

    class Waiting(list[int]):
        def __contains__(self, u: object) -> bool:
            raise AssertionError("a search")

    whole = general_ref.Site.waiting
    monkeypatch.setattr(general_ref.Site, "waiting", lambda site: Waiting(whole(site)))
    instance = SharingInstance.of([1, 1], [[(0, 2), (1, 1)], [(0, 1)]])
    assert simulate(instance, rule=Oldest(), until=4).start.tolist() == [0, 1, 0]


def test_a_pool_is_read_only_and_can_be_made_by_hand() -> None:
    pool = Pool(3, ("a", "b"), (0, 1), 1, None, (1, 1), (1, 1), (0, 0), (0, 0), (0, 0), (0, 0), (0, 0), (2, 1))
    assert Oldest().choose(pool) == 1
    with pytest.raises(dataclasses.FrozenInstanceError):
        pool.moment = 4  # type: ignore[misc]
    assert isinstance(Oldest(), QueueRule)
    assert not isinstance("fifo", QueueRule)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (2, r"Answers.choose\(pool\) at moment 0: found 2; expected one of the waiting organizations 0, 1"),
        (-1, "found -1; expected one of the waiting"),
        (True, "found True; expected one of the waiting"),
        (0.0, "found 0.0; expected one of the waiting"),
        ("O1", "found 'O1'; expected one of the waiting"),
        (None, "found None; expected one of the waiting"),
        (
            ZeroDivisionError("nothing used"),
            r"choose\(pool\) failed with ZeroDivisionError: nothing used .*test_custom.py:",
        ),
        (KeyError(7), r"KeyError: 7 .*test_custom.py:\d+: raise self.answer., on pool = Pool\(moment=0"),
    ],
)
def test_slips_are_named(answer: object, said: str) -> None:
    with pytest.raises(MechanismError, match=said):
        simulate(TWO, rule=Answers(answer), until=5)


def test_a_rule_that_serves_nobody_who_waits_is_told_when() -> None:
    with pytest.raises(MechanismError, match=r"at moment 4: found 0; .* organizations 1$"):
        simulate(TWO, rule=Answers(0), until=9)


def test_a_rule_may_refuse_with_an_error_of_the_package() -> None:
    with pytest.raises(InputError, match=r"^enough$"):
        simulate(TWO, rule=Answers(InputError("enough")), until=5)


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        (Oldest, "expected a rule's name or an object with choose"),
        (3, "rule: found 3; expected a rule's name or an object with choose"),
        (SimpleNamespace(choose=4), "expected a rule's name or an object with choose"),
        (SimpleNamespace(choose=Oldest().choose, name=5), "name: found 5; expected a text"),
        (SimpleNamespace(choose=Oldest().choose, name="ref"), "name: found 'ref'; expected a text that names no rule"),
    ],
)
def test_what_is_no_rule(rule: Any, said: str) -> None:
    with pytest.raises(MechanismError, match=said):
        simulate(TWO, rule=rule, until=5)


def test_custom_have_no_other_utility() -> None:
    with pytest.raises(InputError, match="with the rule Oldest; it is for ref"):
        simulate(TWO, rule=Oldest(), until=5, utility="flow-time")


def test_ctrl_c_keeps_what_is_final(monkeypatch: pytest.MonkeyPatch) -> None:
    from consortium.mechanisms.sharing import general_ref

    monkeypatch.setattr(general_ref, "EVERY", 1)
    instance = SharingInstance.of([1, 1], [[(2 * i, 3) for i in range(30)]] * 2)

    def stop(done: int, total: int | None, note: str = "") -> None:
        if done >= 20:
            raise KeyboardInterrupt

    outcome = simulate(instance, rule=Turns(), until=90, progress=stop)
    assert not outcome.complete
    assert 20 <= outcome.until < 90
    whole = simulate(instance, rule="round-robin", until=outcome.until)
    assert outcome.start.tolist() == whole.start.tolist()
    assert outcome.utility == whole.utility


def test_numbers_of_any_size() -> None:
    scale = 10**17
    large = SharingInstance.of([1, 1], [[(0, 3 * scale), (scale, scale)], [(0, scale)]])
    outcome = simulate(large, rule=Oldest(), until=9 * scale)
    assert outcome.start.tolist() == [0, scale, 0]
    assert outcome.utility == simulate(large, rule="fifo", until=9 * scale).utility


def test_every_rule_of_the_catalogue_has_a_runner() -> None:
    assert set(RUNNERS) == {rule.id for rule in RULES}
