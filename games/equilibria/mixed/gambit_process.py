"""One solver of Gambit on one game: reads a question from its input, prints every profile found as a line of JSON.

It is run as a program by :mod:`.gambit`, which ends it when time is up. Players and strategies are asked for by name,
which works in all of pygambit 16 and 17.
"""

from __future__ import annotations

import inspect
import io
import json
import sys
from typing import Any


def main() -> None:
    """The question: name of the solver, its options, the names of the strategies by player, the game as ``.nfg``."""
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
