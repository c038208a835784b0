"""What the reader needs to know of a kind of scenario file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from .fields import Block
from .problems import Problems


@dataclass(frozen=True)
class Format:
    """The files of one kind.

    Attributes
    ----------
    file
        Pydantic model of a whole file, whose fields are the top-level blocks of the kind; the JSON Schema is its.
    read
        Checks every block of a file's data, notes all problems, and returns the kind's frozen dataclass (``None`` when
        there were any).
    """

    file: type[Block]
    read: Callable[[Mapping[str, Any], Problems], Any]

    @property
    def blocks(self) -> tuple[str, ...]:
        """Top-level keys of the kind, besides those of every scenario."""
        return tuple(self.file.model_fields)
