"""Hunt an instance that breaks a claim of a rule, shrink it, and say it as a scenario that shows the failure."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Final

from ... import __version__
from ...parallel.executors import executor
from ...parallel.processes import cores, travels
from ...scenarios.reader import load
from ...scenarios.writer import write
from ...support.destinations import check_destination
from ...support.errors import InputError, NotKeptError
from ...support.exact import Extended
from ...support.numbers import Floats
from ...support.numbers import parse_numbers as given_numbers
from ...support.progress import Clock, Progress, ProgressLike
from ...support.progress_bars import received
from ...verbs.options import read_options
from ...verbs.records import OPTIONAL, Record, Row, jsonable
from .beside import beside
from .claims.ruling import Ruling
from .options import Hunt
from .prey import Prey
from .search import Hunted, search
from .shrinking import Shrunk, Size, shrink, size_of
from .surgery import Data

QUESTION_SECONDS: Final = 5.0
"""Longest time for one question about one instance; what takes longer is no instance to hunt with."""


@dataclass(frozen=True, kw_only=True)
class SizeRow(Row):
    """How large an instance is; see :class:`~.shrinking.Size`."""

    players: int
    jobs: int
    work: int


@dataclass(frozen=True, kw_only=True)
class HuntRecord(Record):
    """What a hunt brought home.

    Attributes
    ----------
    rule, claim
        What was hunted.
    known
        What was known of the claim before: proved, enumerated, tested or refuted, and how.
    found
        Whether an instance breaks the claim; one that was not found may exist.
    instances, valid, rounds
        Instances tried, those of them that the rule takes, and rounds of search that were finished.
    nearest
        How near the nearest miss came, in the measure of the claim (largest gain, largest ratio); ``None`` where
        nothing measures it, and where the claim is broken.
    size, minimal, shrinking
        Of the instance found: its size, whether it is a local minimum (no single step of shrinking keeps the failure),
        and how many smaller ones were tried.
    replay
        The scenario that breaks the claim, with the ``[expect]`` that shows it, and those that it is compared with;
        empty for a mechanism of one's own, which no scenario can hold.
    instance
        The scenario for a mechanism of one's own, to be asked with it.
    note
        How the claim was read where only the beginning of its name was given.
    """

    verb: ClassVar[str] = "hunt"
    rule: str
    claim: str
    known: str
    found: bool
    instances: int
    valid: int
    rounds: int
    nearest: Extended | None
    size: SizeRow | None
    minimal: bool | None
    shrinking: int
    replay: tuple[Mapping[str, Any], ...]
    instance: Mapping[str, Any] | None = field(default=None, metadata=OPTIONAL)
    note: str | None = field(default=None, metadata=OPTIONAL)

    @property
    def scenarios(self) -> tuple[Mapping[str, Any], ...]:
        """The scenario found and those that it is compared with, whether or not they replay."""
        return self.replay or (() if self.instance is None else (self.instance,))


def hunt(
    rule: str | None = None,
    claim: str = "",
    *,
    mechanism: object = None,
    kind: str | None = None,
    overrides: Mapping[str, Any] | None = None,
    seed: int = 0,
    time_limit: float | None = None,
    processes: int | None = None,
    output: str | os.PathLike[str] | None = None,
    progress: ProgressLike = None,
    floats: Floats | None = None,
) -> HuntRecord:
    """Find an instance on which a rule does not do what a claim says, and shrink it.

    Parameters
    ----------
    rule
        Name of a rule, or ``"module:name"`` of a mechanism of one's own (then ``kind`` is needed).
    claim
        What should fail: one of the claims of the rule's kind, promised by the rule or not; or the beginning of its
        name, if no other begins so (the record's ``note`` says how it was read).
    mechanism, kind
        A mechanism of one's own instead of a rule: an object, or a class or function that makes one.
    overrides
        Options of the rule and other settings by path: ``{"mechanism.penalty": "printed"}``.
    seed
        The same seed finds the same instance, however many processes hunt (unless time ends it).
    time_limit
        Seconds of hunting (default 60); shrinking may take as long again.
    processes
        Worker processes; 0 for all cores. An object that cannot be sent to one is hunted in this process.
    output
        Write the instance here, as a scenario file; those that it is compared with go beside it (``-2``, ...).
    progress
        Hears of the instances tried and the nearest miss; ``True`` for a bar.
    floats
        What floats among ``overrides`` mean, ``"decimal"`` or ``"binary"``; without it they are refused.

    Returns
    -------
    HuntRecord
        Refuted with ``found``, else sampled: that nothing was found proves nothing.

    Raises
    ------
    UnknownNameError
        For a rule, kind or claim that there is not.
    InputError
        For other arguments out of range, and a file that cannot be written.

    Examples
    --------
    >>> from consortium import hunt
    >>> found = hunt("lpt-lpt", "spt-local-total-constraint")
    >>> found.known, found.size.jobs, found.replay[0]["organizations"]
    ('refuted by cordeiro2012/local-total-lpt-lpt', 2, ({'jobs': (2, 1)},))
    """
    given = {
        "rule": rule,
        "claim": claim or None,
        "mechanism": mechanism,
        "kind": kind,
        "seed": seed,
        "time_limit": time_limit,
        "processes": processes,
        "floats": floats,
    }
    asked = read_options(Hunt, given, "hunt")
    if output is not None:
        check_destination(output, "output")
    with received(progress, "hunt") as report:
        record = hunted(asked, overrides or {}, report)
    if output is not None:
        write_scenarios(record, output)
    return record


def prey_of(options: Hunt, overrides: Mapping[str, Any]) -> Prey:
    """What the options ask to hunt."""
    return Prey.of(
        options.rule,
        options.claim,
        mechanism=options.mechanism,
        kind=options.kind,
        overrides=given_numbers(overrides, options.floats),
        time_limit=min(options.time_limit, QUESTION_SECONDS),
    )


def note_on(options: Hunt, prey: Prey) -> str | None:
    """How the claim was read, where the beginning of its name was given."""
    given = options.claim
    return None if given == prey.claim else f"claim {given}: read as {prey.claim}, the only one of that beginning"


def hunted(options: Hunt, overrides: Mapping[str, Any], progress: Progress | None = None) -> HuntRecord:
    """Hunt with options that have been read; see :func:`hunt`."""
    prey = prey_of(options, overrides)
    note = note_on(options, prey)
    number = options.processes or cores()
    with executor(number if number > 1 and travels(prey) else 1) as pool:
        found = search(prey, options.seed, pool, Clock(options.time_limit), progress)
    if found.hit is None:
        return _record(prey, options.seed, note, found)

    def broken(data: Data) -> bool:
        return prey.rule_on(data).broken is True

    clock = Clock(options.time_limit)
    small = shrink(found.hit, broken, clock=clock, progress=progress)
    while small.minimal and (other := beside(small.scenario, broken, options.seed, clock)) is not None:
        small = shrink(other, broken, clock=clock, progress=progress)
    return _record(prey, options.seed, note, found, small)


def _record(prey: Prey, seed: int, note: str | None, found: Hunted, small: Shrunk | None = None) -> HuntRecord:
    shown = () if small is None else _shown(prey, seed, small.scenario)
    own = prey.mechanism is not None
    return HuntRecord(
        kind=prey.kind,
        scenario=shown[0]["title"] if shown else None,
        method="random draws and local search",
        complete=small is not None,
        seed=seed,
        verdict=None if small is None else False,
        rule=prey.rule,
        claim=prey.claim,
        known=prey.known,
        found=small is not None,
        instances=found.tried,
        valid=found.ruled,
        rounds=found.rounds,
        nearest=found.misses[0][0] if found.misses and small is None else None,
        size=None if small is None else _size(size_of(small.scenario)),
        minimal=None if small is None else small.minimal,
        shrinking=0 if small is None else small.tried,
        replay=() if own else shown,
        instance=shown[0] if own and shown else None,
        note=note,
    )


def _size(size: Size) -> SizeRow:
    return SizeRow(players=size.players, jobs=size.jobs, work=size.work)


def _shown(prey: Prey, seed: int, data: Data) -> tuple[dict[str, Any], ...]:
    """The scenario with how it was found and what it shows, then its twins."""
    ruling = prey.rule_on(data)
    of = f"hunt --rule {prey.rule} --claim {prey.claim} --seed {seed}"
    said = {"title": f"{prey.rule} breaks {prey.claim}", "source": f"found by consortium {of} ({__version__})"}
    head = {key: data[key] for key in ("format", "kind")}
    own = prey.mechanism is not None
    scenario = {**head, **said, **data, **({} if own else {"expect": _expected(ruling)})}
    twins = [{**head, **said, "title": f"what {prey.rule} is compared with", **twin} for twin in ruling.twins]
    return (load(scenario).to_dict(), *twins)


def _expected(ruling: Ruling) -> dict[str, Any]:
    return {verb: dict(fields) for verb, fields in ruling.expect.items()}


def write_scenarios(record: HuntRecord, path: str | os.PathLike[str]) -> list[Path]:
    """Write the scenarios of a record, the first one to ``path``, the others beside it; returns the files.

    Raises NotKeptError, which has the record, when one cannot be written.
    """
    first, written = Path(path), []
    for i, scenario in enumerate(jsonable(record.scenarios)):
        file = first if i == 0 else first.with_stem(f"{first.stem}-{i + 1}")
        try:
            write(scenario, file)
        except InputError as error:
            raise NotKeptError(str(error), record) from None
        written.append(file)
    return written
