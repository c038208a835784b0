"""What an organization finds to gain: presentations and bounds against plain definitions, the search against runs."""

from __future__ import annotations

import pickle
import random
from typing import Any, NamedTuple

import pytest

from consortium.games.sharing.gaming import (
    CAPACITY,
    FIXED_ORDER,
    HABITS,
    MIXTURE,
    NO_ESTIMATES,
    NO_TIES,
    RELEASES,
    Attempt,
    Search,
    after,
    most,
)
from consortium.games.sharing.presentation import (
    ALL_MOVES,
    Presentation,
    Step,
    manipulations,
    true_utility,
)
from consortium.mechanisms.sharing import Job, SharingInstance, job_utility, simulate
from consortium.mechanisms.sharing.outcome import run_out, utilities_of
from consortium.support.errors import UnknownNameError

RULES = ["fifo", "round-robin", "fair-share", "utility-fair-share", "current-fair-share", "direct-contribution", "ref"]


class Plain(NamedTuple):
    """A job as presented, and what is true of it."""

    release: int
    length: int
    true: int
    width: int = 1
    second: bool = False
    estimate: int | None = None
    qos: int = 0


def cut(job: Plain, parts: int, array: bool) -> list[Plain]:
    work, width = (job.length * job.width, 1) if array else (job.length, job.width)
    n = min(work, parts)
    pieces = [work // n + (i < work % n) for i in range(n)]
    asked = [None if job.estimate is None else -(-job.estimate * piece // job.length) for piece in pieces]
    return [
        job._replace(length=piece, true=piece, width=width, estimate=time)
        for piece, time in zip(pieces, asked, strict=True)
    ]


def plain_step(queue: list[Plain], step: Step) -> list[Plain]:
    """The definition, job by job."""
    found: list[Plain] = []
    inside = queue[step.first : step.last]
    if step.move == "merge":
        if (
            any(job.length != job.true for job in inside)
            or len({(job.width, job.second, job.qos) for job in inside}) > 1
        ):
            return queue
        groups = [inside[i : i + step.amount] for i in range(0, len(inside), step.amount)]
        joined = [
            Plain(
                max(job.release for job in group),
                sum(job.length for job in group),
                sum(job.true for job in group),
                group[0].width,
                group[0].second,
                None if group[0].estimate is None else sum(job.estimate or 0 for job in group),
                group[0].qos,
            )
            for group in groups
        ]
        return [*queue[: step.first], *joined, *queue[step.last :]]
    for i, job in enumerate(queue):
        if not step.first <= i < step.last:
            found.append(job)
        elif step.move in ("split", "flood"):
            found += cut(job, step.amount, step.move == "flood") if job.length == job.true else [job]
        elif step.move == "delay":
            found.append(job._replace(release=job.release + step.amount))
        elif step.move == "account":
            found.append(job._replace(second=job.second or (i - step.first) % 2 == 0))
        elif step.move == "walltime":
            time = job.estimate
            if time is not None:
                time = max(-(-time * step.amount // 100), min(job.length, time))
            found.append(job._replace(estimate=time))
        else:
            time = None if job.estimate is None else job.estimate + step.amount
            found.append(job._replace(length=job.length + step.amount, estimate=time))
    return sorted(found, key=lambda job: job.release)


def some_queue(rng: random.Random, scale: int = 1, widest: int = 1) -> list[Job]:
    jobs = [(rng.randint(0, 6) * scale, rng.randint(1, 6) * scale) for _ in range(rng.randint(0, 5))]
    if widest == 1:
        return [Job(*job) for job in sorted(jobs, key=lambda job: job[0])]
    return [
        Job(r, p, machines=rng.randint(1, widest), estimate=p * rng.randint(1, 3) if rng.random() < 0.9 else 1)
        for r, p in sorted(jobs, key=lambda job: job[0])
    ]


def with_qos(queue: list[Job]) -> list[Job]:
    """The jobs, some of them of a QOS."""
    return [job._replace(qos=job.length % 3) for job in queue]


def some_instance(rng: random.Random, scale: int = 1, whole: bool = False, qos: bool = False) -> SharingInstance:
    k = rng.randint(1, 3)
    machines = [rng.randint(0, 2) for _ in range(k)]
    widest = max(1, sum(machines)) if whole else 1
    queues = [some_queue(rng, scale, widest) for _ in range(k)]
    return SharingInstance.of(machines, [with_qos(queue) if qos else queue for queue in queues])


def some_step(rng: random.Random, n: int, scale: int = 1, moves: tuple[str, ...] = ALL_MOVES) -> Step:
    first, last = sorted((rng.randint(0, n), rng.randint(0, n)))
    move = rng.choice(moves)
    if move == "account":
        return Step(move, first, last, rng.choice([0, 50, 100]))
    if move == "walltime":
        return Step(move, first, last, rng.choice([10, 50, 150, 1000]))
    return Step(move, first, last, rng.randint(1, 5) * scale if move in ("delay", "pad") else rng.randint(2, 4))


def plain_jobs(queue: Presentation) -> list[Plain]:
    columns = (queue.release, queue.length, queue.true, queue.width, queue.second)
    times = [None] * len(queue) if queue.estimate is None else queue.estimate.tolist()
    priorities = [0] * len(queue) if queue.qos is None else queue.qos.tolist()
    return list(map(Plain, *(column.tolist() for column in columns), times, priorities))


def plainly(instance: SharingInstance, u: int, queue: list[Plain], part: int, others: bool = True) -> SharingInstance:
    """The instance in which an organization presents a queue, listed."""
    machines, names = list(instance.machines), list(instance.names)
    listed = [jobs_of(instance, v) if others or v == u else [] for v in range(len(machines))]
    mine = [[job_of(job) for job in queue if job.second == second] for second in (False, True)]
    listed[u] = mine[0]
    if mine[1]:
        machines.append(machines[u] * part // 100)
        machines[u] -= machines[-1]
        listed, names = [*listed, mine[1]], [*names, f"{names[u]} (second account)"]
    return SharingInstance.of(machines, listed, names)


def job_of(job: Plain) -> Job:
    return Job(job.release, job.length, machines=job.width, estimate=job.estimate, qos=job.qos)


def jobs_of(instance: SharingInstance, u: int) -> list[Job]:
    return [job_of(job) for job in plain_jobs(Presentation.of(instance, u))]


def plain_measure(outcome: Any, u: int, queue: list[Plain], k: int, until: int) -> list[tuple[int, int, int]]:
    """Of every organization psi at the end of the window, moments of all unit parts, parts in the window."""
    first, found = outcome.instance.first.tolist(), []
    for v in range(k):
        starts, lengths = outcome.start[first[v] : first[v + 1]].tolist(), outcome.instance.length.tolist()
        pairs = list(zip(starts, lengths[first[v] :], strict=False))
        if v == u:
            rows = [iter(outcome.start[first[w] : first[w + 1]].tolist()) for w in (u, len(first) - 2)]
            pairs = [(next(rows[job.second]), job.true) for job in queue for _ in range(job.width)]
        units = [s + i for s, p in pairs for i in range(p)]
        found.append((sum(until - t for t in units if t < until), sum(units), sum(t < until for t in units)))
    return found


@pytest.mark.parametrize("scale", [1, 10**18, 2**61])
@pytest.mark.parametrize("whole", [False, True])
def test_steps_are_what_they_say(scale: int, whole: bool, thinning: int) -> None:
    rng = random.Random(scale)
    for i in range(500 // thinning):
        jobs = some_queue(rng, scale, 3 if whole else 1)
        instance = SharingInstance.of([3], [with_qos(jobs) if i % 2 else jobs])
        queue = Presentation.of(instance, 0)
        for _ in range(4):
            step = some_step(rng, len(queue), scale)
            wanted = plain_step(plain_jobs(queue), step)
            queue = queue.after(step)
            assert plain_jobs(queue) == wanted
            assert sum(job.true * job.width for job in wanted) == sum(job[1] for job in instance.queue(0))
            assert whole or all(job.estimate is None for job in wanted)


def test_an_unknown_move_is_named() -> None:
    with pytest.raises(UnknownNameError, match="'splitt' is not known"):
        Presentation.listing([(0, 1)], [1]).after(Step("splitt", 0, 1, 2))


def test_what_is_presented_is_an_instance_as_any(thinning: int) -> None:
    """The same arrays as those of the listed jobs, and the same worth, unit part by unit part."""
    rng = random.Random(4)
    for i in range(300 // thinning):
        instance = some_instance(rng, whole=i % 2 == 0, qos=i % 3 == 0)
        u = rng.randrange(instance.n_organizations)
        queue = Presentation.of(instance, u)
        for _ in range(3):
            queue = queue.after(some_step(rng, len(queue)))
        plain = plain_jobs(queue)
        for others in (True, False):
            wanted = plainly(instance, u, plain, queue.part, others)
            found = queue.presented(instance, u, alone=not others)
            assert (found.machines, found.names) == (wanted.machines, wanted.names)
            for name in ("first", "release", "length", "number", "width"):
                mine, its = (getattr(each, name) for each in (found, wanted))
                assert (mine is None) == (its is None)
                assert mine is None or mine.tolist() == its.tolist()
            assert (found.qos is None) == (instance.qos is None)
            if found.qos is not None:
                assert found.qos.tolist() == ([0] * found.n_jobs if wanted.qos is None else wanted.qos.tolist())
            if found.estimate is not None:
                assert (
                    found.estimate.tolist() == (found.length if wanted.estimate is None else wanted.estimate).tolist()
                )
        outcome = simulate(found, rule="round-robin", until=12)
        first = found.first.tolist()
        rows = [iter(outcome.start[first[v] : first[v + 1]].tolist()) for v in (u, len(first) - 2)]
        starts = [(next(rows[job.second]), job.true) for job in plain for _ in range(job.width)]
        served = queue.served(outcome, u)
        psi = utilities_of(served.instance, served.start, 12)
        assert psi[u] + (psi[-1] if queue.second.any() else 0) == sum(
            job_utility(s, p, 12) for s, p in starts if s >= 0
        )


def slot_by_slot(instance: SharingInstance, u: int, until: int) -> int:
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
        instance, until = some_instance(rng, whole=rng.random() < 0.3), rng.randint(0, 14)
        for u in range(instance.n_organizations):
            together = slot_by_slot(instance, u, until)
            at_release = sum(job_utility(r, p, until) for r, p in instance.queue(u) if r < until)
            assert most(instance, u, until, splitting=True) == together
            assert most(instance, u, until, splitting=False) == min(together, at_release)


def play_of(rule: Any, until: int, **options: Any) -> Any:
    return lambda instance: run_out(
        instance, until, lambda jobs, end: simulate(jobs, rule=rule, until=end, seed=7, **options)
    )


def begun(instance: SharingInstance, u: int, until: int, rule: str, **options: Any) -> tuple[Search, Any]:
    play = play_of(rule, until, **({"parallel": options.pop("parallel")} if "parallel" in options else {}))
    return Search.of(instance, u, until, play, rule, **{"tries": 30, "seed": 2} | options), play


@pytest.mark.parametrize("rule", [*RULES, "fifo easy", "fair-share easy", "fifo rigid"])
def test_nothing_gains_what_is_proved_impossible(rule: str, thinning: int) -> None:
    """All single moves of the checker of ``verify``, and random steps and mixtures, each move by itself."""
    rng, reasons = random.Random(rule), set()
    rule, _, parallel = rule.partition(" ")
    whole = {"parallel": parallel} if parallel else {}
    for _ in range(40 // thinning):
        instance, until = some_instance(rng, whole=bool(parallel)), rng.randint(4, 14)
        u = rng.randrange(instance.n_organizations)
        search, play = begun(instance, u, until, rule, **whole)
        reasons |= set(search.proved.values())
        if not whole:
            for case in manipulations(instance.queue(u), limit=3):
                gain = true_utility(instance, u, case, until=until, rule=rule, seed=7) - search.utility
                assert gain <= search.at_most[case.move], (instance.machines, instance.queue(u), case)
        for move in (*ALL_MOVES, MIXTURE) * 2:
            queue, moves = Presentation.of(instance, u), set()
            for _ in range(3):
                step = some_step(rng, len(queue), moves=ALL_MOVES if move == MIXTURE else (move,))
                queue = queue.after(step)
                moves.add(step.move)
            attempt = search.played(queue, instance, play)
            assert attempt is not None
            assert attempt.net <= attempt.gain <= search.at_most[move], (instance.machines, step)
            if not moves & {"split", "flood"}:
                assert attempt.gain <= most(instance, u, until, splitting=False) - search.utility
    assert {CAPACITY, RELEASES} <= reasons if thinning == 1 and not whole else reasons
    assert (FIXED_ORDER in reasons, NO_TIES in reasons) == ((rule == "fifo" and not whole),) * 2
    assert parallel or NO_ESTIMATES in reasons


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


@pytest.mark.parametrize("parallel", ["copies", "easy"])
def test_what_is_found_is_found_again_by_the_steps(parallel: str, thinning: int) -> None:
    """Gains in the window and in the end, of everybody and of who is alone, by plain runs of listed jobs."""
    rng, paid, idle = random.Random(11), 0, 0
    for _ in range(50 // thinning):
        instance, until = some_instance(rng, whole=parallel == "easy"), rng.randint(4, 14)
        rule, k = rng.choice(RULES[:5] if parallel == "easy" else RULES), instance.n_organizations
        u, opened = rng.randrange(k), rng.choice([0, 0, 2])
        options: dict[str, Any] = {} if parallel == "copies" else {"parallel": parallel}
        search, play = begun(instance, u, until, rule, opened=opened, **options)
        if search.held == search.jobs:
            continue
        search.more(instance, play)
        assert search.held == sum(job.release < opened for job in jobs_of(instance, u))
        assert search.bests[MIXTURE].net == max(found.net for found in search.bests.values())
        truth = plain_jobs(Presentation.of(instance, u))
        attempts = [*search.bests.items(), *((move, found) for (move, _), found in search.habits.items())]
        assert search.idle >= max(min(found.gain, found.alone) for _, found in attempts)
        for kind, found in attempts:
            assert kind == MIXTURE or {step.move for step in found.steps} <= {kind}
            assert all(step.first >= search.held for step in found.steps)
            queue, part = truth, 0
            for step in found.steps:
                queue = plain_step(queue, step)
                part = step.amount if step.move == "account" and step.first < step.last else part
            assert queue[: search.held] == truth[: search.held]
            pairs = []
            for others in (True, False):
                runs = [
                    simulate(plainly(instance, u, jobs, part, others), rule=rule, until=10**6, seed=7, **options)
                    for jobs in (truth, queue)
                ]
                pairs.append(
                    [plain_measure(run, u, js, k, until) for run, js in zip(runs, (truth, queue), strict=True)]
                )
            if not instance.n_machines:
                assert found == Attempt() or found.net <= 0
                continue
            (before, lied), (before_alone, lied_alone) = pairs
            gains = [(y[0] - x[0], x[1] - y[1]) for x, y in zip(before, lied, strict=True)]
            alone = (lied_alone[u][0] - before_alone[u][0], before_alone[u][1] - lied_alone[u][1])
            assert (found.gain, found.ended) == gains[u]
            assert (found.alone, found.alone_ended) == alone
            assert found.net == min(gain - max(0, own) for gain, own in zip(gains[u], alone, strict=True))
            if found.steps:
                assert found.received == lied[u][2]
                others_gain = [(0, 0) if v == u else gain for v, gain in enumerate(gains)]
                assert list(zip(found.changes, found.changes_ended, strict=True)) == others_gain
            paid += found.net > 0
            idle += min(found.gain, found.alone) > 0
    assert paid or idle


def test_parts_side_by_side_on_idle_machines_are_no_gaming() -> None:
    """One job on two machines, nobody else there: halves end in half the time, which nobody loses by."""
    instance = SharingInstance.of([1, 1], [[(0, 100)], []])
    search, play = begun(instance, 0, 150, "fair-share")
    search.more(instance, play)
    assert search.bests[MIXTURE] == Attempt()
    assert search.idle == search.habits["split", 2].gain == search.habits["flood", 1000].gain == 2500


def test_a_second_account_has_turns_of_its_own() -> None:
    """Round robin serves two names twice as often; the other's work waits for as long as it is overtaken."""
    instance = SharingInstance.of([1, 1], [[(0, 10)] * 8, [(0, 10)] * 8])
    search, play = begun(instance, 0, 200, "round-robin")
    search.more(instance, play)
    best = search.habits["account", 0]
    assert best.net == best.gain == best.ended > 0 == best.alone
    assert sum(best.changes) == -best.gain
    assert search.bests["account"].net >= best.net


def test_shorter_walltimes_fill_gaps_that_longer_ones_cannot() -> None:
    """EASY starts a short job before a wide one only if it asks for little enough; never below its length."""
    jobs = [[Job(0, 10, machines=2), Job(2, 4, estimate=40)], [Job(0, 10, machines=2), Job(1, 10, machines=5)]]
    instance = SharingInstance.of([4, 1], jobs)
    search, play = begun(instance, 0, 60, "fifo", parallel="easy", opened=1)
    search.more(instance, play)
    best = search.bests["walltime"]
    assert best.net == best.gain == best.ended == 4 * 18  # starts at 2, not at 20
    assert not any(best.changes)
    assert after(Presentation.of(instance, 0), best.steps).estimate.tolist()[1] >= 4  # type: ignore[union-attr]


def test_a_rule_that_takes_no_more_organizations_is_searched_without_accounts() -> None:
    """A custom rule for two; what it is told of a third is an error of its own."""

    class ForTwo:
        def choose(self, pool: Any) -> int:
            return int(min(pool.waiting, key=lambda u: ((3, 1)[u], u)))

    instance = SharingInstance.of([1, 1], [[(0, 4), (0, 3), (1, 3)], [(0, 5)] * 2])
    play = play_of(ForTwo(), 30)
    search = Search.of(instance, 0, 30, play, None, tries=len(HABITS) + 20, seed=1).more(instance, play)
    assert "account" not in search.bests
    assert not any(move == "account" for move, _ in search.habits)
    assert search.done


def test_the_answer_is_the_best_of_all_that_was_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where it is better by less than the hundredth from which the search climbs on; no habit gains more."""
    gains: list[int] = []
    played = Search.played

    def spied(*about: Any) -> Attempt | None:
        attempt = played(*about[:4])
        assert attempt is not None
        gains.append(attempt.net)
        return attempt if len(about) == 4 or attempt.net > about[4] else None

    monkeypatch.setattr(Search, "played", spied)
    behind = 0
    for seed in range(6):
        rng = random.Random(seed)
        listed = [[(rng.randint(0, 1333), rng.randint(1000, 4000)) for _ in range(6)] for _ in range(2)]
        instance = SharingInstance.of([1, 1], listed)
        search, play = begun(instance, 0, 20_000, "utility-fair-share", tries=120)
        gains.clear()
        search.more(instance, play)
        assert search.bests[MIXTURE].net == max(0, *gains)
        assert all(search.bests[move].net >= attempt.net for (move, _), attempt in search.habits.items())
        behind += search.bases[MIXTURE].net < search.bests[MIXTURE].net
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
        if runs == 6:  # two of the truth, two for each try
            raise KeyboardInterrupt
        return play(presented)

    with pytest.raises(KeyboardInterrupt):
        search.more(instance, stopping)
    assert search.tried >= 1
    assert search.habits
    whole, _ = begun(instance, 0, 25, "fair-share", tries=20)
    assert search.more(instance, play).habits == whole.more(instance, play).habits


def test_the_search_finds_more_than_halving_one_job() -> None:
    """Summed over small instances: more than enumerating the halves of every single job finds."""
    rng, halved, found = random.Random(3), 0, 0
    for _ in range(8):
        instance, until = some_instance(rng), 14
        search, play = begun(instance, 0, until, "fair-share", tries=100)
        found += search.more(instance, play).bests["split"].net
        queue = Presentation.of(instance, 0)
        halves = (search.played(queue.after(Step("split", i, i + 1, 2)), instance, play) for i in range(len(queue)))
        halved += max(0, *(half.net for half in halves if half is not None), 0)
    assert found > halved > 0


def test_steps_scaled_by_a_huge_unit_gain_as_many() -> None:
    unit = 10**18
    instance = SharingInstance.of([1, 1], [[(0, 4 * unit)] * 4, [(0, 4 * unit)] * 4])
    search, play = begun(instance, 0, 40 * unit, "round-robin", tries=60)
    best = search.more(instance, play).bests["merge"]
    assert search.at_most["merge"] >= best.net > unit**2
    assert any(length > 4 * unit for _, length in after(Presentation.of(instance, 0), best.steps).jobs)


def test_nobody_gains_without_jobs_or_machines() -> None:
    for machines, jobs in (([0, 0], [[(0, 3)], []]), ([1, 1], [[], [(0, 3)]]), ([2], [[(0, 1)]])):
        search, play = begun(SharingInstance.of(machines, jobs), 0, 9, "fair-share")
        search.more(SharingInstance.of(machines, jobs), play)
        assert search.proved[MIXTURE] == CAPACITY
        assert set(search.bests.values()) == {Attempt()}
        assert search.tried == len(HABITS)  # a habit may cost something
