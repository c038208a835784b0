"""Options of the verbs on scenarios of kind ``ferry``."""

from __future__ import annotations

from typing import Annotated

from consortium.verbs.options import Count, Field, Flag, Options, Ratio, Rules, Seconds


class Run(Options):
    """``run``."""

    boats: Count = Field(1, description="Ferries that leave together.")


class Verify(Options):
    """``verify``."""

    time_limit: Seconds | None = Field(None, description="Stop after so long.")


class Compare(Options):
    """``compare``."""

    rules: Rules | None = Field(None, description="Rules to compare.")


class Timetable(Options):
    """``timetable``."""

    first: Annotated[Ratio, Flag("HOUR", positional=True)] = Field(description="When the first crossing departs.")
    every: Ratio = Field("1", validate_default=True, description="Hours between two crossings.")


class Import(Options):
    """``import``."""

    cars: Count = Field(2, description="How many users become cars.")
