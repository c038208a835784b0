"""Rules for one owner of a cluster whose agents declare the length of their job (Agmon 2003).

A mechanism reads the declarations, fixes an allocation, payments and penalties, and then watches the run: a job that
ends early, on time or not at all by its planned end triggers job control. What is needed of a mechanism, and of yours,
is in :mod:`.protocol`; the ten built-in rules are made by :func:`build`.

>>> from consortium.mechanisms.declaration import build
>>> from consortium.scheduling.clusters import Cluster
>>> light = build("light-vcg", Cluster.of([1]))
>>> light.run(["1/10", "1/5"], [1, "11/10"]).output
(Fraction(1, 1), Fraction(21, 10))
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
