"""A way out of a local minimum of shrinking: several random changes at once to something smaller.

>>> beside({"agents": [{"length": 3}, {"length": 3}]}, lambda data: True, 0) is not None
True
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, Final

from numpy.random import default_rng

from ...support.errors import ConsortiumError
from ...support.progress import Clock
from .mutations import mutated
from .shrinking import size_of
from .surgery import Data

TRIES: Final = 10_000
"""Random neighbours looked at; of them only the smaller ones are asked."""
ASKED: Final = 600
CHANGES: Final = 5
"""At once, at most."""


def beside(
    data: Mapping[str, Any], holds: Callable[[Data], bool], seed: int, clock: Clock | None = None
) -> Data | None:
    """A smaller scenario of which a condition holds, a few random changes away; ``None`` if none was found.

    Smaller is fewer players, then fewer jobs, then less work. The same seed finds the same one.
    """
    rng, size, asked = default_rng(seed), size_of(data), set[str]()
    for _ in range(TRIES):
        other: Data = dict(data)
        for _ in range(int(rng.integers(1, CHANGES + 1))):
            other = mutated(other, rng)
        key = json.dumps(other, sort_keys=True)
        if key in asked or not size_of(other) < size:
            continue
        if len(asked) == ASKED or (clock is not None and clock.expired()):
            return None
        asked.add(key)
        try:
            if holds(other):
                return other
        except ConsortiumError:
            continue
    return None
