"""Declarations under a prior: what an agent expects who knows her own length and, of the others', only the odds.

A *type* is a private length. :mod:`.prior` has the odds, :mod:`.checker` the definitions, :mod:`.check` asks whether
truth is a best reply in expectation (Bayesian incentive compatibility), :mod:`.agent_form` and :mod:`.equilibria` ask
what else is an equilibrium.
"""
