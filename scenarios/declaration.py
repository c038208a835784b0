"""Kind ``declaration``: agents declare the length of their job to the owner of a cluster (Agmon 2003).

The blocks below are the file format; :func:`read` checks them and builds a :class:`DeclarationSpec`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, Final

from pydantic import PlainValidator, WithJsonSchema

from ..mechanisms.declaration.catalogue import (
    BY_TOOL,
    CUTOFF_NEEDED,
    CUTOFFS,
    DESIGNS,
    HOLDBACKS,
    NAME_PATTERN,
    NUMBER_PATTERN,
    PENALTIES,
    POSTPONE_PENALTIES,
    RENICE_PENALTIES,
    SUM_ONLY,
    SUM_PENALTY,
    TOOLS,
    default_penalty,
)
from ..mechanisms.declaration.claims import INDEX_GOALS
from ..scheduling.goals import goals
from ..scheduling.welfare import Goal
from ..support.errors import nearest
from .blocks import RuleBlock, join, read_block, read_listed, read_mechanism
from .conditions import Condition, Schema, one_of, where, with_keys, with_values, without
from .designed import Prices, Rows, check_expression, read_price, read_table
from .domain import (
    DomainBlock,
    DomainSpec,
    IntervalSpec,
    PriorBlock,
    PriorSpec,
    agreed_domain,
    read_domain,
    read_prior,
)
from .fields import (
    IN_PLACE,
    UNIT,
    WITHOUT,
    Block,
    Listing,
    Name,
    Number,
    Positive,
    bounded,
    choose,
    described,
    expected,
    explained,
    integer,
    named,
    number,
    number_schema,
)
from .problems import MISSING, Problems, Words
from .scenario import Format
from .welfare import WelfareBlock, WelfareSpec, read_goal, read_welfare

if TYPE_CHECKING:
    from ..mechanisms.declaration.prices import Table


@dataclass(frozen=True)
class Strategy:
    """How an agent declares: ``kind`` is ``truthful``, ``fixed``, ``scale`` or ``best-reply``."""

    kind: str = "truthful"
    amount: Fraction | None = None


@dataclass(frozen=True)
class AgentSpec:
    """One agent: private length, strategy, and the value of her output."""

    name: str
    length: Fraction
    strategy: Strategy
    value: Fraction


STRATEGIES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "truthful": "her length",
        "best-reply": "of her declarations in [domain] the one that pays most against the others'",
    }
)
Penalty = str | Fraction | tuple[Fraction, ...]


@dataclass(frozen=True)
class DeclarationSpec:
    """A checked scenario of kind ``declaration``; ``options``: what a rule of another distribution is made with."""

    powers: tuple[Fraction, ...]
    agents: tuple[AgentSpec, ...]
    rule: str
    penalty: Penalty | None
    cutoff: tuple[str, Fraction] | None
    rounds: int
    holdback: str
    welfare: WelfareSpec
    domain: DomainSpec | IntervalSpec | None
    options: Mapping[str, Any] = field(default_factory=dict)
    prior: PriorSpec | None = None
    tool: str | None = None
    price: str | tuple[str, ...] | None = None
    table: Table | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """Agents' names in order."""
        return tuple(agent.name for agent in self.agents)


# --- the blocks of the file -----------------------------------------------------------------------------------------


def _strategy(value: object) -> Strategy:
    what = "'truthful', 'best-reply' or { scale = NUMBER }"
    if isinstance(value, str):
        if value in STRATEGIES:
            return Strategy(value)
        raise expected(what, nearest(value, STRATEGIES))
    if isinstance(value, Mapping) and set(value) == {"scale"}:
        return Strategy("scale", bounded(0, True, "{ scale = NUMBER } with a number > 0")(value["scale"]))
    raise expected(what)


PENALTY_OF_RENICE: Final = ("the share at which a job longer than declared runs on", "share of the machine")
"""What a penalty is, and its unit."""
PENALTY_OF_POSTPONE: Final = ("how long the rest of a job longer than declared waits", "time")
_NUMBERS: Final = "a number for all, or one per agent; the glossary explains the letters"


def _penalty(value: object) -> Penalty:
    what = "the name of a penalty, a number >= 0, a list of numbers >= 0, one per agent, or an expression"
    if isinstance(value, str) and not re.match(NUMBER_PATTERN, value):
        names = sorted({*RENICE_PENALTIES, *POSTPONE_PENALTIES})
        if re.match(NAME_PATTERN, value) and value not in names:
            more = "a number, a list of numbers, or an expression"
            raise expected(f"one of {', '.join(names)}, {more}", nearest(value, names))
        return value
    listed = value if isinstance(value, list | tuple) else [value]
    amounts = tuple(number(item, what) for item in listed)
    if any(amount < 0 for amount in amounts):
        raise expected(what)
    return amounts if isinstance(value, list | tuple) else amounts[0]


def _cutoff(value: object) -> tuple[str, Fraction]:
    what = "{ difference = NUMBER } or { absolute = NUMBER } with a number > 0"
    if not isinstance(value, Mapping) or len(value) != 1 or next(iter(value)) not in CUTOFFS:
        raise expected(what)
    ((kind, amount),) = value.items()
    return kind, bounded(0, True, what)(amount)


def _table_of_one(keys: Mapping[str, str]) -> Schema:
    """A table with one of these keys, a number > 0, each with what it means."""
    keys_schema = {name: {"description": about, **number_schema(0, strict=True)} for name, about in keys.items()}
    return {IN_PLACE: True, "type": "object", "minProperties": 1, "maxProperties": 1, "additionalProperties": False,
            "properties": keys_schema}  # fmt: skip


_EXPRESSION: Final[Schema] = {"type": "string", "not": {"pattern": f"{NAME_PATTERN}|{NUMBER_PATTERN}"}}


def _penalties(meanings: Mapping[str, str], amount: Schema, expression: bool) -> Schema:
    more = [_EXPRESSION] if expression else []
    return {"anyOf": [named(meanings), amount, {"type": "array", "items": amount}, *more]}


_EVERY_PENALTY: Final = {
    name: "; ".join(
        f"{tool}: {names[name]}"
        for tool, names in (("renice", RENICE_PENALTIES), ("postpone", POSTPONE_PENALTIES))
        if name in names
    )
    for name in {**RENICE_PENALTIES, **POSTPONE_PENALTIES}
}


class ClusterBlock(Block):
    """``[cluster]``."""

    powers: Listing[Positive] = described(..., "power of each machine", unit="work per unit of time", min_length=1)


class AgentBlock(Block):
    """One of ``[[agents]]``."""

    name: Name | None = described(None, "name, unique", without='"a1", "a2", ...')
    length: Positive = described(..., "private length of the job", unit="work")
    declares: Positive | None = described(
        None, "declared length; not besides strategy", unit="work", without="the truth"
    )
    strategy: Annotated[
        Strategy | None,
        PlainValidator(_strategy),
        WithJsonSchema({"anyOf": [named(STRATEGIES), _table_of_one({"scale": "so many times her length"})]}),
    ] = described(None, "how she chooses her declaration; or declares", without='"truthful"')
    value: Number = described(Fraction(0), "what the output is worth to the agent, whenever she gets it", unit="time")

    @classmethod
    def conditions(cls) -> list[Condition]:
        """Declares or strategy."""
        return [Condition(with_keys("declares"), without("strategy"), "declares or strategy, not both")]


class MechanismBlock(RuleBlock):
    """``[mechanism]``."""

    kind = "declaration"
    tool: Annotated[str | None, PlainValidator(lambda value: choose(value, TOOLS)), WithJsonSchema(named(TOOLS))] = (
        described(None, "what happens to a job longer than declared, to gaps and to outputs", without='"postpone"')
    )
    price: Prices | None = described(
        None,
        "what everybody pays: an expression in S, W, E, own, all, other(k), max and min, or one by agent; or table",
        unit="time",
        without="a table must be given",
    )
    table: Rows | None = described(
        None, "a row for every profile of declarations; or price", min_length=1, without="a price must be given"
    )
    penalty: Annotated[
        Penalty | None,
        PlainValidator(_penalty),
        WithJsonSchema(_penalties(_EVERY_PENALTY, number_schema(0), True)),
    ] = described(
        None,
        f"with renice {PENALTY_OF_RENICE[0]}, > 0 and <= 1; with postpone {PENALTY_OF_POSTPONE[0]}, which may be an "
        f"expression as of price; {_NUMBERS}",
        unit=f"{PENALTY_OF_RENICE[1]}, or {PENALTY_OF_POSTPONE[1]}",
        without='"repaired" for renice, "exact" for postpone, or 0 where the payments need no wait',
    )
    cutoff: Annotated[
        tuple[str, Fraction] | None,
        PlainValidator(_cutoff),
        WithJsonSchema(_table_of_one(CUTOFFS)),
    ] = described(None, "how much work a job may take before it is killed", unit="work", without="no limit")
    rounds: integer(1, 2) = described(  # type: ignore[valid-type]
        1, "2: everybody hears her price first, and whoever finds it above her value leaves"
    )
    holdback: explained(HOLDBACKS) = described(  # type: ignore[valid-type]
        "repaired", "of two rounds: how long a liar who stays waits for her output"
    )

    @classmethod
    def conditions(cls) -> list[Condition]:
        """The job control and the penalties of each rule, the cut-off that one needs, and what is designed."""
        designed = with_values(rule=one_of(["designed"]))
        conditions = [
            Condition(
                designed, {"anyOf": [with_keys("price"), with_keys("table")]}, "an expression, or table", "price"
            ),
            Condition(with_keys("price"), without("table"), "price or table, not both"),
            Condition(
                with_values(penalty=_EXPRESSION),
                where(rounds={"const": 1}),
                "1 with an expression as penalty",
                "rounds",
            ),
        ]
        for rule in PENALTIES:
            design, of_rule = DESIGNS[rule], with_values(rule=one_of([rule]))
            if not design.tools:
                conditions += _of_tool(rule, design.tool, of_rule)
                continue
            tools = named({tool: TOOLS[tool] for tool in design.tools})
            penalty = {**_penalties(_EVERY_PENALTY, number_schema(0), True), WITHOUT: _default(rule)}
            conditions.append(Condition(of_rule, where(penalty=penalty)))
            conditions.append(Condition(of_rule, where(tool=tools), f"one of {', '.join(design.tools)}"))
            without_tool = {**of_rule, "properties": {**of_rule["properties"], "tool": {"type": "null"}}}
            conditions += _of_tool(rule, design.tool, without_tool)
            for tool in design.tools:
                conditions += _of_tool(rule, tool, with_values(rule=one_of([rule]), tool=one_of([tool])))
        conditions += [
            Condition(
                {
                    **with_values(rule=_POSTPONE, penalty=one_of([penalty])),
                    **where(rule=_POSTPONE, penalty=one_of([penalty]), tool={"const": "postpone"}),
                },
                with_values(cutoff=with_keys(needed)),
                f"{{ {needed} = NUMBER }}, which penalty = {penalty!r} needs",
                at="cutoff",
                value=lambda table: next(iter(table.get("cutoff") or {}), MISSING),
            )
            for penalty, needed in CUTOFF_NEEDED.items()
        ]
        return conditions


def _of_tool(rule: str, tool: str, when: Schema) -> list[Condition]:
    """Under a job control: the penalties that fit, or that there is none, and whether work can be cut off."""
    what = f"rule = {rule!r}" if not DESIGNS[rule].tools else f"tool = {tool!r}"
    bounded = [] if tool == "postpone" else [Condition(when, without("cutoff"), f"no cut-off with {what}")]
    if tool not in BY_TOOL:
        return [Condition(when, without("penalty"), f"no penalty with {what}"), *bounded]
    fitting, renice = BY_TOOL[tool], tool == "renice"
    amount = number_schema(0, strict=True, maximum=1) if renice else number_schema(0)
    about, unit = PENALTY_OF_RENICE if renice else PENALTY_OF_POSTPONE
    notes = {WITHOUT: _default(rule, tool), UNIT: unit, "description": f"{about}; {_NUMBERS}"}
    named_one = {**when, "properties": {**when["properties"], "penalty": one_of(_EVERY_PENALTY)}}
    return [
        Condition(when, where(penalty=_penalties(fitting, amount, not renice) | notes)),
        Condition(
            {**named_one, "required": [*when["required"], "penalty"]},
            where(penalty={"enum": list(fitting)}),
            f"with {what} one of {', '.join(fitting)}",
        ),
        *bounded,
    ]


def _default(rule: str, tool: str | None = None) -> str:
    """The penalty that holds without one, as a file has it."""
    own = default_penalty(rule, tool)
    return f'"{own}"' if isinstance(own, str) else str(own)


_POSTPONE = one_of(rule for rule, fitting in PENALTIES.items() if fitting is POSTPONE_PENALTIES)


class DeclarationFile(Block):
    """A whole file of kind ``declaration`` (for the JSON Schema)."""

    cluster: ClusterBlock = described(..., "the machines of the one owner")
    agents: Listing[AgentBlock] = described(..., "who declares; each agent has one job", min_length=1)
    mechanism: MechanismBlock = described(..., "the rule: who runs when, who pays what, what happens to who lied")
    welfare: WelfareBlock = described(
        WelfareBlock,
        "what the institution maximises",
        without="the sum of output times, negated",
    )
    domain: DomainBlock = described(
        DomainBlock,
        "which lengths and declarations verify and search try",
        without="all lengths and declarations of the agents, for everybody",
    )
    prior: PriorBlock | None = described(
        None, "what everybody believes of the others' lengths, for verify and search", without="no beliefs"
    )

    @classmethod
    def conditions(cls) -> list[Condition]:
        """Rules and a penalty for the goal ``sum`` only."""
        by_sum = where(welfare=where(goal=one_of(name for name, goal in goals().items() if goal.by_sum)))
        return [
            Condition(
                with_values(mechanism=with_values(rule=one_of(SUM_ONLY))),
                by_sum,
                lambda file: f"'sum', the only goal of rule = {file['mechanism']['rule']!r}; evcg-* take any goal",
                at="welfare.goal",
            ),
            Condition(
                with_values(mechanism=with_values(rule=_POSTPONE, penalty=one_of([SUM_PENALTY]))),
                by_sum,
                f"goal = 'sum', the only goal for which {SUM_PENALTY!r} is enough",
                at="mechanism.penalty",
            ),
        ]


# --- reading --------------------------------------------------------------------------------------------------------


def read(data: Mapping[str, Any], problems: Problems) -> DeclarationSpec | None:
    """Check every block and build the spec; on problems note all of them and return ``None``."""
    cluster = read_block(ClusterBlock, data.get("cluster", MISSING), "cluster", problems)
    agents, names = read_listed(AgentBlock, data.get("agents", MISSING), "agents", problems)
    mechanism, options = read_mechanism(MechanismBlock, data, problems)
    welfare = read_welfare(data.get("welfare", {}), problems)
    goal = read_goal(welfare, data.get("welfare", {}), names, problems) if welfare else None
    price = table = None
    if mechanism:
        _check_penalty(mechanism, names, problems)
        _check_bystander(mechanism, cluster, len(names), goal, problems)
        price = read_price(mechanism.price, names, problems)
        table = read_table(mechanism.table, names, 0 if cluster is None else len(cluster.powers), problems)
    own = [(agent.length,) if agent else () for agent in agents]
    prior = read_prior(data, own, names, problems)
    domain = read_domain(data, prior.support if prior else own, names, problems)
    domain = agreed_domain(prior, domain, names, problems)
    specs = tuple(
        None
        if a is None
        else AgentSpec(
            names[i], a.length, Strategy("fixed", a.declares) if a.declares else a.strategy or Strategy(), a.value
        )
        for i, a in enumerate(agents)
    )
    if mechanism:
        _check_absolute(mechanism.cutoff, specs, domain, problems)
    whole = tuple(agent for agent in specs if agent is not None)
    if cluster is None or mechanism is None or welfare is None or goal is None or problems.noted or not whole:
        return None
    return DeclarationSpec(
        tuple(cluster.powers),
        whole,
        mechanism.rule,
        mechanism.penalty if mechanism.penalty is not None else default_penalty(mechanism.rule, mechanism.tool),
        mechanism.cutoff,
        mechanism.rounds,
        mechanism.holdback,
        WelfareSpec(goal, welfare.ties),
        domain,
        MappingProxyType(options),
        prior,
        mechanism.tool,
        price,
        table,
    )


def _check_bystander(
    block: MechanismBlock, cluster: ClusterBlock | None, n_agents: int, goal: Goal | None, problems: Problems
) -> None:
    """Where that rule is defined."""
    if block.rule != "bystander":
        return
    if cluster is not None and len(cluster.powers) > 1:
        problems.add("cluster.powers", list(cluster.powers), "one machine, for which rule = 'bystander' is defined")
    if 0 < n_agents < 3:
        problems.add("agents", Words(f"{n_agents} agents"), "at least three with rule = 'bystander'")
    if goal is not None and goal.id not in INDEX_GOALS:
        problems.add("welfare.goal", goal.id, f"one of {', '.join(sorted(INDEX_GOALS))}, with rule = 'bystander'")


def _check_penalty(block: MechanismBlock, names: list[str], problems: Problems) -> None:
    """A number per agent, and shares that are shares: fractions as texts, which a schema cannot compare."""
    tool = block.tool or (DESIGNS[block.rule].tool if block.rule in DESIGNS else "")
    penalty = block.penalty
    if tool not in BY_TOOL or penalty is None or penalty in _EVERY_PENALTY:
        return
    if isinstance(penalty, str):
        if tool == "renice":
            problems.add("mechanism.penalty", penalty, "a name, or shares > 0 and <= 1, which an expression is not")
        elif names:
            check_expression(penalty, "mechanism.penalty", len(names), problems, "a name, numbers, or ")
        return
    amounts = penalty if isinstance(penalty, tuple) else (penalty,)
    if isinstance(penalty, tuple) and names and len(penalty) != len(names):
        problems.add("mechanism.penalty", list(penalty), f"one number per agent, {len(names)} in all")
    if tool == "renice" and any(not 0 < amount <= 1 for amount in amounts):
        problems.add("mechanism.penalty", list(amounts) if len(amounts) > 1 else amounts[0], "shares > 0 and <= 1")


def _check_absolute(
    cutoff: tuple[str, Fraction] | None,
    agents: tuple[AgentSpec | None, ...],
    domain: DomainSpec | IntervalSpec | None,
    problems: Problems,
) -> None:
    if cutoff is None or cutoff[0] != "absolute":
        return
    for i, agent in enumerate(agents):
        if agent is None or any(problems.about(join("agents", i, key)) for key in ("declares", "strategy")):
            continue
        declared = {
            "fixed": agent.strategy.amount,
            "scale": agent.length * (agent.strategy.amount or 1),
            "truthful": agent.length,
        }.get(agent.strategy.kind)
        if declared is not None and declared > cutoff[1]:
            whose = f"agents[{i + 1}] declares {declared}"
            problems.add("mechanism.cutoff", cutoff[1], f"an absolute cut-off of at least every declaration ({whose})")
            return
    if not isinstance(domain, DomainSpec):
        return  # of all real numbers those that the rule refuses are outside its own domain
    rows = {id(row): row for row in (*domain.declarations, *domain.lengths)}  # most are one object
    grid = max((b for row in rows.values() for b in row), default=Fraction(0))
    if grid > cutoff[1]:
        problems.add(
            "mechanism.cutoff", cutoff[1], f"an absolute cut-off of at least every declaration of [domain], {grid}"
        )


FORMAT = Format(DeclarationFile, read)
