"""Reads single answers as facts: a file's text, number or switch, a command's record; and Kleene folds of facts."""

from __future__ import annotations

from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, Final, TypeVar, get_args

from msgspec.structs import replace

from fsadvisor.facts import Cause, Fact, Known, Unknown, unreadable
from fsadvisor.patterns import late
from fsadvisor.readers import whole

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from fsadvisor.machine.port import Answer, Argv, Machine

_DENIED_TO_ROOT = "look from outside: a container or a device policy denies it even to root"

_CONTROLS = late(r"[\x00-\x08\x0b-\x1f\x7f]")

T = TypeVar("T")
R = TypeVar("R")


def derive(fact: Fact[T], reckon: Callable[[T], R]) -> Fact[R]:
    """Reckon a new value from a known one; what is not known stays so."""
    return fact if isinstance(fact, Unknown) else Known(reckon(fact.value), fact.source)


shared_fact: Callable[[Any, str], Known[Any]] = lru_cache(maxsize=4096, typed=True)(Known)
"""A known fact, one object for all that are equal: a table says much the same of thousands of mounts."""


@lru_cache(maxsize=512)
def shared(texts: tuple[str, ...]) -> tuple[str, ...]:
    """One object for all equal lists of texts: thousands of filesystems have the same few options and features."""
    return texts


def value(fact: Fact[T]) -> T | None:
    """The value, or None: for choosing what to ask next, never for judging."""
    return fact.value if isinstance(fact, Known) else None


def steady(counted: T) -> T:
    """A count or average that moves all the time, in two digits: so that two looks in a row say the same."""
    return type(counted)(float(f"{counted:.2g}"))  # type: ignore[call-arg]


def fact_of(value: T | None, source: str, learn: str = "") -> Fact[T]:
    """A record's field as a fact: None means that the source does not say."""
    return Unknown(Cause.NOT_EXPOSED, learn, source) if value is None else Known(value, source)


def is_not_there(answer: object) -> bool:
    """Whether the machine lacks what was asked for, and it is not the recording that does."""
    return isinstance(answer, Unknown) and answer.cause is Cause.NOT_EXPOSED and not answer.learn


def names(entries: tuple[str, ...] | Unknown) -> tuple[str, ...]:
    """The names in a directory, none where it can't be listed: for going through them.

    Never for judging: that a name is not among them says nothing then.
    """
    return () if isinstance(entries, Unknown) else entries


def field(record: R | Unknown, source: str, pick: Callable[[R], T | None]) -> Fact[T]:
    """A field of a record that may itself be unknown."""
    return record if isinstance(record, Unknown) else fact_of(pick(record), source)


def first(*facts: Fact[T]) -> Fact[T]:
    """The first that is known; else the first reason that can be cured, else the first."""
    curable: Unknown | None = None
    for fact in facts:
        if isinstance(fact, Known):
            return fact
        if fact.learn and curable is None:
            curable = fact
    return curable or facts[0]


def text(machine: Machine, path: str) -> Fact[str]:
    """A file's text without its end of line; an empty one says nothing, nor does one with control characters."""
    answer = machine.read(path)
    if isinstance(answer, Unknown):
        return answer
    content = answer.text.strip()
    if not content.isprintable() and _CONTROLS.search(content):
        return unreadable("not text", answer.source)
    return fact_of(content or None, answer.source)


def number(machine: Machine, path: str) -> Fact[int]:
    """A file that holds one whole number."""
    fact = text(machine, path)
    if isinstance(fact, Unknown):
        return fact
    amount = whole(fact.value)
    return unreadable("not a whole number", path) if amount is None else Known(amount, path)


def switch(machine: Machine, path: str) -> Fact[bool]:
    """A file that holds 0 or 1."""
    fact = number(machine, path)
    if isinstance(fact, Known) and fact.value not in (0, 1):
        return unreadable("neither 0 nor 1", path)
    return derive(fact, bool)


def choice(fact: Fact[str], choices: object) -> Fact[T]:
    """A text that must be one of a Literal's choices."""
    if isinstance(fact, Unknown) or fact.value in _choices(choices):
        return fact  # type: ignore[return-value]
    return unreadable(f"{fact.value[:40]!r} is none of {', '.join(map(str, _choices(choices)))}", fact.source)


_choices = cache(get_args)


def understood(answer: Answer, parse: Callable[[str], R | Unknown]) -> R | Unknown:
    """A reply's record; what could not be read names its source, and a tool that was killed has said nothing."""
    if isinstance(answer, Unknown):
        return answer
    if answer.status < 0:
        return Unknown(Cause.UNREADABLE, f"find out what killed it (signal {-answer.status})", answer.source)
    record = parse(answer.text)
    return replace(record, source=answer.source) if isinstance(record, Unknown) else record


def file_record(machine: Machine, path: str, parse: Callable[[str], R | Unknown]) -> R | Unknown:
    """The record of a file."""
    return record_of(machine, machine.read(path), parse)


def command_record(machine: Machine, argv: Argv, parse: Callable[[str], R | Unknown]) -> R | Unknown:
    """The record of a command's output."""
    return record_of(machine, machine.run([argv])[0], parse)


def record_of(machine: Machine, answer: Answer, parse: Callable[[str], R | Unknown]) -> R | Unknown:
    """A reply's record; what is denied to root itself is not cured by becoming root."""
    record = understood(answer, parse)
    if isinstance(record, Unknown) and machine.root and record.cause is Cause.DENIED:
        return replace(record, sentence=_DENIED_TO_ROOT, subject="")
    return record


def any_of(facts: Iterable[Fact[bool]], source: str) -> Fact[bool]:
    """TRUE as soon as one is; FALSE only if all are known to be; of nothing: FALSE."""
    return _decide(list(facts), True, source)


def all_of(facts: Iterable[Fact[bool]], source: str) -> Fact[bool]:
    """FALSE as soon as one is; TRUE only if all are known to be; of nothing: TRUE."""
    return _decide(list(facts), False, source)


def _decide(facts: list[Fact[bool]], deciding: bool, source: str) -> Fact[bool]:
    if len(facts) == 1:
        return facts[0]
    for fact in facts:
        if isinstance(fact, Known) and fact.value is deciding:
            return fact
    unknown = [fact for fact in facts if isinstance(fact, Unknown)]
    if unknown:
        return first(*unknown)
    return shared_fact(not deciding, source)


def both(one: Fact[bool], other: Fact[bool], source: str) -> Fact[bool]:
    """Kleene's and of two."""
    return all_of((one, other), source)


def holds(fact: Fact[str], test: Callable[[str], bool]) -> Fact[bool]:
    """A test of a text fact."""
    return fact if isinstance(fact, Unknown) else shared_fact(test(fact.value), fact.source)


_NOTHING_FOUND: Final = (1, 2)
"""Of grep; 2: some of the folders are not there."""


def files_named(machine: Machine, command: Argv) -> Fact[tuple[str, ...]]:
    """The files that `grep -l` names; that it named none means none only where it came to its end, as root."""
    answer = machine.run([command])[0]
    if isinstance(answer, Unknown):
        return answer
    found = tuple(sorted(name for name in answer.text.split("\n") if name.startswith("/")))
    if not found and not machine.root:
        return Unknown(Cause.DENIED, "run as root", answer.source)
    if not found and answer.status not in _NOTHING_FOUND:
        return Unknown(Cause.UNREADABLE, "retry", answer.source)
    return Known(found, answer.source)
