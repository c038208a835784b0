"""Payments and allocations that are designed: the best ones on a finite domain, and whether there are any."""
