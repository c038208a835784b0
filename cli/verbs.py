"""The commands of verbs, made from the kinds: options, help and parsing are those of the models that every door reads.

``consortium --help`` lists the verbs of :data:`HELP` and imports nothing; a command is put together when it is called.
Its options are the union over all kinds that have the verb.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from inspect import Parameter
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from ..mechanisms.kinds import GAME, Source, typed, verbs_of
from ..support.errors import ConsortiumError, NotKeptError, unknown_name
from ..support.loading import load, usable
from . import files
from .exits import exit_code
from .files import overrides
from .help import HELP_FLAGS, OUTPUT, build_command, parameter
from .output import fail, progress_bar, show_estimate, show_record

if TYPE_CHECKING:
    from pydantic.fields import FieldInfo

    from ..verbs.options import Options
    from ..verbs.records import Record

HELP: Final[Mapping[str, str]] = MappingProxyType(
    {
        "run": """Play a scenario and show what happens.

Example: consortium run agmon2003/5.2.1 --set mechanism.rule=vcg-postpone""",
        "search": """Search equilibria, and what they cost.

Pure equilibria, best-response dynamics, smallest epsilon and regret, prices of anarchy and stability.

Example: consortium search agmon2003/5.2.1 --json""",
        "verify": """Check what a rule promises, case by case.

Every case of the scenario's domain is tried; what fails comes with a case that replays.

Example: consortium verify agmon2003/5.2.1""",
        "prove": """Prove or refute what a rule promises, for all real lengths.

Exit code: that of the verdict asked for; 3 only where that one is open.

Example: consortium prove agmon2003/7.3-vcg-postpone --property dominant

Example: consortium prove shapes/sharp-price --property price-of-anarchy --at-most 3/2""",
        "design": """Design the best payments, or show why there are none.

Who runs where and what job control does are the scenario's; the payments are the best of all that are possible on
its domain, with the proof. Exit code: 1 where there are none, 3 where that is open.

Example: consortium design agmon2003/6.10-makespan-enumerated --concept ex-post""",
        "compare": """Compare rules on the same agents and jobs.

Example: consortium compare agmon2003/5.2.1 --rules light-vcg,vcg-renice,vcg-postpone""",
        "curve": """Show an agent's utility against what she declares.

Exact pieces, kinks and jumps; everybody else declares what the scenario says.

Example: consortium curve agmon2003/5.2.1 ann --from 0.05 --to 3""",
        "audit": """Replay a cluster's log: is it shared fairly?

The log is replayed under every rule, and what each organization gets is measured against what it contributes.

Other questions: audit gaming, audit switch, audit trend (./gaming is a file of that name).

Example: consortium audit LPC-EGEE-2004-1.2-cln.swf.gz --organizations group --windows 5""",
        "audit_gaming": """Search who could game the rule in force.

Jobs are split, merged, delayed and padded under the rule in force; what pays comes as scenarios that replay.

Example: consortium audit gaming LPC-EGEE-2004-1.2-cln.swf.gz --organizations group --windows 1 --tries 20""",
        "audit_switch": """Say who would win and who would lose by another rule.

The same windows are replayed under the rule in force and under the others.

Example: consortium audit switch LPC-EGEE-2004-1.2-cln.swf.gz --organizations group --windows 5 --to fifo""",
        "audit_trend": """Show unfairness over time, of the windows in a store.

The store is one that audits write, week after week: consortium audit site.swf.gz --store weeks.db

Example: consortium audit trend weeks.db --every week""",
    }
)
"""What the command line says of the verbs of the shipped kinds, an example in each."""

SOURCES: Final[Mapping[Source, tuple[str, Any, str]]] = MappingProxyType(
    {
        "scenario": ("scenario", str, "Path of a scenario file, or the name of a shipped scenario."),
        "scenarios": ("scenarios", list[str], "Scenarios: one (with --rules), or several over the same agents."),
        "log": (
            "log",
            str,
            "A job log: SWF or a Slurm dump (sacct -P), plain or gzip; also looked up in $CONSORTIUM_TRACES.",
        ),
        "store": ("store", str, "A store: the file in which audits of a log keep their windows."),
    }
)
"""Name, type and help of what a verb takes."""
PLAYED: Final = "Path of a scenario file, or of a game ({}); or the name of a shipped scenario."
"""The help of a scenario where a game of one's own may take its place."""

Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="PATH=VALUE",
        help="Change a value, e.g. mechanism.rule=vcg-renice or agents.ann.declares=1/2. Repeatable.",
    ),
]
AsJson = Annotated[bool, typer.Option("--json", rich_help_panel=OUTPUT, help="Print it as JSON.")]
DryRun = Annotated[
    bool,
    typer.Option(
        "--dry-run", rich_help_panel=OUTPUT, help="Print the size of the space and the estimated cost, nothing else."
    ),
]


def verb_of(text: str, names: Iterable[str]) -> str:
    """The verb that somebody typed, of those that there may be. Raises UnknownNameError."""
    by_text = {typed(name): name for name in names}
    if text not in by_text and text not in by_text.values():
        raise unknown_name("verb", text, by_text)
    return by_text.get(text, text)


def command(verb: str, arguments: Sequence[str] = ()) -> Any:
    """The command of a verb, as the argument parser wants it.

    Where the arguments ask for help on a scenario, its options are those that fit the scenario's kind.
    """
    from ..verbs.dispatch import GAME_FILES

    owners = verbs_of(verb)
    if (kind := _kind_of_help(arguments)) in owners:
        owners = {kind: owners[kind]}
    models = usable(owners, lambda kind: load(owners[kind].options))
    first = next(iter(owners.values()))
    name, kind_of_source, about = SOURCES[first.takes]
    about = PLAYED.format(", ".join([*GAME_FILES, "FILE.py:Name"])) if GAME.name in owners else about
    completion = None if first.takes == "log" else complete_scenario
    argument = typer.Argument(help=about, show_default=False, autocompletion=completion)
    parameters = [parameter(name, Annotated[kind_of_source, argument])]
    parameters += option_parameters(models)
    if first.takes in ("scenario", "scenarios"):
        parameters.append(parameter("settings", Settings, None))
    parameters += [parameter("as_json", AsJson, False), parameter("dry_run", DryRun, False)]
    parameters += files.parameters(jobs=any(entry.jobs for entry in owners.values()))

    def call(**arguments: Any) -> None:
        source, settings = arguments.pop(name), arguments.pop("settings", None)
        as_json, dry_run, outputs = arguments.pop("as_json"), arguments.pop("dry_run"), files.taken(arguments)
        options = chosen_options(arguments)
        execute(verb, source, overrides(settings), options, as_json=as_json, dry_run=dry_run, outputs=outputs)

    return build_command(call, parameters, typed(verb), HELP.get(verb, first.summary))


def complete_scenario(incomplete: str) -> list[str]:
    """Names of shipped scenarios that begin as what is typed, for the shell; files are completed by the shell."""
    from ..scenarios.reader import shipped

    return [name for name in shipped() if name.startswith(incomplete)]


def _kind_of_help(arguments: Sequence[str]) -> str:
    """Kind of the scenario that arguments name beside ``--help``; empty without one that can be read."""
    if not HELP_FLAGS & set(arguments):
        return ""
    from ..scenarios.reader import load as load_scenario

    for word in arguments:
        if not word.startswith("-"):
            with suppress(ConsortiumError):
                return load_scenario(word).kind
    return ""


def option_parameters(models: Mapping[str, type[Options]]) -> list[Parameter]:
    """Parameters of the options of several kinds; what some of them lack is said with the kinds that have it."""
    from ..verbs.options import Options, describe_option, flag_of, place_of, written

    fields: dict[str, dict[str, FieldInfo]] = {}
    for kind, model in models.items():
        for name, info in model.model_fields.items():
            if "command" in flag_of(info).doors:
                fields.setdefault(name, {})[kind] = info
    parameters = []
    for name, by_kind in sorted(fields.items(), key=lambda item: item[0] in Options.model_fields):  # common ones last
        info = next(iter(by_kind.values()))
        flag, about = flag_of(info), describe_option(by_kind, everybody=len(by_kind) == len(models))
        if flag.positional:
            argument = typer.Argument(metavar=flag.metavar, help=about, show_default=False)
            parameters.append(parameter(name, Annotated[str, argument]))
            continue
        label, rare = f"--{written(name, info)}", all(place_of(each).rare for each in by_kind.values())
        listed: dict[str, Any] = {"help": about, "rich_help_panel": place_of(info).group or None, "hidden": rare}
        if flag.metavar:
            option = typer.Option(label, metavar=flag.metavar, show_default=False, **listed)
            parameters.append(parameter(name, Annotated[str | None, option], None))
        else:
            parameters.append(parameter(name, Annotated[bool, typer.Option(label, **listed)], False))
    return parameters


def chosen_options(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Options the user gave; the verb's own defaults hold for the rest."""
    return {name: value for name, value in arguments.items() if value is not None and value is not False}


def execute(
    verb: str,
    source: Any,
    changed: dict[str, Any],
    options: dict[str, Any],
    as_json: bool,
    dry_run: bool,
    outputs: files.Files,
) -> None:
    """Answer a verb and print its record (or, for a dry run, the estimate); leave with the exit code of its status."""
    from ..verbs import dispatch

    outputs.check()
    if dry_run:
        estimate = dispatch.estimate(verb, source, options, overrides=changed, door="command")
        show_estimate(estimate.to_dict(), as_json)
        return
    try:
        with progress_bar(verb) as progress:
            record: Record = dispatch.ask(
                verb,
                source,
                options,
                overrides=changed,
                progress=progress,
                door="command",
                drawn=outputs.plot is not None,
                figures=outputs.drawn,
            )
    except NotKeptError as error:
        show_record(error.record, as_json)  # type: ignore[arg-type]  # which the floor of errors does not know
        raise
    show_record(record, as_json)
    certificate = getattr(record, "certificate", None)  # of a proof: its path, or a row that has it
    if certificate is None and options.get("certificate"):
        fail(f"{options['certificate']}: nothing is written, for nothing was found that a certificate shows")
    for path in (getattr(certificate, "file", certificate), getattr(record, "output", None)):
        if isinstance(path, str):
            fail(f"wrote {path}")
    outputs.write(record)
    raise typer.Exit(exit_code(record.status))
