"""Values into declared types and back, with msgspec's words where they do not fit."""

from __future__ import annotations

import datetime as dt
import json
import types
from base64 import b64decode
from collections.abc import Callable, Mapping
from enum import Enum
from functools import cache
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from msgspec import Raw, Struct, UnsetType, ValidationError, shown

_WORDS = {str: "str", int: "int", float: "float", bool: "bool", type(None): "null", dict: "object", bytes: "bytes"}
Reader = Callable[[Any, tuple[Any, ...], bool, bool], Any]
"""Of a value, its path, and whether attributes count as fields, and JSON's texts as what they stand for."""


def convert(value: Any, type: Any, *, from_attributes: bool = False, from_json: bool = False) -> Any:
    """The value as this type. Raises ValidationError."""
    return _reader(type)(value, (), from_attributes, from_json)


def to_builtins(value: Any) -> Any:
    """What JSON has words for."""
    if isinstance(value, Struct):
        config = value.__struct_config__
        made = {} if config.tag is None else {config.tag_field: config.tag}
        return made | {name: to_builtins(one) for name, one in shown(value)}
    if isinstance(value, Enum):
        return to_builtins(value.value)
    if isinstance(value, Mapping):
        return {to_builtins(name): to_builtins(one) for name, one in value.items()}
    if isinstance(value, list):
        return [to_builtins(one) for one in value]
    if isinstance(value, tuple):
        return tuple(to_builtins(one) for one in value)
    if isinstance(value, (set, frozenset)):
        return [to_builtins(one) for one in value]
    if isinstance(value, (dt.datetime, dt.date)):
        return value.isoformat()
    return value


def _fail(message: str, path: tuple[Any, ...]) -> Any:
    where = "".join(f"[{part}]" if isinstance(part, int) or part == "..." else f".{part}" for part in path)
    raise ValidationError(f"{message} - at `${where}`" if path else message)


def _named(value: Any) -> str:
    if isinstance(value, (list, tuple, set, frozenset)):
        return "array"
    if isinstance(value, (Mapping, Struct)):
        return "object"
    return _WORDS.get(type(value), type(value).__name__)


def _reader(kind: Any) -> Reader:
    try:
        return _made(kind)
    except TypeError:  # what can't be hashed
        return _made.__wrapped__(kind)


@cache
def _made(kind: Any) -> Reader:
    origin = get_origin(kind)
    if origin is Annotated:
        return _reader(get_args(kind)[0])
    if kind is Any or kind is object or isinstance(kind, TypeVar):
        return lambda value, *_: value
    if kind is None:
        return _plain(type(None))
    if origin in (Union, types.UnionType):
        return _one_of(get_args(kind))
    if origin is Literal:
        return _word_of(get_args(kind))
    base = origin or kind
    if not isinstance(base, type):
        raise TypeError(f"Type {kind!r} is not supported")
    if issubclass(base, Struct):
        return _struct_of(base)
    if base is Raw:
        return lambda value, *_: Raw(json.dumps(value, ensure_ascii=False).encode())
    if issubclass(base, Enum):
        return _enum_of(base)
    if issubclass(base, tuple) and hasattr(base, "_fields"):
        return _named_tuple_of(base)
    if base is tuple:
        return _tuple_of(get_args(kind))
    if issubclass(base, (list, set, frozenset)) or base.__name__ in ("Sequence", "Collection", "MutableSequence"):
        return _list_of(base if issubclass(base, (list, set, frozenset)) else list, get_args(kind))
    if issubclass(base, Mapping) or base is dict:
        return _dict_of(get_args(kind))
    if issubclass(base, dt.date):
        return _moment_of(base)
    return _plain(base)


def _plain(kind: Any) -> Reader:
    def read(value: Any, path: tuple[Any, ...], _: bool, json: bool) -> Any:
        if type(value) is kind:
            return value
        if kind is float and type(value) is int:
            return float(value)
        if kind is int and type(value) is float and value.is_integer():
            return int(value)
        if kind is bytes and json and isinstance(value, str):
            return b64decode(value)
        if isinstance(value, kind) and not isinstance(value, (bool, Enum)):
            return value
        return _fail(f"Expected `{_WORDS.get(kind, kind.__name__)}`, got `{_named(value)}`", path)

    return read


def _moment_of(kind: Any) -> Reader:
    def read(value: Any, path: tuple[Any, ...], *_: bool) -> Any:
        if isinstance(value, kind):
            return value
        if isinstance(value, str):
            try:
                return kind.fromisoformat(value)
            except ValueError:
                return _fail(f"Invalid {'RFC3339 encoded datetime' if kind is dt.datetime else 'date'}", path)
        return _fail(f"Expected `{kind.__name__}`, got `{_named(value)}`", path)

    return read


def _word_of(words: tuple[Any, ...]) -> Reader:
    kinds = sorted({_WORDS[type(word)] for word in words})

    def read(value: Any, path: tuple[Any, ...], *_: bool) -> Any:
        for word in words:
            if type(word) is type(value) and word == value:
                return word
        if _named(value) not in kinds:
            return _fail(f"Expected `{' | '.join(kinds)}`, got `{_named(value)}`", path)
        shown = f"'{value}'" if isinstance(value, str) else value
        return _fail(f"Invalid enum value {shown}", path)

    return read


def _enum_of(kind: Any) -> Reader:
    def read(value: Any, path: tuple[Any, ...], *_: bool) -> Any:
        try:
            return kind(value)
        except ValueError:
            return _fail(f"Invalid enum value '{value}'", path)

    return read


def _list_of(made: Any, inner: tuple[Any, ...]) -> Reader:
    of = _reader(inner[0]) if inner else _reader(Any)

    def read(value: Any, path: tuple[Any, ...], attributes: bool, json: bool) -> Any:
        if not isinstance(value, (list, tuple, set, frozenset)):
            return _fail(f"Expected `array`, got `{_named(value)}`", path)
        return made([of(one, (*path, at), attributes, json) for at, one in enumerate(value)])

    return read


def _tuple_of(inner: tuple[Any, ...]) -> Reader:
    if not inner:
        return _list_of(tuple, ())
    if len(inner) == 2 and inner[1] is ...:
        return _list_of(tuple, inner[:1])
    parts = [_reader(one) for one in inner]

    def read(value: Any, path: tuple[Any, ...], attributes: bool, json: bool) -> Any:
        if not isinstance(value, (list, tuple)):
            return _fail(f"Expected `array`, got `{_named(value)}`", path)
        if len(value) != len(parts):
            return _fail(f"Expected `array` of length {len(parts)}, got {len(value)}", path)
        pairs = enumerate(zip(parts, value, strict=True))
        return tuple([of(one, (*path, at), attributes, json) for at, (of, one) in pairs])

    return read


def _named_tuple_of(kind: Any) -> Reader:
    hints = get_type_hints(kind)
    parts = [_reader(hints[name]) for name in kind._fields]
    least = len(parts) - len(kind._field_defaults)

    def read(value: Any, path: tuple[Any, ...], attributes: bool, json: bool) -> Any:
        if not isinstance(value, (list, tuple)):
            return _fail(f"Expected `array`, got `{_named(value)}`", path)
        if not least <= len(value) <= len(parts):
            return _fail(f"Expected `array` of length {least} to {len(parts)}, got {len(value)}", path)
        return kind(*(of(one, (*path, at), attributes, json) for at, (of, one) in enumerate(zip(parts, value))))  # noqa: B905

    return read


def _dict_of(inner: tuple[Any, ...]) -> Reader:
    keys, values = (_reader(one) for one in (inner or (Any, Any)))

    def read(value: Any, path: tuple[Any, ...], attributes: bool, json: bool) -> Any:
        if not isinstance(value, Mapping):
            return _fail(f"Expected `object`, got `{_named(value)}`", path)
        below = (*path, "...")
        return {
            keys(int(name) if json and inner and inner[0] is int else name, below, attributes, json): values(
                one, below, attributes, json
            )
            for name, one in value.items()
        }

    return read


def _struct_of(kind: Any) -> Reader:
    readers: dict[str, Reader] = {}
    config = kind.__struct_config__
    fields = kind.__struct_defaults_by_name__

    def read(value: Any, path: tuple[Any, ...], attributes: bool, json: bool) -> Any:
        if type(value) is kind:
            return value
        if not readers:
            hints = get_type_hints(kind, include_extras=True)
            readers.update({name: _reader(hints[name]) for name in kind.__struct_fields__})
        own = {name: name for name in kind.__struct_fields__}
        if isinstance(value, Mapping):
            given = dict(value)
            own = dict(zip(kind.__struct_encode_fields__, kind.__struct_fields__))  # noqa: B905 - as many by their making
        elif attributes and not isinstance(value, (str, int, float, list, tuple, type(None))):
            given = {}
            for name in kind.__struct_fields__:
                try:
                    given[name] = getattr(value, name)
                except AttributeError:
                    continue
        else:
            return _fail(f"Expected `object`, got `{_named(value)}`", path)
        if config.tag is not None and given.pop(config.tag_field, config.tag) != config.tag:
            return _fail(f"Invalid value '{value[config.tag_field]}'", (*path, config.tag_field))
        made = {}
        for name, one in given.items():
            if name in own:
                made[own[name]] = readers[own[name]](one, (*path, name), attributes, json)
            elif config.forbid_unknown_fields:
                return _fail(f"Object contains unknown field `{name}`", path)
        for written, name in own.items():
            if name not in made and _is_needed(fields[name][0]):
                return _fail(f"Object missing required field `{written}`", path)
        return kind(**made)

    return read


def _is_needed(default: Any) -> bool:
    from msgspec import NODEFAULT, Field

    if isinstance(default, Field):
        return default.default is NODEFAULT and default.default_factory is NODEFAULT
    return default is NODEFAULT


def _one_of(kinds: tuple[Any, ...]) -> Reader:
    kinds = tuple(kind for kind in kinds if kind is not UnsetType)
    if len(kinds) == 1:
        return _reader(kinds[0])
    structs = [
        kind
        for kind in kinds
        if isinstance(get_origin(kind) or kind, type) and issubclass(get_origin(kind) or kind, Struct)
    ]
    tags = {kind.__struct_config__.tag: _reader(kind) for kind in structs if kind.__struct_config__.tag is not None}
    field = next((kind.__struct_config__.tag_field for kind in structs if kind.__struct_config__.tag_field), None)
    readers = [_reader(kind) for kind in sorted(kinds, key=lambda kind: kind is float)]
    exact = {kind: _reader(kind) for kind in kinds if kind in _WORDS}

    def read(value: Any, path: tuple[Any, ...], attributes: bool, json: bool) -> Any:
        if value is None and type(None) in kinds:
            return None
        if tags:
            for kind in structs:
                if type(value) is kind:
                    return value
            tag = (
                value.get(field) if isinstance(value, Mapping) else getattr(value, field, None) if attributes else None
            )
            if tag in tags:
                return tags[tag](value, path, attributes, json)
            if isinstance(value, Mapping) and all(kind in structs or kind is type(None) for kind in kinds):
                if field not in value:
                    return _fail(f"Object missing required field `{field}`", path)
                return _fail(f"Invalid value '{tag}'", (*path, field))
        if type(value) in exact:
            return exact[type(value)](value, path, attributes, json)
        first: ValidationError | None = None
        for one in readers:
            try:
                return one(value, path, attributes, json)
            except ValidationError as error:
                first = error if first is None or len(str(error)) > len(str(first)) else first
        raise first or ValidationError("no type")

    return read
