"""What a plain installation brings: megabytes by distribution, and seconds.

Run ``python benchmarks/install.py [REQUIREMENT...]``; without an argument it is this checkout. Everything is first
downloaded, so that the seconds of installing are the machine's and not the network's, and then installed into an empty
environment; what the empty environment holds is not counted. The last lines time the README's first command there, once
with nothing compiled and once more. Megabytes are 10^6 bytes on the disk, bytecode included, and of one distribution
what its own list of files names.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from importlib.metadata import Distribution, distributions
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parent.parent
SMALL = 1.0
"""Megabytes below which distributions are counted together."""
COMMAND = ["compare", "agmon2003/5.2.1", "--rules", "light-vcg,vcg-renice,vcg-postpone"]


def timed(*command: str | Path, **variables: str) -> str:
    """Seconds of a command, which must succeed, and those of processors, to which other work adds less."""
    began, used = time.perf_counter(), processor_seconds()
    subprocess.run(list(map(str, command)), env=os.environ | variables, stdout=subprocess.DEVNULL, check=True)
    return f"{time.perf_counter() - began:.0f} s ({processor_seconds() - used:.0f} s of processor)"


def processor_seconds() -> float:
    """Of all processes that ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def megabytes(paths: Iterator[Path]) -> float:
    """Size of files on the disk."""
    return sum(path.stat().st_blocks * 512 for path in paths if path.is_file() and not path.is_symlink()) / 1e6


def requirements(distribution: Distribution) -> set[str]:
    """Names of what a distribution asks for here, extras left out."""
    parsed = map(Requirement, distribution.requires or ())
    return {part.name.lower().replace("_", "-") for part in parsed if not part.marker or part.marker.evaluate()}


def table(site: Path) -> Iterator[str]:
    """Rows of Markdown, the largest first."""
    found = {d.name.lower().replace("_", "-"): d for d in distributions(path=[str(site)])}
    needed = {name: requirements(each) for name, each in found.items()}
    sizes = {name: megabytes(Path(str(each.locate_file(f))) for f in each.files or ()) for name, each in found.items()}
    yield "| distribution | version | MB | asked for by |"
    yield "|---|---|---|---|"
    for name in sorted(set(sizes) - {"pip", "setuptools"}, key=lambda name: -sizes[name]):
        if sizes[name] >= SMALL:
            by = ", ".join(other for other in sorted(needed) if name in needed[other])
            yield f"| {name} | {found[name].version} | {sizes[name]:.0f} | {by} |"
    small = sorted(name for name in sizes if sizes[name] < SMALL)
    yield f"| {len(small)} others below {SMALL:.0f} MB | | {sum(sizes[name] for name in small):.0f} | |"


def main(arguments: list[str]) -> None:
    """Print the table and the seconds."""
    with tempfile.TemporaryDirectory() as folder:
        venv, wheels = Path(folder, "venv"), Path(folder, "wheels")
        python = venv / "bin" / "python"
        subprocess.run([sys.executable, "-m", "venv", venv], check=True)
        empty = megabytes(venv.rglob("*"))
        fetching = timed(python, "-m", "pip", "-qq", "wheel", "--wheel-dir", wheels, *(arguments or [str(ROOT)]))
        offline = ["--no-index", "--find-links", str(wheels), *(arguments or ["consortium"])]
        seconds = timed(python, "-m", "pip", "-qq", "install", *offline, PIP_EXTRA_INDEX_URL="", PIP_FIND_LINKS="")
        site = next(venv.glob("lib/python3*/site-packages"))
        print(*table(site), sep="\n")
        size = megabytes(venv.rglob("*")) - empty
        print(f"\nPython {sys.version.split()[0]}: {size:.0f} MB beside an empty environment of {empty:.0f} MB")
        print(f"to download: {megabytes(wheels.iterdir()):.0f} MB; downloading and building: {fetching}")
        print(f"installing: {seconds}")
        if not arguments:
            kernels = str(Path(folder, "kernels"))
            first, second = (timed(venv / "bin" / "consortium", *COMMAND, NUMBA_CACHE_DIR=kernels) for _ in range(2))
            print(f"the README's first command: {first}; once more: {second}")


if __name__ == "__main__":
    main(sys.argv[1:])
