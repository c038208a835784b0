"""What is asked of a path before any work is done: folder absent, a folder, no permission, a wrong ending, no path."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

import consortium
from consortium.support.errors import InputError
from consortium.support.files import check_destination, unwritable

from ..command_line import command


def test_where_files_can_be_written_and_where_not(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert unwritable(str(tmp_path / "file")) is None
    assert unwritable(str(tmp_path / "new")) is None
    assert unwritable(str(tmp_path / "new" / "folder"), folder=True) is None
    assert unwritable("/dev/null") is None
    assert unwritable(str(tmp_path)) == "it is a folder"
    assert unwritable(str(tmp_path / "file"), folder=True) == "it is no folder"
    assert unwritable(str(tmp_path / "no" / "file")) == f"no folder {tmp_path / 'no'}"
    assert unwritable(str(tmp_path / "file" / "x")) == "Not a directory"
    assert "embedded null" in str(unwritable("a\0b"))
    assert unwritable("x" * 5000) == "File name too long"


def test_permissions_are_asked_of_the_file_or_else_of_its_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the system, whose answer is put here: root may write everywhere."""
    (tmp_path / "file").write_text("")
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    assert unwritable(str(tmp_path / "file")) == "permission denied"
    assert unwritable(str(tmp_path / "new")) == f"permission denied in {tmp_path}"
    assert unwritable(str(tmp_path / "a" / "b"), folder=True) == f"permission denied in {tmp_path}"


@pytest.mark.parametrize("path", [None, 3, "", b"x.svg", ["a"]])
def test_what_is_no_path_is_refused_in_a_sentence(path: Any) -> None:
    with pytest.raises(InputError, match=r"^figure: found .*; expected the path of a file$"):
        check_destination(path, "figure")


RUN = "agmon2003/5.2.1"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("run", RUN, "--plot", "no/a.svg"), "figure no/a.svg: cannot be written (no folder no)"),
        (("run", RUN, "--plot", "here.svg"), "figure here.svg: cannot be written (it is a folder)"),
        (("run", RUN, "--plot", "a.gif"), "figure a.gif: expected a file name that ends in .svg, .png or .pdf"),
        (("run", RUN, "--dry-run", "--plot", "no/a.svg"), "no folder no"),
        (("prove", RUN, "--certificate", "no/c.json"), "--certificate: found 'no/c.json'; expected"),
        (("audit", "log.swf", "--store", "no/s.db"), "--store: found 'no/s.db'; expected the path of a file that can"),
        (("import", "log.swf", "--kind", "declaration", "-o", "no/s.toml"), "--output no/s.toml: cannot be written"),
        (("hunt", "--rule", "harsh", "--claim", "just", "-o", "here.svg"), "--output here.svg: cannot be written (it"),
        (("study", "run", "open/cycles", "--store", "no/s.db"), "--store no/s.db: cannot be written"),
        (("study", "show", "1", "--store", "s.db", "-o", "file"), "--output file: cannot be written (it is no folder)"),
    ],
)
def test_every_command_refuses_before_it_works(words: tuple[str, ...], said: str, tmp_path: Path) -> None:
    """Nothing is printed on standard output, and no log is read: there is none."""
    (tmp_path / "here.svg").mkdir()
    (tmp_path / "file").write_text("")
    found = command(*words, cwd=tmp_path)
    assert (found.returncode, found.stdout, said in found.stderr) == (2, "", True), found.stderr
    assert len(found.stderr.splitlines()) == 1


def test_the_functions_refuse_too(tmp_path: Path) -> None:
    for ask in (
        lambda: consortium.audit("no-such-log.swf", store=tmp_path),
        lambda: consortium.import_log("no-such-log.swf", "declaration", output=tmp_path),
        lambda: consortium.study("open/cycles", store=tmp_path),
        lambda: consortium.prove(RUN, certificate=tmp_path),
    ):
        with pytest.raises(InputError, match=r"written .it is a folder"):
            ask()


def test_an_answer_is_out_before_its_figure_is_drawn(monkeypatch: pytest.MonkeyPatch, capfd: Any) -> None:
    from consortium.cli import files, verbs
    from consortium.reports import figures

    def draws(record: Any, path: str, **page: Any) -> None:
        assert "rent" in capfd.readouterr().out
        raise KeyboardInterrupt

    monkeypatch.setattr(figures, "save_record", draws)
    with pytest.raises(KeyboardInterrupt):
        verbs.execute("run", RUN, {}, {}, as_json=False, dry_run=False, outputs=files.Files(plot="a.svg"))
