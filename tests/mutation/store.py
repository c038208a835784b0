"""Results, one JSON line each, and the verdicts on survivors that were judged by reading."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

EQUIVALENT = Path(__file__).with_name("equivalent.toml")


@dataclass(frozen=True)
class Result:
    """What became of a mutant; the last result of an id counts."""

    id: str
    path: str
    line: int
    function: str
    operator: str
    before: str
    after: str
    verdict: str
    by: str
    why: str
    tests: int
    seconds: float

    @property
    def floor(self) -> str:
        return self.path.partition("/")[0]


def read(folder: Path) -> dict[str, Result]:
    """By id, from the stores of all shards in a folder."""
    results = {}
    for path in sorted(folder.glob("results*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.endswith("}"):  # the last line of a run that was cut off may be half a line
                result = Result(**json.loads(line))
                results[result.id] = result
    return results


def append(path: Path, result: Result) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(asdict(result), ensure_ascii=False) + "\n")


def equivalent() -> dict[str, str]:
    """Why no test can tell these mutants from the package, by id."""
    return {one["id"]: one["why"] for one in tomllib.loads(EQUIVALENT.read_text(encoding="utf-8"))["mutant"]}


def table(results: Iterable[Result], argued: dict[str, str]) -> str:
    """One row per floor: killed, of these by time, survived, argued equivalent; and the mean of seconds."""
    rows: dict[str, list[Result]] = {}
    for result in results:
        rows.setdefault(result.floor, []).append(result)
    lines = [f"{'floor':14}{'mutants':>9}{'killed':>9}{'by time':>9}{'survived':>10}{'equivalent':>12}{'seconds':>9}"]
    everything = [result for some in rows.values() for result in some]
    for name, some in [*sorted(rows.items()), ("all", everything)]:
        verdicts = [result.verdict for result in some]
        same = sum(result.verdict == "survived" and result.id in argued for result in some)
        killed, late = verdicts.count("killed"), verdicts.count("timeout")
        mean = sum(result.seconds for result in some) / max(len(some), 1)
        survived = verdicts.count("survived") - same
        lines.append(f"{name:14}{len(some):9}{killed + late:9}{late:9}{survived:10}{same:12}{mean:9.1f}")
    return "\n".join(lines)
