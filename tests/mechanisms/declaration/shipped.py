"""Shipped scenarios of kind declaration, read with nothing of the package but the standard library."""

from __future__ import annotations

import tomllib
from fractions import Fraction
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[3] / "scenarios"


def exact(value):
    if isinstance(value, dict):
        return {key: exact(item) for key, item in value.items()}
    if isinstance(value, list):
        return [exact(item) for item in value]
    if isinstance(value, bool) or value is None:
        return value
    if value in ("inf", "-inf"):
        return float(value)
    if isinstance(value, str):
        return Fraction(value) if value.lstrip("-")[:1].isdigit() else value
    return Fraction(value)


def load(name):
    """The file as a dict of exact numbers."""
    return exact(tomllib.loads((FOLDER / f"{name}.toml").read_text(), parse_float=Fraction))


class Shipped:
    """What ``plainly`` and ``instances.package`` need of a scenario."""

    def __init__(self, name):
        self.data = load(name)
        agents, mechanism = self.data["agents"], dict(self.data["mechanism"])
        self.names = [agent["name"] for agent in agents]
        self.c = tuple(self.data["cluster"]["powers"])
        self.theta = tuple(agent["length"] for agent in agents)
        self.b = tuple(agent.get("declares", agent["length"]) for agent in agents)
        self.rule = mechanism.pop("rule")
        welfare = self.data.get("welfare", {})
        self.options = {
            "goal": self.goal(welfare),
            "ties": welfare.get("ties", "sum"),
            "values": [agent.get("value", Fraction(0)) for agent in agents],
        }
        self.options |= {key: mechanism[key] for key in ("tool", "price") if key in mechanism}
        if "penalty" in mechanism:
            penalty = mechanism["penalty"]
            self.options["penalty"] = tuple(penalty) if isinstance(penalty, list) else penalty
        for kind, bound in mechanism.get("cutoff", {}).items():
            self.options[{"difference": "H_diff", "absolute": "H_abs"}[kind]] = bound
        if mechanism.get("rounds", 1) == 2:
            self.options["holdback"] = mechanism.get("holdback", "repaired")

    def goal(self, welfare):
        name = welfare.get("goal", "sum")
        if name.startswith("weighted"):
            return name, tuple(welfare["weights"][agent] for agent in self.names)
        if name == "makespan":
            return name, int(welfare.get("order", 1))
        if name == "squared-deviation":
            return name, welfare["target"]
        if name == "expression":  # in tests Python may evaluate what we ship
            return name, eval(f"lambda {', '.join(self.names)}: {welfare['expression']}")
        return name, None

    def grid(self, key):
        """Lengths or declarations of the domain, per agent."""
        given = self.data["domain"][key]
        return [given[name] if isinstance(given, dict) else given for name in self.names]
