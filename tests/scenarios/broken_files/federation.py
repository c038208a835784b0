"""Broken files of kind federation: what differs from a good one, and what one of the messages says."""

from __future__ import annotations

from functools import partial
from typing import Any

from .changes import edited

GOOD: dict[str, Any] = {
    "format": 1,
    "kind": "federation",
    "organizations": [
        {"name": "lab", "machines": 2, "jobs": [2, {"length": "3/2", "name": "x"}]},
        {"jobs": [1]},
        {"jobs": []},
    ],
    "mechanism": {"rule": "coordination", "priority": "organizations", "order": ["O2", "lab", "O3"]},
    "placement": {"lab": ["O2", "lab"]},
}


changed = partial(edited, GOOD)

_PLAYED: Any = {"rule": "coordination"}
_RANKED: Any = {"rule": "coordination", "priority": "jobs", "order": "given"}
_SHAPES: list[tuple[Any, Any, str]] = [
    (
        [{"jobs": 2, "machines": 2}],
        _PLAYED,
        "organizations[1].machines: found 2; expected 1 machine, as jobs are of any",
    ),
    ([{"jobs": 2}], _PLAYED | {"objective": "total-completion"}, "mechanism.objective: found 'total-completion'"),
    ([{"jobs": 0}, {"jobs": 2}], _RANKED, "organizations[2].priorities: found nothing; expected a list of priorities"),
    ([{"jobs": 2, "priorities": [0, 1]}], _RANKED, "organizations[1].priorities[1]: found 0; expected an integer >= 1"),
    ([{"jobs": 2, "priorities": [1, 2]}], _PLAYED, "organizations[1].priorities: found [1, 2]; expected no such key"),
    (
        [{"jobs": 2, "priorities": [1]}],
        _RANKED,
        "organizations[1].priorities: found [1]; expected 2 priorities, one for each job",
    ),
    (
        [{"jobs": 1, "priorities": [4]}, {"jobs": 1, "priorities": [4]}],
        _RANKED,
        "organizations[2].priorities[1]: found 4; expected a priority of its own",
    ),
    (
        [{"jobs": 600}, {"jobs": 600}],
        _PLAYED,
        "organizations: found 1,200 jobs; expected at most 1,000 jobs of any lengths",
    ),
]
"""Organizations of jobs of any lengths, the mechanism beside them, and what the message says."""


BROKEN: list[tuple[dict[str, Any], str]] = [
    ({"organizations": {"lab": [1]}}, "organizations: found a table; expected at least one [[organizations]] table"),
    ({"organizations": []}, "organizations: found []; expected at least one [[organizations]] table"),
    ({"organizations": None}, "organizations: found nothing"),
    (
        {"organizations__1__machines": 0},
        "organizations[2].machines: found 0; expected at least 1 machine for organization 'O2'",
    ),
    ({"organizations__1__machines": "2"}, "organizations[2].machines: found '2'; expected an integer"),
    ({"organizations__1__jobs": None}, "organizations[2].jobs: found nothing"),
    ({"organizations__1__jobs": "3"}, "organizations[2].jobs: found '3'; expected a list of lengths, or of tables"),
    ({"organizations__1__jobs": 1001}, "organizations[2].jobs: found 1001; expected a number of jobs from 0 to 1,000"),
    ({"organizations__1__jobs": 3}, "organizations[1].jobs: found a list of 2; expected a number of jobs, as another"),
    ({"organizations__1__priorities": [1]}, "organizations[2].priorities: found [1]; expected no such key unless jobs"),
    *(
        ({"organizations": counts, "placement": None, "mechanism": mechanism}, message)
        for counts, mechanism, message in _SHAPES
    ),
    ({"organizations__1__jobs": [0]}, "organizations[2].jobs[1]: found 0; expected a number > 0"),
    (
        {"organizations__1__jobs": [1, 0.5]},
        "organizations[2].jobs[2]: found 0.5; expected a number > 0; a float is not exact",
    ),
    ({"organizations__1__jobs": [{"name": "x"}]}, "organizations[2].jobs[1].length: found nothing"),
    ({"organizations__1__jobs": [{"lenght": 1}]}, "Did you mean 'length'?"),
    (
        {"organizations__1__jobs": [{"length": 1, "name": "a"}, {"length": 1, "name": "a"}]},
        "organizations[2].jobs[2].name",
    ),
    (
        {"organizations__1__jobs": [{"length": 1, "priority": 1}]},
        "organizations[2].jobs[1].priority: found 1; expected no such key",
    ),
    ({"organizations__1__name": "lab"}, "organizations[2].name: found 'lab'"),
    ({"organizations__1__jbos": [1]}, "organizations[2].jbos: found an unknown key"),
    ({"mechanism": None}, "mechanism: found nothing; expected a table"),
    ({"mechanism__rule": "coordinaton"}, "Did you mean 'coordination'?"),
    ({"mechanism__priority": "job"}, "Did you mean 'jobs'?"),
    ({"mechanism__objective": "total"}, "mechanism.objective"),
    (
        {"mechanism__order": ["O2", "labs", "O3"]},
        "mechanism.order[2]: found 'labs'; expected an organization: lab, O2, O3. Did you",
    ),
    ({"mechanism__order": ["O2", "lab"]}, "expected every organization, also O3"),
    (
        {"mechanism__order": ["O2", "lab", "O3", "O2"]},
        "mechanism.order[4]: found 'O2'; expected every organization once",
    ),
    ({"mechanism__order": "longest"}, "mechanism.order: found 'longest'; expected a list of the organizations' names"),
    ({"mechanism__order": 3}, "mechanism.order: found 3"),
    ({"mechanism__priority": "jobs"}, "mechanism.order"),
    ({"mechanism": {"rule": "coordination", "priority": "jobs", "order": "longets"}}, "Did you mean 'longest'?"),
    (
        {"mechanism": {"rule": "coordination", "priority": "jobs", "order": "given"}},
        "organizations[1].jobs[1].priority: found nothing",
    ),
    ({"mechanism": {"rule": "ilba", "solver": "exact"}}, "mechanism.solver: found 'exact'; expected only local_order,"),
    ({"mechanism": {"rule": "lpt-lpt", "local_order": "spt"}}, "mechanism.local_order: found 'spt'"),
    (
        {"mechanism": {"rule": "relaxed-2"}},
        "organizations[1].machines: found 2; expected 1 machine per organization, which",
    ),
    ({"mechanism": {"rule": "tomos", "base": "relaxed-3"}}, "which 'relaxed-3' needs"),
    ({"mechanism": {"rule": "tomos", "base": "tomos"}}, "mechanism.base"),
    (
        {"mechanism": {"rule": "tomos", "cooperation": "1/2"}},
        "mechanism.cooperation: found '1/2'; expected a number >= 1",
    ),
    (
        {"mechanism": {"rule": "optimal", "cooperation": 2}},
        "mechanism.cooperation: found 2; expected constraints with 'local'",
    ),
    ({"mechanism": {"rule": "optimal", "constraints": ["locl"]}}, "mechanism.constraints[1]: found 'locl'"),
    (
        {"mechanism": {"rule": "optimal", "constraints": ["local", "local"]}},
        "mechanism.constraints[2]: found 'local'; expected each constraint once",
    ),
    (
        {"organizations__0__machines": 1, "mechanism": {"rule": "priority-equilibrium", "keep": "count"}},
        "mechanism.keep",
    ),
    ({"mechanism": {"rule": "local", "reference": "fifo"}}, "mechanism.reference"),
    ({"mechanism": {"rule": "local", "selfishness": "lax"}}, "mechanism.selfishness"),
    ({"placement": [1]}, "placement: found [1]; expected a table"),
    (
        {"placement": {"labs": ["O2", "lab"]}},
        "placement.labs: found 'labs'; expected an organization: lab, O2, O3. Did you",
    ),
    ({"placement": {"lab": ["O2"]}}, "placement.lab: found ['O2']; expected a list of 2 hosts, one per job"),
    ({"placement": {"lab": ["O2", "O4"]}}, "placement.lab[2]: found 'O4'"),
    ({"placement": {"lab": ["O2", 1]}}, "placement.lab[2]"),
    ({"domain": {}}, "domain: found an unknown key"),
    (
        {
            "mechanism": {"rule": "coordination", "priority": "jobs", "order": "given"},
            "organizations": [{"jobs": [{"length": 1, "priority": 1}, {"length": 1, "priority": 1}]}],
            "placement": None,
        },
        "organizations[1].jobs[2].priority: found 1; expected a priority of its own",
    ),
    (
        {"organizations": [{"jobs": [1, {"length": 1, "name": "x"}, {"length": 2, "name": "x"}]}], "placement": None},
        "organizations[1].jobs[3].name: found 'x'; expected a name of its own (organizations[1]",
    ),
]
