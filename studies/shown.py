"""One task of a study in full: its instance as a scenario file, and what the verbs answered."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ..scenarios.writer import dumps
from ..support.errors import InputError
from .places import moved
from .results import Results


@dataclass(frozen=True)
class Shown:
    """A task with its scenario (TOML) and its records by verb; ``replay`` takes each record."""

    task: int
    status: str | None
    seconds: float | None
    seed: int
    varied: Mapping[str, Any]
    scenario: str
    error: str | None
    records: Mapping[str, Any]

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        return asdict(self)


def shown(results: Results, number: int, folder: str | None = None) -> Shown:
    """A task by its number, from 1; without records where it has not been done yet.

    Parameters
    ----------
    results, number
        Of the study, and of the task.
    folder
        Where the scenario shall stand: from there it names its log. By default the current folder.

    Raises
    ------
    InputError
        When there is no such task, or its instance cannot be made.
    """
    study = results.study
    if not 1 <= number <= study.size:
        raise InputError(f"task: found {number}; expected 1 to {study.size:,}, the tasks of this study")
    task, kept = study.task(number), results.store.outcome(number)
    data = moved(study.instance(task).to_dict(), study.folder, folder)
    data["title"] = f"{study.title}, task {number}"
    return Shown(
        number,
        None if kept is None else kept.status,
        None if kept is None else kept.seconds,
        task.seed,
        task.varied,
        dumps(data),
        None if kept is None else kept.error,
        json.loads(kept.record) if kept is not None and kept.record is not None else {},
    )


def write(whole: Shown, folder: Path) -> list[str]:
    """Write the scenario and the records into a folder; names of the files.

    Raises
    ------
    InputError
        When they cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        files = {f"task-{whole.task}.toml": whole.scenario}
        files |= {f"task-{whole.task}-{verb}.json": json.dumps(record, indent=2, ensure_ascii=False) + "\n"
                  for verb, record in whole.records.items()}  # fmt: skip
        for name, content in files.items():
            (folder / name).write_text(content, encoding="utf-8")
    except OSError as error:
        raise InputError(f"{folder}: cannot be written ({error.strerror or error})") from None
    return [str(folder / name) for name in files]
