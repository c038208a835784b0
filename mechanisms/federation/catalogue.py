"""The rules of the family, by name: what each uses, promises and must not have.

Claims (:data:`CLAIMS`) are for the rule's own options; each has a check in :mod:`.claims`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from ..kinds import RuleInfo

JUDGED_BY = frozenset({"reference", "selfishness"})
"""Options that every rule takes: how its schedule is judged, not how it is made."""

CLAIMS: Final[Mapping[str, str]] = {
    "no-job-delayed": "no job ends later than in the local schedule of the rule's own order",
    "local-constraint": "C^(k) <= C_local^(k) against that schedule: no organization's makespan grows",
    "selfishness-restriction": "nobody's jobs wait for foreign jobs on her own machines, in the strict reading",
    "approximation-ratio": "C_max <= rho OPT, rho = 2 - 1/M (heuristics; less with one machine each and lists "
    "longest first), 3/2 (relaxed-2) or 4/3 (relaxed-3)",
    "cooperation": "C^(k) <= alpha C_local^(k) with the rule's alpha",
    "tomos-ratio": "C_max <= C (1 + 1/alpha + ... + alpha^-(N-1)) for the makespan C of the given schedule",
    "constraints-met": "the constraints asked for hold",
    "approximate-equilibrium": "nobody can gain a factor above 3/2 (lpt) or 2 (listed), with the list solvers",
    "own-jobs-first": "on every machine, jobs of its owner run before foreign ones",
    "lpt-local-constraint": "the local constraint against the longest-first local schedule",
    "spt-local-total-constraint": "nobody's total completion time is above that of shortest first at home",
    "exact-equilibrium": "with an exact solver nobody can gain at all (Theorem 5.6)",
    "pure-equilibrium": "the game always has a pure equilibrium (Corollary 5.7)",
}
"""Every claim that a rule makes or must not make, in words."""

PRIORITIES: Final[Mapping[str, str]] = {
    "organizations": "by owner, as order lists them",
    "jobs": "job by job, as order says",
}
"""Who comes first among the foreign jobs on a machine."""
JOB_ORDERS: Final[Mapping[str, str]] = {
    "longest": "long jobs first",
    "shortest": "short jobs first",
    "listed": "as in the file, organization after organization",
    "given": "by the priority that every job carries, 1 first",
}
OBJECTIVES: Final[Mapping[str, str]] = {
    "makespan": "the end of the own last job; the social cost is the largest of them",
    "total-completion": "the sum of the ends of the own jobs, which run shortest first; the social cost is the sum",
}
LOCAL_ORDERS: Final[Mapping[str, str]] = {"lpt": "longest first", "spt": "shortest first", "listed": "as in the file"}
CONSTRAINTS: Final[Mapping[str, str]] = {
    "local": "nobody's makespan is larger than alone (times cooperation)",
    "local-total": "nobody's total completion time is larger than alone (times cooperation)",
    "selfish": "nobody's jobs wait for foreign jobs on her own machines",
}
READINGS: Final[Mapping[str, str]] = {
    "strict": "every own job starts at the latest when some own machine first does not run own jobs",
    "printed": "to the letter of the thesis, which ignores idle time before a foreign job",
}
SOLVERS: Final[Mapping[str, str]] = {
    "lpt": "list scheduling, longest job first",
    "listed": "list scheduling, jobs as listed",
    "exact": "a placement that nothing improves",
}
KEEPS: Final[Mapping[str, str]] = {"load": "the most load at home", "count": "the most jobs at home"}
"""What the exact solver prefers among optimal placements; then the lexicographically smallest."""
ONE_MACHINE = frozenset({"relaxed-2", "relaxed-2-printed", "relaxed-3", "priority-equilibrium"})
"""Rules that need one machine per organization."""

_HEURISTIC = frozenset({"no-job-delayed", "local-constraint", "selfishness-restriction", "approximation-ratio"})
_RELAXED = frozenset({"cooperation", "approximation-ratio"})

_LISTS_RATIO: Final = (
    "Section 3.3: at most 2 - 1/M optima, and nobody's job is delayed. With one machine each and lists longest "
    "first exactly 4/3 for N = 2 and 2 - 1/(N - 1) for more organizations."
)

RULES: tuple[RuleInfo, ...] = (
    RuleInfo(
        id="coordination",
        summary="my jobs first, then foreign jobs by priority: the placement game",
        source="Cordeiro 2012, 5.1",
        options=JUDGED_BY | {"priority", "order", "objective"},
        claims=frozenset({"own-jobs-first"}),
        refuted={"pure-equilibrium": "cordeiro2012/corollary-5.7"},
        details=(
            "Every organization says where each of its jobs runs. A machine runs its owner's jobs first, "
            "longest first (shortest first for total-completion), then foreign ones by priority, as a list "
            "schedule."
        ),
        theorem=(
            "Theorem 5.8: with makespans and one machine each, an equilibrium costs at most 2 - 1/N optima. Sharp, "
            "and attained, is 4/3 for N = 2 and 2 - 1/(N - 1) for more. Corollary 5.7 promises an equilibrium; it "
            "fails from N = 4 on, and holds for two and three organizations."
        ),
        factory=".mechanisms.federation.coordination:Coordination",
    ),
    RuleInfo(
        id="local",
        summary="every organization alone on its own machines",
        source="Cordeiro 2012, 3.1",
        options=JUDGED_BY | {"local_order"},
        claims=_HEURISTIC - {"approximation-ratio"},
        details=(
            "Nobody shares: a list schedule of the own jobs, in the local order, on the own machines. What all "
            "others are judged against."
        ),
        factory=".mechanisms.federation.schedule:Local",
    ),
    RuleInfo(
        id="ilba",
        summary="organizations enter by local makespan and insert their lists on the machines free first",
        source="Cordeiro 2012, 3.3",
        options=JUDGED_BY | {"local_order"},
        claims=_HEURISTIC,
        refuted={"spt-local-total-constraint": "cordeiro2012/local-total-lpt-lpt"},
        details=(
            "Organizations enter by increasing local makespan. Each takes off its jobs and puts them back in "
            "local order, each on the machine that is free first among those of all who have entered; on ties "
            "the own machine, then who entered first."
        ),
        theorem=_LISTS_RATIO,
        factory=".mechanisms.federation.heuristics:Ilba",
    ),
    RuleInfo(
        id="lpt-lpt",
        summary="own jobs longest first; idle machines pull the longest job of all",
        source="Cordeiro 2012, 3.3",
        options=JUDGED_BY,
        claims=_HEURISTIC,
        refuted={"spt-local-total-constraint": "cordeiro2012/local-total-lpt-lpt"},
        details=(
            "Whenever machines are free, each first takes the longest waiting job of its owner; those still "
            "free pull the longest waiting job of all. Ties go to the smallest organization, then job."
        ),
        theorem=(
            "Section 3.3: at most 2 - 1/M optima, and nobody's job is delayed. With one machine each "
            "exactly 4/3 for N = 2 and 2 - 1/(N - 1) for more organizations."
        ),
        factory=".mechanisms.federation.heuristics:LptLpt",
    ),
    RuleInfo(
        id="spt-lpt",
        summary="own jobs shortest first; idle machines pull the longest job of all",
        source="Cordeiro 2012, 3.3",
        options=JUDGED_BY,
        claims=_HEURISTIC,
        refuted={"lpt-local-constraint": "cordeiro2012/local-constraint-spt-lpt"},
        details="As lpt-lpt, but each machine takes its owner's shortest job first.",
        theorem="Section 3.3: at most 2 - 1/M optima, attained with one machine each, and nobody's job is delayed.",
        factory=".mechanisms.federation.heuristics:SptLpt",
    ),
    RuleInfo(
        id="less-helped-first",
        summary="own jobs in local order; idle machines pull from the organization helped least",
        source="Cordeiro 2012, 3.3",
        options=JUDGED_BY | {"local_order"},
        claims=_HEURISTIC,
        refuted={"lpt-local-constraint": "cordeiro2012/local-constraint-less-helped-first"},
        details=(
            "As lpt-lpt, but owners' jobs run in local order, and machines still free pull the next job of the "
            "organization whose jobs got least foreign machine time so far."
        ),
        theorem=_LISTS_RATIO,
        factory=".mechanisms.federation.heuristics:LessHelpedFirst",
    ),
    RuleInfo(
        id="relaxed-2",
        summary="Algorithm 1 repaired: (2; 3/2)",
        source="Cordeiro 2012, 4.3",
        options=JUDGED_BY,
        claims=_RELAXED,
        details=(
            "A makespan is guessed and the guess refined; jobs are large or small against it, and organizations "
            "are grouped by what they can spare. One machine per organization."
        ),
        theorem="Theorem 4.5, repaired: nobody's makespan more than doubles, and all end within 3/2 optima.",
        factory=".mechanisms.federation.relaxed:Relaxed2",
    ),
    RuleInfo(
        id="relaxed-2-printed",
        summary="Algorithm 1 as printed",
        source="Cordeiro 2012, 4.3",
        options=JUDGED_BY,
        claims=frozenset({"cooperation"}),
        refuted={"approximation-ratio": "cordeiro2012/theorem-4.5"},
        details=(
            "The algorithm to the letter of the thesis, which gives some long jobs no machine of their own. One "
            "machine per organization."
        ),
        theorem="Theorem 4.5 promises 3/2 optima; it fails.",
        factory=".mechanisms.federation.relaxed:RelaxedPrinted2",
    ),
    RuleInfo(
        id="relaxed-3",
        summary="Algorithm 2: (3; 4/3)",
        source="Cordeiro 2012, 4.3",
        options=JUDGED_BY,
        claims=_RELAXED,
        details="As relaxed-2, with finer groups. One machine per organization.",
        theorem="Theorem 4.12: nobody's makespan more than triples, and all end within 4/3 optima.",
        factory=".mechanisms.federation.relaxed:Relaxed3",
    ),
    RuleInfo(
        id="tomos",
        summary="make a given schedule respect a degree of cooperation",
        source="Cordeiro 2012, 4.1",
        options=JUDGED_BY | {"cooperation", "base"},
        claims=frozenset({"cooperation", "tomos-ratio"}),
        details=(
            "Takes the schedule that base makes and lets the organizations with the shortest local schedules "
            "run alone first, until the delay of the others stays within cooperation times their local "
            "makespans."
        ),
        theorem="Section 4.1: C_max grows at most by the factor 1 + 1/alpha + ... + alpha^-(N-1).",
        factory=".mechanisms.federation.relaxed:Tomos",
    ),
    RuleInfo(
        id="priority-equilibrium",
        summary="reschedule organizations one by one, the highest priority first",
        source="Cordeiro 2012, 5.3",
        options=JUDGED_BY | {"order", "solver", "keep"},
        claims=frozenset({"approximate-equilibrium"}),
        refuted={"exact-equilibrium": "cordeiro2012/theorem-5.6"},
        details=(
            "Starts with everybody at home; then, the highest priority first, each organization reschedules its "
            "own jobs once by the solver, on what those before it left. One machine per organization."
        ),
        theorem=(
            "Theorem 5.6: a rho-approximate equilibrium for a list solver of ratio rho; for an exact solver it fails."
        ),
        factory=".mechanisms.federation.priority_equilibrium:PriorityEquilibrium",
    ),
    RuleInfo(
        id="optimal",
        summary="least makespan under the local, local-total and selfish constraints, with proof",
        source="Cordeiro 2012, 3.1 and 4.1",
        options=JUDGED_BY | {"constraints", "cooperation"},
        claims=frozenset({"constraints-met"}),
        details=(
            "The least makespan of all schedules that meet the constraints asked for, with a proof that there "
            "is no less."
        ),
        factory=".mechanisms.federation.optimal:Optimal",
    ),
)

CHECKED: Final = {"ilba": "IterativeLoadBalancing"} | dict.fromkeys(
    ["lpt-lpt", "spt-lpt", "less-helped-first"], "CentralRules"
)
"""By rule the file of ``theorems/`` in which Coq has checked its approximation ratio for one machine each."""


def evidence(rule: str, claim: str) -> tuple[str, str]:
    """How a claim of a rule is known, and for what."""
    checked = CHECKED.get(rule) if claim == "approximation-ratio" else None
    return "tested", "generated instances" + (f"; one machine each: Coq, {checked}" if checked else "")


BASES: Final = {rule.id: rule.summary for rule in RULES if rule.id not in ("coordination", "tomos")}
"""Rules that can make the schedule that ToMoS starts from, each with its default options."""
