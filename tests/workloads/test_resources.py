"""Trackable resources: read from dumps, weighed exactly, and said where they cannot be."""

from __future__ import annotations

import random
from decimal import Decimal
from fractions import Fraction

import pytest

from consortium.support.errors import InputError
from consortium.workloads import Log
from consortium.workloads.resources import amounts, factor, is_resource, weighed
from consortium.workloads.sacct import parse_sacct

BYTES = {"": 2**20, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}
"""A size without a suffix is one of MiB."""


def dump(*lines: tuple[str, str, str], cpus: str = "2") -> Log:
    """A dump of jobs of a minute: user, AllocTRES and ReqTRES of each."""
    head = "JobIDRaw|User|Submit|Start|Elapsed|State|AllocCPUS|AllocTRES|ReqTRES"
    moment = "2024-05-01T10:00:00"
    rows = [f"{i}|{u}|{moment}|{moment}|00:01:00|COMPLETED|{cpus}|{a}|{r}" for i, (u, a, r) in enumerate(lines, 1)]
    return parse_sacct([("\n".join([head, *rows]) + "\n").encode()], "tiny.psv")


def billed(held: dict[str, tuple[str, str]], weights: dict[str, tuple[str, str]], cpus: int) -> int:
    """The definition: amounts times weights, summed, cut to a whole number, at least 1; 0 for nothing."""
    total = Fraction(0)
    for name, (weight, per) in weights.items():
        amount, suffix = held.get(name, ("0", "")) if name in held or name != "cpu" else (str(cpus), "")
        sized = name == "mem"
        unit = Fraction(BYTES[suffix], BYTES[per]) if sized else Fraction(1)
        total += Fraction(Decimal(amount)) * Fraction(Decimal(weight)) * unit
    return 0 if total == 0 else max(1, total.numerator // total.denominator)


def check(rng: random.Random) -> None:
    jobs = []
    for _ in range(rng.randint(1, 8)):
        held = {"cpu": (str(rng.randint(1, 9)), "")} if rng.random() < 0.8 else {}
        if rng.random() < 0.6:
            held["mem"] = (rng.choice(["0", "1", "1.5", "512", "1234567"]), rng.choice(list(BYTES)))
        if rng.random() < 0.5:
            held["gres/gpu"] = (str(rng.choice([0, 1, 2, 10**18])), "")
        jobs.append(held)
    weights = {name: ("1", "") for name in ("cpu", "mem", "gres/gpu") if rng.random() < 0.6} or {"cpu": ("1", "")}
    weights = {
        name: (rng.choice(["0", "1", "0.25", "3"]), rng.choice(list(BYTES)) if name == "mem" else "")
        for name in weights
    }
    cpus = rng.randint(1, 4)
    texts = [",".join(f"{name}={amount}{suffix}" for name, (amount, suffix) in held.items()) for held in jobs]
    log = dump(*(("ann", text, "") if rng.random() < 0.5 else ("ann", "", text) for text in texts), cpus=str(cpus))
    expected = [billed(held, weights, cpus) for held in jobs]
    asked = {name: weight + per for name, (weight, per) in weights.items()}
    told = {"cpu", *(name for held in jobs for name in held)}
    if not any(jobs) and not set(asked) <= told:
        with pytest.raises(InputError, match="tells only how many processors"):
            weighed(log, asked)
    elif max(expected) >= 2**63:
        with pytest.raises(InputError, match="smaller weights"):
            weighed(log, asked)
    elif not any(expected):
        with pytest.raises(InputError, match="no job of tiny\\.psv holds anything"):
            weighed(log, asked)
    else:
        found = weighed(log, asked)
        assert found.processors.tolist() == [units for units in expected if units]
        assert found.job.tolist() == [i for i, units in enumerate(expected, 1) if units]
        assert found.report.kept == len(found)
        assert sum(entry.count for entry in found.report.skipped) == expected.count(0)


@pytest.mark.parametrize("dumps", [300, pytest.param(5_000, marks=pytest.mark.exhaustive)])
def test_billing_units_by_their_definition(dumps: int) -> None:
    rng = random.Random(11)
    for _ in range(dumps):
        check(rng)


def test_what_was_allocated_counts_before_what_was_asked_for() -> None:
    log = dump(("ann", "cpu=1", "cpu=8"), ("ann", "", "cpu=8"), ("bob", " Unknown ", ""))
    assert weighed(log, {"cpu": "1"}).processors.tolist() == [1, 8, 2]
    assert "resources not told, processors weighed instead: 1" in weighed(log, {"cpu": "1"}).report.notes


def test_what_cannot_be_read_is_left_out_and_what_nobody_has_is_said() -> None:
    log = dump(("ann", "cpu=many", ""), ("ann", "cpu=3,energy=18446744073709551614", ""), ("bob", "GRES/gpu=1", ""))
    found = weighed(log, {"cpu": "1", "gres/fpga": "9"})
    assert found.processors.tolist() == [3, 2]
    assert [(entry.reason, entry.examples) for entry in found.report.skipped] == [
        ("resources are not names with amounts", (1,))
    ]
    assert found.report.notes[-1] == "no job has gres/fpga; the log knows cpu, energy, gres/gpu"


def test_a_log_without_resources_has_processors_only() -> None:
    log = Log({"job": [1], "run": [5], "allocated": [3]}, name="old.swf", header={"MaxProcs": ("64",), "Note": ("x",)})
    found = weighed(log, {"cpu": "2"})
    assert found.processors.tolist() == [6]
    assert found.max_processors() is None, "billing units are not the header's processors"
    assert found.header == {"Note": ("x",)}
    with pytest.raises(InputError, match=r"old\.swf tells only how many processors a job has \(cpu\); found 'mem'"):
        weighed(log, {"mem": "1"})


def test_texts() -> None:
    assert amounts("cpu=4,mem=2Gn")["mem"] == 2**31  # as ReqMem wrote it, per node
    assert is_resource("gres/gpu:a100")
    assert not is_resource("gres/")
    for name, weight in (("cpu", "1G"), ("mem", "-1"), ("cpu", ""), ("cpu", "1/0"), ("mem", "1e3")):
        with pytest.raises(InputError, match=f"weight of {name}"):
            factor(name, weight)
    for text in ("cpu", "cpu=", "=3", "cpu=1,,mem=2", "cpu=-1"):
        with pytest.raises(InputError, match="expected names with amounts"):
            amounts(text)
