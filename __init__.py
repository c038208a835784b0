"""Game-theoretic mechanism design over shared clusters.

Agents with private jobs play under the rules of a mechanism; the package asks what selfish players then do and what
that costs everybody. The verbs are :func:`load`, :func:`run`, :func:`search`, :func:`verify`, :func:`compare`,
:func:`replay`, :func:`check` and :func:`import_log`; the rooms below (``consortium.scheduling``,
``consortium.mechanisms``, ``consortium.games``, ...) can be used on their own.

>>> import consortium
>>> consortium.__version__ == "0.1.0"
True
"""

from typing import Any

__version__ = "0.1.0"


_VERBS = ("audit", "check", "compare", "curve", "estimate", "import_log", "load", "replay", "run", "search", "verify")


def __getattr__(name: str) -> Any:
    """Resolve a verb of :mod:`consortium.api` on first use, so that ``import consortium`` stays light."""
    if name not in _VERBS:
        raise AttributeError(f"module 'consortium' has no attribute {name!r}")
    import importlib  # here, because a module-level name would show up in dir(consortium)

    return getattr(importlib.import_module(".api", __name__), name)


def __dir__() -> list[str]:
    return sorted((*globals(), *_VERBS))
