"""What is looked at, the file that says so and the command that shows the same, for changes of every sort."""

from __future__ import annotations

import os
import pickle
import re
import shlex
from itertools import pairwise
from pathlib import Path

import pytest

from consortium import load, shipped
from consortium.cli.files import overrides
from consortium.explorer.view import MAX_BYTES, SAVED, View, inline
from consortium.scenarios.problems import ScenarioError
from consortium.scenarios.toml import parse_text

MINIMAL = [f"minimal/{kind}" for kind in ("declaration", "federation", "multiuser", "sharing")]


def of_command(words: list[str]) -> dict[str, object]:
    """The changes that a command line says."""
    return overrides([word for flag, word in pairwise(words) if flag == "--set"])


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("agmon2003/5.2.1", {"agents[1].declares": "1/3", "agents[2].length": 10**18}),
        (
            "agmon2003/5.2.1",
            {
                "domain": {"lengths": [1]},
                "agents[2].name": "true",
                "title": 'a "b" $(c) \\ ü',
                "mechanism.rule": "vcg-renice",
            },
        ),
        ("cordeiro2012/corollary-5.7", {"placement": {"O4": ["O1", "O2"]}}),
        ("minimal/multiuser", {"mechanism": {"rule": "lst", "thresholds": [3, "none"]}}),
        ("minimal/sharing", {"until": 9, "mechanism": {"rule": "rand", "samples": 7}, "title": "1/2"}),
    ],
)
def test_the_file_and_the_command_say_what_is_looked_at(name: str, changes: dict[str, object]) -> None:
    view = View.opened(name).changed(changes)
    assert load(parse_text(view.file)).spec == view.scenario.spec
    words = shlex.split(view.command("run"))
    assert words[:3] == ["consortium", "run", name]
    again = load(name, of_command(words))
    assert (again.spec, again.title) == (view.scenario.spec, view.scenario.title)


@pytest.mark.parametrize("name", MINIMAL)
def test_every_rule_that_fits_can_be_chosen_and_taken_back(name: str) -> None:
    view = View.opened(name)
    for rule in view.rules():
        try:
            other = view.under(rule)
        except ScenarioError:
            continue
        assert other.rule == rule
        assert load(name, dict(other.changes)).spec == other.scenario.spec
        if other.saved:
            assert load(name, of_command(shlex.split(other.command("run")))).spec == other.scenario.spec
        assert load(parse_text(other.file)).spec == other.scenario.spec


def test_a_later_change_takes_the_place_of_those_at_and_below_its_path() -> None:
    view = View.opened("minimal/declaration").changed({"agents[1].length": 2, "title": "t"})
    assert list(view.changed({"agents[1].length": 3}).changes.items()) == [("title", "t"), ("agents[1].length", 3)]
    whole = view.changed({"agents": [{"length": 5}, {"length": 6}]})
    assert list(whole.changes) == ["title", "agents"]
    assert [str(agent.length) for agent in whole.scenario.spec.agents] == ["5", "6"]


def test_paths_that_only_begin_alike_are_not_below_each_other() -> None:
    agents = [{"length": 1 + i} for i in range(10)]
    view = View.opened("minimal/declaration").changed({"agents": agents, "domain": None})
    assert list(view.changed({"agents[10].length": 3}).changed({"agents[1]": {"length": 2}}).changes) == [
        "agents", "domain", "agents[10].length", "agents[1]",
    ]  # fmt: skip


def test_a_key_taken_away_and_a_text_of_no_file_are_to_be_saved_first() -> None:
    view = View.opened("agmon2003/5.2.1").changed({"agents[1].declares": None})
    assert not view.saved
    assert view.command("run") == f"consortium run {SAVED}"
    assert "declares" not in view.file.splitlines()[5]
    assert View.read(view.file).command("verify") == f"consortium verify {SAVED}"
    uploaded = View.read(view.file, "mine.toml")  # who knows where it lies
    assert (uploaded.saved, uploaded.command("run")) == (False, f"consortium run {SAVED}")


def test_expected_values_are_about_the_file_as_it_was() -> None:
    view = View.opened("agmon2003/5.2.1")
    assert "[expect" in view.file
    assert "[expect" not in view.changed({"agents[1].declares": 1}).file


def test_what_cannot_be_used_is_refused_in_the_readers_words() -> None:
    view = View.opened("agmon2003/5.2.1")
    with pytest.raises(ScenarioError, match=r"agents\[1\]\.declares: found 'x'; expected a number > 0"):
        view.changed({"agents[1].declares": "x"})
    with pytest.raises(ScenarioError, match="expected valid TOML"):
        View.read("format = ")
    assert view.changes == {}


def test_only_regular_files_of_a_bearable_size_are_read(tmp_path: Path) -> None:
    """Of each nothing is read: a pipe would keep its reader waiting for ever."""
    os.mkfifo(tmp_path / "pipe.toml")
    (tmp_path / "large.toml").write_text("#" * (MAX_BYTES + 1))
    for source, found in {
        str(tmp_path / "pipe.toml"): "found a pipe, a device or a socket; expected a file of at most 262,144 bytes",
        "/dev/zero": "found a pipe, a device or a socket",
        str(tmp_path / "large.toml"): "found 262,145 bytes; expected a file of at most 262,144 bytes",
        str(tmp_path): "expected a scenario file, not a folder",
        "-": "expected an existing file or the name of a shipped scenario",
    }.items():
        with pytest.raises(ScenarioError, match=re.escape(found)):
            View.opened(source)
    with pytest.raises(ScenarioError, match="mine: found 262,145 bytes"):
        View.read("#" * (MAX_BYTES + 1), "mine")


@pytest.mark.parametrize("name", MINIMAL)
def test_a_view_travels_to_another_process(name: str) -> None:
    view = View.opened(name).changed({"title": "elsewhere"})
    again = pickle.loads(pickle.dumps(view))
    assert (again.source, again.changes, again.scenario.spec) == (view.source, view.changes, view.scenario.spec)
    assert (again.scenario.folder, again.scenario.name) == (view.scenario.folder, view.scenario.name)


def test_texts_that_look_like_something_else_are_quoted() -> None:
    assert [inline(text) for text in ("true", "inf", "3", "1/2", "none", "a-b")] == [
        '"true"', '"inf"', '"3"', "1/2", "none", "a-b",
    ]  # fmt: skip


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", shipped())
def test_every_shipped_scenario_is_written_as_it_is_read(name: str) -> None:
    view = View.opened(name)
    assert load(parse_text(view.file)).spec == view.scenario.spec
    assert pickle.loads(pickle.dumps(view)).scenario.spec == view.scenario.spec
