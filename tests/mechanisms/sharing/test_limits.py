"""Where int64 ends: comparisons, values and guards at the edges, against Python's own integers."""

from __future__ import annotations

from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from consortium.mechanisms.sharing import SharingInstance, job_utility, limits, simulate, utilities_of
from consortium.mechanisms.sharing.instance import at_most, narrowed
from consortium.mechanisms.sharing.kernels.events import ENTRIES, PSI
from consortium.mechanisms.sharing.kernels.queues import less_per_share
from consortium.mechanisms.sharing.kernels.ref import fill_potentials
from consortium.mechanisms.sharing.limits import LIMIT
from consortium.mechanisms.sharing.orderings import common_multiple
from consortium.mechanisms.sharing.outcome import ages
from consortium.mechanisms.sharing.simulation import memory
from consortium.support.errors import TooLargeError
from consortium.support.jit import plain

AMOUNT, SHARE = 2**62, 2**31 - 1
EDGES = [2**31 - 2, 2**31 - 1, 2**31, 2**31 + 1, 2**32 - 1, 2**32, 2**32 + 1, 3 * 10**9, 2**40]
"""Lengths of time around which a product of two leaves int64."""


@st.composite
def quotients(draw: st.DrawFn) -> tuple[int, int, int, int]:
    """``a / b`` and a ``c / d`` near it, so that the products differ in their lowest bits only."""
    a = draw(st.integers(0, AMOUNT))
    b, d = draw(st.integers(0, SHARE)), draw(st.integers(0, SHARE))
    near = a * d // b if b else draw(st.integers(0, AMOUNT))
    return a, b, max(0, min(AMOUNT, near + draw(st.integers(-2, 2)))), d


@settings(max_examples=200, deadline=None, derandomize=True)
@given(quotients())
@example((2**31 + 1, 2**31 - 1, 2**31, 2**31 - 2))  # equal but for the carry of the low words
@example((3, 2, 2**31, 2**30 + 1))
@example((AMOUNT, SHARE, AMOUNT - 1, SHARE))
def test_shares_are_compared_as_quotients(given: tuple[int, int, int, int]) -> None:
    """Without shares there is more than any quotient; 10**8 seconds on a real cluster need the second word."""
    a, b, c, d = given
    expected = (d == 0 and a < c) if b == 0 else (d == 0 or a * d < c * b)
    assert less_per_share(a, b, c, d) == expected
    assert plain(less_per_share)(a, b, c, d) == expected


@settings(max_examples=80, deadline=None, derandomize=True)
@given(
    st.lists(st.tuples(st.sampled_from([0, 1, 5, 2**31]), st.sampled_from([1, 3, *EDGES, 2**61])), max_size=4),
    st.sampled_from(EDGES),
)
def test_bounds_and_utilities_at_the_edge_of_a_word(jobs: list[tuple[int, int]], until: int) -> None:
    """The bound is reached where nobody waits, and no product wraps around on the way to it."""
    instance = SharingInstance.of([max(1, len(jobs))], [jobs])
    worth = sum(job_utility(release, length, until) for release, length in jobs)
    span = until - min([release for release, _ in jobs], default=until)
    if span <= 2**31 - 1:
        assert limits.value_bound(instance, until) == worth
    else:
        assert limits.value_bound(instance, until) >= worth
    assert utilities_of(instance, np.minimum(instance.release, until), until) == (worth,)
    outcome = simulate(instance, rule="utility-fair-share", until=until)
    assert outcome.utility == (worth,)
    assert outcome.parts == (sum(max(0, min(length, until - release)) for release, length in jobs),)
    assert outcome.method == ("python" if span > 2**31 - 1 or 2 * worth >= 2**63 else "int64")


def test_sums_of_large_utilities_do_not_wrap() -> None:
    """Each fits a word; together they do not."""
    instance = SharingInstance.of([9], [[(0, 2**31 - 1)] * 9])
    assert utilities_of(instance, np.zeros(9, dtype=np.int64), 2**31 - 1) == (9 * (2**31 - 1) * 2**30,)


@pytest.mark.parametrize("scale", [1, 2**31, 2**40, 2**56, 2**57, 2**58, 2**59, 2**70])
@pytest.mark.parametrize("machines", [3, 2**31 - 1])
def test_the_lowest_free_machine_at_any_scale(scale: int, machines: int) -> None:
    """A moment and a machine share a word: with many machines that word ends sooner."""
    jobs = [(0, 4), (0, 1), (0, 2), (1, 5), (2, 1), (3, 3)]
    instance = SharingInstance.of([machines], [[(r * scale, p * scale) for r, p in jobs]])
    outcome = simulate(instance, rule="fifo", until=9 * scale)
    assert outcome.machine.tolist() == [0, 1, 2, 1, 2, 2]
    listed = simulate(instance, rule="direct-contribution", until=9 * scale, machine_order="listed")
    assert listed.machine.tolist() == [0, 1, 2, 1, 2, 2]


def test_columns_are_narrow_where_they_may_be() -> None:
    for largest, kind in ((2**61, "int64"), (2**61 + 1, "object"), (-(2**61) - 1, "object")):
        assert narrowed(np.array([0, largest], dtype=object)).dtype == kind
    column = np.array([3, 2**80], dtype=object)
    assert at_most(column, 2**61).tolist() == [3, 2**61]
    assert at_most(column, 2**61).dtype == np.int64
    assert at_most(np.array([3, 2**61]), 2**62).tolist() == [3, 2**61]
    assert at_most(column, 2**62).dtype == object


@pytest.mark.parametrize("until", [5, 2**61, 2**61 + 1, 2**63 - 1, 2**63, 2**64, 2**70])
def test_ages_at_moments_of_any_size(until: int) -> None:
    """Starts are small numbers; the moment need not be one."""
    assert ages(np.array([-1, 0, 5]), until).tolist() == [0, until, until - 5]


# --- memory ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("machines", "rule", "options"),
    [
        ([10**9], "direct-contribution", {}),
        ([10**9], "direct-contribution-printed", {}),
        ([1] * 19, "ref", {}),
        ([1] * 13, "ref", {"utility": "flow-time"}),
        ([1] * 17, "rand", {"samples": "all"}),
        ([1], "rand", {"samples": 10**7 + 1}),
    ],
)
def test_what_is_too_large_is_refused_with_its_limit(
    machines: list[int], rule: str, options: dict[str, object]
) -> None:
    instance = SharingInstance.of(machines, [[(0, 1)]] + [[]] * (len(machines) - 1))
    with pytest.raises(TooLargeError, match="the limit is") as told:
        memory(instance, rule, until=3, **options)  # type: ignore[arg-type]
    with pytest.raises(TooLargeError) as ran:
        simulate(instance, rule=rule, until=3, **options)  # type: ignore[arg-type]
    assert str(told.value) == str(ran.value)


@pytest.mark.parametrize("rule", ["fifo", "fair-share", "ref", "rand"])
def test_machines_that_no_job_can_use_take_no_memory(rule: str) -> None:
    instance = SharingInstance.of([10**9, 10**9], [[(0, 2)] * 3, [(1, 2)]])
    assert memory(instance, rule) < 10**5
    outcome = simulate(instance, rule=rule, until=9)
    assert outcome.machine.tolist() == [0, 1, 2, 3]


def test_memory_of_coalitions_grows_with_what_can_run_at_once() -> None:
    """Half of all coalitions hold an organization's machines; sixteen with a million busy ones are too many."""
    jobs = SharingInstance.from_columns(
        [1000] * 8, np.repeat(np.arange(8), 1000), np.zeros(8000, int), np.ones(8000, int)
    )
    assert 8 * 128 * 8 * 1000 < memory(jobs, "ref") < 2 * 8 * 128 * 8 * 1000
    many = SharingInstance.from_columns(
        [2000] * 16, np.repeat(np.arange(16), 2000), np.zeros(32000, int), np.ones(32000, int)
    )
    assert LIMIT < 8 * 2**15 * 32000
    with pytest.raises(
        TooLargeError, match=r"ref would take .* GiB for 32,000 machines and 32,000 jobs; the limit is 4.0 GiB"
    ):
        memory(many, "ref")


def test_potentials_in_two_words_are_exact() -> None:
    """With the common multiple of 18 organizations a word is full to its last bits: no division may pass by floats."""
    rng, members, multiple = np.random.default_rng(1), 6, common_multiple(17)
    sizes = np.array([mask.bit_count() for mask in range(2**members)])
    whole = np.zeros((2**members, ENTRIES), np.int64)
    whole[1:, PSI] = rng.integers(2**55, 2**56, 2**members - 1)
    work = SimpleNamespace(stamp=np.full(2**members, -1), potential=np.zeros((2, 2**members), np.int64))
    fixed = SimpleNamespace(limbs=2, step=0, multiple=multiple, sizes=sizes)
    plain(fill_potentials)(fixed, SimpleNamespace(whole=whole), work, 2**members - 1, 0)
    exact = [Fraction(0)]
    for mask in range(1, 2**members - 1):
        others = sum((exact[mask ^ 1 << u] for u in range(members) if mask >> u & 1), Fraction(0))
        exact.append((int(whole[mask, PSI]) + others) / mask.bit_count())
        high, low = work.potential[:, mask].tolist()
        assert (high << 31) + low == multiple * exact[mask]
