"""Tables of records on scenarios of kind ``federation``, and their jobs for other programs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Any, Final

from ...verbs.federation import records
from ..game.tables import search as search_tables
from ..jobs import Job, scenario_of, whole
from ..markup import Table
from ..tables import cell, comparison, facts, listing, pairs_of, table

__all__ = ["compare", "jobs", "prove", "run", "search", "verify"]

FACTS: Final = (
    *("social_cost", "lower_bound", "jain", "stretch", "cooperation"),
    *("local_constraint", "selfishness_restriction", "guess"),
)
"""Fields of a run about the whole federation."""

compare = comparison


def run(data: Mapping[str, Any]) -> list[Table]:
    """Organizations, what everybody sees, where every job runs."""
    columns = ["name", "local", "makespan", "total_completion", "cost", "lower_bound", "stretch"]
    if any(row["epsilon"] is not None for row in data["organizations"]):
        columns += ["epsilon", "regret"]
    pairs = pairs_of(data, records.RunRecord, FACTS)
    if data.get("optimum_at_least") is not None:
        pairs += pairs_of(data, records.RunRecord, ["optimum_at_least"])
    if data.get("feasible") is False:
        pairs += pairs_of(data, records.RunRecord, ["feasible"])
    schedule = ["organization", "job", "host", "machine", "start", "end"]
    return [
        table(f"run: {data['scenario']}", data["organizations"], columns, of=records.OrganizationRow),
        facts("federation", pairs),
        listing("schedule", data["jobs"], schedule, data.get("jobs_left_out"), of=records.JobRow),
    ]


def search(data: Mapping[str, Any]) -> list[Table]:
    """The tables of every game, with the optimum over all schedules in its place."""
    return search_tables(data, pairs_of(data, records.FederationSearchRecord, ["unconstrained_optimum"]))


def verify(data: Mapping[str, Any]) -> list[Table]:
    """Equilibrium, constraints and claims, each with who breaks it."""
    rows = [{"property": name, "holds": holds, "counterexample": broken} for name, holds, broken in findings(data)]
    tables = [table(f"verify: {data['scenario']}", rows, ["property", "holds", "counterexample"])]
    stable = data["equilibrium"]
    if stable is not None:
        tables.append(
            facts("distance from equilibrium", pairs_of(stable, records.EquilibriumRow, ["epsilon", "regret"]))
        )
    return tables


def prove(data: Mapping[str, Any]) -> list[Table]:
    """What is proved of all games of a shape, and the game that refutes it or attains the value."""
    optional = ("value", "at_least", "at_most", "attained", "by", "theorem", "proof", "regions", "decided")
    keys = ["property", "status", *(key for key in optional if data.get(key) is not None)]
    tables = [facts(f"prove: {data['scenario']}", pairs_of(data, records.ProveRecord, keys))]
    witness = data["witness"]
    if witness:
        rows = [{"organization": name, "lengths": lengths} for name, lengths in witness["lengths"].items()]
        tables.append(table(f"a game {shows(data)}", rows, ["organization", "lengths"]))
    if plane := data.get("plane"):
        rows = [{"placement": away(area["placement"]), "share": area["share"]} for area in plane["areas"]]
        tables.append(table(f"equilibria at {lengths(plane)}", rows, ["placement", "share"]))
    return tables


def lengths(plane: Mapping[str, Any]) -> str:
    """The games of a plane."""
    return "; ".join(f"{name}: {', '.join(map(cell, row))}" for name, row in plane["lengths"].items() if row)


def away(placement: Mapping[str, Sequence[str]] | None) -> str:
    """A placement by the jobs that are not at home.

    >>> away({"O1": ["O1", "O3"], "O2": ["O2"], "O3": []})
    'O1.2 on O3'
    """
    if placement is None:
        return "no equilibrium"
    guests = [
        f"{name}.{job} on {host}"
        for name, hosts in placement.items()
        for job, host in enumerate(hosts, 1)
        if host != name
    ]
    return ", ".join(guests) or "all at home"


def shows(data: Mapping[str, Any]) -> str:
    """What the witness of a proof for all lengths shows."""
    if data["status"] == "refuted":
        return "that refutes it"
    return "that has the lower bound" if data["value"] is None else "that attains it"


def findings(data: Mapping[str, Any]) -> list[tuple[str, bool | None, str]]:
    """What a ``verify`` record says: property, whether it holds, and who breaks it how."""
    listed: list[tuple[str, bool | None, str]] = []
    stable = data["equilibrium"]
    if stable is not None:
        listed.append(("equilibrium", stable["holds"], _gain(stable["witness"])))
    joint = data.get("coalition")
    if joint is not None:
        name = f"no coalition of up to {joint['size']} gains ({joint['notion']})"
        listed.append((name, joint["holds"], _joint_gain(joint["witness"])))
    for name in ("local_constraint", "selfishness_restriction"):
        listed.append((name.replace("_", " "), data[name], _broken(data["witnesses"].get(name))))
    for name, claim in data["claims"].items():
        listed.append((f"claim: {name}", claim["holds"], _broken(claim["witness"])))
    return listed


def _gain(witness: Mapping[str, Any] | None) -> str:
    if not witness:
        return ""
    better = f"{cell(witness['cost'])} becomes {cell(witness['better'])}"
    return f"{witness['organization']} gains by {cell(witness['placement'])}: {better}"


def _joint_gain(witness: Mapping[str, Any] | None) -> str:
    if not witness:
        return ""
    moves = ", ".join(f"{name} to {cell(witness['placement'][name])}" for name in witness["members"])
    before, after = (", ".join(map(cell, witness[key].values())) for key in ("costs_before", "costs_after"))
    return f"{moves}: {before} become {after}"


def _broken(witness: Mapping[str, Any] | None) -> str:
    return f"{who(witness)}: {cell(witness['value'])} instead of at most {cell(witness['bound'])}" if witness else ""


def who(witness: Mapping[str, Any]) -> str:
    """Whom a broken promise concerns."""
    organization = "the federation" if witness["organization"] is None else witness["organization"]
    return organization if witness["job"] is None else f"{organization}, job {witness['job']}"


def jobs(data: Mapping[str, Any]) -> list[Job]:
    """Every job; machines are numbered organization after organization."""
    whole(data.get("jobs_left_out"), len(data["jobs"]))
    organizations = scenario_of(data).spec.federation.organizations
    before = accumulate((each.machines for each in organizations), initial=0)
    first = {each.name: count for each, count in zip(organizations, before, strict=False)}
    return [Job.placed(row["organization"], row, first[row["host"]] + row["machine"] - 1) for row in data["jobs"]]
