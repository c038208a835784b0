"""Scenarios of kind ``federation`` whose organizations say how many jobs they have, of any positive lengths.

``jobs = 3`` stands in the place of a list: the scenario is a *shape*, of which ``prove`` asks what holds for all
lengths. Jobs are numbered longest first. Where every job has a priority of its own, ``priorities`` lists those of an
organization in that order. A shape has one machine for each organization, whose makespan is what it minimises.

>>> spec = ShapeSpec(("O1", "O2"), (2, 1), ((7, 3), (5,)), "coordination", {"priority": "jobs", "order": "given"})
>>> spec.by_priority, spec.ranks
((0, 1), ((3, 1), (2,)))
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Final

from ..agents.organizations import Job
from .blocks import join
from .conditions import Condition, Schema, every, one_of, where, with_keys, with_values, without
from .problems import Problems

MAX_JOBS: Final = 1000
"""Jobs of all organizations of a shape together."""

COUNTED: Final[Schema] = with_values(organizations={"contains": with_values(jobs={"type": "integer"})})
"""Files in which an organization says how many jobs it has."""


@dataclass(frozen=True)
class ShapeSpec:
    """A checked scenario of kind ``federation`` whose lengths are free.

    Attributes
    ----------
    names, jobs
        Of each organization its name, and how many jobs it has.
    priorities
        Priority of each job, the longest first, 1 the highest; ``None`` where jobs have none.
    rule, options
        Name of the rule, and what it is built with: keyword arguments of its class.
    """

    names: tuple[str, ...]
    jobs: tuple[int, ...]
    priorities: tuple[tuple[int, ...], ...] | None
    rule: str
    options: Mapping[str, Any]
    verb: ClassVar[str] = "prove"  # the only one that takes it

    @property
    def by_priority(self) -> tuple[int, ...]:
        """Numbers of the organizations, the highest priority first; as listed where jobs have priorities, or nobody."""
        order = self.options.get("order")
        listed = order if self.rule == "coordination" and isinstance(order, tuple) else self.names
        return tuple(self.names.index(name) for name in listed)

    @property
    def ranks(self) -> tuple[tuple[int, ...], ...] | None:
        """Ranks of the jobs among all jobs, 1 the highest, without gaps; ``None`` where jobs have none."""
        if self.priorities is None:
            return None
        rank = {value: i for i, value in enumerate(sorted(v for row in self.priorities for v in row), 1)}
        return tuple(tuple(rank[value] for value in row) for row in self.priorities)


def conditions(ranked: Schema) -> list[Condition]:
    """What goes together in a shape; ``ranked``: files whose mechanism asks for a priority of every job."""
    with_priorities: Schema = {
        "if": with_values(jobs={"type": "integer", "not": {"const": 0}}),
        "then": with_keys("priorities"),
    }
    return [
        Condition(
            COUNTED,
            where(organizations=every(where(jobs={"type": "integer"}))),
            "a number of jobs, as another organization has; lengths are either listed or free",
        ),
        Condition(
            COUNTED, where(organizations=every(where(machines={"const": 1}))), "1 machine, as jobs are of any lengths"
        ),
        Condition(
            COUNTED,
            where(mechanism=where(objective=one_of(["makespan"]))),
            "'makespan', as jobs are of any lengths",
        ),
        Condition(
            {"allOf": [COUNTED, ranked]},
            where(organizations=every(with_priorities)),
            "a list of priorities, one for each job, the longest first",
        ),
        Condition(
            {"not": {"allOf": [COUNTED, ranked]}},
            where(organizations=every(without("priorities"))),
            "no such key unless jobs is a number, priority = 'jobs' and order = 'given'",
        ),
    ]


def free_jobs(count: int, priorities: Sequence[int] | None, path: str, problems: Problems) -> tuple[Job, ...]:
    """So many jobs, whose length 1 stands for any, with their priorities; ``path``: the organization's."""
    if priorities is not None and len(priorities) == count:
        return tuple(Job(Fraction(1), priority=rank) for rank in priorities)
    if priorities is not None:
        problems.add(join(path, "priorities"), list(priorities), f"{count} priorities, one for each job")
    return (Job(Fraction(1)),) * count
