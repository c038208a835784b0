"""What was published beside the results of a study: ``python docs/published/judge.py STORE``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

import section_3_5
import section_6_3
import unfairness_tables

from consortium.reports.markup import Table, text
from consortium.studies import store
from consortium.studies.results import Results
from consortium.support.errors import ConsortiumError, InputError

JUDGES: Final[Mapping[str, Callable[[Results], list[Table]]]] = {
    "Cordeiro 2012, section 3.5": lambda results: section_3_5.tables(results.rows()),
    "Cordeiro 2012, section 6.3": lambda results: section_6_3.tables(results.rows()),
    **dict.fromkeys(
        (f"Skowron & Rzadca 2013, {place}" for place in ("table 1", "table 2", "figure on organizations")),
        lambda results: unfairness_tables.tables(results.study, results.rows()),
    ),
}
"""By the source that a study file names."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line; returns the exit code, 3 for a study that is not at its end."""
    parser = argparse.ArgumentParser(prog="python docs/published/judge.py", description=__doc__)
    parser.add_argument(
        "store", type=Path, help="of a study: consortium study run cordeiro2012/section-3.5 --store ..."
    )
    given = parser.parse_args(arguments)
    try:
        with store.read(given.store) as results:
            print(text(tables(results)))
            counts = results.survey().counts
            return 0 if counts.done == counts.size else 3
    except ConsortiumError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2


def tables(results: Results) -> list[Table]:
    """What is to be said of a study's results. Raises InputError for a study about nothing that was published."""
    source = results.study.head.source
    if source is None or source not in JUDGES:
        known = "; ".join(JUDGES)
        raise InputError(f"{results.store.path}: found a study with the source {source!r}; expected one of {known}")
    return JUDGES[source](results)


if __name__ == "__main__":
    sys.exit(main())
