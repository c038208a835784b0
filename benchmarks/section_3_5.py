"""The simulations of Cordeiro 2012, section 3.5: print the table of means and the published claims, judged.

Run from a checkout: ``python benchmarks/section_3_5.py --instances 2000 --seed 1``. Needs the package installed.
"""

from __future__ import annotations

import argparse
import time

from consortium.experiments.section_3_5 import GRID, published, simulate_grid
from consortium.mechanisms.federation.arrays import HEURISTICS


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--instances", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    begin = time.perf_counter()
    grid = simulate_grid(asked.instances, asked.seed)
    took = time.perf_counter() - begin
    print(f"{len(grid)} cells, {asked.instances} instances each, four heuristics: {took:.1f} s")
    print("means of C_max / LB, Jain index, Stretch")
    print("".join(f"{text:>26}" for text in ("N, n", *HEURISTICS)))
    for (n_orgs, n), cells in grid.items():
        row = [f"{c.ratio.mean:.3f} {c.jain.mean:.3f} {c.stretch.mean:6.2f}" for c in cells.values()]
        print("".join(f"{text:>26}" for text in (f"{n_orgs}, {n}", *row)))
    widest = [max(getattr(c, name).half_width for cells in grid.values() for c in cells.values()) for name in NAMES]
    print("largest half-widths of the 95 % intervals:", ", ".join(f"{w:.4f}" for w in widest))
    if len(grid) == sum(map(len, GRID.values())):
        for claim in published(grid):
            print(f"[{'reproduced' if claim.reproduced else 'NOT reproduced'}] {claim.text}: {claim.measured}")


NAMES = ("ratio", "jain", "stretch")

if __name__ == "__main__":
    main()
