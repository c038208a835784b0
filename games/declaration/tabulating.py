"""The table of a declaration game from the plans of the incentive check: nothing is run profile by profile.

For the built-in rules in one round the plan depends on the declarations alone and machines never interact, so all plans
are made at once (:mod:`..incentives.kernel.planning`), the true lengths run through them in one kernel, and welfare is
computed for all profiles in one go (:mod:`.welfares`). Everything is in integers: int64 after a range proof, else
Python integers; an infinite cost is that of a job that never ends.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Final

import numpy as np

from ...mechanisms.declaration.one_round import OneRound
from ...scheduling.compiled import fitting
from ...scheduling.exact import INF
from ...scheduling.progress import Clock, Progress
from ..incentives.domain import Domain
from ..incentives.kernel.arrays import Arrays, prepare
from ..incentives.kernel.check import CONTENT, AgentCheck, covers
from ..incentives.kernel.machine import run_profiles
from ..incentives.kernel.planning import plan_domain
from ..incentives.kernel.plans import NONE
from ..incentives.kernel.tables import in_chunks
from ..normal_form import FINITE, INFINITE, NormalFormGame, stacked
from .game import DeclarationGame
from .welfares import social_costs

MAX_PLAN_BYTES: Final = 2**32
"""Most memory that all plans of a game may take; larger games are played profile by profile."""


def tabulate(
    game: DeclarationGame, progress: Progress | None = None, clock: Clock | None = None
) -> NormalFormGame | None:
    """The game as arrays; ``None`` where only playing every profile tells. Raises TimeoutError as the clock runs out.

    >>> from consortium.mechanisms.declaration import build
    >>> from consortium.scheduling.clusters import Cluster
    >>> light, two = build("light-vcg", Cluster.of([1])), Fraction(2)
    >>> table = tabulate(DeclarationGame(light, (two, Fraction(1)), ((Fraction(1),), (Fraction(1),))))
    >>> table.costs((two, Fraction(1))), table.social_cost((two, Fraction(1)))
    ((Fraction(4, 1), Fraction(4, 1)), Fraction(4, 1))
    """
    if not covered(game):
        return None
    assert isinstance(game.mechanism, OneRound)
    domain = domain_of(game)
    plans = plan_domain(game.mechanism, domain, progress=progress, clock=clock)
    if not plans.ready.all():  # planning keeps what it has; half a table is none
        if clock is not None and clock.expired():
            raise TimeoutError(f"planned {int(plans.ready.sum())} of {domain.profiles} profiles")
        raise KeyboardInterrupt
    arrays = prepare(game.mechanism, plans)
    output = _outputs(arrays, game.lengths, progress, clock)
    never = output == arrays.scale.infinity
    costs = _costs(game.mechanism, arrays, output)
    table, share = _cells(costs, never)
    social, unit = social_costs(game.mechanism.goal, output, never, arrays.scale.time)
    labels = tuple(game.strategies(player) for player in range(domain.n_agents))
    shape = tuple(map(len, labels))
    return NormalFormGame(
        tuple(game.players),
        labels,
        table.reshape(len(shape), *shape),
        arrays.scale.time * share,
        social.reshape(shape),
        unit,
    )


def covered(game: DeclarationGame) -> bool:
    """Whether the game is tabulated at once.

    Its rule is one of ours, refuses nothing, and speaks of as many agents; the plans fit into memory.
    """
    mechanism, n = game.mechanism, len(game.lengths)
    if not covers(mechanism) or mechanism.allocate is not None or not n:
        return False
    if any(isinstance(own, tuple) and len(own) != n for own in (mechanism.values, mechanism.penalty)):
        return False
    universe, cutoff = domain_of(game).universe, mechanism.cutoff
    if any(own[0] <= 0 or (cutoff is not None and own[-1] > cutoff.limit(own[-1])) for own in universe):
        return False  # the mechanism says so itself
    return plan_bytes(game) <= MAX_PLAN_BYTES


def plan_bytes(game: DeclarationGame) -> int:
    """Memory of all plans and of the runs that follow them, about."""
    n, domain = len(game.lengths), domain_of(game)
    machines = game.mechanism.cluster.n_machines if isinstance(game.mechanism, OneRound) else 0
    return 8 * domain.profiles * n * (16 + machines + n)


def domain_of(game: DeclarationGame) -> Domain:
    """The domain of the plans: everybody has her own length only; profiles have the order of the game's."""
    n = len(game.lengths)
    return Domain(
        tuple((x,) for x in game.lengths), tuple(map(tuple, game.declarations)), tuple(f"a{i}" for i in range(1, n + 1))
    )


def _outputs(arrays: Arrays, lengths: tuple[Fraction, ...], progress: Progress | None, clock: Clock | None) -> Any:
    """Output times of everybody in every profile; what stands for infinity is that of the arrays' scale."""
    scale, shape = arrays.scale, arrays.plans.place.shape
    truth = np.array([arrays.units(x) for x in lengths], dtype=scale.dtype)
    output = np.zeros(shape, dtype=scale.dtype)
    kernel = fitting(run_profiles, scale.compiled, shape[0] * shape[1] * 10)

    def done(first: int, last: int) -> bool:
        if progress is not None:
            progress(last, shape[0], "profiles tabulated")
        return clock is None or not clock.expired()

    chunk = max(1, shape[0] // 32)
    if not in_chunks(lambda a, b: kernel(a, b, arrays.runs, truth, output), shape[0], chunk, scale.compiled, done):
        raise TimeoutError("profiles tabulated: some")
    return output


def _costs(mechanism: OneRound, arrays: Arrays, output: Any) -> Any:
    """Output plus payment in every profile; anything where the job never ends."""
    if mechanism.payment not in CONTENT:
        return output + arrays.paid if (arrays.plans.bill != NONE).any() else output
    costs = np.empty_like(output)
    for n in range(output.shape[1]):  # a payment settled after the run leaves the agent with what her table says
        check = AgentCheck(mechanism, arrays, "dominant", n)
        tables = check.build([n])
        costs[:, n] = tables.cells[tables.offset[tables.table[n]]] + check.paid[:, n]
    return costs


def _cells(costs: Any, never: Any) -> tuple[Any, int]:
    """Costs by agent as :class:`NormalFormGame` keeps them, and what they were multiplied by."""
    if costs.dtype == np.int64:
        table = np.ascontiguousarray(costs.T)
        table[never.T] = 0
        if sum(max(-int(own.min()), int(own.max())) for own in table) < FINITE:
            table[never.T] = INFINITE
            return table, 1
    return stacked([np.where(never[:, n], INF, costs[:, n].astype(object)) for n in range(costs.shape[1])])
