"""Run one rule on one instance: checks, choice of arithmetic, a runner per rule, one record out.

All rules are greedy and on line: a moment is processed as completions, releases, decisions; while a machine is free
and somebody waits, the rule names an organization whose first waiting job starts. Lengths are not known to the rules
before completion. Under ``timing = "next"`` a rule that compares utilities at moment ``t`` looks at ``t + 1``, counting
the unit of time that begins for every running job, the one just started included; under ``"now"`` it looks at ``t``,
where a job started at ``t`` is worth nothing yet. Ties go to the lowest organization.

A job of several machines is run as that many sequential ones, unless a rule that is a queue is told to start it on all
of them at once (``parallel``): then a machine may be free while somebody waits, see :mod:`.kernels.queues`.

>>> from .instance import SharingInstance
>>> two = SharingInstance.of([1, 1], [[(0, 2)] * 3, []])
>>> outcome = simulate(two, rule="ref", until=4)
>>> outcome.utility, outcome.contribution
((17, 0), (Fraction(27, 2), Fraction(7, 2)))
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from ...support.errors import InputError, TooLargeError, check_name, join_names
from ...support.exact import Rational, fits_int64, scale
from ...support.loading import load
from ...support.progress import Progress
from ...support.units import memory_text
from . import custom, general_ref
from .catalogue import (
    HALF_LIFE_MAX,
    MACHINE_ORDERS,
    PARALLEL,
    PLAIN_REF_MAX,
    PRIORITY,
    QOS_MAX,
    REF_MAX,
    RULES,
    SLURM,
    TIMINGS,
    WEIGHT_MAX,
)
from .custom import QueueRule, rule_name
from .instance import SharingInstance
from .kernels import direct, queues, sampled
from .kernels.events import Run
from .kernels.trees import Tree, new_tree
from .limits import (
    LIMIT,
    PER_JOB,
    PER_MACHINE,
    PER_SCHEDULE,
    WORD,
    decayed_digits,
    origin,
    plain_needed,
    ref_arithmetic,
    running_at_most,
)
from .orderings import ALL, ORDERINGS, count_orderings, requested_coalitions, shapley_values, tree
from .outcome import SharingOutcome, utilities_of
from .utilities import DEFAULT, UTILITIES

COPIES: Final = "copies"
"""Of :data:`.catalogue.PARALLEL`, what every rule takes."""


@dataclass(frozen=True, eq=False)
class _Request:
    """The arguments of :func:`simulate`."""

    instance: SharingInstance
    rule: str
    until: int
    timing: str
    utility: str
    orderings: Mapping[str, Any]
    machine_order: str
    decay: int | None
    parallel: str
    parents: Mapping[str, str]
    priority: Mapping[str, Any]
    rng: np.random.Generator
    progress: Progress | None

    def __post_init__(self) -> None:
        """Raise what :func:`simulate` raises, but for what depends on one rule alone."""
        check_name("timing", self.timing, TIMINGS)
        check_name("utility", self.utility, UTILITIES)
        check_name("parallel", self.parallel, PARALLEL)
        options: dict[str, tuple[Any, Any]] = {
            "utility": (self.utility, DEFAULT),
            "decay": (self.decay, None),
            "parallel": (self.parallel, COPIES),
            "parents": (self.parents, {}),
            **{option: (value, PRIORITY[option]) for option, value in self.priority.items()},
        }
        for option, (value, usual) in options.items():
            takers = [rule.id for rule in RULES if option in rule.options]
            if value != usual and self.rule not in takers:
                raise InputError(f"{option}: found {value!r} with the rule {self.rule}; it is for {join_names(takers)}")
        widest = 0 if self.instance.width is None else int(self.instance.width.max(initial=0))
        if self.parallel != COPIES and widest > self.instance.n_machines:
            raise InputError(
                f"parallel: found {self.parallel!r} and a job of {widest:,} machines; expected at most "
                f"{self.instance.n_machines:,}, which are all"
            )

    @property
    def step(self) -> int:
        """How much later than a decision values are compared."""
        return 1 if self.timing == "next" else 0

    def method(self, factor: int) -> str:
        """Arithmetic that holds ``factor`` times any value."""
        return "python" if plain_needed(self.instance, self.until, factor) else "int64"

    def outcome(self, run: Run) -> SharingOutcome:
        """A schedule with its utilities: psi_sp, or what coalitions were compared by."""
        utility: tuple[Rational, ...]
        if run.coalitions is None:
            utility = utilities_of(self.instance, run.start, run.reached)
        else:
            utility = tuple(run.coalitions.utilities[-1].tolist())
        return SharingOutcome(
            self.instance,
            self.rule,
            self.timing,
            run.reached,
            run.start,
            utility,
            run.contribution,
            self.utility,
            run.coalitions,
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
    parents: Mapping[str, str] | None = None,
    seed: int | None = None,
    progress: Progress | None = None,
    **priority: Any,
) -> SharingOutcome:
    """Schedule the jobs of ``instance`` by ``rule``, with utilities and contributions at ``until``.

    Parameters
    ----------
    instance
        Organizations, machines and jobs.
    rule
        A name from the catalogue, or a custom rule, a :class:`.custom.QueueRule`.
    until
        Moment of evaluation, at least 0; jobs start strictly before it.
    timing, samples, orderings, epsilon, confidence, machine_order, decay, parallel, parents, **priority
        Options, each of some rules (:data:`.catalogue.RULES`), as in the block ``[mechanism]`` of a scenario; orderings
        are of 0..k-1.
    utility
        ref only: what organizations care about (Fig. 1 of Skowron & Rzadca 2013, corrected).
    seed
        Of the randomness of rand and direct-contribution; default 0.
    progress
        Told the moment reached. Ctrl-C ends the run with ``complete=False`` at the moment reached.

    Raises
    ------
    InputError
        For a bad option, or a job too wide to start at once. UnknownNameError for an unknown name, TooLargeError for
        what takes too much, MechanismError for a custom rule that fails or serves nobody who waits.
    """
    name = rule if isinstance(rule, str) else rule_name(rule)
    if isinstance(rule, str):
        check_name("rule", rule, RUNNERS)
    request = _Request(
        instance=instance,
        rule=name,
        until=_whole("until", until, 0),
        timing=timing,
        utility=utility,
        orderings={"samples": samples, "orderings": orderings, "epsilon": epsilon, "confidence": confidence},
        machine_order=machine_order,
        decay=None if decay is None else _whole("decay", decay, 1, HALF_LIFE_MAX),
        parallel=parallel,
        parents=parents or {},
        priority=_priority(priority),
        rng=np.random.default_rng(0 if seed is None else seed),
        progress=progress,
    )
    if not isinstance(rule, str):
        return request.outcome(custom.run(instance, rule, request.until, progress))
    options = {name: getattr(request, name) for name in ("until", "utility", "machine_order", "decay")}
    memory(instance, rule, **options, **request.orderings)
    return RUNNERS[rule](request)


def _priority(options: Mapping[str, Any]) -> dict[str, int]:
    """Weights and more of multifactor, checked, with Slurm's defaults for those not given."""
    for name in options:
        check_name("option", name, PRIORITY)
    bounds = {"max_age": (1, HALF_LIFE_MAX), "max_qos": (1, QOS_MAX)}
    return {
        name: _whole(name, options.get(name, usual), *bounds.get(name, (0, WEIGHT_MAX)))
        for name, usual in PRIORITY.items()
    }


def _whole(option: str, value: object, least: int, most: int | None = None) -> int:
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least or (most and value > most):
        bounds = f"of at least {least}" if most is None else f"from {least} to {most}"
        raise InputError(f"{option}: found {value!r}; expected an integer {bounds}")
    return int(value)


def memory(
    instance: SharingInstance,
    rule: str,
    *,
    until: int = 0,
    utility: str = DEFAULT,
    machine_order: str = "random",
    decay: int | None = None,
    **options: Any,
) -> int:
    """Bytes of the arrays of a run, or TooLargeError beyond :data:`.limits.LIMIT` (and for too many organizations).

    They grow with the jobs, with the jobs that can run at once in every schedule that a rule keeps (at most its
    machines, at most its jobs), and for direct-contribution with the machines themselves, because it draws one of them
    at random. ``options`` are the rule's others, as :func:`simulate` takes them; of these only rand's number of
    orderings takes memory.

    >>> memory(SharingInstance.of([10**9, 10**9], [[(0, 3)], [(0, 4)]]), "fifo") < 1000
    True
    >>> memory(SharingInstance.of([10**6], [[]]), "direct-contribution")
    24000000
    """
    jobs, machines, k = instance.n_jobs, instance.n_machines, instance.n_organizations
    at_once, hint = WORD * min(machines, jobs), ""
    needed = PER_JOB * jobs + at_once
    if rule == "ref":
        check_organizations(instance, until, utility)
        needed += (k + 1) * PER_SCHEDULE * 2**k + WORD * int(running_at_most(instance).sum())
    elif rule == "rand":
        count = count_orderings(k, **{name: options.get(name) for name in ORDERINGS})
        schedules = 2**k if count == ALL else min(2**k, k * int(count))
        needed += schedules * ((k + 1) * PER_SCHEDULE + at_once)
    elif decay is not None:
        needed += 2 * WORD * k * decayed_digits(int(decay), until - origin(instance, until), instance)
    elif rule.startswith("direct"):
        listed = machine_order == "listed"
        needed += PER_MACHINE * (min(machines, jobs) if listed else machines)
        hint = "" if listed else " (machine_order = 'listed' takes less)"
    if needed > LIMIT:
        raise TooLargeError(
            f"{rule} would take {memory_text(needed)} for {machines:,} machines and {jobs:,} jobs; "
            f"the limit is {memory_text(LIMIT)}{hint}"
        )
    return needed


def check_organizations(instance: SharingInstance, until: int, utility: str) -> None:
    """TooLargeError for more organizations than REF takes with this utility and these numbers."""
    k = instance.n_organizations
    unlimited = UTILITIES[utility].kernel is None or (k <= REF_MAX and ref_arithmetic(instance, until) == "python")
    limit = PLAIN_REF_MAX if unlimited else REF_MAX
    if k > limit:
        raise TooLargeError(f"ref keeps a schedule for each of 2**k coalitions; found k = {k}, the limit is {limit}")


def _queue(request: _Request) -> SharingOutcome:
    instance, half_life, method = request.instance, request.decay, request.method(2)
    ages_fit = request.rule != "multifactor" or _ages_fit(request)
    estimates_fit = request.parallel == COPIES or instance.estimate is None or instance.estimate.dtype != object
    lengths_fit = request.parallel == COPIES or instance.width is None or instance.length.dtype != object
    if not (estimates_fit and lengths_fit and ages_fit) or (half_life is not None and not fits_int64(half_life)):
        method = "python"
    run = queues.run(
        instance,
        request.rule,
        request.parallel,
        request.until,
        request.step,
        half_life,
        _tree(request) if request.rule in SLURM else None,
        method,
        request.progress,
    )
    return request.outcome(run)


def _ages_fit(request: _Request) -> bool:
    """Whether no age, times its weight, leaves int64."""
    longest, age = request.priority["max_age"], request.until - int(request.instance.waits_from.min(initial=0))
    return fits_int64(longest) and fits_int64(request.priority["age"] * min(longest, age))


def _tree(request: _Request) -> Tree:
    """The accounts that a rule of Slurm's looks at, and the weights of a priority."""
    instance, priority = request.instance, request.priority
    weights = tuple(priority[name] for name in ("age", "fairshare", "size", "qos", "max_age", "max_qos"))
    return new_tree(
        instance,
        request.until,
        tree(instance.names, request.parents),
        weights if request.rule == "multifactor" else (),
        request.decay,
    )


def _rand(request: _Request) -> SharingOutcome:
    coalitions = requested_coalitions(request.instance.n_organizations, request.rng, **request.orderings)
    method = request.method(2 * (coalitions.orderings + int(np.abs(coalitions.weights()).sum(axis=0).max())))
    run = sampled.rand(request.instance, coalitions, request.until, request.step, method, request.progress)
    return request.outcome(run)


def _direct(request: _Request) -> SharingOutcome:
    check_name("machine_order", request.machine_order, MACHINE_ORDERS)
    printed = request.rule == "direct-contribution-printed"
    step = 0 if printed else request.step
    size = request.instance.n_jobs if request.machine_order == "random" else 0
    bits = request.rng.integers(0, 2**32, size=size, dtype=np.uint32)
    run = direct.run(request.instance, request.until, step, printed, bits, request.method(8), request.progress)
    return request.outcome(run)


def _ref(request: _Request) -> SharingOutcome:
    instance, until, utility = request.instance, request.until, UTILITIES[request.utility]
    if utility.needs_due_dates and instance.due is None and instance.n_jobs:
        raise InputError(f"utility: {utility.id} needs a due date for every job")
    method = ref_arithmetic(instance, until)
    run: Run
    if utility.kernel is None or method == "python":
        run = general_ref.run(instance, until, request.step, utility, request.progress)
    else:
        run = load(utility.kernel)(instance, until, request.step, method, request.progress)
    assert run.coalitions is not None
    values = run.coalitions.values
    integers, denominator = (values, 1) if values.dtype == np.int64 else scale(values.tolist())
    contribution = tuple(phi / denominator for phi in shapley_values(integers))
    return request.outcome(run._replace(contribution=contribution))


RUNNERS: Final[Mapping[str, Callable[[_Request], SharingOutcome]]] = {
    "ref": _ref,
    "rand": _rand,
    "direct-contribution": _direct,
    "direct-contribution-printed": _direct,
    **dict.fromkeys(queues.CODES, _queue),
}
"""What runs each rule of the catalogue."""
