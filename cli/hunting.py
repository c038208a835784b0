"""The command ``hunt``: what is known of the claim is said first, then what was found, as a scenario."""

from __future__ import annotations

import os
import sys
from typing import Annotated, Any, Final

import typer

from ..support.files import check_destination
from .exits import exit_code
from .files import overrides
from .help import build_command, parameter
from .output import escaped, fail, progress_bar, show_record
from .verbs import Json, Settings, chosen_options, option_parameters

HELP: Final = """Hunt an instance on which a rule breaks a promise.

Random instances, then local search around near misses; what is found is shrunk and printed as a scenario.
Exit code 1: found; 3: not found within the limit, which proves nothing.

Example: consortium hunt --rule light-vcg --claim just"""


def command() -> Any:
    """The command, as the argument parser wants it."""
    from ..studies.hunting.target import Hunt

    about = "Write the scenario here, not to the screen; those that it is compared with go beside it."
    output = Annotated[str | None, typer.Option("--output", "-o", metavar="FILE", help=about)]
    tail = [
        parameter("settings", Settings, None),
        parameter("output", output, None),
        parameter("as_json", Json, False),
    ]
    return build_command(_hunt, [*option_parameters({"": Hunt}), *tail], "hunt", HELP)


def _hunt(settings: list[str] | None, output: str | None, as_json: bool, **options: Any) -> None:
    from ..scenarios.toml import dumps
    from ..studies.hunting.hunt import HuntRecord, write_scenarios
    from ..studies.hunting.target import Hunt, Target
    from ..verbs.dispatch import ask
    from ..verbs.options import read_options
    from ..verbs.records import jsonable

    if ":" in (options["rule"] or ""):
        sys.path.insert(0, os.getcwd())  # a custom rule, in a file of the current folder
    chosen, changed = chosen_options(options), overrides(settings)
    request = read_options(Hunt, chosen, "hunt", "command")
    if output is not None:
        check_destination(output, "--output")
    target = Target.named(request, changed)
    if note := target.note(request):
        fail(f"--{note}")
    fail(f"{target.claim} of {request.rule}: {target.claim_status}")
    with progress_bar("hunt") as progress:
        record = ask("hunt", changed, chosen, progress=progress, door="command")
    assert isinstance(record, HuntRecord)
    show_record(record, as_json)
    if output is None and not as_json:
        for scenario in jsonable(record.scenarios):
            print(f"\n{escaped(dumps(scenario))}", end="")
    if output is not None:
        for file in write_scenarios(record, output):
            fail(f"wrote {file}")
    raise typer.Exit(exit_code(record.status))
