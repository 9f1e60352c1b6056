"""A finding on a few lines: what happens, what to do about it, what it brings, and on what that rests.

What is left out is told by `--full` and by `fsadvisor explain`.
"""

from __future__ import annotations

from textwrap import shorten
from typing import TYPE_CHECKING, Final

from fsadvisor.facts import FALSE, NOT_APPLICABLE, TRUE, Unknown
from fsadvisor.pages.document import Commands, Heading, Item, Remark, paragraph
from fsadvisor.pages.glyphs import clean, cut, line
from fsadvisor.pages.values import cause, counted, listed, short_name, value_text
from fsadvisor.report import finding_page, findings
from fsadvisor.report.finding_page import (
    FindingPage,
    evidence,
    file_and_line,
    folded,
    safety,
    subjects_named,
    waived,
    where,
)
from fsadvisor.report.findings import AND_ALIKE
from fsadvisor.report.rule_page import by_file
from fsadvisor.rulebook import language
from fsadvisor.storage.catalogue import catalogue

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fsadvisor.pages.document import Block
    from fsadvisor.report.findings import Finding
    from fsadvisor.rulebook.shape import Gain

_LINE: Final = 74
_ITEM: Final = 72
_IMPACT: Final = 3 * _LINE
_SAYS_LITTLE: Final = 40
ADVICE: Final = 560
"""Columns: what to do is told whole, of all but two of our rules; a part may be that for another filesystem."""

_EFFECT: Final = 3 * _LINE
_EVIDENCE: Final = 3 * _LINE
_VALUE: Final = 48
_SOURCE: Final = 40
_WHOLE: Final = 300
"""Of a single fact: a page, or a line of the kernel's log."""
_BELOW: Final = 3
_WITH_COMMANDS: Final = 2
"""Subjects whose commands are shown."""

_ALL: Final = "`fsadvisor explain {}` has all of it"


def document(finding: Finding, number: int, told_in: int | None) -> Iterator[Block]:
    """The finding; `told_in` is the one that has told of this rule already."""
    rule, page = finding.rule, FindingPage(finding)
    yield page.headline(number)
    if not _named_in_title(finding):
        yield Remark(line(f"On {where(finding, 3)}"))
    if words := waived(finding):
        yield Remark(line(words))
    if told_in:
        yield _labelled("Impact", f"see {told_in}, the same rule.")
    else:
        yield _labelled("Impact", sentences(rule.why, _IMPACT, _SAYS_LITTLE))
    yield from _fix(page, repeated=bool(told_in))
    if page.gain and not (told_in and page.gain is rule.gain):
        yield _expected(page.gain)
    yield _labelled("Evidence", _evidence(finding))
    for title, lines in folded(finding):
        yield Heading(title)
        yield from _few(lines, _BELOW)
    source = "" if told_in else f" {finding_page.page(finding)}"
    yield _labelled("More", f"`fsadvisor explain {rule.id}`{source}")


def beside(finding: Finding) -> Iterator[Block]:
    """The same beside a list that has its title: what to do comes first, since little may be seen of it."""
    page = FindingPage(finding)
    yield Remark(line(f"{page.headline().badge.text}; on {where(finding, 3)}"))
    if words := waived(finding):
        yield Remark(line(words))
    yield from _fix(page)
    yield _labelled("Impact", sentences(finding.rule.why, _IMPACT, _SAYS_LITTLE))
    if page.gain:
        yield _expected(page.gain)
    yield _labelled("Evidence", _evidence(finding))


def _expected(gain: Gain) -> Block:
    believe = sentences(gain.believe, _EFFECT) or "no figure is known."
    return _labelled("Expected", f"{gain.metric}: {believe} ({gain.basis})")


def _named_in_title(finding: Finding) -> bool:
    """Whether the title says all that the line with the subjects would."""
    subjects = list(finding.subjects)
    named = subjects[0].kind in ("mount", "service", "host") and finding.title != finding.rule.title
    return named and len(subjects) == 1 and (subjects[0].kind == "host" or short_name(subjects[0]) in finding.title)


def _few(lines: Sequence[str], most: int) -> Iterator[Item]:
    """So many at most, each short enough for one line of 80 columns."""
    yield from (Item(cut(line(words), _ITEM, "...")) for words in lines[:most])
    if len(lines) > most:
        yield Item(line(f"and {len(lines) - most:,} more"))


def sentences(text: str, most: int, least: int = 1) -> str:
    """Whole sentences of the first paragraph: as many as stand in `most` columns, and until there are `least`."""
    kept = ""
    for sentence in language.sentences(text.strip().split("\n\n")[0]):
        closed = kept.count("`") % 2 == 0
        if len(kept) >= least and closed and len(kept) + 1 + len(sentence) > most:
            break
        kept = f"{kept} {sentence}" if kept else sentence
    return kept


def _labelled(label: str, words: str) -> Block:
    return paragraph(f"{label}: {words}", first=line("   "), indent=5)


def _advice(finding: Finding) -> str:
    """What to do in words: whole, or its first sentences and where the others stand."""
    text = " ".join(finding_page.advice(finding).split())
    told = sentences(text, ADVICE)
    return told if told == text else f"{told} ({_ALL.format(finding.rule.id)})"


def _fix(page: FindingPage, *, repeated: bool = False) -> Iterator[Block]:
    """What it interrupts, whether it is safe and how it is undone, in a line; then the commands, and words on them.

    Where it is `repeated`, the rule has had its words already.
    """
    finding, needs = page.finding, finding_page.needs(page.finding)
    words = "" if repeated else _advice(finding)
    if any(truth is not TRUE for _, truth in safety(finding)):
        yield _labelled("Fix", f"not yet, {_held_back(finding)}")
        if unlock := findings.unlocks(finding) if not _refuted(finding) else "":
            yield _labelled("To unlock", unlock)
        if words and (finding_page.ways(finding) or not (page.rule.remedy.now or page.rule.remedy.keep)):
            yield _labelled(f"Then, by hand ({needs})", words)
        else:
            yield _labelled("Then", f"once all answers are yes, its commands stand here ({needs}).")
    elif page.todo.has_commands:
        yield Heading(f"Fix: {needs}; {_safe(finding)}; {_undone(page)}")
        yield from _commands(page)
        if words:
            yield _labelled("Note", words)
    elif words or not page.todo.unfit:
        yield _labelled(f"Fix, by hand ({needs})", words or "see above")
    yield from page.without_commands()


def _safe(finding: Finding) -> str:
    asked = safety(finding)
    return f"safe ({counted(len(asked), 'check')} passed, named by --full)" if asked else "safe as it stands"


def _undone(page: FindingPage) -> str:
    return "undo below" if page.todo.ready[0].undo else "undo: take the change back"


def _refuted(finding: Finding) -> list[str]:
    return [ask.ask for ask, truth in safety(finding) if truth is FALSE]


def _held_back(finding: Finding) -> str:
    """The questions of safety that are answered by no, or else those that nobody could answer."""
    refuted = _refuted(finding)
    some = refuted or [ask.ask for ask, truth in safety(finding) if truth is not TRUE]
    more = f" and {len(some) - _BELOW:,} more" if len(some) > _BELOW else ""
    why = "not safe here. The answer is no to:" if refuted else "safety not known. First answer:"
    return f"{why} {' '.join(some[:_BELOW])}{more}"


def _commands(page: FindingPage) -> Iterator[Block]:
    ready = page.todo.ready
    shown = ready[:_WITH_COMMANDS]
    yield from _lines("", [command for one in shown for command in one.now])
    for title, lines in by_file(file_and_line(kept) for one in shown for kept in one.keep):
        yield from _lines(title, lines)
    yield from _lines(_undo_title(page), [command for one in shown for command in one.undo])
    if len(ready) > len(shown):
        yield Remark(line(f"The same for {len(ready) - len(shown):,} more: --full, or --json"))


def _undo_title(page: FindingPage) -> str:
    """What the commands bring back, and what else there is to take back."""
    risk = " (brings the risk back)" if page.rule.kind == "risk" else ""
    made = any(kept.file for one in page.todo.ready for kept in one.keep)
    return f"Undo{risk}{', and take the lines out of the files above' if made else ''}"


def _lines(title: str, lines: Sequence[str]) -> Iterator[Block]:
    every = tuple(dict.fromkeys(lines))
    if every:
        if title:
            yield Heading(title)
        yield Commands(every)


def _evidence(finding: Finding) -> str:
    """What the answers rest on, in a line or two; questions only where the answer is not yes."""
    asked = evidence(finding)
    open_asks = [f"{ask.ask} {truth.name.lower()}" for ask, truth in asked if truth is not TRUE]
    every = dict.fromkeys(name for ask, _ in asked if ask.part == "checks" for name in ask.expression.names)
    names = [name for name in every if not _has_no_place(finding, name)] or list(every)
    facts = [_fact_with_values(finding, name, _WHOLE if len(names) == 1 else _SOURCE) for name in names]
    while len(facts) > 1 and len(", ".join(facts)) > _EVIDENCE:
        del facts[-1]
    more = f" and {len(names) - len(facts):,} more" if len(names) > len(facts) else ""
    return "; ".join((*open_asks, f"{', '.join(facts)}{more}"))


def _has_no_place(finding: Finding, name: str) -> bool:
    """A fact that such a subject does not have, as an array of md has no health by LVM, is no evidence."""
    return all(fact is NOT_APPLICABLE for _, fact, _ in finding.facts[name].values())


def _asked_first(finding: Finding, value: object) -> object:
    """Of several options those first that the rule asks for, since the last ones may be cut off."""
    if not isinstance(value, tuple):
        return value
    text = " ".join(ask.expression.text for ask, _ in evidence(finding))
    return tuple(sorted(value, key=lambda one: f"'{one}'" not in text))


def _fact_with_values(finding: Finding, name: str, most: int) -> str:
    """'disk.plp = absent', with the subject where they differ, and a source of at most so many characters."""
    values = list(finding.facts[name].values())
    many = len(values) > 1
    words = []
    for subject, fact, _ in values[:_BELOW]:
        if isinstance(fact, Unknown):
            text = f"not known ({cause(fact)})"
        else:
            value = _asked_first(finding, fact.value)
            text = shorten(value_text(catalogue()[name], value), _VALUE, placeholder=" ...")
            source = clean(fact.source)
            text = f"{text} ({source})" if source and len(source.removesuffix(AND_ALIKE)) <= most else text
        words.append(f"{text} ({subjects_named([subject])})" if many else text)
    if len(values) > _BELOW:
        words.append("others")
    return f"{name} = {listed(words)}"
