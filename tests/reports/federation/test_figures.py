"""The chart of cooperation against makespan."""

from __future__ import annotations


def test_chart_of_cooperation_against_makespan(tmp_path):
    from consortium.reports.federation.figures import trade_off
    from consortium.reports.figures import save

    figure = trade_off({"figure 4.1": [(1, "4/3"), ("3/2", 1)]}, {"relaxed-2": (2, "3/2")}, {"ToMoS": [(1, 3), (2, 2)]})
    save(figure, tmp_path / "chart.svg")
    assert len(figure.axes[0].patches) + len(figure.axes[0].collections) > 0
