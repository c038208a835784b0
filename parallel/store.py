"""A store of finished tasks: one SQLite file with the question and its answers.

The same question goes on where it stopped; another question with the same file is refused, and so is a second process
that writes. Reading is possible at any time. What :meth:`Store.keep` was given is there whatever happens to the process
afterwards (write-ahead log; a power cut may take the last seconds).

>>> import tempfile
>>> path = tempfile.mkdtemp() + "/results.db"
>>> columns = Columns(varied=("n",), measures=("anarchy",))
>>> with Store.open(path, {"seed": 3}, columns) as store:
...     store.keep([Outcome(0, "done", 0.1, 7, 0, "a5", {"n": 2}, {"anarchy": "3/2"})])
>>> with Store.read(path) as store:
...     store.question, 0 in store.finished(), store.outcome(0).measures
({'seed': 3}, True, {'anarchy': '3/2'})
"""

from __future__ import annotations

import json
import os
import socket
import sqlite3
import stat
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from itertools import islice
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias, get_args

from ..support.errors import InputError, join_names, quote
from ..support.files import writing_errors
from ..support.interrupts import shielded
from .lock import writer, writing
from .outcomes import JSON, OF_EVERY_TASK, PACKAGE, Columns, Outcome, Status, differences, differing, versions
from .sqlite_files import (
    MEANINGS,
    Cell,
    bounded,
    cell,
    checkpoint,
    connect,
    create_tables,
    is_store,
    listed_columns,
    of_cell,
    packed,
    patiently,
    sqlite_errors,
    unpacked,
)

Move: TypeAlias = Callable[[Outcome], Outcome]
"""What becomes of an outcome under another question."""
PAGE: Final = 500
"""Rows that are read at once."""


class Store:
    """Finished tasks in a file; see :meth:`open` and :meth:`read`.

    ``question``: what was asked; ``columns``: what is varied and measured; ``note``: what is to be said of the versions
    that have answered, where others have answered before; or ``None``.
    """

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        """For :meth:`open` and :meth:`read`: a file that is a store."""
        self.path, self._connection = path, connection
        self._others: tuple[Path, ...] = ()
        self.note: str | None = None
        self.question = self._table("question")
        named = self.ask("SELECT CAST(name AS TEXT), role FROM columns ORDER BY position")
        self.columns = Columns(
            tuple(name for name, role in named if role == "varied"),
            tuple(name for name, role in named if role == "measure"),
        )

    @classmethod
    @contextmanager
    def open(
        cls,
        path: str | os.PathLike[str],
        question: Mapping[str, JSON],
        columns: Columns,
        *,
        mix_versions: bool = False,
        moved: Callable[[Store], Move] | None = None,
    ) -> Iterator[Store]:
        """A store to write to, made where there is none.

        Parameters
        ----------
        question
            What the answers depend on. The keys of an object in it count in their order, as they may number the tasks.
        columns
            What is varied and measured.
        mix_versions
            Whether answers of another version of the package may stand in the same file. Those of other versions of
            Python and the solvers may, and :attr:`note` says so.
        moved
            How what is kept goes on under another question: from the store to what becomes of each outcome. It raises
            InputError where it does not; without it no other question is taken.

        Raises
        ------
        InputError
            A file that is no store, is damaged, cannot be written, belongs to another question, has answers of another
            version of the package, or to which another process writes.
        """
        where = Path(os.path.realpath(path))
        if where.exists() and not stat.S_ISREG(where.stat().st_mode):
            raise InputError(f"store {path}: cannot be written (not a file); expected the path of a file")
        with ExitStack() as stack:
            with writing_errors(f"store {path}"):
                stack.enter_context(writing(where))
            with sqlite_errors(where):
                connection = stack.enter_context(closing(connect(where, "rwc")))
                if not is_store(where, connection):
                    connection.execute("BEGIN IMMEDIATE")
                    create_tables(connection, question, columns)
                    connection.execute("COMMIT")
                connection.execute("PRAGMA journal_mode = WAL")
                connection.execute("PRAGMA synchronous = NORMAL")  # whole after a power cut too
                store = cls(where, connection)
                if moved is not None and store.difference(question, columns):
                    store._move(question, columns, moved(store))
                    store = cls(where, connection)
                store._begin(question, columns, mix_versions)
            stack.callback(checkpoint, connection)
            yield store

    @classmethod
    @contextmanager
    def read(cls, path: str | os.PathLike[str]) -> Iterator[Store]:
        """A store to read from, also while a process of this machine writes to it.

        Raises InputError for no such file, one that is no store, or one that a process of another machine writes to.
        """
        try:
            where = Path(os.path.realpath(path))
        except UnicodeEncodeError as error:  # no name that a file can have
            raise InputError(f"store {str(path)!r}: {error.reason}; expected a file that was written before") from None
        if not where.is_file():
            here = "no regular file" if where.exists() else "no such file"
            raise InputError(f"store {path}: found {here}; expected one that was written before")
        busy = writer(where)
        if busy is not None and not busy.endswith(f" on {socket.gethostname()}"):
            raise InputError(f"store {path}: {busy} is writing to it; expected to be read there, or when it has ended")
        with sqlite_errors(where), closing(connect(where, "ro")) as connection:
            if not is_store(where, connection):
                raise InputError(f"store {path}: is empty; expected one that was written before")
            yield cls(where, connection)

    @property
    def versions(self) -> dict[str, tuple[str, ...]]:
        """By name the versions of the packages that have answered, in the order in which they came."""
        versions: dict[str, tuple[str, ...]] = {}
        for name, version in self.ask("SELECT CAST(name AS TEXT), CAST(version AS TEXT) FROM versions ORDER BY rowid"):
            versions[name] = (*versions.get(name, ()), version)
        return versions

    @property
    def about(self) -> dict[str, JSON]:
        """How what was asked is called and shown, as :meth:`describe` was last told."""
        return self._table("about")

    def describe(self, about: Mapping[str, JSON]) -> None:
        """Note how what was asked is called and shown, in the place of what was noted before."""
        with self.changed() as connection:
            connection.execute("DELETE FROM about")
            connection.executemany(
                "INSERT INTO about VALUES (?, ?)", [(key, json.dumps(value)) for key, value in about.items()]
            )

    def keep(self, outcomes: Iterable[Outcome]) -> None:
        """Keep what has become of tasks, all or nothing.

        Raises InputError for a full disk, a value that is not JSON, or a task that is kept already.
        """
        kept = list(outcomes)
        with self.changed() as connection:
            self._insert(connection, kept)

    def _insert(self, connection: sqlite3.Connection, kept: list[Outcome]) -> None:
        rows = [self._row(outcome) for outcome in kept]
        records = [(each.task, *packed(each.record)) for each in kept if each.record is not None]
        places = ", ".join("?" * (len(OF_EVERY_TASK) + len(self.columns.varied) + len(self.columns.measures)))
        connection.executemany(f"INSERT INTO results ({listed_columns(self.columns)}) VALUES ({places})", rows)
        connection.executemany("INSERT INTO records VALUES (?, ?, ?)", records)

    def _move(self, question: Mapping[str, JSON], columns: Columns, move: Move) -> None:
        """Another question in the place of the one that was asked, with what becomes of each outcome: all or nothing.

        Meanwhile what was kept is read through a connection of its own, which does not see what is being changed.
        """
        with Store.read(self.path) as before, self.changed() as connection:
            create_tables(connection, question, columns)
            after = Store(self.path, connection)
            outcomes = map(move, before.outcomes(records=True))
            while some := list(islice(outcomes, PAGE)):
                after._insert(connection, some)

    def finished(self) -> set[int]:
        """The tasks that are kept now, whatever has become of them."""
        return {task for (task,) in self.ask("SELECT task FROM results")}

    def counts(self) -> dict[str, int]:
        """How many tasks are done, failed and stopped."""
        counts = dict(self.ask("SELECT status, count(*) FROM results GROUP BY status"))
        return {status: counts.get(status, 0) for status in ("done", "failed", "stopped")}

    def outcomes(self, status: Status | None = None, records: bool = False) -> Iterator[Outcome]:
        """What is kept in the order of the tasks, perhaps of one status only; with records where they are asked for."""
        record = "size, record" if records else "NULL, NULL"
        query = (
            f"SELECT {listed_columns(self.columns)}, {record} "
            f"FROM results{' LEFT JOIN records USING (task)' if records else ''} "
            f"WHERE task > ? AND (? IS NULL OR status = ?) ORDER BY task LIMIT {PAGE}"
        )
        last = -1
        while rows := self.ask(query, (last, status, status)):
            for row in rows:
                if row[0] <= last:
                    raise self._damaged("its tasks are not in order")
                last = row[0]
                yield self._outcome(row)

    def outcome(self, task: int) -> Outcome | None:
        """What is kept of one task, with its record; ``None`` if nothing is."""
        query = f"SELECT {listed_columns(self.columns)}, size, record FROM results LEFT JOIN records USING (task)"
        return next(map(self._outcome, self.ask(f"{query} WHERE task = ?", (task,))), None)

    def forget(self, status: Status) -> int:
        """Take tasks of a status out of the store, so that they are worked on again. Returns how many."""
        with self.changed() as connection:
            connection.execute(
                "DELETE FROM records WHERE task IN (SELECT task FROM results WHERE status = ?)", (status,)
            )
            return connection.execute("DELETE FROM results WHERE status = ?", (status,)).rowcount

    def difference(self, question: Mapping[str, JSON], columns: Columns) -> str:
        """What differs where something else was asked here, in words; else empty."""
        text = differences(self.question, question)
        for role, ours, theirs in (
            ("varied keys", self.columns.varied, columns.varied),
            ("measures", self.columns.measures, columns.measures),
        ):
            if not text and ours != theirs:
                text = f"{role} {join_names(ours)} (asked: {join_names(theirs)})"
        return text

    def check_question(self, question: Mapping[str, JSON], columns: Columns) -> None:
        """Raise InputError when something else was asked here, with what differs."""
        if text := self.difference(question, columns):
            raise InputError(f"store {self.path} belongs to another question: {text}; name another file")

    def check_versions(self, current: Mapping[str, str], mix: bool) -> None:
        """Raise InputError when another version of the package has answered here, unless answers may be mixed."""
        odd = differing({name: last for name, (*_, last) in self.versions.items()}, current)
        if not odd:
            return
        text = ", ".join(f"{name} {theirs} (now {ours})" for name, (theirs, ours) in odd.items())
        if PACKAGE in odd and not mix:
            raise InputError(
                f"store {self.path}: its answers are those of {text}, which may differ; name another file, use that "
                f"version, or say that versions may be mixed"
            )
        self.note = f"store {self.path}: answers of other versions are in it: {text}"

    @contextmanager
    def changed(self) -> Iterator[sqlite3.Connection]:
        """One transaction: all of the block or nothing of it. Ctrl-C waits for its end."""
        with sqlite_errors(self.path):
            try:
                patiently(self._connection.execute, "BEGIN IMMEDIATE")
                with shielded():
                    yield self._connection
                    patiently(self._connection.execute, "COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    def ask(self, query: str, values: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
        """The rows that a query finds."""
        with sqlite_errors(self.path), bounded(self._connection, self.path, *self._others):
            return patiently(self._connection.execute, query, values)

    @contextmanager
    def attached(self, path: Path) -> Iterator[None]:
        """Another store beside this one, as ``other`` in queries."""
        self._connection.execute("ATTACH ? AS other", (f"{path.as_uri()}?mode=ro",))
        self._others = (path,)
        try:
            yield
        finally:
            self._connection.execute("DETACH other")
            self._others = ()

    def _begin(self, question: Mapping[str, JSON], columns: Columns, mix_versions: bool) -> None:
        """Check what is asked now, and note the versions that go on."""
        self.check_question(question, columns)
        self.check_versions(versions(), mix_versions)
        if any(version not in self.versions.get(name, ()) for name, version in versions().items()):
            with self.changed() as connection:
                connection.executemany("INSERT OR IGNORE INTO versions VALUES (?, ?)", versions().items())

    def _row(self, outcome: Outcome) -> list[Cell | None]:
        return [
            outcome.task,
            outcome.replicate,
            cell(outcome.seed),
            outcome.status,
            outcome.seconds,
            outcome.digest,
            outcome.error and outcome.error.encode(errors="backslashreplace").decode(),
            *(self._cell(outcome, name, outcome.varied) for name in self.columns.varied),
            *(self._cell(outcome, name, outcome.measures) for name in self.columns.measures),
        ]

    def _cell(self, outcome: Outcome, name: str, values: Mapping[str, JSON]) -> Cell | None:
        if name not in values:
            return None
        try:
            return cell(values[name])
        except (TypeError, ValueError) as error:
            raise InputError(
                f"store {self.path}: task {outcome.task}: {name} = {quote(values[name])} cannot be kept ({error}); "
                f"expected a value of JSON"
            ) from None

    def _table(self, name: Literal["question", "about"]) -> dict[str, JSON]:
        rows = self.ask(f"SELECT CAST(key AS TEXT), value FROM {name} ORDER BY rowid")
        try:
            return {key: json.loads(value) for key, value in rows}
        except (TypeError, ValueError, RecursionError) as error:
            raise self._damaged(f"{name}: {error}") from None

    def _outcome(self, row: tuple[Any, ...]) -> Outcome:
        task, replicate, seed, status, seconds, digest, error, *cells, size, record = row
        names = self.columns.varied + self.columns.measures
        try:
            if status not in get_args(Status):
                raise ValueError(f"status {quote(status)}")
            values = {name: of_cell(stored) for name, stored in zip(names, cells, strict=True) if stored is not None}
            outcome = Outcome(
                task,
                status,
                float(seconds),
                int(seed),
                int(replicate),
                str(digest),
                {name: values[name] for name in self.columns.varied if name in values},
                {name: values[name] for name in self.columns.measures if name in values},
                None if error is None else str(error),
                None if record is None else unpacked(size, record),
            )
        except (TypeError, ValueError, RecursionError, zlib.error) as wrong:
            raise self._damaged(f"task {task}: {wrong}") from None
        return outcome

    def _damaged(self, reason: str) -> InputError:
        return InputError(f"store {self.path}: {MEANINGS['SQLITE_CORRUPT'].format(reason)}")


FREE: Final = ("seconds",)
"""What may differ in answers to the same task."""


def merge(store: Store, paths: Iterable[str | os.PathLike[str]], *, mix_versions: bool = False) -> int:
    """Add the tasks of other stores of the same question, such as shards of a study. Returns how many were new.

    A task that both have must be equal in both: its instance, status, error and measures (not its seconds, nor the
    record, which has times in it). One that its own time limit has stopped gives way to an answer. Each store is added
    whole or not at all. Raises InputError for a store of another question or version, or a task that differs, with its
    number.
    """
    return sum(_merge(store, Path(os.path.realpath(path)), mix_versions) for path in paths)


def _merge(store: Store, path: Path, mix_versions: bool) -> int:
    if path == store.path:
        raise InputError(f"store {path}: found the store itself among those that are merged into it")
    with Store.read(path) as other:
        other.check_question(store.question, store.columns)
        other.check_versions({name: last for name, (*_, last) in store.versions.items()}, mix_versions)
        store.note = other.note or store.note
    with sqlite_errors(path), store.attached(path), store.changed() as connection, ExitStack() as stack:
        _check_equal(store, path)
        stack.enter_context(bounded(connection, store.path, path))
        answered = "(SELECT task FROM other.results WHERE status != 'stopped')"
        gone = f"(SELECT task FROM main.results WHERE status = 'stopped' AND task IN {answered})"
        connection.execute(f"DELETE FROM main.records WHERE task IN {gone}")
        stopped = connection.execute(f"DELETE FROM main.results WHERE task IN {gone}").rowcount
        names, new = listed_columns(store.columns), "task NOT IN (SELECT task FROM main.results)"
        connection.execute(f"INSERT INTO main.records SELECT * FROM other.records WHERE {new}")
        added = connection.execute(
            f"INSERT INTO main.results ({names}) SELECT {names} FROM other.results WHERE {new}"
        ).rowcount
        connection.execute("INSERT OR IGNORE INTO main.versions SELECT * FROM other.versions")
    return added - stopped


def _check_equal(store: Store, path: Path) -> None:
    """Refuse a task whose instance differs, or whose answer does though no time limit has ended it."""
    results = (*FREE, "status", "error", *store.columns.measures)
    instance, answer = listed_columns(store.columns, but=results), listed_columns(store.columns, but=FREE)
    for names, of in ((instance, ""), (answer, "WHERE status != 'stopped'")):
        both = f"SELECT {names} FROM other.results WHERE task IN (SELECT task FROM main.results {of})"
        query = f"{both} {of.replace('WHERE', 'AND')} EXCEPT SELECT {names} FROM main.results ORDER BY task LIMIT 1"
        for task, *_ in store.ask(query):
            raise InputError(
                f"store {path}: task {task} is not what it is in {store.path}; expected equal answers to equal tasks"
            )
