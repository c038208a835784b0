"""Which rule runs: the scenario's, one of those that ``compare`` puts in its place, or one of the user's own.

>>> from consortium.scenarios.reader import load
>>> rules_of(load("minimal/sharing"), {"some": "rand:samples=75"})
(Rule(label='some', rule='rand', options={'samples': 75}, own=False),)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from ...mechanisms.custom import foreign, made
from ...mechanisms.registry import RuleInfo, info
from ...mechanisms.sharing.rules.own import NAMES
from ...mechanisms.sharing.simulation import COPIES
from ...scenarios.scenario import Scenario
from ...scenarios.sharing import RuleSpec
from ..compare import Variant, variants

RECORDED: Final = "recorded"
"""Not a rule: what the cluster did, by the log's own starts. Machines that were busy with earlier jobs, broken or
reserved are not known, so it may look worse than it was."""

METHODS: Final = ("choose(pool)",)
"""What a rule of one's own has, see :class:`consortium.mechanisms.sharing.QueueRule`."""

WAYS: Final = (frozenset({"samples"}), frozenset({"orderings"}), frozenset({"epsilon", "confidence"}))
"""How many orderings rand looks at is said in one of these ways."""


@dataclass(frozen=True)
class Rule:
    """A rule to run.

    Attributes
    ----------
    label
        How records name it.
    rule
        Its name, or :data:`RECORDED`.
    options
        Those that were given, as :func:`consortium.mechanisms.sharing.simulate` takes them.
    own
        Whether no name stands for it: then ``rule`` is an object of the user's own, or a class or function that makes
        one from the number of machines of each organization.
    text
        How it was asked for, where the label says something else.
    """

    label: str
    rule: Any
    options: Mapping[str, Any] = field(default_factory=dict)
    own: bool = False
    text: str = field(default="", repr=False)

    @property
    def asked(self) -> str | dict[str, str]:
        """What a store knows it by: a label of one's own may stand for another rule tomorrow."""
        return {self.label: self.text} if self.text else self.label

    def arguments(self, machines: tuple[int, ...], seed: int | None) -> dict[str, Any]:
        """The rule as :func:`consortium.mechanisms.sharing.simulate` takes it; ``machines`` of each organization."""
        given = self.rule
        if not self.own:
            entry = info("sharing", given)
            if not entry.foreign:
                return {"rule": given, "seed": seed or 0, **self.options}
            given = foreign(entry, self.options)
        return {"rule": made(given, METHODS, machines=machines), "seed": seed or 0}


def rule_of(scenario: Scenario, own: Any = None, label: str | None = None) -> Rule:
    """The rule of a scenario, or one of the user's own in its place."""
    spec: RuleSpec = scenario.spec.mechanism
    if own is not None:
        return Rule(label or "own", own, own=True)
    given = spec.own or {key: getattr(spec, key) for key in scenario.data["mechanism"] if key != "rule"}
    return Rule(label or spec.rule, spec.rule, given)


def rules_of(scenario: Scenario, wanted: Mapping[str, Any] | None) -> tuple[Rule, ...]:
    """Rules to run on the windows of a scenario's log, by label: as ``compare`` reads them, and :data:`RECORDED`."""
    if not wanted:
        return tuple(map(of_variant, variants([scenario], wanted, adapt)))
    found: list[Rule] = []
    for label, rule in wanted.items():
        text = rule.strip() if isinstance(rule, str) and rule.strip() != label else ""
        if is_recorded(rule):
            found.append(Rule(label, RECORDED, text=text))
        else:
            found.extend(replace(of_variant(row), text=text) for row in variants([scenario], {label: rule}, adapt))
    return tuple(found)


def of_variant(variant: Variant) -> Rule:
    """The rule of one row of a comparison."""
    return rule_of(variant.scenario, variant.own, variant.label)


def is_recorded(rule: Any) -> bool:
    """Whether what the cluster did is meant, and no rule."""
    return isinstance(rule, str) and rule == RECORDED


def is_whole(rule: Rule) -> bool:
    """Whether it starts parallel jobs on all their machines at once."""
    return bool(rule.options.get("parallel", COPIES) != COPIES)


def is_ours(rule: Rule) -> bool:
    """Whether it stands in our catalogue, and so runs on arrays whose size is known before."""
    return not rule.own and rule.rule in NAMES


def adapt(scenario: Scenario, rule: RuleInfo, options: dict[str, Any]) -> Mapping[str, Any]:
    """Another rule; of the scenario's own options those stay that do not say otherwise what is said with the rule."""
    own = scenario.data["mechanism"]
    said = {key for key, value in options.items() if key not in own or own[key] != value}
    spoken = [way for way in WAYS if way & said]
    silent = {key for way in WAYS if spoken and way not in spoken for key in way}
    return {"mechanism": {"rule": rule.id} | {key: value for key, value in options.items() if key not in silent}}


def draws(scenario: Scenario, rule: Rule) -> bool:
    """Whether anything is random: the rule's choices, or the windows of a log."""
    return scenario.spec.trace is not None or chooses(rule)


def chooses(rule: Rule) -> bool:
    """Whether a rule of the catalogue draws lots; of one of one's own nothing is known."""
    options, name = rule.options, rule.rule
    if rule.own:
        return False
    by_machine = name.startswith("direct") and options.get("machine_order", "random") == "random"
    return by_machine or (name == "rand" and "orderings" not in options and options.get("samples") != "all")
