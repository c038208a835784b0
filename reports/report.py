"""Reports: from records, their files or scenarios to one page of HTML, and its tables beside it as CSV."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from ..mechanisms.kinds import GAME, answered, kind
from ..support.errors import InputError
from ..support.files import STDIN, check_destination, name_of, write_text
from ..support.interrupts import noticed
from ..support.progress import Progress
from ..verbs import dispatch
from ..verbs.check import read_record
from ..verbs.dispatch import load
from ..verbs.records import Record
from . import jobs
from .figures import save_slide
from .page import Answer, document
from .tables import all_printable, tables_of

ENDINGS: Final = (".html", ".htm")
RECORDS: Final = (".json", ".json.gz")
"""How the names of files of records end."""

Source = Record | Mapping[str, Any] | str | os.PathLike[str]


def report(
    source: Source | Sequence[Source],
    path: str | os.PathLike[str] | None = None,
    *,
    verbs: Sequence[str] = (),
    overrides: Mapping[str, Any] | None = None,
    mechanism: Any = None,
    progress: Progress | None = None,
    slides: str | os.PathLike[str] | None = None,
) -> str:
    """Put answers on one page of HTML that holds all of them: sentences, tables, figures, certificates, the scenario.

    Parameters
    ----------
    source
        A record, its dict or file (``.json``, ``.json.gz``), or a scenario, which is asked now; or several of them.
    path
        Where to write the page too (``.html``).
    verbs
        What scenarios are asked, with the verbs' default options; none: ``run``.
    overrides, mechanism, progress
        As for :func:`consortium.run`, for scenarios.
    slides
        A folder for every figure as .svg, .png and .pdf for slides: 16 to 9, with large letters.

    Returns
    -------
    str
        The page, which loads nothing from elsewhere; the same text every time.

    Raises
    ------
    ScenarioError
        When a scenario or the file of a record cannot be used.
    InputError
        When a record is not whole, or the page or a figure cannot be written.

    Examples
    --------
    >>> "a gain of 1 " in report("agmon2003/5.2.1", verbs=["run", "verify"])
    True
    """
    sources = source if isinstance(source, Sequence) and not isinstance(source, str) else [source]
    request: dict[str, Any] = {"overrides": overrides, "mechanism": mechanism, "progress": progress}
    return made(sources, verbs, path, slides=slides, **request).page


class Made(NamedTuple):
    """A report."""

    page: str
    answers: list[Answer]
    files: list[object]  # that were written


def made(
    sources: Sequence[Any],
    verbs: Sequence[str],
    path: str | os.PathLike[str] | None,
    *,
    csv: bool = False,
    jobs_csv: str | None = None,
    slides: str | os.PathLike[str] | None = None,
    **request: Any,
) -> Made:
    """Answer, and write the page and what goes with it; see :func:`report`.

    ``csv``: the tables beside the page; ``jobs_csv``: the file for the schedule of the only run; ``request``: see
    :func:`gathered`.
    """
    if path is not None:
        check_path(path)
    if jobs_csv is not None:
        jobs.check_path(jobs_csv)
    if slides is not None:
        check_destination(slides, "slides", folder=True)
    answers = gathered(sources, verbs, **request)
    page, files = document(answers), list[object]()
    if path is not None:
        write_text(path, page)
        files += [path, *(save_tables(answers, path) if csv else [])]
    if jobs_csv is not None:
        runs = [answer.data for answer in answers if answer.data["verb"] == "run"]
        if len(runs) != 1:
            raise InputError(f"jobs: found {len(runs)} records of run; expected one, whose schedule is written")
        jobs.save_jobs(runs[0], jobs_csv)
        files.append(jobs_csv)
    if slides is not None:
        files += save_slides(answers, slides)
    return Made(page, answers, files)


def gathered(
    sources: Sequence[Any],
    verbs: Sequence[str] = (),
    *,
    overrides: Mapping[str, Any] | None = None,
    mechanism: Any = None,
    progress: Progress | None = None,
) -> list[Answer]:
    """What a report is about, in order, see :func:`report`; what would be asked after a Ctrl-C is left out.

    Without ``verbs`` scenarios are asked ``run``, a shape ``prove``, and a game ``search``.
    """
    answers: list[Answer] = []
    asked_now = False
    with noticed() as stopped:
        for source in sources:
            if isinstance(source, Record):
                answers.append(Answer(source.to_dict(), source))
            elif _is_record(source):
                answers.append(_read(source))
            else:
                asked_now = True
                for verb in verbs or [_first_verb(source)]:
                    if not stopped():
                        options = {} if mechanism is None or verb == "compare" else {"mechanism": mechanism}
                        record = dispatch.ask(verb, source, options, overrides=overrides, progress=progress)
                        answers.append(Answer(record.to_dict(), record))
    if not answers:
        raise InputError("report: found nothing to report on; expected a record or a scenario")
    if (verbs or overrides or mechanism is not None) and not asked_now:
        raise InputError(
            "report: a rule, verbs and changed values are for scenarios, which are asked now; found only records"
        )
    return answers


def _is_record(source: Any) -> bool:
    """Whether it is the dict of a record, or the name of a file of one; other files are scenarios."""
    if isinstance(source, Mapping):
        return "verb" in source
    return isinstance(source, str | os.PathLike) and os.fsdecode(source).lower().endswith((STDIN, *RECORDS))


def _read(source: Any) -> Answer:
    data, where = read_record(source), name_of(source) if isinstance(source, str | os.PathLike) else "record"
    answered(data["kind"], data["verb"])
    return Answer(data, where=where)


def _first_verb(source: Any) -> str:
    """The verb of a source that is only named: the first of its kind, mostly ``run``, or the only one that takes it."""
    if dispatch.is_game(source):
        return GAME.verbs[0].name
    dispatch.refuse_others("report", source)
    scenario = load(source)
    return getattr(scenario.spec, "verb", None) or next(iter(kind(scenario.kind).verbs)).name


def check_path(path: object) -> None:
    """Raise InputError unless a report can be written there, before any work is done."""
    check_destination(path, "report", ENDINGS)


def save_slides(answers: Sequence[Answer], folder: str | os.PathLike[str]) -> list[Path]:
    """Draw for slides every answer of which something is drawn: ``01-run.svg``, ...; returns the files."""
    Path(folder).mkdir(parents=True, exist_ok=True)
    drawn = [answer for answer in answers if answered(answer.data["kind"], answer.data["verb"]).figure]
    files: list[Path] = []
    for i, answer in enumerate(drawn, 1):
        files += save_slide(answer.record or answer.data, Path(folder) / f"{i:02}-{answer.data['verb']}")
    return files


def save_tables(answers: Sequence[Answer], path: str | os.PathLike[str]) -> list[Path]:
    """Write every table as CSV beside a report, numbered in order: ``report-1.csv``, ...; returns the files.

    What a spreadsheet would take for a formula begins with an apostrophe.
    """
    tables = [table for answer in answers for table in tables_of(all_printable(answer.data))]
    files = [Path(path).with_name(f"{Path(path).stem}-{i}.csv") for i in range(1, len(tables) + 1)]
    for table, file in zip(tables, files, strict=True):
        write_text(file, table.to_csv())
    return files
