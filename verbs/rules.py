"""Rules by name, what each claims, and how it is known: what ``consortium rules`` prints.

A claim on a rule of kind ``declaration`` is *proved* where :mod:`consortium.games.proofs` has proved it for all lengths
(with default options and the goal ``sum``, for the agents and machines said), *refuted* where a shipped scenario shows
its failure, and *enumerated* where the tests try it on finite domains. The claims of the other kinds are checked by
tests on generated instances.

>>> [row.status for row in claim_rows(find("harsh")) if row.claim in ("dominant", "upper-margin")]
['proved', 'refuted']
"""

from __future__ import annotations

from dataclasses import dataclass

from ..mechanisms.declaration import proved
from ..mechanisms.kinds import names as kind_names
from ..mechanisms.registry import RuleInfo, rules
from ..scheduling.errors import unknown_name


@dataclass(frozen=True)
class RuleRow:
    """A rule: its kind, name, one line, source."""

    kind: str
    rule: str
    summary: str
    source: str


@dataclass(frozen=True)
class ClaimRow:
    """A claim: ``"proved"``, ``"enumerated"``, ``"tested"`` or ``"refuted"``, and for what, or by which scenario."""

    claim: str
    status: str
    how: str


@dataclass(frozen=True)
class Found:
    """An entry of the registry with its kind."""

    kind: str
    info: RuleInfo


def every() -> list[Found]:
    """All rules of all kinds, those of other distributions included."""
    return [Found(kind, info) for kind in kind_names() for info in rules(kind).values()]


def rule_rows(kind: str | None = None) -> list[RuleRow]:
    """A row for each rule, of one kind or of all. Raises UnknownNameError for another kind."""
    if kind is not None and kind not in kind_names():
        raise unknown_name("kind", kind, kind_names())
    known = every() if kind is None else [Found(kind, info) for info in rules(kind).values()]
    return [RuleRow(one.kind, one.info.id, one.info.summary, one.info.source) for one in known]


def find(name: str) -> Found:
    """A rule by its name. Raises UnknownNameError, with the nearest name."""
    known = {one.info.id: one for one in every()}
    if name not in known:
        raise unknown_name("rule", name, [*kind_names(), *known])
    return known[name]


def claim_rows(rule: Found) -> list[ClaimRow]:
    """A row for each claim of a rule, then for each that is refuted."""
    held = [_held(rule, claim) for claim in sorted(rule.info.claims)]
    return held + [ClaimRow(claim, "refuted", scenario) for claim, scenario in sorted(rule.info.refuted.items())]


def _held(rule: Found, claim: str) -> ClaimRow:
    if rule.kind != "declaration" or rule.info.foreign:
        return ClaimRow(claim, "tested", "generated instances" if not rule.info.foreign else "by its own distribution")
    verdicts = proved.verdicts(rule.info.id, claim)
    if not verdicts or set(verdicts.values()) != {"proved"}:
        return ClaimRow(claim, "enumerated", "finite domains")
    agents = " and ".join(map(str, proved.AGENTS))
    machines = ", ".join(f"({proved.written(powers)})" for powers in proved.CLUSTERS)
    most = proved.reduced(rule.info.id, claim)
    further = f"; N <= {most} by the reduction" if most else ""
    return ClaimRow(claim, "proved", f"all lengths, N = {agents} on {machines}{further}")
