"""Mixed equilibria of finite games: all of two players' exactly, those of more players through Gambit, logit responses.

:func:`mixed_equilibria` is the entry point; :func:`quantal_responses` answers another question, in floats.

>>> from consortium.games.equilibria.mixed import mixed_equilibria
>>> from consortium.games.normal_form import NormalFormGame
>>> pennies = NormalFormGame.from_arrays([[[1, -1], [-1, 1]], [[-1, 1], [1, -1]]], sense="payoff")
>>> len(mixed_equilibria(pennies).equilibria)
1
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
