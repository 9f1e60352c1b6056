"""`fsadvisor doctor`: one look at all that can hurt now, and one answer; or why PATH is full, or its fsync slow."""

from __future__ import annotations

import os
import sys
from functools import partial
from typing import TYPE_CHECKING, Final

from fsadvisor import inputs
from fsadvisor.facts import Cause, Unknown
from fsadvisor.machine import symptoms
from fsadvisor.machine.live import LiveMachine
from fsadvisor.machine.time_limits import within
from fsadvisor.measure.now.answer import answer
from fsadvisor.measure.now.facts import named
from fsadvisor.measure.now.full import full
from fsadvisor.measure.now.mounts import devices_of
from fsadvisor.measure.now.observe import observe
from fsadvisor.measure.now.stored_windows import chosen_of, windows_in
from fsadvisor.measure.now.traced import traced
from fsadvisor.measure.probe import surroundings
from fsadvisor.pages.glyphs import clean
from fsadvisor.pages.text import render
from fsadvisor.readers.mount_tables import parse_mountinfo
from fsadvisor.report.asked_page import asked_blocks
from fsadvisor.report.doctor_page import as_json, document, full_document, timeline
from fsadvisor.report.fsync_page import fsync_document
from fsadvisor.rulebook.advise import advise
from fsadvisor.rulebook.loading import own_rulebook
from fsadvisor.rulebook.rule import CALLS_FOR_ACTION
from fsadvisor.rulebook.words import found
from fsadvisor.survey.whole import only, survey
from fsadvisor.verbs import RefusedError, say

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from fsadvisor.machine.port import Machine
    from fsadvisor.measure.now import Filesystem, Window
    from fsadvisor.readers.mount_tables import MountEntry
    from fsadvisor.rulebook.advise import Verdict
    from fsadvisor.rulebook.rule import Rule

SECONDS: Final = 5.0
_PATH_S: Final = 1.0
_AUDIT_S: Final = 10.0
_TOOL_S: Final = 4.0
"""For each tool of that audit: those that hang take less than two of these together."""

_NOW: Final = ("losing", "errors", "stall")
_UNITS: Final = (".service", ".scope", ".slice")
_SYNC: Final = ("commit", "flush", "fsync", "sync")


def run(chosen: argparse.Namespace, machine: Machine, write: Callable[[Iterable[str]], None]) -> int:
    """Do what the command line asks for; returns the exit status. Raises RefusedError."""
    words: list[str] = [_absolute(word) for word in chosen.words]
    rules = own_rulebook().rules
    if words and words[0] in ("full", "fsync") and not _is_symptom(words, rules):
        return _of_path(chosen, machine, write)
    if chosen.on and chosen.trace:
        raise RefusedError("--trace records this machine's kernel: leave --on out")
    if not chosen.on:
        _there(words)
    if chosen.at and not chosen.on:
        raise RefusedError("--at chooses among windows that were kept: say where with --on")
    windows = windows_in(inputs.windows_path(chosen.on)) if chosen.on else [_observed(chosen)]
    window = chosen_of(windows, chosen.at)
    about, symptom = _about(words, window, machine)
    answered = answer(window, rules, about if words else None)
    if chosen.form == "json":
        write([as_json(answered)])
    else:
        lasting = () if chosen.on else _lasting(chosen.timeout)
        asked = asked_blocks(answered, about, symptom, rules)
        write(render((*timeline(windows, window), *document(answered, lasting, asked)), margin=0))
    return 1 if any(one.hurts for one in answered.found) else 0


def _observed(chosen: argparse.Namespace) -> Window:
    seen = partial(observe, chosen.seconds or SECONDS, say)
    return traced(seen) if chosen.trace else seen()


def _there(words: list[str]) -> None:
    """What is asked about is there, before anything is waited for."""
    for word in words:
        if word.isdecimal() and len(words) == 1 and not os.path.exists(f"/proc/{word}"):  # noqa: PTH110 - text alone
            raise RefusedError(f"{word}: no process has this number; name a PID, a path or a unit")
        if word.startswith("/") and _is_there(word) is False:
            raise RefusedError(f"{word}: there is no such path; name one that exists, a PID or a unit")


def _is_there(path: str) -> bool | None:
    """None where the filesystem does not answer."""
    return within(_PATH_S, lambda: os.path.lexists(path))


def _mount(path: str, machine: Machine) -> MountEntry | None:
    """The mount that a path is on: by its text alone where the filesystem does not answer."""
    if _is_there(path) is not None:
        return surroundings.mount_of(surroundings.real(path), machine)
    table = parse_mountinfo(symptoms.mount_table())
    mounts = () if isinstance(table, Unknown) else table.mounts
    above = [one for one in mounts if f"{os.path.abspath(path)}/".startswith(f"{one.mount_point.rstrip('/')}/")]  # noqa: PTH100 - text alone
    return max(reversed(above), key=lambda one: len(one.mount_point), default=None)


def _absolute(word: str) -> str:
    """A path as the kernel has it: one that begins with a dot, or that has a slash and is there."""
    is_path = word.startswith(("./", "../")) or word in (".", "..") or ("/" in word and _is_there(word))
    return os.path.abspath(word) if is_path else word  # noqa: PTH100 - text alone


def _is_symptom(words: list[str], rules: Sequence[Rule]) -> bool:
    """Whether 'full …' and 'fsync …' are words, not the question about a path."""
    rest = words[1:]
    if any(one.startswith("/") or _is_there(one) for one in rest):
        return False
    return len(rest) != 1 or bool(found(rest[0], rules))


def _about(words: list[str], window: Window, machine: Machine) -> tuple[frozenset[str], str]:
    """The subjects that the words mean, and what names none: a symptom, for which all is looked at."""
    names: set[str] = set()
    rest: list[str] = []
    for word in words:
        unit = [word, *(f"{word}{ending}" for ending in _UNITS)]
        meant = {named(one) for one in window.programs if one.unit in unit or one.name == word}
        meant |= {one.name for one in window.devices if word in (one.name, f"/dev/{one.name}")}
        if word.isdecimal() and len(words) == 1:
            meant = {named(one) for one in window.programs if one.pid == int(word)} or {f"pid {word}"}
        elif word.endswith(_UNITS):
            meant = meant or {word}
        elif word.startswith("/") and not meant:
            filesystem = _filesystem_of(word, window, machine)
            meant = {filesystem.mount_point, *devices_of(filesystem.mount_point, window)}
            meant |= {named(one) for one in window.programs if filesystem.mount_point in one.places}
        names |= meant
        rest += [] if meant else [word]
    return frozenset(names), " ".join(rest)


def _filesystem_of(path: str, window: Window, machine: Machine) -> Filesystem:
    mount = _mount(path, machine)
    point = mount.mount_point if mount else ""
    number = mount.major_minor if mount else ""
    for one in window.filesystems:
        if one.mount_point == point or (number and one.number == number):
            return one
    raise RefusedError(f"{path}: on no mounted filesystem that holds files; name a path that exists")


def _lasting(timeout_s: float) -> Iterator[str]:
    """What the audit says that bears on now, where it answers in time, and which tools did not."""
    sys.stdout.flush()  # what hurts now is read while the audit is waited for
    machine = LiveMachine(timeout=min(timeout_s, _TOOL_S))
    verdicts = within(_AUDIT_S, lambda: _verdicts(machine))
    if verdicts is None:
        yield "the audit did not answer in 10 s; `fsadvisor` alone runs it without a limit"
        return
    for one in verdicts:
        if one.outcome in CALLS_FOR_ACTION and one.rule.urgency in _NOW:
            yield f"{one.rule.title} ({clean(one.subject.name)}): fsadvisor explain {one.rule.id}"
    unknown = (fact for one in verdicts for fact in one.to_learn().values() if fact.cause is Cause.TIMED_OUT)
    hung = sorted({fact.source.partition(" ")[0] for fact in unknown})
    if hung:
        yield f"some checks are open: {clean(', '.join(hung))} did not end in {min(timeout_s, _TOOL_S):g} s"


def _verdicts(machine: Machine) -> tuple[Verdict, ...]:
    return tuple(advise(survey(machine, {}), own_rulebook().rules))


def _of_path(chosen: argparse.Namespace, machine: Machine, write: Callable[[Iterable[str]], None]) -> int:
    what, *paths = chosen.words
    if len(paths) != 1:
        raise RefusedError(f"say of which path: fsadvisor doctor {what} PATH")
    if what == "full" and chosen.trace:
        raise RefusedError("--trace tells of syncs and flushes: fsadvisor doctor fsync PATH --trace")
    if chosen.on or chosen.form == "json":
        raise RefusedError(f"doctor {what} looks at this machine and prints text: leave --on and --json out")
    path = paths[0]
    mount = _mount(path, machine)
    if mount is None or _is_there(path) is False:
        raise RefusedError(f"{path}: on no mount that can be told; name a path that exists")
    window = _observed(chosen) if what == "fsync" else None
    part = only(survey(machine, {}), mount.mount_point)
    rules = own_rulebook().rules
    if part is None:
        raise RefusedError(f"{path}: {mount.mount_point} ({mount.fs_type}) holds no files on storage that is audited")
    own = next((one for one in part.subjects if one.id == f"mount:{mount.mount_point}"), None)
    below = set(own.below) if own else set()
    if window is None:
        subject = next((one for one in part.subjects if one.kind == "filesystem" and one.id in below), None)
        if subject is None:
            raise RefusedError(f"{path}: the filesystem below {mount.mount_point} can't be told")
        write(render(full_document(full(subject, rules), path), margin=0))
        return 0
    advised = (one for one in advise(part, rules) if one.outcome in CALLS_FOR_ACTION)
    remedies = [one for one in advised if any(word in one.rule.id for word in _SYNC) or "fsync" in one.rule.why]
    filesystem = _filesystem_of(path, window, machine)
    write(render(fsync_document(window, filesystem, part.subjects, remedies), margin=0))
    return 0
