"""Hunt an instance that breaks a claim of a rule, shrink it, and say it as a scenario that shows the failure."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any, ClassVar

from ... import __version__
from ...mechanisms.kinds import HUNT
from ...parallel.executors import cores, executor, travels
from ...scenarios.reader import load
from ...scenarios.toml import write
from ...support.errors import InputError, NotKeptError
from ...support.exact import Extended
from ...support.fields import col, row
from ...support.files import check_destination
from ...support.progress import Clock, Progress, ProgressLike
from ...verbs.dispatch import ask
from ...verbs.records import Record, Row, jsonable
from .claims.verdict import Verdict, hunting_of
from .edits import Data
from .search import Hunted, search
from .shrinking import Shrunk, shrink, size_of, smaller_neighbour
from .target import Hunt, Target


@row
class SizeRow(Row):
    """How large an instance is; see :class:`~.shrinking.Size`."""

    players: int = col("agents, organizations or users")
    jobs: int = col("jobs of all of them")
    work: int = col("lengths of all jobs together, in the largest unit fraction that measures all lengths and times")


@row
class HuntRecord(Record):
    """Record of a hunt."""

    verb: ClassVar[str] = "hunt"
    rule: str = col("the rule")
    claim: str | None = col("what should fail; none where a measure was made as large as could be")
    claim_status: str | None = col("what is known of the claim: proved, enumerated, tested or refuted, and how")
    measure: str | None = col("verb and path of the measure to make large", optional=True, default=None)
    largest: Extended | None = col("largest value of the measure that was found", optional=True, default=None)
    broken: bool = col("whether an instance was found that breaks the claim; one that was not found may exist")
    instances: int = col("instances tried")
    valid: int = col("those of them that the rule takes")
    sizes: Mapping[str, str] | None = col(
        "sizes of the instances tried, by the name of the option that sets them", optional=True, default=None
    )
    rounds: int = col("rounds of search that were finished")
    nearest: Extended | None = col(
        "how near the nearest miss came, in the measure of the claim (largest gain, largest ratio); none where nothing "
        "measures it, where the claim is broken, and where there is none"
    )
    size: SizeRow | None = col("size of the instance found")
    minimal: bool | None = col("whether no single step of shrinking the instance found keeps the failure")
    shrinking: int = col("smaller instances tried")
    replay: tuple[Mapping[str, Any], ...] = col(
        "the scenario that breaks the claim or has the largest value, with the expectation that shows it, and those "
        "that it is compared with; none for a custom rule, whose code no scenario holds",
        evidence=True,
    )
    instance: Mapping[str, Any] | None = col(
        "the scenario for a custom rule, to be checked with it", optional=True, default=None
    )
    note: str | None = col(
        "how the claim was read where only the beginning of its name was given", optional=True, default=None
    )

    @property
    def scenarios(self) -> tuple[Mapping[str, Any], ...]:
        """The scenario found and those that it is compared with, whether or not they replay."""
        return self.replay or (() if self.instance is None else (self.instance,))


def answered(
    options: Mapping[str, Any],
    overrides: Mapping[str, Any],
    output: str | os.PathLike[str] | None,
    progress: ProgressLike,
) -> HuntRecord:
    """What the function :func:`consortium.hunt` answers: options are read, and what is found is written."""
    if output is not None:
        check_destination(output, "output")
    record = ask(HUNT.name, overrides, options, progress=progress)
    assert isinstance(record, HuntRecord)
    if output is not None:
        write_scenarios(record, output)
    return record


def hunted(overrides: Mapping[str, Any], options: Hunt, progress: Progress | None = None) -> HuntRecord:
    """Hunt with options that have been read; see :func:`consortium.hunt`."""
    target = Target.named(options, overrides)
    note = target.note(options)
    number = options.processes or cores()
    with executor(number if number > 1 and travels(target) else 1) as pool:
        state = search(target, options.seed, pool, Clock(options.time_limit), progress)
    best = state.misses[0] if target.measure is not None and state.misses else None
    instance = state.hit if best is None else best[1]
    if instance is None:
        return _record(target, options.seed, note, state)

    def holds(data: Data) -> bool:
        if not target.fits(data):
            return False
        verdict = target.verdict(data)
        return verdict.broken is True if best is None else verdict.near is not None and verdict.near >= best[0]

    small = _smallest(instance, holds, options.seed, Clock(options.time_limit), progress)
    return _record(target, options.seed, note, state, small)


def _smallest(
    instance: Data, holds: Callable[[Data], bool], seed: int, clock: Clock, progress: Progress | None
) -> Shrunk:
    """As small as shrinking and its neighbours make it; the smallest so far where Ctrl-C or the clock ends that."""
    small = shrink(instance, holds, clock=clock, progress=progress)
    with suppress(KeyboardInterrupt):
        while small.minimal and (other := smaller_neighbour(small.scenario, holds, seed, clock)) is not None:
            small = shrink(other, holds, clock=clock, progress=progress)
    return small


def _record(target: Target, seed: int, note: str | None, state: Hunted, small: Shrunk | None = None) -> HuntRecord:
    verdict = None if small is None else target.verdict(small.scenario)
    scenarios = () if small is None or verdict is None else _scenarios(target, seed, small.scenario, verdict)
    spans = [(name, state.sizes[name]) for name in hunting_of(target.kind).sizes if name in state.sizes]
    own, measure, broken = target.mechanism is not None, target.measure, verdict is not None and target.measure is None
    return HuntRecord(
        kind=target.kind,
        scenario=scenarios[0]["title"] if scenarios else None,
        method="random draws and local search",
        complete=broken,
        seed=seed,
        verdict=False if broken else None,
        rule=target.rule,
        claim=target.claim,
        claim_status=target.claim_status,
        measure=None if measure is None else f"{measure.verb}:{measure.path}",
        largest=None if measure is None or verdict is None else verdict.near,
        broken=broken,
        instances=state.tried,
        valid=state.ruled,
        sizes={name: str(least) if least == most else f"{least}..{most}" for name, (least, most) in spans} or None,
        rounds=state.rounds,
        nearest=state.misses[0][0] if state.misses and small is None else None,
        size=None if small is None else SizeRow(**asdict(size_of(small.scenario))),
        minimal=None if small is None else small.minimal,
        shrinking=0 if small is None else small.tried,
        replay=() if own else scenarios,
        instance=scenarios[0] if own and scenarios else None,
        note=note,
    )


def _scenarios(target: Target, seed: int, data: Data, verdict: Verdict) -> tuple[dict[str, Any], ...]:
    """The scenario with how it was found and what it shows, then its twins."""
    own, measure = target.mechanism is not None, target.measure
    title = f"{target.rule} breaks {target.claim}"
    if measure is not None:
        title = f"{target.rule}: {measure.path} = {jsonable(verdict.near)}"
    source = f"found by consortium hunt --rule {target.rule} {target.text} --seed {seed} ({__version__})"
    source += f"; to ask it again: consortium check FILE --mechanism {target.rule}" if own else ""
    about = {"title": title, "source": source}
    head = {key: data[key] for key in ("format", "kind")}
    expect = {verb: dict(fields) for verb, fields in verdict.expect.items()}
    scenario = {**head, **about, **data, **({"expect": expect} if expect else {})}
    twins = [{**head, **about, "title": f"what {target.rule} is compared with", **twin} for twin in verdict.twins]
    return (load(scenario).to_dict(), *twins)


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
