"""Game-theoretic mechanism design over shared clusters.

Agents with private jobs play under the rules of a mechanism; the package asks what selfish players then do and what
that costs everybody. The verbs are :func:`load`, :func:`run`, :func:`search`, :func:`verify`, :func:`prove`,
:func:`compare`, :func:`curve`, :func:`audit`, :func:`check` and :func:`import_log`; the rooms below
(``consortium.scheduling``, ``consortium.mechanisms``, ``consortium.games``, ...) can be used on their own.

>>> import consortium
>>> consortium.__version__.count(".")
2
"""

__version__ = "1.0.0"

import lazy_loader

_public, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
__all__ += ["__version__"]
del lazy_loader


def __getattr__(name):
    """A public name, imported when it is first used; a misspelt one is told the nearest."""
    try:
        return _public(name)
    except AttributeError:
        if name in __all__ or name.startswith("_") or not __package__:  # pytest in a folder such as consortium-1.0
            raise
        from .support.errors import nearest

        near = nearest(name, __all__)
        hint = f"; did you mean {near!r}?" if near else ""
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}{hint}", name=name) from None
