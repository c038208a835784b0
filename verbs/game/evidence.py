"""Words that the proofs of a search share: of what only agrees with other claims, and where social costs stand."""

from __future__ import annotations

from typing import Final

PLAYED: Final = "agrees with the profiles of the record, which do not prove that no other is beyond it"
PARTS: Final = "agrees with its parts, which are not all proved"
SOCIAL: Final = ("social_cost", "social_welfare")
