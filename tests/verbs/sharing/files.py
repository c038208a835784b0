"""Scenarios of kind ``sharing`` that several files of tests use."""

from __future__ import annotations


def scenario(rule="ref", organizations=((1, [(0, 3), (0, 4)]), (1, [(0, 2)])), until=9, **options):
    return {
        "format": 1,
        "kind": "sharing",
        "title": "test",
        "until": until,
        "organizations": [
            {"name": f"n{i}", "machines": m, "jobs": [list(job) for job in jobs]}
            for i, (m, jobs) in enumerate(organizations, 1)
        ],
        "mechanism": {"rule": rule, **options},
    }
