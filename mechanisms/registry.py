"""The registry: every rule's name, options and claims, readable without importing the rule's code.

Each kind keeps its own list in ``mechanisms/<kind>/catalogue.py`` (a tuple ``RULES`` of :class:`RuleInfo`), which
imports nothing but this module. Rules of other distributions are entry points of the group ``consortium.rules``, named
like the rule, whose object is a :class:`RuleInfo` that says its kind. The scenario reader checks names and options
against the registry; the contract tests check every claim of every rule on generated instances, and refute every entry
of ``refuted`` by its counterexample.

>>> RuleInfo(id="local", summary="everybody at home", source="Cordeiro 2012, 3.1").claims
frozenset()
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from ..support.errors import InputError, unknown_name
from ..support.loading import extension, extensions, load
from .kinds import kind as find_kind

GROUP: Final = "consortium.rules"


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
        Reference to the class or function behind the rule, loaded on first use. That of another distribution is called
        with the rule's options as keywords, and its answer is treated as a custom rule is: an object with the
        methods of its kind, or a class or function that makes one from what it is for (declaration: the cluster;
        federation: the federation; multiuser: the community; sharing: the pool).
    kind
        Kind of scenario, for rules of other distributions; those of a catalogue are of the catalogue's kind.
    parameters
        Reference to a pydantic model of keys of ``[mechanism]`` that are the rule's own, besides those that the kind
        knows; empty without any. For rules of other distributions.
    details
        What it does, in a few sentences: who is served, who pays, ties.
    theorem
        What the source proves or claims of it, in a sentence; empty where it says nothing.
    """

    id: str
    summary: str
    source: str
    options: frozenset[str] = frozenset()
    claims: frozenset[str] = frozenset()
    refuted: Mapping[str, str] = field(default_factory=dict)
    factory: str = ""
    kind: str = ""
    parameters: str = ""
    details: str = ""
    theorem: str = ""

    @property
    def foreign(self) -> bool:
        """Whether another distribution brings the rule: then its factory is called as custom rules are."""
        return bool(self.kind)

    def load(self) -> Any:
        """Import and return the class or function behind the rule."""
        return load(self.factory)


def rules(kind: str) -> dict[str, RuleInfo]:
    """All rules of a kind by name, in the order of its catalogue, then those of other distributions.

    Raises UnknownNameError for a wrong kind.
    """
    return shipped_rules(kind) | {rule.id: rule for rule in map(_foreign, extensions(GROUP)) if rule.kind == kind}


def shipped_rules(kind: str) -> dict[str, RuleInfo]:
    """The rules of a kind's own catalogue by name."""
    catalogue = find_kind(kind).rules
    entries: tuple[RuleInfo, ...] = load(catalogue) if catalogue else ()
    return {rule.id: rule for rule in entries}


def _foreign(name: str) -> RuleInfo:
    entry = extension(GROUP, name)
    if not isinstance(entry, RuleInfo) or entry.id != name or not entry.kind:
        raise InputError(f"{GROUP}: {name!r} stands for {entry!r}; expected a RuleInfo of that id, with its kind")
    return entry


def info(kind: str, rule: str) -> RuleInfo:
    """The entry of one rule. Raises UnknownNameError with the nearest name."""
    shipped = shipped_rules(kind)
    if rule in shipped:
        return shipped[rule]
    known_rules = rules(kind)
    if rule not in known_rules:
        raise unknown_name("mechanism.rule", rule, known_rules)
    return known_rules[rule]
