"""Which claims on the rules of kind ``declaration`` are proved for all lengths, and which are refuted.

``python docs/published/proved_claims.py`` proves or refutes every statement on every rule, with its default
options and the goal ``sum``, for 2 and 3 agents on machines of powers (1), (1, 1), (1, 2) and (1, 3), and, where the
reduction applies, for up to 8 agents. It prints the table and compares it with the file that the package ships
(exit code 1 where they differ); ``--write`` puts the file in its place. ``--rule`` and ``--statement`` take a part.

>>> examine("light-vcg", "ex-post", 2, (1,))
'refuted'
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from typing import Any, Final

from consortium.games.proofs.prover import Prover, prove
from consortium.games.proofs.questions import Lengths
from consortium.games.proofs.statements import CONCEPTS, STATEMENTS
from consortium.mechanisms.declaration import build
from consortium.mechanisms.declaration.catalogue import AGENTS, CLUSTERS, FILE, RULES, cases, reduced, verdicts, written
from consortium.reports.markup import Table, text
from consortium.scheduling.clusters import Cluster
from consortium.support.errors import InputError

REDUCED: Final = 8
"""Agents up to which the reduction is asked."""


def examine(rule: str, statement: str, agents: int, powers: Sequence[int]) -> str:
    """Verdict on one statement by the full code: ``"proved"``, ``"refuted"`` or ``"open"``."""
    return prove(build(rule, Cluster.of(powers)), agents, statement, method="code").status


def examine_all(rules: Sequence[str], statements: Sequence[str]) -> Iterator[tuple[str, str, int, str, str]]:
    """Every verdict: rule, statement, agents, powers, verdict. One decision tree serves all statements of a rule."""
    for rule in rules:
        for agents, powers in cases(rule):
            prover = Prover(build(rule, Cluster.of(powers)), agents, Lengths())
            for statement in statements:
                yield rule, statement, agents, written(powers), prover.prove(statement, method="code").status


def reach_of_reduction(rule: str, statement: str) -> int:
    """The largest number of agents up to :data:`REDUCED` for which the reduction proves it on all clusters."""
    most = 0
    for agents in range(2, REDUCED + 1):
        for powers in CLUSTERS:
            try:
                proof = prove(build(rule, Cluster.of(powers)), agents, statement, method="reduction")
            except InputError:  # the reduction is not about this rule, or the rule not about these machines
                return most
            if not proof.holds:
                return most
        most = agents
    return most


def recompute(rules: Sequence[str], statements: Sequence[str]) -> dict[str, Any]:
    """What the file holds, worked out again."""
    found: dict[str, Any] = {"rules": {}, "reduction": {}}
    for rule, statement, agents, powers, verdict in examine_all(rules, statements):
        if sys.stderr.isatty():
            print(f"\r{rule}, {statement}, N = {agents}, ({powers}): {verdict}\x1b[K", end="", file=sys.stderr)
        found["rules"].setdefault(rule, {}).setdefault(statement, {}).setdefault(str(agents), {})[powers] = verdict
    for rule in rules:
        for statement in CONCEPTS:
            if statement in statements and (most := reach_of_reduction(rule, statement)):
                found["reduction"].setdefault(rule, {})[statement] = most
    if sys.stderr.isatty():
        print("\r\x1b[K", end="", file=sys.stderr)
    return found


def differences(found: dict[str, Any]) -> list[str]:
    """Where what was found is not what the package ships."""
    wrong = []
    for rule, rows in found["rules"].items():
        for statement, by_agents in rows.items():
            shipped = verdicts(rule, statement)
            for agents, row in by_agents.items():
                for powers, verdict in row.items():
                    if shipped.get((int(agents), powers)) != verdict:
                        wrong.append(f"{rule}, {statement}, N = {agents}, ({powers}): {verdict}")
            most = found["reduction"].get(rule, {}).get(statement, 0)
            if most != reduced(rule, statement):
                wrong.append(f"{rule}, {statement}: the reduction proves it up to N = {most}")
    return wrong


def tables(found: dict[str, Any]) -> list[Table]:
    """One table per rule: statements down, numbers of agents and clusters across."""
    columns = [f"N = {agents} on {written(powers)}" for agents in AGENTS for powers in CLUSTERS]
    made = []
    for rule, rows in found["rules"].items():
        lines = []
        for statement, by_agents in rows.items():
            cells = [by_agents.get(str(n), {}).get(written(powers), "") for n in AGENTS for powers in CLUSTERS]
            most = found["reduction"].get(rule, {}).get(statement)
            lines.append((statement, *cells, f"N <= {most}" if most else ""))
        made.append(Table(rule, ("statement", *columns, "by the reduction"), tuple(lines), ""))
    return made


def main(arguments: Sequence[str] | None = None) -> int:
    """Run it with these arguments of the command line; 1 where the shipped file says something else."""
    names = [rule.id for rule in RULES if cases(rule.id)]
    parser = argparse.ArgumentParser(prog="python docs/published/proved_claims.py", description=__doc__)
    parser.add_argument("--rule", action="append", choices=names, help="only this rule (may be repeated)")
    parser.add_argument("--statement", action="append", choices=STATEMENTS, help="only this statement")
    parser.add_argument("--write", action="store_true", help="write the file of the package")
    options = parser.parse_args(arguments)
    found = recompute(options.rule or names, options.statement or STATEMENTS)
    print(text(tables(found)))
    if options.write:
        FILE.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n", encoding="utf-8")
        return 0
    wrong = differences(found)
    for line in wrong:
        print(f"differs from the shipped file: {line}")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
