"""Verdicts on claims: what is decided of one scenario, from records of verbs, so that every verdict can be replayed.

A kind's :class:`Hunting` holds a function from a :class:`Case` to a :class:`Verdict` for each claim, and how random
instances of the kind are drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from types import MappingProxyType
from typing import Any, Final, TypeAlias

from numpy.random import Generator

from ....mechanisms.kinds import kinds
from ....scenarios.reader import load
from ....scenarios.scenario import Scenario
from ....support.errors import InputError, UnknownNameError, unknown_name
from ....support.exact import Extended
from ....support.loading import load as load_reference
from ....verbs import dispatch
from ....workloads.families import filled
from ..conditions import value_of
from ..edits import jobs_of, players

Answer: TypeAlias = Mapping[str, Any]
"""The dict of a record."""


@dataclass(frozen=True)
class Verdict:
    """Whether a scenario breaks a claim."""

    broken: bool | None  # ``None`` where it could not be decided, within the limit or at all
    # how near it is to breaking the claim, larger is nearer; ``None`` where nothing measures it
    near: Extended | None = None
    # of a scenario that breaks it, the ``[expect]`` that shows it
    expect: Mapping[str, Any] = field(default_factory=dict)
    # scenarios with their own ``[expect]`` that belong to the proof: what the first one is compared with
    twins: tuple[Mapping[str, Any], ...] = ()


@dataclass(frozen=True)
class Case:
    """A scenario, perhaps a custom rule in the place of its own, and a time limit for each question."""

    scenario: Scenario
    mechanism: Any = None
    time_limit: float | None = None

    def ask(self, verb: str, **options: Any) -> Answer:
        """What a verb answers, as its dict; within the time limit where the verb takes one."""
        own = {} if self.mechanism is None else {"mechanism": self.mechanism}
        return self.ask_of(self.scenario, verb, **own, **options)

    def twin(self, changes: Mapping[str, Any]) -> Scenario:
        """The scenario with other top-level blocks, as :meth:`Scenario.variant` takes them."""
        return load(self.scenario.variant(changes))

    def ask_of(self, scenario: Scenario, verb: str, **options: Any) -> Answer:
        """The same of another scenario, by its own rule."""
        limit = {} if self.time_limit is None else {"time_limit": self.time_limit}
        try:
            return dispatch.ask(verb, scenario, {**limit, **options}).to_dict()
        except (UnknownNameError, InputError) as error:  # some verbs and rules have nothing to stop
            if not limit or "time_limit" not in str(error):
                raise
            return dispatch.ask(verb, scenario, options).to_dict()


class UnfitError(InputError):
    """A claim that does not apply to a rule, whatever the instance: a hunt ends at once with the reason."""


Decide: TypeAlias = Callable[[Case], Verdict]
Sizes: TypeAlias = Mapping[str, tuple[int, int | None]]
"""By name of a size of an instance the least and the largest value; ``None``: no largest."""
ANY: Final[Sizes] = MappingProxyType({})
Draw: TypeAlias = Callable[..., dict[str, Any]]
"""From a base scenario, a generator, how large it may be, and perhaps :data:`Sizes`, to an instance."""


@dataclass(frozen=True)
class Hunting:
    """What hunts have to know of a kind; its :class:`~consortium.mechanisms.kinds.Kind` refers to it.

    Attributes
    ----------
    claims
        How each claim is decided, by name; raising :class:`UnfitError` where it does not apply to the rule.
    draw
        A base scenario (the rule with its options) with random players and jobs, from a generator; the number says how
        large it may be, 0 for tiny instances up to :data:`LARGEST`. See :func:`of_family`.
    sizes
        Sizes of instances that may be asked for; then ``draw`` takes them as its last argument.
    options
        Options of ``[mechanism]`` that belong to a claim.
    starts
        By claim another ``draw``, of instances that are nearer to breaking it.
    theorems
        ``(base, sizes)`` to the theorem that rules out every instance of these sizes, if one does, by claim.
    check
        Raises InputError for a base that fits no random instance.
    """

    claims: Mapping[str, Decide]
    draw: Draw
    sizes: tuple[str, ...] = ()
    options: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    starts: Mapping[str, Draw] = field(default_factory=dict)
    theorems: Mapping[str, Callable[[Mapping[str, Any], Sizes], str | None]] = field(default_factory=dict)
    check: Callable[[Mapping[str, Any]], None] = lambda base: None


FAMILY: Final = "uniform-jobs"
ALIKE: Final = 0.5
LARGEST: Final = 3
"""Rounds until instances stop growing."""
LONGEST: Final = (2, 3, 5, 10, 20, 60)
"""Longest lengths of random jobs; of the first three in the first round, of one more in each that follows."""


def of_family(parameters: Callable[[Mapping[str, Any], Generator, int], dict[str, Any]]) -> Draw:
    """How instances are drawn from the family ``uniform-jobs`` of a kind, whose ``parameters`` are random too.

    Lengths are uniform up to a longest one that is drawn first, so that few different lengths are as likely as many. In
    half of the instances the jobs of each player are made equal: ties are where rules go wrong.
    """

    def draw(base: Mapping[str, Any], rng: Generator, size: int, sizes: Sizes = ANY) -> dict[str, Any]:
        chosen = {"longest": LONGEST[upto(rng, 0, size + 2)], **parameters(base, rng, size)}
        for name, (least, most) in sizes.items():
            chosen |= _sized(chosen, name, least, most, rng)
        data = filled(base, FAMILY, chosen, rng)
        if rng.random() < ALIKE:
            _make_alike(data)
        return data

    return draw


def _sized(chosen: Mapping[str, Any], name: str, least: int, most: int | None, rng: Generator) -> dict[str, Any]:
    """A size of the family: anything between two bounds; above a least one as it was drawn, or that."""
    value = max(least, chosen.get(name, 1)) if most is None else upto(rng, min(max(1, least), most), most)
    if name == "users":
        all_alike = chosen["totals"] == chosen["users"]
        return {name: value, "totals": value if all_alike else min(value, chosen["totals"])}
    if name == "jobs":
        return {name: value, "fewest": min(value, max(least, chosen.get("fewest", value)))}
    return {name: value, **({"most_machines": value} if name == "machines" and "most_machines" in chosen else {})}


def _make_alike(data: Mapping[str, Any]) -> None:
    """Give all jobs of a player the length of her first one."""
    for player in (player for key in players(data) for player in data[key]):
        if jobs := jobs_of(player):
            player["jobs"] = [[job[0], jobs[0][1]] if isinstance(job, list) else jobs[0] for job in jobs]


def upto(rng: Generator, low: int, high: int) -> int:
    """Random integer from ``low`` to ``high``, both included."""
    return int(rng.integers(low, high + 1))


def hunting_of(kind: str) -> Hunting:
    """What hunts know of a kind. Raises UnknownNameError for a kind that cannot be hunted."""
    huntable = {entry.name: entry.hunting for entry in kinds() if entry.hunting}
    if kind not in huntable:
        raise unknown_name("kind of rules that can be hunted", kind, huntable)
    hunting: Hunting = load_reference(huntable[kind])
    return hunting


def number(value: Any) -> Extended | None:
    """A number of a record's dict; ``None`` for what is none.

    >>> number("3/2"), number("inf"), number(None)
    (Fraction(3, 2), inf, None)
    """
    exact = value_of(value)
    return exact if isinstance(exact, Fraction | float) else None
