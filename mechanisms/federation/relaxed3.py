r"""Algorithm 2 of the thesis: nobody waits more than three times as long as alone, and ``C_max <= 4/3 OPT``.

Model (Cordeiro 2012, section 4.3) and the search of the guess: see :mod:`.relaxed`. Large jobs (above 1/3 of the
guess) are paired longest first, at most two on a machine and at most the guess together, else the guess is
rejected. A group is named by the owners of its large jobs: (C,C), (C), (B2,C), (B2,B2), (B2). Then:

1. each B2 organization replaces its large job by all its jobs; its group sits at home of a B2 owner (the later of two);
2. while two (B2,C) groups are left, their B2 organizations go together to the home of the later one, the two C jobs
   together to the home of the other;
3. B1 organizations join: one to each (B2,B2), two to each (B2), three to each machine without a large job (at home of
   the first of them), the last one or two B1 organizations with such a machine together;
4. the original (C,C) and (C) groups take the other machines (an owner's own if free, then machines of no A
   organization by number), and every A organization runs at home, before them;
5. jobs of B1 organizations left over go on the least loaded machine that has a large C job and a load under the guess;
   small C jobs on the least loaded machine.

A organizations always find an original (C,C), (C) or empty machine at home: groups with a B organization sit at
homes of B organizations. (Lemma 4.9 should read ``<= N``.)

>>> from consortium.agents import Federation
>>> Relaxed3().run(Federation.of([[3, 3, 3], [1], []])).makespan
Fraction(4, 1)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, TypeAlias

from ...scheduling.listing import place_in_order
from .relaxed import Board, Guess, Guessing

JobId: TypeAlias = tuple[int, int]


def pair_large(sizes: Sequence[Sequence[int]], guess: int) -> list[list[JobId]] | None:
    """Large jobs longest first on N machines; ``None`` if three meet, or two are longer than the guess together."""
    large = sorted(
        ((k, i) for k, row in enumerate(sizes) for i, p in enumerate(row) if 3 * p > guess),
        key=lambda job: (-sizes[job[0]][job[1]], job),
    )
    placed = place_in_order([sizes[k][i] for k, i in large], [0] * len(sizes))
    groups: dict[int, list[JobId]] = {}
    for job, (m, _, _) in zip(large, placed, strict=True):
        groups.setdefault(m, []).append(job)
    for group in groups.values():
        if len(group) > 2 or (len(group) == 2 and sum(sizes[k][i] for k, i in group) > guess):
            return None
    return list(groups.values())


def attempt_3(sizes: Sequence[Sequence[int]], guess: int) -> Board | None:
    """One guess of Algorithm 2."""
    n, local = len(sizes), [sum(row) for row in sizes]
    groups = pair_large(sizes, guess)
    if groups is None:
        return None
    in_a = {k for k in range(n) if 3 * local[k] <= guess}
    in_b = {k for k in range(n) if k not in in_a and 9 * local[k] <= 4 * guess}
    b1 = sorted(in_b - {k for group in groups for k, _ in group})
    board = Board(sizes)
    original = [group for group in groups if not any(k in in_b for k, _ in group)]
    homes = _place_b2(board, [group for group in groups if any(k in in_b for k, _ in group)], in_b, b1)
    for _ in range(n - len(groups)):
        if b1:
            trio = [b1.pop(0) for _ in range(min(3, len(b1)))]
            homes.append(trio[0])
            for k in trio:
                board.put_all(k, trio[0])
    _place_original(board, original, [m for m in range(n) if m not in homes], in_a)
    for k in sorted(in_a):
        board.put_all(k, k)
    with_large_c = [
        m for m in range(n) if any(board.host[k][i] == m and k not in in_b for group in groups for k, i in group)
    ]
    if not board.fill(board.unplaced(b1), with_large_c, below=guess):
        return None
    board.fill(board.unplaced(range(n)), range(n))
    return board


def _place_b2(board: Board, groups: Sequence[list[JobId]], in_b: set[int], b1: list[int]) -> list[int]:
    """Place the groups with a B2 organization and the B1 organizations that join them; return the machines used."""
    mixed: list[tuple[int, JobId]] = []  # (B2 organization, its C partner)
    stacks: list[list[int]] = []  # B2 organizations of one machine, the host last
    homes = []
    for group in groups:
        owners = sorted(k for k, _ in group if k in in_b)
        partner = [job for job in group if job[0] not in in_b]
        if partner:
            mixed.append((owners[0], partner[0]))
        else:
            stacks.append(owners)
    while len(mixed) >= 2:
        (i, first), (j, second) = mixed.pop(0), mixed.pop(0)
        stacks.append(sorted([i, j]))
        board.put(*first, min(i, j))
        board.put(*second, min(i, j))
        homes.append(min(i, j))
    for k, partner_job in mixed:
        board.put(*partner_job, k)
        board.put_all(k, k)
        homes.append(k)
    for stack in stacks:
        for k in stack:
            board.put_all(k, stack[-1])
        for _ in range(min(3 - len(stack), len(b1))):
            board.put_all(b1.pop(0), stack[-1])
        homes.append(stack[-1])
    return homes


def _place_original(board: Board, groups: Sequence[list[JobId]], free: list[int], in_a: set[int]) -> None:
    """Place the (C,C) and (C) groups: at an owner's machine if free, else by number, homes of A organizations last."""
    waiting = []
    for group in groups:
        own = [k for k, _ in group if k in free]
        if own:
            free.remove(own[0])
            for job in group:
                board.put(*job, own[0])
        else:
            waiting.append(group)
    for group in waiting:
        machine = min(free, key=lambda m: (m in in_a, m))
        free.remove(machine)
        for job in group:
            board.put(*job, machine)


@dataclass(frozen=True)
class Relaxed3(Guessing):
    """Algorithm 2: nobody waits more than three times as long as alone, and ``C_max <= 4/3 OPT``."""

    id: ClassVar[str] = "relaxed-3"
    attempt: ClassVar[Guess] = staticmethod(attempt_3)
    cooperation: ClassVar[Fraction] = Fraction(3)
    ratio: ClassVar[Fraction] = Fraction(4, 3)
