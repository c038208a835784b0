"""Placements by hand: whose jobs lie where, what that costs everybody, who wants to move, and what follows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...agents.organizations import Placement
from ...games.dynamics import best_response
from ...reports.tables import cell
from ...scenarios.federation import FederationSpec
from ...support.errors import TooLargeError
from ...verbs.dispatch import ask
from ...verbs.federation.model import alone, by_host, model
from ..drawing import Bar, colour, gantt, key, text
from ..view import View

SECONDS: float = 2.0
"""How long a central rule may look for an optimal schedule before the page shows the best one known."""


@dataclass(frozen=True)
class Wish:
    """What an organization would do next, in words too; ``hosts`` are ``None`` where that is out of reach."""

    organization: int
    hosts: tuple[int, ...] | None
    text: str


@dataclass
class Trail:
    """Best responses played so far: whose turn it is, and the placements at the starts of rounds."""

    turn: int = 0
    moved: bool = False
    starts: list[Placement] = field(default_factory=list)


def played(view: View) -> Mapping[str, Any]:
    """The record of ``run``."""
    return ask("run", view.scenario, {"time_limit": SECONDS}).to_dict()


def is_game(view: View) -> bool:
    """Whether organizations place their jobs themselves."""
    return model(view.scenario).played


def as_game(view: View, record: Mapping[str, Any]) -> View:
    """The placement game, from where the jobs of a schedule are."""
    hosts = {org["name"]: ["" for _ in org["jobs"]] for org in _organizations(view)}
    for job in record["jobs"]:
        hosts[job["organization"]][job["job"] - 1] = job["host"]
    return view.under("coordination").changed({"placement": hosts})


def _organizations(view: View) -> list[dict[str, Any]]:
    spec = view.scenario.spec
    jobs = spec.federation.sizes
    return [{"name": name, "jobs": jobs[k]} for k, name in enumerate(spec.names)]


def placed(view: View, placement: Sequence[Sequence[int]]) -> View:
    """With the jobs on these hosts, by number from 0."""
    return view.changed({"placement": by_host(view.scenario.spec, placement)})


def moved(view: View, organization: int, job: int, host: int) -> View:
    """With one job on another host; all numbers from 0."""
    hosts = [list(row) for row in view.scenario.spec.placement]
    hosts[organization][job] = host
    return placed(view, hosts)


def wishes(view: View) -> list[Wish]:
    """Who gains by moving her jobs, and where to, as listed. An exact best reply may take long."""
    m = model(view.scenario)
    found = []
    for k, judged in enumerate(alone(m) or ()):
        name = m.federation.names[k]
        if judged.best is None:
            found.append(Wish(k, None, f"{name}: not known ({judged.note})"))
        elif judged.best < judged.cost:
            try:
                hosts = tuple(best_response(m.game(), k, m.spec.placement)[0])
            except TooLargeError as error:
                found.append(Wish(k, None, f"{name}: not known ({error})"))
                continue
            told = _told(m.spec, k, hosts)
            found.append(Wish(k, hosts, f"{name} moves {told}: cost {judged.cost} becomes {judged.best}"))
    return found


def _told(spec: FederationSpec, organization: int, hosts: Sequence[int]) -> str:
    names, before = spec.names, spec.placement[organization]
    steps = [f"job {j + 1} to {names[to]}" for j, (was, to) in enumerate(zip(before, hosts, strict=True)) if was != to]
    return ", ".join(steps)


def granted(view: View, wish: Wish) -> View:
    """With a wish come true."""
    assert wish.hosts is not None  # others are not offered
    hosts = list(view.scenario.spec.placement)
    hosts[wish.organization] = wish.hosts
    return placed(view, hosts)


def step(view: View, found: Sequence[Wish], trail: Trail) -> tuple[View, str]:
    """The next best response, round robin as listed, given all wishes; what happened is said. ``trail`` goes on.

    A round without a move ends at an equilibrium; a placement met at the start of two rounds proves a cycle.
    """
    count = len(view.scenario.spec.names)
    wanted = {wish.organization: wish for wish in found}
    for _ in range(2 * count):
        if trail.turn == 0:
            here = view.scenario.spec.placement
            if trail.starts and not trail.moved:
                return view, "Nobody wants to move: this is an equilibrium."
            if here in trail.starts:
                return view, "This placement stood at the start of an earlier round: the moves go in a circle."
            trail.starts.append(here)
            trail.moved = False
        wish = wanted.get(trail.turn)
        trail.turn = (trail.turn + 1) % count
        if wish is not None:
            if wish.hosts is None:
                return view, f"Stopped: {wish.text}."
            trail.moved = True
            return granted(view, wish), f"{wish.text}."
    return view, "Nobody wants to move: this is an equilibrium."


def board(view: View) -> str:
    """The jobs in the boxes of the organizations that host them; a job is ``organization.job``, from 0, as its key."""
    spec = view.scenario.spec
    boxes = []
    for h, host in enumerate(spec.names):
        jobs = [
            _chip(view, k, j) for k, hosts in enumerate(spec.placement) for j, there in enumerate(hosts) if there == h
        ]
        boxes.append(
            f'<section class="host" data-host="{h}" aria-label="machines of {text(host)}">'
            f"<h3>{text(host)}</h3>{''.join(jobs)}</section>"
        )
    return f'<div class="board">{"".join(boxes)}</div>{key([(name, k) for k, name in enumerate(spec.names)])}'


def _chip(view: View, organization: int, job: int) -> str:
    spec = view.scenario.spec
    name = spec.names[organization]
    length = spec.federation.sizes[organization][job] * spec.federation.unit
    said = f"job {job + 1} of {name}, length {length}; arrow keys move it"
    return (
        f'<span class="job" draggable="true" tabindex="0" role="button" id="job-{organization}-{job}" '
        f'data-job="{organization}.{job}" aria-label="{text(said)}" title="{text(said)}" '
        f'style="border-left-color:{colour(organization)}">'
        f"<b>{text(name)}.{job + 1}</b> {text(cell(str(length)))}</span>"
    )


def schedule(view: View, record: Mapping[str, Any]) -> str:
    """Gantt chart: a row per machine; jobs of others are framed."""
    names = view.scenario.spec.names
    numbers = {name: k for k, name in enumerate(names)}
    used = sorted(
        {(numbers[job["host"]], job["machine"]) for job in record["jobs"]} | {(k, 1) for k in range(len(names))}
    )
    places = {place: i for i, place in enumerate(used)}
    bars = [
        Bar(
            places[numbers[job["host"]], job["machine"]],
            job["start"],
            job["end"],
            numbers[job["organization"]],
            f"{job['organization']}.{job['job']}",
            f"job {job['job']} of {job['organization']} on {job['host']}: from {job['start']} to {job['end']}",
            framed=job["organization"] != job["host"],
        )
        for job in record["jobs"]
    ]
    several = {host for host, machine in used if machine > 1}
    rows = [names[host] + (f" / {machine}" if host in several else "") for host, machine in used]
    return gantt(rows, bars) + key([(name, k) for k, name in enumerate(names)])


def costs(record: Mapping[str, Any]) -> list[tuple[str, ...]]:
    """What everybody pays, at home and here, the factor and the amount that each could gain alone."""
    return [
        tuple(cell(row[name]) for name in ("name", "local", "cost", "epsilon", "regret"))
        for row in record["organizations"]
    ]


def social(record: Mapping[str, Any]) -> str:
    """The social cost, and the bound from below that no schedule beats."""
    if record["social_cost"] is None:
        return "no schedule"
    return f"social cost {cell(record['social_cost'])}, at least {cell(record['lower_bound'])}"


def landmarks(found: Mapping[str, Any]) -> list[tuple[str, Mapping[str, Any]]]:
    """The placements of a search to jump to: equilibria, the optimum, and the placement nearest to an equilibrium."""
    marks = [("optimum", found.get("optimum"))]
    equilibria = found.get("equilibria") or {}
    marks += [("best equilibrium", equilibria.get("best")), ("worst equilibrium", equilibria.get("worst"))]
    marks += [(f"equilibrium {i + 1}", row) for i, row in enumerate(equilibria.get("listed") or ())]
    if not equilibria.get("exists"):
        near = found.get("smallest_epsilon_profile")
        marks.append(
            (f"nearest to an equilibrium (factor {found.get('smallest_epsilon')})", near and {"profile": near})
        )
    return [(_with_cost(name, row), row["profile"]) for name, row in marks if row]


def _with_cost(name: str, row: Mapping[str, Any]) -> str:
    return f"{name}, social cost {cell(row['social_cost'])}" if "social_cost" in row else name
