"""Tables of records on scenarios of kind ``declaration``, and their jobs for other programs.

Heads and formats are those of the records' fields.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, Final

from ...support.errors import InputError
from ...verbs.declaration import records
from ...verbs.declaration.options import NOT_ASKED
from ..game import tables as game
from ..jobs import Job
from ..markup import Table
from ..tables import cell, comparison, facts, listing, pairs_of, shortened, table

__all__ = ["compare", "curve", "design", "jobs", "prove", "run", "search", "verify"]

TRUTH: Final = "truth is a best reply"
AGAINST: Final = {"dominant": "whatever the others do (dominant)", "ex_post": "to truthful others (ex post)"}
COALITIONS_AGAINST: Final = {
    "dominant": "others declare anything (dominant)",
    "ex_post": "others are truthful (ex post)",
}
NOTIONS: Final = {
    "all-gain": "every member gains",
    "none-lose": "nobody of them loses and one gains",
    "total": "the members' gains add up to more than 0",
}
"""When a joint lie pays."""
CUT: Final = "counterexamples are cut; --json has them whole"
REPLAYED: Final = ", with runs that replay them"

compare = comparison


def run(data: Mapping[str, Any]) -> list[Table]:
    """Agents, then what the institution sees."""
    agents = data["agents"]
    columns = ["name", "length", "declares"]
    if not all(row["stayed"] for row in agents):
        columns.append("stayed")
    columns += ["machine", "position", "planned", "output", "payment", "utility"]
    if any(row["penalty"] is not None for row in agents):
        columns.append("penalty")
    columns.append("controls")
    tables = [table(f"run: {data['scenario']}", agents, columns, of=records.AgentRow)]
    if data.get("first_round"):
        offer = ["name", "planned", "payment"]
        tables.append(table("first round: the offer", data["first_round"], offer, of=records.OfferRow))
    pairs = pairs_of(data, records.RunRecord, ["optimal_sum", "rent"])
    pairs += pairs_of(data["welfare"], records.WelfareRow, ["planned", "final"])
    return [*tables, facts("institution", pairs)]


def search(data: Mapping[str, Any]) -> list[Table]:
    """The game at the true lengths, then what the prior adds."""
    against = [name for name in ("first_best", "price_over_first_best") if data.get(name) is not None]
    optima = pairs_of(data, records.DeclarationSearchRecord, against)
    return [*game.search(data, optima), *(_equilibria(data["bayes_nash"]) if data.get("bayes_nash") else [])]


def _equilibria(data: Mapping[str, Any]) -> list[Table]:
    """Bayes-Nash equilibria."""
    best, worst = data["best"] or {}, data["worst"] or {}
    pairs = [
        *pairs_of(data, records.BayesNashRow, ["profiles", "count"]),
        ("expected social cost: best equilibrium", best.get("social_cost")),
        ("expected social cost: worst equilibrium", worst.get("social_cost")),
        *pairs_of(data, records.BayesNashRow, ["first_best", "price_of_anarchy"]),
    ]
    tables = [facts("Bayes-Nash equilibria under the prior", pairs)]
    for which, outcome in (("best", best), ("worst", worst)):
        if outcome and (which == "best" or outcome != best):
            rows = [{"agent": name, **own} for name, own in outcome["strategies"].items()]
            tables.append(_by_number(f"{which} equilibrium: declarations by length", rows, ["agent"]))
    return tables


def _by_number(title: str, rows: list[dict[str, Any]], heads: list[str]) -> Table:
    """A table whose columns after the first ones are exact numbers, in order; empty where a row has none."""
    columns = [*heads, *sorted({key for row in rows for key in row} - set(heads), key=Fraction)]
    return table(title, [{key: row.get(key, "") for key in columns} for row in rows], columns)


def verify(data: Mapping[str, Any]) -> list[Table]:
    """Incentive compatibility, the lie that pays if there is one, and the properties."""
    concepts = _concepts(data)
    rows = [{TRUTH: AGAINST[name], **row} for name, row in concepts.items()]
    columns = [TRUTH, "holds", "cases", "max_gain"]
    columns += [key for key in ("method", "limit") if any(row.get(key) for row in rows)]
    tables = [table(f"verify: {data['scenario']}", rows, columns, of=records.IncentiveRow), *_lies(concepts)]
    for name, listed_of in (("bayesian", _expectations), ("group", _groups)):
        tables += listed_of(data[name]) if data.get(name) else []
    properties = each_property(data.get("properties") or {})
    return [*tables, _properties(properties)] if properties else tables


def _concepts(data: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """The two senses in which the truth may be a best reply, those that a record has."""
    return {name: data[name] for name in AGAINST if data.get(name)}


def _lies(concepts: Mapping[str, Mapping[str, Any]]) -> list[Table]:
    keys = ["agent", "length", "lie", "declarations", "lengths", "utility_truth", "utility_lie", "gain"]
    tables = []
    for name, row in concepts.items():
        if row["witness"]:
            pairs, region = pairs_of(row["witness"], records.LieRow, keys), row.get("region")
            pairs += [("pays wherever", ", ".join(region["where"])), ("gain there", region["gain"])] if region else []
            tables.append(facts(f"a lie that pays ({name.replace('_', ' ')})", pairs))
    return tables


def _expectations(data: Mapping[str, Any]) -> list[Table]:
    """Whether truth pays in expectation, what each length expects of each declaration."""
    expected, witness = data["expected"] or {}, data["witness"]
    pairs: list[tuple[str, Any]] = pairs_of(data, records.BayesianRow, ["holds"])
    pairs.append(("cases", f"{data['cases']:,} of {data['total']:,}"))
    pairs += pairs_of(data, records.BayesianRow, ["max_gain"])
    if witness:
        pairs.append(("a lie that pays", f"{witness['agent']} of length {witness['length']} declares {witness['lie']}"))
        pairs += pairs_of(witness, records.InterimRow, ["interim_truth", "interim_lie"])
    pairs += pairs_of(data, records.BayesianRow, ["least_interim_utility"])
    pairs += pairs_of(
        dict.fromkeys(("utilities", "rent", "welfare")) | expected,
        records.ExpectedRow,
        ["utilities", "rent", "welfare"],
    )
    rows = [{"agent": name, "length": x, **row} for name, own in data["interim"].items() for x, row in own.items()]
    tables = [facts("under the prior, everybody truthful", pairs)]
    return [*tables, _by_number("expected utility by declaration", rows, ["agent", "length"])] if rows else tables


def _groups(data: Mapping[str, Any]) -> list[Table]:
    """Both concepts for coalitions, then each joint lie that pays."""
    head = "no joint lie pays"
    rows = [{head: text, **data[name]} for name, text in COALITIONS_AGAINST.items()]
    sizes = ", ".join(map(str, data["sizes"]))
    note = f"it pays when {NOTIONS[data['notion']]} ({data['notion']}); coalitions of {sizes}"
    tables = [table("coalitions", rows, [head, "holds", "cases", "max_gain"], note, of=records.GroupConceptRow)]
    for name in COALITIONS_AGAINST:
        if data[name]["witness"]:
            tables.append(_joint_lie(f"a joint lie that pays ({name.replace('_', ' ')})", data[name]))
    return tables


def _joint_lie(title: str, row: Mapping[str, Any]) -> Table:
    witness = row["witness"]
    pairs: list[tuple[str, Any]] = [("members", ", ".join(witness["members"]))]
    pairs += pairs_of(witness, records.GroupLieRow, ["lengths", "declarations", "utilities_truth", "utilities_lie"])
    if witness.get("transfers") is not None:
        paid = [f"{one['from']} pays {one['to']} {cell(one['amount'])}" for one in witness["transfers"]]
        pairs.append(("side payments", "; ".join(paid) or "none needed"))
    return facts(title, [*pairs, ("gain", row["max_gain"])])


def _properties(properties: Mapping[str, Mapping[str, Any]]) -> Table:
    rows = [
        {
            "property": name,
            **row,
            "counterexample": shortened(witness_text(row["witness"])) if row.get("witness") else "",
        }
        for name, row in properties.items()
    ]
    columns = ["property", "holds", "cases", "counterexample"]
    return table("properties on the domain", rows, columns, _cut(rows), of=records.PropertyRow)


def _cut(rows: Sequence[Mapping[str, Any]]) -> str:
    """Where counterexamples that are cut can be seen whole; of custom rules no scenario replays them."""
    if not any(row["counterexample"].endswith("...") for row in rows):
        return ""
    return CUT + REPLAYED * any((row.get("witness") or {}).get("replay") for row in rows)


def each_property(properties: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """The properties by readable name, those of Definition 4.6 among them."""
    named = {name: row for name, row in properties.items() if name != "any_others"}
    named |= {f"{name}, any others": row for name, row in properties.get("any_others", {}).items()}
    return {name.replace("_", " "): row for name, row in named.items()}


WITNESS: Final = ("agent", "members", "declarations", "lengths", "replay", "no_replay")
"""Keys of every witness of a property; the others are numbers that disagree."""
NO_REPLAY: Final = {"digits": "no scenario shows it, because its numbers would have too many digits"}
"""Why a witness has no replay."""


def witness_text(witness: Mapping[str, Any]) -> str:
    """The numbers that disagree first, then who and where."""
    where = {k: v for k, v in witness.items() if k in ("agent", "members", "declarations", "lengths") and v is not None}
    numbers = {k: v for k, v in witness.items() if k not in WITNESS}
    parts = [f"{key.replace('_', ' ')} {cell(value)}" for key, value in (*numbers.items(), *where.items())]
    return "; ".join([*parts, *filter(None, [NO_REPLAY.get(witness.get("no_replay", ""))])])


METHODS: Final = {
    "slope": "by the slope of the full price",
    "reduction": "by the reduction",
    "any-allocation": "by each allocation",
    "code": "by the full code",
}
ALLOCATIONS: Final = {"all": "for any allocation", "smallest-sum": "for any allocation with the smallest sum"}
LIMITS: Final = {
    "time": "stopped by the time limit",
    "ctrl-c": "stopped by Ctrl-C",
    "cells": "stopped by the limit of cells",
    "agents": "too many agents for the full code",
    "inconclusive": "the method has no answer",
    "refused": "cannot be asked of this mechanism; --property shows why",
    NOT_ASKED: "not asked for",
}


def worded(row: Mapping[str, Any]) -> dict[str, str]:
    """How a statement was decided, and what left it open, in words; those of ``verify`` are words already.

    >>> worded({"method": "reduction", "allocations": "all"})
    {'method': 'by the reduction; for any allocation', 'limit': ''}
    """
    method, limit = row.get("method") or "", row.get("limit") or ""
    parts = [METHODS.get(method, method), ALLOCATIONS.get(row.get("allocations") or "")]
    parts += ["declarations that the mechanism refuses are left out"] if row.get("refuses") else []
    return {"method": "; ".join(filter(None, parts)), "limit": LIMITS.get(limit, limit)}


def prove(data: Mapping[str, Any]) -> list[Table]:
    """What is proved, refuted or open for all lengths; what was not asked for is left out."""
    title, concepts = f"prove: {data['scenario']}", _concepts(data)
    tables: list[Table] = []
    for head, statements in {TRUTH: concepts, "property": each_property(data["properties"])}.items():
        rows = {AGAINST.get(name, name): row for name, row in statements.items() if row["limit"] != NOT_ASKED}
        if rows:
            tables.append(_proofs(title if not tables else "properties", head, rows))
        if statements is concepts:
            tables += [*_lies(concepts), *_regions(concepts), *_safe(concepts)]
    return tables


def _proofs(title: str, head: str, statements: Mapping[str, Mapping[str, Any]]) -> Table:
    """Statements of one sort; the scope is that of all of them, and the gain of a lie stands for its table."""
    rows = []
    for name, row in statements.items():
        witness = row["witness"] or {}
        brief = f"gain {cell(witness['gain'])}" if "gain" in witness else witness_text(witness)
        rows.append({head: name, **row, **worded(row), "counterexample": shortened(brief)})
    optional = [key for key in ("counterexample", "method", "limit") if any(row[key] for row in rows)]
    columns = [head, "status", "cells", "lemmas", *optional]
    scopes = {row["scope"]: name for name, row in statements.items()}
    notes = [f"scope: {one}" if len(scopes) == 1 else f"{name}: {one}" for one, name in scopes.items()]
    notes += [_slopes(row["slopes"]) for row in list(statements.values())[:1] if row.get("slopes")]
    return table(title, rows, columns, "; ".join(filter(None, [*notes, _cut(rows)])), of=records.ProofRow)


def _slopes(slopes: Mapping[str, Any]) -> str:
    """Slopes of the branches of a price.

    >>> _slopes({"branches": [[0, "1/4"], ["1/2", 0]], "within": "S"})
    "slope of the full price in her own declaration: 1/4 or 1/2 S', from 0 to S'; S': that of S"
    """
    texts = []
    for branch in slopes["branches"]:
        times, number = map(cell, branch)
        texts.append(" + ".join(filter(None, (f"{times} S'" * (times != "0"), number * (number != "0")))) or "0")
    most = "S'" if slopes["within"] == "S" else "the time of a unit on the fastest machine"
    text = f"slope of the full price in her own declaration: {' or '.join(texts)}, from 0 to {most}"
    return f"{text}; S': that of S" if "S'" in text else text


def _regions(concepts: Mapping[str, Mapping[str, Any]]) -> list[Table]:
    """Regions in which lies pay, where they were asked for."""
    tables = []
    for name, row in concepts.items():
        if regions := row.get("regions"):
            lies = [{**one, "where": ", ".join(one["where"])} for one in regions["lies"]]
            note = "theta1 and b1: length and declaration of the first agent; most: gain in times the liar's length"
            note += "" if regions["complete"] else "; these are not all"
            title = f"where lies pay ({name.replace('_', ' ')})"
            tables.append(table(title, lies, ["agent", "where", "gain", "most"], note, of=records.RegionRow))
    return tables


def _safe(concepts: Mapping[str, Mapping[str, Any]]) -> list[Table]:
    """For which values of a symbol the truth is a best reply; no table where no symbol was asked about."""
    rows = []
    for name, row in concepts.items():
        safe, text = row.get("safe"), row.get("safe_values")
        if safe and not text:
            low, high = ("<=" if safe[f"{end}_included"] else "<" for end in ("from", "to"))
            above = "" if safe["to"] is None else f" {high} {cell(safe['to'])}"
            text = "none" if safe["from"] is None else f"{cell(safe['from'])} {low} {safe['symbol']}{above}"
        if text:
            rows.append({TRUTH: AGAINST[name], "safe values": text, **(safe or {})})
    return [table("safe values", rows, [TRUTH, "safe values", "refuted_at"], of=records.SafeRow)] if rows else []


HEAD: Final = ("concept", "objective", "subject_to", "value", "bound", "least_fine")
"""What stands above the prices."""


def design(data: Mapping[str, Any]) -> list[Table]:
    """The objective beside the rule's, the prices, and the constraints that prove it."""
    proved = data["value"] is not None and str(data["bound"]) == str(data["value"])  # then it is proved to be the least
    left_out = {"bound"} if proved else set()
    left_out |= {"least_fine"} if str(data["least_fine"]) == "0" else set()  # of interest where there are no payments
    pairs = pairs_of(data, records.DesignRecord, [name for name in HEAD if name not in left_out])
    pairs += [(f"value with the payments of {row['rule']}", row["value"]) for row in data["compared"]]
    if bound := data.get("any_payments"):
        pairs += [("payments of any form, at least", bound["bound"]), ("gap", bound["gap"])]
    tables = [facts(f"design: {data['scenario']}", [pair for pair in pairs if pair[1] is not None])]
    what, formula = ("the penalty", data["penalty"]) if data.get("penalty") else ("the prices", data["formula"] or {})
    own = {name: each for name, each in formula.items() if isinstance(each, Mapping)}
    for whose, coefficients in own.items() or ([(what, formula)] if formula else []):
        tables.append(facts(f"formula of {whose}", list(coefficients.items())))
    if data["table"]:
        tables.append(_prices(data["table"]))
    if data.get("frontier"):
        tables.append(table("less rent, more cost", data["frontier"], ["rent", "cost"], of=records.CornerRow))
    rows = [{"constraint": row_text(row["row"], data["objective"]), "times": row["multiplier"]} for row in data["rows"]]
    title = "constraints that cannot be met" if data["status"] == "impossible" else "constraints that prove the value"
    return [*tables, listing(title, rows, ["times", "constraint"])] if rows else tables


def _prices(rows: Sequence[Mapping[str, Any]]) -> Table:
    names = list(rows[0]["declarations"])
    lines = []
    for row in rows:
        line = {f"{name} declares": row["declarations"][name] for name in names}
        if "allocation" in row:
            line["allocation"] = allocation_text(row["allocation"])
        if "lottery" in row:
            line["lottery"] = "; ".join(
                f"{cell(lot['probability'])}: {allocation_text(lot['allocation'])}" for lot in row["lottery"]
            )
        lines.append(line | {f"{name} pays": row["payments"][name] for name in names})
    return listing("prices", lines, list(lines[0]))


def allocation_text(lists: Sequence[Sequence[str]]) -> str:
    """Each machine's agents in order.

    >>> allocation_text([["ann", "bob"], []])
    'ann bob | -'
    """
    return " | ".join(" ".join(machine) or "-" for machine in lists)


ROWS: Final = {
    "no-deficit": "the payments sum to at least 0",
    "balanced": "the payments sum to at most 0",
    "prices-nonnegative": "{0} pays at least 0",
    "takes-part": "{0} does not end below 0",
    "cap": "the payments sum to at most the cap",
    "payment": "the payment of {0} is at most the largest",
    "spread": "what {0} bears is within the spread",
    "spread-low": "what {0} bears is at least the least",
    "rent": "the payments sum to at most the largest rent",
    "most rent": "the payments sum to at least the rent",
    "rent-ratio": "the payments sum to at most the ratio times S",
}
"""What a constraint says, by its name; ``{0}`` is an agent."""


SITUATION: Final = 4
"""Length of the row of a limit of situations: what is said there, of whom, on which side of the truth, and where."""


def row_text(row: Sequence[Any], objective: str = "") -> str:
    """A constraint in words, of a design with an objective.

    >>> row_text(["truth", "ann", {"bob": 1}, 2, 3, {"bob": 1}])
    'truth of ann: 2 is not worse than declaring 3 (others declare bob: 1, and are bob: 1)'
    >>> row_text(["rent", {"ann": 2}], "most rent")
    'the payments sum to at least the rent at ann: 2'
    """
    what, *where = row
    if len(row) == SITUATION:
        agent, side, point = where
        whose = f" of {agent}" if agent else ""
        return f"{what}{whose}{f', declaring {side} the truth,' if side else ''} near {cell(point)}"
    if what == "truth":
        agent, others, true, declared, lengths = where
        around = f" (others declare {cell(others)}, and are {cell(lengths)})" if others else ""
        return f"truth of {agent}: {cell(true)} is not worse than declaring {cell(declared)}{around}"
    agents, profile = where[:-1], where[-1] if where else {}
    name = objective if objective == f"most {what}" and objective in ROWS else what
    return f"{ROWS.get(name, what).format(*agents)} at {cell(profile)}"


def curve(data: Mapping[str, Any]) -> list[Table]:
    """Pieces of the utility, and its values at the breakpoints."""
    marks = {
        "truth": {str(data["truth"])},
        "jump": set(map(str, data["jumps"])),
        "best": {str(data["best"]["declares"])},
    }
    points = [
        {**row, "": ", ".join(mark for mark, at in marks.items() if str(row["declares"]) in at)}
        for row in data["points"]
    ]
    tables = [
        table(
            f"curve: utility of {data['agent']}, {data['scenario']}",
            data["pieces"],
            ["from", "to", "slope", "at_from", "at_to"],
            "; ".join(("at from, at to: limits inside the piece", *doubts(data))),
            of=records.PieceRow,
        ),
        table("at the breakpoints", points, ["declares", "utility", ""], of=records.PointRow),
    ]
    if data["isolated"]:
        rows = [{"from": a, "to": b} for a, b in data["isolated"]]
        title = "not exact: intervals that hold a breakpoint, or were not looked at"
        tables.append(table(title, rows, ["from", "to"], of=records.CurveRecord))
    return tables


def doubts(data: Mapping[str, Any]) -> list[str]:
    """What of a curve is not exact, and not complete."""
    if data["exact"]:
        return []
    if data["method"] == "enclosure":
        text = "not exact: found by running the mechanism; what lies between two declarations tried may be missed"
    else:
        text = "not exact: the pieces are proved, the places between them are known as intervals only"
    return [text] if data["complete"] else [text, "stopped before the whole range was looked at"]


def jobs(data: Mapping[str, Any]) -> list[Job]:
    """From the first work on a job to the last, pauses included; two may share a machine between them.

    Raises InputError for a rule of one's own that does not say when it works.
    """
    return [_job(row) for row in data["agents"] if row["stayed"]]


def _job(row: Mapping[str, Any]) -> Job:
    work, ends = row["work"], row["output"] != "inf" or row["killed"]
    if not work and ends:
        raise InputError(f"jobs: the record does not say when the job of {row['name']} is worked on")
    return Job(
        owner=row["name"],
        number=1,
        submitted=Fraction(0),
        started=Fraction(work[0][0]) if work else None,
        ended=Fraction(work[-1][1]) if work and ends and work[-1][1] != "inf" else None,
        machine=row["machine"] - 1 if work else None,
        killed=row["killed"],
    )
