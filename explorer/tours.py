"""Guided tours: paths through the explorer, whose steps are the data of ``tours.toml``."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from functools import cache, partial
from pathlib import Path
from typing import Any, Final

from ..scenarios.toml import parse_text
from .parts import buttons, card
from .tab import Tab, ui
from .view import View

FILE: Final = Path(__file__).with_name("tours.toml")

Step = Mapping[str, Any]


@cache
def tours() -> Mapping[str, tuple[Step, ...]]:
    """The steps of every tour, by its title.

    >>> {title: len(steps) for title, steps in tours().items()}
    {'mechanism designer': 5, 'placement games': 6, 'cluster operator': 5}
    """
    data = parse_text(FILE.read_text(encoding="utf-8"), FILE.name)
    return {tour["title"]: tuple(tour["steps"]) for tour in data["tours"]}


def view_of(step: Step) -> View:
    """What a step looks at."""
    view = View.opened(step["scenario"])
    return view.changed(step["changes"]) if "changes" in step else view


class Guide:
    """The tour that is under way: what to do and to see, and the ways on and back."""

    def __init__(self, tab: Tab, on_step: Callable[[], object]) -> None:
        self._tab, self._on_step = tab, on_step
        self._steps: tuple[Step, ...] = ()
        self._at = 0
        with card("Guided tour") as self._card:
            self._text = ui.label().props("role=status")
            self._buttons = buttons(back=partial(self._move, -1), next=partial(self._move, 1))
        self._card.set_visibility(False)

    async def begin(self, title: str | None) -> None:
        """Go to the first step of a tour; ``None`` leaves the one that is under way."""
        self._steps = tours()[title] if title else ()
        self._card.set_visibility(bool(self._steps))
        if self._steps:
            await self._go(0)

    def _move(self, by: int) -> Awaitable[None]:
        return self._go(min(max(self._at + by, 0), len(self._steps) - 1))

    async def _go(self, at: int) -> None:
        step, self._at = self._steps[at], at
        self._text.text = f"{at + 1} of {len(self._steps)}: {step['text']}"
        self._buttons["back"].set_enabled(at > 0)
        self._buttons["next"].set_enabled(at < len(self._steps) - 1)
        if await self._tab.open(step["scenario"], partial(view_of, step)):
            self._on_step()
