"""What a person asked the doctor about, answered first: programs from their own side, and what symptoms lead to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from fsadvisor.measure.now.facts import devices_of, named
from fsadvisor.pages.document import Block, Gap, paragraph
from fsadvisor.pages.escape import clean
from fsadvisor.pages.glyphs import line
from fsadvisor.report.doctor_page import no, title
from fsadvisor.rulebook import words

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fsadvisor.measure.now.answer import Answer
    from fsadvisor.measure.now.model import Device, Filesystem, Program, Window
    from fsadvisor.rulebook.rule import Rule
    from fsadvisor.rulebook.words import WordMatch

_MOST: Final = 3
_LEAST: Final = 50_000
"""Bytes per second."""
_CALM: Final = "it neither waited in state D nor ran in a tenth of the looks, and moved less than 64 KiB/s"


def asked_blocks(told: Answer, about: frozenset[str], symptom: str, rules: Sequence[Rule]) -> Iterator[Block]:
    """`about` are names of subjects, `symptom` all other words; nothing where neither leads anywhere."""
    window = told.window
    programs = [one for one in window.programs if named(one) in about]
    places = [one for one in window.filesystems if one.mount_point in about]
    devices = [one for one in window.devices if one.name in about]
    said = [_program(one) for one in programs[:_MOST]]
    said += [_place(one, window) for one in places] or [_device(one) for one in devices]
    known = {named(one) for one in programs} | {one.mount_point for one in places} | {one.name for one in devices}
    said += [f"{clean(name)}: {_CALM}" for name in sorted(about - known) if not name.startswith("/")]
    if symptom:
        said += [_lead(one, told) for one in _leads(symptom, told, rules)]
    if not said:
        return
    yield Gap()
    yield paragraph(f"Of what was asked{f' ({clean(symptom)})' if symptom else ''}:")
    for one in said:
        yield paragraph(one, first=line("  - "), indent=4)


def _program(one: Program) -> str:
    """Its own side: what its threads did in the looks, and what it read and wrote."""
    parts = [
        f"{words} {100 * share:.0f} %"
        for words, share in (
            ("waited in state D in", one.waiting),
            ("in a sync in", one.syncing),
            ("held back in its writes in", one.held_back),
            ("for journal space in", one.journal_full),
            ("for swap or free memory in", one.for_memory),
            ("ran in", one.running),
        )
        if share
    ]
    looks = f"{', '.join(parts)} of the looks" if parts else "did not wait in state D"
    moved = [f"{verb} {number / 1e6:.1f} MB/s" for verb, number in _moved(one) if number and number >= _LEAST]
    where = f"; mostly in {one.function}" if one.function and one.waiting else ""
    return clean(f"{named(one)}: {looks}{where}{'; ' if moved else ''}{', '.join(moved)}")


def _moved(one: Program) -> tuple[tuple[str, float | None], ...]:
    return ("read", one.read_bytes), ("wrote", one.write_bytes)


def _place(one: Filesystem, window: Window) -> str:
    below = devices_of(one.mount_point, window)
    busy = "; ".join(_device(each) for each in window.devices if each.name in below)
    free = f"{100 * (one.available or 0) / one.size:.0f} % free" if one.size else "its space is not told"
    return clean(f"{one.mount_point} ({one.type}): {free}{'; ' if busy else ''}{busy}")


def _now(window: Window) -> str:
    """What hurts at all, in figures: how long tasks waited, and the busiest disk."""
    waited = "I/O pressure is not told" if window.io_some is None else f"I/O pressure {100 * window.io_some:.0f} %"
    busiest = max(window.devices, key=lambda one: (one.busy, one.queue), default=None)
    return clean(f"now: {waited}; {_device(busiest) if busiest else 'no disk had a request'}")


def _device(one: Device) -> str:
    requests = one.reads + one.writes if one.requests is None else one.requests
    spent = one.reads * (one.read_ms or 0) + one.writes * (one.write_ms or 0) + requests * (one.request_ms or 0)
    each = f" of {spent / requests:.1f} ms" if requests else ""
    return f"{one.name} {requests:,.0f} requests/s{each}, busy {100 * one.busy:.0f} %, queue {one.queue:.1f}"


def _leads(symptom: str, told: Answer, rules: Sequence[Rule]) -> list[WordMatch]:
    """What the look tells of comes first, then what to run."""
    looked = {"doctor", *(one.rule.id for one in told.excluded), *(one.rule.id for one in told.open)}
    looked |= {one.verdict.rule.id for one in told.found}
    found = words.found(symptom, rules)[: 2 * _MOST]
    first = [one for one in found if one.key in looked][: _MOST - 1]
    return [*first, *sorted((one for one in found if one not in first), key=lambda one: one.kind == "rule")][:_MOST]


def _lead(one: WordMatch, told: Answer) -> str:
    for number, found in enumerate(told.found, 1):
        if found.verdict.rule.id == one.key:
            return f"{one.key}: yes: {title(found)}" + ("" if number > 1 else " (1.)")
    for excluded in told.excluded:
        if excluded.rule.id == one.key:
            return f"not {no(excluded)}"
    if any(each.rule.id == one.key for each in told.open):
        return f"{one.key}: it could not be told, see below"
    if one.key == "doctor":
        return _now(told.window)
    command = f"fsadvisor explain {one.key}" if one.kind == "rule" else one.title
    return f"{one.says}: `{command}`"
