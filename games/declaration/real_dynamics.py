r"""Best-response dynamics over all positive declarations, with a certificate of where they end.

Rule (``best-response-over-reals``): agents move in the listed order, round after round; who has a best reply already
stays, everybody else declares what :func:`.replies.best_reply` says. At the start of a round everybody's supremum is
computed against the others as they are then. The dynamics end

- in an equilibrium: everybody's utility is her supremum, so that nobody gains by any number;
- in a cycle: a profile that a round began with comes back;
- without best replies, after a round: everybody has a best reply already or has none at all, because her supremum is
  not attained;
- at the limit of rounds or time, or on Ctrl-C.

>>> from consortium.mechanisms.declaration import build
>>> from consortium.scheduling.clusters import Cluster
>>> lengths = (Fraction(2), Fraction(1))
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
from ...support.progress import Clock, Progress, limited
from .replies import Interval, Reply, best_reply

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
            known = tuple(map(reply, agents))
            if all(own.settled for own in known):
                return ended("equilibrium", known)
            if begun and not any(own.attained and not own.settled for own in known):
                return ended("no-best-reply", known)
            if len(begun) == rounds:
                return ended("rounds")
            begun[trail[-1]] = first = len(trail) - 1
            for agent in agents:
                own = known[agent] if len(trail) - 1 == first else reply(agent)
                if not own.settled:
                    trail.append((*trail[-1][:agent], own.declares, *trail[-1][agent + 1 :]))
    except KeyboardInterrupt:
        return ended("stopped")
    return ended("cycle", cycle=tuple(trail[begun[trail[-1]] : -1]))
