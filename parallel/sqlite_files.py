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
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from itertools import repeat
from pathlib import Path
from typing import Any, Final, NoReturn, TypeAlias

from ..support.errors import InputError, join_names, quote
from .outcomes import JSON, OF_EVERY_TASK, Columns, versions

PAUSE: Final = 0.3
"""Seconds for which SQLite waits for a lock by itself, deaf to Ctrl-C."""
STEPS: Final = 100
"""Of SQLite's machine that queries may need for a byte of a file, """
FEW_STEPS: Final = 1_000_000
"""and for any file."""
LOOKED: Final = 1_000
"""Steps between two looks at their number."""
RECORD_MAX: Final = 1 << 28
"""Bytes of a record's text that are unpacked."""
WAITED: Final = 10.0
"""Seconds for which the short locks of a reader or a writer are waited for."""
BEGIN_ANEW: Final = "name another file, or delete this one to begin anew"
MEANINGS: Final = {
    "SQLITE_FULL": "the disk is full; what was kept before is safe, and the same question goes on when there is room",
    "SQLITE_IOERR": "the disk takes no more ({}); what was kept before is safe, and the same question goes on with it",
    "SQLITE_READONLY": "it cannot be written ({})",
    "SQLITE_CANTOPEN": "it cannot be opened ({}); expected a folder that can be written",
    "SQLITE_NOTADB": "found another kind of file; expected a store, or a name that no file has yet",
    "SQLITE_CORRUPT": f"the file is damaged or was cut ({{}}); {BEGIN_ANEW}",
    "SQLITE_INTERRUPT": f"the file is damaged: reading it does not end; {BEGIN_ANEW}",
    "SQLITE_BUSY": "another program has locked it ({})",
    "SQLITE_CONSTRAINT": "one of these tasks is kept already, or its status is not known ({})",
}
"""What SQLite's errors mean, by the beginning of their names."""


def connect(path: Path, mode: str) -> sqlite3.Connection:
    """A connection to a file; ``mode`` as in SQLite's addresses: ``ro``, ``rw``, ``rwc`` (made where there is none).

    The file may be anybody's: what it says of functions is not trusted.
    """
    for sibling in _siblings(path):
        if sibling.exists() and not sibling.is_file():  # SQLite would wait for ever for a named pipe
            raise InputError(f"store {path}: {sibling.name} beside it is no file; {BEGIN_ANEW}")
    connection = sqlite3.connect(f"{path.as_uri()}?mode={mode}", uri=True, isolation_level=None, timeout=PAUSE)
    for pragma in ("trusted_schema = OFF", "cell_size_check = ON", f"query_only = {'ON' if mode == 'ro' else 'OFF'}"):
        connection.execute(f"PRAGMA {pragma}")
    return connection


def _siblings(path: Path) -> list[Path]:
    return [path.with_name(path.name + ending) for ending in ("-wal", "-shm", "-journal")]


def _size(path: Path) -> int:
    """Bytes of a file and of its log."""
    return sum(each.stat().st_size for each in (path, _siblings(path)[0]) if each.exists())


@contextmanager
def bounded(connection: sqlite3.Connection, *paths: Path) -> Iterator[None]:
    """Queries inside the block end after as many steps as files of that size can need: in a damaged one they may not.

    Nothing of Python runs between the steps, or a Ctrl-C that comes there would be lost inside SQLite.
    """
    steps = FEW_STEPS + STEPS * sum(map(_size, paths))
    connection.set_progress_handler(partial(next, repeat(0, steps // LOOKED), 1), LOOKED)
    try:
        yield
    finally:
        connection.set_progress_handler(None, LOOKED)


def patiently(ask: Callable[..., sqlite3.Cursor], *values: Any) -> list[tuple[Any, ...]]:
    """The rows of what is asked, again while another program has the file locked for a moment; Ctrl-C is heard."""
    end = time.monotonic() + WAITED
    while True:
        try:
            return ask(*values).fetchall()
        except sqlite3.OperationalError as error:
            if not getattr(error, "sqlite_errorname", "").startswith("SQLITE_BUSY") or time.monotonic() > end:
                raise


def is_store(path: Path, connection: sqlite3.Connection) -> bool:
    """Whether a file is a store; an empty one is not. Raises InputError for any other."""
    if path.stat().st_size == 1:  # SQLite takes it for empty, and would write over it
        raise InputError(f"store {path}: {MEANINGS['SQLITE_NOTADB']}")
    with bounded(connection, path):
        queries = ("PRAGMA application_id", "PRAGMA user_version", "SELECT type, name, rootpage FROM sqlite_master")
        ((application,),), ((number,),), tables = (patiently(connection.execute, query) for query in queries)
    if not application and not tables:
        return False
    if application != APPLICATION:
        raise InputError(f"store {path}: found an SQLite file of another program; name another file")
    if number != SCHEMA:
        raise InputError(f"store {path}: has tables of version {number}; expected version {SCHEMA}; name another file")
    plain = {name for kind, name, page in tables if kind == "table" and page and not _computed(connection, name)}
    odd = [f"a {kind} {quote(name)}" for kind, name, _ in tables if kind == "trigger" or (name in NAMES - plain)]
    if odd or not plain >= NAMES:
        odd = odd or [f"no table {name!r}" for name in sorted(NAMES - plain)]
        raise InputError(f"store {path}: found {join_names(odd)}; expected plain tables as a study makes them")
    return True


def _computed(connection: sqlite3.Connection, table: str) -> bool:
    return bool(connection.execute("SELECT 1 FROM pragma_table_xinfo(?) WHERE hidden", (table,)).fetchall())


def create_tables(connection: sqlite3.Connection, question: Mapping[str, JSON], columns: Columns) -> None:
    """Make the tables, inside a transaction, empty in the place of those that hang on the question."""
    for table in ("records", "results", "columns", "question"):
        connection.execute(f"DROP TABLE IF EXISTS {table}")
    roles = [(name, "varied") for name in columns.varied] + [(name, "measure") for name in columns.measures]
    lines = "".join(f"  , {quoted(name)} -- {'a ' * (role == 'measure')}{role}\n" for name, role in roles)
    for begun in (f"PRAGMA application_id = {APPLICATION}", f"PRAGMA user_version = {SCHEMA}"):
        connection.execute(begun)
    for statement in TABLES.strip().split(";\nCREATE TABLE "):
        text = statement.removeprefix("CREATE TABLE ").replace("{columns}", lines)
        connection.execute(f"CREATE TABLE IF NOT EXISTS {text}")
    rows = [(key, json.dumps(value, allow_nan=False)) for key, value in question.items()]
    connection.executemany("INSERT INTO question VALUES (?, ?)", rows)
    connection.executemany("INSERT OR IGNORE INTO versions VALUES (?, ?)", versions().items())
    connection.executemany("INSERT INTO columns (name, role) VALUES (?, ?)", roles)


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
    except (sqlite3.Error, UnicodeDecodeError) as error:  # Python cannot read a message with bytes of a damaged file
        unread = isinstance(error, UnicodeDecodeError)
        name = "SQLITE_CORRUPT" if unread else getattr(error, "sqlite_errorname", None) or ""
        meaning = next((text for key, text in MEANINGS.items() if name.startswith(key)), "{}")
        raise InputError(f"store {path}: {meaning.format(error)}") from None


APPLICATION: Final = 0x636F6E73
"""What says that an SQLite file is a store: the letters ``cons``."""
NAMES: Final = frozenset(("question", "about", "versions", "columns", "results", "records"))
"""Tables of a store."""
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
        if isinstance(cell, bytes):
            raise ValueError("bytes in the place of a value")
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
    if not 0 <= size <= RECORD_MAX:
        raise ValueError(f"a record of {size:,} bytes; the limit is {RECORD_MAX:,}")
    whole = stored if len(stored) == size else zlib.decompressobj().decompress(stored, size + 1)
    if len(whole) != size:
        raise ValueError("a record that is not as long as is said")
    return whole.decode("utf-8", "surrogatepass")
