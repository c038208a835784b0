"""Options of the function ``study``: where and how long tasks are done, and where their answers are kept."""

from __future__ import annotations

from typing import Annotated

from ..scenarios.fields import Text, Whole
from ..verbs.options import LIMITED, Field, Options, Path, Seconds, Switch


class Run(Options):
    """``study``."""

    store: Path | None = Field(None, description="SQLite file for the results; resumes what is in it.")
    full: Switch = Field(False, description="The full size that the file gives under [full].")
    processes: Annotated[int, Whole(1)] = Field(1, description="Worker processes of this machine.")
    cluster: Text | None = Field(None, description="Address of a Dask cluster, e.g. tcp://host:8786.")
    shard: Text | None = Field(None, description='"k/n": only every n-th task, beginning with the k-th.')
    time_limit: Seconds | None = Field(None, description=LIMITED)
