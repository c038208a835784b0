"""``[prior]`` of kind ``declaration``: what everybody believes of the others' private lengths.

Each agent's length is drawn from a finite distribution of her own, independently of the others; all of them know these
distributions, and each knows her own length. An agent's own ``length`` in ``[[agents]]`` is what is, not what is
believed: it need not be among the lengths of her distribution.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Any, Final

from pydantic import PlainValidator, WithJsonSchema
from pydantic_core import PydanticCustomError

from .blocks import join, read_block
from .conditions import Schema
from .domain import DomainSpec, IntervalSpec
from .fields import Block, described, expected, number, number_schema
from .problems import Problems, Said, brief

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


def _lengths(value: object) -> object:
    """Probabilities by length, or tables of them by agent; the numbers are read later, each with its own path."""
    if isinstance(value, Mapping) and value:
        return value
    raise expected(_TABLE)


_ROW: Final[Schema] = {
    "type": "object",
    "minProperties": 1,
    "propertyNames": number_schema(0, strict=True)["anyOf"][1],
    "additionalProperties": number_schema(0, maximum=1),
}


class PriorBlock(Block):
    """``[prior]``, for verify and search."""

    lengths: Annotated[
        Any,
        PlainValidator(_lengths),
        WithJsonSchema({"anyOf": [_ROW, {"type": "object", "minProperties": 1, "additionalProperties": _ROW}]}),
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
    given: Mapping[str, Any] = block.lengths
    if not any(isinstance(row, Mapping) for row in given.values()):
        shared = _distribution(given, "prior.lengths", problems)
        return PriorSpec((shared,) * len(own))
    for name in given:
        if name not in names:
            problems.unknown(join("prior.lengths", str(name)), str(name), names, "an agent:")
    rows = {name: _distribution(given[name], join("prior.lengths", name), problems) for name in names if name in given}
    surely = (tuple((x, Fraction(1)) for x in lengths) for lengths in own)
    return PriorSpec(tuple(rows.get(name, known) for name, known in zip(names, surely, strict=False)))


def _distribution(row: object, path: str, problems: Problems) -> Distribution:
    """A distribution from probabilities by length; every problem of it is noted."""
    if not isinstance(row, Mapping) or not row:
        problems.add(path, row, 'a table of probabilities by length, { "1" = "1/2", "2" = "1/2" }')
        return ()
    before, found = len(problems.found), dict[Fraction, Fraction]()
    for key, value in row.items():
        where = join(path, key if isinstance(key, str) else brief(key))
        length = _number(key, _LENGTH, where, problems) if isinstance(key, str) else None
        if length is None or length <= 0:
            if not isinstance(key, str) or length is not None:
                problems.add(where, key, _LENGTH)
        elif length in found:
            problems.add(where, key, f"each length once ({length} is there already)")
        probability = _number(value, _PROBABILITY, where, problems)
        if probability is not None and not 0 <= probability <= 1:
            problems.add(where, value, _PROBABILITY)
        elif probability is not None and length is not None:
            found[length] = probability
    total = sum(found.values(), Fraction(0))
    if len(problems.found) == before and total != 1:
        problems.add(path, Said(f"probabilities with the sum {total}"), "probabilities with the sum 1")
    return tuple((x, found[x]) for x in sorted(found) if found[x])


def _number(value: object, what: str, path: str, problems: Problems) -> Fraction | None:
    try:
        return number(value, what)
    except PydanticCustomError as error:
        problems.add(path, value, (error.context or {})["what"])
        return None


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
                problems.add("domain.lengths", Said(f"no {x} for {name}"), "every length that [prior] gives her")
    return domain
