"""Users and communities: what is refused, and how lengths become integers."""

from __future__ import annotations

from fractions import Fraction

import pytest

from consortium.agents.users import Community, User
from consortium.support.errors import InputError, UnknownNameError
from consortium.support.exact import INF


def test_lengths_are_scaled_to_one_grid() -> None:
    shared = Community.of(("makespan", ["1/2", "1/3"]), ("total-completion", [1]))
    assert shared.sizes == ((3, 2), (6,))
    assert shared.unit == Fraction(1, 6)
    assert shared.works == (5, 6)
    assert shared.work == 11
    assert shared.makespan_users == (0,)
    assert shared.completion_users == (1,)
    assert shared.in_time(3) == Fraction(1, 2)


def test_thresholds_are_read_in_time_and_returned_in_units() -> None:
    shared = Community.of(("makespan", ["1/2"]), ("total-completion", [1]))
    assert shared.thresholds(["3/4", "none"]) == (Fraction(3, 2), INF)
    assert shared.thresholds([2, None]) == (Fraction(4), INF)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: User.of("ann", "makespan", []), "user 'ann': no jobs; expected at least one"),
        (lambda: User.of("ann", "makespan", [1, 0]), "user 'ann': job 2 has length 0; expected more than 0"),
        (lambda: User.of("ann", "makespan", [-1]), "user 'ann': job 1 has length -1; expected more than 0"),
        (lambda: Community(()), "users: none given; expected at least one"),
        (lambda: Community.of(("makespan", [1]), machines=0), "machines = 0; expected at least 1"),
        (
            lambda: Community((User.of("a", "makespan", [1]), User.of("a", "makespan", [2]))),
            "users[2].name: 'a' is taken; names must differ",
        ),
        (
            lambda: Community.of(("makespan", [1])).thresholds([1, 2]),
            "thresholds: found 2; expected one per user, 1",
        ),
    ],
)
def test_bad_input_is_named(make, message) -> None:
    with pytest.raises(InputError) as error:
        make()
    assert str(error.value) == message


def test_a_misspelt_objective_names_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'makespan'"):
        User.of("ann", "makspan", [1])


def test_floats_are_refused() -> None:
    with pytest.raises(InputError, match=r"found the float 0\.5; write '1/2'"):
        User.of("ann", "makespan", [0.5])
