"""Who looks at the cells: this process, unless others are asked for."""

from __future__ import annotations

from typing import Any, NoReturn

import pytest

from consortium.games.proofs import exploration as exploring
from consortium.games.proofs import prove
from consortium.mechanisms.declaration import build
from consortium.scheduling.clusters import Cluster


@pytest.mark.parametrize(("options", "starts"), [({}, False), ({"processes": 1}, False), ({"processes": 2}, True)])
def test_processes_are_started_only_for_those_who_ask(
    options: dict[str, int], starts: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A script that is not guarded would be run again in each of them."""

    def refuse(*_: Any) -> NoReturn:
        raise RuntimeError("a process is started")

    monkeypatch.setattr(exploring, "ALONE", 10)
    monkeypatch.setattr(exploring, "BEGUN", 5)
    monkeypatch.setattr(exploring, "executor", refuse)
    rule = build("vcg-postpone", Cluster.of([1, 2]))
    if starts:
        with pytest.raises(RuntimeError, match="a process is started"):
            prove(rule, 2, method="code", **options)
    else:
        assert prove(rule, 2, method="code", **options).holds
