"""Placement games: organizations choose a host for each of their jobs (Cordeiro 2012, chapter 5)."""
