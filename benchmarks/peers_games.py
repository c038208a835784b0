"""Games for ``peers.py``: pure, mixed and correlated equilibria, dynamics, Shapley values, files.

Random payoffs are whole numbers below 1000. Every program maximises the same payoffs, exact where it can hold them.
"""

from __future__ import annotations

import importlib
import itertools
import signal
from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import linprog

import consortium
from consortium.games.dynamics import best_response_dynamics
from consortium.games.enumeration import pure_equilibria
from consortium.games.equilibria.correlated import correlated_play
from consortium.games.equilibria.learning.play import play
from consortium.games.equilibria.mixed import mixed_equilibria
from consortium.games.interchange import from_pygambit, quantecon_arrays, read_nfg, to_nashpy, write_nfg
from consortium.games.normal_form import NormalFormGame
from consortium.games.verification import Domain, check_incentives
from consortium.mechanisms.declaration import build
from consortium.mechanisms.sharing.orderings import shapley_values
from consortium.scheduling.clusters import Cluster

NEAR = 1e-6
"""Floats that differ by less are the same, relative to 1."""
PATIENCE = 2.0
"""Seconds for one game, where a peer may go round in circles."""


class Compared(NamedTuple):
    """Whether two answers are the same, and what there is to say of them."""

    same: bool
    says: str


class Beside(NamedTuple):
    """What a peer is asked.

    ``call`` is its function and ``numbers`` what that computes in. ``make`` brings our instance into its form, ``ask``
    is what is timed, and ``read`` brings the answer into the form of ours.
    """

    peer: str
    call: str
    numbers: str
    make: Callable[[Any], Any]
    ask: Callable[[Any], Any]
    read: Callable[[Any], Any] = lambda answer: answer


class Task(NamedTuple):
    """Work for us and for peers: ``make`` an instance, ``ask`` us, ``compare`` our answer with one of theirs."""

    theme: str
    work: str
    make: Callable[[], Any]
    ask: Callable[[Any], Any]
    compare: Callable[[Any, Any], Compared]
    beside: tuple[Beside, ...]


def late(module: str) -> Any:
    """A peer's module, imported where it is used: most of them are not installed everywhere."""
    return importlib.import_module(module)


# --- pure equilibria -------------------------------------------------------------------------------------------------

SIZES = {"3x8": (8,) * 3, "4x16": (16,) * 4, "6x8": (8,) * 6, "5x16": (16,) * 5}


def planted(name: str) -> NormalFormGame:
    """Random payoffs with one planted equilibrium, so that every search finds something."""
    shape = SIZES[name]
    rng = np.random.default_rng(len(shape))
    arrays = [rng.integers(0, 1000, shape) for _ in shape]
    for array in arrays:
        array[(0,) * len(shape)] = 1000
    return NormalFormGame.from_arrays(arrays, sense="payoff")


def gambit_game(game: NormalFormGame) -> Any:
    """Read from a file: quicker than from arrays."""
    write_nfg(game, "one.nfg")
    return late("pygambit").read_nfg("one.nfg")


def quantecon_game(game: NormalFormGame) -> Any:
    theory = late("quantecon.game_theory")
    return theory.NormalFormGame([theory.Player(own.astype(float)) for own in quantecon_arrays(game)])


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
        "all pure equilibria of every game",
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
        "all extreme mixed equilibria, two players",
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

Mixes = Sequence[Sequence[Any]]


def square(size: int, number: int = 5) -> list[NormalFormGame]:
    rng = np.random.default_rng(size)
    return [
        NormalFormGame.from_arrays([rng.integers(0, 1000, (size, size)) for _ in "ab"], sense="payoff")
        for _ in range(number)
    ]


def segment() -> list[NormalFormGame]:
    """A pure strategy against which the other may mix as she likes: equilibria fill a segment."""
    return [NormalFormGame.from_arrays([[[3, 3], [2, 5], [0, 6]], [[3, 3], [2, 6], [3, 1]]], sense="payoff")]


def stengel() -> list[NormalFormGame]:
    """Von Stengel's 6x6 game with 75 equilibria, from Gambit's catalogue."""
    return [from_pygambit(late("pygambit").catalog.load("journals/dcg/vonstengel1999/6x6_game_with_75_eq"))]


def listed(games: Sequence[NormalFormGame]) -> list[list[Mixes]]:
    """Our equilibria; all of them, or an error."""
    answers = [mixed_equilibria(game) for game in games]
    assert all(answer.complete for answer in answers)
    return [[equilibrium.strategies for equilibrium in answer.equilibria] for answer in answers]


def apart(one: Mixes, other: Mixes) -> float:
    return max(abs(float(a) - float(b)) for own, its in zip(one, other, strict=True) for a, b in zip(own, its))


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
        "five games 10x10, all equilibria",
        lambda: square(10),
        listed,
        all_of_them,
        enumerations("QuantEcon support_enumeration", *WITHOUT_SUPPORTS),
    ),
    Task("mixed", "one game 6x6 with 75 equilibria", stengel, listed, all_of_them, enumerations()),
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


def close(ours: Mixes, theirs: Mixes) -> Compared:
    error = apart(ours, theirs)
    return Compared(error < NEAR, f"to {error:.0e}")


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


# --- correlated play -------------------------------------------------------------------------------------------------

SHAPES = {"3x8": (8,) * 3, "4x8": (8,) * 4, "3x24": (24,) * 3}


def costly(name: str) -> NormalFormGame:
    """Random costs below 100."""
    rng = np.random.default_rng(len(SHAPES[name]))
    return NormalFormGame.from_arrays([rng.integers(0, 100, SHAPES[name]) for _ in SHAPES[name]], sense="cost")


def whole_program(game: NormalFormGame) -> tuple[Any, Any]:
    """Gains of coarse correlated play, one row per player and strategy, and social costs."""
    gains = [
        (own - np.take(own, [a], axis=player)).reshape(-1)
        for player, own in enumerate(game.table)
        for a in range(game.shape[player])
    ]
    return np.array(gains), game.social.reshape(-1)


def in_floats(program: tuple[Any, Any]) -> list[float]:
    gains, social = program
    sure = {"A_eq": np.ones((1, social.size)), "b_eq": [1.0], "method": "highs"}
    return [sign * float(linprog(sign * social, A_ub=gains, b_ub=np.zeros(len(gains)), **sure).fun) for sign in (1, -1)]


def extremes(game: NormalFormGame) -> list[Fraction]:
    found = correlated_play(game, "coarse")
    assert found.proved
    return [found.best.social_cost, found.worst.social_cost]


def close_numbers(ours: Sequence[Any], theirs: Sequence[Any]) -> Compared:
    error = max(abs(float(a) - float(b)) / max(1.0, abs(float(a))) for a, b in zip(ours, theirs, strict=True))
    return Compared(error < NEAR, f"to {error:.0e}" if error else "yes")


CORRELATED = tuple(
    Task(
        "correlated",
        f"{name}, cheapest and dearest coarse play",
        lambda name=name: costly(name),
        extremes,
        close_numbers,
        (Beside("SciPy", "linprog (HiGHS)", "floats", whole_program, in_floats),),
    )
    for name in SHAPES
)


# --- dynamics --------------------------------------------------------------------------------------------------------

ROUNDS = 1000


def settle(game: NormalFormGame) -> tuple[bool, int]:
    """Whether best responses from everybody's first strategy converge, and after how many moves."""
    found = best_response_dynamics(game)
    return found.converged, found.steps


def settle_with(game: Any) -> tuple[bool, int]:
    """The loop that a user of QuantEcon writes around its best responses."""
    here, seen, steps = [0] * game.N, set(), 0
    while tuple(here) not in seen:
        seen.add(tuple(here))
        moved = False
        for k, player in enumerate(game.players):
            others = tuple(here[k + 1 :] + here[:k])
            values = player.payoff_vector(others)
            answer = player.best_response(others)
            if values[answer] > values[here[k]]:
                here[k], moved, steps = int(answer), True, steps + 1
        if not moved:
            return True, steps
    return False, steps


def same(ours: Any, theirs: Any) -> Compared:
    return Compared(ours == theirs, "yes" if ours == theirs else f"{theirs} and ours {ours}")


def frequencies(game: NormalFormGame) -> list[list[float]]:
    """How often everybody played what in fictitious play."""
    trail = play(game, "fictitious-play", (0, 0), ROUNDS).trail
    return [np.bincount(own, minlength=size) / ROUNDS for own, size in zip(zip(*trail), game.shape, strict=True)]


DYNAMICS = (
    Task(
        "dynamics",
        "best responses in turn, 6x8",
        lambda: planted("6x8"),
        settle,
        same,
        (Beside("QuantEcon", "best_response", "floats", quantecon_game, settle_with),),
    ),
    Task(
        "dynamics",
        f"fictitious play, 10x10, {ROUNDS:,} rounds",
        lambda: square(10, 1)[0],
        frequencies,
        close,
        (
            Beside(
                "QuantEcon",
                "FictitiousPlay",
                "floats",
                lambda game: late("quantecon.game_theory").FictitiousPlay(quantecon_game(game)),
                lambda model: model.play(actions=(0, 0), num_reps=ROUNDS - 1),
            ),
        ),
    ),
)


# --- incentives ------------------------------------------------------------------------------------------------------


class Rule(NamedTuple):
    """A rule for three agents on machines of speeds 1 and 2, and what lengths there may be."""

    mechanism: Any
    lengths: tuple[int, ...]


def most_gained(rule: Rule) -> list[Fraction]:
    """What a lie gains at most, where the others tell the truth."""
    domain = Domain.of(rule.lengths, agents=3)
    return [Fraction(check_incentives(rule.mechanism, domain, "ex-post").max_gain)]


def with_mechaudit(audited: tuple[Any, Any]) -> list[float]:
    audit = late("mechaudit")
    environment, mechanism = audited
    return [
        audit.audit_mechanism(environment=environment, mechanism=mechanism, requirements=(audit.ExPostIC(),)).epsilon_ic
    ]


def direct(rule: Rule) -> tuple[Any, Any]:
    """A table for MechAudit: an outcome for every profile of declarations, and what it is worth, payments included."""
    audit, names = late("mechaudit"), ("a", "b", "c")
    profiles = list(itertools.product(rule.lengths, repeat=3))
    outcome = {declared: " ".join(map(str, declared)) for declared in profiles}
    worth = {
        (true, outcome[declared]): list(map(float, rule.mechanism.run(declared, true).utilities))
        for true in profiles
        for declared in profiles
    }
    environment = audit.FiniteEnvironment(
        agents={name: list(rule.lengths) for name in names},
        outcomes=list(outcome.values()),
        prior=dict.fromkeys(profiles, 1 / len(profiles)),
        values=audit.InterdependentValues(
            lambda name, true, result: worth[tuple(true.values()), result][names.index(name)]
        ),
    )
    mechanism = audit.DirectMechanism.from_arrays(np.eye(len(profiles)), np.zeros((len(profiles), 3)))
    return environment, mechanism.bind(environment)


INCENTIVES = tuple(
    Task(
        "incentives",
        f"`{rule}`, {len(lengths)} lengths",
        lambda rule=rule, lengths=lengths: Rule(build(rule, Cluster.of([1, 2])), lengths),
        most_gained,
        close_numbers,
        (Beside("MechAudit", "ExPostIC", "floats", direct, with_mechaudit),),
    )
    for rule, lengths in (("light-vcg", (2, 3, 4)), ("light-vcg", (1, 2, 3, 4, 6)), ("evcg-postpone", (1, 2, 3, 4, 6)))
)


# --- Shapley values --------------------------------------------------------------------------------------------------


def tabulated(k: int) -> list[int]:
    """A random game of ``k`` players, value 0 for nobody; coalitions are bit masks."""
    values = np.random.default_rng(k).integers(0, 1000, 2**k)
    values[0] = 0
    return list(map(int, values))


def of_coopgt(values: list[int]) -> dict[tuple[int, ...], int]:
    k = (len(values) - 1).bit_length()
    return {tuple(u + 1 for u in range(k) if mask >> u & 1): value for mask, value in enumerate(values)}


def of_shapiq(values: list[int]) -> tuple[Any, int]:
    k = (len(values) - 1).bit_length()
    table, bits = np.array(values, dtype=float), 2 ** np.arange(k)
    return (lambda members: table[np.asarray(members, dtype=int) @ bits]), k


def with_shapiq(game: tuple[Any, int]) -> list[float]:
    values, k = game
    found = late("shapiq").ExactComputer(values, n_players=k)("SV", 1)
    return [found[(u,)] for u in range(k)]


def of_openspiel(values: list[int]) -> Any:
    k = (len(values) - 1).bit_length()
    bits = 2 ** np.arange(k)
    base = late("open_spiel.python.coalitional_games.coalitional_game").CoalitionalGame

    class Tabulated(base):  # type: ignore[misc, valid-type]
        def coalition_value(self, coalition: Any) -> float:
            return float(values[int(coalition @ bits)])

    return Tabulated(num_players=k)


def with_openspiel(game: Any) -> Any:
    return late("open_spiel.python.coalitional_games.shapley_values").compute_shapley_values(game)


SHAPLEY_PEERS = (
    Beside("shapiq", "ExactComputer", "floats", of_shapiq, with_shapiq),
    Beside("coopgt", "shapley_value", "floats", of_coopgt, lambda g: late("coopgt.shapley_value").calculate(g)),
    Beside("OpenSpiel", "compute_shapley_values", "floats", of_openspiel, with_openspiel),
)
SHAPLEY = tuple(
    Task("shapley", f"{k} players", lambda k=k: tabulated(k), shapley_values, close_numbers, SHAPLEY_PEERS[:peers])
    for k, peers in ((8, 3), (10, 1), (15, 1))
)

GAMES = (*PURE, *FILES, *CATALOGUE, *MIXED, *QUANTAL, *CORRELATED, *DYNAMICS, *SHAPLEY, *INCENTIVES)
