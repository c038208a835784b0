"""Code that could make a proof say what is not so: each is refused in one sentence, or answered as it deserves.

Every mechanism here pays a lie somewhere, unless it says otherwise; none of them may be called proved.
"""

from __future__ import annotations

import copy
import functools
import itertools
import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction as F
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from consortium.games.proofs.prover import prove
from consortium.games.proofs.strategies import Proof
from consortium.games.proofs.symbols import NotPiecewiseLinear
from consortium.games.verification.results import Witness
from consortium.mechanisms.declaration import build
from consortium.scheduling.clusters import Cluster
from consortium.support.errors import InputError, MechanismError


class Priced:
    """Everybody is served at once; what an agent pays is a function of her declaration, a rising one if at all."""

    def __init__(self, price: Callable[[Any], Any], **hints: Any) -> None:
        self.price = price
        for name, value in hints.items():
            setattr(self, name, value)

    def run(self, declared: Any, lengths: Any) -> Any:
        return SimpleNamespace(output=lengths, payments=[self.price(b) for b in declared])


def proof_of(price: Callable[[Any], Any], agents: int = 1, **options: Any) -> Proof:
    return prove(Priced(price), agents, **options)


LINEAR = "not piecewise linear"
STATE = "two answers for the same numbers"


@functools.lru_cache
def cached(b: Any) -> Any:
    return 0 if b < 3 else 1


def by_hash(b: Any) -> Any:
    return hash(b) % 2


@pytest.mark.parametrize(
    "price",
    [
        lambda b: 0 if b in {1, 2, 3} else 1,
        lambda b: {F(1, 2): 0}.get(b, 1),
        lambda b: {b: 0, 1: 1, F(2): 2}[b],
        lambda b: Counter([b, 1, 1]).most_common(1)[0][1],
        lambda b: 0 if (b, 1) in {(F(2), 1)} else 1,
        cached,
        by_hash,
    ],
)
def test_hashes_are_refused_with_the_line(price: Callable[[Any], Any]) -> None:
    with pytest.raises(NotPiecewiseLinear, match=rf"{LINEAR}: the hash of .*\(.*test_traps\.py:\d+: ") as info:
        proof_of(price)
    line = int(str(info.value).split("test_traps.py:")[1].split(":")[0])
    first = getattr(price, "__wrapped__", price).__code__.co_firstlineno
    assert line in (first, first + 1, first + 2) or price is cached  # the cache is asked where it is called


def test_a_list_of_constants_compares() -> None:
    refuted = proof_of(lambda b: 0 if b in (1, 2, 3) else 1)
    assert isinstance(refuted.witness, Witness)
    assert refuted.witness.lie in {1, 2, 3}
    assert proof_of(lambda b: 0 if b in range(1, 4) else 1).status == "refuted"
    assert proof_of(lambda b: [1, 2].count(b)).status == "refuted"


# text ---------------------------------------------------------------------------------------------------------------


def printed(b: Any) -> Any:
    print(b)
    return 0 * b


def whole_numbers_only(b: Any) -> Any:
    if not str(b).isdigit():
        raise InputError("expected a whole number")
    return b


def raised_by_text(b: Any) -> Any:
    text = f"{b}"
    if len(text) > 2:
        raise InputError(f"found {text}")
    return b


def raised_and_caught(b: Any) -> Any:
    try:
        raise ValueError(f"{b}")
    except ValueError as error:
        return len(str(error))


@pytest.mark.parametrize(
    "price",
    [
        lambda b: len(f"{b}"),
        lambda b: 0 if "/" in str(b) else 1,
        lambda b: 1 if repr(b).startswith("F") else 0,
        lambda b: F(format(b, "")),
        lambda b: F("%s" % b),  # noqa: UP031
        printed,
        whole_numbers_only,
        raised_by_text,
        raised_and_caught,
    ],
)
def test_text_is_refused(price: Callable[[Any], Any]) -> None:
    with pytest.raises(NotPiecewiseLinear, match="text"):
        proof_of(price)


def described(b: Any) -> str:
    return f"found {b}"


def refuses_large(b: Any) -> Any:
    if b > 10:
        raise InputError(f"declared: found {b}; expected at most 10")
    return 1 if b > 3 else 2


def refuses_large_by_a_helper(b: Any) -> Any:
    if b > 10:
        raise InputError(described(b))
    return 1


def test_an_error_may_show_the_number() -> None:
    assert proof_of(refuses_large).status == "refuted"
    proof = proof_of(refuses_large_by_a_helper)
    assert (proof.status, proof.refuses) == ("proved", True)
    assert not proof_of(refuses_large_by_a_helper, up_to=10).refuses
    assert proof_of(refuses_large, concept="accepts-every-input").status == "refuted"


def test_refusing_everything_is_no_proof() -> None:
    def nothing(b: Any) -> Any:
        raise InputError("expected three agents")

    for concept in ("dominant", "rent-nonnegative", "just"):
        with pytest.raises(InputError, match="refuses all declarations that this is about: expected three agents"):
            proof_of(nothing, 2, concept=concept)


# what the code catches ----------------------------------------------------------------------------------------------


def swallows_product(b: Any) -> Any:
    try:
        return b * b
    except Exception:
        return 1


def swallows_everything(b: Any) -> Any:
    try:
        return F(hash(b))
    except BaseException:
        return 0


def refuses_instead(b: Any) -> Any:
    try:
        int(b)
    except MechanismError:
        raise InputError("expected whole numbers") from None
    return b


def fails_instead(b: Any) -> Any:
    try:
        return b // 1
    except MechanismError:
        raise KeyError(1) from None


def asks_for_attributes(b: Any) -> Any:
    return getattr(b, "numerator", 0) * 0 + (b if hasattr(b, "denominator") else 0)


@pytest.mark.parametrize(
    "price",
    [swallows_product, swallows_everything, refuses_instead, fails_instead, asks_for_attributes],
)
def test_a_refusal_that_the_code_catches_is_still_one(price: Callable[[Any], Any]) -> None:
    with pytest.raises(NotPiecewiseLinear, match=LINEAR):
        proof_of(price)


def test_a_division_by_a_difference_is_refused_even_where_zero_is_caught() -> None:
    def price(b: Any) -> Any:
        try:
            return 1 / (b - 2)
        except ZeroDivisionError:
            return 0

    with pytest.raises(NotPiecewiseLinear, match="a division by a symbolic number"):
        proof_of(price)


def test_a_division_by_nothing_is_what_it_is() -> None:
    def price(b: Any) -> Any:
        try:
            return b / (b - b)
        except ZeroDivisionError:
            return b

    assert proof_of(price).status == "refuted"


# memory, chance, time -----------------------------------------------------------------------------------------------


class Memory:
    """Prices by what happened before; ``kind`` says how."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.count = 0
        self.kept: Any = None
        self.random = random.Random(1)

    def price(self, b: Any) -> Any:
        self.count += 1
        match self.kind:
            case "counter":
                return F(self.count)
            case "first run":
                return 0 if self.count == 1 else 1
            case "memo":
                self.kept = (0 if b < 3 else 1) if self.kept is None else self.kept
                return self.kept
            case "kept number":
                self.kept = self.kept or b
                return b - self.kept
            case "best so far":
                self.kept = b if self.kept is None else max(self.kept, b)
                return self.kept
            case "random":
                return self.random.randint(0, 1)
            case "module":
                return F(random.random())
            case "clock":
                return F(time.perf_counter_ns())
            case "identity":
                return id(b)
        raise AssertionError

    def run(self, declared: Any, lengths: Any) -> Any:
        return SimpleNamespace(output=lengths, payments=[self.price(b) for b in declared])


KINDS = ("counter", "first run", "memo", "kept number", "best so far", "random", "module", "clock", "identity")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("concept", ["dominant", "rent-nonnegative"])
def test_memory_chance_and_time_are_found_out(kind: str, concept: str) -> None:
    with pytest.raises(MechanismError, match=f"{STATE}|kept from another run"):
        prove(Memory(kind), 1, concept)


def test_a_number_kept_from_another_proof_is_refused() -> None:
    kept: list[Any] = []

    def price(b: Any) -> Any:
        kept.append(b)
        return 0 if b == kept[0] else 1

    with pytest.raises(MechanismError, match=f"{STATE}|kept from another run"):
        proof_of(price)
    with pytest.raises(MechanismError, match="kept from another run"):
        proof_of(price)


def test_a_seed_is_no_chance() -> None:
    assert proof_of(lambda b: random.Random(7).randint(1, 9)).status == "proved"


# types --------------------------------------------------------------------------------------------------------------


def by_type(b: Any) -> Any:
    return (0 if b < 7 else 1) if type(b) is F else 1


def by_dictionary_of_types(b: Any) -> Any:
    return {F: lambda x: 0 if x <= 1 else 1}.get(type(b), lambda x: 1)(b)


@pytest.mark.parametrize("price", [by_type, by_dictionary_of_types])
def test_code_that_looks_at_types_is_found_out(price: Callable[[Any], Any]) -> None:
    with pytest.raises(MechanismError, match=STATE):
        proof_of(price)


def test_a_symbol_is_a_fraction() -> None:
    def price(b: Any) -> Any:
        return b if isinstance(b, F) else 0

    assert proof_of(price).status == "refuted"


# results ------------------------------------------------------------------------------------------------------------


def test_a_negative_time_far_away_is_found() -> None:
    class Early:
        def run(self, declared: Any, lengths: Any) -> Any:
            return SimpleNamespace(output=[1000 - x for x in lengths], payments=[0])

    with pytest.raises(MechanismError, match="a time >= 0"):
        prove(Early(), 1)
    assert prove(Early(), 1, up_to=1000).status == "proved"


def test_generators_and_numpy_whole_numbers_are_fine() -> None:
    class Lazy:
        def run(self, declared: Any, lengths: Any) -> Any:
            def times() -> Iterator[Any]:
                yield from lengths

            return SimpleNamespace(output=times(), payments=np.array([np.int64(3) * b - 3 * b for b in declared]))

    assert prove(Lazy(), 2).status == "proved"


# comparisons with other kinds of numbers ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "price",
    [
        lambda b: 0 if np.int64(1) == b else 1,
        lambda b: 0 if b == np.uint8(1) else 1,
        lambda b: 0 if (np.array([b, 2]) > 3).any() else 1,
        lambda b: np.array([b, 1]).max(),
        lambda b: np.minimum(np.array([b]), 2)[0],
        lambda b: sum(np.array([b, b]) * F(1, 2)),
        lambda b: copy.deepcopy([b])[0],
        lambda b: b if b == "text" or b is None else b.conjugate(),
        lambda b: sorted([F(3), b, 2])[1],
        lambda b: 1 / F(2) * b.real + b.imag,
    ],
)
def test_what_is_exact_is_taken(price: Callable[[Any], Any]) -> None:
    assert proof_of(price).status == "refuted"


@pytest.mark.parametrize("up_to", [0, -1])
def test_no_lengths_are_no_proof(up_to: int) -> None:
    with pytest.raises(InputError, match=f"lengths: found {up_to} as their end"):
        proof_of(lambda b: b, up_to=up_to)


def test_values_for_others_are_refused() -> None:
    with pytest.raises(InputError, match="values: found 1 for 2 agents"):
        prove(build("vcg-postpone", Cluster.of([1]), values=[3]), 2)


# loops, depth, threads ----------------------------------------------------------------------------------------------


def one_by_one(b: Any) -> Any:
    while b > 1:
        b -= 1
    return 1


def two_by_two(b: Any) -> Any:
    return 1 if b <= 2 else two_by_two(b - 2)


@pytest.mark.parametrize("price", [one_by_one, two_by_two])
def test_steps_without_end_are_refused_and_bounded_in_a_box(price: Callable[[Any], Any]) -> None:
    before = time.process_time()
    with pytest.raises(MechanismError, match=r"up_to=|RecursionError"):
        proof_of(price)
    assert time.process_time() - before < 30  # a hang, not a slow machine
    assert proof_of(price, up_to=5).status == "proved"


def test_steps_are_counted_in_a_box() -> None:
    def price(b: Any) -> Any:
        return 0 if b <= 1 else 1 + price(b - 1)

    refuted = proof_of(price, up_to=5)
    assert isinstance(refuted.witness, Witness)
    assert refuted.witness.gain in {1, 2, 3, 4}


def test_threads_of_the_code_do_not_confuse() -> None:
    def price(b: Any) -> Any:
        found: list[Any] = []
        one = threading.Thread(target=lambda: found.append(max(b, 2)))
        one.start()
        one.join()
        return found[0]

    assert proof_of(price).status == "refuted"


def test_ctrl_c_is_not_an_answer() -> None:
    calls = itertools.count()

    def price(b: Any) -> Any:
        try:
            if next(calls) == 3:
                raise KeyboardInterrupt
            return 1 if b > 3 else 1 + 0
        except BaseException:
            return 0  # what nobody should write

    with pytest.raises(MechanismError, match=STATE):
        proof_of(price)
