"""What an audit measures against: REF exactly, or from sampled orderings where its coalitions are too many.

REF keeps a schedule for every coalition, which is done for up to 14 organizations. Beyond, or where it is asked for,
contributions are sampled (:mod:`consortium.mechanisms.sharing.sampled`), with bounds on their error.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

import numpy as np

from ...mechanisms.sharing.memory import memory
from ...mechanisms.sharing.sampled import CONFIDENCE, Sample, sampled_memory
from ...support.errors import InputError, TooLargeError
from ...support.units import duration_text
from ...workloads.windows import SharedWork
from ..records import Row, Statistic
from .model import instance_of
from .openings import Windows
from .options import Audit
from .results import REFERENCE, WindowResult
from .rules import Rule, is_ours
from .unions import read_parents, structure, unions_told
from .windows import job_starts

MAX_ORGANIZATIONS: Final = 14
"""Most organizations for which every coalition is looked at."""
REF_STARTS: Final = 10**9
"""Most job starts of all coalitions in a window, unless exact contributions are asked for."""


@dataclass(frozen=True, kw_only=True)
class YardstickRow(Row):
    """How contributions were sampled, and how exact they are.

    Attributes
    ----------
    orderings, schedules
        Orderings of the organizations, and schedules of coalitions, that were looked at in a window; the fewest.
    confidence
        With which ``sampling`` holds in a window.
    sampling, order
        Bounds on the errors of all contributions together, as parts of what all contribute: by sampling, and by the
        order in which coalitions serve their members (measured, not proved). Means over the windows.
    bound
        The same two per second of work, in seconds: by as much a schedule that follows these contributions may differ
        from REF's, and with it every unfairness, as Theorem 5.6 proves for jobs of one unit of time.
    halves
        By how many seconds per second of work schedules that follow two halves of the sample differ.
    unions
        Organizations that keep together, in words; empty: none.
    """

    orderings: int
    schedules: int
    confidence: Fraction
    sampling: Statistic
    order: Statistic
    bound: Statistic
    halves: Statistic
    unions: str


def yardstick_for(
    windows: Windows, options: Audit, rules: tuple[Rule, ...]
) -> tuple[SharedWork, Sample | None, tuple[Rule, ...]]:
    """The first window, how contributions are sampled (``None``: REF), and the rules to run.

    REF is among these only if it is asked for, where contributions are sampled.

    Raises
    ------
    InputError
        Options that contradict each other. TooLargeError for what takes more than there is.
    """
    work = windows.window()
    sample = sample_of(options, work, len(rules))
    if sample is None:
        return work, None, rules
    instance = instance_of(work)
    sampled_memory(instance, work.until, sample)
    if options.rules is None:
        rules = tuple(rule for rule in rules if rule.rule != REFERENCE.rule)
    for rule in rules:
        if is_ours(rule):
            memory(instance, rule.rule, until=work.until, **rule.options)
    return work, sample, rules


def sample_of(options: Audit, work: SharedWork, rules: int) -> Sample | None:
    """How contributions are sampled, by the first window; ``None``: REF.

    Raises
    ------
    InputError
        Options that contradict each other. TooLargeError for more organizations than REF takes, where it is asked for.
    """
    k = len(work.names)
    asked = [name for name in ("samples", "epsilon", "confidence", "parents") if getattr(options, name) is not None]
    if options.against == "ref" and asked:
        raise InputError(f"{asked[0]}: given with against = 'ref', which samples nothing; expected one of the two")
    if options.samples is not None and options.epsilon is not None:
        raise InputError("samples: given with epsilon, which sets their number; expected one of the two")
    if options.epsilon is not None and options.epsilon <= 0:
        raise InputError(f"epsilon: found {options.epsilon}; expected a number above 0")
    if options.confidence is not None and not 0 < options.confidence < 1:
        raise InputError(f"confidence: found {options.confidence}; expected a number above 0 and below 1")
    if options.against == "ref" and k > MAX_ORGANIZATIONS:
        raise TooLargeError(
            f"{k} organizations; at most {MAX_ORGANIZATIONS}, because REF looks at every coalition. "
            "Give a smaller limit, or against = 'sampled'"
        )
    if options.against == "ref" or (options.against == "auto" and not asked and _affordable(work, rules)):
        return None
    confidence = CONFIDENCE if options.confidence is None else options.confidence
    unions = None if options.parents is None else structure(work.names, read_parents(options.parents))
    return Sample(options.samples, options.epsilon, confidence, unions)


def _affordable(work: SharedWork, rules: int) -> bool:
    k = len(work.names)
    if k > MAX_ORGANIZATIONS or job_starts(len(work), k, rules) > REF_STARTS:
        return False
    try:
        memory(instance_of(work), "ref", until=work.until)
    except TooLargeError:
        return False
    return True


def yardstick_row(results: Sequence[WindowResult], sample: Sample, names: Sequence[str]) -> YardstickRow | None:
    """What the windows say together of the sample; ``None`` without windows."""
    known = [(result, result.accuracy) for result in results if result.accuracy is not None]
    if not known:
        return None
    of_all = [(float(sum(result.shapley)), result.p_tot, found) for result, found in known]
    return YardstickRow(
        orderings=min(found.orderings for _, found in known),
        schedules=min(found.schedules for _, found in known),
        confidence=sample.confidence,
        sampling=_mean([found.sampling / value for value, _, found in of_all if value]),
        order=_mean([found.order / value for value, _, found in of_all if value]),
        bound=_mean([(found.sampling + found.order) / parts for _, parts, found in of_all if parts]),
        halves=_mean([float(found.halves) for _, found in known]),
        unions="" if sample.structure is None else unions_told(sample.structure, names),
    )


def _mean(values: Sequence[float]) -> Statistic:
    return Statistic(float(np.mean(values)) if values else 0.0)


def sampled_told(row: YardstickRow | None, k: int) -> tuple[str, ...]:
    """What a sampled yardstick means, in sentences."""
    if row is None:
        return ()
    told = [
        f"Contributions of {k} organizations were sampled, {row.orderings:,} orderings a window: together they are off "
        f"by at most {_percent(row.sampling)} of what all contribute, with {_percent(row.confidence)} confidence, and "
        f"by {_percent(row.order)} for the order in which coalitions serve their members, which was measured. Two "
        f"halves of the sample call schedules fair that differ by {duration_text(row.halves.value)} a second of work"
    ]
    if row.unions:
        told.append(f"These keep together when contributions are counted (Owen's value): {row.unions}")
    return tuple(told)


def _percent(part: Statistic | Fraction) -> str:
    return f"{100 * float(part.value if isinstance(part, Statistic) else part):.2g} %"
