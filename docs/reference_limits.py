"""Write the page of limits: what each method takes at most, read from the constants that the methods themselves use.

A new limit has to be told here: a test finds every constant of the package that is named like one, and wants it in
:data:`LIMITS` or, where no user meets it, in :data:`INSIDE`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from pieces import table

from consortium.support.loading import load


class Limit(NamedTuple):
    """One limit: theme and method, the constant behind it, of what, and what to do beyond it."""

    theme: str
    method: str
    constant: str
    of_what: str
    beyond: str


ANY, FED, DECL, USERS, POOL, FILES = "Any game", "Federation", "Declaration", "Multiuser", "Sharing", "Files and logs"
LIMITS = (
    Limit(ANY, "search by enumeration", "games.normal_form:MAX_BYTES", "bytes of the table of all profiles",
          "`max_bytes`; a method without a table (`method`); fewer strategies"),
    Limit(ANY, "sink components", "games.enumeration:MAX_SINK_PROFILES", "profiles",
          "left out beyond; nothing to raise"),
    Limit(ANY, "`mixed`, two players", "games.equilibria.mixed.search:MAX_STRATEGIES", "strategies in all",
          "fewer strategies"),
    Limit(ANY, "`mixed`, more players", "games.equilibria.mixed.search:MAX_PROFILES", "profiles", "fewer strategies"),
    Limit(ANY, "`coalitions`, one profile", "games.equilibria.coalitions.checker:MAX_TRIED", "joint deviations",
          "smaller coalitions"),
    Limit(ANY, "`coalitions`, a table", "games.equilibria.coalitions.checker:MAX_TABLE", "bytes", "smaller coalitions"),
    Limit(ANY, "`potential`", "games.equilibria.potential.classify:MAX_CELLS", "profiles times players",
          "fewer strategies"),
    Limit(ANY, "`dynamics` that weigh strategies", "games.equilibria.learning.play:MAX_STRATEGIES", "strategies in all",
          "`best-response-with-inertia` asks for best replies only"),
    Limit(ANY, "figure of the response graph", "reports.game.figures:MAX_PROFILES", "profiles", "no figure beyond"),
    Limit(ANY, "numbers that a custom rule answers with", "mechanisms.custom:MAX_BITS",
          "binary digits, about 4,000 decimal ones", "rounder numbers"),
    Limit(ANY, "lists that a custom rule answers with", "mechanisms.custom:MOST", "entries", "shorter lists"),
    Limit(ANY, "`search` of an `.efg` file", "games.interchange:MAX_EFG_NODES", "nodes with a choice",
          "the game as a table, an `.nfg` file"),
    Limit(FED, "machines", "agents.organizations:MAX_MACHINES", "machines in all", "fewer machines"),
    Limit(FED, "jobs of any lengths", "scenarios.any_lengths:MAX_JOBS", "jobs in all", "fewer jobs"),
    Limit(FED, "jobs of any lengths, in an order by length", "games.placement.all_lengths.policies:MAX_JOBS",
          "jobs in all", "fewer jobs; priorities that are given"),
    Limit(FED, "`prove` with a bound, jobs of any lengths", "games.placement.all_lengths.answers:MOST",
          "numerator and denominator of the bound", "a bound with smaller ones"),
    Limit(FED, "`prove --plane` where no equilibrium exists", "games.placement.all_lengths.plane:MOST_PLACEMENTS",
          "placements whose reasons are drawn", "fewer jobs"),
    Limit(FED, "strategies listed", "games.placement.game:MAX_LISTED", "placements of one organization",
          "methods that do not list them: `branch-and-bound`, `cuts`"),
    Limit(FED, "best response, one machine each; `priority-equilibrium`, `solver = \"exact\"`",
          "scheduling.ready_times:MAX_NODES", "nodes tried, then 20 s of constraint solving",
          "fewer jobs; round the lengths; `solver = \"lpt\"`"),
    Limit(FED, "the same, lengths beyond int64", "scheduling.ready_times:MAX_PLAIN_NODES", "nodes tried",
          "round the lengths"),
    Limit(FED, "best response, several machines or total completion", "games.placement.best_reply:MAX_SUBSET_JOBS",
          "jobs of one organization", "fewer jobs"),
    Limit(FED, "checking an equilibrium by packing", "games.placement.checker:MAX_TRIED", "partial packings",
          "fewer jobs; round the lengths"),
    Limit(FED, "checking an equilibrium by listing", "games.placement.dynamics:MAX_DEVIATIONS",
          "placements of one organization", "fewer jobs"),
    Limit(FED, "`optimal` with local-total or selfish", "mechanisms.federation.models:MAX_CHOICES",
          "jobs times machines", "fewer machines; `constraints = [\"local\"]`"),
    Limit(FED, "whatever the constraint solver answers", "scheduling.cp_sat:LIMIT", "units of work",
          "round the lengths"),
    Limit(FED, "exact optimum in tables", "scheduling.makespan:MAX_CELLS", "jobs times machines",
          "bounds and the longest-first schedule beyond"),
    Limit(DECL, "welfare other than the sum, by subsets", "scheduling.optimal:MAX_SUBSETS", "pairs of subsets",
          "fewer agents; a goal that has a faster way"),
    Limit(DECL, "`lexical-max`", "scheduling.optimal:MAX_LEXICAL", "steps", "fewer agents"),
    Limit(DECL, "welfare other than the sum, by subsets", "scheduling.optimal:MAX_SUBSET_JOBS", "agents",
          "fewer agents"),
    Limit(DECL, "`lexical-max`", "scheduling.optimal:MAX_LEXICAL_JOBS", "agents", "fewer agents"),
    Limit(DECL, "goals by partitions", "scheduling.optimal:MAX_PARTITIONS", "partitions of the jobs", "fewer agents"),
    Limit(DECL, "any other goal", "scheduling.optimal:MAX_SCHEDULES", "schedules", "fewer agents"),
    Limit(DECL, "`verify`, all cases", "games.verification.cost:MAX_SECONDS", "predicted seconds",
          "`time_limit` (any), which answers in part; `sample`; `prove`; fewer declarations"),
    Limit(DECL, "`verify`, all cases", "games.verification.cost:MAX_BYTES", "predicted bytes",
          "`max_bytes`; `sample`; fewer lengths or declarations; `prove`"),
    Limit(DECL, "`verify`, tables of one agent", "games.verification.tables:MAX_CELLS", "cells",
          "`sample`; fewer lengths or declarations"),
    Limit(DECL, "`prove`", "games.proofs.exploration:MAX_CELLS", "cells", "fewer agents or machines"),
    Limit(DECL, "`prove --regions`", "games.proofs.regions:MOST_CELLS", "cells of an agent's lies", "fewer agents"),
    Limit(DECL, "`prove` by the full code, unasked", "games.proofs.strategies:MAX_AGENTS", "agents",
          "`method` asks for it"),
    Limit(DECL, "`compare`, rows of the least rents", "verbs.declaration.compare:MOST_DESIGNED",
          "payments", "`design`, which has no such limit"),
    Limit(DECL, "`design` on a finite domain", "games.design.payments:MOST_PAYMENTS",
          "agents times profiles of declarations", "fewer declarations; `--template`"),
    Limit(DECL, "`design` of the allocation too", "games.design.allocation:MOST_UNKNOWNS",
          "chances of schedules and payments", "fewer agents or lengths; the allocation of a rule"),
    Limit(DECL, "`design` of the allocation too", "games.design.allocation:MOST_CASES",
          "comparisons of the truth with a lie", "fewer agents or lengths; the allocation of a rule"),
    Limit(DECL, "`design` of a deterministic allocation", "games.design.allocation:MOST_NODES",
          "nodes of branch and bound", "a lottery, or a smaller domain"),
    Limit(DECL, "`run` with best replies", "verbs.declaration.model:MAX_ROUNDS", "rounds until they settle",
          "declare instead"),
    Limit(DECL, "`curve`, allocations compared", "scheduling.optimal:MAX_SYMBOLIC", "allocations",
          "fewer agents"),
    Limit(DECL, "`curve`, code that is not piecewise linear", "games.declaration.pieces:MAX_TRIED", "plays",
          "the rest is left enclosed"),
    Limit(DECL, "goals and conditions as texts", "support.expressions:MAX_CHARACTERS", "characters", "shorter"),
    Limit(DECL, "goals and conditions as texts", "support.expressions:MAX_NESTING", "levels of brackets", "shorter"),
    Limit(DECL, "expressions as goals", "scheduling.arithmetic:MAX_DEGREE", "degree", "smaller powers"),
    Limit(USERS, "machines", "scenarios.multiuser:MAX_MACHINES", "machines", "fewer machines"),
    Limit(USERS, "`pareto` on one machine with two total-completion users or more",
          "mechanisms.multiuser.pareto:MAX_STATES", "states", "`effort`; `multimixed`; fewer jobs"),
    Limit(USERS, "`pareto` on several machines", "mechanisms.multiuser.pareto:MAX_PAIRS", "pairs of states",
          "`effort`; `multimixed`; fewer jobs"),
    Limit(USERS, "`pareto` by enumeration", "mechanisms.multiuser.pareto:MAX_JOBS", "jobs", "`multimixed`"),
    Limit(USERS, "`pareto` on one machine", "mechanisms.multiuser.pareto:MAX_POINTS", "points", "`effort`; `epsilon`"),
    Limit(USERS, "`pareto` with `epsilon`", "mechanisms.multiuser.grid:MAX_CORNERS", "corners of the grid",
          "a larger `epsilon`"),
    Limit(USERS, "`pareto` with `epsilon`", "mechanisms.multiuser.grid:MAX_STEPS", "steps of an axis",
          "a larger `epsilon`"),
    Limit(USERS, "`fairest`", "mechanisms.multiuser.fairest_point:MAX_STATES", "states",
          "`effort`; `refine`, which has a certified gap"),
    Limit(USERS, "`refine`", "mechanisms.multiuser.refinement:MAX_CELLS", "cells of a level",
          "ends with the gap reached; fewer `levels`"),
    Limit(USERS, "`refine` on several machines or beyond 64 bits", "mechanisms.multiuser.refinement:MAX_SLOW_CELLS",
          "cells of a level", "ends with the gap reached; fewer `levels`"),
    Limit(USERS, "`levels`", "scenarios.multiuser:MAX_LEVELS", "levels", "the gap is far below any number by then"),
    Limit(USERS, "`norm`", "mechanisms.multiuser.catalogue:MAX_NORM", "p of the L^p norm", "`norm = \"max\"`"),
    Limit(USERS, "fairness keys", "mechanisms.multiuser.fairness:MAX_BITS", "bits", "a smaller `norm`"),
    Limit(POOL, "`ref`", "mechanisms.sharing.catalogue:REF_MAX", "organizations", "`rand`; fewer organizations"),
    Limit(POOL, "`ref` with another utility, or numbers beyond 64 bits", "mechanisms.sharing.catalogue:PLAIN_REF_MAX",
          "organizations", "`psi-sp`; `rand`"),
    Limit(POOL, "`rand`, `samples = \"all\"`", "mechanisms.sharing.orderings:ALL_MAX", "organizations",
          "a number of samples"),
    Limit(POOL, "`rand`", "mechanisms.sharing.catalogue:SAMPLES_MAX", "orderings", "a larger `epsilon`"),
    Limit(POOL, "machines", "mechanisms.sharing.catalogue:MACHINES_MAX", "machines in all", "fewer machines"),
    Limit(POOL, "`jobs`", "mechanisms.sharing.catalogue:COPIES_MAX", "machines, once for each job",
          "fewer or narrower jobs"),
    Limit(POOL, "`decay`", "mechanisms.sharing.catalogue:HALF_LIFE_MAX", "units of time", "leave it out"),
    Limit(POOL, "`decay`", "mechanisms.sharing.limits:HALVINGS_MAX", "half-lives of one run", "a longer half-life"),
    Limit(POOL, "`multifactor`", "mechanisms.sharing.catalogue:WEIGHT_MAX", "a weight", "smaller weights"),
    Limit(POOL, "`multifactor`", "mechanisms.sharing.catalogue:QOS_MAX", "a priority of a QOS", "smaller priorities"),
    Limit(POOL, "`audit gaming`", "games.sharing.gaming:PIECES_MAX", "jobs that an organization presents",
          "the rest of the presentations is tried"),
    Limit(POOL, "`audit gaming`", "verbs.sharing.gaming:LISTED_MAX",
          "jobs of an example that is written out", "the steps stand in the record; shorter windows"),
    Limit(POOL, "`audit`, `against = \"ref\"`", "verbs.sharing.plan:MAX_ORGANIZATIONS", "organizations",
          "`against = \"sampled\"`; `limit`, which joins the smallest"),
    Limit(POOL, "`audit`, `samples`", "mechanisms.sharing.catalogue:ORDERINGS_MAX", "orderings",
          "a larger `epsilon`"),
    Limit(POOL, "a window of a log", "workloads.windows:MAX_COPIES", "sequential jobs", "a shorter `duration`"),
    Limit(POOL, "`windows`", "scenarios.sharing:WINDOWS_MAX", "windows", "several runs"),
    Limit(POOL, "organizations of a log", "scenarios.sharing:BAGS_MAX", "organizations", "fewer"),
    Limit(FILES, "a scenario file", "scenarios.reader:MAX_BYTES", "bytes", "a log (`[trace]`), a study"),
    Limit(FILES, "a scenario file", "scenarios.reader:MAX_VALUES", "values", "a log (`[trace]`), a study"),
    Limit(FILES, "a scenario file", "scenarios.reader:MAX_DEPTH", "levels of tables", "flatter"),
    Limit(FILES, "a number", "scenarios.fields:DIGITS", "digits", "rescale"),
    Limit(FILES, "`seed`", "scenarios.reader:SEED_MAX", "the seed", "a smaller one"),
    Limit(FILES, "a record to check", "verbs.check:MAX_VALUES", "values", "ask again"),
    Limit(FILES, "a game in its record", "verbs.request:MAX_PAYOFFS", "payoffs", "ask again with the game itself"),
    Limit(FILES, "`sample`", "verbs.options:SAMPLE_MAX", "random cases", "another `seed`"),
    Limit(FILES, "`replicates` of a study", "studies.blocks:REPLICATES_MAX", "instances per cell", "several studies"),
    Limit(FILES, "columns of a study", "parallel.outcomes:MOST", "measures and varied keys", "several studies"),
    Limit(FILES, "random families: agents, organizations, users, jobs", "workloads.families.base:MOST",
          "of each", "a log"),
    Limit(FILES, "random families: a length", "workloads.families.base:LONGEST", "units", "`scale`"),
    Limit(FILES, "a family that counts all members", "workloads.families.federation:MOST_ORGANIZATIONS",
          "organizations", "a random family"),
    Limit(FILES, "a family that counts all members", "workloads.families.federation:MOST_WORK", "units of work",
          "a random family"),
)  # fmt: skip

INSIDE = {
    "mechanisms.sharing.sampled:BATCHES_MAX": "the default of a number of orderings that can be asked for",
    "parallel.outcomes:MAX_DIFFERENCES": "differences that a message lists; the others are counted",
    "reports.page:MAX_CERTIFICATES": "certificates that a page shows; the record has all",
    "studies.hunting.shrinking:MOST_QUESTIONS": "of a search for smaller instances, which keeps the smallest so far",
    "support.exact:INT64_MAX": "of machine integers; Python's follow beyond",
    "scheduling.subset_kernel:MAX_PLACES": "of a kernel that others replace beyond",
    "support.files:MAX_BYTES": "the default of readers that say their own",
    "scheduling.arithmetic:MAX_BITS": "follows from the digits of a number",
    "scheduling.arithmetic:MAX_WORK": "follows from the digits of a number",
    "explorer.page:MOST": "what a page lets one move by hand; tables and answers show the others",
    "explorer.view:MAX_BYTES": "of a scenario file on a page, which says it; the commands read larger ones",
    "parallel.sqlite_files:RECORD_MAX": "of a store made by others; no record is as large",
    "games.placement.checker:MOST": "of a tree to check; the solver's own limit",
    "games.placement.checker:MAX_BLOCKS": "of a tree to check; a search makes none as large",
    "games.placement.checker:MAX_HELD": "of a tree to check; what is beyond is listed as not checked",
    "games.placement.checker:MAX_NODES": "of a tree to check; a record keeps fewer",
    "games.placement.certificate:MAX_PLACEMENTS": "of a tree to check; a record keeps fewer",
    "verbs.check:MAX_DEPTH": "no record is as deep",
    "games.design.bounds:MOST_PROFILES": "of a domain whose least is a bound for formulas; larger ones are not asked",
    "games.design.payments:MOST_ROWS": "beyond which what other rows imply is left out, and the answer is the same",
    "verbs.options:MOST": "beyond what anybody has",
    "workloads.reading:LINE_MAX": "of a line of a log: longer ones are no log",
    "workloads.sacct:TASKS_MAX": "of an array that waits: beyond what clusters allow",
    "workloads.swf:HEADER_MAX": "of a log: longer ones are no log",
    "workloads.families.base:MOST_JOBS": "beyond the largest logs",
    "scenarios.sharing:TIME_MAX": "seconds of a log beyond any",
    "scenarios.problems:MOST": "problems that are printed; the others are counted",
    "scenarios.toml:MAX_PARTS": "parts of a key, as many as a depth allows",
    "mechanisms.sharing.limits:SPAN_MAX": "of a kernel that plain Python replaces beyond",
    "studies.results:POINTS_MAX": "an even selection is drawn beyond",
    "studies.hunting.edits:MOST_PLAYERS": "of what a hunt tries by itself",
    "studies.hunting.edits:MOST_JOBS": "of what a hunt tries by itself",
    "reports.game.figures:MAX_DRAWN": "a selection is drawn beyond",
    "reports.game.figures:MAX_LEVEL": "labels point another way beyond",
    "reports.style:MAX_POINTS": "a point has no text of its own beyond",
    "reports.multiuser.figures:MAX_USERS": "a selection is drawn beyond",
    "reports.sharing.figures:MAX_LINES": "a selection is drawn beyond",
    "reports.sharing.figures:MOST_NAMED": "a selection is named beyond",
    "reports.style:MAX_ENTRIES": "a selection is drawn beyond",
    "reports.sharing.figures:TIME_MAX": "follows from the digits of a number",
    "reports.charts:MAX_ROWS": "a selection is drawn beyond",
    "reports.charts:MAX_PANELS": "a selection is drawn beyond",
    "games.verification.orbits:MAX_PATTERNS": "another way is taken beyond",
    "games.verification.orbits:MAX_AGENTS": "other limits come first",
    "games.proofs.execution:MAX_TESTS": "of one play of code of one's own that loops",
    "games.proofs.regions:MOST_BEYOND": "of what is joined, not of what is found",
    "games.proofs.regions:MOST_JOINED": "of what is joined, not of what is found",
    "games.proofs.slopes:MOST_BRANCHES": "another way follows",
    "games.proofs.strategies:MAX_QUESTIONS": "of what is tried unasked; another way follows",
    "games.proofs.strategies:MAX_FREE": "of what is tried unasked; another way follows",
    "games.proofs.strategies:MAX_TRIES": "of the search for a witness, after the verdict",
    "games.placement.patterns:MOST": "another method is taken beyond",
    "verbs.declaration.estimate:MOST_PROOF_AGENTS": "of what is predicted, not of what is proved",
    "games.placement.tree_search:MOST_DECISIONS": "of a certificate; another is written beyond",
    "games.declaration.table:MAX_PLAN_BYTES": "profiles are played one by one beyond",
    "games.declaration.pieces:MAX_DEGREE": "sums of squares have degree 2",
}
"""Constants that are named like limits and which no user meets, and why."""


def value(limit: Limit) -> int:
    """The number behind it."""
    found: int = int(load(f".{limit.constant}"))
    return found


def written(limit: Limit) -> str:
    """The number with its unit: bytes in GiB or MiB, the others in full."""
    number = value(limit)
    if limit.of_what.endswith("bytes") or limit.of_what.startswith("bytes"):
        size, unit = (number / 2**30, "GiB") if number >= 2**30 else (number / 2**20, "MiB")
        return f"{size:,.0f} {unit}"
    return f"{number:,}"


def page() -> str:
    """Markdown of the page of limits."""
    return "\n".join(_lines())


def _lines() -> Iterator[str]:
    yield "# Limits"
    yield ""
    yield (
        "What every method takes at most, and what to do beyond. A question beyond a limit is refused before any work, "
        "with the size found (exit code 2); `--dry-run` says what a question costs. Whatever takes long ends cleanly "
        "at `--time-limit` or Ctrl-C, with what is known. What fits into a second or a minute is on the page "
        "[How far can I go?](../explanation/how-far-can-i-go.md)."
    )
    for theme in dict.fromkeys(limit.theme for limit in LIMITS):
        rows = [(one.method, written(one), one.of_what, one.beyond) for one in LIMITS if one.theme == theme]
        yield from ("", f"## {theme}", "", *table(("method", "at most", "of what", "beyond"), rows))
    yield ""
