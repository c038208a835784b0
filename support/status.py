"""How far an answer is settled: one word for every verdict of the package.

>>> Status.of(verdict=False, complete=True), Status.of(verdict=True, complete=False, sampled=True)
(<Status.REFUTED: 'refuted'>, <Status.SAMPLED: 'sampled'>)
"""

from __future__ import annotations

from enum import Enum
from typing import Final


def incomplete(reason: str = "stopped by a limit or by Ctrl-C") -> str:
    """What is said below an answer that is not whole."""
    return f"Incomplete: {reason}; what is above is what is known."


INCOMPLETE: Final = incomplete()


class Status(Enum):
    """What is known of a claim, or of an answer as a whole.

    ``PROVED``: it holds, or the answer is whole. ``REFUTED``: a witness says no. ``OPEN``: the method came to its end
    without an answer. ``STOPPED``: a limit or Ctrl-C came first. ``SAMPLED``: no counterexample among random cases.
    """

    PROVED = "proved"
    REFUTED = "refuted"
    OPEN = "open"
    STOPPED = "stopped"
    SAMPLED = "sampled"

    def __str__(self) -> str:
        return self.value

    @classmethod
    def of(cls, verdict: bool | None, complete: bool, sampled: bool = False) -> Status:
        """The status of an answer.

        ``verdict``: what was asked holds, fails, or is open; ``complete``: the answer covers the whole space asked
        for. A sample is never complete, but what it refutes is refuted; a search that was stopped says so first.
        """
        if verdict is False and (complete or sampled):
            return cls.REFUTED
        if sampled:
            return cls.SAMPLED
        if not complete:
            return cls.STOPPED
        return cls.OPEN if verdict is None else cls.PROVED


def ending(complete: bool, status: Status) -> str:
    """What is said below an answer: nothing where it is whole, or its method came to its end."""
    return "" if complete or status is Status.OPEN else INCOMPLETE
