r"""What every placement that no coalition upsets satisfies, as linear constraints beside those of the equilibria.

A fixed joint placement ``d`` of a coalition ``S`` costs member ``i`` the largest of its ends: on a host ``h`` that it
uses in ``d``, ``end[i, h]`` is a number from ``d`` plus what the others place there ahead of it, which is linear in the
variables of :mod:`..cuts_model`. Where ``d`` does not pay, with ``C[i]`` the costs of the placement looked for,

* ``all-gain``: some member's ``C[i]`` is at most one of its ends;
* ``none-lose``: some member's ``C[i]`` is below one of its ends, or everybody's is at most one of its ends;
* ``total``: the sum of the ``C[i]`` is at most a sum of ends, one of each member;
* ``any-gains``: everybody's ``C[i]`` is at most one of its ends.

All of this bounds costs from above, so that the model may keep its costs from below only.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, TypeAlias

from ...coalitions.results import Notion
from ..cuts_model import Cut, Model

if TYPE_CHECKING:
    from ..game import PlacementGame

JointCut: TypeAlias = tuple[Cut, ...]
"""The members of a coalition, ascending, each with the placement of its jobs that the coalition could switch to."""


class CoalitionModel(Model):
    """The constraints for one game and notion; joint cuts are added as they are found."""

    def __init__(self, game: PlacementGame, notion: Notion, cuts: Iterable[Cut], joint: Iterable[JointCut]) -> None:
        super().__init__(game)
        self.notion = notion
        for cut in cuts:
            self.add_cut(cut)
        for deviation in joint:
            self.add_joint(deviation)

    def within(self, least: int, most: int) -> None:
        """Demand a social cost from ``least`` to ``most``."""
        self.social_at_least(reached=True)
        self.cp.add(self.social >= least)
        for load in self.load:
            self.cp.add(load <= most)

    def add_joint(self, cut: JointCut) -> None:
        """Demand that a joint placement does not pay its coalition."""
        ends = {k: self._ends(k, dict(cut)) for k, _ in cut}
        if self.notion == "all-gain":
            self.cp.add_bool_or([pick for k, own in ends.items() for pick in self._picks(self.cost[k], own)])
        elif self.notion == "any-gains":
            for k, own in ends.items():
                self.cp.add_bool_or(self._picks(self.cost[k], own))
        elif self.notion == "none-lose":
            nobody_gains = self.cp.new_bool_var("")
            losses = [pick for k, own in ends.items() for pick in self._picks(self.cost[k] + 1, own)]
            self.cp.add_bool_or([nobody_gains, *losses])
            for k, own in ends.items():
                self.cp.add_bool_or([~nobody_gains, *self._picks(self.cost[k], own)])
        else:
            reached = {k: self.cp.new_int_var(0, sum(self.work), "") for k in ends}
            for k, own in ends.items():
                self.cp.add_bool_or(self._picks(reached[k], own))
            self.cp.add(sum(self.cost[k] for k in ends) <= sum(reached.values()))

    def _picks(self, cost: Any, ends: Iterable[Any]) -> list[Any]:
        """One Boolean for each end, which is true only where the cost is at most that end."""
        picks = []
        for end in ends:
            pick = self.cp.new_bool_var("")
            self.cp.add(cost <= end).only_enforce_if(pick)
            picks.append(pick)
        return picks

    def _ends(self, k: int, deviation: dict[int, tuple[int, ...]]) -> list[Any]:
        """When each host is done with the last job of member ``k`` after a joint deviation; 0 without jobs."""
        placement = deviation[k]
        ends: list[Any] = [] if placement else [0]
        for host in sorted(set(placement)):
            end: Any = sum(size for size, there in zip(self.sizes[k], placement, strict=True) if there == host)
            if host != k:
                last = max(self.block_of[k, i] for i, there in enumerate(placement) if there == host)
                end += sum(
                    self.sizes[j][i]
                    for j, moved in deviation.items()
                    for i, there in enumerate(moved)
                    if there == host and j != k and (j == host or self.block_of[j, i] < last)
                )
                ahead = (
                    b
                    for b, (owner, _) in enumerate(self.blocks)
                    if owner not in deviation and (owner == host or b < last)
                )
                end += self._sent(ahead, host)
            ends.append(end)
        return ends
