"""The generated pages of the reference say what the schema, the registry, the commands and the limits say."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "docs"))

import glossary
import reference_commands
import reference_files
import reference_limits

from consortium.mechanisms.kinds import KINDS, shipped_rules
from consortium.scenarios.reader import load, locate
from consortium.studies.blocks import schema as schema_of_studies
from consortium.verbs.schema import schema

ROOT = Path(__file__).resolve().parents[2]
pages = cache(reference_files.pages)
NOT_PACKAGED = {"tests", "benchmarks", "docs", "build", "dist"}


def cells(section: str) -> list[list[str]]:
    """The rows of the first table of a section, without its head."""
    lines = [line for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines[2:]]


def sections(page: str) -> dict[str, str]:
    return {part.partition("\n")[0]: part.partition("\n")[2] for part in page.split("\n## ")[1:]}


def of_schema(found: Mapping[str, Any], definitions: Mapping[str, Any], place: str = "") -> Iterator[tuple[str, str]]:
    """Tables and keys, read off the JSON Schema: a table that has a title is one of the file's, others are values."""
    for name, key in found["properties"].items():
        yield place, name
        queue = [key] if name != "expect" else []
        while queue:
            part = queue.pop()
            if "$ref" in part:
                yield from of_schema(definitions[part["$ref"].rpartition("/")[2]], definitions, f"{place}.{name}")
            elif "properties" in part and "title" in part and part.get("maxProperties") != 1:
                yield from of_schema(part, definitions, f"{place}.{name}")
            queue += [*part.get("anyOf", []), *([part["items"]] if "items" in part else [])]


@pytest.mark.parametrize("kind", [*(kind.name for kind in KINDS), "study"])
def test_a_page_of_files_has_the_keys_of_the_schema_and_no_others(kind: str) -> None:
    found = schema_of_studies() if kind == "study" else schema(kind)
    expected = sorted(of_schema(found, found.get("$defs", {})))
    shown = []
    for head, section in sections(pages()[f"files-{kind}"]).items():
        inner = re.fullmatch(r"Tables in `(\w+)` of `\[\[(\w+)]]`", head)
        place = f".{inner[2]}.{inner[1]}" if inner else "".join(f".{name}" for name in re.findall(r"\[(\w+)]", head))
        shown += [(place, row[0].strip("`")) for row in cells(section) if head != "An example"]
    assert sorted(shown) == expected


@pytest.mark.parametrize("kind", [kind.name for kind in KINDS])
def test_the_example_writes_every_key_of_its_rule(kind: str) -> None:
    path = locate(f"complete/{kind}")
    assert path.read_text().rstrip() in pages()[f"files-{kind}"]
    data = load(path).data
    assert {"rule", *shipped_rules(kind)[data["mechanism"]["rule"]].options} == set(data["mechanism"])


@pytest.mark.parametrize("kind", [kind.name for kind in KINDS])
def test_a_page_of_rules_has_every_rule_with_its_keys_and_claims(kind: str) -> None:
    found = sections(pages()[f"rules-{kind}"])
    assert set(found) == set(shipped_rules(kind))
    for name, rule in shipped_rules(kind).items():
        first = [row[0].strip("`") for row in cells(found[name])]
        assert set(first) >= {*rule.options, *rule.claims, *rule.refuted}
        assert rule.source in found[name]
        assert all(f"`{scenario}`" in found[name] for scenario in rule.refuted.values())


def test_the_page_of_commands_has_every_option_of_every_command() -> None:
    found = sections(reference_commands.page())
    for typed, command in reference_commands.commands():
        shown = " ".join(row[0] for row in cells(found[typed]))
        for parameter in reference_commands.parameters(command):
            typed_as = [parameter.opts[0], (parameter.name or "").upper(), str(parameter.metavar).replace("|", r"\|")]
            assert any(f"`{name}" in shown or f", {name}" in shown for name in typed_as), (typed, parameter.name)
    assert [row[0] for row in cells(found["Exit codes"])] == [f"`{code}`" for code in range(5)]
    assert cells(found["consortium search"])[2][1:] == ["10", "Rows to list in long tables."]


def constants() -> Iterator[str]:
    """Constants of the package that are named like limits: ``module:NAME``."""
    for path in ROOT.rglob("*.py"):
        parts = path.relative_to(ROOT).with_suffix("").parts
        if parts[0] in NOT_PACKAGED or parts[0].startswith("."):
            continue
        for name in re.findall(r"^(?:\w+_)?(?:MAX|MOST)(?:_\w+)?(?=(?:: \w+)? = )", path.read_text(), re.M):
            yield f"{'.'.join(parts)}:{name}"


def test_every_limit_is_on_the_page_or_no_user_meets_it() -> None:
    told = {limit.constant for limit in reference_limits.LIMITS}
    inside = set(reference_limits.INSIDE)
    assert not told & inside
    assert sorted(set(constants()) - told - inside) == []
    assert sorted((told | inside) - set(constants()) - {"scenarios.fields:DIGITS", "scheduling.cp_sat:LIMIT",
                                                       "workloads.families.base:LONGEST"}) == []  # fmt: skip
    page = reference_limits.page()
    for limit in reference_limits.LIMITS:
        assert f"| {limit.method} | {reference_limits.written(limit)} |" in page
        assert reference_limits.value(limit) > 1


def test_limits_are_written_for_people() -> None:
    by_name = {limit.constant: limit for limit in reference_limits.LIMITS}
    assert reference_limits.written(by_name["games.normal_form:MAX_BYTES"]) == "4 GiB"
    assert reference_limits.written(by_name["scenarios.reader:MAX_BYTES"]) == "16 MiB"
    assert reference_limits.written(by_name["mechanisms.sharing.catalogue:REF_MAX"]) == "18"


WORDS = {"phi", "psi", "rent", "EVCG", "margin", "zenith", "nadir", "epsilon", "CLOSE", "EARLY", "POST", "RN", "REF"}


def test_the_glossary_has_the_symbols_and_pages_link_to_it() -> None:
    assert set(glossary.terms()) >= WORDS
    assert len(glossary.terms()) == len(set(glossary.terms()))
    linked = [term for page in pages().values() for term in re.findall(r"\{term}`([^`]*)`", page)]
    assert len(set(linked)) > 15
    assert set(linked) <= set(glossary.terms())


@pytest.mark.parametrize("word", ["Groves", "cyclic monotonicity", "LevelFS", "strategyproof", "individually rational"])
def test_words_of_textbooks_stand_in_the_glossary_and_where_they_are_explained(word: str) -> None:
    """Who searches the pages for them finds both."""
    assert any(word in term for term in glossary.terms())
    written = [page for page in (ROOT / "docs").glob("*/*.md") if page.parent.name != "reference"]
    assert any(word in page.read_text() for page in written)
