"""Rules that tell symbols from numbers, remember, or count: what is called proved holds on plain numbers."""

from __future__ import annotations

import contextlib
import copy
import functools
import itertools
import math
import pickle
import random
from collections import Counter
from collections.abc import Callable
from fractions import Fraction as F
from types import SimpleNamespace
from typing import Any

import pytest

from consortium.games.proofs import exploration
from consortium.games.proofs.certificate import as_certificate, check, replay_tree, text
from consortium.games.proofs.prover import Prover, prove
from consortium.games.proofs.questions import Lengths
from consortium.mechanisms.declaration import build
from consortium.scheduling.clusters import Cluster
from consortium.support.errors import InputError, MechanismError
from consortium.support.exact import Symbolic

MANY = 3_000
"""Calls after which a rule that counts them changes: more than a proof makes."""
calls = 0


def counts_in_a_variable(b: Any) -> bool:
    global calls
    calls += 1
    return calls > MANY


def slot(b: Any) -> bool:
    with contextlib.suppress(AttributeError):
        return F._numerator.__get__(b) > 0  # type: ignore[attr-defined]
    return False


def kept_list() -> Callable[[Any], bool]:
    kept: list[int] = []
    return lambda b: bool(kept.append(1)) or len(kept) > MANY


def iterated() -> Callable[[Any], bool]:
    ticks = itertools.count()
    return lambda b: next(ticks) > MANY


def kept_default() -> Callable[[Any], bool]:
    def spy(b: Any, kept: list[int] = []) -> bool:  # noqa: B006
        kept.append(1)
        return len(kept) > MANY

    return spy


def seen_before() -> Callable[[Any], bool]:
    last: list[Any] = []
    return lambda b: bool(last and last.pop() is b) or bool(last.append(b))


SPIES: dict[str, Callable[[], Callable[[Any], bool]]] = {
    "numerator": lambda: lambda b: b._numerator > 0,
    "denominator": lambda: lambda b: getattr(b, "_denominator", 0) > 0,
    "public": lambda: lambda b: b.numerator > 0,
    "slot": lambda: slot,
    "type": lambda: lambda b: type(b) is F,
    "other type": lambda: lambda b: type(b) == F,  # noqa: E721
    "name": lambda: lambda b: type(b).__name__ == "Fraction",
    "class": lambda: lambda b: b.__class__ is F,
    "table of types": lambda: lambda b: {F: True}.get(type(b), False),
    "mark": lambda: lambda b: not hasattr(b, "oracle"),
    "base": lambda: lambda b: not isinstance(b, Symbolic),
    "number": lambda: lambda b: isinstance(b, F),
    "dictionary": lambda: lambda b: "top" not in dir(b),
    "length": lambda: lambda b: len(str(b)) > 0,
    "whole": lambda: lambda b: math.floor(b) >= 0,
    "float": lambda: lambda b: float(b) > 0,
    "hash": lambda: lambda b: hash(b) != 0,
    "pickle": lambda: lambda b: len(pickle.dumps(b)) > 0,
    "copy": lambda: lambda b: copy.deepcopy(b) == b,
    "partial": lambda: functools.partial(lambda word, b: type(b).__name__ == word, "Fraction"),
    "variable": lambda: counts_in_a_variable,
    "list": kept_list,
    "iterator": iterated,
    "default": kept_default,
    "last": seen_before,
}
HONEST = ("class", "number", "copy", "dictionary")
"""What symbols answer as numbers do."""


class Spying:
    """Prices by declaration; more for large ones where the spy sees what no symbol shows."""

    def __init__(self, base: Callable[[Any], Any], spy: Callable[[Any], bool], beyond: F, inside: bool) -> None:
        self.base, self.spy, self.beyond, self.inside = base, spy, beyond, inside

    def price(self, b: Any) -> Any:
        if self.inside:  # a branch, or the same without one
            return self.base(b) + (1 if self.spy(b) and b > self.beyond else 0)
        return self.base(b) + max(0, b * int(self.spy(b)) - self.beyond)

    def run(self, declared: Any, lengths: Any) -> Any:
        return SimpleNamespace(output=[sum(lengths)] * len(declared), payments=[self.price(b) for b in declared])


BASES = (lambda b: F(1), lambda b: max(0, 3 - b), lambda b: min(b, F(5, 2)) - min(b, F(5, 2)))
BEYOND = (F(7), F(10**6), F(10**15), F(1, 10**7))
POINTS = [F(m) * F(10) ** e for m in (1, F(10, 7)) for e in (-20, -17, -8, -6, 0, 1, 5, 7, 16, 20)]


@pytest.mark.parametrize("name", SPIES)
def test_nothing_false_is_proved(name: str) -> None:
    """300 rules: a price that is not the same everywhere makes somebody declare the cheapest."""
    tally: Counter[str] = Counter()
    for k, (base, beyond) in enumerate(itertools.product(BASES, BEYOND)):
        rule = Spying(base, SPIES[name](), beyond, inside=k % 2 == 0)
        try:
            status = prove(rule, 1).status
        except MechanismError:
            status = "refused"
        prices = {rule.price(b) for b in POINTS}
        for _ in range(MANY if name in ("variable", "list", "iterator", "default") else 0):
            prices.add(rule.price(POINTS[-1]))
        assert status != "proved" or len(prices) == 1, (name, k)
        assert status != "refuted" or len(prices) > 1, (name, k)
        tally[status] += 1
    assert tally["refused"] == 0 if name in HONEST else tally["refused"] > 0, (name, tally)


def test_hundreds_of_honest_rules_are_still_proved_or_refuted() -> None:
    """No rule that is a function of its numbers is refused, with caches that are filled once, loops and classes."""

    class Scale:
        factor = F(3, 2)

        @functools.cached_property
        def powers(self) -> list[F]:
            return [self.factor**k for k in range(3)]

    tally: Counter[str] = Counter()
    for seed in range(60):
        rng = random.Random(seed)
        scale, weights = Scale(), [F(rng.randint(-2, 2)) for _ in range(3)]
        cut, flat = F(rng.randint(1, 5)), rng.random() < 0.5

        def price(b: Any, w: Any = weights, s: Any = scale, c: F = cut, flat: bool = flat) -> Any:
            kinks = sum(a * max(0, b - c * p) for a, p in zip(w, s.powers, strict=True))
            return kinks - kinks if flat else kinks

        proof = prove(Spying(price, lambda b: False, F(1), inside=True), 1)
        prices = {price(x) for x in POINTS}
        assert (proof.status == "proved") == (len(prices) == 1), seed
        tally[proof.status] += 1
    assert min(tally["proved"], tally["refuted"]) > 20


# one certificate, one length, nothing -------------------------------------------------------------------------------


@pytest.mark.parametrize(("rule", "concept"), [("vcg-postpone", "dominant"), ("evcg-renice", "ex-post")])
def test_a_certificate_does_not_depend_on_the_processes(rule: str, concept: str, monkeypatch: Any) -> None:
    monkeypatch.setattr(exploration, "ALONE", 6)
    monkeypatch.setattr(exploration, "BEGUN", 3)
    written = {}
    for processes in (1, 2):
        proof = Prover(build(rule, Cluster.of([1, 2])), 2, Lengths()).prove(concept, method="code", processes=processes)
        written[processes] = text(as_certificate([proof]))
    assert written[1] == written[2]
    assert check(as_certificate([proof])).holds


class Queue:
    """In order of declaration, for as long as declared or needed, for nothing."""

    cluster = Cluster.of([1])

    def run(self, declared: Any, lengths: Any) -> Any:
        now, output = F(0), {}
        for n in sorted(range(len(declared)), key=lambda n: (declared[n], n)):
            now += max(declared[n], lengths[n])
            output[n] = now
        return SimpleNamespace(output=[output[n] for n in range(len(declared))], payments=[0] * len(declared))


@pytest.mark.parametrize("mechanism", [Queue(), build("vcg-postpone", Cluster.of([1, 2]))])
@pytest.mark.parametrize(
    "statements", [["dominant"], ["ex-post", "just", "feasible", "lower-margin", "rent-nonnegative"]]
)
def test_a_single_length_is_a_set_of_lengths(mechanism: Any, statements: list[str]) -> None:
    prover = Prover(mechanism, 2, Lengths(F(2), F(2)))
    proofs = [prover.prove(statement, method="code") for statement in statements]
    assert {proof.status for proof in proofs} == {"proved"}
    assert proofs[0].cells == 0  # nobody can declare anything else
    certificate = as_certificate(proofs)
    assert check(certificate).holds
    assert replay_tree(certificate, mechanism).difference is None
    certificate["lengths"]["to"] = [3, 1]
    assert not check(certificate).holds


class Shy:
    """Refuses whoever tells the truth: no lie can be compared with it."""

    def run(self, declared: Any, lengths: Any) -> Any:
        if declared[0] == lengths[0]:
            raise InputError("no truths")
        return SimpleNamespace(output=lengths, payments=[0] * len(declared))


def test_what_compares_nothing_proves_nothing() -> None:
    for concept in ("dominant", "ex-post", "just"):
        with pytest.raises(InputError, match="refuses all declarations that this is about: no truths"):
            prove(Shy(), 1, concept)
    assert prove(Shy(), 1, "rent-nonnegative").holds
    certificate = as_certificate([prove(Shy(), 1, "rent-nonnegative")])
    certificate["statements"][0]["name"] = "dominant"
    assert "nothing is proved" in check(certificate).sentence
    certificate["trees"] = [[{"refused": "no"}]]
    certificate["statements"][0]["name"] = "rent-nonnegative"
    assert not check(certificate).holds
