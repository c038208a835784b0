"""Custom rules, the same for every kind: how they are made, and how they are called.

A rule is an object with a method that the kind asks for, or a class or function that makes one from what the rule is
for (a cluster, a federation); rules of other distributions are made with their options and then treated alike. What a
user wrote may fail in any way: here every failure becomes one sentence.

>>> class Twice:
...     def run(self, x):
...         return 2 * x
>>> rule = made(Twice(), ("run(x)",), number=3)
>>> call(rule.run, "Twice.run", x=3)
6
>>> made(5, ("run(x)",), number=3)  # doctest: +ELLIPSIS
Traceback (most recent call last):
    ...
consortium.support.errors.InputError: mechanism: found 5; expected an object with run(x), or a class or function ...
"""

from __future__ import annotations

import inspect
import os
import re
import sys
import sysconfig
import traceback
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, fields, is_dataclass
from fractions import Fraction
from itertools import islice
from types import CellType, CodeType, FunctionType, ModuleType
from typing import Any, Final

from ..support.errors import (
    ConsortiumError,
    InputError,
    MechanismError,
    described,
    join_names,
    quote,
    source_line,
    unknown_name,
)
from ..support.exact import rational
from ..support.interrupts import stops
from ..support.loading import digest_of, load_module
from .kinds import CUSTOM, RuleInfo, is_custom
from .kinds import names as kinds_known

LIBRARIES: Final = (*sysconfig.get_paths().values(), "<frozen ")
"""How the names of files begin that hold the standard library, and what is installed beside it."""
MAX_BITS: Final = 13_288
"""Of a numerator or denominator that an answer has: 4,000 digits, as Python writes no longer ones."""
MOST: Final = 2_000_000
"""So many entries an answer lists at most; one that goes on for ever is none."""
_PACKAGE: Final = __name__.partition(".")[0]


@dataclass(frozen=True, repr=False)
class Named:
    """A custom rule that a text (``FILE.py:Name`` or ``module:Name``, from a folder) names; it travels as the text.

    ``digest``: of the source file. ``thing``: what has the name. ``label``: how tables call it.
    """

    reference: str
    folder: str
    digest: str
    thing: Any = field(compare=False, repr=False)
    label: str

    def __repr__(self) -> str:
        return self.reference if self.label == self.reference else f"{self.label}={self.reference}"

    def __str__(self) -> str:
        return f"{self.reference} (sha256 {self.digest})"

    def __reduce__(self) -> tuple[Any, ...]:
        return named, (self.reference, self.folder, self.label, self.digest)


def named(reference: str, folder: str = os.curdir, label: str = "", digest: str | None = None) -> Named:
    """Import the custom rule that somebody names. Raises InputError where there is none, or none of this digest.

    What only a scenario file names may not come here.

    >>> named("lpt.py")
    Traceback (most recent call last):
        ...
    consortium.support.errors.InputError: found 'lpt.py'; expected a custom rule, as FILE.py:Name or module:Name
    """
    place, _, name = reference.rpartition(":")
    if not is_custom(reference) or reference == CUSTOM:
        raise InputError(f"found {quote(reference)}; expected a custom rule, as FILE.py:Name or module:Name")
    folder = os.path.abspath(folder)
    try:
        thing = module = load_module(place, folder)
        current = digest_of(str(module.__file__))
    except BaseException as error:
        if stops(error):
            raise
        about = str(getattr(error, "filename", None) or getattr(error, "name", None))
        itself = f"{place}.".startswith(f"{about}.") or about == os.path.abspath(os.path.join(folder, place))
        if itself and isinstance(error, FileNotFoundError | ModuleNotFoundError):
            raise InputError(f"{reference}: there is no {place} in {folder}; expected FILE.py:Name") from None
        raise InputError(f"{reference}: {place} cannot be loaded ({described(error)}){_place(error)}") from error
    if digest not in (None, current):
        raise InputError(f"{reference}: found sha256 {current} in {folder}; expected {digest}, that of the begun work")
    for part in name.split("."):
        if not hasattr(thing, part):
            raise unknown_name(place, part, _own_names(thing))
        thing = getattr(thing, part)
    return Named(reference, folder, current, thing, label or reference)


CUSTOM_DATA: Final = frozenset({"object", "source"})
"""Keys of :func:`custom_data`."""


def custom_data(thing: Any) -> dict[str, Any]:
    """A custom object as records have it: by its name, or where it is defined, and the digest of its source file."""
    try:
        source = thing.digest if isinstance(thing, Named) else digest_of(inspect.getfile(_definition(thing)))
    except (OSError, TypeError):  # typed into a notebook, or compiled
        source = None
    return {"object": reference_of(thing), "source": source}


def reference_of(thing: Any) -> str:
    """How a custom object is named, or where it or its class is defined: ``module:Name``."""
    if isinstance(thing, Named):
        return thing.reference
    definition = _definition(thing)
    return f"{definition.__module__}:{definition.__qualname__}"


def _definition(thing: Any) -> Any:
    """What has a name and a file: a class or function, of an object its class, or the user's code in a rule of ours."""
    if isinstance(thing, type) or inspect.isroutine(thing):
        return thing
    if is_dataclass(thing) and type(thing).__module__.partition(".")[0] == _PACKAGE:
        for one in fields(thing):
            part = getattr(thing, one.name)
            own = _definition(part) if callable(part) or is_dataclass(part) else None
            if own is not None and own.__module__.partition(".")[0] != _PACKAGE:
                return own
    return type(thing)


def _own_names(thing: Any) -> list[str]:
    """The public names of a module that are not imported, or those of a class."""
    names = {name: value for name, value in vars(thing).items() if not name.startswith("_")}
    if not isinstance(thing, ModuleType):
        return [*names]

    def imported(value: object) -> bool:
        made = isinstance(value, type) or inspect.isroutine(value)
        return isinstance(value, ModuleType) or (made and getattr(value, "__module__", None) != thing.__name__)

    return [name for name, value in names.items() if not imported(value)]


def kind_of(rule: object) -> str:
    """The kind of scenario that a custom rule is for, by its methods. Raises InputError where it has none yet."""
    thing = rule.thing if isinstance(rule, Named) else rule
    if hasattr(thing, "run"):
        arguments = len(inspect.signature(thing.run).parameters) - isinstance(thing, type)
        return "declaration" if arguments > 1 else "federation"
    kinds = {"order": "federation", "point": "multiuser", "schedule": "multiuser", "choose": "sharing"}
    for method in kinds.keys() & set(dir(thing)):
        return kinds[method]
    name = rule.reference if isinstance(rule, Named) else getattr(thing, "__qualname__", None) or type(thing).__name__
    raise InputError(
        f"kind: found nothing; expected the kind of scenario that {name} is for, {join_names(kinds_known())}"
    )


def made(candidate: Any, methods: Sequence[str], **source: object) -> Any:
    """The rule itself, from an object or from a class or function that makes one from the source, by its name.

    The rule has at least one of the methods, written like ``"run(declared, lengths)"``. Raises InputError for what is
    no rule and makes none, MechanismError when making it fails or what is made is none.
    """
    ((name_of_source, value),) = source.items()
    candidate = candidate.thing if isinstance(candidate, Named) else candidate
    names = [method.partition("(")[0] for method in methods]
    what = f"an object with {' or '.join(methods)}, or a class or function that makes one from the {name_of_source}"

    def has_method(rule: Any) -> bool:
        return any(hasattr(rule, name) for name in names)

    if isinstance(candidate, type) or not has_method(candidate):
        if not callable(candidate):
            raise InputError(f"mechanism: found {quote(candidate)}; expected {what}")
        name = getattr(candidate, "__name__", type(candidate).__name__)
        needs = _needs(candidate, name_of_source)
        try:
            rule_made = candidate(**dict.fromkeys(needs, value)) if needs is not None else candidate(value)
        except BaseException as error:
            if isinstance(error, ConsortiumError) or stops(error):
                raise
            hint = ""
            if not isinstance(candidate, type) and name_of_source == "cluster":
                hint = (
                    f"; who runs where, by the declarations, is build('designed', cluster, allocate={name}, price='0')"
                )
            where = f"mechanism: {name}({name_of_source if needs != () else ''})"
            raise MechanismError(f"{where} failed: {described(error)}{_place(error)}{hint}") from error
        if not has_method(rule_made):
            raise MechanismError(f"mechanism: {name}({name_of_source}) made {rule_made!r}; expected {what}")
        candidate = rule_made
    if not any(callable(getattr(candidate, name, None)) for name in names):
        name = next(name for name in names if hasattr(candidate, name))
        rule_made = getattr(candidate, name)
        raise MechanismError(f"mechanism: {type(candidate).__name__}.{name}: found {rule_made!r}; expected a method")
    return candidate


def _needs(candidate: Any, source: str) -> tuple[str, ...] | None:
    """The names by which a class takes what a rule is for, none where all else has defaults; ``None``: by position.

    Raises MechanismError for a class that needs other values too.
    """
    try:
        parameters = inspect.signature(candidate).parameters
    except (TypeError, ValueError):  # of a class that is not Python's
        return None
    if not isinstance(candidate, type) or any(one.kind is one.VAR_POSITIONAL for one in parameters.values()):
        return None
    lacking = [name for name, one in parameters.items() if one.default is one.empty and one.kind is not one.VAR_KEYWORD]
    if source in parameters and set(lacking) <= {source}:
        return (source,)
    if not lacking:
        return ()
    if len(lacking) == 1 and not is_dataclass(candidate):
        return None
    values = ", ".join(f"{name}=..." for name in lacking if name != source)
    raise MechanismError(
        f"mechanism: {candidate.__name__} has no default for {join_names(lacking)}; expected an object, such as "
        f"RULE = {candidate.__name__}({values}), or a default for every field but {source}"
    )


def refuse_memory(name: str, plays: dict[str, Callable[[], object]]) -> None:
    """Raise MechanismError where a rule that is asked the same twice answers otherwise.

    Every answer of the package takes a rule for a function: one that draws at random, or remembers what it was asked
    before, would make it wrong without a sign. ``plays`` are a few calls by what they are asked; each is made, refused
    ones too, and then each once more in the reverse order.

    >>> import itertools
    >>> refuse_memory("Clock.run", {"lengths (1, 2)": itertools.count().__next__})  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    consortium.support.errors.MechanismError: Clock.run: asked twice for lengths (1, 2), it answered 0, then 1; ...
    """
    first = {request: _played(play) for request, play in plays.items()}
    for request, play in reversed(plays.items()):
        one, other = first[request], _played(play)
        if not _same(one, other):
            raise MechanismError(
                f"{name}: asked twice for {request}, it answered {quote(one)}, then {quote(other)}; expected a rule "
                "whose answer depends on nothing else (no random draws, no memory of earlier calls)"
            )


def kept_in(thing: object, seen: set[int] | None = None) -> object:
    """What an object keeps, in a form that compares: attributes, items, what functions see, or its text.

    >>> numbers = [1]
    >>> before = kept_in(lambda: numbers)
    >>> numbers.append(2)
    >>> before == kept_in(lambda: numbers)
    False
    """
    seen = set() if seen is None else seen
    if isinstance(thing, str | bytes | int | float | Fraction | None):
        return thing
    if id(thing) in seen or isinstance(thing, ModuleType) or (isinstance(thing, type) and _of_library(thing)):
        return None
    seen.add(id(thing))
    slots = [name for one in type(thing).__mro__ for name in getattr(one, "__slots__", ())]
    parts: dict[object, object] = {name: getattr(thing, name, None) for name in slots} | getattr(thing, "__dict__", {})
    if isinstance(thing, Mapping):
        parts = dict(thing)
    elif isinstance(thing, list | tuple | set | frozenset | deque):
        parts = dict(enumerate(thing))
    elif is_dataclass(thing) and type(thing).__module__.partition(".")[0] == _PACKAGE:
        parts = {one.name: getattr(thing, one.name) for one in fields(thing) if one.compare}  # the rest is a cache
    elif isinstance(thing, FunctionType):
        parts |= {name: thing.__globals__.get(name) for name in _names(thing.__code__)}
        parts |= dict(zip(thing.__code__.co_freevars, map(_content, thing.__closure__ or ()), strict=True))
    if _of_library(type(thing)):
        parts |= {name: getattr(thing, name) for name in HOLDING if hasattr(thing, name)}
    else:
        parts["class"] = type(thing)
    return {repr(key): kept_in(value, seen) for key, value in parts.items()} or repr(thing)


HOLDING: Final = ("__self__", "__func__", "__wrapped__", "__defaults__", "__kwdefaults__", "fget", "func", "args")
"""Where methods, functions, properties and partial functions hold what they use."""


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for part in code.co_consts:
        if isinstance(part, CodeType):
            yield from _names(part)


def _content(cell: CellType) -> object:
    try:
        return cell.cell_contents
    except ValueError:  # not yet
        return None


def _of_library(made: type) -> bool:
    """Whether a class is no user's: of this package, or of Python itself."""
    top = made.__module__.partition(".")[0]
    return top == _PACKAGE or top in sys.stdlib_module_names


def _played(play: Callable[[], object]) -> object:
    try:
        return play()
    except ConsortiumError as refused:
        return str(refused)


def _same(one: object, other: object) -> bool:
    """Whether two answers are equal; those that cannot be compared, such as arrays, by what they look like."""
    try:
        return bool(one == other)
    except Exception:
        return quote(one) == quote(other)


def foreign(rule: RuleInfo, options: Mapping[str, Any]) -> Any:
    """Make the rule of another distribution; what comes out is treated like a custom rule.

    Raises InputError for a custom rule that a scenario only names.
    """
    if not rule.factory:
        raise InputError(
            f"mechanism.rule: {rule.id!r} stands for a custom rule, whose code no scenario imports; give it beside the "
            "scenario: --mechanism FILE.py:Name, in Python mechanism=; compare takes it among its rules"
        )
    factory = rule.load()
    return _guarded(lambda: factory(**options), f"mechanism.rule = {rule.id!r}: {rule.factory}", options)


def call(function: Callable[..., Any], name: str, **arguments: object) -> Any:
    """Call what a user wrote; an error of Python's becomes a MechanismError that says on what and where it failed.

    Errors of the package pass: they say themselves what is wrong, or refuse an input on purpose. So does Ctrl-C.
    """
    return _guarded(lambda: function(*arguments.values()), name, arguments)


def entries(answer: object, where: str, what: str, **arguments: object) -> tuple[Any, ...]:
    """What an answer to a call with these arguments lists; a generator runs, and may fail, only now."""
    if isinstance(answer, str | Mapping | Set) or not isinstance(answer, Iterable):
        raise MechanismError(f"{where}: found {quote(answer)} as the answer; expected {what}")
    listed: tuple[Any, ...] = call(lambda *_: tuple(islice(answer, MOST + 1)), where, **arguments)
    if len(listed) > MOST:
        raise MechanismError(f"{where}: found more than {MOST:,} entries; expected {what}")
    return listed


def exact(value: Any, where: str) -> Fraction:
    """A number of an answer. Raises MechanismError for what is none, or has more digits than Python writes."""
    try:
        number = value if type(value) is Fraction else rational(value, where)
    except InputError as error:
        raise MechanismError(str(error)) from None
    if type(number) is Fraction and max(map(int.bit_length, number.as_integer_ratio())) > MAX_BITS:
        raise MechanismError(f"{where}: found a number of more than 4,000 digits; expected one that can be written")
    return number


def _guarded(play: Callable[[], Any], name: str, arguments: Mapping[str, object]) -> Any:
    try:
        return play()
    except BaseException as error:  # SystemExit too, which would end this process without a word
        if isinstance(error, ConsortiumError) or stops(error):
            raise
        texts = {key: f"({', '.join(map(str, x))})" if type(x) is tuple else str(x) for key, x in arguments.items()}
        on = ", ".join(f"{key} = {text}" for key, text in texts.items())  # numbers of a tuple stay numbers
        where = _place(error)
        raise MechanismError(
            f"{name}({', '.join(arguments)}) failed with {described(error)}{where}{on and f', on {on}'}"
        ) from error


def defined_at(rule: object, sentence: str) -> str:
    """The line of the method of a custom rule that a sentence is about, ``Name.method: ...``, or of the rule."""
    thing = _definition(rule.thing if isinstance(rule, Named) else rule)
    about = re.match(r"(\w+)\.(\w+)", sentence)
    if about and isinstance(thing, type):
        thing = getattr(thing, about[2], None) if thing.__name__ == about[1] else None
    try:
        return source_line(inspect.getfile(thing), inspect.getsourcelines(thing)[1])
    except (OSError, TypeError):
        return ""


def _place(error: BaseException) -> str:
    """The last line that is the rule's own: neither of the package nor, if there is another, of the libraries."""
    if isinstance(error, SyntaxError) and error.filename and error.lineno:
        return f" ({source_line(error.filename, error.lineno)})"
    ours = f"{__name__.partition('.')[0]}."
    lines = [
        (frame.f_code.co_filename, line)
        for frame, line in traceback.walk_tb(error.__traceback__)
        if not str(frame.f_globals.get("__name__", "")).startswith(ours)
    ]
    own = [place for place in lines if not place[0].startswith(LIBRARIES)] or lines[:1]
    return f" ({source_line(*own[-1])})" if own else ""
