"""Random families of scenarios of every kind, by name.

A family fills the agents, organizations or users of a base scenario from a generator, under parameters that are checked
once; ``consortium families`` lists them. Whoever draws many instances prepares a family first.

>>> from consortium.workloads.families import filling
>>> import numpy as np
>>> base = {"format": 1, "kind": "federation", "mechanism": {"rule": "local"}}
>>> draw = filling(base, "uniform-jobs", {"organizations": 2, "jobs": 2, "longest": 3})
>>> draw(np.random.default_rng(5))["organizations"]
[{'machines': 1, 'jobs': [3, 3]}, {'machines': 1, 'jobs': [1, 3]}]
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
