"""The command line that asks what was asked from Python, a file or a page: to copy."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from pydantic.fields import FieldInfo

from ..mechanisms.kinds import kind as find_kind
from ..support.loading import load as load_reference
from .options import Options, flag_of, written

PROGRAM: Final = "consortium"


def command(kind: str, verb: str, sources: Sequence[str], options: Mapping[str, Any]) -> str:
    """A line for a shell, everything in it quoted where it has to be.

    Parameters
    ----------
    kind, verb
        Whose options they are.
    sources
        Scenarios, or a log.
    options
        Plain values by name, as a record's ``asked`` has them; those that no command line can say are left out.

    Examples
    --------
    >>> command("declaration", "curve", ["my scenario.toml"], {"agent": "ann", "low": "1/2"})
    "consortium curve 'my scenario.toml' ann --from 1/2"
    >>> command("declaration", "search", ["agmon2003/5.2.1"], {"bayesian": True, "coalitions": 2})
    'consortium search agmon2003/5.2.1 --coalitions 2 --bayesian'
    """
    model: type[Options] = load_reference(find_kind(kind).verb(verb).options)
    fields = {name: info for name, info in model.model_fields.items() if "command" in flag_of(info).doors}
    named = [word for name, info in fields.items() for word in _words(name, info, options.get(name))]
    placed = [str(options[name]) for name, info in fields.items() if flag_of(info).positional and name in options]
    return shlex.join([PROGRAM, verb, *sources, *placed, *named])


def _words(name: str, info: FieldInfo, value: Any) -> Iterator[str]:
    """One option; nothing for what is given without a name, or not given."""
    flag, label = flag_of(info), f"--{written(name, info)}"
    if flag.positional or value is None or value is False:
        return
    if not flag.metavar:
        yield label
    elif flag.metavar == "JSON":
        yield from (label, json.dumps(value, ensure_ascii=False))
    elif isinstance(value, Mapping):
        rules = flag.metavar.startswith("RULE")  # by label; else machines by name of who has them
        yield from (label, ",".join(str(item) if rules else f"{key}={item}" for key, item in value.items()))
    elif isinstance(value, list | tuple):
        yield from (label, ",".join(map(str, value)))
    else:
        yield from (label, str(value))
