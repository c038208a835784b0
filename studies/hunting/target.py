"""The target of a hunt: a claim of a rule as options name it, how it is decided, what the registry says of it.

>>> target = Target.of("relaxed-2-printed", "approximation-ratio")
>>> target.base["mechanism"], target.claim_status
({'rule': 'relaxed-2-printed'}, 'refuted by cordeiro2012/theorem-4.5')
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Final

from ...mechanisms.kinds import RuleInfo
from ...scenarios.reader import load
from ...support.errors import InputError, unknown_name
from ...support.loading import load as load_reference
from ...support.numbers import parse_numbers
from ...verbs.options import NOT_IN_FILES, Field, Flag, NameText, Options, Own, Processes, Seconds, Seed, whole
from ...verbs.rules import claim_rows, find
from .claims.verdict import Case, Hunting, Verdict, hunting_of
from .edits import Data


class Hunt(Options):
    """Options of ``hunt``, read by Python and the command line alike."""

    rule: NameText | None = Field(None, description="Name of the rule; or a custom rule as module:name, with --kind.")
    claim: NameText = Field(description="Promise to break, or the beginning of its name (see 'consortium rules RULE').")
    mechanism: Own = Field(None, description="A custom rule: an object, or a class or function that makes one.")
    kind: NameText | None = Field(None, description="Kind of a custom rule: declaration, federation, ...")
    seed: Seed = Field(0, description="Random seed of the instances.")
    time_limit: Seconds = Field(60.0, description="Stop hunting after so long; shrinking may take as long again.")
    processes: Annotated[Processes, Flag("N", whole, doors=NOT_IN_FILES, command=0)] = Field(
        1, description="Worker processes; 0: all cores, which a command uses unasked. The answer is the same."
    )


QUESTION_SECONDS: Final = 5.0
"""Longest time for one question about one instance; what takes longer is no instance to hunt with."""


@dataclass(frozen=True)
class Target:
    """A claim of a rule.

    Attributes
    ----------
    rule, claim
        Their names; of a custom rule, its reference or its class.
    base
        A scenario without agents, organizations or users: the rule with its options.
    mechanism
        A custom rule, or the reference ``"module:name"`` of one.
    claim_status
        Whether the claim is proved, enumerated, tested or refuted, and how; or that it is not promised.
    time_limit
        For each question to a verb (seconds).
    """

    rule: str
    claim: str
    base: Mapping[str, Any]
    mechanism: Any = None
    claim_status: str = "unknown: a custom rule"
    time_limit: float | None = None

    @classmethod
    def of(
        cls,
        rule: str | None,
        claim: str,
        *,
        mechanism: object = None,
        kind: str | None = None,
        overrides: Mapping[str, Any] | None = None,
        time_limit: float | None = None,
    ) -> Target:
        """Look up a rule by name (or take a custom rule of a kind) and a claim.

        A beginning of the claim's name, if no other begins so, stands for it.

        Raises UnknownNameError for a rule, a kind or a claim that there is not, with the nearest one.
        """
        custom = mechanism if mechanism is not None else rule if rule is not None and ":" in rule else None
        if custom is not None:
            hunting = hunting_of(str(kind))
            custom_rule(custom)
            name = custom if isinstance(custom, str) else getattr(custom, "__name__", type(custom).__name__)
            claim, status = _claim(str(kind), hunting, claim), cls.claim_status
            options: dict[str, Any] = {"rule": hunting.stand_in}
        elif rule is None:
            raise InputError("hunt: found neither a rule nor a mechanism; expected one of them")
        else:
            entry = find(rule)
            kind, name, hunting = entry.kind, rule, hunting_of(entry.kind)
            claim = _claim(kind, hunting, claim)
            status = _status(entry, claim)
            options = {"rule": entry.info.id, **_options(hunting, claim, entry.info)}
        base = _with({"format": 1, "kind": kind, "mechanism": options}, overrides or {})
        return cls(name, claim, base, custom, status, time_limit)

    @classmethod
    def named(cls, options: Hunt, overrides: Mapping[str, Any]) -> Target:
        """What options and values by path name."""
        return cls.of(
            options.rule,
            options.claim,
            mechanism=options.mechanism,
            kind=options.kind,
            overrides=parse_numbers(overrides, options.floats),
            time_limit=min(options.time_limit, QUESTION_SECONDS),
        )

    def note(self, options: Hunt) -> str | None:
        """How the claim was read, where options have the beginning of its name."""
        name = options.claim
        return None if name == self.claim else f"claim {name}: read as {self.claim}, the only one of that beginning"

    @property
    def kind(self) -> str:
        """The kind of scenario."""
        return str(self.base["kind"])

    def verdict(self, data: Mapping[str, Any]) -> Verdict:
        """Decide the claim on a scenario dict. Raises an error of the package for one that is refused."""
        case = Case(load(dict(data)), custom_rule(self.mechanism), self.time_limit)
        return hunting_of(self.kind).claims[self.claim](case)


def custom_rule(reference: Any) -> Any:
    """A custom rule, imported where it is a reference."""
    if not isinstance(reference, str):
        return reference
    try:
        return load_reference(reference)
    except Exception as error:  # whatever importing somebody's module raises
        reason = error.__cause__ or error
        raise InputError(
            f"rule: found {reference!r}; expected module:name of a mechanism: {type(reason).__name__}: {reason}"
        ) from error


def _claim(kind: str, hunting: Hunting, name: str) -> str:
    """A claim about rules of a kind by its name, or by a beginning that only one name has."""
    if name in hunting.claims:
        return name
    begun = [claim for claim in hunting.claims if claim.startswith(name)]
    if len(begun) != 1:
        raise unknown_name(f"claim about rules of kind {kind!r}", name, hunting.claims)
    return begun[0]


def _status(entry: Any, claim: str) -> str:
    """What the registry says of a claim."""
    rows = {row.claim: row for row in claim_rows(entry)}
    if claim not in rows:
        return "not promised"
    row = rows[claim]
    return f"refuted by {row.how}" if row.status == "refuted" else f"{row.status}: {row.how}"


def _options(hunting: Hunting, claim: str, info: RuleInfo) -> Mapping[str, Any]:
    """Options of ``[mechanism]`` that belong to a claim and that the rule takes."""
    return {key: value for key, value in hunting.options.get(claim, {}).items() if key in info.options}


def _with(base: Data, overrides: Mapping[str, Any]) -> Data:
    """The base with other values by path, ``mechanism.penalty``."""
    for path, value in overrides.items():
        *blocks, key = path.split(".")
        here: Any = base
        for block in blocks:
            here = here.setdefault(block, {})
            if not isinstance(here, dict):
                raise InputError(f"overrides: found {path!r}; expected a path such as mechanism.penalty")
        here[key] = value
    return base
