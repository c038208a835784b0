"""The simulations of section 3.5: statistics by their formulas, seeds, and the published claims on a small grid."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from consortium.agents.organizations import Federation
from consortium.experiments import section_3_5
from consortium.experiments.section_3_5 import GRID, Mean, main, published, simulate, simulate_grid
from consortium.mechanisms.federation import HEURISTICS, arrays, jain, lower_bound, stretch
from consortium.workloads.federation import zipf_federations

NOT_REPRODUCED = {
    "LPT-LPT, SPT-LPT and Less Helped First have similar sums of local makespans",
    "N = 20: with few jobs the other three have 0.94",
    "N = 20: by 2,000 jobs the other three have overtaken ILBA",
}


def test_statistics_are_those_of_the_exact_schedules():
    cells = simulate(6, 20, instances=25, seed=3)
    sizes, counts = zipf_federations(np.random.default_rng([3, 6, 20]), 6, 20, 25)
    assert (counts == 0).any()
    for rule, cell in cells.items():
        ends = arrays.makespans(rule, sizes, counts)
        exact = []
        for row, count, values in zip(sizes, counts, ends.tolist(), strict=True):
            fed = Federation.of([part.tolist() for part in np.split(row, np.cumsum(count)[:-1])])
            exact.append((max(values) / lower_bound(fed), jain(fed, values), stretch(fed, values), sum(values)))
        means = [float(sum(column) / 25) for column in zip(*exact, strict=True)]
        assert [cell.ratio.mean, cell.jain.mean, cell.stretch.mean, cell.total.mean] == pytest.approx(means)
        assert cell.ratio.half_width == pytest.approx(1.96 * np.std([float(e[0]) for e in exact], ddof=1) / 5)


def test_a_cell_does_not_depend_on_the_others():
    alone = simulate(5, 100, 10, seed=9)["ilba"].jain
    grid = simulate_grid(10, 9, {10: (100,), 5: (100,)})
    assert grid[5, 100]["ilba"].jain == alone
    assert simulate(5, 100, 10, seed=8)["ilba"].jain != alone


@pytest.fixture(scope="module", params=[50, pytest.param(150, marks=pytest.mark.exhaustive)])
def grid(request):
    return simulate_grid(request.param, 1)


def test_published_claims_on_the_whole_grid(grid):
    assert len(grid) == sum(map(len, GRID.values())) == 40
    assert set(grid[5, 100]) == set(HEURISTICS)
    claims = published(grid)
    assert len(claims) == 17
    assert {claim.text for claim in claims if not claim.reproduced} == NOT_REPRODUCED


@pytest.mark.parametrize(
    ("at", "rule", "change", "claim"),
    [
        ((20, 100), "spt-lpt", {"ratios": np.zeros(1)}, "N = 20, n = 100: LPT-LPT beats ILBA and SPT-LPT"),
        ((20, 100), "ilba", {"ratios": np.zeros(1)}, "N = 20, n = 100: LPT-LPT beats ILBA and SPT-LPT"),
        ((5, 100), "ilba", {"jain": Mean(0.96, 0)}, "N = 5: ILBA is the fairest"),
        ((5, 100), "spt-lpt", {"jain": Mean(0.99, 0)}, "N = 5: ILBA is the fairest"),
        ((5, 500), "spt-lpt", {"jain": Mean(0.89, 0)}, "N = 5: from 300 jobs on"),
        ((10, 100), "spt-lpt", {"jain": Mean(0.99, 0)}, "N = 10: the other three vary"),
        ((10, 500), "lpt-lpt", {"jain": Mean(0.5, 0)}, "N = 10: the other three vary"),
        ((20, 500), "less-helped-first", {"jain": Mean(0.5, 0)}, "N = 20: the other three fall"),
    ],
)
def test_a_claim_holds_only_with_all_its_parts(grid, at, rule, change, claim):
    """One number of the grid is changed, and one part of a statement is no longer so."""
    changed = grid | {at: grid[at] | {rule: replace(grid[at][rule], **change)}}
    before, after = (
        {c.text: c.reproduced for c in published(some) if c.text.startswith(claim)} for some in (grid, changed)
    )
    assert list(before.values()) == [True]
    assert list(after.values()) == [False]


def test_ctrl_c_keeps_the_cells_that_are_done():
    def stop(done, total, note=""):
        if done == 1:
            raise KeyboardInterrupt

    assert list(simulate_grid(5, 1, {5: (100, 200)}, stop)) == [(5, 100)]


def test_the_command_prints_every_cell_and_claim(capsys):
    assert main(["--instances", "3", "--seed", "2"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("means of C_max / LB, Jain index, Stretch\n")
    assert shown.splitlines()[1].split() == ["N,", "n", *HEURISTICS]
    assert sum(line.startswith(("  5, ", "  10, ", "  20, ")) for line in shown.splitlines()) == 40
    assert "  N = 5: every Jain index is above 0.88" in shown
    with pytest.raises(SystemExit):
        main(["--instances", "0"])
    assert "--instances: found 0; expected at least 1" in capsys.readouterr().err


def test_the_command_says_by_its_exit_code_that_it_was_stopped(monkeypatch, capsys):
    """Ctrl-C before the first cell prints nothing; later it prints what is known, and judges no claim."""
    part = simulate_grid(3, 1, {5: (100,)})
    for known in ({}, part):
        monkeypatch.setattr(section_3_5, "simulate_grid", lambda *_, known=known: known)
        assert main([]) == 3
        shown = capsys.readouterr().out
        assert ("means of C_max" in shown) == bool(known)
        assert "published" not in shown
