"""What a record answers, written into it: enough to ask again, on another machine and in another year.

``asked`` holds the options that change the question (never where to store or how many processes to start) and either
``scenario`` with its ``name`` (overrides applied), ``scenarios`` with their ``names``, ``log``, the path of a log, or
``game``, the text of a Gambit ``.nfg`` file. Rules, utilities and games that are objects of one's own cannot be
written: their records have no ``asked``.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from ..mechanisms.kinds import GAME
from ..scenarios.problems import ScenarioError
from ..scenarios.reader import load, locate
from ..scenarios.scenario import Scenario, plain
from ..support.errors import ConsortiumError, InputError
from .options import Options, flag_of
from .records import Record

MAX_PAYOFFS: Final = 100_000
"""Payoffs of a game that its record still carries."""


@dataclass(frozen=True)
class Question:
    """A verb, what it is asked about, and the options that change the question."""

    verb: str
    source: Any
    options: Mapping[str, Any]


@dataclass(frozen=True)
class Asked:
    """What a record answers: plain data, copied when it was asked, and the game in arrays if it was about one.

    ``title`` is what the record calls that game.
    """

    data: Mapping[str, Any]
    game: Any = None
    title: str | None = None

    def written(self) -> dict[str, Any] | None:
        """The question as plain data; ``None`` for a game that cannot be written."""
        if self.game is None:
            return dict(self.data)
        text = _nfg(self.game, self.title)
        return None if text is None else {"game": text, **self.data}


def knowing(record: Record, source: Any, options: Options) -> Record:
    """The record with its question, unless an object of one's own is part of it."""
    chosen = _chosen(options)
    if chosen is None or (record.kind == GAME.name and source is record.game):
        return record
    if record.kind == GAME.name:
        return record.answering(Asked({"options": chosen}, record.game, record.scenario))
    about: dict[str, Any]
    if isinstance(source, Scenario):
        about = {"name": source.name, "scenario": source.to_dict()}
    elif isinstance(source, str | os.PathLike):
        about = {"log": os.fsdecode(source)}
    else:
        about = {"names": [each.name for each in source], "scenarios": [each.to_dict() for each in source]}
    return record.answering(Asked(about | {"options": chosen}))


def _chosen(options: Options) -> dict[str, Any] | None:
    """Options given that a file may hold too; ``None`` where one is an object that no file can hold."""
    found = {}
    for name in sorted(options.model_fields_set):
        value, doors = getattr(options, name), flag_of(type(options).model_fields[name]).doors
        if value is None or doors == {"python", "command"}:
            continue
        if "file" not in doors or _foreign(value):
            return None
        found[name] = plain(value)
    return found


def _foreign(value: Any) -> bool:
    """Whether a value holds an object of one's own."""
    if isinstance(value, Mapping):
        return any(map(_foreign, value.values()))
    if isinstance(value, list | tuple):
        return any(map(_foreign, value))
    return not (value is None or isinstance(plain(value), str | bool | int | float))


def _nfg(game: Any, title: str | None) -> str | None:
    """A game in arrays as a Gambit file; ``None`` for other games, and for large tables."""
    from ..games.interchange import to_nfg
    from ..games.normal_form import NormalFormGame

    if not isinstance(game, NormalFormGame) or game.table.size > MAX_PAYOFFS:
        return None
    try:
        return to_nfg(game, title=title or "")
    except ConsortiumError:  # names or payoffs that such a file cannot hold
        return None


def question(record: Mapping[str, Any], where: str) -> Question | None:
    """The question of a record's dict; ``None`` where the record does not carry it.

    Raises ScenarioError or InputError where what it carries makes no sense.
    """
    verb, asked = record.get("verb"), record.get("asked")
    if asked is None or not isinstance(verb, str):
        return None
    if not isinstance(asked, Mapping) or not isinstance(asked.get("options"), Mapping):
        raise InputError(f"{where}: asked: found {asked!r:.60}; expected a table with options and what was asked about")
    return Question(verb, _source(verb, asked, where), asked["options"])


def _source(verb: str, asked: Mapping[str, Any], where: str) -> Any:
    if "game" in asked:
        from ..games.interchange import from_nfg

        if not isinstance(asked["game"], str):
            raise InputError(f"{where}: asked.game: found {asked['game']!r:.60}; expected the text of a .nfg file")
        return from_nfg(asked["game"], where=f"{where}: asked.game")
    if "log" in asked:
        return asked["log"]
    if "scenario" in asked:
        return _named(asked["scenario"], asked.get("name"))
    found, names = asked.get("scenarios"), asked.get("names")
    if not found or not isinstance(found, list) or not isinstance(names, list) or len(found) != len(names):
        raise InputError(f"{where}: asked: found neither scenario, scenarios with their names, log nor game")
    return [_named(each, name) for each, name in zip(found, names, strict=True)]


def _named(data: Any, name: Any) -> Scenario:
    """A scenario under the name it had; files that it names are looked up beside the file it came from."""
    scenario = load(data if isinstance(data, Mapping) else {})
    if not isinstance(name, str):
        return scenario
    folder: str | None = None
    try:
        folder = str(locate(name).parent)
    except ScenarioError:  # the file is not there any more; what it names may be
        folder = str(Path(name).parent) if "/" in name else None
    return replace(scenario, name=name, folder=folder)
