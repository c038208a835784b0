"""Correlated play, dynamics, Shapley values and incentives for ``peers.py``."""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from peers_tasks import Beside, Compared, Task, close, close_numbers, late, planted, quantecon_game, square
from scipy.optimize import linprog

from consortium.games.dynamics import best_response_dynamics
from consortium.games.equilibria.correlated import correlated_play
from consortium.games.equilibria.learning.play import play
from consortium.games.normal_form import NormalFormGame
from consortium.games.verification import Domain, check_incentives
from consortium.mechanisms.declaration import build
from consortium.mechanisms.sharing.orderings import shapley_values
from consortium.scheduling.clusters import Cluster

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
    return [
        np.bincount(own, minlength=size) / ROUNDS
        for own, size in zip(zip(*trail, strict=True), game.shape, strict=True)
    ]


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

GAMES = (*CORRELATED, *DYNAMICS, *SHAPLEY, *INCENTIVES)
