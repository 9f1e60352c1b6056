"""The facts by name: what 'disk.write_cache' is, what it may be, and which facts a rule on which subject may ask.

Derived from the types in storage when first asked for, so importing this costs nothing.
"""

from __future__ import annotations

from enum import Enum
from fnmatch import fnmatchcase
from functools import cache
from operator import attrgetter
from sys import modules
from typing import TYPE_CHECKING, Any, Final, Literal, get_args, get_origin

from msgspec import Struct

from fsadvisor.facts import NOT_APPLICABLE
from fsadvisor.storage import Below, Disk, Filesystem, Host, Layer, Mount, Now, Service
from fsadvisor.version import Version

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from fsadvisor.facts import Fact
    from fsadvisor.storage import Facts

SCOPES: Final[Mapping[str, tuple[str, ...]]] = {
    "host": ("host",),
    "disk": ("disk", "host"),
    "layer": ("layer", "below", "host"),
    "filesystem": ("filesystem", "below", "host"),
    "mount": ("mount", "filesystem", "below", "host"),
    "service": ("service", "mount", "filesystem", "below", "host"),
    "now": ("now",),
}
"""Kind of subject, bottom up -> the first parts of the fact names that a rule on it may ask."""

NAMESPACES: Final[Mapping[str, type[Facts]]] = {
    "host": Host,
    "disk": Disk,
    "below": Below,
    "layer": Layer,
    "filesystem": Filesystem,
    "mount": Mount,
    "service": Service,
    "now": Now,
}


class Kind(Enum):
    """What sort of value a fact has; the value is what people are shown."""

    YES_NO = "yes/no"
    WHOLE = "whole number"
    REAL = "number"
    TEXT = "text"
    VERSION = "version"
    TEXTS = "list of texts"


class FactEntry(Struct, frozen=True):
    """One fact of the catalogue. `choices` are all the values that a text may have, () where it may be any."""

    name: str
    kind: Kind
    choices: tuple[str, ...]
    doc: str
    source: str
    unit: str
    attested: bool = False
    """Whether a person may say it where the machine does not."""

    @property
    def namespace(self) -> str:
        """'disk' of 'disk.write_cache'."""
        return self.name.partition(".")[0]

    @property
    def value(self) -> str:
        """The type in words: its choices where it has some."""
        return " | ".join(f"'{choice}'" for choice in self.choices) or self.kind.value

    def reader(self) -> Callable[[Mapping[str, Facts]], Fact[Any]]:
        """A function that reads this fact from a subject's scope; outside the scope it is not applicable."""
        return _reader(self.name)


@cache
def _reader(name: str) -> Callable[[Mapping[str, Facts]], Fact[Any]]:
    namespace, _, field = name.partition(".")
    read = attrgetter(field)

    def fact(scope: Mapping[str, Facts]) -> Fact[Any]:
        facts = scope.get(namespace)
        return NOT_APPLICABLE if facts is None else read(facts)

    return fact


@cache
def catalogue() -> Mapping[str, FactEntry]:
    """Every fact by its name, in the order of storage."""
    return {entry.name: entry for namespace, facts in NAMESPACES.items() for entry in _entries(namespace, facts)}


def _entries(namespace: str, facts: type[Facts]) -> Iterable[FactEntry]:
    """Each is written as Fact[T], of which T alone is asked: typing takes half of a command's start over the rest."""
    kinds: dict[str, tuple[Kind, tuple[str, ...]]] = {}
    for field, about in facts.abouts.items():
        written = facts.__annotations__[field]
        if written not in kinds:
            kinds[written] = _kind(eval(written[len("Fact[") : -1], vars(modules[facts.__module__])))  # noqa: S307 - our own
        kind, choices = kinds[written]
        yield FactEntry(f"{namespace}.{field}", kind, choices, about.doc, about.source, about.unit, about.attested)


def _kind(annotation: Any) -> tuple[Kind, tuple[str, ...]]:  # noqa: ANN401 - what typing calls a type form
    if get_origin(annotation) is Literal:
        return Kind.TEXT, get_args(annotation)
    return _KINDS[annotation], ()


_KINDS: Final[Mapping[Any, Kind]] = {
    bool: Kind.YES_NO,
    int: Kind.WHOLE,
    float: Kind.REAL,
    str: Kind.TEXT,
    Version: Kind.VERSION,
    tuple[str, ...]: Kind.TEXTS,
}


def names_in_scope(subject: str) -> tuple[str, ...]:
    """The facts that a rule on a subject of this kind may ask."""
    return tuple(name for name, entry in catalogue().items() if entry.namespace in SCOPES[subject])


def matching(pattern: str) -> tuple[FactEntry, ...]:
    """Facts whose name has `pattern` in it, or matches it where it has a * or ?."""
    wanted = pattern if any(sign in pattern for sign in "*?[") else f"*{pattern}*"
    return tuple(entry for name, entry in catalogue().items() if fnmatchcase(name, wanted.lower()))
