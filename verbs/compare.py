"""``compare``, the same for every kind: which rules stand side by side, and what happens when a row cannot be made.

The rows are every scenario under every rule asked for. ``rules`` are names, with options as in ``rand:samples=75``, or
by label names, tables ``[mechanism]``, and objects of one's own. Without rules, one scenario is shown under every rule
of its kind that fits it, and several scenarios each under its own. Keys of ``[mechanism]`` that another rule does not
use are left out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from ..mechanisms.kinds import info, rules
from ..mechanisms.kinds import kind as find_kind
from ..scenarios.blocks import keys_of
from ..scenarios.fields import DIGITS
from ..scenarios.problems import ScenarioError
from ..scenarios.reader import load
from ..scenarios.scenario import Scenario
from ..support.errors import InputError, unknown_name
from ..support.interrupts import noticed
from ..support.loading import load as load_reference
from ..support.progress import Progress
from .records import ComparisonRow

UNKNOWN: Final = "rules"


@dataclass(frozen=True)
class Choice:
    """A rule by name with options of its own: ``rand:samples=75``.

    >>> Choice.parse("sharing", "rand:samples=75").options
    {'samples': 75}
    >>> Choice.parse("sharing", "fair-share:decay=7-00:00:00:timing=now").options
    {'decay': '7-00:00:00', 'timing': 'now'}
    """

    label: str
    rule: str
    options: Mapping[str, Any]

    @classmethod
    def parse(cls, kind: str, text: str, label: str | None = None) -> Choice:
        """Read a name and its options. Raises UnknownNameError for either, with the nearest."""
        name, *pairs = re.split(r":(?!\d)", text.strip())  # a digit goes on with a clock time
        if name not in rules(kind):
            raise unknown_name(UNKNOWN, name, rules(kind))
        keys, options = keys_of(info(kind, name)), {}
        for pair in pairs:
            key, equals, value = pair.partition("=")
            if key not in keys or not equals:
                raise unknown_name(f"option of rule {name!r} in {text!r}", key, keys)
            options[key] = int(value) if value.isdecimal() and len(value) <= DIGITS else value
        return cls(label or text.strip(), name, options)


@dataclass(frozen=True)
class Variant:
    """One row to be: a scenario under a label; ``own`` takes the place of its rule where it is given."""

    label: str
    scenario: Scenario
    own: Any = None


def variants(
    scenarios: Sequence[Scenario],
    labelled: Mapping[str, Any] | None,
    leave_out: Collection[str] = (),
) -> list[Variant]:
    """The rows of a comparison, in order: scenario by scenario, rule by rule.

    ``leave_out``: rules that are shown only when they are named.

    Raises InputError for a rule that is given by name and does not fit its scenario, or a label of one's own that is
    the name of a rule; UnknownNameError for names.
    """
    kind = scenarios[0].kind
    if labelled is None and len(scenarios) > 1:
        return [Variant(scenario.data["mechanism"]["rule"], scenario) for scenario in scenarios]
    if labelled is None:
        return list(_fitting(scenarios[0], leave_out))
    if not labelled:
        raise InputError(f"{UNKNOWN}: found none; expected at least one of {', '.join(rules(kind))}")
    chosen = []
    for scenario in scenarios:
        for label, rule in labelled.items():
            if isinstance(rule, str):
                choice = Choice.parse(kind, rule, label)
                chosen.append(Variant(label, _under(scenario, choice)))
            elif label in rules(kind):
                raise InputError(f"{UNKNOWN}: {label!r} is the name of a rule of the package; expected another label")
            elif isinstance(rule, Mapping):
                chosen.append(Variant(label, load(scenario, {"mechanism": rule})))
            else:
                chosen.append(Variant(label, scenario, rule))
    return chosen


def _fitting(scenario: Scenario, leave_out: Collection[str]) -> Iterator[Variant]:
    for name in rules(scenario.kind):
        if name in leave_out:
            continue
        try:
            yield Variant(name, _under(scenario, Choice(name, name, {})))
        except ScenarioError:
            continue  # a rule that is not defined for these agents, machines or goals


def _under(scenario: Scenario, choice: Choice) -> Scenario:
    rule = info(scenario.kind, choice.rule)
    kept = {key: value for key, value in scenario.data["mechanism"].items() if key in keys_of(rule)}
    options, adapt = {**kept, **choice.options}, find_kind(scenario.kind).adapt
    changes = load_reference(adapt)(scenario, rule, options) if adapt else {"mechanism": {"rule": rule.id, **options}}
    mechanism = {**changes["mechanism"], **choice.options}  # what is asked for stays, or is refused by name
    return load(scenario, {**changes, "mechanism": mechanism})


def side_by_side(
    chosen: Sequence[Variant],
    row: Callable[[Variant], tuple[Mapping[str, Any], bool]],
    progress: Progress | None,
    go_on: bool = True,
) -> tuple[tuple[ComparisonRow, ...], bool]:
    """The rows, made one by one, and whether all are there and complete. Ctrl-C keeps those that are done.

    ``go_on``: begin further rows after one that is incomplete; not where all share one time limit.
    """
    rows: list[ComparisonRow] = []
    try:
        for i, variant in enumerate(chosen):
            if progress is not None:
                progress(i, len(chosen), variant.label)
            with noticed() as stopped:
                values, complete = row(variant)
            rows.append(
                ComparisonRow(rule=variant.label, scenario=variant.scenario.label, values=values, complete=complete)
            )
            if stopped() or not (complete or go_on):
                return tuple(rows), False
    except KeyboardInterrupt:
        return tuple(rows), False
    return tuple(rows), all(done.complete for done in rows)


def shared_fields(
    scenarios: Sequence[Scenario], columns: Sequence[str], rows: Sequence[ComparisonRow], complete: bool
) -> dict[str, Any]:
    """What the records of a comparison hold, whatever the kind."""
    return {
        "kind": scenarios[0].kind,
        "scenario": "; ".join(scenario.label for scenario in scenarios),
        "columns": tuple(columns),
        "rows": tuple(rows),
        "complete": complete,
    }


def check_same(scenarios: Sequence[Scenario], who: Callable[[Scenario], object], what: str) -> None:
    """Raise InputError unless all scenarios are about the same agents and jobs."""
    for scenario in scenarios[1:]:
        if who(scenario) != who(scenarios[0]):
            raise InputError(f"compare: {scenario.label} has other {what} than {scenarios[0].label}")
