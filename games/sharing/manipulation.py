"""What an organization can gain by presenting its jobs otherwise: cut, glued, later or longer.

The utility psi_sp does not care how work is cut into jobs: for a fixed schedule, splitting and merging change nothing
and delaying never pays. The schedule is not fixed, however: a rule reacts to what is presented. Two halves of a job may
run side by side, a merged job keeps its machine, a delayed one leaves its turn to a better moment. This checker tries
every single move on every job of one organization, runs the rule again, and compares psi_sp of the true work.

- *split*: a job of length p becomes two jobs, first q then p - q, with the same release, for every q or for so many
  evenly spaced ones;
- *merge*: two jobs that follow each other become one, released with the later of them;
- *delay*: a job is presented later by 1, ..., limit; it keeps its place in the queue when its release allows;
- *pad*: a job is presented as longer by 1, ..., limit; only its true length counts for the utility.

>>> from consortium.mechanisms.sharing import SharingInstance
>>> found = best_manipulation(SharingInstance.of([2], [[(0, 2)]]), 0, until=7, rule="ref")
>>> found.move, found.gain, found.jobs
('split', 1, ((0, 1), (0, 1)))
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ...mechanisms.sharing.instance import SharingInstance
from ...mechanisms.sharing.outcome import throughput
from ...mechanisms.sharing.simulation import simulate
from ...mechanisms.sharing.utilities import DEFAULT
from ...support.errors import InputError, unknown_name
from ...support.progress import Progress
from .presentation import MOVES, Presentation


@dataclass(frozen=True)
class Manipulation:
    """One way to present an organization's jobs otherwise.

    Attributes
    ----------
    move, job, amount
        What is done to which job (position in starting order, from 0): length of the first piece, 0 for a merge with
        the next job, units of delay or padding.
    jobs
        The queue as presented, ``(release, length)``.
    true
        The lengths that count, in the order of ``jobs``.
    """

    move: str
    job: int
    amount: int
    jobs: tuple[tuple[int, int], ...]
    true: tuple[int, ...]


@dataclass(frozen=True)
class ManipulationResult:
    """The most profitable move found (the first among equals), whether or not it pays.

    ``gain`` is the utility with the move minus the utility as presented in the instance; ``None`` without any case.
    """

    organization: int
    cases: int
    utility: int
    gain: int | None
    best: Manipulation | None
    complete: bool

    @property
    def holds(self) -> bool:
        """Whether no move pays."""
        return self.gain is None or self.gain <= 0

    @property
    def move(self) -> str | None:
        """Name of the best move."""
        return self.best.move if self.best else None

    @property
    def jobs(self) -> tuple[tuple[int, int], ...] | None:
        """Queue of the best move."""
        return self.best.jobs if self.best else None


def manipulations(
    queue: Sequence[tuple[int, ...]], moves: Sequence[str] = MOVES, limit: int = 3, cuts: int | None = None
) -> Iterator[Manipulation]:
    """Every single move on a queue given in starting order; at most ``cuts`` ways to split a job (``None``: all)."""
    plain = [(job[0], job[1]) for job in queue]
    _check(moves)
    for move in moves:
        for i, (release, length) in enumerate(plain):
            before, after = plain[:i], plain[i + 1 :]
            if move == "split":
                for first in cut_points(length, cuts):
                    yield _same(move, i, first, [*before, (release, first), (release, length - first), *after])
            elif move == "merge" and after:
                together = (max(release, after[0][0]), length + after[0][1])
                yield _same(move, i, 0, [*before, together, *after[1:]])
            elif move == "delay":
                for d in range(1, limit + 1):
                    moved = sorted([*before, (release + d, length), *after], key=lambda job: job[0])
                    yield _same(move, i, d, moved)
            elif move == "pad":
                for d in range(1, limit + 1):
                    jobs = (*before, (release, length + d), *after)
                    yield Manipulation(move, i, d, jobs, tuple(p for _, p in plain))


def count_manipulations(
    queue: Sequence[tuple[int, ...]], moves: Sequence[str] = MOVES, limit: int = 3, cuts: int | None = None
) -> int:
    """How many cases :func:`manipulations` has.

    >>> queue = [(0, 3), (1, 100)]
    >>> count_manipulations(queue, cuts=8), len(list(manipulations(queue, cuts=8)))
    (23, 23)
    """
    _check(moves)
    n, pieces = len(queue), [job[1] - 1 for job in queue]
    split = sum(pieces if cuts is None else [min(ways, cuts) for ways in pieces])
    by_move = {"split": split, "merge": max(0, n - 1), "delay": n * limit, "pad": n * limit}
    return sum(by_move[move] for move in moves)


def _check(moves: Sequence[str]) -> None:
    for move in moves:
        if move not in MOVES:
            raise unknown_name("move", move, MOVES)


def cut_points(length: int, cuts: int | None) -> Iterator[int]:
    """Lengths of the first piece: all, or ``cuts`` evenly spaced ones.

    >>> list(cut_points(5, None)), list(cut_points(100, 3))
    ([1, 2, 3, 4], [25, 50, 75])
    """
    if cuts is None or length - 1 <= cuts:
        yield from range(1, length)
    else:
        yield from (length * (i + 1) // (cuts + 1) for i in range(cuts))


def _same(move: str, i: int, amount: int, jobs: Sequence[tuple[int, int]]) -> Manipulation:
    return Manipulation(move, i, amount, tuple(jobs), tuple(p for _, p in jobs))


def best_manipulation(
    instance: SharingInstance,
    organization: int,
    *,
    until: int,
    moves: Sequence[str] = MOVES,
    limit: int = 3,
    cuts: int | None = None,
    progress: Progress | None = None,
    **rule: Any,
) -> ManipulationResult:
    """Try every single move of one organization under a rule and report the largest gain in psi_sp at ``until``.

    ``limit`` bounds delays and paddings, ``cuts`` the ways to split each job. ``rule`` and its options are those of
    :func:`consortium.mechanisms.sharing.simulate`; randomness comes from the same seed in every run, so a gain is never
    luck of the draw, but it is a gain under that seed. Ctrl-C keeps the best so far (``complete=False``), or is raised
    where nothing is known yet.

    Raises InputError for an organization that does not exist, another utility than psi_sp, or a generator instead of a
    seed.
    """
    if not 0 <= organization < instance.n_organizations:
        raise InputError(f"organization: found {organization}; expected 0 to {instance.n_organizations - 1}")
    if rule.get("utility", DEFAULT) != DEFAULT:
        raise InputError(f"utility: found {rule['utility']!r}; manipulations are judged in {DEFAULT}")
    if rule.get("rng") is not None:
        raise InputError("rng: give a seed instead, so that every run draws the same")
    honest = throughput(simulate(instance, until=until, **rule).whole())[organization]
    queue = instance.queue(organization)
    cases = count_manipulations(queue, moves, limit, cuts)
    best: Manipulation | None = None
    gain: int | None = None
    done = 0
    try:
        for case in manipulations(queue, moves, limit, cuts):
            found = true_utility(instance, organization, case, until=until, **rule) - honest
            done += 1
            if gain is None or found > gain:
                best, gain = case, found
            if progress is not None:
                progress(done, cases, case.move)
    except KeyboardInterrupt:
        return ManipulationResult(organization, done, honest, gain, best, False)
    return ManipulationResult(organization, done, honest, gain, best, True)


def true_utility(instance: SharingInstance, organization: int, case: Manipulation, *, until: int, **rule: Any) -> int:
    """psi_sp at ``until`` of the true work when the organization presents ``case.jobs``."""
    queue = Presentation.listing(case.jobs, case.true)
    presented = queue.presented(instance, organization)
    outcome = simulate(presented, until=until, **rule).whole()
    first = presented.first
    return queue.worth(outcome.start[int(first[organization]) : int(first[organization + 1])], outcome.until)
