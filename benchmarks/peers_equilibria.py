"""Pure and mixed equilibria for ``peers.py``.

Random payoffs are whole numbers below 1000. Every program maximises the same payoffs, exact where it can hold them.
"""

from __future__ import annotations

import signal
from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from peers_tasks import (
    NEAR,
    SIZES,
    Beside,
    Compared,
    Mixes,
    Task,
    apart,
    close,
    gambit_game,
    late,
    planted,
    quantecon_game,
    square,
)

import consortium
from consortium.games.enumeration import pure_equilibria
from consortium.games.equilibria.mixed import mixed_equilibria
from consortium.games.interchange import from_pygambit, read_nfg, to_nashpy, write_nfg
from consortium.games.normal_form import NormalFormGame

PATIENCE = 2.0
"""Seconds for one game, where a peer may go round in circles."""

# --- pure equilibria -------------------------------------------------------------------------------------------------


def cells(game: NormalFormGame) -> list[tuple[int, ...]]:
    """Our pure equilibria as positions of strategies."""
    return [tuple(map(int, np.unravel_index(flat, game.shape))) for flat in pure_equilibria(game)]


def cells_of_gambit(answer: Any) -> list[tuple[int, ...]]:
    profiles = [[list(e[player]) for player in e.game.players] for e in answer.equilibria]
    return [tuple(next(i for i, (_, p) in enumerate(own) if p == 1) for own in profile) for profile in profiles]


def by_numpy(table: Any) -> Any:
    """One minimum per player."""
    stable = np.ones(table.shape[1:], bool)
    for k, own in enumerate(table):
        stable &= own == own.min(axis=k, keepdims=True)
    return np.argwhere(stable)


def same_cells(ours: Any, theirs: Any) -> Compared:
    one, other = set(ours), {tuple(map(int, profile)) for profile in theirs}
    return Compared(one == other, f"{len(one & other)} of {len(one)}")


PURE = tuple(
    Task(
        "pure",
        f"{name} ({np.prod(shape):,} profiles)",
        lambda name=name: planted(name),
        cells,
        same_cells,
        (
            Beside("numpy", "min(axis)", "integers", lambda game: game.table, by_numpy),
            Beside(
                "Gambit",
                "enumpure_solve",
                "rationals",
                gambit_game,
                lambda game: late("pygambit").nash.enumpure_solve(game),
                cells_of_gambit,
            ),
            Beside(
                "QuantEcon",
                "pure_nash_brute",
                "floats",
                quantecon_game,
                lambda game: late("quantecon.game_theory").pure_nash_brute(game),
            ),
        )[: 2 if name == "5x16" else 3],
    )
    for name, shape in SIZES.items()
)


def nfg_file(name: str) -> Path:
    write_nfg(planted(name), Path(f"{name}.nfg"))
    return Path(f"{name}.nfg")


def cells_of_file(path: Path) -> list[tuple[int, ...]]:
    return cells(read_nfg(path))


FILES = tuple(
    Task(
        "pure",
        f"the same {name}, read from a `.nfg`",
        lambda name=name: nfg_file(name),
        cells_of_file,
        same_cells,
        (
            Beside(
                "Gambit",
                "read_nfg, enumpure_solve",
                "rationals",
                lambda path: path,
                lambda path: late("pygambit").nash.enumpure_solve(late("pygambit").read_nfg(str(path))),
                cells_of_gambit,
            ),
        ),
    )
    for name in ("3x8", "4x16")
)


# --- Gambit's own games ----------------------------------------------------------------------------------------------


def catalogue(two: bool) -> list[tuple[Any, NormalFormGame]]:
    """The games that Gambit ships: theirs and ours. ``two``: those where two players have a choice."""
    shipped = late("pygambit").catalog
    games = [shipped.load(slug) for slug in shipped.games()["Game"]]
    both = [(game, from_pygambit(game)) for game in games if game.is_perfect_recall]
    return [pair for pair in both if not two or (len(pair[1].players) == 2 and sum(pair[1].shape) <= 12)]


def counted(name: str) -> Callable[[Any, Any], Compared]:
    """Compare numbers of equilibria, game by game."""

    def compare(ours: Sequence[int], theirs: Sequence[int]) -> Compared:
        same = sum(one == other for one, other in zip(ours, theirs, strict=True))
        return Compared(same == len(ours), f"{same} of {len(ours)} games; {sum(ours)} and {sum(theirs)} {name}")

    return compare


CATALOGUE = (
    Task(
        "catalogue",
        "all pure equilibria, every game of perfect recall",
        lambda: catalogue(two=False),
        lambda games: [len(pure_equilibria(own)) for _, own in games],
        counted("equilibria"),
        (
            Beside(
                "Gambit",
                "enumpure_solve",
                "rationals",
                lambda games: [game for game, _ in games],
                lambda games: [len(late("pygambit").nash.enumpure_solve(game).equilibria) for game in games],
            ),
        ),
    ),
    Task(
        "catalogue",
        "all extreme mixed equilibria, two players with at most 12 strategies",
        lambda: catalogue(two=True),
        lambda games: [len(mixed_equilibria(own).equilibria) for _, own in games],
        counted("equilibria"),
        (
            Beside(
                "Gambit",
                "enummixed_solve",
                "rationals",
                lambda games: [gambit_game(own) for _, own in games],
                lambda games: [len(late("pygambit").nash.enummixed_solve(game).equilibria) for game in games],
            ),
        ),
    ),
)


# --- mixed equilibria of two players ---------------------------------------------------------------------------------


def segment() -> list[NormalFormGame]:
    """A pure strategy against which the other may mix as she likes: equilibria fill a segment."""
    return [NormalFormGame.from_arrays([[[3, 3], [2, 5], [0, 6]], [[3, 3], [2, 6], [3, 1]]], sense="payoff")]


def shipped(slug: str) -> list[NormalFormGame]:
    """A game of Gambit's catalogue."""
    return [from_pygambit(late("pygambit").catalog.load(f"journals/{slug}"))]


def listed(games: Sequence[NormalFormGame]) -> list[list[Mixes]]:
    """Our equilibria; all of them, or an error."""
    answers = [mixed_equilibria(game) for game in games]
    assert all(answer.complete for answer in answers)
    return [[equilibrium.strategies for equilibrium in answer.equilibria] for answer in answers]


def all_of_them(ours: list[list[Mixes]], theirs: list[list[Mixes]]) -> Compared:
    """How many of ours they have, and what they have besides."""
    matched = sum(
        any(apart(one, other) < NEAR for other in others)
        for own, others in zip(ours, theirs, strict=True)
        for one in own
    )
    more = sum(
        all(apart(one, other) >= NEAR for one in own)
        for own, others in zip(ours, theirs, strict=True)
        for other in others
    )
    total = sum(map(len, ours))
    return Compared(matched == total and not more, f"{matched} of {total}" + (f", {more} others" if more else ""))


def one_each(ours: list[list[Mixes]], theirs: list[list[Mixes]]) -> Compared:
    """In how many games the first answer is an equilibrium: one of ours, which are all."""
    right = sum(
        bool(others) and any(apart(one, others[0]) < NEAR for one in own)
        for own, others in zip(ours, theirs, strict=True)
    )
    stopped = sum(not others for others in theirs)
    says = f"one of ours in {right} of {len(ours)} games"
    return Compared(right == len(ours), says + (f"; {stopped} stopped after {PATIENCE:g} s" if stopped else ""))


def mixes_of_gambit(answers: Sequence[Any]) -> list[list[Mixes]]:
    return [
        [
            [[Fraction(str(p)) if not isinstance(p, float) else p for _, p in e[player]] for player in e.game.players]
            for e in answer.equilibria
        ]
        for answer in answers
    ]


def of_gambit(name: str, **options: Any) -> Callable[[Any], Any]:
    return lambda games: [getattr(late("pygambit").nash, name)(game, **options) for game in games]


def of_quantecon(name: str) -> Callable[[Any], Any]:
    return lambda games: [getattr(late("quantecon.game_theory"), name)(game) for game in games]


def smaller(game: NormalFormGame) -> Any:
    """For nashpy, with payoffs from 0 to 1."""
    return late("nashpy").Game(*(own / 1000 for own in to_nashpy(game).payoff_matrices))


def patient(ask: Callable[[], Any]) -> list[Any]:
    """One answer, or none after :data:`PATIENCE` processor seconds."""

    def stop(*_: object) -> None:
        raise TimeoutError

    signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, PATIENCE)
    try:
        return [ask()]
    except TimeoutError:
        return []
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def many(make: Callable[[NormalFormGame], Any]) -> Callable[[Sequence[NormalFormGame]], list[Any]]:
    return lambda games: [make(game) for game in games]


def enumerations(*names: str) -> tuple[Beside, ...]:
    """Programs that list equilibria, those of these names."""
    nashpy, quantecon, gambit = many(to_nashpy), many(quantecon_game), many(gambit_game)
    every = (
        Beside("nashpy", "vertex_enumeration", "floats", nashpy, lambda gs: [list(g.vertex_enumeration()) for g in gs]),
        Beside(
            "nashpy", "support_enumeration", "floats", nashpy, lambda gs: [list(g.support_enumeration()) for g in gs]
        ),
        Beside(
            "nashpy",
            "support_enumeration of payoffs / 1000",
            "floats",
            many(smaller),
            lambda games: [list(game.support_enumeration()) for game in games],
        ),
        Beside("QuantEcon", "vertex_enumeration", "floats", quantecon, of_quantecon("vertex_enumeration")),
        Beside("QuantEcon", "support_enumeration", "floats", quantecon, of_quantecon("support_enumeration")),
        Beside("Gambit", "enummixed_solve", "rationals", gambit, of_gambit("enummixed_solve"), mixes_of_gambit),
        Beside(
            "Gambit",
            "enummixed_solve(rational=False)",
            "floats",
            gambit,
            of_gambit("enummixed_solve", rational=False),
            mixes_of_gambit,
        ),
        Beside("Gambit", "lcp_solve", "rationals", gambit, of_gambit("lcp_solve"), mixes_of_gambit),
    )
    return tuple(one for one in every if not names or f"{one.peer} {one.call}" in names)


WITHOUT_SUPPORTS = ("QuantEcon vertex_enumeration", "Gambit enummixed_solve", "Gambit lcp_solve")
MIXED = (
    Task("mixed", "five games 5x5, all equilibria", lambda: square(5), listed, all_of_them, enumerations()),
    Task(
        "mixed",
        "two games 10x10, all equilibria",
        lambda: square(10, 2),
        listed,
        all_of_them,
        enumerations("QuantEcon support_enumeration", *WITHOUT_SUPPORTS),
    ),
    Task(
        "mixed",
        "one game 6x6 with 75 equilibria",
        lambda: shipped("dcg/vonstengel1999/6x6_game_with_75_eq"),
        listed,
        all_of_them,
        enumerations(),
    ),
    Task(
        "mixed",
        "figure 3 of Shapley 1974, 3x3",
        lambda: shipped("other/shapley1974/fig3"),
        listed,
        all_of_them,
        enumerations(*WITHOUT_SUPPORTS),
    ),
    Task("mixed", "a game whose equilibria fill a segment", segment, listed, all_of_them, enumerations()),
    Task(
        "mixed",
        "five games 10x10, one equilibrium each",
        lambda: square(10),
        listed,
        one_each,
        (
            Beside(
                "nashpy",
                "lemke_howson",
                "floats",
                many(to_nashpy),
                lambda games: [patient(lambda game=game: game.lemke_howson(initial_dropped_label=0)) for game in games],
            ),
            Beside(
                "QuantEcon",
                "lemke_howson",
                "floats",
                many(quantecon_game),
                of_quantecon("lemke_howson"),
                lambda answers: [[answer] for answer in answers],
            ),
            Beside(
                "Gambit",
                "lcp_solve(stop_after=1)",
                "rationals",
                many(gambit_game),
                of_gambit("lcp_solve", stop_after=1),
                mixes_of_gambit,
            ),
        ),
    ),
)


# --- quantal responses -----------------------------------------------------------------------------------------------

LAMBDA = Fraction(1, 100)


def quantal_of_gambit(game: Any) -> Any:
    return late("pygambit").qre.logit_solve_lambda(game, [float(LAMBDA)])[0].profile


def probabilities(profile: Any) -> list[list[float]]:
    return [[float(p) for _, p in profile[player]] for player in profile.game.players]


def quantal(game: NormalFormGame) -> list[list[float]]:
    response = consortium.search(game, quantal=[LAMBDA], method="enumeration").quantal.responses[0]
    return [[float(p.value) for p in own] for own in response.probabilities.values()]


QUANTAL = (
    Task(
        "mixed",
        "logit quantal response, 5x5, lambda 1/100",
        lambda: square(5, 1)[0],
        quantal,
        close,
        (Beside("Gambit", "logit_solve_lambda", "floats", gambit_game, quantal_of_gambit, probabilities),),
    ),
)

EQUILIBRIA = (*PURE, *FILES, *CATALOGUE, *MIXED, *QUANTAL)
