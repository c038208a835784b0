"""The command ``import``: its options are the union over all kinds that are made from logs."""

from __future__ import annotations

import inspect
from typing import Annotated, Any, Final

import typer

from ..mechanisms.kinds import kinds
from .help import build_command, parameter
from .output import escaped, fail, show_json
from .verbs import SOURCES, chosen_options, option_parameters

HELP: Final = """Make a scenario from a real job log.

What was left out of the log is told on stderr.

Example: consortium import LPC-EGEE-2004-1.2-cln.swf.gz --kind declaration --agents 6 --machines 3 -o lpc.toml"""


def command() -> Any:
    """The command, as the argument parser wants it."""
    from ..verbs.importing import importer

    models = {kind.name: importer(kind.name).options for kind in kinds() if kind.importer}
    name, source, about = SOURCES["log"]
    kind_help = ", ".join(models)
    head: dict[str, tuple[Any, Any]] = {
        name: (Annotated[source, typer.Argument(help=about, show_default=False)], inspect.Parameter.empty),
        "kind": (Annotated[str, typer.Option("--kind", help=kind_help, show_default=False)], ...),
        "output": (
            Annotated[
                str | None,
                typer.Option("--output", "-o", metavar="FILE", help="Write the scenario here, not to the screen."),
            ],
            None,
        ),
        "zero": (
            Annotated[
                str,
                typer.Option("--zero", help="Jobs of run time 0: drop them, or count them as one second.", hidden=True),
            ],
            "drop",
        ),
        "as_json": (Annotated[bool, typer.Option("--json", help="Print the scenario as JSON.")], False),
    }
    parameters = [parameter(key, annotation, default) for key, (annotation, default) in head.items()]
    return build_command(_import, [*parameters, *option_parameters(models)], "import", HELP)


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
