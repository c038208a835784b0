"""Rules by name, what each claims, and how it is known: what ``consortium rules`` prints.

A claim on a rule of kind ``declaration`` is *proved* where :mod:`consortium.games.proofs` has proved it for all lengths
(with default options and the goal ``sum``, for the agents and machines said), *refuted* where a shipped scenario shows
its failure, and *enumerated* where the tests try it on finite domains. The claims of the other kinds are checked by
tests on generated instances. What Coq has checked besides is said, with its scope.

>>> [row.status for row in claim_rows(find("harsh")) if row.claim in ("dominant", "upper-margin")]
['proved', 'refuted']
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from ..mechanisms.kinds import RULE_GROUP, RuleInfo, announced, rules
from ..mechanisms.kinds import kind as find_kind
from ..mechanisms.kinds import names as kind_names
from ..scenarios.reader import locate, parse, shipped
from ..scenarios.scenario import plain
from ..scenarios.schema import Key, keys_of_rule
from ..support.errors import unknown_name
from ..support.loading import extensions, load, usable


@dataclass(frozen=True)
class RuleRow:
    """A rule: its kind, name, one line, source."""

    kind: str
    rule: str
    summary: str
    source: str


@dataclass(frozen=True)
class ClaimRow:
    """A claim: proved, enumerated, tested or refuted, and for what, or by which scenario; the claim in words."""

    claim: str
    status: str
    how: str
    meaning: str = ""


@dataclass(frozen=True)
class RulePage(RuleRow):
    """All that is known of a rule."""

    details: str  # what it does, in a few sentences
    theorem: str  # what its source proves or claims
    keys: tuple[Key, ...]  # of ``[mechanism]``, those that it uses
    claims: tuple[ClaimRow, ...]  # what it promises, and what it must not have
    scenarios: tuple[str, ...]  # names of the shipped ones that use it

    def to_dict(self) -> dict[str, Any]:
        """As ``consortium rules KIND RULE --json`` prints it."""
        names = ("key", "accepted", "default", "unit", "meaning", "names")
        keys = [{name: plain(getattr(key, name)) for name in names} for key in self.keys]
        return {**vars(self), "keys": keys, "claims": [asdict(row) for row in self.claims],
                "scenarios": list(self.scenarios)}  # fmt: skip


@dataclass(frozen=True)
class KindRule:
    """An entry of the registry with its kind."""

    kind: str
    info: RuleInfo


def every() -> list[KindRule]:
    """All rules of all kinds, those of other distributions included."""
    return [KindRule(kind, info) for kind, own in usable(kind_names(), rules).items() for info in own.values()]


def rule_rows(kind: str | None = None) -> list[RuleRow]:
    """A row for each rule, of one kind or of all. Raises UnknownNameError for another kind."""
    if kind is not None and kind not in kind_names():
        raise unknown_name("kind", kind, kind_names())
    listed = every() if kind is None else [KindRule(kind, info) for info in rules(kind).values()]
    return [RuleRow(one.kind, one.info.id, one.info.summary, one.info.source) for one in listed]


def find(name: str, kind: str | None = None) -> KindRule:
    """A rule by its name, of any kind or of one. Raises UnknownNameError, with the nearest name."""
    if kind is not None:
        rule_rows(kind)
    by_name = {one.info.id: one for one in reversed(every()) if kind in (None, one.kind)}
    if name not in by_name:
        if name in extensions(RULE_GROUP):
            announced(name)  # raises the reason, if it cannot be used
        raise unknown_name("rule", name, [*(kind_names() if kind is None else ()), *reversed(by_name)])
    return by_name[name]


def page(rule: KindRule) -> RulePage:
    """All that is known of a rule.

    >>> [key.key for key in page(find("edf")).keys]
    ['thresholds', 'ties']
    """
    info = rule.info
    return RulePage(
        rule.kind, info.id, info.summary, info.source, info.details, info.theorem,
        tuple(keys_of_rule(rule.kind, info)), tuple(claim_rows(rule)), _scenarios(rule),
    )  # fmt: skip


def _scenarios(rule: KindRule) -> tuple[str, ...]:
    rules_of = _rules_of(tuple((name, locate(name)) for name in shipped()))
    return tuple(name for name, used in rules_of.items() if used == (rule.kind, rule.info.id))


@lru_cache(maxsize=1)
def _rules_of(files: tuple[tuple[str, Path], ...]) -> dict[str, tuple[Any, Any]]:
    """Kind and rule of each file; read once, because a page of reference asks for those of every rule."""
    read = {name: parse(path) for name, path in files}
    return {name: (data.get("kind"), data.get("mechanism", {}).get("rule")) for name, data in read.items()}


def claim_rows(rule: KindRule) -> list[ClaimRow]:
    """A row for each claim of a rule, then for each that is refuted."""
    reference = find_kind(rule.kind).claims
    words: Mapping[str, str] = load(reference) if reference else {}
    claims = [_held(rule, claim) for claim in sorted(rule.info.claims)]
    claims += [ClaimRow(claim, "refuted", scenario) for claim, scenario in sorted(rule.info.refuted.items())]
    return [replace(row, meaning=words.get(row.claim, "")) for row in claims]


def _held(rule: KindRule, claim: str) -> ClaimRow:
    if rule.info.foreign:
        return ClaimRow(claim, "tested", "by its own distribution")
    reference = find_kind(rule.kind).evidence
    return ClaimRow(claim, *(load(reference)(rule.info.id, claim) if reference else ("tested", "generated instances")))
