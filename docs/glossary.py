"""The glossary: one list of words in ``glossary.toml``, its page, and links from other generated pages to it."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

LIST = Path(__file__).resolve().parent / "glossary.toml"
HEAD = """# Glossary

Symbols and words of the papers and of this package. Letters are those of the papers; what is written as code is how a
file or a record says it.
"""


@cache
def words() -> dict[str, Any]:
    """The list: sections of terms with their meanings, and the retired words with what stands in their place."""
    return tomllib.loads(LIST.read_text())


@cache
def terms() -> tuple[str, ...]:
    """The words of the glossary, the longest first."""
    names = [name for section in words()["section"] for term in section["terms"] for name in term["names"]]
    return tuple(sorted(names, key=len, reverse=True))


def page() -> str:
    """The page of the glossary."""
    parts = [HEAD]
    for section in words()["section"]:
        entries = ("\n".join([*term["names"], _indented(term["meaning"])]) for term in section["terms"])
        parts.append(f"## {section['title']}\n\n```{{glossary}}\n" + "\n\n".join(entries) + "\n```\n")
    return "\n".join(parts)


def _indented(meaning: str) -> str:
    return "\n".join(f"  {line}" for line in meaning.strip("\n").splitlines())


def linked(text: str) -> str:
    """The text with the first mention of every word of the glossary linked to it; single letters are left alone.

    >>> linked("No rent under EVCG")
    'No {term}`rent` under {term}`EVCG`'
    """
    names = "|".join(re.escape(term) for term in terms() if len(term) > 1)
    seen: set[str] = set()

    def link(match: re.Match[str]) -> str:
        if match[0] in seen:
            return match[0]
        seen.add(match[0])
        return f"{{term}}`{match[0]}`"

    return re.sub(rf"(?<![\w`^(-])(?:{names})(?![\w`^-])", link, text)
