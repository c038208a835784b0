"""``audit --gaming``: what each organization could gain in the windows by presenting its jobs otherwise.

Every organization's search (:mod:`consortium.games.sharing.gaming`) runs on every window that was replayed, in slices
of half a second, all of them once before any goes on: whoever stops the work early has something on everybody.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Final, NamedTuple

from ...games.sharing.gaming import Play, Search
from ...mechanisms.sharing.instance import SharingInstance
from ...mechanisms.sharing.outcome import SharingOutcome
from ...parallel.executors import executor
from ...parallel.processes import cores, travels
from ...parallel.stream import streamed
from ...support.errors import InputError
from ...support.progress import Progress
from ...workloads.windows import SharedWork
from ..costs import SIMULATED_JOB
from .model import instance_of
from .options import Audit
from .rules import RECORDED, Rule, is_whole
from .windows import follow, rule_seed
from .workers import WORTH_IT

SLICE: Final = 0.5
"""Seconds after which a search lets the others go on."""


@dataclass(frozen=True)
class Chase:
    """The search for one organization in one window: what a process needs to go on with it."""

    window: int
    organization: int
    work: SharedWork
    rule: Rule
    seed: int
    tries: int
    search: Search | None = None


class Searched(NamedTuple):
    """A search by window and organization (both from 0), as far as it went."""

    window: int
    organization: int
    search: Search


class Chases(NamedTuple):
    """All searches that have begun, in order, whether all have ended, and how many have not begun."""

    found: tuple[Searched, ...]
    complete: bool
    left: int


def in_force(rules: Iterable[Rule], options: Audit) -> Rule:
    """The rule that the cluster uses, among those that are run."""
    return next(rule for rule in rules if rule.label == options.rule)


def refuse(options: Audit, rules: Iterable[Rule]) -> None:
    """Raise InputError for options that make no sense together.

    Where the rule in force is no rule, nobody knows what it would have done otherwise.
    """
    if not options.gaming:
        given = [name for name in ("tries", "examples") if name in options.model_fields_set]
        if given:
            raise InputError(f"{given[0]}: given without gaming; expected it together with gaming")
    elif is_whole(in_force(rules, options)):
        raise InputError(
            "gaming: the rule in force runs parallel jobs whole; expected parallel = copies, because moves are defined "
            "for sequential jobs"
        )
    elif in_force(rules, options).rule == RECORDED:
        raise InputError(
            f"gaming: the rule in force is {RECORDED}, what the cluster did; expected a rule that can be run again"
        )


def player(rule: Rule, work: SharedWork, seed: int) -> Play:
    """The rule in force on other presentations of a window's jobs; whatever it draws, it draws by one seed."""
    return partial(_play, rule, work, seed)


def _play(rule: Rule, work: SharedWork, seed: int, instance: SharingInstance) -> SharingOutcome:
    return follow(rule, instance, work, work.until, seed, threads=1)


def further(chase: Chase) -> Searched:
    """Go on with a search for a slice of time."""
    instance = instance_of(chase.work)
    own_seed = rule_seed(chase.seed, chase.window, chase.rule.label)
    play = player(chase.rule, chase.work, own_seed)
    search = chase.search
    if search is None:
        search = Search.of(
            instance,
            chase.organization,
            chase.work.until,
            play,
            None if chase.rule.own else chase.rule.rule,
            tries=chase.tries,
            seed=rule_seed(chase.seed, chase.window, f"gaming {chase.organization}"),
        )
    return Searched(chase.window, chase.organization, search.more(instance, play, SLICE))


def searches(
    window: Callable[[int], SharedWork],
    windows: Iterable[int],
    rule: Rule,
    seed: int,
    *,
    tries: int,
    processes: int = 1,
    progress: Progress | None = None,
) -> Chases:
    """Search in all windows for everybody who has jobs there; Ctrl-C keeps what is known.

    ``processes`` as in :func:`.workers.measure_all`. Raises InputError for a rule that cannot be sent to other
    processes.
    """
    works = {i: window(i) for i in windows}
    waiting = [
        Chase(i, u, work, rule, seed, tries)
        for i, work in works.items()
        for u in range(len(work.names))
        if (work.owner == u).any()
    ]
    if processes == 0:
        worth_it = seconds(works.values(), tries) > WORTH_IT and (not rule.own or travels(rule.rule))
        processes = cores() if worth_it else 1
    pairs, found = len(waiting), dict[tuple[int, int], Searched]()
    total = tries * pairs
    with suppress(KeyboardInterrupt), executor(max(1, min(processes, len(waiting)))) as pool:
        while waiting:
            known = {(chase.window, chase.organization): chase for chase in waiting}
            for one in streamed(pool, further, iter(waiting)):
                found[one.window, one.organization] = one
                if progress is not None:
                    made = sum(tries if each.search.done else each.search.tried for each in found.values())
                    progress(made, total, "presentations tried")
            waiting = [_going_on(known[key], found[key].search) for key in sorted(known) if not found[key].search.done]
    complete = len(found) * tries == total and all(each.search.done for each in found.values())
    return Chases(tuple(found[key] for key in sorted(found)), complete, pairs - len(found))


def _going_on(chase: Chase, search: Search) -> Chase:
    return Chase(chase.window, chase.organization, chase.work, chase.rule, chase.seed, chase.tries, search)


def seconds(works: Iterable[SharedWork], tries: int) -> float:
    """Rough work of the searches, in seconds: each try is a schedule of all jobs under the rule."""
    return sum(len(work) * len(work.names) * tries for work in works) * SIMULATED_JOB


def others_seeds(seed: int, window: int, label: str, count: int) -> Sequence[int]:
    """Seeds that the search has not seen, to look at what it found under them."""
    return [rule_seed(seed, window, f"{label} again {i}") for i in range(count)]
