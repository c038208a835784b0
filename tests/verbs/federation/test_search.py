"""Searches of federations: placements by name, optima, certificates, dynamics, what is open after an interrupt."""

from __future__ import annotations

import json
import signal
from fractions import Fraction

import pytest
from matplotlib.text import Text

import consortium
from consortium.mechanisms.federation.optimal import Optimal
from consortium.support.errors import InputError, UnknownNameError

from ...command_line import command
from .files import scenario


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


def test_a_bound_is_never_printed_as_the_optimum(monkeypatch):
    """Stopped at a schedule of 5 with 4 as the bound: the least makespan of all schedules is not known."""
    from consortium.mechanisms.federation.optimal import Optimal, Optimum
    from consortium.reports.markup import text
    from consortium.reports.tables import tables_of

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
    from consortium.reports.markup import text
    from consortium.reports.tables import tables_of

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
