"""``start`` of a search, in whatever shape: a search, or an error of ours in words."""

from __future__ import annotations

import random
from typing import Any

import pytest

import consortium
from consortium.support.errors import ConsortiumError, TooLargeError

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


PRIOR = {"lengths": {"1": "1/2", "2": "1/2"}}
TOPICS: dict[str, Any] = {
    "coalitions": 2, "correlated": "coarse", "dynamics": "regret-matching", "potential": True, "quantal": 1,
    "mixed": True, "bayesian": True,
}  # fmt: skip


@pytest.mark.parametrize(
    ("most", "refused"), [(100, {"equilibria", "coalitions", "correlated", "quantal"}), (1024, set())]
)
def test_what_is_out_of_reach_does_not_keep_the_rest_from_an_answer(
    most: int, refused: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each topic that needs a table is refused by name where there is no room for it, whatever else is asked."""
    monkeypatch.setattr("consortium.games.equilibria.potential.classify.MAX_CELLS", 7 if refused else 8)
    scenario = DECLARATION | {"prior": PRIOR, "domain": {"declarations": [1, 2]}}
    topics = {"rounds": 5, "max_bytes": most, **TOPICS}
    record = consortium.search(scenario, **topics)
    data = record.to_dict()
    assert {*(record.refused or {})} == refused | ({"potential"} if refused else set())
    assert record.complete is not bool(refused)
    for name in ("dynamics", "bayes_nash"):
        assert data[name] is not None
    estimate = consortium.estimate("search", scenario, **topics)
    for name, reason in (record.refused or {}).items():
        assert data.get(name) is None or name == "equilibria"
        assert f"Not answered: {name} ({reason})." in str(record)
        assert f"not answered: {name} ({reason})" in estimate.note or name == "coalitions"  # found out on the way
    rows = consortium.check(data)
    assert rows
    assert all(row.holds for _, _, row in rows)
    with pytest.raises(TooLargeError, match="table: 4 profiles need"):
        consortium.search(scenario, correlated="coarse", max_bytes=100)  # nothing is left to answer
