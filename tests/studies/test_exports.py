"""Logs that a study names: they are found from everywhere, also by what is written of a task."""

from __future__ import annotations

from pathlib import Path

import pytest

import consortium
from consortium.studies import reader
from consortium.studies.exports import task_display, write, written
from consortium.studies.running import Where
from consortium.studies.store import answered, read
from consortium.support.progress import Clock

LOG = "; MaxProcs: 2\n" + "".join(
    f"{i} {i} 0 {1 + i % 5} 1 " + "-1 " * 6 + f"{i % 3} 1 -1 1 1 -1 -1\n" for i in range(40)
)
HEAD = 'format = 1\nkind = "study"\nverb = "run"\nreplicates = 2\n'
WINDOW = """kind = "sharing"
mechanism = { rule = "fifo" }
trace = { file = "small.swf", duration = 30, machines = 3, organizations = 2 }
"""
STUDIES = {
    "family": f"""{HEAD}
[base]
kind = "multiuser"
mechanism = {{ rule = "multicmax" }}
[family]
name = "log-jobs"
log = "logs/small.swf"
""",
    "inline": f"{HEAD}\n[base]\n{WINDOW.replace('small.swf', 'logs/small.swf')}",
    "base": f'{HEAD}\n[base]\nscenario = "logs/base.toml"\n',
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the studies, whose logs lie below it; the current folder is another one."""
    for name in ("studies/logs", "elsewhere"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "studies/logs/small.swf").write_text(LOG)
    (tmp_path / "studies/logs/base.toml").write_text(f"format = 1\n{WINDOW}")
    for name, text in STUDIES.items():
        (tmp_path / f"studies/{name}.toml").write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("name", STUDIES)
def test_logs_lie_beside_the_file_that_names_them(name: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answered(reader.load(f"studies/{name}.toml"), folder / "a.db", where=Where(1))
    monkeypatch.chdir(folder / "elsewhere")
    with read(folder / "a.db") as found:
        assert found.survey().counts.done == 2
        files = write(task_display(found, 2, "out/two"), Path("out/two"))
        again, kept = consortium.run(files[0]).to_dict(), task_display(found, 2).records["run"]
        told = "value" if "value" in kept else "jobs"
        assert again[told] == kept[told]


def test_a_hit_names_the_log_from_beside_the_store(folder: Path) -> None:
    data = folder / "studies/hunt.toml"
    data.write_text(STUDIES["base"] + '[measures]\nvalue = "value"\n[stop]\nwhen = "value > 0"\nshrink = false\n')
    found = answered(reader.load(data), folder / "elsewhere/a.db", where=Where(1))
    (file,) = written(found, found.survey().hits, Clock(None))
    assert Path(file).parent == folder / "elsewhere"
    assert "value" in consortium.run(file).to_dict()


def test_where_a_log_lies_is_no_part_of_the_instance(folder: Path) -> None:
    here = reader.load("studies/family.toml")
    jobs = here.instance(here.task(2)).data
    (folder / "studies").rename(folder / "moved")
    there = reader.load("moved/family.toml")
    assert (there.task(2), there.instance(there.task(2)).data) == (here.task(2), jobs)
