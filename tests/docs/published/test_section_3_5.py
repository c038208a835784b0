"""The simulations of section 3.5: the study by definitions, and its judge on a whole grid made by other means."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from section_3_5 import GRID, MEASURES, Grid, Mean, grid_of, published, tables

import consortium
from consortium.agents.organizations import Federation
from consortium.mechanisms.federation import HEURISTICS, jain, lower_bound, stretch
from consortium.studies import reader
from consortium.workloads.federation import zipf_federations

NOT_REPRODUCED = {
    "LPT-LPT, SPT-LPT and Less Helped First have similar sums of local makespans",
    "N = 20: with few jobs the other three have 0.94",
    "N = 20: by 2,000 jobs the other three have overtaken ILBA",
}


def simulated(instances: int, seed: int, cells: list[tuple[int, int]]) -> Iterator[dict[str, Any]]:
    """Rows as the study has them, in floats."""
    for n_orgs, n in cells:
        sizes, counts = zipf_federations(np.random.default_rng([seed, n_orgs, n]), n_orgs, n, instances)
        owner = np.repeat(np.arange(counts.size), counts.ravel())
        total, longest = np.zeros_like(counts), np.zeros_like(counts)
        np.add.at(total.reshape(-1), owner, sizes.reshape(-1))
        np.maximum.at(longest.reshape(-1), owner, sizes.reshape(-1))
        present, bound = counts > 0, np.maximum(total / n_orgs, longest)
        everybody = np.maximum(sizes.sum(axis=1) / n_orgs, sizes.max(axis=1))
        jobs = [np.split(row, np.cumsum(owned)[:-1]) for row, owned in zip(sizes, counts, strict=True)]
        federations = [Federation.of([part.tolist() for part in parts]) for parts in jobs]
        for rule, heuristic in HEURISTICS.items():
            ends = np.array([[int(end) for end in heuristic().run(fed).makespans] for fed in federations])
            x = np.where(present, ends / np.where(present, bound, 1.0), 0.0)
            for i in range(instances):
                yield {
                    "family.organizations": n_orgs, "family.jobs": n, "mechanism.rule": rule, "replicate": i + 1,
                    "status": "done", "over_lower_bound": float(ends[i].max() / everybody[i]),
                    "jain": float(x[i].sum() ** 2 / (present[i].sum() * (x[i] ** 2).sum())),
                    "stretch": float(x[i].max()), "sum_of_makespans": int(ends[i].sum()),
                }  # fmt: skip


@pytest.fixture(scope="module", params=[20, pytest.param(150, marks=pytest.mark.exhaustive)])
def grid(request: pytest.FixtureRequest) -> Grid:
    return grid_of(simulated(request.param, 1, [(n_orgs, n) for n_orgs, jobs in GRID.items() for n in jobs]))


FILE = tomllib.loads((reader.SHIPPED / "cordeiro2012/section-3.5.toml").read_text(encoding="utf-8"))


def test_the_study_measures_what_the_definitions_say() -> None:
    cells = {"family.organizations": [6], "family.jobs": [20]}
    data = {key: value for key, value in FILE.items() if key not in ("full", "plots")}
    found = consortium.study(data | {"together": [cells], "replicates": 4})
    rows = list(found.rows())
    assert len(rows) == 4 * len(HEURISTICS)
    for row in rows:
        scenario = found.study.instance(found.study.task(row["task"]))
        fed = Federation.of([org["jobs"] for org in scenario.data["organizations"]])
        values = [org.makespan or Fraction(0) for org in consortium.run(scenario).organizations]
        exact = (max(values) / lower_bound(fed), jain(fed, values), stretch(fed, values), sum(values))
        assert tuple(Fraction(row[name]) for name in MEASURES) == exact
    by_instance = {(row["replicate"], row["seed"]) for row in rows}
    assert len(by_instance) == 4  # all rules have the same jobs


def test_published_claims_on_the_whole_grid(grid: Grid) -> None:
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
def test_a_claim_holds_only_with_all_its_parts(
    grid: Grid, at: tuple[int, int], rule: str, change: dict[str, Any], claim: str
) -> None:
    """One number of the grid is changed, and one part of a statement is no longer so."""
    changed = grid | {at: grid[at] | {rule: replace(grid[at][rule], **change)}}
    before, after = (
        {c.text: c.reproduced for c in published(some) if c.text.startswith(claim)} for some in (grid, changed)
    )
    assert list(before.values()) == [True]
    assert list(after.values()) == [False]


def test_the_shipped_grid_is_the_one_that_is_judged() -> None:
    (columns,) = FILE["together"]
    cells = list(zip(columns["family.organizations"], columns["family.jobs"], strict=True))
    assert cells == [(n_orgs, n) for n_orgs, jobs in GRID.items() for n in jobs]
    assert set(FILE["vary"]["mechanism.rule"]) == set(HEURISTICS)
    assert FILE["full"] == {"replicates": 2000}


def test_a_part_of_the_grid_is_shown_and_not_judged() -> None:
    rows = list(simulated(3, 1, [(5, 100), (5, 200)]))
    (means,) = tables(rows)
    assert [row[0] for row in means.rows] == ["5, 100", "5, 200"]
    one = grid_of(rows)[5, 100]["ilba"]
    values = [row["jain"] for row in rows if row["mechanism.rule"] == "ilba" and row["family.jobs"] == 100]
    assert one.jain == Mean(
        pytest.approx(np.mean(values)), pytest.approx(4.303 * np.std(values, ddof=1) / 3**0.5, rel=1e-3)
    )
    rows[0] |= {"status": "stopped", "jain": None}  # one rule lacks an instance: it is left out for all
    assert {cell.ratios.size for cell in grid_of(rows)[5, 100].values()} == {2}
    assert tables([])[0].rows == ()
