"""Files of kind ``ferry``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import Field

from consortium.scenarios.blocks import RuleBlock, read_block, read_mechanism, unique_names
from consortium.scenarios.fields import Block, Bool, Listing, Name, integer
from consortium.scenarios.problems import Problems
from consortium.scenarios.scenario import Format


@dataclass(frozen=True)
class FerrySpec:
    """A checked scenario of kind ``ferry``."""

    cars: tuple[str, ...]
    places: int
    rule: str
    options: Mapping[str, Any]


class MechanismBlock(RuleBlock):
    """``[mechanism]``."""

    kind = "ferry"
    backwards: Bool = False


class Water(Block):
    """What is no rule."""

    cars: Listing[Name] = Field(min_length=1, description="names, in the order of arrival")
    places: integer(1) = 1  # type: ignore[valid-type]


class FerryFile(Water):
    """A whole file."""

    mechanism: MechanismBlock


def read(data: Mapping[str, Any], problems: Problems) -> FerrySpec | None:
    """Check a file."""
    water = read_block(Water, {key: data[key] for key in Water.model_fields if key in data}, "", problems)
    block, _ = read_mechanism(MechanismBlock, data, problems)
    if water is None or block is None:
        return None
    unique_names(water.cars, "cars", problems)
    used = {"backwards": block.backwards} if block.rule == "letters" else {}
    return FerrySpec(tuple(water.cars), water.places, block.rule, used)


FORMAT = Format(FerryFile, read)
