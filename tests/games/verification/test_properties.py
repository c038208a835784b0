"""Properties by tables and by running, against their definitions written down plainly."""

from __future__ import annotations

from fractions import Fraction as F
from typing import Any

import pytest

from consortium.games.verification.check import Verifier
from consortium.games.verification.domain import Domain
from consortium.games.verification.properties import Property
from consortium.games.verification.results import MARGINS, PROPERTIES
from consortium.games.verification.running import Runs, check_by_running
from consortium.mechanisms.declaration import build
from consortium.scheduling.clusters import Cluster

from ...sweeps import full
from . import plain, twins

QUESTIONS = [*((name, False) for name in PROPERTIES), *((name, True) for name in MARGINS)]


def check_property(mechanism: Any, domain: Domain, name: str, any_others: bool = False) -> Any:
    return Verifier(mechanism, domain).property(name, any_others)


def run_every_case(mechanism: Any, domain: Domain, name: str, any_others: bool = False) -> Any:
    return check_by_running(Property(Runs(mechanism), domain, name, any_others))


@pytest.mark.parametrize("seed", [*range(88, 88 + 14 * 5, 5), *full(range(5000, 5000 + 15 * 42))])
def test_properties_equal_the_definitions(seed: int) -> None:
    mechanism, twin, domain = twins.situation(seed)
    for name, any_others in QUESTIONS:
        wanted = plain.property_of(twin, domain.lengths, domain.declarations, name, any_others)
        for check in (
            check_property(mechanism, domain, name, any_others),
            run_every_case(mechanism, domain, name, any_others),
        ):
            assert (check.holds, check.cases) == wanted, (seed, name, any_others)
            assert check.complete
            assert check.exact
            if check.witness is not None:
                confirm(twin, name, check.witness)


def confirm(twin: object, name: str, w: object) -> None:
    """The witness shows what it says, in the plain reference."""
    n, b, theta, values = w.agent, w.declarations, w.lengths, w.values
    if name in ("rent_nonnegative", "budget_balanced"):
        assert sum(twin.payments(b, theta or b)) == values["rent"]
        assert values["rent"] < 0 or name == "budget_balanced"
    elif name == "just":
        assert (twin.run(b, b)[0][n], twin.run(b, theta)[0][n]) == (values["planned"], values["output"])
        assert values["planned"] < values["output"]
    elif name in MARGINS:
        side = -1 if name == "upper_margin" else 1
        assert values["utility"] == twin.run(b, theta)[2][n]
        assert values["limit"] == plain.limit(twin, b, theta, n, side) != values["utility"]
    elif name == "priced_in_advance":
        assert (
            twin.payments(b, b)[n] == values["payment_as_declared"] != values["payment"] == twin.payments(b, theta)[n]
        )
    elif name == "individually_rational":
        assert twin.run(b, theta)[2][n] == values["utility"] < 0
    else:
        assert twin.run(b, theta)[0][n] == values["output"] == float("inf")


def test_only_truthful_others_make_an_agent_poor() -> None:
    """Shortest first: 5 runs ahead of 6 and ends at its value; behind a 6 that declares 1 it would end below."""
    mechanism = build("straightforward", Cluster.of([1]), values=[5, 11])
    domain = Domain.of([[5], [6]], [[], [1]])
    for check in (check_property, run_every_case):
        found = check(mechanism, domain, "individually_rational")
        assert (found.holds, found.cases) == (True, 2)


def test_limits_are_taken_nearer_than_the_slack_of_the_smallest_share() -> None:
    """The first job ends 1/100 early, so the second, at a share of 1/100, is late from 1/10000 beyond the truth on."""
    mechanism = build("evcg-renice", Cluster.of([1]), penalty=(F(1), F(1, 100)))
    domain = Domain.of([[F(99, 100)], [2]], [[1], []])
    for check in (check_property, run_every_case):
        found = check(mechanism, domain, "lower_margin", any_others=True)
        assert (found.holds, found.exact) == (False, True)
        assert found.witness.values == {"utility": F(-399, 100), "limit": F(-4)}
