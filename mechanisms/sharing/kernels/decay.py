r"""The fair shares with a half-life: what was used long ago counts less.

Model: with the half-life :math:`H` a unit part of work done in slot :math:`i` weighs :math:`2^{-(t-1-i)/H}` at moment
:math:`t`: 1 when it has just been done, half of that after :math:`H` units of time (Slurm's ``PriorityDecayHalfLife``).
fair-share counts parts, utility-fair-share what they are worth in psi_sp, :math:`t - i`, each times its weight.

All weights of a moment can be multiplied by the same number, so a part in slot i weighs :math:`q^i`, where
:math:`q = 2^{1/H}`. A job that runs from s to e has then used :math:`q^e - q^s`, up to a factor that all have in
common, and is worth :math:`f(e) - f(s)` with :math:`f(x) = (t-x)(q^{x+1}-q^x) + q^{x+1}`. So the books need no change
while time passes: a start subtracts and an end adds a power of q and a slope (:func:`enter`), and a running job is one
that would end at the moment looked at (:func:`amount`).

Numbers are integers in digits of 24 bits. :math:`q^t` is :math:`2^{\lfloor t/H\rfloor}` times a number that depends on
the remainder alone, rounded down to ``B >= 64 + 4 log2(H)`` binary places with an error of a few units of the last
(:func:`powers`). The polynomial :math:`x^H - 2` is irreducible, so two amounts are equal
only if their coefficients are, remainder by remainder: what is equal in real numbers is equal here, and ties are never
broken by rounding. What differs in real numbers is told apart down to some ``2**-60`` of a unit part for each job.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Context, Decimal
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np

from ....support.jit import jit, plain
from ..instance import IntArray, SharingInstance
from ..limits import BITS, decayed_digits, digits_behind
from .events import Jobs, Schedule, waits

MOMENT: Final = 16
"""Job events that take about as long as the powers of one moment."""
LOW: Final = 2**BITS - 1
FIGURE: Final = 6
"""Bits of a figure: remainders are written with 64 of them, and there is a table of powers for each place."""

# rows of ``numbers``: at the moment in hand what an event adds, and ahead what a job that would end then has
POWER: Final = 0
SLOPE: Final = 1
AHEAD: Final = 2
VALUE: Final = 3  # and the next row: two amounts to compare
ROWS: Final = 5


class Decay(NamedTuple):
    """Books of decayed usage. Digits go from the lowest; the last of a number carries its sign."""

    half_life: int
    steps: IntArray  # (places, 64, n): powers of q for each figure of a remainder, n - 1 digits behind the point
    mantissa: IntArray  # (n,): a power below 2
    product: IntArray  # (2 n,)
    numbers: IntArray  # (ROWS, width)
    entered: IntArray  # (k, 2, width): what events up to now add, and its slope in time
    seen: IntArray  # (k,): jobs that ran when events were entered


@jit
def raise_to(decay: Decay, row: int, t: int) -> None:
    """Write ``q**t`` into a row of the numbers."""
    mantissa, n, width = decay.mantissa, decay.mantissa.size, decay.numbers.shape[1]
    for i in range(n):
        mantissa[i] = 0
    mantissa[n - 1] = 1
    left = t % decay.half_life
    place = 0
    while left > 0:
        figure = left & ((1 << FIGURE) - 1)
        if figure > 0:
            multiply(decay, place, figure)
        left >>= FIGURE
        place += 1
    doublings = t // decay.half_life
    first, shift = doublings // BITS, doublings % BITS
    for i in range(width):
        decay.numbers[row, i] = 0
    carry = 0
    for i in range(n):
        shifted = (mantissa[i] << shift) + carry
        decay.numbers[row, first + i] = shifted & LOW
        carry = shifted >> BITS
    decay.numbers[row, first + n] = carry


@jit
def multiply(decay: Decay, place: int, figure: int) -> None:
    """Multiply the mantissa by an entry of the tables, and round down."""
    mantissa, product, steps, n = decay.mantissa, decay.product, decay.steps, decay.mantissa.size
    for i in range(2 * n):
        product[i] = 0
    for i in range(n):
        for j in range(n):
            product[i + j] += mantissa[i] * steps[place, figure, j]
    carry = 0
    for i in range(2 * n - 1):
        carry += product[i]
        if i >= n - 1:
            mantissa[i - n + 1] = carry & LOW
        carry >>= BITS


@jit
def look(of_utility: bool, decay: Decay, t: int) -> None:
    """Write what an event at ``t`` adds: for fair-share a power, for utility-fair-share also a slope in time."""
    raise_to(decay, POWER, t)
    if of_utility:
        raise_to(decay, SLOPE, t + 1)
        numbers, width = decay.numbers, decay.numbers.shape[1]
        for i in range(width):
            later = numbers[SLOPE, i]
            numbers[SLOPE, i] = later - numbers[POWER, i]
            numbers[POWER, i] = later
        carried(numbers, SLOPE)
        for i in range(width):
            numbers[POWER, i] -= t * numbers[SLOPE, i]
        carried(numbers, POWER)


@jit
def carried(numbers: IntArray, row: int) -> None:
    """Bring the digits of a row back into their range."""
    width = numbers.shape[1]
    carry = 0
    for i in range(width - 1):
        carry += numbers[row, i]
        numbers[row, i] = carry & LOW
        carry >>= BITS
    numbers[row, width - 1] += carry


@jit
def enter(of_utility: bool, decay: Decay, u: int, running: int) -> None:
    """Enter the starts and ends of ``u`` at the moment in hand, after which so many of its jobs run."""
    ended = decay.seen[u] - running
    if ended == 0:
        return
    decay.seen[u] = running
    width = decay.numbers.shape[1]
    for part in range(2 if of_utility else 1):
        carry = 0
        for i in range(width - 1):
            carry += decay.entered[u, part, i] + ended * decay.numbers[POWER + part, i]
            decay.entered[u, part, i] = carry & LOW
            carry >>= BITS
        decay.entered[u, part, width - 1] += ended * decay.numbers[POWER + part, width - 1] + carry


@jit
def amount(of_utility: bool, decay: Decay, row: int, u: int, at: int) -> None:
    """Write what ``u`` has at moment ``at``, for which the numbers look ahead."""
    numbers, entered, running, width = decay.numbers, decay.entered, decay.seen[u], decay.numbers.shape[1]
    for i in range(width):
        numbers[row, i] = entered[u, 0, i] + running * numbers[AHEAD, i]
    if of_utility:
        for i in range(width):
            numbers[row, i] += at * entered[u, 1, i]
    carried(numbers, row)


@jit
def less_decayed(numbers: IntArray, one: int, b: int, other: int, d: int) -> bool:
    """Whether the number in row ``one`` per share ``b`` is less than that in ``other`` per ``d``; 0 shares are most."""
    if b == 0 and d == 0:
        b = d = 1
    elif b == 0 or d == 0:
        return d == 0
    width = numbers.shape[1]
    carry = 0
    for i in range(width - 1):
        carry += numbers[one, i] * d - numbers[other, i] * b
        carry >>= BITS  # rounds down: what is left of a negative difference stays negative
    return bool(numbers[one, width - 1] * d - numbers[other, width - 1] * b + carry < 0)


@jit
def least_decayed(of_utility: bool, jobs: Jobs, schedule: Schedule, decay: Decay, at: int) -> int:
    """The waiting organization with least per share at ``at``; ties go to the lowest, who owns none comes last."""
    best = -1
    kept = VALUE
    for u in range(jobs.machines.size):
        if waits(schedule.rows, u):
            row = 2 * VALUE + 1 - kept
            amount(of_utility, decay, row, u, at)
            if best < 0 or less_decayed(decay.numbers, row, jobs.machines[u], kept, jobs.machines[best]):
                best = u
                kept = row
    return best


def new_decay(instance: SharingInstance, span: int, half_life: int) -> Decay:
    """Books of nothing used."""
    tables, k = powers(half_life, span), instance.n_organizations
    n, digits = tables.shape[2], decayed_digits(half_life, span, instance)
    return Decay(
        half_life=half_life,
        steps=tables,
        mantissa=np.zeros(n, dtype=np.int64),
        product=np.zeros(2 * n, dtype=np.int64),
        numbers=np.zeros((ROWS, digits), dtype=np.int64),
        entered=np.zeros((k, 2, digits), dtype=np.int64),
        seen=np.zeros(k, dtype=np.int64),
    )


def enter_before(decay: Decay, used: Sequence[int]) -> None:
    """Enter what each organization used before, as so many unit parts done in the first unit of time."""
    ends = []
    for moment in (0, 1):
        plain(raise_to)(decay, POWER, moment)
        ends.append(sum(int(digit) << BITS * i for i, digit in enumerate(decay.numbers[POWER])))
    for u, parts in enumerate(used):
        left, width = parts * (ends[1] - ends[0]), decay.entered.shape[2]
        for i in range(width):
            decay.entered[u, 0, i] = left & LOW if i < width - 1 else left
            left >>= BITS


@lru_cache(maxsize=16)
def powers(half_life: int, span: int) -> IntArray:
    """Digits of ``2 ** (figure * 64**place / half_life)``, rounded down, as far as it is below 2 and ``span`` needs it.

    Shape (places, 64, digits), lowest digit first, one of them before the point. Every number is computed to more
    places than it keeps by a library that rounds correctly, so it is the same on every machine.
    """
    behind = digits_behind(half_life)
    exact = Context(prec=BITS * behind * 302 // 1000 + 20)
    most = min(half_life - 1, span + 2)
    places = max(1, -(-most.bit_length() // FIGURE))
    table = np.zeros((places, 1 << FIGURE, behind + 1), dtype=np.int64)
    logarithm, unit = exact.ln(Decimal(2)), exact.create_decimal(2 ** (BITS * behind))
    for place in range(places):
        for figure in range(1 << FIGURE):
            exponent = figure << FIGURE * place
            if exponent <= most:
                fraction = exact.divide(Decimal(exponent), Decimal(half_life))
                power = int(exact.multiply(exact.exp(exact.multiply(logarithm, fraction)), unit))
                table[place, figure] = [power >> BITS * i & (1 << BITS) - 1 for i in range(behind + 1)]
    table.setflags(write=False)
    return table
