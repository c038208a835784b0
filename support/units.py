"""Durations, memory and percentages as people read them; JSON stays in seconds, bytes and floats.

>>> duration_text(0.0042), duration_text(75.2), duration_text(7300), memory_text(3 * 2**20)
('4.2 ms', '1 min 15 s', '2 h 2 min', '3.0 MiB')
"""

from __future__ import annotations

import math
import re
from decimal import Decimal
from typing import Final

_STEPS: Final = (("s", 1), ("min", 60), ("h", 3600), ("day", 86_400))
_YEAR: Final = 31_557_600
_DAYS: Final = re.compile(r"\s*([0-9]{1,9})-([0-9]{1,9})(?::([0-9]{1,9}))?(?::([0-9]{1,9}))?\s*")
_CLOCK: Final = re.compile(r"\s*([0-9]{1,9}):([0-9]{1,2}):([0-9]{1,2})\s*")
_DURATION: Final = re.compile(r"\s*([0-9]{1,18}\s*|([0-9]{1,18}\s*(s|min|m|h|d|w)\s*)+)", re.IGNORECASE)
_PART: Final = re.compile(r"([0-9]+)\s*([a-z]*)", re.IGNORECASE)
_LENGTHS: Final = {"": 1, "s": 1, "min": 60, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800}
_BYTES: Final = ("bytes", "KiB", "MiB", "GiB", "TiB")
_SIZE: Final = re.compile(r"\s*(?P<number>[0-9]+(\.[0-9]+)?)\s*(?P<unit>bytes|[KMGT]iB)?\s*")


def duration_text(seconds: float) -> str:
    """So many seconds: three digits below a minute, above it two units.

    >>> duration_text(0), duration_text(59.96), duration_text(90_000), duration_text(1e9), duration_text(float("inf"))
    ('0 s', '1 min', '1 day 1 h', '31.7 years', 'for ever')
    >>> duration_text(-75.2)
    '-1 min 15 s'
    """
    if seconds < 0:
        return f"-{duration_text(-seconds)}"
    if math.isinf(seconds):
        return "for ever"
    if seconds == 0 or 0.9995 <= seconds < 59.95:
        return f"{seconds:.3g} s"
    if seconds < 1:
        return f"{seconds * 1000:.3g} ms"
    if seconds >= 2 * _YEAR:
        years = min(seconds / _YEAR, 1e12)  # nobody tells longer ones apart
        return f"{years:.3g} years" if years < 1000 else f"{years:,.0f} years"
    seconds = round(seconds)
    at = max(i for i, (_, length) in enumerate(_STEPS) if seconds >= length)
    (unit, length), (part, below) = _STEPS[at], _STEPS[at - 1]
    whole, remainder = divmod(round(seconds / below), length // below)
    plural = "s" if unit == "day" and whole > 1 else ""
    return f"{whole} {unit}{plural}" + (f" {remainder} {part}" if remainder else "")


def seconds_of(text: str) -> int | None:
    """Whole seconds of a duration as people or Slurm write it, ``None`` for anything else.

    A number is of seconds unless a unit follows: s, min, h, d or w; Slurm's days come before a dash, its hours before
    two colons.

    >>> seconds_of("7d"), seconds_of("1d 12h"), seconds_of("90"), seconds_of("7-0"), seconds_of("1-02:30")
    (604800, 129600, 90, 604800, 95400)
    >>> seconds_of("7-00:00:00"), seconds_of("00:10:00"), seconds_of("0:10")
    (604800, 600, None)
    """
    slurm = _DAYS.fullmatch(f"0-{text.strip()}" if _CLOCK.fullmatch(text) else text)
    if slurm is not None:
        days, *clock = (int(part or 0) for part in slurm.groups())
        return 86_400 * days + sum(part * length for part, length in zip(clock, (3_600, 60, 1), strict=True))
    if _DURATION.fullmatch(text) is None:
        return None
    parts = _PART.findall(text)
    return sum(int(number) * _LENGTHS[unit.lower()] for number, unit in parts)


def percent_text(percent: float, digits: int = 3) -> str:
    """Per cent in so many digits, or all those before the point; never with an exponent, and 100 only where it is all.

    >>> percent_text(12.345), percent_text(-2053.4), percent_text(0.0000731), percent_text(0.0)
    ('12.3', '-2,053', '0.0000731', '0')
    >>> percent_text(-99.96), percent_text(99.6, 2), percent_text(100)
    ('-99.96', '99.6', '100')
    """
    if abs(percent) >= 10**digits:
        return f"{percent:,.0f}"
    text = f"{Decimal(f'{percent:.{digits}g}'):f}"
    return percent_text(percent, digits + 1) if abs(float(text)) >= 100 > abs(percent) else text


def memory_text(amount: int) -> str:
    """So many bytes, with one decimal from a KiB on.

    >>> memory_text(0), memory_text(1536), memory_text(10**18)
    ('0 bytes', '1.5 KiB', '909,494.7 TiB')
    """
    at, size = 0, float(amount) if amount < 10**300 else math.inf
    while size >= 1024 and at < len(_BYTES) - 1:
        at, size = at + 1, size / 1024
    if size >= 1e9:
        return "more than any machine has"
    return f"{amount} bytes" if at == 0 else f"{size:,.1f} {_BYTES[at]}"


def bytes_of(text: str) -> int | None:
    """A number of bytes as people write it, ``None`` for anything else.

    >>> bytes_of("8 GiB"), bytes_of("1.5KiB"), bytes_of("4096"), bytes_of("much")
    (8589934592, 1536, 4096, None)
    """
    match = _SIZE.fullmatch(text)
    if match is None or len(text) > 40:
        return None
    whole, _, decimals = match["number"].partition(".")
    scaled: int = int(whole + decimals) << 10 * _BYTES.index(match["unit"] or "bytes")
    return scaled // int(10 ** len(decimals))
