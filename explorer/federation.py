"""Placements by hand: jobs to drag between organizations, what that costs everybody, who wants to move, what then."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final

from ..agents.organizations import Placement
from ..games.dynamics import best_response
from ..reports.federation import figures
from ..reports.tables import cell, tables_of
from ..scenarios.federation import FederationSpec
from ..support.errors import TooLargeError
from ..verbs.federation.model import alone, by_host, model
from .answers import Latest, soon
from .drawing import as_html, colour, gantt, key, text
from .parts import Waiting, buttons, card, drawing, rule_choice, tables
from .tab import Panel, Tab, ui
from .view import View, played

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


def is_game(view: View) -> bool:
    """Whether organizations place their jobs themselves."""
    return model(view.scenario, **view.options()).played


def as_game(view: View, record: Mapping[str, Any]) -> View:
    """The placement game, from where the jobs of a schedule are."""
    spec = view.scenario.spec
    hosts = {name: [""] * len(jobs) for name, jobs in zip(spec.names, spec.federation.sizes, strict=True)}
    for job in record["jobs"]:
        hosts[job["organization"]][job["job"] - 1] = job["host"]
    return view.under("coordination").changed({"placement": hosts})


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
    m = model(view.scenario, **view.options())
    deviations = []
    for k, judged in enumerate(alone(m) or ()):
        name = m.federation.names[k]
        if judged.best is None:
            deviations.append(Wish(k, None, f"{name}: not known, its placements are too many"))
        elif judged.best < judged.cost:
            try:
                hosts = tuple(best_response(m.game(), k, m.spec.placement)[0])
            except TooLargeError as error:
                deviations.append(Wish(k, None, f"{name}: not known ({error})"))
                continue
            sentence = _sentence(m.spec, k, hosts)
            deviations.append(Wish(k, hosts, f"{name} moves {sentence}: cost {judged.cost} becomes {judged.best}"))
    return deviations


def _sentence(spec: FederationSpec, organization: int, hosts: Sequence[int]) -> str:
    names, before = spec.names, spec.placement[organization]
    steps = [f"job {j + 1} to {names[to]}" for j, (was, to) in enumerate(zip(before, hosts, strict=True)) if was != to]
    return ", ".join(steps)


def granted(view: View, wish: Wish) -> View:
    """With a wish come true."""
    assert wish.hosts is not None  # others are not offered
    hosts = list(view.scenario.spec.placement)
    hosts[wish.organization] = wish.hosts
    return placed(view, hosts)


def step(view: View, moves: Sequence[Wish], trail: Trail) -> tuple[View, str]:
    """The next best response, round robin as listed, given all wishes; what happened is said. ``trail`` goes on.

    A round without a move ends at an equilibrium; a placement met at the start of two rounds proves a cycle.
    """
    count = len(view.scenario.spec.names)
    moves_of = {wish.organization: wish for wish in moves}
    for _ in range(2 * count):
        if trail.turn == 0:
            here = view.scenario.spec.placement
            if trail.starts and not trail.moved:
                return view, "Nobody wants to move: this is an equilibrium."
            if here in trail.starts:
                return view, "This placement stood at the start of an earlier round: the moves go in a circle."
            trail.starts.append(here)
            trail.moved = False
        wish = moves_of.get(trail.turn)
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
    sections = []
    for h, host in enumerate(spec.names):
        jobs = [
            _chip(view, k, j) for k, hosts in enumerate(spec.placement) for j, there in enumerate(hosts) if there == h
        ]
        sections.append(
            f'<section class="host" data-host="{h}" aria-label="machines of {text(host)}">'
            f"<h3>{text(host)}</h3>{''.join(jobs)}</section>"
        )
    return f'<div class="board">{"".join(sections)}</div>{key(spec.names)}'


def _chip(view: View, organization: int, job: int) -> str:
    spec = view.scenario.spec
    name = spec.names[organization]
    length = spec.federation.sizes[organization][job] * spec.federation.unit
    label = f"job {job + 1} of {name}, length {length}; arrow keys move it"
    return (
        f'<span class="job" draggable="true" tabindex="0" role="button" id="job-{organization}-{job}" '
        f'data-job="{organization}.{job}" aria-label="{text(label)}" title="{text(label)}" '
        f'style="border-left-color:{colour(organization)}">'
        f"<b>{text(name)}.{job + 1}</b> {text(cell(str(length)))}</span>"
    )


def social(record: Mapping[str, Any]) -> str:
    """The social cost, and the bound from below that no schedule beats."""
    if record["social_cost"] is None:
        return "no schedule"
    return f"social cost {cell(record['social_cost'])}, at least {cell(record['lower_bound'])}"


def landmarks(record: Mapping[str, Any]) -> list[tuple[str, Mapping[str, Any]]]:
    """The placements of a search to jump to: equilibria, the optimum, and the placement nearest to an equilibrium."""
    marks = [("optimum", record.get("optimum"))]
    equilibria = record.get("equilibria") or {}
    marks += [("best equilibrium", equilibria.get("best")), ("worst equilibrium", equilibria.get("worst"))]
    marks += [(f"equilibrium {i + 1}", row) for i, row in enumerate(equilibria.get("listed") or ())]
    if not equilibria.get("exists"):
        near = record.get("smallest_epsilon_profile")
        marks.append(
            (f"nearest to an equilibrium (factor {record.get('smallest_epsilon')})", near and {"profile": near})
        )
    costs = [f", social cost {cell(row['social_cost'])}" if row and "social_cost" in row else "" for _, row in marks]
    return [(name + cost, row["profile"]) for (name, row), cost in zip(marks, costs, strict=True) if row]


TAKE: Final = (
    "(e) => { const j = e.target.closest('[data-job]'); if (j) e.dataTransfer.setData('text/plain', j.dataset.job) }"
)
OVER: Final = "(e) => { if (e.target.closest('[data-host]')) e.preventDefault() }"
DROP: Final = (
    "(e) => { const h = e.target.closest('[data-host]'), j = e.dataTransfer.getData('text/plain'); "
    "if (h && /^[0-9]+[.][0-9]+$/.test(j)) { e.preventDefault(); emit([j, Number(h.dataset.host)]) } }"
)
TOUCH: Final = (
    "(e) => { const j = e.target.closest('[data-job]'), h = e.target.closest('[data-host]'); "
    "const was = document.querySelector('.job.picked'); if (was) was.classList.remove('picked'); "
    "if (j && j !== was) j.classList.add('picked'); "
    "else if (h && was && !j) emit([was.dataset.job, Number(h.dataset.host)]) }"
)
"""For fingers: a tap picks a job, a tap on an organization puts it there."""
ARROW: Final = (
    "(e) => { const j = e.target.closest('[data-job]'); "
    "const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[e.key]; "
    "if (j && by) { e.preventDefault(); emit([j.dataset.job, Number(j.closest('[data-host]').dataset.host) + by]) } }"
)


class FederationPanel(Panel):
    """See the module."""

    def __init__(self, tab: Tab) -> None:
        super().__init__(tab)
        self._trail = Trail()
        self._wishes: Sequence[Wish] | None = None
        self._record: Mapping[str, Any] = {}
        self._marks: list[tuple[str, Mapping[str, Any]]] = []
        self._wish = Latest(self._look_for_wishes)
        with ui.element("div").classes("panel"):
            with ui.element("div").classes("column"):
                with card("Rule"):
                    rule_choice(tab, anew=True)
                self._game = is_game(tab.view)
                if self._game:
                    self._moves()
                else:
                    with card("Central rule"):
                        ui.label("This rule places the jobs. To move them, let the organizations choose.")
                        buttons(let_them_choose=self._play)
            with ui.element("div").classes("column"):
                if self._game:
                    with card("Jobs: drag them, or use the arrow keys"):
                        self._board = self._movable()
                with card("Schedule (thick frame: on a foreign machine)"):
                    self._schedule = drawing()
                with card("Costs"):
                    self._costs = tables()

    @classmethod
    def parts(cls, view: View) -> int:
        """The jobs, which are dragged."""
        return sum(map(len, view.scenario.spec.placement))

    def _moves(self) -> None:
        with card("Who wants to move"):
            self._looking = Waiting(self._tab)
            self._wanted = ui.element("div").classes("column")
            self._status = ui.label().classes("status").props("role=status")
            buttons(play_a_best_response=self._step, start_at_home=self._home)
        with card("Places to jump to"):
            ui.label("Ask “search” below for the equilibria and the optimum.")
            self._jumps = ui.element("div").classes("column")

    def _movable(self) -> Any:
        board = drawing()
        board.on("dragstart", js_handler=TAKE)
        board.on("dragover", js_handler=OVER)
        for event, script in (("drop", DROP), ("click", TOUCH), ("keydown", ARROW)):
            board.on(event, self._moved, js_handler=script)
        return board

    async def refresh(self) -> None:
        """Answer what is looked at now; who wants to move follows as soon as it is known."""
        view = self._tab.view
        record = await soon(
            self._tab.desk.run(partial(played, time_limit=SECONDS), view), lambda: self._show_board(view)
        )
        if view is not self._tab.view:
            return  # there is something newer to answer
        self._show_board(view)
        self._record = record
        self._schedule.content = gantt(figures.gantt(record))
        self._costs.content = as_html([replace(tables_of(record)[0], title=social(record))])
        if self._game:
            self._wishes = None
            self._wanted.clear()
            self._tab.follow(self._board, self._wish)

    def _show_board(self, view: View) -> None:
        if self._game:
            self._board.content = board(view)

    async def _look_for_wishes(self) -> None:
        """Find out who wants to move."""
        view = self._tab.view
        answer, stopped = self._tab.desk.ask(wishes, view), "Stopped: who wants to move is not known."
        moves = await self._looking.fetch("looking for best replies", stopped, answer)
        if moves is None or view is not self._tab.view:
            return  # or they are looked for again
        self._wishes = moves
        self._looking.end("" if moves else "Nobody: this is an equilibrium.")
        self._wanted.clear()
        with self._wanted:
            for wish in moves:
                with ui.element("div").classes("wish"):
                    ui.label(wish.text)
                    if wish.hosts is not None:
                        buttons(move=partial(self._go, partial(granted, wish=wish)))

    async def _go(self, change: Callable[[View], View]) -> None:
        """A placement chosen by hand, from which best responses start anew."""
        self._trail, self._status.text = Trail(), ""
        await self._tab.look(change)

    async def _moved(self, event: Any) -> None:
        job, host = event.args
        organization, number = map(int, str(job).split("."))
        hosts = len(self._tab.view.scenario.spec.names)
        await self._go(partial(moved, organization=organization, job=number, host=int(host) % hosts))
        ui.run_javascript(f"setTimeout(() => document.getElementById('job-{organization}-{number}')?.focus(), 40)")

    async def _step(self) -> None:
        if self._wishes is None:
            self._status.text = "Who wants to move is not known yet."
            return
        moves, trail, sentence = self._wishes, self._trail, ""

        def stepped(view: View) -> View:
            nonlocal sentence
            view, sentence = step(view, moves, trail)
            return view

        if await self._tab.look(stepped):
            self._status.text = sentence

    async def _home(self) -> None:
        await self._go(lambda view: placed(view, view.scenario.spec.federation.home()))

    async def _play(self) -> None:
        await self._tab.look(partial(as_game, record=self._record), anew=True)

    def on_answer(self, verb: str, record: Mapping[str, Any]) -> None:
        """What a search has found can be jumped to."""
        if verb != "search" or not self._game:
            return
        self._jumps.clear()
        with self._jumps:
            for name, profile in landmarks(record):
                ui.button(name, on_click=partial(self._jump, profile)).props("no-caps flat dense align=left")

    async def _jump(self, profile: Mapping[str, Any]) -> None:
        await self._go(lambda view: view.changed({"placement": dict(profile)}))
