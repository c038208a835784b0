"""How much memory a run takes, said before it starts; what no ordinary memory holds is refused.

Model: the bytes of the arrays of a run, which grow with the jobs, with the jobs that can run at once in every schedule
that a rule keeps (at most its machines, at most its jobs), and for direct-contribution with the machines themselves,
because it draws one of them at random. ``--dry-run`` prints what a run refuses by.

>>> two = SharingInstance.of([10**9, 10**9], [[(0, 3)], [(0, 4)]])
>>> memory(two, "fifo") < 1000
True
>>> memory(SharingInstance.of([10**6], [[]]), "direct-contribution")
24000000
"""

from __future__ import annotations

from typing import Any, Final

from ...support.errors import TooLargeError
from ...support.units import memory_text
from .catalogue import PLAIN_REF_MAX, REF_MAX
from .instance import SharingInstance
from .orderings import ALL, ORDERINGS, count_orderings
from .powers import width
from .ranges import origin, ref_arithmetic, running_at_most
from .utilities import DEFAULT, UTILITIES

LIMIT: Final = 2**32
"""Most bytes that a run may take."""

WORD: Final = 8
PER_JOB: Final = 16 * WORD
"""Columns of the instance, of a kernel and of the schedule."""
PER_MACHINE: Final = 3 * WORD
"""Owner, user, and place in the list of the free, where a rule names machines."""
PER_SCHEDULE: Final = 16 * WORD
"""Books of one coalition, and of each of its members; in them, of REF, its potentials in a window of time."""


def memory(
    instance: SharingInstance,
    rule: str,
    *,
    until: int = 0,
    utility: str = DEFAULT,
    machine_order: str = "random",
    decay: int | None = None,
    **options: Any,
) -> int:
    """Bytes of a run, or TooLargeError beyond :data:`LIMIT` (and for too many organizations).

    ``options`` are the rule's others, as :func:`.simulation.simulate` takes them; of these only rand's number of
    orderings takes memory.
    """
    jobs, machines, k = instance.n_jobs, instance.n_machines, instance.n_organizations
    at_once, hint = WORD * min(machines, jobs), ""
    found = PER_JOB * jobs + at_once
    if rule == "ref":
        check_organizations(instance, until, utility)
        found += (k + 1) * PER_SCHEDULE * 2**k + WORD * int(running_at_most(instance).sum())
    elif rule == "rand":
        count = count_orderings(k, **{name: options.get(name) for name in ORDERINGS})
        schedules = 2**k if count == ALL else min(2**k, k * int(count))
        found += schedules * ((k + 1) * PER_SCHEDULE + at_once)
    elif decay is not None:
        found += 2 * WORD * k * width(int(decay), until - origin(instance, until), jobs)
    elif rule.startswith("direct"):
        listed = machine_order == "listed"
        found += PER_MACHINE * (min(machines, jobs) if listed else machines)
        hint = "" if listed else " (machine_order = 'listed' takes less)"
    if found > LIMIT:
        raise TooLargeError(
            f"{rule} would take {memory_text(found)} for {machines:,} machines and {jobs:,} jobs; "
            f"the limit is {memory_text(LIMIT)}{hint}"
        )
    return found


def check_organizations(instance: SharingInstance, until: int, utility: str) -> None:
    """TooLargeError for more organizations than REF takes with this utility and these numbers."""
    k = instance.n_organizations
    unlimited = UTILITIES[utility].kernel is None or (k <= REF_MAX and ref_arithmetic(instance, until) == "python")
    limit = PLAIN_REF_MAX if unlimited else REF_MAX
    if k > limit:
        raise TooLargeError(f"ref keeps a schedule for each of 2**k coalitions; found k = {k}, the limit is {limit}")
