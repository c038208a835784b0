"""``design`` on scenarios of kind ``declaration``: the best payments that make the truth best, or why there are none.

On a finite ``[domain]`` payments are a table, by an exact linear program; with ``template``, or where the domain is an
interval, a formula for all lengths. Who runs where and what job control does are the scenario's, unless the allocation
is designed too.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Final

from ...games.design import FLOORS
from ...games.design.allocation import Chosen, best_allocation, frontier
from ...games.design.bounds import any_payments
from ...games.design.certificate import NO_PLANS, OWN_ALLOCATION, as_certificate, with_lengths, write_certificate
from ...games.design.cycles import least_fine, negative_cycle
from ...games.design.envy import Case, Graphs, HopelessError, Label, bare, envy
from ...games.design.formulas import FormulaDesign, Limit
from ...games.design.payments import (
    RISING,
    Payments,
    Planned,
    Question,
    best_payments,
    broken,
    plans,
    unpaid,
    value_of,
    with_fine,
)
from ...games.design.templates import FEATURES, design_formula, design_penalty
from ...games.verification.domain import Domain, Profile
from ...mechanisms.declaration.execution import TOOLS
from ...mechanisms.declaration.one_round import OneRound
from ...mechanisms.declaration.prices import Formula
from ...mechanisms.declaration.protocol import DeclarationMechanism, play, rule_name, unchecked
from ...scenarios.domain import DomainSpec, IntervalSpec
from ...scenarios.scenario import Scenario, plain
from ...scenarios.toml import write
from ...support.errors import InputError, NotKeptError
from ...support.progress import Clock, Progress
from .model import Model, model
from .options import CAP, Design
from .records import (
    AnyBoundRow,
    CaseRow,
    CornerRow,
    DesignRecord,
    DomainRow,
    LengthsRow,
    LotRow,
    PriceRow,
    RivalRow,
    WeightedRow,
)

DEFAULT: Final = "rent"
OBJECTIVES: Final = {"rent-ratio": "rent-ratio", "payment": "payment-ratio"}
"""What a formula can have least: lengths have no bound, so it is measured in units of the least sum S."""


@dataclass(frozen=True)
class Setting:
    """A question on a finite domain, and what it is asked of."""

    m: Model
    mechanism: DeclarationMechanism
    question: Question
    options: Design

    @property
    def domain(self) -> Domain:
        """Possible lengths and declarations."""
        return self.question.domain


def design(scenario: Scenario, options: Design, progress: Progress | None = None) -> DesignRecord:
    """The best payments of a scenario, given its allocation and job control.

    Raises InputError where the question has no answer: an objective without a bound, two rounds, payments after the
    run; TooLargeError where an allocation that is to be designed has too many schedules.
    """
    m, clock = model(scenario, options.mechanism), Clock(options.time_limit)
    if options.certificate is not None and type(unchecked(m.mechanism)) is not OneRound:
        raise _outcomes_only("certificate", m)
    if options.output is not None:
        if options.certificate and os.path.realpath(options.certificate) == os.path.realpath(options.output):
            raise InputError(f"output: found {options.output}, the file of the certificate; expected another one")
        _refuse_output(m, options)
    if options.per_agent and not for_all_lengths(m, options):
        raise InputError("per_agent: found it without a template; payments of a table are each agent's own")
    if options.penalty_template is not None:
        fields = _penalty(scenario, m, options, progress, clock)
    elif for_all_lengths(m, options):
        fields = _formula(m, options, progress, clock)
    else:
        setting = question_of(m, options)
        answer = _paid if options.allocation == "rule" else _designed
        try:
            fields = answer(setting, progress, clock)
        except (TimeoutError, KeyboardInterrupt):
            fields = {"status_": "open"}
        names, domain = m.spec.names, setting.domain
        fields["domain"] = DomainRow(
            lengths=dict(zip(names, domain.lengths, strict=True)),
            declarations=dict(zip(names, domain.declarations, strict=True)),
        )
    certified = fields.pop("certified", None)
    holds = {"optimal": True, "implementable": True, "impossible": False, "open": None}[fields["status_"]]
    nothing: dict[str, Any] = dict.fromkeys(("value", "bound", "table", "formula", "least_fine", "cycle", "mechanism"))
    record = DesignRecord(
        kind=scenario.kind,
        scenario=scenario.label,
        verdict=holds,
        concept=options.concept,
        **{
            "subject_to": options.subject_to,
            "complete": holds is not None,
            "method": "enumeration",
            "objective": objective_of(options),
            "rows": (),
            "compared": (),
            **nothing,
            **fields,
        },
    )
    if options.certificate is not None and certified is not None:
        try:
            write_certificate(certified, options.certificate)
        except OSError as error:
            reason = error.strerror or error
            raise NotKeptError(f"certificate: {options.certificate}: cannot be written ({reason})", record) from None
        record = replace(record, certificate=options.certificate)
    return record if options.output is None or not holds else _handed_on(record, scenario, options, options.output)


def _outcomes_only(option: str, m: Model) -> InputError:
    """What is said of an option that needs plans, where a custom rule is run and nothing else is known of it."""
    return InputError(f"{option}: {rule_name(m.mechanism)}: {NO_PLANS}")


def _refuse_output(m: Model, options: Design) -> None:
    """Raise InputError where no file could hold the rule that is going to be found."""
    rule = unchecked(m.mechanism)
    if isinstance(options.payments, Fraction) and options.payments:
        why = f"payments = {options.payments}, a fine, is part of it; expected payments = 'any'"
    elif options.allocation == "lottery":
        why = "a lottery is part of it; expected allocation = 'any' or 'rule'"
    elif type(rule) is not OneRound:
        why = f"{rule_name(rule)} is code; expected {OWN_ALLOCATION}, whose schedules a table of payments can hold"
    elif options.penalty_template is not None and options.mechanism is not None:
        why = "who runs where is code; expected no output: the penalty found goes into build(..., penalty=FORMULA)"
    elif for_all_lengths(m, options) and rule.allocate is not None:
        why = (
            "who runs where is code; expected a finite [domain] and no template, for which a table can hold it, "
            f"or no output: the formula found goes into build('designed', cluster, tool={tool_of(rule)['tool']!r}, "
            "price=FORMULA, allocate=FUNCTION)"
        )
    else:
        return
    raise InputError(f"output: no file can hold the rule: {why}")


def _handed_on(record: DesignRecord, scenario: Scenario, options: Design, path: str) -> DesignRecord:
    """Write the scenario under the rule that was found, with what is claimed of it in the place of what it expected."""
    designed = {"title": f"{scenario.label}, under the rule designed for it", "mechanism": record.mechanism}
    try:
        write(dict(scenario.data) | designed | {"expect": _claims(record, options)}, path)
    except InputError as error:
        raise NotKeptError(f"output: {error}", record) from None
    return replace(record, output=path)


def _claims(record: DesignRecord, options: Design) -> dict[str, Any]:
    """What the designed rule expects of the verbs that find it again: the truth is best, and the value the best one."""
    concept = options.concept.replace("-", "_")
    if record.method == "template":
        return {"prove": {concept: {"status": "proved"}, "options": {"property": options.concept}}}
    claims: dict[str, Any] = {"verify": {concept: {"holds": True}}}
    if options.allocation == "rule":
        usual, names = Design(), ("least", "most", "subject_to", "concept", "payments")
        changed = {name: plain(value) for name in names if (value := getattr(options, name)) != getattr(usual, name)}
        best = {"status": record.status_} if record.value is None else {"value": plain(record.value)}
        claims["design"] = best | ({"options": changed} if changed else {})
    return claims


def for_all_lengths(m: Model, options: Design) -> bool:
    """Whether a formula is asked for."""
    return bool(options.template or options.penalty_template) or isinstance(m.spec.domain, IntervalSpec)


def objective_of(options: Design) -> str:
    """What was asked about, in a word or two.

    >>> objective_of(Design(most="rent"))
    'most rent'
    """
    if options.allocation != "rule":
        return "least cost"
    return f"most {options.most}" if options.most else f"least {options.least or DEFAULT}"


def question_of(m: Model, options: Design) -> Setting:
    """The question in exact numbers. Raises InputError where options do not fit together, or the scenario."""
    if options.least and options.most:
        raise InputError(f"most: found {options.most!r} besides least = {options.least!r}; expected one of the two")
    if options.frontier and options.allocation == "rule":
        raise InputError("frontier: found the rule's allocation; expected allocation = 'any' or 'lottery' with it")
    if options.frontier and options.payments == "none":
        raise InputError("frontier: found payments = 'none'; expected payments, whose rent it is about")
    objective = options.most or options.least or DEFAULT
    prior = m.known_prior("least: 'rent-prior'") if objective == "rent-prior" else m.prior()
    cap = next((each.partition("=")[2] for each in options.subject_to if each.startswith(f"{CAP}=")), None)
    conditions = frozenset(each.partition("=")[0] for each in options.subject_to)
    designed = options.allocation != "rule"
    if not options.most and options.least is None and not (conditions & FLOORS or designed):
        objective = "spread"  # any payments will do, so long as they are not without end
    question = Question(
        domain=m.domain(),
        concept=options.concept,
        objective="rent-prior" if designed and prior is not None else "spread" if designed else objective,
        most=bool(options.most) and not designed,
        conditions=conditions,
        cap=None if cap is None else Fraction(cap),
        fine=options.payments if isinstance(options.payments, Fraction) else Fraction(0),
        values=m.values,
        prior=None if prior is None else [dict(own) for own in prior.distributions],
    )
    return Setting(m, bare(m.mechanism), question, options)


# --- payments for the rule's allocation -----------------------------------------------------------------------------


def _paid(setting: Setting, progress: Progress | None, clock: Clock) -> dict[str, Any]:
    """Payments, or the lies that forbid them."""
    question, options = setting.question, setting.options
    try:
        graphs = envy(setting.mechanism, setting.domain, options.concept, progress, clock)
    except HopelessError as hopeless:
        return {"status_": "impossible", "cycle": (_case(hopeless.case, setting),)}
    fine, worst = least_fine(graphs)
    if worst is not None and options.payments != "none" and fine > question.fine:
        cycle = negative_cycle(with_fine(graphs, question.fine) if question.fine else graphs) or worst
        cases = tuple(_case(case, setting) for case in cycle.cases)
        certified = _certified(setting, cycle=cycle)
        return {"status_": "impossible", "least_fine": fine, "cycle": cases, "certified": certified}
    planned, nothing = plans(setting.mechanism, setting.m.cluster, question.declared, clock), unpaid(question)
    if options.payments == "none":
        return {**_unpaid(setting, graphs, planned), "least_fine": fine}
    above_0 = not question.most and question.objective in RISING and question.conditions & FLOORS
    any_will_do = options.most is None and options.least is None and not question.conditions & FLOORS
    try:
        if any_will_do and broken(question, graphs, planned, nothing) is None:
            answer = Payments("open", value_of(question, nothing, planned), nothing)
        else:
            answer = best_payments(question, graphs, planned, progress, clock)
    except (TimeoutError, KeyboardInterrupt):
        answer = Payments("open")
    fields: dict[str, Any] = {
        "status_": "implementable" if any_will_do and answer.table else answer.status,
        "least_fine": fine,
        "rows": () if any_will_do and answer.table else _rows(answer.rows, graphs, setting),
        "compared": () if any_will_do or answer.status == "open" else _compared(setting, planned),
        "certified": _certified(setting, payments=answer, graphs=graphs),
        "bound": Fraction(0) if answer.status == "open" and above_0 else None,
    }
    if answer.table:
        fields |= {
            "value": None if any_will_do else answer.value,
            "bound": fields["bound"] if any_will_do or answer.status != "optimal" else answer.value,
            "table": _table(answer.table, setting),
            "mechanism": mechanism_of(setting, answer.table),
        }
    return fields


def _unpaid(setting: Setting, graphs: Sequence[Graphs], planned: Mapping[Profile, Planned]) -> dict[str, Any]:
    """Whether the truth is best if nobody pays anything."""
    question = setting.question
    nothing = unpaid(question)
    label = broken(question, graphs, planned, nothing)
    if label is not None:
        return {"status_": "impossible", "rows": _rows(((label, Fraction(1)),), graphs, setting)}
    value = None if question.objective == "strictness" else value_of(question, nothing, planned)
    return {
        "status_": "implementable",
        "value": value,
        "table": _table(nothing, setting),
        "mechanism": mechanism_of(setting, nothing),
    }


def _compared(setting: Setting, planned: Mapping[Profile, Planned]) -> tuple[RivalRow, ...]:
    """The objective of the scenario's own payments; of a strictness there is none."""
    question, mechanism = setting.question, setting.m.mechanism
    if question.objective == "strictness":
        return ()
    own = {b: play(mechanism, b, b, setting.m.values).payments for b in question.truthful}
    if any(not isinstance(paid, Fraction) for row in own.values() for paid in row):
        return ()
    table = {b: tuple(Fraction(paid) for paid in row) for b, row in own.items()}
    return (RivalRow(rule=_rule(setting), value=value_of(question, table, planned)),)


# --- allocation and payments ----------------------------------------------------------------------------------------


def _designed(setting: Setting, progress: Progress | None, clock: Clock) -> dict[str, Any]:
    """Allocations with their payments."""
    options, mechanism = setting.options, unchecked(setting.mechanism)
    if type(mechanism) is not OneRound:
        raise _outcomes_only("allocation", setting.m)
    lottery = options.allocation == "lottery"
    chosen = best_allocation(
        setting.question,
        mechanism,
        lottery=lottery,
        money=options.payments != "none",
        progress=progress,
        clock=clock,
    )
    certified = _certified(setting, chosen=chosen, money=options.payments != "none")
    fields: dict[str, Any] = {"status_": chosen.status, "value": chosen.value, "bound": chosen.bound}
    fields["certified"] = certified
    if chosen.table:
        fields["table"] = _table(chosen.table, setting, chosen)
        if not lottery:
            fields["mechanism"] = mechanism_of(setting, chosen.table, chosen)
    if options.frontier:
        corners: list[CornerRow] = []
        try:
            for rent, cost in frontier(setting.question, mechanism, lottery=lottery, progress=progress, clock=clock):
                corners.append(CornerRow(rent=rent, cost=cost))
        except (TimeoutError, KeyboardInterrupt):
            fields["complete"] = False
        fields["frontier"] = tuple(corners)
    return fields


# --- formulas for all lengths ---------------------------------------------------------------------------------------


def _formula(m: Model, options: Design, progress: Progress | None, clock: Clock) -> dict[str, Any]:
    """The best formula of a template; of a finite ``[domain]`` no notice is taken."""
    mechanism, objective = unchecked(bare(m.mechanism)), options.most or options.least or "rent-ratio"
    if type(mechanism) is not OneRound:
        raise _outcomes_only("template", m)
    if options.allocation != "rule" or options.payments != "any" or objective not in OBJECTIVES:
        raise InputError(
            f"template: found it besides {objective_of(options)}, allocation = {options.allocation!r} and payments = "
            f"{options.payments!r}; a formula has the least {' or '.join(OBJECTIVES)} under the rule's allocation"
        )
    conditions = tuple(each for each in options.subject_to if each != "anonymous")
    if options.per_agent and len(conditions) < len(options.subject_to):
        raise InputError("per_agent: found it besides anonymous, which is one formula for all; expected one of the two")
    design = design_formula(
        mechanism,
        len(m.agents),
        options.template or FEATURES,
        conditions,
        options.concept,
        options.per_agent,
        clock=clock,
        progress=progress,
        objective=OBJECTIVES[objective],
        lengths=m.proof_lengths(),
    )
    fields = _fields(design, m) | {"objective": f"least {objective}"}
    if design.coefficients:
        names, each = m.spec.names, design.coefficients
        fields["formula"] = dict(zip(names, each, strict=True)) if options.per_agent else each[0]
        texts = design.formulas
        price = dict(zip(names, texts, strict=True)) if options.per_agent else texts[0]
        fields["price"] = None if design.mechanism is None else design.mechanism.price
        if mechanism.allocate is None:  # else no file can name who runs where
            fields["mechanism"] = tool_of(mechanism) | {"price": price}
    if design.value is not None:
        own = m.domain() if isinstance(m.spec.domain, DomainSpec) else None
        bound = any_payments(design, mechanism, m.proof_lengths(), own, clock, progress)
        lists = None if bound.domain is None else dict(zip(m.spec.names, bound.domain.lengths, strict=True))
        fields["any_payments"] = AnyBoundRow(bound=bound.value, gap=design.value - bound.value, lengths=lists)
        fields["complete"] = bound.complete
    return fields


def _penalty(scenario: Scenario, m: Model, options: Design, progress: Progress | None, clock: Clock) -> dict[str, Any]:
    """The best penalty of a template, with the rule's own payments."""
    usual = Design()
    for name in ("template", "least", "most", "subject_to", "payments", "allocation", "per_agent", "frontier"):
        if (value := getattr(options, name)) != getattr(usual, name):
            why = "payments and allocation stay the rule's, and one penalty is for all"
            why = "prices and penalty unknown together: write known prices as the rule's" if name == "template" else why
            text = ",".join(map(str, value)) if isinstance(value, tuple) else value
            raise InputError(f"{name}: found {text} besides penalty_template; expected none ({why})")
    if type(unchecked(bare(m.mechanism))) is not OneRound:
        raise _outcomes_only("penalty_template", m)
    mechanism, features = unchecked(m.mechanism), options.penalty_template or ()
    design = design_penalty(
        mechanism, len(m.agents), features, options.concept, clock, progress, lengths=m.proof_lengths()
    )
    fields = _fields(design, m) | {"objective": "least penalty-ratio", "subject_to": ()}
    if design.coefficients:
        fields |= {"penalty": design.coefficients[0], "wait": Formula(design.formulas[0])}
        if options.mechanism is None:
            fields["mechanism"] = dict(scenario.data["mechanism"]) | {"penalty": design.formulas[0]}
    return fields


def _fields(design: FormulaDesign, m: Model) -> dict[str, Any]:
    """What a record says of prices and penalties alike."""
    interval = isinstance(m.spec.domain, IntervalSpec)
    return {
        "status_": design.status,
        "method": "template",
        "value": design.value,
        "bound": design.bound,
        "domain": LengthsRow(lengths=m.interval().written() if interval else "positive"),
        "certified": None if design.status == "open" else design.bound_certificate(),
        "rows": tuple(WeightedRow(row=_situation(limit, m), multiplier=limit.multiplier) for limit in design.limits),
    }


def _situation(limit: Limit, m: Model) -> tuple[Any, ...]:
    """What holds in a limit of situations, of whom and where."""
    one = limit.condition
    return one.statement, None if one.agent is None else m.spec.names[one.agent], one.question.side, limit.point


def _certified(setting: Setting, **answer: Any) -> dict[str, Any] | None:
    """The certificate of an answer, where one is asked for and there is something to certify."""
    if setting.options.certificate is None or getattr(answer.get("chosen"), "status", "") == "open":
        return None
    payments = answer.get("payments")
    if payments is not None and not (payments.table or payments.rows):
        return None
    return as_certificate(setting.question, setting.mechanism, _rule(setting), **answer)


def _rule(setting: Setting) -> str:
    """The name of the rule whose allocation and job control are kept."""
    if setting.options.mechanism is None:
        return setting.m.spec.rule
    return rule_name(setting.m.mechanism)


# --- in the words of the record -------------------------------------------------------------------------------------


def _case(case: Case, setting: Setting) -> CaseRow:
    names = setting.m.spec.names

    def others(profile: Profile) -> dict[str, Fraction]:
        return {name: x for n, (name, x) in enumerate(zip(names, profile, strict=True)) if n != case.agent}

    return CaseRow.of(case, agent=names[case.agent], others=others(case.others), lengths=others(case.lengths))


def _rows(
    rows: Sequence[tuple[Label, Fraction]], graphs: Sequence[Graphs], setting: Setting
) -> tuple[WeightedRow, ...]:
    """Rows by name; those of truth with the others' lengths that make them."""
    named = []
    for (what, *where), multiplier in with_lengths(rows, graphs):
        words = (_place(part, where, setting) for part in where)
        named.append(WeightedRow(row=(what, *words), multiplier=multiplier))
    return tuple(named)


def _place(part: Any, where: Sequence[Any], setting: Setting) -> Any:
    """An agent by name, a profile by names, a number as it is."""
    names = setting.m.spec.names
    if isinstance(part, tuple):
        return {name: x for name, x in zip(names, part, strict=True) if x}
    return names[part] if part is where[0] and isinstance(part, int) else part


def _lists(lists: Sequence[Sequence[int]], setting: Setting) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(setting.m.spec.names[n] for n in machine) for machine in lists)


def _table(
    table: Mapping[Profile, Sequence[Fraction]], setting: Setting, chosen: Chosen | None = None
) -> tuple[PriceRow, ...]:
    names = setting.m.spec.names
    rows = []
    for b, paid in table.items():
        lots: tuple[LotRow, ...] = ()
        if chosen is not None:
            lots = tuple(LotRow(probability=p, allocation=_lists(lists, setting)) for p, lists in chosen.lotteries[b])
        for_certain = lots and setting.options.allocation == "any"
        rows.append(
            PriceRow(
                declarations=dict(zip(names, b, strict=True)),
                payments=dict(zip(names, paid, strict=True)),
                allocation=lots[0].allocation if for_certain else None,
                lottery=lots if lots and not for_certain else None,
            )
        )
    return tuple(rows)


def mechanism_of(
    setting: Setting, table: Mapping[Profile, Sequence[Fraction]], chosen: Chosen | None = None
) -> dict[str, Any] | None:
    """The table ``[mechanism]`` of a scenario in which these payments are the rule's.

    None for a custom mechanism, and where a fine belongs to the payments, which no table holds.
    """
    mechanism = unchecked(setting.mechanism)
    if type(mechanism) is not OneRound or setting.question.fine:
        return None
    own = chosen is None and setting.options.mechanism is not None  # its allocation may be none that a file can name
    rows = [
        {"declarations": row.declarations, "payments": row.payments} | ({} if lists is None else {"allocation": lists})
        for b, row in zip(table, _table(table, setting, chosen), strict=True)
        for lists in [_lists(mechanism.allocation(b).lists, setting) if own else row.allocation]
    ]
    return tool_of(mechanism) | {"table": rows}


def tool_of(mechanism: OneRound) -> dict[str, Any]:
    """The job control of a mechanism as a scenario writes it for a designed rule."""
    name = next(name for name, tools in TOOLS.items() if tools == mechanism.tools)
    table: dict[str, Any] = {"rule": "designed", "tool": name}
    if mechanism.penalty is not None:
        penalty = mechanism.penalty
        table["penalty"] = penalty.text if isinstance(penalty, Formula) else penalty
    cutoff = mechanism.cutoff
    return table if cutoff is None else table | {"cutoff": {cutoff.kind: cutoff.bound}}
