"""What if: who wins and who loses by another rule, against the definitions, and in every way to ask."""

from __future__ import annotations

import math
from dataclasses import replace
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
from consortium.reports.sharing import text
from consortium.reports.tables import tables_of
from consortium.support.errors import InputError, UnknownNameError
from consortium.verbs.records import jsonable
from consortium.verbs.sharing.model import Rule, instance_of
from consortium.verbs.sharing.plan import plan_of
from consortium.verbs.sharing.results import Ended, Fair, RuleResult, WindowResult
from consortium.verbs.sharing.summary import AUDITED, difference_rows, rule_rows, switched_rows

from .logs import OldestFirst, ask_switch, asked, busy_log


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


def unfair(rng: np.random.Generator) -> Fraction:
    return Fraction(int(rng.integers(0, 9)), 7)


def windows(rng: np.random.Generator, n: int, k: int) -> list[WindowResult]:
    """Invented results of two rules: often equal, sometimes without any work."""
    found, side = [], int(rng.choice([-1, 1]))
    for index in range(n):
        parts = (rng.integers(0, 60, k) * rng.integers(0, 2, k)).tolist()
        shift = side * rng.integers(-3, 2, k) * rng.integers(0, 2) * rng.integers(1, 40)
        rules = [
            RuleResult(label, tuple(utility), tuple(parts), Fraction(0), None, 0.0, to_others=unfair(rng))
            for label, utility in (("old", [1000] * k), ("new", (1000 - shift).tolist()))
        ]
        names = tuple(f"org {u}" for u in range(k))
        zeros = (Fraction(0),) * k
        fair = (1000,) * k
        found.append(WindowResult(index, 0, 1.0, names, (1,) * k, Fair(1, zeros, fair, tuple(parts)), tuple(rules)))
    return found


BOTH = (Rule("old", "fifo"), Rule("new", "round-robin"))


def lines_of(results: list[WindowResult], rows: Any = None) -> list[str]:
    """What a record of these windows says."""
    record = {
        "rule": "old",
        "rows": rule_rows(results, BOTH, "log", columns=AUDITED),
        "windows": [None] * len(results),
        "changes": switched_rows(results, "old", "new") if rows is None else rows,
        "differences": difference_rows(results, BOTH, "old"),
    }
    data = jsonable(record)
    return text.switched(data, data["differences"][0])


def told(record: Any) -> list[str]:
    data = record.to_dict()
    return [line for row in data["differences"] for line in text.switched(data, row)]


@pytest.mark.parametrize("cases", [300, pytest.param(5_000, marks=pytest.mark.exhaustive)])
def test_who_wins_is_who_the_definition_says(cases: int) -> None:
    rng = np.random.default_rng(cases)
    seen = set()
    for _ in range(cases):
        results = windows(rng, int(rng.integers(1, 9)), int(rng.integers(1, 5)))
        k = len(results[0].names)
        ends = {
            label: [Ended(tuple(rng.integers(0, 9_000, k).tolist()), tuple(range(k, 2 * k))) for _ in results]
            for label in ("old", "new")
        }
        if rng.random() < 0.6:
            ends = dict.fromkeys(ends)
        rows = switched_rows(results, "old", "new", ends)
        said = " ".join(lines_of(results, rows))
        for u, row in enumerate(rows):
            ended = None
            if ends["old"] is not None and ends["new"] is not None:
                pairs = list(zip(ends["old"], ends["new"], strict=True))
                ended = limits([new.late[u] - old.late[u] for old, new in pairs], [old.work[u] for old, _ in pairs])
                known = (row.change_ended, row.change_ended_low, row.change_ended_high)
                assert [one and one.value for one in known] == [
                    None if one is None else pytest.approx(one) for one in ended
                ]
            assert (row.change_ended is None) == (ended is None)
            assert row.received == sum(r.of("new").parts[u] - r.of("old").parts[u] for r in results)
            late = [r.of("old").utility[u] - r.of("new").utility[u] for r in results]
            value, low, high = limits(late, [r.fair.parts[u] for r in results])
            found = [known and known.value for known in (row.change, row.change_low, row.change_high)]
            assert found == [None if one is None else pytest.approx(one) for one in (value, low, high)]
            expected = "open"
            if not any(late) and not (ended and ended[0]):
                expected = "same"
            elif low is not None and high is not None and (low > 0 or high < 0):
                expected = "loses" if low > 0 else "wins"
                if ended is not None and (ended[0] or 0) * low <= 0:
                    expected = "open"
                    assert "not in the end" in said
            assert row.verdict == expected
            assert row.name in said or all(one.verdict == "same" for one in rows)
            seen.add(expected)
        apart = [float(r.of("new").to_others - r.of("old").to_others) for r in results]
        (apart_row,) = difference_rows(results, BOTH, "old")
        assert apart_row.difference.value == pytest.approx(sum(apart) / len(apart))
        if len(set(apart)) > 1:
            interval = stats.ttest_1samp(apart, 0).confidence_interval(0.95)
            assert apart_row.difference_low is not None
            assert apart_row.difference_low.value == pytest.approx(interval.low)
            assert ("new is fairer:" in said) == (interval.high < 0)
            assert ("new is less fair:" in said) == (interval.low > 0)
        for word, verdict in (("Wins by", "wins"), ("Loses by", "loses")):
            assert (word in said) == any(row.verdict == verdict for row in rows)
    assert seen == {"wins", "loses", "same", "open"}
    assert switched_rows([], "old", "new") == difference_rows([], BOTH, "old") == ()


@pytest.mark.parametrize("seed", range(3))
def test_the_numbers_are_those_of_the_replays(seed: int) -> None:
    log = busy_log(seed)
    record = ask_switch("fifo", log=log, seed=seed, machines=3)
    plan = plan_of(log, asked(machines=3, duration=800, seed=seed))
    late, parts = np.zeros(3, dtype=object), np.zeros(3, dtype=object)
    moments, work = np.zeros(3), np.zeros(3)  # of all unit parts, all jobs having ended
    for i in range(4):
        instance = instance_of(plan.window(log, i).by_name())
        before, after, fair = (simulate(instance, rule=rule, until=801) for rule in ("fair-share", "fifo", "ref"))
        late += np.array([int(b) - int(a) for b, a in zip(before.utility, after.utility, strict=True)], dtype=object)
        parts += np.array(fair.parts, dtype=object)
        work += np.bincount(instance.owner, instance.length, 3)
        for rule, sign in (("fair-share", -1), ("fifo", 1)):
            start = simulate(instance, rule=rule, until=10**5).start
            each = instance.length * start + instance.length * (instance.length - 1) // 2
            moments += sign * np.bincount(instance.owner, each, 3)
    assert any(late)
    assert any(moments)
    for u, row in enumerate(sorted(record.changes, key=lambda row: row.name)):
        assert row.change is not None
        assert row.change_ended is not None
        assert row.change.value == pytest.approx(late[u] / parts[u])
        assert row.change_ended.value == pytest.approx(moments[u] / work[u])
    delays = {(row.rule, row.name): row.delay for row in record.organizations}
    for row in record.changes:
        old, new = delays["fair-share", row.name], delays["fifo", row.name]
        assert old is not None
        assert new is not None
        assert row.change is not None
        assert row.change.value == pytest.approx(new.value - old.value, abs=1e-9)


def test_a_switch_there_and_back_changes_the_sign_only() -> None:
    there = ask_switch("round-robin", rule="fifo", machines=3)
    back = ask_switch("fifo", rule="round-robin", machines=3)
    assert there.differences[0].difference.value == -back.differences[0].difference.value
    turned = {"wins": "loses", "loses": "wins"}
    for one, other in zip(there.changes, back.changes, strict=True):
        assert one.change is not None
        assert other.change is not None
        assert one.change.value == pytest.approx(-other.change.value)
        assert one.verdict == turned.get(other.verdict, other.verdict)


def without_rule(record: Any) -> list[Any]:
    return [replace(row, rule="") for row in record.changes]


def test_the_other_rule_may_be_an_object_or_a_label() -> None:
    by_name = ask_switch(" fifo ", windows=2)
    assert by_name.differences[0].rule == "fifo"
    rules = {"fair-share": "fair-share", "oldest": OldestFirst()}
    for given in (
        {"to": lambda machines: OldestFirst()},
        {"to": OldestFirst()},
        {"to": {"oldest": OldestFirst()}},
        {"rules": rules, "to": "oldest"},
    ):
        record = ask_switch(windows=2, **given)
        assert record.differences[0].rule in ("own", "oldest")
        assert without_rule(record) == without_rule(by_name)
    sampled = ask_switch("rand:samples=3", windows=2)
    assert [row.rule for row in sampled.rows] == ["fair-share", "rand:samples=3"]


def test_several_rules_stand_side_by_side() -> None:
    both, alone = ask_switch(["fifo", "round-robin"], windows=2), ask_switch("fifo", windows=2)
    assert [row.rule for row in both.differences] == ["fifo", "round-robin"]
    assert both.changes[:3] == alone.changes
    assert len(tables_of(both.to_dict())) == 7


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"to": "fair-share"}, InputError, "'fair-share' is the rule in force; expected another"),
        ({"to": "recorded"}, InputError, "'recorded' is what the cluster did, to which nobody can change"),
        (
            {"to": "log", "rules": {"fair-share": "fair-share", "log": "recorded"}},
            InputError,
            "'log' is what the",
        ),
        ({"to": "fiffo"}, UnknownNameError, "to: 'fiffo' is not known; .* Did you mean 'fifo'"),
        ({"to": "rand:sample=3"}, UnknownNameError, "'sample' is not known"),
        ({"to": 3}, InputError, "to: found 3; expected a rule or several, with options as in rand:samples=75, or"),
        ({"to": object()}, InputError, r"expected an object with choose\(pool\)"),
        ({"to": OldestFirst(), "rules": {"own": "fifo"}}, InputError, "another of the rules is called 'own'"),
    ],
)
def test_what_is_no_other_rule_is_refused(options: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        ask_switch(windows=1, **options)


def test_one_window_and_equal_rules_are_said() -> None:
    alone = ask_switch("round-robin", windows=1, rule="fifo", machines=3)
    said = "In this window, which says nothing of others, work is done at other moments than under fifo"
    assert said in told(alone)[0]
    assert all(row.verdict in ("open", "same") for row in alone.changes)
    idle = ask_switch("round-robin", machines=500, rule="fifo")
    assert told(idle) == [
        "Nobody wins or loses by round-robin in these 4 windows: everybody gets the same as under fifo."
    ]


def test_sentences_name_no_more_than_one_reads() -> None:
    lines = lines_of(windows(np.random.default_rng(5), 6, 40))
    assert any(" more" in line for line in lines)
    assert all(line.count("org ") <= 8 for line in lines)


@pytest.mark.usefixtures("log_folder")
def test_tables_figures_and_reports_show_it() -> None:
    record = consortium.audit_switch("busy.swf", duration=800, windows=4, machines=3, rule="fifo", to="round-robin")
    data = record.to_dict()
    whats, words = [table for table in tables_of(data) if "round-robin" in table.title]
    assert whats.title == "what if: round-robin instead of fifo"
    assert [row[0] for row in whats.rows] == [row["name"] for row in data["changes"]]
    assert [row[0] for row in words.rows] == told(record)
    assert [sentence.text for sentence in sentences_of(data)][1:] == told(record)
    figure = figure_of(record)
    _, slopes = figure.axes
    drawn = {line.get_label(): line.get_ydata() for line in slopes.lines if not line.get_label().startswith("_")}
    delays = {(row["rule"], row["name"]): row["delay"] for row in data["organizations"]}
    for name, heights in drawn.items():
        scale = delays["fifo", name] / heights[0] if heights[0] else 1
        assert [height * scale for height in heights] == pytest.approx(
            [delays[r, name] for r in ("fifo", "round-robin")]
        )
    assert sorted(drawn) == sorted(row["name"] for row in data["changes"])


@pytest.mark.usefixtures("log_folder")
def test_the_command_asks_it_too() -> None:
    command = ["audit", "switch", "busy.swf", "--duration", "800", "--windows", "2", "--rule", "fifo"]
    done = CliRunner().invoke(app, [*command, "--to", "round-robin"], catch_exceptions=False)
    assert done.exit_code == 0
    assert "what if: round-robin instead of fifo" in done.output
    dry = CliRunner().invoke(app, [*command, "--to", "round-robin", "--dry-run"], catch_exceptions=False)
    assert "6 simulations" not in dry.output
    assert "4 simulations" in dry.output
