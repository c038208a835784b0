"""Broken files of kind sharing, and what the messages say."""

from __future__ import annotations

from typing import Any

from .changes import edited

BASE: dict[str, Any] = {
    "format": 1,
    "kind": "sharing",
    "until": 9,
    "organizations": [{"machines": 1, "jobs": [[0, 3], [0, 4]]}, {"name": "b", "machines": 0}],
    "mechanism": {"rule": "ref"},
}
TRACE: dict[str, Any] = {
    "format": 1,
    "kind": "sharing",
    "trace": {"file": "log.swf", "duration": 100, "machines": 7},
    "mechanism": {"rule": "rand"},
}


def changed(base: dict[str, Any] = BASE, **changes: Any) -> dict[str, Any]:
    return edited(base, **changes)


BROKEN: list[tuple[dict[str, Any], list[str]]] = [
    (changed(until=None), ["until: found nothing"]),
    (
        changed(organizations__0__jobs=[[0, 3], {"release": 0, "lenght": 3}]),
        ["organizations[1].jobs[2]", "lenght", "length"],
    ),
    (
        changed(organizations__0__jobs=[{"release": -1, "length": 0, "machines": 0, "estimate": 0}]),
        [f"organizations[1].jobs[1].{key}: found " for key in ("release", "length", "machines", "estimate")],
    ),
    (
        changed(organizations__0__jobs=[{"release": 0, "length": 3, "machines": 2**25}, [0, 1]]),
        ["organizations[1].jobs: found 33,554,433 machines, counted once for each job; expected at most"],
    ),
    (
        changed(
            organizations__1__jobs=[{"release": 0, "length": 3, "machines": 2}],
            mechanism={"rule": "fifo", "parallel": "easy"},
        ),
        ["organizations[2].jobs[1].machines: found 2; expected at most 1, all machines, for parallel = 'easy'"],
    ),
    (
        changed(mechanism={"rule": "direct-contribution", "parallel": "rigid"}),
        ["mechanism.parallel: found 'rigid'; expected only machine_order, timing besides rule = 'direct-contribution'"],
    ),
    (
        changed(mechanism={"rule": "fifo", "parallel": "eazy"}),
        ["mechanism.parallel: found 'eazy'; expected one of copies, rigid, easy", "easy"],
    ),
    (
        changed(
            organizations__0__jobs=[[0, 3, 4]],
            organizations__1__jobs=[{"release": 0, "length": 3}],
            mechanism={"rule": "ref", "utility": "tardiness"},
        ),
        ["organizations[2].jobs[1].due: found nothing; expected a due date, which tardiness needs"],
    ),
    (changed(until=-1), ["until: found -1; expected an integer >= 0"]),
    (changed(organizations=[]), ["organizations: found []; expected at least one"]),
    (changed(organizations__0__machines=-1), ["organizations[1].machines: found -1"]),
    (
        changed(organizations__0__jobs=[[0, 0]]),
        ["organizations[1].jobs[1]: found [0, 0]; expected [release, length]"],
    ),
    (changed(organizations__0__jobs=[[0]]), ["organizations[1].jobs[1]: found [0]"]),
    (changed(organizations__0__jobs=[[0, "1"]]), ["organizations[1].jobs[1]: found [0, '1']"]),
    (changed(organizations__0__jobs=[[0, True]]), ["organizations[1].jobs[1]: found "]),
    (changed(organizations__1__name="O1"), ["organizations[2].name: found 'O1'"]),
    (changed(organizations__0__job=[]), ["organizations[1].job: found an unknown key", "Did you mean 'jobs'?"]),
    (changed(mechanism__rule="reff"), ["mechanism.rule: found 'reff'", "Did you mean 'ref'?"]),
    (changed(mechanism__timing="later"), ["mechanism.timing: found 'later'; expected one of next, now"]),
    (
        changed(mechanism={"rule": "fifo", "timing": "now"}),
        ["mechanism.timing: found 'now'; expected only parallel besides rule = 'fifo'"],
    ),
    (
        changed(mechanism={"rule": "ref", "samples": 3}),
        ["mechanism.samples: found 3; expected only timing, utility besides rule = 'ref'"],
    ),
    (
        changed(mechanism={"rule": "rand", "samples": 3, "orderings": [[1, 2]]}),
        ["mechanism.orderings: found a list of 1; expected nothing beside samples"],
    ),
    (
        changed(mechanism={"rule": "rand", "orderings": [[1, 1]]}),
        ["mechanism.orderings[1]: found [1, 1]; expected each organization's number, 1 to 2, once"],
    ),
    (
        changed(mechanism={"rule": "rand", "epsilon": "1/2"}),
        ["mechanism.confidence: found nothing; expected a number, which epsilon needs"],
    ),
    (
        changed(mechanism={"rule": "rand", "samples": "al"}),
        ["mechanism.samples: found 'al'", "Did you mean 'all'?"],
    ),
    (changed(mechanism={"rule": "rand", "samples": 0}), ["mechanism.samples: found 0"]),
    *(
        (changed(mechanism={"rule": "fair-share", "decay": wrong}), [f"mechanism.decay: found {text}"])
        for wrong, text in [(True, "true"), (1.5, "1.5"), ([7], "[7]"), (0, "0")]
    ),
    (
        changed(mechanism={"rule": "rand", "epsilon": 1, "confidence": 1}),
        ["mechanism.confidence: found 1; expected a number from 0 to less than 1"],
    ),
    (
        changed(mechanism__utility="tardiness"),
        ["organizations[1].jobs[1]: found [0, 3]; expected a due date, which tardiness needs"],
    ),
    (changed(TRACE, until=3), ["until: found 3; expected nothing beside [trace], which says it"]),
    (changed(TRACE, trace__file=None), ["trace.file: found nothing"]),
    (changed(TRACE, trace__duration=0), ["trace.duration: found 0"]),
    (changed(TRACE, trace={"file": "x", "duration": 5, "organizations": "grup"}), ["Did you mean 'group'?"]),
    (changed(TRACE, trace={"file": "x", "duration": 5, "shares": "zip"}), ["Did you mean 'zipf'?"]),
    (
        changed(TRACE, trace={"file": "x", "duration": 5, "organizations": 3, "shares": [1, 2]}),
        ["trace.shares: found [1, 2]; expected one per organization, 3"],
    ),
    (
        changed(TRACE, trace={"file": "x", "duration": 5, "organizations": 2, "shares": [1, 2], "machines": 4}),
        ["trace.machines: found 4; expected 3, the sum of trace.shares"],
    ),
    (
        changed(TRACE, mechanism={"rule": "ref", "utility": "tardiness"}),
        ["mechanism.utility: found 'tardiness'; expected another utility: a job log has no due dates"],
    ),
]
