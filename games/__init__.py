"""Floor 4: what selfish players do under the rules, and what that costs everybody.

Three kinds of modules that do not mix: *models* of games, *solvers* that take any game, and *checkers* that share no
code with the solvers. Public names are loaded on first use; the entry point is :func:`consortium.games.search.search`.

>>> from consortium import games
>>> game = games.NormalFormGame.from_arrays([[[2, 4], [1, 3]], [[2, 1], [4, 3]]], sense="cost")
>>> games.is_nash(game, (1, 1))
True
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
