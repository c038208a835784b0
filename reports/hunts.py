"""The tables of a hunt, from its record's dict."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .tables import Table, facts


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
