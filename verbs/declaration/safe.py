"""``--symbol mechanism.penalty=p``: for which values of a number of the scenario the truth is a best reply."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from ...games.proofs.parameters import SafeValues, safe_values
from ...games.proofs.programs import placed
from ...support.errors import InputError, unknown_name
from ...support.progress import Clock, Progress
from ..records import Row
from .model import Model

PATHS: Final = {
    r"mechanism\.(penalty(?:\[\d+\])?)": "mechanism.penalty",
    r"mechanism\.(cutoff)(?:\.difference|\.absolute)?": "mechanism.cutoff",
    r"cluster\.(powers)(?:\[\d+\])?": "cluster.powers",
    r"agents\[(\d+)\]\.value": "agents[1].value",
}
"""Paths of numbers in a scenario, and how each is written."""


@dataclass(frozen=True, kw_only=True)
class SafeRow(Row):
    """The safe values of a number, an interval; ``to`` is ``None`` without an upper end, both where none is safe.

    ``refuted_at``: a value that fails, beside the end where there is one; ``None`` where all values are safe.
    """

    symbol: str
    from_: Fraction | None
    to: Fraction | None
    from_included: bool
    to_included: bool
    refuted_at: Fraction | None


@dataclass(frozen=True)
class Symbol:
    """A number of a scenario that is a symbol: its name and place in the mechanism."""

    name: str
    place: str

    @classmethod
    def of(cls, text: str) -> Symbol:
        """Read ``"mechanism.penalty=p"``. Raises InputError, or UnknownNameError for another path.

        >>> Symbol.of("agents[2].value=v")
        Symbol(name='v', place='values[2]')
        """
        path, _, name = (part.strip() for part in text.partition("="))
        if not name.isidentifier():
            raise InputError(f"symbol: found {text!r:.60}; expected PATH=NAME, as in mechanism.penalty=p")
        for pattern in PATHS:
            if found := re.fullmatch(pattern, path):
                return cls(name, f"values[{found[1]}]" if found[1].isdigit() else found[1])
        raise unknown_name("symbol", path, PATHS.values())

    def safe(self, m: Model, concept: str, clock: Clock, progress: Progress | None) -> SafeValues:
        """The values for which a statement holds, for all lengths of the scenario's domain."""
        return safe_values(
            placed(m.mechanism, self.place, len(m.agents)),
            self.name,
            agents=len(m.agents),
            concept=concept,
            lengths=m.meant(),
            time_limit=clock.left(),
            progress=progress,
        )


def safe_row(found: SafeValues) -> SafeRow | None:
    """Safe values as the record tells them; ``None`` where some are open, or they are no interval."""
    if found.open or len(found.safe) > 1:
        return None
    refuted = found.refutations[0].value if found.refutations else None
    if not found.safe:
        return SafeRow(
            symbol=found.symbol, from_=None, to=None, from_included=False, to_included=False, refuted_at=refuted
        )
    (safe,) = found.safe
    return SafeRow(
        symbol=found.symbol,
        from_=safe.low,
        to=safe.high,
        from_included=safe.low_included,
        to_included=safe.high is not None and safe.high_included,
        refuted_at=refuted,
    )


def told(found: SafeValues) -> str:
    """What the row cannot say: several intervals, or what is open."""
    if found.open:
        left = " or ".join(one.written(found.symbol) for one in found.open)
        return f"safe values: {found}; open: {left} ({found.note})"
    return f"safe values: {found}" if len(found.safe) > 1 else ""
