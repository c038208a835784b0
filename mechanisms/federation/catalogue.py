"""The rules of the family, by name: what each uses, promises and must not have."""

from ..registry import RuleInfo

JUDGED_BY = frozenset({"reference", "selfishness"})
"""Options that every rule takes: how its schedule is judged, not how it is made."""

RULES: tuple[RuleInfo, ...] = (
    RuleInfo(
        id="coordination",
        summary="my jobs first, then foreign jobs by priority: the placement game",
        source="Cordeiro 2012, 5.1",
        options=JUDGED_BY | {"priority", "order", "objective"},
        factory="federation.coordination:Coordination",
    ),
    RuleInfo(
        id="local",
        summary="every organization alone on its own machines",
        source="Cordeiro 2012, 3.1",
        options=JUDGED_BY | {"local_order"},
        factory="federation.local:Local",
    ),
)
