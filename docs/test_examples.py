"""Run every example of the documentation and the README: python blocks and ``$ consortium`` commands.

Blocks of one page share a namespace and an empty working folder, top to bottom. A console block's output, where the
page shows one, must match, and so must an ``output`` block what the python block before it prints; a line ``...``
stands for any lines, and ``...`` inside a line for any text; a long line may go on, four spaces in. A command line may
end in ``# exit N``: the exit code that readers will see. Blocks fenced as ``text`` or ``toml`` are not run. A ``toml``
or ``python`` block whose first line is ``# file: NAME`` is written to that file for the blocks after it; where it is a
``pyproject.toml`` with entry points, the page's folder becomes an installed distribution for them. A ``python`` block
whose first line is ``# from: PATH`` quotes that file of the package: its lines must stand there in this order, in one
piece between lines ``...``. A line ``<!-- first block of PAGE -->`` runs the first ``python`` block of another page,
which makes what the blocks after it read.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import os
import re
import runpy
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / ".types"), str(ROOT)]  # this checkout, whatever is installed

from consortium.support import loading  # noqa: E402
from tests import distribution  # noqa: E402

sys.path.remove(str(ROOT))  # whose folders are called like those of others

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
PAGES = [page for page in PAGES if "_build" not in page.parts and "reference" not in page.parts]
SHELL = re.compile(r"[|<>;&$`*~'\"\\]")
"""What a shell would look at."""
FENCE = re.compile(r"^```(python|output|console|toml)\n(.*?)^```$|^<!-- first block of (\S+) -->$", re.M | re.S)


def blocks(page: Path) -> list[tuple[str, str, int]]:
    text = page.read_text()
    return [
        (*(_first_python(ROOT / m[3]) if m[3] else (m[1], m[2])), text.count("\n", 0, m.start()) + 1)
        for m in FENCE.finditer(text)
    ]


def _first_python(page: Path) -> tuple[str, str]:
    return next((language, block) for language, block, _ in blocks(page) if language == "python")


def matches(shown: str, printed: str) -> bool:
    """Whether the output is what the page shows; a line ``...`` stands for any number of lines, none included."""
    output = "".join(f"{line.rstrip()}\n" for line in printed.strip("\n").splitlines())
    wrapped = re.sub(r"(?<=\S)\n {4}(?=\S)", " ", shown)  # long lines go on like that, as on a terminal
    return any(re.fullmatch(_pattern(text), output) for text in (shown, wrapped))


def _pattern(shown: str) -> str:
    return "".join(
        r"(?:.*\n)*?" if line.strip() == "..." else re.escape(line.rstrip()).replace(r"\.\.\.", ".*?") + r"\n"
        for line in shown.strip("\n").splitlines()
    )


def quotes(block: str) -> bool:
    """Whether the file that a block quotes has its lines."""
    name, _, body = block.removeprefix("# from: ").partition("\n")
    file = "\n".join(line.strip() for line in (ROOT / name.strip()).read_text().splitlines())
    place = 0
    for piece in re.split(r"^ *\.\.\.\n", body, flags=re.M):
        lines = "\n".join(line.strip() for line in piece.strip().splitlines())
        place = file.find(lines, place)
        if place < 0:
            return False
    return True


def install(folder: Path) -> None:
    """Make the page's folder what an editable installation makes of it: a distribution with its entry points."""
    project = tomllib.loads((folder / "pyproject.toml").read_text())["project"]
    info = folder / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
    info.mkdir(exist_ok=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n")
    groups = project.get("entry-points", {}).items()
    lines = [f"[{group}]\n" + "".join(f"{k} = {v}\n" for k, v in entries.items()) for group, entries in groups]
    (info / "entry_points.txt").write_text("\n".join(lines))
    importlib.invalidate_caches()
    loading.forget()


def run_command(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """What is ours alone needs no process of its own: most of them would take longer to start than to answer."""
    line, _, file = command.partition(" > ")
    if line.startswith("consortium ") and not SHELL.search(line + file):
        done = distribution.command(folder, *line.split()[1:])
        if file:
            (folder / file).write_text(done.stdout)
            done.stdout = ""
        return done
    command = re.sub(r"^python (docs/\S+)", lambda script: shlex.join([sys.executable, str(ROOT / script[1])]), command)
    command = re.sub(r"(^|(?:&&|;|\|) )consortium\b", rf"\1{sys.executable} -m consortium", command)
    return subprocess.run(command, shell=True, cwd=folder, capture_output=True, text=True, stdin=subprocess.DEVNULL)


def run_console(block: str, folder: Path, where: str) -> None:
    for part in re.split(r"^\$ ", block, flags=re.M)[1:]:
        line, _, shown = part.partition("\n")
        command, _, code = line.partition("  # exit ")
        done = run_command(command, folder)
        assert done.returncode == int(code or 0), f"{where}: $ {line}\n{done.stdout}{done.stderr}"
        if shown.strip():
            assert matches(shown, done.stdout + done.stderr), (
                f"{where}: $ {line}\nprinted\n{done.stdout}{done.stderr}\npage shows\n{shown}"
            )


def test_picture_of_first_screen_is_what_figures_draws(tmp_path: Path) -> None:
    """Its words and numbers, which stand in it as texts; the paths of letters are the drawing library's."""
    figures = runpy.run_path(str(ROOT / "docs" / "figures.py"))
    figures["first_screen"](tmp_path / "drawn.svg")
    kept, drawn = (
        (folder / name).read_text() for folder, name in ((ROOT / "docs", "first-screen.svg"), (tmp_path, "drawn.svg"))
    )
    texts = re.findall("<title>(.*?)</title>", drawn)
    assert "declares 1: utility -12" in texts
    assert re.findall("<title>(.*?)</title>", kept) == texts, "python docs/figures.py draws it again"


@pytest.mark.parametrize("page", [p for p in PAGES if blocks(p)], ids=lambda p: str(p.relative_to(ROOT)))
def test_examples_of_page_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent), prepend=os.pathsep)
    monkeypatch.setenv("PYTHONPATH", f"{ROOT / '.types'}{os.pathsep}{tmp_path}")
    monkeypatch.setenv("COLUMNS", "120")
    namespace: dict[str, object] = {"__name__": "__main__"}
    printed = io.StringIO()
    for language, block, line in blocks(page):
        where = f"{page.relative_to(ROOT)}:{line}"
        if language == "console" and not skipped(block):
            run_console(block, tmp_path, where)
        elif language in ("python", "toml") and block.startswith("# file: "):
            name, _, body = block.removeprefix("# file: ").partition("\n")
            place = tmp_path / name.strip()
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(body)
            if name.strip() == "pyproject.toml":
                install(tmp_path)
        elif language == "python" and block.startswith("# from: "):
            assert quotes(block), f"{where}: {block.partition(chr(10))[0]} has other lines"
        elif language == "python":
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                exec(compile(block, where, "exec"), namespace)
        elif language == "output":
            text = printed.getvalue()
            assert matches(block, text), f"{where}:\nprinted\n{text}\npage shows\n{block}"


def skipped(block: str) -> bool:
    """Blocks that set up a machine, or that need a real log or Coq where there is none, are not run."""
    needs_log = "$CONSORTIUM_TRACES" in block and "CONSORTIUM_TRACES" not in os.environ
    needs_coq = "$ sh proof/check.sh" in block and shutil.which("coqc") is None
    return needs_log or needs_coq or "venv" in block
