r"""When a joint deviation pays its members, and what is said of the profiles that no coalition upsets.

Model: a coalition ``S``, one or more players and at most ``k``, deviates jointly while everybody else stays; a member
may keep her strategy, and a player with one strategy may be a member. The deviation *pays* under a notion:

=============  ==================================================================================================
``all-gain``   every member strictly gains: *k-strong* equilibria [AFM09]_, strong ones at ``k = n`` [Aum59]_
``none-lose``  no member loses and one gains: Pareto-strong equilibria
``total``      the gains of the members add up to more than 0: they may pay each other
``any-gains``  some member gains, whatever it costs the others: *k-resilient* equilibria [ADGH06]_
=============  ==================================================================================================

What pays under a notion of this list pays under those below it. So a profile that is *stable* under ``any-gains`` (no
deviation pays) is stable under ``total``, that one under ``none-lose``, that one under ``all-gain``, and that one is a
Nash equilibrium; at ``k = 1`` all four are Nash.

Infinite costs: who pays ``inf`` before and after neither loses nor gains, her gain is 0. Under ``total`` a member who
falls into ``inf`` can never be paid back, whatever another one gains.

>>> pays("all-gain", [Fraction(6), Fraction(8)], [Fraction(5), Fraction(8)])
False
>>> pays("none-lose", [Fraction(6), Fraction(8)], [Fraction(5), Fraction(8)])
True
>>> pays("total", [INF, Fraction(3)], [Fraction(3), INF]), pays("total", [INF, Fraction(3)], [INF, Fraction(2)])
(False, True)

References
----------
.. [Aum59] R. J. Aumann, "Acceptable points in general cooperative n-person games", Contributions to the Theory of Games
   IV, Princeton, 1959.
.. [AFM09] N. Andelman, M. Feldman, Y. Mansour, "Strong price of anarchy", Games and Economic Behavior 65, 2009.
.. [ADGH06] I. Abraham, D. Dolev, R. Gonen, J. Halpern, "Distributed computing meets game theory", PODC 2006.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final, Literal, TypeAlias, get_args

from ....support.errors import unknown_name
from ....support.exact import INF, Extended
from ...protocol import Outcome, Profile
from ...results import Bounds

Notion: TypeAlias = Literal["all-gain", "none-lose", "total", "any-gains"]
"""When a joint deviation pays the members of a coalition."""
NOTIONS: Final[tuple[Notion, ...]] = get_args(Notion)


def pays(notion: Notion, before: Sequence[Extended], after: Sequence[Extended]) -> bool:
    """Whether a deviation pays, from the members' costs before and after, minimised, in the same order.

    Raises UnknownNameError for a notion that there is not.
    """
    pairs = list(zip(before, after, strict=True))
    some = any(new < old for old, new in pairs)
    if notion == "all-gain":
        return some and all(new < old for old, new in pairs)
    if notion == "none-lose":
        return some and all(new <= old for old, new in pairs)
    if notion == "total":
        gains = [old - new for old, new in pairs if old != new]
        return -INF not in gains and (INF in gains or sum(gains, Fraction(0)) > 0)
    if notion == "any-gains":
        return some
    raise unknown_name("notion", notion, NOTIONS)


@dataclass(frozen=True)
class Deviation:
    """A joint deviation, and what it costs those who take part.

    Attributes
    ----------
    members
        Numbers of the players of the coalition, ascending.
    strategies
        What each member plays instead, in the same order; one of them may be what she played before.
    costs_before, costs_after
        Exact costs of each member, minimised, in the same order.
    """

    members: tuple[int, ...]
    strategies: tuple[Any, ...]
    costs_before: tuple[Extended, ...]
    costs_after: tuple[Extended, ...]

    def applied(self, profile: Profile) -> Profile:
        """The profile after the deviation."""
        return deviated(profile, self.members, self.strategies)


def deviated(profile: Profile, members: Sequence[int], strategies: Sequence[Any]) -> Profile:
    """A profile in which the members play other strategies.

    >>> deviated(("a", "b", "c"), [0, 2], ["A", "C"])
    ('A', 'b', 'C')
    """
    changed = dict(zip(members, strategies, strict=True))
    return tuple(changed.get(player, strategy) for player, strategy in enumerate(profile))


@dataclass(frozen=True)
class CoalitionSearch:
    """The profiles that no coalition of at most ``size`` players upsets.

    Attributes
    ----------
    notion, size
        What was asked.
    exists
        Whether there is such a profile; ``None`` when the search stopped before it knew.
    count
        How many, profiles told apart; ``None`` when the method does not count or stopped.
    best, worst
        Those of least and largest social cost: proved when ``complete``, else the best known, which are stable.
    price_of_anarchy, price_of_stability
        Social cost of the worst (best) one over the optimum over all profiles (for payoffs: the other way round);
        ``None`` without one, unless both terms are positive and finite, or when not proved.
    complete
        Whether all of this is proved.
    bounds
        What is proved of the stable profiles although the search stopped early; ``None`` when complete. (The ones found
        bound the worst and the best from the other sides; the prices are the k-strong ones, if there is any.)
    certificate
        The method's own certificate (the cuts of a constraint search); ``None`` after a table.
    """

    notion: Notion
    size: int
    exists: bool | None
    count: int | None = None
    best: Outcome | None = None
    worst: Outcome | None = None
    price_of_anarchy: Fraction | None = None
    price_of_stability: Fraction | None = None
    complete: bool = True
    bounds: Bounds | None = None
    certificate: Any = None
