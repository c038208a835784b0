"""Costs of placements against a literal policy; the construction of section 5.3; metrics by their formulas."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from consortium.agents.organizations import Federation
from consortium.mechanisms.federation import (
    Coordination,
    LptLpt,
    PriorityEquilibrium,
    jain,
    lower_bound,
    lower_bounds,
    stretch,
)
from consortium.support.errors import InputError, UnknownNameError

from . import plainly
from .instances import federations
from .test_heuristics import plan_of


def ranks_by_definition(fed, priority, order, longest=-1):
    """Rank of every job, smaller first, from the text of the format."""
    jobs = [(k, i, p) for k, row in enumerate(fed.sizes) for i, p in enumerate(row)]
    if priority == "organizations":
        place = {name: r for r, name in enumerate(order or fed.names)}
        keys = {(k, i): (place[fed.names[k]], longest * p, i) for k, i, p in jobs}
    else:
        sign = {"longest": -1, None: -1, "shortest": 1, "listed": 0}[order]
        keys = {(k, i): (sign * p, k, i) for k, i, p in jobs}
    return [[keys[k, i] for i in range(len(row))] for k, row in enumerate(fed.sizes)]


@st.composite
def games(draw, **limits):
    fed = draw(federations(**limits))
    priority = draw(st.sampled_from(["organizations", "jobs"]))
    if priority == "jobs":
        order = draw(st.sampled_from([None, "longest", "shortest", "listed"]))
    else:
        order = draw(st.one_of(st.none(), st.permutations(fed.names).map(tuple)))
    hosts = st.integers(0, len(fed) - 1)
    placement = [[draw(hosts) for _ in row] for row in fed.sizes]
    return fed, priority, order, placement


@settings(deadline=None, derandomize=True, max_examples=250)
@given(game=games(max_jobs=10, max_machines=3), objective=st.sampled_from(["makespan", "total-completion"]))
def test_costs_of_a_placement(game, objective):
    fed, priority, order, placement = game
    rule = Coordination(priority, order, objective)
    ranks = ranks_by_definition(fed, priority, order, 1 if objective == "total-completion" else -1)
    plan = plainly.coordinated(fed, placement, ranks, "lpt" if objective == "makespan" else "spt")
    assert plan_of(rule.run(fed, placement)) == plan
    if objective == "makespan":
        costs = [c * fed.unit for c in plainly.ends(fed, plan)]
        social = max(costs)
    else:
        costs = [sum(plan[k, i][1] + p for i, p in enumerate(row)) * fed.unit for k, row in enumerate(fed.sizes)]
        social = sum(costs)
    assert list(rule.costs(fed, placement)) == costs
    assert rule.social_cost(fed, placement) == social


@settings(deadline=None, derandomize=True, max_examples=100)
@given(game=games(max_jobs=8))
def test_with_one_machine_each_the_order_among_own_jobs_changes_no_makespan(game):
    fed, priority, order, placement = game
    makespan, total = (Coordination(priority, order, o).run(fed, placement) for o in ("makespan", "total-completion"))
    assert makespan.makespans == total.makespans


def test_with_several_machines_it_does():
    """The thesis says it "will not change the makespan": at home {2,1,1} on two machines ends at 2 or at 3."""
    fed = Federation.of([[2, 1, 1]], machines=[2])
    assert Coordination().run(fed).makespan == 2
    assert Coordination(objective="total-completion").run(fed).makespan == 3


def test_given_priorities_and_what_they_need():
    fed = Federation.of([[3, 1], [2]], priorities=[[3, 1], [2]])
    rule = Coordination("jobs", "given")
    assert rule.ranks(fed) == ((2, 0), (1,))
    assert rule.costs(fed, ((1, 1), (1,))) == (6, 2)
    for broken, message in [
        (Federation.of([[3], [2]]), r"organizations\[1\].jobs\[1\].priority: missing"),
        (
            Federation.of([[3], [2]], priorities=[[1], [1]]),
            r"organizations\[2\].jobs\[1\].priority: 1 is the priority of",
        ),
    ]:
        with pytest.raises(InputError, match=message):
            rule.run(broken)


def test_errors_of_coordination():
    fed = Federation.of([[1], [1]])
    for make, message in [
        (lambda: Coordination("job"), "priority"),
        (lambda: Coordination("jobs", "longst"), "longest"),
        (lambda: Coordination("organizations", "longest"), "names of the organizations"),
        (lambda: Coordination("jobs", ("O1", "O2")), "one of longest"),
        (lambda: Coordination(order=("O1", "O3")).run(fed), "O3. is not known; known: O1, O2"),
        (lambda: Coordination(order=("O1",)).run(fed), "O2 missing"),
        (lambda: Coordination(order=("O1", "O2", "O1")).run(fed), "a name twice"),
        (lambda: Coordination().run(fed, [[0]]), "found 1 organizations"),
        (lambda: Coordination().run(fed, [[0], [2]]), r"placement.O2\[1\]: found 2"),
        (lambda: Coordination().run(fed, [[0, 0], [1]]), "found 2 hosts"),
    ]:
        with pytest.raises((InputError, UnknownNameError), match=message):
            make()


@settings(deadline=None, derandomize=True, max_examples=60)
@given(fed=federations(max_organizations=3, max_jobs=7, max_size=7), data=st.data())
def test_list_solvers_construct_near_equilibria(fed, data):
    order = tuple(data.draw(st.permutations(fed.names)))
    for solver, factor in (("lpt", Fraction(3, 2)), ("listed", Fraction(2))):
        placement = PriorityEquilibrium(order, solver).run(fed).placement
        assert plainly.epsilon_of(fed, placement, ranks_by_definition(fed, "organizations", order)) <= factor


def test_exact_solver_constructs_no_equilibrium_in_general():
    """Theorem 5.6 with rho = 1: O1's third job goes behind O2, who then leaves; epsilon 4/3."""
    fed = Federation.of([[4, 4, 4], [2, 2], []])
    placement = PriorityEquilibrium(solver="exact").run(fed).placement
    assert placement == ((0, 0, 1), (1, 2), ())
    assert plainly.epsilon_of(fed, list(placement), ranks_by_definition(fed, "organizations", None)) == Fraction(4, 3)
    four = Federation.of([[11, 8, 5, 3], [9, 6], [2], [5]])
    placement = PriorityEquilibrium(solver="exact").run(four).placement
    assert plainly.epsilon_of(four, list(placement), ranks_by_definition(four, "organizations", None)) == Fraction(
        13, 12
    )
    with pytest.raises(InputError, match="one machine per organization"):
        PriorityEquilibrium().run(Federation.of([[1]], machines=[2]))


@settings(deadline=None, derandomize=True, max_examples=100)
@given(fed=federations(max_jobs=8, max_machines=3, rational=True))
def test_metrics_by_their_formulas(fed):
    lengths = [org.lengths for org in fed.organizations]
    machines = sum(fed.machines)
    everything = [p for row in lengths for p in row]
    assert lower_bound(fed) == max([sum(everything, Fraction(0)) / machines, *everything])
    bounds = [max([sum(row, Fraction(0)) / machines, *row]) for row in lengths]
    assert list(lower_bounds(fed)) == bounds
    makespans = LptLpt().run(fed).makespans
    x = [c / b for c, b, row in zip(makespans, bounds, lengths, strict=True) if row]
    if not x:
        assert stretch(fed, makespans) is None
        assert jain(fed, makespans) is None
        return
    assert stretch(fed, makespans) == max(x)
    mean = sum(x) / len(x)
    assert jain(fed, makespans) == mean**2 / (sum(v * v for v in x) / len(x))


def test_stretch_is_tight_and_can_take_exact_references():
    """Section 3.4 of the thesis: N organizations with N unit jobs each reach N (some job ends at N anyway)."""
    fed = Federation.of([[1] * 4] * 4)
    assert stretch(fed, LptLpt().run(fed).makespans) == 4
    odd = Federation.of([[3, 3, 2, 2, 2], []])
    assert stretch(odd, [12, 0]) == 2


@pytest.mark.parametrize("solver", ["lpt", "listed", "exact"])
def test_a_machine_at_home_is_preferred_to_one_free_as_early(solver):
    """O2 and O3 find every machine free at 0: the jobs that could run anywhere stay at home."""
    placement = PriorityEquilibrium(("O3", "O2", "O1"), solver).run(Federation.of([[], [1], [2, 2]])).placement
    first = (0, 2) if solver == "exact" else (2, 0)  # as much at home, and the lexicographically smallest
    assert placement == ((), (1,), first)
