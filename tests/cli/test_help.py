"""Help: options in the groups that they are declared with, rare ones with ``--help-all`` only."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Annotated, Any

import pytest

from consortium import InputError, hunt
from consortium.cli.help import build_command
from consortium.cli.verbs import command as verb_command
from consortium.cli.verbs import option_parameters
from consortium.verbs.options import Count, Field, Flag, NameText, Options, Switch

from ..command_line import command


class Baking(Options):
    who: Annotated[NameText, Flag("WHO", positional=True)] = Field(description="Who bakes.")
    flour: Count = Field(3, description="Grams of flour.", group="Dough")
    hot: Switch = Field(False, description="Use the hot oven.", group="Oven")
    rye: Count | None = Field(None, description="Grams of rye.", group="Dough", rare=True)
    name: NameText | None = Field(None, description="Of the bread.")


class Frying(Options):
    flour: Count = Field(3, description="Grams of flour.", group="Dough")
    rye: Count | None = Field(None, description="Grams of rye.", group="Dough")


def printed(*words: str, **models: type[Options]) -> str:
    """What the command prints, or what it is called with."""
    calls: list[Any] = []
    command = build_command(lambda **given: calls.append(given), option_parameters(models), "bake", "Bake.")
    with redirect_stdout(StringIO()) as out:
        assert not command(list(words), standalone_mode=False)
    return out.getvalue() or str(calls)


def test_options_stand_in_groups_and_rare_ones_are_hidden() -> None:
    lines = printed("--help", baker=Baking).splitlines()
    heads = [line for line in lines if line.endswith(":") and not line.startswith(" ")]
    assert heads == ["Arguments:", "Dough:", "Oven:", "Options:"]
    assert lines.index("Dough:") + 1 == next(i for i, line in enumerate(lines) if "--flour N" in line)
    assert not any(word in line for line in lines for word in ("--rye", "--floats"))
    assert sum(" --" in line for line in lines) == 5  # with --help and --help-all


def test_all_options_are_listed_on_request() -> None:
    shown = printed("--help-all", baker=Baking)
    assert shown.index("Dough:") < shown.index("--rye N") < shown.index("Oven:") < shown.index("--floats NAME")


def test_an_option_is_rare_where_all_kinds_say_so() -> None:
    assert "--rye N" in printed("--help", baker=Baking, fryer=Frying)


def test_hidden_options_are_options_all_the_same() -> None:
    assert "'rye': '7'" in printed("--rye", "7", "ann", baker=Baking)


def test_what_few_need_is_on_the_long_list_only(tmp_path: Path) -> None:
    for words, option in (("check", "--print-checker"), ("search", "--plot-grey"), ("import", "--zero")):
        short, whole = (command(*words.split(), each, cwd=tmp_path).stdout for each in ("--help", "--help-all"))
        assert (option in short, option in whole) == (False, True), words


def test_a_command_without_rare_options_needs_one_help() -> None:
    with pytest.raises(Exception, match="No such option: --help-all"):
        build_command(lambda **given: None, [], "rest", "Rest.")(["--help-all"], standalone_mode=False)


@pytest.mark.parametrize(
    ("typed", "near"), [("serch", "search"), ("verfy", "verify"), ("aduit", "audit"), ("hnut", "hunt")]
)
def test_every_command_is_suggested(typed: str, near: str, tmp_path: Path) -> None:
    done = command(typed, "agmon2003/5.2.1", cwd=tmp_path)
    assert done.returncode == 2
    assert f"Did you mean '{near}'?" in done.stderr


def test_help_on_a_scenario_shows_what_fits_its_kind(tmp_path: Path) -> None:
    everything, fitting = (
        command("verify", *name, "--help", cwd=tmp_path).stdout for name in ((), ("minimal/federation",))
    )
    assert "--sample" in everything
    assert "--sample" not in fitting
    assert "--property" in fitting


@pytest.mark.parametrize("verb", ["run", "search", "prove", "compare", "curve", "hunt", "import"])
def test_short_help_is_short(verb: str, tmp_path: Path) -> None:
    listed = set(re.findall(r"^  (?:-\w, )?(--[\w-]+)", command(verb, "--help", cwd=tmp_path).stdout, re.M))
    assert len(listed - {"--help", "--help-all"}) <= 15, sorted(listed)
    assert "--floats" not in listed


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("consortium ver", ["verify"]),
        ("consortium verify --prop", ["--property"]),
        ("consortium run agmon2003/5.2.2", ["agmon2003/5.2.2"]),
    ],
)
def test_the_shell_completes(words: str, expected: list[str]) -> None:
    asked = {"_CONSORTIUM_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(words.count(" "))}
    code = "import sys; sys.argv = ['consortium']; from consortium.cli import main; main()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=os.environ | asked)
    assert done.stdout.split() == expected


def test_an_option_that_must_be_given_says_what_it_is(tmp_path: Path) -> None:
    assert "error: Missing option --to: " in command("audit", "switch", "log.swf", cwd=tmp_path).stderr
    with pytest.raises(InputError, match="hunt: found neither or both of claim and largest"):
        hunt("light-vcg")


@pytest.mark.parametrize("verb", ["audit", "audit_gaming", "audit_switch", "audit_trend"])
def test_audits_show_at_most_fifteen_options_and_all_on_request(verb: str) -> None:
    def listed(option: str) -> int:
        with redirect_stdout(StringIO()) as out:
            assert not verb_command(verb)([option], standalone_mode=False)
        return sum(line.startswith("  --") for line in out.getvalue().partition("Arguments:")[2].splitlines())

    assert listed("--help") <= 15 + 2
    assert listed("--help-all") == len([p for p in verb_command(verb).params if p.param_type_name == "option"]) + 1
