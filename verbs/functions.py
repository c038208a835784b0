"""Functions of the verbs: what they take and how they are documented comes from the models of options.

:func:`verb_function` makes of a short function one whose signature and docstring show every option of every kind that
has the verb, with types and meanings as the models have them. Both are put together when somebody looks at them, so
that calling a verb imports the options of one kind only.

>>> from consortium import curve
>>> list(curve.__signature__.parameters)[:6]
['source', 'agent', 'overrides', 'progress', 'mechanism', 'low']
"""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import Any, Final

from pydantic.fields import FieldInfo

from ..mechanisms.kinds import verbs_of
from ..support.errors import InputError
from ..support.loading import load, usable
from .options import Options, describe_option, flag_of

WIDTH: Final = 112
COMMON: Final[Mapping[str, str]] = {
    "source": "Path of a scenario file, name of a shipped scenario, dict, or loaded scenario.",
    "path": "Path of a job log: SWF or a Slurm dump (``sacct -P``), plain or gzip; relative names are looked up in the "
    "current folder, then in ``$CONSORTIUM_TRACES``.",
    "overrides": 'Values by path, e.g. ``{"mechanism.rule": "harsh"}``.',
    "progress": "``True`` for a bar on a terminal or in a notebook (lines of text elsewhere), or a function of "
    "``(done, total, note)`` that long work calls now and then; ``total`` is ``None`` where it is not known.",
    "options": "Options of kinds that other distributions bring.",
}
"""What parameters that several functions have mean."""
SECTIONS: Final = re.compile(r"^(?=(?:Returns|Raises|Examples|See Also|Notes)\n-)", re.M)
PARAMETERS: Final = re.compile(r"^Parameters\n-+\n", re.M)

Models = Callable[[], Mapping[str, type[Options]]]


class VerbFunction:
    """A function with the options of a verb in its signature and its docstring."""

    def __init__(self, function: Callable[..., Any], models: Models) -> None:
        self._function, self._models = function, models
        self.__name__ = self.__qualname__ = function.__name__
        self.__module__ = function.__module__

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function. Raises InputError for arguments that it does not take."""
        own = inspect.signature(self._function)
        try:
            own.bind(*args, **kwargs)
        except TypeError as error:
            named = [p.name for p in own.parameters.values() if p.kind is p.POSITIONAL_OR_KEYWORD]
            expected = f"{self.__name__}({', '.join(named)}), and options by name"
            if len(args) > len(named):
                expected += "; several sources, such as the payoff arrays of a game, are one list"
            raise InputError(f"{self.__name__}: {error}; expected {expected}") from None
        return self._function(*args, **kwargs)

    def __get__(self, instance: object, owner: type | None = None) -> VerbFunction:
        """Itself: with this method, ``help`` and Sphinx take it for the function that it is."""
        return self

    def __reduce__(self) -> str:
        return self.__qualname__

    def __repr__(self) -> str:
        return f"<function {self.__module__}.{self.__name__}>"

    @cached_property
    def fields(self) -> dict[str, dict[str, FieldInfo]]:
        """Options that Python takes, by name and kind, those of every kind last."""
        fields: dict[str, dict[str, FieldInfo]] = {}
        for kind, model in self._models().items():
            for name, info in model.model_fields.items():
                if "python" in flag_of(info).doors:
                    fields.setdefault(name, {})[kind] = info
        return dict(sorted(fields.items(), key=lambda item: item[0] in Options.model_fields))

    @cached_property
    def __signature__(self) -> inspect.Signature:
        own = inspect.signature(self._function)
        named = [p for p in own.parameters.values() if p.kind is not p.VAR_KEYWORD]
        keywords = [p for p in own.parameters.values() if p.kind is p.VAR_KEYWORD]
        schemas = [model.model_json_schema()["properties"] for model in self._models().values()]
        options = [
            inspect.Parameter(
                name,
                inspect.Parameter.KEYWORD_ONLY,
                default=inspect.Parameter.empty if _required(by_kind) else None,
                annotation=_types(name, schemas, _required(by_kind)),
            )
            for name, by_kind in self.fields.items()
            if name not in own.parameters
        ]
        return own.replace(parameters=[*named, *options, *keywords])

    @property
    def __doc__(self) -> str:  # type: ignore[override]
        """The function's docstring with a paragraph for every parameter."""
        head, *tail = SECTIONS.split(inspect.cleandoc(self._function.__doc__ or ""))
        about, *own = PARAMETERS.split(head)
        described = own[0].strip() if own else ""
        lines = [] if not described else [described]
        described_names = set(re.findall(r"^\*{0,2}(\w+)", described, re.M))
        for name, text in self._meanings():
            if name not in described_names:
                label = f"**{name}" if name == "options" else name
                lines.append(f"{label}\n{textwrap.indent(textwrap.fill(text, WIDTH), '    ')}")
        return "\n".join(
            [about.strip(), "", "Parameters", "----------", *lines, "", *(part.strip() + "\n" for part in tail)]
        )

    def _meanings(self) -> Iterator[tuple[str, str]]:
        """Parameters in order, and what they mean."""
        everybody = len(self._models())
        for name in self.__signature__.parameters:
            if name in self.fields:
                by_kind = self.fields[name]
                yield name, describe_option(by_kind, everybody=len(by_kind) == everybody)
            elif name in COMMON:
                yield name, COMMON[name]


def verb_function(verb: str) -> Callable[[Callable[..., Any]], Any]:
    """A decorator: the function asks a verb, and takes the options of all kinds that have it."""
    return with_options(lambda: usable(owners := verbs_of(verb), lambda kind: load(owners[kind].options)))


def with_options(models: Models) -> Callable[[Callable[..., Any]], Any]:
    """A decorator: the function takes the options of models by kind."""
    return lambda function: VerbFunction(function, models)


def _required(by_kind: Mapping[str, FieldInfo]) -> bool:
    return any(info.is_required() for info in by_kind.values())


def _types(name: str, schemas: list[dict[str, Any]], required: bool) -> str:
    """The Python types of an option, from what its JSON Schemas accept."""
    types = dict.fromkeys(text for schema in schemas if name in schema for text in _python_types(schema[name]))
    types.pop("None", None)
    return "object" if "object" in types else " | ".join([*types, *([] if required else ["None"])])


def _python_types(schema: Mapping[str, Any]) -> Iterator[str]:
    """Python types that a JSON Schema accepts; an exact number is a ``Number``."""
    if "anyOf" in schema:
        parts = schema["anyOf"]
        exact = all(any(part.get("type") == kind for part in parts) for kind in ("number", "string"))
        for part in parts:
            yield from ["Number"] if exact and part.get("type") in ("number", "string") else _python_types(part)
    elif "enum" in schema or "const" in schema:
        yield f"Literal[{', '.join(map(repr, schema.get('enum', [schema.get('const')])))}]".replace("'", '"')
    else:
        kinds = schema.get("type", "object?")
        for kind in kinds if isinstance(kinds, list) else [kinds]:
            yield from _plain(kind, schema)


def _plain(kind: str, schema: Mapping[str, Any]) -> Iterator[str]:
    if kind == "array":
        items = " | ".join(dict.fromkeys(_python_types(schema["items"]))) if "items" in schema else "Any"
        yield f"Sequence[{items}]"
    else:
        names = {"integer": "int", "number": "float", "boolean": "bool", "string": "str", "null": "None"}
        yield "Mapping[str, Any]" if kind == "object" else names.get(kind, "object")
        if "python" in schema:  # an object of Python's that stands for such a text
            yield schema["python"]
