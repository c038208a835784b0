r"""Job control: operators on the status of a cluster while it runs, the definition of what the package's run does.

Model (Agmon 2003, section 3.2): a status is an allocation as work functions together with the output times ``T``, each
at least the ending time of its job. Operators act on one machine and never move a job to another.

======== ==============================================================================================================
ES       job ``n`` keeps its last share for ``r`` more units of time; what came later on its machine moves ``r`` back
RP       job ``n`` has ``s`` times its share from ``r`` on
GAP      what job ``n`` would do from ``r`` on moves to the first moment, ``s`` or later, with its machine free for good
RN       from ``r`` on job ``n`` runs alone at share ``s`` until it has done ``theta`` of work; the later jobs wait
CLOSE    the idle interval ``[r, s)`` is closed: what follows moves earlier, up to the return of the first split job
POST     job ``n`` stops at ``r`` and does the rest of ``theta`` behind everything on its machine, not before ``s``
EARLY    the output of job ``n`` is released at its end
KILL     job ``n`` never gets its output
======== ==============================================================================================================

Four definitions do not do what their text says when read to the letter; ``printed=True``, and the mapping ``PRINTED``,
give the letter:

* RN (3.14) is ``RP_n(0, L) o ES_n(inf) o RP_n(s, r)``. At ``r = E_n`` the inner RP acts where nothing runs and ES
  copies the full share from the left, so nobody is reniced; ES by ``inf`` deletes every later job, and the output time
  becomes infinite. Repaired: ``RP_n(s, r) o ES_n((theta - work) / (s c))``.
* GAP (3.13) takes the end of the *job* numbered like the machine for the end of the machine: two jobs may run at once.
* CLOSE (3.16) copies what follows the gap up to the moment ``t`` of the first split job's return, and with it the head
  of that job's rest when it is nearer than the gap is long; the head is done twice. Repaired: only ``[s, t)`` moves.
* POST (3.17) is ``RP_n(0, L) o CLOSE(r, s) o ES_n(inf) o GAP_n(r, s)``. At ``r = E_n`` GAP moves nothing, ES goes on at
  once and deletes every later job. Repaired: the rest is appended at ``max(s, end of the machine)`` and nobody else
  moves; for ``s`` late enough this is ``CLOSE(r, r + x) o GAP_n(r, s) o ES_n(x)`` with ``x`` the length of the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from types import MappingProxyType
from typing import Any, Final

from consortium.scheduling.allocations import Allocation
from consortium.scheduling.clusters import Cluster
from consortium.support.exact import INF, Extended, Rational

from .work import WorkAllocation, WorkFunction

FULL = Fraction(1)


@dataclass(frozen=True)
class Status:
    """Work functions and output times (definition 3.5)."""

    work: WorkAllocation
    outputs: tuple[Extended, ...]

    @classmethod
    def start(cls, allocation: Allocation, cluster: Cluster, lengths: Sequence[Rational]) -> Status:
        """The static status: the efficient schedule of these lengths, every output at the end of its job."""
        work = WorkAllocation.run(allocation, cluster, lengths)
        return cls(work, work.ends)

    def end(self, job: int) -> Extended:
        """Ending time of a job under this status."""
        return self.work.functions[job].end

    def machine_end(self, machine: int) -> Extended:
        """Last moment of work on a machine."""
        return max((self.end(n) for n in self.work.jobs_on(machine)), default=Fraction(0))

    def _with(self, changed: Mapping[int, WorkFunction], raise_outputs: bool = True) -> Status:
        functions = tuple(changed.get(n, f) for n, f in enumerate(self.work.functions))
        outputs = self.outputs
        if raise_outputs:
            outputs = tuple(max(f.end, t) for f, t in zip(functions, outputs, strict=True))
        return Status(WorkAllocation(self.work.cluster, self.work.machine_of, functions), outputs)


def extended_stay(status: Status, job: int, amount: Extended | int) -> Status:
    """``ES_n(r)``, definition 3.11: ``job`` keeps its last share for ``amount`` more units of time.

    What the other jobs of its machine would do from its end on is done ``amount`` later, with an infinite amount
    never. An output moves later when its job now ends later.
    """
    own = status.work.functions[job]
    _, end, share = own.pieces[-1]
    if end == INF:
        return status
    changed = {job: own.then(WorkFunction.of([(Fraction(end), end + amount, share)]))}
    for n in status.work.jobs_on(status.work.machine_of[job]):
        if n != job:
            f = status.work.functions[n]
            later = WorkFunction() if amount == INF else f.between(Fraction(end), INF).moved(Fraction(amount))
            changed[n] = f.between(0, end).then(later)
    return status._with(changed)


def reduced_power(status: Status, job: int, share: Rational, time: Extended | int) -> Status:
    """``RP_n(s, r)``, definition 3.12: ``share`` times its share from ``time`` on; output times stay."""
    if time == INF:
        return status
    f = status.work.functions[job]
    return status._with(
        {job: f.between(0, time).then(f.between(Fraction(time), INF).times(share))}, raise_outputs=False
    )


def gap(status: Status, job: int, time: Rational, release: Rational, *, printed: bool = False) -> Status:
    """``GAP_n(r, s)``, definition 3.13: the rest of ``job`` from ``time`` on moves behind everything on its machine.

    It starts at ``release`` or at the last moment of work on the machine, whichever is later.
    """
    f, machine = status.work.functions[job], status.work.machine_of[job]
    free = status.end(machine) if printed and machine < len(status.outputs) else status.machine_end(machine)
    restart = max(free, Fraction(release))
    rest = f.between(time, INF).moved(Fraction(restart) - Fraction(time))
    return status._with({job: f.between(0, time).then(rest)})


def renice(
    status: Status, job: int, share: Rational, time: Rational, theta: Rational, *, printed: bool = False
) -> Status:
    """``RN_n(s, r, theta)``, definition 3.14: at ``share`` from ``time``, its planned end, until ``theta`` is done.

    It is alone on its machine, and the jobs behind it start when it has ended. ``share`` lies in (0, 1].
    """
    if printed:
        return _until_done(extended_stay(reduced_power(status, job, share, time), job, INF), job, theta)
    missing = Fraction(theta) - status.work.work(job, time)
    power = status.work.cluster.powers[status.work.machine_of[job]]
    return reduced_power(extended_stay(status, job, missing / (share * power)), job, share, time)


def close(status: Status, machine: int, time: Rational, until: Rational, *, printed: bool = False) -> Status:
    """``CLOSE_m(r, s)``, definition 3.16: close the idle interval from ``time`` to ``until``; output times stay.

    What follows moves earlier by the length of the interval, but nothing from the first return of a split job on.
    """
    return _close(status, machine, Fraction(time), Fraction(until), printed)


def postpone(
    status: Status, job: int, time: Rational, release: Rational, theta: Rational, *, printed: bool = False
) -> Status:
    """``POST_n(r, s, theta)``, definition 3.17: stop at ``time``, do the rest of ``theta`` behind everybody.

    The rest starts at ``release`` or at the last moment of work on the machine, whichever is later. Everybody
    else's work and output stay; the rest runs at full share.
    """
    machine = status.work.machine_of[job]
    if printed:
        extended = extended_stay(gap(status, job, time, release), job, INF)
        return _until_done(_close(extended, machine, Fraction(time), Fraction(release), True), job, theta)
    head = status.work.functions[job].between(0, time)
    stopped = status._with({job: head}, raise_outputs=False)
    restart = max(stopped.machine_end(machine), Fraction(release))
    power = status.work.cluster.powers[machine]
    missing = (Fraction(theta) - status.work.work(job, time)) / power
    return stopped._with({job: head.then(WorkFunction.of([(Fraction(restart), restart + missing, FULL)]))})


def early(status: Status, job: int) -> Status:
    """``EARLY_n``, definition 3.18: the output is released at the job's end, which is when it terminates."""
    return Status(status.work, tuple(status.end(n) if n == job else t for n, t in enumerate(status.outputs)))


def kill(status: Status, job: int, time: Extended | int) -> Status:
    """The job does nothing from ``time`` on and never gets its output; everybody else's plan stays."""
    stopped = reduced_power(status, job, 0, time)
    return Status(stopped.work, tuple(INF if n == job else t for n, t in enumerate(status.outputs)))


def _until_done(status: Status, job: int, theta: Rational) -> Status:
    """``RP_n(0, L)``, with ``L`` the moment at which the work is done; output times stay, infinite ones as well."""
    power = status.work.cluster.powers[status.work.machine_of[job]]
    return reduced_power(status, job, 0, status.work.functions[job].reaches(Fraction(theta) / power))


def _close(status: Status, machine: int, time: Fraction, until: Fraction, printed: bool) -> Status:
    back = first_split_return(status, machine)
    width = until - time
    changed = {}
    for n in status.work.jobs_on(machine):
        f = status.work.functions[n]
        stop = back + width if printed and back != INF else back  # printed: X(t + s - r) is copied for all t < back
        parts = [f.between(until, max(until, stop)).moved(-width)]
        if back != INF:
            parts.append(f.between(max(time, Fraction(back)), INF))
        changed[n] = f.between(0, time).then(*parts)
    return status._with(changed, raise_outputs=False)


def first_split_return(status: Status, machine: int) -> Extended:
    """First moment at which a split job of the machine runs again (definition 3.16); ``inf`` without a split job."""
    returns: list[Extended] = [INF]
    for n in status.work.jobs_on(machine):
        pieces = status.work.functions[n].pieces
        if all(a[1] == b[0] for a, b in pairwise(pieces)):
            continue  # in one piece, at whatever shares: not split
        for before, after in pairwise(pieces):
            if before[2] < 1:
                returns.append(before[0])
            elif after[2] < 1 or before[1] < after[0]:
                returns.append(after[0])
    return min(returns)


Operator = Callable[..., Status]
OPERATORS: Final[Mapping[str, Operator]] = MappingProxyType(
    {
        "ES": extended_stay,
        "RP": reduced_power,
        "GAP": gap,
        "RN": renice,
        "CLOSE": close,
        "POST": postpone,
        "EARLY": early,
        "KILL": kill,
    }
)


def _letter(operator: Operator) -> Operator:
    def read_to_the_letter(*arguments: Any, **named: Any) -> Status:
        return operator(*arguments, **named, printed=True)

    return read_to_the_letter


PRINTED: Final[Mapping[str, Operator]] = MappingProxyType(
    {name: _letter(OPERATORS[name]) for name in ("GAP", "RN", "CLOSE", "POST")}
)
"""The four definitions read to the letter, under the same names."""
