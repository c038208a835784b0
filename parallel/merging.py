"""Several stores of one question as one: shards of a study that were worked on apart."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from ..support.errors import InputError
from .schema import listed_columns
from .sqlite_files import told
from .store import Store

FREE: Final = ("seconds",)
"""What may differ in answers to the same task."""


def merge(store: Store, paths: Iterable[str | os.PathLike[str]], *, mix_versions: bool = False) -> int:
    """Add the tasks of other stores of the same question to one that is open to write. Returns how many were new.

    A task that both have must be equal in both: its instance, status, error and measures (not its seconds, nor the
    record, which has times in it). One that its own time limit has stopped gives way to an answer. Each store is added
    whole or not at all.

    Raises
    ------
    InputError
        A store of another question or version, or a task that differs, with its number.
    """
    return sum(_merge(store, Path(os.path.realpath(path)), mix_versions) for path in paths)


def _merge(store: Store, path: Path, mix_versions: bool) -> int:
    if path == store.path:
        raise InputError(f"store {path}: found the store itself among those that are merged into it")
    with Store.read(path) as other:
        other.check_question(store.question, store.columns)
        other.check_versions({name: found[-1] for name, found in store.versions.items()}, mix_versions)
        store.note = other.note or store.note
    with told(path), store.attached(path), store.changed() as connection:
        _check_equal(store, path)
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
    found = (*FREE, "status", "error", *store.columns.measures)
    instance, answer = listed_columns(store.columns, but=found), listed_columns(store.columns, but=FREE)
    for names, of in ((instance, ""), (answer, "WHERE status != 'stopped'")):
        both = f"SELECT {names} FROM other.results WHERE task IN (SELECT task FROM main.results {of})"
        query = f"{both} {of.replace('WHERE', 'AND')} EXCEPT SELECT {names} FROM main.results ORDER BY task LIMIT 1"
        for task, *_ in store.ask(query):
            raise InputError(
                f"store {path}: task {task} is not what it is in {store.path}; expected equal answers to equal tasks"
            )
