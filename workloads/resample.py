"""A stand-in for a log that cannot be had: the users of a log we have, drawn anew.

Model: users are drawn from a donor log with replacement; each draw keeps the user's whole job stream (sessions,
bursts, run times, her own mix) under a fresh user id and is shifted by a whole number of weeks, so that hour of day
and weekday survive; what leaves the target span wraps around to its beginning. Sizes are scaled to the new machine and
run times by one common factor, so that the load is the one asked for. Drawing users and not jobs preserves what makes
fairness hard: a few users submit most of the work, in bursts.

The result is SYNTHETIC and its header says so; :func:`write_swf` writes it to a file that any SWF tool reads.
"""

from __future__ import annotations

import gzip
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from ..support.errors import InputError
from .columns import IntArray
from .log import Log

WEEK: Final = 7 * 86_400
STRETCH: Final = (0.5, 2.0)
_TRIES: Final = 200


@dataclass(frozen=True)
class Target:
    """What the stand-in should look like.

    Attributes
    ----------
    users, processors
        Numbers of users and of processors.
    span
        Seconds over which jobs are submitted, at least a week.
    load
        Work over ``processors * span``, above 0.
    max_jobs
        Keep a uniform sample of so many jobs, if there are more.
    largest
        Processors of the largest job; default all.
    """

    users: int
    processors: int
    span: int = 180 * 86_400
    load: float = 0.5
    max_jobs: int | None = None
    largest: int | None = None

    def __post_init__(self) -> None:
        positive = {"users": self.users, "processors": self.processors, "max_jobs": self.max_jobs or 1}
        positive["largest"] = self.largest or 1
        for name, value in positive.items():
            if value < 1:
                raise InputError(f"{name}: found {value}; expected at least 1")
        if self.span < WEEK or not 0 < self.load < np.inf:
            raise InputError(f"found span {self.span}, load {self.load}; expected at least a week ({WEEK} s) and > 0")


def resample_users(donor: Log, target: Target, seed: int) -> Log:
    """A synthetic log in the image of ``donor``: same seed, same log.

    A draw whose run times would have to be stretched by less than 1/2 or more than 2 is discarded and drawn again,
    because further stretching changes what waiting means.

    Parameters
    ----------
    donor
        Jobs that can be replayed (:func:`~.log.replayable`), with known users and the machine's size in the header.

    Raises
    ------
    InputError
        The donor has no users or no machine size, or no draw meets the load within the bounds of the stretch.
    """
    size = donor.max_processors()
    users = np.unique(donor.user[donor.user >= 0])
    if not users.size or size is None:
        raise InputError(f"{donor.name}: a donor needs known users and a machine size in its header")
    order = np.argsort(donor.user, kind="stable")
    bounds = np.searchsorted(donor.user[order], [users, users + 1])
    rng = np.random.default_rng(seed)
    seen = []
    for _ in range(_TRIES):
        log, stretch = _draw(donor, target, rng, order, bounds, size)
        if STRETCH[0] <= stretch <= STRETCH[1]:
            return _labelled(log, donor, target, seed, stretch)
        seen.append(stretch)
    raise InputError(
        f"load {target.load}: run times would have to be stretched by {min(seen):.2g} to {max(seen):.2g} in all "
        f"{_TRIES} draws, outside {STRETCH[0]} to {STRETCH[1]}; change users, span or load"
    )


def _draw(
    donor: Log, target: Target, rng: np.random.Generator, order: IntArray, bounds: IntArray, size: int
) -> tuple[dict[str, IntArray], float]:
    """One draw: columns of the log, and the factor by which its run times were stretched."""
    picked = rng.integers(0, bounds.shape[1], size=target.users)
    streams = [order[bounds[0, u] : bounds[1, u]] for u in picked]
    index = np.concatenate(streams)
    user = np.repeat(np.arange(1, target.users + 1), [stream.size for stream in streams])
    weeks = rng.integers(0, target.span // WEEK, size=target.users)
    origin = int(donor.submit.min())
    submit = (donor.submit[index] - origin + WEEK * weeks[user - 1]) % (target.span // WEEK * WEEK)
    if target.max_jobs is not None and index.size > target.max_jobs:
        keep = np.sort(rng.choice(index.size, size=target.max_jobs, replace=False))
        index, user, submit = index[keep], user[keep], submit[keep]
    largest = min(target.largest or target.processors, target.processors)
    processors = np.clip(np.rint(donor.processors[index] * (target.processors / size)), 1, largest).astype(np.int64)
    work = float(np.dot(processors.astype(np.float64), donor.run[index].astype(np.float64)))
    stretch = target.load * target.processors * target.span / work
    run = np.maximum(np.rint(donor.run[index] * stretch), 1).astype(np.int64)
    by_time = np.argsort(submit, kind="stable")
    columns = {"submit": submit, "run": run, "allocated": processors, "requested": processors, "user": user}
    return {name: column[by_time] for name, column in columns.items()}, stretch


def _labelled(columns: dict[str, IntArray], donor: Log, target: Target, seed: int, stretch: float) -> Log:
    n = columns["run"].size
    header = {
        "Version": ("2.2",),
        "Note": (
            f"SYNTHETIC, resampled from {donor.name}, seed {seed}",
            f"users drawn with replacement, streams shifted by whole weeks, run times multiplied by {stretch:.6g}",
        ),
        "Acknowledge": donor.header.get("Acknowledge", ()),
        "MaxJobs": (str(n),),
        "MaxRecords": (str(n),),
        "MaxProcs": (str(target.processors),),
    }
    header = {key: values for key, values in header.items() if values}
    return Log({"job": np.arange(1, n + 1), **columns}, name=f"synthetic-{donor.name}", header=header)


_ORDER: Final = {
    "job": 0,
    "submit": 1,
    "wait": 2,
    "run": 3,
    "allocated": 4,
    "requested": 7,
    "limit": 8,
    "status": 10,
    "user": 11,
    "group": 12,
    "queue": 14,
    "partition": 15,
}


def write_swf(log: Log, path: str | Path) -> None:
    """Write a log as SWF, gzip if the name ends in ``.gz``; fields that a log does not hold are -1.

    Writing and reading gives the same columns (``account`` is not a field of SWF and is lost). Raises InputError when
    the file cannot be written.
    """
    table = np.full((len(log), 18), -1, dtype=np.int64)
    for column, field in _ORDER.items():
        table[:, field] = log.column(column)
    head = "".join(f"; {key}: {value}".rstrip() + "\n" for key, values in log.header.items() for value in values)
    body = "".join(" ".join(map(str, row)) + "\n" for row in table.tolist())
    data = (head + body).encode()
    target = Path(path)
    try:
        target.write_bytes(gzip.compress(data, mtime=0) if target.suffix == ".gz" else data)
    except OSError as error:
        raise InputError(f"{target}: cannot be written ({error.strerror or error})") from None
