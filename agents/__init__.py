"""Agents: who owns jobs, what they value, which strategies they may use.

Nothing here knows a rule: a rule is given agents, never the other way round.
"""
