"""``verify`` by proof: incentive compatibility and the other properties for all real lengths, not case by case."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final

from ...games.incentives.results import Witness
from ...games.proofs.parameters import SafeValues
from ...games.proofs.prover import Proof, Prover
from ...games.proofs.statements import CONCEPTS, PROPERTIES, STATEMENTS
from ...games.proofs.strategies import MAX_AGENTS
from ...scenarios.scenario import Scenario
from ...support.errors import ConsortiumError, InputError
from ...support.exact import Extended
from ...support.interrupts import noticed
from ...support.progress import Clock, Progress
from ...support.status import Status
from ..records import OPTIONAL, Record, Row
from .certificates import keep_certificate
from .model import Model, model
from .options import BAYESIAN, GROUP_PROPERTIES, NOT_ASKED, Verify, asked_property
from .safe import SafeRow, Symbol, safe_row, told
from .witnesses import LieRow, Shown

INTERRUPTED: Final = "stopped by Ctrl-C"


@dataclass(frozen=True, kw_only=True)
class ProofRow(Row):
    """What is known of one statement for all lengths.

    Attributes
    ----------
    holds, status
        ``None`` and ``"open"`` where it is neither proved nor refuted.
    scope
        For which agents, machines and lengths.
    cases
        ``None``: nothing is enumerated.
    cells, lemmas
        Cells looked at, and refutations found.
    max_gain
        Of the lie found, which need not be the largest.
    note
        How it was proved, or why it is open.
    witness
        A situation in which it fails.
    safe
        The values of a symbol with which it holds; only where one is asked about.
    """

    holds: bool | None
    status: str
    scope: str
    cases: None = None
    cells: int
    lemmas: int
    max_gain: Extended | None
    note: str
    witness: LieRow | Mapping[str, Any] | None
    safe: SafeRow | None = field(default=None, metadata=OPTIONAL)


@dataclass(frozen=True, kw_only=True)
class LengthsRow(Row):
    """The lengths and declarations meant, as a scenario says them: ``"positive"`` or a table of ends."""

    lengths: str | Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class ProofRecord(Record):
    """Statements proved, refuted or open for all lengths; ``properties["any_others"]`` is for Definition 4.6."""

    verb: ClassVar[str] = "verify"
    main: ClassVar[str] = "verdicts"
    dominant: ProofRow
    ex_post: ProofRow
    properties: Mapping[str, Any]
    domain: LengthsRow

    @property
    def status(self) -> Status:
        """That of the verdict asked for, whatever else is open."""
        return Status.of(self.verdict, complete=self.verdict is not None)


def prove(scenario: Scenario, options: Verify, progress: Progress | None = None) -> ProofRecord:
    """Prove or refute every statement, or only the one that ``property`` names.

    What refuses a later statement than the one whose verdict counts leaves it open. Ctrl-C and the time limit leave
    open what is not settled by then. Raises NotKeptError, with the record, where the certificate cannot be written.
    """
    wanted, asked = asked_property(options), statements(options)
    check_options(options)
    m = model(scenario, options.mechanism)
    with noticed() as stopped:
        certified = options.certificate is not None
        proving = _Proving(m, Clock(options.time_limit), options.processes, progress, stopped, certified)
        found = proving.all(asked, wanted)
        safe = proving.safe(options.symbol, [s for s in asked if s in CONCEPTS])
    shown = Shown(scenario, m, own=options.mechanism is not None)
    rows = {statement: row_of(proof, shown, safe.get(statement)) for statement, proof in found.items()}
    record = ProofRecord(
        kind=scenario.kind,
        scenario=scenario.label,
        method="proof",
        complete=all(found[s].holds is not None for s in asked) and not any(each.open for each in safe.values()),
        verdict=found[wanted].holds,
        dominant=rows["dominant"],
        ex_post=rows["ex-post"],
        properties=by_place({statement: rows[statement] for statement in PROPERTIES}),
        domain=lengths_row(m),
    )
    if options.certificate is not None:
        keep_certificate([found[statement] for statement in asked], options.certificate, record)
    return record


def statements(options: Verify) -> tuple[str, ...]:
    """What is to be proved, in order: everything unless a property is named."""
    return (asked_property(options),) if "property" in options.model_fields_set else STATEMENTS


def check_options(options: Verify) -> None:
    """Raise InputError for options that ask for cases, and for those of proofs that cannot be used."""
    if options.coalitions is not None:
        raise InputError(
            f"coalitions: found {options.coalitions} together with a proof for all lengths; expected a [domain] of "
            "listed lengths, as coalitions are tried case by case"
        )
    if (wanted := asked_property(options)) in GROUP_PROPERTIES:
        raise InputError(f"property: found {wanted!r} together with a proof for all lengths, which asks for one liar")
    for name, none in (("sample", None), ("method", "auto")):
        if (value := getattr(options, name)) != none:
            raise InputError(f"{name}: found {value!r} together with a proof for all lengths, which tries no cases")
    if asked_property(options) == BAYESIAN:
        raise InputError(f"property: found {BAYESIAN!r} together with a proof for all lengths, which knows no odds")
    if options.symbol is not None:
        Symbol.of(options.symbol)


def prover_of(m: Model) -> Prover:
    """Who proves statements about a scenario's mechanism."""
    return Prover(m.mechanism, len(m.agents), m.meant(), m.values)


def lengths_row(m: Model) -> LengthsRow:
    """The lengths and declarations meant, as a scenario says them."""
    return LengthsRow(lengths=m.interval().written())


@dataclass(frozen=True)
class _Proving:
    """Statements about a scenario's mechanism, one after the other, until time is up or Ctrl-C comes."""

    m: Model
    clock: Clock
    processes: int
    progress: Progress | None
    stopped: Callable[[], bool]
    certified: bool

    @property
    def method(self) -> str:
        """A proof that has a certificate where one is asked for; one for all statements, where the code is in reach."""
        if not self.certified:
            return "auto"
        return "code" if len(self.m.agents) <= MAX_AGENTS else "certified"

    def all(self, asked: Sequence[str], wanted: str) -> dict[str, Proof]:
        """A verdict on every statement; ``wanted``: the one whose refusals are the verb's."""
        prover = prover_of(self.m)
        found = {statement: not_proved(prover, statement, NOT_ASKED) for statement in STATEMENTS}
        for statement in asked:
            found[statement] = not_proved(prover, statement, INTERRUPTED)
            if self.stopped():
                continue
            try:
                found[statement] = prover.prove(
                    statement, self.clock, self.progress, method=self.method, processes=self.processes
                )
            except KeyboardInterrupt:
                continue
            except ConsortiumError as error:
                if statement == wanted:
                    raise
                found[statement] = not_proved(prover, statement, str(error))
        return found

    def safe(self, symbol: str | None, concepts: Sequence[str]) -> dict[str, SafeValues]:
        """For each concept the values of a symbol with which it holds."""
        if symbol is None or self.stopped():
            return {}
        number = Symbol.of(symbol)
        return {concept: number.safe(self.m, concept, self.clock, self.progress) for concept in concepts}


def not_proved(prover: Prover, statement: str, note: str) -> Proof:
    """Nothing is known of a statement, and why."""
    return Proof(statement, None, prover.scope, 0, 0, note)


def row_of(proof: Proof, shown: Shown, safe: SafeValues | None = None) -> ProofRow:
    """A verdict as the record tells it, with the safe values of a symbol where there is one."""
    witness: LieRow | Mapping[str, Any] | None = None
    gain = None
    if isinstance(proof.witness, Witness):
        witness, gain = shown.lie(proof.witness), proof.witness.gain
    elif proof.witness is not None:
        name, _ = place_of(proof.statement)
        witness = shown.failure(name, proof.witness)
    return ProofRow(
        holds=proof.holds,
        status=proof.status,
        scope=proof.scope,
        cells=proof.cells,
        lemmas=proof.lemmas,
        max_gain=gain,
        note="; ".join(filter(None, [proof.note, "" if safe is None else told(safe)])),
        witness=witness,
        safe=None if safe is None else safe_row(safe),
    )


def place_of(statement: str) -> tuple[str, bool]:
    """Name of a property in the record, and whether it stands under ``any_others``.

    >>> place_of("just"), place_of("upper-margin-any-others")
    (('just', False), ('upper_margin', True))
    """
    name = statement.replace("-", "_")
    return name.removesuffix("_any_others"), name.endswith("_any_others")


def by_place(rows: Mapping[str, Any]) -> dict[str, Any]:
    """Properties as the record arranges them."""
    plain: dict[str, Any] = {}
    any_others: dict[str, Any] = {}
    for statement, row in rows.items():
        name, others = place_of(statement)
        (any_others if others else plain)[name] = row
    return plain | {"any_others": any_others}
