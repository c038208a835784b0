"""Claims about rules of kind ``multiuser``: a run beside the exact Pareto set of the same users.

Whoever is on no schedule's list is dominated: the point of the rule is compared with every point of the set.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, Final, TypeAlias

from .ruling import Answer, Case, Decide, Ruling, exact, number

Point: TypeAlias = tuple[Fraction, ...]


def _pareto(case: Case) -> tuple[list[Point], Mapping[str, Any]]:
    """The Pareto set, and the scenario that shows it."""
    twin = case.twin({"mechanism": {"rule": "pareto"}, "fairness": None})
    found = case.ask_of(twin, "run", list=1_000_000)["pareto"]
    shown = twin.variant({}, {"run": {"pareto": found, "options": {"list": 1_000_000}}})
    return [tuple(map(exact, point)) for point in found], shown


def _thresholds(case: Case) -> list[Fraction | None]:
    """Everybody's threshold; ``None`` for none."""
    given: Sequence[Any] = case.scenario.to_dict()["mechanism"].get("thresholds", ())
    return [None if value == "none" else exact(value) for value in given]


def _meets(point: Point, thresholds: Sequence[Fraction | None]) -> bool:
    return all(limit is None or value <= limit for value, limit in zip(point, thresholds, strict=True))


def _point(run: Answer) -> Point | None:
    return None if run["point"] is None else tuple(map(exact, run["point"]))


def _shown(run: Answer) -> dict[str, Any]:
    """The point of a run; that there is none is said by ``feasible``."""
    return {"run": {"feasible": False} if run["point"] is None else {"point": run["point"]}}


def _meets_thresholds(case: Case) -> Ruling:
    run, limits = case.ask("run"), _thresholds(case)
    point = _point(run)
    if point is not None:
        return Ruling(not _meets(point, limits), None, _shown(run))
    points, twin = _pareto(case)
    return Ruling(any(_meets(each, limits) for each in points), None, _shown(run), (twin,))


def _pareto_optimal(case: Case) -> Ruling:
    """Of a point, or of each point of a set."""
    run = case.ask("run")
    points, twin = _pareto(case)
    own = [tuple(map(exact, each)) for each in run["pareto"]] if run["pareto"] is not None else [_point(run)]
    dominated = any(_dominates(each, point) for point in own if point is not None for each in points)
    shown = {"run": {"pareto": run["pareto"]}} if run["pareto"] is not None else _shown(run)
    return Ruling(dominated, None, shown, (twin,))


def _dominates(one: Point, other: Point) -> bool:
    return one != other and all(x <= y for x, y in zip(one, other, strict=True))


def _smallest_total(case: Case) -> Ruling:
    """Of the user who minimises her total, among all points that meet the thresholds."""
    run, limits = case.ask("run"), _thresholds(case)
    point = _point(run)
    totals = [u for u, user in enumerate(run["users"]) if user["objective"] == "total-completion"]
    if point is None or not totals:
        return Ruling(False)
    points, twin = _pareto(case)
    own = sum((point[u] for u in totals), Fraction(0))
    least = min((sum((p[u] for u in totals), Fraction(0)) for p in points if _meets(p, limits)), default=own)
    return Ruling(own > least, own - least, _shown(run), (twin,))


def _zenith_ratio(case: Case) -> Ruling:
    """Nobody above her guaranteed factor over her value alone."""
    users = case.ask("run")["users"]
    rows = [
        row for row in users if None not in (row["value"], row["zenith"], row["guarantee"]) and exact(row["zenith"])
    ]
    if len(rows) < len(users):
        return Ruling(None)
    factors = [exact(row["value"]) / exact(row["zenith"]) / exact(row["guarantee"]) for row in rows]
    shown = {row["name"]: {key: row[key] for key in ("value", "zenith", "guarantee")} for row in rows}
    return Ruling(max(factors) > 1, max(factors), {"run": {"users": shown}})


def _fairest(case: Case) -> Ruling:
    """The key of the point beside that of the optimum."""
    found = case.ask("run")["fairness"]
    if found is None or found["optimum_key"] is None:
        return Ruling(None)
    key, best = exact(found["key"]), exact(found["optimum_key"])
    shown = {"fairness": {"key": found["key"], "optimum_key": found["optimum_key"]}}
    return Ruling(key > best, key / best if best > 0 else None, {"run": shown})


def _proves_optimum(case: Case) -> Ruling:
    """A point called proved beside the fairest of the Pareto set: rule ``fairest`` finds it another way."""
    run = case.ask("run")["fairness"]
    if run is None or not run.get("proved"):
        return Ruling(False)
    twin = case.twin({"mechanism": {"rule": "fairest"}})
    best = case.ask_of(twin, "run")["fairness"]["key"]
    shown = twin.variant({}, {"run": {"fairness": {"key": best}}})
    return Ruling(
        exact(run["key"]) > exact(best),
        number(run["key"]),
        {"run": {"fairness": {"key": run["key"], "proved": True}}},
        (shown,),
    )


CLAIMS: Final[Mapping[str, Decide]] = {
    "meets-thresholds": _meets_thresholds,
    "pareto-optimal": _pareto_optimal,
    "smallest-total": _smallest_total,
    "zenith-ratio": _zenith_ratio,
    "fairest": _fairest,
    "proves-optimum": _proves_optimum,
}
"""Every claim of the catalogue, and those that it refutes."""
