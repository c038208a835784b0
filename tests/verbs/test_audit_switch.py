"""What if: who wins and who loses by another rule, against the definitions, and in every way to ask."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy import stats
from typer.testing import CliRunner

import consortium
from consortium.cli.app import app
from consortium.mechanisms.sharing.simulation import simulate
from consortium.reports.figures import figure_of
from consortium.reports.sentences import sentences_of
from consortium.reports.tables import tables_of
from consortium.support.errors import InputError, UnknownNameError
from consortium.verbs.sharing.audit_plan import plan_of
from consortium.verbs.sharing.model import instance_of
from consortium.verbs.sharing.results import RuleResult, WindowResult
from consortium.verbs.sharing.switch import switched

from .test_audit import OldestFirst, ask, asked, busy_log, site

__all__ = ["site"]


def limits(late: list[int], parts: list[int]) -> tuple[float | None, float | None, float | None]:
    """The change and its limits by the definition: leave one window out after the other."""
    if not sum(parts):
        return None, None, None
    value = sum(late) / sum(parts)
    pairs = [(x, w) for x, w in zip(late, parts, strict=True) if w]
    n = len(pairs)
    if n < 2 or not any(x for x, _ in pairs):
        return value, None, None
    tops, bottoms = sum(x for x, _ in pairs), sum(w for _, w in pairs)
    without = [(tops - x) / (bottoms - w) for x, w in pairs]
    error = math.sqrt((n - 1) / n * sum((one - sum(without) / n) ** 2 for one in without))
    freedom = max(1.0, bottoms**2 / sum(w * w for _, w in pairs) - 1)
    width = float(stats.t.ppf(0.975, freedom)) * error
    return value, value - width, value + width


def windows(rng: np.random.Generator, n: int, k: int) -> list[WindowResult]:
    """Invented results of two rules: often equal, sometimes without any work."""
    found = []
    for index in range(n):
        parts = (rng.integers(0, 60, k) * rng.integers(0, 2, k)).tolist()
        shift = rng.integers(-3, 2, k) * rng.integers(0, 2) * rng.integers(1, 40)
        rules = [
            RuleResult(label, tuple(utility), None, tuple(parts), 0, Fraction(int(rng.integers(0, 9)), 7), None, 0.0)
            for label, utility in (("old", [1000] * k), ("new", (1000 - shift).tolist()))
        ]
        names = tuple(f"org {u}" for u in range(k))
        zeros = (Fraction(0),) * k
        fair = (1000,) * k
        found.append(WindowResult(index, 0, 1, 1.0, names, (1,) * k, zeros, fair, tuple(parts), 1, tuple(rules)))
    return found


@pytest.mark.parametrize("cases", [300, pytest.param(5_000, marks=pytest.mark.exhaustive)])
def test_who_wins_is_who_the_definition_says(cases: int) -> None:
    rng = np.random.default_rng(cases)
    seen = set()
    for _ in range(cases):
        results = windows(rng, int(rng.integers(1, 9)), int(rng.integers(1, 5)))
        switch = switched(results, "old", "new")
        assert switch is not None
        told = " ".join(switch.explanation)
        for u, row in enumerate(switch.organizations):
            late = [r.of("old").utility[u] - r.of("new").utility[u] for r in results]
            value, low, high = limits(late, [r.fair_parts[u] for r in results])
            found = [known and known.value for known in (row.change, row.change_low, row.change_high)]
            assert found == [None if one is None else pytest.approx(one) for one in (value, low, high)]
            expected = "open"
            if not any(late):
                expected = "same"
            elif low is not None and high is not None and (low > 0 or high < 0):
                expected = "loses" if low > 0 else "wins"
            assert row.verdict == expected
            assert row.name in told or all(one.verdict == "same" for one in switch.organizations)
            seen.add(expected)
        apart = [float(r.of("new").unfairness - r.of("old").unfairness) for r in results]
        assert switch.unfairness.value == pytest.approx(sum(apart) / len(apart))
        if len(set(apart)) > 1:
            interval = stats.ttest_1samp(apart, 0).confidence_interval(0.95)
            assert switch.unfairness_low is not None
            assert switch.unfairness_low.value == pytest.approx(interval.low)
            assert ("new is fairer:" in told) == (interval.high < 0)
            assert ("new is less fair:" in told) == (interval.low > 0)
        for word, verdict in (("Wins by", "wins"), ("Loses by", "loses")):
            assert (word in told) == any(row.verdict == verdict for row in switch.organizations)
    assert seen == {"wins", "loses", "same", "open"}
    assert switched([], "old", "new") is None


@pytest.mark.parametrize("seed", range(3))
def test_the_numbers_are_those_of_the_replays(seed: int) -> None:
    log = busy_log(seed)
    record = ask(log=log, seed=seed, machines=3, rules=["fair-share"], switch_to="fifo")
    plan = plan_of(log, asked(machines=3, duration=800, seed=seed))
    late, parts = np.zeros(3, dtype=object), np.zeros(3, dtype=object)
    for i in range(4):
        instance = instance_of(plan.window(log, i))
        before, after, fair = (simulate(instance, rule=rule, until=800) for rule in ("fair-share", "fifo", "ref"))
        late += np.array([int(b) - int(a) for b, a in zip(before.utility, after.utility, strict=True)], dtype=object)
        parts += np.array(fair.parts, dtype=object)
    assert record.switch is not None
    assert any(late)
    for row, lost, work in zip(record.switch.organizations, late, parts, strict=True):
        assert row.change is not None
        assert row.change.value == pytest.approx(lost / work)
    delays = {(row.rule, row.name): row.delay for row in record.organizations}
    for row in record.switch.organizations:
        old, new = delays["fair-share", row.name], delays["fifo", row.name]
        assert old is not None
        assert new is not None
        assert row.change is not None
        assert row.change.value == pytest.approx(new.value - old.value, abs=1e-9)


def test_a_switch_there_and_back_changes_the_sign_only() -> None:
    there = ask(rules=["fifo", "round-robin"], rule="fifo", switch_to="round-robin", machines=3).switch
    back = ask(rules=["fifo", "round-robin"], rule="round-robin", switch_to="fifo", machines=3).switch
    assert there is not None
    assert back is not None
    assert there.unfairness.value == -back.unfairness.value
    turned = {"wins": "loses", "loses": "wins"}
    for one, other in zip(there.organizations, back.organizations, strict=True):
        assert one.change is not None
        assert other.change is not None
        assert one.change.value == pytest.approx(-other.change.value)
        assert one.verdict == turned.get(other.verdict, other.verdict)


def test_the_other_rule_may_be_an_object_or_a_label() -> None:
    by_name = ask(rules=["fair-share"], switch_to=" fifo ", windows=2).switch
    for given in (
        {"rules": ["fair-share"], "switch_to": lambda machines: OldestFirst()},
        {"rules": ["fair-share"], "switch_to": OldestFirst()},
        {"rules": {"fair-share": "fair-share", "oldest": OldestFirst()}, "switch_to": "oldest"},
    ):
        switch = ask(windows=2, **given).switch
        assert switch is not None
        assert by_name is not None
        assert switch.rule in ("own", "oldest")
        assert switch.organizations == by_name.organizations
    sampled = ask(rules=["fair-share"], switch_to="rand:samples=3", windows=2)
    assert [row.rule for row in sampled.rows] == ["fair-share", "rand:samples=3"]


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"switch_to": "fair-share"}, InputError, "'fair-share' is the rule in force; expected another"),
        ({"switch_to": "recorded"}, InputError, "'recorded' is what the cluster did, to which nobody can change"),
        (
            {"switch_to": "fifo", "rule": "recorded"},
            InputError,
            "the rule in force is 'recorded', what the cluster did",
        ),
        (
            {"switch_to": "log", "rules": {"fair-share": "fair-share", "log": "recorded"}},
            InputError,
            "'log' is what the",
        ),
        ({"switch_to": "fiffo"}, UnknownNameError, "switch_to: 'fiffo' is not known; .* Did you mean 'fifo'"),
        ({"switch_to": "rand:sample=3"}, UnknownNameError, "'sample' is not known"),
        ({"switch_to": 3}, InputError, "switch_to: found 3; expected a rule, with options as in rand:samples=75, or"),
        ({"switch_to": object()}, InputError, r"expected an object with choose\(pool\)"),
        ({"switch_to": OldestFirst(), "rules": {"own": "fifo"}}, InputError, "another of the rules is called 'own'"),
    ],
)
def test_what_is_no_other_rule_is_refused(options: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        ask(windows=1, **{"rules": ["fair-share"], **options})


def test_one_window_and_equal_rules_are_said() -> None:
    alone = ask(windows=1, rules=["fifo"], rule="fifo", switch_to="round-robin", machines=3).switch
    assert alone is not None
    assert (
        "In this window, which says nothing of others, work is done at other moments than under fifo"
        in alone.explanation[0]
    )
    assert all(row.verdict in ("open", "same") for row in alone.organizations)
    idle = ask(machines=500, rules=["fifo"], rule="fifo", switch_to="round-robin").switch
    assert idle is not None
    assert idle.explanation == (
        "Nobody wins or loses by round-robin in these 4 windows: everybody gets the same as under fifo.",
    )


def test_sentences_name_no_more_than_one_reads() -> None:
    switch = switched(windows(np.random.default_rng(5), 6, 40), "old", "new")
    assert switch is not None
    assert any(" more" in line for line in switch.explanation)
    assert all(line.count("org ") <= 8 for line in switch.explanation)


@pytest.mark.usefixtures("site")
def test_tables_figures_and_reports_show_it() -> None:
    record = consortium.audit(
        "busy.swf", duration=800, windows=4, machines=3, rules=["fifo"], rule="fifo", switch_to="round-robin"
    )
    data = record.to_dict()
    whats, words = [table for table in tables_of(data) if "round-robin" in table.title]
    assert whats.title == "what if: round-robin instead of fifo"
    assert [row[0] for row in whats.rows] == [row["name"] for row in data["switch"]["organizations"]]
    assert [row[0] for row in words.rows] == data["switch"]["explanation"]
    told = [sentence.text for sentence in sentences_of(data)]
    assert told[-len(words.rows) :] == data["switch"]["explanation"]
    figure = figure_of(record)
    _, slopes = figure.axes
    drawn = {line.get_label(): line.get_ydata() for line in slopes.lines if not line.get_label().startswith("_")}
    delays = {(row["rule"], row["name"]): row["delay"] for row in data["organizations"]}
    for name, heights in drawn.items():
        scale = delays["fifo", name] / heights[0] if heights[0] else 1
        assert [height * scale for height in heights] == pytest.approx(
            [delays[r, name] for r in ("fifo", "round-robin")]
        )
    assert sorted(drawn) == sorted(row["name"] for row in data["switch"]["organizations"])


@pytest.mark.usefixtures("site")
def test_the_command_asks_it_too() -> None:
    command = ["audit", "busy.swf", "--duration", "800", "--windows", "2", "--rules", "fifo", "--rule", "fifo"]
    done = CliRunner().invoke(app, [*command, "--switch-to", "round-robin"], catch_exceptions=False)
    assert done.exit_code == 0
    assert "what if: round-robin instead of fifo" in done.output
    dry = CliRunner().invoke(app, [*command, "--switch-to", "round-robin", "--dry-run"], catch_exceptions=False)
    assert "6 simulations" not in dry.output
    assert "4 simulations" in dry.output
