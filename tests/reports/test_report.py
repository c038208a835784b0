"""Reports: one page that holds all of an answer, in which everything that comes from a file is text."""

from __future__ import annotations

import base64
import copy
import gzip
import hashlib
import itertools
import json
import re
import shlex
import signal
import tomllib
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import consortium
from consortium.cli.app import app
from consortium.reports import figures, page
from consortium.reports.page import FILE, citation
from consortium.reports.report import gathered, save_tables
from consortium.support.errors import ConsortiumError, InputError
from consortium.verbs import dispatch

from ..verbs.sharing.logs import ask
from .cases import federation, users
from .pages import Reader

HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "</svg></style></title><b onclick='x'>",
    "=cmd|' /C calc'!A0",
    "\u202egpj.exe\u2066",
    "{{ 7 * 7 }}{% raw %}",
    "&lt;b&gt; ]]> --> $x^2$ \\frac",
]
NAMES = [name.replace("\u202e", "\\u202e").replace("\u2066", "\\u2066") for name in HOSTILE]


def hostile_scenario(kind: str) -> dict[str, Any]:
    """A small scenario of a kind in which all names are hostile."""
    top = {"format": 1, "kind": kind, "title": HOSTILE[0] + HOSTILE[4], "source": HOSTILE[1] + HOSTILE[2]}
    if kind == "declaration":
        agents = [{"name": name, "length": i + 1, "declares": 1} for i, name in enumerate(HOSTILE[:5])]
        return top | {"cluster": {"powers": [1, 2]}, "agents": agents, "mechanism": {"rule": "vcg-postpone"}}
    if kind == "multiuser":
        listed = [{"name": name, "objective": "makespan", "jobs": [i + 1]} for i, name in enumerate(HOSTILE)]
        return top | {"users": listed, "mechanism": {"rule": "fairest"}, "fairness": {"norm": "max"}}
    if kind == "federation":
        jobs = {"organizations": [{"name": name, "jobs": [i + 1]} for i, name in enumerate(HOSTILE)]}
        return top | jobs | {"mechanism": {"rule": "lpt-lpt"}}
    pool = [{"name": name, "machines": 1, "jobs": [[0, i + 1]]} for i, name in enumerate(HOSTILE[:4])]
    return top | {"until": 9, "organizations": pool, "mechanism": {"rule": "fifo"}}


def harmless(text: str) -> Reader:
    """The page read: one script, ours and named by the policy; nothing from elsewhere; no character that turns."""
    found = Reader(text)
    (script,) = found.inside("script")
    policy = next(attributes["content"] for tag, attributes in found.elements if attributes.get("http-equiv"))
    assert base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() in str(policy)
    assert not [name for _, attributes in found.elements for name in attributes if name.startswith("on")]
    assert not {tag for tag, _ in found.elements} & {"img", "iframe", "object", "embed", "form", "base", "link", "b"}
    assert all(address.startswith(("#", "data:")) for address in found.addresses)
    assert not re.findall(r"url\((?!#)|@import|https?://(?!www\.w3\.org/)", text)
    assert all(character.isprintable() or character == "\n" for character in text)
    return found


@pytest.mark.parametrize("kind", ["declaration", "federation", "sharing", "multiuser"])
def test_names_from_files_are_text(kind: str, request: pytest.FixtureRequest) -> None:
    if kind != "federation":  # one figure with names is enough: all go through the same door
        request.getfixturevalue("without_figures")
    found = harmless(consortium.report(hostile_scenario(kind)))
    scenario = hostile_scenario(kind)
    listed = next(scenario[key] for key in ("agents", "organizations", "users") if key in scenario)
    for i, _ in enumerate(listed):
        assert NAMES[i] in found.shown
    assert "49" not in found.shown  # of a template that was computed


def test_the_scenario_to_copy_says_the_same() -> None:
    scenario = hostile_scenario("federation")
    (text,) = page._files(gathered([scenario])[0].data)
    assert tomllib.loads(text) == scenario
    assert text.isascii()


@pytest.mark.usefixtures("without_figures")
def test_a_page_holds_the_record_and_the_commands() -> None:
    record = consortium.verify("agmon2003/5.2.1")
    found = harmless(consortium.report(record))
    assert "consortium verify scenario.toml" in found.shown
    assert "consortium check record.json.gz" in found.shown
    assert "dominant.witness.replay[1]" in found.shown
    assert "Agmon, Orna. Incentives and General Welfare Functions" in found.shown
    (packed,) = [address for address in found.addresses if address.startswith("data:application/gzip;base64,")]
    assert json.loads(gzip.decompress(base64.b64decode(packed.partition(",")[2]))) == record.to_dict()


@pytest.mark.usefixtures("without_figures")
def test_the_command_on_a_page_about_a_store_can_be_run(tmp_path: Path) -> None:
    store = tmp_path / "nights.db"
    ask(store=store, rules=["fair-share"], rule="fair-share")
    record = consortium.audit_trend(store, every="window")
    part = page._part(gathered([record])[0], 1, [], 1)
    assert part["command"].startswith(f"consortium audit trend {store} ")
    assert ("store", str(store)) in part["request"]
    answer = CliRunner().invoke(app, [*shlex.split(part["command"])[1:], "--json"])
    assert answer.exit_code == 0, answer.stderr
    assert json.loads(answer.stdout)["rows"] == record.to_dict()["rows"]


@pytest.fixture
def without_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Drawing takes longer than all the rest of a page."""
    monkeypatch.setattr(page, "_figure", lambda *_: None)


def files_of(record: Any, folder: Path) -> list[Any]:
    """The same answer as a dict and as files."""
    text = json.dumps(record.to_dict())
    (folder / "r.json").write_text(text)
    (folder / "r.json.gz").write_bytes(gzip.compress(text.encode()))
    return [record.to_dict(), folder / "r.json", folder / "r.json.gz"]


@pytest.mark.usefixtures("without_figures")
@pytest.mark.parametrize("verb", ["search", "compare", "verify", "design"])
def test_a_record_its_dict_and_its_files_give_the_same_page(verb: str, tmp_path: Path) -> None:
    record = consortium.ask(verb, "agmon2003/5.2.1")
    first = consortium.report(record, tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == first
    assert {consortium.report(each) for each in files_of(record, tmp_path)} == {first}


def test_the_game_behind_a_record_is_drawn_from_its_file_too() -> None:
    record = consortium.search("potentials/three-equal-jobs")
    behind: Any = figures._behind(record.to_dict())
    profiles = [*itertools.product(*map(record.game.strategies, range(len(record.game.players))))]
    assert [behind.game.costs(each) for each in profiles] == [record.game.costs(each) for each in profiles]
    assert [*map(behind.label, profiles)] == [*map(record.label, profiles)]
    assert figures._behind(consortium.run("minimal/multiuser").to_dict()) is None


def test_several_answers_share_a_page_and_a_scenario() -> None:
    found = harmless(consortium.report(["minimal/multiuser", "minimal/sharing"]))
    ids = [attributes["id"] for _, attributes in found.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    assert {"answer-1", "answer-2"} <= set(ids)
    assert {"source-scenario-1-toml", "source-scenario-2-toml"} <= set(ids)
    assert {address[1:] for address in found.addresses if address.startswith("#")} <= set(ids)


def its_own(name: str) -> None:
    """The report of a shipped scenario is about it, in sentences."""
    found = harmless(consortium.report(name))
    assert consortium.load(name).label in found.shown
    assert [attributes for _, attributes in found.elements if attributes.get("class") == "sentences"]


@pytest.mark.usefixtures("without_figures")
@pytest.mark.parametrize("name", consortium.shipped()[::5])
def test_shipped_scenarios_have_reports(name: str) -> None:
    its_own(name)


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", consortium.shipped())
def test_every_shipped_scenario_has_a_report_with_its_figure(name: str) -> None:
    its_own(name)


WHOLE = [
    ("run", "agmon2003/5.2.1"),
    ("verify", "agmon2003/5.2.1"),
    ("design", "agmon2003/5.2.1"),
    ("search", "agmon2003/5.2.1"),
    ("run", "minimal/sharing"),
    ("run", "minimal/multiuser"),
    ("verify", "minimal/federation"),
]


@pytest.mark.usefixtures("without_figures")
@pytest.mark.parametrize(("verb", "name"), WHOLE)
def test_a_record_in_which_something_is_missing_or_wrong_is_refused_in_a_sentence(verb: str, name: str) -> None:
    whole = consortium.ask(verb, name).to_dict()
    refused = 0
    for key in whole:
        for value in (None, 7, "x", [{}], {"a": {}}):
            broken = copy.deepcopy(whole) | {key: value}
            try:
                harmless(consortium.report(broken))
            except ConsortiumError as error:
                refused += 1
                assert "\n" not in str(error)[:40]
        with pytest.raises(ConsortiumError) if key in ("verb", "kind") else _maybe():
            consortium.report({k: v for k, v in whole.items() if k != key})
    assert refused


class _maybe:
    """A block that may raise an error of the package, and no other."""

    def __enter__(self) -> None: ...

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> bool:
        return kind is not None and issubclass(kind, ConsortiumError)


def test_an_error_of_ours_is_not_taken_for_one_of_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise KeyError("ours")

    monkeypatch.setattr(page, "sentences_of", broken)
    with pytest.raises(KeyError):
        consortium.report(consortium.run("minimal/multiuser"))
    with pytest.raises(InputError, match=r"record: found no whole record \(KeyError: 'ours'\)"):
        consortium.report(consortium.run("minimal/multiuser").to_dict())


def test_tables_beside_a_page_are_no_formulas(tmp_path: Path) -> None:
    answers = gathered([hostile_scenario("federation")])
    files = save_tables(answers, tmp_path / "page.html")
    assert [file.name for file in files] == ["page-1.csv", "page-2.csv", "page-3.csv"]
    text = files[0].read_text(encoding="utf-8")
    assert "'=cmd|" in text
    assert "\n=cmd" not in text
    assert "\u202e" not in text


def test_what_is_cited_are_the_works_that_are_named() -> None:
    assert len(citation([]).works) == 1
    named = citation(["Skowron & Rzadca 2014, 3", "Cordeiro 2012", "Agmon 2004"]).works
    assert [work.rpartition(" ")[2] for work in named[1:]] == ["2012).", "2014)."]
    assert FILE.is_file()


@pytest.mark.usefixtures("without_figures")
def test_a_game_is_searched_and_its_file_is_on_the_page() -> None:
    import numpy as np

    found = harmless(consortium.report(consortium.search([np.array([[3, 0], [5, 1]]), np.array([[3, 5], [0, 1]])])))
    assert "consortium search game.nfg" in found.shown
    assert "NFG 1 R" in found.shown


class Roads:
    """A game of one's own, which no file holds."""

    players = ("ann", "bob")

    def strategies(self, player: int) -> tuple[str, ...]:
        return ("north", "south")

    def costs(self, profile: tuple[str, ...]) -> list[int]:
        return [profile.count(road) for road in profile]


@pytest.mark.usefixtures("without_figures")
def test_a_game_of_ones_own_is_named_and_its_saved_record_makes_the_same_page(tmp_path: Path) -> None:
    record = consortium.search(Roads())
    file = tmp_path / "roads.json"
    file.write_text(json.dumps(record.to_dict()))
    found, again = (harmless(consortium.report(each)) for each in (record, str(file)))
    assert found.shown == again.shown
    assert f"{Roads.__module__}:Roads (code of one's own)" in found.shown
    assert "consortium search" not in found.shown


@pytest.mark.parametrize(
    ("source", "options", "said"),
    [
        ([], {}, "found nothing to report on"),
        ("minimal/multiuser", {"verbs": ["serach"]}, "Did you mean 'search'"),
        ("minimal/multiuser", {"path": "no-folder/x.html"}, "no folder no-folder"),
        ("minimal/multiuser", {"path": "x.pdf"}, "expected a file name that ends in .html or .htm"),
        ("no-such.json", {}, "no-such.json: found No such file"),
        ({"verb": "run", "kind": "declaratoin"}, {}, "Did you mean 'declaration'"),
        ({"verb": 3, "kind": "declaration"}, {}, "record: verb: found 3"),
    ],
)
def test_what_cannot_be_reported_is_told(source: Any, options: dict[str, Any], said: str) -> None:
    with pytest.raises(ConsortiumError, match=re.escape(said)):
        consortium.report(source, **options)


@pytest.mark.exhaustive
def test_sixty_organizations_and_sixty_users_have_a_report() -> None:
    many = federation("lpt-lpt") | {"organizations": [{"jobs": [i % 7 + 1]} for i in range(60)]}
    crowd = users("edf", thresholds=[2000] * 60)
    crowd["users"] = [{"objective": "makespan", "jobs": [i % 5 + 1]} for i in range(60)]
    found = harmless(consortium.report([many, crowd]))
    assert found.shown.count("20 more not listed") == 2


def test_records_are_not_asked_anew() -> None:
    record = consortium.run("minimal/federation")
    for given in ({"verbs": ["verify"]}, {"overrides": {"title": "elsewhere"}}):
        with pytest.raises(InputError, match="verbs and changed values are for scenarios"):
            gathered([record], **given)


def test_nothing_is_asked_after_ctrl_c(monkeypatch: pytest.MonkeyPatch) -> None:
    """A verb that Ctrl-C stops answers with what it has; what comes after it is not begun."""
    asked, answer = [], dispatch.ask

    def stopped(verb: str, *args: Any, **options: Any) -> Any:
        asked.append(verb)
        with suppress(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        return answer(verb, *args, **options)

    monkeypatch.setattr(dispatch, "ask", stopped)
    answers = gathered(["agmon2003/5.2.1", "agmon2003/5.2.2"], ["run", "verify"])
    assert (asked, [each.data["verb"] for each in answers]) == (["run"], ["run"])


def test_a_page_of_one_answer_says_its_title_once() -> None:
    """As its heading; the browser's tab has it too. Several answers have a heading each."""
    body = consortium.report("agmon2003/5.2.1").partition("<body")[2]
    assert body.count(">run: Light VCG is not truthful in dominant strategies<") == 1
