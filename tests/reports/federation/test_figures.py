"""Figures and tables of federations."""

from __future__ import annotations

import pytest

import consortium
from consortium.support.errors import InputError

from ...verbs.federation.files import scenario


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
