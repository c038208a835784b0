"""What records of kind ``multiuser`` prove by themselves.

The jobs make a schedule, whose point is the users' values; fairness and metrics follow from the point. On one machine
with at most one user who counts completion times a point is Pareto-optimal exactly when the latest-start rule, given
the makespans as thresholds, reaches it again (:mod:`...mechanisms.multiuser.pareto`): so each point of a set is proved
there, and with their number the whole set. That a rule gives this point and no other follows from no schedule.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Final

from ...agents.users import Community, Point
from ...mechanisms.multiuser.bounds import nadir
from ...mechanisms.multiuser.deadlines import LstKernel
from ...mechanisms.multiuser.fairness import fairness_metrics
from ...mechanisms.multiuser.pareto import n_points
from ...mechanisms.multiuser.schedule import Slot, point_of
from ...support.progress import Clock
from ..asked import Question
from ..proving import Claim, Comparisons, attempt, chosen
from ..records import Statistic
from .model import Model, model
from .run import over

SCHEDULED: Final = "agrees with the other claims of the record, which do not prove that the rule gives this point"
UNDOMINATED: Final = "no other point of the record dominates it, which is no proof"


def run(record: Claim, question: Question, clock: Clock) -> Comparisons:
    """Proofs of a point or a set of points."""
    chosen(question, "multiuser")
    proofs = _Run(model(question.source))
    yield from attempt(record["users"], proofs.users)
    if record["point"].given:
        yield from attempt(record["point"], proofs.point, record)
        if record["jobs"].rows():
            yield from attempt(record["jobs"], proofs.jobs, record)
    if record["pareto"].given:
        yield from attempt(record["pareto"], proofs.pareto, record, clock)


class _Run:
    """Proofs of one record."""

    def __init__(self, m: Model) -> None:
        self.m, self.shared = m, m.shared

    def users(self, claim: Claim) -> Comparisons:
        """What is known of the users before any rule runs."""
        worst, guarantees = nadir(self.shared), self.m.guarantees()
        for u, (row, user) in enumerate(zip(claim.rows(), self.m.spec.users, strict=False)):
            yield from row["name"].proves(user.name)
            yield from row["objective"].proves(user.objective)
            yield from row["nadir"].proves(self.shared.in_time(worst[u]))
            yield from row["guarantee"].proves(guarantees[u])
        if len(claim.rows()) != len(worst):
            yield claim.wrong(f"{len(worst)} users")

    def read(self, claim: Claim) -> Point:
        """A point in units. Raises InputError for what is none."""
        values = [row.number() / self.shared.unit for row in claim.rows()]
        if len(values) != len(self.shared.users) or any(value.denominator != 1 for value in values):
            raise claim.refused("one time per user")
        return tuple(value.numerator for value in values)

    def point(self, record: Claim) -> Comparisons:
        """What follows from the point: the users' values, its fairness and its metrics."""
        point, measure = self.read(record["point"]), self.m.measure()
        for row, value in zip(record["users"].rows(), point, strict=False):
            yield from row["value"].agrees(self.shared.in_time(value), SCHEDULED)
        yield from record["point"].agrees(self.m.times(point), SCHEDULED)
        yield from record["metrics"].agrees(fairness_metrics(measure.values(point)), SCHEDULED)
        fair, key = record["fairness"], measure.key(point)
        yield from fair["norm"].proves(measure.norm)
        yield from fair["key"].agrees(key, SCHEDULED)
        yield from fair["value"].agrees(Statistic(measure.value(key)), SCHEDULED)
        best = fair["optimum_key"].number() if fair["optimum_key"].given else None
        if best is not None:
            yield from fair["optimum_key"].requires(best <= key, f"at most {key}", SCHEDULED)
        if best is None or 0 < best <= key:
            yield from fair["over_optimum"].agrees(over(measure, key, best), SCHEDULED)

    def jobs(self, record: Claim) -> Comparisons:
        """The jobs are a schedule, and its point is the record's."""
        slots = [self.slot(row) for row in record["jobs"].rows()]
        every = [(u, j) for u, sizes in enumerate(self.shared.sizes) for j in range(len(sizes))]
        if sorted((slot.user, slot.job) for slot in slots) != every:
            raise record["jobs"].refused("every job once")
        for one, other in itertools.pairwise(sorted(slots, key=lambda slot: (slot.machine, slot.start))):
            if one.machine == other.machine and other.start < one.end:
                raise record["jobs"].refused(f"no two jobs at once on machine {one.machine + 1}")
        yield from record["point"].agrees(self.m.times(point_of(self.shared, slots)), SCHEDULED)
        yield from record["feasible"].agrees(True, SCHEDULED)
        yield from record["jobs"].agrees(record["jobs"].value, SCHEDULED)

    def slot(self, row: Claim) -> Slot:
        """One job of a schedule, in units. Raises InputError for what is none."""
        names = list(self.m.spec.names)
        user = names.index(row["user"].one_of(names))
        job, machine = (row[name].whole() - 1 for name in ("job", "machine"))
        start, end = (row[name].number() / self.shared.unit for name in ("start", "end"))
        sizes = self.shared.sizes[user]
        if not (0 <= job < len(sizes) and 0 <= machine < self.shared.machines and start >= 0):
            raise row.refused("a job of the user on one of the machines")
        if start.denominator != 1 or end - start != sizes[job]:
            raise row["end"].refused(f"{sizes[job] * self.shared.unit} after the start")
        return Slot(user, job, machine, start.numerator, end.numerator)

    def pareto(self, record: Claim, clock: Clock) -> Comparisons:
        """Points that do not dominate each other; where it is cheap each is proved to be Pareto-optimal."""
        rows, count, left = record["pareto"].rows(), record["pareto_count"], record["pareto_left_out"]
        points = [self.read(row) for row in rows]
        yield from count.agrees(len(points) + left.whole(), SCHEDULED)
        if record["grid"].given or self.m.own is not None:
            return  # an approximation: its points may dominate each other
        exact = _closed_form(self.shared)
        kernel = LstKernel(self.shared) if exact else None
        for row, point in zip(rows, points, strict=True):
            if clock.expired():
                return
            if kernel is not None:
                yield from row.proves(row.value) if _optimal(kernel, point) else [row.wrong("not Pareto-optimal")]
            else:
                beyond = next((p for p in points if _dominates(p, point)), None)
                yield from row.requires(beyond is None, f"{beyond} dominates it", UNDOMINATED)
        if len(set(points)) < len(points):
            yield record["pareto"].wrong("the same point twice")
        elif exact and left.whole() == 0:
            yield from count.proves(n_points(self.shared))


def _closed_form(shared: Community) -> bool:
    return shared.machines == 1 and len(shared.completion_users) <= 1


def _optimal(kernel: LstKernel, point: Sequence[int]) -> bool:
    """Whether a point is Pareto-optimal on one machine with at most one user who counts completion times."""
    return kernel.point([point[u] for u in kernel.shared.makespan_users]) == tuple(point)


def _dominates(one: Point, other: Point) -> bool:
    return one != other and all(a <= b for a, b in zip(one, other, strict=True))
