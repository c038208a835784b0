"""Run a queue rule of one's own, asking it for every start."""

from __future__ import annotations

from ....support.progress import Progress
from ..instance import SharingInstance
from ..rules.own import Pool, QueueRule, ask
from ..runs import Run
from .site import Queues, Site, decide, moments

EVERY = 256
"""Moments between two progress reports."""


def run(instance: SharingInstance, rule: QueueRule, until: int, progress: Progress | None = None) -> Run:
    """Schedule by the rule's answers up to ``until``; Ctrl-C keeps what is final."""
    queues = Queues.of(instance, until)
    site = Site(queues, instance.machines, range(instance.n_organizations))
    reached, complete = until, True
    try:
        for count, t in enumerate(moments(queues, [site])):
            reached = t
            decide(site, t, lambda site, waiting, now: ask(rule, _view(instance, site, waiting, now)))
            if progress is not None and count % EVERY == 0:
                progress(t, until, "time simulated")
        reached = until
    except KeyboardInterrupt:
        complete = False
    return Run(site.start_of_jobs(instance, reached), reached, complete, "python")


def _view(instance: SharingInstance, site: Site, waiting: list[int], t: int) -> Pool:
    queues, tallies = site.queues, site.tally
    for tally in tallies:
        tally.bring(t)
    return Pool(
        moment=t,
        names=instance.names,
        waiting=tuple(waiting),
        free=site.free,
        served=site.starts[-1][1] if site.starts else None,
        machines=instance.machines,
        released=tuple(queues.released),
        started=tuple(site.position),
        finished=tuple(tally.completed for tally in tallies),
        running=tuple(tally.running for tally in tallies),
        parts=tuple(tally.parts for tally in tallies),
        utility=tuple(tally.psi for tally in tallies),
        head=tuple(site.head(u) for u in range(len(tallies))),
    )
