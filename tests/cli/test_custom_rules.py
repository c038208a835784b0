"""Custom rules on the command line: one of each kind, named as ``FILE.py:Name`` wherever a rule is named."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import consortium
from consortium.explorer.view import View
from consortium.mechanisms.kinds import KINDS
from consortium.scenarios.toml import dumps

from ..command_line import command

RULES = '''
from dataclasses import dataclass
from fractions import Fraction
from types import SimpleNamespace


class LPT:
    """Longest declaration first on one machine; nobody pays."""

    def __init__(self, cluster):
        self.cluster = cluster

    def run(self, declared, lengths):
        now, output = Fraction(0), [0] * len(declared)
        for n in sorted(range(len(declared)), key=lambda n: (-declared[n], n)):
            now = output[n] = now + lengths[n]
        return SimpleNamespace(output=output, payments=[0] * len(declared))


@dataclass(frozen=True)
class Short:
    sign: int = 1

    def order(self, host, jobs):
        return sorted(jobs, key=lambda job: (self.sign * job.length, job.organization, job.job))


class Alone:
    def point(self, community):
        return [4, 7]


class Wait:
    def choose(self, pool):
        return min(pool.waiting, key=lambda u: (pool.head[u], u))


class Floats(LPT):
    def run(self, declared, lengths):  # floats
        return SimpleNamespace(output=[1.0, 2.0], payments=[0, 0])


class Product(LPT):
    def run(self, declared, lengths):
        return SimpleNamespace(output=[declared[0] * declared[1]] * 2, payments=[0, 0])  # product


class Broken(LPT):
    def run(self, declared, lengths):
        return 1 / (declared[0] - declared[0])  # broken


@dataclass
class Reserve:
    share: Fraction
    floor: int

    def choose(self, pool):
        return pool.waiting[0]


RESERVE = Reserve(Fraction(1, 2), 3)


def make(cluster):
    return LPT(cluster)


class Routing:
    players = ("ann", "bob")

    def strategies(self, player):
        return ("north", "south")

    def costs(self, profile):
        return [profile.count(road) for road in profile]
'''
HEAD = 'format = 1\nkind = "{}"\nmechanism = {{ rule = "custom" }}\n'
FILES = {
    "declaration": "cluster = { powers = [1] }\nagents = [{ length = 2 }, { length = 1 }]\n"
    "domain = { lengths = [1, 2, 3], declarations = [1, 2, 3] }\n[expect.run]\nagents.a2.output = 3\n",
    "federation": "organizations = [{ jobs = [3, 3] }, { jobs = [1, 1] }]\n",
    "multiuser": 'users = [{ jobs = [2], objective = "makespan" }, { jobs = [1, 1] }]\n',
    "sharing": "until = 9\norganizations = [{ machines = 1, jobs = [[0, 6], [1, 2]] }, { jobs = [[2, 3]] }]\n",
}
NAMES = {"declaration": "LPT", "federation": "Short", "multiuser": "Alone", "sharing": "Wait"}
SHIPPED = {"declaration": "vcg-postpone", "federation": "coordination", "multiuser": "fairest", "sharing": "fifo"}
ASKED = {"search", "verify", "run", "prove", "design", "curve"}
PAIRS = [(kind.name, verb.name) for kind in KINDS for verb in kind.verbs if verb.name in ASKED]


def place(remark: str) -> str:
    """The line of the rules that ends in a remark, as errors name it."""
    number, line = next((i, line) for i, line in enumerate(RULES.splitlines(), 1) if line.endswith(f"# {remark}"))
    return f"(my-rules.py:{number}: {line.strip()})"


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """With the rules in ``my-rules.py``, and a scenario without a rule for each kind."""
    path = sys.path[:]
    (tmp_path / "my-rules.py").write_text(RULES)
    for kind, body in FILES.items():
        (tmp_path / f"{kind}.toml").write_text(HEAD.format(kind) + body)
    yield tmp_path
    sys.path[:] = path


def test_a_game_is_named_as_rules_are(folder: Path) -> None:
    """Searched, estimated, reported and checked again by its name; what is no game says so."""
    name = "my-rules.py:Routing"
    done = command("search", name, "--json", cwd=folder)
    assert done.returncode == 0, done.stderr
    record = json.loads(done.stdout)
    assert (record["scenario"], record["equilibria"]["count"]) == (name, 2)
    assert record["request"]["game"]["object"] == name
    (folder / "record.json").write_text(done.stdout)
    assert f"--mechanism {name}" in command("check", "record.json", cwd=folder).stdout
    checked = command("check", "record.json", "--mechanism", name, cwd=folder)
    assert (checked.returncode, "0 wrong." in checked.stdout) == (0, True), checked.stdout
    assert command("search", name, "--dry-run", cwd=folder).returncode == 0
    assert command("report", name, cwd=folder).returncode == 0
    for wrong, message in (
        ("my-rules.py:Alone", "search: found Alone; expected a scenario, an object with players"),
        ("my-rules.py:Rooting", "Did you mean 'Routing'?"),
        ("no-rules.py:Routing", "there is no no-rules.py in"),
        ("my-rules.py:LPT", r"my-rules.py:LPT() failed with TypeError"),
    ):
        refused = command("search", wrong, cwd=folder)
        assert (refused.returncode, message in refused.stderr) == (2, True), refused.stderr


@pytest.mark.parametrize(("kind", "verb"), PAIRS)
def test_every_verb_takes_it_and_refuses_without_it(kind: str, verb: str, folder: Path) -> None:
    words = [verb, f"{kind}.toml", *(["a1"] if verb == "curve" else [])]
    words += ["--property", "dominant"] if (kind, verb) == ("declaration", "prove") else []
    if (kind, verb) == ("federation", "prove"):
        (folder / "federation.toml").write_text(HEAD.format(kind) + "organizations = [{ jobs = 1 }, { jobs = 1 }]\n")
    refused = command(*words, cwd=folder)
    assert refused.returncode == 2
    assert "give it beside the scenario: --mechanism FILE.py:Name" in refused.stderr
    done = command(*words, "--mechanism", f"my-rules.py:{NAMES[kind]}", "--json", cwd=folder)
    assert done.returncode in (0, 1), done.stderr
    rule = json.loads(done.stdout)["custom_rules"]["mechanism"]
    assert rule["rule"] == f"my-rules.py:{NAMES[kind]}"
    assert len(rule["sha256"]) == 16


@pytest.mark.parametrize("kind", NAMES)
def test_compare_takes_it_with_a_label_and_without(kind: str, folder: Path) -> None:
    own = f"my-rules.py:{NAMES[kind]}"
    done = command("compare", f"{kind}.toml", "--rules", f"mine={own},{own},{SHIPPED[kind]}", "--json", cwd=folder)
    assert done.returncode == 0, done.stderr
    data = json.loads(done.stdout)
    assert [row["rule"] for row in data["rows"]][:3] == ["mine", own, SHIPPED[kind]]
    assert set(data["custom_rules"]) == {"mine", own}
    (folder / "record.json").write_text(done.stdout)
    checked = command("check", "record.json", "--mechanism", own, cwd=folder)
    assert (checked.returncode, "0 wrong.\n" in checked.stdout) == (0, True), checked.stdout
    unchecked = command("check", "record.json", cwd=folder)
    assert f"consortium check RECORD --mechanism {own}" in unchecked.stdout
    assert unchecked.stdout.count("nothing imports unasked") <= 10
    assert command("compare", f"{kind}.toml", cwd=folder).returncode == 0  # the rules of the package need none


def test_a_record_is_asked_again_with_the_rule_and_tells_another_source(folder: Path) -> None:
    own = f"{folder / 'my-rules.py'}:LPT"
    done = command("verify", "declaration.toml", "--mechanism", own, "--json", cwd=folder)
    (folder / "record.json").write_text(done.stdout)
    assert "0 wrong.\n" in command("check", "record.json", "--mechanism", "my-rules.py:LPT", cwd=folder).stdout
    (folder / "my-rules.py").write_text(RULES + "# a remark\n")
    changed = command("check", "record.json", "--mechanism", own, cwd=folder)
    assert changed.returncode == 0
    assert "the source of the custom rule is another one" in changed.stdout
    (folder / "my-rules.py").write_text(RULES.replace("-declared[n], n", "declared[n], n"))
    other = command("check", "record.json", "--mechanism", own, cwd=folder)
    assert other.returncode == 1
    assert "dominant" in other.stdout


def test_a_scenario_that_expects_is_checked_with_the_rule(folder: Path) -> None:
    assert command("check", "declaration.toml", cwd=folder).returncode == 2
    done = command("check", "declaration.toml", "--mechanism", "my-rules.py:LPT", cwd=folder)
    assert (done.returncode, "1 value checked, 0 wrong" in done.stdout) == (0, True), done.stderr


def test_files_alone_import_nothing(folder: Path) -> None:
    """Whatever a scenario or a record names, the code of a file runs only where somebody names it beside it."""
    (folder / "evil.py").write_text("raise SystemExit('imported')")
    named = (folder / "declaration.toml").read_text().replace('"custom"', '"evil.py:Rule"')
    (folder / "named.toml").write_text(named)
    (folder / "option.toml").write_text(named + '[expect.run.options]\nmechanism = "evil.py:Rule"\n')
    study = 'format = 1\nkind = "study"\nverb = "run"\nbase = { scenario = "named.toml" }\n'
    (folder / "study.toml").write_text(study)
    for words in ("run named.toml", "check named.toml", "check option.toml", "study run study.toml --store a.db"):
        done = command(*words.split(), cwd=folder)
        assert ("imported" not in done.stdout + done.stderr and "evil.py:Rule" in done.stdout + done.stderr) or (
            "unknown" in done.stderr
        ), done.stderr
    asked = command("run", "named.toml", "--mechanism", "evil.py:Rule", cwd=folder)
    assert asked.returncode == 2
    assert "cannot be loaded (SystemExit: imported) (evil.py:1: raise" in asked.stderr


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("run declaration.toml --mechanism my-rules.py:Lpt", "known: Alone, Broken, Floats, LPT, Product, RESERVE"),
        ("hunt --rule my-rules.py:make --claim dominant", "the kind of scenario that my-rules.py:make is for, decl"),
        ("compare declaration.toml --rules a=my-rules.py:LPT,a=my-rules.py:LPT", "found [a=my-rules.p..., a="),
        ("run declaration.toml --mechanism rules.py:LPT", "rules.py:LPT: there is no rules.py in"),
        ("run declaration.toml --mechanism nowhere:LPT", "nowhere:LPT: there is no nowhere in"),
        ("run declaration.toml --mechanism vcg-renice", "--mechanism: found 'vcg-renice'; expected a custom rule, as"),
        ("run declaration.toml --mechanism broken.py:Rule", "(broken.py:2: def f(:)"),
        ("run declaration.toml --mechanism my-rules.py:Broken", place("broken")),
        ("run declaration.toml --mechanism my-rules.py:Floats", place("floats")),
        ("compare declaration.toml --rules a=my-rules.py:Floats", place("floats")),
        ("prove declaration.toml --mechanism my-rules.py:Product", place("product")),
        (
            "run sharing.toml --mechanism my-rules.py:Reserve",
            "Reserve has no default for share, floor; expected an obj",
        ),
        ("compare sharing.toml --rules rand:samples", "option of rule 'rand' in 'rand:samples'"),
        ("hunt --rule my-rules.py:Fraction --claim just", "kind: found nothing; expected the kind of scenario"),
    ],
)
def test_errors_point_to_the_file(words: str, says: str, folder: Path) -> None:
    (folder / "broken.py").write_text("\ndef f(:\n    pass\n")
    done = command(*words.split(), cwd=folder)
    assert (done.returncode, says in done.stderr) == (2, True), done.stderr


def test_objects_in_a_file_are_taken_as_they_are(folder: Path) -> None:
    assert command("run", "sharing.toml", "--mechanism", "my-rules.py:RESERVE", cwd=folder).returncode == 0


def test_a_proof_in_two_processes_is_the_same(folder: Path) -> None:
    words = ["prove", "declaration.toml", "--mechanism", "my-rules.py:LPT", "--property", "ex_post"]
    one, two = (command(*words, "--processes", n, cwd=folder).stdout for n in "12")
    assert one == two
    assert "A lie can pay" in one


def test_an_error_comes_from_a_worker_process_with_its_line(folder: Path) -> None:
    rule = f"{folder / 'my-rules.py'}:Broken"
    study = {**STUDY, "base": {**STUDY["base"], "mechanism": rule}, "vary": {}}
    rows = list(consortium.study(study, processes=2).rows())
    assert [row["status"] for row in rows] == ["failed"] * 2
    assert place("broken")[1:] in rows[0]["error"]


def test_a_hit_is_checked_with_the_rule(folder: Path) -> None:
    words = ["hunt", "--rule", "my-rules.py:LPT", "--claim", "dominant", "--processes", "2", "-o", "hit.toml"]
    assert command(*words, cwd=folder).returncode == 1
    assert "consortium check FILE --mechanism my-rules.py:LPT" in (folder / "hit.toml").read_text()
    done = command("check", "hit.toml", "--mechanism", "my-rules.py:LPT", cwd=folder)
    assert (done.returncode, "0 wrong" in done.stdout) == (0, True), done.stderr


STUDY: dict[str, Any] = {
    "format": 1,
    "kind": "study",
    "verb": "verify",
    "replicates": 2,
    "base": {"kind": "declaration", "cluster": {"powers": [1]}, "mechanism": "my-rules.py:LPT"},
    "family": {"name": "uniform-jobs", "agents": 2, "longest": 4},
    "vary": {"mechanism.rule": ["my-rules.py:LPT", "vcg-postpone"]},
    "measures": {"truth": "dominant.holds"},
}


def test_a_study_names_it_from_its_own_folder(folder: Path) -> None:
    (folder / "below").mkdir()
    data = json.loads(json.dumps(STUDY).replace("my-rules.py", "../my-rules.py"))
    (folder / "below" / "study.toml").write_text(dumps(data))
    run = ["study", "run", "below/study.toml", "--store"]
    assert command(*run, "all.db", "--processes", "2", cwd=folder).returncode == 0
    for shard in ("1/2", "2/2"):
        command(*run, f"{shard[0]}.db", "--shard", shard, "--processes", "1", cwd=folder)
    assert command("study", "merge", "1.db", "2.db", "--store", "merged.db", cwd=folder).returncode == 0
    for store in ("all.db", "merged.db"):
        rows = json.loads(command("study", "results", "--store", store, "--json", cwd=folder).stdout)
        assert [row["status"] for row in rows] == ["done"] * 4
        assert False in [row["truth"] for row in rows[:2]]
        assert [row["truth"] for row in rows[2:]] == [True, True]
    shown = command("study", "show", "1", "--store", "all.db", cwd=folder)
    assert shown.returncode == 0
    assert 'rule = "../my-rules.py:LPT"' in shown.stdout
    (folder / "my-rules.py").write_text(RULES + "\n")
    refused = command(*run, "all.db", cwd=folder)
    assert refused.returncode == 2
    assert "belongs to another question: sources." in refused.stderr
    assert command("study", "results", "--store", "all.db", cwd=folder).returncode == 0


def test_a_study_refuses_what_is_no_custom_rule(folder: Path) -> None:
    with pytest.raises(ValueError, match=r"base.mechanism: found 'fifo'; expected a table, or a custom rule as FILE"):
        consortium.study({**STUDY, "base": {"kind": "declaration", "mechanism": "fifo"}})


def test_a_report_says_how_to_ask_and_to_check_again(folder: Path) -> None:
    words = ["report", "declaration.toml", "--verb", "run,compare", "--mechanism", "my-rules.py:LPT"]
    assert command(*words, cwd=folder).returncode == 0
    page = (folder / "report.html").read_text()
    assert "consortium run scenario.toml --mechanism my-rules.py:LPT" in page
    assert "consortium check record-1.json.gz --mechanism my-rules.py:LPT" in page


def test_the_explorer_offers_it_among_the_rules(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    view = View.opened("declaration.toml", "my-rules.py:LPT")
    assert view.rules()["custom"] == "my-rules.py:LPT"
    assert set(view.options()) == {"mechanism"}
    assert view.command("verify") == "consortium verify declaration.toml --mechanism my-rules.py:LPT"
    other = view.under("vcg-postpone")
    assert not other.options()
    assert "--mechanism" not in other.command("run")
    assert other.under("custom").options() == view.options()
    assert not view.options("compare")
    assert View.opened("minimal/declaration", "my-rules.py:LPT").rule == "custom"


def test_an_audit_runs_it_and_its_store_knows_the_source(folder: Path) -> None:
    jobs = [
        f"{i} {10 * i} 0 {5 + i % 7} 1 -1 -1 1 -1 -1 1 {i % 2 + 1} {i % 2 + 1} -1 -1 -1 -1 -1" for i in range(1, 80)
    ]
    (folder / "log.swf").write_text("; MaxProcs: 2\n; UnixStartTime: 0\n" + "\n".join(jobs) + "\n")
    words = [
        "log.swf",
        "--machines",
        "2",
        "--organizations",
        "user",
        "--duration",
        "300",
        "--windows",
        "2",
        "--processes",
        "2",
    ]
    audit = ["audit", *words, "--rules", "mine=my-rules.py:Wait,fifo", "--store", "a.db", "--json"]
    first = command(*audit, cwd=folder)
    assert json.loads(first.stdout)["custom_rules"]["mine"]["rule"] == "my-rules.py:Wait", first.stderr
    switch = command("audit", "switch", *words, "--to", "mine=my-rules.py:Wait", "--json", cwd=folder)
    assert "mine" in json.loads(switch.stdout)["custom_rules"], switch.stderr
    (folder / "my-rules.py").write_text(RULES + "\n")
    assert "the rule 'mine' stands there for my-rules.py:Wait (sha256" in command(*audit, cwd=folder).stderr


ODD = """
from itertools import repeat
from types import SimpleNamespace


class Sum:
    def run(self, declared, lengths):
        return SimpleNamespace(output=[sum(lengths)] * len(lengths), payments=[0] * len(lengths))


class Computed(Sum):
    def run(self, declared, lengths):
        return self

    @property
    def output(self):
        return 1 / 0


class Goal(Sum):
    goal = "makespan"


class Values(Sum):
    values = 1


class Endless(Sum):
    def run(self, declared, lengths):
        return SimpleNamespace(output=[sum(lengths)] * len(lengths), payments=repeat(0))


class Silent(Exception):
    def __str__(self):
        raise RuntimeError


class Unsayable(Sum):
    def run(self, declared, lengths):
        raise Silent


class Late:
    def run(self, federation):
        return [(k, i, k, 0, i * 10**5000) for k, one in enumerate(federation.organizations) for i in range(2)]


class Listed:
    objective = ["makespan"]

    def order(self, host, jobs):
        return jobs


class Large:
    def point(self, community):
        return [10**5000] * 2


class Counting:
    def schedule(self, community):
        return repeat((0, 0, 0, 0))
"""


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("Late", "Late.run: row 2: start: found a number of more than 4,000 digits"),
        ("Listed", "Listed.objective: found ['makespan']; expected one of makespan, total-completion"),
        ("Large", "Large.point: value 1: found a number of more than 4,000 digits"),
        ("Counting", "Counting.schedule: found more than 2,000,000 entries"),
        ("Computed", "error: odd.py: failed with ZeroDivisionError: division by zero (line 17 of odd.py)"),
        ("Goal", "Goal.goal: found 'makespan'; expected one of consortium.scheduling.goals"),
        ("Values", "Values.values: found 1 as the answer; expected one number per agent"),
        ("Endless", "Endless.run: payments: found more than 2,000,000 entries"),
        ("Unsayable", "Unsayable.run(declared, lengths) failed with Silent (odd.py:"),
    ],
)
def test_odd_attributes_of_a_rule_are_told_as_its_own(name: str, message: str, folder: Path) -> None:
    (folder / "odd.py").write_text(ODD)
    kind = {"Late": "federation", "Listed": "federation", "Large": "multiuser", "Counting": "multiuser"}.get(name)
    refused = command("run", f"{kind or 'declaration'}.toml", "--mechanism", f"odd.py:{name}", cwd=folder)
    assert (refused.returncode, message in refused.stderr) == (2, True), refused.stderr
