"""Rules for users who share machines that nobody owns (Cordeiro 2012, chapter 6).

Public names load on first use, so that the catalogue can be read without numpy.

>>> from consortium.agents.users import Community
>>> from consortium.mechanisms.multiuser import lst
>>> lst(Community.of(("makespan", [2]), ("total-completion", [1, 1])), [3, None]).point
(3, 5)
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
