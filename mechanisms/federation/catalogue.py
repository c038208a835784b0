"""The rules of the family, by name: what each uses, promises and must not have.

Claims (each has a check in :mod:`.claims`), all for the rule's own options:

- ``no-job-delayed``: no job ends later than in the local schedule of the rule's own order;
- ``local-constraint``: ``C^(k) <= C_local^(k)`` against that schedule;
- ``selfishness-restriction``: in the strict reading;
- ``approximation-ratio``: ``C_max <= rho OPT``, ``rho = 2 - 1/M`` (heuristics), 3/2 (relaxed-2), 4/3 (relaxed-3);
- ``cooperation``: ``C^(k) <= alpha C_local^(k)`` with the rule's ``alpha``;
- ``tomos-ratio``: ``C_max <= C sum_{l<N} alpha^-l`` for the makespan ``C`` of the given schedule;
- ``constraints-met``: the constraints asked for hold;
- ``approximate-equilibrium``: nobody can gain a factor above 3/2 (``lpt``), 2 (``listed``), with the list solvers;
- ``own-jobs-first``: on every machine, jobs of its owner run before foreign ones.

Refuted: ``lpt-local-constraint`` and ``spt-local-total-constraint`` fix the local schedule instead of taking the
rule's own; ``exact-equilibrium`` is Theorem 5.6 for an exact solver; ``pure-equilibrium`` is Corollary 5.7.
"""

from ..registry import RuleInfo

JUDGED_BY = frozenset({"reference", "selfishness"})
"""Options that every rule takes: how its schedule is judged, not how it is made."""

PRIORITIES = ("organizations", "jobs")
JOB_ORDERS = ("longest", "shortest", "listed", "given")
OBJECTIVES = ("makespan", "total-completion")
LOCAL_ORDERS = ("lpt", "spt", "listed")
CONSTRAINTS = ("local", "local-total", "selfish")
READINGS = ("strict", "printed")
SOLVERS = ("lpt", "listed", "exact")
KEEPS = ("load", "count")
ONE_MACHINE = frozenset({"relaxed-2", "relaxed-2-printed", "relaxed-3", "priority-equilibrium"})
"""Rules that need one machine per organization."""

_HEURISTIC = frozenset({"no-job-delayed", "local-constraint", "selfishness-restriction", "approximation-ratio"})
_RELAXED = frozenset({"cooperation", "approximation-ratio"})

RULES: tuple[RuleInfo, ...] = (
    RuleInfo(
        id="coordination",
        summary="my jobs first, then foreign jobs by priority: the placement game",
        source="Cordeiro 2012, 5.1",
        options=JUDGED_BY | {"priority", "order", "objective"},
        claims=frozenset({"own-jobs-first"}),
        refuted={"pure-equilibrium": "cordeiro2012/corollary-5.7"},
        factory=".mechanisms.federation.coordination:Coordination",
    ),
    RuleInfo(
        id="local",
        summary="every organization alone on its own machines",
        source="Cordeiro 2012, 3.1",
        options=JUDGED_BY | {"local_order"},
        claims=_HEURISTIC - {"approximation-ratio"},
        factory=".mechanisms.federation.local:Local",
    ),
    RuleInfo(
        id="ilba",
        summary="organizations enter by local makespan and insert their lists on the machines free first",
        source="Cordeiro 2012, 3.3",
        options=JUDGED_BY | {"local_order"},
        claims=_HEURISTIC,
        refuted={"spt-local-total-constraint": "cordeiro2012/local-total-lpt-lpt"},
        factory=".mechanisms.federation.ilba:Ilba",
    ),
    RuleInfo(
        id="lpt-lpt",
        summary="own jobs longest first; idle machines pull the longest job of all",
        source="Cordeiro 2012, 3.3",
        options=JUDGED_BY,
        claims=_HEURISTIC,
        refuted={"spt-local-total-constraint": "cordeiro2012/local-total-lpt-lpt"},
        factory=".mechanisms.federation.pulling:LptLpt",
    ),
    RuleInfo(
        id="spt-lpt",
        summary="own jobs shortest first; idle machines pull the longest job of all",
        source="Cordeiro 2012, 3.3",
        options=JUDGED_BY,
        claims=_HEURISTIC,
        refuted={"lpt-local-constraint": "cordeiro2012/local-constraint-spt-lpt"},
        factory=".mechanisms.federation.pulling:SptLpt",
    ),
    RuleInfo(
        id="less-helped-first",
        summary="own jobs in local order; idle machines pull from the organization helped least",
        source="Cordeiro 2012, 3.3",
        options=JUDGED_BY | {"local_order"},
        claims=_HEURISTIC,
        refuted={"lpt-local-constraint": "cordeiro2012/local-constraint-less-helped-first"},
        factory=".mechanisms.federation.pulling:LessHelpedFirst",
    ),
    RuleInfo(
        id="relaxed-2",
        summary="Algorithm 1 repaired: (2; 3/2)",
        source="Cordeiro 2012, 4.3",
        options=JUDGED_BY,
        claims=_RELAXED,
        factory=".mechanisms.federation.relaxed:Relaxed2",
    ),
    RuleInfo(
        id="relaxed-2-printed",
        summary="Algorithm 1 as printed",
        source="Cordeiro 2012, 4.3",
        options=JUDGED_BY,
        claims=frozenset({"cooperation"}),
        refuted={"approximation-ratio": "cordeiro2012/theorem-4.5"},
        factory=".mechanisms.federation.relaxed:RelaxedPrinted2",
    ),
    RuleInfo(
        id="relaxed-3",
        summary="Algorithm 2: (3; 4/3)",
        source="Cordeiro 2012, 4.3",
        options=JUDGED_BY,
        claims=_RELAXED,
        factory=".mechanisms.federation.relaxed3:Relaxed3",
    ),
    RuleInfo(
        id="tomos",
        summary="make a given schedule respect a degree of cooperation",
        source="Cordeiro 2012, 4.1",
        options=JUDGED_BY | {"cooperation", "base"},
        claims=frozenset({"cooperation", "tomos-ratio"}),
        factory=".mechanisms.federation.tomos:Tomos",
    ),
    RuleInfo(
        id="priority-equilibrium",
        summary="reschedule organizations one by one, the highest priority first",
        source="Cordeiro 2012, 5.3",
        options=JUDGED_BY | {"order", "solver", "keep"},
        claims=frozenset({"approximate-equilibrium"}),
        refuted={"exact-equilibrium": "cordeiro2012/theorem-5.6"},
        factory=".mechanisms.federation.priority_equilibrium:PriorityEquilibrium",
    ),
    RuleInfo(
        id="optimal",
        summary="least makespan under the local, local-total and selfish constraints, with proof",
        source="Cordeiro 2012, 3.1 and 4.1",
        options=JUDGED_BY | {"constraints", "cooperation"},
        claims=frozenset({"constraints-met"}),
        factory=".mechanisms.federation.optimal:Optimal",
    ),
)

BASES = tuple(rule.id for rule in RULES if rule.id not in ("coordination", "tomos"))
"""Rules that can make the schedule that ToMoS starts from, each with its default options."""
