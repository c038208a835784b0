"""Placement games of all lengths: leaves and CPU seconds of covers and price trees, and of their checker.

``python benchmarks/shapes.py`` prints them beside those of a program in C++ (one thread, a shared core) that another
study of these games used, and the time of a loop of ten million steps, by which machines can be compared. ``--quick``
leaves out what takes longer than a second there.
"""

from __future__ import annotations

import argparse
import json
import time
from fractions import Fraction

from consortium.games.placement.all_lengths import check_shape
from consortium.games.placement.all_lengths.answers import prove
from consortium.games.placement.all_lengths.shapes import Shape

COVERS = [
    ((2, 1, 1), 8, 0.0, 0.0),
    ((2, 2, 1), 36, 0.0, 0.01),
    ((2, 2, 2), 67, 0.0, 0.01),
    ((3, 2, 1), 215, 0.02, 0.04),
    ((3, 2, 2), 284, 0.02, 0.07),
    ((3, 3, 1), 1_207, 0.09, 0.35),
    ((3, 3, 2), 2_265, 0.24, 0.80),
    ((3, 3, 3), 3_918, 0.65, 4.7),
    ((2, 2, 2, 2), 2_695, 0.26, 0.5),
    ((3, 1, 1, 2), 4_550, 0.23, 0.65),
    ((3, 2, 2, 0), 302, 0.02, 0.1),
    ((2, 3, 2, 0), 600, 0.04, None),
    ((2, 2, 3, 0), 1_295, 0.15, None),
    ((5, 2, 0, 0), 191, 0.02, None),
    ((4, 3, 0, 0), 379, 0.04, 0.7),
    ((3, 3, 1, 0), 1_104, 0.09, 0.4),
    ((4, 2, 1, 0), 1_054, 0.1, None),
    ((3, 4, 0, 0), 2_634, 0.2, None),
    ((3, 2, 1, 1), 3_608, 0.3, None),
    ((2, 3, 1, 1), 3_233, 0.3, 1.4),
    ((2, 4, 1, 0), 8_901, 1.0, 5.7),
    ((2, 5, 0, 0), 6_433, 1.7, 5.3),
    ((3, 3, 2, 0), 2_421, 0.2, None),
    ((3, 2, 2, 1), 8_305, 1.1, None),
    ((2, 3, 2, 1), 12_723, 1.8, None),
    ((2, 2, 3, 1), 15_794, 2.2, None),
    ((3, 3, 1, 1), 31_851, 7.2, None),
    ((2, 4, 1, 1), 78_607, 15.4, None),
    ((3, 2, 2, 2), 31_301, 10.6, None),
    ((4, 2, 1, 1), 106_391, 17, None),
    *(
        (jobs, leaves, None, None)
        for jobs, leaves in [
            ((3, 2, 3, 0), 6_813),
            ((2, 3, 3, 0), 13_005),
            ((4, 2, 2, 0), 2_159),
            ((2, 4, 2, 0), 35_055),
            ((2, 2, 4, 0), 44_505),
            ((4, 3, 1, 0), 11_513),
            ((3, 4, 1, 0), 47_683),
            ((5, 2, 1, 0), 34_952),
            ((4, 4, 0, 0), 7_140),
            ((5, 3, 0, 0), 2_416),
            ((3, 5, 0, 0), 82_710),
            ((6, 2, 0, 0), 3_588),
        ]
    ),
]
"""Shape, leaves, seconds, seconds of the checker there."""
STABILITY = [((2, 1, 1), 93, 0.0), ((2, 2, 1), 979, 0.1), ((2, 2, 2), 10_495, 1.6), ((3, 3), 2_396, 0.2)]
ANARCHY = [
    ((2, 2), 102, 0.0),
    ((6, 5), 21_184, 0.07),
    ((2, 1, 1), 501, 0.0),
    ((2, 2, 2), 8_908, 0.02),
    ((3, 2, 2), 31_517, 0.08),
    ((3, 3, 2), 109_036, 0.34),
    ((3, 3, 3), 374_268, 1.5),
    ((2, 1, 1, 1), 7_580, 0.01),
    ((3, 1, 1, 1), 47_909, 0.13),
    ((2, 2, 1, 1), 40_706, 0.07),
    ((3, 2, 1, 1), 203_745, 0.58),
    ((2, 2, 2, 1), 230_648, 0.58),
    ((4, 3, 2), 347_927, 1.8),
    ((4, 1, 1, 1), 263_241, 1.5),
    ((2, 2, 2, 2), 1_353_115, 5.1),
]


def unit() -> float:
    """Seconds of ten million steps."""
    begun = time.process_time()
    for _ in range(10**7):
        pass
    return time.process_time() - begun


def row(
    name: str, shape: tuple[int, ...], bound: Fraction | None, leaves: int, study: float | None, check: float | None
) -> str:
    """One line: a bound is proved, or existence."""
    begun = time.process_time()
    answer = prove(Shape(shape), name, bound, "cover")  # type: ignore[arg-type]
    seconds = time.process_time() - begun
    certificate = json.loads(answer.certificate or "")
    begun = time.process_time()
    check_shape.check(certificate)
    checked = time.process_time() - begun
    there = "" if check is None else f" (there {check:.2f})"
    beside = "" if study is None else f" ({study:.2f} there)"
    ratio = (answer.regions or 0) / leaves
    return (
        f"{name:19} {shape!s:13} {answer.regions:9,} leaves ({leaves:,} there: x{ratio:.2f})  {seconds:7.2f} s{beside}"
        f"  checker {checked:6.2f} s{there}"
    )


def main() -> None:
    """Print all rows."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="only what took at most a second")
    quick = parser.parse_args().quick
    for name in ("pure-equilibrium", "price-of-anarchy"):  # kernels are loaded before anything is timed
        prove(Shape((2, 1)), name, Fraction(2) if "price" in name else None, "cover")  # type: ignore[arg-type]
    prove(Shape((2, 1)), "price-of-stability", Fraction(2), "cover")
    print(f"ten million steps: {unit():.2f} s")
    for shape, leaves, seconds, check in COVERS:
        if not quick or (seconds is not None and seconds <= 1):
            print(row("pure-equilibrium", shape, None, leaves, seconds, check), flush=True)
    sharp = {2: Fraction(4, 3), 3: Fraction(3, 2), 4: Fraction(5, 3)}  # of (k, 1, 1, 1) the price is 3/2
    for name, rows in (("price-of-stability", STABILITY), ("price-of-anarchy", ANARCHY)):
        for shape, leaves, seconds in rows:
            if seconds <= 1 or not quick:
                print(
                    row(name, shape, sharp[3 if shape[1:] == (1, 1, 1) else len(shape)], leaves, seconds, None),
                    flush=True,
                )


if __name__ == "__main__":
    main()
