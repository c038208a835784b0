"""SQLite files that are stores: their tables and cells, opening and recognizing them, and SQLite's errors.

Values of JSON become cells without loss. An integer within 64 bits is an INTEGER, any other number that is not one a
REAL, and everything else TEXT: a string as it is (so are fractions, ``3/2``), larger integers by their digits,
``true``, ``false``, ``null``, lists and objects as JSON. A string that would be taken for one of these is written as
JSON too, with its quotation marks: ``"true"``. NULL is what is not there. Texts of records are compressed.

>>> [cell(value) for value in (1, 10**20, "3/2", True, None, "true", [1])]
[1, '100000000000000000000', '3/2', 'true', 'null', '"true"', '[1]']
>>> [of_cell(cell(value)) for value in (10**20, "3/2", True, None, "true", "12")]
[100000000000000000000, '3/2', True, None, 'true', '12']
"""

from __future__ import annotations

import json
import math
import sqlite3
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final, NoReturn, TypeAlias

from ..support.errors import InputError
from .outcomes import JSON, OF_EVERY_TASK, Columns, versions

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


def connect(path: Path, mode: str) -> sqlite3.Connection:
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


def create_tables(connection: sqlite3.Connection, question: Mapping[str, JSON], columns: Columns) -> None:
    """Make the tables in an empty file, in one transaction."""
    roles = [(name, "varied") for name in columns.varied] + [(name, "measure") for name in columns.measures]
    lines = "".join(f"  , {quoted(name)} -- {'a ' * (role == 'measure')}{role}\n" for name, role in roles)
    begin = f"BEGIN IMMEDIATE; PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {SCHEMA};"
    connection.executescript(begin + TABLES.replace("{columns}", lines))
    rows = [(key, json.dumps(value, allow_nan=False)) for key, value in question.items()]
    connection.executemany("INSERT INTO question VALUES (?, ?)", rows)
    connection.executemany("INSERT INTO versions VALUES (?, ?)", versions().items())
    connection.executemany("INSERT INTO columns (name, role) VALUES (?, ?)", roles)
    connection.execute("COMMIT")


def checkpoint(connection: sqlite3.Connection) -> None:
    """Bring all into the file itself, if nobody reads now: who reads later needs no other files beside it."""
    with suppress(sqlite3.Error):  # what has been kept is safe in its log
        connection.execute("PRAGMA busy_timeout = 0")
        connection.execute("PRAGMA journal_mode = DELETE")


@contextmanager
def sqlite_errors(path: Path) -> Iterator[None]:
    """Errors of SQLite inside the block as InputError, in a sentence."""
    try:
        yield
    except sqlite3.Error as error:
        name = getattr(error, "sqlite_errorname", None) or ""
        meaning = next((text for key, text in MEANINGS.items() if name.startswith(key)), "{}")
        raise InputError(f"store {path}: {meaning.format(error)}") from None


APPLICATION: Final = 0x636F6E73
"""What says that an SQLite file is a store: the letters ``cons``."""
SCHEMA: Final = 1
"""Version of the tables."""

# its comments stay in the file: ``sqlite3 results.db .schema`` prints them
TABLES: Final = """
CREATE TABLE question ( -- What was asked; nothing else is kept in the same file.
  key TEXT PRIMARY KEY,
  value TEXT NOT NULL -- JSON
);
CREATE TABLE about ( -- How it is called and shown; this changes no answer.
  key TEXT PRIMARY KEY,
  value TEXT NOT NULL -- JSON
);
CREATE TABLE versions ( -- Of the packages that have answered: several rows of a name when answers are mixed.
  name TEXT NOT NULL,
  version TEXT NOT NULL,
  PRIMARY KEY (name, version)
);
CREATE TABLE columns ( -- What the columns of results are that follow the first seven, in order.
  position INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  role TEXT NOT NULL CHECK (role IN ('varied', 'measure'))
);
CREATE TABLE results ( -- One row for each finished task.
  -- Values are exact: INTEGER within 64 bits, REAL for floats, TEXT for all else: strings as they are, fractions as
  -- 3/2, larger integers as digits, 'true', 'false', 'null', lists and objects as JSON. A string that would be taken
  -- for one of these has its quotation marks: '"true"'. NULL: not known.
  task INTEGER PRIMARY KEY, -- its number
  replicate INTEGER NOT NULL, -- which of the instances of its cell
  seed NOT NULL, -- of its instance
  status TEXT NOT NULL CHECK (status IN ('done', 'failed', 'stopped')), -- stopped: ended by its own time limit
  seconds REAL NOT NULL, -- wall clock time
  digest TEXT NOT NULL, -- of its instance
  error TEXT -- why it has failed
{columns});
CREATE TABLE records ( -- All that was found; a task may have none.
  task INTEGER PRIMARY KEY REFERENCES results,
  size INTEGER NOT NULL, -- bytes of the text
  record NOT NULL -- JSON; a BLOB is compressed by zlib: CAST(sqlar_uncompress(record, size) AS TEXT) in the shell
);
"""


def quoted(name: str) -> str:
    """A name as SQL has it.

    >>> print(quoted('a "b" c'))
    "a ""b"" c"
    """
    return '"' + name.replace('"', '""') + '"'


def listed_columns(columns: Columns, but: Iterable[str] = ()) -> str:
    """The columns of results between commas, in order."""
    return ", ".join(quoted(name) for name in (*OF_EVERY_TASK, *columns.varied, *columns.measures) if name not in but)


Cell: TypeAlias = int | float | str

BEGINNINGS: Final = frozenset('"[{tfn-0123456789 \t\n\r')
"""First characters of what can be JSON."""
COMPRESSED: Final = 500
"""Bytes from which a record is compressed."""
LEVEL: Final = 3
"""Of zlib: a search of 2,400 bytes takes 750 in 26 microseconds, with level 6 720 in 43."""


def cell(value: JSON) -> Cell:
    """The cell for a value. Raises ValueError or TypeError for what is not JSON, or has too many digits for Python."""
    match value:
        case str():
            return json.dumps(value) if _ambiguous(value) else value
        case float() if math.isfinite(value):
            return value
        case int() if value is not True and value is not False:
            return value if -(2**63) <= value < 2**63 else str(value)
    return json.dumps(value, allow_nan=False)


def of_cell(cell: Cell) -> JSON:
    """The value of a cell that is not NULL."""
    if not isinstance(cell, str) or cell[:1] not in BEGINNINGS:
        return cell
    try:
        value: JSON = _READER.decode(cell)
    except ValueError:
        return cell
    return value


def _ambiguous(text: str) -> bool:
    """Whether a string would be read as something else, or cannot be a text of SQLite."""
    try:
        return "\0" in text or not _encodable(text) or of_cell(text) is not text
    except RecursionError:
        return True


def _encodable(text: str) -> bool:
    return text.isascii() or text.encode(errors="replace").decode() == text


def _refused(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


_READER: Final = json.JSONDecoder(parse_constant=_refused)


def packed(record: str) -> tuple[int, str | bytes]:
    """The size of a record in bytes and its text; of a longer one, compressed by zlib, as SQLite's ``sqlar`` has it."""
    data = record.encode("utf-8", "surrogatepass")
    if len(data) >= COMPRESSED:
        small = zlib.compress(data, LEVEL)
        if len(small) < len(data):
            return len(data), small
    return len(data), record if _encodable(record) else data


def unpacked(size: int, stored: str | bytes) -> str:
    """The text of a record.

    >>> unpacked(*packed("[1]")), unpacked(*packed("[1]" * 1000)) == "[1]" * 1000
    ('[1]', True)
    """
    if isinstance(stored, str):
        return stored
    return (stored if len(stored) == size else zlib.decompress(stored)).decode("utf-8", "surrogatepass")
