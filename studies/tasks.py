"""One task of a study: make its instance, ask its verbs, take its measures. This is what a worker does.

>>> study = reader.load({"format": 1, "kind": "study", "verb": "run", "base": {"scenario": "agmon2003/5.2.1"},
...                      "measures": {"rent": "rent"}})
>>> found = outcome(study.text, 1)
>>> found.status, found.measures
('done', {'rent': '2/5'})
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Literal

from pydantic_core import to_json

from ..mechanisms.kinds import kind as find_kind
from ..parallel.outcomes import Outcome
from ..scenarios.digest import digest
from ..scenarios.scenario import Scenario
from ..support.errors import ConsortiumError
from ..support.interrupts import noticed
from ..support.jit import LINKED
from ..support.loading import load as load_reference
from ..support.progress import limited
from ..support.status import Status
from ..verbs.dispatch import ask
from . import reader
from .study import Study, Task

TIME_LIMIT = "time_limit"


@lru_cache(maxsize=4)
def studied(text: str) -> Study:
    """The study that a text holds (:attr:`.study.Study.text`)."""
    return reader.again(**json.loads(text))


def outcome(text: str, number: int) -> Outcome:
    """What comes of a task of the study that a text holds. Whatever goes wrong in it becomes its error.

    Raises KeyboardInterrupt when Ctrl-C came meanwhile: then the task has no outcome.
    """
    study = studied(text)
    task = study.task(number)
    began = time.perf_counter()
    with noticed() as stopped:
        kernels = len(LINKED)
        found = found_of(study, task)
        if found.status == "stopped" and len(LINKED) > kernels and not stopped():
            found = found_of(study, task)  # its limit was spent on compiling kernels, which nobody after it waits for
    if stopped():
        raise KeyboardInterrupt
    return Outcome(
        task=number,
        status=found.status,
        seconds=time.perf_counter() - began,
        seed=task.seed,
        replicate=task.replicate,
        digest=found.digest,
        varied=task.varied,
        measures=study.measured(found.records),
        error=found.error,
        record=to_json(found.records).decode() if found.records else None,
    )


def lost(text: str, number: int) -> Outcome:
    """What stands for a task that has ended its worker process each time."""
    task = studied(text).task(number)
    said = "its worker process ended each time, out of memory perhaps"
    return Outcome(number, "failed", 0.0, task.seed, task.replicate, "", task.varied, {}, said)


@dataclass
class Found:
    """What a task has found so far: the dicts of its records by verb."""

    status: Literal["done", "failed", "stopped"] = "done"
    digest: str = ""
    error: str | None = None
    records: dict[str, Any] = field(default_factory=dict)


def found_of(study: Study, task: Task, instead: Callable[[], Scenario] | None = None) -> Found:
    """Ask all verbs of a task within the limit of the study, perhaps of what stands for its instance."""
    found = Found()
    limit = study.head.task_limit
    report = limited(None, None if limit is None else float(limit))
    try:
        scenario = study.instance(task) if instead is None else instead()
        found.digest = digest(scenario.data)
        for verb in study.head.verb:
            record = ask(verb, scenario, _options(study, scenario, verb, task), progress=report, door="file")
            found.records[verb] = record.to_dict()
            if record.status is Status.STOPPED:
                found.status = "stopped"
                break
    except KeyboardInterrupt:
        found.status, found.error = "stopped", f"the limit of {limit} s per task came before there was an answer"
    except ConsortiumError as error:
        found.status, found.error = "failed", str(error)
    except MemoryError as error:
        found.status, found.error = "failed", f"not enough memory ({error})"
    except Exception as error:  # one instance that breaks a rule of one's own is a finding, not the end of the study
        found.status, found.error = "failed", f"{type(error).__name__}: {error}"
    return found


def _options(study: Study, scenario: Scenario, verb: str, task: Task) -> Mapping[str, Any]:
    """Options of a verb, with the limit of the task where the verb knows one and the study gives none."""
    chosen, limit = study.asked(verb, task), study.head.task_limit
    if limit is None or TIME_LIMIT in chosen:
        return chosen
    model = load_reference(find_kind(scenario.kind).verb(verb).options)
    return {**chosen, TIME_LIMIT: limit} if TIME_LIMIT in model.model_fields else chosen
