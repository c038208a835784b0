"""The kinds of scenario and their rules, each one object; nothing else in the house lists them.

A :class:`Kind` is a table of references (see :mod:`consortium.support.loading`) to what each floor knows of it: the
reader of its files, its rules, its verbs with their options, tables and figures, the builder of scenarios from
logs. Nothing is imported before it is used, and each floor resolves only what lies below it. The shipped kinds stand in
:data:`KINDS` and follow one naming (:func:`_verb`); kinds of other distributions are entry points of the group
``consortium.kinds``, named like the kind, whose object is a :class:`Kind`.

Each kind keeps the list of its rules in ``mechanisms/<kind>/catalogue.py`` (a tuple ``RULES`` of :class:`RuleInfo`),
which imports nothing but this module. Rules of other distributions are entry points of the group ``consortium.rules``,
named like the rule, whose object is a :class:`RuleInfo` that says its kind. The scenario reader checks names and
options against these lists; the contract tests check every claim of every rule on generated instances, and refute every
entry of ``refuted`` by its counterexample.

>>> kind("declaration").verb("curve").function
'.verbs.declaration.curve:curve'
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal

from ..support.errors import ExtensionError, InputError, check_name, nearest, unknown_name
from ..support.loading import announcement, extension, extensions, left_out, load, usable

GROUP: Final = "consortium.kinds"
RULE_GROUP: Final = "consortium.rules"

Source = Literal["scenario", "scenarios", "log", "store", "overrides"]


@dataclass(frozen=True)
class Verb:
    """One verb of a kind.

    Attributes
    ----------
    name
        On every surface: function, ``[expect.NAME]``, and command, where an underscore is a space if what stands before
        it is a command too (``audit gaming``).
    function
        Reference to ``(source, options, progress) -> Record``.
    options
        Reference to the pydantic model of the options, which every door reads.
    tables
        Reference to ``(data) -> list of tables``, from a record's dict.
    figure
        Reference to ``(data, record) -> figure``; empty where nothing is drawn.
    text
        Reference to ``(data) -> list of sentences``, what is said of a record's dict before its tables; empty: nothing.
    jobs
        Reference to ``(data) -> list of jobs``, the schedule in a record's dict for other programs; empty without one.
    estimate
        Reference to ``(source, options) -> Estimate``, what ``--dry-run`` prints.
    proofs
        Reference to ``(record, question, clock) -> iterator of Comparison``, what ``check`` proves of a record
        without asking the whole question again; empty where it always asks again. See :mod:`consortium.verbs.claims`.
    takes
        What ``source`` is: a scenario, several of them, a job log, a store of its windows, or values by path for the
        scenarios of a hunt; the same for every kind that has the verb.
    over
        Key of a scenario whose values, where it is there, are tried in the place of the players' own; empty: none.
    summary
        What ``--help`` says of a verb that no shipped kind has: a line, and perhaps more below an empty line.
    """

    name: str
    function: str
    options: str
    tables: str
    figure: str = ""
    text: str = ""
    jobs: str = ""
    estimate: str = ""
    proofs: str = ""
    takes: Source = "scenario"
    over: str = ""
    summary: str = ""


@dataclass(frozen=True)
class Kind:
    """A kind of scenario.

    Attributes
    ----------
    name
        As in ``kind = "..."``.
    summary
        Who plays under what, in a line.
    verbs
        What can be asked.
    reader
        Reference to the :class:`consortium.scenarios.scenario.Format` of its files; empty for what is no file.
    rules
        Reference to its catalogue, a tuple of :class:`RuleInfo`.
    importer
        Reference to the :class:`consortium.verbs.importing.Importer` of scenarios from job logs; empty without.
    game
        Reference to ``(scenario) -> (game, label of a profile)``, where its scenarios are games.
    folder
        Package whose ``.toml`` files are shipped scenarios; ours are all in ``consortium.scenarios``.
    claims
        Reference to a table of what its rules may claim: by name of the claim, what it says.
    evidence
        Reference to ``(rule, claim) -> (status, for what)``, how a claim of a shipped rule is known; empty: all are
        tested on generated instances.
    hunting
        Reference to the ``Hunting`` of its claims, see ``consortium.studies.hunting``; empty where none can be hunted.
    adapt
        Reference to ``(scenario, rule, options) -> changes``: what a scenario becomes under another rule with those of
        its options that the rule takes; empty where nothing but ``[mechanism]`` changes.
    panel
        Reference to the class of its part of the explorer's page; empty: its tables are shown.
    stand_in
        Rule whose keys of ``[mechanism]`` may stand beside the name of a custom rule; empty: none may.
    """

    name: str
    summary: str
    verbs: tuple[Verb, ...]
    reader: str = ""
    rules: str = ""
    importer: str = ""
    game: str = ""
    folder: str = ""
    claims: str = ""
    evidence: str = ""
    hunting: str = ""
    adapt: str = ""
    panel: str = ""
    stand_in: str = ""

    def verb(self, name: str) -> Verb:
        """The verb of that name. Raises InputError with those there are."""
        for verb in self.verbs:
            if verb.name == name:
                return verb
        listed = ", ".join(verb.name for verb in self.verbs if verb.takes in ("scenario", "scenarios"))
        raise InputError(f"{name}: scenarios of kind {self.name!r} have no such verb; they have {listed}")


@dataclass(frozen=True)
class RuleInfo:
    """What can be known of a rule without running it.

    >>> RuleInfo(id="local", summary="everybody at home", source="Cordeiro 2012, 3.1").claims
    frozenset()

    Attributes
    ----------
    id
        Name on the surface, as in a scenario's ``mechanism.rule``.
    summary
        One line for tables.
    source
        Paper and section.
    options
        Keys of ``[mechanism]`` that this rule uses besides ``rule``.
    claims
        What the rule promises; each name has a checker in the contract tests.
    refuted
        What it must not have: claim -> name of the shipped scenario that refutes it.
    factory
        Reference to the class or function behind the rule, loaded on first use. That of another distribution is called
        with the rule's options as keywords, and its answer is treated as a custom rule is: an object with the
        methods of its kind, or a class or function that makes one from what it is for (declaration: the cluster;
        federation: the federation; multiuser: the community; sharing: the pool).
    kind
        Kind of scenario, for rules of other distributions; those of a catalogue are of the catalogue's kind.
    parameters
        Reference to a pydantic model of keys of ``[mechanism]`` that are the rule's own, besides those that the kind
        knows; empty without any. For rules of other distributions.
    details
        What it does, in a few sentences: who is served, who pays, ties.
    theorem
        What the source proves or claims of it, in a sentence; empty where it says nothing.
    """

    id: str
    summary: str
    source: str
    options: frozenset[str] = frozenset()
    claims: frozenset[str] = frozenset()
    refuted: Mapping[str, str] = field(default_factory=dict)
    factory: str = ""
    kind: str = ""
    parameters: str = ""
    details: str = ""
    theorem: str = ""

    @property
    def foreign(self) -> bool:
        """Whether another distribution brings the rule: then its factory is called as custom rules are."""
        return bool(self.kind)

    def load(self) -> Any:
        """Import and return the class or function behind the rule. Raises ExtensionError, which says whose it is."""
        try:
            return load(self.factory)
        except ExtensionError as error:
            raise ExtensionError(f"{announcement(RULE_GROUP, self.id)}: factory: {error}") from error


_TAKES: Final[Mapping[str, Source]] = {
    "compare": "scenarios",
    "audit": "log",
    "audit_gaming": "log",
    "audit_switch": "log",
    "audit_trend": "store",
}
"""What the verbs take that do not take one scenario."""

_OVER: Final = {"declaration.verify": "domain", "declaration.design": "domain"}
"""Where verbs try values of a table of the scenario and not the players' own."""

_MODULES: Final = {
    "federation.compare": "run",
    "federation.verify": "run",
    "multiuser.compare": "run",
    "sharing.audit_gaming": "gaming",
    "sharing.audit_switch": "audit",
    "sharing.audit_trend": "store",
}
"""Modules of the verbs that are not called like theirs."""


def _verb(kind: str, name: str, proofs: bool = False) -> Verb:
    """A verb under the house's naming: the same name for the same thing in every kind."""
    return Verb(
        name,
        function=f".verbs.{kind}.{_MODULES.get(f'{kind}.{name}', name)}:{name}",
        options=f".verbs.{kind}.options:{''.join(map(str.capitalize, name.split('_')))}",
        tables=f".reports.{kind}.tables:{name}",
        figure=f".reports.{kind}.figures:{name}",
        text=f".reports.{kind}.text:{name}",
        jobs=f".reports.{kind}.tables:jobs" if name == "run" else "",
        estimate=f".verbs.{kind}.estimate:{name}",
        proofs=f".verbs.{kind}.proofs:{name}" if proofs else "",
        takes=_TAKES.get(name, "scenario"),
        over=_OVER.get(f"{kind}.{name}", ""),
    )


def _kind(
    name: str, summary: str, verbs: str, stand_in: str, proofs: bool = False, game: bool = False, evidence: bool = False
) -> Kind:
    """A kind under the house's naming; ``proofs``: ``check`` can prove what its ``search`` and ``prove`` say."""
    return Kind(
        name,
        summary,
        tuple(_verb(name, verb, proofs and verb in ("search", "prove")) for verb in verbs.split()),
        reader=f".scenarios.{name}:FORMAT",
        rules=f".mechanisms.{name}.catalogue:RULES",
        importer=f".verbs.{name}.importing:IMPORTER",
        game=f".verbs.{name}.model:game" if game else "",
        claims=f".mechanisms.{name}.catalogue:CLAIMS",
        evidence=f".mechanisms.{name}.catalogue:evidence" if evidence else "",
        hunting=f".studies.hunting.claims.{name}:HUNTING",
        adapt=f".verbs.{name}.{_MODULES.get(f'{name}.compare', 'compare')}:adapt",
        panel=f".explorer.{name}:{name.capitalize()}Panel",
        stand_in=stand_in,
    )


KINDS: Final[tuple[Kind, ...]] = (
    _kind(
        "declaration",
        "agents declare the length of their job to the owner of a cluster",
        "run search verify prove design compare curve",
        "straightforward",
        game=True,
        evidence=True,
    ),
    _kind(
        "federation",
        "organizations own machines and jobs, and place jobs on each other's machines",
        "run search verify prove compare",
        "coordination",
        proofs=True,
        game=True,
        evidence=True,
    ),
    _kind(
        "sharing",
        "organizations share an on-line pool, fair in the sense of the Shapley value",
        "run verify compare audit audit_gaming audit_switch audit_trend",
        "fifo",
    ),
    _kind("multiuser", "users share machines that nobody owns", "run compare", "fairest"),
)
"""The shipped kinds."""

GAME: Final = Kind(
    "game",
    "a game that is no scenario: payoff arrays, or an object",
    (replace(_verb("game", "search", proofs=True), estimate=".verbs.game.search:estimate"),),
)
"""What ``search`` makes of a custom game; it has no files."""

HUNT: Final = Verb(
    "hunt",
    function=".studies.hunting.hunt:hunted",
    options=".studies.hunting.target:Hunt",
    tables=".reports.tables:hunted",
    text=".reports.sentences:hunted",
    takes="overrides",
    summary="Hunt an instance on which a rule breaks a promise.",
)
"""What is asked of a rule, whatever its kind, and not of scenarios."""


DISPLAYS: Final[Mapping[str, str]] = {
    "text": ".reports.display:text",
    "html": ".reports.display:fragment",
    "tables": ".reports.display:tables",
    "plot": ".reports.display:plot",
    "latex": ".reports.display:latex",
    "frame": ".reports.display:frame",
}
"""References to what shows a record, whatever its kind and verb: functions of the record."""


def names() -> tuple[str, ...]:
    """Names of all kinds whose scenarios can be read, ours first."""
    return (*(kind.name for kind in KINDS), *extensions(GROUP))


def kind(name: str) -> Kind:
    """The kind of that name, ours or another distribution's. Raises UnknownNameError with the nearest name.

    >>> kind("federation").game
    '.verbs.federation.model:game'
    """
    if not isinstance(name, str):
        raise unknown_name("kind", name, names())
    for entry in (*KINDS, GAME):
        if entry.name == name:
            return entry
    if name in extensions(GROUP):
        entry = extension(GROUP, name)
        if not isinstance(entry, Kind) or entry.name != name:
            raise InputError(f"{GROUP}: {name!r} stands for {entry!r}; expected a Kind of that name")
        return entry
    raise unknown_name("kind", name, names())


def answered(kind_name: str, verb: str) -> Verb:
    """The verb that a record answers, by what the record says of itself.

    >>> answered("declaration", "run").tables, answered("declaration", "hunt").tables
    ('.reports.declaration.tables:run', '.reports.tables:hunted')
    """
    return HUNT if verb == HUNT.name else kind(kind_name).verb(verb)


def kinds() -> tuple[Kind, ...]:
    """All kinds whose scenarios can be read, ours first; those of others that cannot be used are left out."""
    return tuple(usable(names(), kind).values())


def verbs_of(name: str) -> dict[str, Verb]:
    """The kinds that have a verb, by name of the kind, and their verb of that name."""
    return {entry.name: verb for entry in (*kinds(), GAME) for verb in entry.verbs if verb.name == name}


def shipped_verb(name: str) -> Verb | None:
    """A verb of ours of that name, if there is one; other distributions are not looked up."""
    ours = (verb for kind in (*KINDS, GAME) for verb in kind.verbs)
    return next((verb for verb in (HUNT, *ours) if verb.name == name), None)


def typed(name: str) -> str:
    """How the command line writes a verb: one that begins with another verb's name is a subcommand of it.

    >>> typed("audit_gaming"), typed("run"), typed("fair_price")
    ('audit gaming', 'run', 'fair_price')
    """
    first, _, others = name.partition("_")
    return f"{first} {others}" if others and shipped_verb(first) else name


def foreign_verbs() -> dict[str, Verb]:
    """The verbs that only kinds of other distributions have, by name."""
    verbs = {verb.name: verb for kind in kinds() for verb in kind.verbs}
    return {name: verb for name, verb in verbs.items() if shipped_verb(name) is None}


def rules(kind_name: str) -> dict[str, RuleInfo]:
    """All rules of a kind by name, in the order of its catalogue, then those of other distributions.

    Raises UnknownNameError for a wrong kind.
    """
    shipped = shipped_rules(kind_name)
    others = usable(extensions(RULE_GROUP), announced)
    own = {name: rule for name, rule in others.items() if rule.kind == kind_name}
    for name in own.keys() & shipped.keys():
        left_out(RULE_GROUP, name, f"kind {kind_name!r} has a rule of that name")
    return shipped | own | shipped  # ours first, in their order


def shipped_rules(kind_name: str) -> dict[str, RuleInfo]:
    """The rules of a kind's own catalogue by name."""
    catalogue = kind(kind_name).rules
    entries: tuple[RuleInfo, ...] = load(catalogue) if catalogue else ()
    return {rule.id: rule for rule in entries}


def announced(name: str) -> RuleInfo:
    """The rule that another distribution adds under a name. Raises ExtensionError, or InputError for what is none."""
    entry = extension(RULE_GROUP, name)
    if not isinstance(entry, RuleInfo) or entry.id != name or not entry.kind:
        raise InputError(f"{RULE_GROUP}: {name!r} stands for {entry!r}; expected a RuleInfo of that id, with its kind")
    if entry.kind not in names():
        near = nearest(entry.kind, names())
        hint = "" if near is None else f" Did you mean {near!r}?"
        what = f"{announcement(RULE_GROUP, name)}: kind: found {entry.kind!r}"
        raise InputError(f"{what}; expected one of {', '.join(names())}.{hint}")
    return entry


def info(kind_name: str, rule: str) -> RuleInfo:
    """The entry of one rule. Raises UnknownNameError with the nearest name.

    A custom rule has an entry by its name, without the code, which whoever asks gives beside it; see :func:`is_custom`.
    """
    shipped = shipped_rules(kind_name)
    if rule in shipped:
        return shipped[rule]
    if isinstance(rule, str) and rule in extensions(RULE_GROUP) and (own := announced(rule)).kind == kind_name:
        return own
    if isinstance(rule, str) and is_custom(rule):
        entry = shipped.get(kind(kind_name).stand_in)
        options = frozenset[str]() if entry is None else entry.options
        summary = "a custom rule, which is given beside the scenario: --mechanism FILE.py:Name"
        return RuleInfo(rule, summary, "its own module", options, kind=kind_name)
    known_rules = rules(kind_name)
    check_name("mechanism.rule", rule, known_rules)
    return known_rules[rule]


CUSTOM: Final = "custom"
"""The name of a rule that stands for any custom rule."""


def is_custom(rule: str) -> bool:
    """Whether a name is that of a custom rule: ``custom``, ``module:Name``, or ``FILE.py:Name``.

    >>> is_custom("lpt.py:LPT"), is_custom("rand:samples=75"), is_custom("rand:samples")
    (True, False, False)
    """
    module, _, name = rule.rpartition(":")
    if not module or not name.replace(".", "").isidentifier():
        return rule == CUSTOM
    return not any(module in shipped_rules(entry.name) for entry in KINDS)  # else an option of the rule
