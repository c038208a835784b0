"""Searches on games that are no scenarios: objects with the ``Game`` protocol, payoff arrays, files of Gambit."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
