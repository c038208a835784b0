"""Drawings of records on scenarios of kind ``sharing``: schedules by machine, gains by manipulation, audits."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from ...support.errors import InputError
from ..charts import MAX_ROWS, Panel, Verdict, comparison, findings, left_out, named
from ..gantt import Bar, end_sign, gantt, gantt_figure
from ..style import cut, exact, fill, legend, title
from ..tables import counted
from .audit_figures import audit
from .tables import case

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["audit", "compare", "run", "verify"]

compare = comparison

ROOM: Final = 0.32
"""Height of a machine's row, in inches."""
TIME_MAX: Final = 10**300
"""Latest moment of a drawing, which is made of floats."""


def run(data: Mapping[str, Any], record: object = None) -> Figure:
    """One row per machine, one colour and hatch per organization, utility and contribution in the legend."""
    organizations, until = data["organizations"], data["until"]
    if until > TIME_MAX:
        raise InputError(f"a schedule that ends after {TIME_MAX:.0e} cannot be drawn")
    bars = [
        Bar(machine - 1, start, min(end, until), owner - 1, str(job), _told(organizations[owner - 1], job, start, end))
        for (start, owner, job, machine), end in zip(data["schedule"], data["ends"], strict=True)
    ]
    owners = islice((row["name"] for row in organizations for _ in range(row["machines"])), MAX_ROWS)
    rows = [f"{name} / {i + 1}" for i, name in enumerate(owners)]
    figure, axes = gantt_figure(len(rows), ROOM)
    n_rows = sum(row["machines"] for row in organizations)
    rest = gantt(axes, bars, rows, until=until, n_rows=n_rows, each=ROOM)
    idle = "" if bars else "nothing was started before the end"
    unlisted = left_out(data["schedule_left_out"], "starts")
    title(figure, named(data), *filter(None, (rest, unlisted, idle)))
    legend(figure, [(_entry(row), fill(u)) for u, row in enumerate(organizations)], [end_sign(until)] if until else ())
    return figure


def _told(row: Mapping[str, Any], job: int, start: int, end: int) -> str:
    return f"{row['name']}, job {job}: {start} to {end}; utility {row['utility']}"


def _entry(row: Mapping[str, Any]) -> str:
    given = "" if row["contribution"] is None else f", contribution {exact(row['contribution'])}"
    return f"{cut(row['name'], 40)}: utility {exact(row['utility'])}{given}"


def verify(data: Mapping[str, Any], record: object = None) -> Figure:
    """Whether a manipulation pays and which axioms hold; the utility with the move, the best gain of everybody."""
    verdicts, panels = [], []
    found = data["manipulation"]
    if found is not None:
        tried = f"{counted(found['cases'], 'move')} tried; largest gain {exact(found['max_gain'])}"
        verdicts.append(Verdict("no manipulation pays", found["holds"], tried))
        witness = found["witness"]
        if witness is not None:
            told = f"utility of {witness['organization']}"
            moved = ("as is", f"{witness['move']} job {witness['job']}")
            panels.append(Panel(told, moved, (witness["utility_as_is"], witness["utility_with_move"])))
        each = found.get("each") or []
        if each:
            names = [f"{row['name']}: {row['move'] or 'no move'}" for row in each]
            panels.append(Panel("largest gain of each organization", names, [row["max_gain"] for row in each]))
    for name, axiom in data["axioms"].items():
        told = case(axiom) or counted(axiom["cases"], "case")
        verdicts.append(Verdict(f"axiom: {name.replace('_', ' ')}", axiom["holds"], told))
    return findings(f"verify: {named(data)}; utility {data['utility']}", verdicts, panels)
