"""Numbers of an audit for monitoring: the rules of OpenMetrics text, and the record's own values."""

from __future__ import annotations

import os
import re
import threading
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from consortium.cli.app import app
from consortium.support.errors import InputError, NotKeptError
from consortium.verbs.sharing.openmetrics import Family, save, text
from consortium.workloads import write_swf

from .logs import ask, busy_log

NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
LABEL = r'[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\[n"\\])*"'
NUMBER = r"[-+]?(?:[0-9]+(?:\.[0-9]*)?(?:e[-+]?[0-9]+)?|Inf|NaN)"
SAMPLE = re.compile(rf"({NAME})(?:\{{({LABEL}(?:,{LABEL})*)\}})? ({NUMBER})")

Samples = dict[tuple[str, tuple[tuple[str, str], ...]], float]


def parsed(document: str) -> Samples:
    """Read a document by the rules of the specification, a gauge per family."""
    assert document.endswith("# EOF\n")
    samples: Samples = {}
    begun: list[str] = []
    known: dict[str, str] = {}
    for line in document.splitlines()[:-1]:
        if line.startswith("#"):
            _, keyword, name, about = line.split(" ", 3)
            if not begun or begun[-1] != name:
                assert name not in begun, "a family is in one piece"
                begun.append(name)
                known = {}
            assert keyword not in known, "metadata once"
            assert not any(name == sample for sample, _ in samples), "metadata before samples"
            known[keyword] = about
            assert keyword != "TYPE" or about == "gauge"
            assert keyword != "UNIT" or name.endswith(f"_{about}")
            assert re.fullmatch(r'(?:[^"\\]|\\[n"\\])*', about)
            continue
        found = SAMPLE.fullmatch(line)
        assert found, line
        assert found[1] == begun[-1]
        assert set(known) >= {"TYPE", "HELP"}
        labels = [part.partition("=") for part in re.findall(LABEL, found[2] or "")]
        told = tuple((name, unescaped(value[1:-1])) for name, _, value in labels)
        assert len({name for name, _ in told}) == len(told)
        assert (found[1], told) not in samples, "no sample twice"
        samples[found[1], told] = float(found[3])
    return samples


def unescaped(label: str) -> str:
    return re.sub(r'\\([n"\\])', lambda found: {"n": "\n"}.get(found[1], found[1]), label)


@pytest.mark.parametrize("label", ['a"b', "a\\b", "a\nb", "\\n", '\\"', "é, {x} #", "", "a,b=c"])
def test_labels_are_read_back_as_they_were(label: str) -> None:
    family = Family("x_seconds", f"About {label}", "seconds", [({"name": label}, 1.5), ({"name": f"{label}2"}, -1e-9)])
    assert parsed(text([family])) == {
        ("x_seconds", (("name", label),)): 1.5,
        ("x_seconds", (("name", f"{label}2"),)): -1e-9,
    }


def test_what_is_not_known_is_left_out() -> None:
    assert text([Family("x", "About.", "", [({}, None)])]) == "# EOF\n"
    told = parsed(text([Family("x", "About.", "", [({}, float("inf")), ({"a": "b"}, None)])]))
    assert told == {("x", ()): float("inf")}
    assert "NaN" in text([Family("x", "About.", "", [({}, float("nan"))])])


def test_an_audit_tells_its_own_numbers(tmp_path: Path) -> None:
    path = tmp_path / "audit.prom"
    record = ask(openmetrics=path)
    assert [each.name for each in tmp_path.iterdir()] == ["audit.prom"]
    told = parsed(path.read_text())
    log = ("log", "busy.swf")
    names = {name.removeprefix("consortium_audit_") for name, _ in told}
    assert {"complete", "windows", "unfairness_seconds", "delay_low_seconds", "share_ratio", "load_ratio"} <= names
    helps = [line for line in path.read_text().splitlines() if line.startswith("# HELP consortium_audit_loss_low")]
    assert len(helps) == 1
    assert helps[0].endswith("Over all windows that were measured, not the last alone.")
    assert told["consortium_audit_windows", (log,)] == 4
    assert told["consortium_audit_complete", (log,)] == 1
    loads = [row.load.value for row in record.windows]
    assert told["consortium_audit_load_ratio", (log,)] == pytest.approx(sum(loads) / 4)
    for row in record.rows:
        assert (
            told["consortium_audit_unfairness_seconds", (log, ("rule", row["rule"]))]
            == row["values"]["unfairness"].value
        )
    for organization in record.organizations:
        labels = (log, ("rule", organization.rule), ("organization", organization.name))
        assert (("consortium_audit_delay_seconds", labels) in told) == (organization.rule == record.rule)
        if organization.rule == record.rule:
            assert organization.delay is not None
            assert told["consortium_audit_delay_seconds", labels] == organization.delay.value
            lost = organization.loss.value
            if lost < 0:
                lost = max(lost, min(0.0, organization.delay.value))
            assert told["consortium_audit_loss_seconds", labels] == lost


def test_the_command_writes_it_and_a_path_that_cannot_be_is_refused(tmp_path: Path) -> None:
    write_swf(busy_log(), tmp_path / "site.swf")
    few = ["--windows", "1", "--duration", "800", "--rules", "fifo", "--rule", "fifo", "--processes", "1"]
    command = ["audit", str(tmp_path / "site.swf"), *few, "--openmetrics"]
    assert CliRunner().invoke(app, [*command, str(tmp_path / "x.prom")]).exit_code == 0
    assert parsed((tmp_path / "x.prom").read_text())
    found = CliRunner().invoke(app, [*command, str(tmp_path / "no" / "x.prom")])
    assert isinstance(found.exception, InputError)
    assert "no folder" in str(found.exception)


def test_a_full_disk_keeps_the_answer_and_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "audit.prom"
    path.write_text("old")

    def full(*_: Any) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(NotKeptError, match=r"cannot be written .No space left") as error:
        ask(openmetrics=path, windows=1)
    assert error.value.record.rows
    assert [each.read_text() for each in tmp_path.iterdir()] == ["old"]


def test_a_pipe_is_written_to_and_not_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()))
    reader.start()
    save([Family("x", "About.", "", [({}, 1.0)])], str(pipe))
    reader.join()
    assert parsed(read[0]) == {("x", ()): 1.0}
    assert pipe.is_fifo()


def test_a_folder_that_is_gone_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"openmetrics .*cannot be written"):
        save([], str(tmp_path / "gone" / "x.prom"))
