"""Records of coalition searches without a table: what replay proves of them from their joint moves."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

import consortium
from consortium.games.equilibria.coalitions import search as coalitions
from consortium.games.placement import coalition_cuts as cuts
from consortium.support.progress import Clock
from consortium.verbs.claims import Claim
from consortium.verbs.federation import proofs
from consortium.verbs.request import request_of

from ...reports.cases import federation
from ..altering import covers, of_each_field, places, with_altered

JOBS = [[3, 1, 1], [3, 2], [1], [1]]


def searched(jobs: Any, notion: str, method: str, **mechanism: str) -> dict[str, Any]:
    source = federation("coordination") | {"organizations": [{"jobs": row} for row in jobs]}
    source["mechanism"] |= mechanism
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(coalitions, "COMFORTABLE", 0)
        if method == "cuts":
            patch.setattr(cuts, "LISTED", 0)
        found = consortium.search(source, method=method, coalitions=2, notion=notion)
    return json.loads(json.dumps(found.to_dict()))  # type: ignore[no-any-return]


@pytest.fixture(scope="module", params=["branch-and-bound", "cuts"])
def record(request: pytest.FixtureRequest) -> dict[str, Any]:
    """The worst equilibrium costs 4; none of that cost survives a favour, so that claims are needed."""
    return searched(JOBS, "none-lose", request.param)


def rows_of(data: Any) -> dict[str, Any]:
    """What the record proves by itself, by place; nothing is asked again."""
    request = request_of(data, "record")
    assert request is not None
    return {row.key: row for row in proofs.search(Claim.of(data), request, Clock(None))}


VERDICTS = tuple(
    f"coalitions.{name}" for name in ("exists", "worst.social_cost", "best.social_cost", "price_of_anarchy")
)


def test_everything_is_proved(record: dict[str, Any]) -> None:
    (claim,) = record["coalitions"]["certificate"]["claims"]
    assert (claim["at_least"], claim["at_most"]) == (4, 4)
    assert claim["equilibria"] is None or not claim["moves"]
    rows = rows_of(record)
    assert {rows[verdict].holds for verdict in VERDICTS} == {True}
    assert all(row.holds for key, row in rows.items() if key.startswith("coalitions"))


def test_that_there_is_none_is_proved() -> None:
    found = searched([[5, 4], [2], [3, 5]], "all-gain", "branch-and-bound")
    assert found["coalitions"]["exists"] is False
    assert rows_of(found)["coalitions.exists"].holds is True
    found["coalitions"]["certificate"]["claims"] = []
    assert rows_of(found)["coalitions.exists"].holds is None


def test_without_its_claims_a_record_proves_less(record: dict[str, Any]) -> None:
    data = copy.deepcopy(record)
    data["coalitions"]["certificate"] = None
    rows = rows_of(data)
    assert rows["coalitions.worst.social_cost"].holds is None
    assert not [key for key, row in rows.items() if row.holds is False]


def test_altered_claims_are_caught_or_prove_less(record: dict[str, Any], thinning: int) -> None:
    """All but a larger ``at_most``, which is as true: no equilibrium costs so much."""
    keys = [key for key in places(record) if key.startswith("coalitions.certificate") and "at_most" not in key]
    for key in of_each_field(keys)[::thinning]:
        rows = rows_of(with_altered(record, key))
        caught = any(covers(place, key) for place, row in rows.items() if row.holds is False)
        assert caught or rows["coalitions.worst.social_cost"].holds is None, key


NO_MOVES: dict[str, Any] = {
    "nobody": [],
    "out of order": [
        {"organization": "O2", "placement": ["O2", "O2"]},
        {"organization": "O1", "placement": ["O1", "O1", "O1"]},
    ],
    "too many": [{"organization": f"O{k}", "placement": [f"O{k}"] * len(row)} for k, row in enumerate(JOBS[:3], 1)],
    "no such host": [{"organization": "O4", "placement": ["O9"]}],
    "no hosts": [{"organization": "O4", "placement": []}],
}


def test_what_is_no_joint_move_is_refused(record: dict[str, Any]) -> None:
    """Each in a claim of its own; the record's own claim stands before them."""
    data = copy.deepcopy(record)
    claims = data["coalitions"]["certificate"]["claims"]
    claims += [copy.deepcopy(claims[0]) for _ in NO_MOVES]
    for claim, moves in zip(claims[1:], NO_MOVES.values(), strict=True):
        claim["joint_moves"].append({"moves": moves})
    rows = rows_of(data)
    held = [rows[f"coalitions.certificate.claims[{k}]"].holds for k in range(1, len(claims) + 1)]
    assert dict(zip(NO_MOVES, held[1:], strict=True)) == dict.fromkeys(NO_MOVES, False)
    assert held[0] is True


def test_boxes_prove_nothing_with_priority_to_jobs() -> None:
    data = searched([[3, 2], [2, 2], [1]], "total", "cuts", priority="jobs")
    assert rows_of(data)["coalitions.exists"].holds is True
    data["coalitions"]["certificate"]["claims"][0]["equilibria"] = 1
    rows = rows_of(data)
    assert rows["coalitions.certificate.claims[1]"].holds is False
    assert rows["coalitions.exists"].holds is None
