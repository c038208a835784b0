"""Slurm's own dumps are read as they come: a tree of accounts, and how priorities are made."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from consortium.support.errors import InputError
from consortium.workloads.slurm import parents_of, read_dumps, read_parents, standings, weights_of

DUMPS = Path(__file__).parents[1] / "slurm" / "dumps" / "3"
TREE = {"root": 1, "life": 40, "life/bio": 30, "life/chem": 10, "physics": 60, "physics/atlas": 40, "physics/cms": 20}

SMALL = """\
Account|User|RawShares
root||
 root|root|1
 life||40
  bio||30
  chem||10
 physics||60
  atlas||40
  cms||20
"""
ASSOC_TREE = """\
   Cluster Account                    User  Partition     Share
---------- -------------------- ---------- ---------- ---------
       toy root                                               1
       toy  root                      root                    1
       toy  life                                             40
       toy   bio                                             30
       toy   chem                                            10
       toy  physics                                          60
       toy   atlas                                           40
       toy    atlas                    amy                    1
       toy   cms                                             20
"""
NESTED = SMALL.replace("\n  cms||20", "\n  cms||20\n  physics|pat|2\n  physics|pia|3")


@pytest.mark.parametrize(
    "text",
    [
        (DUMPS / "sshare.psv").read_text(),
        SMALL,
        ASSOC_TREE,
        NESTED.replace("physics|pat|2", "physics|pat|parent").replace("  physics|pia|3\n", ""),
    ],
)
def test_a_tree_is_read(text: str, tmp_path: Path) -> None:
    (tmp_path / "dump").write_text(text)
    assert read_dumps(tmp_path / "dump").accounts.by_path("dump") == TREE
    (tmp_path / "dump.gz").write_bytes(gzip.compress(text.encode()))
    assert read_dumps(tmp_path / "dump.gz").accounts.by_path("dump") == TREE


@pytest.mark.parametrize("header", [True, False])
def test_associations_with_the_account_above_elsewhere(header: bool, tmp_path: Path) -> None:
    lines = (DUMPS / "associations.psv").read_text().splitlines(keepends=True)
    (tmp_path / "associations").write_text("".join(lines if header else lines[1:]))
    with pytest.raises(InputError, match="in which account does life lie"):
        read_dumps(tmp_path / "associations").accounts.by_path("associations")
    (tmp_path / "parents").write_text((DUMPS / "parents.psv").read_text())
    (tmp_path / "jobs.psv").write_text("JobID|Account|Submit\n1|root|2026-11-01T00:00:00\n")
    found = read_dumps(tmp_path)
    assert found.accounts.by_path("folder") == TREE
    assert read_parents(str(tmp_path / "parents"))["atlas"] == "physics"


def test_own_users_of_an_account_with_accounts_in_it(tmp_path: Path) -> None:
    (tmp_path / "dump").write_text(NESTED)
    shares = read_dumps(tmp_path / "dump").accounts.by_path("dump")
    assert shares == {**TREE, "physics/physics": 5}
    assert weights_of(shares, ["atlas", "cms", "physics", "bio"]) == (24, 12, 3, 26)
    assert parents_of(shares) == {"atlas": "physics", "cms": "physics", "bio": "life", "chem": "life"}


def test_a_parent_of_shares_parent_is_no_level(tmp_path: Path) -> None:
    """What lies in it counts as if it lay in the account above."""
    (tmp_path / "dump").write_text(SMALL.replace("life||40", "life||parent"))
    shares = read_dumps(tmp_path / "dump").accounts.by_path("dump")
    assert shares == {"root": 1, "bio": 30, "chem": 10, "physics": 60, "physics/atlas": 40, "physics/cms": 20}


def test_the_absent_leave_their_shares_to_their_siblings() -> None:
    assert weights_of(TREE, ["atlas", "cms", "bio", "chem"]) == (4, 2, 3, 1)
    assert weights_of(TREE, ["atlas", "bio", "chem"]) == (6, 3, 1)
    assert weights_of(TREE, ["cms"]) == (1,)
    assert weights_of({**TREE, "life": 0}, ["atlas", "bio"]) == (1, 0)
    with pytest.raises(InputError, match=r"no number for geo, law; expected one for each of atlas, geo, law"):
        weights_of(TREE, ["atlas", "geo", "law"])
    with pytest.raises(InputError, match=r"no number for law, in which tax lies"):
        weights_of({"law/tax": 3}, ["tax"])


@pytest.mark.parametrize("dump", [DUMPS / "sshare.psv", DUMPS.parent / "mid-sshare.psv"], ids=lambda path: path.stem)
def test_standings_are_those_of_sshare(dump: Path) -> None:
    """LevelFS and FairShare of accounts and of users within them, as far as sshare's six digits tell them."""
    shares = read_dumps(dump).accounts.by_path(dump.name)
    rows = [line.split("|") for line in dump.read_text().splitlines()[1:]]
    printed = {row[0].strip(): row for row in rows if not row[1]}
    accounts = {account: float(printed[account][5]) for account in ("atlas", "cms", "bio", "chem")}
    for account, standing in standings(shares, accounts).items():
        assert standing.usage == pytest.approx(float(printed[account][5]), abs=2e-6)
        assert standing.level == pytest.approx(float(printed[account][8]), rel=2e-5)
    users = {f"{row[0].strip()}:{row[1]}": row for row in rows if row[1]}
    for user, row in users.items():  # a user is an account in its account
        above = next((path for path in TREE if path.endswith(f"/{row[0].strip()}")), None)
        shares[f"{above}/{user}" if above else user] = int(row[2])
    del shares["root"]
    found = standings(shares, {user: float(row[5]) for user, row in users.items()})
    assert {user: standing.factor for user, standing in found.items()} == {u: float(row[7]) for u, row in users.items()}
    for user, row in users.items():
        assert found[user].level == pytest.approx(float(row[8]), rel=1e-4)


def test_accounts_that_tie_are_opened_together() -> None:
    shares = {"p": 1, "p/a": 1, "p/b": 3, "q": 1, "q/c": 2, "q/d": 2}
    found = standings(shares, {"a": 2.0, "b": 2.0, "c": 2.0, "d": 2.0})
    assert [found[name].factor for name in "abcd"] == [0.25, 1.0, 0.75, 0.75]
    nobody = standings(shares, {"a": 0.0, "d": 0.0})
    assert nobody["a"] == nobody["d"] == (0.0, float("inf"), 1.0)


def test_how_priorities_are_made() -> None:
    found = read_dumps(DUMPS)
    times = found.time("PriorityDecayHalfLife"), found.time("PriorityMaxAge"), found.time("PriorityUnheard")
    assert times == (120, 86_400, None)
    assert found.settings["priorityflags"] == ""
    assert found.settings["priorityweightfairshare"] == "100000"
    assert found.billing == {"main": "CPU=1.0,Mem=0.5G,GRES/gpu=4.0"}


def test_slurm_conf_itself(tmp_path: Path) -> None:
    lines = (
        "ClusterName=toy",
        "PriorityType=priority/multifactor # as ever",
        "prioritydecayhalflife=14-0",
        "PriorityFlags=NO_FAIR_TREE,MAX_TRES",
        "PriorityMaxAge=0",
        "#PriorityWeightAge=7",
        "PriorityWeightQOS=5",
        "SchedulerType=sched/backfill",
        'PartitionName=DEFAULT TRESBillingWeights="CPU=1.0"',
        "PartitionName=cpu Nodes=a",
        'PartitionName=gpu Nodes=b TRESBillingWeights="CPU=1.0,GRES/gpu=8"',
    )
    (tmp_path / "slurm.conf").write_text("\n".join(lines))
    found = read_dumps(tmp_path)
    assert (found.time("PriorityDecayHalfLife"), found.time("PriorityMaxAge")) == (14 * 86_400, 0)
    assert (found.settings["prioritytype"], found.settings["priorityweightqos"]) == ("priority/multifactor", "5")
    assert "priorityweightage" not in found.settings
    assert found.billing == {"cpu": "CPU=1.0", "gpu": "CPU=1.0,GRES/gpu=8"}
    assert (found.settings["schedulertype"], found.processors()) == ("sched/backfill", None)


def test_processors(tmp_path: Path) -> None:
    """Of partitions on the same nodes or of one of them; nodes say it of all, on one line each or folded."""
    lines = "PartitionName={}\n   AllocNodes=ALL Nodes={}\n   TotalCPUs={} TotalNodes=2\n\n"
    same = lines.format("main", "n[1-2]", 8) + lines.format("long", "n[1-2]", 8)
    (tmp_path / "partitions.txt").write_text(same)
    assert (read_dumps(tmp_path).processors(), read_dumps(tmp_path).processors("long")) == (8, 8)
    (tmp_path / "partitions.txt").write_text(same + lines.format("gpu", "n3", 4))
    assert (read_dumps(tmp_path).processors(), read_dumps(tmp_path).processors("gpu")) == (None, 4)
    nodes = "NodeName={0} Arch=x86_64 \n   CPUAlloc=0 CPUEfctv={1} CPUTot={1} CPULoad=0.1\n   State=IDLE\n\n"
    (tmp_path / "nodes.txt").write_text(nodes.format("n1", 4) + nodes.format("n2", 4) + nodes.format("n3", 5))
    assert (read_dumps(tmp_path).processors(), read_dumps(tmp_path).processors("gpu")) == (13, 4)
    oneline = "NodeName=n1 Arch=x86_64 CPUAlloc=0 CPUTot=4 State=IDLE\nNodeName=n2 CPUAlloc=0 CPUTot=2 State=IDLE\n"
    (tmp_path / "nodes.txt").write_text(oneline)
    assert read_dumps(tmp_path).processors() == 6


def test_settings_that_contradict_each_other_are_refused(tmp_path: Path) -> None:
    (tmp_path / "config.txt").write_text("PriorityWeightAge       = 1000\nPriorityType = priority/multifactor\n")
    (tmp_path / "slurm.conf").write_text("PriorityType=Priority/Multifactor\nPriorityWeightAge=1000\n")
    assert read_dumps(tmp_path).settings["priorityweightage"] == "1000"
    (tmp_path / "slurm.conf").write_text("PriorityWeightAge=7\n")
    with pytest.raises(
        InputError, match=r"slurm\.conf: priorityweightage = 7, but another dump in .* has 1000; expected"
    ):
        read_dumps(tmp_path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("PriorityDecayHalfLife=10080\n", "PriorityDecayHalfLife: found 10080 .Slurm takes a bare number for minutes"),
        ("PriorityDecayHalfLife=0:10\n", "found 0:10; expected a time like 7-00:00:00"),
        ("a sentence\n", "no dump of Slurm; expected sshare -alP"),
        ("JobID|Account|Submit\n1|a|2\n", "no dump of Slurm"),
        ("Account|RawShares\na|1\na|2\n", "a has the shares 1 and 2; is it one cluster"),
        ("Account|ParentName\na|b\na|c\n", "line 3: a has the parents b and c"),
        ("Account|ParentName\na\n", "line 2: found 1 cells"),
        ("Account|RawShares\n cut+|1\n", "line 2: the name cut\\+ is cut; make the dump with -P"),
    ],
)
def test_refused(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "dump").write_text(text)
    with pytest.raises(InputError, match=message):
        read_dumps(tmp_path / "dump").time("PriorityDecayHalfLife")


def test_refused_files(tmp_path: Path) -> None:
    (tmp_path / "dump").write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="or no text; expected a dump of Slurm in UTF-8"):
        read_dumps(tmp_path / "dump")
    with pytest.raises(InputError, match="found No such file or directory; expected a dump of Slurm"):
        read_dumps(tmp_path / "none")
    whole = gzip.compress(b"Account|Share\n" * 50)
    for data in (whole[:-9], whole[:12] + b"\xff" + whole[13:]):  # cut off, damaged
        (tmp_path / "sshare.psv.gz").write_bytes(data)
        with pytest.raises(InputError, match=r"sshare\.psv\.gz: found .*; expected a dump of Slurm"):
            read_dumps(tmp_path / "sshare.psv.gz")
    (tmp_path / "flat").write_text("Account|Share\nroot|1\n")
    with pytest.raises(InputError, match="no account lies in another"):
        read_parents(str(tmp_path / "flat"))
