"""What records of proofs for all lengths prove by themselves: each witness, played again, refutes its statement.

That a statement holds follows from no witness: asking again proves it again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from ...games.incentives.domain import CONCEPTS, Domain
from ...games.proofs.prover import Prover
from ...games.proofs.statements import STATEMENTS
from ..proving import EFFORT, Claim, Comparisons, attempt
from .all_lengths import lengths_row, not_proved, place_of, prover_of, row_of, statements
from .model import Model
from .options import NOT_ASKED, Verify
from .played import Played
from .witnesses import Shown

UNPROVED: Final = "nothing in the record refutes it; asking again proves it"
STATUS: Final = ((True, "proved"), (False, "refuted"), (None, "open"))


def for_all_lengths(record: Claim, m: Model, shown: Shown, options: Verify) -> Comparisons:
    """Proofs of a record of proofs."""
    proofs, asked = _Proofs(m, shown, prover_of(m)), statements(options)
    yield from record["method"].proves("proof")
    yield from record["domain"].proves(lengths_row(m))
    for statement in STATEMENTS:
        claim = _row(record, statement)
        yield from attempt(claim, proofs.asked if statement in asked else proofs.left_out, claim, statement)


def _row(record: Claim, statement: str) -> Claim:
    """Where a record says what it knows of a statement."""
    name, any_others = place_of(statement)
    if statement in CONCEPTS:
        return record[name]
    return record["properties"]["any_others"][name] if any_others else record["properties"][name]


@dataclass(frozen=True)
class _Proofs:
    """Proofs of one record."""

    m: Model
    shown: Shown
    prover: Prover

    def left_out(self, claim: Claim, statement: str) -> Comparisons:
        """A statement that was not to be proved."""
        yield from claim.proves(row_of(not_proved(self.prover, statement, NOT_ASKED), self.shown))

    def asked(self, claim: Claim, statement: str) -> Comparisons:
        """A statement that is proved, refuted by its witness, or open."""
        holds, witness = claim["holds"], claim["witness"]
        yield from claim["scope"].proves(self.prover.scope)
        yield from claim["cases"].proves(None)
        for effort in (claim["cells"], claim["lemmas"]):
            yield from effort.requires(effort.whole() >= 0, "a number >= 0", EFFORT)
        if witness.given:
            rows = list(self.failure(witness, statement))
            yield from rows
            if all(row.holds for row in rows):
                yield from holds.proves(False)
                yield from claim["status"].proves("refuted")
            yield from claim["max_gain"].proves(witness["gain"].extended() if statement in CONCEPTS else None)
            return
        yield from claim["max_gain"].proves(None)
        if holds.value is False:
            yield holds.wrong("no witness")
        for value, status in STATUS:
            if holds.value is value:
                yield from claim["status"].agrees(status, UNPROVED)

    def failure(self, witness: Claim, statement: str) -> Comparisons:
        """A witness, played on the domain that has nothing else in it."""
        played = Played(self.m, self.domain(witness), self.shown)
        if statement in CONCEPTS:
            yield from played.lie(witness, statement)
        else:
            yield from played.failure(witness, *place_of(statement))

    def domain(self, witness: Claim) -> Domain:
        """The lengths and declarations of a witness. Raises InputError where they are none of those meant."""
        names, found = self.m.spec.names, []
        for claim in (witness["lengths"], witness["declarations"]):
            numbers = [part.number() for part in claim.by_name(names)]
            for name, x in zip(names, numbers, strict=True):
                if x not in self.prover.lengths:
                    raise claim[name].refused(f"one of {self.prover.lengths}")
            found.append([[x] for x in numbers])
        return Domain.of(*found, names=names)
