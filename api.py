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
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from .mechanisms.kinds import names as kind_names
from .scenarios.reader import Source, shipped
from .scenarios.scenario import Scenario
from .support.errors import unknown_name
from .support.numbers import Floats
from .support.progress import ProgressLike
from .verbs import dispatch
from .verbs.check import check
from .verbs.importing import Imported
from .verbs.importing import build as _import
from .verbs.reading import load
from .verbs.records import CompareRecord, Estimate, Record

if TYPE_CHECKING:
    from .workloads.families.base import Family

if TYPE_CHECKING:
    from .studies.results import Results

__all__ = [
    "ask",
    "audit",
    "audit_gaming",
    "audit_switch",
    "audit_trend",
    "check",
    "compare",
    "curve",
    "estimate",
    "families",
    "import_log",
    "listed",
    "load",
    "prove",
    "run",
    "search",
    "shipped",
    "study",
    "verify",
]

Number: TypeAlias = int | str | Fraction
"""An exact number: an integer, a fraction, or a text such as ``"3/2"`` or ``"0.1"``."""
Path: TypeAlias = str | os.PathLike[str]


def run(
    source: Source,
    *,
    overrides: Mapping[str, Any] | None = None,
    progress: ProgressLike = None,
    mechanism: object = None,
    list: int | None = None,
    measure: bool | None = None,
    seed: int | None = None,
    effort: int | None = None,
    time_limit: float | None = None,
    floats: Floats | None = None,
    **options: Any,
) -> Record:
    """Play one scenario through its mechanism and report what happens.

    Parameters
    ----------
    source
        Path, name of a shipped scenario, dict, or loaded scenario.
    overrides
        Values by path, e.g. ``{"mechanism.rule": "harsh"}``.
    progress
        ``True`` for a bar on a terminal or in a notebook (lines of text elsewhere), or a function of
        ``(done, total, note)`` that long work calls now and then; ``total`` is ``None`` where it is not known.
    mechanism
        A rule of one's own instead of the scenario's.
    list
        Rows to list in long tables.
    measure
        Also run the reference and say how far from it the schedule is (sharing; default yes).
    seed
        In the place of the scenario's (sharing).
    effort
        How many times the usual limits of time and memory an exact rule may exceed (users).
    time_limit
        Seconds, after which what is known is returned.
    floats
        What floats mean, in the scenario and in options: ``"decimal"`` (``0.1`` is 1/10) or ``"binary"`` (the exact
        number that the machine has); without it they are refused. Files have exact decimals unless ``"binary"``.
    **options
        Options of kinds that other distributions bring.

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
    return dispatch.ask("run", source, _options(locals()), overrides=overrides, progress=progress)


def search(
    source: Any,
    *,
    overrides: Mapping[str, Any] | None = None,
    progress: ProgressLike = None,
    mechanism: object = None,
    method: str | None = None,
    list: int | None = None,
    time_limit: float | None = None,
    max_bytes: int | None = None,
    epsilon: Number | None = None,
    mixed: bool | None = None,
    start: Mapping[str, Any] | Sequence[Any] | None = None,
    coalitions: int | None = None,
    notion: str | None = None,
    correlated: str | None = None,
    potential: bool | None = None,
    quantal: Number | Sequence[Number] | None = None,
    dynamics: str | None = None,
    rounds: int | None = None,
    seed: int | None = None,
    bayesian: bool | None = None,
    floats: Floats | None = None,
    **options: Any,
) -> Record:
    """Search equilibria: dynamics, pure equilibria, smallest epsilon and regret, prices of anarchy and stability.

    Parameters
    ----------
    source
        A scenario, or a game: the path of a Gambit ``.nfg`` file, a nashpy or pygambit game, any object with the
        :class:`consortium.games.protocol.Game` protocol, or numpy payoff arrays, one per player (maximised; own axis by
        player number).
    overrides, progress, mechanism, time_limit
        As for :func:`run`.
    method
        How to search; default: what fits the game.
    list
        Profiles to list.
    max_bytes
        Largest table of all profiles; default 4 GiB.
    epsilon
        Also list the epsilon-approximate equilibria, a factor of at least 1.
    mixed
        Also mixed equilibria: all of two players, of more what Gambit finds.
    start
        Where dynamics start: everybody's strategy, by name or in order.
    coalitions, notion
        Also what coalitions of up to so many players leave stable, where a joint deviation pays by ``"all-gain"``
        (default), ``"none-lose"``, ``"total"`` or ``"any-gains"``.
    correlated
        Also the best and the worst ``"coarse"`` or ``"correlated"`` equilibrium.
    potential
        Also which kinds of potential the game has.
    quantal
        Also logit quantal response equilibria, for one lambda or several (per unit of cost).
    dynamics, rounds, seed
        How players go on from ``start``: ``"best-response"`` (default), or so many rounds (default 1000) of
        ``"best-response-with-inertia"``, ``"fictitious-play"`` or ``"regret-matching"``.
    bayesian
        Declarations: also the Bayes-Nash equilibria under the scenario's ``[prior]``.
    floats
        As for :func:`run`.
    **options
        Options of kinds that other distributions bring.

    Examples
    --------
    >>> import numpy as np
    >>> record = search([np.array([[3, 0], [5, 1]]), np.array([[3, 5], [0, 1]])])
    >>> record.equilibria.count
    1
    """
    return dispatch.ask("search", source, _options(locals()), overrides=overrides, progress=progress)


def verify(
    source: Source,
    *,
    overrides: Mapping[str, Any] | None = None,
    progress: ProgressLike = None,
    mechanism: object = None,
    property: str | None = None,
    coalitions: int | Sequence[int] | None = None,
    notion: str | None = None,
    method: str | None = None,
    sample: int | None = None,
    seed: int | None = None,
    max_bytes: int | None = None,
    time_limit: float | None = None,
    organization: str | None = None,
    limit: int | None = None,
    cuts: int | None = None,
    t_max: int | None = None,
    floats: Floats | None = None,
    **options: Any,
) -> Record:
    """Verify what the mechanism promises, case by case.

    Parameters
    ----------
    source, overrides, progress, mechanism, time_limit
        As for :func:`run`.
    property
        Whose verdict counts (``record.verdict``): for declarations ``"dominant"`` (default), ``"ex-post"``,
        ``"bayesian"``, ``"group-dominant"``, ``"just"``, ...; for federations ``"equilibrium"``, a constraint or a
        claim; for sharing ``"manipulation"``, a move or an axiom.
    coalitions, notion
        Also coalitions of up to so many players, whose joint deviation pays by ``"all-gain"`` (default),
        ``"none-lose"`` or in ``"total"``. Declarations: agents who lie together, where a list means sizes; federations:
        organizations that leave the placement together, also by ``"any-gains"``.
    method
        Declarations: ``"auto"``, ``"kernel"``, ``"general"`` or ``"reduction"``.
    sample, seed
        Declarations: so many random cases instead of all. ``seed`` also of the random choices of sharing.
    max_bytes
        Declarations: memory that may be taken, as predicted; default 2 GiB.
    organization
        Sharing: only this one manipulates.
    limit, cuts
        Sharing: delays and paddings up to so many units of time; at most so many ways to split a job.
    t_max
        Sharing: axioms on all schedules up to this moment.
    floats
        As for :func:`run`.
    **options
        Options of kinds that other distributions bring.

    Examples
    --------
    >>> found = verify("agmon2003/5.2.1")
    >>> found.dominant.holds, str(found.status)
    (False, 'refuted')
    """
    return dispatch.ask("verify", source, _options(locals()), overrides=overrides, progress=progress)


def prove(
    source: Source,
    *,
    overrides: Mapping[str, Any] | None = None,
    progress: ProgressLike = None,
    mechanism: object = None,
    property: str | None = None,
    symbol: str | None = None,
    certificate: Path | None = None,
    processes: int | None = None,
    time_limit: float | None = None,
    floats: Floats | None = None,
    **options: Any,
) -> Record:
    """Prove or refute what the mechanism promises for all real lengths and declarations (kind ``declaration``).

    Lengths are all positive ones, or those of a domain that is an interval; a list of lengths restricts nothing.

    Parameters
    ----------
    source, overrides, progress, mechanism, time_limit
        As for :func:`run`.
    property
        The only one to prove: ``"dominant"``, ``"ex-post"``, ``"just"``, ...; default: everything, and the verdict is
        that of ``"dominant"``.
    symbol
        Also for which values of a number it holds, as in ``"mechanism.penalty=p"``.
    certificate
        Where to write the certificate; gzipped where the name ends in ``.gz``.
    processes
        Worker processes; 0 for all cores where it is worth it.
    floats
        As for :func:`run`.
    **options
        Options of kinds that other distributions bring.

    Examples
    --------
    >>> record = prove("agmon2003/5.2.1", overrides={"mechanism.rule": "vcg-postpone"})
    >>> str(record.status), record.dominant.scope
    ('proved', '2 agents, 1 machine of power 1, all positive lengths; not for all N')
    """
    return dispatch.ask("prove", source, _options(locals()), overrides=overrides, progress=progress)


def compare(
    sources: Source | Iterable[Source],
    *,
    overrides: Mapping[str, Any] | None = None,
    progress: ProgressLike = None,
    rules: Sequence[str] | Mapping[str, Any] | None = None,
    sample: int | None = None,
    seed: int | None = None,
    max_bytes: int | None = None,
    effort: int | None = None,
    time_limit: float | None = None,
    processes: int | None = None,
    store: Path | None = None,
    floats: Floats | None = None,
    **options: Any,
) -> CompareRecord:
    """Compare rules on the same agents and jobs.

    Parameters
    ----------
    sources
        One scenario, or several over the same agents.
    overrides, progress, time_limit
        As for :func:`run`.
    rules
        Names, with options as in ``"rand:samples=75"``, or ``{label: name or rule of one's own}``; each scenario is
        shown under each of them. Default: one scenario under every rule that fits it, several each under its own.
    sample, seed
        Declarations: so many random cases per rule instead of all. ``seed`` also of the random choices of sharing.
    max_bytes, effort
        As for :func:`verify` and :func:`run`.
    processes, store
        Sharing, windows of a log: worker processes; a file that keeps finished windows.
    floats
        As for :func:`run`.
    **options
        Options of kinds that other distributions bring.

    Returns
    -------
    CompareRecord
        With ``columns`` and ``rows`` (``rule``, ``scenario``, ``values``, ``complete``).

    Examples
    --------
    >>> found = compare("agmon2003/5.2.1", rules=["light-vcg", "vcg-postpone"])
    >>> [(row.rule, row.values["dominant"]) for row in found.rows]
    [('light-vcg', False), ('vcg-postpone', True)]
    """
    record = dispatch.ask("compare", sources, _options(locals()), overrides=overrides, progress=progress)
    assert isinstance(record, CompareRecord)  # every kind's compare answers one
    return record


def curve(
    source: Source,
    agent: str,
    *,
    overrides: Mapping[str, Any] | None = None,
    progress: ProgressLike = None,
    mechanism: object = None,
    low: Number | None = None,
    high: Number | None = None,
    width: Number | None = None,
    list: int | None = None,
    time_limit: float | None = None,
    floats: Floats | None = None,
    **options: Any,
) -> Record:
    """Utility of one agent against her declaration, everything else as the scenario says (kind ``declaration``).

    Parameters
    ----------
    source, overrides, progress, mechanism, time_limit
        As for :func:`run`.
    agent
        Her name.
    low, high
        The ends of the range; default half the smallest and twice the largest number of the file.
    width
        Of isolating intervals where breakpoints cannot be exact; default a millionth of the range.
    list
        Pieces to list.
    floats
        As for :func:`run`.
    **options
        Options of kinds that other distributions bring.

    Returns
    -------
    Record
        With ``pieces``, ``points``, ``jumps``, ``isolated``, ``best``; ``record.curve.piecewise()`` is for sympy.

    Examples
    --------
    >>> curve("agmon2003/5.2.1", "ann", low="0.05", high=3).best.declares
    Fraction(1, 20)
    """
    return dispatch.ask("curve", source, _options(locals()), overrides=overrides, progress=progress)


def audit(
    path: Path,
    *,
    progress: ProgressLike = None,
    organizations: str | int | None = None,
    machines: int | None = None,
    shares: str | Sequence[int] | Mapping[str, int] | None = None,
    weights: Mapping[str, Number | str] | None = None,
    limit: int | None = None,
    rule: str | None = None,
    rules: Sequence[str] | Mapping[str, Any] | None = None,
    duration: int | None = None,
    windows: int | None = None,
    since: int | str | date | None = None,
    until: int | str | date | None = None,
    start: int | None = None,
    busiest: int | None = None,
    min_load: Number | None = None,
    warmup: int | None = None,
    zero: Literal["drop", "one"] | None = None,
    seed: int | None = None,
    processes: int | None = None,
    time_limit: float | None = None,
    parallel: Literal["copies", "rigid", "easy"] | None = None,
    against: Literal["auto", "ref", "sampled"] | None = None,
    samples: int | None = None,
    epsilon: Number | None = None,
    confidence: Number | None = None,
    parents: Path | None = None,
    store: Path | None = None,
    decay: int | str | None = None,
    openmetrics: Path | None = None,
    series: bool | None = None,
    floats: Floats | None = None,
    **options: Any,
) -> Record:
    """Replay a real job log under the sharing rules; measure who received less, or more, than it contributed.

    Parameters
    ----------
    path
        Of the log; relative names are looked up in the current folder, then in ``$CONSORTIUM_TRACES``.
    progress, time_limit
        As for :func:`run`.
    organizations
        A column (``"account"``, ``"group"``, ``"queue"``, ``"partition"``, ``"user"``) or a number of bags to which
        users are dealt. Default: account or group where the log names several, else 5 bags.
    machines
        In total. Default: the header, else the most processors that the log ever had busy at once.
    shares
        Machines of each organization: ``"equal"``, ``"zipf"``, a list, or a number for each name.
    weights
        Billing units per unit of each resource of a Slurm dump, e.g. ``{"cpu": 1, "mem": "0.25G", "gres/gpu": 10}``:
        jobs count as so many units, and machines are such units. Default: processors.
    limit
        With a column: at most so many organizations, the smaller ones together as ``others``.
    start, duration, windows
        One window at ``start`` (seconds after the first submission), or random windows of ``duration`` seconds.
    since, until
        Windows open and end between these moments: dates of the cluster's clock, ``"2026-11-01"`` or with a time
        ``"2026-11-01T12:00"``, where the log says its dates, or seconds after the first submission.
    busiest, min_load
        Instead of random windows so many of the fullest that do not overlap; or random ones of at least this load (the
        work submitted in a window over what the machines can do in it).
    warmup
        Take over jobs that the log has waiting or running when the window opens, submitted at most so long before.
    parents
        File of accounts with their parents: those of one parent keep together when contributions are counted (Owen's
        value).
    against
        What fair is: ``"ref"`` (exact, up to 14 organizations), ``"sampled"`` contributions, or ``"auto"`` (default),
        which samples where REF would take too long.
    samples, epsilon, confidence
        How many orderings are sampled in a window, or how far off all contributions together may be (a part of what
        all contribute) and how surely that holds (default ``19/20``).
    rules
        As for :func:`compare`, and ``"recorded"`` for what the cluster itself did. Default: all.
    rule
        The rule that the cluster uses (for the explanation).
    decay
        Usage also with this half-life: seconds, or a text like ``"7d"``. Default: that of ``rule``, if it has one.
    parallel
        How the rules that are queues run jobs of several processors: as ``"copies"`` of one each (default),
        ``"rigid"`` (all at once, and the head of the queue waits), or ``"easy"`` (rigid with EASY backfilling).
    seed, processes, store
        Root of all randomness; worker processes (0: as many as cores where it is worth it); file of finished windows,
        which :func:`audit_trend` reads.
    openmetrics
        Also write the numbers here, as OpenMetrics text for a monitoring system.
    series
        Also follow one window over time (for figures).
    zero
        Drop jobs of run time 0, or count them as ``"one"`` second.
    floats
        As for :func:`run`.
    **options
        Options of kinds that other distributions bring.

    Raises
    ------
    InputError
        When the log cannot be read or does not hold what is asked for.
    """
    return dispatch.ask("audit", path, _options(locals()), progress=progress)


def audit_gaming(
    path: Path,
    *,
    progress: ProgressLike = None,
    organizations: str | int | None = None,
    machines: int | None = None,
    shares: str | Sequence[int] | Mapping[str, int] | None = None,
    weights: Mapping[str, Number | str] | None = None,
    limit: int | None = None,
    rule: str | None = None,
    rules: Sequence[str] | Mapping[str, Any] | None = None,
    duration: int | None = None,
    windows: int | None = None,
    since: int | str | date | None = None,
    until: int | str | date | None = None,
    start: int | None = None,
    busiest: int | None = None,
    min_load: Number | None = None,
    warmup: int | None = None,
    zero: Literal["drop", "one"] | None = None,
    seed: int | None = None,
    processes: int | None = None,
    time_limit: float | None = None,
    tries: int | None = None,
    examples: Path | None = None,
    floats: Floats | None = None,
    **options: Any,
) -> Record:
    """Search what each organization could gain by presenting its jobs otherwise: split, merged, delayed, padded.

    Parameters
    ----------
    path, progress
        As for :func:`audit`.
    organizations, machines, shares, weights, limit, rule, duration, windows, since, until, start, busiest, min_load
        As for :func:`audit`.
    warmup, zero, seed, processes, time_limit
        As for :func:`audit`.
    rules
        Rules by label, of which ``rule`` names one: a custom rule in force.
    tries
        Presentations to try for each organization and window.
    examples
        Folder for the examples, as scenario files.
    floats
        As for :func:`run`.
    **options
        Options of kinds that other distributions bring.
    """
    return dispatch.ask("audit_gaming", path, _options(locals()), progress=progress)


def audit_switch(
    path: Path,
    *,
    to: Any,
    progress: ProgressLike = None,
    organizations: str | int | None = None,
    machines: int | None = None,
    shares: str | Sequence[int] | Mapping[str, int] | None = None,
    weights: Mapping[str, Number | str] | None = None,
    limit: int | None = None,
    rule: str | None = None,
    rules: Sequence[str] | Mapping[str, Any] | None = None,
    duration: int | None = None,
    windows: int | None = None,
    since: int | str | date | None = None,
    until: int | str | date | None = None,
    start: int | None = None,
    busiest: int | None = None,
    min_load: Number | None = None,
    warmup: int | None = None,
    zero: Literal["drop", "one"] | None = None,
    seed: int | None = None,
    processes: int | None = None,
    time_limit: float | None = None,
    parallel: Literal["copies", "rigid", "easy"] | None = None,
    against: Literal["auto", "ref", "sampled"] | None = None,
    samples: int | None = None,
    epsilon: Number | None = None,
    confidence: Number | None = None,
    parents: Path | None = None,
    store: Path | None = None,
    floats: Floats | None = None,
    **options: Any,
) -> Record:
    """Say who would win and who would lose if other rules took the place of the rule in force, and if they are fairer.

    Parameters
    ----------
    path, progress
        As for :func:`audit`.
    to
        The other rule: its name with options as in ``"rand:samples=75"``, a label of ``rules``, or a custom rule; or
        several, in a list or by label.
    organizations, machines, shares, weights, limit, rule, duration, windows, since, until, start, busiest, min_load
        As for :func:`audit`.
    warmup, zero, seed, processes, time_limit
        As for :func:`audit`.
    parallel, against, samples, epsilon, confidence, parents, store
        As for :func:`audit`.
    rules
        Rules by label, of which ``rule`` and ``to`` name some.
    floats
        As for :func:`run`.
    **options
        Options of kinds that other distributions bring.
    """
    return dispatch.ask("audit_switch", path, _options(locals()), progress=progress)


def audit_trend(
    path: Path,
    *,
    progress: ProgressLike = None,
    rule: str | None = None,
    every: Literal["window", "day", "week", "month"] | None = None,
    floats: Floats | None = None,
    **options: Any,
) -> Record:
    """Show unfairness over time, of all windows that audits keep in a store.

    Parameters
    ----------
    path
        The store: the file that :func:`audit` was given as ``store``.
    progress, floats
        As for :func:`run`.
    rule
        The rule, one of those that were run; default ``"fair-share"``.
    every
        Length of a period: a week from Monday by default.
    **options
        Options of kinds that other distributions bring.
    """
    return dispatch.ask("audit_trend", path, _options(locals()), progress=progress)


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


def import_log(
    path: Path,
    kind: str,
    *,
    output: Path | None = None,
    zero: Literal["drop", "one"] = "drop",
    agents: int | None = None,
    users: int | None = None,
    organizations: int | str | None = None,
    limit: int | None = None,
    by: str | None = None,
    jobs: int | None = None,
    part: Number | None = None,
    measure: str | None = None,
    machines: int | Sequence[int] | None = None,
    powers: Sequence[Number] | None = None,
    shares: str | Sequence[int] | Mapping[str, int] | None = None,
    weights: Mapping[str, Number | str] | None = None,
    rule: str | None = None,
    unit: int | None = None,
    start: int | None = None,
    duration: int | None = None,
    windows: int | None = None,
    seed: int | None = None,
    prior: int | None = None,
    floats: Floats | None = None,
    **options: Any,
) -> Imported:
    """Make a scenario of a kind from a real job log.

    Parameters
    ----------
    path
        As for :func:`audit`.
    kind
        One that is made from logs.
    output
        Where the scenario will be written: one that names its log names it relative to that folder.
    zero
        Drop jobs of run time 0, or count them as ``"one"`` second.
    agents, users, organizations
        How many play (declaration, multiuser, federation and sharing); for sharing also a column of the log.
    limit
        With a column, at most so many organizations; the rest are one, ``others`` (sharing).
    by
        Whose jobs: ``"user"``, ``"group"``, ``"queue"``, ``"partition"`` or ``"account"``.
    jobs, part, measure
        Jobs of each organization (federation); the longest part of each user's, by ``"run"`` time or ``"work"``
        (multiuser).
    machines, powers, shares
        Machines, their powers, and how organizations share them.
    weights
        As for :func:`audit` (sharing).
    rule
        The mechanism's rule to start with.
    unit
        Seconds per unit of length, rounded up.
    prior
        Declarations: also how likely each agent's run times are, in at most so many lengths.
    start, duration, windows
        The window of the log, or how many random ones (sharing).
    seed
        Choose at random instead of the documented choice.
    floats
        As for :func:`run`.
    **options
        Options of kinds that other distributions bring.

    Returns
    -------
    Imported
        ``scenario``, a dict that every verb takes, and ``report``, the account of what was left out of the log.

    Raises
    ------
    InputError
        When the log cannot be read or does not hold what is asked for.
    """
    return _import(path, kind, output=output, **_options(locals()))


def study(
    source: Path | Mapping[str, Any],
    *,
    store: Path | None = None,
    full: bool = False,
    processes: int = 1,
    cluster: str | None = None,
    shard: str | None = None,
    time_limit: float | None = None,
    progress: ProgressLike = None,
) -> Results:
    """Ask one question of a population of scenarios, and keep the answers.

    Parameters
    ----------
    source
        Path of a study file, name of a shipped study, or a dict of the same structure.
    store
        SQLite file for the results; the same study goes on where it stopped. Without one they last as long as what is
        returned.
    full
        In the full size that the study gives under ``[full]``.
    processes
        Worker processes of this machine; with 1 the work is done in this process.
    cluster
        Address of a Dask cluster to work there, e.g. ``"tcp://host:8786"``.
    shard
        ``"k/n"``: only every n-th task, beginning with the k-th.
    time_limit
        Seconds, after which what is known is returned.
    progress
        As for :func:`run`.

    Returns
    -------
    Results
        With ``rows()``, ``groups()``, ``to_frame()`` and ``counts()``.

    Raises
    ------
    ScenarioError
        When the study cannot be used; every problem is listed.
    InputError
        When the store belongs to another study, is in use or cannot be written, or there is no such cluster.

    Examples
    --------
    >>> found = study({"format": 1, "kind": "study", "verb": "run", "base": {"scenario": "agmon2003/5.2.1"},
    ...                "vary": {"mechanism.rule": ["light-vcg", "vcg-postpone"]}, "measures": {"rent": "rent"}})
    >>> [(row["mechanism.rule"], row["rent"]) for row in found.rows()]
    [('light-vcg', '2/5'), ('vcg-postpone', '2/5')]
    """
    from .studies.options import Run as StudyOptions
    from .studies.reader import load as load_study
    from .studies.running import Shard, Where
    from .studies.store import answered  # a question about one scenario needs none of this
    from .verbs.options import read_options

    arguments = {"store": store, "full": full, "processes": processes, "cluster": cluster, "shard": shard}
    options = read_options(StudyOptions, {**arguments, "time_limit": time_limit}, "study")
    return answered(
        load_study(source, options.full),
        options.store,
        shard=Shard() if options.shard is None else Shard.parse(options.shard),
        where=Where(options.processes, options.cluster),
        time_limit=options.time_limit,
        progress=progress,
    )


def listed(only: str | None = None) -> list[Scenario]:
    """The shipped scenarios, loaded: all, those of a kind, or those whose names begin with a text.

    Raises UnknownNameError when there is none.

    >>> [scenario.name for scenario in listed("agmon2003/5.4")][0]
    'agmon2003/5.4.1'
    """
    kinds, names = kind_names(), shipped()
    if only is not None and not isinstance(only, str):
        raise unknown_name("scenarios", only, kinds)
    loaded = [load(name) for name in names if only in kinds or only is None or name.startswith(only)]
    matching = [scenario for scenario in loaded if only not in kinds or scenario.kind == only]
    if not matching:
        raise unknown_name("scenarios", str(only), {*kinds, *(name.partition("/")[0] for name in names)})
    return matching


def families(kind: str | None = None) -> tuple[Family, ...]:
    """The random families that fill scenarios: all, or those of a kind.

    Raises UnknownNameError for a kind that has none.

    >>> [family.name for family in families("sharing")][-2:]
    ['poisson-bags', 'log-window']
    """
    from .workloads.families.registry import families as registered  # only who asks for them needs their parameters

    return registered(kind)


ARGUMENTS: Final = frozenset({"source", "sources", "path", "kind", "output", "overrides", "progress"})
"""What the functions above take besides options."""


def _options(arguments: dict[str, Any]) -> dict[str, Any]:
    """The options among a function's arguments: those that are not ``None``, then those of foreign kinds."""
    others: dict[str, Any] = arguments.pop("options")
    return {name: value for name, value in arguments.items() if value is not None and name not in ARGUMENTS} | others
