"""Declarations under a prior: what an agent expects who knows her own length and, of the others', only the odds.

:func:`check_bayesian` asks whether truth is a best reply in expectation (Bayesian incentive compatibility),
:func:`bayes_nash` what else is an equilibrium and what that costs, :func:`is_bayes_nash` checks anybody's answer.

>>> from consortium.games.bayesian import Prior, check_bayesian
>>> from consortium.games.incentives import Domain
>>> from consortium.mechanisms.declaration import build
>>> from consortium.scheduling.clusters import Cluster
>>> halves = Prior.of([{1: "1/2", 2: "1/2"}] * 2)
>>> check_bayesian(build("harsh", Cluster.of([1])), Domain.of([1, 2], agents=2), halves).holds
True
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
