r"""Does a coalition gain by a joint deviation from this profile? Checks from the definition that know no solver.

They go through the coalitions in one order, smaller ones first and those of one size lexicographically, and for each
through all joint strategies in the order of ``game.strategies``; the *first* deviation that pays is the first of these.
A profile is stable under the notion when there is none (:mod:`.results` says when one pays).

A table is compared with the profile slice by slice, of another game the costs of every deviation are computed, up to
:data:`MAX_TRIED` of them. A class of games with a check of its own for more has an entry in :mod:`...registry`.

>>> from consortium.games.normal_form import NormalFormGame
>>> prisoners = NormalFormGame.from_arrays([[[3, 0], [5, 1]], [[3, 5], [0, 1]]], sense="payoff")
>>> is_strong(prisoners, (1, 1), 1), first_deviation(prisoners, (1, 1), 2).strategies
(True, (0, 0))
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ....support.errors import InputError, TooLargeError, unknown_name
from ....support.exact import INF, magnitude
from ....support.progress import Clock
from ...normal_form import HUGE, HasTable, NormalFormGame, table_bytes
from ...protocol import Game, Profile, check_profile, costs_of, count_strategies
from ...registry import ability
from .results import NOTIONS, Deviation, Notion, deviated, pays

FEW: Final = 10_000
"""So many joint deviations are played one by one whatever else the game has: quicker than its table."""
MAX_TRIED: Final = 1_000_000
"""Most joint deviations that are played one by one."""
MAX_TABLE: Final = 2**30
"""Most bytes of a table that a game is made to fill."""


def is_strong(
    game: Game, profile: Sequence[Any], k: int | None = None, notion: Notion = "all-gain", clock: Clock | None = None
) -> bool:
    """Whether no deviation of a coalition of at most ``k`` players pays; see :func:`first_deviation`.

    ``all-gain`` and everybody: a strong equilibrium (Aumann 1959).

    >>> from consortium.games.normal_form import NormalFormGame
    >>> prisoners = NormalFormGame.from_arrays([[[3, 0], [5, 1]], [[3, 5], [0, 1]]], sense="payoff")
    >>> is_strong(prisoners, (1, 1), 1), is_strong(prisoners, (1, 1), 2)
    (True, False)
    """
    return first_deviation(game, profile, k, notion, clock) is None


def first_deviation(
    game: Game, profile: Sequence[Any], k: int | None = None, notion: Notion = "all-gain", clock: Clock | None = None
) -> Deviation | None:
    """The first joint deviation that pays a coalition of at most ``k`` players; ``None`` where none does.

    Parameters
    ----------
    game
        Any game.
    profile
        One strategy per player.
    k
        Most members of a coalition, at least 1; ``None`` for everybody, and so is more than there are players.
    notion
        When a deviation pays, see :mod:`.results`.
    clock
        Time limit.

    Raises
    ------
    InputError
        The profile is none, or ``k`` is less than 1.
    UnknownNameError
        There is no such notion.
    TooLargeError
        There are more joint deviations than can be tried, and no other check for such a game.
    TimeoutError
        The clock has run out.

    Notes
    -----
    A checker of :mod:`...registry` answers with a smallest coalition, which need not be the first one.
    """
    here = check_profile(game, profile)
    size = checked_size(game, k)
    if notion not in NOTIONS:
        raise unknown_name("notion", notion, NOTIONS)
    clock = Clock(None) if clock is None else clock
    if isinstance(game, NormalFormGame):
        return _in_table(game, here, size, notion, clock)
    tried = count_deviations(game, size)
    if tried > FEW and isinstance(game, HasTable) and table_bytes(game) <= MAX_TABLE:
        return _in_table(game.tabulate(clock=clock), here, size, notion, clock)
    check = ability(game, "smallest_deviation") if tried > FEW else None
    try:
        if check is not None:
            deviation: Deviation | None = check(game, here, size, notion, clock)
            return deviation
    except TooLargeError:
        if tried > MAX_TRIED:
            raise
    if tried > MAX_TRIED:
        raise TooLargeError(
            f"coalitions of up to {size} players: {magnitude(tried)} joint deviations from one profile; "
            f"the limit is {MAX_TRIED:,}; ask about smaller coalitions"
        )
    return _by_trial(game, here, size, notion, clock)


def checked_size(game: Game, k: int | None) -> int:
    """Most members that a coalition can have: ``k``, or everybody. Raises InputError for less than one."""
    if k is not None and k < 1:
        raise InputError(f"coalitions: found {k}; expected at least 1 player")
    n = len(game.players)
    return n if k is None else min(k, n)


def count_deviations(game: Game, k: int) -> int:
    """How many joint strategies the coalitions of at most ``k`` players have together.

    >>> count_deviations(NormalFormGame.from_arrays([[[0, 1, 2]], [[0, 0, 0]]], sense="cost"), 2)
    7
    """
    joint = [1] + [0] * k  # of the coalitions of each size among the players so far
    for player in range(len(game.players)):
        own = count_strategies(game, player)
        joint = [joint[0], *(here + own * smaller for smaller, here in itertools.pairwise(joint))]
    return sum(joint[1:])


def coalitions(n: int, k: int) -> Iterator[tuple[int, ...]]:
    """All coalitions of at most ``k`` of ``n`` players, smaller ones first, those of one size lexicographically."""
    return itertools.chain.from_iterable(itertools.combinations(range(n), size) for size in range(1, k + 1))


def _by_trial(game: Game, profile: Profile, k: int, notion: Notion, clock: Clock) -> Deviation | None:
    """Every deviation played."""
    costs = costs_of(game, profile)
    for members in coalitions(len(profile), k):
        before = tuple(costs[i] for i in members)
        for joint in itertools.product(*(game.strategies(i) for i in members)):
            clock.check()
            reached = costs_of(game, deviated(profile, members, joint))
            after = tuple(reached[i] for i in members)
            if pays(notion, before, after):
                return Deviation(members, joint, before, after)
    return None


def _in_table(game: NormalFormGame, profile: Profile, k: int, notion: Notion, clock: Clock) -> Deviation | None:
    """The deviations of one coalition at a time: what each costs a member is a slice of her array."""
    place, costs = game.index(profile), game.costs(profile)
    for members in coalitions(len(profile), k):
        clock.check()
        free = tuple(slice(None) if i in members else at for i, at in enumerate(place))
        gains = [_gains(game.table[i][place], game.table[i][free]) for i in members]
        paid = _paid(notion, gains, HUGE if game.narrow else INF)
        if paid.any():
            first = np.unravel_index(int(paid.argmax()), paid.shape)
            joint = tuple(game.labels[i][int(at)] for i, at in zip(members, first, strict=True))
            after = game.costs(deviated(profile, members, joint))
            return Deviation(members, joint, tuple(costs[i] for i in members), tuple(after[i] for i in members))
    return None


def _gains(before: Any, after: NDArray[Any]) -> NDArray[Any]:
    """What each cell saves; 0 where both are the same infinity."""
    gains: NDArray[Any] = np.zeros(after.shape, after.dtype)
    np.subtract(before, after, out=gains, where=after != before)
    return gains


def _paid(notion: Notion, gains: Sequence[NDArray[Any]], huge: Any) -> NDArray[np.bool_]:
    """Where members with these gains deviate; under ``total`` nothing makes up for an infinite loss."""
    some = np.logical_or.reduce([own > 0 for own in gains])
    if notion == "any-gains":
        return np.asarray(some)
    if notion == "total":
        lost = np.logical_or.reduce([own <= -huge for own in gains])
        won = np.logical_or.reduce([own >= huge for own in gains])
        finite = sum(np.where((own > -huge) & (own < huge), own, 0) for own in gains)
        return np.asarray(~lost & (won | (finite > 0)), dtype=np.bool_)
    fits = [own > 0 if notion == "all-gain" else own >= 0 for own in gains]
    return np.asarray(some & np.logical_and.reduce(fits))
