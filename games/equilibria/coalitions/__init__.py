"""Coalitions in finite games: what joint deviations pay, and which profiles none of them upsets."""
