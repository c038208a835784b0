"""Broken files of kind multiuser: what differs from a good one, and what the messages say."""

from __future__ import annotations

from functools import partial
from typing import Any

from .changes import edited

BASE: dict[str, Any] = {
    "format": 1,
    "kind": "multiuser",
    "users": [{"objective": "makespan", "jobs": [2]}, {"objective": "total-completion", "jobs": [1, "1/2"]}],
    "mechanism": {"rule": "fairest"},
}


changed = partial(edited, BASE)


WHY_JAIN = (
    "fairness.norm: found 'jain'; expected 1, 2, 3, ..., 'max', 'mean' or 'geometric'; 'jain' cannot be optimised, "
    "because it is not monotone: from (1, 2, 2) to (1, 1, 2) nobody is worse off, yet Jain's index falls from 25/27 to "
    "8/9. Its optimum may hurt everybody; it is reported with every result"
)

BROKEN: list[tuple[dict[str, Any], list[str]]] = [
    ({"fairness__norm": "jain"}, [WHY_JAIN]),
    (
        {"fairness__norm": "min-max"},
        ["fairness.norm: found 'min-max'; expected 1, 2, 3", "'min-max' cannot be optimised, because it is not"],
    ),
    ({"fairness__norm": "variance"}, ["from (1, 2, 3) to (1, 1, 3) nobody is worse off, yet the variance rises"]),
    ({"fairness__norm": "maxx"}, ["fairness.norm: found 'maxx'; expected", "Did you mean 'max'?"]),
    ({"fairness__norm": 0}, ["fairness.norm: found 0; expected 1, 2, 3"]),
    ({"fairness__norm": 10**9}, ["(an integer up to 1000)"]),
    ({"fairness__weights": [1]}, ["fairness.weights: found [1]; expected one per user, 2"]),
    ({"fairness__weights": [1, 0]}, ["fairness.weights[2]: found 0; expected a number > 0"]),
    ({"fairness__values": "avg"}, ["fairness.values: found 'avg'; expected one of average, sum"]),
    (
        {"mechanism__rule": "multimixed", "fairness__norm": 2},
        ["fairness: found a table; expected no [fairness] with rule = 'multimixed'"],
    ),
    ({"mechanism__levels": 3}, ["mechanism.levels: found 3; expected no other key besides rule = 'fairest'"]),
    (
        {"mechanism__rule": "fairst"},
        ["mechanism.rule: found 'fairst'; expected one of edf, lst, lst-printed", "Did you mean 'fairest'?"],
    ),
    (
        {"mechanism__rule": "lst"},
        ["mechanism.thresholds: found nothing; expected one threshold per user, which rule = 'lst' needs"],
    ),
    (
        {"mechanism__rule": "lst", "mechanism__thresholds": [1, 2]},
        ["mechanism.thresholds[2]: found 2; expected 'none' for a 'total-completion' user"],
    ),
    (
        {"mechanism__rule": "lst", "mechanism__thresholds": [1]},
        ["mechanism.thresholds: found [1]; expected one per user, 2"],
    ),
    (
        {"mechanism__rule": "lst", "mechanism__thresholds": ["non", -1]},
        [
            "mechanism.thresholds[1]: found 'non'; expected a number >= 0, or 'none'. Did you mean 'none'?",
            "mechanism.thresholds[2]: found -1; expected a number >= 0, or 'none'",
        ],
    ),
    (
        {"mechanism__rule": "edf", "mechanism__thresholds": [1, "none"]},
        ["users[2].objective: found 'total-completion'; expected 'makespan', the only objective of rule = 'edf'"],
    ),
    (
        {"mechanism__rule": "multisum"},
        ["users[1].objective: found 'makespan'; expected 'total-completion', the only objective of rule"],
    ),
    (
        {"mechanism__rule": "refine", "machines": 2},
        ["machines: found 2; expected 1 with rule = 'refine' and a 'total-completion' user; multimixed takes"],
    ),
    (
        {"mechanism__rule": "refine", "users__0__objective": "total-completion"},
        ["users: found 2 with objective 'total-completion'; expected at",
         "users[2].objective: found 'total-completion'; expected at most one"],
    ),
    (
        {"mechanism__rule": "lst", "mechanism__thresholds": [1, 1], "users__1__objective": "makespan"},
        ["expected one 'total-completion' user with rule = 'lst'; or use edf"],
    ),
    (
        {"mechanism__rule": "pareto", "mechanism__epsilon": 1, "machines": 2},
        ["machines: found 2; expected 1 with rule = 'pareto' with epsilon and"],
    ),
    ({"mechanism__rule": "pareto", "mechanism__epsilon": 0}, ["mechanism.epsilon: found 0; expected a number > 0"]),
    (
        {"mechanism__rule": "pareto", "mechanism__ties": "work"},
        ["mechanism.ties: found 'work'; expected no ties without epsilon"],
    ),
    ({"mechanism__rule": "refine", "mechanism__levels": 0}, ["mechanism.levels: found 0; expected an integer"]),
    ({"mechanism__rule": "multimixed", "mechanism__local": "ltp"}, ["expected one of lpt, list, exact", "'lpt'?"]),
    ({"machines": 0}, ["machines: found 0; expected an integer from 1 to 100000"]),
    ({"users": []}, ["users: found []; expected at least one [[users]] table"]),
    ({"users__0__jobs": []}, ["users[1].jobs"]),
    ({"users__1__jobs__1": 0}, ["users[2].jobs[2]: found 0; expected a number > 0"]),
    ({"users__0__objective": "makspan"}, ["users[1].objective: found 'makspan'; expected one of makespan, total"]),
    ({"users__1__name": "u1"}, ["users[2].name: found 'u1'; expected a name of its own (users[1] has it already)"]),
    ({"users__0__job": [1]}, ["users[1].job: found an unknown key", "one of name, objective, jobs. Did you mean"]),
    ({"cluster": {}}, ["cluster: found an unknown key"]),
]  # fmt: skip
