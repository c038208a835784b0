"""What the panels show, asked without a page: the same numbers as the verbs', each step a scenario that says so."""

from __future__ import annotations

import random
import time
from fractions import Fraction
from typing import Any

import pytest

import consortium
from consortium.explorer import declaration, federation, multiuser, sharing
from consortium.explorer.drawing import gantt
from consortium.explorer.view import View, played
from consortium.games.dynamics import best_response_dynamics
from consortium.reports.declaration import figures
from consortium.scenarios.problems import ScenarioError
from consortium.scenarios.toml import dumps
from consortium.scheduling.goals import goal_names
from consortium.verbs.federation.model import game

LIGHT = "agmon2003/5.2.1"


def names(kind: str) -> list[str]:
    return [scenario.name for scenario in consortium.listed(kind)]


# --- declaration ----------------------------------------------------------------------------------------------------


def agents(*lengths: object, **mechanism: object) -> View:
    rows = [{"name": f"a{i}", "length": length} for i, length in enumerate(lengths)]
    data = {"format": 1, "kind": "declaration", "cluster": {"powers": [1]}, "agents": rows}
    return View.read(dumps({**data, "mechanism": {"rule": "light-vcg", **mechanism}}))


@pytest.mark.parametrize(
    "lengths", [(1, "11/10"), (3,), (10**18, 1), ("1/1000003", "1/1000033"), (5, 5, 5), ("1/3", "1/7", 100)]
)
def test_a_slider_is_exact_and_goes_beyond_every_number(lengths: tuple[object, ...]) -> None:
    view = agents(*lengths)
    scale = declaration.Scale.over(view)
    largest = max(Fraction(str(length)) for length in lengths)
    assert scale.positions <= declaration.POSITIONS
    assert largest < scale.value(scale.positions) <= 2 * largest
    assert all(scale.position(scale.value(p)) == p for p in range(1, scale.positions + 1))
    assert scale.position(Fraction(0)) == 1
    moved = declaration.declares(view, 0, scale.value(7))
    assert moved.scenario.spec.agents[0].strategy.amount == 7 * scale.step


def test_who_tells_the_truth_goes_on_telling_it() -> None:
    view = View.opened(LIGHT)
    liar = declaration.has(view, 0, "3/7")
    assert played(liar)["agents"][0]["declares"] == "1/10"
    honest = declaration.has(declaration.truthful(view, 0), 0, "3/7")
    row = played(honest)["agents"][0]
    assert row["length"] == row["declares"] == "3/7"
    plain = agents(1, 2)
    assert declaration.truthful(declaration.declares(plain, 0, 5), 0).changes == {}
    assert declaration.has(plain, 0, 5).changes == {"agents[1].length": 5}


def test_another_strategy_gives_way_to_a_number() -> None:
    view = agents(1, 2).changed({"agents[1]": {"name": "a0", "length": 1, "strategy": {"scale": "1/2"}}})
    assert played(view)["agents"][0]["declares"] == "1/2"
    assert played(declaration.declares(view, 0, "1/4"))["agents"][0]["declares"] == "1/4"
    assert played(declaration.truthful(view, 0))["agents"][0]["declares"] == 1


@pytest.mark.parametrize("wrong", ["x", "", "0", "-1", "1/0", "inf"])
def test_what_is_no_length_is_refused(wrong: str) -> None:
    with pytest.raises(ScenarioError, match=r"agents\[1\]\.declares"):
        declaration.declares(View.opened(LIGHT), 0, wrong)


def test_every_goal_can_be_chosen() -> None:
    view = View.opened("agmon2003/6.9-weighted-sum")
    for goal in goal_names():
        chosen = declaration.under_goal(view, goal)
        assert declaration.goal(chosen) == goal
        assert declaration.goal(declaration.under_goal(chosen, "sum")) == "sum"


def test_the_best_lie_is_that_of_the_curve_and_pays_what_is_said() -> None:
    view = View.opened(LIGHT)
    scale = declaration.Scale.over(view)
    found = declaration.utilities(view, 0, scale)
    lying = played(declaration.declares(view, 0, found["best"]["declares"]))["agents"][0]
    honest = played(declaration.truthful(view, 0))["agents"][0]
    gain = Fraction(lying["utility"]) - Fraction(honest["utility"])
    assert f"ann gains {gain} by declaring {lying['declares']}" in declaration.sentence_on_best(found)
    assert (found["from"], found["to"]) == (str(scale.step), "11/5")
    truthful = View.opened(LIGHT).under("vcg-postpone")
    assert declaration.sentence_on_best(declaration.utilities(truthful, 0, scale)).startswith("No lie pays: ann gets")


def test_a_curve_does_not_depend_on_what_she_declares_herself() -> None:
    view = View.opened(LIGHT)
    scale = declaration.Scale.over(view)
    keep = ("pieces", "points", "jumps", "best", "utility_truth")
    first, second = (declaration.utilities(declaration.declares(view, 0, told), 0, scale) for told in ("1/3", "7/5"))
    assert [first[key] for key in keep] == [second[key] for key in keep]


@pytest.mark.parametrize(
    "name", [LIGHT, "agmon2003/6.10-lexical-max", pytest.param(None, marks=pytest.mark.exhaustive)]
)
def test_a_moved_slider_is_answered_within_100_ms(name: str | None) -> None:
    """Processor time of all that follows a move, but the curve; each scenario's second answer counts."""
    for each in [name] if name is not None else names("declaration"):
        view = View.opened(each)
        scale = declaration.Scale.over(view)
        for position in (3, 5):
            start = time.thread_time()
            moved = declaration.declares(view, 0, scale.value(position))
            assert "<svg" in gantt(figures.gantt(played(moved)))
            assert moved.file
            spent = time.thread_time() - start
        assert spent < 0.1, each


# --- federation -----------------------------------------------------------------------------------------------------


def organizations(seed: int) -> View:
    draw = random.Random(seed)
    counts = [draw.randint(0, 2) for _ in range(draw.randint(1, 3))]
    rows = [{"jobs": [f"{draw.randint(1, 8)}/{draw.choice([1, 2, 6])}" for _ in range(n)]} for n in counts]
    mechanism = {"rule": "coordination", "priority": draw.choice(["organizations", "jobs"])}
    if mechanism["priority"] == "jobs":
        mechanism["order"] = draw.choice(["longest", "shortest", "listed"])
    return View.read(dumps({"format": 1, "kind": "federation", "organizations": rows, "mechanism": mechanism}))


def test_steps_are_those_of_best_response_dynamics(thinning: int) -> None:
    ends: dict[str, int] = {}
    for seed in range(400 // thinning):
        view, trail, moves = organizations(seed), federation.Trail(), 0
        played = best_response_dynamics(game(view.scenario)[0], view.scenario.spec.placement)
        while True:
            after, said = federation.step(view, federation.wishes(view), trail)
            if after is view:
                break
            view, moves = after, moves + 1
        assert (moves, "equilibrium" in said) == (played.steps, played.converged)
        assert view.scenario.spec.placement == played.final.profile
        ends[said] = ends.get(said, 0) + 1
    assert any("equilibrium" in said for said in ends)


def test_moves_that_go_in_a_circle_end() -> None:
    view, trail, said = View.opened("cordeiro2012/corollary-5.7"), federation.Trail(), ""
    for _ in range(20):
        view, said = federation.step(view, federation.wishes(view), trail)
    assert "go in a circle" in said


def test_who_wants_to_move_is_who_gains_by_the_record(thinning: int) -> None:
    for seed in range(200 // thinning):
        view = organizations(seed)
        rows = consortium.run(view.scenario).organizations
        wishes = federation.wishes(view)
        assert [rows[wish.organization].name for wish in wishes] == [row.name for row in rows if row.regret]
        for wish in wishes:
            after = consortium.run(federation.granted(view, wish).scenario).organizations[wish.organization]
            before = rows[wish.organization]
            assert after.cost == before.cost - before.regret
            assert f"cost {before.cost} becomes {after.cost}" in wish.text


def test_a_job_is_moved_and_a_schedule_becomes_a_placement() -> None:
    view = View.opened("cordeiro2012/figure-4.1")
    record = played(view)
    game_view = federation.as_game(view, record)
    hosts = {(job["organization"], job["job"]): job["host"] for job in record["jobs"]}
    for job in played(game_view)["jobs"]:
        assert job["host"] == hosts[job["organization"], job["job"]]
    assert "job 1 of lab, length 3;" in federation.board(View.opened("complete/federation"))
    assert "<b>hospital.1</b> 5/2</span>" in federation.board(View.opened("complete/federation"))
    moved = federation.moved(game_view, 0, 1, 2)
    assert moved.scenario.spec.placement[0][1] == 2
    assert 'data-job="0.1"' in federation.board(moved).split('data-host="2"')[1]


def test_landmarks_are_placements_of_the_search() -> None:
    view = View.opened("coalitions/swap")
    found = consortium.search(view.scenario).to_dict()
    marks = federation.landmarks(found)
    assert marks[0] == (f"optimum, social cost {found['optimum']['social_cost']}", found["optimum"]["profile"])
    for name, profile in marks:
        record = played(view.changed({"placement": profile}))
        assert name.endswith(f"social cost {record['social_cost']}")
        assert ("equilibrium" in name) == (not federation.wishes(view.changed({"placement": profile}))) or "opt" in name


# --- multiuser and sharing ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["minimal/multiuser", "cordeiro2012/multisum-per-machine", pytest.param(None, marks=pytest.mark.exhaustive)]
)
def test_a_chosen_point_has_the_schedule_and_the_command_that_give_it(name: str | None) -> None:
    for each in [name] if name is not None else names("multiuser"):
        view = View.opened(each)
        for point in multiuser.front(view).points[:5]:
            found, record = multiuser.chosen(view, point)
            assert tuple(record["point"]) == point, each
            assert len(record["jobs"]) == sum(len(user.jobs) for user in view.scenario.spec.users), each
            if found is not None:
                assert tuple(consortium.run(found.scenario).to_dict()["point"]) == point, each


def test_the_points_can_be_chosen_over_any_two_users() -> None:
    view = View.opened("cordeiro2012/figure-6.2")
    front, record = multiuser.front(view), played(view)
    drawn = multiuser.front_chart(view, front, (2, 0), front.points[4], record)
    assert drawn.count("data-key=") == len(front.points) == 42
    assert drawn.count('aria-pressed="true"') == 1
    assert drawn.index("u3: total completion") > drawn.index("u1: makespan")


def test_the_balance_is_received_minus_contributed_at_every_moment() -> None:
    view = View.opened("skowron-rzadca2013/figure-7")
    found = sharing.balance(view)
    fair = sharing.balance(view.under("ref"))
    until: Any = view.scenario.spec.until
    assert found.times[-1] == until
    for at in (found.times[0], until):
        now = view.changed({"until": at})
        got = consortium.run(now.scenario)
        due = consortium.run(now.under("ref").changed({"mechanism.timing": "next"}).scenario)
        for mine, worth in zip(got.organizations, due.organizations, strict=True):
            assert found.received[mine.name][found.times.index(at)] == mine.utility - worth.contribution
    assert fair.times == found.times
    assert sum(values[-1] for values in fair.received.values()) == 0
