"""Billing units in an audit: the log is weighed before anything is cut from it, and the answer says what that means."""

from __future__ import annotations

from ...workloads.billing import told_weights
from ...workloads.log import Log
from ...workloads.resources import weighed
from .options import Audit


def weighed_log(log: Log, options: Audit) -> tuple[Log, tuple[str, ...]]:
    """The log to be replayed, and a sentence where its jobs count as billing units."""
    if options.weights is None:
        return log, ()
    told = (
        f"Jobs count as billing units ({told_weights(options.weights)}, cut to a whole number, at least 1), and "
        "machines are such units: a job of b units is b sequential jobs of its run time, on units of any kind, so that "
        "one with a GPU may run where only processors are free"
    )
    return weighed(log, options.weights), (told,)
