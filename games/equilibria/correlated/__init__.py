"""Correlated and coarse correlated equilibria: the least and the largest expected social cost, with their proofs.

:func:`correlated_play` answers with exact distributions and multipliers; :func:`is_equilibrium`, :func:`expected_cost`
and :func:`bound` check them from the definition.

>>> from consortium.games import NormalFormGame
>>> from consortium.games.equilibria.correlated import correlated_play
>>> chicken = NormalFormGame.from_arrays([[[6, 2], [7, 0]], [[6, 7], [2, 0]]], sense="payoff")
>>> best = correlated_play(chicken, "correlated").best
>>> best.social_cost, best.bound, best.proved
(Fraction(-21, 2), Fraction(-21, 2), True)
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
