"""The kind as an object: names only, nothing is imported before it is used."""

from __future__ import annotations

from consortium import Kind, Verb

KIND = Kind(
    "ferry",
    "cars cross a river on a ferry with few places",
    verbs=(
        Verb(
            "run",
            function="ferry.verbs:run",
            options="ferry.options:Run",
            tables="ferry.reports:cars",
            figure="ferry.reports:crossings",
            estimate="ferry.verbs:estimate_run",
        ),
        Verb(
            "search",
            function="ferry.verbs:search",
            options="consortium.verbs.game.options:Search",
            tables="consortium.reports.game.tables:search",
            estimate="ferry.verbs:estimate_search",
        ),
        Verb(
            "verify",
            function="ferry.verbs:verify",
            options="ferry.options:Verify",
            tables="ferry.reports:order",
            estimate="ferry.verbs:estimate_verify",
        ),
        Verb(
            "compare",
            function="ferry.verbs:compare",
            options="ferry.options:Compare",
            tables="consortium.reports.tables:comparison",
            estimate="ferry.verbs:estimate_compare",
            takes="scenarios",
        ),
        Verb(
            "timetable",
            function="ferry.verbs:timetable",
            options="ferry.options:Timetable",
            tables="ferry.reports:departures",
            estimate="ferry.verbs:estimate_timetable",
            summary="List when each crossing departs.\n\nExample: consortium timetable ferry/tuesday 8 --every 1/2",
        ),
    ),
    reader="ferry.format:FORMAT",
    rules="ferry.rules:RULES",
    importer="ferry.verbs:IMPORTER",
    game="ferry.verbs:game",
    folder="ferry.scenarios",
    claims="ferry.claims:CLAIMS",
    hunting="ferry.claims:HUNTING",
)
