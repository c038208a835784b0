"""The questions of ``how_far.py``: for each what grows, how an instance of a size is drawn, and how it is asked.

An answer is the gap that it leaves: 0 where everything asked for is proved, else how far apart its bounds are relative
to the value, infinite where nothing is known. Lengths are drawn from 1 to 19 unless a question says otherwise.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from estimates import cluster, domain, log, organizations, users

import consortium


@dataclass(frozen=True)
class Question:
    """One row of the table.

    Attributes
    ----------
    asked, of, counts
        The question, the instances it is asked of, and what the size counts.
    sizes
        In ascending order.
    make
        An instance from a size and its number; this is not timed.
    ask
        The gap that the answer leaves; what stops it is Ctrl-C.
    gap
        The largest gap with which the question counts as answered.
    """

    asked: str
    of: str
    counts: str
    sizes: Sequence[int]
    make: Callable[[int, int], Any]
    ask: Callable[[Any], float]
    gap: float = 0.0


def doubled(first: int, times: int = 16) -> list[int]:
    """A size and its doubles."""
    return [first * 2**n for n in range(times)]


def apart(low: Any, high: Any) -> float:
    """Distance of two bounds, relative to the larger; infinite where one is missing."""
    if low is None or high is None or math.isinf(high):
        return math.inf
    return float((high - low) / high) if high else 0.0


# --- placements ------------------------------------------------------------------------------------------------------


def federation(count: int, jobs: int, number: int, machines: int = 1, **mechanism: Any) -> dict[str, Any]:
    """Organizations of as many random jobs each, playing the placement game."""
    rng = random.Random(f"{count} {jobs} {number}")
    made = organizations("coordination", [[rng.randint(1, 19) for _ in range(jobs)] for _ in range(count)], **mechanism)
    for row in made["organizations"]:
        row["machines"] = machines
    return made


def figure_5_5(k: int, _number: int) -> dict[str, Any]:
    """The federation that shows a price of anarchy of ``2k / (k + 1)``, with the correction."""
    from consortium.workloads.federation import figure_5_5 as printed

    return organizations("coordination", [list(row) for row in printed(k).jobs])


def same_jobs(count: int, _number: int) -> dict[str, Any]:
    """Organizations of four jobs of length 1 each."""
    return organizations("coordination", [[1] * 4] * count)


def everything(game: Any, **options: Any) -> float:
    """Worst and best equilibrium, optimum, prices: all of them proved, or none counts."""
    return 0.0 if consortium.search(game, **options).complete else math.inf


def worst(game: Any) -> float:
    """Between the worst equilibrium known and what none exceeds."""
    found = consortium.search(game)
    known = found.equilibria.worst
    if found.complete or known is None or found.bounds is None:
        return 0.0 if found.complete else math.inf
    return apart(known.social_cost, found.bounds.worst_at_most)


def price(game: Any) -> float:
    """Between the bounds of the price of anarchy."""
    found = consortium.search(game)
    if found.complete or found.bounds is None:
        return 0.0 if found.complete else math.inf
    return apart(found.bounds.price_of_anarchy_at_least, found.bounds.price_of_anarchy_at_most)


def existence(game: Any) -> float:
    """Whether there is an equilibrium."""
    return math.inf if consortium.search(game).equilibria.exists is None else 0.0


EXTREMES = "worst and best equilibrium, optimum, prices"
PLACEMENTS = (
    Question(
        EXTREMES, "random, 4 jobs each", "organizations", range(2, 20), lambda n, i: federation(n, 4, i), everything
    ),
    Question(
        EXTREMES, "random, 4 organizations", "jobs each", range(2, 40), lambda n, i: federation(4, n, i), everything
    ),
    Question(
        EXTREMES,
        "random, 3 jobs each, jobs have priority",
        "organizations",
        range(2, 12),
        lambda n, i: federation(n, 3, i, priority="jobs"),
        everything,
    ),
    Question(
        EXTREMES,
        "random, 3 jobs and 2 machines each",
        "organizations",
        range(2, 12),
        lambda n, i: federation(n, 3, i, machines=2),
        everything,
    ),
    Question(
        EXTREMES,
        "random, 3 jobs each, total completion",
        "organizations",
        range(2, 12),
        lambda n, i: federation(n, 3, i, objective="total-completion"),
        everything,
    ),
    Question(EXTREMES, "Figure 5.5 of Cordeiro 2012", "K", range(2, 12), figure_5_5, everything),
    Question(EXTREMES, "identical jobs, 4 each", "organizations", range(2, 40), same_jobs, everything),
    Question(
        "worst equilibrium alone",
        "random, 3 jobs each",
        "organizations",
        range(6, 30, 2),
        lambda n, i: federation(n, 3, i),
        worst,
    ),
    Question(
        "price of anarchy within 10 %",
        "random, 5 jobs each",
        "organizations",
        doubled(5),
        lambda n, i: federation(n, 5, i),
        price,
        0.1,
    ),
    Question(
        "is there an equilibrium",
        "random, 4 jobs each",
        "organizations",
        doubled(5),
        lambda n, i: federation(n, 4, i),
        existence,
    ),
)

# --- declarations ----------------------------------------------------------------------------------------------------


def declarations(agents: int, numbers: int, number: int, rule: str = "evcg-postpone", **more: Any) -> dict[str, Any]:
    """Agents on machines of powers 1 and 2 who may have, and declare, the lengths 1, 2, ..., ``numbers``."""
    rng = random.Random(f"{agents} {numbers} {number}")
    return cluster(rule, [rng.randint(1, numbers) for _ in range(agents)], **domain(*range(1, numbers + 1)), **more)


def for_all_lengths(agents: int, _number: int, rule: str, **more: Any) -> dict[str, Any]:
    """Agents on one machine; a proof looks at no lengths."""
    return cluster(rule, [1] * agents, machines=1, **more)


def checked(scenario: Any, **options: Any) -> float:
    """All cases."""
    return 0.0 if consortium.verify(scenario, **options).complete else math.inf


def proved(scenario: Any) -> float:
    """That the truth is dominant for all lengths."""
    return 0.0 if consortium.prove(scenario, property="dominant").complete else math.inf


def designed(scenario: Any, **options: Any) -> float:
    """The best payments, proved."""
    return 0.0 if consortium.design(scenario, **options).complete else math.inf


DECLARATIONS = (
    Question(
        "search the declaration game",
        "6 declarations each",
        "agents",
        range(2, 20),
        lambda n, i: declarations(n, 6, i),
        everything,
    ),
    Question(
        "search the declaration game",
        "3 agents",
        "declarations each",
        doubled(4),
        lambda n, i: declarations(3, n, i),
        everything,
    ),
    Question(
        "verify, all cases",
        "4 lengths and declarations each",
        "agents",
        range(2, 20),
        lambda n, i: declarations(n, 4, i),
        checked,
    ),
    Question(
        "verify, all cases",
        "3 agents",
        "lengths and declarations each",
        doubled(4),
        lambda n, i: declarations(3, n, i),
        checked,
    ),
    Question(
        "verify, joint lies of all coalitions",
        "3 lengths and declarations each",
        "agents",
        range(2, 14),
        lambda n, i: declarations(n, 3, i),
        lambda scenario: checked(scenario, coalitions=len(scenario["agents"])),
    ),
    Question(
        "prove truth dominant for all lengths",
        "vcg-postpone, one machine",
        "agents",
        range(2, 12),
        partial(for_all_lengths, rule="vcg-postpone"),
        proved,
    ),
    Question(
        "prove truth dominant for all lengths",
        "evcg-postpone, makespan, one machine",
        "agents",
        range(2, 12),
        partial(for_all_lengths, rule="evcg-postpone", welfare={"goal": "makespan"}),
        proved,
    ),
    Question(
        "design the least rent, nobody paid",
        "4 lengths and declarations each",
        "agents",
        range(2, 12),
        lambda n, i: declarations(n, 4, i),
        partial(designed, subject_to=["prices-nonnegative"]),
    ),
    Question(
        "design the least payment, no deficit",
        "3 agents",
        "lengths and declarations each",
        doubled(4, 6),
        lambda n, i: declarations(3, n, i),
        partial(designed, least="payment"),
    ),
    Question(
        "design the allocation too",
        "2 agents, one machine, no control over jobs",
        "lengths and declarations each",
        range(2, 12),
        lambda n, _: cluster(
            "designed", [1, 1], 1, mechanism={"tool": "order-only", "price": "0"}, **domain(*range(1, n + 1))
        ),
        partial(designed, allocation="any"),
    ),
)

# --- games in arrays -------------------------------------------------------------------------------------------------


def arrays(players: int, strategies: int, number: int) -> Any:
    """Random payoffs below 1000."""
    import numpy as np

    rng = np.random.default_rng([players, strategies, number])
    return [rng.integers(0, 1000, (strategies,) * players) for _ in range(players)]


GAMES = (
    Question(
        "deviations of all coalitions",
        "random payoffs, 4 strategies each",
        "players",
        range(2, 14),
        lambda n, i: arrays(n, 4, i),
        lambda game: everything(game, coalitions=len(game)),
    ),
    Question(
        "best and worst coarse correlated play",
        "random payoffs, 3 players",
        "strategies each",
        doubled(4),
        lambda n, i: arrays(3, n, i),
        partial(everything, correlated="coarse"),
    ),
    Question(
        "best and worst correlated play",
        "random payoffs, 3 players",
        "strategies each",
        doubled(2),
        lambda n, i: arrays(3, n, i),
        partial(everything, correlated="correlated"),
    ),
    Question(
        "all mixed equilibria",
        "random payoffs, 2 players",
        "strategies each",
        range(2, 16),
        lambda n, i: arrays(2, n, i),
        lambda game: 0.0 if consortium.search(game, mixed=True).mixed.complete else math.inf,
    ),
)

# --- sharing a pool --------------------------------------------------------------------------------------------------


def stream(jobs: int, number: int) -> tuple[Any, int]:
    """Jobs of five organizations on 140 machines, of an hour on average, at 95 per cent load; and when they end."""
    import numpy as np

    from consortium.mechanisms.sharing import SharingInstance

    rng = np.random.default_rng([jobs, number])
    length = np.maximum(1, rng.exponential(3600.0, jobs)).astype(np.int64)
    until = int(length.sum() / (0.95 * 140)) + 1
    release = np.sort(rng.integers(0, until, jobs))
    return SharingInstance.from_columns([28] * 5, rng.integers(0, 5, jobs), release, length), until


def bags(count: int, _number: int) -> tuple[Any, int]:
    """Bags of jobs on 70 machines over 50,000 units of time."""
    from test_fair_ref import UNTIL
    from test_fair_ref import bags as drawn

    return drawn(count, 70), UNTIL


def shared(rule: str, instance: tuple[Any, int]) -> float:
    """A schedule to the end."""
    from consortium.mechanisms.sharing import simulate

    return 0.0 if simulate(instance[0], rule=rule, until=instance[1]).complete else math.inf


def written_log(jobs: int, _number: int) -> tuple[str, int]:
    """A log in the working folder, and a time by which all its jobs are submitted."""
    return log(jobs), 40 * jobs


def audited(given: tuple[str, int]) -> float:
    """Under the default rules, in four windows that cover the log."""
    path, span = given
    return 0.0 if consortium.audit(path, windows=4, duration=span // 4, processes=1).complete else math.inf


def imported(given: tuple[str, int]) -> float:
    """Read it, make a scenario of all of it, and read that."""
    path, span = given
    consortium.load(consortium.import_log(path, "sharing", start=0, duration=span).scenario)
    return 0.0


SHARING = (
    Question(
        "REF",
        "bags of jobs, 70 machines, 50,000 units of time",
        "organizations",
        range(2, 19),
        bags,
        partial(shared, "ref"),
    ),
    Question(
        "fair share",
        "stream of 5 organizations, 140 machines",
        "jobs",
        doubled(100_000, 8),
        stream,
        partial(shared, "fair-share"),
    ),
    Question(
        "rand (15 orderings)",
        "stream of 5 organizations, 140 machines",
        "jobs",
        doubled(25_000, 9),
        stream,
        partial(shared, "rand"),
    ),
    Question("audit of a log", "random log of 8 users", "jobs", doubled(20_000, 9), written_log, audited),
    Question("import of a log", "random log of 8 users", "jobs", doubled(20_000, 6), written_log, imported),
)

# --- schedules -------------------------------------------------------------------------------------------------------


def lengths_and_speeds(jobs: int, number: int, machines: int, fastest: int) -> tuple[list[int], list[int]]:
    """Lengths up to 10,000."""
    rng = random.Random(f"{jobs} {machines} {fastest} {number}")
    return [rng.randint(1, 10_000) for _ in range(jobs)], [rng.randint(1, fastest) for _ in range(machines)]


def makespan(instance: tuple[list[int], list[int]]) -> float:
    """Between the schedule and its lower bound."""
    from consortium.scheduling import Cluster, smallest_makespan

    found = smallest_makespan(Cluster.of(instance[1]), instance[0], time_limit=None)
    return apart(found.lower, found.upper)


def community(number_of: int, jobs: int, rule: str, machines: int = 1) -> dict[str, Any]:
    """One user with total completion, everybody else with the makespan."""
    return users(rule, number_of - 1, 1, jobs, machines)


def ran(scenario: Any) -> float:
    """A complete run."""
    return 0.0 if consortium.run(scenario).complete else math.inf


MAKESPANS = tuple(
    Question(
        "smallest makespan",
        f"lengths to 10,000, {machines} machines, {speeds}",
        "jobs",
        doubled(10, 12),
        partial(lengths_and_speeds, machines=machines, fastest=fastest),
        makespan,
    )
    for speeds, fastest in (("alike", 1), ("speeds 1 to 1,000", 1000))
    for machines in (3, 10)
)
SCHEDULES = (
    *MAKESPANS,
    Question(
        "Pareto set of users", "random, 6 jobs each", "users", range(2, 14), lambda n, _: community(n, 6, "pareto"), ran
    ),
    Question(
        "Pareto set of users", "random, 3 users", "jobs each", doubled(8), lambda n, _: community(3, n, "pareto"), ran
    ),
    Question(
        "Pareto set of users",
        "random, 3 users, 2 machines",
        "jobs each",
        range(2, 12),
        lambda n, _: community(3, n, "pareto", 2),
        ran,
    ),
    Question(
        "fairest schedule of users",
        "random, 4 jobs each",
        "users",
        range(2, 24, 2),
        lambda n, _: community(n, 4, "fairest"),
        ran,
    ),
    Question(
        "federation heuristic, lpt-lpt",
        "random, 20 organizations",
        "jobs each",
        doubled(100, 9),
        lambda n, i: federation(20, n, i) | {"mechanism": {"rule": "lpt-lpt"}},
        ran,
    ),
)

QUESTIONS = PLACEMENTS + DECLARATIONS + GAMES + SHARING + SCHEDULES
