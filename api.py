"""The verbs as functions: load, run, search equilibria, verify promises, compare rules, check records, and more.

Every verb takes a path, the name of a shipped scenario, a dict or a loaded scenario, and returns a frozen record with
``to_dict()``. Options are named; ``None`` stands for the verb's own default. What each means for which kind of scenario
is said by ``consortium VERB --help`` and, with types and ranges, by the models in ``verbs/<kind>/options.py``, which
check them on every door.

>>> record = run({"format": 1, "kind": "declaration", "cluster": {"powers": [1]},
...               "agents": [{"name": "ann", "length": 2}, {"name": "bob", "length": 1}],
...               "mechanism": {"rule": "vcg-postpone"}})
>>> [(agent.name, agent.output, agent.payment) for agent in record.agents]
[('ann', Fraction(3, 1), Fraction(1, 1)), ('bob', Fraction(1, 1), Fraction(3, 1))]
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, cast

from .mechanisms.kinds import GAME, HUNT, typed
from .mechanisms.kinds import kind as find_kind
from .mechanisms.kinds import names as kind_names
from .scenarios.reader import Source, shipped
from .scenarios.scenario import Scenario
from .support.errors import InputError, unknown_name
from .support.loading import load as load_reference
from .support.loading import usable
from .support.progress import ProgressLike
from .verbs import dispatch
from .verbs.check import check
from .verbs.dispatch import load
from .verbs.functions import verb_function, with_options
from .verbs.importing import Imported, option_models
from .verbs.importing import build as _import
from .verbs.options import read_options
from .verbs.records import CompareRecord, Estimate, Record

if TYPE_CHECKING:
    from .studies.hunting.hunt import HuntRecord
    from .studies.results import Results
    from .verbs.game.records import SearchRecord
    from .workloads.families.base import Family

__all__ = [
    "ask",
    "audit",
    "audit_gaming",
    "audit_switch",
    "audit_trend",
    "check",
    "compare",
    "curve",
    "design",
    "estimate",
    "families",
    "hunt",
    "import_log",
    "listed",
    "load",
    "prove",
    "run",
    "schema",
    "search",
    "shipped",
    "study",
    "verify",
]

Number: TypeAlias = int | str | Fraction
"""An exact number: an integer, a fraction, or a text such as ``"3/2"`` or ``"0.1"``."""
Path: TypeAlias = str | os.PathLike[str]
STUDY: Final = ".studies.store:Run"
"""Reference to the options of :func:`study`."""


@verb_function("run")
def run(
    source: Source, *, overrides: Mapping[str, Any] | None = None, progress: ProgressLike = None, **options: Any
) -> Record:
    """Play one scenario through its mechanism and report what happens.

    Returns
    -------
    Record
        With the fields that the format documents for ``run``.

    Raises
    ------
    ScenarioError
        When the scenario cannot be used; every problem is listed.
    InputError
        When an option is out of range; UnknownNameError when there is no such option for the kind.

    Examples
    --------
    >>> run("agmon2003/5.2.1").rent
    Fraction(2, 5)
    """
    return dispatch.ask("run", source, options, overrides=overrides, progress=progress)


@verb_function("search")
def search(
    source: Any, *, overrides: Mapping[str, Any] | None = None, progress: ProgressLike = None, **options: Any
) -> SearchRecord:
    """Search equilibria: dynamics, pure equilibria, smallest epsilon and regret, prices of anarchy and stability.

    Parameters
    ----------
    source
        A scenario, or a game: the path of a Gambit ``.nfg`` file, a nashpy, QuantEcon or pygambit game, any object with
        the :class:`consortium.games.protocol.Game` protocol, or a list of numpy payoff arrays, one per player
        (maximised; own axis by player number).

    Returns
    -------
    SearchRecord
        That of every game (``consortium.verbs.game.records``); a kind's own adds fields (``consortium.verbs.<kind>``).
        Ctrl-C and limits raise nothing: what is known by then is returned, and ``complete`` is false.

    Examples
    --------
    >>> import numpy as np
    >>> record = search([np.array([[3, 0], [5, 1]]), np.array([[3, 5], [0, 1]])])
    >>> record.equilibria.count
    1
    """
    record = dispatch.ask("search", source, options, overrides=overrides, progress=progress)
    return cast("SearchRecord", record)  # the record of a game's equilibria, which every kind extends


@verb_function("verify")
def verify(
    source: Source, *, overrides: Mapping[str, Any] | None = None, progress: ProgressLike = None, **options: Any
) -> Record:
    """Verify what the mechanism promises, case by case.

    Examples
    --------
    >>> found = verify("agmon2003/5.2.1")
    >>> found.dominant.holds, str(found.status)
    (False, 'refuted')
    """
    return dispatch.ask("verify", source, options, overrides=overrides, progress=progress)


@verb_function("prove")
def prove(
    source: Source, *, overrides: Mapping[str, Any] | None = None, progress: ProgressLike = None, **options: Any
) -> Record:
    """Prove or refute what the mechanism promises for all real lengths (and declarations) of the jobs.

    Examples
    --------
    >>> record = prove("agmon2003/5.2.1", overrides={"mechanism.rule": "vcg-postpone"})
    >>> str(record.status), record.dominant.scope
    ('proved', '2 agents, 1 machine of power 1, all positive lengths; not for all N')
    >>> record = prove("shapes/sharp-price", property="price-of-anarchy")
    >>> record.value, record.theorem, record.attained
    (Fraction(3, 2), 'sharp-price', True)
    """
    return dispatch.ask("prove", source, options, overrides=overrides, progress=progress)


@verb_function("design")
def design(
    source: Source, *, overrides: Mapping[str, Any] | None = None, progress: ProgressLike = None, **options: Any
) -> Record:
    """Design payments under which the truth is best: the best ones, or the proof that there are none.

    Who runs where and what job control does are the scenario's. Payments are known before the run and make the truth
    dominant, or best where the others are truthful.

    Examples
    --------
    >>> record = design("agmon2003/6.10-makespan-enumerated", subject_to=["no-deficit", "prices-nonnegative"],
    ...     concept="ex-post")
    >>> record["status"], record.value, record.compared[0].value
    ('optimal', Fraction(2, 1), Fraction(16, 1))
    >>> design("agmon2003/6.10-makespan-enumerated").least_fine
    Fraction(2, 3)
    """
    return dispatch.ask("design", source, options, overrides=overrides, progress=progress)


@verb_function("compare")
def compare(
    sources: Source | Iterable[Source],
    *,
    overrides: Mapping[str, Any] | None = None,
    progress: ProgressLike = None,
    **options: Any,
) -> CompareRecord:
    """Compare rules on the same agents and jobs.

    Parameters
    ----------
    sources
        One scenario, which is shown under each of the rules, or several over the same agents, each under its own.

    Returns
    -------
    CompareRecord
        With ``columns`` and ``rows`` (``rule``, ``scenario``, ``values``, ``complete``).

    Examples
    --------
    >>> found = compare("agmon2003/5.2.1", rules=["light-vcg", "vcg-postpone"])
    >>> [(row.rule, row.values["dominant"], str(row.values["rent_truthful"])) for row in found.rows[:3]]
    [('light-vcg', False, '31/10'), ('vcg-postpone', True, '31/10'), ('least-rent', True, '0')]
    """
    record = dispatch.ask("compare", sources, options, overrides=overrides, progress=progress)
    assert isinstance(record, CompareRecord)  # every kind's compare answers one
    return record


@verb_function("curve")
def curve(
    source: Source,
    agent: str,
    *,
    overrides: Mapping[str, Any] | None = None,
    progress: ProgressLike = None,
    **options: Any,
) -> Record:
    """Utility of one agent against her declaration, everything else as the scenario says (kind ``declaration``).

    Returns
    -------
    Record
        With ``pieces``, ``points``, ``jumps``, ``isolated``, ``best``; ``record.curve.piecewise()`` is for sympy.

    Examples
    --------
    >>> curve("agmon2003/5.2.1", "ann", low="0.05", high=3).best.declares
    Fraction(1, 20)
    """
    return dispatch.ask("curve", source, {"agent": agent, **options}, overrides=overrides, progress=progress)


@verb_function("audit")
def audit(path: Path, *, progress: ProgressLike = None, **options: Any) -> Record:
    """Replay a real job log under the sharing rules; measure who received less, or more, than it contributed.

    Raises
    ------
    InputError
        When the log cannot be read or does not hold what is asked for.
    """
    return dispatch.ask("audit", path, options, progress=progress)


@verb_function("audit_gaming")
def audit_gaming(path: Path, *, progress: ProgressLike = None, **options: Any) -> Record:
    """Search what each organization could gain by presenting its jobs otherwise: split, merged, delayed, padded."""
    return dispatch.ask("audit_gaming", path, options, progress=progress)


@verb_function("audit_switch")
def audit_switch(path: Path, *, progress: ProgressLike = None, **options: Any) -> Record:
    """Say who would win and who would lose if other rules were in force, and whether they are fairer."""
    return dispatch.ask("audit_switch", path, options, progress=progress)


@verb_function("audit_trend")
def audit_trend(path: Path, *, progress: ProgressLike = None, **options: Any) -> Record:
    """Show unfairness over time, of all windows that audits keep in a store.

    Parameters
    ----------
    path
        The store: the file that :func:`audit` was given as ``store``.
    """
    return dispatch.ask("audit_trend", path, options, progress=progress)


def ask(
    verb: str,
    source: Any,
    *,
    overrides: Mapping[str, Any] | None = None,
    progress: ProgressLike = None,
    **options: Any,
) -> Record:
    """Answer any verb by its name, those that only kinds of other distributions have included.

    ``source`` and options are those of the verb.

    Examples
    --------
    >>> ask("run", "agmon2003/5.2.1").rent
    Fraction(2, 5)
    """
    return dispatch.ask(verb, source, options, overrides=overrides, progress=progress)


def estimate(verb: str, source: Any, *, overrides: Mapping[str, Any] | None = None, **options: Any) -> Estimate:
    """Size of the space and estimated cost of a verb, without doing the work (``--dry-run``).

    ``source`` and options are those of the verb.

    Examples
    --------
    >>> estimate("search", "agmon2003/5.2.1").unit
    'declaration profiles'
    """
    return dispatch.estimate(verb, source, options, overrides=overrides)


@with_options(option_models)
def import_log(
    path: Path, kind: str, *, output: Path | None = None, zero: Literal["drop", "one"] = "drop", **options: Any
) -> Imported:
    """Make a scenario of a kind from a real job log.

    Parameters
    ----------
    kind
        One that is made from logs.
    output
        Where the scenario will be written: one that names its log names it relative to that folder.
    zero
        Drop jobs of run time 0, or count them as ``"one"`` second.

    Returns
    -------
    Imported
        ``scenario``, a dict that every verb takes, and ``report``, the account of what was left out of the log.

    Raises
    ------
    InputError
        When the log cannot be read or does not hold what is asked for.
    """
    return _import(path, kind, output=output, zero=zero, **options)


@with_options(lambda: {"study": load_reference(STUDY)})
def study(source: Path | Mapping[str, Any], *, progress: ProgressLike = None, **options: Any) -> Results:
    """Ask one question of a population of scenarios, and keep the answers.

    Parameters
    ----------
    source
        Path of a study file, name of a shipped study, or a dict of the same structure.

    Returns
    -------
    Results
        With ``rows()``, ``groups()``, ``tables()``, ``to_frame()`` and ``plot()``. Ctrl-C and limits raise nothing:
        what is kept by then is returned, ``complete`` is false, and the same call with the same ``store`` goes on.

    Raises
    ------
    ScenarioError
        When the study cannot be used; every problem is listed.
    InputError
        When the store belongs to another study, is in use or cannot be written, or there is no such cluster.

    Examples
    --------
    >>> results = study({"format": 1, "kind": "study", "verb": "run", "base": {"scenario": "agmon2003/5.2.1"},
    ...                "vary": {"mechanism.rule": ["light-vcg", "vcg-postpone"]}, "measures": {"rent": "rent"}})
    >>> [(row["mechanism.rule"], row["rent"]) for row in results.rows()]
    [('light-vcg', '2/5'), ('vcg-postpone', '2/5')]
    """
    from .studies.reader import load as load_study
    from .studies.running import Shard, Where
    from .studies.store import answered  # a question about one scenario needs none of this

    chosen = read_options(load_reference(STUDY), options, "study")
    return answered(
        load_study(source, chosen.full),
        chosen.store,
        shard=Shard() if chosen.shard is None else Shard.parse(chosen.shard),
        where=Where(chosen.processes, chosen.cluster),
        time_limit=chosen.time_limit,
        progress=progress,
    )


@with_options(lambda: {"hunt": load_reference(HUNT.options)})
def hunt(
    rule: str | None = None,
    claim: str | None = None,
    *,
    overrides: Mapping[str, Any] | None = None,
    output: Path | None = None,
    progress: ProgressLike = None,
    **options: Any,
) -> HuntRecord:
    """Find an instance on which a rule does not do what a claim says, or on which a measure is large, and shrink it.

    Parameters
    ----------
    rule
        Name of a rule, or ``"FILE.py:Name"`` of a custom rule.
    claim
        What should fail: one of the claims of the rule's kind, promised by the rule or not; or the beginning of its
        name, if no other begins so (the record's ``note`` says how it was read). Without one, ``largest``.
    overrides
        Options of the rule and other settings by path: ``{"mechanism.penalty": "printed"}``.
    output
        Write the instance here, as a scenario file; those that it is compared with go beside it (``-2``, ...).

    Returns
    -------
    HuntRecord
        Refuted where ``broken``, else sampled: that nothing was found proves nothing.

    Raises
    ------
    UnknownNameError
        For a rule, kind or claim that there is not.
    InputError
        For other arguments out of range, and a file that cannot be written.

    Examples
    --------
    >>> record = hunt("lpt-lpt", "spt-local-total-constraint")
    >>> record.claim_status, record.size.jobs, record.replay[0]["organizations"]
    ('refuted by cordeiro2012/local-total-lpt-lpt', 2, ({'jobs': (2, 1)},))
    """
    from .studies.hunting.hunt import answered  # a question about one scenario needs none of this

    return answered({"rule": rule, "claim": claim, **options}, {} if overrides is None else overrides, output, progress)


def listed(only: str | None = None) -> list[Scenario]:
    """The shipped scenarios, loaded: all, those of a kind, or those whose names begin with a text.

    Raises UnknownNameError when there is none.

    >>> [scenario.name for scenario in listed("agmon2003/5.4")][0]
    'agmon2003/5.4.1'
    """
    kinds, names = kind_names(), shipped()
    if only is not None and not isinstance(only, str):
        raise unknown_name("scenarios", only, kinds)
    chosen = [name for name in names if only in kinds or only is None or name.startswith(only)]
    matching = [scenario for scenario in usable(chosen, load).values() if only not in kinds or scenario.kind == only]
    if not matching:
        raise unknown_name("scenarios", str(only), {*kinds, *(name.partition("/")[0] for name in names)})
    return matching


def schema(kind: str | None = None, verb: str | None = None) -> dict[str, Any]:
    """JSON Schema of scenario files, of study files, or of the records of a verb, as ``to_dict()`` gives them.

    Parameters
    ----------
    kind
        A kind of scenario, ``"game"`` or ``"study"``; all scenario files by default.
    verb
        The verb whose records are described instead of files.

    Raises
    ------
    UnknownNameError
        For a kind or verb that there is not.
    InputError
        For the files of ``"game"``, which has none.

    Examples
    --------
    >>> schema("federation", "search")["properties"]["price_of_anarchy"]["description"]
    'social cost of the worst equilibrium over the optimum'
    """
    from .studies.blocks import schema as of_studies  # nobody else needs these
    from .verbs.schema import record_schema
    from .verbs.schema import schema as of_scenarios

    kinds = [*kind_names(), GAME.name, "study"]
    if (kind is not None or verb is not None) and not (isinstance(kind, str) and kind in kinds):
        raise unknown_name("kind", kind, kinds)
    if verb is not None:
        named = {typed(each): each for each in (*(each.name for each in find_kind(str(kind)).verbs), HUNT.name)}
        if not isinstance(verb, str) or verb not in {*named, *named.values()}:
            raise unknown_name("verb", verb, named)
        return record_schema(str(kind), named.get(verb, verb))
    if kind == GAME.name:
        verbs = " or ".join(each.name for each in GAME.verbs)
        raise InputError(f"kind: found {kind!r}, which has no files; its records have a schema, that of {verbs}")
    return of_studies() if kind == "study" else of_scenarios(kind)


def families(kind: str | None = None) -> tuple[Family, ...]:
    """The random families that fill scenarios: all, or those of a kind.

    Raises UnknownNameError for a kind that has none.

    >>> [family.name for family in families("sharing")][-2:]
    ['poisson-bags', 'log-window']
    """
    from .workloads.families.registry import families as registered  # only who asks for them needs their parameters

    return registered(kind)
