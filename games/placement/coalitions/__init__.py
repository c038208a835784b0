"""Coalitions in a placement game whose profiles are too many for a table."""
