"""What other distributions announce may be broken in any way: one warning, whatever the command."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from ..distribution import command, make_distribution

KIND = """
from consortium.mechanisms.kinds import Kind, Verb
KIND = Kind("ghost", "nobody", (Verb("run", "absent:run", "absent:Run", "absent:tables"),), reader="absent:FORMAT",
            folder="absent.scenarios", importer="absent:IMPORTER", hunting="absent:HUNTING", panel="absent:Panel")
"""
ENDINGS = {
    "an error": "1 / 0",
    "a missing module": "import absent",
    "an end of the process": "import sys; sys.exit(0)",
    "a Ctrl-C of its own": "raise KeyboardInterrupt",
    "an endless recursion": "def again(): again()\nagain()",
    "something else": "KIND = RULE = GOAL = 5",
}
GROUPS = {
    "kinds": ("ghost", "KIND"),
    "rules": ("ghost", "RULE"),
    "goals": ("ghost", "GOAL"),
    "utilities": ("ghost", "GOAL"),
    "families": ("federation/ghost", "GOAL"),
}
BROKEN: Mapping[str, tuple[str, str, str]] = {
    **{f"{how} in {group}": (f"consortium.{group}", source, "") for group in GROUPS for how, source in ENDINGS.items()},
    "a kind without its parts": ("consortium.kinds", KIND, ""),
    "an entry that is no reference": ("consortium.rules", "", "ghost = no reference!"),
    "an entry without a value": ("consortium.rules", "", "ghost"),
    "entries that are no text": ("consortium.rules", "", "\udcff\udcfe = ghost:RULE"),
}
COMMANDS = (
    "--help", "run minimal/federation", "rules federation", "scenarios multiuser", "families multiuser", "run --help",
    "import --help", "schema declaration", "schema sharing",
)  # fmt: skip
LISTING = {
    "kinds": "run --help",
    "rules": "rules federation",
    "goals": "schema declaration",
    "utilities": "schema sharing",
    "families": "families multiuser",
}
"""Commands that list what there is of a group."""
NAMED = {
    "consortium.kinds": (["schema", "ghost"],),
    "consortium.rules": (
        ["rules", "federation", "ghost"],
        ["run", "minimal/federation", "--set", "mechanism.rule=ghost"],
    ),
    "consortium.goals": (["run", "minimal/declaration", "--set", "welfare.goal=ghost"],),
    "consortium.utilities": (["run", "minimal/sharing", "--set", "mechanism.utility=ghost"],),
    "consortium.families": (),
}


@pytest.mark.parametrize("how", BROKEN)
def test_a_broken_distribution_costs_one_warning(how: str, tmp_path: Path) -> None:
    """Everything else works as without it; who names it is told the reason, with exit code 2."""
    group, source, entry = BROKEN[how]
    name, thing = GROUPS[group.partition(".")[2]]
    make_distribution(tmp_path, "broken", {"ghost": source}, {group: {name: f"ghost:{thing}"}})
    if entry:
        lines = f"[{group}]\n{entry}\n".encode(errors="surrogateescape")
        (tmp_path / "broken-1.dist-info" / "entry_points.txt").write_bytes(lines)
    for words in COMMANDS if how.startswith(("an error", "a kind", "an entry")) else ("--help", LISTING[group[11:]]):
        done = command(tmp_path, *words.split())
        warnings = [line for line in done.stderr.splitlines() if line.startswith("warning: ")]
        assert (done.returncode, done.stdout != "", done.stderr.splitlines()) == (0, True, warnings), words
        assert (words == LISTING[group[11:]]) <= len(warnings) <= (2 if how == "a kind without its parts" else 1), words
        assert all("ghost" in line or "broken" in line for line in warnings), warnings
    for arguments in NAMED[group]:
        done = command(tmp_path, *arguments)
        error = done.stderr.splitlines()[-1]
        named = "ghost" in error or "absent:" in error  # the thing, or the part of it that there is not
        assert (done.returncode, done.stdout, error[:7], named) == (2, "", "error: ", True), arguments
