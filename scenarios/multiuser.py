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
from ..mechanisms.kinds import rules
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
    Ties,
    norm_refusal,
)
from ..support.errors import nearest
from .blocks import RuleBlock, join, read_block, read_listed, read_mechanism
from .conditions import PRESENT, Condition, every, one_of, where, with_keys, with_values
from .fields import (
    REQUIRED,
    USED_BY,
    Block,
    Bool,
    Listing,
    Name,
    Positive,
    Whole,
    bounded,
    described,
    expected,
    explained,
    integer,
    named,
    number_schema,
    read_value,
)
from .problems import MISSING, Problems, Words
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


# --- the blocks of the file -----------------------------------------------------------------------------------------


def _threshold(value: object) -> Fraction | None:
    what = "a number >= 0, or 'none'"
    if value == "none":
        return None
    if isinstance(value, str) and not value[:1].isdigit():
        raise expected(what, nearest(value, ["none"]))
    return bounded(0, False, what)(value)


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
    def conditions(cls) -> list[Condition]:
        """Keys that rules need."""
        limited = one_of(name for name, rule in rules(cls.kind).items() if "thresholds" in rule.options)
        return [
            Condition(
                with_values(rule=limited),
                with_keys("thresholds"),
                lambda table: f"one threshold per user, which rule = {table['rule']!r} needs",
            ),
            Condition(
                with_values(rule=one_of(["pareto"]), ties=PRESENT),
                with_keys("epsilon"),
                "no ties without epsilon: the exact Pareto set has none",
                at="ties",
            ),
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
    def conditions(cls) -> list[Condition]:
        """Which rules use fairness, and for which users and machines a rule is defined."""
        is_total = with_values(objective=one_of([TOTAL]))
        with_total, with_span = {"contains": is_total}, {"contains": where(objective=one_of([MAKESPAN]))}
        gridded = with_values(rule=one_of(["pareto"]), epsilon=PRESENT)
        constrained = with_values(mechanism={"anyOf": [with_values(rule=one_of(CONSTRAINED)), gridded]})
        conditions = [
            Condition(
                with_keys("fairness"),
                where(mechanism=where(rule={"anyOf": [one_of(FAIRNESS_RULES), {"pattern": ":"}]})),  # or a custom rule
                lambda file: (
                    f"no [fairness] with rule = {file['mechanism']['rule']!r}; "
                    f"{', '.join(sorted(FAIRNESS_RULES))} use it"
                ),
                at="fairness",
            ),
            Condition(
                constrained,
                where(users={**with_total, "minContains": 0, "maxContains": 1}),
                lambda file: (
                    f"at most one {TOTAL!r} user with {_rule(file)}: with two, deadlines are NP-hard; "
                    "multimixed takes any number"
                ),
                once=True,
            ),
            Condition(
                constrained,
                where(users=with_span),
                lambda file: f"at least one {MAKESPAN!r} user with {_rule(file)}",
                value=lambda file: Words(f"{len(file['users'])} with objective {TOTAL!r}"),
            ),
            Condition(
                {"allOf": [constrained, where(users=with_total)]},
                where(machines={"const": 1}),
                lambda file: f"1 with {_rule(file)} and a {TOTAL!r} user; multimixed takes any number",
            ),
            Condition(
                with_values(mechanism=with_values(rule=one_of(TOTAL_NEEDED))),
                where(users=with_total),
                lambda file: f"one {TOTAL!r} user with {_rule(file)}; or use edf",
                value=lambda file: Words(f"{len(file['users'])} with objective {MAKESPAN!r}"),
            ),
        ]
        for rule, only in ONE_OBJECTIVE.items():
            fitting = (where if only == MAKESPAN else with_values)(objective=one_of([only]))
            what = f"{only!r}, the only objective of rule = {rule!r}"
            conditions.append(
                Condition(with_values(mechanism=with_values(rule=one_of([rule]))), where(users=every(fitting)), what)
            )
        return conditions


def _rule(file: Mapping[str, Any]) -> str:
    rule = file["mechanism"]["rule"]
    return f"rule = {rule!r}" + (" with epsilon" if rule == "pareto" else "")


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
    fairness: FairnessBlock
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        """Users' names in order."""
        return tuple(user.name for user in self.users)


# --- reading --------------------------------------------------------------------------------------------------------


def read(data: Mapping[str, Any], problems: Problems) -> MultiuserSpec | None:
    """Check every block and build the spec; on problems note all of them and return ``None``."""
    machines = read_value(data.get("machines", 1), Whole(1, MAX_MACHINES).read, "machines", problems)
    users = _users(data.get("users", MISSING), problems)
    mechanism, own = read_mechanism(MechanismBlock, data, problems)
    fairness = read_block(FairnessBlock, data.get("fairness", {}), "fairness", problems)
    if mechanism is not None and mechanism.rule in TOTAL_NEEDED:
        _check_unlimited(mechanism, users, problems)
    n_users = len(data["users"]) if isinstance(data.get("users"), list | tuple) else None
    for block, path, key in ((mechanism, "mechanism", "thresholds"), (fairness, "fairness", "weights")):
        values = getattr(block, key, None)
        if n_users and values is not None and len(values) != n_users:
            problems.add(join(path, key), values, f"one per user, {n_users}")
    if machines is None or mechanism is None or fairness is None or problems.noted:
        return None
    return MultiuserSpec(
        machines,
        users,
        mechanism.rule,
        tuple(mechanism.thresholds or ()),
        mechanism.epsilon,
        mechanism.levels,
        mechanism.local,
        mechanism.improve,
        mechanism.ties,
        fairness,
        MappingProxyType(own),
    )


def _users(value: Any, problems: Problems) -> tuple[UserSpec, ...]:
    """Users in order, also those with problems, with the objective that the file gives them."""
    blocks, names = read_listed(UserBlock, value, "users", problems)
    users = []
    for i, (name, block) in enumerate(zip(names, blocks, strict=True)):
        objective_text = value[i].get("objective") if isinstance(value[i], Mapping) else None
        assumed: Objective = TOTAL if objective_text == TOTAL else MAKESPAN
        objective = assumed if block is None else block.objective
        users.append(UserSpec(name, objective, () if block is None else tuple(block.jobs)))
    return tuple(users)


def _check_unlimited(block: MechanismBlock, users: tuple[UserSpec, ...], problems: Problems) -> None:
    """No limit for the user whose total the rule makes as small as it can."""
    for i, (user, limit) in enumerate(zip(users, block.thresholds or (), strict=False)):
        if user.objective == TOTAL and limit is not None:
            what = f"'none' for a {TOTAL!r} user, whose total rule = {block.rule!r} makes as small as it can"
            problems.add(join("mechanism.thresholds", i), limit, what)


FORMAT = Format(MultiuserFile, read)
