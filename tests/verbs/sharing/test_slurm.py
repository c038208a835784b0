"""``--slurm``, ``--shares`` and ``--parents``: what Slurm's own dumps say, as values in the record."""

from __future__ import annotations

import shutil
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import consortium
from consortium.support.errors import InputError, UnknownNameError
from consortium.verbs.options import read_options
from consortium.verbs.request import command
from consortium.verbs.sharing.model import instance_of
from consortium.verbs.sharing.options import Audit, AuditGaming, AuditSwitch
from consortium.verbs.sharing.windows import work_digest
from consortium.workloads import Log, Plan, by_column, cut, read_log
from consortium.workloads.swf import write_swf

from .logs import assumptions, busy_log

DUMPS = Path(__file__).parents[2] / "slurm" / "dumps" / "3"
TREE = {"life": 40, "life/bio": 30, "life/chem": 10, "physics": 60, "physics/atlas": 40, "physics/cms": 20}
RULE = "multifactor:age=10:fairshare=100000:max_age=86400s:decay=120s"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Dumps of one moment, without the root's own user."""
    tmp_path = tmp_path / "dumps"
    tmp_path.mkdir()
    for name in ("config.txt", "partitions.txt", "parents.psv"):
        shutil.copy(DUMPS / name, tmp_path / name)
    (tmp_path / "slurm.conf").write_text("SchedulerType=sched/backfill\n")
    lines = (DUMPS / "sshare.psv").read_text().splitlines(keepends=True)
    (tmp_path / "sshare.psv").write_text("".join(line for line in lines if "root|root" not in line))
    return tmp_path


def accounts_log(names: str = "atlas cms bio chem", n: int = 120) -> Log:
    rng, called = np.random.default_rng(3), names.split()
    return Log(
        {
            "job": np.arange(1, n + 1),
            "submit": np.sort(rng.integers(0, 3_000, n)),
            "wait": rng.integers(0, 60, n),
            "run": rng.integers(1, 300, n),
            "allocated": rng.integers(1, 3, n),
            "user": rng.integers(0, 8, n),
            "account": np.arange(n) % len(called),
            "partition": rng.integers(0, 2, n),
            "resources": np.zeros(n),
        },
        name="jobs.psv",
        labels={
            "account": dict(enumerate(called)),
            "partition": {0: "cpu", 1: "gpu"},
            "resources": {0: "billing=3,cpu=2,mem=1G"},
        },
    )


def dump(path: Path, names: str = "atlas cms bio chem") -> str:
    """The log as sacct would print it."""
    log = accounts_log(names)
    lines = ["JobIDRaw|Account|Partition|Submit|Start|Elapsed|State|AllocCPUS|AllocTRES"]
    for i in range(len(log)):
        submit = datetime(2026, 11, 1) + timedelta(seconds=int(log.submit[i]))
        start = submit + timedelta(seconds=int(log.column("wait")[i]))
        owner, partition = (log.label(name, int(log.column(name)[i])) for name in ("account", "partition"))
        cells = (i + 1, owner, partition, submit.isoformat(), start.isoformat(), timedelta(seconds=int(log.run[i])))
        lines.append("|".join(map(str, cells)) + f"|COMPLETED|{log.processors[i]}|billing=3,cpu=2,mem=1G")
    (path / "jobs.psv").write_text("\n".join(lines) + "\n")
    return str(path / "jobs.psv")


def test_a_folder_says_five_options(folder: Path) -> None:
    options = read_options(Audit, {"slurm": str(folder)}, "audit")
    assert options.shares == TREE
    assert options.parents == {"atlas": "physics", "cms": "physics", "bio": "life", "chem": "life"}
    assert options.weights == {"cpu": "1.0", "mem": "0.5G", "gres/gpu": "4.0"}
    assert (options.decay, options.rules, options.rule) == (120, {RULE: RULE}, None)
    given = {"slurm": str(folder), "shares": "equal", "parents": {"atlas": "x", "cms": "x"}, "decay": "7d"}
    beside = read_options(Audit, {**given, "weights": {"cpu": 1}, "rules": ["fifo"]}, "audit")
    assert (beside.shares, beside.decay, beside.rules) == ("equal", 7 * 86_400, {"fifo": "fifo"})
    assert (beside.weights, beside.parents) == ({"cpu": "1"}, {"atlas": "x", "cms": "x"})
    assert read_options(AuditGaming, {"slurm": str(folder)}, "audit_gaming").rule == f"{RULE}:parallel=easy"
    switch = read_options(AuditSwitch, {"slurm": str(folder), "to": "fifo"}, "audit_switch")
    assert (switch.rule, switch.rules) == (RULE, None)


@pytest.mark.parametrize(
    ("lines", "rule", "weights"),
    [
        ("PriorityType=priority/basic", "fifo", None),
        ("PriorityType=priority/multifactor\nPriorityWeightQOS=3\nPriorityWeightAge=1\nPriorityMaxAge=0", None, None),
        ("PartitionName=a TRESBillingWeights=CPU=1\nPartitionName=b TRESBillingWeights=CPU=2", None, {"billing": "1"}),
        ("PriorityFlags=MAX_TRES\nPartitionName=a TRESBillingWeights=CPU=1", None, {"billing": "1"}),
        ("PriorityType=priority/multifactor\nPriorityDecayHalfLife=14-0", "multifactor:decay=1209600s", None),
    ],
)
def test_how_priorities_are_made(lines: str, rule: str | None, weights: Any, tmp_path: Path) -> None:
    (tmp_path / "slurm.conf").write_text(lines + "\n")
    options = read_options(Audit, {"slurm": str(tmp_path)}, "audit")
    expected = "multifactor:age=1:max_age=1s" if "QOS" in lines else rule
    assert options.rules == (None if expected is None else {expected: expected})
    assert (options.weights, options.shares, options.parents) == (weights, None, None)


def test_machines_and_backfilling_are_read_and_told(folder: Path) -> None:
    """Machines where jobs count as processors; the settings that no option says, in the record and its command."""
    with open(folder / "config.txt", "a") as config:
        config.write("PriorityFlags=NO_FAIR_TREE\nPriorityWeightQOS=7\n")
    options = read_options(Audit, {"slurm": str(folder)}, "audit")
    assert (options.machines, options.parallel) == (None, "easy")  # several resources are weighed
    beside = read_options(Audit, {"slurm": str(folder), "weights": {"cpu": 2}, "parallel": "rigid"}, "audit")
    assert (beside.machines, beside.parallel) == (16, "rigid")
    log = dump(folder.parent)
    record = consortium.audit(log, slurm=str(folder), weights={"cpu": 1}, windows=1, duration=800, samples=32)
    data = record.to_dict()
    told = {"SchedulerType": "sched/backfill", "PriorityWeightQOS": "7", "PriorityFlags": "NO_FAIR_TREE", "CPUs": "8"}
    told |= {"PriorityType": "priority/multifactor", "RawShares": "6", "ParentName": "4"}
    told |= {"PriorityWeightAge": "10", "PriorityWeightFairshare": "100000", "PriorityMaxAge": "1-00:00:00"}
    told["PriorityDecayHalfLife"] = "00:02:00"  # and no TRESBillingWeights, which an option gave
    assert data["plan"]["slurm"] == data["request"]["options"]["slurm"] == told
    assert not any("were read as weights" in line for line in assumptions(record))
    assert "RawShares of 6 accounts, ParentName of 4 accounts" in str(record)
    assert (sum(data["plan"]["shares"]), data["plan"]["parallel"]) == (8, "easy")
    assert "SchedulerType=sched/backfill (parallel easy), PriorityWeightQOS=7" in str(record)
    assert "What a QOS is worth moves no job here: PriorityWeightQOS=7 counted 0" in str(record)
    assert "although PriorityFlags says NO_FAIR_TREE" in str(record)
    words = command("sharing", "audit", ["jobs.psv"], data["request"]["options"])
    assert "--slurm PriorityType=priority/multifactor,SchedulerType=sched/backfill" in words
    again = consortium.audit(log, **data["request"]["options"])
    assert (again.plan, again.organizations) == (record.plan, record.organizations)


@pytest.mark.parametrize(("priority", "counts"), [(0, False), (50, True)])
def test_priorities_of_qos_matter_where_they_differ(priority: int, counts: bool, folder: Path) -> None:
    """Then the rule weighs them; the record holds them, and asks the same again without the dumps."""
    with open(folder / "config.txt", "a") as config:
        config.write("PriorityWeightQOS=7\n")
    (folder / "qos.psv").write_text(
        f"Name|Priority|GraceTime|Preempt\nnormal|0|00:00:00|\nurgent|{priority}|00:00:00|\n"
    )
    options = read_options(Audit, {"slurm": str(folder)}, "audit")
    assert options.qos == ({"normal": 0, "urgent": 50} if counts else None)
    assert list(options.rules or ()) == [RULE.replace(":max_age", ":qos=7:max_age") if counts else RULE]
    log = with_qos(dump(folder.parent), ["normal", "urgent", "deleted", ""])
    record = consortium.audit(log, slurm=str(folder), windows=1, duration=400, samples=32, parallel="copies")
    told = "A QOS counts by its priority, over the largest: normal=0, urgent=50; any other counts 0"
    assert (told in assumptions(record)) is counts
    assert not any("moves no job here" in line for line in assumptions(record))
    assert record.plan.qos == options.qos
    shutil.rmtree(folder)
    asked = record.to_dict()["request"]["options"]
    again = consortium.audit(log, **asked)
    assert (again.plan, again.organizations) == (record.plan, record.organizations)
    rows = consortium.check(record.to_dict())
    assert rows
    assert not [row for _, _, row in rows if row.holds is not True and row.note != "a measured time"]


def with_qos(dump: str, names: list[str]) -> str:
    """The dump with a column QOS, whose values take turns."""
    lines = Path(dump).read_text().splitlines()
    cells = ["QOS", *(names[i % len(names)] for i in range(len(lines) - 1))]
    Path(dump).write_text("".join(f"{line}|{cell}\n" for line, cell in zip(lines, cells, strict=True)))
    return dump


@pytest.mark.parametrize("busy", [False, True])
@pytest.mark.parametrize("whole", [False, True])
def test_the_priority_of_every_job_of_a_window(busy: bool, whole: bool, tmp_path: Path) -> None:
    log, qos = read_log(Path(with_qos(dump(tmp_path), ["b", "a", "c", "", "b"]))), {"a": 9, "b": 4, "none": 99}
    work = cut(log, by_column(log, "account"), (2, 1, 1, 1), 1_500, Plan(500, busy=busy, whole=whole, qos=qos))
    assert work.job is not None
    named = {job: ["b", "a", "c", "", "b"][(job - 1) % 5] for job in work.job.tolist()}
    instance = instance_of(work)
    assert work.qos is not None
    assert work.qos.tolist() == [qos.get(named[job], 0) for job in work.job.tolist()]
    assert instance.qos is not None
    assert instance.qos.tolist() == work.qos[work.order].tolist()
    assert work_digest(work) != work_digest(replace(work, qos=None))


def test_what_urgent_jobs_gain(tmp_path: Path) -> None:
    """Two of one machine wait for it: the urgent one is first, whoever submitted before; a QOS given by hand."""
    lines = ["JobIDRaw|Account|QOS|Submit|Start|Elapsed|State|AllocCPUS"]
    for job, (account, qos, second) in enumerate(
        [("a", "normal", 0), ("a", "normal", 1), ("b", "urgent", 2), ("b", "x", 3)]
    ):
        start = timedelta(seconds=20 * job + 3)
        lines.append(f"{job}|{account}|{qos}|1970-01-01T00:00:0{second}|1970-01-01T0{start}|20|COMPLETED|1")
    (tmp_path / "few.psv").write_text("\n".join(lines) + "\n")
    asked = {"shares": [1, 0], "start": 0, "duration": 70, "rules": ["fifo", "multifactor:qos=10"]}
    urgent = consortium.audit(str(tmp_path / "few.psv"), qos={"urgent": 3, "normal": 1}, **asked)
    unknown = consortium.audit(str(tmp_path / "few.psv"), **asked)
    parts = {
        label: {(row.rule, row.name): row.utility for row in record.organizations}
        for label, record in (("urgent", urgent), ("unknown", unknown))
    }
    assert parts["unknown"]["multifactor:qos=10", "b"] == parts["unknown"]["fifo", "b"]
    assert parts["urgent"]["multifactor:qos=10", "b"] > parts["urgent"]["fifo", "b"]
    assert any("Nothing says the priorities of QOS, so each counts 0" in line for line in assumptions(unknown))
    for qos in ({"urgent": -1}, {"normal": 0, "urgent": 2**32}):
        text = f"from 0 to 4,294,967,295, like urgent=10,normal=0; priority of urgent: found {qos['urgent']}$"
        with pytest.raises(InputError, match=text):
            consortium.audit(str(tmp_path / "few.psv"), qos=qos, **asked)


@pytest.mark.parametrize("priority", [str(2**32), "9" * 5_000])
def test_a_priority_that_slurm_has_no_room_for_is_refused_by_the_name_of_the_file(priority: str, folder: Path) -> None:
    (folder / "qos.psv").write_text(f"Name|Priority|GraceTime|\nnormal|4294967295|00:00:00|\nurgent|{priority}|0|\n")
    with pytest.raises(InputError, match=f"^qos.psv: Priority of urgent: found {priority[:60]}; expected an integer"):
        read_options(Audit, {"slurm": str(folder)}, "audit")


def test_the_rule_of_the_dumps_has_a_name(folder: Path) -> None:
    options = read_options(Audit, {"slurm": str(folder), "rules": ["fifo", "slurm"], "rule": "slurm"}, "audit")
    assert (options.rules, options.rule) == ({"fifo": "fifo", RULE: RULE}, RULE)
    gaming = read_options(AuditGaming, {"slurm": str(folder), "rule": "slurm"}, "audit_gaming")
    assert gaming.rule == f"{RULE}:parallel=easy"
    with pytest.raises(InputError, match="to: slurm is the rule that the dumps of a folder make; expected"):
        read_options(AuditSwitch, {"to": "slurm", "rule": "fifo"}, "audit_switch")


def test_shares_in_the_same_proportions_are_one_question(tmp_path: Path) -> None:
    asked: dict[str, Any] = {"machines": 8, "windows": 1, "duration": 400, "rules": ["fifo"], "store": tmp_path / "s"}
    log = dump(tmp_path)
    for shares in ({"atlas": 1, "cms": 1, "bio": 2, "chem": 4}, {"atlas": 3, "cms": 3, "bio": 6, "chem": 12}):
        consortium.audit(log, shares=shares, **asked)
    with pytest.raises(InputError, match="belongs to another question"):
        consortium.audit(log, shares={"atlas": 1, "cms": 1, "bio": 1, "chem": 1}, **asked)


def test_the_record_holds_values_and_proves_itself_without_the_dumps(folder: Path) -> None:
    log = dump(folder.parent)
    record = consortium.audit(log, slurm=str(folder), machines=20, windows=2, duration=800, samples=32)
    data = record.to_dict()
    assert data["plan"]["accounts"] == TREE
    assert data["plan"]["parents"] == {"atlas": "physics", "cms": "physics", "bio": "life", "chem": "life"}
    assert data["plan"]["weights"] == "cpu=1.0,mem=0.5G,gres/gpu=4.0"
    assert [row["rule"] for row in data["rows"]] == ["recorded", RULE]
    assert (data["rule"], data["decay"]) == ("recorded", 120)
    owned = {row["name"]: row["machines"] for row in data["organizations"]}
    assert owned == {"atlas": 8, "cms": 4, "bio": 6, "chem": 2}
    options = data["request"]["options"]
    words = command("sharing", "audit", ["jobs.psv"], options)
    assert "--shares life=40,life/bio=30" in words
    assert "--parents bio=life,chem=life,atlas=physics,cms=physics" in words
    shutil.rmtree(folder)
    again = consortium.audit(log, **options)
    assert again.rows[1].values["to_others"] == record.rows[1].values["to_others"]
    assert again.organizations == record.organizations


def test_levels_are_among_siblings(folder: Path, tmp_path: Path) -> None:
    record = consortium.audit(
        dump(tmp_path), shares=str(folder / "sshare.psv"), windows=1, duration=2_000, rules=["fifo"]
    )
    rows = {row.name: row for row in record.organizations if row.rule == "recorded"}
    used = {name: row.parts for name, row in rows.items()}
    physics = used["atlas"] + used["cms"]
    assert rows["atlas"].level.value == pytest.approx((40 / 60) / (used["atlas"] / physics))
    assert rows["bio"].level.value == pytest.approx((30 / 40) / (used["bio"] / (used["bio"] + used["chem"])))
    assert sorted(row.fair_tree.value for row in rows.values()) == [0.25, 0.5, 0.75, 1.0]
    flat = consortium.audit(dump(tmp_path), shares="equal", windows=1, duration=2_000, rules=["fifo"])
    assert {row.fair_tree for row in flat.organizations} == {None}
    by_parents = consortium.audit(
        dump(tmp_path),
        shares=[4, 2, 3, 1],
        parents={"atlas": "physics", "cms": "physics"},
        windows=1,
        duration=2_000,
        rules=["fifo"],
    )
    named = {row.name: row for row in by_parents.organizations if row.rule == "recorded"}
    owned = {name: row.machines.value for name, row in named.items()}
    part = owned["atlas"] / (owned["atlas"] + owned["cms"])
    assert named["atlas"].level.value == pytest.approx(part / (used["atlas"] / physics))


def test_accounts_may_be_absent_and_unknown_ones_are_named(folder: Path, tmp_path: Path) -> None:
    options = {"shares": str(folder / "sshare.psv"), "windows": 1, "duration": 1_000, "rules": ["fifo"], "machines": 90}
    (empty := folder / "empty").mkdir()
    few = consortium.audit(dump(tmp_path, "atlas bio"), **options)
    assert {row.name: row.machines.value for row in few.organizations} == {"atlas": 54, "bio": 36}
    with pytest.raises(InputError, match="shares: no number for geo, law; expected one for each of"):
        consortium.audit(dump(tmp_path, "atlas geo law"), **options)
    with pytest.raises(InputError, match="in which account does life lie"):
        consortium.audit(dump(tmp_path), shares=str(DUMPS / "associations.psv"))
    both = {"shares": str(DUMPS / "associations.psv"), "parents": str(DUMPS / "parents.psv")}
    assert read_options(Audit, both, "audit").shares == {"root": 1, **TREE}
    with pytest.raises(InputError, match="no dump of Slurm"):
        consortium.audit(dump(tmp_path), slurm=str(empty))


def test_contributions_within_accounts_are_sampled_and_the_error_says_so(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="against: found 'ref', which samples nothing; expected auto or sampled"):
        consortium.audit(dump(tmp_path), slurm=str(folder), against="ref", duration=800)


def test_a_store_does_not_ask_who_has_most_work(folder: Path, tmp_path: Path) -> None:
    """Night after night with the same dumps: unions and shares are kept by name."""
    parts = {"atlas cms bio chem": {"since": 0, "until": 1_400}, "chem bio atlas cms": {"since": 1_500}}
    asked: dict[str, Any] = {"slurm": str(folder), "rules": ["fifo"], "rule": "fifo", "duration": 800, "windows": 1}
    orders, store = set(), tmp_path / "s"
    for names, part in parts.items():
        record = consortium.audit(dump(tmp_path, names), store=store, **asked, **part)
        assert record.reference is not None
        orders.add(tuple(row.name for row in record.organizations))
    assert len(orders) == 2
    assert len(consortium.audit_trend(store, rule="fifo", every="window").rows) == 2


def test_a_tree_with_others(folder: Path, tmp_path: Path) -> None:
    record = consortium.audit(
        dump(tmp_path),
        shares=str(folder / "sshare.psv"),
        limit=3,
        machines=100,
        windows=1,
        duration=1_000,
        rules=["fair-tree"],
    )
    machines = dict(zip(("a", "b", "others"), record.windows[0].machines, strict=True))
    assert sum(machines.values()) == 100
    assert record.organizations[0].fair_tree is not None


def test_one_partition(tmp_path: Path) -> None:
    write_swf(busy_log(), tmp_path / "busy.swf")
    record = consortium.audit(dump(tmp_path), partition="gpu", windows=1, duration=2_000, rules=["fifo"])
    jobs = int((accounts_log().column("partition") == 1).sum())
    assert record.log.report["kept"] == jobs
    assert any(f"only the jobs of the partition gpu: {jobs} of 120" in note for note in record.log.report["notes"])
    assert record.plan.partition == "gpu"
    with pytest.raises(UnknownNameError, match=r"partition: .gpus. is not known.*Did you mean 'gpu'"):
        consortium.audit(dump(tmp_path), partition="gpus")
    with pytest.raises(InputError, match="does not say the partition"):
        consortium.audit(str(tmp_path / "busy.swf"), partition="gpu")


@pytest.mark.parametrize("half_life", [60, 604_800])
def test_what_was_used_before_a_window(half_life: int) -> None:
    """Second by second, each weighed as it counts in the first second of the window."""
    log = accounts_log()
    for busy in (False, True):
        work = cut(log, by_column(log, "account"), (1, 1, 1, 1), 1_500, Plan(500, busy=busy, half_lives=(half_life,)))
        zero = int(log.submit.min()) + 1_500 - busy
        expected = dict.fromkeys(work.names, 0.0)
        for i in range(len(log)):
            start = int(log.submit[i] + log.column("wait")[i])
            name = log.label("account", int(log.column("account")[i]))
            for second in range(start, min(start + int(log.run[i]), zero)):
                expected[name] += log.processors[i] * 2.0 ** ((second - zero) / half_life)
        assert work.used_before == {half_life: tuple(round(expected[name]) for name in work.names)}


def test_seven_days_or_fourteen(tmp_path: Path) -> None:
    """A window of half an hour tells half-lives of days apart, by what was used before it."""
    jobs = [(0, 90_000, 2, 0), (200_000, 60_000, 2, 1), (300_000, 50, 1, 2), (300_000, 40, 1, 2)]
    jobs += [(300_001 + i % 2, 30, 1, i % 2) for i in range(40)]
    submit, run, allocated, group = zip(*jobs, strict=True)
    log = Log(
        {
            "job": range(len(jobs)),
            "submit": submit,
            "wait": [0] * len(jobs),
            "run": run,
            "allocated": allocated,
            "group": group,
        },
        header={"MaxProcs": ("2",)},
        name="weeks.swf",
    )
    write_swf(log, tmp_path / "weeks.swf")
    record = consortium.audit_switch(
        str(tmp_path / "weeks.swf"),
        rule="fair-share",
        to=["fair-share:decay=1d", "fair-share:decay=1000d"],
        start=299_990,
        duration=1_800,
        shares=[1, 1, 0],
    )
    received = {
        label: [row.utility for row in record.organizations if row.rule == label]
        for label in ("fair-share", "fair-share:decay=1d", "fair-share:decay=1000d")
    }
    assert received["fair-share:decay=1d"] != received["fair-share:decay=1000d"]


def test_jobs_of_a_qos_in_a_file() -> None:
    """By hand: at 4 the first of b is worth 100 * 3 // 10 = 30, that of a 100 * 2 // 10; verify does not move them."""
    owners = [
        {"name": "a", "jobs": [[0, 4], {"release": 1, "length": 2, "qos": 2}]},
        {"name": "b", "machines": 0, "jobs": [{"release": 2, "length": 2, "qos": 3}, [3, 1]]},
    ]
    rule = {"rule": "multifactor", "qos": 100, "max_qos": 10}
    scenario = {"format": 1, "kind": "sharing", "until": 9, "organizations": owners, "mechanism": rule}
    assert consortium.run(scenario).to_dict()["schedule"] == [[0, 1, 1, 1], [4, 2, 1, 1], [6, 1, 2, 1], [8, 2, 2, 1]]
    with pytest.raises(InputError, match="found jobs with a qos, which moves do not keep; expected mechanism"):
        consortium.verify(scenario)
    assert consortium.verify(scenario | {"mechanism": {"rule": "multifactor", "age": 1}}).manipulation is not None
    with pytest.raises(InputError, match=r"organizations\[1\].jobs\[2\].qos: found -1; expected"):
        consortium.run(scenario | {"organizations": [{"jobs": [[0, 4], {"release": 1, "length": 2, "qos": -1}]}]})
