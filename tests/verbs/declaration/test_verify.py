"""``verify`` on kind ``declaration``: the fields of its record, stopping."""

from __future__ import annotations

import itertools
import json
import signal

import pytest

import consortium
from consortium.support.errors import MechanismError, TooLargeError

from .files import HEAD, Queue, scenario


class Ordered(Queue):
    anonymous = True


def test_verify_has_the_fields_of_the_format_and_replays() -> None:
    record = consortium.verify(scenario("light-vcg"))
    data = record.to_dict()
    assert set(data) == HEAD | {"dominant", "ex_post", "properties", "domain"}
    for concept in ("dominant", "ex_post"):
        assert {"holds", "cases", "max_gain", "witness"} <= set(data[concept])
    assert set(data["dominant"]["witness"]) == {
        "agent", "length", "lie", "declarations", "lengths", "utility_truth", "utility_lie", "gain", "replay",
    }  # fmt: skip
    names = {
        "rent_nonnegative", "budget_balanced", "just", "upper_margin", "lower_margin", "individually_rational",
        "accepts_every_input", "feasible", "priced_in_advance",
    }  # fmt: skip
    assert set(data["properties"]) == names | {"any_others"}
    assert all({"holds", "cases", "witness"} <= set(data["properties"][name]) for name in names)
    assert set(data["properties"]["any_others"]) == {"upper_margin", "lower_margin"}
    rows = consortium.check(json.loads(json.dumps(data)))
    assert len(rows) >= 4
    assert all(row.holds for _, _, row in rows)
    assert record.verdict is False
    assert consortium.verify(scenario("light-vcg"), property="upper-margin").verdict is True


def test_a_true_length_that_the_domain_leaves_out_is_told_and_checked() -> None:
    """Ann's length 2 is not tried: a record that keeps this to itself is refuted."""
    told = consortium.verify(scenario("light-vcg", domain={"lengths": {"ann": [1, 3], "bob": [2]}}))
    assert told.domain.left_out == {"ann": 2}
    assert "does not list the true lengths of the scenario (ann: 2)" in str(told).splitlines()[0]
    data = json.loads(json.dumps(told.to_dict()))
    assert all(row.holds for _, _, row in consortium.check(data))
    for silent in (
        {**data["domain"], "left_out": {"ann": 3}},
        {k: data["domain"][k] for k in ("lengths", "declarations")},
    ):
        assert not all(row.holds for _, _, row in consortium.check({**data, "domain": silent}))
    whole = consortium.verify(scenario("light-vcg"))
    assert whole.to_dict()["domain"].keys() == {"lengths", "declarations"}


@pytest.mark.parametrize(
    ("main", "first"),
    [
        ("dominant", "for some declarations of the others"),
        ("ex-post", "when the others tell the truth"),
        ("bayesian", "in expectation"),
        ("group-ex-post", "oint lie"),
        ("just", "Does not hold"),
    ],
)
def test_the_verdict_that_was_asked_for_is_told_first(main: str, first: str) -> None:
    coalitions = 2 if main.startswith("group") else None
    text = str(consortium.verify("priors/vcg-renice", property=main, coalitions=coalitions)).partition("\n\n")[0]
    assert first in text.splitlines()[0]
    assert "Holds" not in text or text.index("Does not hold") < text.index("Holds")  # no half of it without the other


def test_counterexamples_of_custom_rules_have_no_runs_that_replay_them() -> None:
    for options, replayed in (({}, True), ({"mechanism": Queue()}, False)):
        agents = [{"name": f"{name} of the institute of physics", "length": 2} for name in ("ann", "bob")]
        shown = str(consortium.verify(scenario("verified", agents=agents), **options))
        assert "counterexamples are cut; --json has them whole" in shown
        assert ("with runs that replay them" in shown) == replayed


def test_where_nobody_can_lie_nothing_was_compared() -> None:
    certain = scenario(domain={"lengths": {"ann": [2], "bob": [2]}})
    assert "nobody has a lie there, so there is nothing to compare" in str(consortium.verify(certain))


def test_a_broken_promise_of_anonymity_is_told() -> None:
    with pytest.raises(MechanismError, match="found anonymous = True, but output"):
        consortium.verify(scenario(), mechanism=Ordered())


def test_one_ctrl_c_ends_everything_and_keeps_the_count() -> None:
    calls = itertools.count()

    def interrupted(*_: object) -> None:
        if next(calls) == 2:
            signal.raise_signal(signal.SIGINT)

    agents = [{"name": f"a{n}", "length": 1} for n in range(4)]
    big = scenario("evcg-postpone", agents=agents, domain={"lengths": [1, 2, 3, 4], "declarations": [1, 2, 3, 4]})
    record = consortium.verify(big, method="general", progress=interrupted)
    assert record.complete is False
    assert 0 < record.dominant["cases"] < record.dominant["total"]
    assert record.ex_post["cases"] == 0


@pytest.mark.parametrize("ask", ["verify", "compare", "verify an estimate", "compare an estimate"])
def test_a_domain_beyond_every_float_is_refused_in_words(ask: str) -> None:
    """3**400 profiles: no prediction in seconds or bytes can be made, and none is needed."""
    many = scenario("verified") | {"agents": [{"length": 1}] * 400, "domain": {"lengths": [1, 2, 3]}}
    verb = ask.split()[0]
    with pytest.raises(TooLargeError, match=r"comparisons.* a sample of N comparisons"):
        consortium.estimate(verb, many) if "estimate" in ask else getattr(consortium, verb)(many)
