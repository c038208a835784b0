"""SQLite files that are stores: opened, made, recognized; what SQLite has to say of them, in a sentence."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from ..support.errors import InputError
from .outcomes import JSON, Columns
from .schema import APPLICATION, SCHEMA, script
from .versions import versions

WAITED: Final = 10.0
"""Seconds for which the short locks of a reader or a writer are waited for."""
BEGIN_ANEW: Final = "name another file, or delete this one to begin anew"
MEANINGS: Final = {
    "SQLITE_FULL": "the disk is full; what was kept before is safe, and the same question goes on when there is room",
    "SQLITE_IOERR": "the disk takes no more ({}); what was kept before is safe, and the same question goes on with it",
    "SQLITE_READONLY": "it cannot be written ({})",
    "SQLITE_CANTOPEN": "it cannot be opened ({}); expected a folder that can be written",
    "SQLITE_NOTADB": f"found another kind of file; {BEGIN_ANEW}",
    "SQLITE_CORRUPT": f"the file is damaged or was cut ({{}}); {BEGIN_ANEW}",
    "SQLITE_BUSY": "another program has locked it ({})",
    "SQLITE_CONSTRAINT": "one of these tasks is kept already, or its status is not known ({})",
}
"""What SQLite's errors mean, by the beginning of their names."""


def connected(path: Path, mode: str) -> sqlite3.Connection:
    """A connection to a file; ``mode`` as in SQLite's addresses: ``ro``, ``rw``, ``rwc`` (made where there is none)."""
    return sqlite3.connect(f"{path.as_uri()}?mode={mode}", uri=True, isolation_level=None, timeout=WAITED)


def is_store(path: Path, connection: sqlite3.Connection) -> bool:
    """Whether a file is a store; an empty one is not. Raises InputError for any other."""
    if path.stat().st_size == 1:  # SQLite takes it for empty, and would write over it
        raise InputError(f"store {path}: {MEANINGS['SQLITE_NOTADB']}")
    (application,), (number,), (tables,) = (
        connection.execute(query).fetchone()
        for query in ("PRAGMA application_id", "PRAGMA user_version", "SELECT count(*) FROM sqlite_master")
    )
    if not application and not tables:
        return False
    if application != APPLICATION:
        raise InputError(f"store {path}: found an SQLite file of another program; name another file")
    if number != SCHEMA:
        raise InputError(f"store {path}: has tables of version {number}; expected version {SCHEMA}; name another file")
    return True


def make(connection: sqlite3.Connection, question: Mapping[str, JSON], columns: Columns) -> None:
    """Make the tables in an empty file, in one transaction."""
    connection.executescript(script(columns))
    asked = [(key, json.dumps(value, allow_nan=False)) for key, value in question.items()]
    connection.executemany("INSERT INTO question VALUES (?, ?)", asked)
    connection.executemany("INSERT INTO versions VALUES (?, ?)", versions().items())
    roles = [(name, "varied") for name in columns.varied] + [(name, "measure") for name in columns.measures]
    connection.executemany("INSERT INTO columns (name, role) VALUES (?, ?)", roles)
    connection.execute("COMMIT")


def settle(connection: sqlite3.Connection) -> None:
    """Bring all into the file itself, if nobody reads now: who reads later needs no other files beside it."""
    with suppress(sqlite3.Error):  # what has been kept is safe in its log
        connection.execute("PRAGMA busy_timeout = 0")
        connection.execute("PRAGMA journal_mode = DELETE")


@contextmanager
def told(path: Path) -> Iterator[None]:
    """Say in a sentence what goes wrong with a file inside the block."""
    try:
        yield
    except sqlite3.Error as error:
        name = getattr(error, "sqlite_errorname", None) or ""
        meaning = next((text for key, text in MEANINGS.items() if name.startswith(key)), "{}")
        raise InputError(f"store {path}: {meaning.format(error)}") from None
