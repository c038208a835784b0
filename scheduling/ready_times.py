r"""Exact least makespan of jobs on machines with ready times.

Model: machine ``m`` is ready for job ``i`` from ``ready[i][m]`` on and ends at the latest of these times over the jobs
that it gets, plus their sizes; a machine without jobs does not count. Where ``ready`` has the same row for every job,
these are parallel machines that are free from given times on. All numbers are integers.

Ties between placements of least makespan: :func:`placement` returns the lexicographically smallest one; with ``keep``,
of those that keep the most load, or the most jobs, on the machine ``home``.

>>> least_makespan([4, 4, 4], [[0, 4, 0]] * 3), placement([4, 4, 4], [[0, 4, 0]] * 3)
(8, (0, 0, 1))
>>> placement([3, 1, 1, 1], [[0, 0]] * 4), placement([3, 1, 1, 1], [[0, 0]] * 4, Keep(0, "count"))
((0, 1, 1, 1), (1, 0, 0, 0))

Method: branch and bound in depth, longest jobs first, from a list schedule down to a lower bound; a placement is then
fixed job by job. Beyond :data:`MAX_NODES` nodes of one question CP-SAT answers it, while the numbers are within its
integers. Ten jobs on four machines take 0.08 ms, a placement 0.3 ms, where CP-SAT takes
33 ms.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final, Literal, NamedTuple, TypeAlias

import numpy as np

from ..support.errors import TooLargeError
from ..support.exact import fits_int64, magnitude
from ..support.jit import fitting, jit
from .cp_sat import OVERFLOW, new_model, solve

Measure: TypeAlias = Literal["load", "count"]
MAX_NODES: Final = 20_000_000
"""Nodes of branch and bound for one question: one or two seconds."""
MAX_PLAIN_NODES: Final = 100_000
"""The same in Python's integers, beyond int64."""
FEW_NODES: Final = 200
"""Nodes that the interpreter tries first: most questions are as small."""
SOLVER_SECONDS: Final = 20
"""Seconds of CP-SAT for one question that branch and bound leaves open."""


class Keep(NamedTuple):
    """What placements of least makespan keep on a machine as much as they can: load, or jobs."""

    home: int
    measure: Measure = "load"


def least_makespan(sizes: Sequence[int], ready: Sequence[Sequence[int]]) -> int:
    """Least makespan; 0 without jobs.

    Parameters
    ----------
    sizes
        Positive integers.
    ready
        ``ready[i][m]``: when machine ``m`` is ready for job ``i``.

    Raises
    ------
    TooLargeError
        Neither branch and bound nor CP-SAT decides it.

    >>> least_makespan([3, 3, 2], [[0, 0]] * 3), least_makespan([3, 3, 2], [[0, 5]] * 3)
    (5, 7)
    """
    if not sizes:
        return 0
    instance = _Instance(sizes, ready, "least makespan")
    return instance.unit * instance.best().makespan


def placement(
    sizes: Sequence[int], ready: Sequence[Sequence[int]], keep: Keep | None = None, name: str = "least makespan"
) -> tuple[int, ...]:
    """Machine of every job: of all placements of least makespan the first one, or the first that ``keep`` prefers.

    Parameters and errors are those of :func:`least_makespan`.

    >>> placement([2, 2], [[0, 0, 1], [0, 0, 1]]), placement([2, 2], [[0, 0], [0, 9]])
    ((0, 1), (1, 0))
    """
    if not sizes:
        return ()
    instance = _Instance(sizes, ready, name, keep)
    best = instance.best()
    request = Request(best.makespan + 1, best.makespan, keep is not None, 0, False)
    if keep is not None:
        best = instance.search([], request._replace(grow=True)) or best
        request = request._replace(kept=instance.kept(best.hosts))
    hosts = list(best.hosts)
    for i in range(len(hosts)):
        for host in range(hosts[i]):
            smaller = instance.search([*hosts[:i], host], request)
            if smaller is not None:
                hosts = list(smaller.hosts)
                break
    return tuple(hosts)


class _Placement(NamedTuple):
    """A placement and its makespan."""

    makespan: int
    hosts: tuple[int, ...]


class _Instance:
    """Jobs and ready times in the largest common unit, what keeping each job at home is worth, and the questions."""

    def __init__(
        self, sizes: Sequence[int], ready: Sequence[Sequence[int]], name: str, keep: Keep | None = None
    ) -> None:
        self.unit = math.gcd(*sizes, *(time for row in ready for time in row))
        self.name, self.n, self.machines = name, len(sizes), len(ready[0])
        latest = max(map(max, ready)) // self.unit + sum(sizes) // self.unit
        self.int64 = fits_int64(latest * (self.n + self.machines))
        self.sizes = [size // self.unit for size in sizes]
        self.ready = [[time // self.unit for time in row] for row in ready]
        self.constant = all(row == self.ready[0] for row in self.ready)
        self.home = -1 if keep is None else keep.home
        self.worths = self.sizes if keep is not None and keep.measure == "load" else [int(keep is not None)] * self.n

    def best(self) -> _Placement:
        """A placement of least makespan."""
        listed = self._listed()
        enough = self._lower_bound()
        if listed.makespan <= enough:
            return listed
        return self.search([], Request(listed.makespan, enough, False, 0, False)) or listed

    def kept(self, hosts: Sequence[int]) -> int:
        """What the first jobs, on these machines, keep at home."""
        return sum(worth for worth, host in zip(self.worths, hosts, strict=False) if host == self.home)

    def search(self, fixed: Sequence[int], request: Request) -> _Placement | None:
        """A placement that counts, best or good enough, whose first jobs are fixed; ``None``: there is none."""
        load, top = [0] * self.machines, [-1] * self.machines
        for i, host in enumerate(fixed):
            load[host] += self.sizes[i]
            top[host] = max(top[host], self.ready[i][host])
        end = max((t + w for t, w in zip(top, load, strict=True) if t >= 0), default=0)
        if end >= request.upper:
            return None
        kept = self.kept(fixed)
        free = sorted(range(len(fixed), self.n), key=lambda i: -self.sizes[i])
        if not free:
            return _Placement(end, tuple(fixed)) if kept >= request.kept else None
        placed = self._placed(free, load, top, end, request._replace(kept=max(request.kept - kept, 0)))
        if placed is None:
            return None
        hosts = [*fixed, *([0] * len(free))]
        for i, host in zip(free, placed.hosts, strict=True):
            hosts[i] = host
        return _Placement(placed.makespan, tuple(hosts))

    def _placed(
        self, free: list[int], load: list[int], top: list[int], end: int, request: Request
    ) -> _Placement | None:
        """Machines of the free jobs; the machine at home comes first, so that much is kept there soon."""
        order = sorted(range(self.machines), key=lambda host: host != self.home)
        dtype: Any = np.int64 if self.int64 else object
        jobs = Jobs(
            np.array([self.sizes[i] for i in free], dtype),
            np.array([[self.ready[i][host] for host in order] for i in free], dtype),
            self.constant,
            np.array([self.worths[i] for i in free], dtype),
        )

        def run(search: Any, limit: int) -> Any:
            loads, tops = (np.array([row[host] for host in order], dtype) for row in (load, top))
            return search(jobs, Hosts(loads, tops, end), request, limit)

        search: Any = fitting(branch, self.int64, (len(free) * self.machines + FEW_NODES) * self.machines)
        limit = MAX_NODES if search is branch else FEW_NODES if self.int64 else MAX_PLAIN_NODES
        makespan, hosts, nodes = run(search, limit)
        if nodes > limit == FEW_NODES:
            limit = MAX_NODES
            makespan, hosts, nodes = run(branch, limit)
        if nodes > limit:
            return self._solved(free, load, top, request, limit)
        return None if hosts[0] < 0 else _Placement(int(makespan), tuple(order[int(host)] for host in hosts))

    def _solved(
        self, free: list[int], load: list[int], top: list[int], request: Request, nodes: int
    ) -> _Placement | None:
        """The same by CP-SAT. Raises TooLargeError beyond its integers or its time."""
        tried = f"{nodes:,} nodes of branch and bound"
        if 4 * len(free) * request.upper < OVERFLOW:
            model, end, puts = self._model(free, load, top, request)
            answer = solve(model, SOLVER_SECONDS, partial=False)
            if answer.ended and not answer.has_solution:
                return None
            if answer.ended:
                hosts = tuple(next(m for m, on in enumerate(put) if answer.value(on)) for put in puts)
                return _Placement(answer.value(end), hosts)
            tried += f" and {SOLVER_SECONDS} s of constraint solving"
        raise TooLargeError(
            f"{self.name}: {len(free)} jobs on {self.machines} machines, with loads up to "
            f"{magnitude(request.upper - 1)} units, are not decided after {tried}; leave jobs out, or round the lengths"
        )

    def _model(self, free: list[int], load: list[int], top: list[int], request: Request) -> tuple[Any, Any, Any]:
        """The question as a constraint program, its makespan, and of each free job a Boolean per machine."""
        model, most = new_model(), request.upper - 1
        end = model.new_int_var(min(most, max(0, request.enough)), most, "")
        puts = {i: [model.new_bool_var("") for _ in load] for i in free}
        for put in puts.values():
            model.add_exactly_one(put)
        for m in range(self.machines):
            start = model.new_int_var(max(top[m], 0), max(top[m], *(self.ready[i][m] for i in free)), "")
            used = model.new_bool_var("") if top[m] < 0 else model.new_constant(1)
            for i, put in puts.items():
                model.add_implication(put[m], used)
                model.add(start >= self.ready[i][m]).only_enforce_if(put[m])
            work = load[m] + sum(self.sizes[i] * put[m] for i, put in puts.items())
            model.add(end >= start + work).only_enforce_if(used)
        if request.at_home:
            kept = sum(self.worths[i] * put[self.home] for i, put in puts.items())
            model.add(kept >= request.kept)
        if request.grow:
            model.maximize(kept)
        elif request.enough < most:
            model.minimize(end)
        return model, end, puts.values()

    def _listed(self) -> _Placement:
        """The jobs longest first, each where it ends first."""
        load, top, hosts = [0] * self.machines, [-1] * self.machines, [0] * self.n
        for i in sorted(range(self.n), key=lambda i: -self.sizes[i]):
            row = self.ready[i]
            host = min(range(self.machines), key=lambda host: max(row[host], top[host]) + load[host])
            top[host] = max(top[host], row[host])
            load[host] += self.sizes[i]
            hosts[i] = host
        return _Placement(max(t + w for t, w in zip(top, load, strict=True) if t >= 0), tuple(hosts))

    def _lower_bound(self) -> int:
        """All work poured into the machines from their earliest ready times, and each job alone."""
        starts = sorted(min(times) for times in zip(*self.ready, strict=True))
        work = sum(self.sizes)
        level: int = min(-(-(work + sum(starts[:m])) // m) for m in range(1, len(starts) + 1))
        return max(level, max(min(row) + size for row, size in zip(self.ready, self.sizes, strict=True)))


# --- the kernel: int64 after a range proof by the caller, else Python integers through its plain form ---------------


class Jobs(NamedTuple):
    """The jobs to place, longest first; never modified."""

    sizes: Any
    """Shape ``(n,)``."""
    ready: Any
    """Shape ``(n, machines)``."""
    constant: bool
    """Whether every column of ``ready`` is constant."""
    worths: Any
    """Shape ``(n,)``: what keeping each job at home is worth."""


class Hosts(NamedTuple):
    """What has been placed on every machine so far; overwritten."""

    load: Any
    top: Any
    """Latest ready time of the jobs there, -1 without any."""
    end: Any
    """When the last machine with jobs ends."""


class Request(NamedTuple):
    """Which placements count, and when the search may stop."""

    upper: Any
    """Only makespans below this count."""
    enough: Any
    """A makespan of at most this ends the search, unless the most is to be kept at home."""
    at_home: bool
    """Whether the first machine is home, and no twin of another."""
    kept: Any
    """Least worth of the jobs at home."""
    grow: bool
    """Whether to find the most that can be kept at home, instead of the least makespan."""


@jit
def _remaining(values: Any) -> Any:
    """Sum of the values from each one on."""
    sums = np.zeros(values.size + 1, values.dtype)
    for i in range(values.size - 1, -1, -1):
        sums[i] = sums[i + 1] + values[i]
    return sums


@jit
def _earliest(ready: Any) -> Any:
    """Earliest time at which every machine is ready for one of the jobs from each one on."""
    floor = ready.copy()
    for i in range(ready.shape[0] - 2, -1, -1):
        for m in range(ready.shape[1]):
            floor[i, m] = min(floor[i, m], floor[i + 1, m])
    return floor


@jit
def _room(load: Any, top: Any, floor: Any, i: int, limit: Any) -> Any:
    """Work that fits on all machines by ``limit``; those without jobs are ready when they are for a job from ``i``."""
    room = 0 * limit
    for m in range(load.size):
        ends = top[m] + load[m] if top[m] >= 0 else floor[i, m]
        if limit > ends:
            room += limit - ends
    return room


@jit
def _keepable(jobs: Jobs, i: int, room: Any) -> Any:
    """Bound on what the jobs from ``i`` on that fit into the room at home are worth, the shortest ones first."""
    total = 0 * room
    for j in range(jobs.sizes.size - 1, i - 1, -1):
        if jobs.sizes[j] > room:
            return total + (room if jobs.worths[j] == jobs.sizes[j] else 0 * room)  # worth is load: a part of it too
        room -= jobs.sizes[j]
        total += jobs.worths[j]
    return total


@jit
def _alike(ready: Any) -> Any:
    """``alike[i, m, l]``: whether machines ``m`` and ``l`` are ready at the same times for the jobs from ``i`` on."""
    n, machines = ready.shape
    alike = np.ones((n + 1, machines, machines), np.bool_)
    for i in range(n - 1, -1, -1):
        for m in range(machines):
            for other in range(machines):
                alike[i, m, other] = alike[i + 1, m, other] and ready[i, m] == ready[i, other]
    return alike


@jit
def _next_machine(jobs: Jobs, hosts: Hosts, alike: Any, at_home: bool, i: int, start: int, latest: Any) -> int:
    """First machine from ``start`` on that is free for job ``i`` by ``latest`` and no twin of an earlier one, else -1.

    Twins are the same for this job and all that follow: free at the same time where ready times are constant, else
    with the same work and the same ready times.
    """
    load, top, ready = hosts.load, hosts.top, jobs.ready[i]
    for m in range(start, load.size):
        free = max(ready[m], top[m]) + load[m]
        if free > latest:
            continue
        twin = False
        for other in range(1 if at_home else 0, m):
            if jobs.constant:
                twin = max(ready[other], top[other]) + load[other] == free
            else:
                twin = alike[i, m, other] and top[other] == top[m] and load[other] == load[m]
            if twin:
                break
        if not twin:
            return m
    return -1


@jit
def branch(jobs: Jobs, hosts: Hosts, request: Request, max_nodes: int) -> tuple[Any, Any, int]:
    """Machines for the jobs, by branch and bound in depth.

    Returns
    -------
    makespan, hosts, nodes
        Of the best placement that counts (hosts -1 where there is none), and the nodes visited (more than
        ``max_nodes``: given up).
    """
    sizes, ready = jobs.sizes, jobs.ready
    load, top, _ = hosts
    n = sizes.size
    best, answer = request.upper, np.full(n, -1, np.int64)
    kept, least = 0 * best, request.kept
    choice = np.full(n + 1, -1, np.int64)
    top_before = np.zeros(n + 1, ready.dtype)
    end_before = np.zeros(n + 1, ready.dtype)
    remaining, floor, alike = _remaining(sizes), _earliest(ready), _alike(ready)
    end_before[0] = hosts.end
    nodes = i = 0
    while i >= 0:
        if i == n:
            if kept >= least and end_before[n] < best:
                for j in range(n):
                    answer[j] = choice[j]
                if request.grow:
                    least = kept + 1
                else:
                    best = end_before[n]
            i -= 1
        elif choice[i] < 0:  # just arrived: can the free work fit below the best makespan, and enough of it at home?
            nodes += 1
            at_home = best - 1 - (top[0] + load[0] if top[0] >= 0 else floor[i, 0])
            if (
                end_before[i] >= best
                or (request.at_home and kept + _keepable(jobs, i, max(at_home, 0 * best)) < least)
                or _room(load, top, floor, i, best - 1) < remaining[i]
            ):
                i -= 1
        if (best <= request.enough and not request.grow) or nodes > max_nodes:
            break
        if i < 0:
            continue
        if choice[i] >= 0:  # take the job back
            load[choice[i]] -= sizes[i]
            top[choice[i]] = top_before[i]
            if choice[i] == 0:
                kept -= jobs.worths[i]
        choice[i] = _next_machine(jobs, hosts, alike, request.at_home, i, choice[i] + 1, best - 1 - sizes[i])
        m = choice[i]
        if m < 0:
            i -= 1
            continue
        top_before[i] = top[m]
        top[m] = max(top[m], ready[i, m])
        load[m] += sizes[i]
        if m == 0:
            kept += jobs.worths[i]
        end_before[i + 1] = max(end_before[i], top[m] + load[m])
        i += 1
        choice[i] = -1
    return best, answer, nodes
