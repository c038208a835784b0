"""Write one reference page per package folder, so that the reference is always what the docstrings say."""

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ROOMS = {
    "scheduling": "Machines, work functions, allocations, welfare, optimisers",
    "agents": "Who owns jobs, what they value, how they may play",
    "workloads": "Where jobs come from",
    "mechanisms": "The rules",
    "games": "Equilibria, prices, incentive checks",
    "scenarios": "The scenario format",
    "verbs": "What each verb does for each kind",
    "reports": "Tables and figures",
}


def modules(room: str) -> list[str]:
    """Dotted names of a room's public modules."""
    names = []
    for path in sorted((ROOT / room).rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        if parts[-1] == "__init__":
            parts = parts[:-1]
        if not any(part.startswith("_") for part in parts):
            names.append(".".join(("consortium", *parts)))
    return sorted(names)


def write_all(folder: Path) -> None:
    """Write reference/<room>.md for every room that exists."""
    folder.mkdir(exist_ok=True)
    (folder / "api.md").write_text("# The verbs\n\n```{eval-rst}\n.. automodule:: consortium.api\n```\n")
    for room, what in ROOMS.items():
        if not (ROOT / room).exists():
            continue
        lines = [f"# {room}: {what[0].lower()}{what[1:]}", ""]
        for name in modules(room):
            lines += [f"## `{name}`", "", "```{eval-rst}", f".. automodule:: {name}", "```", ""]
        (folder / f"{room}.md").write_text("\n".join(lines))
