"""The papers: a bibliography without loose ends, the journal's sections, and no erratum without a command."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "docs" / "paper"
HEADER, TEXT = (FOLDER / "paper.md").read_text().removeprefix("---\n").split("\n---\n", 1)
LONG = (FOLDER / "what-exact-verification-found.md").read_text()
SECTIONS = (
    "Summary",
    "Statement of need",
    "State of the field",
    "Software design",
    "Research impact statement",
    "AI usage disclosure",
    "Acknowledgements",
    "References",
)


def entries() -> dict[str, dict[str, str]]:
    """The bibliography: by key, each entry's fields, its type among them."""
    pieces = re.findall(r"^@(\w+)\{(\w+),\n(.*?)^\}$", (FOLDER / "paper.bib").read_text(), re.M | re.S)
    return {key: {"type": kind} | dict(re.findall(r"^  (\w+) = \{(.*)\},?$", body, re.M)) for kind, key, body in pieces}


def test_every_citation_is_defined_and_every_entry_is_cited() -> None:
    assert set(re.findall(r"@(\w+)", TEXT)) == set(entries())
    assert len(entries()) == (FOLDER / "paper.bib").read_text().count("\n@") + 1


@pytest.mark.parametrize("key", entries())
def test_entry_of_the_bibliography_says_where_the_work_is_found(key: str) -> None:
    entry = entries()[key]
    venue = {"article": "journal", "inproceedings": "booktitle", "incollection": "booktitle", "misc": "url"}
    assert {"author", "title", "year", venue.get(entry["type"], "school")} <= set(entry)
    assert re.fullmatch(r"(18|19|20)\d\d", entry["year"])
    assert key.endswith(entry["year"]) or key == "coq"
    assert re.fullmatch(r"10\.\d{4,9}/[-.;()/:A-Za-z0-9_]+", entry.get("doi", "10.1000/none"))
    assert all(value.count("{") == value.count("}") for value in entry.values())


def test_paper_has_the_header_sections_and_length_that_the_journal_asks_for() -> None:
    header = yaml.safe_load(HEADER)
    assert {"title", "tags", "authors", "affiliations", "date", "bibliography"} == set(header)
    assert {author["affiliation"] for author in header["authors"]} == {row["index"] for row in header["affiliations"]}
    assert tuple(re.findall(r"^# (.*)$", TEXT, re.M)) == SECTIONS
    assert 750 <= len(TEXT.split()) <= 1750


def test_numbers_of_the_paper_are_those_of_the_package() -> None:
    assert "More than 300 scenarios" in TEXT
    assert len(list((ROOT / "scenarios").rglob("*.toml"))) > 300
    assert "more than fifty statements are checked by Coq" in " ".join(TEXT.split())
    assert sum(path.read_text().count("Print Assumptions ") for path in (ROOT / "theorems").glob("*Theorems.v")) > 50


@pytest.mark.skipif(shutil.which("pandoc") is None, reason="pandoc is not installed")
def test_pandoc_resolves_every_citation(tmp_path: Path) -> None:
    options = "--citeproc --fail-if-warnings --mathml --standalone --output"
    command = ["pandoc", "paper.md", *options.split(), str(tmp_path / "paper.html")]
    subprocess.run(command, cwd=FOLDER, check=True, capture_output=True)
    page = (tmp_path / "paper.html").read_text()
    assert page.count('class="csl-entry"') == len(entries())


def named(cell: str) -> list[str]:
    """The scenarios that the last cell of a table names: a name may leave out the folder, or all but its end."""
    names: list[str] = []
    for token in re.findall(r"`([^`]+)`", cell):
        if token.startswith("-"):
            names.append(names[-1] + token)
        else:
            names.append(token if "/" in token else f"{names[-1].partition('/')[0]}/{token}")
    return names


def test_no_erratum_without_its_command() -> None:
    """Every scenario of the tables exists and is checked on the page; a row without one says where its code is."""
    errata = LONG.partition("## 6. Errata")[2].partition("## 7.")[0]
    rows = [re.split(r" \| ", row.strip("| ")) for row in re.findall(r"^\| .*\|$", errata, re.M)]
    rows = [row for row in rows if row[0] != "place"]
    commands = " ".join(re.findall(r"^\$ consortium check (.*)$", LONG, re.M)).split()
    assert len(rows) >= 25
    for row in rows:
        scenarios = named(row[-1])
        assert scenarios or "below" in row[-1], row
        assert not set(scenarios) - set(commands), row
        assert all((ROOT / "scenarios" / f"{name}.toml").exists() for name in scenarios)


def test_references_of_the_long_paper_are_numbered_and_used() -> None:
    text, _, listed = LONG.partition("\n## References\n")
    prose = re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S)
    numbers = re.findall(r"^(\d+)\. ", listed, re.M)
    assert numbers == [str(n + 1) for n in range(len(numbers))]
    assert set(re.findall(r"(?<![\w(])\[(\d+)\](?!\()", prose + listed)) == set(numbers)
