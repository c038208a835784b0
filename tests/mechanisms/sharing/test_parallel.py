"""Jobs on all their machines at once: against the definition, unit of time by unit of time, and cases by hand."""

from __future__ import annotations

import random

import pytest

from consortium.mechanisms.sharing import Job, SharingInstance, SharingOutcome, simulate
from consortium.mechanisms.sharing import simulation as simulation_module
from consortium.mechanisms.sharing.kernels.queues import CODES
from consortium.support.errors import InputError, TooLargeError, UnknownNameError

from .reference import Key, QueueRule

RULES = sorted(CODES)


def drawn(rng: random.Random, n: int = 6, horizon: int = 9) -> tuple[list[int], list[list[Job]], int]:
    """Some machines, perhaps none of somebody, and queues of jobs that fit; estimates right, high, low or mixed."""
    k = rng.randint(1, 4)
    machines = [rng.randint(0, 3) for _ in range(k)]
    machines[rng.randrange(k)] += 1
    wrong = rng.choice([0, 0, 3])
    queues = []
    for _ in range(k):
        queue = []
        for _ in range(rng.randint(0, n)):
            length = rng.randint(1, 6)
            estimate = max(1, length + rng.randint(-wrong, 2 * wrong)) if wrong else None
            width = rng.choice([1, 1, rng.randint(1, sum(machines))])
            queue.append(Job(rng.randint(0, horizon), length, None, width, estimate))
        queues.append(sorted(queue, key=lambda job: job.release))
    if k > 1 and rng.random() < 0.2:
        machines[1], queues[1] = machines[0], list(queues[0])  # twins
        top = max(1, sum(machines))
        queues = [[job._replace(machines=min(job.machines, top)) for job in queue] for queue in queues]
        machines[0] += not any(machines)
    return machines, queues, rng.choice([1, horizon, 3 * horizon])


def starts(outcome: SharingOutcome) -> dict[Key, int]:
    """Of the parallel jobs; all copies of each start together, on different machines."""
    instance, found = outcome.instance, {}
    owner = instance.owner
    for job, start in enumerate(outcome.start.tolist()):
        if start >= 0:
            assert found.setdefault((int(owner[job]), int(instance.number[job])), start) == start
    assert len({(s, machine) for s, _, _, machine in outcome.schedule}) == len(outcome.schedule)
    return found


def check(rng: random.Random, rule: str, parallel: str, timing: str, decay: int | None = None, **larger: int) -> None:
    machines, queues, until = drawn(rng, **larger)
    instance = SharingInstance.of(machines, queues)
    outcome = simulate(instance, rule=rule, until=until, timing=timing, parallel=parallel, decay=decay)
    told = QueueRule(machines, queues, rule, timing, decay)
    assert starts(outcome) == told.run(until, parallel), (machines, queues, until)
    worth = [sum(w * (until - i) for i, w in told.slots(u, until)) for u in range(len(machines))]
    assert outcome.utility == tuple(worth)
    assert outcome.parts == tuple(sum(w for _, w in told.slots(u, until)) for u in range(len(machines)))


@pytest.fixture(params=["int64", "python"])
def arithmetic(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Run the compiled kernels, or pretend that numbers outgrow int64."""
    if request.param == "python":
        monkeypatch.setattr(simulation_module, "plain_needed", lambda *_: True)
    return str(request.param)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("parallel", ["rigid", "easy"])
@pytest.mark.parametrize(
    ("count", "larger"), [(30, {}), pytest.param(2000, {"n": 12, "horizon": 16}, marks=pytest.mark.exhaustive)]
)
def test_the_kernel_decides_as_the_definition_does(
    arithmetic: str, rule: str, parallel: str, count: int, larger: dict[str, int]
) -> None:
    rng = random.Random(f"{rule} {parallel}")
    for i in range(count):
        check(rng, rule, parallel, "next" if i % 2 else "now", **larger if i % 3 else {})


@pytest.mark.parametrize("rule", ["fair-share", "utility-fair-share"])
def test_a_half_life_goes_with_it(rule: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Past usage counts less, and jobs start on all their machines: in Python's integers, so that nothing compiles."""
    monkeypatch.setattr(simulation_module, "plain_needed", lambda *_: True)
    rng = random.Random(f"{rule} decays")
    for i in range(24):
        check(rng, rule, "easy" if i % 3 else "rigid", "next" if i % 2 else "now", decay=(1, 3)[i % 2])


@pytest.mark.exhaustive
@pytest.mark.parametrize("rule", ["fair-share", "utility-fair-share"])
def test_a_half_life_goes_with_it_often(rule: str, arithmetic: str) -> None:
    rng = random.Random(f"{rule} decays often")
    for i in range(600):
        check(rng, rule, "easy" if i % 3 else "rigid", "next" if i % 2 else "now", decay=(1, 2, 3, 10)[i % 4])


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("parallel", ["rigid", "easy"])
def test_jobs_of_one_machine_are_run_as_ever(rule: str, parallel: str) -> None:
    rng = random.Random(rule)
    for _ in range(30):
        machines, queues, until = drawn(rng)
        narrow = [[job._replace(machines=1) for job in queue] for queue in queues]
        instance = SharingInstance.of(machines, narrow)
        ways = [simulate(instance, rule=rule, until=until, parallel=way).start.tolist() for way in ("copies", parallel)]
        assert (
            ways[0] == ways[1] == list(_flat(instance, QueueRule(machines, narrow, rule, "next").run(until, parallel)))
        )


def _flat(instance: SharingInstance, found: dict[Key, int]) -> list[int]:
    keys = zip(instance.owner.tolist(), instance.number.tolist(), strict=True)
    return [found.get((u, n), -1) for u, n in keys]


def test_copies_of_a_parallel_job_are_sequential_jobs() -> None:
    """With every rule: whether they are said to belong together or not."""
    rng = random.Random(7)
    for _ in range(20):
        machines, queues, until = drawn(rng)
        together = SharingInstance.of(machines, queues)
        apart = SharingInstance.of(
            machines, [[job[:2] for job in queue for _ in range(job.machines)] for queue in queues]
        )
        for rule in ("ref", "rand", "direct-contribution", *RULES):
            both = [simulate(instance, rule=rule, until=until) for instance in (together, apart)]
            assert both[0].start.tolist() == both[1].start.tolist()
            assert both[0].contribution == both[1].contribution


def one(parallel: str, machines: int, *jobs: Job, until: int = 100) -> list[int]:
    instance = SharingInstance.of([machines], [jobs])
    outcome = simulate(instance, rule="fifo", until=until, parallel=parallel)
    return outcome.start[instance.parallel_jobs].tolist()


def test_the_head_waits_and_narrow_jobs_go_ahead_unless_they_delay_it() -> None:
    """Two of three machines are busy to 10, and the next job wants all three."""
    first, head = Job(0, 10, machines=2), Job(0, 5, machines=3)
    assert one("copies", 3, first, head, Job(0, 10)) == [0, 0, 10]
    assert one("rigid", 3, first, head, Job(0, 10)) == [0, 10, 15]
    assert one("easy", 3, first, head, Job(0, 10)) == [0, 10, 0]  # ends when the head may start
    assert one("easy", 3, first, head, Job(0, 11)) == [0, 10, 15]
    assert one("easy", 3, first, head._replace(machines=2), Job(0, 11)) == [0, 10, 0]  # one is left over
    assert one("easy", 3, first, head._replace(machines=2), Job(0, 11), Job(0, 11)) == [0, 10, 0, 11]


def test_what_comes_free_with_the_heads_machines_is_left_over_and_later_ones_are_not() -> None:
    """The head wants two of three machines, of which one is free: where the other two end at once, one is left over."""
    short, head, long = Job(0, 10), Job(0, 5, machines=2), Job(0, 11)
    assert one("easy", 3, short, short, head, long) == [0, 0, 10, 0]
    assert one("easy", 3, short, Job(0, 11), head, long) == [0, 0, 10, 11]
    assert one("easy", 3, Job(0, 11), short, head, long) == [0, 0, 10, 11]


def test_estimates_are_what_is_planned_with_and_lengths_what_happens() -> None:
    first, head = Job(0, 10, machines=2), Job(0, 5, machines=3)
    late = Job(0, 2, estimate=11)
    assert one("easy", 3, first, head, late) == [0, 10, 15]  # would have fitted, but nobody knew
    assert one("easy", 3, first, head, Job(0, 30, estimate=10)) == [0, 30, 0]  # and delays the head in fact
    soon = first._replace(estimate=4)  # runs over: from 4 on it is expected to end any moment
    assert one("easy", 3, soon, head, Job(0, 5), Job(5, 2), Job(5, 1)) == [0, 10, 15, 15, 5]


def test_a_later_reservation_is_no_limit_for_a_long_run() -> None:
    """Estimates far beyond the moment of evaluation are compared as they are."""
    long, head = Job(0, 50, machines=2, estimate=1000), Job(0, 5, machines=3)
    assert one("easy", 3, long, head, Job(0, 2, estimate=999), until=20) == [0, -1, 0]
    assert one("easy", 3, long, head, Job(0, 2, estimate=1001), until=20) == [0, -1, -1]
    huge = 10**30
    assert one("easy", 3, long._replace(estimate=huge), head, Job(0, 2, estimate=huge), until=20) == [0, -1, 0]
    assert one("easy", 3, long._replace(estimate=huge), head, Job(0, 2, estimate=huge + 1), until=20) == [0, -1, -1]


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("parallel", ["rigid", "easy"])
def test_numbers_of_any_size(rule: str, parallel: str) -> None:
    """Times a multiple, all starts are that multiple; comparing now, where no unit of time enters."""
    rng, unit = random.Random(f"{rule} scaled"), 10**18
    for _ in range(10):
        machines, queues, until = drawn(rng)
        scaled = [
            [Job(j.release * unit, j.length * unit, None, j.machines, j.estimate and j.estimate * unit) for j in queue]
            for queue in queues
        ]
        if any(j.estimate is not None and j.estimate < j.length for queue in queues for j in queue):
            continue  # what runs over is expected to end in one unit of time
        options = {"rule": rule, "timing": "now", "parallel": parallel}
        small = simulate(SharingInstance.of(machines, queues), until=until, **options)
        large = simulate(SharingInstance.of(machines, scaled), until=until * unit, **options)
        assert large.start.tolist() == [s if s < 0 else s * unit for s in small.start.tolist()]


def test_what_cannot_be_run_is_refused_in_a_sentence() -> None:
    wide = SharingInstance.of([1, 1], [[Job(0, 1, machines=3)], []])
    with pytest.raises(InputError, match="a job of 3 machines; expected at most 2"):
        simulate(wide, rule="fifo", until=5, parallel="easy")
    assert simulate(wide, rule="fifo", until=5).start.tolist() == [0, 0, 1]
    with pytest.raises(InputError, match="'rigid' with the rule ref; it is for round-robin, "):
        simulate(wide, rule="ref", until=5, parallel="rigid")
    with pytest.raises(UnknownNameError, match="easy"):
        simulate(wide, rule="fifo", until=5, parallel="eazy")
    with pytest.raises(TooLargeError, match="at most 33,554,432"):
        SharingInstance.of([1], [[Job(0, 1, machines=2**30)]])
    for bad in ({"machines": 0}, {"estimate": 0}, {"machines": 2**31}, {"length": None}):
        with pytest.raises(InputError):
            SharingInstance.of([1], [[Job(**{"release": 0, "length": 1, **bad})]])
