"""Read a study from a file, a shipped name or a dict, and report everything that is wrong.

>>> load({"format": 1, "kind": "study", "verb": "run", "base": {"scenario": "agmon2003/5.2.1"}, "seed": -1})
Traceback (most recent call last):
    ...
consortium.scenarios.problems.ScenarioError: study: seed: found -1; expected an integer from 0 to 9223372036854775807
"""

from __future__ import annotations

import math
import os
import platform
import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from fractions import Fraction
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from ..mechanisms.custom import named
from ..mechanisms.kinds import CUSTOM, is_custom
from ..mechanisms.kinds import kind as find_kind
from ..mechanisms.kinds import names as kind_names
from ..scenarios.blocks import check_keys, join, read_block
from ..scenarios.problems import MISSING, Problem, Problems, ScenarioError
from ..scenarios.reader import bounded, expectable, locate, parse
from ..scenarios.scenario import plain
from ..support.errors import ConsortiumError, InputError, nearest
from ..support.numbers import meaning, parse_numbers
from ..verbs.schema import misspelt
from .blocks import (
    EACH,
    KIND,
    VERSION,
    HeadBlock,
    PlotBlock,
    StopBlock,
    read_listed_blocks,
    read_statistics,
    read_table,
)
from .hunting.conditions import Condition
from .statistics import Measure
from .study import FAMILY, Axis, Study, moved

SHIPPED: Final = Path(__file__).parent / "shipped"
TABLES: Final = ("options", "base", "family", "vary", "together", "measures", "stop", "statistics", "plots", "full")
CHECKED: Final = 100
"""So many cells are checked before work starts; what is wrong with a later one, its tasks say."""

RESERVED: Final = ("task", "cell", "replicate", "seed", "status", "seconds", "digest", "error", "true", "false", "null")
"""Columns of every study and words of conditions: no measure has such a name."""

Source = str | os.PathLike[str] | Mapping[str, Any]


def load(source: Source, full: bool = False, instances: bool = True) -> Study:
    """Read and check a study.

    Parameters
    ----------
    source
        Path of a TOML file, name of a shipped study (``"cordeiro2012/section-3.5"``), or a dict of the same structure.
    full
        In the size that ``[full]`` gives.
    instances
        Whether to make some, so that what is wrong with them is found; a list of studies needs none.

    Raises
    ------
    ScenarioError
        With every problem found.
    InputError, UnknownNameError
        When an instance cannot be drawn or asked.
    """
    name, folder, data = _raw(source)
    data = parse_numbers(data, meaning(data.get("floats")))
    problems = Problems()
    if full:
        data = _full(data, problems)
    return _study(data, name, folder, problems, instances)


def again(
    name: str, folder: str | None, data: Mapping[str, Any], digests: Mapping[str, str] = MappingProxyType({})
) -> Study:
    """The same study from its plain data, in another process.

    Raises InputError where that has no custom rule of a digest, or another one.
    """
    for rule, digest in digests.items():
        try:
            named(rule, folder or os.curdir, digest=digest)
        except InputError as error:
            place = f"a process on {platform.node()}"
            raise InputError(f"{place}: {error}; the file must be the same wherever the study runs") from None
    return _study(data, name, folder, Problems(), checked=False)


def _study(data: Mapping[str, Any], name: str, folder: str | None, problems: Problems, checked: bool) -> Study:
    study = _read(data, name, folder, problems, checked)
    if study is None or problems.noted:
        raise ScenarioError(name, problems.noted)
    return study


@cache
def shipped() -> tuple[str, ...]:
    """Names of the shipped studies, sorted."""
    return tuple(sorted(path.relative_to(SHIPPED).with_suffix("").as_posix() for path in SHIPPED.rglob("*.toml")))


def _raw(source: Source) -> tuple[str, str | None, dict[str, Any]]:
    if isinstance(source, Mapping):
        return KIND, None, bounded(source, KIND)
    if not isinstance(source, str | os.PathLike):
        raise ScenarioError(KIND, [Problem("", source, "a path, the name of a shipped study, or a dict")])
    text = os.fsdecode(source)
    path = Path(text)
    if not path.is_file() and text.removesuffix(".toml") in shipped():
        path = SHIPPED / f"{text.removesuffix('.toml')}.toml"
    if not path.is_file():
        near = nearest(text, shipped())
        raise ScenarioError(text, [Problem("", text, "a study file or the name of a shipped study", near)])
    name = text.removesuffix(".toml") if text in shipped() else text
    return name, os.path.abspath(path.parent), bounded(parse(path), text)


def _full(data: Mapping[str, Any], problems: Problems) -> dict[str, Any]:
    """The data with the values of ``[full]``, table by table, in the place of its own."""
    if "full" not in data:
        problems.add("full", MISSING, "a table [full] that says the full size; this study has one size")
        return dict(data)
    larger = read_table(data["full"], "full", problems)
    merged = {key: value for key, value in data.items() if key != "full"}
    for key, value in larger.items():
        own = merged.get(key)
        merged[key] = {**own, **value} if isinstance(own, Mapping) and isinstance(value, Mapping) else value
    return merged


def _read(data: Mapping[str, Any], name: str, folder: str | None, problems: Problems, checked: bool) -> Study | None:
    for key, right in (("format", VERSION), ("kind", KIND)):
        if data.get(key, MISSING) != right or isinstance(data.get(key), bool):
            problems.add(key, data.get(key, MISSING), repr(right))
    check_keys(data, ["format", "kind", *HeadBlock.model_fields, *TABLES], "", problems)
    head = read_block(HeadBlock, {k: v for k, v in data.items() if k in HeadBlock.model_fields}, "", problems)
    if unusable := list(_unusable(data)):
        for place, value in unusable:
            problems.add(place, value, "a finite number, a text, true, false, a list or a table")
        return None
    base = _base(data.get("base", MISSING), folder, problems)
    if base is not None:  # a varied key of the mechanism is put into it
        read_table(base.get("mechanism", {}), "base.mechanism", problems)
    family = _family(data.get("family"), problems)
    axes = (*_vary(data.get("vary", {}), problems), *_together(data.get("together", []), problems))
    keys = [key for axis in axes for key in axis.keys]
    _unique(keys, problems)
    if family is None and any(key.startswith(FAMILY) for key in keys) and f"{FAMILY}name" not in keys:
        _family({}, problems)
    stop = read_block(StopBlock, data["stop"], "stop", problems) if "stop" in data else None
    plots = read_listed_blocks(PlotBlock, data.get("plots", []), "plots", problems)
    if head is not None and head.replicates == EACH and family is None:
        problems.add("replicates", EACH, "an integer, or a [family] whose members can be counted")
    if head is None or base is None or not _verbs(head.verb, base["kind"], problems):
        return None
    options = _options(data.get("options", {}), head.verb, problems)
    measures = _measures(data.get("measures", {}), head.verb, problems)
    study = Study(
        name=name, head=head, base=base, folder=folder, family=family, options=options, axes=axes,
        measures=measures, stop=stop, plots=tuple(plots), data=_plain(data, base),
        named=isinstance(data["base"].get("mechanism"), str),
        statistics=read_statistics(data.get("statistics", {}), [m.name for m in measures], problems),
    )  # fmt: skip
    _names(study, problems)
    _forgive(problems)
    if checked and not problems.noted:
        _check(study, problems)
    return study


def _unusable(value: object, place: str = "") -> Iterator[tuple[str, object]]:
    """What can be no value of JSON, such as ``nan`` or a date, with its place."""
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield from _unusable(item, join(place, str(key)))
    elif isinstance(value, list | tuple):
        for i, item in enumerate(value):
            yield from _unusable(item, join(place, i))
    elif not isinstance(value, str | int | float | Decimal | Fraction | None) or (
        isinstance(value, float) and not math.isfinite(value)
    ):
        yield place, value


def _plain(data: Mapping[str, Any], base: Mapping[str, Any]) -> dict[str, Any]:
    """The file as plain data, with the base written out."""
    own = data["base"].get("mechanism")
    named = {"mechanism": own} if isinstance(own, str) else {}
    return {**plain(data), "base": {**base, **named}}


def _base(value: object, folder: str | None, problems: Problems) -> dict[str, Any] | None:
    """The base as plain data; a file that it names is named as from the study's folder."""
    if not isinstance(value, Mapping):
        problems.add("base", value, "a table [base]: a scenario, or scenario = its path or shipped name")
        return None
    value, own = dict(value), value.get("mechanism")
    if isinstance(own, str):  # a custom rule, which no scenario can name to be imported
        if not is_custom(own) or own == CUSTOM:
            problems.add("base.mechanism", own, "a table, or a custom rule as FILE.py:Name, from the study file")
        value["mechanism"] = {"rule": own}
    if "kind" in value or "scenario" not in value:
        if value.get("kind") not in kind_names():
            problems.add("base.kind", value.get("kind", MISSING), f"one of {', '.join(kind_names())}, or base.scenario")
            return None
        return {"format": 1, **plain(value)}
    check_keys(value, ["scenario", "mechanism"] if isinstance(own, str) else ["scenario"], "base", problems)
    reference = value["scenario"]
    if not isinstance(reference, str):
        problems.add("base.scenario", reference, "the path of a scenario, from the study file, or a shipped name")
        return None
    sibling = Path(folder or os.curdir) / reference
    try:
        path = sibling if sibling.is_file() else locate(reference)
        data = bounded(parse(path), reference)
    except ScenarioError as error:
        problems.noted += [Problem(join("base.scenario", *filter(None, [p.path])), p.value, p.expected, p.near)
                           for p in error.problems]  # fmt: skip
        return None
    data |= {"mechanism": value["mechanism"]} if isinstance(own, str) else {}
    return moved({key: plain(item) for key, item in data.items() if key != "expect"}, str(path.parent), folder)


def _family(value: object, problems: Problems) -> dict[str, Any] | None:
    if value is None:
        return None
    table = read_table(value, "family", problems)
    if not isinstance(name := table.get("name", MISSING), str):
        problems.add("family.name", name, "the name of a family ('consortium families' lists them)")
    return dict(plain(table))


def _vary(value: object, problems: Problems) -> Iterator[Axis]:
    for key, values in read_table(value, "vary", problems).items():
        if not isinstance(values, list | tuple) or not values:
            problems.add(f'vary."{key}"', values, "a list of at least one value")
        else:
            yield Axis((key,), tuple((plain(item),) for item in values))


def _together(value: object, problems: Problems) -> Iterator[Axis]:
    """Tables of columns; each is one axis."""
    if not isinstance(value, list | tuple):
        problems.add("together", value, "listed tables [[together]]")
        return
    for i, item in enumerate(value):
        place = join("together", i)
        columns = read_table(item, place, problems)
        lists = {key: column for key, column in columns.items() if isinstance(column, list | tuple) and column}
        for key in columns.keys() - lists.keys():
            problems.add(f'{place}."{key}"', columns[key], "a list of at least one value")
        lengths = {len(column) for column in lists.values()}
        if len(lengths) > 1:
            problems.add(place, columns, f"columns of one length, not of {', '.join(map(str, sorted(lengths)))}")
        elif lists:
            rows = zip(*lists.values(), strict=True)
            yield Axis(tuple(lists), tuple(tuple(map(plain, row)) for row in rows))


def _unique(keys: list[str], problems: Problems) -> None:
    for key in sorted({key for key in keys if keys.count(key) > 1}):
        problems.add("vary", key, "each key once, in [vary] or in one [[together]]")


def _verbs(verbs: tuple[str, ...], kind: str, problems: Problems) -> bool:
    """Whether the kind has all these verbs; without them nothing can be said of options and measures."""
    answers = expectable(find_kind(kind))
    for verb in verbs:
        if verb not in answers:
            problems.unknown("verb", verb, answers)
    return set(verbs) <= set(answers)


def _options(value: object, verbs: tuple[str, ...], problems: Problems) -> dict[str, dict[str, Any]]:
    table = read_table(value, "options", problems)
    if len(verbs) == 1:
        return {verbs[0]: plain(table)}
    check_keys(table, list(verbs), "options", problems)
    return {verb: plain(read_table(table.get(verb, {}), join("options", verb), problems)) for verb in verbs}


def _measures(value: object, verbs: tuple[str, ...], problems: Problems) -> tuple[Measure, ...]:
    measures = []
    for name, text in read_table(value, "measures", problems).items():
        try:
            measures.append(Measure.parse(name, text, verbs))
        except InputError as error:
            problems.add(join("measures", name), text, str(error))
    return tuple(measures)


def _forgive(problems: Problems) -> None:
    """Who refers to a measure that is wrong itself is not wrong too."""
    broken = [p.path.removeprefix("measures.") for p in problems.noted if p.path.startswith("measures.")]
    problems.noted = [
        p for p in problems.noted if not (p.path.startswith(("statistics.", "plots[")) and p.value in broken)
    ]


def _names(study: Study, problems: Problems) -> None:
    """Names that other tables refer to."""
    measures, keys = [measure.name for measure in study.measures], list(study.keys)
    for name in measures:
        if name in RESERVED or name in keys or not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_.-]*", name):
            problems.add(join("measures", name), name, "a name of letters, digits, '_', '-' and '.', none of "
                         + ", ".join(RESERVED))  # fmt: skip
    for key in study.groups:
        if key not in keys:
            problems.unknown("group_by", key, keys, "one of the varied keys")
    for i, plot in enumerate(study.plots):
        allowed = {"y": measures, "x": [*keys, *measures, "replicate"], "by": keys}
        for field, names in allowed.items():
            value = getattr(plot, field)
            for name in value if isinstance(value, tuple) else (value,):
                if name is not None and name not in names:
                    problems.unknown(join(join("plots", i), field), name, names)
        _where(study, i, problems)
        if plot.by is not None and len(plot.y) > 1:
            problems.add(join("plots", i, "by"), plot.by, "no key beside several measures, which have a colour each")
        if plot.x is None and plot.kind != "histogram":
            problems.add(join("plots", i, "x"), MISSING, f"one of {', '.join(allowed['x'])}")
    if study.stop is not None:
        try:
            Condition.parse(study.stop.when, measures)
        except ConsortiumError as error:
            problems.add("stop.when", study.stop.when, str(error))


def _where(study: Study, plot: int, problems: Problems) -> None:
    """What a plot asks of its tasks: values that the grid has."""
    columns = {key: [row[at] for row in axis.rows] for axis in study.axes for at, key in enumerate(axis.keys)}
    for key, value in study.plots[plot].where.items():
        place = join("plots", plot, "where", key)
        if key not in columns:
            problems.unknown(place, key, list(columns), "one of the varied keys")
        elif value not in columns[key]:
            problems.add(place, value, f"one of its values, {', '.join(dict.fromkeys(map(str, columns[key])))}")


def _check(study: Study, problems: Problems) -> None:
    """Measures, options, and an instance of the first cells."""
    for measure in study.measures:
        if (near := misspelt(study.base["kind"], measure.verb, measure.path)) is not None:
            what = f"a path into the record of {measure.verb}, as 'consortium schema' lists them"
            problems.add(join("measures", measure.name), measure.path, what, near or None)
    for cell in range(1, min(study.cells, CHECKED) + 1):
        try:
            study.checked(study.task(study.first(cell)))
        except ScenarioError as error:
            where = _cell(study, cell)
            problems.noted += [Problem(f"{where}{p.path}", p.value, p.expected, p.near) for p in error.problems]
            return
        except ConsortiumError as error:
            raise InputError(f"{study.name}: {_cell(study, cell)}{error}") from None


def _cell(study: Study, number: int) -> str:
    """A cell for an error: its number and its values; nothing of a study that varies nothing."""
    values = ", ".join(f"{key} = {value!r}" for key, value in study.cell(number).items())
    return f"cell {number} ({values}): " if values else ""
