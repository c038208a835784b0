"""Schedules in Python's integers: REF for any utility and any size of numbers, and queue rules of one's own."""
