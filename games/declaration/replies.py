r"""Best replies among all positive numbers, and the dynamics of them: exact, with a certificate of where they end.

Model. Everybody else's declarations are fixed, and the agent may declare any number of an interval, by default any
positive one. Her utility is piecewise linear; symbolic execution (:mod:`.pieces`) gives every piece, down to 0 and up
to infinity, so its supremum is known, and where it is attained. It need not be: light VCG pays the more for a lie the
nearer it is to 0. Then there is no best reply.

Ties and what is declared:

- she who has the supremum already stays;
- else she declares the first number that attains it; where an open stretch of them comes first, its middle (twice its
  beginning, or 1, where it has no end);
- where none attains it, she goes half-way into the first stretch along which her utility approaches it, and half of
  what is left towards that end (or twice as far, where it has none) until she gains.

*Dynamics* (``best-response-over-reals``): agents move in the listed order, round after round; who has a best reply
already stays. At the start of a round everybody's supremum is computed against the others as they are then. The
dynamics end

- in an equilibrium: everybody's utility is her supremum, so that nobody gains by any number;
- in a cycle: a profile that a round began with comes back;
- without best replies, after a round: everybody has a best reply already or has none at all, because her supremum is
  not attained;
- at the limit of rounds or time, or on Ctrl-C.

>>> from consortium.mechanisms.declaration import build
>>> from consortium.scheduling.clusters import Cluster
>>> lengths = (Fraction(2), Fraction(1))
>>> light = best_reply(build("light-vcg", Cluster.of([1])), lengths, lengths, 0)
>>> light.utility, light.supremum, light.attained, light.declares
(Fraction(-4, 1), Fraction(-3, 1), False, Fraction(1, 2))
>>> best_reply(build("vcg-postpone", Cluster.of([1])), lengths, lengths, 0).is_best
True
>>> run = real_dynamics(build("light-vcg", Cluster.of([1])), lengths, lengths)
>>> run.ended, run.final, [reply.attained for reply in run.replies]
('no-best-reply', (Fraction(1, 2), Fraction(1, 4)), [False, False])
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, Literal, TypeAlias

from ...mechanisms.declaration.protocol import DeclarationMechanism
from ...mechanisms.declaration.two_rounds import one_round_of
from ...support.errors import InputError
from ...support.exact import INF, Extended
from ...support.progress import Clock, Progress, limited
from .pieces import Piece, UtilityProgram, execute


@dataclass(frozen=True)
class Interval:
    """What may be declared: numbers from ``low`` (included unless it is 0) to ``high`` (included where finite)."""

    low: Fraction = Fraction(0)
    high: Extended = INF

    def __contains__(self, x: Fraction) -> bool:
        return x > 0 and self.low <= x <= self.high

    def __str__(self) -> str:
        lowest = f"numbers from {self.low}" if self.low else "positive numbers"
        return lowest if self.high == INF else f"{lowest} to {self.high}"

    def within_cutoff(self, mechanism: DeclarationMechanism) -> Interval:
        """The part that a mechanism takes: nothing beyond an absolute cut-off."""
        one = one_round_of(mechanism)
        if one is not None and one.cutoff is not None and one.cutoff.kind == "absolute":
            return Interval(self.low, min(self.high, Fraction(one.cutoff.bound)))
        return self


@dataclass(frozen=True)
class Reply:
    """An agent's answer to the others' declarations.

    Attributes
    ----------
    utility
        Of what she declares at present.
    supremum
        No declaration gives more, and some come as near to it as one likes.
    attained
        Whether some declaration gives as much.
    declares
        What she declares next, see the module.
    """

    utility: Extended
    supremum: Extended
    attained: bool
    declares: Fraction

    @property
    def is_best(self) -> bool:
        """Whether her present declaration is a best reply."""
        return self.utility == self.supremum


def best_reply(
    mechanism: DeclarationMechanism,
    lengths: Sequence[Fraction],
    declared: Sequence[Fraction],
    agent: int,
    among: Interval | None = None,
    *,
    values: Sequence[Fraction] | None = None,
    progress: Progress | None = None,
) -> Reply:
    """Supremum of an agent's utility over all that she may declare, and her answer.

    Parameters
    ----------
    mechanism
        Anything with ``run(declared, lengths)`` whose code adds, compares, and multiplies by constants.
    lengths, declared
        Everybody's true lengths and present declarations.
    agent
        From 0.
    among
        What may be declared; default every positive number. An absolute cut-off bounds it further.
    values
        V_n; default the mechanism's, else 0.
    progress
        Receiver of progress reports.

    Raises
    ------
    InputError
        The present declaration is not among those.
    MechanismError
        The code is not piecewise linear, or no function of its numbers.
    """
    among = (among or Interval()).within_cutoff(mechanism)
    if declared[agent] not in among:
        raise InputError(f"declared: agent {agent + 1} declares {declared[agent]}; expected {among}")
    program = UtilityProgram(mechanism, lengths, declared, agent, values)
    here: Extended = program.utility(declared[agent])
    places = _places(program, among, progress)
    top = max(place.supremum for place in places)
    attaining = next((p for p in places if p.slope == 0 and p.at_low == top), None)
    if here == top:
        return Reply(here, top, True, declared[agent])
    if attaining is not None:
        return Reply(here, top, True, attaining.middle)
    nearest = next(place for place in places if place.supremum == top)
    return Reply(here, top, False, nearest.beyond(here))


def _places(program: UtilityProgram, among: Interval, progress: Progress | None) -> list[Piece]:
    """Open pieces, and the numbers between them and at the ends, in order."""

    def alone(x: Extended) -> list[Piece]:
        return [Piece(Fraction(x), x, program.utility(Fraction(x)))] if 0 < x < INF else []

    places = alone(among.low)
    if among.low < among.high:
        for piece in execute(program, among.low, among.high, progress=progress):
            assert isinstance(piece, Piece)  # roots of lines are rational
            places += [piece, *alone(piece.high)]
    return places


Declared: TypeAlias = tuple[Fraction, ...]
Ending: TypeAlias = Literal["equilibrium", "cycle", "no-best-reply", "rounds", "stopped"]
ROUNDS: Final = 30
"""Rounds after which the dynamics are given up."""


@dataclass(frozen=True)
class RealDynamics:
    """A run of the dynamics.

    Attributes
    ----------
    start, final
        First and last profile.
    ended
        How; ``"rounds"`` at their limit, ``"stopped"`` by the clock or Ctrl-C.
    steps
        Moves made.
    cycle
        The profiles of a cycle, starting at a round start, each one move from the next and the last one from the first.
    replies
        Everybody's, at ``final``: the certificate of an equilibrium, and of ``"no-best-reply"``; empty otherwise.
    """

    start: Declared
    final: Declared
    ended: Ending
    steps: int
    cycle: tuple[Declared, ...] | None = None
    replies: tuple[Reply, ...] = ()


def real_dynamics(
    mechanism: DeclarationMechanism,
    lengths: Sequence[Fraction],
    start: Sequence[Fraction],
    among: Interval | None = None,
    *,
    values: Sequence[Fraction] | None = None,
    rounds: int = ROUNDS,
    progress: Progress | None = None,
    clock: Clock | None = None,
) -> RealDynamics:
    """Play best replies among all numbers of an interval, from ``start`` until nobody moves or somebody cannot.

    Parameters
    ----------
    mechanism, lengths, among, values
        See :func:`.replies.best_reply`.
    start
        Everybody's first declarations.
    rounds
        Most rounds.
    progress, clock
        Told of every piece of a curve; what stops the dynamics.

    Raises
    ------
    InputError
        A declaration of ``start`` that may not be made.
    MechanismError
        Best replies are not known exactly: the code is not piecewise linear, or no function of its numbers.
    """
    trail: list[Declared] = [tuple(start)]
    report = limited(progress, None if clock is None else clock.left())

    def reply(agent: int) -> Reply:
        return best_reply(mechanism, lengths, trail[-1], agent, among, values=values, progress=report)

    def ended(how: Ending, replies: tuple[Reply, ...] = (), cycle: tuple[Declared, ...] | None = None) -> RealDynamics:
        return RealDynamics(trail[0], trail[-1], how, len(trail) - 1, cycle, replies)

    begun: dict[Declared, int] = {}  # profile at a round start -> its place on the trail
    agents = range(len(lengths))
    try:
        while trail[-1] not in begun:
            replies = tuple(map(reply, agents))
            if all(own.is_best for own in replies):
                return ended("equilibrium", replies)
            if begun and not any(own.attained and not own.is_best for own in replies):
                return ended("no-best-reply", replies)
            if len(begun) == rounds:
                return ended("rounds")
            begun[trail[-1]] = first = len(trail) - 1
            for agent in agents:
                own = replies[agent] if len(trail) - 1 == first else reply(agent)
                if not own.is_best:
                    trail.append((*trail[-1][:agent], own.declares, *trail[-1][agent + 1 :]))
    except KeyboardInterrupt:
        return ended("stopped")
    return ended("cycle", cycle=tuple(trail[begun[trail[-1]] : -1]))
