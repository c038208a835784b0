"""Broken files of every kind, each written once: the reader and the JSON Schema are asked about the same ones."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from . import declaration, federation, multiuser, sharing


def broken() -> Iterator[tuple[str, str | dict[str, Any]]]:
    """Name and content of each: a case's own name, or the kind and what its first message says; TOML or its data."""
    for name, changes, *_ in declaration.CASES:
        yield name, declaration.text(changes)
    for changes, message in federation.BROKEN:
        yield f"federation: {message}", federation.changed(**changes)
    for changes, messages in multiuser.BROKEN:
        yield f"multiuser: {messages[0]}", multiuser.changed(**changes)
    for data, messages in sharing.BROKEN:
        yield f"sharing: {messages[0]}", data
