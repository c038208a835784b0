"""Random families of kind ``declaration``: agents with one job each, on the base's cluster or another.

An instance draws the agents' lengths (of each agent two, where she declares at random: hers, then what she declares),
their values and the powers of the cluster, as far as they are random.
"""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal, Self

from numpy.random import Generator
from pydantic import Field, model_validator

from .base import LONGEST, Count, Draw, Exact, Named, between, plain
from .lengths import Lengths, combined


class Agents(Named, Lengths):
    """Agents, how they declare, and the cluster where it is asked for."""

    agents: Count = Field(4, description="number of agents")
    declares: Literal["truth", "random"] = Field(
        "truth", description="what agents declare: the truth, or another length of the same distribution"
    )
    most_value: int = Field(
        0, ge=0, le=LONGEST, description="the value of an output is uniform on the integers from 0 to so much"
    )
    machines: Count | None = Field(None, description="machines of a random cluster; default: the base's cluster")
    fastest: Count = Field(1, description="powers of a random cluster are uniform on the integers from 1 to so many")
    powers: Annotated[tuple[Exact, ...], Field(strict=False, min_length=1)] | None = Field(
        None, description="powers of the cluster, in the place of the base's"
    )

    @model_validator(mode="after")
    def _agreed(self) -> Self:
        if self.powers is not None and self.machines is not None:
            raise ValueError(f"powers: found {len(self.powers)} beside machines; expected one of the two")
        if self.machines is None and self.is_set("fastest"):
            raise ValueError("machines: found nothing; expected a number, for fastest is about a random cluster")
        return self.check_names(self.agents)


KEYS: Final = ("length", "declares")
"""What the one or two lengths drawn for an agent are."""


def prepare(parameters: Agents) -> Draw:
    """Instances of any distribution of lengths."""
    n, deal, lies = parameters.agents, parameters.dealt(), parameters.declares == "random"
    counts, value = [2 if lies else 1] * n, between(0, parameters.most_value, n)
    machines, power = parameters.machines, between(1, parameters.fastest, parameters.machines or 0)
    powers = None if parameters.powers is None else plain(parameters.powers)

    def draw(rng: Generator) -> dict[str, Any]:
        rows: list[dict[str, Any]] = [dict(zip(KEYS, drawn, strict=False)) for drawn in deal(rng, counts)]
        if parameters.most_value:
            rows = [{**row, "value": worth} for row, worth in zip(rows, value(rng), strict=True)]
        instance: dict[str, Any] = {"agents": parameters.named(rows)}
        if machines is not None:
            instance["cluster"] = {"powers": power(rng)}
        elif powers is not None:
            instance["cluster"] = {"powers": list(powers)}
        return instance

    return draw


FAMILIES: Final = combined("declaration", Agents, prepare, "agents with one job each")
