"""Floor 2: where jobs come from: job logs (SWF, Slurm accounting), windows of them, and random families from a seed.

>>> from consortium.workloads import Log
>>> Log(columns={"run": [3, 4]}).run.sum()
np.int64(7)
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
