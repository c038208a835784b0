"""What can be asked of a ferry."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any, ClassVar

from consortium import CompareRecord, Estimate, Record, Scenario
from consortium.mechanisms.kinds import info
from consortium.support.progress import Progress
from consortium.verbs.compare import side_by_side, variants
from consortium.verbs.game.options import Search
from consortium.verbs.game.records import SearchRecord
from consortium.verbs.game.search import in_order, searched
from consortium.verbs.game.setup import Setup
from consortium.verbs.importing import Importer, Place, head
from consortium.verbs.records import Row
from consortium.workloads import Log
from consortium.workloads.selection import sample

from .options import Compare, Import, Run, Timetable, Verify


@dataclass(frozen=True, kw_only=True)
class CarRow(Row):
    """One car."""

    name: str
    crossing: int


@dataclass(frozen=True, kw_only=True)
class RunRecord(Record):
    """Who crosses when."""

    verb: ClassVar[str] = "run"
    cars: tuple[CarRow, ...]
    crossings: int


@dataclass(frozen=True, kw_only=True)
class VerifyRecord(Record):
    """Whether nobody overtakes."""

    verb: ClassVar[str] = "verify"
    orderly: Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class TimetableRecord(Record):
    """When each crossing departs."""

    verb: ClassVar[str] = "timetable"
    departures: tuple[Fraction, ...]


def crossing_of(scenario: Scenario, boats: int = 1) -> dict[str, int]:
    """The crossing of each car, by name."""
    spec = scenario.spec
    boarding = info("ferry", spec.rule).load()(spec.cars, **spec.options)
    return {name: place // (spec.places * boats) + 1 for place, name in enumerate(boarding)}


def run(scenario: Scenario, options: Run, progress: Progress | None = None) -> RunRecord:
    """Everybody crosses."""
    found = crossing_of(scenario, options.boats)
    cars = [CarRow(name=name, crossing=found[name]) for name in scenario.spec.cars]
    return RunRecord(kind="ferry", scenario=scenario.label, method="boarding", cars=cars, crossings=max(found.values()))


def verify(scenario: Scenario, options: Verify, progress: Progress | None = None) -> VerifyRecord:
    """Whether cars cross in the order in which they came."""
    found = crossing_of(scenario)
    late = next(((a, b) for a, b in pairwise(scenario.spec.cars) if found[a] > found[b]), None)
    orderly: dict[str, Any] = {"holds": late is None, "witness": None}
    if late is not None:
        replay = scenario.variant({}, {"run": {"cars": {name: {"crossing": found[name]} for name in late}}})
        orderly["witness"] = {"overtaken": late[0], "by": late[1], "replay": [replay]}
    return VerifyRecord(
        kind="ferry", scenario=scenario.label, method="comparison", orderly=orderly, verdict=orderly["holds"]
    )


def compare(scenarios: Sequence[Scenario], options: Compare, progress: Progress | None = None) -> CompareRecord:
    """The crossing of whoever came last, under every rule."""
    rows, complete = side_by_side(
        variants(scenarios, options.rules),
        lambda variant: ({"last": crossing_of(variant.scenario)[variant.scenario.spec.cars[-1]]}, True),
        progress,
    )
    label = "; ".join(scenario.label for scenario in scenarios)
    return CompareRecord(
        kind="ferry", scenario=label, method="boarding", complete=complete, columns=("last",), rows=rows
    )


def timetable(scenario: Scenario, options: Timetable, progress: Progress | None = None) -> TimetableRecord:
    """When each crossing departs."""
    n = max(crossing_of(scenario).values())
    departures = tuple(options.first + i * options.every for i in range(n))
    return TimetableRecord(kind="ferry", scenario=scenario.label, method="clock", departures=departures)


@dataclass(frozen=True)
class FerryGame:
    """Everybody picks a crossing; whoever finds it full pays for everybody who is too many."""

    players: tuple[str, ...]
    places: int

    def strategies(self, player: int) -> range:
        """A crossing."""
        return range(1, len(self.players) + 1)

    def costs(self, profile: Sequence[int]) -> list[int]:
        """The crossing, and how many are too many on it."""
        return [own + max(0, list(profile).count(own) - self.places) for own in profile]


def game(scenario: Scenario) -> tuple[FerryGame, Callable[[Sequence[int]], str]]:
    """The game behind a scenario, and a short text for a profile."""
    return FerryGame(scenario.spec.cars, scenario.spec.places), lambda profile: "".join(map(str, profile))


def search(scenario: Scenario, options: Search, progress: Progress | None = None) -> SearchRecord:
    """Equilibria when nobody keeps order."""
    played, label = game(scenario)
    start = in_order(options.start, played.players)
    asked = Setup(played, start, lambda profile: dict(zip(played.players, profile, strict=True)))
    _, fields = searched(asked, options, progress)
    return SearchRecord(kind="ferry", scenario=scenario.label, game=played, label=label, **fields)


def estimate_run(scenario: Scenario, options: Run) -> Estimate:
    """Size of ``run``."""
    return Estimate("run", "ferry", scenario.label, len(scenario.spec.cars), "cars")


def estimate_search(scenario: Scenario, options: Search) -> Estimate:
    """Size of ``search``."""
    n = len(scenario.spec.cars)
    return Estimate("search", "ferry", scenario.label, n**n, "profiles")


def estimate_verify(scenario: Scenario, options: Verify) -> Estimate:
    """Size of ``verify``."""
    return Estimate("verify", "ferry", scenario.label, len(scenario.spec.cars) - 1, "pairs of cars")


def estimate_compare(scenarios: Sequence[Scenario], options: Compare) -> Estimate:
    """Size of ``compare``."""
    return Estimate("compare", "ferry", scenarios[0].label, len(variants(scenarios, options.rules)), "rules")


def estimate_timetable(scenario: Scenario, options: Timetable) -> Estimate:
    """Size of ``timetable``."""
    return Estimate("timetable", "ferry", scenario.label, max(crossing_of(scenario).values()), "crossings")


def build(log: Log, options: Import, place: Place | None = None) -> dict[str, Any]:
    """The most active users as cars."""
    chosen = sample(log, "user", options.cars)
    title = f"Users of {log.name} on the ferry"
    return head(log, "ferry", title, chosen, 1, None) | {
        "cars": [one.name for one in chosen],
        "mechanism": {"rule": "queue"},
    }


IMPORTER = Importer(Import, build)
