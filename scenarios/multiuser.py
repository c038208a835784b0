"""Kind ``multiuser``: users with jobs and objectives share machines that nobody owns (Cordeiro 2012, chapter 6).

The blocks below are the file format; :func:`read` checks them and builds a :class:`MultiuserSpec`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from types import MappingProxyType
from typing import Annotated, Any, Final

from pydantic import PlainValidator, WithJsonSchema

from ..agents.users import OBJECTIVES, Objective
from ..mechanisms.multiuser.catalogue import (
    ALLOWED_NORMS,
    CONSTRAINED,
    FAIRNESS_RULES,
    LOCALS,
    MAX_NORM,
    NORMS,
    ONE_OBJECTIVE,
    REFERENCES,
    TIES,
    TOTAL_NEEDED,
    VALUES,
    Local,
    Norm,
    Reference,
    Ties,
    Values,
    norm_refusal,
)
from ..mechanisms.registry import info, rules
from ..support.errors import nearest
from .blocks import RuleBlock, join, read_block, read_listed, read_mechanism
from .conditions import PRESENT, Schema, every, given, one_of, when, where, with_keys
from .fields import (
    REQUIRED,
    USED_BY,
    Block,
    Bool,
    Listing,
    Name,
    Positive,
    described,
    expected,
    explained,
    integer,
    named,
    number,
    number_schema,
)
from .problems import MISSING, Problems, Said
from .scenario import Format

MAKESPAN: Final = "makespan"
TOTAL: Final = "total-completion"
MAX_LEVELS = 40
MAX_MACHINES = 100_000


@dataclass(frozen=True)
class UserSpec:
    """One user: her objective and the lengths of her jobs."""

    name: str
    objective: Objective
    jobs: tuple[Fraction, ...]


@dataclass(frozen=True)
class FairnessSpec:
    """``[fairness]``; ``weights`` is empty for 1 each."""

    norm: Norm = 2
    values: Values = "average"
    relative_to: Reference = "none"
    weights: tuple[Fraction, ...] = ()


@dataclass(frozen=True)
class MultiuserSpec:
    """A checked scenario of kind ``multiuser``.

    ``thresholds``: one per user, ``None`` for no limit; empty for rules without thresholds. ``options``: what a rule of
    another distribution is made with.
    """

    machines: int
    users: tuple[UserSpec, ...]
    rule: str
    thresholds: tuple[Fraction | None, ...]
    epsilon: Fraction | None
    levels: int
    local: Local
    improve: bool
    ties: Ties
    fairness: FairnessSpec
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        """Users' names in order."""
        return tuple(user.name for user in self.users)


# --- the blocks of the file -----------------------------------------------------------------------------------------


def _threshold(value: object) -> Fraction | None:
    what = "a number >= 0, or 'none'"
    if value == "none":
        return None
    if isinstance(value, str) and not value[:1].isdigit():
        raise expected(what, nearest(value, ["none"]))
    limit = number(value, what)
    if limit < 0:
        raise expected(what)
    return limit


def _norm(value: object) -> Norm:
    refusal = norm_refusal(value)
    if refusal is not None:
        raise expected(f"{ALLOWED_NORMS}; {value!r} {refusal}")
    if isinstance(value, int) and not isinstance(value, bool):
        if 1 <= value <= MAX_NORM:
            return value
        raise expected(f"{ALLOWED_NORMS} (an integer up to {MAX_NORM})")
    for name in NORMS:
        if value == name:
            return name
    raise expected(ALLOWED_NORMS, nearest(value, NORMS) if isinstance(value, str) else None)


class UserBlock(Block):
    """One of ``[[users]]``."""

    name: Name | None = described(None, "name, unique", without='"u1", "u2", ...')
    objective: explained(OBJECTIVES) = described(MAKESPAN, "what the user minimises")  # type: ignore[valid-type]
    jobs: Listing[Positive] = described(..., "lengths of her jobs", unit="time", min_length=1)


class MechanismBlock(RuleBlock):
    """``[mechanism]``."""

    kind = "multiuser"
    thresholds: (
        Listing[
            Annotated[
                Fraction | None,
                PlainValidator(_threshold),
                WithJsonSchema({"anyOf": [{"const": "none"}, number_schema(0)]}),
            ]
        ]
        | None
    ) = described(
        None,
        "the largest value that each user accepts, one per user in order; 'none' for no limit, which a "
        "total-completion user of lst and lst-printed has",
        unit="time",
        without=REQUIRED,
    )
    epsilon: Positive | None = described(None, "ratio of the grid minus 1", without="the exact Pareto set")
    levels: integer(1, MAX_LEVELS) = described(6, "how often the grid is refined at most")  # type: ignore[valid-type]
    local: explained(LOCALS) = described("lpt", "how a makespan user's jobs are packed alone")  # type: ignore[valid-type]
    improve: Bool = described(
        False, "let makespan users' jobs wait for others as long as that costs their users nothing"
    )
    ties: explained(TIES) = described(  # type: ignore[valid-type]
        "index", "who goes first among equal thresholds; of pareto only with epsilon"
    )

    @classmethod
    def conditions(cls) -> list[Schema]:
        """What :func:`_check_needs` says of the mechanism."""
        limited = one_of(name for name, rule in rules(cls.kind).items() if "thresholds" in rule.options)
        return [
            when(given(rule=limited), with_keys("thresholds")),
            when(given(rule=one_of(["pareto"]), ties=PRESENT), with_keys("epsilon")),
        ]


class FairnessBlock(Block):
    """``[fairness]``."""

    norm: Annotated[
        Norm,
        PlainValidator(_norm),
        WithJsonSchema({"anyOf": [{"type": "integer", "minimum": 1, "maximum": MAX_NORM}, named(NORMS)]}),
    ] = described(2, "how users' values become one number to minimise: a name, or p for the L^p norm")
    values: explained(VALUES) = described(  # type: ignore[valid-type]
        "average", "how a total-completion user enters; makespan users by their makespan"
    )
    relative_to: explained(REFERENCES) = described("none", "what values are divided by")  # type: ignore[valid-type]
    weights: Listing[Positive] | None = described(None, "factors of the users' values, in order", without="1 for each")


class MultiuserFile(Block):
    """A whole file of kind ``multiuser`` (for the JSON Schema)."""

    machines: integer(1, MAX_MACHINES) = described(  # type: ignore[valid-type]
        1, "identical machines that all share", unit="machines"
    )
    users: Listing[UserBlock] = described(..., "who has jobs, and what each minimises", min_length=1)
    mechanism: MechanismBlock = described(..., "the rule that makes the schedule, or the set of points")
    fairness: FairnessBlock = described(
        FairnessBlock,
        "what the fairest point minimises",
        without="the L^2 norm",
        json_schema_extra={USED_BY: {"mechanism.rule": sorted(FAIRNESS_RULES)}},
    )

    @classmethod
    def conditions(cls) -> list[Schema]:
        """Which rules use fairness, and what :func:`_check_fit` says."""
        total = given(objective=one_of([TOTAL]))
        spans = {"contains": where(objective=one_of([MAKESPAN]))}
        at_most_one = {"contains": total, "minContains": 0, "maxContains": 1}
        constrained = [
            where(users={"allOf": [spans, at_most_one]}),
            when(where(users={"contains": total}), where(machines={"const": 1})),
        ]
        gridded = given(rule=one_of(["pareto"]), epsilon=PRESENT)
        found = [
            when(with_keys("fairness"), where(mechanism=where(rule=one_of(FAIRNESS_RULES)))),
            when(given(mechanism={"anyOf": [given(rule=one_of(CONSTRAINED)), gridded]}), {"allOf": constrained}),
            when(given(mechanism=given(rule=one_of(TOTAL_NEEDED))), where(users={"contains": total})),
        ]
        for rule, only in ONE_OBJECTIVE.items():
            fitting = (where if only == MAKESPAN else given)(objective=one_of([only]))
            found.append(when(given(mechanism=given(rule=one_of([rule]))), where(users=every(fitting))))
        return found


class _Machines(Block):
    machines: integer(1, MAX_MACHINES) = 1  # type: ignore[valid-type]


# --- reading --------------------------------------------------------------------------------------------------------


def read(data: Mapping[str, Any], problems: Problems) -> MultiuserSpec | None:
    """Check every block and build the spec; on problems note all of them and return ``None``."""
    head = read_block(_Machines, {k: data[k] for k in ("machines",) if k in data}, "", problems)
    users = _users(data.get("users", MISSING), problems)
    mechanism, own = read_mechanism(MechanismBlock, data, problems)
    fairness = read_block(FairnessBlock, data.get("fairness", {}), "fairness", problems)
    if mechanism is not None:
        _check_needs(mechanism, data, problems)
        if head is not None and users:
            _check_fit(mechanism, head.machines, users, problems)
    n_users = len(data["users"]) if isinstance(data.get("users"), list | tuple) else None
    if n_users and mechanism is not None and mechanism.thresholds is not None:
        _check_count(mechanism.thresholds, "mechanism.thresholds", n_users, problems)
    if n_users and fairness is not None and fairness.weights is not None:
        _check_count(fairness.weights, "fairness.weights", n_users, problems)
    if head is None or mechanism is None or fairness is None or problems.found:
        return None
    return MultiuserSpec(
        head.machines,
        users,
        mechanism.rule,
        tuple(mechanism.thresholds or ()),
        mechanism.epsilon,
        mechanism.levels,
        mechanism.local,
        mechanism.improve,
        mechanism.ties,
        FairnessSpec(fairness.norm, fairness.values, fairness.relative_to, tuple(fairness.weights or ())),
        MappingProxyType(own),
    )


def _users(value: Any, problems: Problems) -> tuple[UserSpec, ...]:
    """Users in order, also those with problems, with the objective that the file gives them."""
    blocks, names = read_listed(UserBlock, value, "users", problems)
    found = []
    for i, (name, block) in enumerate(zip(names, blocks, strict=True)):
        given = value[i].get("objective") if isinstance(value[i], Mapping) else None
        assumed: Objective = TOTAL if given == TOTAL else MAKESPAN
        objective = assumed if block is None else block.objective
        found.append(UserSpec(name, objective, () if block is None else tuple(block.jobs)))
    return tuple(found)


def _check_needs(block: MechanismBlock, data: Mapping[str, Any], problems: Problems) -> None:
    """The key that the rule needs, and what it does not use besides keys."""
    needed = "thresholds" in info("multiuser", block.rule).options and block.thresholds is None
    if needed and not problems.about("mechanism.thresholds"):
        problems.add("mechanism.thresholds", MISSING, f"one threshold per user, which rule = {block.rule!r} needs")
    if block.rule == "pareto" and "ties" in data["mechanism"] and block.epsilon is None:
        problems.add("mechanism.ties", block.ties, "no ties without epsilon: the exact Pareto set has none")
    if "fairness" in data and block.rule not in FAIRNESS_RULES:
        problems.add(
            "fairness",
            data["fairness"],
            f"no [fairness] with rule = {block.rule!r}; {', '.join(sorted(FAIRNESS_RULES))} use it",
        )


def _check_count(values: list[Any], path: str, users: int, problems: Problems) -> None:
    if len(values) != users:
        problems.add(path, values, f"one per user, {users}")


def _check_fit(block: MechanismBlock, machines: int, users: tuple[UserSpec, ...], problems: Problems) -> None:
    """Whether the rule is defined for these users on so many machines."""
    rule = block.rule
    totals = [i for i, user in enumerate(users) if user.objective == TOTAL]
    spans = [i for i, user in enumerate(users) if user.objective == MAKESPAN]
    only = ONE_OBJECTIVE.get(rule)
    for i, user in enumerate(users):
        if only is not None and user.objective != only:
            what = f"{only!r}, the only objective of rule = {rule!r}"
            problems.add(join("users", i, "objective"), user.objective, what)
    if rule in CONSTRAINED or (rule == "pareto" and block.epsilon is not None):
        _check_constrained(block, machines, totals, spans, problems)


def _check_constrained(
    block: MechanismBlock, machines: int, totals: list[int], spans: list[int], problems: Problems
) -> None:
    """Rules that put deadlines on makespan users."""
    named = f"rule = {block.rule!r}" + (" with epsilon" if block.rule == "pareto" else "")
    strict = block.rule in TOTAL_NEEDED
    every = range(len(totals) + len(spans))
    unknown = any(problems.about(join("users", i, "objective")) for i in every)  # it may be the one that is wanted
    if not spans and not unknown:
        problems.add(
            "users", Said(f"{len(totals)} with objective {TOTAL!r}"), f"at least one {MAKESPAN!r} user with {named}"
        )
    if len(totals) > 1:
        problems.add(
            join("users", totals[1], "objective"), TOTAL,
            f"at most one {TOTAL!r} user with {named}: with two, deadlines are NP-hard; multimixed takes any number",
        )  # fmt: skip
    if strict and not totals and not unknown:
        problems.add(
            "users", Said(f"{len(spans)} with objective {MAKESPAN!r}"), f"one {TOTAL!r} user with {named}; or use edf"
        )
    if machines > 1 and totals:
        problems.add("machines", machines, f"1 with {named} and a {TOTAL!r} user; multimixed takes any number")
    if strict and block.thresholds is not None:
        for i in totals:
            if i < len(block.thresholds) and block.thresholds[i] is not None:
                problems.add(
                    join("mechanism.thresholds", i), block.thresholds[i],
                    f"'none' for a {TOTAL!r} user, whose total {named} makes as small as it can",
                )  # fmt: skip


FORMAT = Format(MultiuserFile, read)
