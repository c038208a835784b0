"""``verify`` and ``search`` on scenarios with a prior: verdicts, refusals, limits, and records that replay."""

from __future__ import annotations

import copy
import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import consortium
from consortium.cli.app import app
from consortium.support.errors import InputError

from ...reports.cases import believed, cluster


def command(*arguments: str) -> tuple[int, str]:
    done = CliRunner().invoke(app, list(arguments))
    return done.exit_code, done.output


@pytest.mark.parametrize(("rule", "verdict", "code"), [("light-vcg", False, 1), ("vcg-renice", True, 0)])
def test_the_verdict_is_the_one_asked_for(rule: str, verdict: bool, code: int) -> None:
    record = consortium.verify(f"priors/{rule}", property="bayesian")
    assert record.verdict is verdict
    assert record.dominant.holds is False
    assert command("verify", f"priors/{rule}", "--property", "bayesian")[0] == code


def test_without_a_prior_nothing_is_said_of_it() -> None:
    assert "bayesian" not in consortium.verify(cluster("harsh")).to_dict()
    assert "bayes_nash" not in consortium.search(believed("harsh")).to_dict()
    for ask, options in ((consortium.verify, {"property": "bayesian"}), (consortium.search, {"bayesian": True})):
        for dry in (ask, partial(consortium.estimate, ask.__name__)):
            with pytest.raises(InputError, match=r"expected a table \[prior\]"):
                dry(cluster("harsh"), **options)
    with pytest.raises(InputError, match="which verify tries case by case"):
        consortium.prove(believed("harsh"), property="bayesian")


def test_two_rounds_and_rules_of_ones_own() -> None:
    class Free:
        def run(self, declared: Any, lengths: Any) -> Any:
            return type("Free", (), {"output": [sum(lengths)] * len(lengths), "payments": [0] * len(lengths)})

    two = believed("vcg-renice")
    two["mechanism"]["rounds"] = 2
    for record in (consortium.verify(two), consortium.verify(believed("harsh"), mechanism=Free())):
        assert record.bayesian.holds is True
        assert record.bayesian.cases == 9
    found = consortium.search(believed("harsh"), mechanism=Free(), bayesian=True).bayes_nash
    assert found.count == found.profiles  # what is declared does not matter


@pytest.mark.parametrize(
    ("record", "key", "value"),
    [
        ("verify", "interim.ann.2.1", -6),
        ("verify", "expected.rent", 6),
        ("verify", "least_interim_utility", -5),
        ("verify", "witness.interim_lie", -5),
        ("search", "best.strategies.ann.2", 2),
        ("search", "worst.social_cost", 5),
        ("search", "first_best", 4),
        ("search", "price_of_anarchy", 1),
    ],
)
def test_what_is_altered_is_refuted(record: str, key: str, value: Any) -> None:
    asked = consortium.verify if record == "verify" else consortium.search
    options = {} if record == "verify" else {"bayesian": True}
    data = copy.deepcopy(asked(believed("light-vcg"), **options).to_dict())
    here = data["bayesian" if record == "verify" else "bayes_nash"]
    *steps, last = key.split(".")
    for step in steps:
        here = here[step]
    assert here[last] != value
    here[last] = value
    assert any(row.holds is False for _, _, row in consortium.check(data))


def test_an_open_answer_is_no_verdict() -> None:
    record = consortium.verify(believed("harsh"), property="bayesian", time_limit=1e-9)
    assert (record.verdict, record.complete, record.status.value) == (None, False, "stopped")
    assert (record.bayesian.cases, record.bayesian.total, record.bayesian.expected) == (0, 9, None)
    assert command("verify", "priors/harsh", "--property", "bayesian", "--time-limit", "0.000000001")[0] == 3
    search = consortium.search(believed("harsh"), bayesian=True, time_limit=1e-9)
    assert (search.complete, search.bayes_nash.profiles, search.bayes_nash.count) == (False, 108, None)
    for open_one in (record, search):
        assert not any(row.holds is False for _, _, row in consortium.check(open_one))


def test_a_sample_tries_no_expectations() -> None:
    record = consortium.verify(believed("light-vcg"), sample=5)
    assert (record.bayesian.holds, record.bayesian.cases) == (None, 0)
    assert not any(row.holds is False for _, _, row in consortium.check(record))


def test_too_many_strategies_are_refused_before_any_work() -> None:
    lengths = {str(k): "1/9" for k in range(1, 10)}
    large = believed("harsh") | {"prior": {"lengths": lengths}, "domain": {}}
    assert "profiles of strategies" in consortium.search(large, bayesian=True).refused["bayesian"]
    assert "not answered: bayesian (prior" in consortium.estimate("search", large, bayesian=True).note


def test_predictions_are_made() -> None:
    plain = consortium.estimate("search", believed("harsh"))
    more = consortium.estimate("search", believed("harsh"), bayesian=True)
    assert more.seconds > plain.seconds
    assert consortium.estimate("verify", believed("harsh"), property="bayesian").seconds > 0


def test_the_odds_of_a_log(tmp_path: Path) -> None:
    """User 1 ran 5 jobs of 100 to 104 s, user 2 four of 200 to 203 s."""
    rows, job = ["; MaxProcs: 8"], 0
    for user, n in ((1, 5), (2, 4)):
        for i in range(n):
            job += 1
            rows.append(f"{job} {job * 10} -1 {user * 100 + i} 1 -1 -1 1 -1 -1 1 {user} 1 -1 1 -1 -1 -1")
    log, out = tmp_path / "tiny.swf", tmp_path / "made.toml"
    log.write_text("\n".join(rows) + "\n")
    code, _ = command(
        "import", str(log), "--kind", "declaration", "--agents", "2", "--prior", "2", "--output", str(out)
    )
    assert code == 0
    scenario = consortium.load(out)
    odds = [{str(x): str(p) for x, p in own} for own in scenario.spec.prior.distributions]
    assert odds == [{"101": "2/5", "103": "3/5"}, {"201": "1/2", "203": "1/2"}]
    assert [agent.length for agent in scenario.spec.agents] == [103, 203]
    assert json.loads(command("verify", str(out), "--json")[1])["bayesian"]["total"] == 4
