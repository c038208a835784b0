"""What a record answers, written into it: enough to ask again, on another machine and in another year.

The key ``request`` of a record holds the options that change the answer (never where to store or how many processes to
start) and either ``scenario`` with its ``name`` (overrides applied), ``scenarios`` with their ``names``, the path of a
``log`` or of a ``store``, ``game``, the text of a Gambit ``.nfg`` file, or the ``overrides`` of a hunt. A custom object
(a mechanism, a utility, a game) is written as ``{"object": "lpt.py:LPT", "source": fingerprint of its source file}``,
which nothing imports; :meth:`Request.under` takes what somebody gives in its place.

:func:`command` is the command line that asks the same, to copy.
"""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from pydantic.fields import FieldInfo

from ..mechanisms.custom import CUSTOM_DATA, custom_data, reference_of
from ..mechanisms.kinds import HUNT, answered, shipped_verb, typed
from ..scenarios.problems import ScenarioError
from ..scenarios.reader import load, locate
from ..scenarios.scenario import Scenario, plain
from ..support.errors import ConsortiumError, InputError
from ..support.loading import load as load_reference
from .options import Options, flag_of, written

MAX_PAYOFFS: Final = 100_000
"""Payoffs of a game that its record still carries."""


@dataclass(frozen=True)
class Request:
    """A verb, what it is asked about, and the options that change the answer."""

    verb: str
    source: Any  # a scenario, several of them, a game, the path of a log or a store, or the overrides of a hunt
    options: Mapping[str, Any]
    title: str | None = None  # what the record calls a game

    @cached_property
    def data(self) -> Mapping[str, Any]:
        """The request as a record holds it."""
        return {**self._about(), "options": {name: _written(value) for name, value in self.options.items()}}

    def _about(self) -> dict[str, Any]:
        source = self.source
        if isinstance(source, Scenario):
            return {"name": source.name, "scenario": source.to_dict()}
        if isinstance(source, str | os.PathLike):
            own = shipped_verb(self.verb)
            return {"store" if own is not None and own.takes == "store" else "log": os.fsdecode(source)}
        if isinstance(source, list | tuple):
            return {"names": [each.name for each in source], "scenarios": [each.to_dict() for each in source]}
        if self.verb == HUNT.name:
            return {"overrides": _written(source)}
        return {"game": _nfg(source, self.title) or custom_data(source)}

    def under(self, rules: Sequence[Any]) -> Request:
        """The request with custom rules, and a game, that were given in the place of their names."""
        alone = len(rules) == len(self.custom) == 1
        source = _under(self.source, rules, alone) if is_named(self.source) else self.source
        return replace(self, source=source, options=_under(self.options, rules, alone))

    def __getstate__(self) -> dict[str, Any]:
        """A copy has the plain data only: a scenario or a game may hold what cannot be sent."""
        return {"verb": self.verb, "source": None, "options": {}, "title": self.title, "data": self.data}

    @property
    def custom(self) -> list[str]:
        """Names of custom objects in a request that was read, which only whoever gives them can ask again."""
        return list(dict.fromkeys(_names([*self.options.values(), self.source])))

    @property
    def custom_rules(self) -> dict[str, dict[str, str]]:
        """Custom rules among the options, as ``mechanism`` or by their label."""
        rules = {}
        for value in self.data["options"].values():
            labelled = {"mechanism": value} if is_named(value) else value if isinstance(value, Mapping) else {}
            for label, rule in labelled.items():
                if is_named(rule):
                    rules[label] = {"rule": rule["object"], "sha256": rule["source"] or ""}
        return rules


def _written(value: Any) -> Any:
    """The value of an option as plain data."""
    value = plain(value)
    if isinstance(value, Mapping):
        return {name: _written(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_written(item) for item in value]
    if isinstance(value, date):
        return value.isoformat()
    return value if value is None or isinstance(value, str | bool | int | float) else custom_data(value)


def _under(value: Any, rules: Sequence[Any], alone: bool) -> Any:
    """Plain data with rules in the place of those that they are: of the same name, or of the only one."""
    if not isinstance(value, Mapping):
        return value
    if not is_named(value):
        return {name: _under(item, rules, alone) for name, item in value.items()}
    return next((rule for rule in rules if alone or reference_of(rule) == value["object"]), value)


def is_named(value: Any) -> bool:
    """Whether plain data stands for a custom object."""
    return isinstance(value, Mapping) and set(value) == CUSTOM_DATA


def _names(value: Any) -> Iterator[str]:
    """Names of custom objects in plain data."""
    if is_named(value):
        yield str(value["object"])
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from _names(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _names(item)


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


def request_of(record: Mapping[str, Any], where: str) -> Request | None:
    """The request of a record's dict; ``None`` where the record does not carry it.

    Raises ScenarioError or InputError where what it carries makes no sense.
    """
    verb, data = record.get("verb"), record.get("request")
    if data is None or not isinstance(verb, str):
        return None
    if not isinstance(data, Mapping) or not isinstance(data.get("options"), Mapping):
        raise InputError(f"{where}: request: found {data!r:.60}; expected a table with options and what they are about")
    return Request(verb, _source(data, where), data["options"])


def _source(data: Mapping[str, Any], where: str) -> Any:
    if "game" in data:
        return _game(data["game"], f"{where}: request.game")
    for name in ("log", "store", "overrides"):
        if name in data:
            return data[name]
    if "scenario" in data:
        return _named(data["scenario"], data.get("name"), where)
    scenarios, names = data.get("scenarios"), data.get("names")
    if not isinstance(scenarios, list) or not scenarios or not isinstance(names, list) or len(scenarios) != len(names):
        raise InputError(
            f"{where}: request: found neither scenario, scenarios with their names, log, game nor overrides"
        )
    return [_named(each, name, where) for each, name in zip(scenarios, names, strict=True)]


def _game(game: Any, where: str) -> Any:
    """The game of a Gambit file; a custom one as it is written, because nothing imports it."""
    from ..games.interchange import from_nfg

    if is_named(game):
        return game
    if not isinstance(game, str):
        raise InputError(f"{where}: found {game!r:.60}; expected the text of a .nfg file")
    return from_nfg(game, where=where)


def _named(data: Any, name: Any, where: str) -> Scenario:
    """A scenario under the name it had; files that it names are looked up beside the file it came from."""
    try:
        scenario = load(data if isinstance(data, Mapping) else {})
    except ScenarioError as error:
        raise ScenarioError(f"{where}: request.scenario", error.problems) from None
    if not isinstance(name, str):
        return scenario
    folder: str | None = None
    try:
        folder = str(locate(name).parent)
    except ScenarioError:  # the file is not there any more; what it names may be
        folder = str(Path(name).parent) if "/" in name else None
    return replace(scenario, name=name, folder=folder)


PROGRAM: Final = "consortium"


def command(kind: str, verb: str, sources: Sequence[str], options: Mapping[str, Any]) -> str:
    """A line for a shell, everything in it quoted where it has to be; what no command line can say is left out.

    >>> command("declaration", "curve", ["my scenario.toml"], {"agent": "ann", "low": "1/2"})
    "consortium curve 'my scenario.toml' ann --from 1/2"
    >>> command("declaration", "search", ["agmon2003/5.2.1"], {"bayesian": True, "coalitions": 2})
    'consortium search agmon2003/5.2.1 --coalitions 2 --bayesian'
    >>> command("sharing", "audit_trend", ["nights.db"], {"every": "week"})
    'consortium audit trend nights.db --every week'
    """
    model: type[Options] = load_reference(answered(kind, verb).options)
    fields = {name: info for name, info in model.model_fields.items() if "command" in flag_of(info).doors}
    named = [word for name, info in fields.items() for word in _words(name, info, options.get(name))]
    placed = [str(options[name]) for name, info in fields.items() if flag_of(info).positional and name in options]
    return shlex.join([PROGRAM, *typed(verb).split(), *sources, *placed, *named])


def _words(name: str, info: FieldInfo, value: Any) -> Iterator[str]:
    """One option; nothing for what is given without a name, or not given."""
    flag, label = flag_of(info), f"--{written(name, info)}"
    if flag.custom:
        value = _named_again(value)
    if flag.positional or value is None or value is False:
        return
    if not flag.metavar:
        yield label
    elif flag.metavar == "JSON":
        yield from (label, json.dumps(value, ensure_ascii=False))
    elif isinstance(value, Mapping):
        yield from (label, ",".join(f"{key}={item}" for key, item in value.items()))
    elif isinstance(value, list | tuple):
        yield from (label, ",".join(map(str, value)))
    else:
        yield from (label, str(value))


def _named_again(value: Any) -> Any:
    """A custom rule, or rules by label, as the command line names them."""
    if not isinstance(value, Mapping):
        return value
    if is_named(value):
        return value["object"]
    texts = {label: _named_again(rule) for label, rule in value.items()}
    return [rule if value[label] == rule or label == rule else f"{label}={rule}" for label, rule in texts.items()]
