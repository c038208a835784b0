"""Profiles that Gambit's solvers propose for games of any number of players; floats, for others to judge.

Two solvers are asked in turn: the global Newton method [GW03]_, which is quick and finds some, then the enumeration of
supports, which solves a system of polynomials for each. Each runs in a process of its own, this file as a program,
because they answer neither to Ctrl-C nor to a time limit: the process is ended, and what it has printed is kept.

References
----------
.. [GW03] S. Govindan, R. Wilson, "A global Newton method to compute Nash equilibria", Journal of Economic Theory 110,
   2003.
.. [GAMBIT] R. Savani, T. L. Turocy, "Gambit: the package for computation in game theory",
   https://www.gambit-project.org
"""

from __future__ import annotations

import inspect
import io
import json
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ....support.errors import InputError
from ....support.loading import installed
from ....support.progress import Clock, Progress
from ...interchange import to_nfg
from ...normal_form import NormalFormGame
from .profiles import CostTables

Floats: TypeAlias = tuple[tuple[float, ...], ...]


@dataclass(frozen=True)
class Solver:
    """A solver by its name in ``pygambit.nash``, and its options.

    ``seconds``: the most for one that need not end by itself; of a time limit it gets half.
    """

    name: str
    options: dict[str, Any] = field(default_factory=dict)
    seconds: float | None = None


SOLVERS: Final = (Solver("gnm_solve", seconds=60.0), Solver("enumpoly_solve", {"use_strategic": True}))
BEAT: Final = 0.05
"""Seconds between two looks at the process."""


def check_gambit(players: int) -> None:
    """Raise InputError, which says how to install it, where pygambit is not installed."""
    if not installed("pygambit"):
        raise InputError(
            f"mixed equilibria: found {players} players with a choice; beyond two it takes Gambit, which is not "
            "installed: pip install 'consortium[gambit]'"
        )


def proposals(solver: Solver, tables: CostTables, clock: Clock, progress: Progress | None) -> tuple[list[Floats], bool]:
    """Profiles near equilibria, perhaps some twice, until the solver ends or the clock does; whether Ctrl-C came."""
    players = [f"p{k}" for k in range(len(tables.shape))]
    labels = [[f"{k}.{s}" for s in range(size)] for k, size in enumerate(tables.shape)]
    arrays = [_scaled(costs) for costs in tables.costs]
    game = NormalFormGame.from_arrays(arrays, sense="cost", players=players, labels=labels)
    question = [solver.name, solver.options, dict(zip(players, labels, strict=True)), to_nfg(game)]
    left = clock.left()
    if solver.seconds is not None:
        left = solver.seconds if left is None else min(solver.seconds, left / 2)
    return _run_solver(question, Clock(left), progress)


def _scaled(costs: NDArray[Any]) -> NDArray[Any]:
    """Costs from 0 to 1, exactly: the solvers work in floats and have absolute tolerances."""
    low, high = costs.min(), costs.max()
    return np.asarray((costs - low) * Fraction(1, max(1, high - low)))


def _run_solver(question: list[Any], clock: Clock, progress: Progress | None) -> tuple[list[Floats], bool]:
    interrupted = False
    with tempfile.TemporaryFile("w+") as answer, tempfile.TemporaryFile("w+") as request:
        json.dump(question, request)
        request.seek(0)
        command = [sys.executable, "-m", __spec__.name]
        process = subprocess.Popen(command, stdin=request, stdout=answer, stderr=subprocess.DEVNULL)
        try:
            _wait(process, clock, progress)
        except KeyboardInterrupt:
            interrupted = True
        finally:
            process.kill()
            process.wait()
        answer.seek(0)
        lines = [line for line in answer if line.endswith("\n")]
    return [tuple(map(tuple, json.loads(line))) for line in lines], interrupted


def _wait(process: subprocess.Popen[bytes], clock: Clock, progress: Progress | None) -> None:
    """Until the process ends or time is up."""
    while not clock.expired():
        try:
            process.wait(BEAT)
        except subprocess.TimeoutExpired:
            if progress is not None:
                progress(0, None, "mixed equilibria")
        else:
            return


def main() -> None:
    """One solver on one game: reads a question from the input, prints every profile found as a line of JSON.

    The question: name of the solver, its options, the names of the strategies by player, the game as ``.nfg``. Players
    and strategies are asked for by name, which works in all of pygambit 16 and 17.
    """
    import pygambit

    solver, options, names, text = json.load(sys.stdin)
    game = pygambit.read_nfg(io.StringIO(text))
    solve = getattr(pygambit.nash, solver)

    def tell(profile: Any) -> None:
        print(json.dumps([[float(profile[player][s]) for s in own] for player, own in names.items()]), flush=True)

    if "nash_callback" in inspect.signature(solve).parameters:  # from 17 on they come one by one
        solve(game, nash_callback=tell, **options)
    else:
        for mixes in solve(game, **options).equilibria:
            tell(mixes)


if __name__ == "__main__":
    main()
