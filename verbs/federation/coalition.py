"""``verify --coalitions K``: whether a coalition of organizations gains by leaving the placement, and how."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...agents.organizations import Placement
from ...games.equilibria.coalitions.checker import checked_size, first_deviation
from ...games.equilibria.coalitions.results import Deviation
from ...scenarios.scenario import Scenario
from ...support.errors import InputError, TooLargeError
from ...support.exact import Extended
from ...support.progress import Clock
from .model import Model, by_host
from .options import Verify
from .records import CoalitionRow, JointGainRow


def check_asked(m: Model, options: Verify) -> None:
    """Raise InputError for coalitions where nobody places jobs, or what needs them where nobody asked for them."""
    if options.coalitions is not None and not m.played:
        raise InputError("coalitions: only under coordination, or a policy of one's own, do organizations place jobs")
    if options.coalitions is None and options.property == "coalition":
        raise InputError("property: 'coalition' needs coalitions = K, the most members that a coalition has")
    if options.coalitions is None and "notion" in options.model_fields_set:
        raise InputError(f"notion: found {options.notion!r} without coalitions; expected coalitions = K, or no notion")


def coalition(scenario: Scenario, m: Model, options: Verify, clock: Clock) -> CoalitionRow | None:
    """The first coalition that gains, or that there is none; ``None`` where nobody asked."""
    if options.coalitions is None:
        return None
    game, placement = m.game(), m.spec.placement
    size = checked_size(game, options.coalitions)
    found, limit = None, None
    try:
        found = first_deviation(game, placement, size, options.notion, clock)
    except TooLargeError:
        limit = "size"
    except (TimeoutError, KeyboardInterrupt):
        limit = "time"
    return CoalitionRow(
        notion=options.notion,
        size=size,
        holds=None if limit is not None else found is None,
        witness=None if found is None else _gain(scenario, m, found, own=options.mechanism is not None),
        limit=limit,
    )


def _gain(scenario: Scenario, m: Model, found: Deviation, own: bool) -> JointGainRow:
    """The deviation; a rule of one's own cannot be written into a scenario, so nothing replays."""
    before, after = m.spec.placement, found.applied(m.spec.placement)
    members = tuple(m.federation.names[i] for i in found.members)

    def named(costs: Sequence[Extended]) -> dict[str, Extended]:
        return dict(zip(members, costs, strict=True))

    def replay(hosts: Placement, costs: Sequence[Extended]) -> dict[str, Any]:
        claim = {"run": {"organizations": {name: {"cost": cost} for name, cost in named(costs).items()}}}
        return scenario.variant({"placement": by_host(m.spec, hosts)}, claim)

    return JointGainRow(
        members=members,
        placement=by_host(m.spec, after),
        costs_before=named(found.costs_before),
        costs_after=named(found.costs_after),
        replay=() if own else (replay(before, found.costs_before), replay(after, found.costs_after)),
    )
