"""``audit --gaming`` put together: the searches in all windows, rows, examples and words."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from ...games.sharing.gaming import MIXTURE
from ...support.progress import Progress
from ...workloads.windows import SharedWork
from .gaming import Searched, in_force, searches
from .gaming_examples import again, example, in_silence, save
from .gaming_rows import GamedRow, GamingRow, gamed_row, largest
from .gaming_telling import limits, told
from .options import Audit
from .rules import Rule


class Gamed(NamedTuple):
    """Who could game the rule, whether everything was tried, and why examples could not be written."""

    row: GamingRow | None = None
    complete: bool = True
    failure: str | None = None


def gamed(
    window: Callable[[int], SharedWork],
    windows: Iterable[int],
    rules: Iterable[Rule],
    options: Audit,
    progress: Progress | None = None,
) -> Gamed:
    """Search in these windows (numbers from 0) for everybody, if asked; Ctrl-C and the time limit keep what is known.

    ``rules`` has the rule in force.
    """
    if not options.gaming:
        return Gamed()
    rule = in_force(rules, options)
    found = searches(
        window, windows, rule, options.seed, tries=options.tries, processes=options.processes, progress=progress
    )
    by_name: dict[str, list[Searched]] = {}
    for one in found.found:
        by_name.setdefault(window(one.window).names[one.organization], []).append(one)
    rows = tuple(_row(name, searched, window, rule, options.seed) for name, searched in by_name.items())
    row = GamingRow(
        rule=rule.label, tries=options.tries, organizations=rows, told=told(rows, found.left), limits=limits(rule, rows)
    )
    return Gamed(row, found.complete, None if options.examples is None else save(rows, options.examples))


def _row(name: str, searched: list[Searched], window: Callable[[int], SharedWork], rule: Rule, seed: int) -> GamedRow:
    best = largest(searched, MIXTURE)
    if best is None:
        return gamed_row(name, searched, 0, None, ())
    work = window(best.window)
    return gamed_row(
        name,
        searched,
        in_silence(best, work, rule, seed),
        again(best, work, rule, seed),
        example(best, work, rule, seed),
    )
