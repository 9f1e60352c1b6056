"""What `fsadvisor doctor full PATH` says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from fsadvisor.facts import Known
from fsadvisor.measure.now import full
from fsadvisor.pages.document import Block, Commands, Gap, paragraph
from fsadvisor.pages.escape import clean
from fsadvisor.pages.glyphs import line

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fsadvisor.facts import Fact
    from fsadvisor.measure.now.full import Cause, Full
    from fsadvisor.rulebook.advise import Verdict
    from fsadvisor.storage import Subject

_ITEM: Final = line("  - ")
_MIB: Final = 1 << 20


def full_document(told: Full, path: str) -> Iterator[Block]:
    """Which causes hold, safest first; nothing is deleted."""
    yield paragraph(f"The free space at {clean(path)}: {clean(told.subject.name)}, {_room(told.subject)}")
    if not told.causes:
        yield Gap()
        yield paragraph("No cause of a full filesystem that could be told holds.")
    for number, one in enumerate(told.causes, 1):
        yield Gap()
        frees = "" if one.frees is None else f" It frees about {one.frees // _MIB:,} MiB."
        yield paragraph(f"{one.verdict.rule.title}.{frees}", first=line(f"{number}. "), indent=3)
        yield paragraph(f"risk: {one.risk}", first=line("   "), indent=9)
        for name, fact in (one.verdict.facts() | _held_open_by(one)).items():
            if isinstance(fact, Known):
                value = ", ".join(fact.value) if isinstance(fact.value, tuple) else fact.value
                yield paragraph(f"seen: {name} = {clean(str(value))}", first=line("   "), indent=9)
        instructions = one.verdict.instructions()
        yield paragraph(" ".join(instructions.advice.split()), first=line("   do: "), indent=7)
        if instructions.now:
            yield Commands(instructions.now, indent=3)
        elif instructions.no_commands:
            yield paragraph(f"no commands: {clean(instructions.no_commands)}", first=line("   "), indent=5)
        yield paragraph(f"more: fsadvisor explain {one.verdict.rule.id}", first=line("   "))
    yield from _others("Excluded:", told.excluded)
    if told.open:
        yield Gap()
        yield paragraph("Not told:")
        for verdict in told.open:
            name, fact = next(iter(verdict.to_learn().items()))
            yield paragraph(f"{verdict.rule.id}: {name}: {fact.learn or 'not known'}", first=_ITEM, indent=4)


def _held_open_by(one: Cause) -> dict[str, Fact[tuple[str, ...]]]:
    """The processes to look at, of deleted files that are open."""
    if one.verdict.rule.id != "deleted-files-hold-space":
        return {}
    return {"filesystem.deleted_open_by": full.fact(one.verdict.subject, "deleted_open_by")}


def _others(head: str, verdicts: Sequence[Verdict]) -> Iterator[Block]:
    if verdicts:
        yield Gap()
        yield paragraph(head)
    for one in verdicts:
        answer = one.answers()[-1]
        seen = ", ".join(f"{name} = {fact.value}" for name, fact in answer.facts.items() if isinstance(fact, Known))
        yield paragraph(f"{one.rule.id}: {clean(seen)}", first=_ITEM, indent=4)


def _room(subject: Subject) -> str:
    used, inodes = full.fact(subject, "used_percent"), full.fact(subject, "inodes_used_percent")
    words = [f"{used.value} % of the space"] if isinstance(used, Known) else []
    words += [f"{inodes.value} % of the inodes"] if isinstance(inodes, Known) else []
    return f"{' and '.join(words)} in use" if words else "how full it is could not be told"
