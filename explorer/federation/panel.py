"""The page's part for federations: jobs to drag between organizations, costs, who wants to move, and what follows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from ...reports.tables import Table
from ...support.errors import ConsortiumError
from ..desk import TOO_LATE, Latest, StoppedError, soon
from ..nice import ui
from ..parts import Waiting, as_html, buttons, card, drawing, rule_choice, tables
from ..tab import Tab
from ..view import View
from . import state

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


class FederationPanel:
    """See the module."""

    def __init__(self, tab: Tab) -> None:
        self._tab = tab
        self._trail = state.Trail()
        self._wishes: Sequence[state.Wish] | None = None
        self._record: Mapping[str, Any] = {}
        self._marks: list[tuple[str, Mapping[str, Any]]] = []
        self._wish = Latest(self._look_for_wishes)
        with ui.element("div").classes("panel"):
            with ui.element("div").classes("column"):
                with card("Rule"):
                    rule_choice(tab, anew=True)
                self._game = state.is_game(tab.view)
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

    def _moves(self) -> None:
        with card("Who wants to move"):
            self._looking = Waiting(self._tab)
            self._wanted = ui.element("div").classes("column")
            self._said = ui.label().classes("said").props("role=status")
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
        record = await soon(self._tab.desk.run(state.played, view), lambda: self._show_board(view))
        if view is not self._tab.view:
            return  # there is something newer to answer
        self._show_board(view)
        self._record = record
        self._schedule.content = state.schedule(view, record)
        heads = ("organization", "at home", "cost", "gains by factor", "gains")
        self._costs.content = as_html([Table(state.social(record), heads, tuple(state.costs(record)))])
        if self._game:
            self._wishes = None
            self._tab.desk.stop_if_busy(TOO_LATE)
            with self._board:
                ui.timer(0, self._wish, once=True)

    def _show_board(self, view: View) -> None:
        if self._game:
            self._board.content = state.board(view)

    async def _look_for_wishes(self) -> None:
        """Find out who wants to move."""
        view = self._tab.view
        self._looking.begin("looking for best replies")
        try:
            found = await self._tab.desk.ask(state.wishes, view)
        except StoppedError:
            self._looking.end("Stopped: who wants to move is not known.")
            return
        except ConsortiumError as error:
            self._looking.end(str(error))
            return
        if view is not self._tab.view:
            return  # they are looked for again
        self._wishes = found
        self._looking.end("" if found else "Nobody: this is an equilibrium.")
        self._wanted.clear()
        with self._wanted:
            for wish in found:
                with ui.element("div").classes("wish"):
                    ui.label(wish.text)
                    if wish.hosts is not None:
                        buttons(move=self._granting(wish))

    def _granting(self, wish: state.Wish) -> Callable[[], Any]:
        async def grant() -> None:
            await self._go(lambda: state.granted(self._tab.view, wish))

        return grant

    async def _go(self, make: Callable[[], Any]) -> None:
        """A placement chosen by hand, from which best responses start anew."""
        self._trail, self._said.text = state.Trail(), ""
        await self._tab.look(make)

    async def _moved(self, event: Any) -> None:
        job, host = event.args
        organization, number = map(int, str(job).split("."))
        hosts = len(self._tab.view.scenario.spec.names)
        await self._go(lambda: state.moved(self._tab.view, organization, number, int(host) % hosts))
        ui.run_javascript(f"setTimeout(() => document.getElementById('job-{organization}-{number}')?.focus(), 40)")

    async def _step(self) -> None:
        if self._wishes is None:
            self._said.text = "Who wants to move is not known yet."
            return
        view, told = state.step(self._tab.view, self._wishes, self._trail)
        if view is not self._tab.view:
            await self._tab.look(lambda: view)
        self._said.text = told

    async def _home(self) -> None:
        await self._go(lambda: state.placed(self._tab.view, self._tab.view.scenario.spec.federation.home()))

    async def _play(self) -> None:
        await self._tab.look(lambda: state.as_game(self._tab.view, self._record), anew=True)

    def asked(self, verb: str, record: Mapping[str, Any]) -> None:
        """What a search has found can be jumped to."""
        if verb != "search" or not self._game:
            return
        self._jumps.clear()
        with self._jumps:
            for name, profile in state.landmarks(record):
                ui.button(name, on_click=self._jumping(profile)).props("no-caps flat dense align=left")

    def _jumping(self, profile: Mapping[str, Any]) -> Callable[[], Any]:
        async def jump() -> None:
            await self._go(lambda: self._tab.view.changed({"placement": dict(profile)}))

        return jump
