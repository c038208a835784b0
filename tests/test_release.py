"""What a release says of itself to several tools is one thing: version, requirements, names, commands."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import consortium

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
CITATION = yaml.safe_load((ROOT / "CITATION.cff").read_text())
CONDA = {"matplotlib": "matplotlib-base", "ortools": "ortools-python"}
"""Where conda-forge calls a distribution otherwise."""


def recipe() -> dict[str, Any]:
    """The recipe with its own context, which is all that it takes from outside."""
    text = (ROOT / "conda" / "recipe.yaml").read_text()
    context = yaml.safe_load(text)["context"]
    return dict(yaml.safe_load(re.sub(r"\$\{\{ (version|python_min) \}\}", lambda name: context[name[1]], text)))


def requirements(lines: list[str]) -> dict[str, str]:
    """Specifiers by name; ``name >=1`` and ``name>=1`` are the same."""
    parsed = [Requirement(line) for line in lines]
    return {canonicalize_name(each.name): str(each.specifier) for each in parsed}


def test_recipe_has_the_requirements_of_the_package() -> None:
    found = requirements(recipe()["requirements"]["run"])
    assert found.pop("python") == PROJECT["requires-python"]
    expected = requirements(PROJECT["dependencies"])
    assert found == {CONDA.get(name, name): specifier for name, specifier in expected.items()}


def test_recipe_has_version_command_and_license_of_the_package() -> None:
    found = recipe()
    assert found["package"] == {"name": PROJECT["name"], "version": consortium.__version__}
    assert found["build"]["python"]["entry_points"] == [f"{k} = {v}" for k, v in PROJECT["scripts"].items()]
    assert found["about"]["summary"] == PROJECT["description"]
    assert found["about"]["license"] == PROJECT["license"]
    assert [found["about"]["license_file"]] == PROJECT["license-files"]


def test_recipe_is_rendered_by_the_program_that_builds_it() -> None:
    builder = pytest.importorskip("rattler_build")
    rendered = builder.Stage0Recipe.from_file(str(ROOT / "conda" / "recipe.yaml")).render(builder.VariantConfig())
    assert [str(each.recipe.package.version) for each in rendered] == [consortium.__version__]
    assert rendered[0].recipe.to_dict()["requirements"]["run"] == recipe()["requirements"]["run"]


def test_changelog_begins_with_the_version() -> None:
    assert re.findall(r"^## (.+)$", (ROOT / "CHANGELOG.md").read_text(), re.M)[0] == consortium.__version__


def test_citation_and_archive_agree_and_name_no_version() -> None:
    archive = json.loads((ROOT / ".zenodo.json").read_text())
    assert "version" not in CITATION.keys() | archive.keys()  # the tag says it
    assert archive["title"] == CITATION["title"]
    assert archive["license"] == CITATION["license"] == PROJECT["license"]
    assert [each["name"] for each in archive["creators"]] == [each["name"] for each in CITATION["authors"]]
    assert archive["keywords"] == CITATION["keywords"]
    assert set(archive["keywords"]) <= set(PROJECT["keywords"])


def test_classifiers_name_the_pythons_that_are_allowed() -> None:
    named = [text.rpartition(":: ")[2] for text in PROJECT["classifiers"] if re.search(r":: 3\.\d+$", text)]
    assert f">={named[0]}" == PROJECT["requires-python"]
    assert [int(name.partition(".")[2]) for name in named] == list(range(11, 11 + len(named)))


def test_workflow_runs_scripts_that_are_there_and_the_commands_of_the_readme() -> None:
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "ci.yml").read_text())
    commands = [step["run"] for job in workflow["jobs"].values() for step in job["steps"] if "run" in step]
    scripts = [command.split()[1] for command in commands if command.startswith("bash ")]
    assert scripts == [".ci/run", ".ci/long"]
    assert all((ROOT / script).is_file() for script in scripts)
    readme = (ROOT / "README.md").read_text().splitlines()
    assert [command for command in commands if not command.startswith("bash ")] == [
        line for line in readme if line.startswith("python3 -m venv")
    ]
    assert "secrets." not in json.dumps(workflow)


def test_every_trial_of_the_long_run_is_described() -> None:
    page = (ROOT / "docs" / "contribute" / "how-the-house-is-built.md").read_text()
    long = (ROOT / ".ci" / "long").read_text()
    trials = re.findall(r"\[(\w+)\]=\d+", long)
    assert re.search(r"set -- (.+)$", long, re.M)[1].split() == trials  # type: ignore[index]
    assert all((ROOT / ".ci" / name).is_file() and f"`.ci/{name}`" in page for name in trials)


@pytest.mark.parametrize("name", ["wrong-answer", "question-to-ask"])
def test_issue_forms_ask_for_something_and_every_part_has_a_label(name: str) -> None:
    form = yaml.safe_load((ROOT / ".github" / "ISSUE_TEMPLATE" / f"{name}.yml").read_text())
    assert {"name", "description", "body"} <= set(form)
    assert all({"label", "description"} <= set(part["attributes"]) for part in form["body"])
    assert len({part["id"] for part in form["body"]}) == len(form["body"])
    assert any(part.get("validations", {}).get("required") for part in form["body"])


@pytest.mark.parametrize("name", ["CHANGELOG", "CONTRIBUTING", "CODE_OF_CONDUCT", "SECURITY", "README"])
def test_links_of_the_first_pages_lead_somewhere(name: str) -> None:
    links = re.findall(r"\]\(([^)#]+)", (ROOT / f"{name}.md").read_text())
    assert [link for link in links if "://" not in link and not (ROOT / link).exists()] == []
