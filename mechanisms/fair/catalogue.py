"""Names, options and claims of the rules that share machines between organizations on line."""

from __future__ import annotations

from ..registry import RuleInfo

_FULL = "Skowron & Rzadca 2013"
_EVERY = frozenset({"greedy", "first-in-first-out", "feasible"})


def _rule(
    name: str, summary: str, source: str, options: tuple[str, ...] = (), claims: tuple[str, ...] = ()
) -> RuleInfo:
    return RuleInfo(
        id=name,
        summary=summary,
        source=f"{_FULL}, {source}",
        options=frozenset(options),
        claims=_EVERY | frozenset(claims),
        factory="fair.simulation:simulate",
    )


RULES: tuple[RuleInfo, ...] = (
    _rule(
        "ref",
        "serve whoever is furthest below its Shapley value",
        "Figures 1 and 3",
        ("timing", "utility"),
        ("shares-the-whole-value",),
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
