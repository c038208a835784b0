"""Hunts: conditions over measures, instances that break a claim, and how they are shrunk.

>>> from consortium.studies.hunting import Condition
>>> Condition.parse("anarchy >= 3/2", ["anarchy"]).holds({"anarchy": "5/3"})
True
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
