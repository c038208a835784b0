"""Tables of rules, and of hunts for what breaks their claims."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .tables import Table, facts, table


def hunt(data: Mapping[str, Any]) -> list[Table]:
    """What was hunted, how long, and how small the instance is that breaks the claim."""
    pairs = [
        ("status of the claim", data["claim_status"]),
        ("broken", data["broken"]),
        ("instances tried", f"{data['instances']:,} ({data['valid']:,} that the rule takes)"),
        ("rounds finished", data["rounds"]),
    ]
    size = data["size"]
    if size is not None:
        pairs += [
            ("size", f"{size['players']} players, {size['jobs']} jobs, total work {size['work']}"),
            ("local minimum", data["minimal"]),
            ("smaller ones tried", data["shrinking"]),
        ]
    elif data["nearest"] is not None:
        pairs.append(("nearest miss", data["nearest"]))
    return [facts(f"hunt: {data['rule']}, {data['claim']}", pairs, data.get("note") or "")]


def tables(data: Mapping[str, Any]) -> list[Table]:
    """Tables of a :class:`consortium.verbs.rules.RulePage`, from its dict."""
    pairs = [("what it does", data["details"]), ("theorem", data["theorem"]), ("source", data["source"])]
    pairs.append(("shipped scenarios", ", ".join(data["scenarios"])))
    listed = [
        facts(f"{data['rule']}: {data['summary']}", [("kind", data["kind"]), *(pair for pair in pairs if pair[1])])
    ]
    if data["keys"]:
        listed.append(table("keys of [mechanism]", data["keys"], ["key", "accepted", "default", "unit", "meaning"]))
    names = [{"key": key["key"], "value": name, "meaning": about}
             for key in data["keys"] for name, about in key["names"].items()]  # fmt: skip
    if names:
        listed.append(table("values of these keys", names, ["key", "value", "meaning"]))
    if data["claims"]:
        listed.append(table("claims", data["claims"], ["claim", "status", "how", "meaning"]))
    return listed
