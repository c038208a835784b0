"""The registry: every rule's name, options and claims, readable without importing the rule's code.

Each family keeps its own list in ``mechanisms/<family>/catalogue.py`` (a tuple ``RULES`` of :class:`RuleInfo`), which
imports nothing but this module. The scenario reader checks names and options against it; the contract tests check
every claim of every rule on generated instances, and refute every entry of ``refuted`` by its counterexample.

>>> RuleInfo(id="local", summary="everybody at home", source="Cordeiro 2012, 3.1").claims
frozenset()
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..scheduling.errors import unknown_name
from ..scheduling.loading import load

FAMILIES: tuple[str, ...] = ("declaration", "federation", "multiuser", "sharing")


@dataclass(frozen=True)
class RuleInfo:
    """What can be known of a rule without running it.

    Attributes
    ----------
    id
        Name on the surface, as in a scenario's ``mechanism.rule``.
    summary
        One line for tables.
    source
        Paper and section.
    options
        Keys of ``[mechanism]`` that this rule uses besides ``rule``.
    claims
        What the rule promises; each name has a checker in the contract tests.
    refuted
        What it must not have: claim -> name of the shipped scenario that refutes it.
    factory
        Reference of the class or function behind the rule (:mod:`consortium.scheduling.loading`), loaded on first use.
    """

    id: str
    summary: str
    source: str
    options: frozenset[str] = frozenset()
    claims: frozenset[str] = frozenset()
    refuted: Mapping[str, str] = field(default_factory=dict)
    factory: str = ""

    def load(self) -> Any:
        """Import and return the class or function behind the rule."""
        return load(self.factory)


def rules(family: str) -> dict[str, RuleInfo]:
    """All rules of a family by name, in the order of its catalogue. Raises UnknownNameError for a wrong family."""
    if family not in FAMILIES:
        raise unknown_name("family", family, FAMILIES)
    return {rule.id: rule for rule in load(f".mechanisms.{family}.catalogue:RULES")}


def info(family: str, rule: str) -> RuleInfo:
    """The entry of one rule. Raises UnknownNameError with the nearest name."""
    known = rules(family)
    if rule not in known:
        raise unknown_name("mechanism.rule", rule, known)
    return known[rule]
