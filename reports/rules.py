"""Tables of one rule: what it does, its keys, its claims."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .tables import Table, facts, table


def tables(data: Mapping[str, Any]) -> list[Table]:
    """Tables of a :class:`consortium.verbs.rules.RulePage`, from its dict."""
    said = [("what it does", data["details"]), ("theorem", data["theorem"]), ("source", data["source"])]
    said.append(("shipped scenarios", ", ".join(data["scenarios"])))
    found = [facts(f"{data['rule']}: {data['summary']}", [("kind", data["kind"]), *(pair for pair in said if pair[1])])]
    if data["keys"]:
        found.append(table("keys of [mechanism]", data["keys"], ["key", "accepted", "default", "unit", "meaning"]))
    names = [{"key": key["key"], "value": name, "meaning": about}
             for key in data["keys"] for name, about in key["names"].items()]  # fmt: skip
    if names:
        found.append(table("values of these keys", names, ["key", "value", "meaning"]))
    if data["claims"]:
        found.append(table("claims", data["claims"], ["claim", "status", "how", "meaning"]))
    return found
