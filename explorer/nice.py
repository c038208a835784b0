"""NiceGUI, imported when something in it is first used, so that the modules of the page can be read without it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..support.loading import optional

if TYPE_CHECKING:
    from nicegui import ui as ui
else:

    class _Later:
        def __getattr__(self, name: str) -> Any:
            return getattr(optional("nicegui.ui", "explore"), name)

    ui = _Later()
