r"""Read a scenario from a file, a shipped name, a dict or a :class:`Scenario`, and report everything that is wrong.

>>> scenario = load({"format": 1, "kind": "declaration", "cluster": {"powers": [1]},
...                  "agents": [{"length": 1}], "mechanism": {"rule": "harsh"}})
>>> scenario.spec.agents[0].name, scenario.spec.agents[0].length
('a1', Fraction(1, 1))

``--set PATH=VALUE`` and ``overrides={...}`` put values in the place of those of a scenario. A path is made of keys
between dots. A table in a list is addressed by its name, ``agents.ann.length``, or by its number from 1,
``agents[2].length``; so is any other item of a list. A key or a name with dots, brackets, quotes or ``=`` in it stands
in quotes: ``agents."node.7".length`` (with ``\"`` and ``\\`` inside double quotes, nothing escaped in single ones).

>>> data = {"agents": [{"name": "ann", "length": 1}, {"length": 2}]}
>>> changed(data, {"agents.ann.length": 3, "agents.a2.length": 4, "mechanism.rule": "harsh"}, Problems())
{'agents': [{'name': 'ann', 'length': 3}, {'length': 4}], 'mechanism': {'rule': 'harsh'}}
"""

from __future__ import annotations

import copy
import itertools
import os
import re
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final, TypeAlias

from ..mechanisms.kinds import Kind, Verb, kind, kinds, names
from ..support.errors import nearest
from ..support.files import STDIN, UnreadableError, name_of, read_text
from ..support.loading import folder_of, usable
from ..support.loading import load as load_reference
from ..support.numbers import Floats, meaning, parse_numbers
from . import fields
from .blocks import check_keys, default_prefix, join, listed_names
from .conditions import check as check_conditions
from .problems import MISSING, TOO_MANY, Problem, Problems, ScenarioError, TooManyError, Words, brief, one_of
from .scenario import Format, Scenario
from .toml import parse_text

VERSION = 1
TOP = ("format", "kind", "title", "source", "seed")
SEED_MAX = 2**63 - 1
MAX_BYTES: Final = 16 * 2**20
"""Size of a scenario file; reading one of them takes a quarter of a minute."""
MAX_VALUES: Final = 1_000_000
MAX_DEPTH: Final = 40
SHIPPED = Path(__file__).parent
OptionsCheck: TypeAlias = Callable[[Verb, Mapping[str, Any], str, Problems], None]
"""``check(verb, options, path, problems)`` notes what is wrong with options of a verb that a file gives."""
Source = str | os.PathLike[str] | Mapping[str, Any] | Scenario


def format_of(kind: Kind) -> Format:
    """How the files of a kind are read."""
    result: Format = load_reference(kind.reader)
    return result


def expectable(kind: Kind) -> tuple[str, ...]:
    """Verbs for which a scenario of a kind may state expected values: those that take scenarios."""
    return tuple(verb.name for verb in kind.verbs if verb.takes != "log")


def load(
    source: Source,
    overrides: Mapping[str, Any] | None = None,
    floats: Floats = "refuse",
    options: OptionsCheck | None = None,
) -> Scenario:
    """Read and check a scenario.

    Parameters
    ----------
    source
        Path of a TOML file, name of a shipped scenario (``"agmon2003/5.2.1"``), a dict of the same structure, or a
        scenario already loaded.
    overrides
        Values by path, applied before checking: ``{"mechanism.rule": "harsh", "agents.ann.length": 3}``; ``None`` takes
        the key away. See :mod:`.overrides`.
    floats
        What floats mean: ``"decimal"`` (``0.1`` is 1/10) or ``"binary"`` (``0.1`` is the number that the machine has);
        without it they are refused. Numbers with a decimal point in a file are decimals unless it says ``"binary"``.
    options
        What checks the options in ``[expect.VERB.options]``, which this floor does not know.

    Raises
    ------
    ScenarioError
        With every problem found: file, path, value, expectation and the nearest name.
    """
    floats = meaning(floats)
    if isinstance(source, Scenario) and (overrides is None or overrides == {}):
        return source
    name, folder, data = _raw(source)
    data = parse_numbers(data, floats)
    problems, scenario, too_many = Problems(), None, False
    try:
        if overrides is not None:
            if isinstance(overrides, Mapping):
                overrides = parse_numbers(bounded(overrides, "overrides"), floats)
            data = changed(data, overrides, problems)
        scenario = _read(data, name, folder, problems, options)
    except TooManyError:
        too_many = True
    if problems.noted or scenario is None:
        raise ScenarioError(name, [*problems.noted, *([TOO_MANY] if too_many else [])])
    return scenario


def _raw(source: Source) -> tuple[str, str | None, dict[str, Any]]:
    if isinstance(source, Scenario):
        return source.name, source.folder, dict(source.data)
    if isinstance(source, Mapping):
        return "scenario", None, bounded(source, "scenario")
    if not isinstance(source, str | os.PathLike):
        raise ScenarioError(
            "scenario", [Problem("", source, "a path, the name of a shipped scenario, a dict or a Scenario")]
        )
    text = os.fsdecode(source)
    path = Path(text) if text == STDIN else locate(text)
    if text == STDIN or not path.is_file():  # standard input, or a pipe: what it names lies in the current folder
        return name_of(path), os.curdir, bounded(parse(path), text)
    name = text if Path(text).is_file() else text.removesuffix(".toml")
    return name, str(path.parent), bounded(parse(path), text)


def bounded(data: Mapping[str, Any], name: str, depth: int = MAX_DEPTH, values: int = MAX_VALUES) -> dict[str, Any]:
    """The data of a scenario or a record; ScenarioError when it is nested more deeply or holds more than any."""
    level: list[Any] = [data]
    count = 0
    for _ in range(depth + 1):
        count += len(level)
        if count > values:
            raise ScenarioError(name, [Problem("", Words(f"more than {values:,} values"), "fewer")])
        nested = (value for value in level if isinstance(value, Mapping | list | tuple))
        inside = (item for value in nested for item in (value.values() if isinstance(value, Mapping) else value))
        level = list(itertools.islice(inside, values + 1))
        if not level:
            return dict(data)
    raise ScenarioError(name, [Problem("", data, f"a structure at most {depth} levels deep")])


def shipped() -> list[str]:
    """Names of the shipped scenarios, sorted: ``"agmon2003/5.2.1"``, ..."""
    return sorted(name for folder in folders() for name in _names(folder))


@cache
def _names(folder: Path) -> tuple[str, ...]:
    """Names of the scenarios in a folder that is installed, so it is listed once."""
    return tuple(str(path.relative_to(folder).with_suffix("")).replace(os.sep, "/") for path in folder.rglob("*.toml"))


def folders() -> tuple[Path, ...]:
    """Where shipped scenarios lie: ours, then those of other distributions' kinds."""
    others = {one.name: one.folder for one in kinds() if one.folder}
    return (SHIPPED, *usable(others, lambda kind: folder_of(others[kind])).values())


def expand(source: Source) -> list[Source]:
    """A folder's scenarios, where ``source`` is the path of a folder or the name of a shipped one; else itself alone.

    >>> len(expand("agmon2003")) > 50, expand("agmon2003/5.2.1")
    (True, ['agmon2003/5.2.1'])
    """
    if not isinstance(source, str | os.PathLike):
        return [source]
    text = os.fsdecode(source)
    try:
        if Path(text).is_dir():
            sources: list[Source] = [*sorted(Path(text).rglob("*.toml"))]
        else:
            sources = [name for name in shipped() if name.startswith(f"{text.rstrip('/')}/")]
    except (OSError, ValueError):
        sources = []  # a name no file system takes: reported when it is loaded
    return sources or [source]


def locate(text: str) -> Path:
    """The file behind a path or the name of a shipped scenario; a file that exists wins."""
    folder = False
    try:
        path = Path(text)
        folder = path.is_dir()
        if path.exists() and not folder:  # a file, a pipe or a device
            return path
        if "\0" not in text and not path.is_absolute() and ".." not in path.parts:
            named = f"{text.removesuffix('.toml')}.toml"
            if (SHIPPED / named).is_file():
                return SHIPPED / named
            for other in folders()[1:]:  # looked up only when the name is not one of ours
                if (other / named).is_file():
                    return other / named
    except (OSError, ValueError):
        pass  # a name no file system takes: reported like any other that is not there
    if folder:
        raise ScenarioError(text, [Problem("", text, "a scenario file, not a folder")])
    raise ScenarioError(
        text if len(text) <= 200 else text[:197] + "...",
        [Problem("", text, "an existing file or the name of a shipped scenario ('consortium scenarios' lists them)",
                 nearest(text, shipped()))],
    )  # fmt: skip


def parse(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Parse one TOML file; decimals become exact. Raises ScenarioError, never anything else, for what is in a file."""
    try:
        text = read_text(path, "a scenario file", MAX_BYTES)
    except UnreadableError as error:
        raise ScenarioError(error.where, [Problem("", Words(error.problem), error.expected)]) from None
    return parse_text(text, name_of(path))


def _read(
    data: Mapping[str, Any], name: str, folder: str | None, problems: Problems, options: OptionsCheck | None
) -> Scenario | None:
    version = data.get("format", MISSING)
    if not isinstance(version, int) or isinstance(version, bool) or version != VERSION:
        problems.add("format", version, f"{VERSION}, the version of the scenario format")
    kind_entry = _kind(data.get("kind", MISSING), problems)
    title, source = (_text(data, key, problems) for key in ("title", "source"))
    seed = fields.read_value(data["seed"], fields.Whole(0, SEED_MAX).read, "seed", problems) if "seed" in data else None
    if kind_entry is None:
        return None
    form = format_of(kind_entry)
    check_keys(data, [*TOP, *form.blocks, "expect"], "", problems)
    expect = _expect(data.get("expect", {}), kind_entry, problems, options)
    before = len(problems.noted)
    spec = form.read(data, problems)
    check_conditions(form.file.conditions(), data, "", problems)
    if len(problems.noted) > before or spec is None:
        return None
    return Scenario(kind_entry.name, name, title, source, seed, spec, dict(data), expect, folder)


def _kind(name: object, problems: Problems) -> Kind | None:
    """The kind that a file names; one that installs no reader of files is none."""
    if isinstance(name, str) and name in names():
        return kind(name)
    problems.add("kind", name, *one_of(name, names()))
    return None


def _text(data: Mapping[str, Any], key: str, problems: Problems) -> str | None:
    value = data.get(key)
    if value is not None and (not isinstance(value, str) or not value.strip()):
        problems.add(key, value, "a text")
        return None
    return value


def _expect(value: object, kind: Kind, problems: Problems, check: OptionsCheck | None) -> dict[str, Mapping[str, Any]]:
    if not isinstance(value, Mapping):
        problems.add("expect", value, "tables [expect.VERB]")
        return {}
    result, verbs = {}, expectable(kind)
    for verb, table in value.items():
        if verb not in verbs:
            problems.add(join("expect", str(verb)), table, f"one of {', '.join(verbs)}", nearest(str(verb), verbs))
        elif not isinstance(table, Mapping):
            problems.add(join("expect", verb), table, "a table of expected values")
        else:
            options, path = table.get("options", {}), join("expect", verb, "options")
            if not isinstance(options, Mapping):
                problems.add(path, options, "a table of options of that verb")
            elif check is not None:
                check(kind.verb(verb), options, path, problems)
            _expected_numbers(table, join("expect", verb), problems)
            result[verb] = table
    return result


def _expected_numbers(value: object, path: str, problems: Problems) -> None:
    """Expected values are free in shape, but their numbers follow the rules of every number."""
    if isinstance(value, Mapping):
        for key, item in value.items():
            if isinstance(key, str):
                _expected_numbers(item, join(path, key), problems)
            else:
                problems.add(join(path, brief(key)), key, "a text as key")
    elif isinstance(value, list | tuple):
        for i, item in enumerate(value):
            _expected_numbers(item, join(path, i), problems)
    elif not isinstance(value, str | bool | type(None)) and not problems.about(path):  # of an option more has been said
        fields.read_value(value, fields.number, path, problems)


_KEY: Final = (
    r"""(?P<bare>[^.\[\]"'=\s]([^.\[\]"'=]*[^.\[\]"'=\s])?)|"(?P<basic>([^"\\]|\\["\\])*)"|'(?P<literal>[^']*)'"""
)
_FIRST: Final = re.compile(_KEY)
_NEXT: Final = re.compile(rf"\.({_KEY})|\[(?P<number>[1-9][0-9]{{0,17}})\]")
_SETTING: Final = re.compile(r"""(?P<path>([^"'=]|"([^"\\]|\\.)*"|'[^']*')+)=(?P<value>.*)""", re.DOTALL)

Step = str | int


def steps_of(path: str) -> list[Step] | None:
    """Keys (texts) and positions (integers from 0) of a path; ``None`` where it is none.

    >>> steps_of('agents[2]."x.y".length'), steps_of("a..b")
    (['agents', 1, 'x.y', 'length'], None)
    """
    match = _FIRST.match(path)
    if match is None:
        return None
    steps: list[Step] = [_key(match)]
    while match.end() < len(path):
        match = _NEXT.match(path, match.end())
        if match is None:
            return None
        steps.append(int(match["number"]) - 1 if match["number"] else _key(match))
    return steps


def _key(match: re.Match[str]) -> str:
    if match["basic"] is not None:
        return re.sub(r"\\(.)", r"\1", match["basic"])
    return str(match["bare"] if match["bare"] is not None else match["literal"])


def setting(text: str) -> tuple[str, str] | None:
    """Path and value of ``PATH=VALUE``, parted at the first ``=`` outside quotes; ``None`` for anything else.

    >>> setting('agents."a=b".length=3')
    ('agents."a=b".length', '3')
    """
    match = _SETTING.fullmatch(text)
    return None if match is None else (match["path"], match["value"])


def changed(data: Mapping[str, Any], overrides: object, problems: Problems) -> dict[str, Any]:
    """A copy of the data with other values; every path that leads nowhere is a problem.

    ``None`` takes a key away. Tables that are not there are made; items of lists are not.
    """
    result: dict[str, Any] = copy.deepcopy(dict(data))
    if not isinstance(overrides, Mapping) or not all(isinstance(path, str) for path in overrides):
        problems.add("overrides", overrides, "a table of values by path, such as {'mechanism.rule': 'harsh'}")
        return result
    for path, value in overrides.items():
        steps = steps_of(path)
        if steps is None:
            what = "a path such as mechanism.rule, agents.ann.length or agents[2].length; quote names with dots"
            problems.add("overrides", path, what)
        else:
            _change(result, path, steps, value, problems)
    return result


def _change(data: dict[str, Any], path: str, steps: list[Step], value: Any, problems: Problems) -> None:
    here: Any = data
    for i, step in enumerate(steps):
        where = join("", *steps[:i])
        last = i == len(steps) - 1
        if isinstance(here, dict) and isinstance(step, str):
            if last and value is None:
                here.pop(step, None)
            elif last:
                here[step] = value
            else:
                here = here.setdefault(step, {})
            continue
        index = _index(here, step, where, path, problems)
        if index is None:
            return
        if last:
            here[index] = value
        else:
            here = here[index]


def _index(here: Any, step: Step, where: str, path: str, problems: Problems) -> int | None:
    """The position in a list that a number or a table's name means; ``None``, with a problem, where it means none."""
    if not isinstance(here, list):
        there = f"{where} is {'a table, which has no numbers' if isinstance(here, dict) else 'no table and no list'}"
        problems.add("overrides", path, f"a path that exists; {there}")
        return None
    names = listed_names(here, default_prefix(where)) if any(isinstance(item, Mapping) for item in here) else []
    if step in names:
        return names.index(str(step))
    if isinstance(step, str) and not (step.isdecimal() and step.isascii()):
        if names:
            problems.unknown(f"overrides: {path}", step, names, f"one of those in {where}:")
        else:
            problems.add(
                "overrides", path, f"a path that exists; {where} is a list, whose items have numbers: {where}[1]"
            )
        return None
    index = step if isinstance(step, int) else int(step) - 1
    if not 0 <= index < len(here):
        problems.add("overrides", path, f"a path that exists; {where} is a list of {len(here)}")
        return None
    return index
