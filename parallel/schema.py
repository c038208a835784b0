"""The tables of a store. Its comments stay in the file: ``sqlite3 results.db .schema`` prints them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from .outcomes import OF_EVERY_TASK, Columns

APPLICATION: Final = 0x636F6E73
"""What says that an SQLite file is a store: the letters ``cons``."""
SCHEMA: Final = 1
"""Version of the tables."""

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


def script(columns: Columns) -> str:
    """The statements that make the tables, in one transaction."""
    names = [(name, "varied") for name in columns.varied] + [(name, "a measure") for name in columns.measures]
    lines = "".join(f"  , {quoted(name)} -- {role}\n" for name, role in names)
    return f"BEGIN IMMEDIATE; PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {SCHEMA};" + TABLES.replace(
        "{columns}", lines
    )


def listed_columns(columns: Columns, but: Iterable[str] = ()) -> str:
    """The columns of results between commas, in order."""
    return ", ".join(quoted(name) for name in (*OF_EVERY_TASK, *columns.varied, *columns.measures) if name not in but)
