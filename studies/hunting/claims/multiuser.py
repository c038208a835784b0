"""Claims about rules of kind ``multiuser``: a run beside the exact Pareto set of the same users.

Whoever is on no schedule's list is dominated: the point of the rule is compared with every point of the set.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, Final, TypeAlias

from numpy.random import Generator

from ....mechanisms.kinds import info
from ....mechanisms.multiuser.catalogue import CONSTRAINED, ONE_OBJECTIVE
from ....support.exact import rational
from .verdict import ANY, Answer, Case, Decide, Hunting, Sizes, UnfitError, Verdict, number, of_family, upto

Point: TypeAlias = tuple[Fraction, ...]


def _pareto(case: Case) -> tuple[list[Point], Mapping[str, Any]]:
    """The Pareto set, and the scenario that shows it."""
    twin = case.twin({"mechanism": {"rule": "pareto"}, "fairness": None})
    points = case.ask_of(twin, "run", list=1_000_000)["pareto"]
    scenario = twin.variant({}, {"run": {"pareto": points, "options": {"list": 1_000_000}}})
    return [tuple(map(rational, point)) for point in points], scenario


def _thresholds(case: Case) -> list[Fraction | None]:
    """Everybody's threshold; ``None`` for none."""
    thresholds: Sequence[Any] = case.scenario.to_dict()["mechanism"].get("thresholds") or ("none",) * len(
        case.scenario.spec.users
    )
    return [None if value == "none" else rational(value) for value in thresholds]


def _meets(point: Point, thresholds: Sequence[Fraction | None]) -> bool:
    return all(limit is None or value <= limit for value, limit in zip(point, thresholds, strict=True))


def _point(run: Answer) -> Point | None:
    return None if run["point"] is None else tuple(map(rational, run["point"]))


def _expect_point(run: Answer) -> dict[str, Any]:
    """The point of a run; that there is none is said by ``feasible``."""
    return {"run": {"feasible": False} if run["point"] is None else {"point": run["point"]}}


def _meets_thresholds(case: Case) -> Verdict:
    if case.mechanism is not None or "thresholds" not in info("multiuser", case.scenario.spec.rule).options:
        raise UnfitError("meets-thresholds is about rules that take thresholds, as this one does not")
    run, limits = case.ask("run"), _thresholds(case)
    point = _point(run)
    if point is not None:
        return Verdict(not _meets(point, limits), None, _expect_point(run))
    points, twin = _pareto(case)
    return Verdict(any(_meets(each, limits) for each in points), None, _expect_point(run), (twin,))


def _pareto_optimal(case: Case) -> Verdict:
    """Of a point, or of each point of a set."""
    run = case.ask("run")
    points, twin = _pareto(case)
    own = [tuple(map(rational, each)) for each in run["pareto"]] if run["pareto"] is not None else [_point(run)]
    dominated = any(_dominates(each, point) for point in own if point is not None for each in points)
    expect = {"run": {"pareto": run["pareto"]}} if run["pareto"] is not None else _expect_point(run)
    return Verdict(dominated, None, expect, (twin,))


def _dominates(one: Point, other: Point) -> bool:
    return one != other and all(x <= y for x, y in zip(one, other, strict=True))


def _smallest_total(case: Case) -> Verdict:
    """Of the user who minimises her total, among all points that meet the thresholds."""
    run, limits = case.ask("run"), _thresholds(case)
    _answers_with_a_point("smallest-total", run)
    if case.mechanism is None and ONE_OBJECTIVE.get(case.scenario.spec.rule) == "makespan":
        raise UnfitError("smallest-total is about users who minimise totals; under this rule all minimise makespan")
    point = _point(run)
    totals = [u for u, user in enumerate(run["users"]) if user["objective"] == "total-completion"]
    if point is None or not totals:
        return Verdict(False)
    points, twin = _pareto(case)
    own = sum((point[u] for u in totals), Fraction(0))
    least = min((sum((p[u] for u in totals), Fraction(0)) for p in points if _meets(p, limits)), default=own)
    return Verdict(own > least, own - least, _expect_point(run), (twin,))


def _zenith_ratio(case: Case) -> Verdict:
    """Nobody above her guaranteed factor over her value alone."""
    users = case.ask("run")["users"]
    if all(row["guarantee"] is None for row in users):
        raise UnfitError("zenith-ratio is about rules with a proved factor over everybody's value alone")
    rows = [
        row for row in users if None not in (row["value"], row["zenith"], row["guarantee"]) and rational(row["zenith"])
    ]
    if len(rows) < len(users):
        return Verdict(None)
    factors = [rational(row["value"]) / rational(row["zenith"]) / rational(row["guarantee"]) for row in rows]
    expect = {row["name"]: {key: row[key] for key in ("value", "zenith", "guarantee")} for row in rows}
    return Verdict(max(factors) > 1, max(factors), {"run": {"users": expect}})


def _fairest(case: Case) -> Verdict:
    """The key of the point beside that of the optimum, where it is not in the record that of rule ``fairest``."""
    run = case.ask("run")
    _answers_with_a_point("fairest", run)
    fairness, twins = run["fairness"], tuple[Mapping[str, Any], ...]()
    if fairness is None:
        return Verdict(None)
    best, expect = fairness["optimum_key"], {"key": fairness["key"], "optimum_key": fairness["optimum_key"]}
    if best is None:
        best, scenario = _fairest_key(case)
        expect, twins = {"key": fairness["key"]}, (scenario,)
    key, least = rational(fairness["key"]), rational(best)
    return Verdict(key > least, key / least if least > 0 else None, {"run": {"fairness": expect}}, twins)


def _fairest_key(case: Case) -> tuple[Any, Mapping[str, Any]]:
    """The smallest key of all schedules, and the scenario that shows it."""
    twin = case.twin({"mechanism": {"rule": "fairest"}})
    best = case.ask_of(twin, "run")["fairness"]["key"]
    return best, twin.variant({}, {"run": {"fairness": {"key": best}}})


def _answers_with_a_point(claim: str, run: Answer) -> None:
    if run["pareto"] is not None:
        raise UnfitError(f"{claim} is about rules that answer with a point; this one answers with a set of points")


def _proves_optimum(case: Case) -> Verdict:
    """A point called proved beside the fairest of the Pareto set: rule ``fairest`` finds it another way."""
    run = case.ask("run")["fairness"]
    if run is None or "proved" not in run:
        raise UnfitError("proves-optimum is about rules that say of a point whether it is proved: the refinements")
    if not run["proved"]:
        return Verdict(False)
    best, scenario = _fairest_key(case)
    expect = {"run": {"fairness": {"key": run["key"], "proved": True}}}
    return Verdict(rational(run["key"]) > rational(best), number(run["key"]), expect, (scenario,))


CLAIMS: Final[Mapping[str, Decide]] = {
    "meets-thresholds": _meets_thresholds,
    "pareto-optimal": _pareto_optimal,
    "smallest-total": _smallest_total,
    "zenith-ratio": _zenith_ratio,
    "fairest": _fairest,
    "proves-optimum": _proves_optimum,
}
"""Every claim of the catalogue, and those that it refutes."""


def _parameters(base: Mapping[str, Any], rng: Generator, size: int) -> dict[str, Any]:
    """With as many users who minimise their total completion time as the rule takes."""
    rule, users = base["mechanism"]["rule"], upto(rng, 2, 3)
    only = ONE_OBJECTIVE.get(rule)
    totals = 1 if rule in CONSTRAINED else upto(rng, 0, users) if only is None else users * (only != "makespan")
    return {"users": users, "totals": totals, "fewest": 1, "jobs": 2 + (size > 0)}


def _draw(base: Mapping[str, Any], rng: Generator, size: int, sizes: Sizes = ANY) -> dict[str, Any]:
    """With a threshold for every makespan, between what is hers and all work, for rules that want them."""
    data = of_family(_parameters)(base, rng, size, sizes)
    if "thresholds" not in info("multiuser", data["mechanism"]["rule"]).options:
        return data
    users = data["users"]
    work = sum(sum(user["jobs"]) for user in users)
    limits = [upto(rng, sum(u["jobs"]), work) if u["objective"] == "makespan" else "none" for u in users]
    return {**data, "mechanism": {**data["mechanism"], "thresholds": limits}}


HUNTING: Final = Hunting(CLAIMS, _draw, ("users", "jobs", "machines", "longest"))
