"""The keys of a study file, each checked by itself, and the JSON Schema that is made of them.

>>> from consortium.scenarios.problems import Problems
>>> problems = Problems()
>>> read_listed_blocks(PlotBlock, [{"x": "family.jobs", "y": "anarchy", "kind": "pie"}], "plots", problems)
[]
>>> print(problems.noted[0])
plots[1].kind: found 'pie'; expected one of bar, box, histogram, line, scatter
>>> schema()["properties"]["kind"]["const"], "replicates" in schema()["properties"]
('study', True)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import partial
from types import MappingProxyType
from typing import Annotated, Any, Final, TypeVar

from pydantic import PlainValidator, WithJsonSchema

from ..scenarios.blocks import join, read_block
from ..scenarios.fields import (
    WITHOUT,
    Block,
    Bool,
    Name,
    Whole,
    described,
    expected,
    explained,
    integer,
    integer_schema,
    named,
    number,
    number_schema,
    read_value,
)
from ..scenarios.problems import Problems
from ..scenarios.scenario import plain
from ..scenarios.schema import with_words
from ..support.numbers import MEANINGS
from ..verbs.options import MOST
from .statistics import PERCENTILES, STATISTICS, statistic

VERSION: Final = 1
KIND: Final = "study"
REPLICATES_MAX: Final = 10**9
EACH: Final = "all"
"""The number of replicates that stands for all members of a family, each once."""
PLOT_KINDS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "bar": "a bar for each value of x, as high as the mean",
        "box": "a box for each value of x: quartiles, median, range",
        "histogram": "how often y has which value",
        "line": "the mean of y over x, with an interval",
        "scatter": "a point for each task",
    }
)


def _statistics(value: object) -> tuple[str, ...]:
    if isinstance(value, str) or not isinstance(value, list | tuple) or not value:
        raise expected(f"a list of {', '.join(STATISTICS)} or percentiles such as p90")
    return tuple(statistic(each) for each in value)


def _replicates(value: object) -> int | str:
    if value == EACH:
        return EACH
    return Whole(1, REPLICATES_MAX).read(value)


def _texts(value: object, what: str) -> tuple[str, ...]:
    if not isinstance(value, list | tuple) or not all(isinstance(each, str) and each for each in value):
        raise expected(what)
    return tuple(value)


def _one_or_more(value: object, what: str) -> tuple[str, ...]:
    """Texts, each once; one of them may stand alone."""
    listed = _texts([value] if isinstance(value, str) else value, what)
    if not listed:
        raise expected(what)
    if len(set(listed)) < len(listed):
        raise expected(f"{what}, each once")
    return listed


_TEXTS: Final = {"type": "array", "items": {"type": "string"}}
_ONE_OR_MORE: Final = WithJsonSchema({"anyOf": [{"type": "string", "minLength": 1}, _TEXTS | {"minItems": 1}]})
_VERBS: Final = PlainValidator(partial(_one_or_more, what="the name of a verb, or a list of such names"))
_MEASURES: Final = PlainValidator(partial(_one_or_more, what="the name of a measure, or a list of such names"))

Verbs = Annotated[tuple[str, ...], _VERBS, _ONE_OR_MORE]
Measures = Annotated[tuple[str, ...], _MEASURES, _ONE_OR_MORE]
Names = Annotated[tuple[str, ...], PlainValidator(partial(_texts, what="a list of names")), WithJsonSchema(_TEXTS)]
Replicates = Annotated[
    int | str,
    PlainValidator(_replicates),
    WithJsonSchema({"anyOf": [integer_schema(1, REPLICATES_MAX), {"const": EACH}]}),
]


def _values(value: object) -> dict[str, Any]:
    if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
        raise expected('a table of varied keys, such as { "family.organizations" = 5 }')
    return {key: plain(item) for key, item in value.items()}


def _limit(value: object) -> Fraction:
    seconds = number(value, what := f"a number > 0, at most {MOST:,}")
    if not 0 < seconds <= MOST:
        raise expected(what)
    return seconds


Limit = Annotated[Fraction, PlainValidator(_limit), WithJsonSchema(number_schema(0, strict=True, maximum=MOST))]
Values = Annotated[dict[str, Any], PlainValidator(_values), WithJsonSchema({"type": "object"})]


class HeadBlock(Block):
    """The keys at the top of a study file that are no tables."""

    verb: Verbs = described(
        ...,
        "what is asked of every instance: run, search, verify, compare or curve, or a list of them",
    )
    title: Name | None = described(None, "what tables and figures are headed with", without="the file's name")
    source: Name | None = described(None, "where the question is from", without="none")
    replicates: Replicates = described(
        1,
        "instances per cell of the grid, the same one without [family]; 'all': every member of a family that can be "
        "counted, once",
    )
    seed: integer(0, 2**63 - 1) = described(0, "root of all random choices")  # type: ignore[valid-type]
    task_limit: Limit | None = described(
        None, "limit of each task; one that it ends has the status 'stopped'", unit="seconds", without="no limit"
    )
    floats: explained(MEANINGS) = described(  # type: ignore[valid-type]
        "refuse", "what numbers with a decimal point mean"
    )
    group_by: Names | None = described(
        None, "varied keys that make the groups of [statistics]", without="all varied keys"
    )


class StopBlock(Block):
    """``[stop]``: a hunt."""

    when: Name = described(
        ...,
        "a condition on the measures, such as 'exists == false and anarchy > 3/2': names of measures, numbers, texts, "
        "true, false and null, compared by == != < <= > >=, joined by and, or, not and parentheses",
    )
    hits: integer(1, REPLICATES_MAX) = described(  # type: ignore[valid-type]
        1, "instances to find before the study stops"
    )
    shrink: Bool = described(True, "make the instances found as small as the condition allows")


class PlotBlock(Block):
    """One of ``[[plots]]``."""

    y: Measures = described(..., "a measure, or a list of them: one colour for each")
    kind: explained(PLOT_KINDS) = described("line", "what is drawn")  # type: ignore[valid-type]
    x: Name | None = described(None, "a varied key, a measure or 'replicate'", without="none, as a histogram needs it")
    by: Name | None = described(
        None, "a varied key: one colour for each of its values; not beside several measures in y", without="one colour"
    )
    where: Values = described({}, "values of varied keys: only tasks that have them")
    title: Name | None = described(None, "what stands above it", without="the study's title")
    x_label: Name | None = described(None, "what stands below the axis across", without="the words of x")
    y_label: Name | None = described(None, "what stands beside the axis upwards", without="the words of y")
    x_log: Bool = described(False, "whether the axis across is logarithmic; its values are numbers > 0")
    y_log: Bool = described(False, "whether the axis upwards is logarithmic")


B = TypeVar("B", bound=Block)


def read_listed_blocks(model: type[B], value: object, path: str, problems: Problems) -> list[B]:
    """Check listed tables ``[[path]]``; those that can be used."""
    if not isinstance(value, list | tuple):
        problems.add(path, value, f"listed tables [[{path}]]")
        return []
    blocks = [read_block(model, item, join(path, i), problems) for i, item in enumerate(value)]
    return [block for i, block in enumerate(blocks) if block is not None and not problems.about(join(path, i))]


def read_statistics(value: object, measures: Sequence[str], problems: Problems) -> dict[str, tuple[str, ...]]:
    """``[statistics]``: names of statistics by measure."""
    statistics: dict[str, tuple[str, ...]] = {}
    for name, listed in read_table(value, "statistics", problems).items():
        if name not in measures:
            problems.unknown(join("statistics", name), name, measures, "one of the measures")
            continue
        read = read_value(listed, _statistics, join("statistics", name), problems)
        statistics |= {} if read is None else {name: read}
    return statistics


def read_table(value: object, path: str, problems: Problems) -> dict[str, Any]:
    """A table whose keys are free; problems are noted and an empty one is answered."""
    if isinstance(value, Mapping) and all(isinstance(key, str) for key in value):
        return dict(value)
    problems.add(path, value, f"a table [{path}]")
    return {}


_FREE: Final = {"type": "object"}
_COLUMNS: Final = {"type": "object", "additionalProperties": {"type": "array", "minItems": 1}}
_STATISTIC: Final = {"anyOf": [named(STATISTICS), {"type": "string", "pattern": PERCENTILES}]}
_FAMILY: Final = {
    "title": "FamilyBlock",
    "properties": {"name": {"type": "string", "description": "name of a family of the base's kind"}},
    "required": ["name"],
}
_TABLES: Final = {
    "options": _FREE
    | {"description": "options of the verb; with several verbs a table for each", WITHOUT: "the verb's defaults"},
    "base": _FREE | {"description": "a scenario written out, or scenario = its path or its shipped name"},
    "family": _FREE
    | _FAMILY
    | {"description": "a random family that fills the base, with its parameters", WITHOUT: "the base as it is"},
    "vary": _COLUMNS
    | {
        "description": "values of paths of the scenario, of family.PARAMETER and options.NAME: the grid",
        WITHOUT: "one cell",
    },
    "together": {
        "type": "array",
        "items": _COLUMNS,
        "description": "columns of equal length that vary together: each table is one axis of the grid",
        WITHOUT: "none",
    },
    "measures": _FREE
    | {
        "additionalProperties": {"type": "string"},
        "description": "by name a path into the record, with several verbs VERB:PATH",
        WITHOUT: "none",
    },
    "statistics": _FREE
    | {
        "additionalProperties": {"type": "array", "items": _STATISTIC, "minItems": 1},
        "description": "by name of a measure what is told of it, per group: statistics, or percentiles such as p90",
        WITHOUT: "none",
    },
    "full": _FREE
    | {"description": "keys and tables as they are in the full size, which --full asks for", WITHOUT: "one size"},
}


def plain_schema() -> dict[str, Any]:
    """As :func:`schema`, with descriptions that say what a key means and nothing else."""
    properties = HeadBlock.model_json_schema()
    properties["title"] = "consortium study"
    properties["$id"] = "consortium-study"
    properties["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    properties["properties"] = {
        "format": {"const": VERSION, "description": "version of the format"},
        "kind": {"const": KIND, "description": "that it is a study"},
        **properties["properties"],
        **_TABLES,
        "stop": StopBlock.model_json_schema()
        | {"description": "a hunt: what is looked for", WITHOUT: "every task is done"},
        "plots": {
            "type": "array",
            "items": PlotBlock.model_json_schema(),
            "description": "figures of the measures",
            WITHOUT: "none",
        },
    }
    properties["required"] = ["format", "kind", "base", *properties["required"]]
    return properties


def schema() -> dict[str, Any]:
    """JSON Schema of study files; what the names in it refer to, it cannot say."""
    document: dict[str, Any] = with_words(plain_schema())
    return document
