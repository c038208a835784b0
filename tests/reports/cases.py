"""What the tests of tables and figures ask: one small scenario per kind and verb, and more where records differ."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import consortium


@dataclass(frozen=True)
class Case:
    """A verb, what it is asked about, and with which options."""

    verb: str
    source: Any
    options: dict[str, Any] = field(default_factory=dict)


def cluster(rule: str, **more: Any) -> dict[str, Any]:
    """Ann would rather declare less than the truth; Bob tells it."""
    agents = [{"name": "ann", "length": 2, "declares": 1}, {"name": "bob", "length": 1}]
    mechanism = {"rule": rule} | more
    return {
        "format": 1,
        "kind": "declaration",
        "title": "two agents",
        "cluster": {"powers": [1]},
        "agents": agents,
        "mechanism": mechanism,
    }


def believed(rule: str) -> dict[str, Any]:
    """The same agents, who know the odds of each other's lengths."""
    prior = {"ann": {"1": "1/3", "3/2": 0, "2": "2/3"}, "bob": {"1": "1/2", "3": "1/2"}}
    return cluster(rule) | {"prior": {"lengths": prior}, "domain": {"declarations": [1, "3/2", 2]}}


def federation(rule: str, **more: Any) -> dict[str, Any]:
    """One organization with much work, one with little, one with none."""
    return {
        "format": 1,
        "kind": "federation",
        "title": "three organizations",
        "organizations": [
            {"name": "much", "jobs": [3, 2, 2]},
            {"name": "little", "jobs": [1]},
            {"name": "no", "jobs": []},
        ],
        "mechanism": {"rule": rule} | more,
    }


def pool(rule: str, **more: Any) -> dict[str, Any]:
    """Two organizations; first come first served lets the one with less work wait for the other's."""
    organizations = [
        {"name": "atlas", "machines": 1, "jobs": [[0, 4], [0, 3], [0, 2]]},
        {"name": "cms", "machines": 1, "jobs": [[1, 2], [1, 1]]},
    ]
    return {
        "format": 1,
        "kind": "sharing",
        "title": "two organizations",
        "until": 9,
        "organizations": organizations,
        "mechanism": {"rule": rule} | more,
    }


def users(rule: str, objectives: str = "MST", **more: Any) -> dict[str, Any]:
    """Users who want short makespans (M) or early completions (S, T)."""
    goals = {"M": "makespan", "S": "total-completion", "T": "total-completion"}
    listed = [
        {"name": f"u{i}", "objective": goals[letter], "jobs": [i, i + 1][: 1 + i % 2]}
        for i, letter in enumerate(objectives, 1)
    ]
    return {"format": 1, "kind": "multiuser", "title": "users", "users": listed, "mechanism": {"rule": rule} | more}


def broken_optimum() -> dict[str, Any]:
    """An optimal schedule that delays somebody's job and breaks the selfishness restriction."""
    return federation("optimal") | {"organizations": [{"jobs": [2, 2]}, {"jobs": [1]}]}


def irrational() -> dict[str, Any]:
    """Both orders of two jobs are equally good where ann declares the root of x**3 = 20x + 27."""
    agents = [{"name": "ann", "length": 1}, {"name": "bob", "length": 3}]
    goal = {"goal": "expression", "expression": "(ann**2 - 2) * bob"}
    return cluster("straightforward") | {"agents": agents, "welfare": goal}


def unequal(rule: str) -> dict[str, Any]:
    """Two organizations whose equilibria cost more than the optimum, and the optimum more than the bound."""
    return federation(rule) | {"organizations": [{"name": "a", "jobs": [4, 3]}, {"name": "b", "jobs": [2, 2]}]}


def shape_by_jobs() -> dict[str, Any]:
    """A shape of which some games have no equilibrium."""
    organizations = [{"jobs": len(ranks), "priorities": ranks} for ranks in ([1, 3], [2, 4], [5])]
    mechanism = {"rule": "coordination", "priority": "jobs", "order": "given"}
    return {"format": 1, "kind": "federation", "organizations": organizations, "mechanism": mechanism}


def swapping() -> dict[str, Any]:
    """An equilibrium that the first and the third organization leave together."""
    jobs = [[5, 4], [2], [3, 5]]
    organizations = [{"name": name, "jobs": row} for name, row in zip("abc", jobs, strict=True)]
    placement = {"a": ["a", "b"], "c": ["a", "c"]}
    return federation("coordination") | {"organizations": organizations, "placement": placement}


def idle() -> dict[str, Any]:
    """Two organizations with one job each, and one that only has a machine."""
    organizations = [{"name": "a", "jobs": [2]}, {"name": "b", "jobs": [1]}, {"name": "c", "jobs": []}]
    return federation("coordination") | {"organizations": organizations}


def learners() -> dict[str, Any]:
    """Two organizations that learn may do worse than in any pure equilibrium."""
    return federation("coordination") | {
        "organizations": [{"name": "a", "jobs": [1, 1]}, {"name": "b", "jobs": [1, 1]}]
    }


def longer() -> dict[str, Any]:
    """The same agents with longer jobs."""
    return cluster("harsh") | {
        "title": "long jobs",
        "agents": [{"name": "ann", "length": 6, "declares": 3}, {"name": "bob", "length": 5}],
    }


REALS = {"dynamics": "best-response-over-reals"}
SAFE = {"property": "dominant", "symbol": "mechanism.penalty=p"}
PENNIES = [np.array([[1, -1], [-1, 1]]), np.array([[-1, 1], [1, -1]])]
PRISONERS = [np.array([[3, 0], [5, 1]]), np.array([[3, 5], [0, 1]])]
CHICKEN = [np.array([[0, 7], [2, 6]]), np.array([[0, 2], [7, 6]])]
DARE = [np.array([[6, 2], [7, 0]]), np.array([[6, 7], [2, 0]])]
SEGMENT = [np.array([[3, 3], [2, 5], [0, 6]]), np.array([[3, 3], [2, 6], [3, 1]])]
LARGE = [np.arange(13**4).reshape((13,) * 4) % (7 + i) for i in range(4)]

CASES: dict[str, Case] = {
    "declaration-run": Case("run", cluster("vcg-postpone")),
    "declaration-run-two-rounds": Case("run", cluster("vcg-renice", rounds=2)),
    "declaration-run-killed": Case("run", cluster("harsh")),
    "declaration-search": Case("search", cluster("light-vcg"), {"epsilon": 1, "list": 1}),
    "declaration-search-over-reals": Case("search", "learning/any-number", REALS | {"start": [1, 1, "1/2"]}),
    "declaration-search-no-best-reply": Case("search", "agmon2003/5.2.1-truth", REALS),
    "declaration-search-bayesian": Case("search", believed("light-vcg"), {"bayesian": True}),
    "declaration-search-coalitions": Case(
        "search", cluster("postpone-unpaid"), {"coalitions": 2, "notion": "none-lose"}
    ),
    "declaration-verify": Case("verify", cluster("light-vcg")),
    "declaration-verify-bayesian": Case("verify", believed("light-vcg"), {"property": "bayesian"}),
    "declaration-verify-coalitions": Case("verify", cluster("verified"), {"coalitions": 2, "notion": "total"}),
    "declaration-prove": Case("prove", cluster("light-vcg")),
    "declaration-prove-just": Case(
        "prove",
        cluster("vcg-postpone") | {"domain": {"lengths": {"from": "1/2", "to": 3}}},
        {"property": "just"},
    ),
    "declaration-prove-safe": Case("prove", "agmon2003/5.3-constant-safe", SAFE),
    "declaration-design": Case("design", cluster("light-vcg"), {"concept": "ex-post"}),
    "declaration-design-impossible": Case(
        "design", cluster("vcg-renice") | {"domain": {"lengths": [1, 2, 3], "declarations": [1, 2, 3]}}
    ),
    "declaration-design-contradiction": Case(
        "design", cluster("vcg-postpone"), {"subject_to": ["no-deficit", "takes-part"]}
    ),
    "declaration-design-formula": Case(
        "design",
        cluster("evcg-renice", penalty=1) | {"welfare": {"goal": "weighted-sum", "weights": {"ann": 1, "bob": 9}}},
        {
            "template": ["own", "all", "E"],
            "concept": "ex-post",
            "subject_to": ["prices-nonnegative"],
            "per_agent": True,
        },
    ),
    "declaration-design-penalty": Case(
        "design",
        cluster("evcg-postpone") | {"welfare": {"goal": "weighted-sum", "weights": {"ann": 1, "bob": 9}}},
        {"penalty_template": ["S", "own"]},
    ),
    "declaration-design-unpaid": Case("design", cluster("vcg-postpone"), {"payments": "none"}),
    "declaration-design-any": Case("design", cluster("light-vcg"), {"subject_to": [], "concept": "ex-post"}),
    "declaration-design-lottery": Case(
        "design",
        cluster("light-vcg"),
        {"allocation": "lottery", "concept": "ex-post", "subject_to": ["prices-nonnegative"], "frontier": True},
    ),
    "declaration-design-allocation": Case(
        "design",
        cluster("light-vcg"),
        {"allocation": "any", "concept": "ex-post", "subject_to": ["prices-nonnegative"], "frontier": True},
    ),
    "declaration-compare": Case("compare", cluster("light-vcg"), {"rules": ["light-vcg", "vcg-postpone"]}),
    "declaration-compare-several": Case("compare", [cluster("harsh"), longer()], {"rules": ["light-vcg", "harsh"]}),
    "declaration-curve": Case("curve", cluster("vcg-postpone"), {"agent": "ann"}),
    "declaration-curve-irrational": Case("curve", irrational(), {"agent": "ann", "width": "1/8", "low": 5, "high": 6}),
    "declaration-curve-enclosed": Case(
        "curve",
        cluster("straightforward") | {"welfare": {"goal": "expression", "expression": "-max(ann * ann, bob - 1/2)"}},
        {"agent": "ann", "width": "1/8"},
    ),
    "declaration-curve-killed": Case("curve", cluster("harsh"), {"agent": "ann"}),
    "federation-run": Case("run", federation("lpt-lpt")),
    "federation-run-coordination": Case("run", federation("coordination")),
    "federation-search": Case("search", federation("coordination"), {"list": 2}),
    "federation-search-learning": Case(
        "search", unequal("coordination"), {"dynamics": "best-response-with-inertia", "rounds": 30, "list": 2}
    ),
    "federation-search-potential": Case("search", idle(), {"potential": True, "list": 2}),
    "federation-search-coalitions": Case("search", federation("coordination"), {"list": 1, "coalitions": 2}),
    "federation-verify-coalitions": Case("verify", swapping(), {"coalitions": 3}),
    "federation-prove": Case("prove", "shapes/two-jobs-each"),
    "federation-prove-plane": Case("prove", shape_by_jobs(), {"plane": "x, 2; y, 3; 1"}),
    "federation-prove-value": Case("prove", "shapes/sharp-price", {"property": "price-of-anarchy"}),
    "federation-prove-bound": Case("prove", "shapes/ilba-ratio", {"at_most": "4/3"}),
    "federation-run-guess": Case("run", unequal("relaxed-2")),
    "federation-run-optimal": Case("run", unequal("optimal")),
    "federation-search-approximate": Case("search", unequal("coordination"), {"epsilon": "5/4", "list": 1}),
    "federation-search-coarse": Case("search", learners(), {"correlated": "coarse", "list": 1}),
    "federation-verify": Case("verify", federation("coordination")),
    "federation-verify-optimal": Case("verify", broken_optimum()),
    "federation-compare": Case("compare", federation("local"), {"rules": ["local", "coordination"]}),
    "sharing-run": Case("run", pool("ref")),
    "sharing-run-decay": Case("run", pool("fair-share", decay="2s")),
    "sharing-run-cut": Case("run", pool("fifo"), {"list": 2}),
    "sharing-run-easy": Case("run", "backfilling/easy"),
    "sharing-verify": Case("verify", "skowron-rzadca2013/delay-that-gains"),
    "sharing-verify-axioms": Case("verify", "skowron-rzadca2013/axioms-flow-time"),
    "sharing-verify-merge": Case("verify", pool("ref")),
    "sharing-compare": Case("compare", pool("ref"), {"rules": ["ref", "fifo"]}),
    "sharing-audit": Case(
        "audit", "site.swf", {"windows": 2, "duration": 500, "rules": ["ref", "fair-share", "fifo"], "rule": "fifo"}
    ),
    "sharing-audit_gaming": Case("audit_gaming", "site.swf", {"windows": 2, "duration": 500, "tries": 40, "seed": 7}),
    "multiuser-run": Case("run", users("refine", "MMS", levels=2)),
    "multiuser-run-levels": Case("run", users("refine", "MMS", levels=5)),
    "multiuser-run-above-optimum": Case("run", users("refine-printed", "MMS", levels=1)),
    "multiuser-run-schedule": Case("run", users("fairest", "MMS")),
    "multiuser-run-front": Case("run", users("pareto", "MST"), {"list": 3}),
    "multiuser-run-profiles": Case("run", users("pareto", "MSTM")),
    "multiuser-run-nothing": Case("run", users("edf", "MM", thresholds=[1, 1])),
    "sharing-audit-from": Case(
        "audit", "site.swf", {"start": 300, "duration": 500, "rules": ["ref", "fifo", "round-robin"], "series": True}
    ),
    "sharing-audit_trend": Case("audit_trend", "site.db", {"rule": "round-robin", "every": "window"}),
    "sharing-audit_switch": Case(
        "audit_switch",
        "site.swf",
        {"windows": 4, "duration": 500, "machines": 2, "rule": "fifo", "to": "round-robin"},
    ),
    "multiuser-run-guarantees": Case("run", users("multimixed", "MMS")),
    "multiuser-run-thresholds": Case("run", users("edf", "MM", thresholds=[8, 9])),
    "multiuser-compare": Case("compare", users("fairest"), {"rules": ["fairest", "multimixed"]}),
    "game-search-coalitions": Case("search", PRISONERS, {"coalitions": 2, "notion": "none-lose"}),
    "game-search": Case("search", PRISONERS, {"mixed": True}),
    "game-search-correlated": Case("search", DARE, {"correlated": "correlated"}),
    "game-search-cycle": Case("search", PENNIES, {"mixed": True, "epsilon": 2}),
    "game-search-learning": Case("search", CHICKEN, {"dynamics": "regret-matching", "rounds": 60, "seed": 2}),
    "game-search-potential": Case("search", PENNIES, {"potential": True}),
    "game-search-stopped": Case("search", CHICKEN, {"time_limit": 0}),
    "game-search-mixed": Case("search", SEGMENT, {"mixed": True, "quantal": [1, "5/2"]}),
    "game-search-large": Case("search", LARGE, {"list": 2}),
}


def site_log(folder: Path) -> Path:
    """A small job log of two groups."""
    from consortium.workloads import Log, write_swf

    rng = np.random.default_rng(7)
    n = 80
    columns = {
        "submit": np.sort(rng.integers(0, 2_000, n)),
        "wait": rng.integers(0, 60, n),
        "run": rng.integers(1, 400, n),
        "allocated": np.ones(n, dtype=np.int64),
        "user": rng.integers(0, 4, n),
        "group": rng.integers(0, 2, n),
    }
    never_ran = {key: np.full(2, -1 if key == "run" else values[-1]) for key, values in columns.items()}
    log = Log(
        {"job": np.arange(1, n + 3)} | {key: np.append(columns[key], never_ran[key]) for key in columns},
        name="site.swf",
        header={"MaxProcs": ("4",)},
        labels={"group": {0: "atlas", 1: "cms"}},
    )
    path = folder / "site.swf"
    write_swf(log, path)
    return path


def source_of(case: Case, folder: Path) -> Any:
    """What a case asks about; the log of an audit, or the store of one, is written to ``folder``."""
    if not case.verb.startswith("audit"):
        return case.source
    log, store = site_log(folder), folder / "site.db"
    if case.verb != "audit_trend":
        return log
    kept: dict[str, Any] = {"windows": 6, "duration": 300, "rules": ["fifo", "round-robin"], "rule": "round-robin"}
    consortium.audit(log, store=store, **kept)
    return store


def record(name: str, folder: Path, **more: Any) -> Any:
    """The record of a case; the log of an audit is written to ``folder``."""
    case = CASES[name]
    source = source_of(case, folder)
    return getattr(consortium, case.verb)(source, **case.options | more)
