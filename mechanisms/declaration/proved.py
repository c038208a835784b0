"""What is proved of the rules with their default options and the goal ``sum``, for all lengths; read from a file.

``proved.json`` beside this module is written by ``python docs/published/proved_claims.py --write``, which
proves or refutes every statement again. It holds, per rule and statement, the verdict for each number of agents and
each cluster, and up to how many agents the reduction proves it.

>>> verdicts("vcg-postpone", "dominant")[2, "1, 2"]
'proved'
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final, TypeAlias

AGENTS: Final = (2, 3)
CLUSTERS: Final = ((1,), (1, 1), (1, 2), (1, 3))
"""Powers of the machines."""
FILE: Final = Path(__file__).with_name("proved.json")

Verdicts: TypeAlias = Mapping[tuple[int, str], str]
"""By number of agents and powers: ``"proved"``, ``"refuted"`` or ``"open"``."""


def written(powers: tuple[int, ...]) -> str:
    """A cluster as the file has it.

    >>> written((1, 2))
    '1, 2'
    """
    return ", ".join(map(str, powers))


def verdicts(rule: str, statement: str) -> Verdicts:
    """The verdicts on a statement; none where it was not asked."""
    found = _known()["rules"].get(rule, {}).get(statement, {})
    return {(int(n), powers): verdict for n, row in found.items() for powers, verdict in row.items()}


def reduced(rule: str, statement: str) -> int:
    """Up to how many agents the reduction proves a statement, on each of the clusters; 0 where it does not apply."""
    return int(_known()["reduction"].get(rule, {}).get(statement, 0))


@cache
def _known() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
    return found
