r"""A placement of least makespan on machines that are free from given times on, ties settled.

Model: jobs of one organization, machine ``m`` free from ``starts[m]`` on; a machine with jobs ends at its start plus
their sum. Wanted: the least makespan; among the placements that reach it one with most load, or most jobs, at home;
among these the lexicographically smallest.

Two ways, the same answer. CP-SAT, one goal after the other, while its integers reach. Beyond them a search in Python's
integers: a makespan of at most ``c`` is reachable exactly when the jobs pack into the machines, each with room for what
ends by ``c``, so bisection finds the least ``c``; the most that can stay home follows from the same packings, and the
placement job by job. Rooms are told apart by size only, and what is left of the jobs decides the rest, so answers are
kept and asked for again.

>>> exact_placement([4, 4, 4], [0, 4, 0], home=0)
(0, 0, 1)
>>> exact_placement([4 * 10**30 + 1, 4 * 10**30, 4 * 10**30], [0, 4 * 10**30, 0], home=0)
(2, 0, 0)
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from typing import Final, Literal, TypeAlias

from ...scheduling.cp_sat import LIMIT, new_model, solve
from ...support.errors import TooLargeError
from ...support.exact import magnitude

Keep: TypeAlias = Literal["load", "count"]
MAX_PACKINGS: Final = 200_000
"""Partial packings tried beyond the solver's integers: a second or two."""


def exact_placement(sizes: Sequence[int], starts: Sequence[int], home: int, keep: Keep = "load") -> tuple[int, ...]:
    """Hosts of least makespan for jobs on machines with given starts.

    Parameters
    ----------
    sizes
        Positive integers.
    starts
        When each machine is first free.
    home
        The machine to prefer.
    keep
        Among optimal placements: most load or most jobs on ``home``, then the lexicographically smallest.

    Raises
    ------
    TooLargeError
        When the lengths are beyond the solver's integers and too many packings are possible.

    Examples
    --------
    >>> exact_placement([3, 1, 1, 1], [0, 0], home=0, keep="load")
    (0, 1, 1, 1)
    """
    if not sizes:
        return ()
    unit = math.gcd(*sizes, *starts)
    small, free = [p // unit for p in sizes], [r // unit for r in starts]
    if (max(free) + sum(small)) * len(small) > LIMIT:
        search = _Packings(small, free, home, keep)
        try:
            return search.placement()
        except RecursionError:  # a call per job
            raise search.refusal() from None
    return _by_solver(small, free, home, keep)


def _by_solver(sizes: Sequence[int], starts: Sequence[int], home: int, keep: Keep) -> tuple[int, ...]:
    model = new_model()
    on = [[model.new_bool_var("") for _ in starts] for _ in sizes]
    host = [sum(m * x for m, x in enumerate(row)) for row in on]
    for row in on:
        model.add_exactly_one(row)
    for i, size in enumerate(sizes):
        twin = next((j for j in range(i + 1, len(sizes)) if sizes[j] == size), None)
        if twin is not None:
            model.add(host[i] <= host[twin])
    cost = model.new_int_var(0, starts[home] + sum(sizes), "cost")
    for m, ready in enumerate(starts):
        load = sum(p * row[m] for p, row in zip(sizes, on, strict=True))
        used = model.new_bool_var("")
        model.add_max_equality(used, [row[m] for row in on])
        model.add(ready + load <= cost).only_enforce_if(used)
    kept = sum((p if keep == "load" else 1) * row[home] for p, row in zip(sizes, on, strict=True))
    for goal in (cost, -kept, *host):
        model.minimize(goal)
        answer = solve(model, partial=False)
        model.add(goal == answer.value(goal))
    return tuple(answer.value(h) for h in host)


class _Packings:
    """The search beyond the solver's integers; rooms are the home's first, then the others', smallest first."""

    def __init__(self, sizes: Sequence[int], starts: Sequence[int], home: int, keep: Keep) -> None:
        self.sizes, self.starts, self.home, self.keep = sizes, starts, home, keep
        self.tried = 0
        self.known: dict[tuple[tuple[int, ...], tuple[int, ...]], int | None] = {}

    def placement(self) -> tuple[int, ...]:
        """The placement asked for."""
        longest = tuple(sorted(self.sizes, reverse=True))
        rooms = [self.least - start for start in self.starts]
        wanted = self._most_kept(longest, self._told_apart(rooms))
        assert wanted is not None  # the least makespan can be reached
        hosts: list[int] = []
        left = list(longest)
        for size in self.sizes:
            left.remove(size)
            for m in range(len(rooms)):
                rooms[m] -= size
                worth = self._worth(size) if m == self.home else 0
                rest = self._most_kept(tuple(left), self._told_apart(rooms)) if rooms[m] >= 0 else None
                if rest is not None and rest + worth == wanted:
                    hosts.append(m)
                    wanted = rest
                    break
                rooms[m] += size
        return tuple(hosts)

    @cached_property
    def least(self) -> int:
        """The least makespan."""
        longest = tuple(sorted(self.sizes, reverse=True))
        low, high = max(self.sizes) + min(self.starts), min(self.starts) + sum(self.sizes)
        while low < high:
            middle = (low + high) // 2
            rooms = self._told_apart([middle - start for start in self.starts])
            low, high = (
                (low, middle) if self._most_kept(longest, rooms, any_will_do=True) is not None else (middle + 1, high)
            )
            self.known.clear()
        return low

    def refusal(self) -> TooLargeError:
        """What is too large, the limits, and what to do."""
        load = max(self.starts) + sum(self.sizes)
        return TooLargeError(
            f"exact placement: loads up to {magnitude(load)} units are beyond the solver's "
            f"{LIMIT // len(self.sizes):,}, and {len(self.sizes)} jobs on {len(self.starts)} machines are not decided "
            f"after {MAX_PACKINGS:,} packings; round the lengths, or take solver = 'lpt'"
        )

    def _told_apart(self, rooms: Sequence[int]) -> tuple[int, ...]:
        others = sorted(max(room, 0) for m, room in enumerate(rooms) if m != self.home)
        return (max(rooms[self.home], 0), *others)

    def _worth(self, size: int) -> int:
        return size if self.keep == "load" else 1

    def _most_kept(self, jobs: tuple[int, ...], rooms: tuple[int, ...], any_will_do: bool = False) -> int | None:
        """Most that jobs, longest first, keep at home when all fit into the rooms; ``None`` when they do not.

        ``any_will_do``: not the most, but what the first way to fit them keeps.
        """
        if not jobs:
            return 0
        if sum(rooms) < sum(jobs):
            return None
        if (jobs, rooms) not in self.known:
            self.tried += 1
            if self.tried > MAX_PACKINGS:
                raise self.refusal()
            self.known[jobs, rooms] = self._branch(jobs, rooms, any_will_do)
        return self.known[jobs, rooms]

    def _branch(self, jobs: tuple[int, ...], rooms: tuple[int, ...], any_will_do: bool) -> int | None:
        size, rest = jobs[0], jobs[1:]
        best: int | None = None
        for m, room in enumerate(rooms):
            if room < size or (m > 1 and room == rooms[m - 1]):
                continue
            others = sorted((*rooms[1:m], room - size, *rooms[m + 1 :])) if m else rooms[1:]
            kept = self._most_kept(rest, (rooms[0] if m else room - size, *others), any_will_do)
            if kept is not None:
                best = max(best or 0, kept + (0 if m else self._worth(size)))
                if any_will_do:
                    break
        return best
