"""One writer for a file: a lock beside it, which the system takes back from a process that was killed."""

from __future__ import annotations

import os
import socket
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from ..support.errors import InputError

TRIED: Final = 0.3
"""Seconds for which a lock is tried: who only looks whether somebody writes has it for a moment."""


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Keep other writers away from a file. Raises InputError where there is one; OSError where no lock can be made."""
    if sys.platform == "win32":  # no advisory locks: two writers are not noticed
        yield
        return
    lock = lock_path(path)
    file = _taken(path, lock)
    try:
        os.ftruncate(file, 0)
        os.write(file, f"process {os.getpid()} on {socket.gethostname()}".encode())
        yield
    finally:
        lock.unlink(missing_ok=True)
        os.close(file)


def writer(path: Path) -> str | None:
    """Who writes to a file now (``"process 12 on host"``), or ``None``."""
    try:
        file = os.open(lock_path(path), os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))  # it may be a named pipe
    except OSError:
        return None
    try:
        return None if _locked(file, alone=False) else os.read(file, 300).decode(errors="replace") or "another process"
    except OSError:
        return None
    finally:
        os.close(file)


def lock_path(path: Path) -> Path:
    """The file that is locked instead: SQLite has locks of its own on the file itself."""
    return path.with_name(path.name + "-lock")


def _taken(path: Path, lock: Path) -> int:
    end = time.monotonic() + TRIED
    while True:
        file = os.open(lock, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            taken = _locked(file, alone=True) and _is_at(file, lock)
        except OSError as error:
            os.close(file)
            raise InputError(
                f"store {path}: its file system keeps no locks ({error.strerror}); expected a disk of this machine "
                f"(shards of a study, each on its own machine, are merged afterwards)"
            ) from None
        if taken:
            return file
        os.close(file)
        if time.monotonic() > end:
            raise InputError(
                f"store {path}: {writer(path) or 'another process'} is writing to it; wait for it, or name another file"
            )
        time.sleep(TRIED / 10)


def _locked(file: int, *, alone: bool) -> bool:
    """Whether the lock could be had. Raises OSError on a file system without locks."""
    if sys.platform == "win32":
        return True
    import fcntl

    try:
        fcntl.flock(file, (fcntl.LOCK_EX if alone else fcntl.LOCK_SH) | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _is_at(file: int, path: Path) -> bool:
    """Whether an open file is still the one at a path: a writer that ends takes its lock away."""
    try:
        there = os.stat(path)
    except FileNotFoundError:
        return False
    return os.path.samestat(os.fstat(file), there)
