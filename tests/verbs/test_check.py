"""``check``: no claim of a record can be altered without notice, and each is judged once."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import consortium
from consortium.mechanisms.declaration import build
from consortium.scheduling.clusters import Cluster
from consortium.support.errors import InputError
from consortium.support.loading import digest_of
from consortium.verbs import check as checking
from consortium.verbs import costs, judging
from consortium.verbs.check import checks
from consortium.verbs.claims import leaves
from consortium.verbs.request import request_of

from ..reports.cases import CASES
from ..sweeps import PART
from .altering import covers, of_each_field, with_altered


@pytest.mark.parametrize("name", CASES)
def test_an_honest_record_is_confirmed(stored, name):
    rows = [row for _, _, row in consortium.check(stored(name))]
    assert rows
    assert not [row for row in rows if row.holds is False]
    assert all(row.note for row in rows if row.holds is None)


@pytest.mark.parametrize(("slower", "asked_again"), [(4, True), (400, False)])
def test_a_slow_machine_begins_what_a_time_limit_can_end(slower, asked_again, monkeypatch):
    """The estimate of the search is some four seconds, the search takes a tenth of one."""
    record = consortium.search("cordeiro2012/figure-5.5-k5")
    monkeypatch.setattr(costs, "speed", lambda: slower)
    assert all(row.holds for _, _, row in consortium.check(record)) == asked_again


@pytest.mark.parametrize("name", ["federation-search", "federation-verify", "declaration-verify", "declaration-curve"])
def test_every_claim_is_judged_once(stored, name):
    """Scenarios of its witnesses are claims of the same record: what was found again is not played once more."""
    data = stored(name)
    rows = [(place, row.key) for place, _, row in consortium.check(data)]
    assert len(set(rows)) == len(rows)
    assert {key for _, key in rows} == {key for key, _ in leaves(data)} - {"version"}


def test_a_record_of_another_version_is_asked_again(stored):
    """Only its claims are judged: the version is none, nor is a field that this version does not know."""
    data = stored("federation-verify") | {"version": "0.0.1"}
    assert all(row.holds for _, _, row in consortium.check(data))
    rows = {row.key: row for _, _, row in consortium.check(data | {"told": "It is stable.", "local_constraint": False})}
    assert [key for key, row in rows.items() if row.holds is False] == ["local_constraint"]
    assert (rows["told"].holds, rows["told"].note) == (None, "a field of version 0.0.1")
    same = {row.key: row.holds for _, _, row in consortium.check(stored("federation-verify") | {"told": "It is."})}
    assert same["told"] is False


def remembered(ask: Callable[..., Any]) -> Callable[..., Any]:
    """The same, asked once for each scenario."""
    known: dict[str, Any] = {}

    def answer(scenario: Any, *more: Any) -> Any:
        key = repr(scenario)
        known[key] = known[key] if key in known else list(ask(scenario, *more))
        return known[key]

    return answer


def some_fields(keys: Iterable[str]) -> list[str]:
    """A part of the fields; the cases of a kind have most of theirs in common."""
    return of_each_field(keys)[::PART]


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("choice", [some_fields, pytest.param(list, marks=pytest.mark.exhaustive)])
def test_every_altered_field_is_caught_or_listed(stored, name, choice, monkeypatch):
    data = stored(name)
    request = request_of(data, "record")
    again = None if request is None else judging.ask_again(request, data["complete"], 60)
    monkeypatch.setattr(judging, "ask_again", lambda *_: again)
    monkeypatch.setattr(checking, "request_of", lambda *_: request)  # read once, not for every field
    monkeypatch.setattr(judging, "_played", remembered(judging._played))  # each once, not for every field
    for key in choice(key for key, _ in leaves(data) if key != "version" and not key.endswith("seconds")):
        try:
            rows = consortium.check(with_altered(data, key))
        except consortium.ConsortiumError:
            continue  # it is no record any more
        assert [row for _, _, row in rows if (row.holds is not True or row.note) and covers(row.key, key)], key


def test_the_counts_of_a_proof_are_listed_and_not_refuted():
    """As of another version of Python, whose sorting compares lengths in another order."""
    record = consortium.prove("agmon2003/7.3-vcg-postpone", property="dominant").to_dict()
    record["dominant"]["cells"] += 4
    rows = [(row.key, row.holds, row.note) for _, _, row in consortium.check(record) if row.holds is not True]
    assert rows == [("dominant.cells", None, judging.COUNTED)]


def test_a_record_with_a_certificate_is_found_again_by_another_proof(tmp_path: Path) -> None:
    """Asked again, a cheaper proof that has no certificate comes first, and says more."""
    record = consortium.prove("minimal/declaration", certificate=str(tmp_path / "proof.json.gz"))
    rows = {row.key: row for _, _, row in consortium.check(record.to_dict())}
    assert [key for key, row in rows.items() if row.holds is False] == []
    assert rows["dominant.method"].holds is rows["dominant.allocations"].holds is None
    broken = record.to_dict() | {"dominant": 5}
    assert [row.holds for _, _, row in consortium.check(broken) if row.key == "dominant"] == [False]
    unproved = record.to_dict()
    unproved["dominant"]["holds"] = False
    assert [row.holds for _, _, row in consortium.check(unproved) if row.key == "dominant.holds"] == [False]


def test_a_question_about_no_scenario_is_refused():
    """Found by the fuzzer: a comparison's record whose list of scenarios was emptied."""
    record = consortium.compare("agmon2003/5.2.1", rules=["light-vcg"]).to_dict()
    record["request"] |= {"scenarios": [], "names": []}
    with pytest.raises(consortium.ConsortiumError, match="request: found neither scenario, scenarios with their names"):
        consortium.check(record)


def test_a_game_of_a_file_keeps_its_name(tmp_path: Path) -> None:
    """A record of a Gambit file calls the game by the file, and is confirmed where that file is gone."""
    path = tmp_path / 'two "friends".nfg'
    path.write_text('NFG 1 R "Prisoners" { "row" "column" } { 2 2 } 3 3 5 0 0 5 1 1', encoding="utf-8")
    record = consortium.search(path).to_dict()
    path.unlink()
    assert record["scenario"] == str(path)
    assert all(row.holds for _, _, row in consortium.check(record))
    wrong = [row.key for _, _, row in consortium.check(record | {"scenario": "another"}) if row.holds is False]
    assert wrong == ["scenario"]


def test_what_cannot_be_checked_is_told_after_all_others_were(tmp_path: Path) -> None:
    """Each in a sentence of its own, and the rows of the others are there by then."""
    missing = [str(tmp_path / name) for name in ("one.toml", "two.toml")]
    rows: list[judging.Row] = []
    with pytest.raises(InputError) as told:
        rows.extend(checks([missing[0], "agmon2003/5.4.1", missing[1]]))
    assert [name in line for name, line in zip(missing, str(told.value).splitlines(), strict=True)] == [True, True]
    assert {where for where, _, _ in rows} == {"agmon2003/5.4.1"}
    assert all(row.holds for _, _, row in rows)


GAMES = [
    {
        "format": 1,
        "kind": "federation",
        "organizations": [{"jobs": [2, 2]}, {"jobs": [1]}],
        "mechanism": {"rule": "coordination"},
        "expect": {"search": {"options": {"method": "cuts"}, "equilibria": {"exists": True}}},
    }
] * 2


def test_check_says_what_the_work_on_a_scenario_says():
    """One scenario may take hours: how far it is stands beside the number of those that are done."""
    said = []
    rows = consortium.check(GAMES, progress=lambda done, total, note="": said.append((done, total, note)))
    assert [row.holds for _, _, row in rows] == [True, True]
    assert {(done, total) for done, total, _ in said} == {(0, 2), (1, 2)}
    assert all(any("rounds" in note for done, _, note in said if done == i) for i in (0, 1))


def test_ctrl_c_in_the_work_on_a_scenario_stops_check():
    """What was checked before stays."""
    rows = []

    def press(done, total, note=""):
        if done == 1 and "rounds" in note:
            signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        rows.extend(checks(GAMES, progress=press))
    assert [row.holds for _, _, row in rows] == [True]


class Waiting:
    """Everybody runs alone and pays nothing."""

    def run(self, declared, lengths):
        return SimpleNamespace(output=list(lengths), payments=[0] * len(lengths))


@pytest.mark.parametrize("given", [Waiting, Waiting(), [Waiting], {"mine": Waiting}])
def test_a_custom_rule_is_given_as_an_object(given):
    scenario = consortium.load("minimal/declaration", {"cluster.powers": [1] * 9, "mechanism": {"rule": "custom"}})
    record = consortium.run(scenario, mechanism=Waiting).to_dict()
    assert {row.holds for _, _, row in consortium.check(record, mechanism=given)} == {True}
    assert {row.holds for _, _, row in consortium.check(record)} == {None}


def shortest_first(declared):
    """The whole allocation rule of a mechanism that the package makes."""
    return [sorted(range(len(declared)), key=lambda n: (declared[n], n))]


def longest_first(declared):
    return [sorted(range(len(declared)), key=lambda n: (-declared[n], n))]


def test_the_code_in_a_rule_of_the_package_is_named_and_its_file_fingerprinted():
    scenario = consortium.load("minimal/declaration", {"cluster.powers": [1], "mechanism": {"rule": "custom"}})
    rules = {}
    for allocate in (shortest_first, longest_first):
        mechanism = build("evcg-postpone", Cluster.of([1]), allocate=allocate)
        record = consortium.run(scenario, mechanism=mechanism).to_dict()
        rules[allocate.__name__] = record["custom_rules"]["mechanism"]
        assert {row.holds for _, _, row in consortium.check(record, mechanism=mechanism)} == {True}
    assert {name: rule["rule"] for name, rule in rules.items()} == {
        name: f"{__name__}:{name}" for name in ("shortest_first", "longest_first")
    }
    assert {rule["sha256"] for rule in rules.values()} == {digest_of(__file__)}


class Coin:
    """Two players, who want to differ."""

    players = ("a", "b")

    def strategies(self, player: int) -> tuple[int, ...]:
        return (0, 1)

    def costs(self, profile: tuple[int, ...]) -> tuple[int, int]:
        same = int(profile[0] == profile[1])
        return (1 + same, 1 + same)


def test_a_game_is_asked_again_where_it_is_given():
    record = consortium.search(Coin())
    asleep, awake = consortium.check(record), consortium.check(record, mechanism=Coin())
    assert {row.holds for _, _, row in asleep} == {None}
    assert {row.holds for _, _, row in awake} == {True}
    assert len(asleep) == len(awake)
