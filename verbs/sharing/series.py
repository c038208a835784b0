"""One window of a log over time: how far each organization is from its contribution, and the load."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from ...mechanisms.sharing.sampled import Sample
from ...workloads.windows import SharedWork
from ..records import Row, Statistic
from .model import instance_of
from .results import REFERENCE
from .rules import Rule
from .windows import follow, rule_seed, sampled

MOMENTS: Final = 24


@dataclass(frozen=True, kw_only=True)
class SeriesRow(Row):
    """One window under one rule at ``times``.

    Attributes
    ----------
    balance
        psi - phi of every organization by name; phi is REF's Shapley value, evaluated at each moment.
    busy, asked
        Machines in use, and machines asked for: jobs running or waiting.
    machines
        How many there are.
    """

    window: int
    start: int
    rule: str
    times: tuple[int, ...]
    machines: int
    busy: tuple[int, ...]
    asked: tuple[int, ...]
    balance: Mapping[str, tuple[Statistic, ...]]


def time_series(work: SharedWork, index: int, rule: Rule, seed: int, sample: Sample | None = None) -> SeriesRow:
    """Follow window number ``index`` (from 0) under a rule."""
    instance = instance_of(work)
    times = sorted({work.until * (i + 1) // MOMENTS for i in range(MOMENTS)} - {0})
    own_seed = rule_seed(seed, index, rule.label)
    balance: dict[str, list[Statistic]] = {name: [] for name in work.names}
    if sample is None:
        known = (follow(REFERENCE, instance, work, t, 0).contribution for t in times)
    else:
        known = (tuple(phi) for phi in sampled(instance, work.until, sample, seed, index).at(times))
    for t, deserved in zip(times, known, strict=True):
        received = follow(rule, instance, work, t, own_seed).utility
        assert deserved is not None  # REF always knows its Shapley values
        for name, psi, phi in zip(work.names, received, deserved, strict=True):
            balance[name].append(Statistic(float(psi - phi)))
    outcome = follow(rule, instance, work, work.until, own_seed)
    ran = outcome.start >= 0
    starts, stops = outcome.start[ran], (outcome.start + instance.length)[ran]
    busy = [int(((starts < t) & (stops >= t)).sum()) for t in times]
    waiting = [int((instance.release < t).sum() - (starts < t).sum()) for t in times]
    return SeriesRow(
        window=index + 1,
        start=work.start,
        rule=rule.label,
        times=tuple(times),
        machines=sum(work.machines),
        busy=tuple(busy),
        asked=tuple(b + w for b, w in zip(busy, waiting, strict=True)),
        balance={name: tuple(values) for name, values in balance.items()},
    )
