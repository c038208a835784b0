"""The page in a real browser, as a visitor uses it: by pointer, by keyboard, on a telephone, in two tabs."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from ..browser import NoBrowserError, Visitor, skipped_or_failed

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

SCENARIOS = {
    "declaration": "agmon2003/5.2.1",
    "federation": "coalitions/swap",
    "sharing": "skowron-rzadca2013/figure-7",
    "multiuser": "cordeiro2012/figure-6.2",
}
LONG = 30_000
"""Milliseconds for what waits for a new process, on a machine that does other things."""


@pytest.fixture(scope="module")
def address(chromium: object, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Of a server of its own, which ends by Ctrl-C as if nothing had happened."""
    if find_spec("nicegui") is None:
        skipped_or_failed(NoBrowserError("the extra `explore` is not installed"))
    command = [sys.executable, "-m", "consortium", "explore", SCENARIOS["declaration"], "--no-open"]
    folder = tmp_path_factory.mktemp("explorer")
    with (folder / "stderr").open("w+") as errors:
        pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": errors}
        server = subprocess.Popen(command, text=True, cwd=folder, env=os.environ, start_new_session=True, **pipes)
        assert server.stdout is not None
        yield server.stdout.readline().strip()
        os.killpg(server.pid, signal.SIGINT)  # as a terminal does
        assert server.wait(20) == 0
        errors.seek(0)
        assert errors.read() == ""
    assert [path.name for path in folder.iterdir()] == ["stderr"]


def opened(visitor: Visitor, address: str, name: str | None = None, width: int = 1400, **options: Any) -> Page:
    """The page in a tab of its own, showing a scenario."""
    page = visitor.open(address, width, **options)
    page.set_default_timeout(LONG)
    page.locator(".line").first.wait_for(state="attached")  # the last that comes of a declaration, the first scenario
    if name is not None:
        choose(page, name)
    return page


def choose(page: Page, path: str) -> None:
    page.get_by_label("or the path of a file").fill(path)
    page.get_by_role("button", name="open", exact=True).click()


def command(page: Page) -> str:
    return str(page.get_by_label("The command line of what you see").locator(".command").inner_text())


def has(field: Locator, value: str | re.Pattern[str]) -> None:
    """Wait until a field, which may be drawn anew meanwhile, has this value."""
    from playwright.sync_api import expect

    expect(field).to_have_value(value, timeout=LONG)


def shows(page: Page, text: str | re.Pattern[str]) -> None:
    """Wait until the command line of what is seen is this."""
    page.get_by_label("The command line of what you see").get_by_text(text).wait_for()


def test_a_slider_a_field_and_the_best_lie(visitor: Visitor, address: str) -> None:
    page = opened(visitor, address)
    ann = page.get_by_label("Agent ann")
    ann.get_by_label("declares: slider").focus()
    page.keyboard.press("ArrowRight")
    shows(page, "--set 'agents[1].declares=3/20'")
    page.get_by_label("What everybody gets").get_by_role("cell", name="3/20", exact=True).first.wait_for()
    ann.get_by_label("declares: number").fill("1/3")
    ann.get_by_label("declares: number").press("Enter")
    shows(page, "--set 'agents[1].declares=1/3'")
    page.locator(".mark.chosen title", has_text="now: declares 1/3, utility").wait_for(state="attached")
    page.get_by_role("button", name="find the lie that pays most").click()
    page.get_by_text("ann gains 21/20 by declaring 1/20").wait_for()
    shows(page, "--set 'agents[1].declares=1/20'")
    page.get_by_label("Agent bob").get_by_label("has: slider").focus()
    page.keyboard.press("ArrowRight")
    page.get_by_text("ann gains 21/20 by declaring 1/20").wait_for(state="hidden")  # it was about another scenario
    ann.get_by_role("button", name="tell the truth").click()
    shows(page, "--set 'agents[1].declares=1'")
    has(page.get_by_role("textbox", name="scenario file"), re.compile("declares = 1 }"))


def test_rule_goal_and_penalty_are_chosen(visitor: Visitor, address: str) -> None:
    page = opened(visitor, address)
    page.get_by_role("combobox", name="rule").click()
    page.get_by_role("option", name=re.compile("^evcg-renice")).click()
    shows(page, "mechanism.rule=evcg-renice")
    page.get_by_role("combobox", name="goal").click()
    page.get_by_role("option", name="weighted-sum").click()
    shows(page, '"weights" = { "ann" = 1, "bob" = 1 }')
    page.get_by_role("combobox", name="penalty").click()
    page.get_by_role("option", name="safe").click()
    shows(page, "mechanism.penalty=safe")


def test_a_guided_tour_is_followed_and_left(visitor: Visitor, address: str) -> None:
    from playwright.sync_api import expect

    page = opened(visitor, address)
    page.get_by_role("combobox", name="guided tour").click()
    page.get_by_role("option", name="placement games").click()
    guide = page.get_by_label("Guided tour", exact=True)
    guide.get_by_text("1 of 6: Each organization owns a machine").wait_for()
    expect(guide.get_by_role("button", name="back")).to_be_disabled()
    shows(page, "consortium run exercises/2.3")
    page.get_by_role("button", name="play a best response").wait_for()
    guide.get_by_role("button", name="next").click()
    guide.get_by_text("2 of 6: One job of O1 has moved").wait_for()
    shows(page, "--set 'placement=")
    page.get_by_text("Nobody: this is an equilibrium.").wait_for()
    expect(page.get_by_label("shipped scenario")).to_have_value("exercises/2.3")
    guide.get_by_role("button", name="back").click()
    guide.get_by_text("1 of 6").wait_for()
    page.get_by_role("button", name="Clear").last.click()
    guide.wait_for(state="hidden")
    shows(page, "consortium run exercises/2.3")


def test_wrong_numbers_and_wrong_files_are_told_in_the_readers_words(
    visitor: Visitor, address: str, tmp_path: Path
) -> None:
    page = opened(visitor, address)
    field, alert = page.get_by_label("Agent ann").get_by_label("has: number"), page.get_by_role("alert")
    field.fill("ten")
    field.press("Enter")
    alert.get_by_text("agents[1].length: found 'ten'; expected a number > 0").wait_for()
    has(field, "1")
    choose(page, "agmon2003/5.2.11")
    alert.get_by_text("Did you mean 'agmon2003/5.2.1'?").wait_for()
    wrong = tmp_path / "wrong.toml"
    wrong.write_text('format = 1\nkind = "federation"\ntitel = "<script>document.title = 1</script>"\n')
    page.locator("input[type=file]").set_input_files(wrong)
    alert.get_by_text("organizations: found nothing").wait_for()
    assert "titel: found an unknown key" in alert.inner_text()
    file = page.get_by_role("textbox", name="scenario file")
    file.fill("format = ")
    page.get_by_role("button", name="apply changes").click()
    alert.get_by_text("expected valid TOML 1.0").wait_for()
    assert command(page) == f"consortium run {SCENARIOS['declaration']}"


def test_a_file_of_ones_own_is_shown_its_names_as_text_and_edited(
    visitor: Visitor, address: str, tmp_path: Path
) -> None:
    page = opened(visitor, address)
    mine = tmp_path / "mine.toml"
    mine.write_text(
        'format = 1\nkind = "declaration"\ntitle = "<img src=x onerror=alert(1)>"\n[cluster]\npowers = [1]\n'
        '[[agents]]\nname = "<script>alert(1)</script>"\nlength = 2\n[mechanism]\nrule = "harsh"\n'
    )
    page.locator("input[type=file]").set_input_files(mine)
    page.get_by_role("heading", name="<img src=x onerror=alert(1)> (declaration)").wait_for()
    page.get_by_text("Save the file below as scenario.toml first.").wait_for()
    page.get_by_role("heading", name="Agent <script>alert(1)</script>").wait_for()
    assert command(page) == "consortium run scenario.toml"
    file = page.get_by_role("textbox", name="scenario file")
    file.fill(file.input_value().replace("length = 2", "length = 5"))
    page.get_by_text("The file below has changes that are not applied yet.").wait_for()
    page.get_by_role("button", name="apply changes").click()
    has(page.get_by_label("has: number"), "5")


def test_jobs_are_dragged_moved_by_keys_and_tapped(visitor: Visitor, address: str) -> None:
    page = opened(visitor, address, SCENARIOS["federation"])
    job, hosts = page.locator("#job-0-0"), page.locator("[data-host]")
    job.wait_for()
    job.drag_to(hosts.nth(2))
    shows(page, '"O1" = ["O3"')
    page.get_by_label("Costs").get_by_text("social cost").wait_for()
    job.focus()
    page.keyboard.press("ArrowLeft")
    shows(page, '"O1" = ["O2"')
    page.wait_for_function("document.activeElement.id === 'job-0-0'")
    page.keyboard.press("ArrowLeft")
    shows(page, '"O1" = ["O1"')
    page.locator("#job-2-0").click()
    hosts.nth(0).get_by_role("heading").click()
    shows(page, '"O3" = ["O1"')


def test_best_responses_are_played_and_what_a_search_finds_is_jumped_to(visitor: Visitor, address: str) -> None:
    page = opened(visitor, address, SCENARIOS["federation"])
    wants = page.get_by_label("Who wants to move")
    for _ in range(12):
        wants.get_by_text(re.compile("becomes|Nobody")).first.wait_for()
        page.wait_for_timeout(300)
        page.get_by_role("button", name="play a best response").click()
        wants.locator(".status", has_text=re.compile("becomes|equilibrium")).wait_for()
        if "this is an equilibrium" in wants.locator(".status").last.inner_text():
            break
    wants.get_by_text("Nobody wants to move: this is an equilibrium.").wait_for()
    page.get_by_role("button", name="search").click()
    page.get_by_role("button", name=re.compile("^optimum, social cost")).click()
    page.get_by_label("Costs").get_by_text("social cost 7,").wait_for()


def test_a_long_question_is_stopped(visitor: Visitor, address: str, tmp_path: Path) -> None:
    jobs = [[(7 * k + 5 * j * j) % 19 + 1 for j in range(5)] for k in range(20)]
    rows = "".join(f"[[organizations]]\njobs = {lengths}\n" for lengths in jobs)
    (tmp_path / "twenty.toml").write_text(
        f'format = 1\nkind = "federation"\n{rows}[mechanism]\nrule = "coordination"\n'
    )
    page = opened(visitor, address, str(tmp_path / "twenty.toml"))
    page.locator("#job-0-0").wait_for()
    page.get_by_role("button", name="search").click()
    page.get_by_text(re.compile("search: (best-response moves|nodes)")).wait_for()
    page.get_by_label("Longer questions").get_by_role("button", name="stop").click()
    page.get_by_text("search: stopped; this is what is known").wait_for()
    page.get_by_label("Longer questions").get_by_text("smallest epsilon").wait_for()


def test_a_rule_is_held_against_a_rule(visitor: Visitor, address: str) -> None:
    page = opened(visitor, address, SCENARIOS["sharing"])
    page.get_by_role("combobox", name="held against").click()
    page.get_by_role("option", name="round-robin").click()
    page.get_by_text("rule round-robin").wait_for()
    page.locator("section[aria-label='Received minus contributed'] .line").nth(3).wait_for(state="attached")
    page.locator("section[aria-label='Schedule'] .plot").nth(1).wait_for()


def test_pareto_points_are_chosen_by_pointer_and_by_key(visitor: Visitor, address: str) -> None:
    page = opened(visitor, address, SCENARIOS["multiuser"])
    page.locator("[data-key='7']").click()
    page.locator("[data-key='7'][aria-pressed='true']").wait_for()
    gets = page.get_by_label("What everybody gets")
    first = gets.locator(".command").inner_text()
    assert first.startswith(f"consortium run {SCENARIOS['multiuser']} --set 'mechanism=")
    page.locator("[data-key='9']").focus()
    page.keyboard.press("Enter")
    page.locator("[data-key='9'][aria-pressed='true']").wait_for()
    assert gets.locator(".command").inner_text() != first
    page.get_by_role("button", name="back to the rule").click()
    page.wait_for_function("!document.querySelector('[aria-pressed=true]')")


def test_two_tabs_do_not_hear_of_each_other(visitor: Visitor, address: str) -> None:
    one, two = opened(visitor, address), opened(visitor, address)
    one.get_by_label("Agent bob").get_by_label("declares: number").fill("7")
    one.get_by_label("Agent bob").get_by_label("declares: number").press("Enter")
    shows(one, "--set 'agents[2].declares=7'")
    choose(two, SCENARIOS["sharing"])
    shows(two, SCENARIOS["sharing"])
    assert command(two) == f"consortium run {SCENARIOS['sharing']}"
    assert command(one) == f"consortium run {SCENARIOS['declaration']} --set 'agents[2].declares=7'"


@pytest.mark.parametrize("kind", SCENARIOS)
def test_every_kind_fits_a_telephone(visitor: Visitor, address: str, kind: str) -> None:
    page = opened(visitor, address, SCENARIOS[kind], width=400, scheme="dark")
    page.get_by_role("heading", name=f"({kind})").wait_for()
    page.locator(".plot").first.wait_for()
    page.wait_for_timeout(300)
    assert page.evaluate("document.documentElement.scrollWidth") == 400


def test_who_does_not_know_the_address_gets_nothing(visitor: Visitor, address: str) -> None:
    machine, token = re.fullmatch(r"(http://127\.0\.0\.1:\d+/)([\w-]{32})/", address).groups()  # type: ignore[union-attr]
    other = token[:-1] + ("B" if token.endswith("A") else "A")
    for asked in (machine, f"{machine}docs", f"{machine}{other}/", f"{machine}_nicegui_ws/socket.io/"):
        with pytest.raises(HTTPError, match="403"):
            urlopen(asked)
    for headers in ({"Host": "evil.example"}, {"Origin": "http://evil.example"}):
        with pytest.raises(HTTPError, match="403"):
            urlopen(Request(address, headers=headers))
    for nothing in ("docs", "openapi.json", "redoc"):
        with pytest.raises(HTTPError, match="404"):
            urlopen(f"{address}{nothing}")
    visitor.open(machine)
    assert any("403" in trouble for trouble in visitor.troubles)
    visitor.troubles.clear()


def test_the_list_of_shipped_scenarios_follows_what_is_opened(visitor: Visitor, address: str, tmp_path: Path) -> None:
    from playwright.sync_api import expect

    page = opened(visitor, address, SCENARIOS["federation"])
    shipped = page.get_by_label("shipped scenario")
    expect(shipped).to_have_value(SCENARIOS["federation"])
    mine = tmp_path / "mine.toml"
    mine.write_text(page.get_by_role("textbox", name="scenario file").input_value())
    choose(page, str(mine))
    expect(shipped).to_have_value("")
    assert command(page) == f"consortium run {mine}"


def test_a_pipe_and_two_thousand_agents_hold_no_tab_up(visitor: Visitor, address: str, tmp_path: Path) -> None:
    one, other = opened(visitor, address), opened(visitor, address)
    os.mkfifo(tmp_path / "pipe.toml")
    choose(one, str(tmp_path / "pipe.toml"))
    one.get_by_role("alert").get_by_text("found a pipe, a device or a socket").wait_for()
    agents = "".join(f"[[agents]]\nlength = {1 + i % 97}\n" for i in range(2000))
    head = 'format = 1\nkind = "declaration"\ncluster = { powers = [1, 2] }\nmechanism = { rule = "harsh" }\n'
    (tmp_path / "crowd.toml").write_text(head + agents)
    choose(one, str(tmp_path / "crowd.toml"))
    other.get_by_label("Agent ann").get_by_label("declares: number").fill("7")
    other.get_by_label("Agent ann").get_by_label("declares: number").press("Enter")
    shows(other, "--set 'agents[1].declares=7'")
    one.get_by_text("There is too much to be moved by hand: change the file below.").wait_for()
    one.get_by_label("Answer").get_by_text("1,800 more not listed; the command lists all").wait_for()
    assert not one.get_by_role("slider").count()
