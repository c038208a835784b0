"""Logs, custom rules and questions that several tests of audits share."""

from __future__ import annotations

import copy
import dataclasses
from typing import Any

import numpy as np

from consortium.reports.sharing import explanation as explain
from consortium.reports.sharing import text
from consortium.verbs.options import read_options
from consortium.verbs.records import jsonable
from consortium.verbs.sharing.audit import audit, audit_switch
from consortium.verbs.sharing.audit_records import AuditedRow, AuditRecord, GamingRecord, LogRecord, SwitchRecord
from consortium.verbs.sharing.gaming import audit_gaming
from consortium.verbs.sharing.options import Audit, AuditGaming, AuditSwitch
from consortium.workloads import Log

FEW = ["ref", "fair-share", "rand:samples=3", "direct-contribution", "fifo", "recorded"]


class OldestFirst:
    """Fifo, as one's own rule."""

    def choose(self, pool: Any) -> int:
        return int(min(pool.waiting, key=lambda u: (pool.head[u], u)))


class Turns:
    """Whom it served least so far: it remembers."""

    def __init__(self) -> None:
        self.served = [0] * 14

    def choose(self, pool: Any) -> int:
        chosen = int(min(pool.waiting, key=lambda u: (self.served[u], u)))
        self.served[chosen] += 1
        return chosen


def busy_log(seed: int = 1, n: int = 150, wait: bool = True) -> Log:
    rng = np.random.default_rng(seed)
    return Log(
        {
            "job": np.arange(1, n + 1),
            "submit": np.sort(rng.integers(0, 4_000, n)),
            "wait": rng.integers(0, 60, n) if wait else np.full(n, -1),
            "run": rng.integers(1, 400, n),
            "allocated": rng.integers(1, 3, n),
            "user": rng.integers(0, 8, n),
            "group": rng.integers(0, 3, n),
        },
        name="busy.swf",
        header={"MaxProcs": ("6",)},
        labels={"group": {0: "atlas", 1: "cms", 2: "bio"}},
    )


def asked(**options: Any) -> Audit:
    return read_options(Audit, options, "audit")


def ask(**options: Any) -> AuditRecord:
    settings: dict[str, Any] = {"duration": 800, "rules": FEW, "machines": 6} | options
    if "consecutive" not in options:
        settings.setdefault("windows", 4)
    return audit(settings.pop("log", busy_log()), asked(**settings))


def ask_switch(to: Any, **options: Any) -> SwitchRecord:
    settings: dict[str, Any] = {"duration": 800, "windows": 4, "machines": 6, "to": to} | options
    log = settings.pop("log", busy_log())
    return audit_switch(log, read_options(AuditSwitch, settings, "audit_switch"))


def ask_gaming(**options: Any) -> GamingRecord:
    settings: dict[str, Any] = {"duration": 800, "windows": 4, "machines": 6} | options
    log = settings.pop("log", busy_log())
    return audit_gaming(log, read_options(AuditGaming, settings, "audit_gaming"))


def without_times(record: LogRecord | dict[str, Any]) -> dict[str, Any]:
    data = copy.deepcopy(record) if isinstance(record, dict) else record.to_dict()
    for row in data["rows"]:
        row["values"].pop("seconds")
    return data


def explanation(record: AuditRecord) -> list[str]:
    return explain.explanation(record.to_dict())


def comparison(record: AuditRecord) -> list[str]:
    return text.comparison(record.to_dict())


def assumptions(record: LogRecord) -> list[str]:
    return explain.assumptions(record.to_dict())


def sentence(row: AuditedRow) -> str:
    return explain.organization(jsonable(row))


def psi(starts: list[int], lengths: list[int], until: int) -> int:
    """Equation 3, unit part by unit part."""
    return sum(until - i for s, p in zip(starts, lengths, strict=True) if s >= 0 for i in range(s, min(s + p, until)))


def dated(log: Log | None = None) -> Log:
    """The log from Saturday, 30 October 2004, half past 23 in Paris on."""
    log = log or busy_log()
    return dataclasses.replace(
        log, header={**log.header, "UnixStartTime": ("1099171800",), "TimeZoneString": ("Europe/Paris",)}
    )
