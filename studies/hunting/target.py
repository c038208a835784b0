"""The target of a hunt: a claim of a rule as options name it, how it is decided, what the registry says of it.

>>> target = Target.of("relaxed-2-printed", "approximation-ratio")
>>> target.base["mechanism"], target.claim_status
({'rule': 'relaxed-2-printed'}, 'refuted by cordeiro2012/theorem-4.5')
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Final

from numpy.random import Generator
from pydantic import PlainValidator, WithJsonSchema

from ...mechanisms.custom import Named, kind_of, reference_of
from ...mechanisms.kinds import kind as find_kind
from ...scenarios.fields import expected
from ...scenarios.reader import expectable, load
from ...support.errors import InputError, unknown_name
from ...support.numbers import parse_numbers
from ...verbs.claims import at
from ...verbs.options import Field, Flag, NameText, Options, Own, Seconds, Seed, Workers
from ...verbs.rules import claim_rows, find
from ...verbs.schema import misspelt
from ..statistics import Measure
from .claims.verdict import ANY, Case, Hunting, Sizes, Verdict, hunting_of, number
from .edits import Data
from .shrinking import extents

SIZES: Final = "Sizes of instances (2.., 2..4, ..3 or 3)"


def _range(value: object) -> tuple[int, int | None]:
    text = str(value)
    low, dots, high = text.partition("..")
    parts = [part for part in (low, high) if part]
    if not parts or isinstance(value, bool) or not all(part.isdecimal() and len(part) < 10 for part in parts):
        raise expected("a number, or a range such as '2..', '2..4' or '..3'")
    bounds = int(low or 0), int(high) if high else None if dots else int(low)
    if bounds[1] is not None and bounds[0] > bounds[1]:
        raise expected(f"a range that is not empty, such as '{high}..{low}'")
    return bounds


Range = Annotated[tuple[int, int | None], PlainValidator(_range), WithJsonSchema({"type": "string"}), Flag("RANGE")]
"""A size of an instance: the least and the largest, written as a text."""


def _rule(value: object) -> object:
    if not isinstance(value, str | Named) or not value:
        raise expected("the name of a rule, or FILE.py:Name of a custom rule")
    return value


Rule = Annotated[Any, PlainValidator(_rule), WithJsonSchema({"type": "string"}), Flag("RULE", custom=True)]


class Hunt(Options):
    """Options of ``hunt``, read by Python and the command line alike."""

    rule: Rule | None = Field(None, description="Name of the rule; or a custom rule, as FILE.py:Name.")
    claim: NameText | None = Field(
        None, description="Promise to break, or the beginning of its name (see 'consortium rules RULE')."
    )
    largest: NameText | None = Field(
        None, description="Instead of a promise, a measure to make as large as can be: a path into a record."
    )
    mechanism: Own = Field(None, description="A custom rule: an object, or a class or function that makes one.")
    kind: NameText | None = Field(None, description="Kind of a custom rule; default: the one whose methods it has.")
    seed: Seed = Field(0, description="Random seed of the instances.")
    time_limit: Seconds = Field(60.0, description="Stop hunting after so long; shrinking may take as long again.")
    processes: Workers = Field(
        1,
        description="Worker processes; 0: all cores, which a command uses unasked. The answer is the same.",
        rare=True,
    )
    agents: Range | None = Field(None, description="Number of agents.", group=SIZES)
    organizations: Range | None = Field(None, description="Number of organizations.", group=SIZES)
    users: Range | None = Field(None, description="Number of users.", group=SIZES)
    jobs: Range | None = Field(None, description="Number of jobs of each of them.", group=SIZES)
    machines: Range | None = Field(None, description="Number of machines, of each where they own them.", group=SIZES)
    longest: Range | None = Field(None, description="Length of the longest job.", group=SIZES, rare=True)


OF_INSTANCES: Final = ("agents", "organizations", "users", "jobs", "machines", "longest")
"""Options that are sizes."""
QUESTION_SECONDS: Final = 5.0
"""Longest time for one question about one instance; what takes longer is no instance to hunt with."""


@dataclass(frozen=True)
class Target:
    """A claim of a rule, or a measure of what it does."""

    # rule, claim: their names; of a custom rule its reference, ``module:Name``; no claim where there is a measure
    rule: str
    claim: str | None
    base: Mapping[str, Any]  # a scenario without agents, organizations or users: the rule with its options
    mechanism: Any = None  # a custom rule
    # whether the claim is proved, enumerated, tested or refuted, and how; or that it is not promised
    claim_status: str | None = "unknown: a custom rule"
    time_limit: float | None = None  # for each question to a verb (seconds)
    measure: Measure | None = None  # what is to be as large as possible
    sizes: Sizes = field(default_factory=dict)  # what instances are looked at

    @classmethod
    def of(
        cls,
        rule: str | Named | None,
        claim: str | None,
        *,
        largest: str | None = None,
        mechanism: object = None,
        kind: str | None = None,
        overrides: Mapping[str, Any] | None = None,
        time_limit: float | None = None,
        sizes: Sizes = ANY,
    ) -> Target:
        """Look up a rule by name (or take a custom rule of a kind) and a claim, or a measure.

        A beginning of the claim's name, if no other begins so, stands for it.

        Raises UnknownNameError for a rule, a kind, a claim or a size that there is not, with the nearest one.
        """
        if (claim is None) is (largest is None):
            raise InputError("hunt: found neither or both of claim and largest; expected one of them")
        custom = mechanism if isinstance(rule, str | None) else rule
        if custom is not None:
            kind = kind or kind_of(custom)
            hunting, name = hunting_of(kind), reference_of(custom)
            claim, status = _claim(str(kind), hunting, claim), cls.claim_status
            options: dict[str, Any] = {"rule": name}
        elif rule is None:
            raise InputError("hunt: found neither a rule nor a mechanism; expected one of them")
        else:
            assert isinstance(rule, str)
            entry = find(rule)
            kind, name, hunting = entry.kind, rule, hunting_of(entry.kind)
            claim = _claim(kind, hunting, claim)
            status = _status(entry, claim) + (" (with the rule's default options)" if overrides else "")
            of_claim = hunting.options.get(claim or "", {})
            options = {"rule": entry.info.id} | {key: of_claim[key] for key in of_claim if key in entry.info.options}
        for size in sizes.keys() - set(hunting.sizes):
            raise unknown_name(f"size of instances of kind {kind!r}", size, hunting.sizes)
        base = _with({"format": 1, "kind": kind, "mechanism": options}, overrides or {})
        hunting.check(base)
        by_theorem = hunting.theorems.get(claim or "") if custom is None else None
        theorem = None if by_theorem is None else by_theorem(base, sizes)
        if theorem is not None:
            raise InputError(f"hunt: {claim} holds for all instances of these sizes, by the theorem {theorem!r}")
        measure = None if largest is None else _measure(str(kind), largest)
        return cls(name, claim, base, custom, None if claim is None else status, time_limit, measure, sizes)

    @classmethod
    def named(cls, options: Hunt, overrides: Mapping[str, Any]) -> Target:
        """What options and values by path name."""
        return cls.of(
            options.rule,
            options.claim,
            largest=options.largest,
            mechanism=options.mechanism,
            kind=options.kind,
            overrides=parse_numbers(overrides, options.floats),
            time_limit=min(options.time_limit, QUESTION_SECONDS),
            sizes={name: bounds for name in OF_INSTANCES if (bounds := getattr(options, name)) is not None},
        )

    def note(self, options: Hunt) -> str | None:
        """How the claim was read, where options have the beginning of its name."""
        if options.claim in (None, self.claim):
            return None
        return f"claim {options.claim}: read as {self.claim}, the only one of that beginning"

    @property
    def kind(self) -> str:
        """The kind of scenario."""
        return str(self.base["kind"])

    @property
    def text(self) -> str:
        """The options that name it, and what the record is headed with: the claim, or the measure."""
        return f"--largest {self.measure.verb}:{self.measure.path}" if self.measure else f"--claim {self.claim}"

    def draw(self, rng: Generator, size: int) -> Data:
        """A random instance; see :class:`.Hunting`."""
        hunting = hunting_of(self.kind)
        draw = hunting.starts.get(self.claim or "", hunting.draw)
        return draw(self.base, rng, size, *([self.sizes] if self.sizes else []))

    def fits(self, data: Mapping[str, Any]) -> bool:
        """Whether a scenario is of the sizes asked for."""
        extent = extents(data) if self.sizes else {}
        return all(
            least <= size and (most is None or size <= most)
            for name, (least, most) in self.sizes.items()
            for size in extent[name]
        )

    def verdict(self, data: Mapping[str, Any]) -> Verdict:
        """Decide the claim on a scenario dict. Raises an error of the package for one that is refused."""
        case = Case(load(dict(data)), self.mechanism, self.time_limit)
        if self.measure is not None:
            return _measured(case, self.measure)
        assert self.claim is not None
        return hunting_of(self.kind).claims[self.claim](case)


def _measure(kind: str, text: str) -> Measure:
    """A measure as ``verb:path``, or as a path that records of one of the verbs have."""
    verbs = [verb for verb in expectable(find_kind(kind)) if verb not in ("compare", "prove", "curve")]
    verb, colon, path = text.partition(":")
    named, path = ([verb], path) if colon and verb in verbs else (verbs, text)
    near = []
    for verb in named:
        field = misspelt(kind, verb, path)
        if field is None:
            return Measure("largest", verb, path)
        near += [f"{verb}:{field}"] if field else []
    if not near:
        raise InputError(f"hunt: largest: found {text!r}; expected a field of the records of {', '.join(named)}")
    raise unknown_name("field of records, in largest", text, near)


def _measured(case: Case, measure: Measure) -> Verdict:
    """What a complete record says of the measure; what is no number is no answer."""
    record = case.ask(measure.verb)
    value = at(record, measure.path)
    near = number(value) if record["complete"] else None
    return Verdict(None if near is None else False, near, {measure.verb: {measure.path: value}})


def _claim(kind: str, hunting: Hunting, name: str | None) -> str | None:
    """A claim about rules of a kind by its name, or by a beginning that only one name has."""
    if name is None or name in hunting.claims:
        return name
    begun = [claim for claim in hunting.claims if claim.startswith(name)]
    if len(begun) != 1:
        raise unknown_name(f"claim about rules of kind {kind!r}", name, hunting.claims)
    return begun[0]


def _status(entry: Any, claim: str | None) -> str:
    """What the registry says of a claim."""
    rows = {row.claim: row for row in claim_rows(entry)}
    if claim not in rows:
        return "not promised"
    row = rows[claim]
    return f"refuted by {row.how}" if row.status == "refuted" else f"{row.status}: {row.how}"


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
