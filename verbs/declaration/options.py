"""Options of the verbs on scenarios of kind ``declaration``."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Annotated, Any, Final

from pydantic import PlainValidator, WithJsonSchema

from ...games.design import CONDITIONS, MAXIMISED, MINIMISED
from ...games.verification.domain import CONCEPTS, Concept
from ...games.verification.results import METHODS, PROPERTIES
from ...mechanisms.declaration.claims import CLAIMS, GROUPS
from ...scenarios.fields import Bool, NonNegative, Positive, bounded, choice, expected, number, number_schema
from ...support.errors import InputError, join_names, nearest, unknown_name
from ..game.options import BEST_RESPONSE, DYNAMICS, NOTIONS
from ..game.options import Search as GameSearch
from ..options import (
    COMPARED,
    LIMITED,
    MOST,
    WORKERS,
    Count,
    CountOrNone,
    Field,
    Flag,
    Memory,
    NameText,
    Numbers,
    Options,
    Path,
    Ratio,
    Rules,
    Sample,
    Seconds,
    Seed,
    Switch,
    WithRule,
    Workers,
    listed,
    whole,
)

NOT_ASKED = "not-asked"
"""Limit of a statement that was not to be proved."""
BAYESIAN: Final = "bayesian"
"""The property that asks about expectations under the scenario's prior."""
REAL: Final = "best-response-over-reals"
"""Dynamics whose strategies are all positive declarations."""
GROUP_PROPERTIES: Final[Mapping[str, Concept]] = {f"group-{concept}": concept for concept in CONCEPTS}
"""Properties of coalitions, and the concept of each."""
MEMORY = "Memory that may be taken, as predicted, e.g. 8GiB; default: 2GiB."
SAMPLE = "Try so many random cases (at most 10,000,000) instead of all of them."


def _sizes(value: object) -> Any:
    """A largest size, or the sizes meant."""
    many = isinstance(value, list | tuple)
    sizes: Any = value if many else [value]
    if not sizes or not all(isinstance(v, int) and not isinstance(v, bool) and 1 <= v <= MOST for v in sizes):
        raise expected("the largest size of a coalition, an integer >= 1, or a list of sizes")
    if len(set(sizes)) < len(sizes):
        raise expected("each size once")
    return tuple(sizes) if many else value


def _written_sizes(text: str) -> object:
    """``3`` on the command line, or ``2,3``."""
    return [whole(part) for part in listed(text)] if "," in text else whole(text)


_SIZE: Final = {"type": "integer", "minimum": 1, "maximum": MOST}
Sizes = Annotated[
    Any,
    PlainValidator(_sizes),
    WithJsonSchema({"anyOf": [_SIZE, {"type": "array", "items": _SIZE, "minItems": 1, "uniqueItems": True}]}),
    Flag("K", _written_sizes),
]
"""Coalitions of 1 to K agents, or of the sizes listed."""


class Run(WithRule):
    """``run``."""


class Search(WithRule, GameSearch):
    """``search``."""

    dynamics: Annotated[choice(*DYNAMICS, REAL), Flag("NAME")] = Field(  # type: ignore[valid-type]
        BEST_RESPONSE,
        description=f"How players go on: {', '.join(DYNAMICS)} or {REAL} (any positive number).",
        group="Dynamics",
    )
    bayesian: Switch = Field(
        False, description="Also the Bayes-Nash equilibria under the scenario's [prior].", group="Equilibria"
    )


class Verify(WithRule):
    """``verify``."""

    property: NameText = Field(
        "dominant",
        description="Whose verdict counts: dominant, ex-post, bayesian, group-dominant, just, ...",
        group="Question",
    )
    coalitions: Sizes | None = Field(
        None,
        description="Also whether coalitions gain by a joint lie: of up to K agents, or of the sizes K,K,...",
        group="Question",
    )
    notion: Annotated[choice(*NOTIONS), Flag("NAME")] = Field(  # type: ignore[valid-type]
        "all-gain",
        description="When a joint lie pays a coalition: all-gain, none-lose or total.",
        group="Question",
        rare=True,
    )
    method: Annotated[choice(*METHODS), Flag("NAME")] = Field(  # type: ignore[valid-type]
        "auto", description=f"How to check: {', '.join(METHODS[:-1])} or {METHODS[-1]}.", group="Cases", rare=True
    )
    sample: Sample | None = Field(None, description=SAMPLE, group="Cases")
    seed: Seed = Field(0, description="Random seed of the sample.", group="Cases")
    max_bytes: Memory | None = Field(None, description=MEMORY, group="Limits", rare=True)
    time_limit: Seconds | None = Field(None, description=LIMITED, group="Limits")


def verified_property(options: Verify) -> str:
    """The property whose verdict counts. Raises UnknownNameError."""
    name = options.property.replace("_", "-")
    names = (*CONCEPTS, *GROUP_PROPERTIES, BAYESIAN, *(each.replace("_", "-") for each in PROPERTIES))
    if name not in names:
        raise unknown_name("property", options.property, names)
    return name


class Prove(WithRule):
    """``prove``."""

    property: NameText | None = Field(
        None,
        description="Prove only this: dominant, ex-post, just, ...; default: everything, dominant's verdict counts.",
        group="Question",
    )
    symbol: Annotated[NameText, Flag("PATH=NAME")] | None = Field(
        None, description="Also for which values of a number it holds, as in mechanism.penalty=p.", group="Question"
    )
    gain_at_most: Annotated[NonNegative, Flag("NUMBER")] | None = Field(
        None,
        description="Let lies gain up to so many times the liar's length: dominant and ex-post hold where none gains "
        "more.",
        group="Question",
    )
    regions: Annotated[Bool, Flag("", drawing=True)] = Field(
        False,
        description="Also all regions of lengths in which a lie pays, as inequalities, and how many times the liar's "
        "length it gains at most; --plot draws them, the others as in the lie found.",
        group="Output",
    )
    certificate: Path | None = Field(None, description="Write the certificate here (.json or .json.gz).")
    processes: Workers = Field(1, description=WORKERS, group="Limits")
    time_limit: Seconds | None = Field(None, description=LIMITED, group="Limits")


def proved_property(options: Prove) -> str:
    """The property whose verdict counts. Raises InputError for one that is tried case by case, or UnknownNameError."""
    name = "dominant" if options.property is None else options.property.replace("_", "-")
    names = tuple(claim for claim in CLAIMS if claim not in GROUPS)
    if name in (*GROUP_PROPERTIES, *GROUPS, BAYESIAN):
        raise InputError(
            f"property: found {name!r}, which verify tries case by case; expected one of {join_names(names)}"
        )
    if name not in names:
        raise unknown_name("property", str(options.property), names)
    return name


CAP: Final = "cap"


def features(text: str) -> list[str]:
    """Features of a template, split at commas outside parentheses.

    >>> features("S, max(own, 2), E")
    ['S', 'max(own, 2)', 'E']
    """
    parts, depth = [""], 0
    for sign in text:
        depth += (sign == "(") - (sign == ")")
        if sign == "," and not depth:
            parts.append("")
        else:
            parts[-1] += sign
    return [part.strip() for part in parts]


def _features(value: object) -> tuple[str, ...]:
    """Texts of features; what they say is read where the numbers of agents is known."""
    parts: list[Any] = list(value) if isinstance(value, list | tuple) else [value]
    if not parts or not all(isinstance(part, str) and part for part in parts):
        raise expected("features such as S, E or max(own, E), one text each")
    return tuple(parts)


def _conditions(value: object) -> tuple[str, ...]:
    """Names of conditions, one of them perhaps with a number: ``cap=9/2``."""
    listed_names: list[Any] = list(value) if isinstance(value, list | tuple) else [value]
    what = f"some of {', '.join(each for each in CONDITIONS if each != CAP)}, cap=NUMBER"
    for each in listed_names:
        name, _, amount = str(each).partition("=")
        if not isinstance(each, str) or name not in CONDITIONS or bool(amount) != (name == CAP):
            raise expected(what, nearest(name, CONDITIONS))
        if amount:
            number(amount, what)
    if len({each.partition("=")[0] for each in listed_names}) < len(listed_names):
        raise expected("each condition once")
    return tuple(listed_names)


def _payments(value: object) -> str | Fraction:
    """``any``, ``none``, or a fine."""
    what = "any, none, or the fine for a lie that is seen, a number >= 0"
    if value in ("any", "none"):
        return str(value)
    return bounded(0, False, what)(value)


Conditions = Annotated[
    tuple[str, ...],
    PlainValidator(_conditions),
    WithJsonSchema({"type": "array", "items": {"type": "string"}, "uniqueItems": True}),
    Flag("NAME,NAME,...", lambda text: listed(text) if text else []),
]
"""What payments have to be besides."""
Fine = Annotated[
    str | Fraction,
    PlainValidator(_payments),
    WithJsonSchema({"anyOf": [{"enum": ["any", "none"]}, number_schema(0)]}),
    Flag("any|none|NUMBER"),
]
Features = Annotated[
    tuple[str, ...],
    PlainValidator(_features),
    WithJsonSchema({"type": "array", "items": {"type": "string"}, "minItems": 1}),
    Flag("FEATURE,FEATURE,...", features),
]
"""What a formula of prices is a sum of."""


class Design(WithRule):
    """``design``."""

    least: Annotated[choice(*MINIMISED), Flag("NAME")] | None = Field(  # type: ignore[valid-type]
        None, description=f"What is to be least: {', '.join(MINIMISED)}; default: rent.", group="Question"
    )
    most: Annotated[choice(*MAXIMISED), Flag("NAME")] | None = Field(  # type: ignore[valid-type]
        None, description=f"What is to be most instead: {' or '.join(MAXIMISED)}.", group="Question"
    )
    subject_to: Conditions = Field(
        ("no-deficit",),
        description=f"Conditions: {', '.join(CONDITIONS[:-2])}, cap=NUMBER, anonymous.",
        group="Question",
    )
    concept: Annotated[choice(*CONCEPTS), Flag("NAME")] = Field(  # type: ignore[valid-type]
        "dominant", description="When the truth has to be best: dominant or ex-post.", group="Question"
    )
    payments: Fine = Field(
        "any", description="any, none, or the fine that a lie costs besides where it is seen.", group="Question"
    )
    allocation: Annotated[choice("rule", "any", "lottery"), Flag("NAME")] = Field(  # type: ignore[valid-type]
        "rule",
        description="Who runs where: the rule's, any, or a lottery; designed too unless the rule's.",
        group="Question",
    )
    template: Features | None = Field(
        None,
        description="For all lengths: a price that is a sum of these; default where [domain] is an interval: "
        "S,W,E,own,all.",
        group="Question",
    )
    penalty_template: Features | None = Field(
        None,
        description="For all lengths, with the rule's own payments: a penalty, the wait of a job longer than declared, "
        "that is a sum of these.",
        group="Question",
        rare=True,
    )
    per_agent: Switch = Field(
        False, description="With a template: a formula for each agent, not one for all.", group="Question", rare=True
    )
    frontier: Switch = Field(
        False, description="With a designed allocation also what less rent costs.", group="Question", rare=True
    )
    certificate: Path | None = Field(None, description="Write the certificate here (.json or .json.gz).")
    output: Path | None = Field(None, description="Write the scenario under the rule found here (.toml).")
    time_limit: Seconds | None = Field(None, description=LIMITED, group="Limits")


class Compare(Options):
    """``compare``."""

    rules: Rules | None = Field(None, description=COMPARED, group="Question")
    sample: Sample | None = Field(None, description=SAMPLE, group="Cases")
    seed: Seed = Field(0, description="Random seed of the sample.", group="Cases")
    max_bytes: Memory | None = Field(None, description=MEMORY, group="Limits", rare=True)
    time_limit: Seconds | None = Field(None, description=LIMITED, group="Limits")


class Curve(WithRule):
    """``curve``."""

    agent: Annotated[NameText, Flag("AGENT", positional=True)] = Field(description="Whose declaration varies.")
    low: Annotated[Ratio, Flag("NUMBER", name="from")] | None = Field(
        None, description="Smallest declaration; default: half the smallest number of the file.", group="Question"
    )
    high: Annotated[Ratio, Flag("NUMBER", name="to")] | None = Field(
        None, description="Largest declaration; default: twice the largest number of the file.", group="Question"
    )
    width: Annotated[Positive, Flag("NUMBER")] | None = Field(
        None, description="Width of intervals where breakpoints cannot be exact.", group="Question", rare=True
    )
    list: CountOrNone | None = Field(None, description="Pieces to list; default: all of them.", group="Limits")
    time_limit: Seconds | None = Field(None, description=LIMITED, group="Limits")


class Import(Options):
    """``import``: agents whose jobs are real run times of distinct users."""

    agents: Count = Field(6, description="How many agents.", group="Scenario")
    machines: Count | None = Field(None, description="Machines of power 1; default 3.", group="Scenario")
    powers: Numbers | None = Field(None, description="Power of each machine, e.g. 1,3/2.", group="Scenario", rare=True)
    rule: NameText = Field("vcg-postpone", description="The mechanism's rule to start with.", group="Scenario")
    by: NameText = Field("user", description="Whose jobs: user, group, queue, partition or account.", group="Jobs")
    unit: Count = Field(1, description="Seconds per unit of length, rounded up.", group="Jobs", rare=True)
    seed: Seed | None = Field(None, description="Random seed; without one the documented choice is made.", group="Jobs")
    prior: Count | None = Field(
        None,
        description="Also [prior]: how long jobs of each are in the log, in at most so many lengths.",
        group="Scenario",
        rare=True,
    )
