"""Options of audits that dumps of Slurm say: values in the place of the names of files.

A record holds the values, so whoever checks it needs no dump, and a command made from it says all that it depends on.
An option that is given beside a folder of dumps wins.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ...scenarios.sharing import SHARES
from ...workloads.slurm import Accounts, Configuration, Dumps, parents_of, read_dumps, read_parents

if TYPE_CHECKING:
    from .options import LogOptions

FACTORS: Final = {"age": "age", "fairshare": "fairshare", "jobsize": "size", "qos": "qos", "partition": "partition"}
"""Weights of slurm.conf that a rule has, by what they are called there."""


def from_dumps(options: LogOptions) -> dict[str, Any]:
    """Options by name that are to take the place of those given. Raises InputError for dumps that cannot be read."""
    said: dict[str, Any] = {}
    if options.slurm is not None:
        given = {name for name in options.model_fields_set if getattr(options, name) is not None}
        dumped = _folder(read_dumps(options.slurm), options.slurm)
        rule = dumped.pop("in force")
        several = "decay" in type(options).model_fields  # an audit runs several, the others change the rule in force
        dumped |= {"rules": {rule: rule}} if several and rule else {"rule": rule}
        known = {name: value for name, value in dumped.items() if value and name in type(options).model_fields}
        said = {"slurm": None} | {name: value for name, value in known.items() if name not in given}
    if isinstance(options.parents, str):
        said["parents"] = read_parents(options.parents)
    if isinstance(options.shares, str) and options.shares not in SHARES:
        accounts = read_dumps(options.shares).accounts
        accounts.learn(Accounts(parents=dict(said.get("parents", options.parents) or {})), options.shares)
        said["shares"] = accounts.by_path(options.shares)
    return said


def _folder(dumps: Dumps, where: str) -> dict[str, Any]:
    """What the dumps of a folder say; nothing stands for what they do not."""
    shares, configuration = dumps.accounts.by_path(where), dumps.configuration
    return {
        "shares": shares,
        "parents": parents_of(shares),
        "weights": _weights(configuration),
        "decay": configuration.half_life,
        "in force": _rule(configuration),
    }


def _rule(configuration: Configuration) -> str | None:
    """The rule that priorities make, with its options as ``--rules`` takes them."""
    if configuration.kind is None:
        return None
    if configuration.kind.endswith("basic"):
        return "fifo"
    weights = {rule: configuration.weights.get(name, 0) for name, rule in FACTORS.items()}
    options = {name: str(weight) for name, weight in weights.items() if weight}
    if configuration.max_age is not None and "age" in options:
        options["max_age"] = f"{configuration.max_age or 1}s"
    if "NO_FAIR_TREE" in configuration.flags:
        options["factor"] = "classic"
    if configuration.half_life:
        options["decay"] = f"{configuration.half_life}s"
    return ":".join(["multifactor", *(f"{name}={value}" for name, value in options.items())])


def _weights(configuration: Configuration) -> dict[str, str] | None:
    """What jobs count as: as Slurm billed them, where that differs by partition or is no sum."""
    billed = set(configuration.billing.values())
    if len(billed) > 1 or (billed and "MAX_TRES" in configuration.flags):
        return {"billing": "1"}
    pairs = (part.partition("=") for part in next(iter(billed), "").split(","))
    return {name.strip().lower(): weight for name, equals, weight in pairs if equals} or None
