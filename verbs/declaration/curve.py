"""``curve`` on scenarios of kind ``declaration``: an agent's utility against her declaration."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from ...games.declaration.curve import curve as utility_curve
from ...scenarios.scenario import Scenario
from ...scheduling.errors import InputError, unknown_name
from ...scheduling.exact import Extended, rational
from ...scheduling.progress import Progress
from ..records import Answer
from .model import Model, declarations, model
from .verify import replay_of


def curve(
    scenario: Scenario,
    *,
    agent: str,
    low: Any = None,
    high: Any = None,
    width: Any = None,
    mechanism: Any = None,
    progress: Progress | None = None,
) -> Answer:
    """Utility of one agent for every declaration between ``low`` and ``high``, the others as the scenario says."""
    m = model(scenario, mechanism)
    if agent not in m.spec.names:
        raise unknown_name("agent", agent, m.spec.names)
    n = m.spec.names.index(agent)
    start, end = _range(m, low, high)
    declared = declarations(m)
    found = utility_curve(
        m.mechanism, m.lengths, declared, n, start, end, values=m.values,
        width=None if width is None else rational(width, "width"), progress=progress,
    )  # fmt: skip
    at_truth = dict(found.points).get(found.truth)
    shown = [found.best, *([(found.truth, at_truth)] if at_truth is not None else [])]

    def replay(x: Fraction, utility: Extended) -> dict[str, Any]:
        said = (*declared[:n], x, *declared[n + 1 :])
        return replay_of(scenario, m, said, m.lengths, {"agents": {agent: {"utility": utility}}})

    body = {
        "agent": agent,
        "truth": found.truth,
        "from": start,
        "to": end,
        "pieces": [
            {"from": p.low, "to": p.high, "slope": p.slope, "at_from": p.at_low, "at_to": p.at_high}
            for p in found.pieces
        ],
        "points": [{"declares": x, "utility": utility} for x, utility in found.points],
        "jumps": found.jumps,
        "isolated": found.isolated,
        "best": {"declares": found.best[0], "utility": found.best[1]},
        "utility_truth": at_truth,
        "replay": [] if mechanism is not None else [replay(*point) for point in dict.fromkeys(shown)],
    }
    method = "pieces" if found.exact else "enclosure"
    return Answer(method=method, body=body, exact=found.exact, extra={"curve": found})


def _range(m: Model, low: Any, high: Any) -> tuple[Fraction, Fraction]:
    """The ends given, else half the smallest and twice the largest number of the file, within an absolute cut-off."""
    numbers = m.named_lengths()
    start = min(numbers) / 2 if low is None else rational(low, "from")
    end = 2 * max(numbers) if high is None else rational(high, "to")
    if m.spec.cutoff is not None and m.spec.cutoff[0] == "absolute":
        if high is not None and end > m.spec.cutoff[1]:
            raise InputError(f"to: found {end}; expected at most the absolute cut-off {m.spec.cutoff[1]}")
        end = min(end, m.spec.cutoff[1])
    return start, end
