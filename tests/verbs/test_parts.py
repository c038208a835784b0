"""An answer is complete, exact and proved only if all of its parts are: every combination of them, each verb."""

from __future__ import annotations

import dataclasses
import importlib
import itertools
from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple

import pytest

import consortium
from consortium.agents.organizations import Federation
from consortium.agents.users import Community
from consortium.games.proofs.parameters import Interval
from consortium.mechanisms.federation import optimal
from consortium.mechanisms.multiuser.refinement import refine
from consortium.scheduling.clusters import Cluster
from consortium.scheduling.makespan import Instance, smallest_makespan
from consortium.verbs.declaration import verify as verifying

from ..reports.cases import PRISONERS, SAFE, believed, cluster, federation, pool, swapping


class Part(NamedTuple):
    """A function of a module, and what becomes of its answer where it was stopped."""

    place: str
    change: Callable[[Any], Any]

    def kept(self, patch: pytest.MonkeyPatch) -> Callable[[bool], None]:
        """Make the function work once only; returns what says whether it was stopped."""
        module, _, name = self.place.partition(":")
        whole, answers, stopped = getattr(importlib.import_module(f"consortium.{module}"), name), [], [False]

        def call(*args: Any, **more: Any) -> Any:
            if not answers:
                answers.append(whole(*args, **more))
            return self.change(answers[0]) if stopped[0] else answers[0]

        patch.setattr(f"consortium.{module}.{name}", call)
        return lambda now: stopped.__setitem__(0, now)


def replaced(**values: Any) -> Callable[[Any], Any]:
    return lambda answer: dataclasses.replace(answer, **values)


def one_open(answers: dict[str, Any]) -> dict[str, Any]:
    """The last of some answers by name is not known."""
    *_, last = answers
    return answers | {last: dataclasses.replace(answers[last], holds=None)}


def one_unfinished(answers: dict[str, Any]) -> dict[str, Any]:
    """The first of some analyses is a row that is not complete."""
    first, *_ = answers
    return answers | {first: (answers[first][0], False)}


COMBINATIONS = [*itertools.product((True, False), repeat=2)]

VERBS: dict[str, tuple[Callable[[], Any], tuple[Part, ...]]] = {
    "search": (
        lambda: consortium.search(PRISONERS, mixed=True, coalitions=2, potential=True),
        (
            Part("games.enumeration:enumeration_search", replaced(complete=False)),
            Part("games.search:best_response_dynamics", replaced(complete=False)),
            Part("games.search:mixed_equilibria", replaced(stopped=True)),
            Part("verbs.game.search:answers", one_unfinished),
        ),
    ),
    "search with a prior": (
        lambda: consortium.search(believed("light-vcg"), bayesian=True),
        (
            Part("verbs.declaration.search:searched", lambda answer: (answer[0], answer[1] | {"complete": False})),
            Part("verbs.declaration.search:bayes_nash", replaced(complete=False)),
        ),
    ),
    "prove": (
        lambda: consortium.prove("agmon2003/5.3-constant-safe", **SAFE),
        (
            Part("verbs.declaration.prove:_proofs", lambda proofs: proofs | {"dominant": opened(proofs["dominant"])}),
            Part("verbs.declaration.prove:_safe_values", replaced(open=(Interval(Fraction(1), Fraction(2)),))),
        ),
    ),
    "verify of a federation": (
        lambda: consortium.verify(swapping(), coalitions=2),
        (
            Part("verbs.federation.run:_claims", one_open),
            Part("verbs.federation.run:equilibrium", replaced(holds=None)),
            Part("verbs.federation.run:coalition", replaced(holds=None)),
        ),
    ),
    "compare of a pool": (
        lambda: consortium.compare(pool("fifo"), rules=["fifo", "ref"]),
        (
            Part("verbs.sharing.compare:simulate", replaced(complete=False)),
            Part("verbs.sharing.compare:reference", replaced(complete=False)),
        ),
    ),
}


def opened(proof: Any) -> Any:
    return dataclasses.replace(proof, holds=None)


@pytest.mark.parametrize("name", VERBS)
def test_an_answer_is_complete_if_every_part_is(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    ask, parts = VERBS[name]
    switches = [part.kept(monkeypatch) for part in parts]
    for stopped in itertools.product((False, True), repeat=len(parts)):
        for switch, now in zip(switches, stopped, strict=True):
            switch(now)
        assert ask().complete is not any(stopped), [*itertools.compress(parts, stopped)]


def test_claims_that_nobody_can_check_leave_nothing_open(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("consortium.verbs.federation.run._unchecked", lambda model: True)
    record = consortium.verify(federation("coordination"))
    assert record.complete
    assert {claim.limit for claim in record.claims.values()} == {"checker"}


STATES = {
    "complete": {"holds": True, "complete": True},
    "refuted": {"holds": False, "complete": True},
    "stopped": {"holds": None, "complete": False},
}


def test_a_verification_is_complete_if_what_was_asked_for_is_known_and_nothing_was_stopped(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Whatever else was stopped, what was asked for is what it is."""
    whole, answers = verifying.audit, []

    def audit(*args: Any, **options: Any) -> Any:
        if not answers:
            answers.append(whole(*args, **options))
        (found,) = answers
        checks = {
            name: dataclasses.replace(getattr(found.incentives, name), **STATES[states[name]]) for name in concepts
        }
        just = dataclasses.replace(found.properties.just, **STATES[states["just"]])
        expected = dataclasses.replace(found.bayesian, complete=states["prior"] == "complete")
        incentives = dataclasses.replace(found.incentives, **checks)
        properties = dataclasses.replace(found.properties, just=just)
        return dataclasses.replace(found, incentives=incentives, properties=properties, bayesian=expected)

    concepts, states = ("dominant", "ex_post"), dict[str, str]()
    monkeypatch.setattr(verifying, "audit", audit)
    for main, prior, just, *both in itertools.product(
        ("dominant", "ex-post", "just"), ("complete", "stopped"), ("complete", "stopped"), STATES, STATES
    ):
        states = {"prior": prior, "just": just, **dict(zip(concepts, both, strict=True))}
        record = consortium.verify(believed("light-vcg"), property=main)
        assert record.complete is ("stopped" not in states.values()), (main, states)
    for main, exact in itertools.product(("dominant", "just"), (True, False)):
        monkeypatch.setattr(verifying, "audit", lambda *args, **options: inexact(whole(*args, **options), exact))  # noqa: B023
        assert consortium.verify(cluster("light-vcg"), property=main).exact is (exact or main == "dominant")


def inexact(found: Any, exact: bool) -> Any:
    just = dataclasses.replace(found.properties.just, exact=exact)
    return dataclasses.replace(found, properties=dataclasses.replace(found.properties, just=just))


@pytest.mark.parametrize(("ended", "met"), COMBINATIONS)
def test_a_makespan_is_proved_by_bounds_that_meet_and_searched_to_the_end_by_either(
    ended: bool, met: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def by_cp_sat(instance: Instance, *_: Any) -> bool:
        if met:
            instance.bound(instance.upper, "cp-sat")
        return ended

    monkeypatch.setattr(
        Instance, "search", lambda self, nodes: vars(self).update(lower=6, upper=7, machine=(0, 0, 0, 1, 1))
    )
    monkeypatch.setattr(Instance, "by_cp_sat", by_cp_sat)
    answer = smallest_makespan(Cluster.of([1, 1]), [3, 3, 2, 2, 2])
    assert (answer.proven, answer.complete) == (met, ended or met)
    assert not smallest_makespan(Cluster.of([1, 1]), [3, 3, 2, 2, 2], cp_sat=False).complete


@pytest.mark.parametrize(("packed", "proved"), COMBINATIONS)
def test_a_front_goes_on_and_is_complete_while_every_point_is_proved(
    packed: bool, proved: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    fed = Federation.of([[5, 2], [3, 4], [4, 5]])
    whole = optimal.pareto_front(fed, "lpt")
    pack, selfish = optimal.pack, optimal._most_selfish
    monkeypatch.setattr(optimal, "pack", lambda *a, **k: dataclasses.replace(pack(*a, **k), complete=packed))
    monkeypatch.setattr(optimal, "_most_selfish", lambda *a: (selfish(*a)[0], proved))
    front = optimal.pareto_front(fed, "lpt")
    assert front.complete is (packed and proved)
    assert len(front.points) == (len(whole.points) if packed and proved else 1)


@pytest.mark.parametrize(
    ("discard", "solver", "objective", "machines", "bounded", "exact"),
    [
        ("sound", "lst", "total-completion", 1, True, True),
        ("sound", "lst-printed", "total-completion", 1, False, False),
        ("printed", "lst", "total-completion", 1, False, False),
        ("sound", "lst", "makespan", 1, True, True),
        ("sound", "lst", "makespan", 2, True, False),
    ],
)
def test_a_refinement_proves_by_a_sound_rule_an_exact_solver_and_no_box_left(
    discard: Any, solver: Any, objective: Any, machines: int, bounded: bool, exact: bool
) -> None:
    """Without a total, bounds are bounds whatever the solver, but what it finds is not proved to be best."""
    users = Community.of(("makespan", [1, 2]), (objective, [2, 1]), machines=machines)
    for level in refine(users, levels=5, discard=discard, solver=solver).levels:
        assert (level.bound is not None, level.proved) == (bounded, exact and not level.active)
