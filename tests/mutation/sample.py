"""The mutations of a run: drawn by a seed, every floor in proportion to its code, every kind of slip as often."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from .operators import Mutation, candidates

FLOORS = (
    "scheduling", "agents", "workloads", "mechanisms", "games", "scenarios", "verbs", "reports", "cli",
)  # fmt: skip


@dataclass(frozen=True)
class Mutant:
    """A mutation and the file it is made in."""

    path: str
    mutation: Mutation

    @property
    def floor(self) -> str:
        return self.path.partition("/")[0]

    @property
    def id(self) -> str:
        return self.mutation.id(self.path)


def paths(root: Path) -> list[str]:
    """Modules of the package, the doors at the root left out: they hold no behaviour of their own."""
    return sorted(path.relative_to(root).as_posix() for floor in FLOORS for path in (root / floor).rglob("*.py"))


def mutants(root: Path) -> Iterator[Mutant]:
    """Every mutant of every floor; those whose bytecode is the old one are among them."""
    for path in paths(root):
        for mutation in candidates((root / path).read_text(encoding="utf-8")):
            yield Mutant(path, mutation)


def sample(root: Path, number: int, seed: int) -> list[Mutant]:
    """So many mutants; at least one of every floor. Those of a floor take turns with the others."""
    found: dict[str, dict[str, list[Mutant]]] = {floor: defaultdict(list) for floor in FLOORS}
    for mutant in mutants(root):
        found[mutant.floor][mutant.mutation.operator].append(mutant)
    sizes = {floor: sum(map(len, kinds.values())) for floor, kinds in found.items()}
    drawn = {
        floor: _draw(kinds, share, seed)
        for (floor, kinds), share in zip(found.items(), _shares(list(sizes.values()), number), strict=True)
    }
    places = [(n / len(some), floor, mutant) for floor, some in drawn.items() for n, mutant in enumerate(some)]
    return [mutant for _, _, mutant in sorted(places, key=lambda place: place[:2])]


def _draw(kinds: dict[str, list[Mutant]], number: int, seed: int) -> list[Mutant]:
    """Kinds of slips take turns; of each the next mutant that is another program, in an order that the seed shuffles.

    The order is that of digests, so that a change of the code changes the sample only there.
    """
    bags = [sorted(some, key=lambda mutant: _shuffled(seed, mutant.id)) for _, some in sorted(kinds.items())]
    drawn: dict[str, Mutant] = {}
    while len(drawn) < number and any(bags):
        for bag in sorted(bags, key=lambda bag: _shuffled(seed, bag[-1].id) if bag else ""):
            while bag and len(drawn) < number:
                mutant = bag.pop()
                if mutant.id not in drawn and mutant.mutation.changes():
                    drawn[mutant.id] = mutant
                    break
    return list(drawn.values())


def _shuffled(seed: int, text: str) -> str:
    return hashlib.sha256(f"{seed}/{text}".encode()).hexdigest()


def _shares(sizes: list[int], number: int) -> list[int]:
    """Proportional, none below one, by largest remainders.

    >>> _shares([700, 290, 9, 1], 10)
    [5, 3, 1, 1]
    """
    left = number - len(sizes)
    exact = [left * size / sum(sizes) for size in sizes]
    shares = [1 + int(part) for part in exact]
    order = sorted(range(len(sizes)), key=lambda i: int(exact[i]) - exact[i])
    for i in order[: number - sum(shares)]:
        shares[i] += 1
    return shares
