"""Other units, other numbers, same answers: whatever is found must scale, also where numbers outgrow 64 bits."""

from __future__ import annotations

from fractions import Fraction as F
from typing import Any

import pytest

from consortium.games.verification import Domain, check_incentives
from consortium.games.verification.check import Verifier, check_properties
from consortium.games.verification.domain import CONCEPTS
from consortium.games.verification.results import MARGINS, PROPERTIES

from ...sweeps import full, thinned
from . import plain, twins

KINDS = 42
WIDE = F(10**18)
UNITS = [(WIDE, F(1)), (F(1), 1 / WIDE), (1 / WIDE, WIDE), (WIDE, WIDE), (F(3 * 10**15), F(1, 7))]
"""Factors of lengths and of powers."""


def told(value: Any, length: F, time: F) -> Any:
    """A finding in units in which lengths and times are so many times as large."""
    check, witness = value, value.witness
    found: dict[str, Any] = {"holds": check.holds, "cases": check.cases, "complete": check.complete}
    if hasattr(check, "max_gain"):
        found["max_gain"] = None if check.max_gain is None else check.max_gain * time
    if witness is not None:
        found["agent"] = witness.agent
        for name in ("length", "lie"):
            if hasattr(witness, name):
                found[name] = getattr(witness, name) * length
        for name in ("declarations", "lengths"):
            own = getattr(witness, name)
            found[name] = None if own is None else tuple(x * length for x in own)
        numbers = getattr(witness, "values", None) or {
            name: getattr(witness, name) for name in ("utility_truth", "utility_lie", "gain") if hasattr(witness, name)
        }
        found |= {name: number * time for name, number in numbers.items()}
    return found


def findings(mechanism: Any, domain: Domain, length: F = F(1), time: F = F(1)) -> dict[str, Any]:
    """All answers of all methods, in the units wanted."""
    found = {}
    for concept in CONCEPTS:
        found[concept] = told(check_incentives(mechanism, domain, concept), length, time)
    properties = check_properties(mechanism, domain)
    for name in PROPERTIES:
        found[name] = told(getattr(properties, name), length, time)
    for name in MARGINS:
        found[f"{name}, any others"] = told(properties.any_others[name], length, time)
    return found


@pytest.mark.parametrize("seed", [*thinned(range(700, 700 + KINDS, 3)), *full(range(9000, 9000 + 15 * KINDS))])
def test_other_units_change_no_answer(seed: int) -> None:
    length, power = UNITS[seed % len(UNITS)]
    mechanism, _, domain = twins.situation(seed)
    wide, _, wide_domain = twins.situation(seed, length, power)
    assert findings(wide, wide_domain) == findings(mechanism, domain, length, length / power)


@pytest.mark.parametrize("seed", [703, 710, 727])
def test_no_width_is_missed(seed: int) -> None:
    """From numbers that are far within 64 bits to those that are far beyond, in small steps."""
    mechanism, _, domain = twins.situation(seed)
    narrow = check_properties(mechanism, domain)
    for bits in range(20, 64, 4):
        length = F(2**bits + 1)
        wide, _, wide_domain = twins.situation(seed, length)
        found = check_properties(wide, wide_domain)
        for name in PROPERTIES:
            assert told(getattr(found, name), F(1), F(1)) == told(getattr(narrow, name), length, length), (name, bits)


@pytest.mark.parametrize("seed", [*thinned(range(0, KINDS, 3)), *full(range(1000, 1000 + 50 * KINDS))])
def test_many_digits_equal_the_definitions(seed: int) -> None:
    """Lengths and powers with many digits against the plain reference, which knows nothing of integers."""
    mechanism, twin, domain = twins.with_many_digits(seed)
    for concept in CONCEPTS:
        check = check_incentives(mechanism, domain, concept)
        holds, cases, gain, where = plain.check(twin, domain.lengths, domain.declarations, concept)
        assert (check.holds, check.cases, check.max_gain) == (holds, cases, gain)
        if check.witness is not None:
            w = check.witness
            others = tuple(
                tuple(None if k == w.agent else x for k, x in enumerate(own)) for own in (w.declarations, w.lengths)
            )
            assert (w.agent, w.length, w.lie, *others) in where
    for name, any_others in [*((name, False) for name in PROPERTIES), *((name, True) for name in MARGINS)]:
        found = Verifier(mechanism, domain).property(name, any_others=any_others)
        wanted = plain.property_of(twin, domain.lengths, domain.declarations, name, any_others)
        assert (found.holds, found.cases) == wanted, (name, any_others)
