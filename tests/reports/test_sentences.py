"""What sentences never say, and the status that each of them has."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

import consortium
from consortium.games.proofs import exploration
from consortium.games.proofs.strategies import INCONCLUSIVE, STRATEGIES
from consortium.reports.declaration.tables import LIMITS, METHODS
from consortium.reports.sentences import amount, sentences_of, status_of, studied, summary
from consortium.support.status import Status
from consortium.verbs.declaration.options import NOT_ASKED
from consortium.verbs.declaration.prove import REFUSED

from . import crowds
from .cases import cluster
from .test_golden import shown


def statuses(data: Any) -> set[Status | None]:
    return {sentence.status for sentence in sentences_of(data)}


def test_a_sample_proves_nothing() -> None:
    found = consortium.verify(cluster("vcg-postpone"), sample=8).to_dict()
    assert Status.PROVED not in statuses(found)
    first, dominant = sentences_of(found)[:2]
    assert (first.status, dominant.status) == (Status.SAMPLED, Status.SAMPLED)
    assert "no lie pays in 8 random cases, which proves nothing" in dominant.text


def test_a_search_that_was_stopped_says_so_first_and_claims_no_extremes() -> None:
    found = consortium.search("cordeiro2012/corollary-5.7", time_limit=0).to_dict()
    assert not found["complete"]
    first, exists, *rest = sentences_of(found)
    assert first.text.startswith("Not complete")
    assert (first.status, exists.status) == (Status.STOPPED, Status.STOPPED)
    assert "is not known" in exists.text
    assert not any("equilibria" in sentence.text for sentence in rest)


@pytest.mark.parametrize("case", ["sharing-verify-merge", "declaration-compare", "federation-verify"])
def test_the_same_values_in_a_record_that_was_stopped_begin_with_that(case: str, asked: Any) -> None:
    data = asked(case).to_dict() | {"complete": False}
    if case == "declaration-compare":
        data["rows"][0]["complete"] = False
    assert Status.STOPPED in statuses(data)


def test_a_manipulation_found_before_the_end_is_refuted_and_none_found_is_not_proved(asked: Any) -> None:
    found = asked("sharing-verify-merge").to_dict() | {"complete": False}
    assert sentences_of(found)[1].status is Status.REFUTED
    found["manipulation"] |= {"holds": True, "witness": None}
    assert sentences_of(found)[1].status is Status.STOPPED


def test_the_controls_are_told_however_many_agents_there_are() -> None:
    for n in (2, 3, 12):
        text = " ".join(summary(consortium.run(crowds.declaration(n)).to_dict()))
        assert "controls of the rule that were applied: early and postpone" in text


def test_a_proof_that_is_open_says_so(asked: Any) -> None:
    data = asked("declaration-prove-safe").to_dict()
    data["dominant"] |= {"holds": None, "status": "open", "limit": "time", "safe": None}
    (sentence,) = sentences_of(data)
    assert sentence.status is Status.OPEN
    assert sentence.text.startswith("Open: whether telling the truth is a best reply whatever the others declare")
    assert sentence.text.endswith("not for all N): stopped by the time limit.")


def test_every_code_of_a_proof_has_words() -> None:
    assert {*STRATEGIES, "code"} == METHODS.keys()
    assert {*exploration.INTERRUPTED, exploration.CELLS, INCONCLUSIVE, "agents", REFUSED, NOT_ASKED} == LIMITS.keys()


def test_without_a_schedule_nothing_is_said_of_one(asked: Any) -> None:
    data = asked("federation-run-optimal").to_dict() | {"feasible": False, "social_cost": None}
    assert [shown(sentence) for sentence in sentences_of(data)] == ["[proved] No schedule meets the constraints."]
    data |= {"feasible": None, "complete": False}
    assert statuses(data) == {Status.STOPPED}


def test_total_completion_is_no_makespan() -> None:
    scenario = {
        "format": 1,
        "kind": "federation",
        "organizations": [{"jobs": [1, 2]}, {"jobs": [3]}],
        "mechanism": {"rule": "coordination", "objective": "total-completion"},
    }
    texts = [sentence.text for sentence in sentences_of(consortium.run(scenario).to_dict())]
    assert texts[1].startswith("The last job of the federation ends at 3")
    assert texts[2] == "The social cost is 7, the sum of all completion times."


def test_a_curve_says_what_it_only_comes_near_to(asked: Any) -> None:
    data = asked("declaration-curve").to_dict()
    data["pieces"][0]["at_to"] = 5
    assert "utilities up to 5, which no declaration reaches" in sentences_of(data)[0].text


@pytest.mark.parametrize(
    ("holds", "complete", "sampled", "witness", "status"),
    [
        (True, True, False, None, Status.PROVED),
        (True, False, False, None, Status.STOPPED),
        (True, False, True, None, Status.SAMPLED),
        (False, True, False, None, Status.REFUTED),
        (False, False, False, {}, Status.STOPPED),
        (False, False, False, {"agent": "ann"}, Status.REFUTED),
        (None, True, False, None, Status.OPEN),
        (None, False, False, None, Status.STOPPED),
    ],
)
def test_the_status_of_a_claim(holds: bool | None, complete: bool, sampled: bool, witness: Any, status: Status) -> None:
    assert status_of(holds, complete, sampled, witness) is status


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (10**18, "1000000000000000000"),
        ("-inf", "minus infinity"),
        (f"{10**40}/3", f"~3.33333e+39 ({10**40}/3)"),
        (f"{10**80}/3", "~3.33333e+79"),
        (0.0, "0"),
    ],
)
def test_numbers_are_exact_as_long_as_they_can_be_read(value: Any, text: str) -> None:
    assert amount(value) == text


def test_what_the_cluster_did_is_no_rule_and_is_not_ranked(asked: Any) -> None:
    data = asked("sharing-audit").to_dict()
    fifo = next(row for row in data["rows"] if row["rule"] == "fifo")
    log = fifo | {"rule": "recorded", "values": fifo["values"] | {"unfairness": 10.0**6}}
    assert sentences_of(data | {"rows": [*data["rows"], log]})[1] == sentences_of(data)[1]


@pytest.mark.parametrize(
    ("rule", "claim", "status", "words"),
    [
        (
            "light-vcg",
            "just",
            Status.REFUTED,
            ["2 players and 2 jobs", "refuted by agmon2003/7.4-light-vcg", "no single"],
        ),
        ("harsh", "just", Status.SAMPLED, ["No instance was found", "proved: all lengths", "instances tried"]),
        ("lpt-lpt", "spt-local-total-constraint", Status.REFUTED, ["1 player and 2 jobs", "refuted by", "tried"]),
    ],
)
def test_a_hunt_opens_with_what_it_found(rule: str, claim: str, status: Status, words: list[str]) -> None:
    record = consortium.hunt(rule, claim, time_limit=0 if status is Status.SAMPLED else 60)
    sentences = sentences_of(record.to_dict())
    assert (2 <= len(sentences) <= 5, sentences[0].status) == (True, status)
    assert str(record).startswith("\n".join(sentence.text for sentence in sentences))
    assert all(word in " ".join(sentence.text for sentence in sentences) for word in words)


def test_a_study_opens_with_how_far_it_is_and_its_extremes() -> None:
    value = {"count": {"value": 2.0}, "mean": {"value": 1.5}}
    groups = [{"keys": {"jobs": n}, "values": {"cost": value, "none": {"max": {"value": None}}}} for n in (1, 2)]
    tasks = {"tasks": 5, "done": 3, "failed": 1, "stopped": 0}
    assert studied({"tasks": tasks, "groups": groups}) == [
        "3 of 5 tasks are done; 1 failed.",
        "cost (count): about 2 for jobs 1 and jobs 2.",
    ]
    assert len(studied({"tasks": tasks | {"hits": 2}, "groups": []})) == 2
    assert studied({"tasks": tasks, "groups": []})[1] == "A row for each task: consortium study results --store FILE."


def test_a_share_of_all_is_1_and_no_float() -> None:
    rows = [
        {"keys": {"rule": rule}, "values": {"truth": {"share": {"value": value, "low": None, "high": None}}}}
        for rule, value in (("a", 0.0), ("b", 0.25), ("c", 1.0))
    ]
    tasks = {"tasks": 3, "done": 3, "failed": 0, "stopped": 0}
    assert studied({"tasks": tasks, "groups": rows})[1] == "truth (share): from 0 for rule a to 1 for rule c."


class Alone:
    """Everybody has a machine of her own; it does not say which."""

    def run(self, declared: Any, lengths: Any) -> Any:
        return SimpleNamespace(output=list(lengths), payments=[0] * len(lengths))


def test_what_a_custom_rule_does_not_say_is_left_out(tmp_path: Any) -> None:
    scenario = consortium.load("minimal/declaration", {"cluster.powers": [1] * 9})
    record = consortium.run(scenario, mechanism=Alone())
    assert "planned" not in "\n".join(sentence.text for sentence in sentences_of(record.to_dict()))
    record.plot(tmp_path / "run.svg")
    assert "does not say who runs where" in (tmp_path / "run.svg").read_text()


@pytest.mark.parametrize(
    ("payoffs", "why"),
    [
        ([[-1, -2], [-2, -3]], "the social welfare of the optimum is -2"),
        ([[0, 0], [0, 0]], "the social welfare of the optimum is 0"),
        ([[1, 1], [1, 1]], None),
    ],
)
def test_where_there_is_no_price_of_anarchy_it_is_said_why(payoffs: list[list[int]], why: str | None) -> None:
    record = consortium.search([payoffs, payoffs])
    said = " ".join(sentence.text for sentence in sentences_of(record.to_dict()))
    assert (record.price_of_anarchy is None) == ("There is no price of anarchy" in said) == (why is not None)
    assert why is None or why in said
