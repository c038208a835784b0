"""Drive the compiled kernels: arrays in, chunks of a fraction of a second, arrays out.

Times are shifted so that the first release is 0, jobs released at the end or later are left out, and lengths are cut at
the end of the run; none of this changes a decision or a utility.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ...scheduling.errors import TooLargeError
from ...scheduling.progress import Progress
from . import direct_kernel, queue_kernel, rand_kernel, ref_kernel
from .compiled import IntArray
from .instance import SharingInstance
from .orderings import Watched
from .ranges import common_multiple, origin, potentials_fit
from .shapley import fold_weights

CHUNK = 4_000_000
"""Job events (or elementary steps) between two looks at the keyboard."""

HEAP_MAX = 2**29
"""Most machines, summed over all coalitions, that REF keeps heaps for (4 GB)."""


@dataclass(frozen=True, eq=False)
class _Input:
    """The instance as kernels take it."""

    origin: int
    until: int
    first: IntArray
    length: IntArray
    release: IntArray
    order: IntArray  # jobs by release, ties by organization and queue
    release_time: IntArray
    release_owner: IntArray

    @classmethod
    def of(cls, instance: SharingInstance, until: int) -> _Input:
        since = origin(instance, until)
        release = instance.release - since
        order = np.argsort(release, kind="stable")
        order = order[release[order] < until - since]
        length = np.minimum(instance.length, until - since + 1)  # still running at the end
        owner = instance.owner
        return cls(since, until - since, instance.first, length, release, order, release[order], owner[order])

    def times(self, start: IntArray) -> IntArray:
        """Kernel starts as moments of the instance."""
        return np.where(start >= 0, start + self.origin, start)


def _drive(
    chunk: Callable[[], None], state: IntArray, done: int, now: int, data: _Input, progress: Progress | None
) -> tuple[int, bool]:
    """Call ``chunk`` until the kernel is done; returns the moment reached and whether it is the end."""
    try:
        while True:
            chunk()
            if state[done]:
                return data.until + data.origin, True
            if progress is not None:
                progress(int(state[now]), data.until, "time simulated")
    except KeyboardInterrupt:
        return int(state[now]) + data.origin, False


def _shift(n: int) -> int:
    return max(1, (n - 1).bit_length())


def run_queue_rule(
    instance: SharingInstance, rule: str, until: int, step: int, progress: Progress | None
) -> tuple[IntArray, int, bool]:
    """Starts, moment reached, complete."""
    data = _Input.of(instance, until)
    books, state = queue_kernel.new_state(instance.n_organizations)
    books[:, queue_kernel.POSITION] = books[:, queue_kernel.KNOWN] = data.first[:-1]
    state[queue_kernel.FREE] = instance.n_machines
    heap = np.zeros(min(instance.n_machines, instance.n_jobs) + 1, dtype=np.int64)
    start = np.full(instance.n_jobs, -1, dtype=np.int64)
    shares = np.array(instance.machines, dtype=np.int64)
    code, shift = queue_kernel.CODES[rule], _shift(instance.n_organizations)

    def chunk() -> None:
        queue_kernel.run_chunk(
            code, step, data.until, CHUNK, shares, data.release, data.length, data.release_time, data.release_owner,
            shift, heap, books, state, start,
        )  # fmt: skip

    reached, complete = _drive(chunk, state, queue_kernel.DONE, queue_kernel.NOW, data, progress)
    return data.times(start), reached, complete


def run_direct(
    instance: SharingInstance,
    until: int,
    step: int,
    printed: bool,
    draws: npt.NDArray[np.uint32] | None,
    progress: Progress | None,
) -> tuple[IntArray, IntArray, IntArray, int, bool]:
    """Starts, machines, tallies of machine time given, moment reached, complete."""
    data = _Input.of(instance, until)
    k, m = instance.n_organizations, instance.n_machines
    books, _ = queue_kernel.new_state(k)
    given, _ = queue_kernel.new_state(k)
    books[:, queue_kernel.POSITION] = books[:, queue_kernel.KNOWN] = data.first[:-1]
    state = np.zeros(9, dtype=np.int64)
    state[queue_kernel.FREE] = m
    free, heap = np.arange(m + 1, dtype=np.int64), np.zeros(m + 1, dtype=np.int64)
    on_machine, machine_owner = np.zeros(m, dtype=np.int64), instance.machine_owner
    start = np.full(instance.n_jobs, -1, dtype=np.int64)
    machine = np.full(instance.n_jobs, -1, dtype=np.int64)
    listed = draws is None
    random = np.zeros(0, dtype=np.uint32) if draws is None else draws

    def chunk() -> None:
        direct_kernel.run_chunk(
            printed, step, listed, data.until, CHUNK, data.length, data.release_time, data.release_owner,
            machine_owner, _shift(m), random, heap, free, on_machine, books, given, state, start, machine,
        )  # fmt: skip

    reached, complete = _drive(chunk, state, queue_kernel.DONE, queue_kernel.NOW, data, progress)
    if not complete:  # time from the last event to the moment reached
        d = int(state[queue_kernel.NOW] - state[direct_kernel.EVENT])
        direct_kernel.pass_time(books, given, d, printed)
    return data.times(start), machine, given[:, queue_kernel.PSI], reached, complete


def run_rand(
    instance: SharingInstance, watched: Watched, until: int, step: int, progress: Progress | None
) -> tuple[IntArray, IntArray, int, bool]:
    """Starts, ``count`` times the contributions, moment reached, complete."""
    data = _Input.of(instance, until)
    k, n_simple = instance.n_organizations, len(watched.masks)
    books, state = queue_kernel.new_state(k)
    books[:, queue_kernel.POSITION] = books[:, queue_kernel.KNOWN] = data.first[:-1]
    state[queue_kernel.FREE] = instance.n_machines
    is_member = np.array([[mask >> u & 1 for u in range(k)] for mask in watched.masks], dtype=np.int64)
    simple = np.zeros((n_simple, 7), dtype=np.int64)
    simple[:, rand_kernel.SIMPLE_FREE] = is_member @ np.array(instance.machines, dtype=np.int64)
    room = np.minimum(simple[:, rand_kernel.SIMPLE_FREE], instance.n_jobs) + 1
    base = np.concatenate([[0], np.cumsum(room)[:-1]])
    simple_heap = np.zeros(int(room.sum()), dtype=np.int64)
    heap = np.zeros(min(instance.n_machines, instance.n_jobs) + 1, dtype=np.int64)
    start, phi = np.full(instance.n_jobs, -1, dtype=np.int64), np.zeros(k, dtype=np.int64)

    def chunk() -> None:
        rand_kernel.run_chunk(
            step, data.until, CHUNK, watched.count, is_member, watched.weights, data.length, data.order,
            data.release_time, data.release_owner, _shift(k), base, simple_heap, simple, phi, heap, books, state, start,
        )  # fmt: skip

    reached, complete = _drive(chunk, state, queue_kernel.DONE, queue_kernel.NOW, data, progress)
    for c in range(n_simple):
        rand_kernel.advance(
            c, reached - data.origin - 1, data.until, is_member, data.length, data.order, data.release_time,
            data.release_owner, base, simple_heap, simple,
        )  # fmt: skip
    rand_kernel.contributions(reached - data.origin, watched.weights, simple, phi)
    return data.times(start), phi, reached, complete


def run_ref(
    instance: SharingInstance, until: int, step: int, arithmetic: str, every: bool, progress: Progress | None
) -> tuple[IntArray, IntArray, IntArray, int, bool]:
    """Starts (one row, or one per coalition), values and utilities of all coalitions, moment reached, complete."""
    data = _Input.of(instance, until)
    k = instance.n_organizations
    plan, sites = _ref_arrays(instance, data, step, arithmetic, every)
    reached, complete = _drive(
        lambda: ref_kernel.run_chunk(plan, sites, 10 * CHUNK), sites.state, ref_kernel.DONE, ref_kernel.NOW, data,
        progress,
    )  # fmt: skip
    moment = reached - data.origin
    for rows in (sites.whole, sites.part):
        d = moment - rows[:, ref_kernel.LAST]
        rows[:, ref_kernel.PSI] += d * rows[:, ref_kernel.PARTS] + rows[:, ref_kernel.RUNNING] * (d * (d + 1) // 2)
    start = data.times(sites.start.astype(np.int64))
    return start, sites.whole[:, ref_kernel.PSI], sites.part[:, ref_kernel.PSI].reshape(-1, k), reached, complete


def _ref_arrays(
    instance: SharingInstance, data: _Input, step: int, arithmetic: str, every: bool
) -> tuple[ref_kernel.Plan, ref_kernel.Sites]:
    k = instance.n_organizations
    n_masks = 2**k
    masks = np.arange(n_masks, dtype=np.int64)
    sizes, free = np.zeros(n_masks, dtype=np.int64), np.zeros(n_masks, dtype=np.int64)
    jobs = np.zeros(n_masks, dtype=np.int64)
    for u in range(k):
        member = (masks >> u) & 1
        sizes += member
        free += member * instance.machines[u]
        jobs += member * int(data.first[u + 1] - data.first[u])
    room = np.minimum(free, jobs)
    base = np.concatenate([[0], np.cumsum(room)[:-1]])
    if int(room.sum()) > HEAP_MAX:
        raise TooLargeError(
            f"ref would keep {int(room.sum())} running jobs over all coalitions; the limit is {HEAP_MAX}"
        )
    plan = ref_kernel.Plan(
        k=k,
        step=step,
        until=data.until,
        limbs=2 if arithmetic == "two-limbs" else 1,
        potentials=int(arithmetic == "int64" and potentials_fit(instance, data.until + data.origin)),
        multiple=common_multiple(k),
        every=int(every),
        first=data.first,
        length=data.length,
        release_time=data.release_time,
        release_owner=data.release_owner,
        weights=fold_weights(k),
        sizes=sizes,
        base=base,
    )

    def zeros(*shape: int) -> IntArray:
        return np.zeros(shape, dtype=np.int64)

    sites = ref_kernel.Sites(
        known=zeros(k),
        heap=zeros(int(room.sum()) + 1),
        whole=zeros(n_masks, 6),
        part=zeros(n_masks * k, 5),
        soonest=np.full(n_masks, ref_kernel.FAR, dtype=np.int64),
        free=free,
        start=np.full((n_masks if every else 1, instance.n_jobs), -1, dtype=np.int64),
        contended=zeros(n_masks),
        values=zeros(n_masks),
        stamp=zeros(n_masks),
        potentials=zeros(n_masks),
        scratch=zeros(2, n_masks),
        sums=zeros(2, max(k, 1)),
        high=zeros(k),
        low=zeros(k),
        state=zeros(6),
    )
    return plan, sites
