"""The rules of the ferry: in which order cars board."""

from __future__ import annotations

from collections.abc import Sequence

from consortium import RuleInfo

RULES = (
    RuleInfo(
        "queue", "first come, first served", "everyday life", claims=frozenset({"orderly"}), factory="ferry.rules:queue"
    ),
    RuleInfo("letters", "by name", "the harbour office", frozenset({"backwards"}), factory="ferry.rules:letters"),
)


def queue(names: Sequence[str]) -> list[str]:
    """Everybody as they came."""
    return list(names)


def letters(names: Sequence[str], backwards: bool = False) -> list[str]:
    """Everybody by name."""
    return sorted(names, reverse=backwards)
