"""The commands that make scenarios: ``import`` from a job log, ``hunt`` such as break what a rule promises."""

from __future__ import annotations

from typing import Annotated, Any, Final

import typer

from ..support.files import check_destination
from .exits import exit_code
from .files import overrides
from .help import build_command, parameter
from .output import escaped, fail, progress_bar, show_json, show_record
from .verbs import SOURCES, AsJson, Settings, chosen_options, option_parameters

IMPORT: Final = """Make a scenario from a real job log.

What was left out of the log is told on stderr.

Example: consortium import LPC-EGEE-2004-1.2-cln.swf.gz --kind declaration --agents 6 --machines 3 -o lpc.toml"""


def import_log() -> Any:
    """The command ``import``, as the argument parser wants it."""
    from ..verbs.importing import option_models

    models = option_models()
    name, source, about = SOURCES["log"]
    output = typer.Option("--output", "-o", metavar="FILE", help="Write the scenario here, not to the screen.")
    zero = typer.Option("--zero", help="Jobs of run time 0: drop them, or count them as one second.", hidden=True)
    head = [
        parameter(name, Annotated[source, typer.Argument(help=about, show_default=False)]),
        parameter("kind", Annotated[str, typer.Option("--kind", help=", ".join(models), show_default=False)], ...),
        parameter("output", Annotated[str | None, output], None),
        parameter("zero", Annotated[str, zero], "drop"),
        parameter("as_json", Annotated[bool, typer.Option("--json", help="Print the scenario as JSON.")], False),
    ]
    return build_command(_import, [*head, *option_parameters(models)], "import", IMPORT)


def _import(log: str, kind: str, output: str | None, zero: str, as_json: bool, **options: Any) -> None:
    from ..scenarios.scenario import plain
    from ..scenarios.toml import dumps, write
    from ..verbs.importing import build

    imported = build(log, kind, output=output, zero=zero, door="command", **chosen_options(options))  # type: ignore[arg-type]
    fail(str(imported.report))
    if output is not None:
        write(imported.scenario, output)
        fail(f"wrote {output}")
    elif as_json:
        show_json(plain(imported.scenario))
    else:
        print(escaped(dumps(imported.scenario)), end="")


HUNT: Final = """Hunt an instance on which a rule breaks a promise.

Random instances, then local search around near misses; what is found is shrunk and printed as a scenario.
Exit code 1: found; 3: not found within the limit, which proves nothing. With --largest the limit ends it (3).

Example: consortium hunt --rule light-vcg --claim just"""


def hunt() -> Any:
    """The command ``hunt``, as the argument parser wants it."""
    from ..studies.hunting.target import Hunt

    about = "Write the scenario here, not to the screen; those that it is compared with go beside it."
    output = Annotated[str | None, typer.Option("--output", "-o", metavar="FILE", help=about)]
    tail = [
        parameter("settings", Settings, None),
        parameter("output", output, None),
        parameter("as_json", AsJson, False),
    ]
    return build_command(_hunt, [*option_parameters({"": Hunt}), *tail], "hunt", HUNT)


def _hunt(settings: list[str] | None, output: str | None, as_json: bool, **options: Any) -> None:
    from ..scenarios.toml import dumps
    from ..studies.hunting.hunt import HuntRecord, write_scenarios
    from ..studies.hunting.target import Hunt, Target
    from ..verbs.dispatch import ask
    from ..verbs.options import read_options
    from ..verbs.records import jsonable

    chosen, changed = chosen_options(options), overrides(settings)
    request = read_options(Hunt, chosen, "hunt", "command")
    if output is not None:
        check_destination(output, "--output")
    target = Target.named(request, changed)
    if note := target.note(request):
        fail(f"--{note}")
    if target.claim is not None:
        fail(f"{target.claim} of {target.rule}: {target.claim_status}")
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
