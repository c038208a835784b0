"""Options of audits that dumps of Slurm say: values in the place of the names of files.

A record holds the values, so whoever checks it needs no dump, and a command made from it says all that it depends on.
An option that is given beside a folder of dumps wins.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

from ...scenarios.sharing import SHARES
from ...support.errors import InputError
from ...workloads.slurm import Accounts, Dumps, parents_of, read_dumps, read_parents

if TYPE_CHECKING:
    from .options import LogOptions

FACTORS: Final = {"age": "age", "fairshare": "fairshare", "jobsize": "size", "qos": "qos"}
"""Weights of slurm.conf that a rule has, by what they are called there."""
SCHEDULERS: Final = {"sched/backfill": "easy", "sched/builtin": "rigid"}
"""How parallel jobs are run, by SchedulerType."""
NO_FAIR_TREE: Final = "NO_FAIR_TREE"
SETTINGS: Final = ("PriorityType", "SchedulerType")
UNKNOWN: Final = {
    "PriorityWeightQOS": "a QOS",
    "PriorityWeightPartition": "a partition",
    "PriorityWeightAssoc": "an association",
}
"""Weights of what no log says: of QOS only where nothing says their priorities."""
OF_RULE: Final = ("PriorityWeightAge", "PriorityMaxAge", "PriorityWeightFairshare", "PriorityWeightJobSize")
MADE: Final = "slurm"
"""What the rule that a folder of dumps makes may be called among the rules."""


def from_dumps(options: LogOptions) -> dict[str, Any]:
    """Options by name that are to take the place of those given. Raises InputError for dumps that cannot be read."""
    values: dict[str, Any] = {}
    if options.slurm is not None and not isinstance(options.slurm, Mapping):
        named = {name for name in options.model_fields_set if getattr(options, name) is not None}
        dumps = read_dumps(options.slurm)
        dumped = _folder(dumps, options.slurm, options.qos)
        weights = options.weights if "weights" in named else dumped["weights"]
        dumped["machines"] = _machines(dumps, options.partition, weights)
        rule = dumped.pop("in force")
        several = "decay" in type(options).model_fields  # an audit runs several, the others change the rule in force
        if rule and "parallel" not in type(options).model_fields and dumped["parallel"]:
            rule += f":parallel={dumped['parallel']}"
        values |= _named(options, rule)
        dumped |= {"rules": {rule: rule}} if several and rule else {"rule": rule}
        taken = {name: value for name, value in dumped.items() if value and name in type(options).model_fields}
        values |= {name: value for name, value in taken.items() if name not in named}
        values["slurm"] = _settings(dumps, values, bool(dumped["qos"])) or None
    elif options.slurm is None:
        _named(options, None)
    if isinstance(options.parents, str):
        values["parents"] = read_parents(options.parents)
    if isinstance(options.shares, str) and options.shares not in SHARES:
        accounts = read_dumps(options.shares).accounts
        accounts.learn(Accounts(parents=dict(values.get("parents", options.parents) or {})), options.shares)
        values["shares"] = accounts.by_path(options.shares)
    return values


def _folder(dumps: Dumps, where: str, qos: Mapping[str, int] | None) -> dict[str, Any]:
    shares = dumps.accounts.by_path(where)
    if not qos and len(set(dumps.qos.values())) > 1:  # else they order no two jobs
        qos = dumps.qos
    return {
        "shares": shares,
        "parents": parents_of(shares),
        "weights": _weights(dumps),
        "decay": dumps.time("PriorityDecayHalfLife"),
        "parallel": SCHEDULERS.get(dumps.settings.get("schedulertype", "")),
        "qos": qos,
        "in force": _rule(dumps, bool(qos)),
    }


def _machines(dumps: Dumps, partition: str | None, weights: Mapping[str, str] | None) -> int | None:
    """All processors, as billing units; nothing where several resources are weighed, as no jobs use all of each."""
    count = dumps.processors(partition)
    if count is None or not set(weights or ()) <= {"cpu"}:
        return None
    return int(count * Fraction((weights or {}).get("cpu", "1"))) or None


def _named(options: LogOptions, rule: str | None) -> dict[str, Any]:
    """The options that call the rule of the dumps by the name of :data:`MADE`, with the rule.

    Raises InputError where no dump makes one.
    """
    values: dict[str, Any] = {}
    for name in ("rule", "rules", "to"):
        value = getattr(options, name, None)
        rules = value if isinstance(value, Mapping) else {value: value}
        if MADE in rules and rules[MADE] == MADE:
            if rule is None:
                raise InputError(
                    f"{name}: {MADE} is the rule that the dumps of a folder make; expected --slurm FOLDER "
                    "beside it, with scontrol show config or slurm.conf in it"
                )
            made = {rule if label == MADE else label: rule if label == MADE else each for label, each in rules.items()}
            values[name] = made if isinstance(value, Mapping) else rule
    return values


def _settings(dumps: Dumps, values: Mapping[str, Any], qos: bool) -> dict[str, str]:
    """What was read: settings, among them those that became an option, and of how many accounts shares and parents."""
    names, counts = [*SETTINGS, *UNKNOWN], {"RawShares": "shares", "ParentName": "parents"}
    made = bool({"rule", "rules"} & values.keys())
    if made:
        names += OF_RULE
    if {"rule", "rules", "decay"} & values.keys():
        names.append("PriorityDecayHalfLife")
    settings = {name: dumps.settings.get(name.lower(), "") for name in names}
    settings |= {name: str(len(values[key])) for name, key in counts.items() if key in values}
    if "weights" in values:
        settings["TRESBillingWeights"] = " ".join(f"{name}={weight}" for name, weight in values["weights"].items())
    if NO_FAIR_TREE in dumps.settings.get("priorityflags", ""):
        settings["PriorityFlags"] = NO_FAIR_TREE
    if "machines" in values:
        settings["CPUs"] = str(values["machines"])
    if (dumps.qos or qos) and not (qos and made):
        settings["PriorityWeightQOS"] = ""
    return {name: value for name, value in settings.items() if value not in ("", "0", "(null)")}


def _rule(dumps: Dumps, qos: bool) -> str | None:
    """The rule that priorities make, with its options as ``--rules`` takes them; ``qos``: theirs are known."""
    kind = dumps.settings.get("prioritytype")
    if kind is None or kind.endswith("basic"):
        return kind and "fifo"
    weights = {option: dumps.settings.get(f"priorityweight{name}", "0") for name, option in FACTORS.items()}
    options = {option: weight for option, weight in weights.items() if weight != "0" and (qos or option != "qos")}
    if "age" in options and (longest := dumps.time("PriorityMaxAge")) is not None:
        options["max_age"] = f"{max(1, longest)}s"
    if half_life := dumps.time("PriorityDecayHalfLife"):
        options["decay"] = f"{half_life}s"
    return ":".join(["multifactor", *(f"{name}={value}" for name, value in options.items())])


def _weights(dumps: Dumps) -> dict[str, str] | None:
    """What jobs count as: as Slurm billed them, where that differs by partition or is no sum."""
    billed = set(dumps.billing.values())
    if len(billed) > 1 or (billed and "MAX_TRES" in dumps.settings.get("priorityflags", "")):
        return {"billing": "1"}
    pairs = (part.partition("=") for part in next(iter(billed), "").split(","))
    return {name.strip().lower(): weight for name, equals, weight in pairs if equals} or None
