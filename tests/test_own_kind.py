"""A fifth kind of scenario, brought by another distribution (``tests/ferry``), is asked like ours on every door."""

from __future__ import annotations

import json
import shutil
import tomllib
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from subprocess import CompletedProcess
from types import ModuleType

import pytest
from matplotlib.figure import Figure

import consortium
from consortium.support.errors import InputError, UnknownNameError

FERRY = Path(__file__).with_name("ferry")
TUESDAY = "ferry/tuesday"
LOG = "; MaxProcs: 2\n" + "".join(
    f"{i} {i} 0 {run} 1 -1 -1 1 -1 -1 1 {user} 1 -1 -1 -1 -1 -1\n" for i, run, user in ((1, 5, 7), (2, 6, 9))
)

Command = Callable[..., CompletedProcess[str]]


def install(folder: Path, distributions: ModuleType) -> None:
    shutil.copytree(FERRY, folder / "ferry", ignore=shutil.ignore_patterns("__pycache__"))
    distributions.make_distribution(
        folder, "ferry", {}, {"consortium.kinds": {"ferry": "ferry.kind:KIND"}, "consortium.rules": {}}
    )


@pytest.fixture(scope="module")
def ferry(tmp_path_factory: pytest.TempPathFactory, distributions: ModuleType) -> Command:
    """The command line where the distribution is installed."""
    folder = tmp_path_factory.mktemp("site")
    install(folder, distributions)
    (folder / "log.swf").write_text(LOG)

    def run(*arguments: str) -> CompletedProcess[str]:
        done: CompletedProcess[str] = distributions.command(folder, *arguments)
        assert "Traceback" not in done.stderr
        return done

    return run


@pytest.fixture
def installed(site: Path, distributions: ModuleType) -> Path:
    """The distribution in this process."""
    install(site, distributions)
    return site


@pytest.mark.parametrize(
    ("arguments", "code", "text"),
    [
        (["run", TUESDAY], 0, "2 crossings"),
        (["run", TUESDAY, "--boats", "2"], 0, "1 crossings"),
        (["run", TUESDAY, "--set", "mechanism.rule=queue"], 0, "zoe 1 ann 1 bob 2"),
        (["search", TUESDAY], 0, "pure equilibrium exists yes"),
        (["verify", TUESDAY], 1, "nobody overtakes no"),
        (["compare", TUESDAY], 0, "letters 1"),
        (["compare", TUESDAY, "--rules", "queue"], 0, "queue 2"),
        (["timetable", TUESDAY, "8", "--every", "1/2"], 0, "17/2"),
        (["scenarios", "ferry"], 0, TUESDAY),
        (["check", "ferry"], 0, "4 values checked, 0 wrong"),
        (["import", "log.swf", "--kind", "ferry", "--cars", "2"], 0, 'cars = ["user7", "user9"]'),
        # refusals are those of the house
        (["run", TUESDAY, "--boats", "0"], 2, "--boats: found 0; expected an integer >= 1"),
        (["run", TUESDAY, "--list", "3"], 2, "option of run on kind 'ferry': '--list' is not known"),
        (["compare", TUESDAY, "--rules", "leters"], 2, "Did you mean 'letters'?"),
        (["timetable", "agmon2003/5.2.1", "8"], 2, "scenarios of kind 'declaration' have no such verb"),
        (["curve", TUESDAY, "zoe"], 2, "scenarios of kind 'ferry' have no such verb"),
        (["verify", TUESDAY, "--plot", "order.svg"], 2, "nothing is drawn of its records on ferry/tuesday"),
        (
            ["run", TUESDAY, "--set", "mechanism={ rule = 'queue', backwards = true }"],
            2,
            "mechanism.backwards: found true; expected no other key besides rule = 'queue'",
        ),
        (["run", TUESDAY, "--set", "places=0"], 2, "places: found 0; expected an integer >= 1"),
        (["run", "ferry/wednesday"], 2, "Did you mean 'ferry/tuesday'?"),
    ],
)
def test_commands(ferry: Command, arguments: list[str], code: int, text: str) -> None:
    done = ferry(*arguments)
    assert done.returncode == code, done.stdout + done.stderr
    assert text in " ".join((done.stdout + done.stderr).split())


def test_help_lists_the_kind_and_its_own_verb(ferry: Command) -> None:
    listed = ferry("--help").stdout
    assert "timetable" in listed
    assert "List when each crossing departs." in listed
    own = " ".join(ferry("timetable", "--help").stdout.split())
    assert "Example: consortium timetable" in own
    assert "--every" in own
    assert "HOUR" in own
    assert "ferry: Ferries that leave together." in " ".join(ferry("run", "--help").stdout.split())
    assert "--cars" in ferry("import", "--help").stdout


@pytest.mark.parametrize(
    ("verb", "more", "size"),
    [("run", (), 3), ("search", (), 27), ("verify", (), 2), ("compare", (), 2), ("timetable", ("8",), 2)],
)
def test_every_verb_as_json_and_dry(ferry: Command, verb: str, more: tuple[str, ...], size: int) -> None:
    record = json.loads(ferry(verb, TUESDAY, *more, "--json").stdout)
    assert (record["verb"], record["kind"], record["scenario"]) == (verb, "ferry", "Three cars on a Tuesday")
    estimate = json.loads(ferry(verb, TUESDAY, *more, "--dry-run", "--json").stdout)
    assert (estimate["verb"], estimate["size"]) == (verb, size)


def test_figure(ferry: Command, tmp_path: Path) -> None:
    drawn = tmp_path / "cars.svg"
    assert ferry("run", TUESDAY, "--plot", str(drawn)).returncode == 0
    assert drawn.read_text().startswith("<?xml")


@pytest.mark.usefixtures("installed")
def test_a_figure_that_is_its_own_is_not_drawn_into_axes() -> None:
    with pytest.raises(InputError, match="ax: this drawing makes a figure of its own"):
        consortium.run(TUESDAY).plot(ax=Figure().subplots())


def test_certificates_replay(ferry: Command, tmp_path: Path) -> None:
    record = tmp_path / "record.json"
    record.write_text(ferry("verify", TUESDAY, "--json").stdout)
    done = ferry("check", str(record))
    assert (done.returncode, ", 0 wrong" in done.stdout, "not checked" in done.stdout) == (0, True, False)
    record.write_text(record.read_text().replace('"holds": false', '"holds": true'))
    assert ferry("check", str(record)).returncode == 1


def test_a_claim_of_its_rules_is_hunted_shrunk_and_checked(ferry: Command, tmp_path: Path) -> None:
    """Kinds, rules and claims of a hunt are those of the registry; the cars of a ferry are no tables."""
    output = str(tmp_path / "late.toml")
    done = ferry("hunt", "--rule", "letters", "--claim", "order", "--processes", "1", "-o", output)
    assert (done.returncode, "letters breaks the claim orderly" in done.stdout) == (1, True), done.stderr
    assert "orderly of letters: not promised" in done.stderr
    assert len(tomllib.loads((tmp_path / "late.toml").read_text())["cars"]) == 2
    assert ferry("check", output).returncode == 0
    kept = ferry("hunt", "--rule", "queue", "--claim", "orderly", "--processes", "1", "--time-limit", "1")
    assert (kept.returncode, "tested" in kept.stdout) == (3, True)
    wrong = ferry("hunt", "--rule", "queue", "--claim", "just")
    assert "claim about rules of kind 'ferry': 'just' is not known; known: orderly" in wrong.stderr


def test_schema(ferry: Command) -> None:
    own = json.loads(ferry("schema", "ferry").stdout)
    assert own["properties"]["kind"]["const"] == "ferry"
    assert set(own["properties"]["expect"]["properties"]) == {"run", "search", "verify", "compare", "timetable"}
    every = json.loads(ferry("schema").stdout)
    assert own["$id"] in [each["$id"] for each in every["oneOf"]]


@pytest.mark.usefixtures("installed")
def test_functions() -> None:
    record = consortium.run(TUESDAY, boats=2)  # an option of no other kind goes in by its name
    assert [(car.name, car.crossing) for car in record.cars] == [("zoe", 1), ("ann", 1), ("bob", 1)]
    assert consortium.verify(TUESDAY).status is consortium.Status.REFUTED
    assert consortium.search(TUESDAY).equilibria.count == 4  # who is alone on the second crossing, or all on the first
    assert [row.rule for row in consortium.compare(TUESDAY).rows] == ["queue", "letters"]
    backwards = consortium.run(TUESDAY, overrides={"mechanism.backwards": True})
    assert [car.crossing for car in backwards.cars] == [1, 2, 1]
    assert consortium.ask("timetable", TUESDAY, first=8, every="1/2").departures == (8, Fraction(17, 2))
    assert consortium.estimate("timetable", TUESDAY, first=8).size == 2
    assert [row.holds for _, _, row in consortium.check(["ferry"])] == [True] * 4
    assert [scenario.name for scenario in consortium.listed("ferry")] == [TUESDAY]


@pytest.mark.usefixtures("installed")
def test_wrong_options_are_refused_in_one_sentence() -> None:
    with pytest.raises(InputError, match=r"^run on kind 'ferry': boats: found '2'; expected an integer >= 1$"):
        consortium.run(TUESDAY, boats="2")
    with pytest.raises(UnknownNameError, match="option of run on kind 'ferry': 'boat' is not known; known: boats"):
        consortium.run(TUESDAY, boat=2)
    with pytest.raises(InputError, match=r"^timetable on kind 'ferry': Missing argument 'first'"):
        consortium.ask("timetable", TUESDAY)


def test_without_the_distribution_there_is_no_such_kind() -> None:
    with pytest.raises(consortium.ScenarioError, match="kind: found 'ferry'; expected one of declaration, federation"):
        consortium.load(FERRY / "scenarios" / "ferry" / "tuesday.toml")
