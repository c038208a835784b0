"""Scenarios of kind ``multiuser`` that several files of tests use."""

from __future__ import annotations


def scenario(rule, *users, machines=1, fairness=None, **options):
    kinds = {"M": "makespan", "S": "total-completion"}
    data = {
        "format": 1,
        "kind": "multiuser",
        "title": "test",
        "machines": machines,
        "users": [{"name": f"n{i}", "objective": kinds[k], "jobs": list(jobs)} for i, (k, jobs) in enumerate(users, 1)],
        "mechanism": {"rule": rule, **options},
    }
    if fairness is not None:
        data["fairness"] = fairness
    return data
