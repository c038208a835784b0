"""What an audit's answer to ``--gaming`` proves by itself: every example is played again, from its steps.

Utilities, gains, what the others have of it, bounds and habits are found anew from the log. That the search found no
more, by each move and in all, is only known by searching again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from ...games.sharing.gaming import MIXTURE, Found, Search, after, played
from ...games.sharing.presentation import MOVES, Presentation, Step
from ...support.errors import ConsortiumError
from ...workloads.reading import read_log
from ..asked import Question
from ..proving import Claim, Comparisons, attempt, chosen
from .audit import ruled
from .gaming import Searched, in_force, player
from .gaming_examples import again, example, in_silence
from .gaming_rows import ALL_MOVES, gamed_row, habit_row, move_row
from .model import instance_of
from .openings import Windows, windows_of
from .options import Audit
from .rules import Rule
from .starts import started
from .weighing import weighed_log
from .windows import rule_seed

EXAMPLE: Final = (
    "window",
    "utility",
    "parts",
    "jobs",
    "gain",
    "percent",
    "earlier",
    "others",
    "alone",
    "steps",
    "replay",
)
CHANCE: Final = ("elsewhere", "elsewhere_low", "elsewhere_high")


def gaming(claim: Claim, question: Question, complete: bool) -> Comparisons:
    """Proofs of all rows, where the log is at hand; ``complete``: whether every search has ended."""
    options: Audit = chosen(question, "sharing")
    try:
        log, _ = weighed_log(read_log(Path(question.source), zero=options.zero), options)
        log, _ = started(log, options)
        plan, rules = ruled(log, options)
        rule = in_force(rules, options)
        windows = windows_of(log, plan, options)
    except ConsortiumError:
        return
    yield from claim["rule"].proves(rule.label)
    yield from claim["tries"].proves(options.tries)
    for row in claim["organizations"].rows():
        yield from attempt(row, _organization, row, windows, rule, options, complete)


def _organization(claim: Claim, windows: Windows, rule: Rule, options: Audit, complete: bool) -> Comparisons:
    """One organization: its example, and where the searches have ended also its windows, bounds and habit."""
    name = claim["name"].one_of(windows.window().names)
    if claim["window"].given:
        index = claim["window"].whole() - 1
        if not 0 <= index < windows.number:
            raise claim["window"].refused(f"a window, 1 to {windows.number}")
        found = _begun(windows, index, name, rule, options)
        if found is None:
            raise claim["window"].refused("a window in which the organization has jobs")
        yield from _example(claim, found, windows, rule, options)
    if complete:
        begun = (_begun(windows, i, name, rule, options) for i in range(windows.number))
        searched = [one for one in begun if one is not None]
        yield from claim["windows"].proves(len(searched))
        for row, move in zip(claim["moves"].rows(), ALL_MOVES, strict=True):
            bound = move_row(searched, move)
            yield from row["move"].proves(move)
            yield from row["at_most"].proves(bound.at_most)
            yield from row["proved"].proves(bound.proved)
            if bound.proved:
                yield from row["gain"].proves(0)
        if claim["habit"].given:
            yield from _habit(claim["habit"], searched, windows, rule, options)


def _begun(windows: Windows, index: int, name: str, rule: Rule, options: Audit) -> Searched | None:
    """A search before anything is tried; ``None`` where the organization has no jobs."""
    work = windows.window(index)
    u = work.names.index(name)
    if not (work.owner == u).any():
        return None
    play = player(rule, work, rule_seed(options.seed, index, rule.label))
    known = None if rule.own else rule.rule
    return Searched(
        index, u, Search.of(instance_of(work), u, work.until, play, known, tries=options.tries, seed=options.seed)
    )


def _example(claim: Claim, one: Searched, windows: Windows, rule: Rule, options: Audit) -> Comparisons:
    """The steps taken again, and everything that is said of them."""
    steps = tuple(
        Step(
            step["move"].one_of(MOVES),
            step["first"].whole() - 1,
            step["last"].whole(),
            step["amount"].whole(),
        )
        for step in claim["steps"].rows()
    )
    work = windows.window(one.window)
    found = replace(_taken(one, steps, windows, rule, options), steps=steps)
    one.search.bests[MIXTURE] = found
    row = gamed_row(
        str(claim["name"].value),
        [one],
        in_silence(one, work, rule, options.seed),
        again(one, work, rule, options.seed),
        example(one, work, rule, options.seed),
    )
    for name in EXAMPLE:
        yield from claim[name].proves(row[name])
    if row.elsewhere is not None:
        for name in CHANCE:
            yield from claim[name].proves(row[name])
    mixed = next(move for move in row.moves if move.move == MIXTURE)
    claimed = next((move for move in claim["moves"].rows() if move["move"].value == MIXTURE), claim["moves"])
    for name in ("gain", "window", "percent", "earlier"):
        yield from claimed[name].proves(mixed[name])


def _taken(one: Searched, steps: Sequence[Step], windows: Windows, rule: Rule, options: Audit) -> Found:
    """What steps bring in a window."""
    work = windows.window(one.window)
    instance = instance_of(work)
    play = player(rule, work, rule_seed(options.seed, one.window, rule.label))
    queue = after(Presentation.of(instance, one.organization), tuple(steps))
    return played(queue, one.search, instance, play)


def _habit(claim: Claim, searched: Sequence[Searched], windows: Windows, rule: Rule, options: Audit) -> Comparisons:
    """A habit in all windows."""
    move, amount = claim["move"].one_of(MOVES), claim["amount"].whole()
    for one in searched:
        step = Step(move, 0, one.search.jobs, amount)
        one.search.habits[move, amount] = _taken(one, [step], windows, rule, options)
    yield from claim.proves(habit_row(searched))
