"""Designed payments on finite domains: edges, least prices and linear programs, each beside a plain way, in one run.

``python benchmarks/design.py [AGENTS,LENGTHS,CONCEPT ...]`` prints a line for each size: how many times as long the
plain way takes, then seconds. Machines have powers 1 and 2, jobs are postponed, the goal is the sum. The plain ways:

- edges: the reference of the tests, comparison by comparison, measured on some and counted up to all;
- least prices: Bellman and Ford over fractions in dictionaries;
- programs (least sum of payments, least largest sum, least largest payment, none with a deficit): HiGHS' simplex method
  on all rows, in floats, without a proof and without the second and the third objective; what it has not solved within
  a limit is shown as that limit. Programs that end there are open; those of sums are not needed where payments that
  balance are found without one, which is the last time.

Seconds are processor seconds, medians of three where that is quick; the last column is what a loop of fixed work took.
"""

from __future__ import annotations

import itertools
import statistics
import sys
import time
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import csr_array

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

from how_far import unit  # noqa: E402

from consortium.games.design import payments  # noqa: E402
from consortium.games.design.cycles import least_payments  # noqa: E402
from consortium.games.design.envy import Graphs, bare, envy  # noqa: E402
from consortium.games.verification.domain import Concept, Domain  # noqa: E402
from consortium.mechanisms.declaration import build  # noqa: E402
from consortium.scheduling.clusters import Cluster  # noqa: E402
from consortium.support.progress import Clock  # noqa: E402
from tests.games.design import reference  # noqa: E402

SIZES = ("3,5,dominant", "4,4,ex-post", "3,8,ex-post", "4,5,ex-post", "3,16,ex-post", "5,5,dominant")
OBJECTIVES = ("rent-sum", "rent", "payment")
SLICE = 200
"""Comparisons of the truth with a lie on which the plain edges are measured."""
QUICK, LIMIT = 2.0, 60.0


def spent(work: Callable[[], Any]) -> tuple[float, Any]:
    """Processor seconds, and the answer."""
    seconds, answer = [], None
    while len(seconds) < 3 and sum(seconds) < QUICK:
        began = time.process_time()
        answer = work()
        seconds.append(time.process_time() - began)
    return statistics.median_high(seconds), answer


def plain_edges(domain: Domain, concept: Concept) -> float:
    """Seconds for all comparisons, from those of some."""
    case = reference.Instance(
        (Fraction(1), Fraction(2)), "postpone", domain.lengths, domain.declarations, dominant=concept == "dominant"
    )

    def some() -> None:
        reference._output.cache_clear()
        list(itertools.islice(reference.truth_rows(case), SLICE))

    return spent(some)[0] * domain.cases(concept) / SLICE


def plain_prices(graphs: tuple[Graphs, ...]) -> None:
    """Least prices of everybody."""
    for own in graphs:
        for graph, _ in enumerate(own.others):
            edges = [(at[:2], own.row((graph, *at))[1]) for at in np.argwhere(own.edge[graph]).tolist()]
            paid = dict.fromkeys(range(len(own.nodes)), Fraction(0))
            for _ in own.nodes:
                for (i, v), later in edges:
                    paid[v] = max(paid[v], paid[own.truths[i]] - later)


def program(question: payments.Question, graphs: tuple[Graphs, ...], plans: Any) -> payments.Payments:
    """The program of the package, also where equal shares would answer."""
    try:
        return payments._Rows(question, graphs, plans, Clock(LIMIT), None).best()
    except TimeoutError:
        return payments.Payments("open")


def plain_program(question: payments.Question, graphs: tuple[Graphs, ...]) -> None:
    """One program of all rows, in floats."""
    agents, first = question.domain.n_agents, {b: k for k, b in enumerate(question.declared)}
    last = agents * len(first)
    rows: list[tuple[dict[int, float], float]] = []
    for own in graphs:
        for at in np.argwhere(own.edge).tolist():
            (_, n, others, true, lie), later = own.row(at)
            honest, lied = (first[own.at(others, b)] * agents + n for b in (true, lie))
            rows.append(({honest: 1, lied: -1}, float(later)))
    rows += [({k * agents + n: -1 for n in range(agents)}, 0) for k in first.values()]
    cost, truthful = np.zeros(last + 1), [first[b] * agents for b in question.truthful]
    for k in truthful:
        everybody = range(k, k + agents)
        if question.objective == "rent-sum":
            cost[list(everybody)] = 1
        else:
            groups = [everybody] if question.objective == "rent" else [[n] for n in everybody]
            rows += [({**dict.fromkeys(group, 1), last: -1}, 0) for group in groups]
            cost[last] = 1
    places = [(i, k, c) for i, (row, _) in enumerate(rows) for k, c in row.items()]
    lines, columns, values = zip(*places, strict=True)
    matrix = csr_array((values, (lines, columns)), shape=(len(rows), last + 1))
    rights = [right for _, right in rows]
    options = {"time_limit": LIMIT}
    linprog(cost, A_ub=matrix, b_ub=rights, bounds=(None, None), method="highs-ds", options=options)


def line(size: str) -> str:
    """What one size takes."""
    agents, lengths, concept = size.split(",")
    cluster, domain = Cluster.of([1, 2]), Domain.of(range(1, int(lengths) + 1), agents=int(agents))
    mechanism = bare(build("vcg-postpone", cluster))
    edges, graphs = spent(lambda: envy(mechanism, domain, concept))  # type: ignore[arg-type]
    planned, plans = spent(
        lambda: payments.plans(mechanism, cluster, payments.Question(domain, concept).declared)  # type: ignore[arg-type]
    )
    prices, _ = spent(lambda: [least_payments(own) for own in graphs])
    cells = [f"edges {plain_edges(domain, concept) / edges:8,.0f} times, {edges:6.2f}, plans {planned:6.2f}"]  # type: ignore[arg-type]
    cells += [f"least prices {spent(lambda: plain_prices(graphs))[0] / prices:6,.0f} times, {prices:7.4f}"]
    for objective in OBJECTIVES:
        question = payments.Question(domain, concept, objective)  # type: ignore[arg-type]
        own, best = spent(partial(program, question, graphs, plans))
        plain, _ = spent(partial(plain_program, question, graphs))
        cells.append(f"{objective} {plain / own:5.2f} times, {own:7.2f} ({best.status}, {best.value})")
    question = payments.Question(domain, concept, "rent-sum")  # type: ignore[arg-type]
    own, best = spent(partial(payments.best_payments, question, graphs, plans))
    cells.append(f"balance {own:6.2f} ({best.status}, {best.value})")
    return f"{size:>14}: {'; '.join(cells)}; unit {unit():.3f}"


if __name__ == "__main__":
    line("2,3,dominant")  # compile
    for size in sys.argv[1:] or SIZES:
        print(line(size), flush=True)
