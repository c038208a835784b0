"""Dry runs count steps, and refuse what the run refuses."""

from __future__ import annotations

import pytest

import consortium
from consortium.api import estimate
from consortium.support.errors import TooLargeError
from consortium.verbs.sharing.model import log_of, plan

from .files import scenario


def test_dry_runs(traced) -> None:
    assert estimate("run", scenario()).size == 3 * 2
    assert estimate("run", scenario("fifo")).size == 3 + 3 * 2
    moves = sum(row.cases for row in consortium.verify(scenario()).manipulation.each)
    assert estimate("verify", scenario()).size == (1 + moves) * 3 * 2
    assert (
        estimate("verify", scenario(), property="delay", max_delay=10**9, organization="n2").size == (1 + 10**9) * 3 * 2
    )
    assert estimate("compare", scenario()).size == 3 * (2 + 31 + 9)
    first = len(plan(consortium.load(traced)).window(log_of("log.swf", consortium.load(traced).folder)))
    assert estimate("compare", traced).size == 3 * first * (4 + 31 + 9)


@pytest.mark.parametrize(
    "data",
    [
        scenario("direct-contribution", organizations=((10**9, [(0, 3)]),)),
        scenario("ref", organizations=((1, [(0, 1)]),) * 19),
        scenario("rand", organizations=((1, [(0, 1)]),) * 17, samples="all"),
        scenario("rand", epsilon="1/1000000", confidence="9/10"),
        scenario("ref", organizations=((1, [(0, 1, 1)]),) * 13, utility="tardiness"),
    ],
)
def test_a_dry_run_refuses_what_the_run_refuses(data) -> None:
    for verb in ("run", "compare", "verify"):
        if verb == "verify" and "utility" in data["mechanism"]:
            continue  # no rule runs: its axioms are checked
        said = []
        for door in (getattr(consortium, verb), lambda source, verb=verb: estimate(verb, source)):
            with pytest.raises(TooLargeError, match="limit is") as caught:
                door(data)
            said.append(str(caught.value))
        assert said[0] == said[1]
