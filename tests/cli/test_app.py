"""The command line as its users meet it: exit codes, JSON, errors without tracebacks, a light start."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Annotated

import pytest
from pydantic import Field

import consortium
from consortium.cli.verbs import option_parameters
from consortium.verbs import Options
from consortium.verbs.check import Check
from consortium.verbs.options import Flag

from ..command_line import command

ROOT = Path(__file__).resolve().parent.parent.parent
SCENARIO = """
format = 1
kind = "declaration"
title = "Two agents"
[cluster]
powers = [1]
[[agents]]
name = "ann"
length = 2
[[agents]]
name = "bob"
length = 1
[mechanism]
rule = "light-vcg"
[expect.run]
rent = 4
agents.bob.output = 1
"""


def real_process(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"PYTHONPATH": str(ROOT / ".types")}
    line = [sys.executable, "-m", "consortium", *arguments]
    return subprocess.run(line, capture_output=True, text=True, cwd=cwd, env=environment, stdin=subprocess.DEVNULL)


@pytest.fixture
def scenario(tmp_path: Path) -> Path:
    path = tmp_path / "two.toml"
    path.write_text(SCENARIO)
    return path


def test_run_prints_tables_in_a_pipe(scenario: Path) -> None:
    done = real_process("run", "two.toml", cwd=scenario.parent)
    assert done.returncode == 0
    assert done.stderr == ""
    assert command("run", "two.toml", cwd=scenario.parent).stdout == done.stdout
    assert "\x1b" not in done.stdout
    assert [line.split()[:3] for line in done.stdout.splitlines() if line.startswith("  ann")] == [["ann", "2", "2"]]


def test_json_is_exactly_the_dict_of_the_record(scenario: Path) -> None:
    done = command("run", str(scenario), "--json", cwd=scenario.parent)
    assert json.loads(done.stdout) == consortium.run(scenario).to_dict()


def test_only_a_certificate_in_a_file_was_written(tmp_path: Path) -> None:
    search = command("search", "cordeiro2012/figure-5.5-k5", "--json", cwd=tmp_path)
    assert json.loads(search.stdout)["certificate"]["trees"]
    assert search.stderr == ""


def test_set_overrides_values(scenario: Path) -> None:
    settings = ["--set", "mechanism.rule=harsh", "--set", "agents[2].length=3/2", "--set", "agents[1].declares=0.5"]
    done = command("run", "two.toml", "--json", *settings, cwd=scenario.parent)
    agents = json.loads(done.stdout)["agents"]
    assert (agents[0]["declares"], agents[0]["killed"], agents[0]["output"]) == ("1/2", True, "inf")
    assert agents[1]["length"] == "3/2"


@pytest.mark.parametrize(
    ("arguments", "code", "text"),
    [
        (["run", "nothing.toml"], 2, "expected an existing file or the name of a shipped scenario"),
        (["run", "."], 2, "expected a scenario file, not a folder"),
        (["run", "two.toml", "--set", "mechanism.rule"], 2, "expected PATH=VALUE"),
        (["run", "two.toml", "--set", "mechanism.rule=hash"], 2, "Did you mean 'harsh'?"),
        (["run", "two.toml", "--set", "agents[9].length=1"], 2, "expected a path that exists"),
        (["run", "two.toml", "--plot", "x.jpeg"], 2, ".svg, .png or .pdf"),
        (["run", "two.toml", "--plot", "x.pdf", "--plot-width", "1"], 2, "expected inches, from 2.5 to 20"),
        (["run", "two.toml", "--plot-width", "3.5"], 2, "expected --plot FILE with them"),
        (["run", "two.toml", "--plot-grey"], 2, "expected --plot FILE with them"),
        (["serch", "two.toml"], 2, "error: command of consortium: 'serch' is not known; known: audit, audit gaming,"),
        (["study", "rnu"], 2, "command of consortium study: 'rnu' is not known; known: list, merge"),
        (["run"], 2, "error: Missing argument scenario: path of a scenario file"),
        (["import", "x.swf"], 2, "error: Missing option --kind: declaration, federation"),
        (["run", "two.toml", "--lits", "3"], 2, "error: option of consortium run: '--lits' is not known; known: --"),
        (["run", "two.toml", "--lits", "3"], 2, "Did you mean '--list'?"),
        (["run", "two.toml", "--time-limit", "5"], 2, "'--time-limit' is not known; known: --floats, --mechanism."),
        (["explore", "--port", "x"], 2, "error: Invalid value for '--port'"),
        (
            ["report", "two.toml", "--verb", "foo"],
            2,
            "verb: 'foo' is not known; known: compare, curve, design, prove, run,",
        ),
        (["schema", "sharing", "audit", "gamin"], 2, "known: audit, audit gaming, audit switch, audit trend, compare,"),
        (["schema", "sharing", "audit", "gaming"], 0, "consortium record: audit_gaming of sharing"),
        (["schema", "sharing", "audit_gaming"], 0, "consortium record: audit_gaming of sharing"),
        (["schema", "declaration", "hunt"], 0, "consortium record: hunt of declaration"),
        (["check", "two.toml", "--time-limit", "soon"], 2, "--time-limit: found 'soon'; expected seconds"),
        (["search", "two.toml", "--method", "magic"], 2, "'magic' is not known"),
        (["search", "two.toml", "--start", "{"], 2, "expected JSON"),
        (["search", "two.toml", "--start", '{"ann": 1}'], 2, "expected exactly ann, bob"),
        (["schema", "declaratio"], 2, "Did you mean 'declaration'?"),
        (
            ["schema", "gaem"],
            2,
            "known: declaration, federation, game, multiuser, sharing, study. Did you mean 'game'?",
        ),
        (["schema", "game"], 2, "has no files; its records have a schema, that of search"),
        (["schema", "game", "search"], 0, "consortium record: search of game"),
        (["check", "two.toml"], 0, "2 values checked, 0 wrong"),
        (["check", "."], 0, "2 values checked, 0 wrong"),
        (["check", "agmon2003/5.4.1", "agmon2003/5.4.1-truth"], 0, "0 wrong"),
        (["check", "agmon2003/5.4.0"], 2, "Did you mean 'agmon2003/5.4.1'?"),
        (["scenarios", "declaration"], 0, "agmon2003/5.4.1"),
        (["scenarios", "agmon2003/5.4.1"], 0, "agmon2003/5.4.1-truth"),
        (["scenarios", "agmon2004"], 2, "Did you mean 'agmon2003'?"),
        (["rules", "multiuser"], 0, "lst-printed"),
        (["rules", "vcg-postpone"], 0, "all lengths, N = 2 and 3 on (1), (1, 1), (1, 2), (1, 3)"),
        (["rules", "vcg-postpon"], 2, "Did you mean 'vcg-postpone'?"),
        (["families"], 0, "consortium families KIND lists their parameters"),
        (["families", "federation"], 0, "zipf-jobs: jobs of organizations by Zipf's law"),
        (["families", "declaration", "--json"], 0, '"parameter": "most_value", "accepted": "an integer from 0 to'),
        (["families", "federatoin"], 2, "Did you mean 'federation'?"),
        (["verify", "two.toml"], 1, "a lie that pays"),
        (["verify", "two.toml", "--property", "fair"], 2, "'fair' is not known"),
        (["verify", "two.toml", "--sample", "50"], 1, "a lie that pays"),
        (["verify", "two.toml", "--sample", "50", "--set", "mechanism.rule=harsh"], 3, "Incomplete"),
        (["verify", "two.toml", "--time-limit", "0"], 3, "Incomplete"),
        (["compare", "two.toml", "--rules", "light-vgc"], 2, "Did you mean 'light-vcg'?"),
        (["--version"], 0, consortium.__version__),
    ],
)
def test_exit_codes_and_messages(scenario: Path, arguments: list[str], code: int, text: str) -> None:
    done = command(*arguments, cwd=scenario.parent)
    assert done.returncode == code, done.stdout + done.stderr
    assert text in " ".join((done.stdout + done.stderr).split())
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(("rule", "code"), [("harsh", 3), ("light-vcg", 1), ("hash", 2)])
def test_a_process_ends_with_the_exit_code(scenario: Path, rule: str, code: int) -> None:
    """The tests above ask the function behind the command."""
    words = ["verify", "two.toml", "--sample", "50", "--set", f"mechanism.rule={rule}"]
    done, asked = (ask(*words, cwd=scenario.parent) for ask in (real_process, command))
    assert (done.returncode, asked.returncode) == (code, code)
    assert done.stdout.split() == asked.stdout.split()
    assert done.stderr.split() == asked.stderr.split()


def test_check_refutes_a_wrong_expectation(scenario: Path) -> None:
    scenario.write_text(SCENARIO.replace("rent = 4", "rent = 5"))
    done = command("check", "two.toml", cwd=scenario.parent)
    assert done.returncode == 1
    assert "1 wrong" in done.stdout


def test_every_command_has_help_with_an_example(tmp_path: Path) -> None:
    listed = command("--help", cwd=tmp_path).stdout
    commands = [line.split()[0] for line in listed.partition("Commands:")[2].splitlines() if line.strip()]
    assert {"run", "search", "verify", "compare", "check", "scenarios", "rules", "schema"} <= set(commands)
    for name in commands:
        done = command(name, "--help", cwd=tmp_path)
        assert done.returncode == 0
        assert f"Example: consortium {name}" in " ".join(done.stdout.split()), name


def loaded(modules: list[str], *commands: str, **variables: str) -> list[str]:
    """Which of the modules a new process has imported after some commands."""
    code = (
        "import sys; from consortium.cli.app import ended\n"
        f"for line in {commands!r}: assert ended(line.split()) in (0, 1), line\n"
        f"print([m for m in {modules!r} if m in sys.modules])"
    )
    environment = os.environ | {"PYTHONPATH": str(ROOT / ".types")} | variables
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=True)
    found: list[str] = ast.literal_eval(done.stdout.splitlines()[-1])
    return found


HEAVY = ["numba", "scipy", "pandas", "sympy", "matplotlib", "nashpy", "networkx", "multiprocessing.pool"]


def test_help_loads_nothing_heavy() -> None:
    assert loaded([*HEAVY, "numpy", "ortools", "pydantic"], "--help") == []


def test_small_questions_load_nothing_heavy(tmp_path: Path) -> None:
    """What no answer here needs takes longer to import than all of them to find; no kernel is kept yet."""
    questions = (
        "run skowron-rzadca2013/figure-7",
        "run cordeiro2012/family-2-j3-below",
        "search potentials/three-equal-jobs",
        "search coalitions/swap",
        "search agmon2003/5.2.1",
        "verify agmon2003/5.2.1",
        "compare agmon2003/5.9",  # whose least rents need no linear program
    )
    assert loaded(HEAVY, *questions, NUMBA_CACHE_DIR=str(tmp_path)) == []


def test_help_shows_defaults_that_say_something(tmp_path: Path) -> None:
    shown = " ".join(command("search", "--help", cwd=tmp_path).stdout.split())
    assert "Rows to list in long tables. [10]" in shown
    assert "[None]" not in shown
    assert "[False]" not in shown
    limit = Check().time_limit
    assert f"for so long. [{limit}]" in " ".join(command("check", "--help", cwd=tmp_path).stdout.split())


@pytest.mark.parametrize("more", [0, 1])
def test_checked_values_are_listed_while_they_fit(more: int, tmp_path: Path) -> None:
    """So many rows as a table lists are all shown; of more, those that are wrong."""
    names = [f"agent{i}" for i in range(40 + more)]
    agents = "".join(f'[[agents]]\nname = "{name}"\nlength = 1\n' for name in names)
    expected = "".join(f"agents.{name}.declares = {2 if name == 'agent7' else 1}\n" for name in names)
    head, _, tail = SCENARIO.partition("[[agents]]")
    mechanism = tail[tail.index("[mechanism]") : tail.index("rent = 4")]
    (tmp_path / "many.toml").write_text(head + agents + mechanism + expected)
    done = command("check", "many.toml", cwd=tmp_path)
    assert done.returncode == 1, done.stdout + done.stderr
    assert [f".{name}." in done.stdout for name in ("agent1", "agent7")] == [not more, True]
    assert f"{40 + more} values checked, 1 wrong" in done.stdout


def test_options_after_an_argument_are_offered_too() -> None:
    class Asked(Options):
        agent: Annotated[str, Flag("AGENT", positional=True)] = Field(description="Who is meant.")
        width: Annotated[str | None, Flag("NUMBER")] = Field(None, description="How wide.")

    names = [parameter.name for parameter in option_parameters({"declaration": Asked})]
    assert names[names.index("agent") :] == ["agent", "width", "floats"]  # what all have comes last


def test_the_list_of_commands_says_each_in_a_whole_sentence(tmp_path: Path) -> None:
    listed = command("--help", cwd=tmp_path).stdout.partition("Commands:")[2].strip().splitlines()
    assert len(listed) > 10
    assert [line for line in listed if not line.endswith((".", "?")) or line.endswith("...")] == []
