"""A utility is one class: its two forms agree, and one more comes with any installed distribution."""

from __future__ import annotations

import json
import random
from fractions import Fraction
from pathlib import Path

import pytest

from consortium.mechanisms.sharing import SharingInstance, Utility
from consortium.mechanisms.sharing.general_ref import Queues, Site, decide, moments
from consortium.mechanisms.sharing.utilities import OURS, UTILITIES
from consortium.support.errors import ExtensionError
from consortium.support.loading import forget

from ...distribution import command, make_distribution

FINISHED = '''
from consortium.mechanisms.sharing import Utility


class Finished(Utility):
    """Completed jobs."""

    id = "finished-jobs"
    summary = "completed jobs"
    source = "made for a test"

    def value(self, jobs, at):
        return sum(job.end <= at for job in jobs)

    def booked(self, job):
        return 1

    def read(self, tally, step):
        return tally.booked


class Half(Finished):
    id = "half"

    def value(self, jobs, at):
        return 0.5


class Unread(Utility):
    id = "unread"

    def value(self, jobs, at):
        return 0


other = Finished
'''
OF_RUNNING_JOBS = ("psi-sp", "busy-time")
"""Under these a running job counts, by one in its first unit of time; else only completed jobs do."""
NAMES = {"finished-jobs": "Finished", "half": "Half", "unread": "Unread", "other": "other", "text": "__name__"}
SCENARIO = """
format = 1
kind = "sharing"
title = "Who finishes most"
source = "made for a test"
until = 6

[[organizations]]
machines = 1
jobs = [[0, 1], [0, 1], [0, 4]]

[[organizations]]
machines = 1
jobs = [[0, 2], [0, 5]]

[mechanism]
rule = "ref"
utility = "finished-jobs"
"""


@pytest.mark.parametrize("name", list(OURS))
def test_the_form_kept_on_line_is_the_definition(name: str) -> None:
    """At every moment of random schedules, now and one unit later for what is known at start."""
    utility = UTILITIES[name]
    rng = random.Random(name)
    for _ in range(60):
        queues = [
            sorted((rng.randint(0, 9), rng.randint(1, 5), rng.randint(0, 12)) for _ in range(rng.randint(0, 5)))
            for _ in range(2)
        ]
        instance = SharingInstance.of([rng.randint(0, 2), 1], queues)
        known = Queues.of(instance, 20)
        site = Site(known, instance.machines, [0, 1], utility)
        for t in moments(known, [site]):
            decide(site, t, lambda site, waiting, now: rng.choice(waiting))
            for u in (0, 1):
                jobs = [site.work(u, position, start) for start, w, position in site.starts if w == u]
                site.tally[u].accrue(t)
                assert utility.read(site.tally[u], 0) == utility.value(jobs, t)
                if name in OF_RUNNING_JOBS:
                    assert utility.read(site.tally[u], 1) == utility.value(jobs, t + 1)


@pytest.mark.parametrize("name", list(OURS))
def test_a_job_just_started_adds_one_where_running_jobs_count(name: str) -> None:
    utility = UTILITIES[name]
    site = Site(Queues.of(SharingInstance.of([1], [[(0, 5, 1)]]), 9), [1], [0], utility)
    before = utility.read(site.tally[0], 1)
    site.queues.release(0)
    site.start(0, 0)
    assert utility.read(site.tally[0], 1) - before == int(name in OF_RUNNING_JOBS)


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """A folder with a distribution that adds utilities, and a scenario that uses one."""
    references = {name: f"more_utilities:{what}" for name, what in NAMES.items()}
    make_distribution(tmp_path, "more-utilities", {"more_utilities": FINISHED}, {"consortium.utilities": references})
    (tmp_path / "pool.toml").write_text(SCENARIO)
    return tmp_path


def test_a_scenario_file_names_a_utility_of_another_distribution(installed: Path) -> None:
    done = command(installed, "run", "pool.toml", "--json")
    assert done.returncode == 0, done.stderr
    record = json.loads(done.stdout)
    assert [row["utility"] for row in record["organizations"]] == [2, 2]  # both short jobs of O1 start, then O2's
    assert record["value"] == 42  # of psi_sp, whatever they care about
    values = {row["name"]: row["value"] for row in record["coalitions"]}
    assert values == {"O1": 3, "O2": 1, "O1+O2": 4}
    assert [Fraction(row["contribution"]) for row in record["organizations"]] == [3, 1]


def test_its_axioms_are_checked_and_the_schema_lists_it(installed: Path) -> None:
    done = command(installed, "verify", "pool.toml", "--json")
    axioms = json.loads(done.stdout)["axioms"]
    assert not axioms["starting_times"]["holds"]
    assert "finished-jobs" in command(installed, "schema", "sharing").stdout
    (installed / "pool.toml").write_text(SCENARIO.replace("finished-jobs", "finished-job"))
    wrong = command(installed, "check", "pool.toml")
    assert wrong.returncode != 0
    assert "Did you mean 'finished-jobs'?" in wrong.stdout + wrong.stderr


def test_slips_of_a_distribution_are_named(installed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(installed)
    forget()
    try:
        assert isinstance(UTILITIES["finished-jobs"], Utility)
        assert list(UTILITIES) == [*OURS, *sorted(NAMES)]
        assert len(UTILITIES) == len(OURS) + len(NAMES)
        for name, said in (
            ("unread", "expected a class derived from Utility that defines value and read"),
            ("text", "is 'more_utilities'; expected a class derived from Utility"),
            ("other", "has the id 'finished-jobs'; expected the same name"),
        ):
            with pytest.raises(ExtensionError, match=said):
                UTILITIES[name]
    finally:
        monkeypatch.undo()
        forget()


def test_a_utility_that_is_not_exact_is_refused(installed: Path) -> None:
    (installed / "pool.toml").write_text(SCENARIO.replace("finished-jobs", "half"))
    done = command(installed, "run", "pool.toml")
    assert done.returncode != 0
    assert "utility half: found the float 0.5" in done.stderr
