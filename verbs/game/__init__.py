"""Searches on games that are no scenarios: objects with the ``Game`` protocol, payoff arrays, files of Gambit."""
