"""How long the page takes to answer a moved slider: ``python -m benchmarks.explorer``.

For every shipped declaration scenario each agent's declaration is moved through ten positions. Processor milliseconds
of all that the server does for a move but the curve, which follows; the median and the worst of each scenario's moves,
its first left out, and the slowest scenarios.
"""

from __future__ import annotations

import statistics
import time

import consortium
from consortium.explorer.declaration import state
from consortium.explorer.parts import as_html
from consortium.explorer.view import View
from consortium.reports.tables import tables_of

MOVES = 10


def moves(name: str) -> list[float]:
    """Milliseconds of each move."""
    view, found = View.opened(name), []
    scale = state.Scale.over(view)
    for agent in range(len(view.scenario.spec.agents)):
        for move in range(MOVES + 1):
            start = time.thread_time()
            view = state.declares(view, agent, scale.value(1 + move * (scale.positions - 1) // MOVES))
            record = state.played(view)
            state.schedule(record)
            as_html(tables_of(record))
            view.command("run")
            _ = view.file
            found.append(1000 * (time.thread_time() - start))
    return found[1:]


def main() -> None:
    taken = {scenario.name: moves(scenario.name) for scenario in consortium.listed("declaration")}
    every = [value for values in taken.values() for value in values]
    print(f"{len(taken)} scenarios, {len(every)} moves:", end=" ")
    print(f"median {statistics.median(every):.1f} ms, worst {max(every):.1f}")
    for name in sorted(taken, key=lambda name: -max(taken[name]))[:5]:
        print(f"{name}: median {statistics.median(taken[name]):.1f} ms, worst {max(taken[name]):.1f}")


if __name__ == "__main__":
    main()
