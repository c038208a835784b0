"""Loading by name: the one place where a module is imported because a text says so.

A reference is ``"module:name"``: below this package when it begins with a dot
(``".mechanisms.federation.heuristics:Ilba"``), else absolute, as those of other distributions are. Tables of references
(kinds, rules) stay readable without importing what they refer to, and each floor resolves only references to floors
below it.

Other distributions announce what they add as entry points of one of the :data:`GROUPS`. They are looked up only when a
name is not one of ours, or when everything is listed, so that nobody pays for packages that she does not use. A
scenario file can name what is installed; it never causes an import of anything else.

Python files that a user names on the command line are modules too (:func:`load_module`).

>>> load(".support.exact:rational")("3/2")
Fraction(3, 2)
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import os
import sys
import traceback
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast
from urllib.parse import quote, unquote

from .errors import ConsortiumError, ExtensionError, ExtensionWarning, InputError, described
from .interrupts import stops

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

T = TypeVar("T")

PACKAGE: Final = __package__.rpartition(".")[0]

GROUPS: Final = {
    "consortium.kinds": "a Kind of scenario",
    "consortium.rules": "a RuleInfo",
    "consortium.goals": "a welfare goal's class",
    "consortium.utilities": "a utility of the pool",
    "consortium.families": "a random Family",
}
"""Groups of entry points, and what stands behind each of their names."""


def load(reference: str) -> Any:
    """The object behind ``"module:name"``; see the module. Raises ExtensionError where another's cannot be loaded."""
    module, _, name = reference.partition(":")
    if module.startswith("."):
        return getattr(importlib.import_module(module, PACKAGE), name)
    with _guarded(reference):
        return getattr(importlib.import_module(module), name)


@contextmanager
def _guarded(what: str, expected: str = "") -> Iterator[None]:
    """Whatever a foreign module does while it is imported, ending the process included, becomes an ExtensionError."""
    try:
        yield
    except BaseException as error:
        if stops(error):
            raise
        raise ExtensionError(f"{what} cannot be loaded ({described(error)}){expected}") from error


FILE: Final = "file:"
"""How the names of modules begin that are files; the path follows, quoted."""
PYTHON: Final = ".py"


ORIGIN: Final = "_consortium_origin"
"""Attribute of an error that comes from another process, and left its traceback there: its origin."""


class _FileLoader(SourceFileLoader):
    """Runs the source as it is: what Python compiled a second ago may be of another one."""

    def get_code(self, fullname: str) -> Any:
        return self.source_to_code(self.get_data(self.path), self.path)


class _Files(MetaPathFinder):
    """Finds the modules of files by their names, also in a worker process that unpickles what is of such a module."""

    def find_spec(self, fullname: str, path: object = None, target: object = None) -> ModuleSpec | None:
        if not fullname.startswith(FILE):
            return None
        file = unquote(fullname.removeprefix(FILE))
        return importlib.util.spec_from_file_location(fullname, file, loader=_FileLoader(fullname, file))


sys.meta_path.append(_Files())
_LOADED: Final[dict[str, str]] = {}
_REQUESTED: Final[set[str]] = set()


def digest_of(path: str) -> str:
    """The SHA-256 of a file, shortened."""
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()[:16]


def load_module(name: str, folder: str = os.curdir) -> ModuleType:
    """A module by its name, or a file of a folder (``lpt.py``); what it imports may lie beside it.

    A file that has changed since it was loaded is loaded anew. Raises whatever importing it raises, FileNotFoundError
    where there is no such file.
    """
    folder = os.path.abspath(folder)
    if name.endswith(PYTHON):
        path = os.path.abspath(os.path.join(folder, os.path.expanduser(name)))
        name, folder = FILE + quote(path, safe="").replace(".", "%2E"), os.path.dirname(path)
        if _LOADED.setdefault(name, digest := digest_of(path)) != digest:
            sys.modules.pop(name, None)
            _LOADED[name] = digest
    if folder not in sys.path:
        sys.path.append(folder)  # the last: nobody's queue.py takes the place of Python's
    _REQUESTED.add(name.partition(".")[0])
    return importlib.import_module(name)


def folder_of(package: str) -> Path:
    """The folder of a package, which is not imported. Raises ExtensionError when there is none."""
    with _guarded(package):
        spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise ExtensionError(f"{package}: expected an installed package with a folder")
    return Path(spec.submodule_search_locations[0])


def installed(package: str) -> bool:
    """Whether there is a package of this name; it is not imported.

    >>> installed("numpy"), installed("no_such_package")
    (True, False)
    """
    return importlib.util.find_spec(package) is not None


def version(distribution: str) -> str | None:
    """Version of an installed distribution, ``None`` for one that is not installed.

    >>> version("no-such-distribution") is None
    True
    """
    from importlib import metadata

    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return None


def optional(package: str, extra: str) -> Any:
    """A package that few need. Raises InputError, which says how to install it, where it is not there.

    >>> optional("json", "tables").__name__
    'json'
    """
    try:
        return importlib.import_module(package)
    except ImportError:
        name = package.partition(".")[0]
        raise InputError(f"{name} is not installed; install it with: pip install '{PACKAGE}[{extra}]'") from None


def instance_of(thing: object, reference: str) -> bool:
    """Whether a thing is of the class behind a reference. Nothing is imported: until its module is, there is none.

    >>> instance_of(load(".support.exact:rational")("3/2"), "fractions:Fraction")
    True
    """
    module, _, name = reference.partition(":")
    loaded = sys.modules.get(importlib.util.resolve_name(module, PACKAGE))
    return loaded is not None and isinstance(thing, getattr(loaded, name, ()))


def load_for(thing: object, table: Mapping[str, str]) -> Any | None:
    """What a table of references by class (also a reference) has for a thing, loaded; ``None`` for another class."""
    return next((load(entry) for of, entry in table.items() if instance_of(thing, of)), None)


@cache
def _entries(group: str) -> dict[str, EntryPoint]:
    """The entry points of a group by name; those of a distribution that cannot be read are left out, with a warning."""
    from importlib import metadata

    try:
        return {entry.name: entry for entry in metadata.entry_points(group=group)}
    except Exception:  # some file is no text, or has a line that is none of theirs: each by itself
        entries: dict[str, EntryPoint] = {}
        for distribution in metadata.distributions():
            try:
                own = {entry.name: entry for entry in distribution.entry_points.select(group=group)}
            except Exception as error:
                what = f"the entry points of {distribution.name} cannot be read and are left out"
                _warn(f"{what} ({described(error)})")
            else:
                entries = own | entries  # the first on the path
        return entries


@cache
def _warn(text: str) -> None:
    warnings.warn(text, ExtensionWarning, stacklevel=2)


def usable(names: Iterable[str], get: Callable[[str], T]) -> dict[str, T]:
    """What there is by name; what another distribution adds and cannot be used is left out, with one warning."""
    things = {}
    for name in names:
        try:
            things[name] = get(name)
        except ConsortiumError as error:
            _warn(str(error) if name in str(error) else f"{name}: {error}")
    return things


def left_out(group: str, name: str, why: str) -> None:
    """Warn, once, of what a distribution adds and nothing will use."""
    _warn(f"{announcement(group, name)}, is left out: {why}")


def extensions(group: str) -> tuple[str, ...]:
    """Names that installed distributions add to a group, sorted."""
    return tuple(sorted(_entries(group)))


def foreign_packages() -> set[str]:
    """The packages whose code may run here because an entry point announces it, or a custom rule is named in it."""
    modules = (entry.value.partition(":")[0] for group in GROUPS for entry in _entries(group).values())
    return {module.partition(".")[0].strip() for module in modules} | _REQUESTED - {PACKAGE}


def origin(error: BaseException) -> tuple[str, str]:
    """The package where it happened, ours or one whose code runs here by request, or the file; and the line there."""
    if ORIGIN in vars(error):
        return cast("tuple[str, str]", vars(error)[ORIGIN])
    packages = {PACKAGE, *foreign_packages()}
    for frame, line in reversed(list(traceback.walk_tb(error.__traceback__))):
        package = str(frame.f_globals.get("__name__", "")).partition(".")[0]
        if package in packages:
            file = Path(frame.f_code.co_filename).name
            return file if package.startswith(FILE) else package, f"line {line} of {file}"
    return PACKAGE, "an unknown place"


@cache
def extension(group: str, name: str) -> Any:
    """The object that an installed distribution adds under a name.

    Raises
    ------
    ExtensionError
        When the distribution's module cannot be imported or ends the process, with the distribution's own error.
    KeyError
        When no distribution adds the name.
    """
    entry = _entries(group)[name]
    with _guarded(f"{announcement(group, name)},", f"; expected {GROUPS[group]} at {entry.value}"):
        return entry.load()


def announcement(group: str, name: str) -> str:
    """What errors and warnings call that which a distribution adds: group, name and distribution."""
    entry = _entries(group).get(name)
    if entry is None:
        return f"{group}: {name!r}"
    return f"{group}: {name!r}, which {entry.dist.name if entry.dist else entry.value} announces"


def forget() -> None:
    """Look entry points up anew, after a distribution was installed into the running process."""
    for lookup in (_entries, extension, _warn):
        lookup.cache_clear()
