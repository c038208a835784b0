r"""What a Slurm says of itself: accounts within accounts with their shares, and how it makes priorities.

Model: accounts are a tree; each has a share among those in the same account (raw shares, of which only the proportions
count). Users in an account that has accounts in it compete with these; together they count as one more, named like the
account. A tree is written as shares by path: ``{"physics": 60, "physics/atlas": 40, "physics/cms": 20, "life": 40}``.

Dumps are recognised by what is in them: ``sshare -alP``, ``sacctmgr -P show associations``, ``sacctmgr show assoc
tree``, ``sacctmgr -nP list associations format=Account,ParentName``, with or without ``-P``; and ``scontrol show
config``, ``show partition``, ``show node``, ``sacctmgr -P show qos`` or slurm.conf itself. Where none says in which
account an account lies, as ``show associations`` does not, another has to.

Fair Tree, for whoever looks at a tree at one moment: the LevelFS of an account is its part of the shares at its level
over its part of the usage there, those that are absent that night included; an account's rank is its place when all are
listed from the root down by LevelFS, accounts that tie opened together (:func:`standings`).

Sources: the manual of Slurm, pages sshare, sacctmgr, slurm.conf and "Fair Tree Fairshare Algorithm".

>>> tree = {"physics": 60, "physics/atlas": 40, "physics/cms": 20, "life": 40}
>>> weights_of(tree, ["atlas", "cms", "life"]), weights_of(tree, ["atlas", "life"])
((2, 1, 2), (3, 2))
>>> standings(tree, {"atlas": 30.0, "cms": 20.0, "life": 50.0})["atlas"]
Standing(usage=0.3, level=1.1111111111111112, factor=1.0)
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Final, NamedTuple

from ..support.errors import InputError, join_names
from ..support.files import UnreadableError, read_text
from ..support.units import seconds_of

ROOT: Final = "root"
SEPARATORS: Final = "|,;\t"
WITHIN: Final = "/"
"""Between an account and one in it, in a path."""
_NAMES: Final = {
    "account": ("account", "name"),
    "parent": ("parentname", "parname", "parent"),
    "shares": ("rawshares", "share"),
    "user": ("user",),
}
_ASSOCIATIONS: Final = ("cluster", "account", "user", "partition", "share")
"""The first columns of ``sacctmgr show associations``."""
_SETTING: Final = re.compile(r"^[ \t]*(Priority\w+|SchedulerType)[ \t]*=[ \t]*(.*?)[ \t]*(?:#.*)?$", re.I | re.M)
_PARTITION: Final = re.compile(r"\b(PartitionName|TRESBillingWeights|Nodes|TotalCPUs)\s*=\s*(\"[^\"]*\"|\S+)", re.I)
_NODE: Final = re.compile(r"\bNodeName=(\S+)|\bCPUTot=(\d{1,9})")
_QOS: Final = re.compile(r"Name\|Priority\|", re.I)
_QOS_LINE: Final = re.compile(r"^([^|\n]+)\|(\d+)\|", re.M)
_LARGEST: Final = 2**32 - 1
"""Slurm keeps a priority in 32 bits."""
_CONFIGURATION: Final = re.compile(
    r"^\s*(Configuration data as of|(ClusterName|Priority\w+|SchedulerType|PartitionName|NodeName)\s*=)", re.I | re.M
)


@dataclass
class Accounts:
    """Accounts of dumps: the account above each but the root, raw shares, and those of the users in an account."""

    parents: dict[str, str] = field(default_factory=dict)
    shares: dict[str, int] = field(default_factory=dict)
    users: dict[str, int] = field(default_factory=dict)

    def learn(self, other: Accounts, where: str) -> None:
        """Add what another dump says. Raises InputError where they contradict each other."""
        for child, above in other.parents.items():
            if self.parents.setdefault(child, above) != above:
                raise InputError(f"{where}: {child} has the parents {self.parents[child]} and {above}")
        for name, share in other.shares.items():
            if self.shares.setdefault(name, share) != share:
                raise InputError(f"{where}: {name} has the shares {self.shares[name]} and {share}; is it one cluster?")
        for name, share in other.users.items():
            self.users[name] = max(share, self.users.get(name, 0))

    def by_path(self, where: str) -> dict[str, int]:
        """Shares by path. Raises InputError where nothing says in which account an account lies."""
        astray = [name for name in self.shares if name != ROOT and name not in self.parents]
        if astray:
            raise InputError(
                f"{where}: in which account does {astray[0]} lie? Nothing says it; expected sshare -alP, sacctmgr show "
                f"assoc tree, or parents beside it"
            )
        paths = {name: WITHIN.join(self.path(name)) for name in self.shares if name != ROOT}
        unions = {self.parents[name] for name in paths}
        shares = {path: self.shares[name] for name, path in paths.items()}
        for name, share in self.users.items():
            if name in unions and share and (name in paths or name == ROOT):
                shares[f"{paths[name]}{WITHIN}{name}" if name != ROOT else ROOT] = share
        return shares

    def path(self, name: str) -> list[str]:
        """The accounts above one that have shares, the outermost first, and itself."""
        path = [name]
        while (name := self.parents.get(name, ROOT)) != ROOT:
            if name in path:
                raise InputError(f"{name} is above itself; expected a tree of accounts")
            if name in self.shares:  # else what lies in it counts as if it lay in the account above
                path.insert(0, name)
        return path


class Dumps(NamedTuple):
    """What dumps say: accounts, settings by name in lower case; TRESBillingWeights and more of each partition.

    ``nodes``: the processors of each node, of ``scontrol show node``. ``qos``: priorities, of ``sacctmgr -P show qos``.
    """

    accounts: Accounts
    settings: dict[str, str]
    partitions: dict[str, dict[str, str]]
    nodes: dict[str, int]
    qos: dict[str, int]

    @property
    def billing(self) -> dict[str, str]:
        """TRESBillingWeights by partition."""
        each = {name: keys.get("tresbillingweights", "(null)") for name, keys in self.partitions.items()}
        return {name: weights for name, weights in each.items() if weights != "(null)"}

    def processors(self, partition: str | None = None) -> int | None:
        """Processors of one partition, or of all nodes; ``None`` where several partitions alone leave it open."""
        if partition is None and self.nodes:
            return sum(self.nodes.values())
        chosen = [keys for name, keys in self.partitions.items() if partition in (None, name) and "totalcpus" in keys]
        totals = {(keys.get("nodes"), keys["totalcpus"]) for keys in chosen}
        return int(chosen[0]["totalcpus"]) if len(totals) == 1 and chosen[0]["totalcpus"].isdecimal() else None

    def time(self, name: str) -> int | None:
        """Seconds of a setting. Raises InputError for a time that is none, or a bare number, which is minutes."""
        text = self.settings.get(name.lower())
        if text is None:
            return None
        seconds = seconds_of(text)
        if seconds is None or (text.isdecimal() and seconds):
            why = " (Slurm takes a bare number for minutes)" if text.isdecimal() else ""
            raise InputError(f"{name}: found {text}{why}; expected a time like 7-00:00:00 or 12:00:00")
        return seconds


# --- reading ----------------------------------------------------------------------------------------------------------


_ALIKE: Final = frozenset(
    ["prioritytype", "schedulertype"]
    + [f"priorityweight{factor}" for factor in ("age", "fairshare", "jobsize", "qos", "partition", "assoc")]
)
"""Settings that slurm.conf and scontrol write alike, so that two dumps which differ in one contradict each other."""


def read_dumps(place: str | Path) -> Dumps:
    """All dumps of a folder, or one file. Raises InputError where there is none, or where two contradict each other."""
    place = Path(place)
    dumps, n_read = Dumps(Accounts(), {}, {}, {}, {}), 0
    for path in sorted(path for path in place.iterdir() if path.is_file()) if place.is_dir() else [place]:
        try:
            text = read_text(path, "a dump of Slurm")
        except UnreadableError:
            if path == place:
                raise
            continue  # one of many in a folder, a log perhaps
        if _CONFIGURATION.search(text):
            settings = {key.lower(): value for key, value in _SETTING.findall(text)}
            for key in sorted(_ALIKE & dumps.settings.keys() & settings.keys()):
                if settings[key].lower() != dumps.settings[key].lower():
                    raise InputError(
                        f"{path.name}: {key} = {settings[key]}, but another dump in {place} has {dumps.settings[key]}; "
                        "expected one configuration of one cluster"
                    )
            dumps.settings.update(settings)
            dumps.partitions.update(_partitions(text))
            entries = _NODE.findall(text)  # a name, then its processors
            dumps.nodes.update({name: int(count) for (name, _), (_, count) in pairwise(entries) if name and count})
        elif _QOS.match(text):
            dumps.qos.update(_priorities(text, path.name))
        elif _columns(text) and (path == place or ROOT in text):
            dumps.accounts.learn(parse_accounts(text, path.name), path.name)
        else:
            continue
        n_read += 1
    if not n_read:
        raise InputError(
            f"{place}: no dump of Slurm; expected sshare -alP, sacctmgr -P show associations, sacctmgr show assoc "
            f"tree, show qos, scontrol show config, show partition, show node or slurm.conf"
        )
    return dumps


def _priorities(text: str, where: str) -> dict[str, int]:
    """The priority of each QOS. Raises InputError for one that Slurm has no room for."""
    priorities = dict(_QOS_LINE.findall(text))
    for name, digits in priorities.items():
        if len(digits) > len(str(_LARGEST)) or int(digits) > _LARGEST:
            raise InputError(
                f"{where}: Priority of {name}: found {digits[:60]}; expected an integer from 0 to {_LARGEST:,}"
            )
    return {name: int(digits) for name, digits in priorities.items()}


def _columns(text: str) -> dict[str, int] | None:
    """Where the columns of a table of accounts stand; ``None`` for any other text, such as a job log."""
    first = next(_cells(text), [])
    names = [cell.strip().lower().replace(" ", "").replace("_", "") for cell in first]
    if {"jobid", "jobidraw", "submit"} & set(names):
        return None
    places = {
        what: next(names.index(name) for name in called if name in names)
        for what, called in _NAMES.items()
        if not set(called).isdisjoint(names)
    }
    if "account" in places and len(places) > 1:
        return places
    if len(first) == 2 and all(len(cells) == 2 for cells in _cells(text)):
        return {"account": 0, "parent": 1}
    n = len(_ASSOCIATIONS)
    if len(first) >= n and first[0].strip() and first[1].strip() == ROOT and (first[4].strip() or "1").isdecimal():
        return {"account": 1, "user": 2, "shares": 4}
    return None


def _cells(text: str) -> Iterator[list[str]]:
    """The cells of each line, with the blanks before them."""
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    ruled = len(lines) > 1 and re.fullmatch(r"\s*-+( +-+)*\s*", lines[1])
    if ruled:
        spans = [match.span() for match in re.finditer(r"-+", lines.pop(1))]
        columns = [[line[begin:end].ljust(end - begin) for line in lines] for begin, end in spans]
        flush = [all(cell[-1] != " " for cell in column if cell.strip()) for column in columns]  # no depth of a tree
        for row in zip(*columns, strict=True):
            yield [cell.strip() if right else cell.rstrip() for cell, right in zip(row, flush, strict=True)]
        return
    for line in lines:
        yield re.split(f"[{re.escape(SEPARATORS)}]", line) if not line.count("|") else line.split("|")


def parse_accounts(text: str, where: str) -> Accounts:
    """The accounts of a table. Raises InputError for a line that is none, or an account of two parents or shares."""
    at = _columns(text)
    if at is None:
        raise InputError(f"{where}: no table of accounts; expected columns Account and ParentName, RawShares or Share")
    accounts, above, header = Accounts(), list[tuple[int, str]](), max(at.values())
    for number, cells in enumerate(_cells(text), 1):
        if len(cells) <= header:
            raise InputError(f"{where}: line {number}: found {len(cells)} cells; expected an account and its columns")
        name, user = cells[at["account"]], cells[at["user"]].strip() if "user" in at else ""
        share = cells[at["shares"]].strip() if "shares" in at else ""
        if not name.strip() or (number == 1 and name.strip().lower() in _NAMES["account"]):
            continue
        if name.endswith("+"):
            raise InputError(f"{where}: line {number}: the name {name.strip()} is cut; make the dump with -P")
        depth, name = len(name) - len(name.lstrip()), name.strip()
        one = Accounts(shares={}, users={}, parents={})
        if user:
            accounts.users[name] = accounts.users.get(name, 0) + (int(share) if share.isdecimal() else 0)
            continue
        if "parent" in at and cells[at["parent"]].strip():
            one.parents[name] = cells[at["parent"]].strip()
        while above and above[-1][0] >= depth:
            above.pop()
        if above and "parent" not in at:
            one.parents[name] = above[-1][1]
        above.append((depth, name))
        if share.isdecimal():
            one.shares[name] = int(share)
        accounts.learn(one, f"{where}: line {number}")
    return accounts


def _partitions(text: str) -> dict[str, dict[str, str]]:
    """Keys of each partition; those of DEFAULT hold for the partitions after it."""
    partitions, keys, usual = dict[str, dict[str, str]](), dict[str, str](), dict[str, str]()
    for key, value in _PARTITION.findall(text):
        if key.lower() != "partitionname":
            keys[key.lower()] = value.strip('"')
        elif value.upper() == "DEFAULT":
            keys = usual
        else:
            keys = partitions[value] = dict(usual)
    return partitions


def read_parents(path: str) -> dict[str, str]:
    """The account above each, of a dump that says it. Raises InputError for a file that does not."""
    parents = read_dumps(path).accounts.parents
    if not parents:
        raise InputError(f"{path}: no account lies in another; expected sshare -alP or lines like atlas|physics")
    return parents


# --- shares -----------------------------------------------------------------------------------------------------------


def leaves_of(shares: Mapping[str, int]) -> dict[str, str]:
    """The path of each account by its name; of one with others in it, that of its own users where they have shares."""
    paths: dict[str, str] = {}
    for path in sorted(shares, key=lambda path: path.count(WITHIN)):
        paths[path.rpartition(WITHIN)[2]] = path
    return paths


def parents_of(shares: Mapping[str, int]) -> dict[str, str]:
    """The account above each, of shares by path.

    >>> parents_of({"physics": 60, "physics/atlas": 40, "life": 40})
    {'atlas': 'physics'}
    """
    pairs = (path.rpartition(WITHIN) for path in shares)
    named = {name: above.rpartition(WITHIN)[2] for above, _, name in pairs if above}
    return {name: above for name, above in named.items() if name != above}


def in_lowest_terms(shares: Mapping[str, int]) -> dict[str, int]:
    """The same proportions among those in one account, in the smallest whole numbers.

    >>> in_lowest_terms({"physics": 60, "physics/atlas": 4, "physics/cms": 2, "life": 40})
    {'physics': 3, 'physics/atlas': 2, 'physics/cms': 1, 'life': 2}
    """
    divisors: dict[str, int] = {}
    for path, share in shares.items():
        above = path.rpartition(WITHIN)[0]
        divisors[above] = math.gcd(divisors.get(above, 0), share)
    return {path: share // (divisors[path.rpartition(WITHIN)[0]] or 1) for path, share in shares.items()}


def by_machines(machines: Mapping[str, int], parents: Mapping[str, str]) -> dict[str, int]:
    """Shares by path in which an account has what those in it have together.

    >>> by_machines({"atlas": 4, "cms": 2, "bio": 3}, {"atlas": "physics", "cms": "physics"})
    {'physics': 6, 'physics/atlas': 4, 'physics/cms': 2, 'bio': 3}
    """
    names = Accounts(dict(parents), dict.fromkeys([*machines, *parents.values()], 0))
    shares: dict[str, int] = {}
    for name, count in machines.items():
        path = WITHIN.join([*names.path(name), *([name] if name in parents.values() else [])])
        for _, node in _steps(path):
            shares[node] = shares.get(node, 0) + count
    return shares


def weights_of(shares: Mapping[str, int], names: Sequence[str]) -> tuple[int, ...]:
    """What of all machines the accounts have, in whole numbers; those that are absent leave theirs to their siblings.

    Raises InputError for accounts that the tree does not know, or one whose account above has no share.
    """
    paths = leaves_of(shares)
    unknown = [name for name in names if name not in paths]
    if unknown:
        raise InputError(f"shares: no number for {join_names(unknown)}; expected one for each of {join_names(names)}")
    present: dict[str, set[str]] = {}
    for name in names:
        for above, node in _steps(paths[name]):
            if node not in shares:
                raise InputError(f"shares: no number for {node}, in which {name} lies")
            present.setdefault(above, set()).add(node)
    parts = []
    for name in names:
        part = Fraction(1)
        for above, node in _steps(paths[name]):
            level = sum(shares[sibling] for sibling in present[above])
            part *= Fraction(shares[node], level) if level else 0
        parts.append(part)
    common = math.lcm(*(part.denominator for part in parts))
    whole = [int(part * common) for part in parts]
    divisor = math.gcd(*whole) or 1
    return tuple(number // divisor for number in whole)


def _steps(path: str) -> Iterator[tuple[str, str]]:
    """Each path on the way to an account, with the path above it."""
    steps = path.split(WITHIN)
    for i in range(len(steps)):
        yield WITHIN.join(steps[:i]), WITHIN.join(steps[: i + 1])


class Standing(NamedTuple):
    """NormUsage, LevelFS (``inf``: nothing used) and FairShare of an account, as sshare prints them."""

    usage: float
    level: float
    factor: float


def standings(shares: Mapping[str, int], usage: Mapping[str, float]) -> dict[str, Standing]:
    """Where accounts stand by Fair Tree, by name, of those with a usage; statistics in floating point."""
    paths = leaves_of(shares)
    used: dict[str, float] = {}
    for name, amount in usage.items():
        for _, node in _steps(paths[name]):
            used[node] = used.get(node, 0.0) + amount
    whole, levels, inside = sum(usage.values()), dict[str, float](), dict[str, list[str]]()
    for path in shares:
        inside.setdefault(path.rpartition(WITHIN)[0], []).append(path)
    for above, paths_there in inside.items():
        total, spent = sum(shares[path] for path in paths_there), used.get(above, 0.0) if above else whole
        for path in paths_there:
            part, mine = shares[path] / total if total else 0.0, used.get(path, 0.0)
            levels[path] = 0.0 if not part else part / (mine / spent) if mine else math.inf
    factors, better = dict[str, float](), 0
    for tied in _ranked(inside[""], inside, levels, set(used)):
        factors |= dict.fromkeys(tied, (len(usage) - better) / len(usage))
        better += len(tied)
    return {
        name: Standing(amount / whole if whole else 0.0, levels[paths[name]], factors[paths[name]])
        for name, amount in usage.items()
    }


def _ranked(
    level: Iterable[str], inside: Mapping[str, list[str]], levels: Mapping[str, float], counted: set[str]
) -> Iterator[list[str]]:
    """Accounts that count, best first, those that tie together."""
    nodes = [path for path in level if path in counted]
    for value in sorted({levels[path] for path in nodes}, reverse=True):
        tied = [path for path in nodes if levels[path] == value]
        if leaves := [path for path in tied if path not in inside]:
            yield leaves
        yield from _ranked([p for path in tied for p in inside.get(path, ())], inside, levels, counted)
