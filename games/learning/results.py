"""What learning leaves behind: the play, and what it cost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from ...support.exact import Extended
from ..protocol import Profile


@dataclass(frozen=True)
class Play:
    """A game played round after round.

    Attributes
    ----------
    rule
        How everybody went on.
    trail
        The profile of every round.
    complete
        Whether all rounds asked for were played.
    """

    rule: str
    trail: tuple[Profile, ...]
    complete: bool

    @cached_property
    def counts(self) -> Mapping[Profile, int]:
        """How often every profile was played: most often first, equals as they were first played."""
        return dict(Counter(self.trail).most_common())


@dataclass(frozen=True)
class Regrets:
    """Regrets of play, averages per round; see :func:`consortium.games.learning.regrets.regrets_of`.

    Attributes
    ----------
    external
        What the best fixed strategy would have saved; negative where none would have saved anything.
    internal
        What another strategy would have saved in all rounds that played a certain one; at least 0.
    """

    external: Extended
    internal: Extended
