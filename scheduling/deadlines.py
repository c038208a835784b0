r"""Deadlines that a schedule on related machines can meet: an exact condition, necessary and sufficient.

Model: all jobs are there from moment 0, and job ``j`` has to be done by its deadline. A machine of power ``c`` does
``c`` units of work per unit of time. Jobs may be interrupted and moved, and machines divide their time at will; no job
runs on two machines at once. So whatever scheduler keeps the deadlines keeps them in this model, the freest one.

Within a span of time ``k`` jobs have no more than the ``k`` fastest machines. So of a set of jobs at most

    ``c_1 d_[1] + c_2 d_[2] + ...``

work is done in time, ``c`` being the powers and ``d`` the jobs' deadlines, both the largest first. A schedule meets all
deadlines exactly where no set of jobs has more work than that [FG86]_: what a span can give to whom is a polymatroid,
and so is the sum over spans. With one common deadline it is the condition of [HLS77]_ and [GS78]_.

>>> one, two = (Fraction(1),), (Fraction(1), Fraction(2))
>>> too_much(one, (Fraction(2), Fraction(2)), (Fraction(2), Fraction(4))) is None
True
>>> too_much(one, (Fraction(2), Fraction(2)), (Fraction(2), Fraction(3)))
((0, 1), Fraction(4, 1), Fraction(3, 1))
>>> too_much(two, (Fraction(3),), (Fraction(1),))
((0,), Fraction(3, 1), Fraction(2, 1))

References
----------
.. [FG86] A. Federgruen, H. Groenevelt, "Preemptive scheduling of uniform machines by ordinary network flow techniques",
   Management Science 32, 1986.
.. [GS78] T. Gonzalez, S. Sahni, "Preemptive scheduling of uniform processor systems", Journal of the ACM 25, 1978.
.. [HLS77] E. Horvath, S. Lam, R. Sethi, "A level algorithm for preemptive scheduling", Journal of the ACM 24, 1977.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from ..support.exact import Extended


def too_much(
    powers: Sequence[Fraction], lengths: Sequence[Fraction], deadlines: Sequence[Extended | None]
) -> tuple[tuple[int, ...], Fraction, Fraction] | None:
    """Jobs that cannot all be done by their deadlines: a set most overdue, its work and what can be done of it in time.

    None where a schedule meets all deadlines. A deadline that is infinite or None is none. Ties go to a smaller set.
    """
    fastest = sorted(powers, reverse=True)
    timed = [(d, -j) for j, d in enumerate(deadlines) if isinstance(d, Fraction)]
    best: list[tuple[Fraction, tuple[int, ...]]] = [(Fraction(0), ())]  # by size, at most all machines: excess and jobs
    for deadline, minus in sorted(timed, reverse=True):
        for k, (excess, jobs) in enumerate(best.copy()):
            rank = min(k, len(fastest) - 1)
            longer = excess + lengths[-minus] - (fastest[k] * deadline if k == rank else 0), (*jobs, -minus)
            if rank + 1 == len(best):
                best.append(longer)
            elif longer[0] > best[rank + 1][0]:
                best[rank + 1] = longer
    excess, jobs = max(best, key=lambda one: one[0])
    if not jobs:
        return None
    work = sum((lengths[j] for j in jobs), Fraction(0))
    return tuple(sorted(jobs)), work, work - excess
