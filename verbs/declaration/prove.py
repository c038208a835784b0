"""``prove`` on scenarios of kind ``declaration``: what the mechanism promises, proved or refuted for all real lengths.

A statement is a concept (``dominant``, ``ex-post``) or a property, under the names that ``verify`` uses. Lengths and
declarations are all positive numbers, or those of a ``[domain]`` that is an interval; a list of lengths restricts
nothing here. With a symbol in the place of one of the scenario's numbers, also the values with which a concept holds.
Where a lie pays, the region around it, or all regions in which lies do.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Final

from ...games.proofs.certificate import write_certificate
from ...games.proofs.exploration import CTRL_C
from ...games.proofs.parameters import SafeValues, safe_values
from ...games.proofs.programs import placed
from ...games.proofs.prover import Prover
from ...games.proofs.regions import Region, plane, region_of, regions
from ...games.proofs.statements import CONCEPTS, STATEMENTS
from ...games.proofs.strategies import MAX_AGENTS, Proof, scope_of
from ...games.proofs.symbols import NotPiecewiseLinear
from ...games.verification.results import Witness
from ...mechanisms.declaration.protocol import DeclarationMechanism, OnCluster
from ...scenarios.reader import Source, load
from ...scenarios.scenario import Scenario
from ...support.errors import ConsortiumError, InputError, NotKeptError, unknown_name
from ...support.interrupts import noticed
from ...support.progress import Clock, Progress
from .model import Model, Witnesses, model, refuse_impossible
from .options import NOT_ASKED, Prove, proved_property
from .records import (
    LengthsRow,
    LieRow,
    LiesAreaRow,
    ProofRow,
    ProveRecord,
    RegionRow,
    RegionsRow,
    SafeRow,
    SlopesRow,
)

REFUSED: Final = "refused"
"""Limit of a statement that cannot be asked of the mechanism."""
PATHS: Final = {
    r"mechanism\.(penalty(?:\[\d+\])?)": "mechanism.penalty",
    r"mechanism\.(cutoff)(?:\.difference|\.absolute)?": "mechanism.cutoff",
    r"cluster\.(powers)(?:\[\d+\])?": "cluster.powers",
    r"agents\[(\d+)\]\.value": "agents[1].value",
}
"""Paths of the numbers that may be symbols, and how each is written."""


def prove(scenario: Scenario, options: Prove, progress: Progress | None = None) -> ProveRecord:
    """Prove or refute every statement, or only the one that ``property`` names.

    What refuses a later statement than the one whose verdict counts leaves it open. Ctrl-C and the time limit leave
    open what is not proved by then. Raises NotKeptError, with the record, where the certificate cannot be written.
    """
    main, symbol = proved_property(options), asked_symbol(options)
    m, clock = model(scenario, options.mechanism), Clock(options.time_limit)
    chosen = statements(options, m)
    prover = Prover(m.mechanism, len(m.agents), m.proof_lengths(), m.values)
    with noticed() as stopped:
        proofs = _proofs(prover, m, options, chosen, clock, stopped, progress)
        concepts = [] if symbol is None or stopped() else [each for each in chosen if each in CONCEPTS]
        safe = {concept: _safe_values(m, symbol, concept, clock, progress) for concept in concepts if symbol}
        lies = {each: _lies(prover, proofs[each], m, options, clock, progress) for each in chosen if each in CONCEPTS}
    witnesses = Witnesses(scenario, m, replayable=options.mechanism is None)
    rows = {statement: _row(proof, witnesses, safe.get(statement)) for statement, proof in proofs.items()}
    rows |= {each: replace(rows[each], **more) for each, more in lies.items()}
    record = ProveRecord(
        kind=scenario.kind,
        scenario=scenario.label,
        method="proof",
        complete=all(proofs[s].holds is not None for s in chosen)
        and not any(each.open for each in safe.values())
        and not any(more["regions"] and not more["regions"].complete for more in lies.values()),
        verdict=proofs[main].holds,
        dominant=rows["dominant"],
        ex_post=rows["ex-post"],
        properties=_by_place({statement: row for statement, row in rows.items() if statement not in CONCEPTS}),
        domain=LengthsRow(lengths=m.interval().written()),
    )
    if options.certificate is None:
        return record
    try:
        kept = _kept([proofs[statement] for statement in chosen], options.certificate)
    except OSError as error:
        reason = error.strerror or error
        raise NotKeptError(f"certificate: {options.certificate}: cannot be written ({reason})", record) from None
    return replace(record, certificate=options.certificate if kept else None)


def _kept(proofs: Sequence[Proof], path: str) -> bool:
    """Write the certificate of the statements that hold, those of the first one's trees; whether there are any.

    It names those that do not hold, so that nobody takes the proofs of some for the proof of what was asked.
    """
    proved = [proof for proof in proofs if proof.holds and proof.trees]
    alike = [proof for proof in proved if proof.trees == proved[0].trees]
    if alike:
        write_certificate(alike, path, not_proved=[proof for proof in proofs if not proof.holds])
    return bool(alike)


def statements(options: Prove, m: Model) -> tuple[str, ...]:
    """What is to be proved, in order: all unless a property is named; of a custom rule first whether it is possible."""
    chosen = STATEMENTS if options.property is None else (proved_property(options),)
    return tuple(dict.fromkeys(("feasible", *chosen))) if isinstance(m.mechanism, OnCluster) else chosen


def asked_symbol(options: Prove) -> Symbol | None:
    """The symbol of the options. Raises InputError where it cannot be read, or next to what is no concept."""
    if options.symbol is None:
        return None
    if proved_property(options) not in CONCEPTS or options.gain_at_most is not None:
        other = f"property {options.property!r}" if options.gain_at_most is None else "gain_at_most"
        raise InputError(
            f"symbol: found {options.symbol!r:.60} together with {other}; expected a concept, {' or '.join(CONCEPTS)}"
        )
    return Symbol.of(options.symbol)


@dataclass(frozen=True)
class Symbol:
    """A number of a scenario that is a symbol: its name and place in the mechanism."""

    name: str
    place: str

    @classmethod
    def of(cls, text: str) -> Symbol:
        """Read ``"mechanism.penalty=p"``. Raises InputError, or UnknownNameError for another path.

        >>> Symbol.of("agents[2].value=v")
        Symbol(name='v', place='values[2]')
        """
        path, _, name = (part.strip() for part in text.partition("="))
        if not name.isidentifier():
            raise InputError(f"symbol: found {text!r:.60}; expected PATH=NAME, as in mechanism.penalty=p")
        for pattern in PATHS:
            if match := re.fullmatch(pattern, path):
                return cls(name, f"values[{match[1]}]" if match[1].isdigit() else match[1])
        raise unknown_name("symbol", path, PATHS.values())


def _lies(
    prover: Prover, proof: Proof, m: Model, options: Prove, clock: Clock, progress: Progress | None
) -> dict[str, Any]:
    """What the row of a concept says besides of lies that pay: how much they may gain, and where they do."""
    witness, region, rows = proof.witness, None, None
    if isinstance(witness, Witness) and len(m.agents) <= MAX_AGENTS:
        with suppress(NotPiecewiseLinear):  # of a lie that a strategy before the full code has found
            region = _region_row(region_of(prover, proof.statement, witness), m.spec.names)
            if options.regions:
                rows = _regions_row(prover, proof.statement, witness, m.spec.names, clock, progress)
    return {"gain_at_most": options.gain_at_most, "region": region, "regions": rows}


def _region_row(region: Region, names: Sequence[str]) -> RegionRow:
    return RegionRow.of(region, agent=names[region.agent], gain=region.gain_text)


def _regions_row(
    prover: Prover, concept: str, witness: Witness, names: Sequence[str], clock: Clock, progress: Progress | None
) -> RegionsRow:
    """All regions, and those of the liar where the others are as in a lie that was found."""
    places = regions(prover, concept, clock, progress)
    place = {region: k for k, region in enumerate(places.lies, 1)}
    areas = plane(places.lies, witness, prover.lengths)
    return RegionsRow(
        complete=places.complete,
        most=places.most if places.complete else None,
        lies=tuple(_region_row(region, names) for region in places.lies),
        plane=tuple(LiesAreaRow(region=place[one], share=share, polygons=(polygon,)) for one, polygon, share in areas),
    )


def _proofs(
    prover: Prover,
    m: Model,
    options: Prove,
    chosen: Sequence[str],
    clock: Clock,
    stopped: Callable[[], bool],
    progress: Progress | None,
) -> dict[str, Proof]:
    """A verdict on every statement, one after the other, until time is up or Ctrl-C comes.

    Where a certificate is asked for, proofs are those that have one: for all statements, where the code is in reach.
    """
    method, main = "auto", proved_property(options)
    if options.certificate is not None:
        method = "code" if len(m.agents) <= MAX_AGENTS else "certified"
    scope = scope_of(m, len(m.agents), m.proof_lengths())  # a custom rule need not name its machines

    def left_open(statement: str, limit: str) -> Proof:
        return Proof(None, scope, limit, statement=statement)

    proofs = {statement: left_open(statement, NOT_ASKED) for statement in STATEMENTS}
    for statement in chosen:
        proofs[statement] = left_open(statement, CTRL_C)
        if stopped():
            continue
        try:
            at_most = options.gain_at_most if main == statement or statement in CONCEPTS else None
            proof = prover.prove(
                statement, clock, progress, method=method, processes=options.processes, at_most=at_most or Fraction(0)
            )
            proofs[statement] = proof if proof.any_number else replace(proof, scope=scope)
        except KeyboardInterrupt:
            continue
        except ConsortiumError:
            if statement == main:
                raise
            proofs[statement] = left_open(statement, REFUSED)
        if statement == "feasible" != main:
            refuse_impossible(m, proofs[statement].witness)
    return proofs


def _safe_values(m: Model, symbol: Symbol, concept: str, clock: Clock, progress: Progress | None) -> SafeValues:
    return safe_values(
        placed(m.mechanism, symbol.place, len(m.agents)),
        symbol.name,
        agents=len(m.agents),
        concept=concept,
        lengths=m.proof_lengths(),
        time_limit=clock.left(),
        progress=progress,
    )


def _row(proof: Proof, witnesses: Witnesses, safe: SafeValues | None) -> ProofRow:
    """A verdict as the record writes it, with the safe values of a symbol where there is one."""
    witness: LieRow | Mapping[str, Any] | None = None
    gain = None
    if isinstance(proof.witness, Witness):
        witness, gain = witnesses.lie(proof.witness), proof.witness.gain
    elif proof.witness is not None:
        name, _ = _place(proof.statement)
        witness = witnesses.failure(name, proof.witness)
    return ProofRow.of(
        proof,
        max_gain=gain,
        method=None if proof.holds is None else proof.method,
        slopes=None if proof.slopes is None else SlopesRow(**proof.slopes._asdict()),
        limit=proof.limit or None,
        refuses=proof.refuses or None,
        witness=witness,
        safe=None if safe is None else _safe_row(safe),
        safe_values=None if safe is None else _beyond_an_interval(safe),
    )


def _safe_row(values: SafeValues) -> SafeRow | None:
    """Safe values as the record writes them; ``None`` where some are open, or they are no interval."""
    if values.open or len(values.safe) > 1:
        return None
    safe = values.safe[0] if values.safe else None
    return SafeRow(
        symbol=values.symbol,
        from_=None if safe is None else safe.low,
        to=None if safe is None else safe.high,
        from_included=safe is not None and safe.low_included,
        to_included=safe is not None and safe.high is not None and safe.high_included,
        refuted_at=values.refutations[0].value if values.refutations else None,
    )


def _beyond_an_interval(values: SafeValues) -> str | None:
    """What the row cannot say of safe values: several intervals, or what is open."""
    if values.open:
        left = " or ".join(one.written(values.symbol) for one in values.open)
        return f"{values}; open: {left} ({values.limit})"
    return str(values) if len(values.safe) > 1 else None


def _place(statement: str) -> tuple[str, bool]:
    """Name of a property in the record, and whether it stands under ``any_others``.

    >>> _place("just"), _place("upper-margin-any-others")
    (('just', False), ('upper_margin', True))
    """
    name = statement.replace("-", "_")
    return name.removesuffix("_any_others"), name.endswith("_any_others")


def _by_place(rows: Mapping[str, ProofRow]) -> dict[str, Any]:
    """Properties as the record arranges them."""
    plain: dict[str, Any] = {}
    any_others: dict[str, Any] = {}
    for statement, row in rows.items():
        name, others = _place(statement)
        (any_others if others else plain)[name] = row
    return plain | {"any_others": any_others}


def mechanism_of(source: Source, mechanism: Any = None) -> DeclarationMechanism:
    """The mechanism of a scenario, or a custom one in its place. Raises InputError where it is no declaration."""
    scenario = load(source)
    if scenario.kind != "declaration":
        raise InputError(f"{scenario.name}: found a scenario of kind {scenario.kind!r}; expected 'declaration'")
    return model(scenario, mechanism).mechanism
