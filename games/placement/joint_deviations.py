r"""Does a coalition of organizations gain by placing its jobs anew, where the joint placements are too many to try?

One machine per organization and makespans. The question is a constraint problem: every organization is in the coalition
or keeps its placement; members place their jobs anywhere, and what they pay then fits the notion. It is written down
from the definition and shares nothing with the constraints of the solvers. Jobs of a member with one length and
neighbouring priorities are exchangeable, so an integer counts how many of them run on each host; those that end last on
a foreign host end after the owner's own work, the foreign jobs of higher priority and the member's work there so far.

A deviation that is found is played by the game itself: its costs are those of the schedule.

>>> from consortium.agents.organizations import Federation
>>> from consortium.games.placement.game import PlacementGame
>>> game = PlacementGame(Federation.of([[5, 4], [2], [3, 5]]))
>>> found = smallest_deviation(game, ((0, 1), (1,), (0, 2)), 3)
>>> found.members, found.costs_before == (6, 8), found.costs_after == (5, 7)
((0, 2), True, True)
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...scheduling.cp_sat import LIMIT, OVERFLOW, new_model, solve
from ...support.errors import TooLargeError
from ...support.exact import magnitude
from ...support.progress import Clock
from ..equilibria.coalitions.results import Deviation, Notion, deviated, pays
from ..protocol import Profile
from .game import PlacementGame


def smallest_deviation(
    game: PlacementGame, profile: Profile, k: int, notion: Notion = "all-gain", clock: Clock | None = None
) -> Deviation | None:
    """A deviation that pays a coalition of at most ``k`` organizations, as few as can be; ``None``: there is none.

    Raises
    ------
    TooLargeError
        Several machines per organization, sums of completion times, or lengths beyond the constraint solver.
    TimeoutError
        The clock has run out.
    """
    _check(game)
    question = _Question(game, profile, k, notion)
    clock = Clock(None) if clock is None else clock
    clock.check()
    answer = solve(question.cp, clock.left(), partial=False)
    if not answer.ended:
        raise TimeoutError("coalitions: the time limit")
    if not answer.has_solution:
        return None
    members, joint = question.read(answer.value)
    before, after = game.costs(profile), game.costs(deviated(profile, members, joint))
    deviation = Deviation(members, joint, tuple(before[i] for i in members), tuple(after[i] for i in members))
    if not pays(notion, deviation.costs_before, deviation.costs_after):
        raise AssertionError(f"coalitions: {deviation} was said to pay; played, it does not")
    return deviation


def _check(game: PlacementGame) -> None:
    """Raise TooLargeError where the question cannot be put to the solver."""
    if not game.single:
        why = "sums of completion times" if game.total else "several machines per organization"
        raise TooLargeError(
            f"coalitions: with {why} every joint placement is tried, and here they are too many; leave jobs out, or "
            "ask about smaller coalitions"
        )
    work, hosts = sum(map(sum, game.federation.sizes)), len(game.federation)
    if work > LIMIT or 8 * hosts**2 * (work + 1) >= OVERFLOW:
        raise TooLargeError(
            f"coalitions: the organizations' work of {magnitude(work)} units of {game.federation.unit} is beyond the "
            "constraint solver; round the lengths"
        )


class _Question:
    """The constraint problem of one profile."""

    def __init__(self, game: PlacementGame, profile: Profile, k: int, notion: Notion) -> None:
        self.game, self.cp = game, new_model()
        self.hosts = range(len(game.federation))
        self.now = [int(cost / game.federation.unit) for cost in game.costs(profile)]
        self.member = [self.cp.new_bool_var("") for _ in self.hosts]
        self.count = {
            (b, size, host): self.cp.new_int_var(0, len(jobs), "")
            for b, block in enumerate(game.blocks)
            for size, jobs in block.jobs.items()
            for host in self.hosts
        }
        self._place(profile)
        work = sum(map(sum, game.federation.sizes))
        self.cost = [self.cp.new_int_var(0, work, "") for _ in self.hosts]
        self._finish()
        self._pay(notion)
        self.cp.add(sum(self.member) <= k)
        self.cp.minimize(sum(self.member))

    def _place(self, profile: Profile) -> None:
        """Every job somewhere; who is no member keeps the profile."""
        for b, (owner, kinds) in enumerate(self.game.blocks):
            for size, jobs in kinds.items():
                self.cp.add(sum(self.count[b, size, host] for host in self.hosts) == len(jobs))
                for host in self.hosts:
                    kept = sum(profile[owner][i] == host for i in jobs)
                    self.cp.add(self.count[b, size, host] == kept).only_enforce_if(~self.member[owner])

    def _finish(self) -> None:
        """A member pays at least the end of each of its jobs."""
        for b, (owner, kinds) in enumerate(self.game.blocks):
            for host in self.hosts:
                used = self.cp.new_bool_var("")
                self.cp.add(sum(self.count[b, size, host] for size in kinds) == 0).only_enforce_if(~used)
                end = self._work(self._before(b, host), host)
                self.cp.add(self.cost[owner] >= end).only_enforce_if(used, self.member[owner])

    def _before(self, block: int, host: int) -> list[int]:
        """The blocks that a host finishes before the end of a block: its owner's, then the others' by priority."""
        owners = [block_of.owner for block_of in self.game.blocks]
        if owners[block] == host:
            return [b for b, owner in enumerate(owners) if owner == host]
        return [b for b, owner in enumerate(owners) if owner == host or b <= block]

    def _work(self, blocks: Iterable[int], host: int) -> Any:
        return sum(size * self.count[b, size, host] for b in blocks for size in self.game.blocks[b].jobs)

    def _pay(self, notion: Notion) -> None:
        """What the members pay is what the notion asks for."""
        gains = [self.cp.new_bool_var("") for _ in self.hosts]
        for member, gain, cost, now in zip(self.member, gains, self.cost, self.now, strict=True):
            self.cp.add_implication(gain, member)
            self.cp.add(cost <= now - 1).only_enforce_if(gain)
            if notion == "all-gain":
                self.cp.add_implication(member, gain)
            elif notion == "none-lose":
                self.cp.add(cost <= now).only_enforce_if(member)
            elif notion == "total":
                self.cp.add(cost == now).only_enforce_if(~member)
        self.cp.add_bool_or(gains)
        if notion == "total":
            self.cp.add(sum(self.cost) <= sum(self.now) - 1)

    def read(self, value: Any) -> tuple[tuple[int, ...], tuple[tuple[int, ...], ...]]:
        """The members and their placements; of exchangeable jobs the first ones run on the first hosts."""
        members = tuple(k for k in self.hosts if value(self.member[k]))
        placed = {k: [k] * len(self.game.federation.sizes[k]) for k in members}
        for b, (owner, kinds) in enumerate(self.game.blocks):
            for size, jobs in kinds.items() if owner in placed else ():
                hosts = (host for host in self.hosts for _ in range(value(self.count[b, size, host])))
                for i, host in zip(jobs, hosts, strict=True):
                    placed[owner][i] = host
        return members, tuple(tuple(placed[k]) for k in members)
