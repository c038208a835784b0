"""What records of kind ``sharing`` prove by themselves.

A schedule that is listed whole says what every organization got; the values of all coalitions say what each
contributed. A move that pays is played again. That a rule makes this schedule, how far the fair one is from it, and
that no move pays more is only known by asking again.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from ...games.sharing.manipulation import ManipulationResult, manipulations, true_utility
from ...games.sharing.presentation import MOVES
from ...mechanisms.sharing.arrays import IntArray
from ...mechanisms.sharing.instance import SharingInstance
from ...mechanisms.sharing.kernels.queue import CODES
from ...mechanisms.sharing.outcome import SharingOutcome, throughput, utilities_of
from ...mechanisms.sharing.shapley import shapley_values
from ...mechanisms.sharing.simulation import COPIES, simulate
from ...mechanisms.sharing.utilities import DEFAULT, UTILITIES, Work
from ...scenarios.scenario import Scenario
from ...support.errors import ConsortiumError
from ...support.exact import Rational, scale
from ...support.progress import Clock
from ..asked import Question
from ..proving import Claim, Comparisons, attempt, chosen
from .gaming_proofs import gaming
from .model import Setting, seeded, setting
from .rules import rule_of
from .run import job_counts, organization_rows
from .verify import axiom_rows, witness_of

SCHEDULED: Final = "agrees with the schedule listed, which does not prove that the rule makes it"
PARTS: Final = "agrees with the other claims of the record, which do not prove it"


def run(record: Claim, question: Question, clock: Clock) -> Comparisons:
    """Proofs of a schedule, where the record has all of it; nothing where the log is not at hand."""
    options = chosen(question, "sharing")
    scenario = seeded(question.source, options.seed)
    try:
        found = setting(scenario)
    except ConsortiumError:
        return
    rule = rule_of(scenario)
    utility, parallel = rule.options.get("utility", DEFAULT), rule.options.get("parallel", COPIES)
    yield from attempt(record["organizations"], _organizations, record["organizations"], found.instance, parallel)
    if rule.rule in CODES:
        for row in record["organizations"].rows():
            yield from row["contribution"].proves(None)  # a queue knows none
    yield from attempt(record["unfairness"], _unfairness, record)
    if record["schedule_left_out"].value == 0:
        yield from attempt(record["schedule"], _scheduled, record, found, utility, parallel)
    if record["coalitions"].given:
        yield from attempt(record["coalitions"], _coalitions, record, found.instance)


def _organizations(claim: Claim, instance: SharingInstance, parallel: str) -> Comparisons:
    """Who takes part."""
    if len(claim.rows()) != instance.n_organizations:
        raise claim.refused("one row for each organization")
    count = job_counts(instance, parallel)
    for u, row in enumerate(claim.rows()):
        yield from row["name"].proves(instance.names[u])
        yield from row["machines"].proves(instance.machines[u])
        yield from row["jobs"].proves(count[u])


def _scheduled(record: Claim, found: Setting, utility: str, parallel: str) -> Comparisons:
    """What every organization has of the schedule."""
    instance, until = found.instance, record["until"].whole()
    if not 0 <= until <= found.until or (record["complete"].value is True and until != found.until):
        raise record["until"].refused(f"{found.until}")
    start = _starts(record, instance, until, parallel)
    parts = utilities_of(instance, start, until)
    worth: tuple[Rational, ...] = parts
    if utility != DEFAULT:
        owned = [_works(instance, start, u) for u in range(instance.n_organizations)]
        worth = tuple(UTILITIES[utility].value(works, until) for works in owned)
    outcome = SharingOutcome(instance, "", "", until, start, worth, utility_name=utility)
    for claim, row in zip(record["organizations"].rows(), organization_rows(outcome), strict=False):
        for name in ("utility", "parts"):
            yield from claim[name].agrees(row[name], SCHEDULED)
    yield from record["value"].agrees(sum(parts), SCHEDULED)
    yield from record["utilization"].agrees(outcome.utilization, SCHEDULED)
    for name in ("until", "schedule", "ends"):
        yield from record[name].agrees(record[name].value, SCHEDULED)


def _starts(record: Claim, instance: SharingInstance, until: int, parallel: str) -> IntArray:
    """The start of every job, -1 for those that were not started. Raises InputError for what is no schedule.

    Jobs start after their release and before ``until``, in the order of their queue unless others may overtake, and no
    machine runs two at once. Of a job that takes several machines at once all start together.
    """
    rows, ends, owner = record["schedule"].rows(), record["ends"].rows(), instance.owner
    if len(ends) != len(rows):
        raise record["ends"].refused(f"{len(rows)} ends")
    place: dict[tuple[int, int], list[int]] = {}  # the copies of a job, the last one first
    for j in reversed(range(instance.n_jobs)):
        place.setdefault((int(owner[j]), int(instance.number[j])), []).append(j)
    start = np.full(instance.n_jobs, -1, dtype=np.int64)
    busy: dict[int, int] = {}
    for row, end in zip(rows, ends, strict=True):
        parts = [part.whole() for part in row.rows()]
        if len(parts) != 4:
            raise row.refused("start, organization, job and machine")
        begin, organization, job, machine = parts
        copies = place.get((organization - 1, job - 1))
        j = copies.pop() if copies else -1
        if j < 0 or not int(instance.release[j]) <= begin < until:
            raise row.refused(f"a job of the organization, once, between its release and {until}")
        if not 1 <= machine <= instance.n_machines or busy.get(machine, 0) > begin:
            raise row.refused("a machine that is free, in order of time")
        first = j == instance.first[organization - 1]
        if parallel != "easy" and not first and not 0 <= start[j - 1] <= begin:
            raise row.refused("the first waiting job of the organization")
        start[j], busy[machine] = begin, begin + int(instance.length[j])
        if end.whole() != busy[machine]:
            raise end.refused(f"{busy[machine]}")
    if parallel != COPIES and instance.width is not None:
        jobs = instance.parallel_jobs
        if (start != np.repeat(start[jobs], instance.width[jobs])).any():
            raise record["schedule"].refused("every job on all its machines at once")
    return start


def _works(instance: SharingInstance, start: IntArray, organization: int) -> list[Work]:
    """The started jobs of an organization, as utilities take them."""
    span = slice(int(instance.first[organization]), int(instance.first[organization + 1]))
    begun = start[span].tolist()
    queue = instance.queue(organization)
    return [Work(s, job[1], job[0], *job[2:]) for s, job in zip(begun, queue, strict=True) if s >= 0]


def _unfairness(record: Claim) -> Comparisons:
    """The distance from the fair schedule for each part of work that is done there."""
    delta, parts, claim = record["delta"], record["p_tot"], record["unfairness"]
    if delta.given and parts.given:
        least = delta.number() / parts.whole() if parts.whole() > 0 else 0
        yield from claim.agrees(least, PARTS)
        yield from delta.requires(delta.number() >= 0, "at least 0", PARTS)
        yield from parts.requires(parts.whole() >= 0, "at least 0", PARTS)


def _coalitions(record: Claim, instance: SharingInstance) -> Comparisons:
    """Contributions are the Shapley values of the coalitions; the last coalition is everybody."""
    rows, names = record["coalitions"].rows(), instance.names
    if len(rows) != 2 ** len(names) - 1:
        raise record["coalitions"].refused("a row for each coalition")
    for mask, row in enumerate(rows, 1):
        yield from row["name"].proves("+".join(name for u, name in enumerate(names) if mask >> u & 1))
    values, denominator = scale([0, *(row["value"].number() for row in rows)])
    for claim, phi in zip(record["organizations"].rows(), shapley_values(values), strict=False):
        yield from claim["contribution"].agrees(phi / denominator, PARTS)
    whole = sum(row["utility"].number() for row in record["organizations"].rows())
    yield from rows[-1]["value"].agrees(whole, PARTS)


def verify(record: Claim, question: Question, clock: Clock) -> Comparisons:
    """Proofs of a check: axioms are checked again, a move that pays is played again."""
    options = chosen(question, "sharing")
    scenario = seeded(question.source, options.seed)
    utility = rule_of(scenario).options.get("utility", DEFAULT)
    yield from record["utility"].proves(utility)
    yield from record["axioms"].proves(axiom_rows(utility, options.t_max))
    if record["manipulation"].given:
        yield from attempt(record["manipulation"], _manipulation, record["manipulation"], scenario, options)


def _manipulation(claim: Claim, scenario: Scenario, options: Any) -> Comparisons:
    """Whether a move pays."""
    try:
        found = setting(scenario)
    except ConsortiumError:
        return
    holds, most, witness = claim["holds"], claim["max_gain"], claim["witness"]
    if witness.given:
        rows = list(attempt(witness, _move, witness, scenario, found, options))
        yield from rows
        if rows and all(row.holds for row in rows):
            yield from holds.proves(False)
        for name, value in (("max_gain", "gain"), ("organization", "organization"), ("move", "move")):
            yield from claim[name].agrees(witness[value].value, PARTS)
    elif holds.value is False:
        yield holds.wrong("no witness")
    else:
        for name in ("organization", "move"):
            yield from claim[name].agrees(None, PARTS)
        if most.given:
            yield from most.requires(most.number() <= 0, "at most 0 without a witness", PARTS)


def _move(claim: Claim, scenario: Scenario, found: Setting, options: Any) -> Comparisons:
    """A move that pays, played again."""
    instance, rule = found.instance, rule_of(scenario)
    u = instance.names.index(claim["organization"].one_of(instance.names))
    move, job = claim["move"].one_of(MOVES), claim["job"].whole() - 1
    amount = claim["amount"].whole() if claim["amount"].given else 0
    tried = manipulations(instance.queue(u), (move,), options.limit, options.cuts)
    case = next((case for case in tried if (case.job, case.amount) == (job, amount)), None)
    if case is None:
        raise claim.refused("one of the moves that were tried")
    arguments = rule.arguments(instance.machines, scenario.seed)
    honest = throughput(simulate(instance, until=found.until, **arguments))[u]
    gain = true_utility(instance, u, case, until=found.until, **arguments) - honest
    result = ManipulationResult(u, 1, honest, gain, case, complete=False)
    yield from claim.proves(witness_of(scenario, rule, found, result))
    if gain <= 0:
        yield claim["gain"].wrong(gain)


def audit(record: Claim, question: Question, clock: Clock) -> Comparisons:
    """Proofs of an audit: what is said of gaming, from the log and the steps; the rest by asking again."""
    found = record["gaming"]
    if found.given:
        yield from attempt(found, gaming, found, question, record["complete"].value is True)
