"""The rules for users who share machines that nobody owns: names, options and claims, without their code.

The claims (:data:`CLAIMS`) are checked on generated communities by the contract tests.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, TypeAlias

from ...agents.users import Objective
from ..kinds import RuleInfo

Ties: TypeAlias = Literal["index", "work"]
Local: TypeAlias = Literal["lpt", "list", "exact"]
Norm: TypeAlias = int | Literal["max", "mean", "geometric"]
Values: TypeAlias = Literal["average", "sum"]
Reference: TypeAlias = Literal["none", "zenith", "nadir"]

CLAIMS: Final[Mapping[str, str]] = {
    "meets-thresholds": "a point respects every threshold, and there is none only if no schedule does",
    "pareto-optimal": "no schedule's point dominates the answer",
    "smallest-total": "no schedule that meets the thresholds has a smaller total completion time",
    "zenith-ratio": "nobody exceeds the proved factor over her value alone",
    "fairest": "no schedule has a smaller fairness key",
    "proves-optimum": "whenever the answer is called proved, no schedule has a smaller fairness key",
}
"""Every claim that a rule makes or must not make, in words."""

TIES: Final[Mapping[Ties, str]] = {
    "index": "as the users are listed",
    "work": "the smaller total work first, then as listed",
}
LOCALS: Final[Mapping[Local, str]] = {
    "lpt": "list scheduling, longest first (ratio 4/3 - 1/(3m))",
    "list": "list scheduling, as listed (ratio 2 - 1/m)",
    "exact": "optimal (ratio 1)",
}
NORMS: Final[Mapping[Literal["max", "mean", "geometric"], str]] = {
    "max": "the largest value",
    "mean": "the mean",
    "geometric": "the geometric mean",
}
VALUES: Final[Mapping[Values, str]] = {
    "average": "by the average completion time of her jobs",
    "sum": "by the sum of their completion times",
}
REFERENCES: Final[Mapping[Reference, str]] = {
    "none": "values as they are",
    "zenith": "each divided by the best the user could have alone",
    "nadir": "each divided by a bound on the worst that can happen to the user",
}
MAX_NORM: Final = 1000
NOT_MONOTONE: Final[Mapping[str, str]] = {
    "jain": "from (1, 2, 2) to (1, 1, 2) nobody is worse off, yet Jain's index falls from 25/27 to 8/9",
    "min-max": "from (2, 2, 2) to (1, 2, 2) nobody is worse off, yet the min-max ratio falls from 1 to 1/2",
    "variance": "from (1, 2, 3) to (1, 1, 3) nobody is worse off, yet the variance rises from 1 to 4/3",
}
"""Metrics that may not be optimised, each with the step that shows why."""


RULES: tuple[RuleInfo, ...] = (
    RuleInfo(
        id="edf",
        summary="earliest deadline first: a schedule within everybody's threshold",
        source="Cordeiro 2012, Proposition 6.5 and Theorem 6.7",
        options=frozenset({"thresholds", "ties"}),
        claims=frozenset({"meets-thresholds", "pareto-optimal"}),
        details=(
            "Users end to end, the smallest threshold first. On several machines jobs by their user's threshold "
            "go to the machine with least load, and the answer is only claimed within a factor. All users "
            "minimise makespan."
        ),
        theorem=(
            "Proposition 6.5: finds a schedule within all thresholds if there is one (one machine). Theorem "
            "6.7: within 2 - 1/m of them (m machines)."
        ),
        factory=".mechanisms.multiuser:edf",
    ),
    RuleInfo(
        id="lst",
        summary="latest starting time, corrected: the smallest total completion within the others' thresholds",
        source="Cordeiro 2012, Proposition 6.6, repaired",
        options=frozenset({"thresholds", "ties"}),
        claims=frozenset({"meets-thresholds", "pareto-optimal", "smallest-total"}),
        details=(
            "Built from the end: the block of a makespan user with a late enough threshold runs last, or else "
            "the longest job left of the total-completion user. One machine, one total-completion user beside "
            "makespan users."
        ),
        theorem="Proposition 6.6, with the corrected algorithm.",
        factory=".mechanisms.multiuser:lst",
    ),
    RuleInfo(
        id="lst-printed",
        summary="latest starting time as worded: latest slots, first fit, compaction",
        source="Cordeiro 2012, Proposition 6.6",
        options=frozenset({"thresholds", "ties"}),
        claims=frozenset({"meets-thresholds", "pareto-optimal"}),
        refuted={"smallest-total": "cordeiro2012/proposition-6.6-printed"},
        details=(
            "Blocks of makespan users at their latest slots, the other user's jobs shortest first in the gaps "
            "where they fit, then everything moved left. One machine, one total-completion user beside makespan "
            "users."
        ),
        theorem="Proposition 6.6 promises the smallest total; with two makespan users or more it fails.",
        factory=".mechanisms.multiuser:lst_printed",
    ),
    RuleInfo(
        id="multicmax",
        summary="makespan users end to end, shortest first: the i-th within i rho of her best",
        source="Cordeiro 2012, section 6.1 (Saule and Trystram 2009), reconstructed",
        options=frozenset({"local"}),
        claims=frozenset({"zenith-ratio"}),
        details=(
            "Each user's jobs are packed alone by local; users follow each other by increasing makespan alone. "
            "All users minimise makespan."
        ),
        theorem="Each user within i rho of her best, i her place in that order and rho the ratio of local.",
        factory=".mechanisms.multiuser:multicmax",
    ),
    RuleInfo(
        id="multisum",
        summary="total-completion users interleaved: everybody within k of her best",
        source="Cordeiro 2012, section 6.1 (Saule and Trystram 2009), reconstructed",
        claims=frozenset({"zenith-ratio"}),
        details=(
            "Each user's jobs are scheduled alone, shortest first; all jobs of a machine run by the completion "
            "times they have there. All users minimise total completion time."
        ),
        theorem="Each of k users within k of her best.",
        factory=".mechanisms.multiuser:multisum",
    ),
    RuleInfo(
        id="multimixed",
        summary="both kinds of users interleaved by virtual time, each within a proved factor of her best",
        source="Cordeiro 2012, section 6.1 (Saule and Trystram 2009), reconstructed",
        options=frozenset({"local", "improve"}),
        claims=frozenset({"zenith-ratio"}),
        details=(
            "Total-completion users as in multisum, makespan users end to end as in multicmax, and all jobs of "
            "a machine by these times scaled: virtual time."
        ),
        theorem=(
            "Of k users with k'' of makespan: total-completion users within k, the i-th makespan user within i "
            "rho k / k''."
        ),
        factory=".mechanisms.multiuser:multimixed",
    ),
    RuleInfo(
        id="pareto",
        summary="the Pareto set, exact, or approximated on a grid of ratio 1 + epsilon",
        source="Cordeiro 2012, sections 2.2, 6.1 and 6.2",
        options=frozenset({"epsilon", "ties"}),
        claims=frozenset({"pareto-optimal"}),
        details=(
            "Without epsilon every Pareto point, by dynamic programming over sets of jobs. With epsilon "
            "thresholds run over a geometric grid, and every Pareto point has an answer within the ratio; then "
            "makespan users and at most one total-completion user."
        ),
        theorem=(
            "Propositions 6.5 and 6.6, corrected: a (1; 1 + epsilon, ..., 1 + epsilon)-approximation, one machine."
        ),
        factory=".mechanisms.multiuser:pareto_front",
    ),
    RuleInfo(
        id="fairest",
        summary="the exact fairest point, by dynamic programming",
        source="after Cordeiro 2012, section 6.3",
        claims=frozenset({"fairest", "pareto-optimal"}),
        details="The point that [fairness] prefers to all others; on ties the lexicographically smallest.",
        factory=".mechanisms.multiuser:fairest",
    ),
    RuleInfo(
        id="refine",
        summary="refinement by hyperrectangles with a sound discard rule and a certified gap",
        source="Cordeiro 2012, section 6.3, repaired",
        options=frozenset({"levels", "ties"}),
        claims=frozenset({"proves-optimum"}),
        details=(
            "The box between zenith and nadir is cut finer level by level; a cell goes when even the best of it "
            "is not better than the best point known. Ends when nothing is left or the levels are over, with a "
            "certified gap. One machine with a total-completion user."
        ),
        theorem="Section 6.3, with a discard rule that is sound.",
        factory=".mechanisms.multiuser:refine",
    ),
    RuleInfo(
        id="refine-printed",
        summary="refinement with the printed discard rule and the printed LST; certifies nothing",
        source="Cordeiro 2012, section 6.3",
        options=frozenset({"levels", "ties"}),
        refuted={"fairest": "cordeiro2012/discard-rule-printed"},
        details="The same with the discard rule and the LST of the thesis; it may throw the fairest point away.",
        theorem="Section 6.3, to the letter.",
        factory=".mechanisms.multiuser:refine_printed",
    ),
)

FAIRNESS_RULES: frozenset[str] = frozenset({"fairest", "refine", "refine-printed"})
"""Rules that use ``[fairness]``; for the others fairness is reported only."""

ONE_OBJECTIVE: Final[Mapping[str, Objective]] = {
    "edf": "makespan",
    "multicmax": "makespan",
    "multisum": "total-completion",
}
"""Rules that exist for users of one objective only."""

TOTAL_NEEDED: Final = frozenset({"lst", "lst-printed"})
"""Rules that minimise the total of a total-completion user."""

CONSTRAINED: Final = TOTAL_NEEDED | {"refine", "refine-printed"}
"""Rules of one total-completion user at most beside makespan users, as is ``pareto`` with ``epsilon``."""

ALLOWED_NORMS: Final = "1, 2, 3, ..., 'max', 'mean' or 'geometric'"


def norm_refusal(norm: object) -> str | None:
    """Why a norm cannot be minimised, or ``None`` when it can (or when its name is not known at all).

    >>> norm_refusal("jain")[:48], norm_refusal("max")
    ('cannot be optimised, because it is not monotone:', None)
    """
    reason = NOT_MONOTONE.get(norm.replace("_", "-")) if isinstance(norm, str) else None
    if reason is None:
        return None
    return (
        f"cannot be optimised, because it is not monotone: {reason}. Its optimum may hurt everybody; it is "
        "reported with every result"
    )
