"""What is looked at: a scenario with changes, the file that says so, and the command line that shows the same.

>>> view = View.opened("agmon2003/5.2.1").changed({"agents[1].declares": "1/3"})
>>> view.command("run")
"consortium run agmon2003/5.2.1 --set 'agents[1].declares=1/3'"
>>> view.scenario.spec.agents[0].strategy.amount
Fraction(1, 3)
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from stat import S_ISREG
from typing import Any, Final

from ..mechanisms.custom import Named, named
from ..mechanisms.kinds import CUSTOM, Kind, is_custom, rules
from ..mechanisms.kinds import kind as find_kind
from ..scenarios.problems import Problem, ScenarioError, Words
from ..scenarios.reader import locate
from ..scenarios.scenario import Scenario, plain
from ..scenarios.toml import dumps, parse_text
from ..support.files import name_of
from ..verbs.compare import variants
from ..verbs.dispatch import ask, load

MAX_BYTES: Final = 2**18
"""Most bytes of a file: a page with more of it would take a browser long."""
SAVED: Final = "scenario.toml"
"""What a file is called that is only on the page: save it under this name, and the commands on the page work."""
BARE: Final = re.compile(r"(?!(?:true|false|inf|nan)$)[A-Za-z][\w-]*|-?\d+/\d+")
"""Texts that ``--set`` takes for texts without quotes."""


@dataclass(frozen=True)
class View:
    """A scenario as it is looked at."""

    source: str  # what a command calls the file: a path, or the name of a shipped scenario
    base: Scenario  # what is in the file
    changes: Mapping[str, Any]  # values by path, in order, as ``overrides`` of every verb take them
    scenario: Scenario  # the file with the changes
    own: Named | None = None  # a custom rule that was given, one of those to choose from

    @classmethod
    def opened(cls, source: str, rule: str | None = None) -> View:
        """A file by its path, or a shipped scenario by its name; under the custom rule that a text names.

        Raises ScenarioError, also for what is no regular file: who reads a pipe or a device may wait for ever.
        """
        path = locate(source)
        try:
            status = path.stat()
        except OSError as error:
            raise _refused(source, error.strerror or str(error)) from None
        if not S_ISREG(status.st_mode):
            raise _refused(source, "a pipe, a device or a socket")
        _check_size(source, status.st_size)
        scenario = load(source)
        view = cls(source, scenario, {}, scenario, None if rule is None else named(rule))
        return view if rule is None or is_custom(view.rule) else view.under(CUSTOM)

    @classmethod
    def read(cls, text: str, name: str = SAVED, own: Named | None = None) -> View:
        """The text of a file that is not on this machine, or not yet; problems name it. Raises ScenarioError."""
        _check_size(name, len(text.encode()))
        scenario = load(parse_text(text, name))
        return cls(SAVED, scenario, {}, scenario, own)

    def __reduce__(self) -> tuple[Any, ...]:
        """How it travels to another process, which reads the data anew."""
        base = self.base
        return _again, (self.source, base.name, base.folder, dict(base.data), dict(self.changes), self.own)

    @property
    def kind(self) -> Kind:
        """The kind of the scenario."""
        return find_kind(self.scenario.kind)

    @property
    def rule(self) -> str:
        """The name of the rule."""
        name: str = self.scenario.data["mechanism"]["rule"]
        return name

    def options(self, verb: str = "run") -> dict[str, Any]:
        """The options of a verb: the custom rule, where it is looked at; a comparison shows the others."""
        return {"mechanism": self.own} if self.own and is_custom(self.rule) and verb != "compare" else {}

    @cached_property
    def file(self) -> str:
        """The scenario file of what is looked at."""
        data = self.scenario.to_dict()
        if self.changes:
            data.pop("expect", None)  # it is about the file as it was
        return dumps(data)

    @property
    def saved(self) -> bool:
        """Whether the commands are about a file that exists; else the file on the page is to be saved before."""
        return self.source != SAVED and None not in self.changes.values()

    def changed(self, changes: Mapping[str, Any]) -> View:
        """With further changes; a later one takes the place of earlier ones at its path and below.

        Raises ScenarioError where they do not go together with the rest.
        """
        kept = {
            path: value
            for path, value in self.changes.items()
            if not any(re.match(rf"{re.escape(later)}(?:[.\[]|$)", path) for later in changes)
        }
        made = {**kept, **changes}
        return replace(self, changes=made, scenario=load(self.base, made))

    def without(self, *paths: str) -> View:
        """With what the file says at these paths."""
        kept = {path: value for path, value in self.changes.items() if path not in paths}
        return replace(self, changes=kept, scenario=load(self.base, kept))

    def under(self, rule: str) -> View:
        """Under another rule, with those of the options that it takes. Raises ScenarioError where it does not fit."""
        if rule == CUSTOM:
            return self.changed({"mechanism": {"rule": rule}})
        data = self.scenario.data
        (variant,) = variants([self.scenario], {rule: rule})
        now = variant.scenario.data
        changes = {key: now.get(key) for key in {**data, **now} if data.get(key) != now.get(key)}
        own, before = now["mechanism"], data["mechanism"]
        if {**before, "rule": rule} == own:
            changes.pop("mechanism", None)
            changes["mechanism.rule"] = rule
        return self.changed(changes)

    def rules(self) -> dict[str, str]:
        """The rules to choose from: name and what each does."""
        own = {self.rule if is_custom(self.rule) else CUSTOM: self.own.reference} if self.own else {}
        return own | {name: info.summary for name, info in rules(self.scenario.kind).items()}

    def command(self, verb: str) -> str:
        """The command line that shows what is looked at."""
        own, changes = self.options(verb).get("mechanism"), self.changes.items() if self.saved else ()
        words = [self.source if self.saved else SAVED, *(("--mechanism", own.reference) if own else ())]
        settings = [part for path, value in changes for part in ("--set", f"{path}={inline(value)}")]
        return shlex.join(["consortium", verb, *words, *settings])


def _check_size(name: str, size: int) -> None:
    if size > MAX_BYTES:
        raise _refused(name, f"{size:,} bytes")


def _refused(name: str, what: str) -> ScenarioError:
    return ScenarioError(name_of(name), [Problem("", Words(what), f"a file of at most {MAX_BYTES:,} bytes")])


def played(view: View, **options: Any) -> Mapping[str, Any]:
    """The record of ``run``, as a dict."""
    return ask("run", view.scenario, view.options() | options).to_dict()


def _again(
    source: str, name: str, folder: str | None, data: Mapping[str, Any], changes: Mapping[str, Any], own: Named | None
) -> View:
    base = replace(load(data), name=name, folder=folder)
    return View(source, base, changes, load(base, changes), own)


def inline(value: Any) -> str:
    """A value as ``--set`` reads it.

    >>> inline({"rule": "edf", "thresholds": [3, "1/2"]}), inline("vcg-renice"), inline("a b")
    ('{ "rule" = "edf", "thresholds" = [3, "1/2"] }', 'vcg-renice', '"a b"')
    """
    value = plain(value)
    return value if isinstance(value, str) and BARE.fullmatch(value) else _toml(value)


def _toml(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{_toml(key)} = {_toml(item)}" for key, item in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return json.dumps(value, ensure_ascii=False)
