"""``prove`` on scenarios of kind ``federation`` whose lengths are free: existence of equilibria, prices and ratios.

The scenario is a shape, how many jobs each organization has; what is proved holds for all positive lengths, what is
refuted has a game that replays. A theorem answers where one does, else a tree of regions with its certificate.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from typing import Any, Final, cast

from ...agents.organizations import Federation
from ...games.placement.all_lengths import answers
from ...games.placement.all_lengths.by_theorem import proof
from ...games.placement.all_lengths.shapes import Answer, Property, Shape
from ...mechanisms.custom import foreign
from ...mechanisms.federation.coordination import Coordination, HostPolicy
from ...mechanisms.federation.custom import custom_rule
from ...mechanisms.federation.optimal import unconstrained_optimum
from ...mechanisms.kinds import info
from ...parallel.executors import cores
from ...scenarios.any_lengths import ShapeSpec
from ...scenarios.reader import load
from ...scenarios.scenario import Scenario
from ...support.errors import InputError, NotKeptError
from ...support.exact import Rational
from ...support.files import write_packed
from ...support.interrupts import noticed
from ...support.progress import Clock, Progress
from ...support.status import Status
from .options import AUTO, SHAPE_PROPERTIES, Prove, Search
from .plane import asked_lengths, plane_row
from .records import GameRow, ProveRecord, ShapeCertificateRow
from .search import search

EXISTENCE: Final = SHAPE_PROPERTIES[0]
RATIO: Final = SHAPE_PROPERTIES[-1]
METHODS: Final = {"price-of-anarchy": "branch-and-bound", RATIO: "paths"}
"""How what no theorem answers is found; the others by a cover."""
EXPECTED: Final = {
    "price-of-anarchy": "price_of_anarchy",
    "price-of-stability": "price_of_stability",
    "epsilon": "smallest_epsilon",
}
"""Field of a search that has the number of one game."""
SHOWN_WITHIN: Final = 60.0
"""Seconds for a search of the game that refutes; without its end the game is there, and no number of it."""
WORTH_IT: Final = 5_000
"""Nodes from which on several processes are worth it."""


def prove(scenario: Scenario, options: Prove, progress: Progress | None = None) -> ProveRecord:
    """Prove or refute a property of all games of a shape, or say how large a price, ratio or epsilon can be.

    Ctrl-C and the time limit leave open what is not proved by then. Raises NotKeptError, with the record, where the
    certificate cannot be written.
    """
    spec, name = asked_shape(scenario), asked_property(scenario, options)
    rule, clock = rule_of(spec, options), Clock(options.time_limit)
    shape = shape_of(spec, rule)
    answer = Answer(Status.STOPPED, done=Fraction(0))
    with noticed() as stopped, suppress(KeyboardInterrupt):
        answer = answers.prove(
            shape,
            name,
            at_most=options.at_most,
            method="cover" if options.certificate else options.method,
            clock=clock,
            progress=progress,
            processes=options.processes or (cores() if predicted_nodes(shape, name) > WORTH_IT else 1),
            mechanism=rule,
        )
    holds = {Status.PROVED: True, Status.REFUTED: False}.get(answer.status)
    lengths, following = (_as_listed(spec, rule, game) for game in (answer.lengths, answer.next))
    rows = asked_lengths(spec, options.plane, name, lengths) if rule is None else None
    number = answer.at_least if answer.value is None else answer.value if answer.attained else None
    by = None if holds is None else "theorem" if answer.theorem else "certificate" if answer.certificate else None
    record = ProveRecord.of(
        answer,
        kind=scenario.kind,
        scenario=scenario.label,
        method="theorem" if by == "theorem" else METHODS.get(name, "cover"),
        complete=holds is not None,
        open=answer.status is Status.OPEN and not (clock.expired() or stopped()),
        verdict=holds,
        property=name,
        status_=str(Status.OPEN if holds is None else answer.status),
        by=by,
        proof=None if answer.theorem is None else proof(answer.theorem, shape, rule),
        decided=answer.done if holds is None else None,
        next=None if following is None else _by_name(spec, following),
        witness=None if lengths is None else game_row(scenario, spec, name, lengths, number, options),
        certificate=None,
        plane=None if rows is None else plane_row(spec, shape, rows, Clock(options.time_limit), progress),
    )
    return record if answer.certificate is None else _with_certificate(record, answer.certificate, options.certificate)


def asked_shape(scenario: Scenario) -> ShapeSpec:
    """The shape of a scenario. Raises InputError for one that lists lengths, or has no jobs."""
    spec = scenario.spec
    if not isinstance(spec, ShapeSpec):
        raise InputError(
            "organizations[1].jobs: found a list of lengths, of which search, verify and run tell everything; expected "
            "a number, as in jobs = 3, for all organizations: prove answers for jobs of any lengths"
        )
    if not sum(spec.jobs):
        raise InputError("organizations: found no jobs; expected at least one")
    return spec


def asked_property(scenario: Scenario, options: Prove) -> Property:
    """The property to prove. Raises InputError for one that the rule has not, and for options that do not fit it."""
    spec = asked_shape(scenario)
    rule = rule_of(spec, options)
    played = rule is None or isinstance(made_for(spec, rule), HostPolicy)
    name = options.property or (EXISTENCE if played else RATIO)
    if played == (name == RATIO):
        what = f"under mechanism.rule = {spec.rule!r}" if options.mechanism is None else "of a custom rule"
        expected = (
            ", ".join(SHAPE_PROPERTIES[:-1]) if played else f"{RATIO}, as a central rule leaves nothing to choose"
        )
        raise InputError(f"property: found {name!r} {what}; expected {expected}")
    if name == EXISTENCE and options.at_most is not None:
        raise InputError(f"at_most: found {options.at_most} together with property {name!r}, which has no bound")
    if rule is not None and options.certificate is not None:
        what = f"property {name!r}" if name == RATIO else "a policy of lengths"
        raise InputError(f"certificate: found a file together with {what}, of which none is written")
    if asked_lengths(spec, options.plane, name) is not None and rule is not None and options.plane != AUTO:
        raise InputError("plane: found lengths together with a policy of lengths; expected priorities that are given")
    return cast("Property", name)


def shape_of(spec: ShapeSpec, rule: Any) -> Shape:
    """How many jobs each organization has, the highest priority first; as listed where a rule says who goes first."""
    if rule is not None:
        return Shape(spec.jobs, spec.priorities)
    return Shape(tuple(spec.jobs[k] for k in spec.by_priority), spec.ranks)


def predicted_nodes(shape: Shape, name: Property) -> int:
    """Nodes of the tree, or paths of the rule, as shapes of this size have had: six times as many for a job more.

    >>> predicted_nodes(Shape((3, 2, 1, 1)), "pure-equilibrium"), predicted_nodes(Shape((2, 2, 2)), "price-of-anarchy")
    (1296, 7776)
    """
    jobs, n = sum(shape.jobs), len(shape.jobs)
    if name == RATIO:
        return int(6**n)
    return int(6 ** max(0, jobs + n - (7 if name in (EXISTENCE, "epsilon") else 4)))


def rule_of(spec: ShapeSpec, options: Prove) -> Any:
    """A central rule, or a policy whose order of the jobs may depend on their lengths; ``None``: priorities are given.

    Raises InputError for what is no rule, and for a policy under which organizations minimise something else.
    """
    entry = info("federation", spec.rule) if options.mechanism is None else None
    if entry is not None and not entry.foreign:
        rule = entry.load()(**spec.options)
        if isinstance(rule, Coordination) and (rule.priority == "organizations" or rule.order in ("given", "listed")):
            return None
        return rule
    rule = options.mechanism if entry is None else foreign(entry, spec.options)
    policy = made_for(spec, rule)
    if isinstance(policy, HostPolicy) and policy.objective != "makespan":
        raise InputError(
            f"mechanism: found objective {policy.objective!r}; expected 'makespan', as jobs are of any lengths"
        )
    return rule


def made_for(spec: ShapeSpec, rule: Any) -> Any:
    """A rule, or the custom one, for some game of the shape."""
    return custom_rule(rule, Federation.of([[1] * count for count in spec.jobs], None, spec.names, spec.priorities))


def game_row(
    scenario: Scenario,
    spec: ShapeSpec,
    name: Property,
    lengths: Sequence[Sequence[Rational]],
    number: Fraction | None,
    options: Prove,
) -> GameRow:
    """A game, with scenarios that play it; none under a custom rule that no file names.

    ``lengths``: by organization as listed. ``number``: its price or least epsilon, or else what a search of it finds.
    """
    game, replay = played_game(scenario, spec, lengths), list[dict[str, Any]]()
    if options.mechanism is not None:
        return GameRow(lengths=_by_name(spec, lengths), replay=())
    if name == RATIO:
        federation = Federation.of(lengths, names=spec.names)
        makespan = made_for(spec, rule_of(spec, options)).run(federation).makespan
        optimum = {**game, "mechanism": {"rule": "optimal"}}
        for each, cost in ((game, makespan), (optimum, unconstrained_optimum(federation))):
            replay.append({**each, "expect": {"run": {"social_cost": cost}}})
    else:
        replay.append({**game, "expect": {"search": _expected(game, name, number)}})
    return GameRow(lengths=_by_name(spec, lengths), replay=tuple(replay))


def _as_listed(
    spec: ShapeSpec, rule: Any, game: Sequence[Sequence[Rational]] | None
) -> Sequence[Sequence[Rational]] | None:
    """The lengths of a game of the shape in the order of the scenario."""
    if game is None or rule is not None:
        return game
    return [game[spec.by_priority.index(k)] for k in range(len(spec.jobs))]


def _by_name(spec: ShapeSpec, lengths: Sequence[Sequence[Rational]]) -> dict[str, list[Fraction]]:
    return {name: list(map(Fraction, row)) for name, row in zip(spec.names, lengths, strict=True)}


def _expected(game: Mapping[str, Any], name: Property, number: Fraction | None) -> dict[str, Any]:
    """What a search of a game shows: that there is no equilibrium, or the number that was asked about."""
    field = EXPECTED.get(name)
    if field is not None and number is None:
        record = search(load(game), Search(time_limit=SHOWN_WITHIN))
        if not record.complete:
            return {}
        number = getattr(record, field)
    return {"equilibria": {"exists": False}} if field is None or number is None else {field: number}


def played_game(scenario: Scenario, spec: ShapeSpec, lengths: Sequence[Sequence[Rational]]) -> dict[str, Any]:
    """The scenario with these lengths in the place of numbers of jobs."""
    rows = []
    for k, (name, row) in enumerate(zip(spec.names, lengths, strict=True)):
        jobs: list[Any] = list(row)
        if spec.priorities is not None:
            pairs = zip(row, spec.priorities[k], strict=True)
            jobs = [{"length": length, "priority": priority} for length, priority in pairs]
        rows.append({"name": name, "jobs": jobs})
    return scenario.variant({"organizations": rows, "placement": None})


def _with_certificate(record: ProveRecord, text: str, path: str | None) -> ProveRecord:
    """The record with the digest of its certificate, which is written where there is a path."""
    row = ShapeCertificateRow(sha256=hashlib.sha256(text.encode()).hexdigest(), size=len(text), file=path)
    whole = replace(record, certificate=row)
    if path is not None:
        try:
            write_packed(path, text)
        except OSError as error:
            reason = error.strerror or error
            kept = replace(record, certificate=replace(row, file=None))
            raise NotKeptError(f"certificate: {path}: cannot be written ({reason})", kept) from None
    return whole
