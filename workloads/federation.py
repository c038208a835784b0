r"""Jobs of organizations: the random workload of the thesis's simulations, and its families of instances.

:func:`zipf_federations` draws the workload of Cordeiro 2012, section 3.5: each job belongs to organization ``k`` with a
probability proportional to ``k^-1.4267`` and has a length uniform on 1..1000. The other functions build the instances
behind its figures, as plain numbers (an :class:`Instance`), for any size the figure allows.

>>> figure_3_2(3).jobs
((3, 3), (1, 1, 1), (1, 1, 1))
>>> sizes, counts = zipf_federations(np.random.default_rng(1), organizations=5, jobs=100, instances=2)
>>> sizes.shape, counts.sum(axis=1).tolist()
((2, 100), [100, 100])
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..support.errors import InputError

ZIPF_EXPONENT = 1.4267
"""How unevenly users of real grids belong to virtual organizations (Iosup et al. 2006, as cited in section 3.5)."""

Length: TypeAlias = int | Fraction


class Instance(NamedTuple):
    """Lengths of the jobs of every organization, each with one machine, as a figure has them.

    Where jobs have priority, ``priorities`` are theirs, 1 the highest.
    """

    jobs: tuple[tuple[Length, ...], ...]
    priorities: tuple[tuple[int, ...], ...] | None = None

    def tables(self) -> list[dict[str, Any]]:
        """The ``[[organizations]]`` of a scenario.

        >>> figure_4_1().tables()[1]
        {'jobs': ['1/3']}
        """
        rows: list[list[Any]] = [[p if isinstance(p, int) else str(p) for p in lengths] for lengths in self.jobs]
        if self.priorities is not None:
            rows = [
                [{"length": length, "priority": rank} for length, rank in zip(row, ranks, strict=True)]
                for row, ranks in zip(rows, self.priorities, strict=True)
            ]
        return [{"jobs": row} for row in rows]


def zipf_federations(
    rng: np.random.Generator,
    organizations: int,
    jobs: int,
    instances: int = 1,
    exponent: float = ZIPF_EXPONENT,
    longest: int = 1000,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Random instances of the simulations: lengths uniform on 1..longest, jobs to organizations by Zipf's law.

    Returns lengths, organization after organization, of shape (instances, jobs), and how many belong to each, of shape
    (instances, organizations). An organization may get no job: of 20 organizations and 100 jobs about 4.6 do. The same
    state of the generator gives the same instances.
    """
    if organizations < 1 or jobs < 0 or instances < 0 or longest < 1:
        raise InputError(
            f"organizations = {organizations}, jobs = {jobs}, instances = {instances}, longest = {longest}; "
            "expected at least 1, 0, 0 and 1"
        )
    weight = np.arange(1, organizations + 1, dtype=float) ** -exponent
    counts = rng.multinomial(jobs, weight / weight.sum(), size=instances)
    sizes = rng.integers(1, longest + 1, size=(instances, jobs))
    return sizes.astype(np.int64), counts.astype(np.int64)


def _at_least(name: str, value: int, least: int) -> None:
    if value < least:
        raise InputError(f"{name} = {value}; expected at least {least}")


def figure_3_2(n: int) -> Instance:
    """Local constraints cost half: ``OPT = N + 1``, with them ``N + ceil(N/2)``, with selfishness ``2N``."""
    _at_least("n", n, 2)
    return Instance(((n, n), *((1,) * n for _ in range(n - 1))))


def figure_3_3(n: int) -> Instance:
    """Selfishness costs ``2 - 2/N`` against the optimum with local constraints: ``2N - 2`` against ``N``."""
    _at_least("n", n, 3)
    return Instance(((1,) * n, *((n - 1,) for _ in range(n - 2)), (n - 1, n - 1)))


def figure_4_1() -> Instance:
    """The smallest trade-off: Pareto points (1; 4/3) and (3/2; 1)."""
    return Instance(((1, 1), (Fraction(1, 3),), (Fraction(2, 3),)))


def family_1(n: int) -> Instance:
    """Figure 4.3: ``N - 1`` unit jobs and as many short ones; Pareto points (1; 1 + 1/(N-1)) and (N - 1; 1), N >= 3."""
    _at_least("n", n, 3)
    short = Fraction(1, n - 1)
    return Instance(((1,) * (n - 1), *((short,) for _ in range(n - 1))))


def family_2(j: int, k: int) -> Instance:
    """Figure 4.5: Pareto points (1; 2 - 1/j) and (j/(j-1); 1), for ``j > 1`` and ``k > j - 2``."""
    _at_least("j", j, 2)
    _at_least("k", k, max(j - 1, 1))
    a = [(Fraction(j - 1, j),) for _ in range((j - 1) * k)]
    b = [(Fraction(1, j),) * (j - 1) for _ in range(k)]
    return Instance((*a, *b, (1,) * (k + 1)))


def figure_5_1(delta: Length | str) -> Instance:
    """No epsilon-approximate equilibrium below ``(2 + 4 delta) / (1 + 3 delta)`` with priority to jobs."""
    d = Fraction(delta)
    if d <= 0:
        raise InputError(f"delta = {d}; expected more than 0")
    long = 1 + 2 * d
    return Instance(
        ((d,), (d,), (d,), (long, long), (long, long, long, long)),
        priorities=((5,), (6,), (7,), (8, 2), (9, 1, 3, 4)),
    )


def figure_5_2(parts: Sequence[int], repaired: bool = True) -> Instance:
    """The reduction of Theorem 5.5 from PARTITION of ``parts`` (their sum even).

    Printed, the three large jobs have length ``S/2 + 3`` and equilibria exist although the parts can be split; with
    ``S/2 + 4`` (repaired) they do not. Jobs of O3 come first, the others by length; ties by organization, then job.
    """
    if sum(parts) % 2 or not parts or min(parts) < 1:
        raise InputError(f"parts = {list(parts)}; expected positive integers with an even sum")
    large = sum(parts) // 2 + (4 if repaired else 3)
    jobs: tuple[tuple[Length, ...], ...] = (
        (1,),
        (1,),
        (large, *parts),
        (large, 1, 3),
        (large, Fraction(5, 2)),
    )
    listed = [(k != 2, p if k != 2 else 0, k, i) for k, row in enumerate(jobs) for i, p in enumerate(row)]
    rank = {(k, i): r + 1 for r, (_, _, k, i) in enumerate(sorted(listed))}
    priorities = tuple(tuple(rank[k, i] for i in range(len(row))) for k, row in enumerate(jobs))
    return Instance(jobs, priorities=priorities)


def figure_5_5(k: int, repaired: bool = True) -> Instance:
    """The price of anarchy of priority to organizations: ``2K`` against ``K + 1``.

    Printed, the first ``K - 1`` organizations have ``2K + 1`` unit jobs, and the profile of the figure is no
    equilibrium for ``K >= 3``; repaired, the ``K + 1`` that stay at home are one job of that length.
    """
    _at_least("k", k, 2)
    rich = ((k + 1,) + (1,) * k) if repaired else (1,) * (2 * k + 1)
    return Instance((*(rich for _ in range(k - 1)), (k + 1, k), *((1,) for _ in range(k))))


def corollary_5_7(last: int = 2) -> Instance:
    """Counterexample: no pure equilibrium although organizations have priority; with 1 instead of 2 there is one."""
    return Instance(((35, 22, 22, 17, 13, 5), (14,), (9,), (42, last)))


def sharp_price(n: int) -> Instance:
    """The largest price of anarchy, and of stability, of ``n`` organizations: 4/3 for two, ``2 - 1/(n - 1)`` for more.

    Every equilibrium costs ``2n - 3`` against ``n - 1`` (4 against 3 for two), when ``n`` is odd or O1 comes before O2.
    """
    _at_least("n", n, 2)
    if n == 2:
        return Instance(((2, 2), (1, 1)))
    return Instance(((n - 1, n - 1), (1,) * (n - 2), *((n - 2,) for _ in range(n - 2))))


def sharp_ratio(n: int) -> Instance:
    """The largest ratio of SPT-LPT, and of ILBA and Less Helped First with other lists: ``2n - 1`` against ``n``."""
    _at_least("n", n, 2)
    return Instance(((1,) * (n - 1), (n - 1, n), *((n - 1,) for _ in range(n - 2))))
