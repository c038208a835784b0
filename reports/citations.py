"""How to cite: the file ``CITATION.cff`` of the package, and those of its references whose rules were used."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

import yaml

from .. import __version__

FILE: Final = Path(__file__).parent.parent / "CITATION.cff"


@dataclass(frozen=True)
class Citation:
    """What is asked of who uses the package, and the works: the package itself first."""

    message: str
    works: tuple[str, ...]


def citation(sources: Iterable[str]) -> Citation:
    """The package, and the references that any of the texts names by authors and year.

    >>> [work.partition(".")[0] for work in citation(["Agmon 2003, 5.2.1"]).works]
    ['The consortium maintainers', 'Agmon, Orna']
    """
    known = _known()
    authors = ", ".join(author["name"] for author in known["authors"])
    own = f"{authors}. {known['title']}. Version {__version__}."
    texts = list(sources)
    named = [work for work in known["references"] if any(_names(text, work) for text in texts)]
    return Citation(known["message"], (own, *map(_written, named)))


@cache
def _known() -> Mapping[str, Any]:
    found: Mapping[str, Any] = yaml.safe_load(FILE.read_text(encoding="utf-8"))
    return found


def _names(text: str, work: Mapping[str, Any]) -> bool:
    """Whether a text such as ``"counterexample to Cordeiro 2012, Theorem 5.6"`` names a work."""
    return str(work["year"]) in text and any(author["family-names"] in text for author in work["authors"])


def _written(work: Mapping[str, Any]) -> str:
    authors = "; ".join(f"{author['family-names']}, {author['given-names']}" for author in work["authors"])
    return f"{authors}. {work['title']} ({work['type']}, {work['year']})."
