"""The table of a declaration game from the plans of the incentive check: nothing is run profile by profile.

For the built-in rules in one round the plan depends on the declarations alone and machines never interact, so all plans
are made at once (:mod:`..verification.orbits`), the true lengths run through them in one kernel, and welfare is
computed for all profiles in one go (:mod:`.welfares`). Everything is in integers: int64 after a range proof, else
Python integers; an infinite cost is that of a job that never ends.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from ...mechanisms.declaration.one_round import OneRound
from ...support.exact import INF
from ...support.jit import fitting
from ...support.progress import Clock, Progress
from ..normal_form import FINITE, INFINITE, NormalFormGame, stacked
from ..verification import orbits
from ..verification.domain import Domain
from ..verification.machine import OWN_TIME, Arrays, prepare
from ..verification.orbits import plan_domain
from ..verification.tables import in_chunks
from ..verification.truth_tables import CONTENT, covers, elsewhere
from .filling import KEPT, Borne, Judged, Seated, Sheet, fill
from .game import DeclarationGame
from .welfares import bound, judged, of_times

MAX_PLAN_BYTES: Final = 2**32
"""Most memory that all plans of a game may take; larger games are played profile by profile."""


def tabulate(
    game: DeclarationGame, progress: Progress | None = None, clock: Clock | None = None
) -> NormalFormGame | None:
    """The game as arrays; ``None`` where only playing every profile tells. Raises TimeoutError as the clock runs out.

    Where welfare is no number the game keeps the table: each social cost is a rank among all profiles.

    >>> from consortium.mechanisms.declaration import build
    >>> from consortium.scheduling.clusters import Cluster
    >>> from fractions import Fraction
    >>> light, two = build("light-vcg", Cluster.of([1])), Fraction(2)
    >>> table = tabulate(DeclarationGame(light, (two, Fraction(1)), ((Fraction(1),), (Fraction(1),))))
    >>> table.costs((two, Fraction(1))), table.social_cost((two, Fraction(1)))
    ((Fraction(4, 1), Fraction(4, 1)), Fraction(4, 1))
    """
    if game.kept is not None or not covered(game):
        return game.kept
    assert isinstance(game.mechanism, OneRound)
    domain = domain_of(game)
    found = _classes(game.mechanism, domain, progress, clock)
    arrays = prepare(game.mechanism, found.plans)
    asked, unit = judged(game.mechanism.goal, domain.n_agents, arrays.scale.time)
    limit = max(arrays.scale.largest, bound(asked, arrays.scale.latest))
    if arrays.scale.compiled and limit >= FINITE:  # a table keeps int64 narrower than a run does
        arrays = prepare(game.mechanism, found.plans, compiled=False)
    sheet = _filled(game, found, arrays, asked, progress, clock)
    table, share = (sheet.costs, 1) if arrays.scale.compiled else stacked(list(sheet.costs))
    if asked.form >= KEPT:
        social, unit = of_times(game.mechanism.goal, asked, sheet.times, arrays.scale.infinity, arrays.scale.time)
    else:
        social, more = (sheet.social, 1) if arrays.scale.compiled else _alone(sheet.social)
        unit *= more
    labels = tuple(game.strategies(player) for player in range(domain.n_agents))
    shape = tuple(map(len, labels))
    made = NormalFormGame(
        tuple(game.players),
        labels,
        table.reshape(len(shape), *shape),
        arrays.scale.time * share,
        social.reshape(shape),
        unit,
    )
    if not game.numeric:
        game.keep(made)
    return made


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
    """Memory of classes, table and social costs, about; of a plan for every profile where there are no classes."""
    n, domain = len(game.lengths), domain_of(game)
    if not isinstance(game.mechanism, OneRound) or _by_class(game.mechanism, domain):
        return domain.profiles * (32 + 12 * n)
    return 8 * domain.profiles * n * (16 + game.mechanism.cluster.n_machines + n)


def domain_of(game: DeclarationGame) -> Domain:
    """The domain of the plans: everybody has her own length only; profiles have the order of the game's."""
    n = len(game.lengths)
    return Domain(
        tuple((x,) for x in game.lengths), tuple(map(tuple, game.declarations)), tuple(f"a{i}" for i in range(1, n + 1))
    )


def _by_class(mechanism: OneRound, domain: Domain) -> bool:
    """Whether there are classes: who is who does not matter to goal and penalty."""
    return not isinstance(mechanism.penalty, tuple) and orbits.covers(mechanism, domain)


def _classes(mechanism: OneRound, domain: Domain, progress: Progress | None, clock: Clock | None) -> orbits.Classes:
    """Plans of all profiles; where there are no classes, every profile is one, and everybody's seat her own number."""
    if _by_class(mechanism, domain):
        return orbits.classes(mechanism, domain)
    plans = plan_domain(mechanism, domain, progress=progress, clock=clock)
    if not plans.ready.all():  # planning keeps what it has; half a table is none
        if clock is not None and clock.expired():
            raise TimeoutError(f"planned {int(plans.ready.sum())} of {domain.profiles} profiles")
        raise KeyboardInterrupt
    own = np.arange(domain.n_agents, dtype=np.int16)
    return orbits.Classes(plans, np.arange(domain.profiles), np.tile(own, (domain.profiles, 1)))


def _filled(
    game: DeclarationGame,
    found: orbits.Classes,
    arrays: Arrays,
    asked: Judged,
    progress: Progress | None,
    clock: Clock | None,
) -> Sheet:
    """Costs of all profiles, and their social costs or the times that these are made of."""
    scale, (profiles, n) = arrays.scale, found.seat.shape
    kept, numbers = asked.form >= KEPT, {"dtype": scale.dtype}
    sheet = Sheet(
        INFINITE if scale.compiled else INF,
        np.zeros((n, profiles), **numbers),
        np.zeros(0 if kept else profiles, **numbers),
        np.zeros((profiles if kept else 0, n), **numbers),
    )
    truth = np.array([arrays.units(x) for x in game.lengths], **numbers)
    whole = asked._replace(weights=asked.weights.astype(scale.dtype))
    seated, borne = Seated(found.which, found.seat, truth), _borne(game.mechanism, arrays)
    kernel = fitting(fill, scale.compiled, profiles * n * 10)

    def done(first: int, last: int) -> bool:
        if progress is not None:
            progress(last, profiles, "profiles tabulated")
        return clock is None or not clock.expired()

    work = lambda a, b: kernel(a, b, arrays.runs, seated, borne, whole, sheet)  # noqa: E731
    if not in_chunks(work, profiles, max(1, profiles // 32), scale.compiled, done):
        raise TimeoutError("profiles tabulated: some")
    return sheet


def _borne(mechanism: Any, arrays: Arrays) -> Borne:
    """What everybody bears and pays in each seat; a payment settled after the run leaves her with what it says."""
    content = CONTENT.get(mechanism.payment, OWN_TIME)
    if content == OWN_TIME:
        return Borne(content, arrays.paid)
    seats = range(arrays.planned.shape[1])
    return Borne(content, np.stack([elsewhere(arrays, seat)[:, seat] for seat in seats], axis=1))


def _alone(cells: Any) -> tuple[Any, int]:
    """One column of exact numbers as a table keeps it."""
    table, denominator = stacked([cells])
    return table[0], denominator
