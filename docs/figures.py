"""Figures of the documentation, drawn at build time; each is what a command on the page would draw."""

import contextlib
import re
import tempfile
from pathlib import Path

import consortium
from consortium.reports.audit_figures import save_audit
from consortium.reports.figures import save_record

DOCS = Path(__file__).resolve().parent
FIGURES = {}


def figure(name):
    """Register a function that draws one figure into the path it is given."""

    def keep(function):
        FIGURES[name] = function
        return function

    return keep


def draw_all(folder: Path) -> None:
    """Draw every figure into a folder."""
    folder.mkdir(exist_ok=True)
    for name, draw in FIGURES.items():
        draw(folder / name)


def file_of_page(page: str, name: str) -> dict:
    """The scenario that a page shows as ``# file: NAME``, as a dict."""
    from consortium.scenarios.reader import parse_text

    block = re.search(rf"^```toml\n# file: {re.escape(name)}\n(.*?)^```", (DOCS / page).read_text(), re.M | re.S)
    return parse_text(block[1])


@figure("tutorial-postponed.svg")
def tutorial_postponed(path: Path) -> None:
    scenario = file_of_page("tutorial/catch-a-lie.md", "cluster.toml")
    changes = {"agents[3].declares": 2, "mechanism.rule": "vcg-postpone"}
    save_record(consortium.run(scenario, overrides=changes).to_dict(), path)


@figure("howto-audit.svg")
def howto_audit(path: Path) -> None:
    """The audit of the log that the page makes, drawn as ``--plot`` draws it."""
    page = (DOCS / "howto/audit-your-cluster.md").read_text()
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        exec(re.search(r"^```python\n(.*?)^```", page, re.M | re.S)[1], {})
        record = consortium.audit("site.swf.gz", windows=4, shares={"atlas": 4, "cms": 4, "bio": 4}, series=True)
    save_audit(record.to_dict(), path)


@figure("tutorial-curve.svg")
def tutorial_curve(path: Path) -> None:
    scenario = file_of_page("tutorial/catch-a-lie.md", "cluster.toml")
    record = consortium.curve(scenario, "chem", overrides={"mechanism.rule": "vcg-postpone"})
    save_record(record.to_dict(), path)
