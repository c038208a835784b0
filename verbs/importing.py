"""``import``: from a real job log to a scenario of any kind.

:func:`build` reads a log (:func:`consortium.workloads.read_log`) and lets the kind's importer choose jobs by its
documented rule; the result is a plain scenario dict that the verbs take and
:func:`consortium.scenarios.toml.write` saves. Lengths are run times in seconds, or in units of ``unit`` seconds,
rounded up. ``source`` names the log and acknowledges who provided it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

import numpy as np

from ..mechanisms.kinds import kind as find_kind
from ..mechanisms.kinds import kinds
from ..scenarios.reader import load
from ..support.errors import InputError
from ..support.files import check_destination
from ..support.loading import load as load_reference
from ..support.loading import usable
from ..workloads.log import Log, Report
from ..workloads.reading import read_log
from ..workloads.selection import Chosen
from .options import Door, Options, read_options

_LISTED: Final = 40
"""At most so many job numbers are named in ``source``."""


@dataclass(frozen=True)
class Importer:
    """How scenarios of a kind are made from logs.

    Attributes
    ----------
    options
        Model of the options.
    build
        ``(log, options, place) -> scenario``; ``place`` says where log and scenario lie.
    """

    options: type[Options]
    build: Callable[[Log, Any, Place], dict[str, Any]]


@dataclass(frozen=True)
class Place:
    """The log's path as given, and where the scenario will be written (``None``: not to a file)."""

    log: Path
    output: Path | None = None


@dataclass(frozen=True)
class Imported:
    """A scenario made from a log, and the account of what was left out of the log."""

    scenario: Mapping[str, Any]
    report: Report


def importer(kind: str) -> Importer:
    """The importer of a kind. Raises UnknownNameError for a wrong name, InputError for a kind without one."""
    reference = find_kind(kind).importer
    if not reference:
        raise InputError(f"import: no log makes a scenario of kind {kind!r}")
    imported: Importer = load_reference(reference)
    return imported


def option_models() -> dict[str, type[Options]]:
    """The models of the options of import by kind."""
    return usable([each.name for each in kinds() if each.importer], lambda kind: importer(kind).options)


def build(
    path: str | os.PathLike[str],
    kind: str,
    *,
    output: str | os.PathLike[str] | None = None,
    zero: Literal["drop", "one"] = "drop",
    door: Door = "python",
    **options: Any,
) -> Imported:
    """Read a log and make a scenario of a kind: :func:`consortium.import_log`, from any door."""
    if not isinstance(path, str | os.PathLike):
        raise InputError(f"import: found {type(path).__name__}; expected the path of a log")
    entry = importer(kind)
    chosen = read_options(entry.options, options, f"import for kind {kind!r}", door)
    if output is not None:
        check_destination(output, "--output" if door == "command" else "output")
    log = read_log(Path(path), zero=zero)
    place = Place(Path(path), None if output is None else Path(output))
    scenario = entry.build(log, chosen, place)
    load(scenario)  # refuses what no verb would take
    return Imported(scenario, log.report)


# --- what importers share -------------------------------------------------------------------------------------------


def head(log: Log, kind: str, title: str, chosen: Sequence[Chosen], unit: int, seed: int | None) -> dict[str, Any]:
    """The top of a scenario: title, and the log, the jobs and the unit as its source."""
    jobs = [number for c in chosen for number in c.jobs]
    named = f"; jobs {', '.join(map(str, jobs))}" if 0 < len(jobs) <= _LISTED else ""
    measured = "" if not chosen else "; lengths are run times in " + ("seconds" if unit == 1 else f"units of {unit} s")
    scenario = {"format": 1, "kind": kind, "title": title, "source": f"{log.source}{named}{measured}"}
    return scenario if seed is None else scenario | {"seed": seed}


def generator(seed: int | None) -> np.random.Generator | None:
    """Randomness where a seed is given; without one, the documented choice is made."""
    return None if seed is None else np.random.default_rng(seed)
