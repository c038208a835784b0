"""The verbs: load, run, search equilibria, verify promises, compare rules, replay certificates, check expectations.

Every verb takes a path, the name of a shipped scenario, a dict or a loaded scenario, and returns a frozen record with
``to_dict()``.

>>> record = run({"format": 1, "kind": "declaration", "cluster": {"powers": [1]},
...               "agents": [{"name": "ann", "length": 2}, {"name": "bob", "length": 1}],
...               "mechanism": {"rule": "vcg-postpone"}})
>>> [(agent.name, agent.output, agent.payment) for agent in record.agents]
[('ann', Fraction(3, 1), Fraction(1, 1)), ('bob', Fraction(1, 1), Fraction(3, 1))]
"""

from __future__ import annotations

import importlib
import inspect
import json
import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from . import __version__
from .scenarios.problems import Problem, ScenarioError
from .scenarios.reader import KINDS, VERBS, Source, expand, load, shipped
from .scenarios.scenario import Scenario
from .scheduling.errors import InputError, unknown_name
from .scheduling.progress import Progress
from .verbs.expect import Comparison
from .verbs.expect import compare as compare_expected
from .verbs.importing import Imported
from .verbs.importing import build as import_scenario
from .verbs.records import Answer, Estimate, Record

__all__ = [
    "audit",
    "check",
    "compare",
    "curve",
    "estimate",
    "estimate_audit",
    "import_log",
    "listed",
    "load",
    "replay",
    "run",
    "search",
    "shipped",
    "verify",
]


def run(
    source: Source, *, overrides: Mapping[str, Any] | None = None, progress: Progress | None = None, **options: Any
) -> Record:
    """Play one scenario through its mechanism and report what happens.

    Parameters
    ----------
    source
        Path, name of a shipped scenario, dict, or loaded scenario.
    overrides
        Values by path, e.g. ``{"mechanism.rule": "harsh"}``.
    progress
        Receiver of progress reports for long work.
    **options
        Options of this verb for the scenario's kind.

    Returns
    -------
    Record
        With the fields that the format documents for ``run``.

    Raises
    ------
    ScenarioError
        When the scenario cannot be used; every problem is listed.
    InputError
        When an option is unknown or out of range.
    """
    return _verb("run", source, overrides, progress, options)


def search(
    source: Any, *, overrides: Mapping[str, Any] | None = None, progress: Progress | None = None, **options: Any
) -> Record:
    """Search equilibria: dynamics, pure equilibria, smallest epsilon and regret, prices of anarchy and stability.

    Besides scenarios, ``source`` may be any object with the :class:`consortium.games.protocol.Game` protocol or a
    sequence of numpy payoff arrays, one per player (maximised; own axis by player number).

    Examples
    --------
    >>> import numpy as np
    >>> record = search([np.array([[3, 0], [5, 1]]), np.array([[3, 5], [0, 1]])])
    >>> record.equilibria["count"]
    1
    """
    if not isinstance(source, str | os.PathLike | Mapping | Scenario):
        from .verbs.game.search import search_game

        return _stamp(
            "search", "game", getattr(source, "title", None), search_game(source, progress=progress, **options)
        )
    return _verb("search", source, overrides, progress, options)


def verify(
    source: Source, *, overrides: Mapping[str, Any] | None = None, progress: Progress | None = None, **options: Any
) -> Record:
    """Verify what the mechanism promises on the scenario's domain; see :func:`run` for the parameters."""
    return _verb("verify", source, overrides, progress, options)


def compare(
    sources: Source | Iterable[Source],
    *,
    overrides: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> Record:
    """Compare rules: one scenario with ``rules=[...]``, or several scenarios over the same agents.

    Returns a record with ``columns`` and ``rows`` (``{rule, scenario, values, complete}``).
    """
    many = [sources] if isinstance(sources, str | os.PathLike | Mapping | Scenario) else list(sources)
    if not many:
        raise InputError("compare: found no scenario; expected at least one")
    loaded = [load(source, overrides) for source in many]
    kinds = {scenario.kind for scenario in loaded}
    if len(kinds) > 1:
        raise InputError(
            f"compare: the scenarios are of different kinds: {', '.join(sorted(kinds))}; expected one kind"
        )
    function = _function(loaded[0].kind, "compare")
    _check_options("compare", loaded[0].kind, function, options)
    answer = function(loaded, progress=progress, **options)
    label = loaded[0].label if len(loaded) == 1 else "; ".join(scenario.label for scenario in loaded)
    return _stamp("compare", loaded[0].kind, label, answer)


def curve(
    source: Source,
    agent: str,
    *,
    overrides: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> Record:
    """Utility of one agent against her declaration, everything else as the scenario says (kind ``declaration``).

    Parameters
    ----------
    source, overrides, progress
        As for :func:`run`.
    agent
        Her name.
    **options
        ``low`` and ``high``, the ends of the range (default half the smallest and twice the largest number of the
        file), and ``width`` of isolating intervals where breakpoints cannot be exact.

    Returns
    -------
    Record
        With ``pieces``, ``points``, ``jumps``, ``isolated``, ``best``; ``record.curve.piecewise()`` is for sympy.
    """
    scenario = load(source, overrides)
    function = _function(scenario.kind, "curve")
    _check_options("curve", scenario.kind, function, options)
    answer = function(scenario, agent=agent, progress=progress, **options)
    return _stamp("curve", scenario.kind, scenario.label, answer)


def estimate(verb: str, source: Source, *, overrides: Mapping[str, Any] | None = None, **options: Any) -> Estimate:
    """Size of the space and estimated cost of a verb on a scenario, without doing the work (``--dry-run``)."""
    if verb not in VERBS:
        raise unknown_name("verb", verb, VERBS)
    scenario = load(source, overrides)
    _check_options(verb, scenario.kind, _function(scenario.kind, verb), options)
    module = importlib.import_module(f".verbs.{scenario.kind}.run", __package__)
    found: Estimate = module.estimate(verb, scenario, **options)
    return found


def check(
    sources: Iterable[Source] | None = None, *, progress: Progress | None = None
) -> list[tuple[str, str, Comparison]]:
    """Check the values that scenarios expect, their ``[expect]`` tables (all shipped scenarios by default).

    A source may also be a folder: of files, or of shipped scenarios (``"agmon2003"``). Returns a list of (scenario,
    verb, comparison). A scenario without expectations contributes nothing.
    """
    rows: list[tuple[str, str, Comparison]] = []
    names = shipped() if sources is None else [name for source in sources for name in expand(source)]
    for i, source in enumerate(names):
        scenario = load(source)
        if progress:
            progress(i, len(names), scenario.name)
        rows.extend((scenario.name, verb, row) for verb, row in _check(scenario))
    return rows


def _check(scenario: Scenario) -> Iterable[tuple[str, Comparison]]:
    for verb, expected in scenario.expect.items():
        options = dict(expected.get("options", {}))
        record = compare([scenario], **options) if verb == "compare" else _verb(verb, scenario, None, None, options)
        for row in compare_expected(record.to_dict(), expected):
            yield verb, row


def listed(only: str | None = None) -> list[Scenario]:
    """The shipped scenarios, loaded: all, those of a kind, or those whose names begin with a text.

    Raises UnknownNameError when there is none.

    >>> [scenario.name for scenario in listed("agmon2003/5.4")][0]
    'agmon2003/5.4.1'
    """
    loaded = [load(name) for name in shipped() if only in KINDS or only is None or name.startswith(only)]
    found = [scenario for scenario in loaded if only not in KINDS or scenario.kind == only]
    if not found:
        raise unknown_name("scenarios", str(only), {*KINDS, *(name.partition("/")[0] for name in shipped())})
    return found


def replay(record: Record | Mapping[str, Any] | str | os.PathLike[str]) -> list[tuple[str, str, Comparison]]:
    """Rerun every certificate of a record and put each claimed value beside the recomputed one.

    Parameters
    ----------
    record
        A record, its dict, or the path of a JSON file that holds it.

    Returns
    -------
    list of (place, verb, Comparison)
        ``place`` says where in the record the certificate stands; empty when the record carries none.
    """
    data = (
        record.to_dict()
        if isinstance(record, Record)
        else record
        if isinstance(record, Mapping)
        else _read_json(record)
    )
    rows: list[tuple[str, str, Comparison]] = []
    for place, certificate in _certificates(data, ""):
        scenario = load(certificate)
        rows.extend((place, verb, row) for verb, row in _check(scenario))
    return rows


def import_log(path: str | os.PathLike[str], kind: str, **options: Any) -> Imported:
    """Make a scenario of a kind from a real job log.

    Returns an object with ``scenario``, a dict that every verb takes, and ``report``, the account of what was left out
    of the log. The options of each kind, and which jobs are chosen, stand in :mod:`consortium.verbs.importing`.

    Raises InputError when the log cannot be read or does not hold what is asked for.
    """
    return import_scenario(path, kind, **options)


def audit(
    path: str | os.PathLike[str], *, zero: str = "drop", progress: Progress | None = None, **options: Any
) -> Record:
    """Replay a real job log under the sharing rules; measure who received less, or more, than it contributed.

    The options, their defaults and the fields of the record stand in
    :func:`consortium.verbs.sharing.audit.audit`; ``zero`` says what a run time of 0 means (``"drop"`` the job or count
    it as ``"one"`` second).

    Raises InputError when the log cannot be read or does not hold what is asked for.
    """
    from .verbs.sharing import audit as module

    _check_options("audit", "sharing", module.audit, options)
    log = module.read(path, zero)
    return _stamp("audit", "sharing", log.name, module.audit(log, progress=progress, **options))


def estimate_audit(path: str | os.PathLike[str], *, zero: str = "drop", **options: Any) -> Estimate:
    """Size and estimated cost of an audit, without doing it; see :func:`audit`."""
    from .verbs.sharing import audit as module

    _check_options("audit", "sharing", module.audit, options)
    return module.estimate(module.read(path, zero), **options)


def _read_json(path: str | os.PathLike[str]) -> Mapping[str, Any]:
    name = os.fspath(path)
    try:
        data = json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise ScenarioError(name, [Problem("", error.strerror or str(error), "a readable file")]) from None
    except (ValueError, RecursionError) as error:
        raise ScenarioError(name, [Problem("", str(error), "the JSON of a record, as --json prints it")]) from None
    if not isinstance(data, dict):
        raise ScenarioError(name, [Problem("", data, "the JSON object of a record, as --json prints it")])
    return data


def _certificates(value: Any, place: str) -> Iterable[tuple[str, Mapping[str, Any]]]:
    if isinstance(value, Mapping):
        for key, item in value.items():
            where = f"{place}.{key}" if place else str(key)
            if key == "replay" and isinstance(item, list):
                for i, certificate in enumerate(item):
                    yield f"{where}[{i + 1}]", certificate
            else:
                yield from _certificates(item, where)
    elif isinstance(value, list):
        for i, item in enumerate(value):
            yield from _certificates(item, f"{place}[{i + 1}]")


def _function(kind: str, verb: str) -> Callable[..., Answer]:
    module = importlib.import_module(f".verbs.{kind}.run", __package__)
    function: Callable[..., Answer] | None = getattr(module, verb, None)
    if function is None:
        raise InputError(f"{verb}: scenarios of kind {kind!r} have no such verb")
    return function


def _check_options(verb: str, kind: str, function: Callable[..., Answer], options: Mapping[str, Any]) -> None:
    parameters = inspect.signature(function).parameters.values()
    known = [p.name for p in parameters if p.kind is p.KEYWORD_ONLY and p.name != "progress"]
    for name in options:
        if name not in known:
            raise unknown_name(f"option of {verb} on kind {kind!r}", name, known)


def _verb(
    verb: str,
    source: Source,
    overrides: Mapping[str, Any] | None,
    progress: Progress | None,
    options: Mapping[str, Any],
) -> Record:
    scenario = load(source, overrides)
    function = _function(scenario.kind, verb)
    _check_options(verb, scenario.kind, function, options)
    return _stamp(verb, scenario.kind, scenario.label, function(scenario, progress=progress, **options))


def _stamp(verb: str, kind: str, scenario: str | None, answer: Answer) -> Record:
    return Record(verb, kind, scenario, answer, __version__)
