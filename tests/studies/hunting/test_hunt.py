"""Hunts: what they find breaks the claim, is small, is written and confirmed, whoever hunts it and however."""

from __future__ import annotations

import json
from concurrent.futures import Future
from importlib import import_module
from typing import Any

import pytest
from numpy.random import default_rng

import consortium
from consortium import InputError, UnknownNameError, hunt
from consortium.games.placement.all_lengths.cover import leftover
from consortium.games.placement.all_lengths.shapes import Shape
from consortium.mechanisms.declaration import build
from consortium.parallel.executors import LostWorkerError, Pool
from consortium.studies.hunting import Size, size_of
from consortium.studies.hunting.claims.verdict import hunting_of
from consortium.studies.hunting.search import Lot, search, work
from consortium.studies.hunting.shrinking import extents
from consortium.studies.hunting.target import Hunt, Target
from consortium.support.errors import NotKeptError
from consortium.support.progress import Clock
from consortium.support.status import Status
from consortium.verbs.claims import leaves
from consortium.verbs.options import read_options
from consortium.verbs.rules import every

from ...command_line import command

UNREACHED = {"pure-equilibrium", "exact-equilibrium", "contributions-nonnegative"}
"""Refuted by instances that random families do not reach within a minute; the how-to page says why."""
QUICK = {("spt-lpt", "lpt-local-constraint"), ("ilba", "spt-local-total-constraint")}
FOUND = [
    pytest.param(
        one.info,
        claim,
        id=f"{one.info.id}-{claim}",
        marks=[] if (one.info.id, claim) in QUICK else [pytest.mark.exhaustive],
    )
    for one in every()
    for claim in sorted(set(one.info.refuted) - UNREACHED)
]


@pytest.fixture(autouse=True)
def _few_neighbours(request, monkeypatch):
    """Random ways out of a local minimum are most of a hunt: in full they are tried by ``-m exhaustive``."""
    if not request.node.get_closest_marker("exhaustive"):
        monkeypatch.setattr(import_module("consortium.studies.hunting.shrinking"), "TRIES", 500)


@pytest.mark.parametrize(("rule", "claim"), FOUND)
def test_every_refuted_claim_within_reach_is_broken_by_an_instance_no_larger(rule, claim, tmp_path):
    record = hunt(rule.id, claim, time_limit=600, output=tmp_path / "found.toml")
    assert record.broken
    assert record.minimal
    assert record.status is Status.REFUTED
    assert record.claim_status == f"refuted by {rule.refuted[claim]}"
    assert Size(**dict(record.size)) <= size_of(consortium.load(rule.refuted[claim]))
    files = sorted(tmp_path.iterdir())
    assert len(files) == len(record.replay)
    rows = consortium.check([str(file) for file in files])
    assert rows
    assert all(row.holds for _, _, row in rows)


def test_every_claim_of_a_record_of_a_hunt_is_found_again():
    """The record once had no request, so that only the scenario in it was checked."""
    data = hunt("vcg-renice", "ex-post", overrides={"mechanism.penalty": "99/100"}, time_limit=3600).to_dict()
    rows = [row for _, _, row in consortium.check(data, time_limit=3600)]
    assert {row.holds for row in rows} == {True}
    assert {row.key for row in rows} == {key for key, _ in leaves(data)} - {"version"}
    agents = data["replay"][0]["agents"]
    agents[0]["length"] = 1000
    rows = [row for _, _, row in consortium.check(data | {"instances": 3}, time_limit=3600)]
    assert [row.key for row in rows if row.holds is False] == ["instances", "replay"]


def test_a_hunt_that_takes_longer_than_check_may_is_replayed(monkeypatch):
    data = hunt("verified", "priced-in-advance").to_dict()
    monkeypatch.setattr("consortium.verbs.judging.Clock", lambda *_: Clock(0))
    rows = consortium.check(data)
    assert {row.holds for place, _, row in rows if place != "record"} == {True}
    assert {row.note for place, _, row in rows if place == "record"} == {"consortium check RECORD --time-limit 40"}
    data["replay"][0]["expect"]["verify"]["properties"]["priced_in_advance"]["holds"] = True
    assert [row for _, _, row in consortium.check(data) if row.holds is False]


def test_a_hunt_that_would_end_elsewhere_is_not_repeated():
    other = hunt("verified", "priced-in-advance").to_dict() | {"version": "0.0.1"}
    for data in (hunt("harsh", "dominant", time_limit=0).to_dict(), other):
        rows = [row for place, _, row in consortium.check(data) if place == "record"]
        assert {row.note for row in rows} == {"a hunt that time ended, or of another version, is not repeated"}


def test_no_record_of_a_hunt_imports_anything():
    record = hunt(f"{__name__}:late_price", "individually-rational", kind="declaration").to_dict()
    record["request"]["options"]["rule"]["object"] = "no.such:thing"
    (note,) = {row.note for _, _, row in consortium.check(record) if row.key == "broken"}
    assert note == "custom code, which nothing imports unasked: consortium check RECORD --mechanism no.such:thing"
    record["request"]["options"]["rule"] = "no.such:thing"
    (note,) = {row.note for _, _, row in consortium.check(record) if row.key == "broken"}
    assert note.startswith("asking again is refused: rule: 'no.such:thing' is not known")


def test_a_hunt_has_a_page(tmp_path):
    record = hunt("vcg-renice", "ex-post", overrides={"mechanism.penalty": "99/100"})
    consortium.report(record, tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert "consortium hunt --set mechanism.penalty=99/100 --rule vcg-renice --claim ex-post" in page


def test_a_claim_that_is_proved_is_hunted_in_vain_and_says_so():
    record = hunt("harsh", "dominant", time_limit=0)
    assert record.claim_status.startswith("proved: all lengths")
    assert (record.broken, record.status, record.replay) == (False, Status.SAMPLED, ())
    assert "; none exists within what is proved, beyond it one may." in str(record)
    other = hunt("harsh", "dominant", overrides={"welfare.goal": "max"}, time_limit=0)
    assert other.claim_status == f"{record.claim_status} (with the rule's default options)"


def test_options_of_the_rule_belong_to_the_question():
    record = hunt("vcg-renice", "ex-post", overrides={"mechanism.penalty": "99/100"})
    assert record.broken
    assert record.replay[0]["mechanism"] == {"rule": "vcg-renice", "penalty": "99/100"}
    assert record.claim_status.startswith(("proved", "enumerated"))


def late_price(cluster):
    """A mechanism of one's own, under which nobody who pays is better off."""
    return build("verified", cluster)


def test_a_mechanism_of_ones_own_is_hunted_by_object_and_by_reference():
    by_object = hunt(claim="individually-rational", mechanism=late_price, kind="declaration")
    assert by_object.broken
    assert by_object.replay == ()
    instance = by_object.to_dict()["instance"]
    judged = consortium.run(instance, mechanism=late_price)
    assert min(agent.utility for agent in judged.agents) < 0
    by_name = hunt(f"{__name__}:late_price", "individually-rational", kind="declaration")
    assert by_name.rule == by_object.rule == instance["mechanism"]["rule"] == f"{__name__}:late_price"
    assert by_name.to_dict()["instance"] == instance
    assert f"to ask it again: consortium check FILE --mechanism {__name__}:late_price" in instance["source"]
    assert all(row.holds for _, _, row in consortium.check(instance, mechanism=late_price))
    with pytest.raises(InputError, match=r"stands for a custom rule, whose code no scenario imports; give it beside"):
        consortium.run(instance)


@pytest.mark.parametrize(("kind", "rule", "sizes"), [
    ("declaration", "vcg-renice", {"agents": "2..2", "machines": "2.."}),
    ("federation", "coordination", {"organizations": "3..", "jobs": "1..2", "longest": "..4"}),
    ("multiuser", "fairest", {"users": "..2", "jobs": 2}),
    ("sharing", "fifo", {"organizations": "2..3", "machines": "1..2", "jobs": "2..3"}),
])  # fmt: skip
def test_instances_are_of_the_sizes_asked_for(kind, rule, sizes):
    claim = next(iter(hunting_of(kind).claims))
    options = read_options(Hunt, {"rule": rule, "claim": claim, **sizes}, "hunt")
    target, rng = Target.named(options, {}), default_rng(3)
    drawn = [target.draw(rng, number % 4) for number in range(60)]
    for name in sizes:
        low, high = target.sizes[name]
        found = [size for data in drawn for size in extents(data)[name]]
        assert low <= min(found)
        assert max(found) <= (high or max(found))
    assert all(map(target.fits, drawn))
    assert not target.fits(draw_another(target, kind))


def test_the_answer_says_which_sizes_were_tried():
    record = hunt("vcg-renice", "just", agents="2..3", machines=2, time_limit=2)
    found = {name: [*map(int, span.split(".."))] for name, span in record.sizes.items()}
    assert {"agents", "machines", "longest"} == found.keys()
    assert (set(found["agents"]) <= {2, 3}, found["machines"]) == (True, [2])
    assert f"Sizes: agents {record.sizes['agents']}, " in str(record)
    assert f"machines {record.sizes['machines']}" in str(record)


def draw_another(target, kind):
    """An instance with one player too many, or too few."""
    data = target.draw(default_rng(5), 0)
    rows = data[key := {"declaration": "agents", "multiuser": "users"}.get(kind, "organizations")]
    return {**data, key: rows[:1] if target.sizes[key][0] > 1 else rows * 3}


@pytest.mark.parametrize(("sizes", "words"), [
    ({"users": 2}, "'users' is not known; known: jobs, longest, machines, organizations"),
    ({"jobs": "4..2"}, "jobs: found '4..2'; expected a range that is not empty, such as '2..4'"),
    ({"jobs": ".."}, "jobs: found '..'; expected a number, or a range such as '2..', '2..4' or '..3'"),
    ({"jobs": -1}, "jobs: found -1; expected a number"),
    ({"largest": "search:count"}, "neither or both of claim and largest"),
])  # fmt: skip
def test_sizes_that_there_are_not_are_refused(sizes, words):
    with pytest.raises((InputError, UnknownNameError)) as refused:
        hunt("coordination", "own-jobs-first", **sizes)
    assert words in str(refused.value)


@pytest.mark.parametrize(("sizes", "overrides", "theorem"), [
    ({"organizations": "..2"}, {"mechanism.priority": "jobs"}, "two-organizations"),
    ({"organizations": "3", "machines": "1"}, {}, "three-organizations"),
    ({"jobs": "..2"}, {}, "two-jobs-or-equal-jobs"),
    ({"organizations": "4"}, {"mechanism.objective": "total-completion"}, "shortest-first"),
])  # fmt: skip
def test_a_hunt_for_what_a_theorem_rules_out_names_it(sizes, overrides, theorem):
    with pytest.raises(InputError, match=theorem):
        hunt("coordination", "pure-equilibrium", overrides=overrides, **sizes)


def drawn(seed, overrides=None, **sizes):
    """Lengths by organization of a hunt's first instances, and whether they are of regions that a cover leaves open."""
    target = Target.of("coordination", "pure-equilibrium", overrides=overrides, sizes=sizes)
    rng = default_rng(seed)
    games = (target.draw(rng, 3)["organizations"] for _ in range(40))
    lengths = [tuple(tuple(each["jobs"]) for each in game) for game in games]
    return [(game, game in leftover(Shape(tuple(map(len, game))))) for game in lengths if max(map(len, game)) <= 5]


def test_hunts_among_four_organizations_begin_in_regions_that_covers_leave_open():
    sizes = {"organizations": (4, 4), "jobs": (1, 4), "machines": (1, 1)}
    games = drawn(7, **sizes)
    assert games == drawn(7, **sizes) != drawn(8, **sizes)
    large = [left for game, left in games if sum(map(len, game)) >= 9]
    assert 0.25 < sum(large) / len(large) < 0.75
    others = [({"mechanism.order": list("dcba")}, {}), ({}, {"machines": (2, 2)}), ({}, {"longest": (9, 9)})]
    for overrides, changed in others:
        assert not any(left for _, left in drawn(7, overrides, **sizes | changed))


def test_the_largest_value_of_a_measure_is_hunted_and_replayed(tmp_path):
    """The rounds are few, so that the time of a slow machine changes nothing that is asserted."""
    file = tmp_path / "found.toml"
    sizes = {"organizations": "2..2", "jobs": "..2"}
    record = hunt("coordination", largest="price_of_anarchy", time_limit=4, output=file, **sizes)
    assert (record.measure, record.claim, record.broken) == ("search:price_of_anarchy", None, False)
    assert (record.status, record.complete) == (Status.SAMPLED, False)
    (scenario,) = record.to_dict()["replay"]
    assert (record.size.players, len(scenario["organizations"])) == (2, 2)
    assert record.largest == consortium.search(scenario).price_of_anarchy >= 1
    assert {row.holds for _, _, row in consortium.check([str(file)])} == {True}
    assert f"is {record.largest}; a larger may exist" in str(record)
    with pytest.raises(UnknownNameError, match="Did you mean 'search:price_of_anarchy'"):
        hunt("coordination", largest="price_of_anarhcy")


def test_ctrl_c_while_a_counterexample_is_made_smaller_keeps_it(monkeypatch):
    module = import_module("consortium.studies.hunting.hunt")

    def stopped(*given):
        raise KeyboardInterrupt

    monkeypatch.setattr(module, "smaller_neighbour", stopped)
    record = hunt("harsh", "individually-rational")
    assert (record.broken, record.minimal, record.status) == (True, True, Status.REFUTED)


@pytest.mark.exhaustive
@pytest.mark.parametrize("rule", ["relaxed-2-printed", "refine-printed"])
def test_the_answer_does_not_depend_on_the_processes(rule):
    claim = {"relaxed-2-printed": "approximation-ratio", "refine-printed": "fairest"}[rule]
    one, two = (hunt(rule, claim, processes=n, time_limit=900).to_dict() for n in (1, 2))
    assert one == two


@pytest.mark.parametrize(
    ("rule", "claim", "options", "words"),
    [
        ("light-vg", "just", {}, "Did you mean 'light-vcg'"),
        ("light-vcg", "jst", {}, "Did you mean 'just'"),
        (None, "just", {}, "neither a rule nor a mechanism"),
        ("light-vcg", None, {}, "neither or both of claim and largest"),
        ("light-vcg", "", {}, "claim"),
        ("no.such:thing", "just", {"kind": "declaration"}, "expected FILE.py:Name"),
        (f"{__name__}:late_price", "just", {}, "kind: found nothing; expected the kind of scenario"),
        ("light-vcg", "just", {"seed": -1}, "seed"),
        ("light-vcg", "just", {"overrides": {"mechanism.penalti": 1}, "time_limit": 1}, "mechanism.penalti"),
    ],
)
def test_what_cannot_be_hunted_is_refused(rule, claim, options, words):
    with pytest.raises((InputError, UnknownNameError), match=words):
        hunt(rule, claim, **options)


def test_an_answer_that_cannot_be_written_is_not_lost(tmp_path):
    with pytest.raises(InputError, match=r"output .*nowhere.*: cannot be written"):
        hunt("harsh", "individually-rational", output=tmp_path / "nowhere" / "f.toml")
    with pytest.raises(NotKeptError, match="cannot be written") as lost:
        hunt("harsh", "individually-rational", output="/dev/full")
    assert lost.value.record.broken


def test_the_command_says_what_is_known_and_ends_with_the_verdict(tmp_path):
    asked = ("hunt", "--rule", "harsh", "--claim", "individually-rational", "--processes", "1")
    done = command(*asked, "-o", "found.toml", cwd=tmp_path)
    assert done.returncode == 1
    assert "refuted by agmon2003/5.3.1" in done.stderr.splitlines()[0]
    assert "wrote found.toml" in done.stderr
    assert command("check", "found.toml", cwd=tmp_path).returncode == 0
    printed = json.loads(command(*asked, "--json", cwd=tmp_path).stdout)
    assert printed == hunt("harsh", "individually-rational").to_dict()
    assert command("hunt", "--rule", "harsh", "--claim", "just", "--time-limit", "0", cwd=tmp_path).returncode == 3
    short = command("hunt", "--rule", "harsh", "--claim", "jus", "--time-limit", "0", cwd=tmp_path)
    assert short.stderr.startswith("--claim jus: read as just, the only one of that beginning")
    assert command("hunt", "--rule", "harsh", cwd=tmp_path).returncode == 2


def test_the_beginning_of_a_claims_name_is_told_in_python_too():
    short, whole = (hunt("harsh", claim, time_limit=0, processes=1) for claim in ("jus", "just"))
    said = "claim jus: read as just, the only one of that beginning"
    assert (short.claim, short.note, said in str(short)) == ("just", said, True)
    assert (whole.note, "note" in whole.to_dict(), "read as" in str(whole)) == (None, False, False)


def test_a_claim_is_named_by_a_beginning_that_is_its_alone() -> None:
    assert Target.of("relaxed-2-printed", "approximation").claim == "approximation-ratio"
    with pytest.raises(UnknownNameError, match="'approx' is not known"):
        Target.of("relaxed-2-printed", "approx")


@pytest.mark.parametrize(("start", "tries"), [(False, 10), (True, 20)])
def test_a_lot_tries_all_that_it_may(start: bool, tries: int) -> None:
    """Where nothing breaks the claim: ten that are drawn, or twenty changes of a near miss."""
    target = Target.of("local", "local-constraint")
    data = target.draw(default_rng(1), 2)
    found = work(Lot(target, seed=1, round=2, number=0, start=(0, data) if start else None))
    assert (found.hit, found.tried) == (None, tries)


class Deadly(Pool):
    """Whatever is submitted ends its worker."""

    workers = 2

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_exception(LostWorkerError("a worker process ended before it answered"))
        return future


def test_a_rule_that_ends_its_workers_is_no_task_in_the_words_of_the_code() -> None:
    target = Target.named(Hunt(rule="vcg-renice", claim="dominant"), {})
    with pytest.raises(
        InputError, match=r"^hunt: none of 16 instances could be decided: its worker process ended each"
    ):
        search(target, 0, Deadly(), Clock(None))
