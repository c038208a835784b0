"""Values of a good file replaced by path."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any


def edited(base: Mapping[str, Any], **changes: Any) -> dict[str, Any]:
    """The base with values by path: ``organizations__1__jobs=[3]``; ``None`` removes."""
    data: dict[str, Any] = copy.deepcopy(dict(base))
    for path, value in changes.items():
        here: Any
        here, steps = data, [int(step) if step.isdigit() else step for step in path.split("__")]
        for step in steps[:-1]:
            here = here.setdefault(step, {}) if isinstance(here, dict) else here[step]
        if value is None:
            del here[steps[-1]]
        else:
            here[steps[-1]] = value
    return data
