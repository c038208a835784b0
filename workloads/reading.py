r"""One door for all logs: find the file, see which format it is, read it, keep what can be replayed.

>>> import tempfile, pathlib
>>> path = pathlib.Path(tempfile.mkdtemp()) / "tiny.swf"
>>> _ = path.write_text("1 0 -1 60 2 -1 -1 2 -1 -1 1 7 3 -1 1 -1 -1 -1\n")
>>> log = read_log(path)
>>> log.name, len(log), log.processors.tolist()
('tiny.swf', 1, [2])
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Literal

from ..support.errors import InputError
from .files import STDIN, blocks, find_log, whole_lines
from .log import COLUMNS, RESOURCES, Log, replayable
from .sacct import parse_sacct
from .swf import parse_swf


def read_log(path: str | Path, folder: str | Path | None = None, zero: Literal["drop", "one"] = "drop") -> Log:
    """Read a job log of any known format and keep the jobs that can be replayed, sorted by submission.

    Parameters
    ----------
    path
        An SWF file or a dump of ``sacct -P``, plain or gzip; a relative name is looked up in ``folder`` (default: the
        current one), then in the folders of ``$CONSORTIUM_TRACES``; ``-`` is the standard input.
    zero
        What a run time of 0 means: ``"drop"`` the job, or count it as ``"one"`` second.

    Raises
    ------
    InputError
        The file cannot be found or read, is of no known format, or holds no job that can be replayed.
    """
    file = find_log(path, folder)
    name = "standard input" if str(path) == STDIN else file.name
    parts = whole_lines(blocks(file), name)
    first = next(parts, b"")
    if not first.strip():
        raise InputError(f"{name}: the file is empty; expected a job log")
    text: Iterator[bytes] = chain([first], parts)
    log = parse_sacct(text, name) if _is_sacct(first, file) else parse_swf(text, name)
    return replayable(log, zero)


def _is_sacct(first: bytes, path: Path) -> bool:
    """Whether the first line that is no comment holds the separator of ``sacct -P``."""
    lines = (line.strip() for line in first.split(b"\n"))
    head = next((line for line in lines if line and not line.startswith(b";")), b"")
    if b"|" not in head and head.lower().startswith((b"jobid", b"jobidraw")):
        raise InputError(f"{path}: looks like sacct without -P; expected columns separated by '|': use sacct -P")
    return b"|" in head


def digest(log: Log) -> str:
    """SHA-256, in hexadecimal digits, of all that a replay depends on: jobs, names of owners, processors.

    Resources are not among them: what they are weighed as stands in the place of the processors.

    >>> one, other = (Log(columns={"job": [1], "run": [run]}, name="tiny") for run in (3, 4))
    >>> digest(one) == digest(one), digest(one) == digest(other)
    (True, False)
    """
    names = {column: codes for column, codes in log.labels.items() if column != RESOURCES}
    about = {"labels": names, "processors": log.max_processors()}
    whole = hashlib.sha256(json.dumps(about, sort_keys=True).encode())
    for name in COLUMNS:
        if name == RESOURCES:
            continue
        whole.update(f"\n{name}\n".encode())
        whole.update(log.kept(name).astype("<i8").tobytes())  # the width in which it is kept may change
    return whole.hexdigest()
