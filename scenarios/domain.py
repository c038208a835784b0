"""``[domain]`` and ``[prior]`` of kind ``declaration``: which lengths are possible, and which are believed how likely.

``[domain]``: lists of numbers are tried one by one. ``"positive"`` and ``{ from = 0, to = 3 }`` mean every real number
of the set, for lengths and declarations alike: nothing can be tried there, only proved.

``[prior]``: each agent's length is drawn from a finite distribution of its own, independently of the others; all of
them know these distributions, and each knows its own length. An agent's ``length`` in ``[[agents]]`` is what is, not
what is believed: it need not be among the lengths of the distribution.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Any, Final

from pydantic import PlainValidator, WithJsonSchema

from .blocks import check_agents, join, read_block
from .conditions import Condition, Schema, fits, with_values, without
from .fields import IN_PLACE, Block, bounded, described, expected, name_or, number, number_schema, read_value
from .problems import Problems, Words, brief


@dataclass(frozen=True)
class DomainSpec:
    """Possible private lengths and declarations, one tuple per agent, in the order of the file without repeats.

    An agent of length ``x`` chooses among ``declarations`` and ``x`` itself.
    """

    lengths: tuple[tuple[Fraction, ...], ...]
    declarations: tuple[tuple[Fraction, ...], ...]


@dataclass(frozen=True)
class IntervalSpec:
    """Every real number from ``start`` (included unless it is 0) to ``end`` (included; ``None``: no end).

    >>> IntervalSpec().written(), IntervalSpec(end=Fraction(3)).written()
    ('positive', {'from': Fraction(0, 1), 'to': Fraction(3, 1)})
    """

    start: Fraction = Fraction(0)
    end: Fraction | None = None

    def written(self) -> str | dict[str, Fraction]:
        """As a file says it."""
        if self.end is not None:
            return {"from": self.start, "to": self.end}
        return {"from": self.start} if self.start else POSITIVE


POSITIVE: Final = "positive"

_LENGTHS: Final = "a list of numbers > 0, a table of such lists by agent, 'positive', or { from = NUMBER, to = NUMBER }"
_positive: Final = bounded(0, True, "a number > 0")
_ENDS: Final = {"from": bounded(0, False, "a number >= 0"), "to": _positive}


def _grid(value: object) -> object:
    """A list for everybody, or a table of lists by agent; its numbers are read later, each with its own path."""
    if isinstance(value, list | tuple) or (isinstance(value, Mapping) and all(isinstance(k, str) for k in value)):
        return value
    raise expected("a list of numbers > 0, or a table of such lists by agent")


_ROW: Final = {"type": "array", "items": number_schema(0, strict=True), "minItems": 1}
_LISTS: Final[list[Schema]] = [_ROW, {"type": "object", "additionalProperties": _ROW}]
_REAL: Final[Schema] = {
    "anyOf": [
        {"const": POSITIVE},
        {
            IN_PLACE: True,
            "type": "object",
            "minProperties": 1,
            "additionalProperties": False,
            "properties": {
                "from": {"description": "start of the set, in it unless it is 0", **number_schema(0)},
                "to": {"description": "end of the set, in it", **number_schema(0, strict=True)},
            },
        },
    ]
}


_INTERVAL: Final[Schema] = {
    "anyOf": [
        {"const": POSITIVE},
        {
            "type": "object",
            "minProperties": 1,
            "propertyNames": {"enum": list(_ENDS)},
            "additionalProperties": {"not": {"type": "array"}},
        },
    ]
}
"""What is an interval, and no table of lists by agent: agents may have such names too."""


class DomainBlock(Block):
    """``[domain]``, for verify and search."""

    lengths: Annotated[
        Any, PlainValidator(name_or([POSITIVE], _grid, _LENGTHS)), WithJsonSchema({"anyOf": [*_LISTS, _REAL]})
    ] = described(
        None,
        "private lengths to try: a list for everybody, lists by agent, or all real ones of a set, which a proof takes",
        unit="work",
        without="each agent's own",
    )
    declarations: Annotated[Any, PlainValidator(_grid), WithJsonSchema({"anyOf": _LISTS})] = described(
        None,
        "declarations to try besides the truth: a list for everybody, or lists by agent",
        unit="work",
        without="as lengths",
    )

    @classmethod
    def conditions(cls) -> list[Condition]:
        """Declarations are over the same set as real lengths."""
        what = "nothing: declarations are over the same set as such lengths"
        return [Condition(with_values(lengths=_INTERVAL), without("declarations"), what)]


def read_domain(
    data: Mapping[str, Any], own: Sequence[tuple[Fraction, ...]], names: Sequence[str], problems: Problems
) -> DomainSpec | IntervalSpec | None:
    """The domain of a file, ``None`` without one. ``own``: each agent's length, which is the default."""
    if "domain" not in data:
        return None
    block = read_block(DomainBlock, data["domain"], "domain", problems)
    if block is None or not own:
        return None
    if block.lengths is not None and fits(_INTERVAL, block.lengths):
        return IntervalSpec() if block.lengths == POSITIVE else _interval(block.lengths, problems)
    lengths = _rows(block.lengths, "domain.lengths", own, names, problems)
    declared = _rows(block.declarations, "domain.declarations", lengths, names, problems)
    return DomainSpec(tuple(lengths), tuple(declared))


def _interval(ends: Mapping[str, object], problems: Problems) -> IntervalSpec | None:
    numbers: dict[str, Fraction] = {}
    for name, end in ends.items():
        amount = read_value(end, _ENDS[name], join("domain.lengths", name), problems)
        if amount is not None:
            numbers[name] = amount
    if len(numbers) < len(ends):
        return None
    start, last = numbers.get("from", Fraction(0)), numbers.get("to")
    if last is not None and last <= start:
        problems.add("domain.lengths.to", last, f"a number above from, {start}")
    return IntervalSpec(start, last)


def _rows(
    grid: object, path: str, default: Sequence[tuple[Fraction, ...]], names: Sequence[str], problems: Problems
) -> list[tuple[Fraction, ...]]:
    """One tuple per agent from a list for everybody or a table by agent; an agent left out keeps the default."""
    if grid is None:
        return list(default)
    if not isinstance(grid, Mapping):
        row = _row(grid, path, problems)
        return [row for _ in names]
    check_agents(grid, names, path, problems)
    rows = {name: _row(grid[name], join(path, name), problems) for name in grid}
    return [rows.get(name, default[i]) for i, name in enumerate(names)]


def _row(numbers: object, path: str, problems: Problems) -> tuple[Fraction, ...]:
    if not isinstance(numbers, list | tuple) or not numbers:
        problems.add(path, numbers, "a list of at least one number > 0")
        return ()
    row: list[Fraction] = []
    for i, item in enumerate(numbers):
        amount = read_value(item, _positive, join(path, i), problems)
        if amount is not None:
            row.append(amount)
    return tuple(dict.fromkeys(row))


Distribution = tuple[tuple[Fraction, Fraction], ...]
"""Lengths with their probabilities, all positive, by increasing length."""


@dataclass(frozen=True)
class PriorSpec:
    """A distribution per agent."""

    distributions: tuple[Distribution, ...]

    @property
    def support(self) -> list[tuple[Fraction, ...]]:
        """Lengths of positive probability, per agent."""
        return [tuple(x for x, _ in own) for own in self.distributions]


_TABLE: Final = (
    'a table of probabilities by length, { "1" = "1/2", "2" = "1/2" }, for everybody or, inside a table by agent, for '
    "each of them"
)
_PROBABILITY: Final = "a probability, a number from 0 to 1"
_LENGTH: Final = 'a length > 0 as text, such as "3/2"'


def _named_length(key: object) -> Fraction:
    if not isinstance(key, str):
        raise expected(_LENGTH)
    return bounded(0, True, _LENGTH)(key)


def _probability(value: object) -> Fraction:
    probability = number(value, _PROBABILITY)
    if not 0 <= probability <= 1:
        raise expected(_PROBABILITY)
    return probability


def _likely_lengths(value: object) -> object:
    """Probabilities by length, or tables of them by agent; the numbers are read later, each with its own path."""
    if isinstance(value, Mapping) and value:
        return value
    raise expected(_TABLE)


_ODDS: Final[Schema] = {
    "type": "object",
    "minProperties": 1,
    "propertyNames": number_schema(0, strict=True)["anyOf"][1],
    "additionalProperties": number_schema(0, maximum=1),
}


class PriorBlock(Block):
    """``[prior]``, for verify and search."""

    lengths: Annotated[
        Any,
        PlainValidator(_likely_lengths),
        WithJsonSchema({"anyOf": [_ODDS, {"type": "object", "minProperties": 1, "additionalProperties": _ODDS}]}),
    ] = described(
        ...,
        "probabilities by length, which sum to 1, for everybody or in a table by agent; whom such a table leaves out "
        "surely has her own length",
        unit="work",
    )


def read_prior(
    data: Mapping[str, Any], own: Sequence[tuple[Fraction, ...]], names: Sequence[str], problems: Problems
) -> PriorSpec | None:
    """The prior of a file, ``None`` without one; who is left out of a table by agent surely has her ``own`` length."""
    if "prior" not in data:
        return None
    block = read_block(PriorBlock, data["prior"], "prior", problems)
    if block is None:
        return None
    table: Mapping[str, Any] = block.lengths
    if not any(isinstance(row, Mapping) for row in table.values()):
        shared = _distribution(table, "prior.lengths", problems)
        return PriorSpec((shared,) * len(own))
    check_agents(table, names, "prior.lengths", problems)
    rows = {name: _distribution(table[name], join("prior.lengths", name), problems) for name in names if name in table}
    surely = (tuple((x, Fraction(1)) for x in lengths) for lengths in own)
    return PriorSpec(tuple(rows.get(name, own_length) for name, own_length in zip(names, surely, strict=False)))


def _distribution(row: object, path: str, problems: Problems) -> Distribution:
    """A distribution from probabilities by length; every problem of it is noted."""
    if not isinstance(row, Mapping) or not row:
        problems.add(path, row, 'a table of probabilities by length, { "1" = "1/2", "2" = "1/2" }')
        return ()
    before, odds = len(problems.noted), dict[Fraction, Fraction]()
    for key, value in row.items():
        where = join(path, key if isinstance(key, str) else brief(key))
        length = read_value(key, _named_length, where, problems)
        if length in odds:
            problems.add(where, key, f"each length once ({length} is there already)")
        probability = read_value(value, _probability, where, problems)
        if probability is not None and length is not None:
            odds[length] = probability
    total = sum(odds.values(), Fraction(0))
    if len(problems.noted) == before and total != 1:
        problems.add(path, Words(f"probabilities with the sum {total}"), "probabilities with the sum 1")
    return tuple((x, odds[x]) for x in sorted(odds) if odds[x])


def agreed_domain(
    prior: PriorSpec | None, domain: DomainSpec | IntervalSpec | None, names: Sequence[str], problems: Problems
) -> DomainSpec | IntervalSpec | None:
    """The domain, by default the support of the prior, whose lengths it must all have; it may have more of them."""
    if prior is None:
        return domain
    if domain is None:
        support = tuple(prior.support)
        return DomainSpec(support, support)
    for n, (name, likely) in enumerate(zip(names, prior.support, strict=False)):
        for x in likely:
            if isinstance(domain, IntervalSpec):
                inside = domain.start <= x and (domain.end is None or x <= domain.end)
            else:
                inside = x in domain.lengths[n]
            if not inside:
                problems.add("domain.lengths", Words(f"no {x} for {name}"), "every length that [prior] gives her")
    return domain
