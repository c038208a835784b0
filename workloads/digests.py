"""What a job log holds, as a digest: logs of one name and size are told apart.

>>> from .log import Log
>>> one, other = (Log(columns={"job": [1], "run": [run]}, name="tiny") for run in (3, 4))
>>> digest(one) == digest(one), digest(one) == digest(other)
(True, False)
"""

from __future__ import annotations

import hashlib
import json

from .log import COLUMNS, RESOURCES, Log


def digest(log: Log) -> str:
    """SHA-256, in hexadecimal digits, of all that a replay depends on: jobs, names of owners, processors.

    Resources are not among them: what they are weighed as stands in the place of the processors.
    """
    names = {column: codes for column, codes in log.labels.items() if column != RESOURCES}
    told = {"labels": names, "processors": log.max_processors()}
    found = hashlib.sha256(json.dumps(told, sort_keys=True).encode())
    for name in COLUMNS:
        if name == RESOURCES:
            continue
        found.update(f"\n{name}\n".encode())
        found.update(log.kept(name).astype("<i8").tobytes())  # the width in which it is kept may change
    return found.hexdigest()
