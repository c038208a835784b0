"""A mechanism checked on a finite domain, or under a prior: lies, joint lies, properties, expectations, equilibria.

:func:`check_incentives` asks whether the truth is always the best reply, :func:`check_groups` the same of coalitions,
:func:`check_properties` for the rest, :func:`audit` for everything; :func:`estimate` says beforehand what that costs.
:func:`check_bayesian` asks whether truth is a best reply in expectation, :func:`bayes_nash` what else is an equilibrium
and what that costs. Verdicts are exact, count what they compared and come with witnesses that can be played again.

>>> from consortium.games.verification import Domain, Prior, check_bayesian, check_incentives
>>> from consortium.mechanisms.declaration import build
>>> from consortium.scheduling.clusters import Cluster
>>> domain, halves = Domain.of([1, 2], agents=2), Prior.of([{1: "1/2", 2: "1/2"}] * 2)
>>> check_incentives(build("vcg-renice", Cluster.of([1])), domain).holds
False
>>> check_bayesian(build("harsh", Cluster.of([1])), domain, halves).holds
True
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
