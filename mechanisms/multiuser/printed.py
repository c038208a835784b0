r"""Latest starting time as the thesis words it, kept for comparison; it is not optimal.

Model: as in :mod:`.latest`. Wording (Cordeiro 2012, proof of Proposition 6.6): every block goes to its latest
possible slot, the jobs of the total-completion user go shortest first to the first idle time where they fit, and the
schedule is then compacted. The slots depend on the order in which blocks are placed, which the thesis leaves open;
here blocks are placed by non-increasing threshold, each ending at the smaller of its threshold and the start of the
earliest block placed so far, because other orders find no slot in feasible cases ({1} due at 2, then {2} due at 3).

The latest slots are the latest starts of the repaired rule; the one difference is that room left in a gap is lost
here and serves later gaps there. With one block this is right. With two or more it wastes gaps that no job fits
although blocks could move left and pool them, so Proposition 6.6 does not hold for it: blocks {1} due 2 and {H} due
H+3 with a single job of length 2 give H+3 instead of 3. Its answer is still Pareto-optimal, as every such
interleaving is on one machine: it is simply not the point that was asked for. Ties and thresholds as in
:func:`~consortium.mechanisms.multiuser.latest.lst`; a missing or larger threshold acts as the end of all work,
fractional ones are used as they are.

>>> shared = Community.of(("makespan", [1]), ("makespan", [1]), ("total-completion", [2]))
>>> lst_printed(shared, [2, 4, None]).point      # corrected: (1, 4, 3)
(1, 2, 4)
"""

from __future__ import annotations

from collections.abc import Sequence

from ...agents.users import Community
from ...support.exact import Rational
from .catalogue import Ties
from .earliest import deadlines
from .latest import LstKernel, check_lst
from .schedule import Outcome


def lst_printed(shared: Community, thresholds: Sequence[Rational | str | None], ties: Ties = "index") -> Outcome:
    """Latest slots, first fit, compaction: the printed wording.

    Parameters and errors as for :func:`~consortium.mechanisms.multiuser.latest.lst`. ``point`` is ``None`` exactly
    when the thresholds cannot be met, but the total completion time may be larger than necessary, by any factor.
    """
    due = deadlines(shared, thresholds)
    check_lst(shared, due, "lst-printed")
    kernel = LstKernel(shared, ties, pooled=False)
    return kernel.outcome([due[u] for u in shared.makespan_users], "lst-printed")
