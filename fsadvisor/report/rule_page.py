"""What the page of a rule says, in sections, before it becomes text or Markdown."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

from fsadvisor.catalogue import catalogue
from fsadvisor.pages.text import listed
from fsadvisor.report import guides, rule_text
from fsadvisor.rulebook.rule import Outcome
from fsadvisor.rulebook.tables import errata

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fsadvisor.catalogue import Entry
    from fsadvisor.rulebook.remedy import KeepTemplate, Remedy, Template
    from fsadvisor.rulebook.rule import Ask, Rule
    from fsadvisor.rulebook.shape import Figure, Gain, Reference, TrialShape
    from fsadvisor.rulebook.tables import Erratum

_FOUND_WHERE: Final = {
    "risk": "It warns where the answer is yes also to",
    "gain": "There is something to gain where it is yes also to",
    "hygiene": "There is something to tidy where it is yes also to",
}
_VERDICTS: Final = {
    Outcome.ADVISE: "advised",
    Outcome.WITHHELD: "withheld, until what is not known is proven",
    Outcome.BLOCKED: "blocked, because it would not be safe",
    Outcome.UNDETERMINED: "can't tell",
    Outcome.OK: "passed",
    Outcome.NOT_APPLICABLE: "does not apply",
}


@dataclass(frozen=True, slots=True)
class Prose:
    """Paragraphs."""

    text: str


@dataclass(frozen=True, slots=True)
class Commands:
    """Lines to paste or to put into a file."""

    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Asks:
    """Questions in words and as expressions."""

    asks: tuple[Ask, ...]


@dataclass(frozen=True, slots=True)
class Figures:
    """Numbers side by side, each with who gives it and its conditions."""

    figures: tuple[Figure, ...]


@dataclass(frozen=True, slots=True)
class Errata:
    """What holds, and what guides say instead."""

    errata: tuple[Erratum, ...]


@dataclass(frozen=True, slots=True)
class FactsAsked:
    """Facts with their meaning and source."""

    facts: tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class References:
    """Addresses and what they say."""

    references: tuple[Reference, ...]


@dataclass(frozen=True, slots=True)
class Examples:
    """What is said of whom: a verdict in words and the names of the examples that get it."""

    by_verdict: tuple[tuple[str, tuple[str, ...]], ...]


Part: TypeAlias = Prose | Commands | Asks | Figures | Errata | FactsAsked | References | Examples


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the page; the first, the mechanism, has no title."""

    title: str
    parts: tuple[Part, ...]


NO_VERDICT: Final = "This is what the rule looks for, and says where it finds it: not what was found here."


def headline(rule: Rule) -> str:
    """'nobarrier-unproven: critical risk, on a filesystem, trial'."""
    return f"{rule.id}: {rule.severity} {rule.kind}, on a {rule.subject}, {rule.status}"


def sections(rule: Rule) -> Iterator[Section]:
    """The whole page but its title and headline."""
    yield Section("", (Prose(rule.why),))
    for title, asks in (
        ("It applies where the answer is yes to", rule.applies),
        (_FOUND_WHERE[rule.kind], rule.checks),
        ("Commands are shown only where it is proven to be yes also to", rule.safety),
    ):
        if asks:
            yield Section(title, (Asks(asks),))
    if rule.gain:
        yield _gain(rule.gain)
    yield from _remedy(rule.remedy)
    if rule.trial:
        yield Section("Try it first, on scratch filesystems", (Prose(_tried(rule.id, rule.trial)),))
    names = dict.fromkeys(name for ask in rule.asks for name in ask.expression.names)
    yield Section("Facts that it asks", (FactsAsked(tuple(catalogue()[name] for name in names)),))
    yield Section("References", (References(rule.references),))
    if rule.errata:
        yield Section(guides.TITLE, (Errata(tuple(errata()[number] for number in rule.errata)),))
    yield Section("What it says of whom", (_examples(rule),))


def _gain(gain: Gain) -> Section:
    parts: list[Part] = [Figures(gain.figures) if gain.figures else Prose("No figure is known.")]
    if gain.believe:
        parts.append(Prose(f"Believe: {gain.believe}"))
    if gain.measured:
        doc = catalogue()[gain.measured].doc
        parts.append(Prose(f"The probe {gain.measure} tells it here, at most, by {gain.measured}: {doc}."))
    elif gain.measure:
        parts.append(Prose(f"The probe {gain.measure} would measure it."))
    return Section(f"What it brings: {gain.metric} ({gain.basis})", tuple(parts))


def _tried(rule: str, trial: TrialShape) -> str:
    before, after = _side(trial.before, trial.mkfs_before), _side(trial.after, trial.mkfs_after)
    return (
        f"`fsadvisor trial {rule} --on-scratch DIR` compares {before} with {after} by the job {trial.job}, on "
        f"{listed(trial.types, 'or')} in images on the filesystem of DIR."
    )


def _side(options: tuple[str, ...], mkfs: tuple[str, ...]) -> str:
    words = [*(f"`-o {','.join(options)}`" for _ in options[:1]), *(f"mkfs `{shlex.join(mkfs)}`" for _ in mkfs[:1])]
    return " and ".join(words) or "the filesystem as it is"


def _remedy(remedy: Remedy) -> Iterator[Section]:
    needs = rule_text.NEEDS[remedy.needs]
    yield from _commands(f"What to do ({needs})", _texts(remedy.now))
    for title, lines in rule_text.by_file(_kept(keep) for keep in remedy.keep):
        yield from _commands(title, lines)
    yield from _commands("Check", _texts(remedy.verify))
    yield from _commands("Undo", _texts(remedy.undo))
    commands = bool(remedy.now or remedy.keep)
    if commands:
        yield Section("Facts in braces are filled in, and quoted for the shell.", ())
    if remedy.advice:
        yield Section("Note" if commands else f"What to do ({needs})", (Prose(remedy.advice),))


def _commands(title: str, lines: tuple[str, ...]) -> Iterator[Section]:
    if lines:
        yield Section(title, (Commands(lines),))


def _texts(templates: tuple[Template, ...]) -> tuple[str, ...]:
    return tuple(map(_text, templates))


def _kept(keep: KeepTemplate) -> tuple[str, str]:
    return keep.file, _text(keep.line) if keep.file else rule_text.options(_text(keep.mount), keep.add, keep.remove)


def _text(template: Template) -> str:
    return "".join(piece if isinstance(piece, str) else f"{{{piece.name}}}" for piece in template.pieces)


def _examples(rule: Rule) -> Examples:
    named: dict[str, list[str]] = {}
    for outcome, words in _VERDICTS.items():
        for example in rule.examples:
            if example.expect is outcome:
                named.setdefault(words, []).append(example.name)
    return Examples(tuple((words, tuple(names)) for words, names in named.items()))
