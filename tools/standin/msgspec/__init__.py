"""What fsadvisor uses of msgspec, in plain Python: the one-file program runs where no compiled module can be loaded.

Only `tools/dist` packs this; everything else runs on msgspec itself. tests/dist holds the two against each other.
"""

from __future__ import annotations

import functools
import keyword
from typing import Any, NamedTuple

try:
    from annotationlib import Format, call_annotate_function, get_annotate_from_class_namespace
except ImportError:
    Format = None


class MsgspecError(Exception):
    """The root of what is raised here."""


class DecodeError(MsgspecError):
    """A text that is no JSON."""


class ValidationError(DecodeError):
    """A value of another type than was asked for."""


class UnsetType:
    """The type of UNSET, which stands for a field that is left out."""

    def __bool__(self) -> bool:
        return False

    def __repr__(self) -> str:
        return "UNSET"


UNSET = UnsetType()
NODEFAULT: Any = object()


class Raw(bytes):
    """JSON that is written as it is."""


class Meta:
    """What a schema says more of a type; here nobody makes one."""

    def __init__(self, **_: object) -> None:
        pass


class Field:
    """What `field` declares."""

    __slots__ = ("default", "default_factory", "name")

    def __init__(self, *, default: Any = NODEFAULT, default_factory: Any = NODEFAULT, name: str | None = None) -> None:
        self.name = name
        self.default = default
        self.default_factory = default_factory


field = Field


class StructConfig(NamedTuple):
    """How a class was declared."""

    frozen: bool = False
    eq: bool = True
    order: bool = False
    kw_only: bool = False
    dict: bool = False
    forbid_unknown_fields: bool = False
    tag: Any = None
    tag_field: str | None = None
    omit_defaults: bool = False
    rename: str | None = None
    """None, or "kebab"."""
    gc: bool = True
    """Of msgspec alone: objects of Python's own are always known to its collector."""


def _declared(namespace: dict[str, Any]) -> list[str]:
    found = namespace.get("__annotations__")
    if found is None and Format is not None:
        annotate = get_annotate_from_class_namespace(namespace)
        found = annotate and call_annotate_function(annotate, Format.STRING)
    return [name for name, kind in (found or {}).items() if "ClassVar" not in str(kind)]


class StructMeta(type):
    """Makes slots of the annotations, and a constructor when the first object is made."""

    def __new__(mcs, name: str, bases: tuple[type, ...], namespace: dict[str, Any], **options: Any) -> Any:
        """Takes msgspec's options."""
        before: dict[str, tuple[Any, bool]] = {}
        config = StructConfig()
        for base in reversed(bases):
            if isinstance(base, StructMeta) and base.__dict__.get("__struct_fields__") is not None:
                before |= base.__struct_defaults_by_name__
                config = base.__struct_config__
        config = config._replace(**{"kw_only": False} | options)
        own = _declared(namespace)
        for one in own:
            default = namespace.pop(one, NODEFAULT)
            if type(default) in (list, dict, set):
                default = Field(default_factory=default.copy)
            before.pop(one, None)
            before[one] = (default, config.kw_only)
        in_bases = {one for base in bases for one in getattr(base, "__struct_fields__", ())}
        slots = [one for one in own if one not in in_bases]
        if config.dict and not any(hasattr(base, "__dict__") and "__dict__" in dir(base) for base in bases):
            slots.append("__dict__")
        made: Any = super().__new__(mcs, name, bases, {**namespace, "__slots__": tuple(slots)})
        positional = [one for one, (_, only) in before.items() if not only]
        by_name = [one for one, (_, only) in before.items() if only]
        made.__struct_fields__ = (*positional, *by_name)
        made.__match_args__ = tuple(positional)
        made.__struct_defaults_by_name__ = before
        if config.tag is True:
            config = config._replace(tag=name)
        if config.tag is not None and config.tag_field is None:
            config = config._replace(tag_field="type")
        made.__struct_config__ = config
        made.__struct_encode_fields__ = tuple(
            getattr(before[one][0], "name", None) or (one.replace("_", "-") if config.rename else one)
            for one in made.__struct_fields__
        )
        made.__init__ = _first_init
        made.__setattr__ = _refuse if config.frozen else object.__setattr__
        if not config.eq:
            made.__eq__, made.__hash__ = object.__eq__, object.__hash__
        elif "__eq__" not in namespace:
            made.__eq__ = _equal
            made.__hash__ = namespace.get("__hash__") or (_hash if config.frozen else None)
        if config.order:
            made.__lt__ = _less
            functools.total_ordering(made)
        return made

    def __init__(cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any], **_: Any) -> None:
        super().__init__(name, bases, namespace)


def _first_init(self: Any, *args: Any, **named: Any) -> None:
    type(self).__init__ = _init_of(type(self))
    self.__init__(*args, **named)


def _init_of(cls: Any) -> Any:
    """A constructor written for these fields: many objects are made."""
    names: dict[str, Any] = {"_unset": NODEFAULT}
    head: list[str] = []
    body: list[str] = []
    starred = False
    fields = cls.__struct_defaults_by_name__
    for number, one in enumerate(cls.__struct_fields__):
        default, by_name = fields[one]
        if by_name and not starred:
            head.append("*")
            starred = True
        value = one
        if isinstance(default, Field):
            factory = default.default_factory
            default = default.default
            if factory is not NODEFAULT:
                names[f"_f{number}"], default = factory, NODEFAULT
                value = f"_f{number}() if {one} is _unset else {one}"
                head.append(f"{one}=_unset")
            else:
                head.append(one)
        elif default is NODEFAULT:
            head.append(one)
        if default is not NODEFAULT:
            names[f"_d{number}"] = default
            head[:] = [*(part for part in head if part != one), f"{one}=_d{number}"]
        if keyword.iskeyword(one):
            raise TypeError(one)
        names[f"_s{number}"] = getattr(cls, one).__set__
        body.append(f" _s{number}(_self, {value})")
    if hasattr(cls, "__post_init__"):
        body.append(" _self.__post_init__()")
    text = f"def __init__(_self, {', '.join(head)}):\n" + "\n".join(body or [" pass"])
    exec(text, names)
    made = names["__init__"]
    made.__qualname__ = f"{cls.__name__}.__init__"
    return made


def _refuse(self: Any, name: str, value: Any) -> None:
    if name in type(self).__struct_fields__ or not hasattr(self, "__dict__"):
        raise AttributeError(f"immutable type: '{type(self).__name__}'")
    object.__setattr__(self, name, value)


def _less(self: Any, other: Any) -> Any:
    if type(self) is not type(other):
        return NotImplemented
    return [getattr(self, one) for one in self.__struct_fields__] < [
        getattr(other, one) for one in other.__struct_fields__
    ]


def _equal(self: Any, other: Any) -> Any:
    if self is other:
        return True
    if type(self) is not type(other):
        return NotImplemented
    return all(getattr(self, name, UNSET) == getattr(other, name, UNSET) for name in self.__struct_fields__)


def _hash(self: Any) -> int:
    return hash((type(self), *(getattr(self, name) for name in self.__struct_fields__)))


class Struct(metaclass=StructMeta):
    """An object of fields that are declared by annotations."""

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={getattr(self, name, UNSET)!r}" for name in self.__struct_fields__)
        return f"{type(self).__name__}({shown})"

    def __copy__(self) -> Any:
        return structs.replace(self)

    def __reduce__(self) -> Any:
        return _rebuilt, (type(self), {name: getattr(self, name) for name in self.__struct_fields__})


def shown(struct: Any) -> list[tuple[str, Any]]:
    """The fields that are written: not those left out, nor defaults where the class says so."""
    names = zip(struct.__struct_fields__, struct.__struct_encode_fields__)  # noqa: B905 - as many by their making
    pairs = [(name, written, getattr(struct, name)) for name, written in names]
    omits, defaults = struct.__struct_config__.omit_defaults, struct.__struct_defaults_by_name__
    return [
        (written, value)
        for name, written, value in pairs
        if value is not UNSET and not (omits and _is_default(value, defaults[name][0]))
    ]


def _is_default(value: Any, default: Any) -> bool:
    if isinstance(default, Field):
        if default.default_factory is not NODEFAULT:
            return bool(value == default.default_factory())
        default = default.default
    return default is not NODEFAULT and type(value) is type(default) and bool(value == default)


def _rebuilt(cls: Any, fields: dict[str, Any]) -> Any:
    return cls(**fields)


from msgspec import json, structs, toml  # noqa: E402, F401 - they need what stands above
from msgspec._convert import convert, to_builtins  # noqa: E402, F401
