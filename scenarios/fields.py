"""Field types of scenario files: what a value may be, said once for the reader, its errors and the JSON Schema.

Every type here is strict (nothing is coerced silently) and fails with one sentence saying what was expected. A number
is an integer, a decimal or a quoted fraction, of at most 1,000 digits and an exponent within +-1,000, and always
becomes a :class:`fractions.Fraction`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeVar

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    PlainValidator,
    WithJsonSchema,
)
from pydantic_core import CoreSchema, PydanticCustomError
from pydantic_core.core_schema import no_info_plain_validator_function

from ..support.errors import InputError, nearest
from ..support.exact import rational
from ..support.numbers import ADVICE
from .conditions import Condition, Schema
from .problems import BadNumber, Problems, one_of

T = TypeVar("T")

DIGITS = 1000
_HUGE = 10**DIGITS
MEANINGS: Final = "enumDescriptions"
"""Word of the JSON Schema: what each name of an ``enum`` means, as editors show it."""
UNIT: Final = "x-unit"
"""Word of the JSON Schema: the unit of a key's numbers."""
WITHOUT: Final = "x-default"
"""Word of the JSON Schema: what holds without a key, where its ``default`` does not say so."""
REQUIRED: Final = "must be given"
"""What is said in the place of a default of a key that a file must give."""
IN_PLACE: Final = "x-in-place"
"""Word of the JSON Schema: a small table that is written in one line."""
USED_BY: Final = "x-used-by"
"""Word of the JSON Schema: with which values of which other key a key is used, where not with all."""
NUMBER_TEXT = "an integer, a decimal or a quoted fraction such as '3/2'"


class Block(BaseModel):
    """Base of every block: unknown keys are errors, nothing is coerced."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, arbitrary_types_allowed=True, defer_build=True)

    @classmethod
    def conditions(cls) -> list[Condition]:
        """Which keys go together, for the reader and the JSON Schema (:mod:`.conditions`)."""
        return []

    @classmethod
    def __get_pydantic_json_schema__(cls, core: CoreSchema, handler: GetJsonSchemaHandler) -> Schema:
        """The fields' schema and the conditions."""
        schema = handler(core)
        conditions = [condition.schema for condition in cls.conditions()]
        if conditions:
            handler.resolve_ref_schema(schema)["allOf"] = conditions
        return schema


def expected(what: str, near: str | None = None) -> PydanticCustomError:
    """Build the error a validator raises: it carries what was expected and perhaps the nearest name."""
    return PydanticCustomError("expected", "expected {what}", {"what": what, "near": near})


def read_value(value: object, read: Callable[[Any], T], path: str, problems: Problems) -> T | None:
    """One value as the reader of its type takes it; ``None``, and a problem, where that refuses it."""
    try:
        return read(value)
    except PydanticCustomError as error:
        context = error.context or {}
        problems.add(path, value, context["what"], context.get("near"))
        return None


def number(value: object, what: str = NUMBER_TEXT) -> Fraction:
    """Read one exact number or raise the validator's error."""
    if isinstance(value, float):
        if not math.isfinite(value):
            raise expected(f"{what} that is finite")
        hint = str(Fraction(value).limit_denominator(10**6))
        raise expected(f"{what}; a float is not exact, write {hint!r}, an int or a Fraction, or {ADVICE}")
    if isinstance(value, BadNumber | bool) or not isinstance(value, int | Fraction | Decimal | str):
        raise expected(what)
    if isinstance(value, int | Fraction) and max(abs(value.numerator), value.denominator) >= _HUGE:
        raise expected(f"a number of at most {DIGITS:,} digits")
    if isinstance(value, str) and not re.fullmatch(
        r"\s*[+-]?[0-9][0-9_]*(\.[0-9]+)?([eE][+-]?[0-9]+)?(/[0-9]+)?\s*", value
    ):
        raise expected(what)
    try:
        return rational(value)
    except InputError as error:
        if "denominator" in str(error):
            raise expected(f"{what}; the denominator is zero") from None
        raise expected(f"a number of at most {DIGITS:,} digits and an exponent within +-1,000") from None


def number_schema(low: int | None = None, strict: bool = False, **bounds: int) -> Schema:
    """JSON Schema of an exact number, at least (or, strictly, above) ``low``, with further ``bounds`` in its words.

    What a schema cannot say: that a number has at most 1,000 digits, and of a text more than its sign.

    >>> import re
    >>> pattern = number_schema(0, strict=True, maximum=1)["anyOf"][1]["pattern"]
    >>> [text for text in ("3/2", "0", "-1", "1/0", "0.10", "1e1000", "1e10000") if re.search(pattern, text)]
    ['3/2', '0.10', '1e1000']
    """
    bound = {} if low is None else {"exclusiveMinimum" if strict else "minimum": low}
    zero = r"-(?=[0_.]+([eE/]|\s*$))"
    sign = "[+-]?" if low is None else rf"(\+|{zero})?" if low == 0 and not strict else r"\+?"
    above = r"(?=[0-9_.]*[1-9])" if low is not None and (strict or low > 0) else ""
    decimal, fraction = r"[0-9][0-9_]*(\.[0-9]+)?([eE][+-]?0*[0-9]{1,4})?", r"[0-9]+/0*[1-9][0-9]*"
    text = {"type": "string", "pattern": rf"^\s*{sign}{above}({decimal}|{fraction})\s*$", "maxLength": 2 * DIGITS + 2}
    return {"anyOf": [{"type": "number", **bound, **bounds}, text]}


def bounded(low: int | None, strict: bool, what: str) -> Callable[[object], Fraction]:
    """The reader of a number of at least, or above, ``low``; ``what`` is expected."""

    def read(value: object) -> Fraction:
        result = number(value, what)
        if low is not None and (result < low or (strict and result == low)):
            raise expected(what)
        return result

    return read


Number = Annotated[Fraction, PlainValidator(bounded(None, False, NUMBER_TEXT)), WithJsonSchema(number_schema())]
Positive = Annotated[
    Fraction, PlainValidator(bounded(0, True, "a number > 0")), WithJsonSchema(number_schema(0, strict=True))
]
NonNegative = Annotated[Fraction, PlainValidator(bounded(0, False, "a number >= 0")), WithJsonSchema(number_schema(0))]


def integer_schema(low: int | None = None, high: int | None = None) -> Schema:
    """JSON Schema of an integer within bounds (inclusive)."""
    bounds = {"minimum": low, "maximum": high}
    return {"type": "integer"} | {key: bound for key, bound in bounds.items() if bound is not None}


@dataclass(frozen=True)
class Whole:
    """An annotation: the integer lies within bounds (inclusive).

    ``most`` is a bound like ``high`` that only a value beyond it hears of: more than it makes no sense.
    """

    low: int | None = None
    high: int | None = None
    most: int | None = None

    def read(self, value: object) -> int:
        """Read one or raise the validator's error."""
        low, high, what = self.low, self.high, "an integer"
        if low is not None and high is not None:
            what = f"an integer from {low} to {high}"
        elif low is not None:
            what = f"an integer >= {low}"
        if isinstance(value, bool) or not isinstance(value, int):
            raise expected(what)
        if (low is not None and value < low) or (high is not None and value > high):
            raise expected(what)
        if self.most is not None and value > self.most:
            raise expected(f"at most {self.most:,}")
        if abs(value) >= _HUGE:
            raise expected(f"{what}, of at most {DIGITS:,} digits")
        return value

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return no_info_plain_validator_function(self.read)

    def __get_pydantic_json_schema__(self, core: CoreSchema, handler: GetJsonSchemaHandler) -> Schema:
        return integer_schema(self.low, self.high if self.most is None else self.most)


def integer(low: int | None = None, high: int | None = None) -> Any:
    """Annotated integer type with inclusive bounds."""
    return Annotated[int, Whole(low, high)]


def word(value: object, what: str = "a text") -> str:
    """Read a non-empty text without line breaks, at most 200 characters."""
    if not isinstance(value, str) or not value.strip() or len(value) > 200 or any(c in value for c in "\r\n\0"):
        raise expected("a non-empty text of one line, at most 200 characters" if isinstance(value, str) else what)
    return value


NAME_SCHEMA = {"type": "string", "pattern": r"^(?=.*\S)[^\r\n\0]*$", "maxLength": 200}
Name = Annotated[str, PlainValidator(lambda value: word(value, "a name (text)")), WithJsonSchema(NAME_SCHEMA)]


def _exactly(kind: type, what: str) -> Callable[[object], object]:
    def read(value: object) -> object:
        if not isinstance(value, kind):
            raise expected(what)
        return value

    return read


Text = Annotated[str, PlainValidator(_exactly(str, "a text")), WithJsonSchema({"type": "string"})]
Bool = Annotated[bool, PlainValidator(_exactly(bool, "true or false")), WithJsonSchema({"type": "boolean"})]


def choose(value: object, names: Collection[str]) -> str:
    """Read one of several names; the error lists them and the nearest."""
    if isinstance(value, str) and value in names:
        return value
    raise expected(*one_of(value, names))


def choice(*names: str) -> Any:
    """Annotated type for one of several names."""
    return Annotated[
        str, PlainValidator(lambda value: choose(value, names)), WithJsonSchema({"type": "string", "enum": list(names)})
    ]


def name_or(names: Collection[str], read: Callable[[object], T], what: str) -> Callable[[object], T | str]:
    """The reader of one of several names, or of what another reader takes; ``what`` is expected where neither is."""

    def either(value: object) -> T | str:
        if isinstance(value, str):
            if value in names:
                return value
            raise expected(what, nearest(value, names))
        try:
            return read(value)
        except PydanticCustomError:
            raise expected(what) from None

    return either


def named(meanings: Mapping[str, str]) -> Schema:
    """JSON Schema of one of several names, which editors explain."""
    return {"type": "string", "enum": list(meanings), MEANINGS: list(meanings.values())}


def explained(meanings: Mapping[str, str]) -> Any:
    """Annotated type for one of several names, each with what it means."""
    return Annotated[str, PlainValidator(lambda value: choose(value, meanings)), WithJsonSchema(named(meanings))]


def described(default: Any, about: str, *, unit: str = "", without: str = "", **more: Any) -> Any:
    """A key of a block.

    Parameters
    ----------
    default
        Its value where a file does not give it, a class for a new object of it; ``...`` where a file must give it.
    about
        What it means.
    unit
        Of its numbers, where they have one.
    without
        What holds where a file does not give it and the default does not say so.
    **more
        What else pydantic's ``Field`` takes.
    """
    notes = {UNIT: unit, WITHOUT: without}
    schema = more.pop("json_schema_extra", {}) | {word: note for word, note in notes.items() if note}
    if isinstance(default, Fraction):
        schema["default"] = default.numerator if default.denominator == 1 else str(default)
    more |= {"default_factory" if isinstance(default, type) else "default": default}
    return Field(description=about, json_schema_extra=schema, **more)


if TYPE_CHECKING:
    Listing = list
else:

    class Listing:
        """``Listing[T]``: a list of ``T``; a tuple is accepted from Python. Each bad item is an error of its own."""

        def __class_getitem__(cls, item: Any) -> Any:
            return Annotated[list[item], BeforeValidator(lambda v: list(v) if isinstance(v, tuple) else v)]
