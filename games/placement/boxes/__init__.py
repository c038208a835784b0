"""Exact search of a placement game by branch and bound over boxes of home loads."""
