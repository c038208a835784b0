"""Link words of generated pages to the glossary: the page says which words there are."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

PAGE = Path(__file__).resolve().parent / "glossary.md"


@cache
def terms() -> tuple[str, ...]:
    """The words of the glossary, the longest first."""
    found = []
    for block in re.findall(r"^```\{glossary\}\n(.*?)^```$", PAGE.read_text(), re.M | re.S):
        found += [line for line in block.splitlines() if line and not line.startswith(" ")]
    return tuple(sorted(found, key=len, reverse=True))


def linked(text: str) -> str:
    """The text with the first mention of every word of the glossary linked to it; single letters are left alone.

    >>> linked("No rent under EVCG")
    'No {term}`rent` under {term}`EVCG`'
    """
    words = "|".join(re.escape(term) for term in terms() if len(term) > 1)
    seen: set[str] = set()

    def link(match: re.Match[str]) -> str:
        if match[0] in seen:
            return match[0]
        seen.add(match[0])
        return f"{{term}}`{match[0]}`"

    return re.sub(rf"(?<![\w`^(-])(?:{words})(?![\w`^-])", link, text)
