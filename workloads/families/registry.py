"""The families of all kinds by name, and scenarios filled by them.

Families of other distributions are entry points of the group ``consortium.families``, named ``kind/name``, whose object
is a :class:`~.base.Family`; they are looked up only when a kind or a name is not one of ours, or when all are listed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from ...support.errors import InputError, unknown_name
from ...support.loading import extension, extensions, usable
from . import declaration, federation, multiuser, sharing
from .base import NOTHING, Draw, Family, Members

GROUP: Final = "consortium.families"

FAMILIES: Final[tuple[Family, ...]] = (
    *declaration.FAMILIES,
    *federation.FAMILIES,
    *sharing.FAMILIES,
    *multiuser.FAMILIES,
)

OF_ONE: Final = frozenset({"title", "source", "expect"})
"""Keys of a base that are about its own numbers, not about those that a family fills in."""


def families(kind: str | None = None) -> tuple[Family, ...]:
    """All random families, or those that fill scenarios of a kind.

    Raises UnknownNameError for a kind that has none, with the nearest that has.

    >>> [family.name for family in families("multiuser")]
    ['uniform-jobs', 'log-normal-jobs', 'zipf-lengths', 'bimodal-jobs', 'log-jobs', 'longest-jobs']
    """
    every = (*FAMILIES, *usable(extensions(GROUP), _foreign).values())
    chosen = tuple(one for one in every if kind is None or (isinstance(kind, str) and one.kind == kind))
    if not chosen:
        raise unknown_name("kind of random families", str(kind), {one.kind for one in every})
    return chosen


def _foreign(name: str) -> Family:
    one = extension(GROUP, name)
    if not isinstance(one, Family) or f"{one.kind}/{one.name}" != name:
        raise InputError(f"{GROUP}: {name!r} stands for {one!r}; expected a Family of that kind and name")
    return one


def family(kind: str, name: str) -> Family:
    """The family of that name that fills scenarios of a kind.

    Raises UnknownNameError for another kind or name, with the nearest one.

    >>> family("federation", "zipf-jobs").source
    'Cordeiro 2012, section 3.5'
    """
    for one in FAMILIES:
        if (one.kind, one.name) == (kind, name):
            return one
    if f"{kind}/{name}" in extensions(GROUP):
        return _foreign(f"{kind}/{name}")
    choices = {one.name: one for one in families(kind)}
    if name not in choices:
        raise unknown_name(f"family of kind {kind!r}", str(name), choices)
    return choices[name]


def filling(base: Mapping[str, Any], name: str, values: Mapping[str, Any] = NOTHING, folder: str | None = None) -> Draw:
    """Scenarios like a base, their agents, organizations or users drawn by a family.

    Parameters
    ----------
    base
        A scenario as a dict; what the family fills may be missing. Its title, source and expected values are about the
        numbers that it had, and are left out; all other keys stay, shared by all instances.
    name, values
        The family, looked up under the base's kind, and its parameters.
    folder
        Where a log that the parameters name is looked up first.

    Returns
    -------
    draw
        From a generator to a scenario dict; the parameters are checked and prepared once, here.

    Raises
    ------
    UnknownNameError
        For a kind, family or parameter that there is not.
    InputError
        For a base without kind, or a parameter that is not accepted.
    """
    one, kept = _looked_up(base, name)
    draw = one.prepared(one.parameters.placed(values, folder), base)
    return lambda rng: {**kept, **draw(rng)}


def listing(base: Mapping[str, Any], name: str, values: Mapping[str, Any] = NOTHING) -> Members:
    """The same of a family whose members can be counted: all scenarios, in its order.

    Raises InputError for a family that only draws, else what :func:`filling` raises.
    """
    one, kept = _looked_up(base, name)
    members = one.members(values, base)
    return Members(members.count, lambda number: {**kept, **members.member(number)})


def _looked_up(base: Mapping[str, Any], name: str) -> tuple[Family, dict[str, Any]]:
    """The family, and what of the base all its scenarios share."""
    if not isinstance(base.get("kind"), str):
        raise InputError("family: found a base scenario without kind; expected kind = one of those that have families")
    return family(base["kind"], name), {key: value for key, value in base.items() if key not in OF_ONE}


def filled(base: Mapping[str, Any], name: str, values: Mapping[str, Any], rng: np.random.Generator) -> dict[str, Any]:
    """One scenario of :func:`filling`."""
    return filling(base, name, values)(rng)
