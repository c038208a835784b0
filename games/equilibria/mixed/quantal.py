r"""Quantal response equilibria of any finite game: everybody errs, dear errors less often; a statistic in floats.

In a logit equilibrium with ``lambda >= 0`` (per unit of cost) player ``k`` plays ``s`` with a probability proportional
to ``exp(-lambda c_k(s))``, ``c_k(s)`` being what ``s`` costs her on average against what the others do [MP95]_. With
``lambda = 0`` all strategies are as likely; the connected branch of equilibria that begins there is followed by
predictor and corrector along its arc, in logarithms of probabilities [Tur05]_, and read where it first reaches each
``lambda``. At large ``lambda`` there are other logit equilibria, which are not looked for.

>>> from consortium.games.normal_form import NormalFormGame
>>> game = NormalFormGame.from_arrays([[[9, 0], [0, 1]], [[0, 1], [1, 0]]], sense="payoff")
>>> (found,) = quantal_responses(game, [Fraction(1)])
>>> [[round(p, 4) for p in mix] for mix in found.strategies], found.error < 1e-9
([[0.8936, 0.1064], [0.3128, 0.6872]], True)

References
----------
.. [MP95] R. McKelvey, T. Palfrey, "Quantal response equilibria for normal form games", Games and Economic Behavior 10,
   1995.
.. [Tur05] T. L. Turocy, "A dynamic homotopy interpretation of the logistic quantal response equilibrium
   correspondence", Games and Economic Behavior 51, 2005.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ....support.errors import InputError
from ....support.progress import Clock, Progress
from ...normal_form import NormalFormGame
from ...protocol import Game
from .profiles import CostTables, against

Vector: TypeAlias = NDArray[np.float64]
NEWTON: Final = 12
"""Steps of a corrector before a shorter step of the predictor is tried."""
CLOSE: Final = 1e-12
"""Residual of the equations, relative to their size, that counts as 0."""
ABSURD: Final = 20.0
"""Logarithm of a probability, at most 0 on the branch, from which Newton's method will not come back."""
SHARPEST: Final = 1e12
LONGEST: Final = 20_000
"""Steps along the branch."""


@dataclass(frozen=True)
class QuantalResponse:
    """A logit equilibrium; all but ``precision`` are floats.

    Attributes
    ----------
    precision
        The ``lambda``, per unit of cost.
    strategies
        One tuple of probabilities per player.
    costs, regrets
        Expected costs, and what each player could save with her best strategy.
    error
        Largest difference between a probability and the logit response to what the others do.
    """

    precision: Fraction
    strategies: tuple[tuple[float, ...], ...]
    costs: tuple[float, ...]
    regrets: tuple[float, ...]
    error: float


def quantal_responses(
    game: Game,
    precisions: Sequence[Fraction],
    *,
    progress: Progress | None = None,
    clock: Clock | None = None,
) -> tuple[QuantalResponse, ...]:
    """The logit equilibria on the principal branch, one for each ``lambda >= 0``, ascending.

    Fewer where the clock ran out, Ctrl-C came, or the branch could not be followed so far, at the latest where lambda
    times the span of the costs is 1e12: floats cannot tell costs apart there. Raises InputError where a cost is
    infinite.
    """
    branch = _Branch(CostTables.of(NormalFormGame.from_game(game)))
    responses: list[QuantalResponse] = []
    with suppress(KeyboardInterrupt):
        branch.follow(sorted(set(precisions)), responses, clock or Clock(None), progress)
    return tuple(responses)


def _check_floats(tables: CostTables) -> None:
    """Raise InputError where a cost is too large for a float."""
    for name, own in zip(tables.players, tables.costs, strict=True):
        if abs(own).max() > Fraction(sys.float_info.max) / 4 * tables.denominator:
            raise InputError(f"quantal responses: player {name!r} has a cost beyond 1e307, too large for statistics")


class _Branch:
    """The equations ``log p_s - log p_0 = -lambda (c_s - c_0)`` and ``sum p = 1``, costs from 0 to 1.

    A point of the branch is the logarithms of all probabilities, player after player, and lambda times the span.
    """

    def __init__(self, tables: CostTables) -> None:
        _check_floats(tables)
        self.tables = tables
        spans = [int(own.max() - own.min()) for own in tables.costs]
        self.span = max(1, *spans)
        self.costs = [((own - own.min()) / Fraction(self.span)).astype(float) for own in tables.costs]
        ends = np.cumsum([0, *tables.shape]).tolist()
        self.parts = [slice(low, high) for low, high in pairwise(ends)]
        self.size = ends[-1]

    def sharpness(self, precision: Fraction) -> float:
        """Lambda for costs from 0 to 1."""
        exact = precision * self.span / self.tables.denominator
        return float(exact) if exact < SHARPEST else SHARPEST

    def values(self, player: int, mixes: Sequence[Vector]) -> Vector:
        """What each strategy of a player costs."""
        return against(self.costs[player], [player], mixes)

    def mixes(self, point: Vector) -> list[Vector]:
        return [np.exp(point[part]) for part in self.parts]

    def equations(self, point: Vector) -> tuple[Vector, NDArray[np.float64]]:
        """Left-hand sides, and their derivatives."""
        mixes, sharp = self.mixes(point), point[-1]
        sides, slopes = np.zeros(self.size), np.zeros((self.size, self.size + 1))
        for k, part in enumerate(self.parts):
            values, first = self.values(k, mixes), part.start
            sides[part] = point[part] - point[first] + sharp * (values - values[0])
            sides[first] = mixes[k].sum() - 1
            slopes[part, part] = np.eye(len(values))
            slopes[part, first] -= 1
            for j, other in enumerate(self.parts):
                if j != k:
                    change = self._pairwise(k, j, mixes) * mixes[j]
                    slopes[part, other] = sharp * (change - change[0])
            slopes[part, -1] = values - values[0]
            slopes[first] = 0
            slopes[first, part] = mixes[k]
        return sides, slopes

    def _pairwise(self, player: int, other: int, mixes: Sequence[Vector]) -> NDArray[np.float64]:
        """Costs of a player by her strategy and another one's, the rest of the players weighted."""
        values = against(self.costs[player], (player, other), mixes)
        return values if player < other else values.T

    def corrected(self, guess: Vector, along: Vector) -> Vector | None:
        """The point of the branch in the plane through a guess across a direction; ``None`` where Newton fails."""
        point = guess.copy()
        for _ in range(NEWTON):
            if point[:-1].max() > ABSURD:
                return None
            sides, slopes = self.equations(point)
            try:
                change = np.linalg.solve(np.vstack([slopes, along]), -np.append(sides, along @ (point - guess)))
            except np.linalg.LinAlgError:
                return None
            point = point + change
            if np.abs(change).max() <= CLOSE * (1 + np.abs(point).max()):
                return point
        return None

    def follow(
        self, precisions: Sequence[Fraction], responses: list[QuantalResponse], clock: Clock, progress: Progress | None
    ) -> None:
        """Append an equilibrium for each precision, ascending, as far as the branch can be followed."""
        level = np.append(np.zeros(self.size), 1.0)  # across it lambda is held
        even = [np.full(size, -np.log(size)) for size in self.tables.shape]  # everything as likely, at lambda 0
        point, direction, step = np.concatenate([*even, [0.0]]), level, 0.1
        waiting = list(precisions)
        for _ in range(LONGEST):
            while waiting and self.sharpness(waiting[0]) <= min(point[-1], SHARPEST / 2):
                responses.append(self.response(waiting.pop(0), point))
            if not waiting or point[-1] >= SHARPEST or clock.expired():
                return
            if progress is not None:
                progress(len(responses), len(precisions), "quantal responses")
            tangent = self._tangent(point, direction)
            target = self.sharpness(waiting[0])
            reach = (target - point[-1]) / tangent[-1] if tangent[-1] > 0 else np.inf
            last = bool(reach <= step)
            guess = point + min(reach, step) * tangent
            new = self.corrected(guess, level if last else tangent)
            far = max(0.2, 0.2 * np.abs(guess - point).max())
            if new is None or np.abs(new - guess).max() > far or (not last and new[-1] > target):
                step = min(step, reach) / 2
            else:
                point, direction, step = new, tangent, step * 1.5
                point[-1] = target if last else point[-1]
            if step < 1e-12 * (1 + np.abs(point).max()):
                return

    def _tangent(self, point: Vector, before: Vector) -> Vector:
        """Unit direction of the branch, onwards."""
        slopes = self.equations(point)[1]
        direction: Vector = np.linalg.svd(slopes)[2][-1]
        return direction if direction @ before >= 0 else -direction

    def response(self, precision: Fraction, point: Vector) -> QuantalResponse:
        """A point of the branch, as an answer."""
        mixes = self.mixes(point)
        unit = float(Fraction(self.span) / self.tables.denominator)
        costs, regrets, errors = [], [], []
        for k, mix in enumerate(mixes):
            values = self.values(k, mixes)
            weights = np.exp(-self.sharpness(precision) * (values - values.min()))
            low = float(Fraction(int(self.tables.costs[k].min())) / self.tables.denominator)
            costs.append(low + unit * float(values @ mix))
            regrets.append(unit * float((values - values.min()) @ mix))  # never below 0, however it is rounded
            errors.append(float(np.abs(mix - weights / weights.sum()).max()))
        strategies = tuple(tuple(float(p) for p in mix) for mix in mixes)
        return QuantalResponse(precision, strategies, tuple(costs), tuple(regrets), max(errors))
