"""Options of verbs, said once: Python, the command line, ``[expect.VERB.options]`` and ``--help`` read the same models.

The options of a verb of a kind are a pydantic model, a subclass of :class:`Options` in ``verbs/<kind>/options.py``,
which imports nothing heavy. An option is declared by :func:`Field`: a default, a ``description`` (the help text), the
group under which ``--help`` lists it, and whether it is rare; its type, of :mod:`consortium.scenarios.fields`, says
what is accepted and how a refusal reads, and a :class:`Flag` among its annotations how it is written on the command
line. :func:`read_options` is the door through which all options go.

>>> class Run(Options):
...     sample: Count = Field(1, description="random cases")
>>> read_options(Run, {"sample": 3}, "run").sample
3
>>> read_options(Run, {"sample": -3}, "run")
Traceback (most recent call last):
    ...
consortium.support.errors.InputError: run: sample: found -3; expected an integer >= 1
"""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Annotated, Any, Final, Literal, Self, TypeVar, get_args

from pydantic import Field as _field
from pydantic import PlainValidator, WithJsonSchema
from pydantic.fields import FieldInfo

from ..mechanisms.custom import Named, named
from ..mechanisms.kinds import is_custom
from ..scenarios.blocks import read_block
from ..scenarios.fields import Block, Bool, Number, Text, Whole, choice, expected, number, number_schema
from ..scenarios.problems import MISSING, Problem, Problems
from ..support.errors import ConsortiumError, InputError, UnknownNameError, missing, unknown_name
from ..support.files import unwritable
from ..support.numbers import MEANINGS, Floats
from ..support.numbers import parse_numbers as given_numbers
from ..support.units import bytes_of

Door = Literal["python", "command", "file"]
O = TypeVar("O", bound="Options")  # noqa: E741  # a type variable


def whole(text: str) -> object:
    """An integer on the command line, or the text that is none."""
    return int(text) if text.strip().lstrip("+-").isdecimal() and len(text) <= 1000 else text


def _decimal(text: str) -> object:
    try:
        return Decimal(text)
    except ArithmeticError:
        return text


def listed(text: str) -> list[str]:
    """Texts between commas on the command line."""
    return [part.strip() for part in text.split(",") if part.strip()]


def _memory(text: str) -> object:
    """Bytes on the command line, or the text that says none."""
    size = bytes_of(text)
    return text if size is None else size


def parse_json(text: str) -> object:
    """Read JSON from the command line, decimals exact. Raises InputError for anything else."""
    try:
        return json.loads(text, parse_float=Decimal)
    except (ValueError, RecursionError):
        raise InputError(f"found {text[:60]!r}; expected JSON") from None


@dataclass(frozen=True)
class Place:
    """Where help lists an option: under the name of a group, of the rare ones only with ``--help-all``."""

    group: str = ""
    rare: bool = False


def Field(default: Any = ..., *, description: str, group: str = "", rare: bool = False, **more: Any) -> Any:
    """Declare an option of a model.

    Parameters
    ----------
    default
        What holds where nothing is given; without one the option must be given.
    description
        The help: a noun phrase or an imperative.
    group
        The heading under which ``--help`` lists it; default: ``Options``, the last.
    rare
        Whether only ``--help-all`` lists it.
    **more
        As for pydantic's own field.
    """
    field: FieldInfo = _field(default, description=description, **more)
    field.metadata.append(Place(group, rare))
    return field


@dataclass(frozen=True)
class Flag:
    """How an option is written.

    Attributes
    ----------
    metavar
        What stands for the value in ``--help``; empty for a switch.
    parse
        From the text on the command line to what the field's type reads.
    name
        On the command line instead of the field's own.
    doors
        Where the option may be given. An object of one's own exists in Python only, and a file never says where to
        write or what to start.
    positional
        Whether the command takes it as an argument without a name.
    command
        What the command line gives where the user does not: a command may start processes, a script may not unasked.
    drawing
        What a command that draws gives where the user does not, of an option that figures need.
    custom
        Whether texts in its value may name custom rules, which are imported; never those of files.
    """

    metavar: str = "TEXT"
    parse: Callable[[str], object] = str
    name: str | None = None
    doors: frozenset[Door] = frozenset({"python", "command", "file"})
    positional: bool = False
    command: object = None
    drawing: object = None
    custom: bool = False


NOT_IN_FILES: Final = frozenset[Door]({"python", "command"})
"""Doors of what does not change the question: where to store, how many processes to start."""


class Options(Block):
    """Base of every model of options: unknown names are errors, nothing is coerced, ``None`` means the default.

    Every one has ``floats``, which says what floats mean in whatever is given beside it, the source included.
    """

    floats: Annotated[choice(*MEANINGS), Flag("NAME", doors=NOT_IN_FILES)] = Field(  # type: ignore[valid-type]
        "refuse",
        description="What numbers with a decimal point mean: decimal (exact in files and commands) or binary.",
        rare=True,
    )

    def resolved(self) -> Self:
        """The options with the values that files hold in the place of the files. Raises InputError."""
        return self


def _seconds(value: object) -> float:
    what = "seconds, a number >= 0"
    if isinstance(value, bool) or not isinstance(value, int | float | Fraction | Decimal):
        raise expected(what)
    try:
        seconds = float(value)
    except OverflowError:
        raise expected(what) from None
    if not math.isfinite(seconds) or seconds < 0:
        raise expected(what)
    return seconds


def _numbers(value: object) -> tuple[Fraction, ...]:
    if not isinstance(value, list | tuple) or not value:
        raise expected("a list of numbers")
    return tuple(number(item) for item in value)


@dataclass(frozen=True)
class OfFile:
    """The rule of a scenario file: its table ``[mechanism]``, and how tables call it."""

    label: str
    mechanism: Mapping[str, Any]


def _rules(value: object) -> object:
    if isinstance(value, Mapping) and all(isinstance(label, str) and label for label in value):
        return {label: rule.mechanism if isinstance(rule, OfFile) else rule for label, rule in value.items()}
    if not isinstance(value, list | tuple) or not all(isinstance(rule, str | Named | OfFile) for rule in value):
        raise expected("a list of names of rules, or a table of rules by label")
    labels = [rule if isinstance(rule, str) else rule.label for rule in value]
    if len(set(labels)) < len(labels):
        raise expected(f"each rule once; {next(v for v in labels if labels.count(v) > 1)!r} is listed twice")
    return _rules(dict(zip(labels, value, strict=True)))


def import_rules(value: Any) -> Any:
    """The value of an option with custom rules, and those of scenario files, in the place of texts that name them."""
    if isinstance(value, Mapping):
        return {label: _of_file(_imported(rule)) for label, rule in value.items()}
    return [_of_file(_imported(rule)) for rule in value] if isinstance(value, list | tuple) else _imported(value)


def _imported(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    label, equals, reference = map(str.strip, value.partition("="))
    if equals and is_custom(reference) and not re.search(r"[:/]", label):
        return named(reference, label=label)
    return named(value) if is_custom(value) or value.endswith(".py") else value


def _of_file(value: Any) -> Any:
    if not isinstance(value, str) or not value.endswith(".toml"):
        return value
    from ..scenarios.reader import load

    label, _, path = map(str.strip, value.rpartition("="))
    return OfFile(label or path, load(path).data["mechanism"])


def _path(value: object) -> str:
    return _writable(value, "the path of a file that can be written")


def _folder(value: object) -> str:
    return _writable(value, "the path of a folder that can be written into", folder=True)


def _writable(value: object, what: str, *, folder: bool = False) -> str:
    path = _named(value, what.partition(" that ")[0])
    why = unwritable(path, folder=folder)
    if why is not None:
        raise expected(f"{what} ({why})")
    return path


def _named(value: object, what: str = "the path of a file") -> str:
    if not isinstance(value, str | os.PathLike) or not os.fspath(value):
        raise expected(what)
    return os.fsdecode(value)


PLAIN: Final = (str, bool, int, float, list, tuple, Mapping, type(None))
"""What files hold."""
_TABLE: Final = {"type": "object"}

MOST: Final = 10**9
"""Largest count: rows, windows, seconds of a log, which no one has more of."""
SAMPLE_MAX: Final = 10**7
"""Largest sample of random cases."""

Count = Annotated[int, Whole(1, most=MOST), Flag("N", whole)]
"""An integer of at least 1."""
CountOrNone = Annotated[int, Whole(0, most=MOST), Flag("N", whole)]
"""An integer of at least 0."""
Sample = Annotated[int, Whole(1, most=SAMPLE_MAX), Flag("N", whole)]
"""A number of random cases."""
Seed = Annotated[int, Whole(0, 2**63 - 1), Flag("N", whole)]
Seconds = Annotated[
    float, PlainValidator(_seconds), WithJsonSchema({"type": "number", "minimum": 0}), Flag("SECONDS", _decimal)
]
Ratio = Annotated[Number, Flag("NUMBER")]
"""An exact number."""
NameText = Annotated[Text, Flag("NAME")]
Memory = Annotated[int, Whole(1), Flag("BYTES", _memory)]
"""A number of bytes; on the command line also ``8GiB``."""
Numbers = Annotated[
    tuple[Fraction, ...],
    PlainValidator(_numbers),
    WithJsonSchema({"type": "array", "items": number_schema(), "minItems": 1}),
    Flag("NUMBER,NUMBER,...", listed),
]
"""Exact numbers."""
Rules = Annotated[
    dict[str, Any],
    PlainValidator(_rules),
    WithJsonSchema({"anyOf": [{"type": "array", "items": {"type": "string"}, "uniqueItems": True}, _TABLE]}),
    Flag("RULE,RULE,...", listed, custom=True),
]
"""Rules by label: names, with options as in ``rand:samples=75``, or custom rules, as in ``mine=lpt.py:LPT``."""
Switch = Annotated[Bool, Flag("")]


def _own(value: object) -> object:
    if isinstance(value, str):
        raise expected("a custom rule, as FILE.py:Name or module:Name; for a rule of the package set mechanism.rule")
    return value


Own = Annotated[Any, PlainValidator(_own), WithJsonSchema({}), Flag("FILE.py:NAME", doors=NOT_IN_FILES, custom=True)]
"""A custom rule: an object, or a text that names one."""
Path = Annotated[str, PlainValidator(_path), WithJsonSchema({"type": "string"}), Flag("FILE", doors=NOT_IN_FILES)]
"""A file to write; one that cannot be written is refused before any work."""
Source = Annotated[str, PlainValidator(_named), WithJsonSchema({"type": "string"}), Flag("FILE", doors=NOT_IN_FILES)]
"""A file to read, which need not be writable."""
Folder = Annotated[str, PlainValidator(_folder), WithJsonSchema({"type": "string"}), Flag("FOLDER", doors=NOT_IN_FILES)]
"""A folder to write files into, made where there is none; refused before any work where that cannot be."""
Processes = Annotated[int, Whole(0), Flag("N", whole, doors=NOT_IN_FILES)]
Workers = Annotated[Processes, Flag("N", whole, doors=NOT_IN_FILES, command=0)]
"""Processes, of which a command takes one for each core unasked."""

OUTPUT: Final = "Output"
"""Group of options that say what is printed and written."""
WORKERS: Final = "Worker processes; 0: all cores, if it is worth it, which a command does unasked."
MECHANISM: Final = "A custom rule in the place of the scenario's, from a file or module; in Python also the object."
LIMITED: Final = "Stop after so long and print what is known."
COMPARED: Final = (
    "Rules to put in the place of the scenario's own, each with the keys of [mechanism] that it uses; custom ones as "
    "FILE.py:Name, those of scenario files as FILE.toml, with LABEL= or without; default: all that fit the scenario."
)


class WithRule(Options):
    """Options of a verb that answers of a custom rule too."""

    mechanism: Own = Field(None, description=MECHANISM)


def flag_of(info: FieldInfo) -> Flag:
    """The last flag among a field's annotations, those of ``TYPE | None`` included."""
    inner = [item for part in get_args(info.annotation) for item in getattr(part, "__metadata__", ())]
    return next((item for item in reversed([*inner, *info.metadata]) if isinstance(item, Flag)), Flag())


def place_of(info: FieldInfo) -> Place:
    """Where help lists an option."""
    return next((item for item in reversed(info.metadata) if isinstance(item, Place)), Place())


def written(name: str, info: FieldInfo) -> str:
    """How the command line writes an option: ``time_limit`` is ``--time-limit``."""
    return flag_of(info).name or name.replace("_", "-")


def describe_option(by_kind: Mapping[str, FieldInfo], everybody: bool) -> str:
    """The meaning of an option: as its field says, the default behind it, and for which kinds, where not for all."""
    texts: dict[str, list[str]] = {}
    for kind, info in by_kind.items():
        default = "" if info.default in (None, False) or info.is_required() else f" [{info.default}]"
        texts.setdefault(f"{info.description or ''}{default}", []).append(kind)
    if everybody and len(texts) == 1:
        return next(iter(texts))
    return " ".join(f"{', '.join(kinds)}: {text}" for text, kinds in texts.items())


def for_figures(options: O) -> O:
    """The options, with those that a figure needs where they are not given."""
    fields = {name: flag_of(info).drawing for name, info in type(options).model_fields.items()}
    needed = {name: value for name, value in fields.items() if value is not None}
    return options.model_copy(update={k: v for k, v in needed.items() if k not in options.model_fields_set})


def read_options(model: type[O], options: Mapping[str, Any], where: str, door: Door = "python") -> O:
    """Check options of a model and fill in the defaults; ``where`` names verb and kind in errors.

    ``None`` stands for the default. At the door ``"command"`` values are texts. Raises UnknownNameError for options
    that there are not, with the nearest names, then InputError: a sentence for each value that is refused.
    """
    fields = {
        name: info
        for name, info in model.model_fields.items()
        if door in flag_of(info).doors or (flag_of(info).custom and not isinstance(options.get(name), PLAIN))
    }
    names = [_label(name, fields, door) for name in fields]
    unknown = [
        unknown_name(f"option of {where}", _label(name, fields, door) if isinstance(name, str) else name, names)
        for name in options
        if name not in fields
    ]
    problems, values, wrong = Problems(), {}, list[str]()
    if door == "command":
        options = {name: flag_of(info).command for name, info in fields.items()} | dict(options)
    for name, value in options.items():
        if value is not None and name in fields:
            try:
                flag = flag_of(fields[name])
                value = flag.parse(value) if door == "command" and isinstance(value, str) else value
                values[name] = import_rules(value) if flag.custom and door != "file" else value
            except ConsortiumError as error:
                wrong.append(f"{_label(name, fields, door)}: {error}")
    meaning = values.get("floats")
    floats: Floats = next((word for word in MEANINGS if isinstance(meaning, str) and meaning == word), "refuse")
    block = read_block(model, given_numbers(values, floats), "", problems)
    wrong += [_sentence(problem, fields, where, door) for problem in problems.noted]
    if unknown:
        raise UnknownNameError("\n".join([*map(str, unknown), *wrong]))
    if block is None or wrong:
        raise InputError("\n".join(wrong))
    return block.resolved()


def _label(name: str, fields: Mapping[str, FieldInfo], door: Door) -> str:
    """An option as it is typed at a door."""
    if door != "command":
        return name
    return f"--{written(name, fields[name]) if name in fields else name.replace('_', '-')}"


def _sentence(problem: Problem, fields: Mapping[str, FieldInfo], where: str, door: Door) -> str:
    name = problem.path.partition(".")[0].partition("[")[0]
    label = _label(name, fields, door)
    if problem.value is MISSING and name in fields:
        about = fields[name].description or ""
        return (
            missing(f"option {label}", about)
            if door == "command"
            else f"{where}: {missing(f'argument {name!r}', about)}"
        )
    if door == "command" and name in fields:
        place = f"{label}{problem.path[len(name) :]}"
        return str(Problem(place, problem.value, problem.expected, problem.near))
    return f"{where}: {problem}"
