"""Federations: central schedulers and coordination mechanisms of organizations that pool machines (Cordeiro 2012).

Public names load on first use, so that the catalogue stays readable without numpy, numba or CP-SAT.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
