"""Floor 2: who owns jobs, what they value, which strategies they may use.

Nothing here knows a rule: a rule is given agents, never the other way round.

>>> from consortium.agents import Federation
>>> Federation.of([[2, 1], [3]]).names
('O1', 'O2')
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
