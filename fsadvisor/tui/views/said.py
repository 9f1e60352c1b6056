"""What came of what a person has said: what it changed, what it did not, and what is still missing there."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Final

from fsadvisor.facts import Known
from fsadvisor.pages.document import Block, Document, Gap, Heading, Item, paragraph
from fsadvisor.pages.glyphs import Tone, line, span
from fsadvisor.pages.text import counted
from fsadvisor.pages.values import full_name, short_name
from fsadvisor.report import as_json, findings, power_loss
from fsadvisor.report.history import MOVING
from fsadvisor.storage import Disk
from fsadvisor.storage.about import CHECKLISTS
from fsadvisor.tui.views import suppose, what_if
from fsadvisor.tui.views.what_if import Mark

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fsadvisor.readers.attestations import Entry
    from fsadvisor.report.findings import Finding
    from fsadvisor.storage import Subject
    from fsadvisor.tui.views.look import Look

_FEW: Final = 8
_MANY: Final = 12
_REASONS: Final = frozenset({"disk.plp_settle", "disk.plp_evidence"})
"""Facts that tell of a verdict in many words: the verdict itself is told."""


def document(before: Look, now: Look | None, entries: Sequence[Entry], told: str, *, live: bool) -> Document:
    """The page; `now` is None until the machine has been looked at again."""
    blocks: list[Block] = [Heading(f"{told[:1].upper()}{told[1:]}"), *_dated(entries, live=live), Gap()]
    if now is None:
        return Document("said", (*blocks, paragraph(span("Looking again, to see what it changes.", Tone.UNKNOWN))))
    if now.asking:
        blocks += [paragraph(span(f"{counted(len(now.asking), 'answer')} still to come.", Tone.UNKNOWN)), Gap()]
    blocks += _part("What it changed", _changed(before, now), "Nothing else.")
    blocks.append(Gap())
    blocks += _part(
        "What it did not change, and what is missing", _unchanged(now, entries), "No advice waits for more."
    )
    return Document("said", tuple(blocks))


def _dated(entries: Sequence[Entry], *, live: bool) -> Iterator[Block]:
    """Of a recording, that it is not dated by the day of that."""
    if entries:
        of_recording = "" if live else ", the day on which it was said, not that of the recording"
        yield paragraph(span(f"It is dated {entries[0].on}{of_recording}.", Tone.DIM))


def _part(title: str, told: Iterator[Block], nothing: str) -> Iterator[Block]:
    blocks = list(told)
    yield Heading(title)
    yield from blocks or [paragraph(span(nothing, Tone.DIM))]


def _changed(before: Look, now: Look) -> Iterator[Block]:
    """Facts, each change once, then advice."""
    found: dict[tuple[str, str, str], list[Subject]] = {}
    for subject in now.storage.subjects:
        for change in _facts(before.subjects.get(subject.id), subject):
            found.setdefault(change, []).append(subject)
    for (name, was, now_is), subjects in islice(found.items(), _MANY):
        more = f" and {len(subjects) - 1:,} more" if len(subjects) > 1 else ""
        yield Item(line(span(name, Tone.STRONG), f" of {short_name(subjects[0])}{more}: was {was}, is now {now_is}"))
    for one in islice((each for each in what_if.changes(before, now) if each.mark is not Mark.SAME), _MANY):
        where = f", on {short_name(one.subjects[0])}" if len(one.subjects) == 1 else ""
        mark = span(f"advice {one.mark.value.lower()}: ", Tone.STRONG)
        yield Item(line(mark, f"{one.rule.title}{where}; {one.how}"))


def _facts(before: Subject | None, now: Subject) -> Iterator[tuple[str, str, str]]:
    """(name, what it was, what it is) of the subject's own facts that a person reads otherwise."""
    was = dict(as_json.own_facts(before)) if before else {}
    for name, fact in as_json.own_facts(now):
        if name in was and was[name] != fact and name not in MOVING | _REASONS and not name.startswith("below."):
            words = suppose.is_(was[name], name), suppose.is_(fact, name)
            if words[0] != words[1]:
                yield name, *words


def _unchanged(now: Look, entries: Sequence[Entry]) -> Iterator[Block]:
    """The verdict on the drives that were spoken of, with what would settle it; advice that is still held back."""
    for subject in islice(_drives(now, entries), _FEW):
        disk = subject.scope["disk"]
        if isinstance(disk, Disk):
            yield paragraph(
                span(f"{full_name(subject)}: ", Tone.STRONG), f"power-loss protection: {power_loss.verdict(disk)}"
            )
            steps = disk.plp_settle.value if isinstance(disk.plp_settle, Known) else ()
            yield from (Item(line(step)) for step in steps)
    about = {entry.about for entry in entries}
    for finding in islice(_held_back(now, about), _FEW):
        waits = findings.unlocks(finding, key="Esc, then a")
        yield paragraph(span(f"{finding.title}: ", Tone.STRONG), f"still waits. {waits[:1].upper()}{waits[1:]}")


def _drives(now: Look, entries: Sequence[Entry]) -> Iterator[Subject]:
    asked = [entry for entry in entries if entry.about in CHECKLISTS["plp"]]
    named, models = {entry.subject for entry in asked}, {entry.model for entry in asked if entry.model}
    for subject in now.storage.subjects:
        disk = subject.scope.get("disk")
        if subject.kind == "disk" and isinstance(disk, Disk):
            of_model = isinstance(disk.model, Known) and disk.model.value in models
            if subject.id in named or of_model:
                yield subject


def _held_back(now: Look, about: set[str]) -> Iterator[Finding]:
    """Findings that ask what was said, or the same below them, and still wait for an answer."""
    wanted = {name.partition(".")[2] for name in about}
    for finding in now.findings:
        names = {name for ask, _ in finding.answers() for name in ask.expression.names}
        asks = any(one.partition(".")[2].removeprefix("all_") in wanted for one in names)
        if asks and any(verdict.open_answers() for verdict in finding.verdicts[:1]):
            yield finding
