"""Payments and allocations that are designed: the best ones on a finite domain or for all lengths, if any.

What can be asked about stands here, because options need the names and nothing that computes.
"""

from typing import Final

MINIMISED: Final = ("rent", "rent-sum", "rent-prior", "rent-ratio", "payment", "spread")
MAXIMISED: Final = ("rent", "strictness")
CONDITIONS: Final = ("no-deficit", "prices-nonnegative", "takes-part", "balanced", "cap", "anonymous")
"""What payments can have least or most, and what they may have to be besides; :mod:`.payments` explains them."""
FLOORS: Final = frozenset({"no-deficit", "prices-nonnegative", "balanced"})
"""Conditions that keep the least rent above something."""
