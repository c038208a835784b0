"""Incentive compatibility for all real lengths: symbols, cells, proofs and their certificates.

:func:`prove` proves or refutes a statement about a mechanism for all lengths, :func:`prove_property` what a custom
function :func:`requires <require>` of numbers; :func:`safe_values` tells for which values of a number a mechanism is
safe. :func:`write_certificate` writes a proof for others to check.

>>> from consortium.games.proofs import prove
>>> from consortium.mechanisms.declaration import build
>>> from consortium.scheduling.clusters import Cluster
>>> prove(build("harsh", Cluster.of([1])), agents=3).status
'proved'
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
