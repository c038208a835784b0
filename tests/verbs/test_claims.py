"""Certificates in records: what is caught although nothing is asked again, and that no honest record is accused."""

from __future__ import annotations

import functools
import json
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import consortium
from consortium.verbs import judging
from consortium.verbs.claims import leaves
from consortium.verbs.request import request_of

from ..reports.cases import CASES, federation
from .altering import changed, covers, field_of, of_each_field, places, replaced, with_altered

ALWAYS = {"complete", "exact", "method", "version"}
UNPROVED: dict[str, set[str]] = {
    "federation-search": {"equilibria.classes", "equilibria.count", "sinks[]"},
    "federation-search-coalitions": {"equilibria.classes", "equilibria.count", "sinks[]"},
    "federation-search-coarse": {"equilibria.classes", "equilibria.count", "sinks[]"},
    "game-search": {"scenario", "equilibria.count", "mixed.complete", "mixed.method", "sinks[]"},
    "game-search-coalitions": {"coalitions.complete", "scenario", "equilibria.count", "sinks[]"},
    "game-search-mixed": {
        *("scenario", "equilibria.count", "sinks[]"),
        *("mixed.complete", "mixed.method"),
    },
    "game-search-correlated": {"scenario", "equilibria.count", "sinks[]"},
}
"""Fields of the cases with proofs whose alteration is only listed, never caught."""


@pytest.fixture(autouse=True)
def _never_asked_again(monkeypatch) -> None:
    """Proofs alone: it takes too long to ask again."""
    monkeypatch.setattr(judging, "ask_again", lambda *_: judging.Again(None, "not asked again"))


def _reader() -> Callable[[Any], Any]:
    """The request of a record, read once for all records that have the same one."""
    known: dict[str, Any] = {}

    def read(data: Any) -> Any:
        key = f"{data.get('verb')} {data.get('request')}"
        if key not in known:
            known[key] = request_of(data, "record")
        return known[key]

    return read


ASKED = _reader()


def rows_of(data: Any) -> list[Any]:
    """The rows about the record itself, or none where it is refused."""
    try:
        return [row for place, _, row in judging.judged(data, ASKED(data), time_limit=10) if place == judging.RECORD]
    except consortium.ConsortiumError:
        return []


@pytest.mark.parametrize("name", UNPROVED)
def test_what_is_altered_is_caught_unless_it_is_known_to_be_unproved(stored, name, thinning):
    """The table above lists the fields whose alterations are only listed, so that a proof that vanishes is noticed."""
    data = stored(name)
    listed = set()
    fields = (key for key, _ in leaves(data) if not key.startswith("quantal."))  # which is always asked again
    keys = of_each_field(fields)[thinning // 2 :: thinning]  # others than those of test_check.py
    for key in keys:
        rows = rows_of(with_altered(data, key))
        caught = not rows or any(row.holds is False for row in rows)
        if not caught:
            listed.add(field_of(key))
            # a claim may be altered into another one that is true and proved: another profile of the same epsilon
            assert any(covers(row.key, key) for row in rows), key
    looked = {field_of(key) for key in keys}  # each by the same one of its leaves, however few are looked at
    assert listed - ALWAYS == UNPROVED[name] & looked
    assert thinning > 1 or UNPROVED[name] <= looked


HOSTILE = [None, [], {}, "x", "inf", "1/0", "9" * 3000, 1.5, math.nan, True, -1, 10**400, [[]], {"ann": 1}, "\ud800"]


@pytest.mark.parametrize("name", CASES)
def test_nonsense_in_a_record_ends_in_rows_or_a_refusal(stored, name, thinning):
    """Whole tables and lists are replaced as well as single values."""
    data, rng = stored(name), np.random.default_rng(10)
    known = places(data)
    above = {steps[:n] for steps in known.values() for n in range(1, len(steps)) if "replay" not in steps}
    everywhere = sorted({*known.values(), *above}, key=repr)
    for i in rng.integers(len(everywhere), size=20 // thinning):
        rows_of(replaced(data, everywhere[i], HOSTILE[int(rng.integers(len(HOSTILE)))]))


@pytest.mark.parametrize("limit", [0, 10])
@pytest.mark.parametrize("name", CASES)
def test_a_shortened_list_is_caught_or_listed(stored, name, limit):
    """Every part of it may be proved; that they are all there is says a row of its own, about the list or above."""
    data = stored(name)
    above = {steps[:n] for steps in places(data).values() for n in range(1, len(steps)) if "replay" not in steps}
    for steps in sorted(above, key=repr):
        whole = functools.reduce(lambda here, step: here[step], steps, data)
        if not isinstance(whole, list):
            continue
        try:
            rows = list(judging.judged(replaced(data, steps, whole[:-1]), ASKED(data), time_limit=limit))
        except consortium.ConsortiumError:
            continue  # it is no record any more
        parts = [f"{steps[0]}", *(f"[{s + 1}]" if isinstance(s, int) else f".{s}" for s in steps[1:])]
        noted = [row for _, _, row in rows if row.holds is not True and covers(row.key, "".join(parts))]
        assert noted or any(row.holds is False for _, _, row in rows), (parts, limit)


def test_an_equilibrium_that_is_left_out_is_missed() -> None:
    """The list has as many as were counted, or as were asked for; with another count it is listed as not checked."""
    data = json.loads(json.dumps(consortium.search([[[1, 0], [0, 1]], [[1, 0], [0, 1]]]).to_dict()))
    assert not wrong(data)
    shorter = changed(data, "equilibria.count", 1)
    shorter["equilibria"]["listed"].pop()
    assert {row.key for row in rows_of(shorter) if row.holds is None} >= {"equilibria.listed", "equilibria.count"}
    shorter["equilibria"]["count"] = 2
    assert wrong(shorter) == {"equilibria.listed"}


# the instances of altered records that passed before


@pytest.fixture(scope="module")
def refuted() -> str:
    """A search by cuts that proves that there is no equilibrium."""
    return json.dumps(consortium.search("cordeiro2012/section-5.2-small", method="cuts").to_dict())


def wrong(data: Any) -> set[str]:
    """Places whose claims do not hold."""
    return {row.key for row in rows_of(data) if row.holds is False}


@pytest.mark.parametrize(
    ("name", "key", "value"),
    [
        ("federation-search", "equilibria.worst.social_cost", 4),
        ("federation-search", "price_of_anarchy", "4/3"),
    ],
)
def test_an_altered_verdict_is_caught_without_asking_again(stored, name, key, value):
    data = stored(name)
    assert not wrong(data)
    assert wrong(changed(data, key, value)) == {key}


def test_an_altered_move_of_a_certificate_is_caught(refuted):
    data = json.loads(refuted)
    assert not wrong(data)
    claims_made = data["certificate"]["claims"]
    assert any(claim["moves"] for claim in claims_made)
    number = next(i for i, claim in enumerate(claims_made) if claim["moves"])
    claims_made[number]["moves"] = []
    assert wrong(data) == {f"certificate.claims[{number + 1}]"}


def test_a_certificate_proves_what_it_excludes(refuted):
    """No equilibrium, and none nearer to one: proved, although no profile can show it."""
    proved = {row.key for row in rows_of(json.loads(refuted)) if row.holds}
    assert {"equilibria.exists", "smallest_epsilon", "smallest_regret"} <= proved


def test_a_certificate_that_shows_less_proves_no_more(refuted):
    """Without claims the verdicts are listed; that of the smallest epsilon also says that there is no equilibrium."""
    data = json.loads(refuted)
    verdicts = ("equilibria.exists", "smallest_epsilon", "smallest_regret")
    made = data["certificate"]["claims"]
    for kept, known in (([], [None] * 3), ([c for c in made if c["strict"]], [True, True, None])):
        data["certificate"]["claims"] = kept
        held = {row.key: row.holds for row in rows_of(data)}
        assert [held[verdict] for verdict in verdicts] == known


@pytest.fixture(scope="module")
def decided() -> str:
    """A search over boxes whose trees prove the worst and the best equilibrium."""
    jobs = [[9, 2, 6], [7, 6, 4], [9, 8, 8], [9, 5, 1]]
    source = federation("coordination") | {"organizations": [{"jobs": row} for row in jobs]}
    return json.dumps(consortium.search(source, method="branch-and-bound").to_dict())


VERDICTS = ("equilibria.worst.social_cost", "equilibria.best.social_cost")


def test_trees_prove_the_worst_and_the_best(decided):
    rows = {row.key: row.holds for row in rows_of(json.loads(decided))}
    assert {rows[verdict] for verdict in VERDICTS} == {True}


def test_trees_left_out_or_not_kept_prove_nothing(decided):
    for decisions in (False, True):
        data = json.loads(decided)
        if decisions:
            for tree in data["certificate"]["trees"]:
                tree["decisions"] = None
        else:
            data["certificate"]["trees"] = []
        rows = {row.key: row.holds for row in rows_of(data)}
        assert {rows[verdict] for verdict in VERDICTS} == {None}
        assert not wrong(data)


def test_altered_trees_are_caught(decided):
    known = json.loads(decided)["certificate"]["trees"]
    assert {tree["payer"] is None for tree in known} == {True, False}
    for number, tree in enumerate(known):
        by_payer = tree["payer"] is not None
        altered = {"at_least": 1} if by_payer else {"at_most": tree["at_most"] + 1}
        for change in (altered, {"decisions": ""}, {"decisions": tree["decisions"] + " -"}, {"decisions": "none"}):
            data = json.loads(decided)
            data["certificate"]["trees"][number] |= change
            assert f"certificate.trees[{number + 1}]" in wrong(data), change


def test_another_equilibrium_in_the_place_of_the_worst_is_listed_not_proved(stored):
    """What only agrees with the profiles of the record is never called proved."""
    rows = {row.key: row for row in rows_of(stored("game-search"))}
    assert rows["equilibria.worst.profile.p1"].holds is True
    assert rows["equilibria.worst.social_welfare"].holds is None
    assert "not asked again" in rows["equilibria.worst.social_welfare"].note
    assert rows["price_of_anarchy"].holds is None


# honest records, whole and stopped


class Impatient:
    """A receiver of progress that presses Ctrl-C after so many reports."""

    def __init__(self, after: int) -> None:
        self.left = after

    def __call__(self, done: int, total: int | None, note: str = "") -> None:
        self.left -= 1
        if self.left < 0:
            raise KeyboardInterrupt


def hard() -> dict[str, Any]:
    """A federation whose searches report themselves often."""
    return federation("coordination") | {
        "organizations": [{"jobs": [7, 5, 4, 2]}, {"jobs": [6, 3, 2]}, {"jobs": [2, 1]}]
    }


STOPPED = [
    ("search", hard(), {"method": "branch-and-bound"}),
    ("search", hard(), {"method": "cuts"}),
    ("search", hard(), {"method": "dynamics"}),
    ("search", hard(), {"method": "enumeration", "epsilon": 2}),
    ("search", hard(), {"dynamics": "regret-matching", "rounds": 300}),
    ("run", "minimal/multiuser", {}),
]


@pytest.mark.parametrize(("verb", "source", "options"), STOPPED)
@pytest.mark.parametrize("moments", [3, pytest.param(60, marks=pytest.mark.exhaustive)])
def test_no_honest_record_is_accused_wherever_it_was_stopped(verb, source, options, moments):
    rng = np.random.default_rng(moments)
    for after in [0, *(int(2**x) for x in rng.uniform(0, 9, moments - 1)), 10**9]:
        try:
            found = getattr(consortium, verb)(source, **options, progress=Impatient(after))
        except KeyboardInterrupt:
            continue
        assert not wrong(json.loads(json.dumps(found.to_dict()))), after


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", consortium.shipped())
def test_what_the_shipped_scenarios_expect_is_never_accused(name):
    scenario = consortium.load(name)
    for verb, expected in scenario.expect.items():
        if verb in ("search", "verify", "run"):
            found = getattr(consortium, verb)(name, **expected.get("options", {}))
            assert not wrong(json.loads(json.dumps(found.to_dict())))
