"""Write the pages of the scenario language: per kind its files and its rules, and study files.

All of it is what the JSON Schema, the registry and the shipped scenarios say, which is what `consortium schema` and
`consortium rules` print.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from glossary import linked
from pieces import codes, sentence, table

from consortium.mechanisms.kinds import KINDS, Kind
from consortium.scenarios.reader import locate
from consortium.scenarios.schema import Key, keys, keys_in
from consortium.studies.blocks import plain_schema as schema_of_studies
from consortium.studies.reader import SHIPPED as SHIPPED_STUDIES
from consortium.verbs.rules import ClaimRow, RulePage, every, page

RULES_KEY = ("mechanism", "rule")
STUDY_EXAMPLE = "open/several-machines"


def pages() -> dict[str, str]:
    """Markdown of every page of the scenario language, by file name."""
    found = {"files-study": study_page()}
    for kind in KINDS:
        found[f"files-{kind.name}"] = files_page(kind)
        found[f"rules-{kind.name}"] = rules_page(kind)
    return found


def files_page(kind: Kind) -> str:
    """Every key of the scenario files of a kind, and a file that writes every key of one rule."""
    example = f"complete/{kind.name}"
    lines = [
        f"# Scenario files: {kind.name}",
        "",
        f"{sentence(kind.summary)} All keys, table by table; one that the chosen rule does not use is an error.",
        f"Rules have [a page of their own](rules-{kind.name}.md). Numbers are integers, decimals or quoted fractions",
        'such as `"3/2"`, and exact. [The format](../explanation/format.md) tells what all files have in common, the',
        f"[glossary](glossary.md) the words, and `consortium schema {kind.name}` prints all of this for an editor.",
        "",
        *key_tables(keys(kind.name)),
        "## An example",
        "",
        f"It is shipped as `{example}`: `consortium run {example}` plays it, and `consortium check {example}` compares",
        "what it expects.",
        "",
        *shipped_file(locate(example).read_text()),
    ]
    return "\n".join(lines)


def study_page() -> str:
    """Every key of study files."""
    lines = [
        "# Study files",
        "",
        "A study asks the same verbs of a population of scenarios. [Run a study](../howto/run-a-study.md) shows how;",
        "here are all keys. `consortium schema study` prints them for an editor. Families have",
        "[a page of their own](families.md), as have the [options](options.md) of verbs.",
        "",
        *key_tables(keys_in(schema_of_studies())),
        "## An example",
        "",
        f"It is shipped as `{STUDY_EXAMPLE}`.",
        "",
        *shipped_file((SHIPPED_STUDIES / f"{STUDY_EXAMPLE}.toml").read_text()),
    ]
    return "\n".join(lines)


def shipped_file(text: str) -> list[str]:
    """A file as it is shipped."""
    return ["```toml", text.rstrip(), "```", ""]


def key_tables(found: Sequence[Key]) -> Iterator[str]:
    """A table of keys per table of the file; below it what names mean that may be written."""
    for block in dict.fromkeys(key.block for key in found):
        own = [key for key in found if key.block == block]
        yield from (f"## {heading(own[0])}", "", *table(HEAD, [row(key) for key in own]), "")
        for key in own:
            if key.names and (block, key.key) != RULES_KEY:
                yield from meanings(key)


HEAD = ("key", "accepted", "default", "unit", "meaning")


def heading(key: Key) -> str:
    """How a file begins the table that the key is in."""
    if not key.block:
        return "At the top of the file"
    if "." in key.block:
        parent, _, name = key.block.rpartition(".")
        return f"Tables in `{name}` of `[[{parent}]]`"
    return f"`[[{key.block}]]`" if key.listed else f"`[{key.block}]`"


def row(key: Key, of_rule: bool = False) -> tuple[str, ...]:
    """A key in its table, that of one rule or of all."""
    accepted = NAMES.sub("a name below", key.accepted) if len(key.names) > MANY else key.accepted
    accepted = "the name of a rule" if (key.block, key.key) == RULES_KEY else accepted
    meaning = sentence(key.meaning) + ("" if of_rule else only(key.used_by))
    return (f"`{key.key}`", quoted(accepted), default(key), key.unit, quoted(meaning))


MANY = 4
"""More names than this are not repeated in the table: they are listed below it."""
NAMES = re.compile(r"one of '[^']*'(, '[^']*')*")


def quoted(text: str) -> str:
    """The text with names in quotes as a file writes them, which no reader takes for typographic ones.

    >>> quoted("a number or 'none'")
    'a number or `"none"`'
    """
    return re.sub(r"(?<!\w)'([^' ]+)'(?!\w)", r'`"\1"`', text)


def default(key: Key) -> str:
    """What holds without a key: a value as code, words as words."""
    if key.default[:1].isdigit() or key.default in ("true", "false", "{}"):
        return f"`{key.default}`"
    return re.sub(r'"[^"]*"', lambda name: f"`{name[0]}`", key.default)


def only(used_by: Mapping[str, Sequence[str]]) -> str:
    """By what a key is used that not everybody uses."""
    return "".join(f" Only with {chooser} {codes(names)}." for chooser, names in used_by.items())


def meanings(key: Key) -> Iterator[str]:
    """What each name means that may be written for a key."""
    yield from (f"Values of `{key.key}`:", "")
    yield from (f"- `{name}`: {about}" for name, about in key.names.items())
    yield ""


def rules_page(kind: Kind) -> str:
    """Every rule of a kind: what it does, its keys, its theorem, its claims, the scenarios that use it."""
    lines = [
        f"# Rules: {kind.name}",
        "",
        f"{sentence(kind.summary)} What `mechanism.rule` may name.",
        f"`consortium rules {kind.name}` lists the same rules and those of other installed distributions, and",
        f"`consortium rules {kind.name} RULE` tells all of one. The other keys of a file are on",
        f"[the page of files](files-{kind.name}.md), words in the [glossary](glossary.md). A claim is *proved* for",
        "all lengths, *enumerated* on finite domains, *tested* on generated instances, or *refuted* by a shipped",
        "scenario, which `consortium check` replays.",
        "",
    ]
    found = [page(rule) for rule in every() if rule.kind == kind.name and not rule.info.foreign]
    lines += [
        *table(("rule", "what it does"), [(f"[{one.rule}](#{one.rule})", sentence(one.summary)) for one in found]),
        "",
    ]
    for one in found:
        lines += rule_section(one)
    return "\n".join(lines)


def rule_section(rule: RulePage) -> Iterator[str]:
    """One rule."""
    yield from (f"## {rule.rule}", "", linked(rule.details), "")
    yield from (f"**Theorem.** {linked(rule.theorem)}", "") if rule.theorem else ()
    yield from (f"Source: {rule.source}.", "")
    if rule.keys:
        yield from (*table(HEAD, [row(key, of_rule=True) for key in rule.keys]), "")
        for key in rule.keys:
            yield from meanings(key) if key.names else ()
    yield from (*table(("claim", "meaning", "status", "how"), [claim(row) for row in rule.claims]), "")
    if rule.scenarios:
        yield from (f"Scenarios that use it: {codes(rule.scenarios)}.", "")


def claim(row: ClaimRow) -> tuple[str, ...]:
    """A claim in its table."""
    how = f"`{row.how}`" if row.status == "refuted" else row.how
    return (f"`{row.claim}`", sentence(row.meaning), row.status, how)
