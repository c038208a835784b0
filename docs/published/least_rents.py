"""The least rents of the shipped declaration scenarios: ``python docs/published/least_rents.py`` writes their table.

A scenario counts if it has a finite ``[domain]`` and a rule whose price is known in advance. Each is asked four
questions: the least rent without a deficit, and where nobody is ever paid, with the truth dominant and ex post.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import consortium
from consortium.reports.tables import cell
from consortium.scenarios import Scenario
from consortium.scenarios.domain import DomainSpec
from consortium.support.errors import InputError

PAGE: Final = Path(__file__).parent.parent / "explanation" / "designed-payments.md"
MARK: Final = "<!-- rents -->"
HEAD: Final = ("scenario", "rule", "takes", "no deficit", "nobody paid", "no deficit, ex post", "nobody paid, ex post")


def scenarios() -> Iterator[Scenario]:
    """Those that count, in order."""
    for name in consortium.shipped():
        scenario = consortium.load(name)
        spec = scenario.spec
        if scenario.kind == "declaration" and isinstance(spec.domain, DomainSpec) and spec.rounds == 1:
            yield scenario


def row(scenario: Scenario) -> tuple[str, ...] | None:
    """Name, rule, what the rule takes, and the four least rents; ``None`` where payments are settled after the run."""
    cells, takes = [], ""
    for concept in ("dominant", "ex-post"):
        for condition in ("no-deficit", "prices-nonnegative"):
            try:
                record = consortium.design(scenario, concept=concept, subject_to=[condition])
            except InputError:
                return None
            fine = f"none (fine {cell(str(record.least_fine))})"
            cells.append(fine if record.value is None else cell(str(record.value)))
            takes = cell(str(record.compared[0].value)) if record.compared else takes
    return (str(scenario.name), scenario.spec.rule, takes, *cells)


def rows() -> list[tuple[str, ...]]:
    """The table, a scenario a line."""
    return [line for line in map(row, scenarios()) if line is not None]


def page(lines: list[tuple[str, ...]]) -> str:
    """The page with these lines in the place of the old ones."""
    before, _, after = PAGE.read_text(encoding="utf-8").partition(f"{MARK}\n")
    _, _, after = after.partition("\n\n") if after.startswith("|") else ("", "", after)
    table = [f"| {' | '.join(line)} |" for line in (HEAD, ["---"] * len(HEAD), *lines)]
    return f"{before}{MARK}\n" + "\n".join(table) + f"\n\n{after}".rstrip("\n") + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(rows()), encoding="utf-8")
