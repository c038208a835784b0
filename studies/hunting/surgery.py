"""A scenario dict with one player or one job less, and everything that refers to them following.

Players are the tables of the kind's list (``[[agents]]``, ``[[organizations]]``, ``[[users]]``, of a kind of another
distribution every list of tables); a player's jobs are her list ``jobs``, an agent without such a list is one job.

What follows a player: tables by name (``welfare.weights``, ``domain.lengths``), lists of names (``mechanism.order``,
where her own jobs stayed of a ``placement`` that used her machines), lists with an entry per player
(:data:`PER_PLAYER`), and permutations of the players (``mechanism.orderings``). What follows a job: its host in
``placement``. Given priorities stay dense. A mention that nothing here follows (in a welfare expression) makes a
scenario that its reader refuses.

>>> data = {"organizations": [{"jobs": [1, 2]}, {"jobs": [3]}], "placement": {"O1": ["O1", "O2"]}}
>>> without_player(named(data, ["O1", "O2"]), "organizations", 1)
{'organizations': [{'jobs': [1, 2], 'name': 'O1'}], 'placement': {'O1': ['O1', 'O1']}}
>>> without_job(data, "organizations", 0, 0, "O1")["placement"]
{'O1': ['O2']}
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias

Data: TypeAlias = dict[str, Any]

PER_PLAYER: Final = (("mechanism", "thresholds"), ("mechanism", "penalty"), ("fairness", "weights"))
"""Lists with an entry for each player, in their order."""
ORDERINGS: Final = "orderings"
"""Key of ``[mechanism]`` with permutations of the players' numbers from 1."""
PLACEMENT: Final = "placement"


def players(data: Mapping[str, Any]) -> list[str]:
    """Keys of the lists of players."""
    return [
        key
        for key, value in data.items()
        if isinstance(value, list) and value and all(isinstance(item, dict) for item in value)
    ]


def jobs_of(player: Mapping[str, Any]) -> list[Any]:
    """The jobs of a player that has a list of them; else none."""
    found = player.get("jobs")
    return found if isinstance(found, list) else []


def named(data: Mapping[str, Any], names: Sequence[str]) -> Data:
    """A copy in which players have their names written, if anything but the list of players refers to one by name."""
    result = copy.deepcopy(dict(data))
    listed = players(result)
    rest = {key: value for key, value in result.items() if key not in listed}
    mentioned = set(_texts(rest))
    if len(listed) == 1 and any(name in text for text in mentioned for name in names):
        for player, name in zip(result[listed[0]], names, strict=True):
            player.setdefault("name", name)
    return result


def without_player(data: Mapping[str, Any], key: str, number: int) -> Data:
    """The scenario without the player of that number (from 0) of a list of players."""
    result = copy.deepcopy(dict(data))
    gone = result[key].pop(number)
    for block, field in PER_PLAYER:
        entries = result.get(block, {}).get(field)
        if isinstance(entries, list) and len(entries) == len(result[key]) + 1:
            entries.pop(number)
    mechanism = result.get("mechanism", {})
    if ORDERINGS in mechanism:
        orders = [[n - (n > number + 1) for n in order if n != number + 1] for order in mechanism[ORDERINGS]]
        mechanism[ORDERINGS] = [order for i, order in enumerate(orders) if order not in orders[:i]]
    _dense_priorities(result[key])
    name = gone.get("name")
    if name is None:
        return result
    hosts = result.get(PLACEMENT)
    if isinstance(hosts, dict):
        hosts.pop(name, None)
        result[PLACEMENT] = {owner: [owner if host == name else host for host in row] for owner, row in hosts.items()}
    return {block: value if block == key else _forgotten(value, name) for block, value in result.items()}


def without_job(data: Mapping[str, Any], key: str, number: int, job: int, name: str) -> Data:
    """The scenario without a job (numbers from 0) of the player of that number, who is called ``name``."""
    result = copy.deepcopy(dict(data))
    result[key][number]["jobs"].pop(job)
    hosts = result.get(PLACEMENT, {}).get(name)
    if isinstance(hosts, list):
        hosts.pop(job)
    _dense_priorities(result[key])
    return result


def _dense_priorities(listed: Sequence[Mapping[str, Any]]) -> None:
    """Make given priorities 1, 2, ... in their order."""
    tables = [job for player in listed for job in jobs_of(player) if isinstance(job, dict) and "priority" in job]
    if not all(isinstance(job["priority"], int) for job in tables):
        return
    ranks = {priority: i + 1 for i, priority in enumerate(sorted({job["priority"] for job in tables}))}
    for job in tables:
        job["priority"] = ranks[job["priority"]]


def _forgotten(value: Any, name: str) -> Any:
    """A block without the table entries and the items of lists that are this name."""
    if isinstance(value, dict):
        return {key: _forgotten(item, name) for key, item in value.items() if key != name}
    if isinstance(value, list):
        return [_forgotten(item, name) for item in value if item != name]
    return value


def _texts(value: Any) -> Iterator[str]:
    """Every key and text inside a value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield str(key)
            yield from _texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)
