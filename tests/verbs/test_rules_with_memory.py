"""Rules of one's own that draw or remember: two plays of the same differ, and that is said in a sentence."""

from __future__ import annotations

import itertools
import random
from typing import Any

import pytest

import consortium
from consortium.agents import Federation
from consortium.mechanisms.declaration import build
from consortium.scheduling.clusters import Cluster
from consortium.support.errors import MechanismError

HARSH = build("harsh", Cluster.of([1]))
WORDS = "expected a rule whose answer depends on nothing else"


class Draws:
    """Payments at random."""

    def run(self, declared: Any, lengths: Any) -> Any:
        outcome = HARSH.run(declared, lengths)
        return type("Answer", (), {"output": outcome.output, "payments": [random.randrange(10**6) for _ in lengths]})


class Remembers:
    """Who was served first last time is served last."""

    def __init__(self) -> None:
        self.turn = itertools.cycle((1, -1))

    def run(self, declared: Any, lengths: Any) -> Any:
        outcome = HARSH.run(declared[:: next(self.turn)], lengths)
        return type("Answer", (), {"output": outcome.output, "payments": outcome.payments})

    def schedule(self, community: Any) -> Any:
        yield 0, 0, 0, next(self.turn) + 1


class Tires:
    """Serves the first who waits, and from the third time on the last."""

    asked = 0

    def choose(self, pool: Any) -> int:
        self.asked += 1
        return int(pool.waiting[0 if self.asked < 3 else -1])


class Federated(Remembers):
    """One job of two goes first, then the other."""

    def run(self, federation: Federation) -> Any:  # type: ignore[override]
        first = (next(self.turn) + 1) // 2
        return [(first, 0, 0, 0, 0), (1 - first, 0, 0, 0, 1)]


class Policy:
    """The jobs in one order once, then in the other."""

    objective = "total-completion"

    def __init__(self) -> None:
        self.turn = itertools.chain([1], itertools.repeat(-1))

    def order(self, host: int, jobs: Any) -> Any:
        return list(jobs)[:: next(self.turn)]


@pytest.mark.parametrize(
    ("verb", "options"),
    [("run", {}), ("verify", {}), ("verify", {"sample": 5}), ("search", {}), ("curve", {"agent": "ann"})],
)
@pytest.mark.parametrize("rule", [Draws, Remembers])
def test_of_declarations(rule: Any, verb: str, options: dict[str, Any]) -> None:
    with pytest.raises(MechanismError, match=rf"{rule.__name__}\.run: asked twice for lengths \(.*{WORDS}"):
        consortium.ask(verb, "agmon2003/5.2.1", mechanism=rule(), **options)


def test_of_federations() -> None:
    data = {
        "format": 1,
        "kind": "federation",
        "organizations": [{"jobs": [1]}, {"jobs": [1]}],
        "mechanism": {"rule": "local"},
    }
    with pytest.raises(MechanismError, match=rf"Federated.run: asked twice for these jobs, .*{WORDS}"):
        consortium.verify(data, mechanism=Federated())
    data["organizations"] = [{"jobs": [1, 2]}, {"jobs": []}]
    with pytest.raises(MechanismError, match=rf"Policy.order: asked twice for every job at home, .*{WORDS}"):
        consortium.search(data, mechanism=Policy())


def test_of_users_and_of_the_pool() -> None:
    with pytest.raises(MechanismError, match=rf"Remembers.schedule: asked twice for these users, .*{WORDS}"):
        consortium.run("minimal/multiuser", mechanism=Remembers())
    pool = {
        "format": 1,
        "kind": "sharing",
        "until": 9,
        "organizations": [{"machines": 1, "jobs": [[0, 2], [0, 1], [0, 1]]}, {"machines": 0, "jobs": [[0, 1]]}],
        "mechanism": {"rule": "fifo"},
    }
    with pytest.raises(MechanismError, match=rf"Tires.choose: asked twice for these jobs, .*{WORDS}"):
        consortium.verify(pool, mechanism=Tires())


class Squares:
    """Everybody pays the square of what she declares, which no straight line is: margins are limits without a proof."""

    def run(self, declared: Any, lengths: Any) -> Any:
        output = HARSH.run(declared, lengths).output
        return type("Answer", (), {"output": output, "payments": [b * b for b in declared]})


def test_exact_is_about_what_was_asked() -> None:
    asked = {"mechanism": Squares(), "overrides": {"cluster.powers": [1]}}
    found = consortium.verify("agmon2003/5.2.1", **asked)
    assert found.exact
    assert not consortium.verify("agmon2003/5.2.1", property="upper-margin", **asked).exact
