"""Options of a hunt, read by Python and the command line alike."""

from __future__ import annotations

from typing import Annotated

from ...verbs.options import ASKED, Field, Flag, NameText, Options, Own, Processes, Seconds, Seed, whole


class Hunt(Options):
    """``hunt``."""

    rule: NameText | None = Field(
        None, description="The rule, by name; or a mechanism of one's own, as module:name with --kind."
    )
    claim: NameText = Field(
        description="The promise to break, or the beginning of its name; consortium rules RULE lists them."
    )
    mechanism: Own = Field(None, description="A mechanism of one's own instead of a rule.")
    kind: NameText | None = Field(None, description="Of a mechanism of one's own: declaration, federation, ...")
    seed: Seed = Field(0, description="Seed of the random instances.")
    time_limit: Seconds = Field(60.0, description="Stop hunting after so long; shrinking may take as long again.")
    processes: Annotated[Processes, Flag("N", whole, doors=ASKED, command=0)] = Field(
        1, description="Worker processes; 0: all cores, which a command uses unasked. The answer is the same."
    )
