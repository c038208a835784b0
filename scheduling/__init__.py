"""Floor 1: machines, allocations, welfare, optimisers, list scheduling, metrics, and the doors to solvers and kernels.

The public names are re-exported here and load their module on first use, so ``import consortium.scheduling`` is light.

>>> from consortium.scheduling import Cluster, optimal_sum
>>> optimal_sum(Cluster.of([1, 2]), [1, 2, 3])
Fraction(9, 2)
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
