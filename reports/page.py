"""A report: one page of HTML that holds all of an answer, and loads nothing.

What was asked, the answer in sentences, figures, tables, certificates with the command that checks them, the scenario
to copy, and what to cite (the file ``CITATION.cff`` of the package and those of its references whose rules were used).
Everything that comes from a file is text: the template escapes it, and characters without a picture are written as
escapes. The page runs no script but its own, whose hash its content security policy names.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import yaml

from .. import __version__
from ..mechanisms.kinds import answered, info, is_custom, kind
from ..scenarios.toml import dumps
from ..support.errors import ConsortiumError, whole_record
from ..verbs.judging import certificates
from ..verbs.request import command, is_named
from .display import STYLE
from .figures import figure_of, svg_text
from .sentences import sentences_of
from .tables import all_printable, cell, more, printable, tables_of

if TYPE_CHECKING:
    import jinja2
    from markupsafe import Markup

    from ..verbs.records import Record

FOLDER: Final = Path(__file__).parent / "templates"
MAX_CERTIFICATES: Final = 12
"""Certificates that a page shows; the record, which it holds too, has them all."""

QUESTIONS: Final = {
    "run": "What happens?",
    "search": "Where do selfish players settle, and what does it cost everybody?",
    "verify": "Does the rule keep what it promises?",
    "design": "Which payments would be best?",
    "prove": "Does the rule keep what it promises, whatever the lengths?",
    "compare": "What does each rule do with the same agents and jobs?",
    "curve": "What would another declaration bring her?",
    "audit": "Is this cluster shared fairly?",
    "hunt": "Is there an instance on which the rule breaks its promise?",
}


@dataclass(frozen=True)
class Answer:
    """A record's dict, the record itself where it was made here, and where a dict came from, for errors."""

    data: Mapping[str, Any]
    record: Record | None = None
    where: str = "record"


def document(answers: Sequence[Answer]) -> str:
    """The page of some answers. Raises InputError where what came from a file is no whole record."""
    files: dict[str, str] = {}
    rules: dict[str, str] = {}
    for answer in answers:
        with _whole(answer):
            files |= _files(answer.data)
            rules |= _rules(answer.data)
    sources, parts = _sources(files), []
    for number, answer in enumerate(answers, 1):
        with _whole(answer):
            parts.append(_part(answer, number, sources, len(answers)))
    script = _file("report.js")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    title = parts[0]["heading"] if len(parts) == 1 else printable(str(answers[0].data["scenario"] or "A game"))
    return _template().render(
        title=title,
        version=__version__,
        script=_markup(script),
        script_hash=f"sha256-{digest}",
        style=_markup(f"{STYLE}\n{_file('report.css')}"),
        parts=parts,
        sources=sources,
        rules=list(rules.items()),
        citation=citation([*rules.values(), *files]),
    )


def _whole(answer: Answer) -> AbstractContextManager[None]:
    """A block in which whatever is wrong with a record from a file is an error of that file."""
    return nullcontext() if answer.record is not None else whole_record(answer.where)


def _part(answer: Answer, number: int, sources: Sequence[Mapping[str, str]], count: int) -> dict[str, Any]:
    """One answer as the template wants it."""
    data = all_printable(answer.data)
    name = "record.json.gz" if count == 1 else f"record-{number}.json.gz"
    scenarios = [(printable(place), _toml(scenario)) for place, scenario in certificates(answer.data)]
    heading = f"{data['verb']}: {data['scenario'] or 'a game'}"
    own_rules = ",".join(dict.fromkeys(rule["rule"] for rule in (data.get("custom_rules") or {}).values()))
    tables = [replace(one, title="" if one.title == heading else one.title) for one in tables_of(data)]
    return {
        "anchor": f"answer-{number}",
        "heading": heading,
        "question": QUESTIONS.get(data["verb"], answered(data["kind"], data["verb"]).summary),
        "request": _request(data),
        "command": _command(answer.data, sources),
        "sentences": sentences_of(data),
        "figure": _figure(answer, f"f{number}-"),
        "tables": [_markup(table.to_html()) for table in tables],
        "replay": " --mechanism ".join(filter(None, (f"consortium check {name}", own_rules))),
        "record_name": name,
        "record": _packed(answer.data),
        "certificates": scenarios[:MAX_CERTIFICATES],
        "more_certificates": more(len(scenarios) - MAX_CERTIFICATES, "the record has all of them"),
    }


def _request(data: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What was asked and how it was answered, line by line."""
    request = data.get("request") or {}
    about, rules, game = kind(data["kind"]), _rules(data), request.get("game") or {}
    lines = [
        ("kind", f"{about.name}: {about.summary}"),
        ("scenario", cell(request.get("name") or request.get("names"))),
        *((name, cell(request.get(name))) for name in ("log", "store")),
        ("game", f"{game['object']} (code of one's own)" if is_named(game) else ""),
        ("rule", "; ".join(f"{name}: {summary}" for name, summary in rules.items()) if len(rules) == 1 else ""),
        ("options", cell(request.get("options"))),
        ("method", data["method"]),
        ("numbers", "exact" if data["exact"] else "not all exact"),
        ("answer", "complete" if data["complete"] else "not complete"),
        ("seed", cell(data.get("seed"))),
        ("version", f"consortium {data['version']}"),
    ]
    return [(name, value) for name, value in lines if value not in ("", "-")]


def _command(data: Mapping[str, Any], sources: Sequence[Mapping[str, str]]) -> str:
    """The command that asks the same of the files on this page; empty where the record does not say what it answers."""
    request = data.get("request")
    if not request:
        return ""
    if is_named(request.get("game")):
        return ""  # no file says what it is
    names = {source["text"]: source["file"] for source in sources}
    files = [str(request[name]) for name in ("log", "store") if name in request]
    files += [names[text] for text in _files(data)]
    for path, value in request.get("overrides", {}).items():
        files += ["--set", f"{path}={value if isinstance(value, str) else json.dumps(value)}"]
    return printable(command(data["kind"], data["verb"], files, request["options"]))


def _files(data: Mapping[str, Any]) -> dict[str, str]:
    """What a record's question is about: the texts of files, each with its ending."""
    request = data.get("request") or {}
    if "game" in request:
        return {} if is_named(request["game"]) else {printable(request["game"]): "nfg"}
    return {_toml(scenario): "toml" for scenario in _scenarios(data)}


def _scenarios(data: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    request = data.get("request") or {}
    return [request["scenario"]] if "scenario" in request else list(request.get("scenarios", ()))


def _sources(files: Mapping[str, str]) -> list[dict[str, str]]:
    """Every file as the template wants it, by the name under which it is saved, numbered where there are several."""
    sources = []
    for number, (text, ending) in enumerate(files.items(), 1):
        stem, which = ("game" if ending == "nfg" else "scenario"), number if len(files) > 1 else ""
        file = f"{stem}-{which}.{ending}" if which else f"{stem}.{ending}"
        source = {
            "heading": f"The {stem} {which}".rstrip(),
            "file": file,
            "text": text,
            "anchor": "source-" + file.replace(".", "-"),
            "encoded": base64.b64encode(text.encode()).decode(),
        }
        sources.append(source)
    return sources


def _rules(data: Mapping[str, Any]) -> dict[str, str]:
    """The rules of an answer by name, each with what it does and its source; nothing for those nobody knows here."""
    named = [scenario["mechanism"]["rule"] for scenario in _scenarios(data)]
    named += [row["rule"] for row in data.get("rows", ()) if "rule" in row]
    rules = {}
    for name in dict.fromkeys(str(rule).partition(":")[0] for rule in named):
        try:
            if is_custom(name):
                continue
            rule = info(data["kind"], name)
        except ConsortiumError:  # of a distribution that is not installed here, or a label of one's own
            continue
        rules[name] = f"{rule.summary} ({rule.source})"
    return rules


def _figure(answer: Answer, prefix: str) -> Markup | None:
    verb = answered(answer.data["kind"], answer.data["verb"])
    if not verb.figure:
        return None
    return _markup(svg_text(figure_of(answer.record or answer.data), prefix))


def _toml(scenario: Mapping[str, Any]) -> str:
    r"""A scenario as a file that says the same and shows every character that has no picture.

    >>> _toml({"title": "a\u202eb"})
    'title = "a\\u202eb"\n'
    """
    return "".join(c if c == "\n" or c.isprintable() else _escape(c) for c in dumps(scenario))


def _escape(character: str) -> str:
    code = ord(character)
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def _packed(data: Mapping[str, Any]) -> str:
    """The record for a link that saves it, the same text every time."""
    return base64.b64encode(gzip.compress(json.dumps(data, indent=2).encode(), mtime=0)).decode()


def _markup(text: str) -> Markup:
    from markupsafe import Markup

    return Markup(text)  # made here, of parts that are escaped


@cache
def _file(name: str) -> str:
    return (FOLDER / name).read_text(encoding="utf-8").strip()


@cache
def _template() -> jinja2.Template:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(FOLDER),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("report.html.j2")


FILE: Final = Path(__file__).parent.parent / "CITATION.cff"


@dataclass(frozen=True)
class Citation:
    """What is asked of who uses the package, and the works: the package itself first."""

    message: str
    works: tuple[str, ...]


def citation(sources: Iterable[str]) -> Citation:
    """The package, and the references that any of the texts names by authors and year.

    >>> [work.partition(".")[0] for work in citation(["Agmon 2003, 5.2.1"]).works]
    ['The consortium maintainers', 'Agmon, Orna']
    """
    references = _references()
    authors = ", ".join(author["name"] for author in references["authors"])
    own = f"{authors}. {references['title']}. Version {__version__}."
    texts = list(sources)
    named = [work for work in references["references"] if any(_names(text, work) for text in texts)]
    return Citation(references["message"], (own, *map(_written, named)))


@cache
def _references() -> Mapping[str, Any]:
    references: Mapping[str, Any] = yaml.safe_load(FILE.read_text(encoding="utf-8"))
    return references


def _names(text: str, work: Mapping[str, Any]) -> bool:
    """Whether a text such as ``"counterexample to Cordeiro 2012, Theorem 5.6"`` names a work."""
    return str(work["year"]) in text and any(author["family-names"] in text for author in work["authors"])


def _written(work: Mapping[str, Any]) -> str:
    authors = "; ".join(f"{author['family-names']}, {author['given-names']}" for author in work["authors"])
    return f"{authors}. {work['title']} ({work['type']}, {work['year']})."
