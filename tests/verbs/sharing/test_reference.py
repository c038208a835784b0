"""An audit of more organizations than REF takes, and of accounts within accounts."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from consortium.mechanisms.sharing.orderings import structure
from consortium.mechanisms.sharing.sampled import Sample
from consortium.reports.sentences import sentences_of
from consortium.support.errors import ConsortiumError, InputError
from consortium.verbs.sharing import estimate
from consortium.verbs.sharing.audit import audit
from consortium.verbs.sharing.audit_records import AuditRecord
from consortium.verbs.sharing.summary import reference_row
from consortium.workloads import Log, write_swf
from consortium.workloads.slurm import read_parents

from .logs import asked, assumptions, busy_log

FEW = {"windows": 1, "rules": ["fifo"], "rule": "fifo", "duration": 800, "samples": 40}


def many(k: int = 16, n: int = 40) -> Log:
    """The busy log with so many groups."""
    rng = np.random.default_rng(4)
    log = busy_log(n=n)
    columns = {name: log.column(name) for name in ("job", "submit", "wait", "run", "allocated", "user")}
    columns["group"] = np.concatenate([np.arange(k), rng.integers(0, k, n - k)])
    header = {"MaxProcs": (str(max(k, 6)),)}
    return Log(columns, name="many.swf", header=header, labels={"group": {u: f"g{u}" for u in range(k)}})


def ask(log: Log, **options: Any) -> AuditRecord:
    return audit(log, asked(**{**FEW, "organizations": "group", **options}))


def test_more_than_ref_takes_are_sampled_and_it_is_said() -> None:
    record = ask(many(), limit=16)
    assert len(record.organizations) == 16
    row = record.reference
    assert row is not None
    assert (row.orderings, row.confidence, row.unions) == (40, Fraction(19, 20), ())
    assert row.schedules > 100
    assert 0 < row.sampling.value < 1
    told = [line for line in assumptions(record) if "were sampled" in line]
    assert len(told) == 1
    assert "Contributions of 16 organizations were sampled, 40 orderings a window" in told[0]
    assert record.to_dict()["reference"]["confidence"] == "19/20"


def test_few_are_not_sampled_unless_asked_for() -> None:
    exact = ask(busy_log(), samples=None, windows=2, machines=8)
    assert exact.reference is None
    assert "reference" not in exact.to_dict()
    drawn = ask(busy_log(), against="sampled", samples=None, windows=2, machines=8)
    assert drawn.reference is not None
    pairs = list(zip(exact.organizations, drawn.organizations, strict=True))
    off = float(sum(abs(one.contribution - other.contribution) for one, other in pairs))
    stated = drawn.reference.sampling.value + drawn.reference.order.value
    assert 0 < off <= stated * float(sum(one.contribution for one, _ in pairs))
    for record, sampled in ((exact, False), (drawn, True)):
        (nearest,) = (line.text for line in sentences_of(record.to_dict()) if line.text.startswith("Of the rules, "))
        assert (", as orderings drawn at random show it. Lost and gained is time" in nearest) is sampled
    assert "ref" not in [row.rule for row in ask(busy_log(), rules=None).rows]
    assert "ref" in [row.rule for row in ask(busy_log(), rules=["fifo", "ref"]).rows]


def test_the_seed_decides_and_windows_can_be_kept(tmp_path: Path) -> None:
    store = str(tmp_path / "kept.db")
    first = ask(many(), limit=16, store=store)
    again = ask(many(), limit=16, store=store)
    assert again.rows == first.rows
    assert again.reference == first.reference
    assert ask(many(), limit=16, seed=1).reference != first.reference
    with pytest.raises(InputError, match="sample"):
        ask(many(), limit=16, store=store, samples=400)


def test_a_window_can_be_followed_against_the_sample() -> None:
    record = ask(many(), limit=16, series=True)
    assert record.series is not None
    last = {name: values[-1].value for name, values in record.series.balance.items()}
    for row in record.organizations:
        assert last[row.name] == pytest.approx(float(row.utility - row.contribution))


@pytest.mark.parametrize("epsilon", [1, Fraction(1, 2)])
def test_bounds_of_the_error_up_to_one_are_taken(epsilon: Fraction) -> None:
    row = ask(many(3), samples=None, epsilon=epsilon, limit=3, against="sampled").reference
    assert row is not None
    assert row.sampling.value <= epsilon


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"against": "ref", "samples": None, "limit": 16}, "16 organizations; at most 14.*against = 'sampled'"),
        ({"against": "ref"}, "samples: cannot be combined with against = 'ref', .*; leave out one of the two"),
        ({"epsilon": Fraction(1, 10)}, "samples: cannot be combined with epsilon"),
        ({"samples": None, "epsilon": 0}, "epsilon: found 0"),
        ({"samples": None, "epsilon": 2}, "epsilon: found 2; expected a number above 0 and at most 1"),
        ({"confidence": 1}, "confidence: found 1; expected"),
        ({"limit": 19, "rules": ["fifo", "ref"], "log": many(19)}, "limit is 18"),
        ({"samples": 10**7}, "samples"),
    ],
)
def test_what_cannot_be_is_refused(options: dict[str, Any], said: str) -> None:
    with pytest.raises(ConsortiumError, match=said):
        ask(options.pop("log", many()), **options)


def test_accounts_of_one_parent_keep_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parents = tmp_path / "tree.psv"
    parents.write_text("Account|Par Name\natlas|physics\ncms|physics\nphysics|root\nbio|root\nroot|\n")
    monkeypatch.setattr("consortium.verbs.options.unwritable", lambda path, **_: "for reading")  # nothing is written
    record = ask(busy_log(), parents=str(parents))
    assert record.reference is not None
    assert record.reference.unions in ((("atlas", "cms"),), (("cms", "atlas"),))
    assert any("keep together when contributions are counted (Owen's value)" in line for line in assumptions(record))


def test_trees_are_read() -> None:
    names = ["atlas", "cms", "physics", "bio", "others"]
    parents = {"atlas": "physics", "cms": "physics", "physics": "science", "bio": "science", "science": "root"}
    assert structure(names, parents) == (((0, 1, 2), 3), 4)
    assert structure(["a", "b", "c", "d"], {"a": "x", "b": "y", "c": "x", "d": "y"}) == ((0, 2), (1, 3))
    with pytest.raises(InputError, match="none that several, but not all, of atlas, cms have in common"):
        structure(names[:2], parents)
    with pytest.raises(InputError, match=r"found those of atlas, .*, science; expected some of group 1, group 2$"):
        structure(["group 1", "group 2"], parents)
    with pytest.raises(InputError, match="is above itself"):
        structure(["a", "b"], {"a": "x", "x": "a"})


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("atlas|physics\ncms|physics\n", {"atlas": "physics", "cms": "physics"}),
        ("Cluster,ParentName,Account\nc,physics,atlas\nc,,x\n", {"atlas": "physics"}),
        ("# a comment\n\natlas;physics\natlas;physics\n", {"atlas": "physics"}),
    ],
)
def test_files_of_parents_are_read(tmp_path: Path, text: str, found: dict[str, str]) -> None:
    file = tmp_path / "parents"
    file.write_text(text)
    assert read_parents(str(file)) == found


@pytest.mark.parametrize(("text", "said"), [("atlas\n", "no dump of Slurm"), ("a|b\na|c\n", "parents b and c")])
def test_bad_files_of_parents_are_refused(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "parents"
    file.write_text(text)
    with pytest.raises(InputError, match=said):
        read_parents(str(file))
    with pytest.raises(InputError, match="found No such file or directory"):
        read_parents(str(tmp_path / "nowhere"))


def test_a_dry_run_counts_the_schedules_of_coalitions(tmp_path: Path) -> None:
    write_swf(many(), tmp_path / "many.swf")
    few, more = (
        estimate.audit(tmp_path / "many.swf", asked(**{**FEW, "organizations": "group", "limit": 16, "samples": n}))
        for n in (40, 4000)
    )
    assert more.seconds > few.seconds
    assert more.memory_bytes > few.memory_bytes


def test_windows_with_nothing_to_share_say_nothing() -> None:
    assert reference_row([], Sample(), []) is None
