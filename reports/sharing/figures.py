"""Gantt chart of records on scenarios of kind ``sharing``: machines by owner, jobs by organization."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ...scheduling.errors import InputError
from ..figures import new_figure, style

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MACHINES_MAX = 200


def gantt(data: Mapping[str, Any]) -> Figure:
    """One row per machine, one colour and hatch per organization, utility and contribution in the legend.

    Raises InputError for an empty schedule, one that was cut, or more machines than a page can show.
    """
    from matplotlib.patches import Patch

    owners = [u for u, row in enumerate(data["organizations"]) for _ in range(row["machines"])]
    if not data["schedule"]:
        raise InputError("--plot: nothing was started before the end")
    if data["schedule_left_out"]:
        raise InputError(f"--plot: the record lists {len(data['schedule'])} starts; --list N lists more")
    if len(owners) > MACHINES_MAX:
        raise InputError(f"--plot: found {len(owners)} machines; a page shows at most {MACHINES_MAX}")
    figure = new_figure(height=1.2 + 0.3 * len(owners))
    axes = figure.subplots()
    for u in range(len(data["organizations"])):
        mine = [start for start in data["schedule"] if start[1] == u + 1]
        axes.barh(
            [len(owners) - machine for _, _, _, machine in mine],
            [end - start[0] for start, end in zip(data["schedule"], data["ends"], strict=True) if start[1] == u + 1],
            left=[start for start, _, _, _ in mine],
            height=0.7,
            linewidth=0.6,
            **style(u),
        )
    names = [row["name"] for row in data["organizations"]]
    axes.set_yticks(
        [len(owners) - 1 - i for i in range(len(owners))], [f"{names[u]} {i + 1}" for i, u in enumerate(owners)]
    )
    axes.set_xlim(0, data["until"])
    axes.set_xlabel("time")
    axes.set_title(data["scenario"] or "", fontsize=9, loc="left")
    entries = [Patch(label=_label(row), **style(u)) for u, row in enumerate(data["organizations"])]
    figure.legend(handles=entries, loc="outside lower center", ncols=3, fontsize=7, frameon=False)
    return figure


def _label(row: Mapping[str, Any]) -> str:
    given = "" if row["contribution"] is None else f", contribution {_short(row['contribution'])}"
    return f"{row['name']}: utility {_short(row['utility'])}{given}"


def _short(value: int | str) -> str:
    if isinstance(value, str) and "/" in value:
        top, bottom = value.split("/")
        return f"{int(top) / int(bottom):.4g}"
    return str(value)
