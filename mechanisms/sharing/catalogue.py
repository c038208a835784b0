"""Names, options and claims of the rules that share machines between organizations on line.

The claims (:data:`CLAIMS`) are checked on generated instances by the contract tests.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from ..kinds import RuleInfo

CLAIMS: Final[Mapping[str, str]] = {
    "greedy": "no machine is free while a released job waits",
    "first-in-first-out": "an organization's jobs start in the order of release, then as listed",
    "feasible": "no job starts before its release, no machine runs two jobs at once",
    "shares-the-whole-value": "contributions sum to the value of the grand coalition",
    "shares-the-simplified-value": "contributions sum to the value of the oldest-first schedule",
    "tally-equals-utility": "contributions are psi_sp of the work done on each organization's machines",
    "no-gain-by-splitting": "no organization gains by cutting a job into parts",
    "no-gain-by-delaying": "no organization gains by releasing a job later",
    "no-gain-by-padding": "no organization gains by making a job longer",
    "contributions-nonnegative": "nobody's contribution is below 0",
}
"""Every claim that a rule makes or must not make, in words."""

TIMINGS: Final[Mapping[str, str]] = {
    "next": "one unit of time after the decision, what just started included",
    "now": "at the moment of the decision, to which what just started adds nothing",
}
"""When a rule compares what organizations have with what they should have."""
MACHINE_ORDERS: Final[Mapping[str, str]] = {"random": "shuffled at every event (seeded)", "listed": "by number"}
"""In which order free machines are given away."""
PARALLEL: Final[Mapping[str, str]] = {
    "copies": "a job of several machines is that many sequential ones",
    "rigid": "it starts when its machines are free at once; the head of the queue waits, and all others behind it",
    "easy": "as rigid, but others may start before where that does not delay the head, as far as estimates say",
}
"""How jobs that take several machines are run, by the rules that are queues."""
SLURM: Final = ("fair-tree", "multifactor")
"""Rules that are run only where they are named: without a tree and weights they are fair-share and fifo."""
PRIORITY: Final[Mapping[str, int]] = {"age": 0, "max_age": 604_800, "fairshare": 0, "size": 0, "qos": 0, "max_qos": 1}
"""Options of multifactor that make a priority, and Slurm's defaults."""
WEIGHT_MAX: Final = 2**31 - 1
"""Largest weight of a factor of a priority."""
QOS_MAX: Final = 2**32 - 1
"""Largest priority of a QOS: with such a weight it stays in int64."""
REF_MAX: Final = 18
"""Largest number of organizations REF takes (262,143 coalitions)."""
PLAIN_REF_MAX: Final = 12
"""The same for other utilities than psi_sp, and for numbers beyond int64."""
MACHINES_MAX: Final = 2**31 - 1
"""Most machines of all organizations together: a machine's number and a moment share a word of a kernel."""
COPIES_MAX: Final = 2**25
"""Most sequential jobs that parallel ones may stand for; they take the 4 GiB of a run."""
HALF_LIFE_MAX: Final = 10**30
"""Longest half-life of past usage."""
SAMPLES_MAX: Final = 10**7
"""Most random orderings of rand (minutes of drawing)."""
ORDERINGS_MAX: Final = 1_000_000
"""Most orderings of an audit's sample, with a hundred times as many places in them."""

_FULL = "Skowron & Rzadca 2013"
_EVERY = frozenset({"greedy", "first-in-first-out", "feasible"})


def _rule(
    name: str,
    summary: str,
    source: str,
    options: tuple[str, ...] = (),
    claims: tuple[str, ...] = (),
    refuted: Mapping[str, str] | None = None,
    *,
    details: str,
    theorem: str = "",
    by: str = _FULL,
) -> RuleInfo:
    return RuleInfo(
        id=name,
        summary=summary,
        source=f"{by}, {source}",
        options=frozenset(options),
        claims=_EVERY | frozenset(claims),
        refuted=dict(refuted or {}),
        details=details,
        theorem=theorem,
        factory=".mechanisms.sharing.simulation:simulate",
    )


RULES: tuple[RuleInfo, ...] = (
    _rule(
        "ref",
        "serve whoever is furthest below its Shapley value",
        "Figures 1 and 3",
        ("timing", "utility"),
        ("shares-the-whole-value",),
        {
            "no-gain-by-splitting": "skowron-rzadca2013/split-that-gains",
            "no-gain-by-delaying": "skowron-rzadca2013/delay-that-gains",
            "no-gain-by-padding": "skowron-rzadca2013/padding-that-gains",
            "contributions-nonnegative": "skowron-rzadca2013/negative-contribution",
        },
        details=(
            "Every coalition of organizations keeps a schedule of its own; an organization's contribution is "
            "its Shapley value among their values. Each free machine goes to the organization furthest below "
            "its contribution, ties to the first listed."
        ),
        theorem="Theorem 3.3, corrected: the fairest greedy decision at every moment.",
    ),
    _rule(
        "rand",
        "REF with Shapley values sampled over orderings and simplified schedules",
        "Figure 6, corrected",
        ("timing", "samples", "orderings", "epsilon", "confidence"),
        ("shares-the-simplified-value",),
        details=(
            "As ref, with contributions averaged over random orderings of the organizations, and each "
            "coalition's schedule simplified to oldest job first. Without samples, orderings or epsilon: 15 "
            "orderings."
        ),
        theorem=(
            "Theorem 5.6: with unit jobs and enough orderings within epsilon of ref, with the confidence asked for."
        ),
    ),
    _rule(
        "direct-contribution",
        "serve whoever gave most machine time beyond what it received",
        "Figure 9, corrected",
        ("timing", "machine_order"),
        ("tally-equals-utility",),
        details=(
            "An organization's tally is what the jobs run on its machines are worth; each free machine goes to "
            "the organization whose tally is furthest above what its own jobs got."
        ),
    ),
    _rule(
        "direct-contribution-printed",
        "the same, to the letter of the figure",
        "Figure 9",
        ("machine_order",),
        details=("The figure word by word: tallies of jobs and machines are swapped, and a job counts from its start."),
    ),
    _rule(
        "round-robin",
        "organizations take turns",
        "section 7.1",
        ("parallel",),
        details=(
            "A pointer goes round the organizations, skips who has nothing waiting, and moves behind whoever is served."
        ),
    ),
    _rule(
        "fair-share",
        "smallest machine time used per share",
        "section 7.1",
        ("timing", "decay", "parallel"),
        details=(
            "Serves the smallest quotient of machine time used and machines owned; who owns none comes last. "
            "With decay, machine time counts half after each half-life."
        ),
    ),
    _rule(
        "utility-fair-share",
        "smallest utility per share",
        "section 7.1",
        ("timing", "decay", "parallel"),
        details=(
            "Serves the smallest quotient of psi_sp and machines owned; who owns none comes last. "
            "With decay, a unit part of work counts half after each half-life."
        ),
    ),
    _rule(
        "current-fair-share",
        "fewest running jobs per share",
        "section 7.1",
        ("parallel",),
        details="Serves the smallest quotient of jobs running and machines owned; who owns none comes last.",
    ),
    _rule(
        "fifo",
        "oldest waiting job first",
        "section 2 (any greedy algorithm)",
        ("parallel",),
        details="Serves the job that was released first, whoever's it is; ties go to the first listed.",
        theorem="Theorem 6.2: like any greedy rule, at least 3/4 of the best utilization.",
    ),
    _rule(
        "fair-tree",
        "Slurm's Fair Tree: smallest machine time used per share, account by account",
        "Fair Tree fairshare algorithm",
        ("timing", "decay", "parallel", "parents"),
        by="Slurm",
        details=(
            "Goes down the tree of accounts, at each level to the largest LevelFS at which somebody waits: the part "
            "of the machines over the part of the usage, both of what those of the account above have. Accounts that "
            "tie are opened together. Without parents it is fair-share."
        ),
    ),
    _rule(
        "multifactor",
        "Slurm's priority: age, fair share, size and QOS, weighed",
        "multifactor priority plugin",
        ("timing", "decay", "parallel", "parents", *PRIORITY),
        by="Slurm",
        details=(
            "Serves the largest sum of weights times factors from 0 to 1, each rounded down: age over max_age, fair "
            "share by Fair Tree, machines of the job over all machines, and the priority of its QOS over max_qos. Ties "
            "go to the job that waits longest. Without weights it is fifo."
        ),
    ),
)
