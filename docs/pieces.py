"""Pieces of Markdown that the generated pages share."""

from __future__ import annotations

from collections.abc import Iterator, Sequence


def codes(names: Sequence[str]) -> str:
    """Names as code, between commas."""
    return ", ".join(f"`{name}`" for name in names)


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Lines of a Markdown table."""
    for row in (head, ["---"] * len(head), *rows):
        yield f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |"


def sentence(text: str) -> str:
    """The text with a capital in front and a full stop behind.

    >>> sentence("who pays")
    'Who pays.'
    """
    return f"{text[:1].upper()}{text[1:]}{'' if text.endswith(('.', '!', '?')) else '.'}"
