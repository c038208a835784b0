"""A scenario of kind ``sharing`` as an instance to schedule, the rule that runs on it, and the fair reference.

>>> rules_of(load("minimal/sharing"), {"some": "rand:samples=75"})
(Rule(label='some', rule='rand', options={'samples': 75}, own=False),)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, Final

import numpy as np

from ...mechanisms.custom import foreign, made
from ...mechanisms.kinds import info
from ...mechanisms.sharing.catalogue import REF_MAX, SLURM
from ...mechanisms.sharing.custom import NAMES
from ...mechanisms.sharing.instance import SharingInstance
from ...mechanisms.sharing.outcome import SharingOutcome, measures
from ...mechanisms.sharing.simulation import COPIES, simulate
from ...mechanisms.sharing.utilities import DEFAULT
from ...scenarios.reader import load
from ...scenarios.scenario import Scenario
from ...scenarios.sharing import SharingSpec
from ...support.errors import TooLargeError
from ...support.progress import Progress
from ...workloads.log import Log
from ...workloads.reading import read_log
from ...workloads.resources import weighed
from ...workloads.windows import Plan, SharedWork
from ..compare import Variant, variants


@dataclass(frozen=True)
class Setting:
    """What a scenario asks to be scheduled; ``work`` is the window when the jobs come from a log."""

    instance: SharingInstance
    until: int
    work: SharedWork | None = None
    log: str | None = None


def seeded(scenario: Scenario, seed: int | None) -> Scenario:
    """The scenario with another seed, where one is given; its certificates carry it too."""
    return scenario if seed is None else load(scenario, {"seed": seed})


def setting(scenario: Scenario, whole: bool = False) -> Setting:
    """Organizations, machines and jobs of a scenario; of its first window if they come from a log.

    ``whole``: of a window it is known which jobs are copies of one, even if the scenario's own rule does not ask.
    """
    spec: SharingSpec = scenario.spec
    if spec.trace is None:
        assert spec.until is not None  # the reader sees to it
        instance = SharingInstance.of(
            [o.machines for o in spec.organizations],
            [o.jobs for o in spec.organizations],
            [o.name for o in spec.organizations],
        )
        return Setting(instance, spec.until)
    log = scenario_log(scenario)
    work = plan(scenario, whole).window(log)
    return Setting(instance_of(work), work.until, work, log.name)


def instance_of(work: SharedWork) -> SharingInstance:
    """The jobs of a window as the rules take them, parallel ones whole where the window knows them."""
    columns = {name: getattr(work, name) for name in ("owner", "release", "length", "estimate", "since", "qos")}
    width = None
    if work.estimate is not None:
        assert work.part_of is not None  # it is known of every window of a log
        first = np.flatnonzero(np.diff(work.part_of, prepend=-1))
        columns = {name: None if column is None else column[first] for name, column in columns.items()}
        widths = np.diff(first, append=len(work))
        width = widths if (widths > 1).any() else None  # sequential jobs need no more than the other kernels
    instance = SharingInstance.from_columns(work.machines, **columns, names=work.names, width=width)
    return replace(instance, used_before=work.used_before)


def scenario_log(scenario: Scenario) -> Log:
    """The log of a scenario's ``[trace]``, with billing units in the place of processors where it weighs resources."""
    trace = scenario.spec.trace
    return log_of(trace.file, scenario.folder, tuple((trace.weights or {}).items()))


@lru_cache(maxsize=2)
def log_of(file: str, folder: str | None, weights: tuple[tuple[str, str], ...] = ()) -> Log:
    """A log, read once for all verbs; see :func:`consortium.workloads.read_log`."""
    log = read_log(file, folder)
    return weighed(log, dict(weights)) if weights else log


def plan(scenario: Scenario, whole: bool = False) -> Plan:
    """How windows are cut from the scenario's log; ``whole`` as in :func:`setting`."""
    trace = scenario.spec.trace
    return Plan(
        trace.duration,
        trace.start,
        trace.machines,
        trace.organizations,
        trace.shares,
        trace.limit,
        seed=scenario.seed or 0,
        whole=whole or scenario.spec.mechanism.parallel != COPIES,
    )


def reference(
    instance: SharingInstance, until: int, outcome: SharingOutcome | None = None, progress: Progress | None = None
) -> SharingOutcome | None:
    """REF with timing ``next`` at ``until``; ``None`` with more organizations than it takes. May be ``outcome``."""
    if outcome is not None and (outcome.rule, outcome.timing, outcome.utility_name) == ("ref", "next", DEFAULT):
        return outcome
    if instance.n_organizations > REF_MAX:
        return None
    try:
        return simulate(instance, rule="ref", until=until, progress=progress)
    except TooLargeError:
        return None


def measured(outcome: SharingOutcome, ideal: SharingOutcome | None) -> dict[str, Any]:
    """``delta``, ``p_tot``, ``unfairness``; ``reference`` says what they were measured against, or why not."""
    if ideal is None or ideal.until != outcome.until:
        return {"delta": None, "p_tot": None, "unfairness": None, "reference": None}
    distance = measures(outcome, ideal)
    return {
        "delta": distance.delta,
        "p_tot": distance.p_tot,
        "unfairness": distance.unfairness,
        "reference": "ref, timing next" + ("" if outcome.parallel == COPIES else ", parallel jobs as copies"),
    }


RECORDED: Final = "recorded"
"""Not a rule: what the cluster did, by the log's own starts. Machines that were broken or reserved are not known, so it
may look worse than it was."""

METHODS: Final = ("choose(pool)",)
"""What a custom rule has, see :class:`consortium.mechanisms.sharing.QueueRule`."""


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
        Options as :func:`consortium.mechanisms.sharing.simulate` takes them.
    own
        Whether it is a custom rule: then ``rule`` is an object of the user's, or a class or function that makes
        one from the number of machines of each organization.
    """

    label: str
    rule: Any
    options: Mapping[str, Any] = field(default_factory=dict)
    own: bool = False

    @property
    def key(self) -> str:
        """What a store knows it by: a label of the user's may stand for another rule tomorrow."""
        return ":".join([str(self.rule), *sorted(f"{key}={value}" for key, value in self.options.items())])

    def arguments(self, machines: tuple[int, ...], seed: int | None) -> dict[str, Any]:
        """The rule as :func:`consortium.mechanisms.sharing.simulate` takes it; ``machines`` of each organization."""
        rule = self.rule
        if not self.own:
            entry = info("sharing", rule)
            if not entry.foreign:
                return {"rule": rule, "seed": seed or 0, **self.options}
            rule = foreign(entry, self.options)
        return {"rule": made(rule, METHODS, machines=machines), "seed": seed or 0}


def rule_of(scenario: Scenario, own: Any = None, label: str | None = None) -> Rule:
    """The rule of a scenario, or a custom rule in its place."""
    spec: SharingSpec = scenario.spec
    if own is not None:
        return Rule(label or "own", own, own=True)
    rule = spec.mechanism.rule
    return Rule(label or rule, rule, spec.options or spec.mechanism.made_with(scenario.data["mechanism"]))


def rules_of(scenario: Scenario, named: Mapping[str, Any] | None) -> tuple[Rule, ...]:
    """Rules to run on the windows of a scenario's log, by label: as ``compare`` reads them, and :data:`RECORDED`."""
    if not named:
        return tuple(map(of_variant, variants([scenario], named, leave_out=SLURM)))
    rules: list[Rule] = []
    for label, rule in named.items():
        if is_recorded(rule):
            rules.append(Rule(label, RECORDED))
        else:
            rules.extend(map(of_variant, variants([scenario], {label: rule})))
    return tuple(rules)


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


def is_random(scenario: Scenario, rule: Rule) -> bool:
    """Whether anything is random: the rule's choices, or the windows of a log."""
    return scenario.spec.trace is not None or chooses(rule)


def chooses(rule: Rule) -> bool:
    """Whether a rule of the catalogue makes random choices; of a custom one nothing is known."""
    options, name = rule.options, rule.rule
    if rule.own:
        return False
    by_machine = name.startswith("direct") and options.get("machine_order", "random") == "random"
    return by_machine or (name == "rand" and "orderings" not in options and options.get("samples") != "all")
