r"""The placement game as linear constraints, for one machine per organization and makespans.

Variables: jobs of one organization and one length with no foreign job between their priorities are exchangeable, so an
integer counts how many of them run on each host. A *block* is a run of neighbouring priorities of one owner (with
priority to organizations: all its jobs). With ``own[l]`` what ``l`` keeps at home, block ``b`` of organization ``k``
waits on a foreign host ``l`` for ``base = own[l] + foreign work of earlier blocks of others`` and ends at ``base`` plus
``k``'s own work there up to ``b``; the cost ``C[k]`` is the largest end of a used block. All of this is linear.

What every equilibrium satisfies (the right-hand sides are costs that ``k`` could reach alone, so they bound ``C[k]``;
where any of several terms may be the largest, a Boolean picks one):

* *cut of a strategy s*: ``C[k] <= cost of s`` against the others' loads, for any fixed placement ``s`` of ``k``'s jobs;
* *home*: the cut of "everything at home", ``C[k] <= work of k``;
* *list bounds*: fix ``k``'s jobs longer than ``q`` at home and list-schedule the rest on a set ``S`` of hosts, as they
  stand. If the last job to end starts at ``s``, every host of ``S`` is busy until ``s``, so the rest ends by
  ``(work on S + rest + (|S| - 1) q) / |S|``. With everything listed on all hosts this is the argument that repairs
  Theorem 5.8 of Cordeiro 2012. For every length ``q``, ``S`` = all hosts and ``S`` = all but home are added from the
  start; they replace hundreds of cuts.

:class:`~.certificate.Slack` relaxes all of them at once: factor ``num/den`` and addend, for approximate equilibria.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

from ...scheduling.cp_sat import LIMIT, OVERFLOW, new_model
from ...support.errors import TooLargeError
from ...support.exact import magnitude
from ..results import Coverage
from .certificate import NASH, Cut, Slack
from .game import PlacementGame


class Model:
    """The constraints above for one game and some cuts; more are added as they are found."""

    def __init__(self, game: PlacementGame, slack: Slack | None = NASH, cuts: Iterable[Cut] = ()) -> None:
        """Build the model; ``slack = None`` describes all profiles, not only (approximate) equilibria."""
        self.game, self.slack = game, slack
        self.sizes = game.federation.sizes
        self.hosts = range(len(game.federation))
        self.work = [sum(row) for row in self.sizes]
        self._check_size()
        self.cp = new_model()
        self.blocks = game.blocks
        self.block_of = {(k, i): b for b, (k, kinds) in enumerate(self.blocks) for js in kinds.values() for i in js}
        self.last = {k: b for b, (k, _) in enumerate(self.blocks)}
        self.count = {
            (b, size, host): self.cp.new_int_var(0, len(jobs), "")
            for b, (_, kinds) in enumerate(self.blocks)
            for size, jobs in kinds.items()
            for host in self.hosts
        }
        for b, (_, kinds) in enumerate(self.blocks):
            for size, jobs in kinds.items():
                self.cp.add(sum(self.count[b, size, h] for h in self.hosts) == len(jobs))
        self.own = [self._sent((b for b, (k, _) in enumerate(self.blocks) if k == h), h) for h in self.hosts]
        everything = range(len(self.blocks))
        self.load = [self._sent(everything, h) for h in self.hosts]
        self.social = self.cp.new_int_var(0, sum(self.work), "social")
        if slack is not None:
            self.cost = [self.cp.new_int_var(0, self._relaxed(w), "") for w in self.work]  # "home" is the upper end
            self._costs()
            for k in self.last:
                self._list_bounds(k)
        for cut in cuts:
            self.add_cut(cut)

    def add_cut(self, cut: Cut) -> None:
        """Demand that the organization does not gain (beyond the slack) by switching to that placement."""
        k, placement = cut
        if not placement:  # without jobs there is nothing to gain, and no term to be at most
            return
        deepest: dict[int, int] = {}
        load: dict[int, int] = {}
        for i, host in enumerate(placement):
            deepest[host] = max(deepest.get(host, -1), self.block_of[k, i])
            load[host] = load.get(host, 0) + self.sizes[k][i]
        self._at_most_one_of(k, [(1, self.base(k, deepest[h], h) + load[h]) for h in sorted(load)])

    def social_at_least(self, *, reached: bool) -> None:
        """Tie ``social`` to ``C_max``, from above when it is maximised (``reached``), else from below."""
        if not reached:
            for load in self.load:
                self.cp.add(self.social >= load)
            return
        picks = [self.cp.new_bool_var("") for _ in self.hosts]
        self.cp.add_exactly_one(picks)
        for pick, load in zip(picks, self.load, strict=True):
            self.cp.add(self.social <= load).only_enforce_if(pick)

    def base(self, k: int, block: int, host: int) -> Any:
        """What block ``block`` of ``k`` waits for on a host: 0 at home."""
        if host == k:
            return 0
        earlier = (b for b in range(block) if self.blocks[b][0] not in (k, host))
        return self.own[host] + self._sent(earlier, host)

    def read(self, value: Any) -> tuple[tuple[int, ...], ...]:
        """The profile of a solution; of exchangeable jobs the first ones stay at home, the rest go by host."""
        profile = [[0] * len(row) for row in self.sizes]
        for b, (k, kinds) in enumerate(self.blocks):
            for size, jobs in kinds.items():
                free = iter(jobs)
                for host in (k, *(h for h in self.hosts if h != k)):
                    for _ in range(value(self.count[b, size, host])):
                        profile[k][next(free)] = host
        return tuple(map(tuple, profile))

    def _check_size(self) -> None:
        slack = self.slack or NASH
        if sum(self.work) + slack.add > most_work(len(self.sizes), max(slack.num, slack.den)):
            raise TooLargeError(
                f"constraint search: a work of {magnitude(sum(self.work))} units within a factor of "
                f"{Fraction(slack.num, slack.den)} is beyond the solver, which takes up to "
                f"{most_work(len(self.sizes)):,}; round the lengths, or ask for method = 'enumeration'"
            )

    def _sent(self, blocks: Any, host: int) -> Any:
        """Work that blocks send to a host."""
        return sum(size * self.count[b, size, host] for b in blocks for size in self.blocks[b][1])

    def _relaxed(self, bound: int) -> int:
        """Largest whole cost allowed by the slack against a reachable cost of ``bound``."""
        slack = self.slack or NASH
        top = slack.num * bound + slack.add * slack.den - (1 if slack.strict else 0)
        return max(top, 0) // slack.den

    def _costs(self) -> None:
        for k, work in enumerate(self.work):
            if work:
                self.cp.add(self.cost[k] >= max(self.sizes[k]))
                self.cp.add(self.cost[k] >= self.own[k])
        for b, (k, kinds) in enumerate(self.blocks):
            mine = [a for a in range(b + 1) if self.blocks[a][0] == k]
            for host in self.hosts:
                if host == k:
                    continue
                used = self.cp.new_bool_var("")
                here = sum(self.count[b, size, host] for size in kinds)
                self.cp.add(here >= 1).only_enforce_if(used)
                self.cp.add(here == 0).only_enforce_if(~used)
                end = self.base(k, b, host) + self._sent(mine, host)
                self.cp.add(self.cost[k] >= end).only_enforce_if(used)

    def _list_bounds(self, k: int) -> None:
        """The list bounds of the module for every length of ``k``, and what they say without knowing any load."""
        total = sum(self.work)
        least = self.work[k]
        for q in sorted(set(self.sizes[k]), reverse=True):
            fixed = sum(size for size in self.sizes[k] if size > q)
            away = [h for h in self.hosts if h != k]
            for listed, work in ((list(self.hosts), total), (away, total - fixed)):
                m = len(listed)
                if not m:
                    continue
                ready = sum(self.base(k, self.last[k], h) for h in listed) + (fixed if k in listed else 0)
                terms: list[tuple[int, Any]] = [(m, ready + self.work[k] - fixed + (m - 1) * q)]
                if fixed:
                    terms.append((1, fixed))
                self._at_most_one_of(k, terms)
                least = min(least, max(fixed, (work + (m - 1) * q) // m))
        self.cp.add(self.cost[k] <= self._relaxed(least))

    def _at_most_one_of(self, k: int, terms: Sequence[tuple[int, Any]]) -> None:
        """``C[k]`` is at most the largest of the terms, slack applied; a pair ``(w, e)`` stands for ``e / w``."""
        slack = self.slack or NASH
        picks = [self.cp.new_bool_var("") for _ in terms]
        self.cp.add_bool_or(picks)
        for pick, (w, e) in zip(picks, terms, strict=True):
            right = slack.num * e + slack.add * slack.den * w - (1 if slack.strict else 0)
            self.cp.add(slack.den * w * self.cost[k] <= right).only_enforce_if(pick)


def by_cuts(game: PlacementGame) -> Coverage:
    """The constraint search (:mod:`.cuts`): one machine per organization, makespans, work within the solver's range."""
    work, most = sum(map(sum, game.federation.sizes)), most_work(len(game.federation))
    if game.single and work > most:
        return Coverage(
            False,
            f"the organizations' work of {magnitude(work)} units of {game.federation.unit} is beyond the constraint "
            f"solver, which takes up to {most:,}",
            too_large=True,
        )
    return more_than_loads(game) or Coverage(True, "the constraint search needs none")


def most_work(organizations: int, factor: int = 1) -> int:
    """The largest work for which the solver can add what the constraints add, multiplied by ``factor``."""
    return min(LIMIT, (OVERFLOW - 1) // (8 * organizations**2 * factor) - 1)


def more_than_loads(game: PlacementGame) -> Coverage | None:
    """Why costs are more than sums of loads, ``None`` when they are not."""
    if game.single:
        return None
    return Coverage(False, "sums of completion times" if game.total else "several machines per organization")
