"""``prove`` for jobs of any lengths: which scenarios it takes and others refuse, what it says, and what replays."""

from __future__ import annotations

import gzip
import hashlib
import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import consortium
from consortium.games.placement.all_lengths import answers
from consortium.games.placement.all_lengths.shapes import Answer, Shape
from consortium.reports.sentences import summary
from consortium.scenarios.toml import write
from consortium.support.errors import NotKeptError
from consortium.support.status import Status
from consortium.verbs import judging
from consortium.verbs.judging import judged
from consortium.verbs.request import request_of

from ...command_line import command

FAILING = ((1, 3), (2, 4), (5,))
"""Priorities of {3, 2}, {3, 2}, {1} with which there is no equilibrium."""


def shape(*jobs: int, ranks: Any = None, **mechanism: Any) -> dict[str, Any]:
    rows = [{"jobs": count} | ({} if ranks is None else {"priorities": list(ranks[k])}) for k, count in enumerate(jobs)]
    given = {} if ranks is None else {"priority": "jobs", "order": "given"}
    rule = {"rule": "coordination"} | given | mechanism
    return {"format": 1, "kind": "federation", "organizations": rows, "mechanism": rule}


@pytest.fixture
def answered(monkeypatch: pytest.MonkeyPatch) -> Any:
    """What the games floor is asked, and an answer of ours in the place of its own."""
    questions: list[Any] = []

    def answering(answer: Answer) -> list[Any]:
        def prove(shape: Shape, property: str, **more: Any) -> Answer:
            questions.append((shape, property, more))
            return answer

        monkeypatch.setattr(answers, "prove", prove)
        return questions

    return answering


def test_a_plane_of_two_lengths(answered: Any, tmp_path: Path) -> None:
    """In the order of the file, at the lengths that refute, where equilibria are asked for, and when it is drawn."""
    order = {"order": ["O2", "O1", "O3"]}
    record = consortium.prove(shape(2, 1, 1, **order), plane="x, 1; y; 1")
    assert record.plane.lengths == {"O1": ("x", 1), "O2": ("y",), "O3": (1,)}
    assert {area.placement["O1"]: str(area.share) for area in record.plane.areas} == {
        ("O1", "O3"): "11/15", ("O1", "O2"): "4/15",
    }  # fmt: skip
    assert consortium.prove(shape(2, 1, 1, **order), plane=[["x", "1/1"], ["y"], [1]]).plane == record.plane
    data = record.to_dict()
    assert all(row.holds for _, _, row in judged(data, request_of(data, "record"), 10))
    assert consortium.prove(shape(2, 1, 1), plane="auto").plane.lengths == record.plane.lengths
    for question in ({}, {"plane": "auto", "property": "epsilon"}):
        assert consortium.prove(shape(2, 1, 1), **question).plane is None
    assert consortium.prove(shape(9, 9, 1, rule="ilba"), plane="auto", at_most=2).plane is None
    assert consortium.prove(shape(9, 9, 1), plane="auto").plane is None
    path = tmp_path / "shape.toml"
    write(shape(2, 2, 1, ranks=FAILING), path)
    printed = command("prove", "shape.toml", "--plot", "plane.svg", "--json", cwd=tmp_path).stdout
    assert json.loads(printed)["plane"]["lengths"] == {"O1": ["x", 2], "O2": ["y", 3], "O3": [1]}
    assert "no equilibrium" in (tmp_path / "plane.svg").read_text()


@pytest.mark.parametrize("verb", ["run", "search", "verify", "compare"])
@pytest.mark.parametrize("rule", [{}, {"rule": "ilba"}])
def test_every_other_verb_refuses_such_a_scenario(verb: str, rule: Any) -> None:
    for asking in (consortium.ask, consortium.estimate):
        with pytest.raises(consortium.InputError) as refused:
            asking(verb, shape(3, 2, **rule))
        assert str(refused.value) == (
            "organizations[1].jobs: found 3, so many jobs of any lengths; expected a list of lengths "
            "(of the verbs only prove takes such a scenario)"
        )


def test_expectations_of_other_verbs_are_refused_too() -> None:
    with pytest.raises(consortium.InputError, match="only prove takes such a scenario"):
        consortium.check(shape(3, 2) | {"expect": {"search": {"equilibria.exists": True}}})


@pytest.mark.parametrize(
    ("source", "options", "message"),
    [
        ("cordeiro2012/corollary-5.7", {}, "organizations[1].jobs: found a list of lengths, of which search"),
        (shape(0, 0), {}, "organizations: found no jobs; expected at least one"),
        (
            shape(2),
            {"property": "ratio"},
            "property: found 'ratio' under mechanism.rule = 'coordination'; expected pure",
        ),
        (shape(2, rule="ilba"), {"property": "epsilon"}, "under mechanism.rule = 'ilba'; expected ratio, as a central"),
        (shape(2), {"at_most": 2}, "at_most: found 2 together with property 'pure-equilibrium', which has no bound"),
        (shape(2), {"property": "epsilon", "at_most": "1/2"}, "at_most: found '1/2'; expected a number >= 1"),
        (shape(2), {"property": "just"}, "property: found 'just'; expected one of pure-equilibrium, price-of-anarchy"),
        (shape(2, rule="ilba"), {"certificate": "x.json"}, "certificate: found a file together with property 'ratio'"),
        (shape(2, rule="ilba"), {"plane": "x, y"}, "plane: found lengths together with property 'ratio'; expected a"),
        (shape(2, 1), {"plane": "x, y"}, "plane: found x, y; expected lengths of 2, 1 jobs, organization by organ"),
        (shape(3, 1), {"plane": "x, 1, 2; y"}, "plane: found x, 1, 2 for an organization; expected the longest job"),
        *(
            (shape(2), {"plane": it}, "expected 'auto', or lengths such as")
            for it in ("x, x", "x", 3, ["x", "y"], "x, 0")
        ),
    ],
)
def test_what_cannot_be_asked(source: Any, options: Any, message: str) -> None:
    for asking in (consortium.ask, consortium.estimate):
        with pytest.raises(consortium.InputError) as refused:
            asking("prove", source, **options)
        assert message in str(refused.value)


def test_the_order_of_priority_goes_there_and_back() -> None:
    """The game that attains the price needs the second organization before the first."""
    order = ["O3", "O2", "O1", "O4"]
    record = consortium.prove(shape(2, 2, 1, 1, order=order), property="price-of-stability")
    assert (record.value, record.attained, record.theorem) == (Fraction(5, 3), True, "sharp-price")
    assert dict(record.witness.lengths) == {"O1": (1, 1), "O2": (3, 3), "O3": (2,), "O4": (2,)}
    (replayed,) = record.witness.replay
    assert replayed["mechanism"]["order"] == tuple(order)
    assert all(row.holds for _, _, row in consortium.check(replayed))


def test_overrides_make_shapes() -> None:
    record = consortium.prove("shapes/three-organizations", overrides={"organizations[1].jobs": 1})
    assert record.theorem == "three-organizations"
    assert record.request.data["scenario"]["organizations"][0] == {"jobs": 1}


def test_the_engine_is_asked_in_the_order_of_priority(answered: Any) -> None:
    open_ = Answer(Status.OPEN, at_least=Fraction(9, 8), at_most=Fraction(3, 2), theorem="sharp-price")
    questions = answered(replace(open_, done=Fraction(1, 4), next=((5,), (3, 2, 1), (6, 4))))
    source = shape(3, 2, 1, order=["O3", "O1", "O2"])
    record = consortium.prove(source, property="epsilon", at_most="5/4", method="cover", time_limit=9)
    (asked,) = questions
    assert asked[:2] == (Shape((1, 3, 2)), "epsilon")
    assert (asked[2]["at_most"], asked[2]["method"], asked[2]["mechanism"]) == (Fraction(5, 4), "cover", None)
    assert (record.verdict, record.status, record.complete) == (None, Status.OPEN, False)
    data = record.to_dict()
    assert {key: data[key] for key in ("status", "at_least", "decided", "by", "next")} == {
        "status": "open", "at_least": "9/8", "decided": "1/4", "by": None,
        "next": {"O1": [3, 2, 1], "O2": [6, 4], "O3": [5]},
    }  # fmt: skip
    first, *others = summary(data)
    assert first.endswith("that is open; it is at most 3/2 (theorem 'sharp-price', checked by Coq).")
    assert others == [
        "25 % of all lengths are decided.", "A game that is not decided: O1: (3, 2, 1); O2: (6, 4); O3: (5).",
    ]  # fmt: skip
    consortium.prove(shape(2, 1, ranks=((7, 2), (3,))))
    assert questions[-1][0] == Shape((2, 1), ((3, 1), (2,)))


def refuted(answered: Any) -> dict[str, Any]:
    answered(Answer(Status.REFUTED, regions=9, lengths=((3, 2), (3, 2), (1,))))
    record = consortium.prove(shape(2, 2, 1, ranks=FAILING))
    assert (record.verdict, record.status, record.by) == (False, Status.REFUTED, None)
    data: dict[str, Any] = record.to_dict()
    return data


def test_what_refutes_is_played_again(answered: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where the question takes too long to ask again; a game changed by hand is seen."""
    data = refuted(answered)
    assert data["witness"]["replay"][0]["organizations"][0] == {
        "name": "O1", "jobs": [{"length": 3, "priority": 1}, {"length": 2, "priority": 3}],
    }  # fmt: skip
    monkeypatch.setattr(judging, "ask_again", _unless_played(judging.ask_again))
    rows = list(judged(data, request_of(data, "record"), 10))
    assert [(verb, row.key) for _, verb, row in rows if row.holds and verb == "search"] == [
        ("search", "equilibria.exists")
    ]
    assert not [row for _, _, row in rows if row.holds is False]
    for lengths in ([3, 1], [2, 3, 1], [0, 1]):
        changed = json.loads(json.dumps(data))
        changed["witness"]["lengths"]["O1"] = lengths
        assert [row for _, _, row in judged(changed, request_of(changed, "record"), 10) if row.holds is False], lengths


def _unless_played(ask_again: Any) -> Any:
    return lambda request, *more: judging.Again(None, "long") if request.verb == "prove" else ask_again(request, *more)


def test_certificates_are_written_and_named_by_their_digest(answered: Any, tmp_path: Path) -> None:
    certificate = {
        "format": 1,
        "kind": "shape",
        "jobs": [2, 1],
        "nodes": [["S", [1, 0, -1]], ["Q", [0, 1]], ["Q", [0, 0]]],
    }
    questions = answered(Answer(Status.PROVED, regions=2, certificate=json.dumps(certificate)))
    path = tmp_path / "cover.json.gz"
    record = consortium.prove(shape(2, 1), certificate=str(path))
    assert questions[0][2]["method"] == "cover"
    text = gzip.decompress(path.read_bytes())
    assert json.loads(text) == certificate
    assert record.certificate.sha256 == hashlib.sha256(text).hexdigest()
    assert (record.by, record.regions, record.certificate.size) == ("certificate", 2, len(text))
    assert str(path) not in json.dumps(record.to_dict())
    path.unlink()
    path.mkdir()
    with pytest.raises((NotKeptError, consortium.InputError), match="certificate: "):
        consortium.prove(shape(2, 1), certificate=str(path))


@pytest.mark.parametrize(
    ("options", "code", "sentence"),
    [
        (["--property", "price-of-anarchy"], 0, "The price of anarchy is at most 3/2, and some game has it"),
        (["--property", "price-of-anarchy", "--at-most", "3/2"], 0, "The price of anarchy is at most 3/2, whatever"),
        (["--property", "price-of-anarchy", "--at-most", "4/3"], 1, "The price of anarchy is more than 4/3"),
        (["--method", "cover", "--time-limit", "0"], 3, "Open: whether there is a pure equilibrium"),
        (["--set", "mechanism.rule=lpt-lpt"], 0, "The makespan over the least one of all schedules is at most 3/2"),
    ],
)
def test_exit_codes_and_sentences(options: list[str], code: int, sentence: str, tmp_path: Path) -> None:
    result = command("prove", "shapes/sharp-price", *options, cwd=tmp_path)
    assert (result.returncode, sentence in result.stdout) == (code, True), result.stdout


def test_a_custom_rule_has_no_replay(answered: Any) -> None:
    class Home:
        def run(self, federation: Any) -> Any:
            return [(k, i, k, 0, 0) for k, row in enumerate(federation.sizes) for i in range(len(row))]

    questions = answered(Answer(Status.PROVED, value=Fraction(2), attained=True, lengths=((1, 1), ())))
    record = consortium.prove(shape(2, 0), mechanism=Home())
    assert questions[0][1] == "ratio"
    assert isinstance(questions[0][2]["mechanism"], Home)
    assert (record.property, record.witness.replay) == ("ratio", ())


class Shortest:
    def order(self, host: int, jobs: Any) -> Any:
        return sorted(jobs, key=lambda job: job.length)


class Sums(Shortest):
    objective = "total-completion"


def test_a_policy_is_asked_about_what_is_played(tmp_path: Path) -> None:
    """Also the built-in ones whose order follows from lengths, whose games a file can name; organizations as listed."""
    record = consortium.prove(shape(2, 1, order=["O2", "O1"]), mechanism=Shortest())
    assert (record.property, record.status, record.witness.replay) == ("pure-equilibrium", Status.REFUTED, ())
    game = shape(2, 1) | {"organizations": [{"jobs": row} for row in record.witness.lengths.values()]}
    assert not consortium.search(game, mechanism=Shortest()).equilibria.exists
    order = {"priority": "jobs", "order": "shortest"}
    record = consortium.prove(shape(2, 2, **order), property="price-of-anarchy")
    assert (record.value, record.attained, record.theorem) == (Fraction(4, 3), True, "sharp-price")
    assert all(row.holds for _, _, row in consortium.check(record.witness.replay[0]))
    assert consortium.prove(shape(2, 1, 1, priority="jobs", order="listed")).theorem == "one-with-a-choice"
    for question, message in (
        ({"mechanism": Shortest(), "property": "ratio"}, "property: found 'ratio' of a custom rule; expected pure"),
        ({"mechanism": Shortest(), "certificate": str(tmp_path / "c.json")}, "with a policy of lengths, of which none"),
        ({"mechanism": Shortest(), "plane": "x, 1; y"}, "plane: found lengths together with a policy of lengths"),
        ({"mechanism": Sums()}, "mechanism: found objective 'total-completion'; expected 'makespan'"),
    ):
        for asking in (consortium.ask, consortium.estimate):
            with pytest.raises(consortium.InputError) as refused:
                asking("prove", shape(2, 1), **question)
            assert message in str(refused.value)
