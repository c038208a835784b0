"""Powers of two with broken exponents in integers, for usage with a half-life.

>>> steps(2, 3).shape, int(steps(2, 3)[0, 1, -1])  # 2**(1/2), whose whole part is 1
((1, 64, 4), 1)
>>> sum(int(digit) << 24 * i for i, digit in enumerate(steps(2, 3)[0, 1])) ** 2 < 2 * 2**144
True
"""

from __future__ import annotations

from decimal import Context, Decimal
from functools import lru_cache
from typing import Final

import numpy as np

from ...support.errors import TooLargeError
from .arrays import IntArray
from .rules.decay import BITS, FIGURE

GUARD: Final = 64
"""Binary places beyond four times those of the half-life."""
HALVINGS_MAX: Final = 100_000
"""Usage may halve at most so often in one run."""


def digits_behind(half_life: int) -> int:
    """Digits behind the point of a power: ``64 + 4 log2(half_life)`` bits or more.

    One unit of time changes a power by a part of ``1 / half_life``. Differences of differences of powers, which decide
    between organizations that ran alike, are smaller by this factor again and again.
    """
    return -(-(GUARD + 4 * half_life.bit_length()) // BITS)


def width(half_life: int, span: int, jobs: int) -> int:
    """Digits of a number: for any sum over ``jobs`` jobs of powers up to ``span`` times a moment.

    Raises TooLargeError where usage would halve more than :data:`HALVINGS_MAX` times.
    """
    halvings = (span + 2) // half_life
    if halvings > HALVINGS_MAX:
        raise TooLargeError(
            f"decay: usage would halve {halvings:,} times until the end, at most {HALVINGS_MAX:,}; "
            "give a longer half-life"
        )
    bits = BITS * (digits_behind(half_life) + 1) + halvings + (span + 3).bit_length() + (2 * jobs + 2).bit_length()
    return bits // BITS + 2


@lru_cache(maxsize=16)
def steps(half_life: int, span: int) -> IntArray:
    """Digits of ``2 ** (figure * 64**place / half_life)``, rounded down, as far as it is below 2 and ``span`` needs it.

    Shape (places, 64, digits), lowest digit first, one of them before the point. Every number is computed to more
    places than it keeps by a library that rounds correctly, so it is the same on every machine.
    """
    behind = digits_behind(half_life)
    exact = Context(prec=BITS * behind * 302 // 1000 + 20)
    most = min(half_life - 1, span + 2)
    places = max(1, -(-most.bit_length() // FIGURE))
    found = np.zeros((places, 1 << FIGURE, behind + 1), dtype=np.int64)
    logarithm, unit = exact.ln(Decimal(2)), exact.create_decimal(2 ** (BITS * behind))
    for place in range(places):
        for figure in range(1 << FIGURE):
            exponent = figure << FIGURE * place
            if exponent <= most:
                fraction = exact.divide(Decimal(exponent), Decimal(half_life))
                power = int(exact.multiply(exact.exp(exact.multiply(logarithm, fraction)), unit))
                found[place, figure] = [power >> BITS * i & (1 << BITS) - 1 for i in range(behind + 1)]
    found.setflags(write=False)
    return found
