"""Write the reference by theme: a page per theme that lists public names, and a page per name.

Public is what a room's stub (``__init__.pyi``) names; kernels and other machinery are in no stub. The pages are written
by the build, so the reference is always what the docstrings say.
"""

from __future__ import annotations

import ast
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent


class Theme(NamedTuple):
    """One page: its file name, title, what it is about, and the rooms whose names it lists."""

    name: str
    title: str
    about: str
    rooms: tuple[str, ...]


THEMES = (
    Theme("verbs", "Verbs and records", "What can be asked, in one list, and what comes back.", ("", "verbs")),
    Theme("scenarios", "Scenarios", "Files and dicts that describe who plays under what.", ("scenarios",)),
    Theme("agents", "Agents", "Who owns jobs, what they value, how they may play.", ("agents",)),
    Theme(
        "rules-declaration",
        "Mechanisms: one owner asks for lengths",
        "Payments, penalties and job control of Agmon 2003.",
        ("mechanisms/declaration",),
    ),
    Theme(
        "rules-federation",
        "Mechanisms: organizations pool machines",
        "Central schedules and coordination mechanisms of Cordeiro 2012, chapters 3 to 5.",
        ("mechanisms/federation",),
    ),
    Theme(
        "rules-multiuser",
        "Mechanisms: users share machines",
        "Pareto sets and fairness of Cordeiro 2012, chapter 6.",
        ("mechanisms/multiuser",),
    ),
    Theme(
        "rules-sharing",
        "Mechanisms: an on-line pool",
        "Shapley-fair schedulers and fair shares of Skowron and Rzadca 2013, 2014.",
        ("mechanisms/sharing",),
    ),
    Theme("games", "Games and equilibria", "Models, solvers and checkers of any game.", ("games",)),
    Theme(
        "incentives",
        "Incentive compatibility",
        "Whether the truth is a best reply, and the properties around it.",
        ("games/incentives",),
    ),
    Theme("logs", "Job logs and random families", "Where jobs come from.", ("workloads",)),
    Theme(
        "scheduling",
        "Machines, allocations, welfare",
        "The ground floor: clusters, goals, optimisers, list schedules.",
        ("scheduling", "scheduling/goals"),
    ),
)


def public(room: str) -> list[str]:
    """Full names in a room's stub, in its order."""
    stub = ROOT / room / "__init__.pyi"
    place = ".".join(("consortium", *Path(room).parts))
    names = [
        alias.asname or alias.name
        for node in ast.parse(stub.read_text()).body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    ]
    return [f"{place}.{name}" for name in names]


def page(theme: Theme) -> str:
    """Markdown of a theme's page."""
    lines = [f"# {theme.title}", "", theme.about, "", "```{eval-rst}", ".. autosummary::", "   :toctree: names", ""]
    seen: set[str] = set()
    for room in theme.rooms:
        for full in public(room):
            if full.rpartition(".")[2] not in seen:
                lines.append(f"   {full}")
                seen.add(full.rpartition(".")[2])
    return "\n".join([*lines, "```", ""])


def write_all(folder: Path) -> None:
    """Write a page per theme into a folder, and the page that lists them."""
    folder.mkdir(exist_ok=True)
    for theme in THEMES:
        (folder / f"{theme.name}.md").write_text(page(theme))
