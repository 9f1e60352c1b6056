"""What a person asked the doctor about, answered first: programs from their own side, and what symptoms lead to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from fsadvisor.measure.now.facts import named
from fsadvisor.measure.now.mounts import devices_of
from fsadvisor.pages.document import Block, Gap, paragraph
from fsadvisor.pages.glyphs import clean, line
from fsadvisor.report.doctor_page import no, title
from fsadvisor.rulebook import words

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fsadvisor.measure.now import Device, Filesystem, Program, Window
    from fsadvisor.measure.now.answer import Answer
    from fsadvisor.rulebook.rule import Rule
    from fsadvisor.rulebook.words import WordMatch

_MOST: Final = 3
_LEAST: Final = 50_000
"""Bytes per second."""
_CALM: Final = "it neither waited in state D nor ran in a tenth of the looks, and moved less than 64 KiB/s"


def asked_blocks(answer: Answer, about: frozenset[str], symptom: str, rules: Sequence[Rule]) -> Iterator[Block]:
    """`about` are names of subjects, `symptom` all other words; nothing where nothing was asked."""
    window = answer.window
    programs = [one for one in window.programs if named(one) in about]
    places = [one for one in window.filesystems if one.mount_point in about]
    devices = [one for one in window.devices if one.name in about]
    sentences = [_program(one) for one in programs[:_MOST]]
    sentences += [_place(one, window) for one in places] or [_device(one) for one in devices]
    known = {named(one) for one in programs} | {one.mount_point for one in places} | {one.name for one in devices}
    sentences += [f"{clean(name)}: {_CALM}" for name in sorted(about - known) if not name.startswith("/")]
    if symptom:
        sentences += [_lead(one, answer) for one in _leads(symptom, answer, rules)]
    if symptom and not sentences:
        sentences = ["no subject here and no symptom is known by these words; all that was looked at stands below"]
    if not sentences:
        return
    yield Gap()
    yield paragraph(f"Of what was asked{f' ({clean(symptom)})' if symptom else ''}:")
    for one in sentences:
        yield paragraph(one, first=line("  - "), indent=4)


def _program(task: Program) -> str:
    """Its own side: what its threads did in the looks, and what it read and wrote."""
    parts = [
        f"{words} {100 * share:.0f} %"
        for words, share in (
            ("waited in state D in", task.waiting),
            ("in a sync in", task.syncing),
            ("held back in its writes in", task.held_back),
            ("for journal space in", task.journal_full),
            ("for swap or free memory in", task.for_memory),
            ("ran in", task.running),
        )
        if share
    ]
    looks = f"{', '.join(parts)} of the looks" if parts else "did not wait in state D"
    moved = [f"{verb} {number / 1e6:.1f} MB/s" for verb, number in _moved(task) if number and number >= _LEAST]
    where = f"; mostly in {task.function}" if task.function and task.waiting else ""
    return clean(f"{named(task)}: {looks}{where}{'; ' if moved else ''}{', '.join(moved)}")


def _moved(program: Program) -> tuple[tuple[str, float | None], ...]:
    return ("read", program.read_bytes), ("wrote", program.write_bytes)


def _place(mount: Filesystem, window: Window) -> str:
    below = devices_of(mount.mount_point, window)
    busy = "; ".join(_device(each) for each in window.devices if each.name in below)
    free = f"{100 * (mount.available or 0) / mount.size:.0f} % free" if mount.size else "its space is not known"
    return clean(f"{mount.mount_point} ({mount.type}): {free}{'; ' if busy else ''}{busy}")


def _now(window: Window) -> str:
    """What hurts at all, in figures: how long tasks waited, and the busiest disk."""
    waited = "I/O pressure is not known" if window.io_some is None else f"I/O pressure {100 * window.io_some:.0f} %"
    busiest = max(window.devices, key=lambda one: (one.busy, one.queue), default=None)
    return clean(f"now: {waited}; {_device(busiest) if busiest else 'no disk had a request'}")


def _device(device: Device) -> str:
    requests = device.reads + device.writes if device.requests is None else device.requests
    spent = (
        device.reads * (device.read_ms or 0)
        + device.writes * (device.write_ms or 0)
        + requests * (device.request_ms or 0)
    )
    each = f" of {spent / requests:.1f} ms" if requests else ""
    return f"{device.name} {requests:,.0f} requests/s{each}, busy {100 * device.busy:.0f} %, queue {device.queue:.1f}"


def _leads(symptom: str, answer: Answer, rules: Sequence[Rule]) -> list[WordMatch]:
    """What the look tells of and what no look tells come first, then what to run."""
    looked = {"doctor", *(one.rule.id for one in answer.excluded), *(one.rule.id for one in answer.open)}
    looked |= {one.verdict.rule.id for one in answer.found}
    matches = words.found(symptom, rules)[: 2 * _MOST]
    first = [one for one in matches if one.key in looked or one.kind == "beyond"][: _MOST - 1]
    return [*first, *sorted((one for one in matches if one not in first), key=lambda one: one.kind == "rule")][:_MOST]


def _lead(match: WordMatch, answer: Answer) -> str:
    for number, finding in enumerate(answer.found, 1):
        if finding.verdict.rule.id == match.key:
            return f"{match.key}: yes: {title(finding)}" + ("" if number > 1 else " (1.)")
    for excluded in answer.excluded:
        if excluded.rule.id == match.key:
            return f"not {no(excluded)}"
    if any(each.rule.id == match.key for each in answer.open):
        return f"{match.key}: it could not be told, see below"
    if match.key == "doctor":
        return _now(answer.window)
    if match.kind == "beyond":
        return f"{match.title}: {match.says}"
    command = f"fsadvisor explain {match.key}" if match.kind == "rule" else match.title
    return f"{match.says}: `{command}`"
