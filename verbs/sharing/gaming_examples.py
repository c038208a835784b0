"""Examples of ``audit --gaming``: the jobs as they are and as presented, as scenarios that replay, also as files."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from ...games.sharing.gaming import MIXTURE, Search, after, alone, played
from ...games.sharing.presentation import Presentation
from ...mechanisms.sharing.instance import SharingInstance
from ...scenarios.reader import load
from ...scenarios.toml import write
from ...scheduling.intervals import Interval
from ...support.errors import InputError
from ...workloads.windows import SharedWork
from .gaming import Searched, others_seeds, player
from .gaming_rows import GamedRow, chance
from .model import Setting, instance_of
from .rules import Rule, chooses
from .verify import listed_out
from .windows import rule_seed

LISTED_MAX: Final = 20_000
"""Jobs of an example that is written out, at most."""
SEEDS: Final = 10
"""Other seeds under which a gain from a rule that draws is looked at."""


def example(one: Searched, work: SharedWork, rule: Rule, seed: int) -> tuple[Mapping[str, Any], ...]:
    """The truth and the best presentation found, with the utilities that ``run`` must find; none for an own rule."""
    instance = instance_of(work)
    queue = after(Presentation.of(instance, one.organization), one.search.bests[MIXTURE].steps)
    if rule.own or instance.n_jobs + len(queue) > LISTED_MAX:
        return ()
    own_seed = rule_seed(seed, one.window, rule.label)
    scenario = load(
        {
            "format": 1,
            "kind": "sharing",
            "title": f"{work.names[one.organization]}, window {one.window + 1}, rule {rule.label}",
            "seed": own_seed,
            "until": work.until,
            "organizations": [{"name": "everybody", "machines": 1}],
            "mechanism": {"rule": rule.rule, **rule.options},
        }
    )
    found = Setting(instance, work.until)
    queues: list[list[list[int]]] = [
        [list(job[:2]) for job in instance.queue(u)] for u in range(instance.n_organizations)
    ]
    presented = [[list(job) for job in queue.jobs] if u == one.organization else q for u, q in enumerate(queues)]
    return tuple(listed_out(scenario, rule, found, jobs) for jobs in (queues, presented))


def in_silence(one: Searched, work: SharedWork, rule: Rule, seed: int) -> int:
    """What the best steps gain when nobody else has jobs."""
    return alone(one.search, instance_of(work), player(rule, work, rule_seed(seed, one.window, rule.label)))


def again(one: Searched, work: SharedWork, rule: Rule, seed: int) -> Interval | None:
    """The gain of the best steps, in per cent, under seeds that the search has not seen; ``None`` if none is drawn."""
    if not chooses(rule) or not one.search.utility:
        return None
    gains, instance = [], instance_of(work)
    with suppress(KeyboardInterrupt):  # from those that were looked at
        for other in others_seeds(seed, one.window, rule.label, SEEDS):
            gains.append(_gain(one, instance, work, rule, other))
    return chance(gains)


def _gain(one: Searched, instance: SharingInstance, work: SharedWork, rule: Rule, seed: int) -> float:
    play, u = player(rule, work, seed), one.organization
    honest = Search.of(instance, u, work.until, play, None, tries=1, seed=0)
    queue = after(Presentation.of(instance, u), one.search.bests[MIXTURE].steps)
    return 100 * played(queue, honest, instance, play).gain / honest.utility if honest.utility else 0.0


def save(rows: Sequence[GamedRow], folder: str) -> str | None:
    """Write the examples as scenario files, two for each organization; why it could not be done, in a sentence."""
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
        for i, row in enumerate(rows, 1):
            name = re.sub(r"[^\w.-]+", "-", row.name).strip("-.") or "organization"
            for what, scenario in zip(("as-is", "presented"), row.replay, strict=False):
                write(scenario, Path(folder, f"{i}-{name}-{what}.toml"))
    except InputError as error:
        return str(error)
    except OSError as error:
        return f"{os.fspath(folder)}: cannot be written ({error.strerror or error})"
    return None
