"""Long questions on the page: asked in the background, with a word about how far they are and a button to stop."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from ..reports.tables import tables_of
from .background import Question, Work
from .nice import ui
from .parts import as_html, buttons, card, tables
from .tab import Tab

OFTEN: Final = 0.2
"""Seconds between two looks at how far it is."""
LONG: Final = ("search", "verify", "prove", "compare")
"""Verbs that are asked here, where the kind has them."""


class Tasks:
    """The part of a tab where long questions are asked; one at a time."""

    def __init__(self, tab: Tab, on_answer: Callable[[str, Mapping[str, Any]], None]) -> None:
        self._tab, self._on_answer = tab, on_answer
        self._work: Work | None = None
        self._question: Question | None = None
        known = {verb.name for verb in tab.view.kind.verbs}
        with card("Longer questions"):
            self._buttons = buttons(**{verb: self._asker(verb) for verb in LONG if verb in known}, stop=self._stop)
            self._said = ui.label().classes("said").props("role=status")
            self._command = ui.label().classes("command said")
            self._tables = tables()
        self._timer = ui.timer(OFTEN, self._look, active=False)
        self._buttons["stop"].disable()

    def close(self) -> None:
        """Nobody waits for the answer any more."""
        if self._work is not None:
            self._work.close()

    def _asker(self, verb: str) -> Callable[[], None]:
        return lambda: self._ask(verb)

    def _ask(self, verb: str) -> None:
        if self._work is not None:
            return
        self._question = Question(verb, self._tab.view)
        self._work = Work(self._question)
        self._said.text, self._command.text, self._tables.content = f"{verb}: starting", self._question.command, ""
        self._enable(False)
        self._timer.activate()

    def _stop(self) -> None:
        if self._work is not None:
            self._work.stop()

    def _look(self) -> None:
        if self._work is None or self._question is None:
            return
        ended, verb = self._work.look(), self._question.verb
        self._said.text = f"{verb}: {self._work.said}"
        if not ended:
            return
        answer, trouble = self._work.answer, self._work.trouble
        self._work.close()
        self._work = None
        self._timer.deactivate()
        self._enable(True)
        if answer is None:
            self._said.text = f"{verb}: {trouble}"
            return
        self._said.text = f"{verb}: {'answered' if answer['complete'] else 'stopped; this is what is known'}"
        self._tables.content = as_html(tables_of(answer))
        self._on_answer(verb, answer)

    def _enable(self, ready: bool) -> None:
        for name, button in self._buttons.items():
            button.set_enabled(ready != (name == "stop"))
