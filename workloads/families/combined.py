"""Families of every kind from one table of distributions: who owns the jobs is the kind's, how long they are is not."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from pydantic import create_model

from .base import Draw, Family, nothing
from .lengths import Bimodal, Lengths, LogNormal, Uniform, Zipf
from .logs import RunTimes


class Distribution(NamedTuple):
    """The name of its families, its parameters, and what their summary says of the lengths."""

    name: str
    lengths: type[Lengths]
    summary: str


DISTRIBUTIONS: Final = (
    Distribution("uniform-jobs", Uniform, "lengths uniform on the integers of an interval"),
    Distribution("log-normal-jobs", LogNormal, "log-normal lengths"),
    Distribution("zipf-lengths", Zipf, "lengths by Zipf's law"),
    Distribution("bimodal-jobs", Bimodal, "short and long jobs"),
    Distribution("log-jobs", RunTimes, "run times of a job log"),
)


def combined(
    kind: str,
    owners: type[Lengths],
    prepare: Callable[[Any], Draw],
    summary: str,
    fitting: Callable[[Mapping[str, Any]], Mapping[str, Any]] = nothing,
) -> tuple[Family, ...]:
    """A family per distribution.

    Parameters
    ----------
    kind, prepare, fitting
        See :class:`~.base.Family`.
    owners
        Parameters of those who own the jobs; they know no distribution.
    summary
        Who they are.
    """
    return tuple(
        Family(
            name,
            kind,
            create_model(
                f"{owners.__name__}With{lengths.__name__}", __base__=(lengths, owners), __doc__=owners.__doc__
            ),
            prepare,
            f"{summary}; {about}",
            fitting=fitting,
        )
        for name, lengths, about in DISTRIBUTIONS
    )
