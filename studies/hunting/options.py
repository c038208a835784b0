"""Options of a hunt, read by Python and the command line alike."""

from __future__ import annotations

from typing import Annotated

from ...verbs.options import NOT_IN_FILES, Field, Flag, NameText, Options, Own, Processes, Seconds, Seed, whole


class Hunt(Options):
    """``hunt``."""

    rule: NameText | None = Field(None, description="Name of the rule; or a custom rule as module:name, with --kind.")
    claim: NameText = Field(description="Promise to break, or the beginning of its name (see 'consortium rules RULE').")
    mechanism: Own = Field(None, description="A custom rule: an object, or a class or function that makes one.")
    kind: NameText | None = Field(None, description="Kind of a custom rule: declaration, federation, ...")
    seed: Seed = Field(0, description="Random seed of the instances.")
    time_limit: Seconds = Field(60.0, description="Stop hunting after so long; shrinking may take as long again.")
    processes: Annotated[Processes, Flag("N", whole, doors=NOT_IN_FILES, command=0)] = Field(
        1, description="Worker processes; 0: all cores, which a command uses unasked. The answer is the same."
    )
