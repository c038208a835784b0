"""The rules by name, what they promise and what they must not have; nothing heavy is imported here.

``claims`` are those of a rule with its default options and the goal ``sum``, on every cluster and for every profile
(:mod:`.claims` tells them for other options and goals). ``refuted`` names the shipped scenario in which the rule fails.

What is proved for all lengths stands in ``proved.json`` beside this module, written by
``python docs/published/proved_claims.py --write``, which proves or refutes every statement again: per rule and
statement the verdict for each number of agents and each cluster, and up to how many agents the reduction proves it.

>>> verdicts("vcg-postpone", "dominant")[2, "1, 2"]
'proved'
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias, cast

from ..kinds import RuleInfo
from .claims import CLAIMS as CLAIMS
from .claims import GROUPS, Alive, Payment, promised


class Design(NamedTuple):
    """How a rule controls jobs and who pays; which other job control may be chosen, and how long a rest then waits."""

    tool: str
    payment: Payment
    tools: tuple[str, ...] = ()
    wait: str | Fraction = "exact"

    @property
    def alive(self) -> Alive:
        """What happens to a job that is alive at its planned end."""
        return alive(self.tool)


TOOLS: Final[Mapping[str, str]] = {
    "postpone": "its rest runs behind everything else on its machine, after the wait that penalty says",
    "run-on": "it runs on until done; gaps close, and the truthful get their output as soon as their job ends",
    "renice": "it runs on at the share that penalty says; gaps close, the truthful get their output at once",
    "bare": "it runs on until done; gaps stay, and no output is handed over before its planned time",
    "kill": "whoever's job is not just as long as declared never gets her output",
    "order-only": "nothing is controlled: no gaps, and everybody gets her output when her job ends",
}
"""Job control by name: what happens to a job longer than declared, to gaps and to outputs."""


def alive(tool: str) -> Alive:
    """What happens under a job control to a job that is alive at its planned end."""
    return cast("Alive", {"bare": "run-on", "order-only": "run-on"}.get(tool, tool))


RENICE_PENALTIES: Final[Mapping[str, str]] = {
    "repaired": "each her own: min(1, c'/(c f)), f and c' from the allocation that minimises the sum",
    "repaired-common": "the smallest of the repaired shares, for everybody",
    "printed": "1/f, f from the allocation chosen, as in (6.9); fails for other goals than the sum",
    "printed-common": "the smallest of the printed shares, for everybody, as in (6.10); fails likewise",
    "safe": "1/N for everybody",
}
"""Shares of her machine at which a reniced job runs on. ``f`` jobs end on her machine from hers on, ``c`` is its power,
``c'`` the power of her machine in the allocation that minimises the sum of output times."""

POSTPONE_PENALTIES: Final[Mapping[str, str]] = {
    "exact": "the shortest wait that is safe, up to the cut-off or without one",
    "tight": "H max(0, f/c' - 1/c) with the difference cut-off H",
    "printed": "H (N/c_min - 1/c) with the difference cut-off H, as in (5.13)",
    "printed-common": "the longest of the printed waits, for everybody",
    "printed-absolute": "as printed, with the absolute cut-off minus the declaration for H, as in (5.14)",
    "static-end": "no duration: the rest waits for the planned end of its machine; enough for the goal sum only",
}
"""Waits before the rest of a postponed job, counted from its planned output time; letters as for the shares."""

CUTOFFS: Final[Mapping[str, str]] = {
    "difference": "a job may take so much more work than declared",
    "absolute": "a job may take so much work in all; no declaration may exceed it",
}
"""A job that needs more is killed; one that needs just as much completes."""

HOLDBACKS: Final[Mapping[str, str]] = {
    "repaired": "the first sum over all agents at her true length, the second over those who stay: lies never pay",
    "printed": "both sums over those who stay, as (7.5) prints it: lies can pay",
}
"""Until when a liar who stays waits for her output in the second of two rounds."""

_ANY: Final = ("postpone", "run-on", "renice")
DESIGNS: Final[Mapping[str, Design]] = {
    "straightforward": Design("bare", "none"),
    "light-vcg": Design("bare", "vcg"),
    "harsh": Design("kill", "none"),
    "vcg-renice": Design("renice", "vcg"),
    "vcg-postpone": Design("postpone", "vcg"),
    "evcg-renice": Design("renice", "evcg"),
    "evcg-postpone": Design("postpone", "evcg"),
    "postpone-unpaid": Design("postpone", "none"),
    "verified": Design("run-on", "verified"),
    "verified-printed": Design("run-on", "verified-printed"),
    "shapley-share": Design("postpone", "shapley-share", _ANY),
    "equal-share": Design("postpone", "equal-share", _ANY, Fraction(0)),
    "full-time": Design("postpone", "full-time", _ANY, Fraction(0)),
    "bystander": Design("postpone", "bystander", _ANY, Fraction(0)),
    "designed": Design("postpone", "designed", tuple(TOOLS), Fraction(0)),
}
"""What the rules do; what they promise, which options they have and where they are defined follows from it."""

BY_TOOL: Final[Mapping[str, Mapping[str, str]]] = {"renice": RENICE_PENALTIES, "postpone": POSTPONE_PENALTIES}
"""Named penalties by job control; a number, a list of numbers or a formula is possible too. Others take none."""
NAME_PATTERN: Final = r"^(?!((own|all)(-|$))+)([a-z]+(-[a-z]+)*)?$"
"""A penalty's text that is read as a name; ``own`` and ``all`` are quantities of formulas."""
NUMBER_PATTERN: Final = r"^\s*[+-]?[0-9][0-9_]*(\.[0-9]+)?([eE][+-]?[0-9]+)?(/[0-9]+)?\s*$"
"""One that is read as a number; all others are formulas."""
PENALTIES: Final[Mapping[str, Mapping[str, str]]] = {
    rule: BY_TOOL[design.tool] for rule, design in DESIGNS.items() if design.tool in BY_TOOL
}
"""Those of every rule with its own job control, or with the one that it has unless another is chosen."""


def default_penalty(rule: str, tool: str | None = None) -> str | Fraction | None:
    """The penalty of a rule under a job control, by default its own; ``None`` where there is none.

    >>> default_penalty("evcg-postpone"), default_penalty("equal-share"), default_penalty("equal-share", "renice")
    ('exact', Fraction(0, 1), 'repaired')
    """
    if rule not in DESIGNS or (tool or DESIGNS[rule].tool) not in BY_TOOL:
        return None
    return DESIGNS[rule].wait if (tool or DESIGNS[rule].tool) == "postpone" else "repaired"


CUTOFF_NEEDED: Final[Mapping[str, str]] = {
    "tight": "difference",
    "printed": "difference",
    "printed-common": "difference",
    "printed-absolute": "absolute",
}
"""The kind of cut-off without which a postpone penalty has no value."""

SUM_ONLY: frozenset[str] = frozenset(rule for rule in PENALTIES if DESIGNS[rule].payment == "vcg")
"""Rules that exist for the goal ``sum`` only."""

OPEN: Final[Mapping[str, frozenset[str]]] = {
    "shapley-share": GROUPS,
    "equal-share": frozenset({"group-dominant-all-gain", "group-dominant-none-lose"}),
    "bystander": frozenset(claim for claim in GROUPS if not claim.endswith("total")),
}
"""Claims that a rule neither makes nor is refuted in by a shipped scenario. On several machines groups of nine among 34
agents, some of the others lying, all gain under ``equal-share``."""

SUM_PENALTY: Final = "static-end"
"""The postpone penalty that is enough for the goal ``sum`` only."""


_MARGINS: Final = ("lower-margin", "upper-margin-any-others", "lower-margin-any-others", "individually-rational")
_LOSSES: Final = ("lower-margin", "upper-margin-any-others", "individually-rational")
"""What several rules are refuted in by one scenario each."""


def _reniced(rule: str, example: str) -> dict[str, str]:
    margins = dict.fromkeys(("upper-margin-any-others", "lower-margin-any-others"), f"agmon2003/7.3-{rule}")
    unfair = {"dominant": example, "budget-balanced": example, "just": f"agmon2003/7.4-{rule}"}
    return unfair | margins | {"individually-rational": example}


def _rule(rule: str, refuted: dict[str, str], no_group: str = "", **texts: str) -> RuleInfo:
    """A rule with what its design implies.

    A joint lie by which all members gain, to truthful others, refutes every claim about coalitions: ``no_group``.
    """
    design = DESIGNS[rule]
    options = {"penalty", "cutoff"} if design.tool == "postpone" else {"penalty"}
    options |= {"tool"} if design.tools else {"rounds", "holdback"} if design.payment != "none" else set()
    options |= {"price", "table"} if design.payment == "designed" else set()
    return RuleInfo(
        id=rule,
        options=frozenset(options if rule in PENALTIES else ()),
        claims=promised(design.alive, design.payment, default_penalty(rule)),
        refuted=refuted | (dict.fromkeys(sorted(GROUPS), no_group) if no_group else {}),
        factory=".mechanisms.declaration.factory:build",
        **texts,
    )


RULES: tuple[RuleInfo, ...] = (
    _rule(
        "straightforward",
        summary="no payments; jobs run on until done",
        source="Agmon 2003, 3.4",
        refuted={
            "dominant": "agmon2003/3.4.1",
            "ex-post": "agmon2003/3.4.1",
            "just": "agmon2003/7.4-straightforward",
            "individually-rational": "agmon2003/3.4.1",
        },
        no_group="agmon2003/3.4.1",
        details=(
            "Declared lengths decide who runs where and when; then every job runs until it is done, and whoever "
            "comes later on the same machine waits. Nobody pays. A gap that a short job leaves stays empty."
        ),
        theorem="Section 3.4.1 shows by an example that lies pay.",
    ),
    _rule(
        "light-vcg",
        summary="VCG payments; jobs run on until done",
        source="Agmon 2003, 5.2.1",
        refuted={
            "dominant": "agmon2003/5.2.1",
            "ex-post": "agmon2003/5.2.2",
            "budget-balanced": "agmon2003/5.2.2",
            "just": "agmon2003/7.4-light-vcg",
            "individually-rational": "agmon2003/5.2.2",
        },
        no_group="agmon2003/5.2.2",
        details=(
            "As straightforward, and everybody pays the sum of the others' planned output times. Jobs run on "
            "until done, so a lie costs others more than the liar pays."
        ),
        theorem="Sections 5.2.1 and 5.2.2 show by examples that lies pay, with large and with small ones.",
    ),
    _rule(
        "harsh",
        summary="no payments; whoever lies never gets her output",
        source="Agmon 2003, 5.3.1",
        refuted=dict.fromkeys(("upper-margin", *_MARGINS), "agmon2003/5.3.1"),
        details=(
            "Nobody pays. Whoever's job is not exactly as long as declared never gets her output; the others "
            "keep the times that were planned."
        ),
        theorem="Section 5.3.1: the truth is dominant, for any goal.",
    ),
    _rule(
        "vcg-renice",
        summary="VCG payments; a job beyond its declaration runs on at a reduced share",
        source="Agmon 2003, 5.3.2, Theorem 5.5",
        refuted=_reniced("vcg-renice", "agmon2003/5.5-not-dominant"),
        no_group="two-friends/vcg-renice",
        details=(
            "Everybody pays the sum of the others' planned output times. A job that is not done where it was "
            "declared to end runs on, alone on its machine, at the share that penalty says; later jobs of the "
            "machine are put off. A gap closes, and output is handed over early only to who told the truth. "
            "Goal sum only."
        ),
        theorem="Theorem 5.5: the truth is a best reply to truthful others.",
    ),
    _rule(
        "vcg-postpone",
        summary="VCG payments; the rest of a job beyond its declaration is postponed",
        source="Agmon 2003, 5.3.2, Theorem 5.9",
        refuted=dict.fromkeys(("budget-balanced", *_MARGINS), "agmon2003/7.3-vcg-postpone"),
        no_group="two-friends/vcg-postpone",
        details=(
            "Everybody pays the sum of the others' planned output times. A job that is not done where it was "
            "declared to end stops, and its rest runs behind everything else on its machine, not before the "
            "wait that penalty says is over; nobody else is delayed. Goal sum only."
        ),
        theorem="Theorem 5.9: the truth is dominant.",
    ),
    _rule(
        "evcg-renice",
        summary="EVCG payments, any goal; a job beyond its declaration runs on at a reduced share",
        source="Agmon 2003, 6.3, Theorem 6.6",
        refuted=_reniced("evcg-renice", "agmon2003/6.6-not-dominant"),
        no_group="two-friends/evcg-renice",
        details=(
            "Everybody pays S(b), the smallest sum of output times of the declared lengths, minus her own "
            "planned output time; the allocation is best for the goal, whichever it is. A job longer than "
            "declared runs on at a reduced share, as in vcg-renice."
        ),
        theorem=(
            "Theorem 6.6, with the repaired share: the truth is a best reply to truthful others, for any goal. "
            "With the printed one it fails."
        ),
    ),
    _rule(
        "evcg-postpone",
        summary="EVCG payments, any goal; the rest of a job beyond its declaration is postponed",
        source="Agmon 2003, 6.4, Theorem 6.8",
        refuted=dict.fromkeys(("budget-balanced", *_MARGINS), "agmon2003/7.3-evcg-postpone"),
        no_group="two-friends/evcg-postpone",
        details=(
            "Everybody pays S(b), the smallest sum of output times of the declared lengths, minus her own "
            "planned output time; the allocation is best for the goal, whichever it is. The rest of a job "
            "longer than declared is postponed, as in vcg-postpone."
        ),
        theorem="Theorem 6.8: the truth is dominant, for any goal.",
    ),
    _rule(
        "postpone-unpaid",
        summary="no payments; the rest of a job beyond its declaration is postponed",
        source="Agmon 2003, 5.4",
        refuted={
            "dominant": "agmon2003/5.4.1",
            "ex-post": "agmon2003/5.4.1",
            "lower-margin": "agmon2003/7.3-postpone-unpaid",
            "upper-margin-any-others": "agmon2003/7.3-postpone-unpaid",
            "lower-margin-any-others": "agmon2003/7.3-postpone-unpaid",
            "individually-rational": "agmon2003/5.4.1",
        },
        no_group="agmon2003/5.4.1",
        details=(
            "Nobody pays. The rest of a job longer than declared is postponed, as in vcg-postpone. For any goal. On "
            "one machine, for the goals sum and weighted-sum, the truth is dominant whatever the wait: there no rule "
            "asks for less."
        ),
        theorem="Section 5.4.1 shows by an example on two machines that lies pay.",
    ),
    _rule(
        "verified",
        summary="paid after the run: each agent bears everybody's output times had the others been truthful",
        source="Agmon 2003, 4.4, repaired",
        refuted=dict.fromkeys(
            ("payments-nonnegative", "budget-balanced", "priced-in-advance", "just", "individually-rational"),
            "agmon2003/4.4-off-equilibrium",
        ),
        no_group="two-friends/verified",
        details=(
            "Paid when all jobs are done: everybody bears the sum of all output times that there would have "
            "been had the others told the truth. Prices are known after the run only. For any goal."
        ),
        theorem="Section 4.4, after Nisan and Ronen, with the sum over all agents: the truth is dominant.",
    ),
    _rule(
        "verified-printed",
        summary="paid after the run, by the printed formula",
        source="Agmon 2003, 4.4",
        refuted={
            "dominant": "agmon2003/4.4-printed",
            "ex-post": "agmon2003/4.4-printed",
            "rent-nonnegative": "agmon2003/4.4-printed-off-equilibrium",
            "rent-nonnegative-in-equilibrium": "agmon2003/4.4-printed-one-agent",
            "payments-nonnegative": "agmon2003/4.4-printed-off-equilibrium",
            "budget-balanced": "agmon2003/4.4-printed-off-equilibrium",
            "priced-in-advance": "agmon2003/4.4-printed-off-equilibrium",
            "just": "agmon2003/4.4-printed-off-equilibrium",
            "individually-rational": "agmon2003/4.4-printed",
        },
        no_group="agmon2003/4.4-printed",
        details="As verified, with the sum over the others only, as the thesis prints it. For any goal.",
        theorem="Section 4.4 claims that the truth is dominant; it is not even a best reply to truthful others.",
    ),
    _rule(
        "shapley-share",
        summary="everybody bears her Shapley value of the smallest sum of output times; payments balance",
        source="after Maniquet 2003, and Mishra and Rangarajan 2007",
        refuted=dict.fromkeys(("payments-nonnegative", *_LOSSES), "payments/shapley-share"),
        details=(
            "What each bears, planned time and payment together, is her Shapley value of the smallest sum of output "
            "times: on one machine everybody pays half of her own length to each who waits for her. A longer rest is "
            "postponed, or it runs on (tool). Several machines need the named waits, one machine none; payments "
            "balance for the goal sum."
        ),
        theorem="The truth is best wherever it is under VCG payments with the same job control and penalty.",
    ),
    _rule(
        "equal-share",
        summary="everybody bears the same part of the smallest sum of output times; payments balance",
        source="this package",
        refuted=dict.fromkeys(("payments-nonnegative", *_LOSSES), "payments/equal-share")
        | dict.fromkeys(("group-dominant-total", "group-ex-post-total"), "payments/equal-share-friends"),
        details=(
            "Everybody pays S(b)/N, an equal part of the smallest sum of output times, minus her own planned output "
            "time: short jobs pay long ones. No wait is needed. Whoever waits for less than her hour costs gains by "
            "overstating without bound, and outputs must be withheld from overstaters until their planned time."
        ),
        theorem="The truth is strictly dominant; no group gains by lies to truthful others.",
    ),
    _rule(
        "full-time",
        summary="everybody bears the time of all jobs on the fastest machine; any goal",
        source="this package",
        refuted=dict.fromkeys(("budget-balanced", *_LOSSES), "payments/full-time"),
        no_group="payments/full-time-friends",
        details=(
            "Everybody pays the time that all declared jobs would take one after the other on the fastest machine, "
            "minus her own planned output time: never more than under EVCG payments. No wait is needed."
        ),
        theorem="The truth is dominant, whatever rule allocates.",
    ),
    _rule(
        "bystander",
        summary="one machine, three agents or more: pairs are paid for by those outside them; payments balance",
        source="after Suijs 1996, Mitra 2001, and Hain and Mitra 2004",
        refuted=dict.fromkeys(("payments-nonnegative", *_LOSSES), "payments/bystander")
        | dict.fromkeys(("group-dominant-total", "group-ex-post-total"), "payments/bystander-friends"),
        details=(
            "What two jobs cost each other, the length of the first, is borne by the agents who are neither, in equal "
            "parts; her own length everybody bears herself. One machine, at least three agents, and a goal that orders "
            "jobs by a number of each: sum or weighted-sum. Needs no wait, and for truthful others no job control."
        ),
        theorem="The truth is dominant.",
    ),
    _rule(
        "designed",
        summary="payments of your own: an expression, or a table; any job control",
        source="automated mechanism design (Conitzer and Sandholm 2002)",
        refuted={},
        details=(
            "Payments are a piecewise-linear expression in S (the smallest sum of output times), W (the sum of the "
            "planned ones), E (her own planned time), own (her declaration), all (everybody's), other(k) (the k-th "
            "longest of the others), max and min, or a table of declaration profiles, which may fix the allocation "
            "too and refuses all others. tool says how jobs are controlled."
        ),
    ),
)


AGENTS: Final = (2, 3)
CLUSTERS: Final = ((1,), (1, 1), (1, 2), (1, 3))
"""Powers of the machines."""
FILE: Final = Path(__file__).with_name("proved.json")


def cases(rule: str) -> list[tuple[int, tuple[int, ...]]]:
    """Numbers of agents and powers for which statements on a rule were asked: all for which it is defined.

    >>> cases("bystander"), cases("designed"), len(cases("harsh"))
    ([(3, (1,))], [], 8)
    """
    few: dict[str, list[tuple[int, tuple[int, ...]]]] = {"bystander": [(3, (1,))], "designed": []}
    return few.get(rule, [(agents, powers) for powers in CLUSTERS for agents in AGENTS])


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
    rows = _proved()["rules"].get(rule, {}).get(statement, {})
    return {(int(n), powers): verdict for n, row in rows.items() for powers, verdict in row.items()}


def reduced(rule: str, statement: str) -> int:
    """Up to how many agents the reduction proves a statement, on each of the clusters; 0 where it does not apply."""
    return int(_proved()["reduction"].get(rule, {}).get(statement, 0))


@cache
def _proved() -> dict[str, Any]:
    content: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
    return content


CHECKED: Final[Mapping[tuple[str, str], str]] = {
    **dict.fromkeys(product(["equal-share"], ["budget-balanced", "dominant", "ex-post"]), "EqualShare"),
    **dict.fromkeys(product(["full-time"], ["dominant", "ex-post"]), "Comparison"),
    ("shapley-share", "budget-balanced"): "ShapleyShare",
    ("shapley-share", "ex-post"): "NoWait",
    **dict.fromkeys(product(["bystander"], ["budget-balanced", "dominant", "ex-post"]), "Bystanders"),
}
"""Claims of rules, by default, and the files of ``theorems/`` in which Coq has checked them; lengths are at least 0."""


def evidence(rule: str, claim: str) -> tuple[str, str]:
    """How a claim of a rule is known, and for what: proved for all lengths, or enumerated on finite domains.

    >>> evidence("vcg-postpone", "dominant")[0]
    'proved'
    """
    decided = verdicts(rule, claim)
    if not decided or set(decided.values()) != {"proved"}:
        return "enumerated", "finite domains"
    agents = " and ".join(dict.fromkeys(str(n) for n, _ in sorted(decided)))
    machines = ", ".join(dict.fromkeys(f"({written(powers)})" for _, powers in cases(rule)))
    most, checked = reduced(rule, claim), CHECKED.get((rule, claim))
    how = f"all lengths, N = {agents} on {machines}" + (f"; N <= {most} by the reduction" if most else "")
    every = "N >= 3, one machine" if rule == "bystander" else "every N, M and powers"
    return "proved", how + (f"; {every}: Coq, {checked}" if checked else "")
