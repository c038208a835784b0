"""``verify`` on scenarios of kind ``sharing``: what an organization gains by presenting its jobs otherwise.

The axioms of the utility promise that such moves change nothing in a fixed schedule.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, Final

from ...games.sharing.axioms import UTILITIES as AXIOM_UTILITIES
from ...games.sharing.axioms import check_axioms
from ...games.sharing.presentation import MOVES, ManipulationResult, best_manipulation
from ...mechanisms.custom import refuse_memory
from ...mechanisms.sharing.instance import Job, SharingInstance
from ...mechanisms.sharing.outcome import throughput
from ...mechanisms.sharing.simulation import COPIES, simulate
from ...mechanisms.sharing.utilities import DEFAULT
from ...scenarios.scenario import Scenario
from ...support.errors import InputError, unknown_name
from ...support.progress import Progress, limited
from .model import Rule, Setting, is_random, is_whole, rule_of, seeded, setting
from .options import Verify
from .records import AxiomRow, BestMoveRow, ExampleRow, ManipulationRow, VerifyRecord, WitnessRow

AXIOMS: Final = {name.replace(" ", "-"): name for name in ("starting times", "number of tasks", "strategy resistance")}
"""By the name of the property."""


def verify(scenario: Scenario, options: Verify, progress: Progress | None = None) -> VerifyRecord:
    """Whether an organization can gain by presenting its jobs otherwise, and what its utility promises.

    ``property`` says whose verdict counts, and is the only move tried if it is one; default: all moves.
    """
    properties = ("manipulation", *MOVES, *AXIOMS)
    if options.property is not None and options.property not in properties:
        raise unknown_name("property", options.property, properties)
    scenario, progress = seeded(scenario, options.seed), limited(progress, options.time_limit)
    rule = rule_of(scenario, options.mechanism)
    utility = rule.options.get("utility", DEFAULT)
    axioms = _axioms(utility, options.max_moment)
    manipulation, complete = None, True
    if options.property in AXIOMS:
        verdict = axioms[AXIOMS[options.property].replace(" ", "_")].holds
    elif utility == DEFAULT:
        manipulation, complete = _manipulation(scenario, rule, options, progress)
        verdict = manipulation.holds
    elif options.property is None:
        verdict = all(axiom.holds for axiom in axioms.values())
    else:
        raise InputError(f"property: {options.property} is judged in {DEFAULT}; this scenario's utility is {utility}")
    return VerifyRecord(
        kind=scenario.kind,
        scenario=scenario.label,
        method="enumeration",
        complete=complete,
        seed=(scenario.seed or 0) if is_random(scenario, rule) else None,
        verdict=verdict,
        manipulation=manipulation,
        utility=utility,
        axioms=axioms,
    )


def _axioms(utility: str, t_max: int) -> dict[str, AxiomRow]:
    rows = {}
    for name, verdict in check_axioms(AXIOM_UTILITIES[utility], t_max=t_max).items():
        w = verdict.witness
        example = None if w is None else ExampleRow(moment=w.moment, schedules=w.schedules, values=w.values)
        rows[name.replace(" ", "_")] = AxiomRow(holds=verdict.holds, cases=verdict.cases, counterexample=example)
    return rows


def moves_of(options: Verify) -> Sequence[str]:
    """The moves that are tried."""
    return (options.property,) if options.property in MOVES else MOVES


def _manipulation(
    scenario: Scenario, rule: Rule, options: Verify, progress: Progress | None
) -> tuple[ManipulationRow, bool]:
    """The best move of one organization, or of each in turn, and whether all were tried."""
    setup = setting(scenario)
    names = setup.instance.names
    if options.organization is not None and options.organization not in names:
        raise unknown_name("organization", options.organization, names)
    if is_whole(rule) and setup.instance.width is not None:
        raise InputError(
            f"manipulation: found parallel = {rule.options['parallel']!r} and jobs of several machines; expected jobs "
            f"of one machine, or parallel = {COPIES!r}, because moves are defined for sequential jobs"
        )
    if rule.options.get("qos") and setup.instance.qos is not None:
        raise InputError("manipulation: found jobs with a qos, which moves do not keep; expected mechanism.qos = 0")
    if rule.own:
        arguments = rule.arguments(setup.instance.machines, scenario.seed)
        starts = {"these jobs": lambda: simulate(setup.instance, until=setup.until, **arguments).start.tolist()}
        refuse_memory(f"{type(arguments['rule']).__name__}.choose", starts)
    movers = [u for u, name in enumerate(names) if options.organization in (None, name)]
    results: list[ManipulationResult] = []
    with suppress(KeyboardInterrupt):  # before anything was known of one of them
        for u in movers:
            result = best_manipulation(
                setup.instance,
                u,
                until=setup.until,
                moves=moves_of(options),
                limit=options.max_delay,
                cuts=options.max_splits,
                progress=progress,
                **rule.arguments(setup.instance.machines, scenario.seed),
            )
            results.append(result)
            if not result.complete:
                break
    best = max((r for r in results if r.gain is not None), key=lambda r: (r.gain or 0, -r.organization), default=None)
    gains = best is not None and not best.holds
    each = tuple(BestMoveRow(name=names[r.organization], cases=r.cases, move=r.move, max_gain=r.gain) for r in results)
    row = ManipulationRow(
        holds=not gains,
        organization=names[best.organization] if best is not None and gains else None,
        move=best.move if best is not None and gains else None,
        cases=sum(r.cases for r in results),
        max_gain=None if best is None else best.gain,
        witness=_witness(scenario, rule, setup, best) if best is not None and gains else None,
        each=each if len(each) > 1 else None,
    )
    return row, len(results) == len(movers) and all(r.complete for r in results)


def _witness(scenario: Scenario, rule: Rule, setup: Setting, result: ManipulationResult) -> WitnessRow:
    """A custom rule cannot be written into a scenario: its witness has numbers only."""
    assert result.best is not None
    assert result.gain is not None
    presented = [list(job[:2]) for job in result.best.jobs]
    queues = [[list(job[:2]) for job in setup.instance.queue(u)] for u in range(setup.instance.n_organizations)]
    changed = [presented if u == result.organization else queue for u, queue in enumerate(queues)]
    replay: tuple[Mapping[str, Any], ...] = ()
    if not rule.own:
        with suppress(KeyboardInterrupt):  # what was found is shown all the same
            replay = tuple(listed_out(scenario, rule, setup, jobs) for jobs in (queues, changed))
    return WitnessRow(
        organization=setup.instance.names[result.organization],
        move=result.best.move,
        job=result.best.job + 1,
        amount=result.best.amount or None,
        jobs=tuple((release, length) for release, length in presented),
        utility_as_is=result.utility,
        utility_with_move=result.utility + result.gain,
        gain=result.gain,
        replay=replay,
    )


def listed_out(
    scenario: Scenario, rule: Rule, setup: Setting, queues: Sequence[Sequence[Sequence[int] | Job]]
) -> dict[str, Any]:
    """A scenario with its jobs written out, expecting the utilities that its rule gives to what is presented."""
    instance = setup.instance
    presented = SharingInstance.of(instance.machines, queues, instance.names)
    outcome = simulate(presented, until=setup.until, **rule.arguments(instance.machines, scenario.seed)).whole()
    organizations = [
        {"name": name, "machines": instance.machines[u], "jobs": [_listed(job) for job in queues[u]]}
        for u, name in enumerate(instance.names)
    ]
    worth = dict(zip(instance.names, throughput(outcome), strict=True))
    expected = {"organizations": {name: {"utility": utility} for name, utility in worth.items()}}
    changes = {"until": setup.until, "organizations": organizations, "trace": None}
    return scenario.variant(changes, expect={"run": expected})


def _listed(job: Sequence[int] | Job) -> list[int] | dict[str, int]:
    return {key: value for key, value in job._asdict().items() if value is not None} if isinstance(job, Job) else [*job]
