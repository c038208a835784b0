"""Names, options and claims of the rules that share machines between organizations on line.

Claims of this family, each checked on generated instances by the contract tests:

* ``greedy``: no machine is free while a released job waits;
* ``first-in-first-out``: an organization's jobs start in the order of release, then as presented;
* ``feasible``: no job starts before its release, no machine runs two jobs at once;
* ``shares-the-whole-value``: contributions sum to the value of the grand coalition;
* ``shares-the-simplified-value``: contributions sum to the value of the oldest-first schedule;
* ``tally-equals-utility``: the contributions are psi_sp of the work done on each organization's machines;

and what REF does not have, although the utility it is built on does: ``no-gain-by-splitting``, ``no-gain-by-delaying``,
``no-gain-by-padding``, and ``contributions-nonnegative``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from ..registry import RuleInfo

TIMINGS: Final = ("next", "now")
MACHINE_ORDERS: Final = ("random", "listed")
REF_MAX: Final = 18
"""Largest number of organizations REF takes (262,143 coalitions)."""
PLAIN_REF_MAX: Final = 12
"""The same for other utilities than psi_sp, and for numbers beyond int64."""
MACHINES_MAX: Final = 2**31 - 1
"""Most machines of all organizations together: a machine's number and a moment share a word of a kernel."""
SAMPLES_MAX: Final = 10**7
"""Most random orderings of rand (minutes of drawing)."""

_FULL = "Skowron & Rzadca 2013"
_EVERY = frozenset({"greedy", "first-in-first-out", "feasible"})


def _rule(
    name: str,
    summary: str,
    source: str,
    options: tuple[str, ...] = (),
    claims: tuple[str, ...] = (),
    refuted: Mapping[str, str] | None = None,
) -> RuleInfo:
    return RuleInfo(
        id=name,
        summary=summary,
        source=f"{_FULL}, {source}",
        options=frozenset(options),
        claims=_EVERY | frozenset(claims),
        refuted=dict(refuted or {}),
        factory=".mechanisms.sharing.simulation:simulate",
    )


RULES: tuple[RuleInfo, ...] = (
    _rule(
        "ref",
        "serve whoever is furthest below its Shapley value",
        "Figures 1 and 3",
        ("timing", "utility"),
        ("shares-the-whole-value",),
        {
            "no-gain-by-splitting": "skowron-rzadca2013/split-that-gains",
            "no-gain-by-delaying": "skowron-rzadca2013/delay-that-gains",
            "no-gain-by-padding": "skowron-rzadca2013/padding-that-gains",
            "contributions-nonnegative": "skowron-rzadca2013/negative-contribution",
        },
    ),
    _rule(
        "rand",
        "REF with Shapley values sampled over orderings and simplified schedules",
        "Figure 6, corrected",
        ("timing", "samples", "orderings", "epsilon", "confidence"),
        ("shares-the-simplified-value",),
    ),
    _rule(
        "direct-contribution",
        "serve whoever gave most machine time beyond what it received",
        "Figure 9, corrected",
        ("timing", "machine_order"),
        ("tally-equals-utility",),
    ),
    _rule(
        "direct-contribution-printed",
        "the same, to the letter of the figure",
        "Figure 9",
        ("machine_order",),
    ),
    _rule("round-robin", "organizations take turns", "section 7.1"),
    _rule("fair-share", "smallest machine time used per share", "section 7.1", ("timing",)),
    _rule("utility-fair-share", "smallest utility per share", "section 7.1", ("timing",)),
    _rule("current-fair-share", "fewest running jobs per share", "section 7.1"),
    _rule("fifo", "oldest waiting job first", "section 2 (any greedy algorithm)"),
)
