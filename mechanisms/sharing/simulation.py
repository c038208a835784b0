"""Run one rule on one instance: checks, choice of arithmetic, the compiled kernels in chunks, one record out.

All rules are greedy and on line: a moment is processed as completions, releases, decisions; while a machine is free
and somebody waits, the rule names an organization whose first waiting job starts. Lengths are not known to the rules
before completion. Under ``timing = "next"`` a rule that compares utilities at moment ``t`` looks at ``t + 1``, counting
the unit of time that begins for every running job, the one just started included; under ``"now"`` it looks at ``t``,
where a job started at ``t`` is worth nothing yet. Ties go to the lowest organization.

>>> from .instance import SharingInstance
>>> two = SharingInstance.of([1, 1], [[(0, 2)] * 3, []])
>>> outcome = simulate(two, rule="ref", until=4)
>>> outcome.utility, outcome.contribution
((17, 0), (Fraction(27, 2), Fraction(7, 2)))
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Final

import numpy as np

from ...scheduling.errors import InputError, TooLargeError, unknown_name
from ...scheduling.exact import Rational
from ...scheduling.progress import Progress
from . import compiled_runs, plain_ref, plain_rules
from .catalogue import MACHINE_ORDERS, PLAIN_REF_MAX, REF_MAX, RULES, TIMINGS, UTILITIES
from .compiled import AnyIntArray, IntArray
from .instance import SharingInstance
from .orderings import Watched, all_orderings, from_orderings, random_orderings, sample_size
from .outcome import Coalitions, SharingOutcome, utilities_of
from .ranges import plain_needed, ref_arithmetic
from .shapley import shapley_values

_OPTIONS: Final = {rule.id: rule.options for rule in RULES}


def simulate(
    instance: SharingInstance,
    *,
    rule: str,
    until: int,
    timing: str = "next",
    utility: str = "psi-sp",
    samples: int | str | None = None,
    orderings: Sequence[Sequence[int]] | None = None,
    epsilon: Rational | None = None,
    confidence: Rational | None = None,
    machine_order: str = "random",
    rng: np.random.Generator | None = None,
    seed: int | None = None,
    every_coalition: bool = False,
    progress: Progress | None = None,
) -> SharingOutcome:
    """Schedule the jobs of ``instance`` by ``rule`` and evaluate at ``until``.

    Parameters
    ----------
    instance
        Organizations, machines and jobs.
    rule
        A name from the catalogue: ref, rand, direct-contribution, direct-contribution-printed, round-robin,
        fair-share, utility-fair-share, current-fair-share or fifo.
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
    rng, seed
        Randomness for rand and direct-contribution; ``seed`` (default 0) is used when no ``rng`` is given.
    every_coalition
        ref only: keep the starts of every coalition (memory ``2**k`` times the jobs).
    progress
        Told the moment reached. Ctrl-C ends the run with ``complete=False`` at the moment reached.

    Returns
    -------
    SharingOutcome
        The schedule with utilities, contributions and the arithmetic that was used.

    Raises
    ------
    InputError
        For a bad ``until`` or option. UnknownNameError for an unknown name, TooLargeError for too many organizations.
    """
    if rule not in _OPTIONS:
        raise unknown_name("rule", rule, _OPTIONS)
    if timing not in TIMINGS:
        raise unknown_name("timing", timing, TIMINGS)
    if utility not in UTILITIES:
        raise unknown_name("utility", utility, UTILITIES)
    if utility != "psi-sp" and rule != "ref":
        raise InputError(f"utility: found {utility!r} with the rule {rule}; only ref takes another utility than psi-sp")
    if isinstance(until, bool) or not isinstance(until, int | np.integer) or not 0 <= until <= 2**61:
        raise InputError(f"until: found {until!r}; expected an integer of at least 0 and at most 2**61")
    until, step = int(until), 1 if timing == "next" else 0
    generator = rng if rng is not None else np.random.default_rng(0 if seed is None else seed)
    if rule == "ref":
        return _ref(instance, until, timing, utility, every_coalition, progress)
    if rule == "rand":
        watched = _watched(instance.n_organizations, samples, orderings, epsilon, confidence, generator)
        return _rand(instance, until, timing, watched, progress)
    if rule.startswith("direct-contribution"):
        return _direct(instance, rule, until, timing, machine_order, generator, progress)
    if plain_needed(instance, until, 2):
        run = plain_rules.run_queue_rule(instance, rule, until, step, progress)
        return _from_plain(instance, rule, timing, run)
    start, reached, complete = compiled_runs.run_queue_rule(instance, rule, until, step, progress)
    return _outcome(instance, rule, timing, reached, start, None, "int64", complete)


def _ref(
    instance: SharingInstance, until: int, timing: str, utility: str, every: bool, progress: Progress | None
) -> SharingOutcome:
    k = instance.n_organizations
    if utility == "tardiness" and instance.due is None and instance.n_jobs:
        raise InputError("utility: tardiness needs a due date for every job")
    arithmetic = ref_arithmetic(instance, until) if k <= REF_MAX else "int64"
    compiled = utility == "psi-sp" and arithmetic != "python"
    limit = REF_MAX if compiled else PLAIN_REF_MAX
    if k > limit:
        raise TooLargeError(f"ref keeps a schedule for each of 2**k coalitions; found k = {k}, the limit is {limit}")
    step = 1 if timing == "next" else 0
    if compiled:
        start, values, utilities, reached, complete = compiled_runs.run_ref(
            instance, until, step, arithmetic, every, progress
        )
    else:
        arithmetic = "python"
        start, values, utilities, reached, complete = _plain_ref(instance, until, step, utility, progress)
    mine: tuple[Rational, ...] = tuple(
        x if isinstance(x, int | Fraction) else int(x) for x in utilities[2**k - 1].tolist()
    )
    if utility == "turnaround":  # means: bring the game to integers first
        scale = int(np.lcm.reduce([Fraction(v).denominator for v in values.tolist()]))
        contribution = [phi / scale for phi in shapley_values(np.array([int(v * scale) for v in values], dtype=object))]
    else:
        contribution = shapley_values(values)
    return SharingOutcome(
        instance,
        "ref",
        timing,
        reached,
        start[-1] if start.shape[0] == 1 or every or not compiled else start[0],
        mine,
        tuple(contribution),
        utility,
        Coalitions(values, utilities, start if every else None),
        method=arithmetic,
        complete=complete,
    )


def _plain_ref(
    instance: SharingInstance, until: int, step: int, utility: str, progress: Progress | None
) -> tuple[IntArray, AnyIntArray, AnyIntArray, int, bool]:
    k = instance.n_organizations
    run = plain_ref.run_ref(instance, until, step, utility, progress)
    start = np.full((2**k, instance.n_jobs), -1, dtype=np.int64)
    values = np.zeros(2**k, dtype=object)
    utilities = np.zeros((2**k, k), dtype=object)
    for mask, rows in run.starts.items():
        for t, u, position in rows:
            start[mask, int(instance.first[u]) + position] = t
        utilities[mask] = run.utilities[mask]
        values[mask] = sum(run.utilities[mask])
    return start, values, utilities, run.reached, run.complete


def _watched(
    k: int,
    samples: int | str | None,
    orderings: Sequence[Sequence[int]] | None,
    epsilon: Rational | None,
    confidence: Rational | None,
    rng: np.random.Generator,
) -> Watched:
    given = [samples is not None, orderings is not None, epsilon is not None or confidence is not None]
    if sum(given) > 1:
        raise InputError("rand: give samples, or orderings, or epsilon and confidence")
    if orderings is not None:
        return from_orderings(orderings, k)
    if samples == "all":
        return all_orderings(k)
    if epsilon is not None or confidence is not None:
        if epsilon is None or confidence is None:
            raise InputError("rand: epsilon and confidence go together")
        samples = sample_size(k, epsilon, confidence)
    if samples is None:
        samples = 15
    if isinstance(samples, bool) or not isinstance(samples, int):
        raise InputError(f"samples: found {samples!r}; expected a number of orderings or 'all'")
    return random_orderings(k, samples, rng)


def _rand(
    instance: SharingInstance, until: int, timing: str, watched: Watched, progress: Progress | None
) -> SharingOutcome:
    step = 1 if timing == "next" else 0
    factor = 2 * (watched.count + int(np.abs(watched.weights).sum(axis=0).max()))
    if plain_needed(instance, until, factor):
        return _from_plain(instance, "rand", timing, plain_rules.run_rand(instance, watched, until, step, progress))
    start, scaled, reached, complete = compiled_runs.run_rand(instance, watched, until, step, progress)
    contribution = tuple(Fraction(int(x), watched.count) for x in scaled)
    return _outcome(instance, "rand", timing, reached, start, contribution, "int64", complete)


def _direct(
    instance: SharingInstance,
    rule: str,
    until: int,
    timing: str,
    machine_order: str,
    rng: np.random.Generator,
    progress: Progress | None,
) -> SharingOutcome:
    if machine_order not in MACHINE_ORDERS:
        raise unknown_name("machine_order", machine_order, MACHINE_ORDERS)
    printed = rule.endswith("printed")
    step = 1 if timing == "next" and not printed else 0
    draws = None
    if machine_order == "random":
        draws = rng.integers(0, 2**32, size=instance.n_jobs, dtype=np.uint32)
    if plain_needed(instance, until, 8):
        return _from_plain(
            instance, rule, timing, plain_rules.run_direct(instance, until, step, printed, draws, progress)
        )
    start, machine, given, reached, complete = compiled_runs.run_direct(instance, until, step, printed, draws, progress)
    contribution = tuple(Fraction(int(x)) for x in given)
    return _outcome(instance, rule, timing, reached, start, contribution, "int64", complete, machine)


def _outcome(
    instance: SharingInstance,
    rule: str,
    timing: str,
    until: int,
    start: IntArray,
    contribution: tuple[Fraction, ...] | None,
    method: str,
    complete: bool,
    machine: IntArray | None = None,
) -> SharingOutcome:
    utility = utilities_of(instance, start, until)
    return SharingOutcome(
        instance, rule, timing, until, start, utility, contribution,
        given_machine=machine, method=method, complete=complete,
    )  # fmt: skip


def _from_plain(instance: SharingInstance, rule: str, timing: str, run: plain_rules.PlainRun) -> SharingOutcome:
    start = np.full(instance.n_jobs, -1, dtype=np.int64)
    machine = np.full(instance.n_jobs, -1, dtype=np.int64)
    for t, u, position, m in run.starts:
        job = int(instance.first[u]) + position
        start[job], machine[job] = t, m
    contribution = None if run.contribution is None else tuple(run.contribution)
    given = machine if rule.startswith("direct") else None
    return _outcome(instance, rule, timing, run.reached, start, contribution, "python", run.complete, given)
