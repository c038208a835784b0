"""Figures of the documentation, drawn at build time; each is what a command on the page would draw.

``python docs/figures.py`` draws the picture of the first screen anew, which is kept for the README.
"""

import contextlib
import itertools
import os
import re
import runpy
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

import consortium
from consortium.reports.figures import figure_of, save, save_record
from consortium.reports.style import BEST, COLOURS, LINES, MARKERS, TEXT, bare, hover, look, new_figure, number, title

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


@figure("map-prices.svg")
@look()
def map_prices(path: Path) -> None:
    """The largest prices of two and three organizations, by how many jobs they have."""
    rows = runpy.run_path(str(DOCS / "published" / "shapes.py"))["lines"]()
    prices = {tuple(row["jobs"]): row["value"] for row in rows if row["question"] == "anarchy" and row["value"]}
    panels = [((), "two organizations"), *(((k,), f"three, the first with {k}") for k in range(5))]
    fig = new_figure(height=5.2)
    shades = {"1": "0.95", "4/3": COLOURS[0], "3/2": COLOURS[1]}
    for ax, (first, head) in zip(fig.subplots(2, 3).flat, panels, strict=True):
        for x, y in itertools.product(range(9 - sum(first)), repeat=2):
            price = prices.get((*first, x, y))
            if price is not None:
                square = {"width": 1, "height": 1, "facecolor": shades[price], "edgecolor": "white"}
                ax.add_patch(Rectangle((x - 0.5, y - 0.5), alpha=1 if price == "1" else 0.5, **square))
                ax.text(x, y, price, ha="center", va="center", fontsize=6)
        ax.set(xlim=(-0.5, 8.5), ylim=(-0.5, 8.5), aspect="equal", xticks=range(9), yticks=range(9))
        ax.set(xlabel="jobs of the last but one", ylabel="jobs of the last", title=head)
    title(fig, "The largest price of anarchy")
    save(fig, path)


@figure("map-plane.svg")
def map_plane(path: Path) -> None:
    """Which placement is an equilibrium where, in the plane of the page."""
    save_record(consortium.prove("shapes/no-theorem", plane="x, 3, 2; 7, 4; y; 1"), path)


@figure("lies-plane.svg")
def lies_plane(path: Path) -> None:
    """Where a lie pays under light VCG, in the plane of the liar's length and declaration."""
    save_record(consortium.prove("agmon2003/5.2.1", property="ex-post", regions=True), path)


@figure("tutorial-postponed.svg")
def tutorial_postponed(path: Path) -> None:
    scenario = file_of_page("tutorial/catch-a-lie.md", "cluster.toml")
    changes = {"agents[3].declares": 2, "mechanism.rule": "vcg-postpone"}
    save_record(consortium.run(scenario, overrides=changes), path)


def audited(ask: Callable[..., Any], **options: Any) -> Any:
    """A question about the log that the page of audits makes."""
    page = (DOCS / "howto/audit-your-cluster.md").read_text()
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        exec(re.search(r"^```python\n(.*?)^```", page, re.M | re.S)[1], {})
        return ask("site.swf.gz", shares={"atlas": 4, "cms": 4, "bio": 4}, **options)


@figure("howto-audit.svg")
def howto_audit(path: Path) -> None:
    save_record(audited(consortium.audit, rules=["fair-share", "fifo"], series=True), path)


@figure("howto-audit-switch.svg")
def howto_audit_switch(path: Path) -> None:
    """The figure, and its report beside it."""
    record = audited(consortium.audit_switch, rule="recorded", to="fair-share")
    save_record(record, path)
    consortium.report(record, path.with_name("howto-audit-report.html"))


@figure("tutorial-curve.svg")
def tutorial_curve(path: Path) -> None:
    scenario = file_of_page("tutorial/catch-a-lie.md", "cluster.toml")
    record = consortium.curve(scenario, "chem", overrides={"mechanism.rule": "vcg-postpone"})
    save_record(record, path)


@look()
def trade_off(
    fronts: Mapping[str, Sequence[tuple[Any, Any]]],
    algorithms: Mapping[str, tuple[Any, Any]],
    curves: Mapping[str, Sequence[tuple[Any, Any]]] | None = None,
) -> Figure:
    """Cooperation against makespan: what cannot be promised, and where each algorithm sits (Figure 4.8 of the thesis).

    ``fronts`` are the exact Pareto points ``(alpha; C_max / OPT)`` of families of instances: no rule can promise less
    in both coordinates than every point allows, so what lies below and left of the corners is shaded. ``algorithms``
    guarantee one point each, ``curves`` one for every ``alpha``.
    """
    figure = new_figure(width=6.4, height=4.6)
    axes = figure.subplots()
    for i, (name, points) in enumerate(fronts.items()):
        colour = COLOURS[i % len(COLOURS)]
        exact = sorted((number(a), number(c)) for a, c in points)
        for (_, high), (right, _) in itertools.pairwise(exact):
            axes.fill_between([1, right], 1, high, color=colour, alpha=0.16, linewidth=0)
            (corner,) = axes.plot([right], [high], marker="s", markersize=4, color=colour)
            hover(corner, f"{name}: degree of cooperation {right:g}, makespan / optimum {high:g}")
        axes.step(
            [a for a, _ in exact], [c for _, c in exact], where="post", linewidth=1.2,
            color=colour, linestyle=LINES[i % len(LINES)], label=name,
        )  # fmt: skip
    for i, (name, (alpha, ratio)) in enumerate(algorithms.items()):
        x, y = number(alpha), number(ratio)
        (mark,) = axes.plot([x], [y], marker=MARKERS[i % len(MARKERS)], color="black", markersize=7, linestyle="none")
        hover(mark, f"{name}: degree of cooperation {alpha}, makespan / optimum {ratio}")
        axes.annotate(name, (x, y), textcoords="offset points", xytext=(7, 5), fontsize=TEXT + 1)
    for i, (name, points) in enumerate((curves or {}).items()):
        exact = [(number(a), number(c)) for a, c in points]
        axes.plot(*zip(*exact, strict=True), color="black", linewidth=1.2, linestyle=(":", "--")[i % 2])
        axes.annotate(name, exact[0], textcoords="offset points", xytext=(8, -4), fontsize=TEXT + 1)
    axes.set_xlabel("degree of cooperation (relative: largest makespan / local makespan)")
    axes.set_ylabel("makespan (relative to the optimum)")
    axes.set_xlim(left=0.95)
    axes.set_ylim(0.97, 2.05)
    axes.legend(fontsize=TEXT, loc="upper right", title="exact Pareto points of", title_fontsize=TEXT)
    title(figure, "shaded: no rule can promise it; markers: promises of the algorithms")
    bare(axes)
    return figure


@figure("cooperation.svg")
def cooperation(path: Path) -> None:
    from fractions import Fraction

    from consortium.agents.organizations import Federation
    from consortium.mechanisms.federation import pareto_front
    from consortium.workloads.federation import family_1, family_2

    instances = {f"family 1, N = {n}": family_1(n) for n in (3, 4, 5)}
    instances |= {f"family 2, j = {j}": family_2(j, j - 1) for j in (3, 4)}
    fronts = {
        name: [(p.alpha, p.makespan) for p in pareto_front(Federation.of(instance.jobs)).points]
        for name, instance in instances.items()
    }
    tomos = [(Fraction(alpha, 10), Fraction(alpha, alpha - 10)) for alpha in range(20, 43)]
    algorithms = {"LPT-LPT, ILBA, ...": (1, 2), "relaxed-2": (2, "3/2"), "relaxed-3": (3, "4/3")}
    save(trade_off(fronts, algorithms, {"ToMoS, any N": tomos}), path)


@figure("no-equilibrium.svg")
def no_equilibrium(path: Path) -> None:
    save_record(consortium.search("cordeiro2012/section-5.2-small"), path)


@figure("foreign-jobs.svg")
def foreign_jobs(path: Path) -> None:
    save_record(consortium.run("cordeiro2012/theorem-4.5-repaired"), path)


@figure("multiuser-boxes.svg")
def multiuser_boxes(path: Path) -> None:
    scenario = file_of_page("howto/pareto-and-fairness.md", "lab.toml")
    changes = {"mechanism": {"rule": "refine", "levels": 9}}
    save_record(consortium.run(scenario, overrides=changes), path)


@figure("multiuser-front.svg")
def multiuser_front(path: Path) -> None:
    from consortium.reports.multiuser.figures import front

    name = "cordeiro2012/figure-6.2"
    points = consortium.run(name, overrides={"mechanism": {"rule": "pareto"}}).to_dict()
    save(front(points, consortium.run(name, overrides={"mechanism.levels": 5}).to_dict()), path)


@figure("explanation-fair.svg")
def explanation_fair(path: Path) -> None:
    save_record(consortium.run(file_of_page("explanation/what-fair-means-here.md", "lab.toml")), path)


@figure("explorer.png")
def explorer(path: Path) -> None:
    """The page in the machine's own browser; a note where there is none."""
    browser = SimpleNamespace(**runpy.run_path(str(DOCS.parent / "tests" / "browser.py")))
    try:
        with browser.chromium() as chromium, served("agmon2003/5.2.1") as address:
            page = browser.Visitor(chromium).open(address, width=1200, height=800)
            page.set_default_timeout(120_000)  # milliseconds: a busy machine may have kernels to compile
            page.get_by_role("button", name="find the lie that pays most").click()
            page.get_by_text("ann gains").wait_for()
            page.screenshot(path=path)
    except browser.NoBrowserError as error:
        print(f"docs: no picture of the explorer ({error})")
        drawn = Figure(figsize=(8, 1))
        drawn.text(0.5, 0.5, "a picture of the explorer stands here where the documentation is built with a browser",
                   ha="center", va="center", fontsize=9)  # fmt: skip
        drawn.savefig(path)


@contextlib.contextmanager
def served(name: str) -> Iterator[str]:
    """The address of an explorer that shows a scenario."""
    command = [sys.executable, "-m", "consortium", "explore", name, "--no-open"]
    environment = os.environ | {"PYTHONPATH": str(DOCS.parent / ".types")}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as server:
        try:
            yield server.stdout.readline().strip()
        finally:
            server.terminate()


@look()
def first_screen(path: Path) -> None:
    """Chem's utility under a rule under which a lie pays, beside one under which none does.

    The README shows it, so it is kept with the pages and no figure of the build.
    """
    scenario = file_of_page("../README.md", "cluster.toml")
    fig = new_figure(height=2.6)
    rules = {"light-vcg": "light-vcg: a lie pays", "vcg-postpone": "vcg-postpone: the truth is best"}
    for axes, (rule, head) in zip(fig.subplots(1, 2, sharey=True), rules.items(), strict=True):
        record = consortium.curve(scenario, "chem", low=1, high=8, overrides={"mechanism.rule": rule})
        figure_of(record, ax=axes)
        axes.set_title(head, fontsize=TEXT + 3, loc="left", pad=14)
        axes.label_outer()
        best = max(record.points, key=lambda point: point.utility)
        axes.plot(best.declares, best.utility, markersize=13, zorder=6, **BEST)
    save(fig, path)


if __name__ == "__main__":
    first_screen(DOCS / "first-screen.svg")
