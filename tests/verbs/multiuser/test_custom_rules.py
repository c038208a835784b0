"""Rules of one's own for users: points and schedules are certified against brute force, slips are named."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations, product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import consortium
from consortium.agents.users import Community
from consortium.mechanisms.multiuser import edf, multimixed
from consortium.mechanisms.multiuser import pareto as enumeration
from consortium.mechanisms.multiuser.protocol import answer
from consortium.support.errors import InputError, MechanismError, TooLargeError

M, S = "makespan", "total-completion"


class Point:
    """A rule that always gives the same point."""

    def __init__(self, *values: Any) -> None:
        self.values = values

    def point(self, community: Community) -> Any:
        return self.values


class Listed:
    """A rule that always gives the same schedule."""

    def __init__(self, *rows: Any) -> None:
        self.rows = rows

    def schedule(self, community: Community) -> Any:
        return self.rows


def scenario(*users: tuple[str, list[Any]], machines: int = 1) -> dict[str, Any]:
    return {
        "format": 1,
        "kind": "multiuser",
        "machines": machines,
        "users": [{"name": f"u{i}", "objective": goal, "jobs": jobs} for i, (goal, jobs) in enumerate(users, 1)],
        "mechanism": {"rule": "multimixed"},
    }


USER = st.tuples(st.sampled_from([M, S]), st.lists(st.integers(1, 3), min_size=1, max_size=2))
TWO = scenario((M, [2]), (S, [1, 1]))


@given(
    st.lists(
        st.tuples(st.sampled_from([M, S]), st.lists(st.integers(1, 3), min_size=1, max_size=2)), min_size=1, max_size=3
    ).filter(lambda users: sum(len(jobs) for _, jobs in users) <= 4),
    st.integers(1, 2),
    st.data(),
)
def test_a_promise_is_kept_exactly_when_some_schedule_keeps_it(users: Any, machines: int, data: st.DataObject) -> None:
    """Brute force over every order of the jobs and every machine of each, list-scheduled without idle time."""
    shared = Community.of(*users, machines=machines)
    promised = tuple(data.draw(st.integers(1, 2 * shared.work)) for _ in users)
    possible = any(all(a <= b for a, b in zip(point, promised, strict=True)) for point in reached(shared))
    try:
        found = answer(Point(*promised), shared)
    except MechanismError as error:
        assert "it is proved that none does" in str(error)
        assert not possible
        return
    assert possible
    assert found.point == promised
    assert found.complete
    ends = [[slot.end for slot in found.slots if slot.user == u] for u in range(len(users))]
    kept = [max(e) if goal == M else sum(e) for e, (goal, _) in zip(ends, users, strict=True)]
    assert all(a <= b for a, b in zip(kept, promised, strict=True))
    rows = [(slot.user, slot.job, slot.machine, slot.start) for slot in found.slots]
    assert answer(Listed(*rows), shared).slots == found.slots  # and it is a schedule


def reached(shared: Community) -> set[tuple[int, ...]]:
    """Points of all schedules without idle time."""
    jobs = [(u, j) for u, sizes in enumerate(shared.sizes) for j in range(len(sizes))]
    found = set()
    for order in permutations(jobs):
        for places in product(range(shared.machines), repeat=len(jobs)):
            free = [0] * shared.machines
            ends: list[list[int]] = [[] for _ in shared.users]
            for (u, j), m in zip(order, places, strict=True):
                free[m] += shared.sizes[u][j]
                ends[u].append(free[m])
            found.add(tuple(max(e) if x.objective == M else sum(e) for e, x in zip(ends, shared.users, strict=True)))
    return found


def test_records_of_a_point_and_of_a_schedule() -> None:
    record = consortium.run(TWO, mechanism=Point(3, "5"))
    assert (record.method, record.feasible, record.point, str(record.status)) == ("own", True, (3, 5), "proved")
    assert [(job.user, job.start) for job in record.jobs] == [("u1", 1), ("u2", 0), ("u2", 3)]
    assert record.fairness.over_optimum.value == 0
    late = consortium.run(TWO, mechanism=Listed((0, 0, 0, 4), (1, 0, 0, 1), (1, 1, 0, 2)))  # idle time is allowed
    assert (late.point, late.metrics.min_max) == ((6, 5), Fraction(5, 12))
    assert consortium.run(TWO, mechanism=lambda community: Point(3, 5)).point == (3, 5)


def test_values_between_steps_promise_the_lower_one() -> None:
    halves = scenario((M, ["1/2"]), (M, [1]))
    assert consortium.run(halves, mechanism=Point("0.7", "1.6")).point == (Fraction(1, 2), Fraction(3, 2))


def test_no_answer() -> None:
    class Silent:
        def point(self, community: Community) -> None:
            return None

    record = consortium.run(TWO, mechanism=Silent())
    assert (record.feasible, record.point, record.jobs) == (False, None, ())


def test_what_cannot_be_certified_stays_open_unless_a_schedule_shows_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two total-completion users with many jobs: neither list scheduling nor enumeration settles a sharp promise."""
    users = [(S, list(range(1, 40))), (S, list(range(2, 41)))]
    shared = Community.of(*users)
    found = multimixed(shared).point
    assert found is not None
    monkeypatch.setattr(enumeration, "BUDGET", enumeration.BUDGET // 50)
    sharp = Point(found[0] - 1, found[1] + 100)
    record = consortium.run(scenario(*users), mechanism=sharp)
    assert (record.feasible, record.complete, record.jobs, record.point) == (None, False, (), sharp.values)
    assert str(record.status) == "stopped"
    rows = [(slot.user, slot.job, slot.machine, slot.start) for slot in multimixed(shared).slots]

    class Shown(Listed):
        def point(self, community: Community) -> Any:
            return (found[0] + 1, found[1])

    both = consortium.run(scenario(*users), mechanism=Shown(*rows))
    assert (both.feasible, both.point) == (True, (found[0] + 1, found[1]))


def test_compare_takes_objects_beside_names() -> None:
    fair = TWO | {"mechanism": {"rule": "fairest"}}
    record = consortium.compare(fair, rules={"fairest": "fairest", "late": Point(4, 7), "made": lambda _: Point(3, 5)})
    assert [(row.rule, row.values["point"]) for row in record.rows] == [
        ("fairest", (3, 5)), ("late", (4, 7)), ("made", (3, 5)),
    ]  # fmt: skip
    assert record.rows[0].values["fairness_key"] == record.rows[2].values["fairness_key"]


class Broken:
    def point(self, community: Community) -> Any:
        return [1 / 0]


def generator(community: Community) -> Any:
    yield (0, 0, 0, 0)
    raise ValueError("no more")


def refusal(self: object, community: Community) -> Any:
    raise AssertionError


Silent = type("Silent", (), {"point": refusal})
Lazy = type("Lazy", (), {"schedule": staticmethod(generator)})


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        (Point(3), "Point.point: found 1 values; expected one per user, 2"),
        (Point(3, 5, 5), "Point.point: found 3 values; expected one per user, 2"),
        (Point(3.0, 5), "Point.point: value 1: found the float 3.0; write '3', an int or a Fraction"),
        (
            Point(3, None),
            "Point.point: value 2: found None; expected an integer, a decimal or a fraction such as '3/2'",
        ),
        (
            Point(1, 9),
            "Point.point: found (1, 9); expected values that some schedule keeps, and it is proved",
        ),
        (Point(3, 4), "Point.point: found (3, 4); expected values that some schedule keeps"),
        (Listed((0, 0, 0, 0)), "Listed.schedule: job 0 of user 'u2' runs 0 times; expected every job once"),
        (
            Listed((0, 0, 0, 0), (1, 0, 0, 2), (1, 0, 0, 3), (1, 1, 0, 4)),
            "Listed.schedule: job 0 of user 'u2' runs 2 times; expected every job once",
        ),
        (
            Listed((0, 0, 0, 0), (1, 0, 0, 1), (1, 1, 0, 4)),
            "machine 0 runs job 0 of user 'u1' until 2 and job 0 of user 'u2' from 1; expected one job at a time",
        ),
        (Listed((0, 0, 0, -1)), "Listed.schedule: entry 1: start: found -1; expected a multiple of 1 from 0 on"),
        (Listed((0, 0, 0, "1/2")), "Listed.schedule: entry 1: start: found 1/2; expected a multiple of 1 from 0 on"),
        (Listed((0, 0, 0, 0.5)), "Listed.schedule: entry 1: start: found the float 0.5"),
        (Listed((0, 0, 1, 0)), "Listed.schedule: entry 1: machine: found 1; expected a number from 0 to 0"),
        (Listed((2, 0, 0, 0)), "Listed.schedule: entry 1: user: found 2; expected a number from 0 to 1"),
        (Listed((0, True, 0, 0)), "entry 1: job of user 'u1': found True; expected a number from 0 to 0"),
        (Listed((0, 0, 0)), "Listed.schedule: entry 1: found (0, 0, 0); expected (user, job, machine, start)"),
        (Broken(), "Broken.point(community) failed with ZeroDivisionError: division by zero ("),
        (Silent(), "Silent.point(community) failed with AssertionError ("),
        (Lazy(), "Lazy.schedule(community) failed with ValueError: no more ("),
    ],
)
def test_slips_are_named_with_their_call(rule: Any, message: str) -> None:
    with pytest.raises(MechanismError) as caught:
        consortium.run(TWO, mechanism=rule)
    assert message in str(caught.value)
    assert len(str(caught.value).splitlines()) == 1


@pytest.mark.parametrize("answered", [3, "35", {"u1": 3, "u2": 5}, {3, 5}])
def test_answers_of_the_wrong_shape(answered: Any) -> None:
    class Odd:
        def point(self, community: Community) -> Any:
            return answered

        schedule = point

    for method in ("point", "schedule"):
        one = type("One", (), {method: getattr(Odd, method)})()
        with pytest.raises(MechanismError, match=rf"One\.{method}: found .*; expected"):
            consortium.run(TWO, mechanism=one)


def test_a_schedule_that_breaks_the_promise_beside_it() -> None:
    class Liar(Point, Listed):
        def __init__(self) -> None:
            self.values, self.rows = (2, 7), ((0, 0, 0, 1), (1, 0, 0, 0), (1, 1, 0, 3))

    with pytest.raises(MechanismError, match=r"Liar.schedule: user 'u1' gets 3; Liar.point promised at most 2"):
        consortium.run(TWO, mechanism=Liar())


def test_what_is_no_rule() -> None:
    with pytest.raises(InputError, match=r"found 'edf'; expected a custom rule, as FILE.py:Name"):
        consortium.run(TWO, mechanism="edf")
    with pytest.raises(MechanismError, match=r"Odd\(community\) made .*; expected an object with point\(community\)"):
        consortium.run(TWO, mechanism=type("Odd", (), {"__init__": lambda self, community: None}))


def test_errors_of_the_package_pass() -> None:
    class Asks:
        def schedule(self, community: Community) -> Any:
            return edf(community, [1, 1])  # not for total-completion users: says so itself

        def point(self, community: Community) -> Any:
            raise TooLargeError("too many users")

    with pytest.raises(TooLargeError, match="too many users"):
        consortium.run(TWO, mechanism=Asks())


FOREIGN = """
from pydantic import BaseModel
from consortium import RuleInfo

USERS = RuleInfo("last-first", "users in the opposite order", "nowhere", frozenset({"ties"}), kind="multiuser",
                 factory="others:LastFirst", parameters="others:Keys")
AGENTS = RuleInfo("free-queue", "one queue, free of charge", "nowhere", kind="declaration", factory="others:queue")


class Keys(BaseModel, extra="forbid", strict=True):
    pause: int = 0


class LastFirst:
    def __init__(self, pause, ties="index"):
        self.pause = pause

    def schedule(self, community):
        now = self.pause
        for u in reversed(range(len(community.users))):
            for j, size in enumerate(community.users[u].jobs):
                yield u, j, 0, now
                now += size


class Answer:
    def __init__(self, output):
        self.output, self.payments = output, [0] * len(output)


class Free:
    def __init__(self, cluster):
        self.power = cluster.powers[0]

    def run(self, declared, lengths):
        order, now, output = sorted(range(len(lengths)), key=lambda n: (declared[n], n)), 0, {}
        for n in order:
            now += lengths[n] / self.power
            output[n] = now
        return Answer([output[n] for n in range(len(lengths))])


def queue():
    return Free
"""


def test_rules_of_other_distributions(site: Any, distributions: Any) -> None:
    rules = {"last-first": "others:USERS", "free-queue": "others:AGENTS"}
    distributions.make_distribution(site, "others", {"others": FOREIGN}, {"consortium.rules": rules})
    users = TWO | {"mechanism": {"rule": "last-first", "pause": 1}}
    assert consortium.run(users).point == (5, 5)
    assert "last-first" in [row.rule for row in consortium.compare(TWO).rows]
    with pytest.raises(InputError, match=r"mechanism\.pause: .*integer"):
        consortium.load(TWO | {"mechanism": {"rule": "last-first", "pause": "long"}})
    with pytest.raises(InputError, match="only pause, ties besides rule = 'last-first'"):
        consortium.load(TWO | {"mechanism": {"rule": "last-first", "levels": 2}})
    agents = {
        "format": 1,
        "kind": "declaration",
        "cluster": {"powers": [2]},
        "agents": [{"name": "ann", "length": 2, "declares": 1}, {"name": "bob", "length": 2}],
        "mechanism": {"rule": "free-queue"},
    }
    assert [agent.output for agent in consortium.run(agents).agents] == [1, 2]
    found = consortium.verify(agents)
    assert found.dominant.holds is False
    replayed = consortium.check(found)
    assert [row.holds for _, _, row in replayed] == [True] * len(replayed) != []
    assert "free-queue" in [row.rule for row in consortium.compare(agents).rows]
    with pytest.raises(InputError, match="no other key besides rule = 'free-queue'"):
        consortium.load(agents | {"mechanism": {"rule": "free-queue", "penalty": "exact"}})
