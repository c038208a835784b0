"""``curve`` on scenarios of kind ``declaration``: an agent's utility against her declaration."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from ...games.declaration.curve import check_range
from ...games.declaration.curve import curve as utility_curve
from ...scenarios.scenario import Scenario
from ...support.errors import InputError, unknown_name
from ...support.exact import Extended
from ...support.progress import Progress
from .model import Model, declarations, model, replay_of
from .options import Curve
from .records import CurveRecord, PieceRow, PointRow


def curve(scenario: Scenario, options: Curve, progress: Progress | None = None) -> CurveRecord:
    """Utility of one agent for every declaration between ``low`` and ``high``, the others as the scenario says."""
    m, agent = model(scenario, options.mechanism), options.agent
    n = agent_number(m, agent)
    start, end = declared_range(m, options.low, options.high)
    declared = declarations(m)
    utilities = utility_curve(
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
    at_truth = dict(utilities.points).get(utilities.truth)
    replayed = [utilities.best, *([(utilities.truth, at_truth)] if at_truth is not None else [])]

    def replay(x: Fraction, utility: Extended) -> dict[str, Any]:
        profile = (*declared[:n], x, *declared[n + 1 :])
        return replay_of(scenario, m, profile, m.lengths, {"agents": {agent: {"utility": utility}}})

    pieces = utilities.pieces[: options.list]
    return CurveRecord.of(
        utilities,
        kind=scenario.kind,
        scenario=scenario.label,
        method="pieces" if utilities.proved else "enclosure",
        agent=agent,
        from_=start,
        to=end,
        pieces=tuple(
            PieceRow(from_=p.low, to=p.high, slope=p.slope, at_from=p.at_low, at_to=p.at_high) for p in pieces
        ),
        points=tuple(PointRow(declares=x, utility=utility) for x, utility in utilities.points),
        best=PointRow(declares=utilities.best[0], utility=utilities.best[1]),
        utility_truth=at_truth,
        pieces_left_out=len(utilities.pieces) - len(pieces) or None,
        limit=utilities.note or None,
        replay=() if options.mechanism is not None else tuple(replay(*point) for point in dict.fromkeys(replayed)),
        curve=utilities,
    )


def agent_number(m: Model, agent: str) -> int:
    """The agent's number. Raises UnknownNameError."""
    if agent not in m.spec.names:
        raise unknown_name("agent", agent, m.spec.names)
    return m.spec.names.index(agent)


def declared_range(m: Model, low: Fraction | None, high: Fraction | None) -> tuple[Fraction, Fraction]:
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
