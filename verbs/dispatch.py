r"""From a verb's name and whatever was given to the function that answers: the same way for Python, commands and files.

The kind of the source decides which function, and which model of options, stand behind the name; both are references
of :mod:`consortium.mechanisms.kinds`, so a kind of another distribution is asked like ours.

Scenarios are read with the options that their files expect answers to, which are checked with everything else.

>>> try:
...     load({"format": 1, "kind": "declaration", "expect": {"search": {"options": {"lits": 2}}}})
... except ValueError as error:
...     print(*(line.partition("; ")[0] for line in str(error).splitlines()), sep="\n")
scenario: expect.search.options.lits: found an unknown key
scenario: cluster: found nothing
scenario: agents: found nothing
scenario: mechanism: found nothing
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final, cast

from ..mechanisms.custom import Named, defined_at, named
from ..mechanisms.kinds import GAME, HUNT, Kind, Verb, foreign_verbs, is_custom, kinds, shipped_verb, verbs_of
from ..mechanisms.kinds import Source as TakenSource
from ..mechanisms.kinds import kind as find_kind
from ..scenarios import reader
from ..scenarios.blocks import check_keys, read_block
from ..scenarios.problems import Problems
from ..scenarios.reader import Source
from ..scenarios.scenario import Scenario
from ..support.errors import (
    ConsortiumError,
    InputError,
    MechanismError,
    NotKeptError,
    OutOfMemoryError,
    quote,
    unknown_name,
)
from ..support.loading import PYTHON
from ..support.loading import load as load_reference
from ..support.numbers import Floats, meaning
from ..support.progress import ProgressLike, received
from ..support.units import memory_text
from .options import Door, Options, flag_of, for_figures, read_options
from .records import Estimate, Record
from .request import Request

GAME_FILES: Final = (".nfg", ".efg")
"""How the names of Gambit's files end."""
LOG_FILES: Final = (".swf", ".swf.gz")
"""How the names of job logs end."""
ELSEWHERE: Final[Mapping[tuple[str, ...], str]] = {
    GAME_FILES: "a game, which search takes",
    LOG_FILES: "a job log, which audit and import take",
    (".json", ".json.gz"): "a record, which check and report take",
}
"""What files of other names are, and where they are asked about."""
SCENARIO: Final = (str, os.PathLike, Mapping, Scenario)


def ask(
    verb: str,
    source: Any,
    options: Mapping[str, Any],
    *,
    overrides: Mapping[str, Any] | None = None,
    progress: ProgressLike = None,
    door: Door = "python",
    drawn: bool = False,
    figures: bool = False,
) -> Record:
    """Answer a verb. Raises ScenarioError, InputError or UnknownNameError when source or options cannot be used.

    ``source``: a scenario (path, shipped name, dict, loaded); several of them for a verb that compares; a game of one's
    own for ``search``; the path of a log for a verb that takes one; values by path for ``hunt``. ``options``, ``door``:
    see :func:`consortium.verbs.options.read_options`. ``drawn``: the record will be drawn: where nothing is drawn of
    such records, no work is done. ``figures``: options that figures need and that are not given are switched on.
    """
    verb_of_kind, prepared, chosen = _prepared(verb, source, options, overrides, door)
    if drawn and not verb_of_kind.figure:
        raise InputError(f"{verb}: nothing is drawn of its records on {_named(prepared)}; ask without a figure")
    chosen = for_figures(chosen) if figures else chosen
    try:
        with received(progress, verb) as report:
            record: Record = load_reference(verb_of_kind.function)(prepared, chosen, report)
    except NotKeptError as error:
        partial = cast(Record, error.record)
        raise NotKeptError(str(error), _with_request(partial, prepared, chosen)) from None
    except MechanismError as error:
        raise _with_line(error, chosen) from error.__cause__
    except MemoryError as error:
        raise OutOfMemoryError(_too_large(verb_of_kind, prepared, chosen, str(error))) from None
    except ConsortiumError:
        raise
    except Exception as error:
        error.add_note(f"raised while consortium answered {verb} of {_named(prepared)}")
        raise
    return _with_request(record, prepared, chosen)


def _with_line(error: MechanismError, chosen: Options) -> MechanismError:
    """An error of a custom rule with the line of its file where it is defined, if it names no line yet."""
    rules = [getattr(chosen, "mechanism", None), *dict(getattr(chosen, "rules", None) or {}).values()]
    places = filter(None, (defined_at(rule, str(error)) for rule in rules if not isinstance(rule, str | None)))
    if ".py:" not in str(error) and (place := next(places, "")):
        error.args = (f"{error} ({place})",)
    return error


def _with_request(record: Record, source: Any, options: Options) -> Record:
    about = record.game if record.kind == GAME.name and not isinstance(source, Named) else source
    return record.answering(Request(record.verb, about, _chosen(options), record.scenario))


def _chosen(options: Options) -> dict[str, Any]:
    """Options given that change the answer: those that a file may hold too, and custom objects."""
    chosen = {}
    for name in sorted(options.model_fields_set):
        value, flag = getattr(options, name), flag_of(type(options).model_fields[name])
        if value is not None and (flag.custom or flag.doors != {"python", "command"}):
            chosen[name] = value
    return chosen


def _too_large(verb: Verb, source: Any, chosen: Options, reason: str) -> str:
    """What did not fit into memory, and what the estimate says of it."""
    about = f"{verb.name} of {_named(source)}: not enough memory{f' ({reason})' if reason else ''}"
    with suppress(Exception):  # the error at hand matters more than whatever goes wrong here
        expected: Estimate = load_reference(verb.estimate)(source, chosen)
        about += f"; the estimate is {expected.size:,} {expected.unit}"
        if expected.memory_bytes is not None:
            about += f" and {memory_text(expected.memory_bytes)}"
    return about


def _named(source: Any) -> str:
    """A name of what was asked about: of the scenarios, of a file, or of the class of a game."""
    if isinstance(source, Scenario):
        return source.name
    if isinstance(source, str | os.PathLike):
        return os.fspath(source)
    if isinstance(source, Named):
        return source.reference
    if isinstance(source, Sequence) and all(isinstance(each, Scenario) for each in source):
        return ", ".join(each.name for each in source)
    return type(source).__name__


def estimate(
    verb: str,
    source: Any,
    options: Mapping[str, Any],
    *,
    overrides: Mapping[str, Any] | None = None,
    door: Door = "python",
) -> Estimate:
    """Size of the space and estimated cost of a verb, without doing the work; see :func:`ask`."""
    verb_of_kind, prepared, chosen = _prepared(verb, source, options, overrides, door)
    if not verb_of_kind.estimate:
        raise InputError(f"{verb}: there is no estimate of this verb")
    result: Estimate = load_reference(verb_of_kind.estimate)(prepared, chosen)
    return result


def _prepared(
    verb: str, source: Any, options: Mapping[str, Any], overrides: Mapping[str, Any] | None, door: Door
) -> tuple[Verb, Any, Options]:
    """The verb of the source's kind, the source as it takes it, and the options checked."""
    takes = takes_of(verb)
    if takes == "overrides":
        if not isinstance(source, Mapping):
            raise InputError(f"overrides: found {quote(source)}; expected a table of values by path")
        return HUNT, source, read_options(load_reference(HUNT.options), options, verb, door)
    if takes in ("log", "store"):
        if not isinstance(source, str | os.PathLike):
            raise InputError(f"{verb}: found {type(source).__name__}; expected the path of a {takes}")
        name, verb_of_kind = next(iter(verbs_of(verb).items()))
        return verb_of_kind, source, options_of(find_kind(name), verb_of_kind, options, door)
    if is_game(source) and any(each.name == verb for each in GAME.verbs):
        source = named(source) if isinstance(source, str) and not source.endswith(GAME_FILES) else source
        return GAME.verb(verb), source, options_of(GAME, GAME.verb(verb), options, door)
    several = takes == "scenarios"
    scenarios = _loaded(verb, source, overrides, meaning(options.get("floats")), several)
    kind = find_kind(scenarios[0].kind)
    verb_of_kind = kind.verb(verb)
    return verb_of_kind, scenarios if several else scenarios[0], options_of(kind, verb_of_kind, options, door)


def takes_of(verb: str) -> TakenSource:
    """What a verb takes. Raises UnknownNameError; other distributions are looked up only for what is not ours."""
    named = (shipped_verb(verb) or foreign_verbs().get(verb)) if isinstance(verb, str) else None
    if named is None:
        raise unknown_name("verb", verb, {each.name for kind in kinds() for each in kind.verbs})
    return named.takes


def is_game(source: Any) -> bool:
    """Whether a source is no scenario but a custom game: an object, its name, payoff arrays, or a Gambit file."""
    if isinstance(source, str | os.PathLike):
        place, _, name = os.fspath(source).rpartition(":")
        return name.endswith(GAME_FILES) or (place.endswith(PYTHON) and is_custom(os.fspath(source)))
    return not isinstance(source, SCENARIO)


def refuse_others(verb: str, source: object) -> None:
    """Send a file that by its name is no scenario to the verbs that take it. Raises InputError."""
    if isinstance(source, str | os.PathLike):
        name = os.fspath(source)
        for ends, what in ELSEWHERE.items():
            if name.endswith(ends) and os.path.isfile(name):
                able = verbs_of(verb)  # empty for what is no verb of a kind
                if ends is LOG_FILES and able and not able.keys() & verbs_of("audit").keys():
                    made = " or ".join(each for each in able if find_kind(each).importer)
                    what = f"a job log, which import makes a scenario of (kind {made})"
                raise InputError(f"{verb}: found {name}, {what}; expected a scenario")


def _loaded(
    verb: str, source: Source | Iterable[Source], overrides: Mapping[str, Any] | None, floats: Floats, several: bool
) -> Sequence[Scenario]:
    if isinstance(source, SCENARIO):
        refuse_others(verb, source)
        return [load(source, overrides, floats)]
    if not several or not isinstance(source, Iterable):
        what = "a scenario" + (", or several of them" if several else ": a path, a shipped name, a dict or a Scenario")
        raise InputError(f"{verb}: found {type(source).__name__}; expected {what}")
    named = list(source)
    for each in named:
        refuse_others(verb, each)
    loaded = [load(each, overrides, floats) for each in named]
    if not loaded:
        raise InputError(f"{verb}: found no scenario; expected at least one")
    kinds_found = sorted({scenario.kind for scenario in loaded})
    if len(kinds_found) > 1:
        raise InputError(f"{verb}: the scenarios are of different kinds: {', '.join(kinds_found)}; expected one kind")
    return loaded


def options_of(kind: Kind, verb: Verb, options: Mapping[str, Any], door: Door) -> Options:
    """The options of a verb of a kind, checked."""
    model: type[Options] = load_reference(verb.options)
    return read_options(model, options, f"{verb.name} on kind {kind.name!r}", door)


def load(source: Source, overrides: Mapping[str, Any] | None = None, floats: Floats = "refuse") -> Scenario:
    """Read and check a scenario, ``[expect.VERB.options]`` included; see :func:`consortium.scenarios.reader.load`."""
    return reader.load(source, overrides, floats, options=_options)


def _options(verb: Verb, options: Mapping[str, Any], path: str, problems: Problems) -> None:
    """Note what is wrong with options that a file gives to a verb."""
    model: type[Options] = load_reference(verb.options)
    names = [name for name, info in model.model_fields.items() if "file" in flag_of(info).doors]
    check_keys(options, names, path, problems)
    read_block(model, {name: options[name] for name in names if options.get(name) is not None}, path, problems)
