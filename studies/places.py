"""The log that a scenario names, where the scenario moves to another folder.

>>> moved({"trace": {"file": "nowhere.swf"}}, "/from", "/to")
{'trace': {'file': 'nowhere.swf'}}
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def moved(data: Mapping[str, Any], old: str | None, new: str | os.PathLike[str] | None) -> dict[str, Any]:
    """A scenario's data whose ``[trace]`` is found from a new folder as from the old one (``None``: the current).

    Only a relative name of a file that lies there is changed; any other is found, or not, from everywhere alike.
    """
    trace = data.get("trace")
    named = trace.get("file") if isinstance(trace, Mapping) else None
    if not isinstance(named, str) or os.path.isabs(named):
        return dict(data)
    found = Path(old or os.curdir, named)
    if not os.path.exists(found):
        return dict(data)
    return {**data, "trace": {**data["trace"], "file": os.path.relpath(found, new or os.curdir)}}
