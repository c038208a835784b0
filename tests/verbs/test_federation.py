"""The verbs on federations: the fields of every record, their values on small instances, and what replays."""

from __future__ import annotations

import json
import signal
from fractions import Fraction

import pytest
from matplotlib.text import Text

import consortium
from consortium.mechanisms.federation.optimal import Optimal
from consortium.support.errors import InputError, UnknownNameError

from ..command_line import command


def scenario(jobs, machines=None, placement=None, **mechanism):
    rows = [{"jobs": list(row), **({"machines": machines[k]} if machines else {})} for k, row in enumerate(jobs)]
    data = {
        "format": 1,
        "kind": "federation",
        "organizations": rows,
        "mechanism": mechanism or {"rule": "coordination"},
    }
    return data | ({"placement": placement} if placement else {})


def test_run_of_a_placement():
    record = consortium.run(scenario([["1/2", 2], [1], []], placement={"O1": ["O2", "O1"]})).to_dict()
    first, second, third = record["organizations"]
    assert first == {
        "name": "O1", "local": "5/2", "makespan": 2, "total_completion": "7/2", "cost": 2, "lower_bound": 2,
        "stretch": 1, "epsilon": 1, "regret": 0,
    }  # fmt: skip
    assert second["makespan"] == 1
    assert set(third.values()) == {"O3", None}
    assert record["jobs"][0] == {
        "organization": "O1", "job": 1, "host": "O2", "machine": 1, "start": 1, "end": "3/2",
    }  # fmt: skip
    assert (record["social_cost"], record["lower_bound"], record["jain"]) == (2, 2, 1)
    assert (record["local_constraint"], record["selfishness_restriction"]) == (True, True)
    assert record["complete"]
    assert "guess" not in record


def test_run_judges_with_the_reference_and_reading_asked_for():
    jobs = [[6], [3, 2, 6]]
    for reference, holds in ((None, False), ("spt", True), ("listed", True)):
        options = {} if reference is None else {"reference": reference}
        record = consortium.run(scenario(jobs, [1, 2], rule="spt-lpt", **options))
        assert record.local_constraint is holds
    idle = scenario([[1, 5], [2], [2]], rule="coordination", selfishness="printed")
    assert consortium.run(idle).selfishness_restriction


def test_total_completion_is_its_own_cost_and_constraint():
    data = scenario([[1, 3], [1]], rule="coordination", objective="total-completion")
    record = consortium.run(data)
    assert [row.cost for row in record.organizations] == [5, 1]
    assert [row.local for row in record.organizations] == [5, 1]
    assert record.social_cost == 6
    longest = consortium.run(scenario([[1, 3], [1]], rule="lpt-lpt"))
    assert longest.organizations[0].local == 4
    found = consortium.search(data)
    assert found.method == "enumeration"
    assert found.equilibria["best"]["social_cost"] == 6
    assert found.unconstrained_optimum is None


def test_run_of_relaxed_optimal_and_lists():
    assert consortium.run(scenario([[2, 1], [1]], rule="relaxed-2")).guess == 2
    best = consortium.run(scenario([[3, 3], [1, 1, 1], [1, 1, 1]], rule="optimal", constraints=["local"]))
    assert (best.social_cost, best.optimum_at_least, best.method) == (5, 5, "assignment")
    cut = consortium.run(scenario([[3, 3], [1, 1, 1]], rule="local"), list=2)
    assert (len(cut.jobs), cut.jobs_left_out) == (2, 3)


def test_an_impossible_optimum_is_an_answer_and_exit_code_1():
    """Longest first, {4} and {1, 1, 1, 1} end by 4; the least total, 12, has a job in front of the 4."""
    jobs, machines = [[1, 1, 1, 1, 4]], [2]
    data = scenario(jobs, machines, rule="optimal", constraints=["local", "local-total"])
    record = consortium.run(data)
    assert (record.complete, record.verdict, record.feasible, record.social_cost) == (True, False, False, None)
    alone = consortium.run(scenario(jobs, machines, rule="optimal", constraints=["local"]))
    assert (alone.complete, alone.local_constraint) == (True, True)


def test_verify_of_an_equilibrium_and_of_none():
    stable = consortium.verify(scenario([[2, 2], [1], []], placement={"O1": ["O1", "O3"]}))
    assert stable.verdict
    assert stable.to_dict()["equilibrium"] == {"holds": True, "epsilon": 1, "regret": 0, "witness": None}
    record = consortium.verify(scenario([[2, 2], [1], []]))
    assert not record.verdict
    witness = record.equilibrium["witness"]
    assert (witness.organization, witness.placement, witness.cost, witness.better) == ("O1", ("O1", "O3"), 4, 2)
    assert (record.equilibrium["epsilon"], record.equilibrium["regret"]) == (2, 2)
    rows = consortium.check(json.loads(json.dumps(record.to_dict())))
    assert {place for place, _, _ in rows} == {"record"}
    played = consortium.check(witness.replay)
    assert len(played) == 2
    assert all(row.holds for _, _, row in [*rows, *played])
    assert consortium.verify(scenario([[2, 2], [1], []]), property="local-constraint").verdict


def test_verify_of_central_rules():
    record = consortium.verify(scenario([[13] * 4, [3] * 4, [], []], rule="relaxed-2-printed"))
    assert record.equilibrium is None
    assert record.claims["cooperation"]["holds"]
    late = consortium.verify(scenario([[6], [3, 2, 6]], [1, 2], rule="spt-lpt"), property="local-constraint")
    assert late.to_dict()["witnesses"] == {
        "local_constraint": {"organization": "O2", "job": None, "value": 8, "bound": 6}
    }
    assert late.verdict is True  # the rule's claim of that name: against the local schedule that it started from
    exact = consortium.verify(scenario([[4, 4, 4], [2, 2], []], rule="priority-equilibrium", solver="exact"))
    assert not exact.verdict
    assert exact.claims["approximate-equilibrium"]["witness"]["bound"] == 6
    with pytest.raises(UnknownNameError, match="own-jobs-first"):
        consortium.verify(scenario([[1]]), property="own-job-first")


def test_search_writes_placements_by_name():
    record = consortium.search(scenario([[2, 2], [1], []]), start={"O1": ["O2", "O2"]}, epsilon="2")
    assert record.dynamics.start == {"O1": ("O2", "O2"), "O2": ("O2",), "O3": ()}
    assert record.equilibria["count"] == 6
    assert record.equilibria["worst"]["profile"]["O1"] in (("O1", "O2"), ("O1", "O3"))
    assert (record.optimum["social_cost"], record.unconstrained_optimum, record.price_of_anarchy) == (2, 2, 1)
    assert record.smallest_epsilon == 1
    assert record.approximate["count"] >= 6
    for start, message in (({"O9": []}, "O9"), ({"O1": ["O1"]}, "list of 2 hosts"), ({"O1": ["O1", "O7"]}, "O7")):
        with pytest.raises((InputError, UnknownNameError), match=message):
            consortium.search(scenario([[2, 2], [1], []]), start=start)
    with pytest.raises(InputError, match="'ilba' is a central rule"):
        consortium.search(scenario([[1]], rule="ilba"))


def test_several_machines_have_two_optima():
    """The best placement and the best schedule differ when a host's policy runs its own jobs longest first."""
    record = consortium.search(scenario([[3, 3, 2, 2, 2]], [2], rule="coordination"))
    assert (record.optimum["social_cost"], record.unconstrained_optimum) == (7, 6)


def test_compare_rules_and_scenarios():
    data = scenario([[3, 3], [1, 1, 1], [1, 1, 1]], rule="coordination", priority="organizations")
    rules = ["coordination", "local", "ilba", "relaxed-2", "tomos", "priority-equilibrium", "optimal"]
    record = consortium.compare(data, rules=rules)
    assert [row["rule"] for row in record.rows] == rules
    assert record.columns == (
        "social_cost", "local_constraint", "selfishness_restriction", "jain", "stretch", "price_of_anarchy",
    )  # fmt: skip
    assert record.rows[0]["values"]["price_of_anarchy"] == Fraction(3, 2)
    assert record.rows[1]["values"]["price_of_anarchy"] is None
    assert [row["values"]["social_cost"] for row in record.rows][-1] == 4
    both = consortium.compare([data, {**data, "mechanism": {"rule": "local"}}])
    assert [row["rule"] for row in both.rows] == ["coordination", "local"]
    with pytest.raises(InputError, match="has other organizations than"):
        consortium.compare([data, scenario([[1]])])
    with pytest.raises(UnknownNameError, match="Did you mean 'ilba'"):
        consortium.compare(data, rules=["ilbo"])


def test_compare_leaves_out_what_a_rule_does_not_use():
    jobs = [[{"length": 2, "priority": 2}], [{"length": 1, "priority": 1}]]
    data = scenario(jobs, rule="coordination", priority="jobs", order="given")
    record = consortium.compare(data, rules=["coordination", "priority-equilibrium", "optimal"])
    assert [row["values"]["social_cost"] for row in record.rows] == [2, 2, 2]


def test_estimates():
    data = scenario([[2, 2], [1], []])
    found = consortium.api.estimate("search", data)
    assert (found.size, found.unit) == (27, "placements")
    assert consortium.api.estimate("run", data).size == 3
    assert (
        consortium.api.estimate("compare", {**data, "mechanism": {"rule": "local"}}, rules=["local", "ilba"]).size == 6
    )
    with pytest.raises(InputError, match="central rule"):
        consortium.api.estimate("search", {**data, "mechanism": {"rule": "local"}})


def test_pictures(tmp_path):
    from consortium.reports.figures import figure_of, save_record

    data = scenario([[5, 3, 2, 2], [1, 1], []], [1, 2, 1], rule="lpt-lpt")
    (legend,) = figure_of(consortium.run(data)).legends
    assert [entry.get_text() for entry in legend.get_texts()] == ["O1", "O2", "O3", "on a foreign machine"]
    save_record(consortium.search(scenario([[2, 1], [2], []])), tmp_path / "moves.svg")
    assert (tmp_path / "moves.svg").stat().st_size > 5000
    with pytest.raises(InputError, match="expected a file name"):
        save_record(consortium.search(scenario([[1]])), tmp_path / "moves.gif")


def test_chart_of_cooperation_against_makespan(tmp_path):
    from consortium.reports.federation.figures import trade_off
    from consortium.reports.figures import save

    figure = trade_off({"figure 4.1": [(1, "4/3"), ("3/2", 1)]}, {"relaxed-2": (2, "3/2")}, {"ToMoS": [(1, 3), (2, 2)]})
    save(figure, tmp_path / "chart.svg")
    assert len(figure.axes[0].patches) + len(figure.axes[0].collections) > 0


def test_tables_of_every_verb():
    from consortium.reports.tables import tables_of, text

    data = scenario([[2, 2], [1], []])

    def shown(record):
        return text(tables_of(record.to_dict()))

    run = shown(consortium.run(data))
    assert "stretch" in run
    assert "epsilon" in run
    assert "O1 gains by O1 O3: 4 becomes 2" in shown(consortium.verify(data))
    assert "makespan: optimum of all schedules" in shown(consortium.search(data))
    assert "price of anarchy" in shown(consortium.compare(data, rules=["local"]))


def test_limits_of_run_and_compare_say_incomplete():
    """Sixteen unit-like jobs in several groups: nothing is settled by bounds, so a limit of 0 leaves it open."""
    jobs = [[7, 7, 6, 6], [5, 5, 5], [4, 4, 3], [2, 1]]
    data = scenario(jobs, rule="optimal", constraints=["local-total", "selfish"])
    record = consortium.run(data, time_limit=0)
    assert record.social_cost > record.optimum_at_least
    assert (record.complete, str(record.status)) == (False, "stopped")
    assert consortium.verify(data, time_limit=0).local_constraint is not None  # the best schedule known is judged
    compared = consortium.compare(data, rules=["optimal", "local"], time_limit=0)
    assert [(row["rule"], row["complete"]) for row in compared.rows] == [("optimal", False), ("local", True)]
    assert not compared.complete


def test_a_bound_is_never_printed_as_the_optimum(monkeypatch):
    """Stopped at a schedule of 5 with 4 as the bound: the least makespan of all schedules is not known."""
    from consortium.mechanisms.federation.optimal import Optimal, Optimum
    from consortium.reports.tables import tables_of, text

    data = scenario([[3, 3], [1, 1, 1], [1, 1, 1]])
    exact = consortium.search(data)
    assert exact.unconstrained_optimum == 4

    def stopped(self, federation, time_limit=None, progress=None):
        return Optimum(None, Fraction(4), False, "race")

    monkeypatch.setattr(Optimal, "solve", stopped)
    record = consortium.search(data)
    assert record.unconstrained_optimum is None
    line = next(row for row in text(tables_of(record.to_dict())).splitlines() if "optimum of all schedules" in row)
    assert not any(character.isdigit() for character in line.split("schedules")[1])


def test_dynamics_that_did_not_run_are_null():
    """The limit came first: no run of 0 moves, neither in the record nor in the tables and figures of it."""
    from consortium.games.normal_form import NormalFormGame
    from consortium.reports.game.figures import outcomes
    from consortium.reports.tables import tables_of, text

    declared = {
        "format": 1, "kind": "declaration", "cluster": {"powers": [1]}, "agents": [{"length": 1}, {"length": 2}],
        "mechanism": {"rule": "straightforward"}, "domain": {"declarations": [1, 2]},
    }  # fmt: skip
    pennies = NormalFormGame.from_arrays([[[0, 1], [1, 0]], [[1, 0], [0, 1]]], sense="cost")
    for source in (scenario([[2, 2], [1], []]), declared, pennies):
        record = consortium.search(source, time_limit=0)
        data = json.loads(json.dumps(record.to_dict()))
        assert (data["dynamics"], data["complete"], str(record.status)) == (None, False, "stopped")
        assert "best-response dynamics" not in text(tables_of(data))
        assert "0 moves" not in " ".join(t.get_text() for t in outcomes(data).findobj(match=Text))


def test_the_cycle_of_the_dynamics_replays():
    record = consortium.search("cordeiro2012/section-5.2-small")
    assert not record.equilibria["exists"]
    assert record.dynamics["cycle"]
    rows = consortium.check(json.loads(json.dumps(record.to_dict())))
    assert rows
    assert all(row.holds for _, _, row in rows)


def test_certificate_of_the_constraint_search_names_its_moves():
    record = consortium.search("cordeiro2012/corollary-5.7-cuts", method="cuts").to_dict()
    claims = record["certificate"]["claims"]
    nothing = [c for c in claims if c["no_equilibrium"] == "at all" and c["factor"] == 1 and c["addend"] == 0]
    assert nothing
    assert all(set(move) == {"organization", "placement"} for claim in claims for move in claim["moves"])
    assert all(row.holds for _, _, row in consortium.check(record))


def test_commands(tmp_path):
    drawn = command("search", "cordeiro2012/section-5.2-small", "--plot", "moves.svg", "--json", cwd=tmp_path)
    assert drawn.returncode == 0, drawn.stderr
    assert json.loads(drawn.stdout)["smallest_epsilon"] == "5/4"
    assert (tmp_path / "moves.svg").exists()
    refuted = command("verify", "cordeiro2012/theorem-5.6-placement", cwd=tmp_path)
    assert (refuted.returncode, "8 becomes 6" in refuted.stdout) == (1, True)


def test_the_local_constraint_is_judged_on_what_the_objective_counts() -> None:
    """The first one's short job waits abroad: all is done as early as at home, but the sum of the ends is larger."""
    file = {
        "format": 1,
        "kind": "federation",
        "organizations": [{"name": "a", "jobs": [1, 4]}, {"name": "b", "jobs": [4]}],
        "mechanism": {
            "rule": "coordination",
            "objective": "total-completion",
            "order": ["b", "a"],
            "priority": "organizations",
        },
        "placement": {"a": ["b", "a"], "b": ["b"]},
    }
    for objective, holds in (("makespan", True), ("total-completion", False)):
        record = consortium.verify(file, overrides={"mechanism.objective": objective})
        assert record.local_constraint is holds


def pressed(word):
    """A receiver of reports that presses Ctrl-C at the first that has this word."""
    came = []

    def report(done, total, note=""):
        if word in note and not came:
            came.append(note)
            signal.raise_signal(signal.SIGINT)

    return report


def test_ctrl_c_in_the_search_leaves_the_least_makespan_open(monkeypatch):
    def unwanted(*_):
        raise AssertionError("begun after Ctrl-C")

    monkeypatch.setattr(Optimal, "solve", unwanted)
    game = scenario([[2, 2], [1]], rule="coordination")
    found = consortium.search(game, method="cuts", progress=pressed("rounds"))
    assert (found.complete, found.unconstrained_optimum) == (False, None)
