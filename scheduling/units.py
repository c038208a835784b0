"""Durations as people read them."""

from __future__ import annotations

from typing import Final

_UNITS: Final = (("d", 86_400), ("h", 3_600), ("min", 60), ("s", 1))


def lasting(seconds: float) -> str:
    """A duration in its two largest units; below a minute in seconds, of three digits.

    >>> lasting(0.0493), lasting(49.44), lasting(61), lasting(7_325), lasting(-86_400 * 400), lasting(3_599.6)
    ('0.0493 s', '49.4 s', '1 min 1 s', '2 h 2 min', '-400 d', '1 h')
    """
    size = abs(seconds)
    if size < 59.95:
        return f"{seconds:.3g} s"
    large = next(i for i, (_, unit) in enumerate(_UNITS) if round(size) >= unit)
    (name, unit), (less, small) = _UNITS[large], _UNITS[min(large + 1, len(_UNITS) - 1)]
    whole, rest = divmod(round(size / small) * small, unit)
    told = f"{whole:,} {name}" + (f" {rest // small} {less}" if rest else "")
    return f"-{told}" if seconds < 0 else told
