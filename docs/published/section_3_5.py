r"""The simulations of Cordeiro 2012, section 3.5: what was published of four heuristics on random workloads, judged.

The study ``cordeiro2012/section-3.5`` runs them: ``N`` organizations with one machine each and ``n`` jobs of lengths
uniform on 1..1000; the owners follow a Zipf distribution of exponent 1.4267. Measured per instance: ``C_max / LB``, the
Jain index of ``C^(k) / LB^(k)``, ``Stretch = max_k C^(k) / LB^(k)`` and ``sum_k C^(k)``; organizations without jobs are
left out. ``python docs/published/judge.py STORE`` prints the means of every cell and each published statement with
what the store has of it. All schedules are exact; the statistics are floats.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from consortium.mechanisms.federation.heuristics import HEURISTICS
from consortium.reports.markup import Table
from consortium.studies.statistics import number, summed

MEASURES: Final = ("over_lower_bound", "jain", "stretch", "sum_of_makespans")
"""What the study measures, in the order of the fields of :class:`Cell`."""
GRID: Final[Mapping[int, tuple[int, ...]]] = MappingProxyType(
    {5: tuple(range(100, 1001, 100)), 10: tuple(range(100, 1001, 100)), 20: tuple(range(100, 2001, 100))}
)
"""Numbers of organizations and, for each, of jobs: what the statements are about."""


@dataclass(frozen=True)
class Mean:
    """A mean and the half-width of its 95 % confidence interval (Student's; 0 for a single value)."""

    mean: float
    half_width: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Mean:
        """Mean of a sample."""
        found = summed("mean", values)
        assert found.value is not None  # a cell has at least one instance
        return cls(found.value, 0.0 if found.high is None else found.high - found.value)


@dataclass(frozen=True)
class Cell:
    """One heuristic on one combination of ``N`` and ``n``; ``ratios`` holds ``C_max / LB`` instance by instance."""

    ratio: Mean
    jain: Mean
    stretch: Mean
    total: Mean
    ratios: NDArray[np.float64]


Grid = Mapping[tuple[int, int], Mapping[str, Cell]]
"""Cells by ``(N, n)``, then by rule; the instances of all rules are the same."""


def grid_of(rows: Iterable[Mapping[str, Any]]) -> Grid:
    """The cells of a study's rows: instances on which all rules of the cell are done."""
    found: dict[tuple[int, int], dict[int, dict[str, list[float]]]] = {}
    rules: dict[str, None] = {}
    for row in rows:
        values = [number(row[name]) for name in MEASURES]
        rules.setdefault(row["mechanism.rule"])
        if row["status"] == "done":
            at = row["family.organizations"], row["family.jobs"]
            by_rule = found.setdefault(at, {}).setdefault(row["replicate"], {})
            by_rule[row["mechanism.rule"]] = [value for value in values if value is not None]
    grid = {}
    for at, instances in sorted(found.items()):
        whole = [by_rule for by_rule in instances.values() if len(by_rule) == len(rules)]
        if whole:
            grid[at] = {rule: _cell([by_rule[rule] for by_rule in whole]) for rule in rules}
    return grid


def _cell(values: Sequence[Sequence[float]]) -> Cell:
    columns = list(zip(*values, strict=True))
    ratio, jain, stretch, total = map(Mean.of, columns)
    return Cell(ratio, jain, stretch, total, np.array(columns[0]))


def tables(rows: Iterable[Mapping[str, Any]]) -> list[Table]:
    """The means and, where the grid is whole, the published statements."""
    grid = grid_of(rows)
    whole = all((n_orgs, n) in grid for n_orgs, jobs in GRID.items() for n in jobs)
    return [means_table(grid)] + ([claims_table(published(grid))] if whole else [])


@dataclass(frozen=True)
class Claim:
    """A published statement, what is measured here, and whether it is reproduced."""

    text: str
    measured: str
    reproduced: bool


OTHERS = ("lpt-lpt", "spt-lpt", "less-helped-first")


def published(grid: Grid) -> list[Claim]:
    """Judge the statements of section 3.5 on a full grid (:data:`GRID`)."""
    return [*_on_makespans(grid), *_on_stretch(grid), *_on_fairness(grid)]


def _on_makespans(grid: Grid) -> list[Claim]:
    cell = grid[20, 100]
    ratio = {rule: c.ratios for rule, c in cell.items()}
    over_ilba = float((ratio["lpt-lpt"] < ratio["ilba"]).mean())
    over_spt = float((ratio["lpt-lpt"] < ratio["spt-lpt"]).mean())
    lhf = np.all([ratio["less-helped-first"] >= ratio[rule] for rule in ("ilba", "lpt-lpt", "spt-lpt")], axis=0)
    large = [grid[n_orgs, 1000][rule].ratio.mean for n_orgs in GRID for rule in ("ilba", "lpt-lpt")]
    totals = {at: {rule: c.total.mean for rule, c in cells.items()} for at, cells in grid.items()}
    lowest = all(value["ilba"] <= min(value.values()) for value in totals.values())
    gaps = [value["lpt-lpt"] / value["less-helped-first"] - 1 for value in totals.values()]
    mean = cell["lpt-lpt"].ratio.mean
    return [
        Claim("N = 20, n = 100: LPT-LPT is below 1.3 LB on average", f"{mean:.3f}", mean < 1.3),
        Claim(
            "N = 20, n = 100: LPT-LPT beats ILBA and SPT-LPT on most instances",
            f"on {over_ilba:.0%} and {over_spt:.0%}",
            over_ilba > 0.5 and over_spt > 0.5,
        ),
        Claim(
            "N = 20, n = 100: Less Helped First is the worst", f"on {lhf.mean():.1%} of the instances", lhf.mean() > 0.5
        ),
        Claim("ILBA and LPT-LPT are near optimal with many jobs", f"at n = 1000 within {max(large) - 1:.2%}",
              max(large) < 1.01),
        Claim("ILBA has the smallest sum of local makespans", "in every cell" if lowest else "not everywhere", lowest),
        Claim(
            "LPT-LPT, SPT-LPT and Less Helped First have similar sums of local makespans",
            f"LPT-LPT is up to {max(gaps):.0%} above Less Helped First",
            max(gaps) < 0.05,
        ),
    ]  # fmt: skip


def _on_stretch(grid: Grid) -> list[Claim]:
    at = {n_orgs: grid[n_orgs, max(GRID[n_orgs])]["lpt-lpt"].stretch.mean / n_orgs for n_orgs in GRID}
    early = {n_orgs: grid[n_orgs, 100]["lpt-lpt"].stretch.mean / n_orgs for n_orgs in GRID}
    worst = all(c["lpt-lpt"].stretch.mean >= max(x.stretch.mean for x in c.values()) - 0.005 for c in grid.values())
    slow = all(c["ilba"].stretch.mean <= min(x.stretch.mean for x in c.values()) + 0.005 for c in grid.values())
    return [
        Claim(
            "Stretch grows to N with the number of jobs, fastest for N = 5",
            f"LPT-LPT reaches {at[5]:.0%}, {at[10]:.0%}, {at[20]:.0%} of N = 5, 10, 20; at n = 100 it has "
            f"{early[5]:.0%}, {early[10]:.0%}, {early[20]:.0%}",
            min(at.values()) > 0.95 and early[5] > early[10] > early[20],
        ),
        Claim("LPT-LPT has the worst Stretch", "in every cell" if worst else "not everywhere", worst),
        Claim("ILBA's Stretch degrades most slowly", "lowest in every cell" if slow else "not everywhere", slow),
    ]


def _on_fairness(grid: Grid) -> list[Claim]:
    def jain(n_orgs: int, rule: str) -> dict[int, float]:
        return {n: grid[n_orgs, n][rule].jain.mean for n in GRID[n_orgs]}

    five = {rule: jain(5, rule) for rule in HEURISTICS}
    lowest = min(min(values.values()) for values in five.values())
    ilba = five["ilba"]
    late = [n for n in GRID[5] if n >= 300]
    least = all(ilba[n] < min(five[rule][n] for rule in OTHERS) for n in late)
    flat = max(ilba[n] for n in late) - min(ilba[n] for n in late)
    ten = {rule: jain(10, rule) for rule in HEURISTICS}
    values_10 = [v for rule in OTHERS for v in ten[rule].values()]
    crossing = min((n for n in GRID[10] if all(ten[r][n] > ten["ilba"][n] for r in OTHERS)), default=None)
    twenty = {rule: jain(20, rule) for rule in HEURISTICS}
    small = max(twenty[rule][100] for rule in OTHERS)
    bottom = min(min(twenty[rule].values()) for rule in OTHERS)
    crossed = [n for n in GRID[20] if n > 1000 and all(twenty[r][n] > twenty["ilba"][n] for r in OTHERS)]
    return [
        Claim("N = 5: every Jain index is above 0.88", f"the lowest is {lowest:.3f}", lowest > 0.88),
        Claim(
            "N = 5: ILBA is the fairest with few jobs, between 0.92 and 0.95",
            f"{ilba[100]:.3f} at n = 100; the others {max(five[r][100] for r in OTHERS):.3f} at most",
            0.92 <= ilba[100] <= 0.95 and ilba[100] > max(five[r][100] for r in OTHERS),
        ),
        Claim(
            "N = 5: from 300 jobs on ILBA is the least fair, and almost constant",
            f"varies by {flat:.3f}",
            least and flat < 0.01,
        ),
        Claim(
            "N = 10: the other three vary between 0.79 and 0.91",
            f"{min(values_10):.2f} to {max(values_10):.2f}",
            abs(min(values_10) - 0.79) < 0.02 and abs(max(values_10) - 0.91) < 0.02,
        ),
        Claim("N = 10: with over 700 jobs the other three are fairer than ILBA",
              "never" if crossing is None else f"all three from n = {crossing}", crossing in (700, 800, 900, 1000)),
        Claim("N = 20: the other three fall to 0.70", f"the lowest is {bottom:.2f}", abs(bottom - 0.70) < 0.02),
        Claim("N = 20: with few jobs the other three have 0.94", f"{small:.2f} at most at n = 100", small > 0.92),
        Claim("N = 20: by 2,000 jobs the other three have overtaken ILBA",
              f"all three from n = {crossed[0]}" if crossed else "not by n = 2000", bool(crossed)),
    ]  # fmt: skip


def means_table(grid: Grid) -> Table:
    """Means of every cell, a column per heuristic."""
    body = tuple(
        (f"{n_orgs}, {n}", *(f"{c.ratio.mean:.3f} {c.jain.mean:.3f} {c.stretch.mean:.2f}" for c in cells.values()))
        for (n_orgs, n), cells in grid.items()
    )
    everything = [_shown(cell) for cells in grid.values() for cell in cells.values()]
    widest = [max(mean.half_width for mean in column) for column in zip(*everything, strict=True)]
    note = "largest half-widths of the 95 % intervals: " + ", ".join(f"{width:.4f}" for width in widest)
    return Table("means of C_max / LB, Jain index, Stretch", ("N, n", *next(iter(grid.values()), ())), body, note)


def _shown(cell: Cell) -> tuple[Mean, Mean, Mean]:
    return cell.ratio, cell.jain, cell.stretch


def claims_table(claims: Sequence[Claim]) -> Table:
    """The published statements, judged."""
    body = tuple((claim.text, claim.measured, "yes" if claim.reproduced else "no") for claim in claims)
    return Table("published", ("statement", "measured", "reproduced"), body)
