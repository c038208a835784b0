"""What is hunted: a claim of a rule, how it is decided, and what is known of it before.

>>> prey = Prey.of("relaxed-2-printed", "approximation-ratio")
>>> prey.base["mechanism"], prey.known
({'rule': 'relaxed-2-printed'}, 'refuted by cordeiro2012/theorem-4.5')
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from ...mechanisms.registry import RuleInfo
from ...scenarios.reader import load
from ...support.errors import InputError, unknown_name
from ...support.loading import load as load_reference
from ...verbs.rules import claim_rows, find
from .claims import declaration, federation, multiuser, sharing
from .claims.ruling import Case, Decide, Ruling
from .surgery import Data

CLAIMS: Final[Mapping[str, Mapping[str, Decide]]] = {
    "declaration": declaration.CLAIMS,
    "federation": federation.CLAIMS,
    "multiuser": multiuser.CLAIMS,
    "sharing": sharing.CLAIMS,
}
"""How claims are decided, by kind and name."""
ASKED_WITH: Final[Mapping[str, Mapping[str, Mapping[str, Any]]]] = {"federation": federation.ASKED_WITH}
"""Options of the mechanism that belong to a claim, by kind."""
STAND_INS: Final[Mapping[str, str]] = {
    "declaration": "straightforward",
    "federation": "coordination",
    "multiuser": "fairest",
    "sharing": "fifo",
}
"""The rule that a scenario names where a mechanism of one's own is judged in its place."""


@dataclass(frozen=True)
class Prey:
    """A claim of a rule.

    Attributes
    ----------
    rule, claim
        Their names; of a mechanism of one's own, its reference or its class.
    base
        A scenario without agents, organizations or users: the rule with its options.
    mechanism
        A mechanism of one's own, or the reference ``"module:name"`` of one.
    known
        What is known of the claim: proved, enumerated, tested or refuted, and how; or that it is not promised.
    time_limit
        For each question to a verb (seconds).
    """

    rule: str
    claim: str
    base: Mapping[str, Any]
    mechanism: Any = None
    known: str = "nothing: a mechanism of one's own"
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
    ) -> Prey:
        """Look up a rule by name (or take a mechanism of one's own of the kind said) and a claim.

        A beginning of the claim's name, if no other begins so, stands for it.

        Raises UnknownNameError for a rule, a kind or a claim that there is not, with the nearest one.
        """
        own = mechanism if mechanism is not None else rule if rule is not None and ":" in rule else None
        if own is not None:
            found, known = None, cls.known
            if kind is None or kind not in CLAIMS:
                raise unknown_name("kind of the mechanism", str(kind), CLAIMS)
            _own(own)
            name = own if isinstance(own, str) else getattr(own, "__name__", type(own).__name__)
        elif rule is None:
            raise InputError("hunt: found neither a rule nor a mechanism; expected one of them")
        else:
            named = find(rule)
            kind, found, name = named.kind, named.info, rule
            known = _known(named, _claim(kind, claim))
        claim = _claim(kind, claim)
        if found is not None and found.foreign and kind not in CLAIMS:
            raise unknown_name("kind of random instances", kind, CLAIMS)
        options = {"rule": STAND_INS[kind] if found is None else found.id, **_asked_with(kind, claim, found)}
        base = _with({"format": 1, "kind": kind, "mechanism": options}, overrides or {})
        return cls(name, claim, base, own, known, time_limit)

    @property
    def kind(self) -> str:
        """The kind of scenario."""
        return str(self.base["kind"])

    def rule_on(self, data: Mapping[str, Any]) -> Ruling:
        """What is decided on a scenario dict. Raises an error of the package for one that is refused."""
        return CLAIMS[self.kind][self.claim](Case(load(dict(data)), _own(self.mechanism), self.time_limit))


def _own(given: Any) -> Any:
    """A mechanism of one's own, looked up where it is a reference."""
    if not isinstance(given, str):
        return given
    try:
        return load_reference(given)
    except Exception as error:  # whatever importing somebody's module raises
        raise InputError(
            f"rule: found {given!r}; expected module:name of a mechanism: {type(error).__name__}: {error}"
        ) from error


def _claim(kind: str, given: str) -> str:
    """A claim about rules of a kind by its name, or by a beginning that only one name has."""
    decided = CLAIMS.get(kind, {})
    begun = [name for name in decided if name.startswith(given)]
    if given not in decided and len(begun) != 1:
        raise unknown_name(f"claim about rules of kind {kind!r}", given, decided)
    return given if given in decided else begun[0]


def _known(found: Any, claim: str) -> str:
    """What the registry says of a claim."""
    rows = {row.claim: row for row in claim_rows(found)}
    if claim not in rows:
        return "not promised"
    row = rows[claim]
    return f"refuted by {row.how}" if row.status == "refuted" else f"{row.status}: {row.how}"


def _asked_with(kind: str, claim: str, found: RuleInfo | None) -> Mapping[str, Any]:
    options = ASKED_WITH.get(kind, {}).get(claim, {})
    return {key: value for key, value in options.items() if found is not None and key in found.options}


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
