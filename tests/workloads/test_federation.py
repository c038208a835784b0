"""The thesis's instances and its random workload."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from consortium.support.errors import InputError
from consortium.workloads import federation as families


def test_instances_have_the_shapes_of_the_figures():
    assert families.figure_3_3(4).jobs == ((1, 1, 1, 1), (3,), (3,), (3, 3))
    assert sum(map(sum, families.family_1(5).jobs)) == 5
    assert len(families.family_2(3, 2).jobs) == 7
    assert families.figure_5_5(3, repaired=False).jobs == ((1,) * 7, (1,) * 7, (4, 3), (1,), (1,), (1,))
    assert families.figure_5_5(2).jobs == ((3, 1, 1), (3, 2), (1,), (1,))
    assert sum(len(row) for row in families.figure_5_5(4, repaired=False).jobs) == 33
    assert families.corollary_5_7().jobs[3] == (42, 2)


def test_priorities_of_the_games_with_priority_to_jobs():
    one = families.figure_5_1("1/10")
    assert one.jobs[3] == (Fraction(6, 5),) * 2
    assert (one.priorities[4][1], one.priorities[3][1], one.priorities[4][2], one.priorities[4][3]) == (1, 2, 3, 4)
    two = families.figure_5_2([10, 10])
    assert two.jobs == ((1,), (1,), (14, 10, 10), (14, 1, 3), (14, Fraction(5, 2)))
    assert families.figure_5_2([10, 10], repaired=False).jobs[2][0] == 13
    flat = sorted(
        (r, p) for rows, ranks in zip(two.jobs, two.priorities, strict=True) for p, r in zip(rows, ranks, strict=True)
    )
    assert [r for r, _ in flat] == list(range(1, 11))
    assert [p for _, p in flat][3:] == [1, 1, 1, Fraction(5, 2), 3, 14, 14]


def test_tables_of_a_scenario():
    assert families.figure_5_2([2]).tables()[0] == {"jobs": [{"length": 1, "priority": 3}]}
    assert families.figure_4_1().tables() == [{"jobs": [1, 1]}, {"jobs": ["1/3"]}, {"jobs": ["2/3"]}]


def test_zipf_workload_repeats_and_has_the_stated_shape():
    draw = [families.zipf_federations(np.random.default_rng(4), 20, 100, 500) for _ in range(2)]
    assert (draw[0][0] == draw[1][0]).all()
    sizes, counts = draw[0]
    assert sizes.min() >= 1
    assert sizes.max() <= 1000
    assert abs((counts == 0).sum(axis=1).mean() - 4.6) < 0.3
    share = counts.mean(axis=0) / 100
    assert abs(share[0] / share[1] - 2**1.4267) < 0.2


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: families.figure_3_2(1), "n = 1; expected at least 2"),
        (lambda: families.family_2(3, 1), "k = 1; expected at least 2"),
        (lambda: families.figure_5_1(0), "delta = 0"),
        (lambda: families.figure_5_2([10, 11]), "even sum"),
        (lambda: families.zipf_federations(np.random.default_rng(1), 0, 3), "organizations = 0"),
    ],
)
def test_impossible_sizes_are_refused(make, message):
    with pytest.raises(InputError, match=message):
        make()
