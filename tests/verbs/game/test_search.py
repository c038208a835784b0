"""``start`` of a search, in whatever shape: a search, or an error of ours in words."""

from __future__ import annotations

import random
from typing import Any

import pytest

import consortium
from consortium.support.errors import ConsortiumError

FEDERATION: dict[str, Any] = {
    "format": 1, "kind": "federation", "mechanism": {"rule": "coordination"},
    "organizations": [{"jobs": [6]}, {"jobs": [3, 2]}],
}  # fmt: skip
DECLARATION: dict[str, Any] = {
    "format": 1, "kind": "declaration", "cluster": {"powers": [1]}, "mechanism": {"rule": "light-vcg"},
    "agents": [{"name": "ann", "length": 2}, {"name": "bob", "length": 1}],
}  # fmt: skip
PIECES: list[Any] = [
    1, 0, -1, 2.5, None, True, "O1", "O2", "ann", "bob", "x", "1/2", "1/0", "", [], {}, [[]], ["O1"], ["O2", "O1"],
    [["O1"]], {"O1": 1}, [1, 2], 10**30, 10**400,
]  # fmt: skip


def starts(rng: random.Random) -> Any:
    """A table, or a list, of what belongs there and of what does not."""
    few = [rng.choice(PIECES) for _ in range(rng.randrange(4))]
    if rng.random() < 0.5:
        return few
    return {rng.choice(("O1", "O2", "ann", "bob", "x", "")): value for value in few}


@pytest.mark.parametrize("scenario", [FEDERATION, DECLARATION], ids=["federation", "declaration"])
def test_a_start_of_any_shape_is_searched_from_or_refused(scenario: dict[str, Any]) -> None:
    rng = random.Random(6223)
    for _ in range(30):
        start = starts(rng)
        try:
            consortium.search(scenario, start=start)
        except ConsortiumError as error:
            assert str(error)


def test_a_placement_can_be_listed_in_order() -> None:
    listed = consortium.search(FEDERATION, start=[["O2"], ["O1", "O2"]])
    named = consortium.search(FEDERATION, start={"O1": ["O2"], "O2": ["O1", "O2"]})
    assert listed.to_dict()["dynamics"] == named.to_dict()["dynamics"]


def test_a_list_of_other_length_is_refused() -> None:
    with pytest.raises(ConsortiumError, match="start: found a list of 3; expected the hosts of 2 organizations"):
        consortium.search(FEDERATION, start=[1, 2, 3])
