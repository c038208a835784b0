"""Scenarios of kind ``federation`` that several files of tests use."""

from __future__ import annotations


def scenario(jobs, machines=None, placement=None, **mechanism):
    rows = [{"jobs": list(row), **({"machines": machines[k]} if machines else {})} for k, row in enumerate(jobs)]
    data = {
        "format": 1,
        "kind": "federation",
        "organizations": rows,
        "mechanism": mechanism or {"rule": "coordination"},
    }
    return data | ({"placement": placement} if placement else {})
