r"""Scenarios as the doors read them: the options that a file expects answers to are checked with everything else.

>>> try:
...     load({"format": 1, "kind": "declaration", "expect": {"search": {"options": {"lits": 2}}}})
... except ValueError as error:
...     print(*(line.partition("; ")[0] for line in str(error).splitlines()), sep="\n")
scenario: expect.search.options.lits: found an unknown key
scenario: cluster: found nothing
scenario: agents: found nothing
scenario: mechanism: found nothing
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..mechanisms.kinds import Verb
from ..scenarios import reader
from ..scenarios.blocks import check_keys, read_block
from ..scenarios.problems import Problems
from ..scenarios.reader import Source
from ..scenarios.scenario import Scenario
from ..support.loading import load as load_reference
from ..support.numbers import Floats
from .options import Options, flag_of


def load(source: Source, overrides: Mapping[str, Any] | None = None, floats: Floats = "refuse") -> Scenario:
    """Read and check a scenario, ``[expect.VERB.options]`` included; see :func:`consortium.scenarios.reader.load`."""
    return reader.load(source, overrides, floats, options=_options)


def _options(verb: Verb, given: Mapping[str, Any], path: str, problems: Problems) -> None:
    """Note what is wrong with options that a file gives to a verb."""
    model: type[Options] = load_reference(verb.options)
    known = [name for name, info in model.model_fields.items() if "file" in flag_of(info).doors]
    check_keys(given, known, path, problems)
    read_block(model, {name: given[name] for name in known if given.get(name) is not None}, path, problems)
