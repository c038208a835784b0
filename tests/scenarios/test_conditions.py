"""Conditions between keys: the reader goes by the same words as the JSON Schema, and means the same by them."""

from __future__ import annotations

import json
from contextlib import suppress
from functools import cache
from typing import Any

import jsonschema
import pytest

from consortium.mechanisms.kinds import kind, names
from consortium.scenarios.blocks import read_block
from consortium.scenarios.conditions import (
    Condition,
    check,
    every,
    fits,
    one_of,
    where,
    with_keys,
    with_values,
    without,
)
from consortium.scenarios.fields import Block, Name, described
from consortium.scenarios.problems import Problems, ScenarioError
from consortium.scenarios.reader import format_of, locate, parse, parse_text, shipped

from .broken_files import broken


@cache
def tables() -> tuple[dict[str, Any], ...]:
    """Whole files, valid and broken, of all kinds."""
    files = [parse(locate(name)) for name in shipped()]
    for _, content in broken():
        with suppress(ScenarioError):  # some are no TOML
            files.append(parse_text(content) if isinstance(content, str) else content)
    return tuple(json.loads(json.dumps(data, default=str)) for data in files)


@pytest.mark.parametrize("name", names())
def test_it_agrees_with_another_validator(name: str) -> None:
    model = format_of(kind(name)).file
    mechanism: Any = model.model_fields["mechanism"].annotation
    files = [data for data in tables() if data.get("kind") == name]
    blocks = [(model, file) for file in files]
    blocks += [(mechanism, file["mechanism"]) for file in files if isinstance(file.get("mechanism"), dict)]
    refused = 0
    for block, table in blocks:
        for condition in block.conditions():
            if condition.expected:
                valid = jsonschema.Draft202012Validator(condition.schema).is_valid(table)
                assert fits(condition.schema, table) == valid, (condition, table)
                refused += not valid
    assert refused


class Pet(Block):
    """A block with a condition of its own."""

    name: Name | None = described(None, "name")
    breed: Name | None = described(None, "breed")
    vet: Name | None = described(None, "vet")

    @classmethod
    def conditions(cls) -> list[Condition]:
        """Cats of a breed have a vet, others none."""
        cat = with_values(name=one_of(["cat"]), breed={"not": {"type": "null"}})
        return [
            Condition(cat, with_keys("vet"), "a vet, whom a cat of a breed needs"),
            Condition({"not": cat}, without("vet"), lambda pet: f"no vet for {pet.get('name')!r}"),
            Condition({}, where(breed=one_of(["siamese", "persian"])), "a breed that is known"),
        ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('name = "cat"\nbreed = "persian"\nvet = "ann"', []),
        ('name = "cat"\nbreed = "persian"', ["pet.vet: found nothing; expected a vet, whom a cat of a breed needs"]),
        ('name = "dog"\nvet = "ann"', ["pet.vet: found 'ann'; expected no vet for 'dog'"]),
        ('breed = "persan"', ["pet.breed: found 'persan'; expected a breed that is known. Did you mean 'persian'?"]),
        ('name = 3\nvet = "ann"', ["pet.name: found 3; expected a name (text)"]),  # the rest follows from that
    ],
)
def test_a_block_is_read_and_described_by_its_conditions(text: str, said: list[str]) -> None:
    problems = Problems()
    read_block(Pet, parse_text(text), "pet", problems)
    assert [str(problem) for problem in problems.noted] == said
    assert jsonschema.Draft202012Validator(Pet.model_json_schema()).is_valid(parse_text(text)) == (not said)


def test_items_of_a_list_are_judged_one_by_one() -> None:
    """One bad item hides no other; all repeated ones are named, or the first where it speaks for all."""
    data = {"pets": [{"legs": 4}, {"legs": 3}, {"legs": "x"}, {"legs": 2}]}
    four = where(pets=every(where(legs={"const": 4})))
    for once, paths in ((False, ["pets[2].legs", "pets[4].legs"]), (True, ["pets[2].legs"])):
        problems = Problems()
        problems.add("pets[3].legs", "x", "a number")
        check([Condition({}, four, "4 legs", once=once)], data, "", problems)
        assert [problem.path for problem in problems.noted[1:]] == paths


def test_a_condition_that_rests_on_a_bad_item_is_not_judged() -> None:
    """What its premise asks of the items counts; a problem elsewhere in the list does not."""
    data = {"pets": [{"legs": "x", "name": "cat"}]}
    condition = Condition(where(pets=every(with_keys("legs"))), with_keys("vet"), "a vet of those that have legs")
    for bad, judged in (("pets[1].legs", False), ("pets[1].name", True)):
        problems = Problems()
        problems.add(bad, "x", "another")
        check([condition], data, "", problems)
        assert ("vet" in [problem.path for problem in problems.noted]) == judged
