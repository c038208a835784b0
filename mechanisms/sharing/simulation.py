"""Run one rule on one instance: checks, choice of arithmetic, a runner per rule, one record out.

All rules are greedy and on line: a moment is processed as completions, releases, decisions; while a machine is free
and somebody waits, the rule names an organization whose first waiting job starts. Lengths are not known to the rules
before completion. Under ``timing = "next"`` a rule that compares utilities at moment ``t`` looks at ``t + 1``, counting
the unit of time that begins for every running job, the one just started included; under ``"now"`` it looks at ``t``,
where a job started at ``t`` is worth nothing yet. Ties go to the lowest organization.

A job of several machines is run as that many sequential ones, unless a rule that is a queue is told to start it on all
of them at once (``parallel``): then a machine may be free while somebody waits, see :mod:`.kernels.parallel`.

>>> from .instance import SharingInstance
>>> two = SharingInstance.of([1, 1], [[(0, 2)] * 3, []])
>>> outcome = simulate(two, rule="ref", until=4)
>>> outcome.utility, outcome.contribution
((17, 0), (Fraction(27, 2), Fraction(7, 2)))
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

import numpy as np

from ...support.errors import InputError, unknown_name
from ...support.exact import Rational, fits_int64, scale
from ...support.loading import load
from ...support.progress import Progress
from .catalogue import HALF_LIFE_MAX, MACHINE_ORDERS, PARALLEL, RULES, TIMINGS
from .instance import SharingInstance
from .kernels import decay as decaying
from .kernels import direct, parallel, parallel_decay, queue, rand
from .memory import memory
from .orderings import watched
from .outcome import Coalitions, SharingOutcome, utilities_of
from .plain import own
from .plain import ref as plain_ref
from .ranges import plain_needed, ref_arithmetic
from .rules.own import QueueRule, rule_name
from .runs import RefRun, Run
from .shapley import shapley_values
from .utilities import DEFAULT, UTILITIES, Utility

COPIES: Final = "copies"
"""Of :data:`.catalogue.PARALLEL`, what every rule takes."""
DECAYING: Final = tuple(rule.id for rule in RULES if "decay" in rule.options)


@dataclass(frozen=True, eq=False)
class _Request:
    """What :func:`simulate` was asked, checked as far as it concerns every rule."""

    instance: SharingInstance
    rule: str
    until: int
    timing: str
    utility: Utility
    orderings: Mapping[str, Any]
    machine_order: str
    decay: int | None
    parallel: str
    rng: np.random.Generator
    every_coalition: bool
    threads: int
    progress: Progress | None

    @property
    def step(self) -> int:
        """How much later than a decision values are compared."""
        return 1 if self.timing == "next" else 0

    def method(self, factor: int) -> str:
        """Arithmetic that holds ``factor`` times any value."""
        return "python" if plain_needed(self.instance, self.until, factor) else "int64"

    def outcome(self, run: Run) -> SharingOutcome:
        """A schedule with its psi_sp."""
        return SharingOutcome(
            self.instance,
            self.rule,
            self.timing,
            run.reached,
            run.start,
            utilities_of(self.instance, run.start, run.reached),
            run.contribution,
            given_machine=run.machine,
            method=run.method,
            complete=run.complete,
            parallel=self.parallel,
        )


def simulate(
    instance: SharingInstance,
    *,
    rule: str | QueueRule,
    until: int,
    timing: str = "next",
    utility: str = DEFAULT,
    samples: int | str | None = None,
    orderings: Sequence[Sequence[int]] | None = None,
    epsilon: Rational | None = None,
    confidence: Rational | None = None,
    machine_order: str = "random",
    decay: int | None = None,
    parallel: str = COPIES,
    rng: np.random.Generator | None = None,
    seed: int | None = None,
    every_coalition: bool = False,
    threads: int = 0,
    progress: Progress | None = None,
) -> SharingOutcome:
    """Schedule the jobs of ``instance`` by ``rule`` and evaluate at ``until``.

    Parameters
    ----------
    instance
        Organizations, machines and jobs.
    rule
        A name from the catalogue (ref, rand, direct-contribution, direct-contribution-printed, round-robin,
        fair-share, utility-fair-share, current-fair-share or fifo), or a :class:`.rules.own.QueueRule` of one's own.
    until
        Moment of evaluation, at least 0; jobs start strictly before it.
    timing
        ``"next"`` or ``"now"``, for the rules that compare utilities or usage.
    utility
        ref only: what organizations care about (Fig. 1 of Skowron & Rzadca 2013, corrected).
    samples, orderings, epsilon, confidence
        rand only: a number of random orderings (default 15), ``"all"``, given orderings of 0..k-1, or the accuracy
        that sets the number (Theorem 5.6).
    machine_order
        direct-contribution only: ``"random"`` (one random order per event) or ``"listed"``.
    decay
        fair-share and utility-fair-share only: the half-life of past usage, see :mod:`.rules.decay`.
    parallel
        The queues (round-robin, fair-share, utility-fair-share, current-fair-share and fifo) only: ``"copies"``,
        ``"rigid"`` or ``"easy"``, see :data:`.catalogue.PARALLEL`.
    rng, seed
        Randomness for rand and direct-contribution; ``seed`` (default 0) is used when no ``rng`` is given.
    every_coalition
        ref only: keep the starts of every coalition (memory ``2**k`` times the jobs).
    threads
        ref only: how many work at a run that is long enough for several, 0 for one per core. The outcome is the same.
    progress
        Told the moment reached. Ctrl-C ends the run with ``complete=False`` at the moment reached.

    Returns
    -------
    SharingOutcome
        The schedule with utilities, contributions and the arithmetic that was used.

    Raises
    ------
    InputError
        For a bad ``until`` or option, or a job of more machines than there are, which could never start at once.
        UnknownNameError for an unknown name, TooLargeError for too many organizations or too short a half-life,
        MechanismError for a rule of one's own that fails or serves nobody who waits.
    """
    own_rule = None if isinstance(rule, str) else rule
    name = rule if isinstance(rule, str) else rule_name(rule)
    if own_rule is None and name not in RUNNERS:
        raise unknown_name("rule", name, RUNNERS)
    if timing not in TIMINGS:
        raise unknown_name("timing", timing, TIMINGS)
    if utility not in UTILITIES:
        raise unknown_name("utility", utility, UTILITIES)
    if utility != DEFAULT and rule != "ref":
        raise InputError(f"utility: found {utility!r} with the rule {name}; only ref takes another utility than psi-sp")
    if isinstance(until, bool) or not isinstance(until, int | np.integer) or until < 0:
        raise InputError(f"until: found {until!r}; expected an integer of at least 0")
    if isinstance(threads, bool) or not isinstance(threads, int | np.integer) or threads < 0:
        raise InputError(f"threads: found {threads!r}; expected an integer of at least 0, 0 for one per core")
    _check_decay(name, decay)
    _check_parallel(instance, name, parallel)
    orders = {"samples": samples, "orderings": orderings, "epsilon": epsilon, "confidence": confidence}
    if own_rule is None:
        memory(instance, name, until=int(until), utility=utility, machine_order=machine_order, decay=decay, **orders)
    request = _Request(
        instance=instance,
        rule=name,
        until=int(until),
        timing=timing,
        utility=UTILITIES[utility],
        orderings=orders,
        machine_order=machine_order,
        decay=None if decay is None else int(decay),
        parallel=parallel,
        rng=rng if rng is not None else np.random.default_rng(0 if seed is None else seed),
        every_coalition=every_coalition,
        threads=threads,
        progress=progress,
    )
    if own_rule is not None:
        return request.outcome(own.run(instance, own_rule, request.until, progress))
    return RUNNERS[name](request)


def _check_decay(rule: str, half_life: int | None) -> None:
    if half_life is None:
        return
    if rule not in DECAYING:
        raise InputError(
            f"decay: found {half_life!r} with the rule {rule}; only {' and '.join(DECAYING)} take a half-life"
        )
    if isinstance(half_life, bool) or not isinstance(half_life, int | np.integer) or not 0 < half_life <= HALF_LIFE_MAX:
        raise InputError(f"decay: found {half_life!r}; expected an integer from 1 to {HALF_LIFE_MAX}")


def _check_parallel(instance: SharingInstance, rule: str, parallel: str) -> None:
    """Refuse what cannot be run so."""
    if parallel not in PARALLEL:
        raise unknown_name("parallel", parallel, PARALLEL)
    if parallel == COPIES:
        return
    if rule not in queue.CODES:
        raise InputError(f"parallel: found {parallel!r} with the rule {rule}; only {', '.join(queue.CODES)} take it")
    widest = 0 if instance.width is None or not instance.n_jobs else int(instance.width.max())
    if widest > instance.n_machines:
        raise InputError(
            f"parallel: found {parallel!r} and a job of {widest:,} machines; expected at most {instance.n_machines:,}, "
            f"which are all"
        )


def _queue(asked: _Request) -> SharingOutcome:
    instance, until, step, method = asked.instance, asked.until, asked.step, asked.method(2)
    if asked.decay is not None and not fits_int64(asked.decay):
        method = "python"
    if asked.parallel != COPIES and instance.width is not None:  # of sequential jobs none waits beside a free machine
        believed = instance.length if instance.estimate is None else instance.estimate
        method = "python" if believed.dtype == object else method
        whole = (instance, asked.rule, asked.parallel == "easy", until, step)
        if asked.decay is None:
            return asked.outcome(parallel.run(*whole, method, asked.progress))
        return asked.outcome(parallel_decay.run(*whole, asked.decay, method, asked.progress))
    if asked.decay is None:
        return asked.outcome(queue.run(instance, asked.rule, until, step, method, asked.progress))
    return asked.outcome(decaying.run(instance, asked.rule, until, step, asked.decay, method, asked.progress))


def _rand(asked: _Request) -> SharingOutcome:
    wanted = watched(asked.instance.n_organizations, asked.rng, **asked.orderings)
    method = asked.method(2 * (wanted.count + int(np.abs(wanted.weights).sum(axis=0).max())))
    return asked.outcome(rand.run(asked.instance, wanted, asked.until, asked.step, method, asked.progress))


def _direct(asked: _Request) -> SharingOutcome:
    if asked.machine_order not in MACHINE_ORDERS:
        raise unknown_name("machine_order", asked.machine_order, MACHINE_ORDERS)
    printed = asked.rule == "direct-contribution-printed"
    step = 0 if printed else asked.step
    size = asked.instance.n_jobs if asked.machine_order == "random" else 0
    draws = asked.rng.integers(0, 2**32, size=size, dtype=np.uint32)
    return asked.outcome(direct.run(asked.instance, asked.until, step, printed, draws, asked.method(8), asked.progress))


def _ref(asked: _Request) -> SharingOutcome:
    run = _run_ref(asked)
    integers, denominator = (run.values, 1) if run.values.dtype == np.int64 else scale(run.values.tolist())
    contribution = tuple(phi / denominator for phi in shapley_values(integers))
    return SharingOutcome(
        asked.instance,
        "ref",
        asked.timing,
        run.reached,
        run.starts[-1],
        tuple(run.utilities[-1].tolist()),
        contribution,
        asked.utility.id,
        Coalitions(run.values, run.utilities, run.starts if asked.every_coalition else None),
        method=run.method,
        complete=run.complete,
    )


def _run_ref(asked: _Request) -> RefRun:
    instance, until, utility = asked.instance, asked.until, asked.utility
    if utility.needs_due_dates and instance.due is None and instance.n_jobs:
        raise InputError(f"utility: {utility.id} needs a due date for every job")
    method = ref_arithmetic(instance, until)
    kernel = utility.kernel if method != "python" else None
    if kernel is None:
        return plain_ref.run(instance, until, asked.step, utility, asked.every_coalition, asked.progress)
    run: RefRun = load(kernel)(
        instance, until, asked.step, method, asked.every_coalition, asked.progress, asked.threads
    )
    return run


RUNNERS: Final[Mapping[str, Callable[[_Request], SharingOutcome]]] = MappingProxyType(
    {
        "ref": _ref,
        "rand": _rand,
        "direct-contribution": _direct,
        "direct-contribution-printed": _direct,
        **dict.fromkeys(queue.CODES, _queue),
    }
)
"""What runs each rule of the catalogue."""
