r"""Coalitions of agents: when a joint lie pays them, and what shows it.

The agents of a coalition ``S`` agree on declarations ``b_S``, not all of them true,
while the others are truthful (``"ex-post"``) or declare anything (``"dominant"``). The lie *pays* when the members'
utilities compare so with those after the truth of all of ``S``, the others' declarations being the same:

=============  =====================================================================================================
``all-gain``   every member gains; a rule where this never happens is *weakly* group strategyproof
``none-lose``  nobody loses and one gains; without such a case it is *strongly* group strategyproof [Mou80]_
``total``      the gains add up to more than 0, so that with side payments everybody gains
=============  =====================================================================================================

That *some* member gains, whatever it costs the others (``any-gains`` of games), is not asked here: a liar who gains
alone is the question of one agent. A member of a coalition may be truthful, and a coalition may be one agent. Whoever
loses her job by the lie can never be paid back. One case is one (true lengths, coalition, others' declarations, joint
lie).

References
----------
.. [Mou80] H. Moulin, "On strategy-proofness and single peakedness", Public Choice 35, 1980.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import prod
from typing import Final, Literal, TypeAlias, get_args

from ...support.errors import InputError, unknown_name
from ...support.exact import INF, Extended
from ..equilibria.coalitions.results import pays
from .domain import CONCEPTS, Concept, Domain, Profile
from .results import gain_of

GroupNotion: TypeAlias = Literal["all-gain", "none-lose", "total"]
GROUP_NOTIONS: Final[tuple[GroupNotion, ...]] = get_args(GroupNotion)


@dataclass(frozen=True)
class Coalitions:
    """Which coalitions are meant, when a lie pays them, and what the others do.

    Raises InputError for ``any-gains``, UnknownNameError for another notion.

    >>> Coalitions.of(2, agents=3).members(3)
    ((0,), (1,), (2,), (0, 1), (0, 2), (1, 2))
    """

    sizes: tuple[int, ...]
    notion: GroupNotion = "all-gain"
    concepts: tuple[Concept, ...] = CONCEPTS

    def __post_init__(self) -> None:
        if str(self.notion) == "any-gains":
            raise InputError(
                "notion: found 'any-gains'; expected all-gain, none-lose or total: a member who gains while others "
                "lose is a liar of her own, which dominant and ex-post ask without coalitions"
            )
        if self.notion not in GROUP_NOTIONS:
            raise unknown_name("notion", self.notion, GROUP_NOTIONS)

    @classmethod
    def of(cls, sizes: int | Sequence[int], notion: str = "all-gain", *, agents: int) -> Coalitions:
        """Sizes 1 to a number (at most all agents), or the sizes of a list, none larger than there are agents."""
        listed = range(1, min(sizes, agents) + 1) if isinstance(sizes, int) else sizes
        unique = tuple(sorted(set(listed)))
        if not unique or unique[0] < 1 or unique[-1] > agents:
            text = sizes if isinstance(sizes, int) else ", ".join(map(str, sizes)) or "nothing"
            raise InputError(f"coalitions: found {text}; expected sizes from 1 to {agents}, the number of agents")
        return cls(unique, notion)  # type: ignore[arg-type]  # which notion it is, is checked when it is made

    def members(self, agents: int) -> tuple[tuple[int, ...], ...]:
        """The coalitions, small ones first, those of one size in lexicographic order."""
        return tuple(one for size in self.sizes for one in itertools.combinations(range(agents), size))

    def gain(self, before: Sequence[Extended], after: Sequence[Extended]) -> Extended | None:
        """What a joint lie gains, from the members' utilities of the truth and of the lie; ``None`` if it does not pay.

        The least member's gain under all-gain, else the sum.

        >>> pair = Coalitions((2,), "total")
        >>> pair.gain([Fraction(-9), Fraction(-9)], [Fraction(-6), Fraction(-7)])
        Fraction(5, 1)
        >>> pair.gain([Fraction(-9), Fraction(-9)], [Fraction(9), -INF]) is None
        True
        """
        if not pays(self.notion, [-u for u in before], [-u for u in after]):
            return None
        gains = [gain_of(lie, truth) for lie, truth in zip(after, before, strict=True)]
        if self.notion == "all-gain":
            return min(gains)
        return INF if INF in gains else sum((Fraction(gain) for gain in gains), start=Fraction(0))

    def cases(self, domain: Domain, concept: Concept) -> int:
        """Number of (true lengths, coalition, others' declarations, joint lie), in closed form.

        >>> Coalitions((1, 2)).cases(Domain.of([1, 2], agents=2), "dominant")
        28
        """
        free, true, others = _choices(domain, concept)

        def ways(inside: Sequence[int]) -> int:
            """Choices of a coalition and of everybody's numbers: coefficients of prod (others + inside z), by size."""
            by_size = [1] + [0] * max(self.sizes)
            for own, outside in zip(inside, others, strict=True):
                by_size = [outside * same + own * one for same, one in zip(by_size, [0, *by_size], strict=False)]
            return sum(by_size[size] for size in self.sizes)

        return ways(free) - ways(true)

    def cases_each(self, domain: Domain, concept: Concept) -> list[int]:
        """The same by coalition."""
        free, true, others = _choices(domain, concept)
        return [
            (prod(free[n] for n in members) - prod(true[n] for n in members))
            * prod(own for n, own in enumerate(others) if n not in members)
            for members in self.members(domain.n_agents)
        ]


def _choices(domain: Domain, concept: Concept) -> tuple[list[int], list[int], list[int]]:
    """Of each agent: (length, declaration) as a member, lengths, and declarations as an outsider."""
    free = [sum(len(domain.options(n, x)) for x in own) for n, own in enumerate(domain.lengths)]
    true = [len(own) for own in domain.lengths]
    return free, true, free if concept == "dominant" else true


@dataclass(frozen=True)
class Transfer:
    """A side payment: ``payer`` gives ``amount`` to ``payee``; agents count from 0."""

    payer: int
    payee: int
    amount: Fraction


@dataclass(frozen=True)
class GroupWitness:
    """One joint lie that pays, everything needed to play it again.

    Attributes
    ----------
    members
        Who agrees on it, from 0, ascending.
    declarations, lengths
        Everybody's, the lie in the members' places.
    utilities_truth, utilities_lie
        Of the members, in their order.
    gain
        The least member's under all-gain, else the sum.
    """

    members: tuple[int, ...]
    declarations: Profile
    lengths: Profile
    utilities_truth: tuple[Extended, ...]
    utilities_lie: tuple[Extended, ...]
    gain: Extended

    @property
    def truthful(self) -> Profile:
        """Everybody's declarations when the members tell the truth."""
        return tuple(self.lengths[n] if n in self.members else b for n, b in enumerate(self.declarations))

    def transfers(self) -> tuple[Transfer, ...]:
        """Who pays whom after a lie that pays in total, so that everybody gains.

        All members gain the same then; where somebody's gain is infinite, she pays those who do not gain so much that
        each gains 1.

        >>> truth, lie = (Fraction(-4), Fraction(-4)), (Fraction(0), Fraction(-5))
        >>> GroupWitness((0, 1), (), (), truth, lie, Fraction(3)).transfers()
        (Transfer(payer=0, payee=1, amount=Fraction(5, 2)),)
        """
        gains = [gain_of(lie, truth) for lie, truth in zip(self.utilities_lie, self.utilities_truth, strict=True)]
        if INF in gains:
            rich = self.members[gains.index(INF)]
            return tuple(
                Transfer(rich, n, 1 - Fraction(gain))
                for n, gain, has in zip(self.members, gains, self.utilities_lie, strict=True)
                if gain <= 0 and abs(has) != INF
            )
        poor = [k for k, has in enumerate(self.utilities_lie) if abs(has) == INF]  # no payment changes what they have
        share = Fraction(self.gain) / (len(gains) - len(poor))
        pairs = enumerate(zip(self.members, gains, strict=True))
        over = {n: Fraction(gain) - share for k, (n, gain) in pairs if k not in poor}
        return tuple(_payments(over))


def _payments(over: dict[int, Fraction]) -> list[Transfer]:
    """Payments from those who have too much to those who have too little, each making somebody even."""
    paid: list[Transfer] = []
    while any(over.values()):
        payer = next(n for n, has in over.items() if has > 0)
        payee = next(n for n, has in over.items() if has < 0)
        amount = min(over[payer], -over[payee])
        paid.append(Transfer(payer, payee, amount))
        over[payer] -= amount
        over[payee] += amount
    return paid
