"""The promise that agents are treated alike: proved before it is used, and an error where it is broken."""

from __future__ import annotations

from fractions import Fraction as F
from types import SimpleNamespace
from typing import Any

import pytest

from consortium.games.proofs.execution import Tree
from consortium.games.proofs.programs import MechanismProgram
from consortium.games.proofs.prover import prove
from consortium.games.proofs.questions import Lengths
from consortium.games.proofs.strategies import prove_anonymity
from consortium.support.errors import InputError, MechanismError


class Together:
    """One machine, shortest declaration first, equal ones together at the end of both; no payments."""

    def __init__(self, anonymous: bool = True) -> None:
        self.anonymous = anonymous

    def run(self, declared: Any, lengths: Any) -> Any:
        output = [sum((x for b, x in zip(declared, lengths, strict=True) if b <= own), F(0)) for own in declared]
        return SimpleNamespace(output=tuple(output), payments=(F(0),) * len(output))


class Harsh(Together):
    """The same, but whoever lies never gets her output."""

    def run(self, declared: Any, lengths: Any) -> Any:
        planned = super().run(declared, declared).output
        output = [t if b == x else float("inf") for t, b, x in zip(planned, declared, lengths, strict=True)]
        return SimpleNamespace(output=tuple(output), payments=(F(0),) * len(output))


class First(Together):
    """The same, but a tie goes to the first."""

    def run(self, declared: Any, lengths: Any) -> Any:
        output = [
            sum((x for k, (b, x) in enumerate(zip(declared, lengths, strict=True)) if (b, k) <= (own, n)), F(0))
            for n, own in enumerate(declared)
        ]
        return SimpleNamespace(output=tuple(output), payments=(F(0),) * len(output))


class Fussy(Together):
    """The same, but refuses what the last one declares beyond 100: far from any small domain."""

    def run(self, declared: Any, lengths: Any) -> Any:
        if declared[-1] > 100:
            raise InputError("too long")
        return super().run(declared, lengths)


@pytest.mark.parametrize(("concept", "agents"), [("dominant", 1), ("dominant", 2), ("dominant", 3), ("just", 2)])
@pytest.mark.parametrize("kind", [Together, Harsh])
def test_the_promise_changes_no_verdict(kind: type[Together], concept: str, agents: int) -> None:
    alike, apart = (prove(kind(anonymous), agents, concept) for anonymous in (True, False))
    assert alike.holds == apart.holds
    assert alike.holds is not None
    if alike.holds:
        sides = [part.question.side for part in alike.parts]
        assert sides.count("anonymous") == min(agents - 1, 2)
        assert {part.question.agent for part in alike.parts if part.question.side != "anonymous"} == {0}
        assert len({part.question.agent for part in apart.parts}) == agents


@pytest.mark.parametrize(("kind", "numbers"), [(First, r"\((\d+), \1\)"), (Fussy, r"\d{3}")])
def test_a_broken_promise_is_an_error_with_the_numbers(kind: type[Together], numbers: str) -> None:
    expected = rf"{kind.__name__}: found anonymous = True, but outcomes for declarations .*{numbers}.* change when"
    with pytest.raises(MechanismError, match=expected):
        prove(kind(), 2)
    assert prove(kind(False), 2).holds is not None


def test_agents_with_other_values_are_not_alike() -> None:
    """One agent does not stand for the other where it matters to her what her job is worth."""
    proofs = [prove(Harsh(), 2, "individually-rational", up_to=3, values=values) for values in ((6, 6), (6, 5), (5, 5))]
    assert [proof.holds for proof in proofs] == [True, False, False]
    assert proofs[1].witness is not None
    assert proofs[1].witness.agent == 1


def test_a_promise_that_is_not_proved_in_time_is_not_used() -> None:
    mechanism = Harsh()
    tree = Tree(MechanismProgram(mechanism, 3))
    assert prove_anonymity(mechanism, tree, 3, Lengths(), max_cells=5).why == "the limit of 5 cells"
