"""Incentive compatibility and its companions, checked exhaustively on a finite domain.

:func:`check_incentives` asks whether the truth is always the best reply, :func:`check_properties` asks for the rest,
:func:`audit` for everything; :func:`estimate` says beforehand what that costs. Verdicts are exact, count what they
compared and come with witnesses that can be played again.

>>> from consortium.games.verification import Domain, check_incentives
>>> from consortium.mechanisms.declaration import build
>>> from consortium.scheduling.clusters import Cluster
>>> check_incentives(build("vcg-renice", Cluster.of([1])), Domain.of([1, 2], agents=2)).holds
False
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
