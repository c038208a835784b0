"""Chapter 3: efficiency and Pareto efficiency of work functions, and example 5.2.1 as operators."""

from __future__ import annotations

from fractions import Fraction as F

import pytest

from consortium.mechanisms.declaration import build
from consortium.scheduling.allocations import Allocation
from consortium.scheduling.clusters import Cluster
from consortium.scheduling.goals import Makespan

from ...reference.operators import Status, renice
from ...reference.work import WorkAllocation, WorkFunction

CLUSTER = Cluster.of([1, "0.1"])
LENGTHS = (2, 1)


@pytest.mark.paper("Agmon 2003")
def test_example_3_1_1_pareto_efficient_but_not_efficient():
    pieces = ([(0, 1, 1), (2, 3, 1)], [(1, 2, 1)])
    plan = WorkAllocation(CLUSTER, (0, 0), tuple(map(WorkFunction.of, pieces)))
    assert plan.fulfils(LENGTHS)
    assert plan.is_pareto_efficient(LENGTHS)
    assert not plan.is_efficient()


@pytest.mark.paper("Agmon 2003")
def test_example_3_1_2_efficient_but_not_pareto_efficient():
    plan = WorkAllocation.run(Allocation(((), (1, 0))), CLUSTER, LENGTHS)
    assert plan.ends == (30, 10)
    assert plan.is_efficient()
    assert not plan.is_pareto_efficient(LENGTHS)


@pytest.mark.paper("Agmon 2003")
def test_an_optimum_of_an_irregular_goal_need_not_be_efficient():
    """Two jobs of 1 at half share each until 2 have the best makespan; theorem 3.25 asks for a regular goal."""
    one, half = Cluster.of([1]), WorkFunction.of([(0, 2, F(1, 2))])
    plan = WorkAllocation(one, (0, 0), (half, half))
    assert plan.fulfils((1, 1))
    assert Makespan().value(plan.ends) == Makespan().value(Allocation(((0, 1),)).end_times(one, (1, 1))) == -2
    assert not plan.is_efficient()


@pytest.mark.paper("Agmon 2003")
def test_example_5_2_1_as_operators():
    """RN of job 2 acts at 1.2, the planned end when it began, not at the static 0.3."""
    one, theta = Cluster.of([1]), (F(1), F(11, 10))
    status = Status.start(Allocation(((0, 1),)), one, (F(1, 10), F(1, 5)))
    status = renice(status, 0, 1, F(1, 10), theta[0])
    assert status.end(1) == F(6, 5)
    status = renice(status, 1, 1, F(6, 5), theta[1])
    run = build("light-vcg", one).run((F(1, 10), F(1, 5)), theta)
    assert status.outputs == run.output == (1, F(21, 10))
