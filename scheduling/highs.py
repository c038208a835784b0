"""HiGHS on one makespan instance, as a process: question on stdin, answer on stdout, one line of JSON each.

It ends when its input is closed, so it does not outlive whoever asked, however she ended.

Question: ``[work, per_work, lower, upper, seconds]``, integers, ``seconds`` or null. Answer: ``{"machine": [...] or
null, "bound": integer or null}``. HiGHS takes a schedule for optimal when its gap is below one in ten thousand unless
told otherwise; here the gap must close. Its bound is a float and is rounded up only beyond a margin.

>>> answer = solve([3, 3, 2, 2, 2], [1, 1], 6, 7, 10.0)
>>> answer["bound"], sorted(answer["machine"])
(6, [0, 0, 1, 1, 1])
"""

from __future__ import annotations

import datetime
import json
import math
import os
import sys
import threading
from typing import Any

MARGIN = 1e-3


def solve(work: list[int], per_work: list[int], lower: int, upper: int, seconds: float | None) -> dict[str, Any]:
    """Machines and bound; see the module's text."""
    from ortools.math_opt.python import mathopt

    model = mathopt.Model()
    makespan = model.add_integer_variable(lb=lower, ub=upper)
    x = [[model.add_binary_variable() for _ in per_work] for _ in work]
    for row in x:
        model.add_linear_constraint(mathopt.fast_sum(row) == 1)
    for m, q in enumerate(per_work):
        model.add_linear_constraint(
            mathopt.fast_sum(w * q * row[m] for w, row in zip(work, x, strict=True)) <= makespan
        )
    model.minimize(makespan)
    limit = None if seconds is None else datetime.timedelta(seconds=seconds)
    parameters = mathopt.SolveParameters(time_limit=limit, relative_gap_tolerance=0.0, absolute_gap_tolerance=0.5)
    result = mathopt.solve(model, mathopt.SolverType.HIGHS, params=parameters)
    machine = None
    if result.has_primal_feasible_solution():
        values = result.variable_values()
        machine = [max(range(len(row)), key=lambda m: values[row[m]]) for row in x]
    dual = result.termination.objective_bounds.dual_bound
    bound = math.ceil(dual - MARGIN) if math.isfinite(dual) else None
    return {"machine": machine, "bound": bound}


def _end_with_input() -> None:
    """Wait for the end of the input, and end the process."""
    sys.stdin.read()
    os._exit(1)


if __name__ == "__main__":
    question = sys.stdin.readline()
    threading.Thread(target=_end_with_input, daemon=True).start()
    print(json.dumps(solve(*json.loads(question))))
