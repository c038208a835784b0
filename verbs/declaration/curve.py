"""``curve`` on scenarios of kind ``declaration``: an agent's utility against her declaration."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, ClassVar

from ...games.declaration.curve import Curve as UtilityCurve
from ...games.declaration.curve import check_range
from ...games.declaration.curve import curve as utility_curve
from ...scenarios.scenario import Scenario
from ...support.errors import InputError, unknown_name
from ...support.exact import Extended
from ...support.progress import Progress
from ..records import HIDDEN, OPTIONAL, Record, Row
from .model import Model, declarations, model
from .options import Curve
from .witnesses import replay_of


@dataclass(frozen=True, kw_only=True)
class PieceRow(Row):
    """One open linear piece, with its limits at both ends."""

    from_: Fraction
    to: Fraction
    slope: Fraction
    at_from: Extended
    at_to: Extended


@dataclass(frozen=True, kw_only=True)
class PointRow(Row):
    """Utility at one declaration."""

    declares: Fraction
    utility: Extended


@dataclass(frozen=True, kw_only=True)
class CurveRecord(Record):
    """Utility of one agent for every declaration of a range; ``curve.piecewise()`` is for sympy."""

    verb: ClassVar[str] = "curve"
    main: ClassVar[str] = "pieces"
    agent: str
    truth: Fraction
    from_: Fraction
    to: Fraction
    pieces: tuple[PieceRow, ...]
    points: tuple[PointRow, ...]
    jumps: tuple[Fraction, ...]
    isolated: tuple[tuple[Fraction, Fraction], ...]
    best: PointRow
    utility_truth: Extended | None
    pieces_left_out: int | None = field(default=None, metadata=OPTIONAL)
    note: str | None = field(default=None, metadata=OPTIONAL)
    replay: tuple[Mapping[str, Any], ...]
    curve: UtilityCurve = field(repr=False, metadata=HIDDEN)


def curve(scenario: Scenario, options: Curve, progress: Progress | None = None) -> CurveRecord:
    """Utility of one agent for every declaration between ``low`` and ``high``, the others as the scenario says."""
    m, agent = model(scenario, options.mechanism), options.agent
    n = asked_agent(m, agent)
    start, end = asked_range(m, options.low, options.high)
    declared = declarations(m)
    found = utility_curve(
        m.mechanism,
        m.lengths,
        declared,
        n,
        start,
        end,
        values=m.values,
        width=options.width,
        progress=progress,
        time_limit=options.time_limit,
    )
    at_truth = dict(found.points).get(found.truth)
    shown = [found.best, *([(found.truth, at_truth)] if at_truth is not None else [])]

    def replay(x: Fraction, utility: Extended) -> dict[str, Any]:
        said = (*declared[:n], x, *declared[n + 1 :])
        return replay_of(scenario, m, said, m.lengths, {"agents": {agent: {"utility": utility}}})

    pieces = found.pieces[: options.list]
    return CurveRecord(
        kind=scenario.kind,
        scenario=scenario.label,
        method="pieces" if found.proved else "enclosure",
        exact=found.exact,
        complete=found.complete,
        agent=agent,
        truth=found.truth,
        from_=start,
        to=end,
        pieces=tuple(
            PieceRow(from_=p.low, to=p.high, slope=p.slope, at_from=p.at_low, at_to=p.at_high) for p in pieces
        ),
        points=tuple(PointRow(declares=x, utility=utility) for x, utility in found.points),
        jumps=found.jumps,
        isolated=found.isolated,
        best=PointRow(declares=found.best[0], utility=found.best[1]),
        utility_truth=at_truth,
        pieces_left_out=len(found.pieces) - len(pieces) or None,
        note=found.note or None,
        replay=() if options.mechanism is not None else tuple(replay(*point) for point in dict.fromkeys(shown)),
        curve=found,
    )


def asked_agent(m: Model, agent: str) -> int:
    """The agent's number. Raises UnknownNameError."""
    if agent not in m.spec.names:
        raise unknown_name("agent", agent, m.spec.names)
    return m.spec.names.index(agent)


def asked_range(m: Model, low: Fraction | None, high: Fraction | None) -> tuple[Fraction, Fraction]:
    """The ends given, else half the smallest and twice the largest number of the file, within an absolute cut-off."""
    numbers = m.named_lengths()
    start = min(numbers) / 2 if low is None else low
    end = 2 * max(numbers) if high is None else high
    if m.spec.cutoff is not None and m.spec.cutoff[0] == "absolute":
        if high is not None and end > m.spec.cutoff[1]:
            raise InputError(f"to: found {end}; expected at most the absolute cut-off {m.spec.cutoff[1]}")
        end = min(end, m.spec.cutoff[1])
    check_range(start, end)
    return start, end
